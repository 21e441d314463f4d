"""Reasoning tags: what a model thinks aloud is taken out before anything else of the reply is looked at.

Tags nest; a tag that never closes takes everything after it, because nothing after it can be trusted to be story.
"""

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass

from osrforge_assets.contracts.narration_turns import Dropped, DropReason

_NAMES = ("thinking", "think", "reasoning")

# White space and attributes are bounded so that what has to be held back while streaming is bounded too.
_TAG = re.compile(rf"<\s{{0,8}}(/?)\s{{0,8}}(?:{'|'.join(_NAMES)})(?:[\s/][^<>]{{0,256}})?>", re.IGNORECASE)
_LONGEST = 300


def prefixes(word: str) -> str:
    """Return a pattern of every beginning of a word: `ab` gives `(?:a(?:b)?)?`."""
    pattern = ""
    for char in reversed(word):
        pattern = f"(?:{char}{pattern})?"
    return pattern


_PARTIAL = re.compile(
    rf"<\s{{0,8}}/?\s{{0,8}}(?:(?:{'|'.join(prefixes(name) for name in _NAMES)})"
    rf"|(?:{'|'.join(_NAMES)})[\s/][^<>]{{0,256}})\Z",
    re.IGNORECASE,
)
_CUT_TAG = re.compile(rf"<\s{{0,8}}(?:{'|'.join(_NAMES)})(?:[\s/][^<>]{{0,256}})?\Z", re.IGNORECASE)


@dataclass(slots=True)
class _Removal:
    start: int
    reason: DropReason
    pieces: list[str]


class ReasoningFilter:
    """Removes reasoning from a stream of text and remembers where each kept character came from.

    Args:
        starts_inside: The prompt already opened the tag, as some chat templates do.
    """

    def __init__(self, *, starts_inside: bool = False) -> None:
        self.dropped: list[Dropped] = []
        self._depth = 1 if starts_inside else 0
        self._held = ""
        self._read = 0  # characters of the reply that are decided
        self._kept = 0
        # Where the kept text has a seam: its offset there, and how many characters were removed up to it.
        self._seams: list[int] = []
        self._removed: list[int] = []
        self._open = _Removal(0, DropReason.REASONING, []) if starts_inside else None

    def feed(self, text: str, *, end: bool = False) -> str:
        """Return the next stretch of kept text; `end` says that nothing follows."""
        text = self._held + text
        kept: list[str] = []
        at = 0
        for match in _TAG.finditer(text):
            self._pass(text[at : match.start()], kept)
            self._tag(match)
            at = match.end()
        hold = len(text) if end else self._hold_from(text, at)
        self._pass(text[at:hold], kept, cut=end)
        self._held = text[hold:]
        if end and self._open is not None:
            self._close(DropReason.UNCLOSED_REASONING)
        return "".join(kept)

    def start_in_reply(self, kept: int) -> int:
        """Return the reply's offset of the kept character at `kept`."""
        seam = bisect_right(self._seams, kept)
        return kept + (self._removed[seam - 1] if seam else 0)

    def end_in_reply(self, kept: int) -> int:
        """Return the reply's offset just behind the kept character before `kept`."""
        seam = bisect_left(self._seams, kept)
        return kept + (self._removed[seam - 1] if seam else 0)

    def _hold_from(self, text: str, at: int) -> int:
        opener = text.rfind("<", max(at, len(text) - _LONGEST))
        return opener if opener >= 0 and _PARTIAL.match(text, opener) else len(text)

    def _pass(self, text: str, kept: list[str], *, cut: bool = False) -> None:
        """Keep or remove a stretch without a whole tag; at the end it may hold the beginning of one."""
        if cut and self._open is None and (tag := _CUT_TAG.search(text, max(0, len(text) - _LONGEST))):
            self._pass(text[: tag.start()], kept)
            self._open = _Removal(self._read, DropReason.UNCLOSED_REASONING, [])
            text = text[tag.start() :]
        if self._open is not None:
            self._open.pieces.append(text)
        else:
            kept.append(text)
            self._kept += len(text)
        self._read += len(text)

    def _tag(self, match: re.Match[str]) -> None:
        """Step the depth: only a tag at the outermost level opens or closes a removal."""
        closing, alone = bool(match[1]), match[0].endswith("/>")
        if self._open is None:
            inside = not closing and not alone
            reason = DropReason.REASONING if inside else DropReason.REASONING_TAG
            self._open = _Removal(self._read, reason, [])
            self._depth = 1 if inside else 0
        elif not alone:
            self._depth += -1 if closing else 1
        self._open.pieces.append(match[0])
        self._read += len(match[0])
        if self._depth == 0:
            self._close(self._open.reason)

    def _close(self, reason: DropReason) -> None:
        assert self._open is not None
        text = "".join(self._open.pieces)
        if text:
            self.dropped.append(Dropped(start=self._open.start, end=self._read, reason=reason, text=text))
            removed = (self._removed[-1] if self._removed else 0) + len(text)
            if self._seams and self._seams[-1] == self._kept:
                self._removed[-1] = removed
            else:
                self._seams.append(self._kept)
                self._removed.append(removed)
        self._open = None
