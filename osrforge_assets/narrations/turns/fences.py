"""Fenced blocks as CommonMark reads them, line by line, and the search for the end of one that may be protocol.

A fence is at least three backticks or tildes behind at most three spaces; it closes at a line that holds nothing but at
least as many of the same character. A backtick fence has no backtick behind it on its line.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from osrforge_assets.narrations.turns.prompt import LABEL
from osrforge_assets.narrations.turns.reply import Claim, read_block

# Longer runs and lines are no fences: a bound on what has to be held back while streaming.
LONGEST_RUN = 200
LONGEST_INFO = 1_000

Owner = Literal["ours", "maybe", "author"]
Ahead = Literal["json", "block", "no", "wait"]

_JSON_LABELS = frozenset({"json", "json5", "jsonc"})
ANY_RUN = re.compile(r"`{3}|~{3}")
_LABEL = re.compile(r"[ \t]*([^\s{\[]*)[ \t]*")
_WORD_AHEAD = re.compile(r"[ \t]{0,8}([^\s{\[`~]{0,6})")
_BLANKS = re.compile(r"[ \t\r]{0,64}")
_SPACE = re.compile(r"\s{0,64}")
_OWN_LINE = re.compile(r" {0,3}(`{3,}|~{3,})([^\n]*)")
_CODE_SPAN = re.compile(r"[ \t]*(?:json[5c]?)?[ \t]*([{\[].*)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Fence:
    """An opened fence.

    Attributes:
        char: Backtick or tilde.
        length: How many of it.
        owner: `ours` bears our label, `maybe` is ours if its content is a proposal, `author` is the story's.
        labelled: Whether it bears a label at all.
        lead: Content of a `maybe` fence that stands on its opening line, "" if none.
        inline: Content and closing run may stand on the opening line, as in a code span.
        behind_prose: Prose stands before it on its line, so that the line's end is the prose's.
        indent: Spaces before it.
    """

    char: str
    length: int
    owner: Owner
    labelled: bool
    lead: str = ""
    inline: bool = False
    behind_prose: bool = False
    indent: int = 0

    @property
    def first_characters(self) -> str:
        """What the content of a `maybe` fence can begin with: JSON, a comment in it, or the fence opened once more."""
        return "{[/" + self.char


@lru_cache(maxsize=64)  # a reply opens its fences alike, and making one takes 3 µs
def opened_fence(run: str, info: str) -> Fence | None:
    """Return the fence that a line opens, None if the line is no fence.

    Args:
        run: The backticks or tildes.
        info: The rest of the line.
    """
    if run[0] == "`" and "`" in info:
        return None
    match = _LABEL.match(info)
    assert match is not None  # it matches nothing, too
    label, lead = match[1].lower(), info[match.end() :]
    owner: Owner = "ours" if label == LABEL else "maybe" if label in _JSON_LABELS or not label else "author"
    return Fence(run[0], len(run), owner, bool(label), lead if owner == "maybe" and lead[:1] in {"{", "["} else "")


def own_ahead(text: str, at: int, *, end: bool) -> Ahead:
    """Return what follows a run of fence characters that may open a block of ours anywhere in a line.

    Returns:
        `json` for our label with JSON behind it on the line, `block` for our label alone with JSON, a fence or nothing
        on the next, `no` for everything else, `wait` if more text has to come first.
    """
    word = _WORD_AHEAD.match(text, at)
    assert word is not None  # it matches nothing, too
    label, at = word[1].lower(), word.end()
    if at == len(text) and not end:
        return "wait" if LABEL.startswith(label) else "no"
    if label != LABEL:
        return "no"
    at = _end_of(_BLANKS, text, at)
    if at < len(text) and text[at] != "\n":
        return "json" if text[at] in "{[" else "no"
    at = _end_of(_SPACE, text, at)
    if at == len(text):
        return "block" if end else "wait"
    return "block" if text[at] in "{[`~" else "no"


def _end_of(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    assert match is not None  # the patterns match nothing, too
    return match.end()


def code_span(run: str, info: str) -> tuple[str, int] | None:
    """Return the JSON of a code span that fills the beginning of a line, and where the span ends in `info`."""
    closing = re.search(rf"(?<!`){run}(?!`)", info)
    match = _CODE_SPAN.fullmatch(info, 0, closing.start()) if closing else None
    return (match[1], closing.end()) if match and closing else None


def is_own_line(line: str) -> bool:
    """Whether a line opens a fence with our label."""
    match = _OWN_LINE.match(line[:LONGEST_INFO])
    fence = opened_fence(match[1], match[2].rstrip("\r")) if match else None
    return fence is not None and fence.owner == "ours"


@lru_cache(maxsize=64)
def closing_line(char: str, length: int, indent: int = 0) -> re.Pattern[str]:
    """Return the pattern of a fence's closing line, without its line end."""
    return re.compile(rf" {{0,{3 + indent}}}{char}{{{length},{LONGEST_RUN}}}[ \t\r]{{0,64}}")


