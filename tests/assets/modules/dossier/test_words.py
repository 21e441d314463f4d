"""What a look-up sees of a text, and when two words are one word in singular and plural."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from osrforge_assets.modules.dossier.word_forms import word_forms
from osrforge_assets.modules.dossier.words import read_words


@pytest.mark.parametrize("text", ["1200 sp", "1,200 sp", "1.200 sp", "1 200 sp", "1\u202f200 SP", "**1,200** sp"])
def test_a_number_is_the_same_however_its_thousands_are_set(text: str):
    assert read_words(text).words == ("1200", "sp")


@pytest.mark.parametrize("text", ["120 sp", "12,00 sp", "1,20,0 sp", "200 sp"])
def test_another_number_stays_another_number(text: str):
    assert read_words(text).words != ("1200", "sp")


def test_a_sign_belongs_to_a_number_but_a_range_and_dice_have_none():
    assert read_words("sword +1, AC −2, 1d6+1 of 3–5").words == (
        *("sword", "+1", "ac", "-2"),
        *("1", "d", "6", "1", "of", "3", "5"),
    )


@pytest.mark.parametrize(
    ("printed", "plain"),
    [
        ("ﬁre ﬂies", "fire flies"),
        ("Wenna’s ‘pantry’", "Wennas pantry"),
        ("half-orc", "half orc"),
        ("trea\u00adsure", "treasure"),
        ("**G**oblin", "goblin"),
        (r"a \*star\* and \#5", "a star and 5"),
        ("> boxed | cell |", "boxed cell"),
        ("Ladrón Über", "ladron uber"),
        ("STRASSE", "straße"),
    ],
)
def test_how_a_text_is_set_makes_no_difference(printed: str, plain: str):
    assert read_words(printed).words == read_words(plain).words


def test_sentences_paragraphs_and_table_cells_start_anew():
    words = read_words("One two. Three\nfour\n\nfive | six 1.5 seven")
    assert [words.words[at] for at in sorted(words.starts)] == ["one", "three", "five", "six"]


@pytest.mark.parametrize(
    ("singular", "plural"),
    [
        *[("wolf", "wolves"), ("thief", "thieves"), ("knife", "knives"), ("witch", "witches"), ("mouse", "mice")],
        *[("dormouse", "dormice"), ("man", "men"), ("lizardman", "lizardmen"), ("mummy", "mummies")],
        *[("zombie", "zombies"), ("ogre", "ogres"), ("axe", "axes"), ("cyclops", "cyclopses"), ("fungus", "fungi")],
        *[("larva", "larvae"), ("djinni", "djinn"), ("ox", "oxen"), ("princess", "princesses"), ("ghoul", "ghouls")],
        *[("esqueleto", "esqueletos"), ("ladron", "ladrones"), ("lombriz", "lombrices"), ("cheval", "chevaux")],
    ],
)
def test_singular_and_plural_meet(singular: str, plural: str):
    assert word_forms(singular) & word_forms(plural)


@pytest.mark.parametrize(
    ("one", "other"), [("rat", "rates"), ("prince", "princess"), ("rat", "bat"), ("ga", "gas"), ("orc", "ogre")]
)
def test_different_creatures_do_not_meet(one: str, other: str):
    assert not word_forms(one) & word_forms(other)


@settings(deadline=None)
@given(st.text())
def test_any_text_can_be_read_and_reading_its_words_again_changes_nothing(text: str):
    words = read_words(text).words
    assert all(word and not word.isspace() for word in words)
    assert read_words(" x ".join(words)).words == tuple(word for pair in words for word in (pair, "x"))[:-1]
