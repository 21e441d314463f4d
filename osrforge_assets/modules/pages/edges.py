"""The edges of a page: what stands in its margin, and what stands there alone. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from osrforge_assets.modules.pages.line import Line

# Heads and feet stand in the outer tenth of a page; a tenth and a half for small pages' wide margins.
_MARGIN = 0.13
# Folios keep at least half a line from the text.
_EDGE_SPACE = 0.5
SAME_PLACE = 6.0
FEWEST_PAGES = 3


@dataclass(frozen=True, slots=True)
class EdgePage:
    """What of a page decides about its running lines.

    Attributes:
        number: 1-based page number in the source.
        width: Points.
        height: Points.
        lines: Its lines.
        body: Size of its body text.
    """

    number: int
    width: float
    height: float
    lines: Sequence[Line]
    body: float


def in_margin(line: Line, page: EdgePage) -> bool:
    """Return whether a line stands in the margin of its page."""
    x, y = line.center
    return min(y, page.height - y) <= _MARGIN * page.height or (
        line.angle != 0 and min(x, page.width - x) <= _MARGIN * page.width
    )


def alone_at_edge(line: Line, page: EdgePage, dropped: set[int]) -> bool:
    """Return whether a line is the page's first or last, with nothing beside it and some space to the text."""
    x0, y0, x1, y1 = line.box
    at_top = line.center[1] < page.height / 2
    space = _EDGE_SPACE * page.body
    for position, other in enumerate(page.lines):
        if other is line or position in dropped or not any(char.isalnum() for char in other.text):
            continue
        clear = other.box[1] >= y1 + space if at_top else other.box[3] <= y0 - space
        beside = other.box[1] < y1 and other.box[3] > y0 and (other.box[0] > x1 + 60 or other.box[2] < x0 - 60)
        if not clear and not (beside and in_margin(other, page)):
            return False
    return True
