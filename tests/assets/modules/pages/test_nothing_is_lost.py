"""Whatever a page looks like, reading it neither fails nor loses nor doubles a word."""

import re
from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from osrforge_assets.modules.pages.raw_page import RawLine, RawPage, RawSpan, Shape, raw_page_from_json
from osrforge_assets.modules.pages.reading_order import document_text

_PLACES = st.floats(-50, 900).map(lambda value: round(value, 1))
_GRID = st.integers(0, 40).map(lambda step: 20.0 * step)
_SIZES = st.sampled_from([0.5, 6.0, 9.0, 10.0, 10.0, 10.0, 12.0, 18.0, 40.0])
_LEADS = st.sampled_from(["", "", "", "1. ", "2. ", "12 ", "d6 ", "• ", "- ", "# ", "> ", "4a. ", "Level 2 "])
_TAILS = st.sampled_from(["", "", ".", ",", "-", ":", " . . . . . . 7"])
_DIRECTIONS = st.sampled_from([(1.0, 0.0)] * 8 + [(0.0, 1.0), (0.0, -1.0), (0.7, 0.7), (-1.0, 0.0)])


@st.composite
def _lines(draw: st.DrawFn) -> tuple[RawLine, ...]:
    lines = []
    for index in range(draw(st.integers(0, 25))):
        words = " ".join(f"w{chr(97 + index)}{chr(97 + word)}q" for word in range(draw(st.integers(1, 8))))
        text = draw(_LEADS) + words + draw(_TAILS)
        size, (dx, dy) = draw(_SIZES), draw(_DIRECTIONS)
        x, y = draw(st.one_of(_PLACES, _GRID)), draw(st.one_of(_PLACES, _GRID))
        length = len(text) * 0.5 * size
        start = x * dx + y * dy
        bold, family = draw(st.booleans()), draw(st.sampled_from("ab"))
        span = RawSpan(text, size, bold, italic=False, visible=True, start=start, end=start + length, font=family)
        box = (
            min(x, x + dx * length),
            min(y - size, y + dy * length),
            max(x + 1, x + dx * length),
            max(y, y + dy * length),
        )
        baseline = round(-x * dy + y * dx, 2)
        lines.append(RawLine(dx, dy, box[0], box[1], box[2], box[3], baseline, index // 3, (span,)))
    return tuple(lines)


@st.composite
def _pages(draw: st.DrawFn) -> RawPage:
    boxes = st.tuples(_GRID, _GRID, _GRID, _GRID).map(
        lambda b: (min(b[0], b[2]), min(b[1], b[3]), max(b[0], b[2]) + 1, max(b[1], b[3]) + 1)
    )
    shapes = st.builds(
        lambda box, rectangle, stroked: Shape(box[0], box[1], box[2], box[3], rectangle, stroked, 0),
        boxes,
        st.booleans(),
        st.booleans(),
    )
    return RawPage(
        width=850.0,
        height=850.0,
        turned=0,
        scaled_down=False,
        lines=draw(_lines()),
        shapes=tuple(draw(st.lists(shapes, max_size=8))),
        drawings=tuple(draw(st.lists(boxes, max_size=2))),
        images=tuple(draw(st.lists(boxes, max_size=3))),
    )


def _words(text: str) -> Counter[str]:
    # A hyphen at a line end may join two words; each is told by its letters all the same.
    return Counter(re.findall(r"w[a-z][a-z]q", text))


@given(st.lists(_pages(), min_size=1, max_size=3))
@settings(max_examples=250)
def test_every_word_on_a_page_is_in_its_text_labels_or_removed_lines_once(pages: list[RawPage]):
    results = document_text(list(enumerate(pages, 1)), "")
    for page, result in zip(pages, results, strict=True):
        printed: Counter[str] = Counter()
        for line in page.lines:
            x, y = (line.x0 + line.x1) / 2, (line.y0 + line.y1) / 2
            if 0 <= x <= page.width and 0 <= y <= page.height:
                printed += _words(line.spans[0].text)
        assert _words(" ".join([result.text, *result.labels, *result.removed])) == printed


@given(st.lists(_pages(), min_size=1, max_size=3))
@settings(max_examples=50)
def test_reading_the_same_pages_again_gives_the_same_text(pages: list[RawPage]):
    numbered = list(enumerate(pages, 1))
    assert document_text(numbered, "t") == document_text(numbered, "t")


@given(_pages())
def test_a_page_survives_being_kept_as_a_record(page: RawPage):
    assert raw_page_from_json(page.to_json()) == page
