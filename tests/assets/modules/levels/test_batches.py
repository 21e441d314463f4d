"""How areas are shared out over requests."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osrforge_assets.contracts.survey import SurveyLevel
from osrforge_assets.modules.levels.batches import plan_batches
from osrforge_assets.modules.page_windows import page_windows
from tests.assets.modules.samples import area, level

PAGE_SETS = st.sets(st.integers(1, 60), max_size=25)
SIZES = st.integers(2, 9)


@st.composite
def levels(draw: st.DrawFn) -> SurveyLevel:
    cited = draw(st.lists(st.sets(st.integers(1, 30), max_size=4), min_size=1, max_size=15))
    areas = [area(str(number), *sorted(pages)) for number, pages in enumerate(cited, start=1)]
    return level(*areas, map_pages=draw(st.sets(st.integers(1, 35), max_size=3)))


@pytest.mark.parametrize(
    ("pages", "size", "expected"),
    [
        ([], 3, []),
        ([7], 3, [(7,)]),
        ([1, 2], 2, [(1, 2)]),
        ([1, 2, 3], 2, [(1, 2), (2, 3)]),
        ([1, 2, 3], 3, [(1, 2, 3)]),
        ([1, 2, 3, 4], 3, [(1, 2, 3), (3, 4)]),
        ([1, 2, 3, 4, 5], 3, [(1, 2, 3), (3, 4, 5)]),
        ([40, 3, 3, 9, 12], 3, [(3, 9, 12), (12, 40)]),
    ],
)
def test_windows_slide_over_the_sorted_distinct_pages(pages: list[int], size: int, expected: list[tuple[int, ...]]):
    assert page_windows(pages, size) == expected


@given(PAGE_SETS, SIZES)
def test_every_page_is_in_a_window_and_neighbours_share_exactly_one(pages: set[int], size: int):
    windows = page_windows(pages, size)
    assert {page for window in windows for page in window} == pages
    for first, second in itertools.pairwise(windows):
        assert len(first) == size
        assert set(first) & set(second) == {first[-1]} == {second[0]}
    assert all(len(window) <= size for window in windows)
    assert all(len(window) > 1 for window in windows[1:])


@pytest.mark.parametrize("size", [1, 0, -3])
def test_a_window_below_two_pages_is_a_value_error(size: int):
    with pytest.raises(ValueError, match="overlap"):
        page_windows([1, 2, 3], size)
    with pytest.raises(ValueError, match="overlap"):
        plan_batches(level(area("1", 1)), size)
    with pytest.raises(ValueError, match="overlap"):
        plan_batches(level(area("1")), size)


@given(levels(), SIZES)
def test_each_area_with_pages_is_in_the_earliest_window_that_contains_its_first_page(one: SurveyLevel, size: int):
    windows = page_windows((page for found in one.areas for page in found.source_pages), size)
    owner = {found.key: batch for batch in plan_batches(one, size) for found in batch.areas}
    for found in one.areas:
        if found.source_pages:
            earliest = next(window for window in windows if found.source_pages[0] in window)
            assert owner[found.key].pages == earliest


@given(levels(), SIZES)
def test_each_area_is_in_exactly_one_batch_and_batches_keep_printed_order(one: SurveyLevel, size: int):
    batches = plan_batches(one, size)
    keys = [found.key for batch in batches for found in batch.areas]
    has_pages = bool(one.map_pages) or any(found.source_pages for found in one.areas)
    assert sorted(keys) == (sorted(found.key for found in one.areas) if has_pages else [])
    printed = [found.key for found in one.areas]
    for batch in batches:
        positions = [printed.index(found.key) for found in batch.areas]
        assert positions == sorted(positions)
    assert [batch.number for batch in batches] == list(range(1, len(batches) + 1))


@given(levels(), SIZES)
def test_map_pages_ride_on_every_batch_and_no_page_twice(one: SurveyLevel, size: int):
    for batch in plan_batches(one, size):
        assert batch.map_pages == tuple(sorted(one.map_pages))
        assert set(batch.part_pages) == {*batch.pages, *batch.tail_pages, *one.map_pages}
        assert len(batch.part_pages) == len(set(batch.part_pages))
        assert batch.part_pages[: len(batch.map_pages)] == batch.map_pages


@given(levels(), SIZES)
def test_no_batch_is_empty_and_no_request_grows_beyond_twenty_pages_and_its_maps(one: SurveyLevel, size: int):
    for batch in plan_batches(one, size):
        assert batch.areas
        assert len(batch.pages) + len(batch.tail_pages) <= 20


def test_a_window_that_owns_no_area_is_dropped():
    one = level(area("1", 1, 2, 3), area("2", 3, 4, 5))
    assert [(batch.number, batch.pages) for batch in plan_batches(one, 3)] == [(1, (1, 2, 3))]


def test_areas_without_pages_are_on_the_last_batch_in_printed_order():
    one = level(area("1"), area("2", 1, 5), area("3", 6), area("4"), area("5", 6))
    assert [[found.key for found in batch.areas] for batch in plan_batches(one, 2)] == [["2"], ["1", "3", "4", "5"]]


def test_areas_without_pages_never_revive_a_window_that_was_dropped():
    one = level(area("1", 1, 2, 3), area("2"))
    assert [(batch.pages, len(batch.areas)) for batch in plan_batches(one, 2)] == [((1, 2), 2)]


def test_a_level_with_map_pages_only_is_one_batch_over_its_maps():
    batches = plan_batches(level(area("1"), area("2"), map_pages=(4,)), 3)
    assert [(batch.pages, batch.part_pages, len(batch.areas)) for batch in batches] == [((), (4,), 2)]


def test_a_level_with_neither_area_pages_nor_maps_needs_no_call():
    assert plan_batches(level(area("1"), area("2")), 3) == ()


def test_a_text_that_ends_on_the_shared_page_is_whole_in_the_window_that_owns_it():
    batches = plan_batches(level(area("1", 1), area("2", 2, 3), area("3", 4)), 3)
    assert [(batch.pages, batch.tail_pages) for batch in batches] == [((1, 2, 3), ()), ((3, 4), ())]


def test_pages_of_an_area_beyond_twenty_are_left_to_a_flag_but_a_wide_window_may_double():
    (batch,) = plan_batches(level(area("1", *range(1, 60))), 4)
    assert batch.part_pages == tuple(range(1, 21))
    (batch,) = plan_batches(level(area("1", *range(1, 60))), 20)
    assert batch.part_pages == tuple(range(1, 41))


def test_a_text_that_begins_on_the_shared_page_and_runs_on_is_whole_too():
    batches = plan_batches(level(area("1", 1), area("2", 3, 4), area("3", 5), map_pages=(2, 4)), 3)
    assert [(batch.pages, batch.part_pages) for batch in batches] == [
        ((1, 3, 4), (2, 4, 1, 3)),
        ((4, 5), (2, 4, 5)),
    ]
    batches = plan_batches(level(area("1", 1, 2), area("2", 3, 4), area("3", 5), map_pages=(9, 4)), 3)
    assert [(batch.pages, batch.tail_pages, batch.part_pages) for batch in batches] == [
        ((1, 2, 3), (4,), (4, 9, 1, 2, 3)),
        ((3, 4, 5), (), (4, 9, 3, 5)),
    ]
