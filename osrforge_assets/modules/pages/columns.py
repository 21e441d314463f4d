"""The order in which the blocks of a page are read: columns, headings over them, boxes, tables. Pure.

Blocks are ordered by a recursive cut: a gutter that nothing crosses splits a region into columns; if a gutter is crossed, the region is split
between rows where that lets fewer things cross; things that still cross a gutter (a heading over both columns, a rule)
part what is above from what is below.
"""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from osrforge_assets.modules.pages.blocks import Block

# Gutters of the corpus are 0.78 em (Darkloch) and wider; word gaps are 0.25 to 0.4 em.
_GUTTER = 0.6
_MOST_DEPTH = 60
_TOUCHING = 0.1
# Each row of a region is tried as its border, with a look at all of its blocks: 0.3 s for 450 rows of one block. Fuller
# sheets are no pages of text; of those the widest spaces are tried.
_MOST_TRIALS = 200_000
_HEADER_GAP, _OFF_CENTER = 0.8, 0.06

TableFinder = Callable[[Sequence[Block]], "list[Block] | None"]


def in_order(blocks: Sequence[Block], unit: float, find_table: TableFinder, depth: int = 0) -> list[Block]:
    """Return blocks in reading order.

    Args:
        blocks: Of one region.
        unit: Size of the page's body text; gutters are measured in it.
        find_table: Called before a region is split into columns; returns its blocks in order, one of them a table, or
            None if the region holds no table.
        depth: Of the recursion; a bound for hostile layouts.
    """
    cut = _best_gutter(blocks, unit) if len(blocks) > 1 and depth <= _MOST_DEPTH else None
    if cut is None:
        return _top_down(blocks, unit)
    rows = _better_rows(blocks, unit, cut.cost) if cut.cost > 0 else None
    parts = rows or _header(blocks, unit)
    if parts is None:
        with_table = find_table(blocks)
        if with_table is not None:
            return with_table
        parts = _parts(blocks, cut, unit, find_table)
    return [
        block for part in parts for block in (part if len(part) == 1 else in_order(part, unit, find_table, depth + 1))
    ]


def _parts(blocks: Sequence[Block], cut: "_Cut", unit: float, find_table: "TableFinder") -> list[list[Block]]:
    """Return a region's columns in order, or what stands between and on the things that cross its gutter."""
    if cut.crossing:
        return [part for part in _bands(blocks, cut.crossing) if part]
    columns = _table_joined(_split_columns(blocks, unit), find_table)
    return columns if len(columns) > 1 else [cut.left, cut.right]


@dataclass(slots=True)
class _Cut:
    left: list[Block]
    right: list[Block]
    crossing: list[Block]
    cost: int


def _best_gutter(blocks: Sequence[Block], unit: float) -> _Cut | None:
    """Return the gutter that the least text crosses, the widest of those; None if nothing stands side by side."""
    for cost, _, edge in _gutters(blocks, unit):
        left = [block for block in blocks if block.x1 <= edge + _TOUCHING]
        right = [block for block in blocks if block.x0 > edge]
        if _side_by_side(left, right):
            crossing = [block for block in blocks if block.x1 > edge + _TOUCHING and block.x0 <= edge]
            return _Cut(left, right, crossing, cost)
    return None


def _gutters(blocks: Sequence[Block], unit: float) -> list[tuple[int, float, float]]:
    """Return each gutter as what crosses it, its negative width and its left edge, the best first.

    Sums from both sides, not a look at every block for every edge: a map sheet with 6,000 labels took minutes.
    """
    by_end = sorted(blocks, key=lambda block: block.x1)
    by_start = sorted(blocks, key=lambda block: block.x0)
    ends, starts = [block.x1 for block in by_end], [block.x0 for block in by_start]
    ended = list(accumulate((block.weight for block in by_end), initial=0))
    started = list(accumulate((block.weight for block in by_start), initial=0))
    found: list[tuple[int, float, float]] = []
    for edge in sorted(set(ends)):
        after = bisect_right(starts, edge)
        # The nearest blocks at the right may be narrow strays; what starts within the gutter counts as crossing.
        if after < len(starts) and starts[after] - edge >= _GUTTER * unit:
            cost = started[after] - ended[bisect_right(ends, edge + _TOUCHING)]
            found.append((cost, edge - starts[after], edge))
    return sorted(found)


