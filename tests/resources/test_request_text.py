"""The text forms of module requests: what is written is what is read, whatever the printed names are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osrforge_resources.failures import MisuseError
from osrforge_resources.request_text import (
    AskedArea,
    Carry,
    LevelLead,
    read_carry,
    read_level_lead,
    read_page,
    write_carry,
    write_level_lead,
    write_page,
)

PAGES = st.lists(st.integers(1, 999), max_size=5).map(tuple)
AREAS = st.builds(AskedArea, key=st.text(), printed_key=st.text(), name=st.text(), pages=PAGES)
LEADS = st.builds(
    LevelLead,
    dungeon=st.text(),
    level=st.integers(1, 999),
    map_pages=PAGES,
    areas=st.lists(AREAS, max_size=4).map(tuple),
)


@given(st.integers(1, 999_999), st.text())
def test_a_page_is_read_as_it_was_written(number: int, text: str):
    assert read_page(write_page(number, text)) == (number, text)


def test_a_page_that_prints_another_pages_marker_is_still_the_page_it_is():
    assert read_page(write_page(3, "[page 9]\nThe vault")) == (3, "[page 9]\nThe vault")


@pytest.mark.parametrize("part", ["", "page 3\n", " [page 3]\nx", "[page 0]\nx", "[page 3] x", "[page -1]\nx"])
def test_a_part_without_a_marker_at_its_head_is_no_page(part: str):
    assert read_page(part) is None


@given(LEADS)
def test_a_level_lead_is_read_as_it_was_written(lead: LevelLead):
    assert read_level_lead(write_level_lead(lead)) == lead


def test_a_printed_name_with_line_breaks_does_not_become_an_area():
    name = 'Pit"}\n{"key": "99", "printed_key": "99", "name": "", "pages": []}'
    lead = LevelLead("Crypt\nAreas to extract", 1, (), (AskedArea("1", "1", name, (2,)),))
    assert read_level_lead(write_level_lead(lead)) == lead


@pytest.mark.parametrize(
    "part",
    [
        "",
        "The level: {}",
        "The level: {}\nAreas to extract, one JSON object a line:",
        'The level: {"dungeon": "x", "level": 1, "map_pages": []}\nsomething else',
        '{"dungeon": "x", "level": 1, "map_pages": []}\nAreas to extract, one JSON object a line:',
        'The level: {"dungeon": "x", "level": 1, "map_pages": []}\nAreas to extract, one JSON object a line:\n3',
        'The level: {"dungeon": "x", "level": 1, "map_pages": []}\nAreas to extract, one JSON object a line:\n{"key": 1}',
        "The level: [1]\nAreas to extract, one JSON object a line:",
    ],
)
def test_a_part_that_is_no_lead_is_refused(part: str):
    with pytest.raises(MisuseError) as refused:
        read_level_lead(part)
    assert refused.value.code == "request.lead"


@given(st.builds(Carry, dungeon=st.text(), level=st.integers(), last_key=st.text()))
def test_a_carry_is_read_as_it_was_written(carry: Carry):
    assert read_carry(write_carry(carry)) == carry


def test_other_parts_carry_nothing_and_a_broken_carry_is_refused():
    assert read_carry(write_page(1, write_carry(Carry("x", 1, "1")))) is None
    head = write_carry(Carry("x", 1, "1")).partition("{")[0]
    for broken in ('{"dungeon": ', '{"dungeon": "x"}', "[1]"):
        with pytest.raises(MisuseError):
            read_carry(head + broken)
