"""Level partition keys: module, dungeon and number, and back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osrforge_assets.modules.level_keys import MAX_LEVEL_NUMBER, level_partition, levels_of, split_level_partition
from osrforge_resources.failures import InvalidKeyError
from osrforge_resources.keys import MAX_SLUG_LENGTH, checked_key, slug

SLUGS = st.text(min_size=1).map(slug).filter(bool)


@given(SLUGS, SLUGS, st.integers(1, MAX_LEVEL_NUMBER))
def test_a_level_key_is_taken_apart_as_it_was_put_together(module: str, dungeon: str, number: int):
    key = level_partition(module, dungeon, number)
    assert checked_key(key) == f"{module}--{dungeon}--{number}"
    assert split_level_partition(key) == (module, dungeon, number)


def test_the_longest_slugs_still_make_a_partition_key():
    longest = "a" * MAX_SLUG_LENGTH
    assert split_level_partition(level_partition(f"{longest}-99999", longest, 999))[2] == 999


@pytest.mark.parametrize(
    "parts",
    [("a--b", "c", 1), ("a", "b--c", 1), ("", "b", 1), ("a", "", 1), ("a", "b", 0), ("a", "b", -1), ("a", "b", 1000)],
)
def test_parts_that_are_no_slugs_or_levels_make_no_key(parts: tuple[str, str, int]):
    with pytest.raises(InvalidKeyError):
        level_partition(*parts)


@pytest.mark.parametrize("key", ["a", "a--b", "a--b--c", "a--b--0", "a--b--01", "a--b--1000", "a--b--c--1", "../a", ""])
def test_other_keys_are_no_levels(key: str):
    with pytest.raises(InvalidKeyError):
        split_level_partition(key)


def test_a_modules_levels_come_by_dungeon_and_then_by_number():
    keys = [
        "crypt--vault--10",
        "crypt-2--vault--1",
        "crypt--vault--2",
        "crypt--attic--3",
        "crypt",
        "not a key",
        "crypt--x",
    ]
    assert levels_of("crypt", keys) == ["crypt--attic--3", "crypt--vault--2", "crypt--vault--10"]
    assert levels_of("cry", keys) == []
