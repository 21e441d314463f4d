"""Which hyphen at a line end is the word's."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from osrforge_assets.modules.pages.hyphens import joined, keeps_hyphen

_WORD = st.text(alphabet="abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=9)


def test_a_hyphen_of_the_line_goes():
    assert joined("a heap of trea-", "sure lies here", Counter()) == "a heap of treasure lies here"


def test_a_hyphen_of_the_word_stays():
    assert joined("the half-", "orc waits", Counter()) == "the half-orc waits"


def test_the_form_that_occurs_elsewhere_in_the_document_is_the_one_meant():
    assert joined("an iron-", "bound chest", Counter({"iron-bound": 1})) == "an iron-bound chest"
    assert joined("a long-", "house", Counter({"longhouse": 1, "house": 4})) == "a longhouse"


def test_a_first_part_of_compounds_keeps_its_hyphen_only_before_a_word():
    assert keeps_hyphen("stone", "carved", Counter({"carved": 1}))
    assert not keeps_hyphen("man", "ner", Counter())


def test_numbers_abbreviations_and_names_keep_their_hyphen():
    assert joined("AC 2-", "5 in armour", Counter()) == "AC 2-5 in armour"
    assert joined("Saint-", "Amberel", Counter()) == "Saint-Amberel"
    assert joined("the NPC-", "list", Counter()) == "the NPC-list"


def test_a_soft_hyphen_always_goes_and_a_dash_always_stays():
    assert joined("trea\u00ad", "sure", Counter()) == "treasure"
    assert joined("the door –", "locked", Counter()) == "the door – locked"
    assert joined("rolls of 1–", "4 on", Counter()) == "rolls of 1–4 on"


@given(_WORD, _WORD, _WORD, _WORD)
def test_no_letter_is_lost_or_added_whatever_is_joined(a: str, b: str, c: str, d: str):
    result = joined(f"{a} {b}-", f"{c} {d}", Counter())
    assert result.replace("-", "").replace(" ", "") == a + b + c + d
    assert result.startswith(f"{a} {b}")
    assert result.endswith(f"{c} {d}")
