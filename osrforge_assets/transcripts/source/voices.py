"""The words of a cue: markup read and removed, entities decoded after it, one span for each voice.

Own code instead of webvtt-py and pysubs2: the first merges the voices of a cue into one and leaves entities as they
are, the second drops WebVTT speakers.
"""

import html
import re
from dataclasses import dataclass

# Only names that the format knows are markup; `<3` and `<sighs>` are text that somebody typed.
_TAG = re.compile(
    r"</?(?:(?P<voice>v)(?:\.[^\s<>]*)?(?:[ \t\n](?P<name>[^<>]*))?"
    r"|(?:c|i|b|u|s|ruby|rt|lang|font|span)(?:\.[^\s<>]*)?(?:[ \t\n][^<>]*)?"
    r"|(?:\d+:)?\d{2}:\d{2}[.,]\d{3})>",
    re.IGNORECASE,
)
_KARAOKE = re.compile(r"<(?:\d+:)?\d{2}:\d{2}[.,]\d{3}>")
_OVERRIDE = re.compile(r"\{\\[^{}]*\}")  # `{\an8}`: positions that SRT files inherit from SubStation Alpha
# `- <v Cy>`: the dash of a dialogue line, which the voice tag says already.
_DASH_BEFORE_VOICE = re.compile(r"^[ \t]*[-–—][ \t]*(?=<v[.\s])", re.MULTILINE | re.IGNORECASE)
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});")


@dataclass(frozen=True, slots=True)
class VoiceSpan:
    """What one voice says in a cue.

    Attributes:
        speaker: The name of its voice tag, None outside any.
        text: Its words, with the cue's line breaks.
    """

    speaker: str | None
    text: str


def voice_spans(payload: str) -> list[VoiceSpan]:
    """Return the spans of a cue's payload in order; spans without words are left out."""
    payload = _DASH_BEFORE_VOICE.sub("", _OVERRIDE.sub("", payload))
    spans: list[VoiceSpan] = []
    speaker: str | None = None
    words: list[str] = []
    position = 0

    def close() -> None:
        text = decode_entities("".join(words))
        if text.strip():
            spans.append(VoiceSpan(speaker, text))
        words.clear()

    for tag in _TAG.finditer(payload):
        words.append(payload[position : tag.start()])
        position = tag.end()
        if tag["voice"] is not None:
            close()
            opening = not tag[0].startswith("</")
            speaker = " ".join(decode_entities(tag["name"] or "").split()) or None if opening else None
    words.append(payload[position:])
    close()
    return spans


def has_karaoke(payload: str) -> bool:
    """Return whether a payload times its words one by one, as rolling captions do."""
    return _KARAOKE.search(payload) is not None


def decode_entities(text: str) -> str:
    """Return `text` with its entities decoded once; an ampersand without a semicolon is an ampersand."""
    return _ENTITY.sub(lambda match: html.unescape(match[0]), text)