def _split_columns(blocks: Sequence[Block], unit: float) -> list[list[Block]]:
    """Return all columns that uncrossed gutters make; what never stands beside its neighbour is no column."""
    columns: list[list[Block]] = []
    edge = 0.0
    for block in sorted(blocks, key=lambda block: block.x0):
        if columns and block.x0 - edge < _GUTTER * unit:
            columns[-1].append(block)
            edge = max(edge, block.x1)
        else:
            columns.append([block])
            edge = block.x1
    merged = [columns[0]]
    for column in columns[1:]:
        if _side_by_side(merged[-1], column):
            merged.append(column)
        else:
            merged[-1] = merged[-1] + column
    return merged


def _table_joined(columns: list[list[Block]], find_table: TableFinder) -> list[list[Block]]:
    """Return the columns, neighbours that are columns of one table as one, so that the table is found as a whole."""
    for count in range(len(columns) - 1, 1, -1):
        for start in range(len(columns) - count + 1):
            together = [block for column in columns[start : start + count] for block in column]
            if find_table(together) is not None:
                return [*columns[:start], together, *columns[start + count :]]
    return columns


def _side_by_side(left: Sequence[Block], right: Sequence[Block]) -> bool:
    """Return whether some block of one side stands beside one of the other."""
    # From the top down, each block meets only those of the other side that reach down to it.
    sides = [(block.top, block.bottom, 0) for block in left] + [(block.top, block.bottom, 1) for block in right]
    reaching: tuple[list[tuple[float, float]], list[tuple[float, float]]] = ([], [])
    for top, bottom, side in sorted(sides):
        others = reaching[1 - side]
        others[:] = [other for other in others if other[1] > top]
        if any(min(bottom, end) - top > 0.4 * min(bottom - top, end - start) for start, end in others):
            return True
        reaching[side].append((top, bottom))
    return False


def _better_rows(blocks: Sequence[Block], unit: float, cost: int) -> tuple[list[Block], list[Block]] | None:
    """Return the split into an upper and a lower part whose own gutters are crossed by less than `cost`, if any."""
    by_top = sorted(blocks, key=lambda block: block.top)
    best: tuple[int, float, int] | None = None
    lowest = list(accumulate((block.bottom for block in by_top), max))
    spaces = [(by_top[index].top - lowest[index - 1], index) for index in range(1, len(by_top))]
    rows = [(space, index) for space, index in spaces if space > -0.1 * unit]
    if len(rows) * len(blocks) > _MOST_TRIALS:
        rows = sorted(rows, reverse=True)[: _MOST_TRIALS // len(blocks)]
    for space, index in rows:
        upper, lower = _best_gutter(by_top[:index], unit), _best_gutter(by_top[index:], unit)
        total = (upper.cost if upper else 0) + (lower.cost if lower else 0)
        if total < cost and (best is None or (total, -space) < best[:2]):
            best = (total, -space, index)
    return None if best is None else (by_top[: best[2]], by_top[best[2] :])


def _header(blocks: Sequence[Block], unit: float) -> tuple[list[Block], list[Block]] | None:
    """Return a region as its centered top, such as a title over scattered notes, and the rest; None if it has none.

    A gutter may miss a short title by chance, and would then make it the first thing of a column.
    """
    by_top = sorted(blocks, key=lambda block: block.top)
    middle = (min(block.x0 for block in blocks) + max(block.x1 for block in blocks)) / 2
    width = max(block.x1 for block in blocks) - min(block.x0 for block in blocks)
    lowest = 0.0
    for index, block in enumerate(by_top):
        if index and block.top - lowest >= _HEADER_GAP * unit:
            return by_top[:index], by_top[index:]
        if abs((block.x0 + block.x1) / 2 - middle) > _OFF_CENTER * width or len(block.lines) > 3:
            return None
        lowest = max(lowest, block.bottom)
    return None


def _bands(blocks: Sequence[Block], crossing: Sequence[Block]) -> list[list[Block]]:
    separators = sorted(crossing, key=lambda block: block.top + block.bottom)
    bands: list[list[Block]] = [[] for _ in range(len(separators) + 1)]
    crosses = {id(block) for block in crossing}
    for block in blocks:
        if id(block) not in crosses:
            middle = block.top + block.bottom
            bands[sum(middle > separator.top + separator.bottom for separator in separators)].append(block)
    parts = [bands[0]]
    for separator, band in zip(separators, bands[1:], strict=True):
        parts += [[separator], band]
    return parts


def _top_down(blocks: Sequence[Block], unit: float) -> list[Block]:
    """Return blocks from the top; those that begin at one height from the left."""
    ordered: list[Block] = []
    for block in sorted(blocks, key=lambda block: (block.top, block.x0)):
        position = len(ordered)
        while (
            position > 0
            and abs(ordered[position - 1].top - block.top) < 0.4 * unit
            and ordered[position - 1].x0 > block.x0
        ):
            position -= 1
        ordered.insert(position, block)
    return ordered
