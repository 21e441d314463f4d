"""Tables that a head or dot leaders announce: dice tables and contents pages. Pure.

They are taken out before anything else is read, because line by line they look like keyed entries: `1. 1d4 goblins` under
`d6` is no area, and neither is `1. The fallen stair . . . . 5`.
"""

import re
from collections.abc import Sequence

from osrforge_assets.modules.pages.blocks import CELL_LINE, Block, block_of
from osrforge_assets.modules.pages.line import Line
from osrforge_assets.modules.pages.raw_page import Shape

_DIE = re.compile(r"\d{0,2}[dDwW](?:4|6|8|10|12|20|30|66|100|%)")
_DIE_AND_HEAD = re.compile(rf"({_DIE.pattern})\s+(\S.{{0,60}})")
_ROLL = re.compile(r"(\d{1,3}(?:\s?[-–—]\s?\d{1,3})?\+?)[.:)]?")
_ROLL_AND_TEXT = re.compile(rf"({_ROLL.pattern})\s+(\S.*)")
_LEADERS = re.compile(r"\s*(?:[.…·]\s?){4,}\s*(\S{0,8})$")
_NUMBER = re.compile(r"\d{1,4}|[ivxlcIVXLC]{1,7}")
# Table rows may stand apart by more than text lines do, not by a paragraph.
_ROW_PITCH = 2.6
_CELL_GAP = 0.7
_WIDEST_GAP = 8.0
_SAME_EDGE = 0.9
_FEWEST_CONTENTS = 3

_Row = list[Line]


def listed_tables(lines: Sequence[Line], shapes: Sequence[Shape]) -> tuple[list[Block], list[Line]]:
    """Return the dice tables and contents lists among lines of one direction, and the lines that are left.

    Args:
        lines: Of one direction.
        shapes: Of the page; a bar behind a head tells how wide its table is.
    """
    rows = _rows(lines)
    taken: set[int] = set()
    tables: list[Block] = []
    for index, row in enumerate(rows):
        for line in row:
            if id(line) not in taken:
                table = _dice_table(line, row, rows[index + 1 :], _bar_end(line, shapes))
                if table is not None:
                    tables.append(table)
                    taken.update(id(used) for used in table.lines)
    for table in _contents([[line for line in row if id(line) not in taken] for row in rows]):
        tables.append(table)
        taken.update(id(used) for used in table.lines)
    return tables, [line for line in lines if id(line) not in taken]


def _bar_end(head: Line, shapes: Sequence[Shape]) -> float | None:
    """Return where the bar behind a head ends, None if there is none."""
    x, y = head.center
    ends = [
        shape.x1
        for shape in shapes
        if shape.x0 - 1 <= x <= shape.x1 and shape.y0 - 1 <= y <= shape.y1 + 1 and shape.y1 - shape.y0 < 3 * head.size
    ]
    return max(ends, default=None)


def _rows(lines: Sequence[Line]) -> list[_Row]:
    rows: list[_Row] = []
    for line in sorted(lines, key=lambda line: line.baseline):
        if rows and line.baseline - rows[-1][0].baseline <= 0.3 * line.size:
            rows[-1].append(line)
        else:
            rows.append([line])
    return [sorted(row, key=lambda line: line.x0) for row in rows]


