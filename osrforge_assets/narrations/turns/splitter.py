"""The splitter: a reply, whole or in pieces, into prose, proposals and an audit of all that was removed.

There is one machine. A whole reply is a stream of one piece, so the two cannot differ, and every decision is made on
what follows a position, never on where a piece ends. Order: reasoning tags, our own fences line by line, `json` and
unlabelled fences that hold a proposal, bare objects that are proposals, and near copies of our own notes.

Held back is only what may be an opener: the rest of a line behind a fence, a block until it is judged, and at most
4,096 characters of an author's bare JSON. Time is linear: 1 MB of prose takes 0.1 s of processor time, the
worst repetitions that a search found 1 to 2 s (`benchmarks/splitter.py`).
"""

import re
from dataclasses import dataclass

from osrforge_assets.contracts.narration_turns import Block, BlockKind, Dropped, DropReason, Proposal, SplitReply
from osrforge_assets.narrations.turns.bare_objects import MOST_AGAIN, BareObject, is_sure, residue
from osrforge_assets.narrations.turns.fences import (
    LONGEST_INFO,
    LONGEST_RUN,
    Fence,
    FenceCollector,
    code_span,
    opened_fence,
    own_ahead,
)
from osrforge_assets.narrations.turns.openers import (
    LONGEST_PARTIAL,
    OPENER,
    PARTIAL_CLOSING,
    author_closing,
    content_in_sight,
    end_of_authors_object,
    end_of_note,
    end_of_run,
    line_indent,
    may_be_protocol,
    partial_opener,
)
from osrforge_assets.narrations.turns.prompt import LABEL
from osrforge_assets.narrations.turns.reasoning import ReasoningFilter
from osrforge_assets.narrations.turns.reply import BlockReading, Claim, read_block

# What the services call it when the output limit ended the reply.
_CUT_REASONS = frozenset({"length", "max_tokens", "max_output_tokens", "model_context_window_exceeded", "incomplete"})

# Text is looked at in stretches, also those that an object gives back: what is copied around an opener is
# then bounded, which keeps the time linear.
_STRETCH = 4_096

# The real replies hold three at most. A model that repeats itself until its output limit writes thousands, and a story
# is not to be had of it any more; each costs 30 µs and a place in the audit.
MAX_BLOCKS = 1_000


@dataclass(slots=True)
class _OpenFence:
    """A fence whose content is being collected, and the opening line that goes or stays with it."""

    fence: Fence
    opening: str
    collector: FenceCollector


