"""JSON that stands in the prose without a fence: where it begins, where it ends, and whether it is protocol.

The scan is balanced and knows strings, but a string ends with its line at the latest: JSON allows no line end in one,
and so an apostrophe of the story cannot swallow what follows.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from osrforge_assets.contracts.narration import EVENT_TYPES
from osrforge_assets.narrations.turns.reply import QUOTES, BlockReading, Claim, read_block

# Spaces inside an opening and letters of a first key, bounded so that what is held back while streaming is bounded.
_GAP = r"\s{0,64}"
_KEY = rf"(?:[{QUOTES}][^{QUOTES}\n]{{1,64}}[{QUOTES}]|events|type)"
OPENING = rf"(?:\[{_GAP})?\{{{_GAP}{_KEY}{_GAP}:"
PARTIAL_OPENING = (
    rf"(?:\[{_GAP})?\{{{_GAP}(?:{_KEY}{_GAP}|[{QUOTES}][^{QUOTES}\n]{{0,64}}|e(?:v(?:e(?:n(?:ts?)?)?)?)?|t(?:y(?:pe?)?)?)?\Z"
    rf"|\[{_GAP}\Z"
)

# The author's JSON in a story is held back at most this long before it is shown; a proposal is longer at times, but
# says so in its first words.
LONGEST_UNDECIDED = 4_096
LONGEST_REST = 64
# What was looked at for nothing is looked at again from the next sure opening within it: 4,096 characters for every 24 of
# a reply made for it (49 s for 1 MB). A reply may have 64 objects of the longest; then a sure opening alone begins one.
MOST_AGAIN = 64 * LONGEST_UNDECIDED
_LONGEST_OPENING = 512  # more than the gaps and words of a sure opening can add up to

# Plain strings are passed over together with what stands around them: a step costs ten times what a character does.
_PLAIN = rf"[^{QUOTES}{{}}\[\]\n]*"
_OUTSIDE = re.compile(rf'{_PLAIN}(?:"[^"\\\n]*"{_PLAIN})*')
_FENCE_LINE = re.compile(r"\n {0,3}(?:`{3}|~{3})")
_FENCE_LINE_BEGINNING = re.compile(r"\n {0,3}(?:`{0,2}|~{0,2})\Z")
_STRING_REST = {
    opener: re.compile(rf"[^{closers}\\\n]*(?:\\[^\n][^{closers}\\\n]*)*")
    for opener, closers in {'"': '"', "'": "'", "“": "“”„‟", "‘": "‘’‚‛"}.items()
}
_BLANKS = re.compile(rf"[ \t\r]{{0,{LONGEST_REST - 1}}}")
_RESIDUE = re.compile(rf"\s{{0,{LONGEST_REST}}}[,\]}}][\s,\]}}]{{0,{LONGEST_REST}}}")


@lru_cache(maxsize=8)
def _sure_opening(names: tuple[str, ...]) -> re.Pattern[str]:
    quote = f"[{QUOTES}]"
    return re.compile(
        rf"(?:\[{_GAP})?\{{{_GAP}(?:{quote}?events{quote}?{_GAP}:{_GAP}\[{_GAP}(?:\]|\{{{_GAP}{quote}?type)"
        rf"|{quote}?type{quote}?{_GAP}:{_GAP}{quote}(?:{'|'.join(names)}){quote})"
    )


def sure_opening() -> re.Pattern[str]:
    """Return the pattern of an opening that no author's JSON has: an events list, or an event of the vocabulary."""
    return _sure_opening(tuple(EVENT_TYPES))


def is_sure(text: str, at: int, *, end: bool) -> bool | None:
    """Whether a sure opening stands at `at`, None to wait for more."""
    if sure_opening().match(text, at):
        return True
    return None if len(text) - at < _LONGEST_OPENING and not end else False


@dataclass(frozen=True, slots=True)
class ObjectEnd:
    """What became of a bare object.

    Attributes:
        protocol: It leaves the prose.
        end: How much of the text it decides: all of it is removed, or all of it is prose.
        reading: What it says, if it is protocol.
        closed: False if the reply or a fence ended it.
        again: How many characters behind `end` were looked at for nothing.
    """

    protocol: bool
    end: int
    reading: BlockReading | None = None
    closed: bool = True
    again: int = 0


