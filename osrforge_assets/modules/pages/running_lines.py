"""Running heads and feet, page numbers and watermark lines: what stands on pages but belongs to none. Pure.

A line is one of them if other pages have it too in the same place, or if it is a lone page number at a page's edge.
Numbers may differ from page to page only as the page numbers do, and a line in heading size is left where it first
stands: `Level 1`, `Level 2` at the head of their pages are headings, not running heads.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from osrforge_assets.modules.pages.edges import FEWEST_PAGES, SAME_PLACE, EdgePage, alone_at_edge, in_margin
from osrforge_assets.modules.pages.folios import page_numbers
from osrforge_assets.modules.pages.line import Line

# A watermark inside the text area has to be long and nearly everywhere, for entries may repeat a short line in place.
_WATERMARK_LENGTH = 16
_WATERMARK_SHARE = 0.5
_HEADING, _LARGE = 1.15, 1.3
_LEADING, _SAME_EDGE = 1.6, 2.0
_NO_LETTERS = re.compile(r"[\W\d_]+")
_DIGITS = re.compile(r"\d+")


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
    inside: list[list[tuple[int, int]]] = []
    for spots in groups.values():
        for cluster in _same_place(spots, pages) if len(spots) >= 2 else ():
            running = _running(cluster, pages)
            if all(in_margin(pages[place].lines[position], pages[place]) for place, position in cluster):
                _drop(running, drop)
            elif running:
                inside.append(running)
    for watermark in _alone(inside, pages, drop):
        _drop(watermark, drop)
    page_numbers(pages, drop)
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
        slots = ("head", int(box[1] // SAME_PLACE)), ("foot", int((page.height - box[3]) // SAME_PLACE))
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
    if abs(a[1] - b[1]) > SAME_PLACE and abs((first.height - a[3]) - (second.height - b[3])) > SAME_PLACE:
        return False
    mirrored = first.width - a[2], first.width - a[0]
    edges = ((a[0], b[0]), (a[2], b[2]), (a[0] + a[2], b[0] + b[2]), (mirrored[0], b[0]), (mirrored[1], b[2]))
    return any(abs(left - right) <= SAME_PLACE for left, right in edges)


def _drop(spots: Iterable[tuple[int, int]], drop: list[set[int]]) -> None:
    for place, position in spots:
        drop[place].add(position)


def _running(cluster: list[tuple[int, int]], pages: Sequence[EdgePage]) -> list[tuple[int, int]]:
    """Return those spots of a cluster that are a running line; none where it is printed text."""
    lines = [pages[place].lines[position] for place, position in cluster]
    marginal = all(in_margin(line, pages[place]) for line, (place, _) in zip(lines, cluster, strict=True))
    enough = len(cluster) >= FEWEST_PAGES or (marginal and len(cluster) == len(pages) == 2)
    if not enough:
        return []
    if not marginal:
        long = len(lines[0].text) >= _WATERMARK_LENGTH
        if not long or len(cluster) < _WATERMARK_SHARE * len(pages):
            return []
    numbers = [tuple(int(found) for found in _DIGITS.findall(line.text)) for line in lines]
    if not _count_pages(numbers, [pages[place].number for place, _ in cluster]):
        return []
    large = any(line.size > _HEADING * pages[place].body for line, (place, _) in zip(lines, cluster, strict=True))
    if large and len(set(numbers)) > 1 and any(char.isalpha() for char in lines[0].text):
        return []
    first = 1 if large and any(char.isalpha() for char in lines[0].text) else 0
    return cluster[first:]


def _alone(
    clusters: list[list[tuple[int, int]]], pages: Sequence[EdgePage], drop: Sequence[set[int]]
) -> list[list[tuple[int, int]]]:
    """Return the watermarks among lines that repeat inside the text area.

    A book that gives each room a page may begin or end every one of them in the same words: what goes on in its own type
    with a line that does not repeat is text, and so is what such a text goes on with.
    """
    while True:
        gone = [set(positions) for positions in drop]
        for cluster in clusters:
            _drop(cluster, gone)
        alone = [cluster for cluster in clusters if not _goes_on(cluster, pages, gone)]
        if len(alone) == len(clusters):
            return alone
        clusters = alone


def _goes_on(cluster: list[tuple[int, int]], pages: Sequence[EdgePage], gone: Sequence[set[int]]) -> bool:
    """Return whether on most of its pages a line is followed or preceded, in its own type, by one that stays."""
    going_on = sum(
        any(
            _is_next_line(pages[place].lines[position], other)
            for other_position, other in enumerate(pages[place].lines)
            if other_position not in gone[place]
        )
        for place, position in cluster
    )
    return 2 * going_on > len(cluster)


def _is_next_line(line: Line, other: Line) -> bool:
    return (
        0 < abs(line.baseline - other.baseline) <= _LEADING * line.size
        and abs(line.x0 - other.x0) <= _SAME_EDGE
        and abs(line.size - other.size) <= _SAME_EDGE / 10
        and (line.family, line.angle) == (other.family, other.angle)
    )


def _count_pages(numbers: list[tuple[int, ...]], pages: list[int]) -> bool:
    """Return whether each number of a line is the same on all pages or goes up as the pages do."""
    for column in zip(*numbers, strict=True):
        constant = len(set(column)) == 1
        in_step = len({value - page for value, page in zip(column, pages, strict=True)}) == 1
        # A buyer's order number is constant; "12 of 96" has one of each.
        if not constant and not in_step:
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
            small = line.size <= _HEADING * page.body and in_margin(line, page)
            if (
                small
                and _letters(line.text) in titles
                and in_margin(line, page)
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
            if in_margin(line, page) and _has_word(line) and alone_at_edge(line, page, drop[place]):
                drop[place].add(position)


def _slot(line: Line) -> tuple[int, float, str]:
    return round(line.box[1] / SAME_PLACE), round(line.size, 1), line.family


def _has_word(line: Line) -> bool:
    return any(char.isalpha() for char in line.text)


def _letters(text: str) -> str:
    return _NO_LETTERS.sub("", text.casefold())
