"""Tables: rows of short cells that line up in columns. Pure.

Found from the positions of lines alone. The library's own table finder takes 200 to 740 ms a page on the corpus, more
than everything else together, and finds tables in maps; this takes under a millisecond.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from statistics import median

from osrforge_assets.modules.pages.blocks import CELL_LINE, Block, block_of
from osrforge_assets.modules.pages.line import Line, Run

_FEWEST_ROWS = 3
# Columns of prose have 30 and more characters a line; the first column of a table holds numbers, dice or names.
_FIRST_COLUMN = 16
_OTHER_COLUMNS = 30
# Names with descriptions beside them: `Place | What it offers`.
_DESCRIPTIONS = 140
_MOST_LINES = 400
_DICE_HEAD = re.compile(r"(?:\d*[dDwW]\d+|#|no\.?|roll|result)", re.IGNORECASE)
_KEY_CELL = re.compile(r"(?:[A-Z]{0,2}\d{1,3}[a-z]?|[ivxIVX]{1,5})[.):]?")


def find_table(blocks: Sequence[Block]) -> list[Block] | None:
    """Return the blocks of a region in order with its table as one of them, None if it holds none.

    A region counts only if most of its lines belong to the table: the caller has split off everything else before.
    """
    lines = [line for block in blocks for line in block.lines]
    if not 4 <= len(lines) <= _MOST_LINES or any(
        block.inner is not None or block.table is not None for block in blocks
    ):
        return None
    rows = _rows(lines)
    first, last = _longest_run(rows)
    if last - first < (_FEWEST_ROWS - 1 if _has_dice_head(rows[first:last]) else _FEWEST_ROWS):
        return None
    within = [line for row in rows[first:last] for line in row]
    if len(within) < 0.6 * len(lines):
        return None
    cells = _cells(rows[first:last])
    if cells is None:
        return None
    table = block_of(within)
    table.table = cells
    inside = {id(line) for line in within}
    rest = [[line for line in block.lines if id(line) not in inside] for block in blocks]
    around = sorted((block_of(left) for left in rest if left), key=lambda block: block.top)
    above = [block for block in around if block.top < table.top]
    return [*above, table, *around[len(above) :]]


def _has_dice_head(rows: list[list[Line]]) -> bool:
    return bool(rows) and all(_DICE_HEAD.fullmatch(line.text.split()[0]) for line in rows[0][::2])


def _rows(lines: Sequence[Line]) -> list[list[Line]]:
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: line.baseline):
        if rows and line.baseline - rows[-1][0].baseline <= 0.35 * line.size:
            rows[-1].append(line)
        else:
            rows.append([line])
    return [sorted(row, key=lambda line: line.x0) for row in rows]


def _longest_run(rows: list[list[Line]]) -> tuple[int, int]:
    """Return first and one past the last row of the longest stretch of rows with two and more cells.

    A row of one cell belongs if it goes on in a column after the first, close under the row before it.
    """
    best = (0, 0)
    start: int | None = None
    for index, row in enumerate([*rows, []]):
        goes_on = (
            start is not None
            and len(row) == 1
            and row[0].x0 > rows[start][0].x1
            and row[0].baseline - rows[index - 1][0].baseline < 1.5 * row[0].size
        )
        if len(row) >= 2:
            start = index if start is None else start
        elif not goes_on:
            if start is not None and index - start > best[1] - best[0]:
                best = (start, index)
            start = None
    return best


def _cells(rows: list[list[Line]]) -> list[list[str]] | None:
    """Return the rows' cell texts by column, None if the lines do not form columns of short cells."""
    rows = _with_split_head(rows)
    columns = _columns(rows)
    if columns is None or len(columns) < 2:
        return None
    texts: list[list[str]] = []
    for row in rows:
        cells = [""] * len(columns)
        for line in row:
            column = next(index for index, (x0, x1) in enumerate(columns) if line.x0 < x1 and line.x1 > x0)
            cells[column] = f"{cells[column]}{CELL_LINE}{line.text}".strip()
        if cells[0] or not texts or len(row) > 1:
            texts.append(cells)
        else:
            texts[-1] = [f"{old}{CELL_LINE}{new}".strip() for old, new in zip(texts[-1], cells, strict=True)]
    if len(texts) < _FEWEST_ROWS and not _DICE_HEAD.fullmatch(texts[0][0]):
        return None
    return texts if _are_cells(texts) else None


