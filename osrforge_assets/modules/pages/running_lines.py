"""Running heads and feet, page numbers and watermark lines: what stands on pages but belongs to none. Pure.

A line is one of them if other pages have it too in the same place, or if it is a lone page number at a page's edge.
Numbers may differ from page to page only as the page numbers do, and a line in heading size is left where it first
stands: `Level 1`, `Level 2` at the head of their pages are headings, not running heads.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from osrforge_assets.modules.pages.line import Line

# Heads and feet stand in the outer tenth of a page; a tenth and a half for small pages' wide margins.
_MARGIN = 0.13
_SAME_PLACE = 6.0
_FEWEST_PAGES = 3
# A watermark inside the text area has to be long and nearly everywhere, for entries may repeat a short line in place.
_WATERMARK_LENGTH = 16
_WATERMARK_SHARE = 0.5
_HEADING, _LARGE = 1.15, 1.3
# Folios keep at least half a line from the text.
_EDGE_SPACE = 0.5
_NO_LETTERS = re.compile(r"[\W\d_]+")
_DIGITS = re.compile(r"\d+")
_PAGE_NUMBER = re.compile(
    r"[\W_]*(?:page|pag\.?|página|seite|p\.?|s\.)?[\W_]*(\d{1,4}|[ivxlc]{1,7})[\W_]*(?:(?:/|of|von|de)\s*\d+)?[\W_]*",
    re.IGNORECASE,
)


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


def running_lines(pages: Sequence[EdgePage], title: str) -> list[set[int]]:
    """Return, for each page, the positions in `lines` of those that are no part of its text.

    Args:
        pages: In ascending order.
        title: The document's title, "" if it has none.
    """
    drop: list[set[int]] = [set() for _ in pages]
    groups: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    for place, page in enumerate(pages):
        for position, line in enumerate(page.lines):
            groups[_DIGITS.sub("#", " ".join(line.text.casefold().split()))].append((place, position))
    for spots in groups.values():
        if len(spots) >= 2:
            for cluster in _same_place(spots, pages):
                _judge(cluster, pages, drop)
    _page_numbers(pages, drop)
    _titles(pages, title, drop)
    _slots(pages, drop)
    return drop


def _same_place(spots: list[tuple[int, int]], pages: Sequence[EdgePage]) -> list[list[tuple[int, int]]]:
    """Group spots by height on the page, and by left or right edge or middle, since pages mirror each other."""
    clusters: list[list[tuple[int, int]]] = []
    places: list[set[int]] = []
    # Only clusters about as far from the head or from the foot can match: ten thousand lines of numbers on a sheet were
    # a minute's work without this.
    near: defaultdict[tuple[str, int], list[int]] = defaultdict(list)
    for spot in spots:
        page, box = pages[spot[0]], pages[spot[0]].lines[spot[1]].box
        slots = ("head", int(box[1] // _SAME_PLACE)), ("foot", int((page.height - box[3]) // _SAME_PLACE))
        candidates = {number for edge, slot in slots for step in (-1, 0, 1) for number in near[edge, slot + step]}
        for number in sorted(candidates):
            if spot[0] not in places[number] and _is_same_place(spot, clusters[number][0], pages):
                clusters[number].append(spot)
                places[number].add(spot[0])
                break
        else:
            for slot in slots:
                near[slot].append(len(clusters))
            clusters.append([spot])
            places.append({spot[0]})
    return clusters


def _is_same_place(one: tuple[int, int], two: tuple[int, int], pages: Sequence[EdgePage]) -> bool:
    first, second = pages[one[0]], pages[two[0]]
    a, b = first.lines[one[1]].box, second.lines[two[1]].box
    if abs(a[1] - b[1]) > _SAME_PLACE and abs((first.height - a[3]) - (second.height - b[3])) > _SAME_PLACE:
        return False
    mirrored = first.width - a[2], first.width - a[0]
    edges = ((a[0], b[0]), (a[2], b[2]), (a[0] + a[2], b[0] + b[2]), (mirrored[0], b[0]), (mirrored[1], b[2]))
    return any(abs(left - right) <= _SAME_PLACE for left, right in edges)


def _judge(cluster: list[tuple[int, int]], pages: Sequence[EdgePage], drop: list[set[int]]) -> None:
    lines = [pages[place].lines[position] for place, position in cluster]
    in_margin = all(_in_margin(line, pages[place]) for line, (place, _) in zip(lines, cluster, strict=True))
    enough = len(cluster) >= _FEWEST_PAGES or (in_margin and len(cluster) == len(pages) == 2)
    if not enough:
        return
    if not in_margin:
        long = len(lines[0].text) >= _WATERMARK_LENGTH
        if not long or len(cluster) < _WATERMARK_SHARE * len(pages):
            return
    numbers = [tuple(int(found) for found in _DIGITS.findall(line.text)) for line in lines]
    if not _count_pages(numbers, [pages[place].number for place, _ in cluster]):
        return
    large = any(line.size > _HEADING * pages[place].body for line, (place, _) in zip(lines, cluster, strict=True))
    if large and len(set(numbers)) > 1 and any(char.isalpha() for char in lines[0].text):
        return
    first = 1 if large and any(char.isalpha() for char in lines[0].text) else 0
    for place, position in cluster[first:]:
        drop[place].add(position)


def _count_pages(numbers: list[tuple[int, ...]], pages: list[int]) -> bool:
    """Return whether each number of a line is the same on all pages or goes up as the pages do."""
    for column in zip(*numbers, strict=True):
        constant = len(set(column)) == 1
        in_step = len({value - page for value, page in zip(column, pages, strict=True)}) == 1
        # A buyer's order number is constant; "12 of 96" has one of each.
        if not constant and not in_step:
            return False
    return True


def _in_margin(line: Line, page: EdgePage) -> bool:
    x, y = line.center
    return min(y, page.height - y) <= _MARGIN * page.height or (
        line.angle != 0 and min(x, page.width - x) <= _MARGIN * page.width
    )


def _page_numbers(pages: Sequence[EdgePage], drop: list[set[int]]) -> None:
    """Find lone numbers at the outer edge, wherever along it, that go up with the pages or name this very page."""
    found: list[tuple[int, int, int, bool]] = []
    for place, page in enumerate(pages):
        for position, line in enumerate(page.lines):
            number = _PAGE_NUMBER.fullmatch(line.text.strip())
            if number is None or not _alone_at_edge(line, page, drop[place]):
                continue
            value = int(number[1]) if number[1].isdigit() else _roman(number[1])
            if value:
                found.append((place, position, value, _in_margin(line, page)))
    offsets: defaultdict[int, dict[int, float]] = defaultdict(dict)
    for place, position, value, _ in found:
        offsets[value - pages[place].number][place] = pages[place].lines[position].box[1]
    for place, position, value, in_margin in found:
        in_step = offsets[value - pages[place].number]
        level = sum(abs(height - pages[place].lines[position].box[1]) <= _SAME_PLACE for height in in_step.values())
        # Away from the margin (a small type area on a large sheet) only three of them, level with each other, will do.
        if (in_margin and (len(in_step) >= 2 or value == pages[place].number)) or level >= _FEWEST_PAGES:
            drop[place].add(position)


def _alone_at_edge(line: Line, page: EdgePage, dropped: set[int]) -> bool:
    """Return whether a line is the page's first or last, with nothing beside it and some space to the text."""
    x0, y0, x1, y1 = line.box
    at_top = line.center[1] < page.height / 2
    space = _EDGE_SPACE * page.body
    for position, other in enumerate(page.lines):
        if other is line or position in dropped or not any(char.isalnum() for char in other.text):
            continue
        clear = other.box[1] >= y1 + space if at_top else other.box[3] <= y0 - space
        beside = other.box[1] < y1 and other.box[3] > y0 and (other.box[0] > x1 + 60 or other.box[2] < x0 - 60)
        if not clear and not (beside and _in_margin(other, page)):
            return False
    return True


