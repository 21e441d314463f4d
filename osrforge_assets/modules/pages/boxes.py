"""Drawn boxes around text: read-aloud texts and sidebars. Pure."""

from collections.abc import Sequence
from itertools import pairwise

from osrforge_assets.modules.pages.line import Line
from osrforge_assets.modules.pages.raw_page import Box, Shape

_SLACK = 2.0
# A frame or panel that holds most of a page's text is the page's own decoration.
_MOST_OF_PAGE = 0.8
# In a box the text fills it; the outline of a tower or cave holds scattered words. Rounded boxes of the corpus are
# filled to 0.45 and more, drawings to 0.3 at most; a plain rectangle may be roomy.
_LEAST_FILLED, _LEAST_FILLED_OUTLINE = 0.12, 0.4
_RULE = 3.0
_NARROWEST = 60.0
_ALIGNED = 0.8
_CELL_LENGTH = 24
_HEADING = 1.15
_CELL_HEIGHT = 60.0
_FEWEST_GRID_SHAPES = 6


def text_boxes(shapes: Sequence[Shape], lines: Sequence[Line], body: float) -> list[Box]:
    """Return the boxes of boxed text, outermost only, none overlapping another.

    Args:
        shapes: Visible shapes of the page, in drawing order.
        lines: Upright lines of the page.
        body: Size of its body text; a box that holds a heading alone is the heading's banner.
    """
    total = sum(len(line.text) for line in lines)
    shapes = _without_grid_lines(shapes)
    candidates = [(_box(shape), shape.rectangle) for shape in shapes] + [
        (box, True) for box in _framed_by_rules(shapes)
    ]
    good: list[Box] = []
    for box, rectangle in candidates:
        if box[2] - box[0] < _NARROWEST or box[3] - box[1] < 1.2 * body:
            continue
        held = [line for line in lines if _holds(box, line)]
        chars = sum(len(line.text) for line in held)
        if chars < 25 or chars > _MOST_OF_PAGE * total or any(_cuts(box, line) for line in lines):
            continue
        if (
            all(line.size > _HEADING * body for line in held)
            or _starts_with_cells(held)
            or not _is_full(box, held, rectangle=rectangle)
        ):
            continue
        good.append(box)
    return _outermost(_without_grids(good))


def holder(boxes: Sequence[Box], line: Line) -> int | None:
    """Return the number of the box that holds a line, None if none does."""
    return next((number for number, box in enumerate(boxes) if _holds(box, line)), None)


def _without_grid_lines(shapes: Sequence[Shape]) -> list[Shape]:
    """Leave out shapes that belong to a table's grid: many that share their edges with others, row by row."""
    edges: dict[int, int] = {}
    for shape in shapes:
        for y in {round(shape.y0 / 2), round(shape.y1 / 2)}:
            edges[y] = edges.get(y, 0) + 1
    columns: dict[int, int] = {}
    for shape in shapes:
        for x in {round(shape.x0 / 2), round(shape.x1 / 2)}:
            columns[x] = columns.get(x, 0) + 1
    grid = [
        shape
        for shape in shapes
        if edges[round(shape.y0 / 2)] >= 3
        and edges[round(shape.y1 / 2)] >= 3
        and columns[round(shape.x0 / 2)] >= 4
        and columns[round(shape.x1 / 2)] >= 4
    ]
    in_grid = {id(shape) for shape in grid}
    return [shape for shape in shapes if id(shape) not in in_grid] if len(grid) >= _FEWEST_GRID_SHAPES else list(shapes)


def _box(shape: Shape) -> Box:
    return shape.x0, shape.y0, shape.x1, shape.y1


def _framed_by_rules(shapes: Sequence[Shape]) -> list[Box]:
    """Return boxes between two equally long rules when rules close both sides too."""
    flat = [shape for shape in shapes if shape.y1 - shape.y0 <= _RULE]
    upright = [shape for shape in shapes if shape.x1 - shape.x0 <= _RULE]
    if len(flat) < 2 or len(upright) < 2 or len(flat) * len(upright) > 2500:
        return []
    found: list[Box] = []
    for index, top in enumerate(flat):
        for bottom in flat[index + 1 :]:
            if abs(top.x0 - bottom.x0) > _SLACK or abs(top.x1 - bottom.x1) > _SLACK:
                continue
            box = (top.x0, min(top.y0, bottom.y0), top.x1, max(top.y1, bottom.y1))
            sides = [side for side in upright if side.y0 <= box[1] + 4 and side.y1 >= box[3] - 4]
            left = any(abs(side.x0 - box[0]) <= 4 for side in sides)
            right = any(abs(side.x1 - box[2]) <= 4 for side in sides)
            if left and right:
                found.append(box)
    return found


