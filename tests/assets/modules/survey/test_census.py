"""Where survey and census differ, both are kept; where they agree, nothing is said."""

import pytest

from osrforge_assets.modules.survey.census import find_disputes
from tests.assets.modules.samples import area, census, dungeon, level

CRYPT = dungeon(level(area("1"), area("2"), area("4a")), level(area("1"), area("9"), number=2), name="The Crypt")
CRYPT_COUNTED = census("The Crypt", (1, "1", "4a"), (2, "1", "9"))


def _disputes(surveyed, counted) -> list[tuple[str, str, str]]:
    return [(dispute.subject, dispute.survey, dispute.census) for dispute in find_disputes(surveyed, counted)]


def test_two_readings_that_agree_dispute_nothing():
    assert _disputes([CRYPT], [CRYPT_COUNTED]) == []
    assert _disputes([], []) == []


def test_another_number_of_dungeons_is_disputed_by_name():
    tower = census("Tower", (1, "1", "3"))
    assert _disputes([CRYPT], [CRYPT_COUNTED, tower]) == [("dungeons", "The Crypt", "The Crypt; Tower")]
    assert _disputes([], [tower]) == [("dungeons", "none", "Tower")]
    assert _disputes([CRYPT], []) == [("dungeons", "The Crypt", "none")]


def test_another_set_of_levels_is_disputed_and_the_common_ones_are_still_compared():
    counted = census("The Crypt", (1, "1", "5"), (3, "1", "9"))
    assert _disputes([CRYPT], [counted]) == [
        ("levels of the-crypt", "1, 2", "1, 3"),
        ("keys of the-crypt level 1", "1 to 4a", "1 to 5"),
    ]


@pytest.mark.parametrize(("first", "last"), [("2", "4a"), ("1", "4"), ("1", "4b"), ("1", "24a"), ("", "4a")])
def test_another_first_or_last_key_is_disputed(first: str, last: str):
    counted = census("The Crypt", (1, first, last), (2, "1", "9"))
    assert _disputes([CRYPT], [counted]) == [("keys of the-crypt level 1", "1 to 4a", f"{first} to {last}")]


@pytest.mark.parametrize("last", ["4a", "4A", "Area 4a", "Room 4a", "4a. Deep Bin", "Deep Bin", "4a "])
def test_a_key_is_the_same_in_every_way_it_may_be_printed(last: str):
    surveyed = dungeon(level(area("1"), area("4a", name="Deep Bin")))
    assert _disputes([surveyed], [census("The Crypt", (1, "1", last))]) == []


def test_a_key_with_a_word_in_the_survey_is_the_bare_one_in_the_census():
    surveyed = dungeon(level(area("Area 1"), area("Area 7")))
    assert _disputes([surveyed], [census("The Crypt", (1, "1", "7"))]) == []


def test_an_article_or_another_case_is_no_other_name():
    assert _disputes([CRYPT], [census("CRYPT", (1, "1", "4a"), (2, "1", "9"))]) == []


def test_alike_names_are_compared_further_and_the_name_itself_is_disputed():
    counted = census("The Crypts", (1, "1", "3"), (2, "1", "9"))
    assert _disputes([CRYPT], [counted]) == [
        ("name of the-crypt", "The Crypt", "The Crypts"),
        ("keys of the-crypt level 1", "1 to 4a", "1 to 3"),
    ]


def test_two_single_dungeons_under_unlike_names_are_still_compared():
    assert _disputes([CRYPT], [census("Barrow", (1, "1", "3"), (2, "1", "9"))]) == [
        ("dungeons", "The Crypt", "Barrow"),
        ("keys of the-crypt level 1", "1 to 4a", "1 to 3"),
    ]


def test_a_name_that_two_others_resemble_is_matched_with_neither():
    surveyed = [dungeon(level(area("1")), name="Cavern of Doom", id="cavern-of-doom")]
    counted = [census("Caverns of Doom", (1, "1", "5")), census("Cavern of Dooms", (1, "1", "6"))]
    assert [subject for subject, _, _ in _disputes(surveyed, counted)] == ["dungeons"]


def test_a_part_of_a_name_is_not_the_name():
    surveyed = [
        dungeon(level(area("1")), name="Goblin Lair", id="goblin-lair"),
        dungeon(level(area("1")), name="Goblin Lair of the Red Chief", id="goblin-lair-of-the-red-chief"),
    ]
    counted = [census("Goblin Lair of the Red Chief", (1, "1", "1")), census("Goblin Lair", (1, "1", "1"))]
    assert _disputes(surveyed, counted) == []
    assert _disputes(surveyed, counted[1:])[0][0] == "dungeons"


def test_two_dungeons_of_one_name_are_compared_in_order():
    surveyed = [
        dungeon(level(area("1")), name="Cave", id="cave"),
        dungeon(level(area("2")), name="Cave", id="cave-2"),
    ]
    assert _disputes(surveyed, [census("Cave", (1, "1", "1")), census("Cave", (1, "2", "2"))]) == []


def test_levels_are_laid_side_by_side_after_the_same_renumbering():
    surveyed = dungeon(level(area("1")), level(area("2"), number=2))
    assert _disputes([surveyed], [census("The Crypt", (1, "1", "1"), (1, "2", "2"))]) == []
    assert _disputes([surveyed], [census("The Crypt", (0, "1", "1"), (-1, "2", "2"))]) == []
