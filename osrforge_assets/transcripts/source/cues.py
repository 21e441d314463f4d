"""WebVTT and SRT: cues, anchored on their time lines.

Own code instead of webvtt-py and pysubs2, which give no line numbers, return zero cues without an error where the
milliseconds follow a comma, and drop text after a blank line inside a cue.
"""

import re
from dataclasses import dataclass

from osrforge_assets.contracts.transcript import TranscriptFlagCode, UnitKind
from osrforge_assets.transcripts.failures import TranscriptError
from osrforge_assets.transcripts.source.clock import clock_ms
from osrforge_assets.transcripts.source.entries import Doubt, Entry, Reading, spoken_kind
from osrforge_assets.transcripts.source.speaker_names import accepted_names, looks_like_name, named, split_name
from osrforge_assets.transcripts.source.voices import VoiceSpan, has_karaoke, voice_spans

_TIME_LINE = re.compile(r"\s*(?P<start>[\d:.,]+)\s*-->\s*(?P<end>[\d:.,]+)(?:\s+(?P<settings>.*))?")
# Anything that is meant as a time line, well formed or not: it is counted, and it must parse. Lines in brackets are
# a speech recognizer's own (`[00:00.000 --> 00:04.000] text`) and not cues.
_MEANT_AS_TIME = re.compile(
    r"(?!\s*[\[(])(?=.*\d\s?:\s?\d).*-->.*"
    r"|\s*\d+:[\d:.,]+\s*(?:-{1,2}|–|—)>.*"
    r"|\s*\d+:\d\d:\d\d[.,]\d{1,3}\s+\d+:\d\d:\d\d[.,]\d{1,3}\s*"
)
# Another arrow than `-->` on a line of its own: a cue where an index stands above it, else a recognizer's own form.
_OTHER_ARROW = re.compile(
    r"\s*\d+:[\d:.,]+\s*(?:-{1,3}|–|—|=)>?\s*\d+:[\d:.,]+\s*|\s*\d+:[\d:.,]+\s*→\s*\d+:[\d:.,]+\s*"
)
_CUT_TIME = re.compile(r"[\d:.,]+(?:\s*-{0,2}>?\s*[\d:.,]*)?\s*")
_DIGITS = frozenset("0123456789")
_COMMENT = re.compile(r"(?:NOTE|STYLE|REGION)(?:\s.*)?")
_INDEX = re.compile(r"\s*\d{1,9}\s*")


@dataclass(slots=True)
class Cue:
    """A cue: its times, the 0-based line of its time line, and its payload's lines."""

    start_ms: int
    end_ms: int
    at: int
    payload: list[str]


def is_cue_file(text: str) -> bool:
    """Return whether a text is WebVTT or SRT: it says so, it has a time line, or a number above what should be one."""
    lines = text.split("\n")
    return text.startswith("WEBVTT") or any(
        ("-->" in line and _MEANT_AS_TIME.fullmatch(line))
        or (at > 0 and line[:1] in _DIGITS and _OTHER_ARROW.fullmatch(line) and _INDEX.fullmatch(lines[at - 1]))
        for at, line in enumerate(lines)
    )


def read_cues(text: str) -> Reading:
    """Return the reading of a WebVTT or SRT file.

    Raises:
        TranscriptError: A time line cannot be read, or a cue says nothing; names the line.
    """
    lines = text.split("\n")
    is_vtt = lines[0].startswith("WEBVTT")
    time_lines = _time_lines(lines)
    if not time_lines:
        raise TranscriptError("The file has no cue.", line=1, code="transcript.no_units")
    doubts: list[Doubt] = []
    cues = _cues(lines, time_lines, is_vtt=is_vtt)
    if not is_vtt:
        cues = _with_named_first_lines(cues)
    spans = [voice_spans("\n".join(cue.payload)) for cue in cues]
    repeated = _repeated_lines(cues)
    entries = _entries(cues, spans, repeated)
    above = _above(lines, time_lines[0], len(cues), is_vtt=is_vtt)
    if above is not None:
        said = "Text stands above the first cue; it has no time, and may be a cue whose time line is missing."
        entries.insert(0, above)
        doubts.append(Doubt(TranscriptFlagCode.TEXT_OUTSIDE_CUE, said, (0,)))
    silent = len(cues) + (above is not None) - len({entry.marker for entry in entries})
    _doubt_silent(cues, spans, entries, doubts)
    return Reading("webvtt" if is_vtt else "srt", entries, len(time_lines) + (above is not None), silent, doubts)