def _are_cells(texts: list[list[str]]) -> bool:
    """Return whether texts by row and column are table cells: columns filled, and short where prose would be long."""
    count = len(texts[0])
    lengths = [[len(cells[index]) for cells in texts if cells[index]] for index in range(count)]
    if any(len(column) < 0.5 * len(texts) for column in lengths) or _is_keyed_text(texts):
        return False
    usual = [median(column) for column in lengths]
    dice = _DICE_HEAD.fullmatch(texts[0][0]) is not None
    if count == 2 and usual[1] <= _FIRST_COLUMN and all(all(cells) for cells in texts):
        # Text and a number or a reference at the end of each line: a contents page, a price list.
        return usual[0] <= 2 * _OTHER_COLUMNS
    short = usual[0] <= _FIRST_COLUMN and all(length <= _OTHER_COLUMNS for length in usual[:-1])
    longest = 2 * _OTHER_COLUMNS if max(lengths[0]) > 2 * _FIRST_COLUMN else _DESCRIPTIONS
    return short and (dice or usual[-1] <= longest)


def _columns(rows: list[list[Line]]) -> list[tuple[float, float]] | None:
    """Return the columns as disjoint stretches of the line, None if a cell bridges two."""
    stretches: list[list[float]] = []
    for line in sorted((line for row in rows for line in row), key=lambda line: line.x0):
        if stretches and line.x0 < stretches[-1][1] + 0.3 * line.size:
            stretches[-1][1] = max(stretches[-1][1], line.x1)
        else:
            stretches.append([line.x0, line.x1])
    columns = [(x0, x1) for x0, x1 in stretches]
    filled = [len({_column_of(line, columns) for line in row}) for row in rows]
    # Two lines of one row in one column: the columns were bridged.
    if any(count < len(row) for count, row in zip(filled, rows, strict=True)):
        return None
    return columns


def _with_split_head(rows: list[list[Line]]) -> list[list[Line]]:
    """Return the rows with a head like `d6 Result`, which the library reads as one line, cut at the columns below."""
    starts = sorted(line.x0 for line in rows[1])
    head: list[Line] = []
    for line in rows[0]:
        under = [x0 for x0 in starts if line.x0 - line.size <= x0 < line.x1]
        tokens = line.text.split()
        if len(under) == 2 and len(tokens) >= 2 and _DICE_HEAD.fullmatch(tokens[0]):
            rest = " ".join(tokens[1:])
            cut = max(under[1], line.x0 + 0.1)
            head.append(replace(line, runs=(Run(tokens[0], line.runs[0].bold),), x1=min(cut - line.size, line.x1)))
            head.append(replace(line, runs=(Run(rest, line.runs[-1].bold),), x0=cut, x1=max(line.x1, cut + 1)))
        else:
            head.append(line)
    return [head, *rows[1:]]


def _column_of(line: Line, columns: Sequence[tuple[float, float]]) -> int:
    return next(index for index, (x0, x1) in enumerate(columns) if line.x0 < x1 and line.x1 > x0)


def _is_keyed_text(texts: list[list[str]]) -> bool:
    """Return whether this is keys in the margin beside their entries: prose, to be read as numbered paragraphs."""
    keys = sum(bool(_KEY_CELL.fullmatch(cells[0])) for cells in texts)
    entries = [len(cells[1]) for cells in texts]
    return keys == len(texts) and len(texts[0]) == 2 and median(entries) > _OTHER_COLUMNS
