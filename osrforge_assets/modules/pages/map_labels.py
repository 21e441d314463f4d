"""Loose keys drawn into a map or picture: labels of the drawing, not text. Pure.

Only a bare key counts (`7`, `4a`, `B12`, a letter): labels with words say something and stay in the text.
"""

import re
from collections import Counter
from collections.abc import Sequence

from osrforge_assets.modules.pages.line import Line
from osrforge_assets.modules.pages.raw_page import Box

_KEY = re.compile(r"[#(\[]?(?:[A-Za-z]{0,2}[.\-]?\d{1,3}[a-z]?(?:[.\-–/]\d{1,3})?|[A-Z]|[IVX]{1,5}|[?*†])[.)\]:]?")
_NEAR = 1.5
# Keys of a drawing without strokes (a raster the file does not even hold as an image) are scattered: not in one column.
_FEWEST_SCATTERED = 4
_TABLE_SHARE = 0.6


def map_labels(lines: Sequence[Line], drawings: Sequence[Box], images: Sequence[Box], page_area: float) -> list[int]:
    """Return the positions of lines that are labels, in reading order (rows from the top, left to right).

    Args:
        lines: The lines of the page.
        drawings: Boxes around drawn regions.
        images: Boxes of images.
        page_area: Square points; an image that covers the page is a background, not a picture.
    """
    pictures = [box for box in images if 3600 < _area(box) < 0.9 * page_area]
    found: list[int] = []
    in_table = _in_rows_and_columns(lines)
    for position, line in enumerate(lines):
        if position in in_table:
            continue
        tokens = line.text.split()
        if not all(_KEY.fullmatch(token) for token in tokens) or _heads_text(line, lines):
            continue
        inside = any(_holds(box, line) for box in [*drawings, *pictures])
        if inside and not _has_neighbour(line, lines):
            found.append(position)
    if not found:
        found = _scattered(lines)
    return sorted(found, key=lambda position: (round(lines[position].center[1] / 8), lines[position].center[0]))


def _in_rows_and_columns(lines: Sequence[Line]) -> set[int]:
    """Return the keys that stand in the rows and columns of a table: level with two others and under or over two."""
    keys = [position for position, line in enumerate(lines) if _KEY.fullmatch(line.text)]
    rows = Counter(round(lines[position].baseline / 2) for position in keys)
    columns = Counter(round((lines[position].x0 + lines[position].x1) / 4) for position in keys)
    found = {
        position
        for position in keys
        if rows[round(lines[position].baseline / 2)] >= 3
        and columns[round((lines[position].x0 + lines[position].x1) / 4)] >= 3
    }
    # Rooms of a map on a grid stand level too, but only some of them.
    return found if len(found) >= _TABLE_SHARE * len(keys) else set()


def _scattered(lines: Sequence[Line]) -> list[int]:
    alone = [
        position
        for position, line in enumerate(lines)
        if _KEY.fullmatch(line.text) and not _has_neighbour(line, lines) and not _heads_text(line, lines)
    ]
    columns = {round(lines[position].x0 / 12) for position in alone}
    rows = {round(lines[position].baseline / 12) for position in alone}
    return alone if min(len(columns), len(rows)) >= _FEWEST_SCATTERED else []


def _heads_text(line: Line, lines: Sequence[Line]) -> bool:
    """Return whether a key stands over a text like a heading: large or bold, text below that starts near it."""
    for other in lines:
        gap = other.top - line.bottom
        if gap + 2 >= 0 and gap <= 3 * line.size and other.angle == line.angle and len(other.text) > 30:
            centered = abs((other.x0 + other.x1) - (line.x0 + line.x1)) / 2 < 3 * line.size and other.width > 100
            aligned = abs(other.x0 - line.x0) < 2 * line.size
            if centered or (aligned and (line.size >= other.size or line.all_bold)):
                return True
    return False


def _has_neighbour(line: Line, lines: Sequence[Line]) -> bool:
    """Return whether words stand beside a key on its line, as after the number of a list entry."""
    for other in lines:
        if other is line or other.angle != line.angle or abs(other.baseline - line.baseline) > 0.4 * line.size:
            continue
        gap = max(other.x0 - line.x1, line.x0 - other.x1)
        if gap < _NEAR * max(line.size, other.size) and not _KEY.fullmatch(other.text):
            return True
    return False


def _holds(box: Box, line: Line) -> bool:
    x, y = line.center
    return box[0] <= x <= box[2] and box[1] <= y <= box[3]


def _area(box: Box) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])
