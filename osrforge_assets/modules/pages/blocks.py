"""Blocks: lines that follow each other closely in one column, and what is read as a whole. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from osrforge_assets.modules.pages.line import Line

_SAME_SIZE = 1.13
_HEADING = 1.15
_NOTE_KEY = re.compile(r"#?(\d{1,3})[.):]\s")
_FEWEST_NOTES = 3
# Between the lines of a table cell, until hyphens at their ends are judged.
CELL_LINE = "\n"


@dataclass(slots=True, eq=False)
class Block:
    """Something that is read as a whole.

    Attributes:
        x0: Left edge.
        top: Top edge.
        x1: Right edge.
        bottom: Bottom edge.
        lines: Its lines in order; empty for a rule.
        inner: For a box, its ordered blocks.
        table: For a table, its rows of cell texts.
    """

    x0: float
    top: float
    x1: float
    bottom: float
    lines: list[Line]
    inner: "list[Block] | None" = None
    table: list[list[str]] | None = None

    @property
    def weight(self) -> int:
        """What crossing a gutter with this costs: its lines."""
        return max(len(self.lines), 1)


def block_of(lines: list[Line]) -> Block:
    """Return the block around some lines."""
    return Block(
        min(line.x0 for line in lines),
        min(line.top for line in lines),
        max(line.x1 for line in lines),
        max(line.bottom for line in lines),
        lines,
    )


def gathered(lines: Sequence[Line], separators: Sequence[Block]) -> list[Block]:
    """Return blocks of lines that follow each other closely, each line in one block."""
    ordered = sorted(lines, key=lambda line: (line.baseline, line.x0))
    pitch = _usual_pitch(ordered)
    after: dict[int, int] = {}
    before: dict[int, list[int]] = {}
    for index in range(len(ordered)):
        follower = _follower(index, ordered, pitch, separators)
        if follower is not None:
            after[index] = follower
            before.setdefault(follower, []).append(index)
    # A line that two lines claim (a full-width line under two columns) begins a block of its own.
    chained = {index: follower for index, follower in after.items() if len(before[follower]) == 1}
    followers = set(chained.values())
    heads = [index for index in range(len(ordered)) if index not in followers]
    blocks: list[Block] = []
    for head in heads:
        chain = [head]
        while chain[-1] in chained:
            chain.append(chained[chain[-1]])
        blocks.append(block_of([ordered[index] for index in chain]))
    return blocks


def _usual_pitch(ordered: Sequence[Line]) -> float:
    """Return the usual distance of baselines in em; 1.2 is common, open layouts reach 1.6."""
    ratios: list[float] = []
    for index, line in enumerate(ordered):
        for other in ordered[index + 1 : index + 12]:
            distance = other.baseline - line.baseline
            if distance > 0.5 * line.size and _alike(line, other) and abs(other.x0 - line.x0) < 2 * line.size:
                ratios.append(distance / line.size)
                break
    ratios.sort()
    usual = ratios[len(ratios) // 2] if ratios else 1.2
    return min(max(usual * 1.2, 1.35), 2.1)


def _follower(index: int, ordered: Sequence[Line], pitch: float, separators: Sequence[Block]) -> int | None:
    """Return the line that continues line `index` below, None if none does or two stand abreast there."""
    line = ordered[index]
    found: int | None = None
    for position in range(index + 1, len(ordered)):
        other = ordered[position]
        distance = other.baseline - line.baseline
        if distance > pitch * line.size:
            break
        if distance <= 0.4 * line.size or min(line.x1, other.x1) <= max(line.x0, other.x0):
            continue
        if found is None:
            if not _alike(line, other) or _parted(line, other, separators):
                return None
            found = position
        elif other.baseline - ordered[found].baseline < 0.4 * line.size:
            return None
        else:
            break
    return found


def _alike(one: Line, two: Line) -> bool:
    return max(one.size, two.size) <= _SAME_SIZE * min(one.size, two.size)


def _parted(upper: Line, lower: Line, separators: Sequence[Block]) -> bool:
    return any(
        upper.baseline - 1 <= rule.top <= lower.baseline - 0.4 * lower.size
        and rule.x0 < min(upper.x1, lower.x1)
        and rule.x1 > max(upper.x0, lower.x0)
        for rule in separators
    )


def with_their_text(blocks: Sequence[Block], body: float) -> list[Block]:
    """Return the blocks, headings joined with the text right under them, so that no cut can part the two.

    A heading wider than the text under it may head more than that text and stays alone.
    """
    result = sorted(blocks, key=lambda block: block.top)
    for heading in list(result):
        if heading not in result or not 0 < len(heading.lines) <= 2 or heading.lines[0].size <= _HEADING * body:
            continue
        below = [block for block in result if block is not heading and _is_under(heading, block)]
        if len(below) == 1 and heading.x1 <= below[0].x1 + body and abs(heading.x0 - below[0].x0) < body:
            joined = block_of([*heading.lines, *below[0].lines])
            joined.x0, joined.x1 = min(joined.x0, heading.x0), max(joined.x1, heading.x1)
            result[result.index(heading)] = joined
            result.remove(below[0])
    return result


def _is_under(heading: Block, block: Block) -> bool:
    near = -2 <= block.top - heading.bottom <= 1.5 * heading.lines[-1].size
    return near and min(heading.x1, block.x1) > max(heading.x0, block.x0)


def by_printed_key(blocks: Sequence[Block]) -> list[Block]:
    """Return blocks with notes scattered round a map in the order of their keys; other blocks keep their places.

    Only where the order from the layout is visibly none: three or more notes, keys counting up without a gap once
    sorted, yet not as they stand. Entries that text follows in other blocks keep theirs, since it would lose its head.
    """
    notes = {index: int(key[1]) for index, block in enumerate(blocks) if (key := _note_key(block))}
    keys = sorted(notes.values())
    if len(keys) < _FEWEST_NOTES or keys != list(range(keys[0], keys[0] + len(keys))) or list(notes.values()) == keys:
        return list(blocks)
    places = list(notes)
    if places != list(range(places[0], places[0] + len(places))):
        return list(blocks)
    in_key_order = sorted(places, key=lambda index: notes[index])
    return [*blocks[: places[0]], *(blocks[index] for index in in_key_order), *blocks[places[-1] + 1 :]]


def _note_key(block: Block) -> re.Match[str] | None:
    return _NOTE_KEY.match(block.lines[0].text) if block.lines and block.table is None else None
