"""What a reader returns: entries in file order, and how many the file itself promises.

A reader never decides whether an import is complete. It counts the file's own markers apart from parsing them, and
`units.py` holds one against the other.
"""

import re
from dataclasses import dataclass, field

from osrforge_assets.contracts.transcript import TranscriptFlagCode, UnitKind

# Brackets with a few words; a whole sentence in asterisks is how a chat player narrates. Every repetition needs a space
# before the next word, so a line of a megabyte is refused in one pass.
_SOUND = re.compile(
    r"\[\s*[^\s\[\]]+(?:\s+[^\s\[\]]+){0,7}\s*\]"
    r"|\(\s*[^\s()]+(?:\s+[^\s()]+){0,3}\s*\)"
    r"|\*[^\s*]+(?:\s[^\s*]+){0,2}\*"
    r"|[♪♫].*"
)
_DICE = re.compile(r"\b\d{0,3}d\d{1,4}\b", re.IGNORECASE)
_ROLL_COMMAND = re.compile(r"[!/.?](?:r|rr|roll|init(?:iative)?|i|check|save|attack|a|cast|c)\b", re.IGNORECASE)


@dataclass(slots=True)
class Entry:
    """One utterance as a file has it.

    Attributes:
        text: What was said; white space is folded when units are made.
        marker: 0-based number of the marker (cue, list item, line) it belongs to; several voices share one.
        line: 1-based line of the file.
        speaker: The speaker's name, None where there is none.
        start_ms: Milliseconds, None where there is no time.
        end_ms: The same for the end.
        kind: What it is.
    """

    text: str
    marker: int
    line: int
    speaker: str | None = None
    start_ms: int | None = None
    end_ms: int | None = None
    kind: UnitKind = UnitKind.SPEECH


@dataclass(slots=True)
class Doubt:
    """A flag before units have ids.

    Attributes:
        code: What kind of doubt.
        message: One sentence.
        entries: 0-based positions of the entries it concerns.
    """

    code: TranscriptFlagCode
    message: str
    entries: tuple[int, ...] = ()


@dataclass(slots=True)
class Reading:
    """A file as read.

    Attributes:
        format: The reader's name for the file's form.
        entries: In file order.
        markers: How many entries the file promises, counted without parsing them.
        silent: Markers that are accounted for by a doubt instead of an entry.
        doubts: What is uncertain.
    """

    format: str
    entries: list[Entry]
    markers: int
    silent: int = 0
    doubts: list[Doubt] = field(default_factory=list)


def spoken_kind(text: str) -> UnitKind:
    """Return whether a spoken text is words or only a sound in brackets (`[laughter]`, `♪ music ♪`)."""
    bare = text.strip()
    return UnitKind.SOUND if bare and _SOUND.fullmatch(bare) else UnitKind.SPEECH


def written_kind(text: str) -> UnitKind:
    """Return whether a chat message is a dice command or its result, or something said."""
    bare = text.strip()
    if _ROLL_COMMAND.match(bare) or (_DICE.search(bare) and "=" in bare):
        return UnitKind.ROLL
    return spoken_kind(bare)


def has_dice(text: str) -> bool:
    """Return whether a bot's text shows a die."""
    return _DICE.search(text) is not None