def _dice_table(head: Line, row: _Row, below: Sequence[_Row], end: float | None) -> Block | None:
    """Return the table that a head such as `d6` begins, None if no rolls follow under it."""
    both = _DIE_AND_HEAD.fullmatch(head.text)
    if not both and not _DIE.fullmatch(head.text):
        return None
    heads = _with_cells(head, row, end, 1 if end is None else 8)
    texts = [[*([both[1], both[2]] if both else [head.text]), *(cell.text for cell in heads[1:])]]
    used, edge, entries = list(heads), head.x1, 0
    right = end if end is not None else max(cell.x1 for cell in heads)
    for under in below:
        cells = [line for line in under if line.x0 >= head.x0 - _SAME_EDGE * line.size and (not end or line.x0 < end)]
        if not cells or _stands_aside(cells[0], head, right):
            continue
        if cells[0].baseline - used[-1].baseline > _ROW_PITCH * max(head.size, cells[0].size):
            break
        entry = _entry(head, cells, end, max(len(heads) - 1, 1))
        if entry:
            values, lines = entry
            texts.append(values)
            entries, edge = entries + 1, lines[min(1, len(lines) - 1)].x0
        elif entries and cells[0].x0 >= edge - _SAME_EDGE * cells[0].size:
            lines = cells[:1]
            texts[-1][1] = f"{texts[-1][1]}{CELL_LINE}{lines[0].text}"
        else:
            break
        used += lines
        right = max([right, *(line.x1 for line in lines)])
    if entries < 2:
        return None
    block = block_of(used)
    count = max(len(values) for values in texts)
    block.table = [values + [""] * (count - len(values)) for values in texts]
    return block


def _with_cells(first: Line, row: _Row, end: float | None, most: int) -> list[Line]:
    """Return a cell and at most `most` cells that follow it in its row, within its table's bar where it has one."""
    cells = [first]
    for line in row:
        gap = line.x0 - cells[-1].x1
        inside = line.x0 < end if end is not None else gap <= _WIDEST_GAP * line.size
        if line is not first and gap > 0 and inside and len(cells) <= most:
            cells.append(line)
    return cells


def _entry(head: Line, cells: _Row, end: float | None, most: int) -> tuple[list[str], list[Line]] | None:
    """Return the cell texts and lines of a row that starts with a roll, None if it does not."""
    first = cells[0]
    near = abs(first.x0 - head.x0) <= 1.6 * first.size or abs(first.x0 + first.x1 - head.x0 - head.x1) <= 2 * first.size
    if not near:
        return None
    both = _ROLL_AND_TEXT.fullmatch(first.text)
    if both:
        return [both[1], both[3]], [first]
    lines = _with_cells(first, cells, end, most)
    if not _ROLL.fullmatch(first.text) or len(lines) == 1:
        return None
    return [line.text for line in lines], lines


def _stands_aside(line: Line, head: Line, right: float) -> bool:
    """Return whether a line belongs to the next column: it starts where the table has ended."""
    return line.x0 > right + _CELL_GAP * line.size and line.x0 > head.x1


def _contents(rows: Sequence[_Row]) -> list[Block]:
    """Return lists of entries with dot leaders and page numbers."""
    found: list[Block] = []
    entries: list[tuple[list[str], list[Line]]] = []
    last: Line | None = None
    for row in rows:
        for entry in _leader_entries(row):
            line = entry[1][0]
            if last is not None and line.baseline - last.baseline > 2 * _ROW_PITCH * line.size:
                found += _contents_block(entries)
                entries = []
            entries.append(entry)
            last = line
    return found + _contents_block(entries)


def _contents_block(entries: list[tuple[list[str], list[Line]]]) -> list[Block]:
    if len(entries) < _FEWEST_CONTENTS:
        return []
    block = block_of([line for _, lines in entries for line in lines])
    block.table = [cells for cells, _ in entries]
    return [block]


def _leader_entries(row: _Row) -> list[tuple[list[str], list[Line]]]:
    """Return the contents entries of a row; title, leaders and number may be one line or pieces of one."""
    entries: list[tuple[list[str], list[Line]]] = []
    pieces: list[Line] = []
    for line in row:
        if pieces and line.x0 - pieces[-1].x1 > 4 * line.size:
            pieces = []
        pieces.append(line)
        text = " ".join(piece.text for piece in pieces)
        leaders = _LEADERS.search(text)
        if leaders and _NUMBER.fullmatch(leaders[1]) and text[: leaders.start()].strip():
            entries.append(([text[: leaders.start()].strip(), leaders[1]], pieces))
            pieces = []
    return entries
