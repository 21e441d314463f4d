"""Tables whose cells are drawn: outlines side by side, or rules across and down. Pure.

A key alone in its cell would pass for a label of a drawing, and a cell of text for a box of its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from osrforge_assets.modules.pages.blocks import CELL_LINE, Block, block_of
from osrforge_assets.modules.pages.line import Line
from osrforge_assets.modules.pages.raw_page import Shape

# Outlines of neighbouring cells overlap by their stroke.
_SLACK = 2.5
_RULE = 3.0
_LOWEST_CELL = 8.0
_FEWEST_ROWS, _FEWEST_COLUMNS, _MOST_COLUMNS = 3, 2, 12
# Each edge of a table runs through; rooms of a map share parts of their walls.
_COVERED = 0.9
# The squares of a map or of a sheet to fill in hold nothing.
_LEAST_FILLED = 0.6


@dataclass(slots=True)
class _Edge:
    """The stretches drawn along one coordinate."""

    at: float
    stretches: list[tuple[float, float]] = field(default_factory=list)

    def covers(self, start: float, end: float) -> bool:
        """Whether nearly all from `start` to `end` is drawn."""
        drawn, reached = 0.0, start
        for first, last in sorted(self.stretches):
            drawn += max(min(last, end) - max(first, reached), 0.0)
            reached = max(reached, min(last, end))
        return drawn >= _COVERED * (end - start)


def ruled_tables(lines: Sequence[Line], shapes: Sequence[Shape]) -> tuple[list[Block], list[Line]]:
    """Return the tables with drawn cells among lines of one direction, and the lines that are left.

    Args:
        lines: Of one direction.
        shapes: Visible shapes of the page.
    """
    tables: list[Block] = []
    left = list(lines)
    for group in _touching(shapes):
        columns, rows = _grid(group)
        if not (_FEWEST_COLUMNS < len(columns) <= _MOST_COLUMNS + 1 and len(rows) > _FEWEST_ROWS):
            continue
        inside = [line for line in left if _within(line, columns, rows)]
        table = _table(inside, columns, rows)
        if table is not None:
            tables.append(table)
            taken = {id(line) for line in inside}
            left = [line for line in left if id(line) not in taken]
    return tables, left


def _touching(shapes: Sequence[Shape]) -> list[list[Shape]]:
    """Return outlines and rules in groups of those that touch, of which a grid has at least five."""
    groups: list[list[Shape]] = []
    for shape in sorted((shape for shape in shapes if _is_edge(shape)), key=lambda shape: shape.y0):
        near = [group for group in groups if any(_touch(shape, other) for other in group)]
        merged = [shape, *(other for group in near for other in group)]
        groups = [group for group in groups if group not in near] + [merged]
    return [group for group in groups if len(group) > _FEWEST_ROWS + 1]


def _is_edge(shape: Shape) -> bool:
    thin = min(shape.x1 - shape.x0, shape.y1 - shape.y0) <= _RULE
    return thin or (shape.rectangle and shape.stroked and shape.y1 - shape.y0 >= _LOWEST_CELL)


def _touch(one: Shape, other: Shape) -> bool:
    return (
        one.x0 <= other.x1 + _SLACK
        and other.x0 <= one.x1 + _SLACK
        and one.y0 <= other.y1 + _SLACK
        and other.y0 <= one.y1 + _SLACK
    )


def _grid(shapes: Sequence[Shape]) -> tuple[list[float], list[float]]:
    """Return where columns and rows of a grid begin and the last of each ends; only edges that run through count."""
    upright: list[_Edge] = []
    level: list[_Edge] = []
    for shape in shapes:
        if shape.x1 - shape.x0 > _RULE:
            for y in _sides(shape.y0, shape.y1):
                _add(level, y, shape.x0, shape.x1)
        if shape.y1 - shape.y0 > _RULE:
            for x in _sides(shape.x0, shape.x1):
                _add(upright, x, shape.y0, shape.y1)
    if not upright or not level:
        return [], []
    top, bottom = min(edge.at for edge in level), max(edge.at for edge in level)
    left, right = min(edge.at for edge in upright), max(edge.at for edge in upright)
    return (
        sorted(edge.at for edge in upright if edge.covers(top, bottom)),
        sorted(edge.at for edge in level if edge.covers(left, right)),
    )


def _sides(start: float, end: float) -> tuple[float, ...]:
    return ((start + end) / 2,) if end - start <= _RULE else (start, end)


def _add(edges: list[_Edge], at: float, start: float, end: float) -> None:
    edge = next((edge for edge in edges if abs(edge.at - at) <= _SLACK), None)
    if edge is None:
        edge = _Edge(at)
        edges.append(edge)
    edge.stretches.append((start - _SLACK, end + _SLACK))


def _within(line: Line, columns: Sequence[float], rows: Sequence[float]) -> bool:
    x, y = line.center
    return columns[0] < x < columns[-1] and rows[0] < y < rows[-1]


def _table(lines: Sequence[Line], columns: Sequence[float], rows: Sequence[float]) -> Block | None:
    """Return the table of the lines in a grid, None if a line runs across cells or most cells are empty."""
    cells: list[list[list[Line]]] = [[[] for _ in columns[1:]] for _ in rows[1:]]
    for line in sorted(lines, key=lambda line: (line.baseline, line.x0)):
        x, y = line.center
        column = max(index for index, edge in enumerate(columns[:-1]) if edge < x)
        row = max(index for index, edge in enumerate(rows[:-1]) if edge < y)
        if line.x0 < columns[column] - _SLACK or line.x1 > columns[column + 1] + _SLACK:
            return None
        cells[row][column].append(line)
    filled = sum(bool(cell) for row in cells for cell in row)
    if filled < _LEAST_FILLED * (len(columns) - 1) * (len(rows) - 1):
        return None
    table = block_of([line for row in cells for cell in row for line in cell])
    table.table = [[CELL_LINE.join(line.text for line in cell) for cell in row] for row in cells if any(row)]
    return table