def _outermost(line: Line, page: EdgePage, dropped: set[int]) -> bool:
    """Return whether nothing but running lines and lone words stands between a line and the nearer edge."""
    at_top = line.center[1] < page.height / 2
    for position, other in enumerate(page.lines):
        if other is line or position in dropped or " " not in other.text.strip():
            continue
        beyond = other.box[3] <= line.box[1] + 2 if at_top else other.box[1] >= line.box[3] - 2
        beside = other.box[1] < line.box[3] - 2 and other.box[3] > line.box[1] + 2
        near = other.box[0] < line.box[2] + 40 and other.box[2] > line.box[0] - 40
        if beyond or (beside and near):
            return False
    return True


def _titles(pages: Sequence[EdgePage], title: str, drop: list[set[int]]) -> None:
    """Find titles set small at the edge of a page: the document's, or of the section, which a heading bears too."""
    titles: set[str] = set()
    for place, page in enumerate(pages):
        if place == 1:
            # On the first page the document's title is its title.
            titles |= {_letters(title)} - {""}
        headings = {_letters(line.text) for line in page.lines if line.size > _LARGE * page.body}
        titles |= {heading for heading in headings if len(heading) > 3}
        for position, line in enumerate(page.lines):
            small = line.size <= _HEADING * page.body and _in_margin(line, page)
            if (
                small
                and _letters(line.text) in titles
                and _in_margin(line, page)
                and _outermost(line, page, drop[place])
            ):
                drop[place].add(position)


def _slots(pages: Sequence[EdgePage], drop: list[set[int]]) -> None:
    """Find further lines where other pages have their running heads: same height and type, whatever they say."""
    slots: Counter[tuple[int, float, str]] = Counter()
    for place, page in enumerate(pages):
        slots.update({_slot(page.lines[position]) for position in drop[place] if _has_word(page.lines[position])})
    for place, page in enumerate(pages):
        for position, line in enumerate(page.lines):
            if position in drop[place] or line.size > _HEADING * page.body or slots[_slot(line)] < 2:
                continue
            if _in_margin(line, page) and _has_word(line) and _alone_at_edge(line, page, drop[place]):
                drop[place].add(position)


def _slot(line: Line) -> tuple[int, float, str]:
    return round(line.box[1] / _SAME_PLACE), round(line.size, 1), line.family


def _has_word(line: Line) -> bool:
    return any(char.isalpha() for char in line.text)


def _letters(text: str) -> str:
    return _NO_LETTERS.sub("", text.casefold())


def _roman(text: str) -> int:
    values = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}
    total = 0
    digits = [values[char] for char in text.casefold()]
    for value, after in zip(digits, [*digits[1:], 0], strict=True):
        total += -value if value < after else value
    return total
