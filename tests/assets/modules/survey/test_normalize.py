"""From answers to canonical dungeons, levels and areas; every change is said."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osrforge_assets.contracts.flags import Flag, FlagCode
from osrforge_assets.contracts.survey import SurveyDungeon
from osrforge_assets.modules.survey.normalize import level_numbers, normalized_dungeons
from tests.assets.modules.survey.answers import a_dungeon, a_level, an_area, parsed

PAGES = range(1, 11)


def _normalized(*dungeons: dict[str, object]) -> tuple[tuple[SurveyDungeon, ...], tuple[Flag, ...]]:
    return normalized_dungeons(parsed(*dungeons).dungeons, PAGES)


def _codes(flags: tuple[Flag, ...]) -> list[str]:
    return [flag.code.value for flag in flags]


def test_a_clean_answer_is_taken_over_without_a_flag():
    dungeons, flags = _normalized(
        a_dungeon("The Crypt", a_level(1, an_area("1", 3, name="Stair"), an_area("4a", 5), map_pages=[4]))
    )
    (dungeon,) = dungeons
    assert (dungeon.id, dungeon.name, dungeon.levels[0].map_pages) == ("the-crypt", "The Crypt", (4,))
    first, second = dungeon.levels[0].areas
    assert (first.key, first.name, first.source_label, first.source_pages) == ("1", "Stair", "1", (3,))
    assert (second.key, second.source_label) == ("4a", "4a")
    assert flags == ()


@pytest.mark.parametrize(
    ("printed", "key"),
    [("4a", "4a"), ("12b", "12b"), ("A1", "a1"), ("3-B", "3-b"), ("01.03", "01-03"), ("Area 7", "area-7")],
)
def test_the_printed_key_is_kept_beside_the_canonical_one(printed: str, key: str):
    ((dungeon,), flags) = _normalized(a_dungeon("Crypt", a_level(1, an_area(printed, 1))))
    (area,) = dungeon.levels[0].areas
    assert (area.source_label, area.key, flags) == (printed, key, ())


def test_an_area_with_a_name_only_is_keyed_by_its_name():
    ((dungeon,), flags) = _normalized(a_dungeon("Isle", a_level(1, an_area("", 1, name="The Harbour"))))
    (area,) = dungeon.levels[0].areas
    assert (area.key, area.source_label, area.name, flags) == ("the-harbour", "The Harbour", "The Harbour", ())


def test_a_printed_5_2_is_never_renamed_because_another_5_was_bumped():
    ((dungeon,), flags) = _normalized(
        a_dungeon("Crypt", a_level(1, an_area("5", 1), an_area("5", 2), an_area("5-2", 3)))
    )
    assert [(area.key, area.source_label) for area in dungeon.levels[0].areas] == [
        ("5", "5"),
        ("5-3", "5"),
        ("5-2", "5-2"),
    ]
    (flag,) = flags
    assert (flag.code, flag.key) == (FlagCode.KEY_RENAMED, "5-3")
    assert '"5"' in flag.message


def test_the_same_key_on_two_levels_is_renamed_on_neither():
    ((dungeon,), flags) = _normalized(a_dungeon("Crypt", a_level(1, an_area("1", 1)), a_level(2, an_area("1", 2))))
    assert [level.areas[0].key for level in dungeon.levels] == ["1", "1"]
    assert flags == ()


def test_two_dungeons_of_one_name_get_ids_of_their_own():
    dungeons, flags = _normalized(
        a_dungeon("Cave", a_level(1, an_area("1", 1))), a_dungeon("Cave!", a_level(1, an_area("1", 2)))
    )
    assert [(dungeon.id, dungeon.name) for dungeon in dungeons] == [("cave", "Cave"), ("cave-2", "Cave!")]
    assert _codes(flags) == ["name_renamed"]


def test_names_without_a_latin_letter_get_an_id_and_keep_their_name():
    dungeons, flags = _normalized(a_dungeon("Склеп", a_level(1, an_area("Зал", 1), an_area("Зал", 1))))
    assert (dungeons[0].id, dungeons[0].name) == ("dungeon", "Склеп")
    assert [area.key for area in dungeons[0].levels[0].areas] == ["area", "area-2"]
    assert flags == ()


@pytest.mark.parametrize(
    ("answered", "expected"),
    [
        ([1, 2, 3], [1, 2, 3]),
        ([3, 1], [3, 1]),
        ([1, 1], [1, 2]),
        ([1, 1, 2], [1, 3, 2]),
        ([0, 1], [2, 1]),
        ([-1, 0], [1, 2]),
        ([2, 0], [2, 3]),
        ([999, 999], [999, 1]),
        ([1000, 10**300], [1, 2]),
        ([], []),
    ],
)
def test_levels_get_good_numbers_and_the_first_bearer_of_one_keeps_it(answered: list[int], expected: list[int]):
    assert level_numbers(answered) == expected


@given(st.lists(st.integers(-3, 12), max_size=12))
def test_level_numbers_are_positive_and_distinct(answered: list[int]):
    numbers = level_numbers(answered)
    assert len(set(numbers)) == len(answered)
    assert all(number >= 1 for number in numbers)
    assert all(numbers[answered.index(number)] == number for number in set(answered) if number >= 1)


def test_two_levels_of_one_number_are_renumbered_and_not_merged():
    ((dungeon,), flags) = _normalized(a_dungeon("Crypt", a_level(1, an_area("1", 1)), a_level(1, an_area("1", 2))))
    assert [(level.number, level.areas[0].source_pages) for level in dungeon.levels] == [(1, (1,)), (2, (2,))]
    assert _codes(flags) == ["level_renumbered"]


def test_level_zero_is_renumbered_and_its_message_says_what_was_answered():
    ((dungeon,), flags) = _normalized(a_dungeon("Crypt", a_level(0, an_area("1", 1))))
    assert dungeon.levels[0].number == 1
    assert flags[0].code is FlagCode.LEVEL_RENUMBERED
    assert "0" in flags[0].message


def test_page_lists_ascend_without_repeats_and_hold_pages_of_the_source_only():
    ((dungeon,), flags) = _normalized(
        a_dungeon("Crypt", a_level(1, an_area("1", 5, 3, 3, 11, 0, -2), map_pages=[9, 99]))
    )
    assert dungeon.levels[0].areas[0].source_pages == (3, 5)
    assert dungeon.levels[0].map_pages == (9,)
    assert [(flag.code, flag.key) for flag in flags] == [
        (FlagCode.PAGES_DROPPED, None),
        (FlagCode.PAGES_DROPPED, "1"),
    ]
    assert "99" in flags[0].message
    assert "-2, 0, 11" in flags[1].message


def test_an_area_without_a_page_is_kept_and_flagged():
    ((dungeon,), flags) = _normalized(a_dungeon("Crypt", a_level(1, an_area("1"), an_area("2", 77))))
    assert [area.source_pages for area in dungeon.levels[0].areas] == [(), ()]
    assert [(flag.code.value, flag.key) for flag in flags] == [
        ("area_without_pages", "1"),
        ("pages_dropped", "2"),
        ("area_without_pages", "2"),
    ]


def test_a_level_without_areas_is_left_out_and_said_to_be():
    ((dungeon,), flags) = _normalized(a_dungeon("Crypt", a_level(1, map_pages=[3]), a_level(2, an_area("1", 1))))
    assert [level.number for level in dungeon.levels] == [2]
    assert _codes(flags) == ["level_empty"]
    assert 'level 1 of "Crypt"' in flags[0].message.lower().replace("crypt", "Crypt")


def test_a_dungeon_without_areas_is_no_dungeon_and_takes_no_id():
    dungeons, flags = _normalized(a_dungeon("Cave", a_level(1)), a_dungeon("Cave", a_level(1, an_area("1", 1))))
    assert [dungeon.id for dungeon in dungeons] == ["cave"]
    assert _codes(flags) == ["level_empty"]


def test_an_area_with_neither_key_nor_name_is_left_out_and_counted():
    ((dungeon,), flags) = _normalized(a_dungeon("Crypt", a_level(1, an_area(" ", 1), an_area("1", 1), an_area("", 2))))
    assert [area.key for area in dungeon.levels[0].areas] == ["1"]
    assert _codes(flags) == ["area_unnamed"]
    assert flags[0].message.startswith("2 area(s)")


def test_printed_words_lose_line_breaks_and_control_characters_and_nothing_else():
    ((dungeon,), _) = _normalized(
        a_dungeon(" The\nCrypt\x00 of  Älva ", a_level(1, an_area("4\ta", 1, name="  Old\nWell")))
    )
    assert dungeon.name == "The Crypt of Älva"
    assert (dungeon.levels[0].areas[0].source_label, dungeon.levels[0].areas[0].name) == ("4 a", "Old Well")


def test_more_levels_than_there_are_numbers_are_left_out_and_said_to_be():
    ((dungeon,), flags) = _normalized(a_dungeon("Crypt", *(a_level(1, an_area("1", 1)) for _ in range(1_005))))
    assert len(dungeon.levels) == 999
    assert flags[0].code is FlagCode.LEVEL_EMPTY


NUMBERS = st.one_of(st.integers(-2, 12), st.just(1e300))
AREAS = st.builds(
    lambda key, name, cited: an_area(key, *cited, name=name),
    st.text(alphabet="12aé-. \n\x00", max_size=4),
    st.text(max_size=4),
    st.lists(NUMBERS, max_size=3),
)
LEVELS = st.builds(
    lambda number, areas, maps: a_level(number, *areas, map_pages=maps),
    NUMBERS,
    st.lists(AREAS, max_size=4),
    st.lists(NUMBERS, max_size=2),
)
DUNGEONS = st.builds(lambda name, levels: a_dungeon(name, *levels), st.text(max_size=4), st.lists(LEVELS, max_size=4))


@given(st.lists(DUNGEONS, max_size=4))
def test_whatever_is_answered_becomes_canonical(answered: list[dict[str, object]]):
    dungeons, _ = _normalized(*answered)
    assert len({dungeon.id for dungeon in dungeons}) == len(dungeons)
    for dungeon in dungeons:
        assert len({level.number for level in dungeon.levels}) == len(dungeon.levels) > 0
        for level in dungeon.levels:
            keys = [area.key for area in level.areas]
            assert len(set(keys)) == len(keys) > 0
            for found in (level.map_pages, *(area.source_pages for area in level.areas)):
                assert list(found) == sorted(set(found) & set(PAGES))