@dataclass(frozen=True, slots=True)
class FenceEnd:
    """Where a collected fence ended, in the text behind its opening line (inline: behind its label).

    Attributes:
        content: What stood between the fence lines, the lead included.
        end: Offset behind the fence, its closing line's end included unless prose stands before the fence.
        closed: False if the reply or a new block of ours ended it.
        released: It cannot be a proposal; its owner is the author.
    """

    content: str
    end: int
    closed: bool
    released: bool = False


class FenceCollector:
    """Collects the text behind an opening line until the fence ends; each character is looked at once.

    Args:
        fence: What was opened; `ours` or `maybe`.
    """

    def __init__(self, fence: Fence) -> None:
        self.fence = fence
        self._closing = closing_line(fence.char, fence.length, fence.indent)
        self._done: list[str] = []  # whole lines that are content
        self._size = 0  # their length
        self._last = fence.lead.rstrip()[-1:]  # their last character that is no space
        self._rest: list[str] = []  # what is not decided yet
        self._seen_content = bool(fence.lead)
        # A model that forgets the line end before its closing fence is understood if what stands before it is a whole
        # proposal. Trying costs a parse, so a block has eight tries.
        self._tries = 8

    @property
    def text(self) -> str:
        """Everything that was pushed."""
        return "".join(self._done) + "".join(self._rest)

    def push(self, text: str, *, end: bool) -> FenceEnd | None:
        """Take more text; return where the fence ended, None if it has not yet."""
        self._rest.append(text)
        if self._is_authors(text):
            return FenceEnd("", 0, closed=False, released=True)
        if "\n" not in text and not end:
            return None
        waiting = "".join(self._rest)
        whole = len(waiting) if end else waiting.rindex("\n") + 1
        at = 0
        while run := ANY_RUN.search(waiting, at, whole):
            start = waiting.rfind("\n", at, run.start()) + 1 or at
            stop = waiting.find("\n", run.end(), whole) + 1 or whole
            self._take(waiting[at:start])
            if (found := self._line(waiting[start:stop])) is not None:
                self._rest = [waiting[start:]]
                return found
            self._take(waiting[start:stop])
            at = stop
        self._take(waiting[at:whole])
        self._rest = [waiting[whole:]]
        return FenceEnd(self._content(), self._size, closed=False) if end else None

    def _take(self, text: str) -> None:
        if text:
            self._done.append(text)
            self._size += len(text)
            self._last = text.rstrip()[-1:] or self._last

    def _content(self, more: str = "") -> str:
        return (self.fence.lead + "\n" if self.fence.lead else "") + "".join(self._done) + more

    def _is_authors(self, text: str) -> bool:
        """Whether the first character of a block without our label cannot begin a proposal."""
        if self._seen_content or not (stripped := text.lstrip()):
            return False
        self._seen_content = True
        return self.fence.owner == "maybe" and stripped[0] not in self.fence.first_characters

    def _line(self, line: str) -> FenceEnd | None:
        """Return the end that a line with a run of fence characters brings, None if it is content."""
        bare = line.removesuffix("\n")
        on_opening_line = self.fence.inline and self._size == 0
        if not on_opening_line:
            if self._closing.fullmatch(bare):
                return FenceEnd(
                    self._content(), self._size + len(bare if self.fence.behind_prose else line), closed=True
                )
            if self.fence.owner == "ours" and is_own_line(bare):
                return FenceEnd(self._content(), self._size, closed=False)
        return self._glued(line, bare, on_opening_line=on_opening_line)

    def _glued(self, line: str, bare: str, *, on_opening_line: bool) -> FenceEnd | None:
        """Return the end where a closing run shares its line with content or story."""
        last: re.Match[str] | None = None
        for run in re.finditer(rf"{self.fence.char}{{{self.fence.length},}}", bare):
            last = run
            before = bare[: run.start()].rstrip()[-1:] or self._last
            if self._tries == 0 or before not in {"}", "]"}:
                continue
            self._tries -= 1
            reading = read_block(self._content(bare[: run.start()]))
            if reading.events is not None and (self.fence.owner == "ours" or reading.claim is not Claim.NONE):
                return self._glued_end(line, run)
        # A code span that opened and closed on one line is over, whatever it holds.
        return self._glued_end(line, last) if on_opening_line and last else None

    def _glued_end(self, line: str, run: re.Match[str]) -> FenceEnd:
        """Return the end at a run; the line's end stays in the prose if prose stands on the line, before or behind."""
        alone = not line[run.end() :].strip() and not self.fence.behind_prose
        stop = self._size + (len(line) if alone else run.end())
        return FenceEnd(self._content(line[: run.start()]), stop, closed=True)