def _holds(box: Box, line: Line) -> bool:
    x0, y0, x1, y1 = line.box
    middle = (y0 + y1) / 2
    return box[0] - _SLACK <= x0 and x1 <= box[2] + _SLACK and box[1] - _SLACK <= middle <= box[3] + _SLACK


def _cuts(box: Box, line: Line) -> bool:
    """Return whether a box edge runs through a line's words: then it is no box around text."""
    x0, y0, x1, y1 = line.box
    middle = (y0 + y1) / 2
    if not box[1] < middle < box[3] or x1 <= box[0] or x0 >= box[2]:
        return False
    outside = max(box[0] - x0, 0) + max(x1 - box[2], 0)
    if outside > 0.15 * (x1 - x0) and outside > 6:
        return True
    # Text may poke over an edge by a third of its height, not stand half outside.
    return max(box[1] - line.top, line.bottom - box[3]) > 0.6 * line.size


def _starts_with_cells(held: Sequence[Line]) -> bool:
    """Return whether the first row of a box is two cells or more: a stripe or head of a table, no running text."""
    first = min(held, key=lambda line: line.baseline)
    row = sorted((line for line in held if line.baseline - first.baseline <= 2), key=lambda line: line.x0)
    gaps = [after.x0 - before.x1 for before, after in pairwise(row)]
    return bool(gaps) and max(gaps) > first.size and len(row[0].text) <= _CELL_LENGTH


def _is_full(box: Box, held: Sequence[Line], *, rectangle: bool) -> bool:
    """Return whether a box is filled by its text as boxed text is: an outline's lines share an edge or their middle."""
    if rectangle:
        return _filled(box, held) >= _LEAST_FILLED
    left = min(line.x0 for line in held)
    middle = (box[0] + box[2]) / 2
    aligned = sum(
        line.x0 - left < 1.5 * line.size or abs((line.x0 + line.x1) / 2 - middle) < line.size for line in held
    )
    return aligned >= _ALIGNED * len(held) and _filled(box, held) >= _LEAST_FILLED_OUTLINE


def _filled(box: Box, held: Sequence[Line]) -> float:
    area = (box[2] - box[0]) * (box[3] - box[1])
    return sum((line.box[2] - line.box[0]) * 1.2 * line.size for line in held) / area if area else 0.0


def _without_grids(boxes: list[Box]) -> list[Box]:
    """Leave out the cells and stripes of a table: three or more boxes of one width or height in touch."""
    in_grid: set[int] = set()
    for index, box in enumerate(boxes):
        touching = [
            other
            for other, near in enumerate(boxes)
            if other != index
            and _touch(box, near)
            and box[3] - box[1] < _CELL_HEIGHT
            and near[3] - near[1] < _CELL_HEIGHT
        ]
        if len(touching) >= 2:
            in_grid.update([index, *touching])
    return [box for index, box in enumerate(boxes) if index not in in_grid]


def _touch(one: Box, two: Box) -> bool:
    same_columns = abs(one[0] - two[0]) < 2 and abs(one[2] - two[2]) < 2
    same_rows = abs(one[1] - two[1]) < 2 and abs(one[3] - two[3]) < 2
    stacked = min(abs(one[3] - two[1]), abs(two[3] - one[1])) < 16
    abreast = min(abs(one[2] - two[0]), abs(two[2] - one[0])) < 3
    return (same_columns and stacked and not same_rows) or (same_rows and abreast and not same_columns)


def _outermost(boxes: list[Box]) -> list[Box]:
    largest_first = sorted(boxes, key=lambda box: -(box[2] - box[0]) * (box[3] - box[1]))
    kept: list[Box] = []
    for box in largest_first:
        if not any(_overlap(box, other) for other in kept):
            kept.append(box)
    return sorted(kept, key=lambda box: (box[1], box[0]))


def _overlap(one: Box, two: Box) -> bool:
    return one[0] < two[2] and two[0] < one[2] and one[1] < two[3] and two[1] < one[3]
