"""How printed names become keys, and what is not a key."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osrforge_resources.failures import InvalidKeyError
from osrforge_resources.keys import KEY_PATTERN, MAX_SLUG_LENGTH, checked_key, slug, unique_slugs

LABELS = st.text(alphabet="12345-a .", max_size=6)


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        ("5", "5"),
        ("4a", "4a"),
        ("4 A", "4-a"),
        ("01.03", "01-03"),
        ("4–6", "4-6"),
        ("Area 7", "area-7"),
        ("Wenna's pantry", "wennas-pantry"),
        ("Wenna’s pantry", "wennas-pantry"),
        ("Wenna´s pantry", "wennas-pantry"),
        ("Alfonsé", "alfonse"),
        ("Große Höhle", "grosse-hohle"),
        ("Łódź Æther Øre", "lodz-aether-ore"),
        ("ÆTHER", "aether"),
        ("ＲＯＯＭ ９", "room-9"),
        ("ℌall Ⅳ", "hall-iv"),
        ("İstanbul", "istanbul"),
        ("", ""),
        ("…", ""),
        ("пещера", ""),
    ],
)
def test_a_printed_name_becomes_a_slug(printed: str, expected: str):
    assert slug(printed) == expected


@given(st.text())
def test_a_slug_is_empty_or_a_key_and_its_own_slug(text: str):
    made = slug(text)
    assert made == "" or (KEY_PATTERN.fullmatch(made) and "--" not in made and len(made) <= MAX_SLUG_LENGTH)
    assert slug(made) == made


def test_a_printed_5_2_keeps_its_key_although_another_5_is_bumped():
    assert unique_slugs(["5", "5", "5-2"], fallback="area") == ["5", "5-3", "5-2"]
    assert unique_slugs(["5-2", "5", "5"], fallback="area") == ["5-2", "5", "5-3"]


def test_names_without_a_latin_letter_get_numbered_fallbacks():
    assert unique_slugs(["пещера", "зал", ""], fallback="area") == ["area", "area-2", "area-3"]


@given(st.lists(LABELS, max_size=30))
def test_unique_slugs_are_distinct_and_the_first_bearer_keeps_its_own(labels: list[str]):
    made = unique_slugs(labels, fallback="area")
    assert len(set(made)) == len(labels)
    own = [slug(label) or "area" for label in labels]
    assert all(made[own.index(name)] == name for name in set(own))


@given(st.lists(LABELS, min_size=1, max_size=12), LABELS)
def test_a_name_appended_at_the_end_with_a_slug_of_its_own_renames_nothing(labels: list[str], extra: str):
    before = unique_slugs(labels, fallback="area")
    after = unique_slugs([*labels, extra], fallback="area")
    if (slug(extra) or "area") not in before:
        assert after[:-1] == before


def test_long_names_that_differ_at_the_end_stay_apart_and_within_the_limit():
    made = unique_slugs(["x" * 90 + "a", "x" * 90 + "b"], fallback="area")
    assert made == ["x" * 80, "x" * 78 + "-2"]


def test_ten_thousand_bearers_of_one_name_are_told_apart():
    made = unique_slugs(["5"] * 10_000, fallback="area")
    assert made[:3] == ["5", "5-2", "5-3"]
    assert made[-1] == "5-10000"


@pytest.mark.parametrize("key", ["a", "the-crypt", "the-crypt--lower-vault--2", "a" * 200])
def test_keys_within_the_grammar_pass(key: str):
    assert checked_key(key) == key


@pytest.mark.parametrize(
    "key", ["", "../x", "a\tb", "a,b", "a" * 201, "A", "-a", "a-", "a---b", "a/b", "a\n", "é", "a.b", "--", None, 3]
)
def test_keys_outside_the_grammar_are_refused(key):
    with pytest.raises(InvalidKeyError) as refused:
        checked_key(key)
    assert refused.value.code == "key.invalid"
    assert isinstance(refused.value, ValueError)
