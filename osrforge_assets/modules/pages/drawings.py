"""The drawn part of a page: shapes that may be boxes or rules, regions that are drawings, images. In a reading process."""

from collections import Counter
from typing import Any

from osrforge_assets.modules.pages.raw_page import Box, Shape

# Shapes smaller than a short line of text are parts of drawings; thinner than a stroke they may be rules.
_SHAPE_WIDTH, _SHAPE_HEIGHT, _RULE_THICKNESS = 40.0, 8.0, 3.0
# Pages with more large shapes than this are drawings, not boxes; 300 keeps a page's record under 20 KB.
_MOST_SHAPES = 300
_CELL = 24.0
# Rooms of a drawn map count in dozens of strokes; a bar with four lines or a boxed number does not make a drawing.
_DRAWING_STROKES = 12
_PAGE_SHARE = 0.5
_WHITE = 0xFFFFFF
_MOST_CELLS = 40_000
_VECTOR = 3


def vector_shapes(content: dict[str, Any], width: float, height: float) -> tuple[tuple[Shape, ...], tuple[Box, ...]]:
    """Return the large shapes of a page that can be seen, and the boxes around its drawings.

    Args:
        content: The library's text page with vectors, as a dict.
        width: Page width in points.
        height: Page height in points.
    """
    vectors = [block for block in content["blocks"] if block["type"] == _VECTOR and block["alpha"]]
    shapes: list[Shape] = []
    small: list[Box] = []
    most = _PAGE_SHARE * width * height
    for vector in vectors:
        x0, y0, x1, y1 = vector["bbox"]
        wide, high = x1 - x0, y1 - y0
        if wide * high <= most:
            small.append((x0, y0, x1, y1))
        is_box = wide >= _SHAPE_WIDTH and high >= _SHAPE_HEIGHT
        is_rule = (wide >= _SHAPE_WIDTH and high <= _RULE_THICKNESS) or (high >= 20 and wide <= _RULE_THICKNESS)
        if (is_box or is_rule) and len(shapes) < _MOST_SHAPES:
            edges = (round(x0, 1), round(y0, 1), round(x1, 1), round(y1, 1))
            shape = Shape(*edges, vector["isrect"], vector["stroked"], vector["color"])
            if shape not in shapes[-4:]:
                shapes.append(shape)
    return tuple(_visible(shapes)), tuple(_regions(small, width, height))


def image_boxes(pymupdf: Any, display: Any) -> tuple[Box, ...]:
    """Return the boxes of a page's images, in drawing order."""
    text_page = pymupdf.TextPage(display.get_textpage(pymupdf.TEXT_PRESERVE_IMAGES | pymupdf.TEXT_MEDIABOX_CLIP))
    boxes = [tuple(round(value, 1) for value in image["bbox"]) for image in text_page.extractIMGINFO()]
    return tuple(box for box in boxes if len(box) == 4)[:_MOST_SHAPES]


def _visible(shapes: list[Shape]) -> list[Shape]:
    """Leave out fills in the colour of what they lie on, such as white boxes on a white page."""
    seen: list[Shape] = []
    for shape in shapes:
        if not shape.stroked:
            below = next(
                (other.color for other in reversed(seen) if not other.stroked and _holds(other, shape)), _WHITE
            )
            if below == shape.color:
                continue
        seen.append(shape)
    return seen


def _holds(outer: Shape, inner: Shape) -> bool:
    return (
        outer.x0 <= inner.x0 + 1 and outer.y0 <= inner.y0 + 1 and outer.x1 >= inner.x1 - 1 and outer.y1 >= inner.y1 - 1
    )


def _regions(boxes: list[Box], width: float, height: float) -> list[Box]:
    """Return the boxes around groups of strokes that touch the same or neighbouring cells of a grid."""
    if len(boxes) < _DRAWING_STROKES:
        return []
    columns, rows = int(width / _CELL) + 1, int(height / _CELL) + 1
    if columns * rows > _MOST_CELLS:
        return []
    strokes: Counter[tuple[int, int]] = Counter()
    most = max(columns * rows // 10, 4)
    for (left, top, right, bottom), count in Counter(
        [(int(x0 / _CELL), int(y0 / _CELL), int(x1 / _CELL), int(y1 / _CELL)) for x0, y0, x1, y1 in boxes]
    ).items():
        # A shape over a tenth of the page's cells outlines something; its strokes inside tell where the drawing is.
        if (right - left + 1) * (bottom - top + 1) <= most:
            for column in range(max(left, 0), min(right, columns - 1) + 1):
                for row in range(max(top, 0), min(bottom, rows - 1) + 1):
                    strokes[column, row] += count
    return _group_cells(strokes)


def _group_cells(strokes: Counter[tuple[int, int]]) -> list[Box]:
    regions: list[Box] = []
    left_over = set(strokes)
    while left_over:
        group = [left_over.pop()]
        for column, row in group:
            for near in ((column + i, row + j) for i in (-1, 0, 1) for j in (-1, 0, 1)):
                if near in left_over:
                    left_over.remove(near)
                    group.append(near)
        if sum(strokes[cell] for cell in group) >= _DRAWING_STROKES:
            columns = [column for column, _ in group]
            rows = [row for _, row in group]
            regions.append(
                (min(columns) * _CELL, min(rows) * _CELL, (max(columns) + 1) * _CELL, (max(rows) + 1) * _CELL)
            )
    return regions
