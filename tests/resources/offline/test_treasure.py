"""Treasure phrases: what is worth something is named with its worth."""

import pytest

from osrforge_resources.offline.treasure import find_treasure

WORTHS = [
    ("The statue's eyes are worth 50 gp each.", "The statue's eyes are worth 50 gp each"),
    ("On the altar stands a candlestick of silver; it is worth 15 gp.", "a candlestick of silver, worth 15 gp"),
    ("There are 3 pelts. They are worth 5 gp each.", "3 pelts, worth 5 gp each"),
    ("A mirror hangs here. Worth 15 gp.", "A mirror, Worth 15 gp"),
    ("A silver ring worth 15 gp lies in the dust.", "A silver ring worth 15 gp lies in the dust"),
]


@pytest.mark.parametrize(("text", "item"), WORTHS)
def test_a_worth_is_given_with_what_it_is_the_worth_of(text: str, item: str):
    assert find_treasure(text) == [item]


def test_a_thing_named_before_its_worth_is_one_item_and_its_hiding_place_is_none():
    assert find_treasure("A ruby necklace, hidden under the bed, is worth 500 gp.") == ["A ruby necklace, worth 500 gp"]


def test_two_things_with_a_worth_each_stay_two():
    text = "The altar cloth is worth 40 gp and the candlesticks are worth 15 gp each."
    assert find_treasure(text) == ["The altar cloth is worth 40 gp", "the candlesticks are worth 15 gp each"]


def test_a_worth_whose_noun_nobody_can_tell_is_still_kept():
    assert find_treasure("Worth 15 gp.") == ["Worth 15 gp"]