def _above(lines: list[str], first: int, marker: int, *, is_vtt: bool) -> Entry | None:
    """Return the text above the first cue as an entry of its own, None where only a header and identifiers are there."""
    start = 0
    if is_vtt:
        # The header reaches to the first blank line and holds what it likes (`Kind: captions`).
        start = next((at for at in range(first) if not lines[at].strip()), first)
    end = first - 1 if first and lines[first - 1].strip() and (is_vtt or _INDEX.fullmatch(lines[first - 1])) else first
    block = _without_comments(lines, start, end, is_vtt=is_vtt)
    text = " ".join(" ".join(span.text for span in voice_spans("\n".join(block))).split())
    line = next((at for at in range(start, end) if lines[at].strip()), start) + 1
    return Entry(text, marker, line, kind=UnitKind.SYSTEM) if text else None


def _time_lines(lines: list[str]) -> list[int]:
    """Return the positions of all lines that are meant as time lines; even below a NOTE one makes its block a cue."""
    return [
        at
        for at, line in enumerate(lines)
        if ("-->" in line or line.lstrip()[:1] in _DIGITS)
        and (
            _MEANT_AS_TIME.fullmatch(line)
            or (at > 0 and _OTHER_ARROW.fullmatch(line) and _INDEX.fullmatch(lines[at - 1]))
        )
    ]


def _cues(lines: list[str], time_lines: list[int], *, is_vtt: bool) -> list[Cue]:
    numbered = sum(at > 0 and _INDEX.fullmatch(lines[at - 1]) is not None for at in time_lines) * 2 >= len(time_lines)
    cues: list[Cue] = []
    previous_index: int | None = None
    for number, at in enumerate(time_lines):
        start_ms, end_ms = _times(lines[at], at)
        # The lines above the first time line are the header; a cue's lines reach to the next cue's identifier.
        end = time_lines[number + 1] if number + 1 < len(time_lines) else len(lines)
        if at > 0 and _INDEX.fullmatch(lines[at - 1]):
            previous_index = int(lines[at - 1])
        if number + 1 < len(time_lines) and _is_identifier(
            lines, at, end - 1, is_vtt=is_vtt, numbered=numbered, expected={(previous_index or 0) + 1, number + 2}
        ):
            end -= 1
        cues.append(Cue(start_ms, end_ms, at, _payload(lines, at, end, is_vtt=is_vtt)))
    if numbered and previous_index is not None:
        _refuse_cut_end(cues[-1], previous_index)
    return cues


def _refuse_cut_end(cue: Cue, index: int) -> None:
    """Refuse a file that ends in the next cue's number, alone or with the beginning of its time line."""
    lines = [line.strip() for line in "\n".join(cue.payload).rstrip().split("\n")]
    tail = lines[lines.index("") + 1 :] if "" in lines else []
    if tail and tail[0] == str(index + 1) and all(_CUT_TIME.fullmatch(line) for line in tail[1:]) and len(tail) <= 2:  # noqa: PLR2004  number, time
        raise TranscriptError(
            "The file ends inside a cue.", line=cue.at + 2 + len(lines) - len(tail), code="transcript.truncated"
        )


def _is_identifier(lines: list[str], above: int, at: int, *, is_vtt: bool, numbered: bool, expected: set[int]) -> bool:
    """Return whether the line above a time line names the next cue instead of ending this one.

    A number is an index where this file numbers its cues, or where it is the number that comes next; elsewhere it is
    text, such as a die roll. WebVTT lets any one line after a blank one name a cue.
    """
    line = lines[at]
    if at <= above or not line.strip():
        return False
    after_blank = not lines[at - 1].strip()
    if _INDEX.fullmatch(line) is None:
        return is_vtt and after_blank
    follows = int(line) in expected
    if after_blank:
        says = any(lines[place].strip() for place in range(above + 1, at))
        return numbered or is_vtt or follows if says else follows
    return numbered and follows and at - 1 > above


def _payload(lines: list[str], at: int, end: int, *, is_vtt: bool) -> list[str]:
    payload = _without_comments(lines, at + 1, end, is_vtt=is_vtt)
    if not any(payload):
        # A line of spaces or markup is a caption that shows nothing; no line at all is a file cut short.
        raise TranscriptError("The cue has a time but no text.", line=at + 1, code="transcript.cue_without_text")
    return payload


def _without_comments(lines: list[str], start: int, end: int, *, is_vtt: bool) -> list[str]:
    kept: list[str] = []
    in_comment = False
    for place in range(start, end):
        line = lines[place]
        if is_vtt and place > 0 and not lines[place - 1].strip() and _COMMENT.fullmatch(line):
            in_comment = True
        elif not line.strip():
            in_comment = False
        if not in_comment:
            kept.append(line)
    return kept