class StreamSplitter:
    """Takes a reply piece by piece and gives its prose out as soon as it is sure.

    Example:
        splitter = StreamSplitter()
        for piece in pieces:
            show(splitter.feed(piece))
        show(splitter.finish(stop_reason))
        result = splitter.result

    Args:
        starts_in_reasoning: The prompt's template already opened a reasoning tag.
    """

    def __init__(self, *, starts_in_reasoning: bool = False) -> None:
        self._reasoning = ReasoningFilter(starts_inside=starts_in_reasoning)
        self._prose: list[str] = []
        self._blocks: list[Block] = []
        self._dropped: list[Dropped] = []
        self._proposals: list[Proposal] = []
        # Offsets count characters without reasoning. `_text[0]` is the character before what is undecided.
        self._text = "\n"
        self._at = 0
        self._partial = -1  # offset of an opener's beginning at the end of the text, once looked for
        self._ahead: list[str] = []  # stretches that are still to be looked at, the next one last
        self._handed_over = ""  # what the mode that begins now has to look at
        self._author: Fence | None = None
        self._fence: _OpenFence | None = None
        self._object: BareObject | None = None
        self._behind_object = False
        self._blank_since_block = False
        self._looked_again = 0  # characters that were looked at for nothing, in bare objects that are none
        self._runaway: list[str] = []  # everything behind the last block that is taken
        self._stop_reason: str | None = None
        self._finished = False

    def feed(self, piece: str) -> str:
        """Take the next piece of the reply; return the prose that is sure now.

        Raises:
            ValueError: The reply is finished already.
        """
        if self._finished:
            raise ValueError("The reply is finished.")
        return self._run(self._reasoning.feed(piece), end=False)

    def finish(self, stop_reason: str | None = None) -> str:
        """Say that the reply is over, and why; return the prose that was held back.

        Raises:
            ValueError: The reply is finished already.
        """
        if self._finished:
            raise ValueError("The reply is finished.")
        self._stop_reason = stop_reason
        prose = self._run(self._reasoning.feed("", end=True), end=True)
        self._finished = True
        return prose

    @property
    def result(self) -> SplitReply:
        """The reply taken apart.

        Raises:
            ValueError: The reply is not finished.
        """
        if not self._finished:
            raise ValueError("The reply is not finished.")
        dropped = sorted([*self._dropped, *self._reasoning.dropped], key=lambda entry: (entry.start, entry.end))
        return SplitReply(
            prose="".join(self._prose),
            proposals=tuple(self._proposals),
            blocks=tuple(self._blocks),
            dropped=tuple(dropped),
            stop_reason=self._stop_reason,
            cut=(self._stop_reason or "").casefold() in _CUT_REASONS,
        )

    # The machine: each step decides a stretch and says whether there is more to decide --------------------------------

    def _run(self, text: str, *, end: bool) -> str:
        given = len(self._prose)
        self._look_ahead(text)
        while self._ahead:
            self._partial = -1
            text, last = self._ahead.pop(), end and not self._ahead
            while self._step(text, end=last):
                text, self._handed_over = self._handed_over, ""
                last = end and not self._ahead
        return "".join(self._prose[given:])

    def _look_ahead(self, text: str) -> None:
        """Put text in front of what is still to be looked at."""
        self._ahead.extend(text[start : start + _STRETCH] for start in reversed(range(0, max(len(text), 1), _STRETCH)))

    def _give_back(self, text: str, decided: int) -> None:
        """Take up what was collected: its decided part to act on now, and the rest to look at again."""
        if len(text) - decided > _STRETCH:
            self._look_ahead(text[decided:])
            self._partial = -1
            text = text[:decided]
        self._text += text

    def _step(self, text: str, *, end: bool) -> bool:
        if len(self._blocks) == MAX_BLOCKS:
            return self._in_runaway(text, end=end)
        if self._fence is not None:
            return self._in_fence(self._fence, text, end=end)
        if self._object is not None:
            return self._in_object(self._object, text, end=end)
        self._text += text
        return self._in_author(self._author, end=end) if self._author else self._in_prose(end=end)

    def _emit(self, upto: int) -> None:
        """Give `_text[1:upto]` out as prose."""
        if upto > 1:
            piece = self._text[1:upto]
            self._prose.append(piece)
            self._blank_since_block = self._blank_since_block and not piece.strip()
            self._pass(upto)

    def _pass(self, upto: int) -> None:
        self._at += upto - 1
        self._text = self._text[upto - 1 :]

    def _span(self, upto: int) -> dict[str, int]:
        """Return where `_text[1:upto]` stands in the reply."""
        return {
            "start": self._reasoning.start_in_reply(self._at),
            "end": self._reasoning.end_in_reply(self._at + upto - 1),
        }

    def _drop(self, upto: int, reason: DropReason) -> None:
        """Take `_text[1:upto]` out of the prose."""
        self._dropped.append(Dropped(**self._span(upto), reason=reason, text=self._text[1:upto]))
        self._pass(upto)

    def _take_block(self, upto: int, kind: BlockKind, raw: str, reading: BlockReading, *, closed: bool) -> None:
        """Take `_text[1:upto]` out of the prose as a block."""
        if reading.events is not None:
            self._proposals.append(Proposal(block=len(self._blocks), events=reading.events))
        self._blocks.append(
            Block(**self._span(upto), kind=kind, raw=raw, closed=closed, error=reading.error, notes=reading.notes)
        )
        self._pass(upto)
        self._blank_since_block = True

    def _in_prose(self, *, end: bool) -> bool:
        """Emit what is before the next opener, and act on it."""
        if self._behind_object and (stop := residue(self._text, 1, end=end)) != 1:
            if stop is None:
                return False
            self._drop(stop, DropReason.JSON_RESIDUE)
        self._behind_object = False
        hold = len(self._text) if end else self._partial_opener()
        start = 1
        while (match := OPENER.search(self._text, start)) and match.start() <= hold:
            begin = self._opened_run if match["run"] else self._opened_note if match["note"] else self._opened_object
            outcome = begin(match, end=end)
            if outcome is True:
                return True
            if outcome is None:
                hold = match.start()
                break
            start = match.end()
        self._emit(hold if end else line_indent(self._text, hold))
        return False

    def _partial_opener(self) -> int:
        """Return where the beginning of an opener stands that the next piece may complete; the text's end if none."""
        known = self._partial - self._at + 1
        if known < 1:
            known = partial_opener(self._text)  # 50 µs, so it is looked for once a piece
            self._partial = self._at + known - 1
        return known

    # Openers: True if a mode began or something was removed, False if it is none, None to wait ------------------------

    def _opened_object(self, match: re.Match[str], *, end: bool) -> bool | None:
        if self._looked_again > MOST_AGAIN:
            if self._text[match.start()] == "[":  # a list may still turn out to be none of ours, its first object not
                self._emit(self._text.index("{", match.start()))
                return True
            if not (sure := is_sure(self._text, match.start(), end=end)):
                return sure
        if stop := end_of_authors_object(self._text, match.start()):
            self._emit(stop)
            return True
        self._emit(match.start())
        self._object = BareObject()
        self._handed_over, self._text = self._text[1:], self._text[0]
        return True

    def _opened_note(self, match: re.Match[str], *, end: bool) -> bool | None:
        stop = end_of_note(self._text, match, end=end)
        if stop is None or stop == match.start():
            return None if stop is None else False
        self._emit(match.start())
        self._drop(stop - match.start() + 1, DropReason.REMINDER_ECHO)
        return True

    def _opened_run(self, match: re.Match[str], *, end: bool) -> bool | None:
        text, run = self._text, match["run"]
        run = text[match.start() : end_of_run(text, match.start())]
        behind = match.start() + len(run)
        if len(run) > LONGEST_RUN:
            return False
        if behind == len(text) and not end:
            return None
        ahead = own_ahead(text, behind, end=end)
        if ahead == "wait":
            return None
        line_start = line_indent(self._text, match.start())
        at_line_start = text[line_start - 1] == "\n"
        if ahead == "json" or (ahead == "block" and not at_line_start):
            label = behind + re.match(rf"\s*{LABEL}", text[behind:], re.IGNORECASE).end()  # type: ignore[union-attr]
            indent = match.start() - text.rfind("\n", 0, match.start()) - 1
            alone = not text[match.start() - indent : match.start()].strip()
            fence = Fence(
                run[0], len(run), "ours", labelled=True, inline=True, behind_prose=not at_line_start,
                indent=indent if alone else 0,
            )  # fmt: skip
            return self._begin_fence(fence, line_start, label)
        return self._opened_line(run, line_start, behind, end=end) if at_line_start else False

    def _opened_line(self, run: str, start: int, behind: int, *, end: bool) -> bool | None:
        """Act on a line that begins with a run: a fence, a code span, or neither."""
        text = self._text
        newline = text.find("\n", behind, behind + LONGEST_INFO + 1)
        if newline < 0 and len(text) - behind > LONGEST_INFO:
            return False
        if newline < 0 and not end:
            return None
        stop = newline + 1 if newline >= 0 else len(text)
        info = text[behind : newline if newline >= 0 else len(text)].rstrip("\r")
        fence = opened_fence(run, info)
        if fence is None:
            return self._opened_span(run, start, behind, info)
        if fence.owner == "ours":
            return self._closed_in_sight(fence, start, stop) or self._begin_fence(fence, start, stop)
        if fence.owner == "maybe" and may_be_protocol(text, fence, behind, stop):
            return self._begin_fence(fence, start, stop)
        return self._opened_author(fence, stop)

    def _closed_in_sight(self, fence: Fence, start: int, stop: int) -> bool:
        """Take our fence, whose opening is `_text[start:stop]`, if its closing line is the next line with a run.

        Collecting it line by line gives the same and takes twice as long.
        """
        if (content := content_in_sight(self._text, fence, stop)) is None:
            return False
        raw, behind = self._text[stop : content[0]], content[1]
        self._emit(start)
        self._take_block(behind - start + 1, BlockKind.STATE_FENCE, raw, read_block(raw), closed=True)
        return True

    def _opened_author(self, fence: Fence, stop: int) -> bool:
        """Emit an author's fence whose opening line ends at `stop`, or as much of it as there is."""
        closing = author_closing(fence.char, fence.length).search(self._text, stop)
        if closing and closing.end() < len(self._text):
            self._emit(closing.end() + 1)
        else:
            self._emit(stop)
            self._author = fence
        return True

    def _opened_span(self, run: str, start: int, behind: int, info: str) -> bool:
        """Take a proposal out that stands between runs on one line."""
        span = code_span(run, info)
        reading = read_block(span[0]) if span else None
        if span is None or reading is None or reading.claim is Claim.NONE:
            return False
        kind = BlockKind.JSON_FENCE if info.lstrip()[:4].lower() == "json" else BlockKind.UNLABELLED_FENCE
        self._emit(start)
        self._take_block(behind + span[1] - start + 1, kind, span[0], reading, closed=True)
        return True

    def _begin_fence(self, fence: Fence, start: int, stop: int) -> bool:
        """Collect the fence whose opening is `_text[start:stop]`."""
        self._emit(start)
        stop = stop - start + 1
        self._fence = _OpenFence(fence, self._text[1:stop], FenceCollector(fence))
        self._handed_over, self._text = self._text[stop:], self._text[0]
        return True

    # Modes ------------------------------------------------------------------------------------------------------------

    def _in_author(self, fence: Fence, *, end: bool) -> bool:
        """Emit an author's fence as it is, up to and with its closing line."""
        closing = author_closing(fence.char, fence.length).search(self._text)
        if closing and (end or closing.end() < len(self._text)):
            self._emit(min(closing.end() + 1, len(self._text)))
            self._author = None
            return True
        partial = None if end else PARTIAL_CLOSING.search(self._text, max(0, len(self._text) - LONGEST_PARTIAL))
        self._emit(partial.start() + 1 if partial else len(self._text))
        return False

    def _in_fence(self, opened: _OpenFence, text: str, *, end: bool) -> bool:
        """Collect a fence that may be protocol until it ends; judge it then."""
        found = opened.collector.push(text, end=end)
        if found is None:
            return False
        self._fence = None
        self._text += opened.opening + opened.collector.text
        stop = 1 + len(opened.opening) + found.end
        if found.released:
            self._emit(1 + len(opened.opening))
            self._author = opened.fence
            return True
        reading = read_block(found.content)
        if opened.fence.owner == "ours":
            kind = BlockKind.STATE_INLINE if opened.fence.inline else BlockKind.STATE_FENCE
            self._take_block(stop, kind, found.content, reading, closed=found.closed)
        elif reading.claim is not Claim.NONE:
            kind = BlockKind.JSON_FENCE if opened.fence.labelled else BlockKind.UNLABELLED_FENCE
            self._take_block(stop, kind, found.content, reading, closed=found.closed)
        elif self._blank_since_block and not (found.closed or opened.fence.labelled or found.content.strip()):
            self._drop(stop, DropReason.STRAY_FENCE)
        else:
            self._emit(stop)
        return True

    def _in_object(self, bare: BareObject, text: str, *, end: bool) -> bool:
        """Follow a bare object until it ends; judge it then."""
        found = bare.push(text, end=end)
        if found is None:
            return False
        self._object = None
        self._give_back(bare.text, found.end)
        if found.reading is not None:
            raw = self._text[1 : 1 + found.end]
            self._take_block(1 + found.end, BlockKind.BARE_OBJECT, raw, found.reading, closed=found.closed)
            self._behind_object = True
        else:
            self._looked_again += found.again
            self._emit(1 + found.end)
        return True

    def _in_runaway(self, text: str, *, end: bool) -> bool:
        """Keep everything for the audit, nothing for the prose."""
        self._runaway.append(self._text[1:] + text)
        self._text = self._text[0]
        if end:
            self._text += "".join(self._runaway)
            if len(self._text) > 1:
                self._drop(len(self._text), DropReason.RUNAWAY)
        return False


def split(text: str, *, stop_reason: str | None = None, starts_in_reasoning: bool = False) -> SplitReply:
    """Return a whole reply taken apart; never raises on any text.

    Args:
        text: The reply as the model wrote it.
        stop_reason: Why it stopped, as its service named it.
        starts_in_reasoning: The prompt's template already opened a reasoning tag.
    """
    splitter = StreamSplitter(starts_in_reasoning=starts_in_reasoning)
    splitter.feed(text)
    splitter.finish(stop_reason)
    return splitter.result
