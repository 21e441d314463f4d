"""What stands on pages but belongs to none."""

import random

import pymupdf
import pytest

from .conftest import Draw, make_pdf, page_texts, write

_WORDS = [
    "hall",
    "door",
    "dust",
    "flag",
    "lamp",
    "stair",
    "chest",
    "stone",
    "water",
    "smoke",
    "candle",
    "bell",
    "honey",
    "wax",
    "bee",
    "goblin",
    "tomb",
    "key",
]


def _prose(number: int) -> list[str]:
    """Return two lines of text that no other page has."""
    words = random.Random(number).choices(_WORDS, k=16)
    return ["The " + " ".join(words[:8]), " ".join(words[8:]) + "."]


def _page(number: int, *, head: str = "", foot: str = "", heading: str = "", at: float = 306) -> Draw:
    def draw(page: pymupdf.Page) -> None:
        write(page, 60, 40, head, size=8)
        write(page, 60, 90, heading, size=18)
        write(page, 60, 130, *_prose(number))
        write(page, at, 770, foot, size=9)

    return draw


def test_running_heads_and_page_numbers_are_in_no_text():
    pages = page_texts(make_pdf(*(_page(n, head="The Old Hive", foot=str(n + 6)) for n in range(1, 5))))
    for number, page in enumerate(pages, 1):
        assert page.removed == ("The Old Hive", str(number + 6))
        assert "Hive" not in page.text


def test_a_page_number_never_becomes_an_area():
    pages = page_texts(make_pdf(*(_page(n, foot=f"{n}", at=60 if n % 2 else 540) for n in range(11, 14))))
    assert [page.removed for page in pages] == [("11",), ("12",), ("13",)]


def test_a_buyers_line_in_the_middle_of_every_page_is_removed():
    def draw(number: int) -> Draw:
        def inner(page: pymupdf.Page) -> None:
            _page(number)(page)
            write(page, 200, 400, "Sold to A. Buyer, order 48151623", size=10)

        return inner

    pages = page_texts(make_pdf(*(draw(n) for n in range(1, 4))))
    assert all(page.removed == ("Sold to A. Buyer, order 48151623",) for page in pages)


def test_level_headings_at_the_head_of_their_pages_are_kept():
    pages = page_texts(make_pdf(*(_page(n, heading=f"Level {n}") for n in range(1, 5))))
    assert [f"# Level {n}" in page.text for n, page in enumerate(pages, 1)] == [True] * 4


def test_a_short_line_that_entries_repeat_in_place_is_kept():
    def draw(number: int) -> Draw:
        def inner(page: pymupdf.Page) -> None:
            _page(number)(page)
            write(page, 60, 400, "Treasure", size=10, font="hebo")

        return inner

    pages = page_texts(make_pdf(*(draw(n) for n in range(1, 5))))
    assert all("Treasure" in page.text for page in pages)


def test_numbers_of_a_table_at_the_foot_of_a_page_are_kept():
    def draw(page: pymupdf.Page) -> None:
        write(page, 60, 130, *_prose(1))
        for row in range(3):
            write(page, 60, 730 + 14 * row, str(row + 1))
            write(page, 100, 730 + 14 * row, ["Sugar", "Salt", "Lamp"][row])

    (page,) = page_texts(make_pdf(draw))
    assert page.removed == ()


def test_a_section_name_set_small_over_its_own_page_is_a_running_head():
    pages = page_texts(make_pdf(_page(1), _page(2, head="The Lower Vault", heading="The Lower Vault")))
    assert pages[1].removed == ("The Lower Vault",)
    assert "# The Lower Vault" in pages[1].text


def test_rooms_that_begin_in_the_same_words_on_every_page_keep_them():
    def draw(number: int) -> Draw:
        first, second = _prose(number)
        return lambda page: write(
            page, 60, 130, f"1. Room {number}-1. A hall of stone with one door in it.", first, second
        )

    pages = page_texts(make_pdf(*(draw(n) for n in range(1, 5))))
    assert [page.removed for page in pages] == [()] * 4
    assert [page.text.startswith(f"1. Room {n}-1. A hall") for n, page in enumerate(pages, 1)] == [True] * 4


def test_a_buyers_line_over_two_rows_between_the_texts_is_removed_whole():
    def draw(number: int) -> Draw:
        def inner(page: pymupdf.Page) -> None:
            _page(number)(page)
            write(page, 200, 400, "Sold to A. Buyer of Riverside", "under the order 48151623 of May", size=10)

        return inner

    pages = page_texts(make_pdf(*(draw(n) for n in range(1, 4))))
    assert [len(page.removed) for page in pages] == [2, 2, 2]
    assert not any("Buyer" in page.text or "order" in page.text for page in pages)


@pytest.mark.parametrize(
    "sheets", [[(8, 1), (2, 7), (6, 3), (4, 5)], [(2, 3), (4, 5)]], ids=["folded into a booklet", "spreads"]
)
def test_both_page_numbers_of_a_sheet_of_two_pages_are_in_no_text(sheets: list[tuple[int, int]]):
    def draw(left: int, right: int) -> Draw:
        def inner(page: pymupdf.Page) -> None:
            for x, number in ((40, left), (436, right)):
                write(page, x, 80, f"Level {number}", size=16)
                write(page, x, 120, *_prose(number))
                write(page, x + 150, 590, str(number), size=9)

        return inner

    pages = page_texts(make_pdf(*(draw(*sheet) for sheet in sheets), width=792, height=612))
    assert [page.removed for page in pages] == [(str(left), str(right)) for left, right in sheets]
    for (left, right), page in zip(sheets, pages, strict=True):
        assert page.text.index(f"Level {left}") < page.text.index(_prose(left)[1]) < page.text.index(f"Level {right}")
