"""Which pages show a level's map, as far as text can tell."""

from collections.abc import Callable
from typing import Any

Answer = dict[str, Any]

WORDS = "A {n}0' x 20' chamber of damp stone with a door in the north wall; dust lies on the floor and nobody comes."


def level(number: int, *keys: int) -> str:
    entries = "\n\n".join(f"### {key}. Guard room\n\n{WORDS.format(n=key)}" for key in keys)
    return f"## Level {number}\n\n{entries}"


def map_pages(answer: Answer) -> dict[int, list[int]]:
    return {found["number"]: found["map_pages"] for one in answer["dungeons"] for found in one["levels"]}


COVER = "# The Sunken Keep\n\nA keep has sunk into the bog, and those who went to look for it have not come back."


def test_a_page_headed_map_before_a_levels_pages_shows_it(survey: Callable[..., Answer]):
    assert map_pages(survey(COVER, "# Map\n\nDoor", level(1, 1, 2, 3)))[1] == [2]


def test_a_page_without_words_between_two_pages_of_a_level_is_its_map(survey: Callable[..., Answer]):
    texts = [COVER, level(1, 1, 2, 3), "", level(1, 4, 5, 6).split("\n\n", 1)[1]]
    assert map_pages(survey(*texts))[1] == [3]


def test_a_page_of_words_is_no_map_wherever_it_stands(survey: Callable[..., Answer]):
    talk = "The bog is wide, and the folk of the village tell of lights that walk on it by night. " * 3
    assert map_pages(survey(COVER, talk, level(1, 1, 2, 3), talk))[1] == []


def test_a_page_of_maps_that_names_levels_shows_those_alone(survey: Callable[..., Answer]):
    maps = "# Map of level 2\n\nScale 1:100"
    assert map_pages(survey(COVER, maps, level(1, 1, 2, 3), level(2, 1, 2, 3))) == {1: [], 2: [2]}


def test_a_map_far_from_a_levels_pages_is_not_its_map(survey: Callable[..., Answer]):
    talk = "The bog is wide, and the folk of the village tell of lights that walk on it by night. " * 3
    assert map_pages(survey(COVER, "# Map\n\nDoor", talk, level(1, 1, 2, 3)))[1] == []