class BareObject:
    """Follows a bare object from its opening bracket to its end; each character is scanned once."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._size = 0
        self._scanned = 0  # characters of the whole that are scanned
        self._unscanned = ""
        self._depth = 0
        self._string = ""  # the opening quote of the string the scan is in
        self._before = ""  # the character that matters before the scan's position
        self._end: int | None = None  # behind the closing bracket
        self._broken = False  # a fence line came first
        self._reading: BlockReading | None = None

    @property
    def text(self) -> str:
        """Everything that was pushed."""
        return "".join(self._pieces)

    def push(self, text: str, *, end: bool) -> ObjectEnd | None:
        """Take more text; return what became of the object, None if that is open."""
        self._pieces.append(text)
        self._size += len(text)
        if self._end is None and not self._broken:
            self._scan(text, end=end)
        if self._end is None and not self._broken and not end:
            return self._too_long()
        return self._ended(end=end)

    def _too_long(self) -> ObjectEnd | None:
        if self._scanned < LONGEST_UNDECIDED or self._is_sure():
            return None
        return self._released(LONGEST_UNDECIDED)

    def _is_sure(self) -> bool:
        head = self._pieces[0]
        if len(head) < _LONGEST_OPENING and len(self._pieces) > 1:
            self._pieces = [self.text]
            head = self._pieces[0]
        return sure_opening().match(head) is not None

    def _ended(self, *, end: bool) -> ObjectEnd | None:
        stop = self._end if self._end is not None else self._scanned if self._broken else self._size
        closed = self._end is not None
        if stop > LONGEST_UNDECIDED and not self._is_sure():
            return self._released(LONGEST_UNDECIDED)
        text = self.text
        if self._reading is None:
            self._reading = read_block(text[:stop])
        reading = self._reading
        if reading.claim is Claim.KNOWN:
            return ObjectEnd(protocol=True, end=stop, reading=reading, closed=closed)
        if reading.claim is Claim.NONE:
            # Balanced but undecodable text may hold a proposal further in; a decoded author's object does not.
            return self._released(stop, whole=reading.decodable)
        # `{"events": []}` within a sentence is something a character may say; alone at the end of a line it is not.
        if len(text) - stop < LONGEST_REST and not text[stop:].strip(" \t\r") and not end:
            return None
        behind = _BLANKS.match(text, stop)
        assert behind is not None  # it matches nothing, too
        alone = text[behind.end()] == "\n" if behind.end() < len(text) else end
        return ObjectEnd(protocol=alone, end=stop, reading=reading if alone else None)

    def _released(self, stop: int, *, whole: bool = False) -> ObjectEnd:
        """Give text back to the story, up to where a sure opening begins within it."""
        inner = None if whole else sure_opening().search(self.text[:stop], 1)
        end = inner.start() if inner else stop
        return ObjectEnd(protocol=False, end=end, again=stop - end)

    def _scan(self, text: str, *, end: bool) -> None:
        """Step the bracket depth over the text that is not scanned yet."""
        text = self._unscanned + text
        at = 0
        while at < len(text):
            step = self._in_string(text, at, end=end) if self._string else self._outside(text, at, end=end)
            if step is None:
                break
            at = step
            if self._broken or self._end is not None:
                break
        self._scanned += at
        self._unscanned = text[at:]
        if self._end is not None:
            self._end = self._scanned

    def _in_string(self, text: str, at: int, *, end: bool) -> int | None:
        """Return the offset behind the string's closing quote or at its line's end; None to wait for more."""
        match = _STRING_REST[self._string].match(text, at)
        assert match is not None  # it matches nothing, too
        at = match.end()
        if at == len(text):
            return at
        if text[at] == "\\" and at + 1 == len(text) and not end:
            # An escape that the next stretch completes: wait with it, the string's part before it is done.
            return None if match.end() == match.start() else at
        if text[at] not in "\n\\":
            at += 1
        elif text[at] == "\\":
            at += 1  # a backslash at the line's or the reply's end escapes nothing
            return at
        self._string = ""
        self._before = '"'
        return at

    def _outside(self, text: str, at: int, *, end: bool) -> int | None:
        """Return the offset behind the next bracket, quote or line end; None to wait for more."""
        match = _OUTSIDE.match(text, at)
        assert match is not None  # it matches nothing, too
        if plain := match[0].rstrip()[-1:]:
            self._before = plain
        at = match.end()
        if at == len(text):
            return at
        char = text[at]
        if char == "\n":
            if _FENCE_LINE.match(text, at):
                self._broken = True
                return at + 1
            if not end and _FENCE_LINE_BEGINNING.match(text, at):
                return None if match.end() == match.start() else at
            return at + 1
        if char in "{[":
            self._depth += 1
        elif char in "}]":
            self._depth -= 1
            if self._depth <= 0:
                self._end = at + 1
        elif char == '"' or self._before in set("{[,:"):
            self._string = char if char in _STRING_REST else "“" if char in "”„‟" else "‘"
        self._before = char
        return at + 1


def residue(text: str, at: int, *, end: bool) -> int | None:
    """Return the offset behind closing brackets that a removed object left at `at`; `at` if none, None to wait.

    Models that close more than they opened leave `]}` behind. It is protocol only if nothing but another object or the
    reply's end follows; otherwise it is left alone.
    """
    match = _RESIDUE.match(text, at)
    if match is None:
        waits = not end and len(text) - at <= LONGEST_REST and not text[at:].strip()
        return None if waits else at
    if match.end() == len(text):
        return len(text) if end else None
    return match.end() if text[match.end()] in "{[" else at
