"""Book text and map disagree: said, and neither is chosen."""

import pytest

from osrforge_assets.contracts.flags import FlagCode
from osrforge_assets.modules.dossier.building import all_flags
from tests.assets.modules.dossier.small_module import SmallModule, area, surveyed

MAP = FlagCode.MAP_DISAGREES


def _said(module: SmallModule) -> list[tuple[int | None, str | None, str]]:
    return [(flag.page, flag.key, flag.message) for flag in all_flags(module.build()) if flag.code is MAP]


def _one_level(*keys: str) -> SmallModule:
    module = SmallModule(surveyed={1: tuple(surveyed(key) for key in keys)})
    return module.answer(1, *(area(key) for key in keys))


def test_a_map_and_a_text_of_the_same_keys_are_no_doubt():
    module = _one_level("1", "2", "3", "4a", "4b")
    module.labels = {2: ("3", "N", "S", "1", "4a", "2", "4b")}
    assert _said(module) == []


def test_a_key_that_only_the_map_shows_is_told_with_its_page_and_makes_no_area():
    module = _one_level("1", "2", "3")
    module.labels = {2: ("2", "3", "1", "12", "4")}
    assert _said(module) == [(2, None, "The map of page 2 shows 4, 12, which the text describes nowhere.")]
    assert [area.key for area in module.build().dungeons[0].levels[0].areas] == ["1", "2", "3"]


def test_an_area_that_no_map_shows_is_told_and_kept():
    module = _one_level("1", "2", "3", "4")
    module.labels = {2: ("1", "2", "3")}
    assert _said(module) == [(None, "4", "No drawn map shows area 4.")]


@pytest.mark.parametrize(
    "labels", [("50", "100"), ("51", "52", "53"), ("1", "2", "N")], ids=["a scale", "another map", "two keys"]
)
def test_a_picture_with_other_numbers_is_no_map_of_these_areas(labels: tuple[str, ...]):
    module = _one_level("1", "2", "3", "4", "5", "6")
    module.labels = {2: labels}
    assert _said(module) == []


def test_a_detail_of_the_map_says_nothing_of_the_areas_beside_it():
    module = _one_level("1", "2", "3", "4", "5", "6", "7", "8")
    module.labels = {2: ("1", "2", "3")}
    assert _said(module) == []


def test_on_which_of_two_levels_an_area_should_be_drawn_is_not_guessed():
    module = SmallModule()
    module.labels = {2: ("1", "2", "3")}
    assert [key for _, key, _ in _said(module)] == [None]
