"""Page numbers: lone numbers at the edge of pages that go up with them. Pure."""

import re
from collections import defaultdict
from collections.abc import Sequence

from osrforge_assets.modules.pages.edges import FEWEST_PAGES, SAME_PLACE, EdgePage, alone_at_edge, in_margin

_PAGE_NUMBER = re.compile(
    r"[\W_]*(?:page|pag\.?|página|seite|p\.?|s\.)?[\W_]*(\d{1,4}|[ivxlc]{1,7})[\W_]*(?:(?:/|of|von|de)\s*\d+)?[\W_]*",
    re.IGNORECASE,
)


def page_numbers(pages: Sequence[EdgePage], drop: list[set[int]]) -> None:
    """Find lone numbers at the outer edge, wherever along it, that go up with the pages or name this very page."""
    found: list[tuple[int, int, int, bool]] = []
    for place, page in enumerate(pages):
        for position, line in enumerate(page.lines):
            number = _PAGE_NUMBER.fullmatch(line.text.strip())
            if number is None or not alone_at_edge(line, page, drop[place]):
                continue
            value = int(number[1]) if number[1].isdigit() else _roman(number[1])
            if value:
                found.append((place, position, value, in_margin(line, page)))
    for place, position in _sheet_numbers(found, pages):
        drop[place].add(position)
    offsets: defaultdict[int, dict[int, float]] = defaultdict(dict)
    for place, position, value, _ in found:
        offsets[value - pages[place].number][place] = pages[place].lines[position].box[1]
    for place, position, value, marginal in found:
        in_step = offsets[value - pages[place].number]
        level = sum(abs(height - pages[place].lines[position].box[1]) <= SAME_PLACE for height in in_step.values())
        # Away from the margin (a small type area on a large sheet) only three of them, level with each other, will do.
        if (marginal and (len(in_step) >= 2 or value == pages[place].number)) or level >= FEWEST_PAGES:
            drop[place].add(position)


def _sheet_numbers(found: Sequence[tuple[int, int, int, bool]], pages: Sequence[EdgePage]) -> list[tuple[int, int]]:
    """Return the numbers of sheets that hold two pages each: neighbours, or in a booklet of one sum on all sheets."""
    sheets: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for place, position, value, marginal in found:
        if marginal:
            sheets[place].append((position, value))
    pairs: dict[int, tuple[int, int]] = {}
    for place, numbers in sheets.items():
        if len(numbers) == 2:
            (one, first), (two, second) = numbers
            boxes = pages[place].lines[one].box, pages[place].lines[two].box
            if abs(boxes[0][1] - boxes[1][1]) <= SAME_PLACE:
                pairs[place] = (first, second)
    neighbours = all(abs(first - second) == 1 for first, second in pairs.values())
    if len(pairs) < 2 or not (neighbours or len({sum(pair) for pair in pairs.values()}) == 1):
        return []
    return [(place, position) for place in pairs for position, _ in sheets[place]]


def _roman(text: str) -> int:
    values = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}
    total = 0
    digits = [values[char] for char in text.casefold()]
    for value, after in zip(digits, [*digits[1:], 0], strict=True):
        total += -value if value < after else value
    return total