def _with_named_first_lines(cues: list[Cue]) -> list[Cue]:
    """Return the cues of a Teams text download with their first line as speaker: time line, name, words.

    Taken only where every cue is built so and some name comes back; a subtitle's first line may be one capitalized word.
    """
    firsts = [cue.payload[0].strip() for cue in cues]
    several = all(sum(1 for line in cue.payload if line.strip()) > 1 for cue in cues)
    if not several or len(set(firsts)) == len(firsts) or not all(looks_like_name(first) for first in firsts):
        return cues
    return [
        Cue(cue.start_ms, cue.end_ms, cue.at, [f"{first}:", *cue.payload[1:]])
        for cue, first in zip(cues, firsts, strict=True)
    ]


def _times(line: str, at: int) -> tuple[int, int]:
    match = _TIME_LINE.fullmatch(line)
    start = clock_ms(match["start"]) if match else None
    end = clock_ms(match["end"]) if match else None
    if start is None or end is None:
        raise TranscriptError(
            f"{ascii(line.strip())[:80]} is not a time line.",
            line=at + 1,
            code="transcript.bad_time",
            remedy="Write it as 00:01:02.345 --> 00:01:06.789.",
        )
    return start, end


def _repeated_lines(cues: list[Cue]) -> list[int]:
    """Return how many leading lines of each cue the cue before it has shown already.

    Rolling captions keep the last line on screen while the next is spoken word by word. Only files that time single
    words do this; anywhere else a repeated line was said twice.
    """
    shown: list[int] = [0] * len(cues)
    if not any(has_karaoke("\n".join(cue.payload)) for cue in cues):
        return shown
    before: list[str] = []
    for number, cue in enumerate(cues):
        plain = [_bare(line) for line in cue.payload]
        plain = [line for line in plain if line]
        for count in range(min(len(plain), len(before)), 0, -1):
            if before[-count:] == plain[:count]:
                shown[number] = count
                break
        before = plain or before
    return shown


def _bare(line: str) -> str:
    return " ".join(" ".join(span.text for span in voice_spans(line)).split())


def _entries(cues: list[Cue], spans: list[list[VoiceSpan]], repeated: list[int]) -> list[Entry]:
    said = [
        [(span.speaker, line) for span in cue_spans for line in _lines(span)][skip:]
        for cue_spans, skip in zip(spans, repeated, strict=True)
    ]
    candidates = [split_name(line) for cue in said for speaker, line in cue if speaker is None]
    firsts = sum(1 for cue in said if cue and cue[0][0] is None)
    names = accepted_names(candidates, firsts)
    entries: list[Entry] = []
    for number, (cue, cue_spans, skip) in enumerate(zip(cues, spans, repeated, strict=True)):
        first = len(entries)
        left = skip
        for span in cue_spans:
            begun = False
            for line in _lines(span):
                if left:
                    left -= 1
                    continue
                who = named(line, names) if span.speaker is None else None
                if who is None and begun:
                    entries[-1].text += f" {line}"
                else:
                    entries.append(_entry(cue, number, who.name if who else span.speaker, who.text if who else line))
                begun = True
        entries[first:] = [entry for entry in entries[first:] if entry.text.strip()]
    for entry in entries:
        entry.kind = spoken_kind(entry.text)
    return entries


def _lines(span: VoiceSpan) -> list[str]:
    return [line for line in (" ".join(part.split()) for part in span.text.split("\n")) if line]


def _entry(cue: Cue, number: int, speaker: str | None, text: str) -> Entry:
    return Entry(text, number, cue.at + 1, speaker, cue.start_ms, cue.end_ms)


def _doubt_silent(cues: list[Cue], spans: list[list[VoiceSpan]], entries: list[Entry], doubts: list[Doubt]) -> None:
    heard = {entry.marker for entry in entries}
    blank = [cue.at + 1 for cue, cue_spans in zip(cues, spans, strict=True) if not cue_spans]
    again = [cue.at + 1 for number, cue in enumerate(cues) if spans[number] and number not in heard]
    if blank:
        doubts.append(_counted(TranscriptFlagCode.ENTRY_WITHOUT_TEXT, blank, "cues show nothing"))
    if again:
        doubts.append(_counted(TranscriptFlagCode.CAPTION_REPEATED, again, "cues only repeat the cue before them"))
    outside = [
        (number, cue)
        for number, cue in enumerate(cues)
        if any(not line.strip() for line in "\n".join(cue.payload).strip().split("\n"))
    ]
    if outside:
        numbers = {number for number, _ in outside}
        said = f"{len(outside)} cues hold a blank line; the text after it stays with them, first at line {outside[0][1].at + 1}."
        positions = tuple(at for at, entry in enumerate(entries) if entry.marker in numbers)
        doubts.append(Doubt(TranscriptFlagCode.TEXT_OUTSIDE_CUE, said, positions))


def _counted(code: TranscriptFlagCode, lines: list[int], what: str) -> Doubt:
    return Doubt(code, f"{len(lines)} {what}, first at line {lines[0]}.")
