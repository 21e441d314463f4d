"""What becomes of damaged and odd characters."""

import unicodedata
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from osrforge_assets.modules.pages.letters import UNMAPPED, clean, glyph_readings, with_readings


def test_ligatures_are_spelled_out():
    assert clean("the ﬁrst ﬂame, o\ufb03cers") == "the first flame, officers"


def test_control_characters_and_invisible_marks_go_and_odd_spaces_become_plain():
    assert clean("a\x00b\u200bc\u00a0d\u2003e") == "abc d e"


def test_a_lone_surrogate_becomes_a_replacement_character():
    assert clean("x\ud800y").encode("utf-8") == "x\ufffdy".encode()


def test_minus_and_dashes_are_kept():
    assert clean("HD 1−1, rolls 1–4") == "HD 1−1, rolls 1–4"


@given(st.text(alphabet=st.characters(codec=None), max_size=60))
def test_cleaned_text_is_composed_encodable_and_stable(text: str):
    once = clean(text)
    assert once == unicodedata.normalize("NFC", once)
    assert clean(once) == once
    once.encode("utf-8")


def test_a_glyph_is_read_as_the_one_ligature_that_makes_words():
    texts = [(f"The {UNMAPPED}nal {UNMAPPED}eld", ("F#29", "F#29")), (f"of {UNMAPPED}re", ("F#29",))]
    assert glyph_readings(texts, Counter()) == {"F#29": "fi"}
    assert with_readings(texts[0][0], texts[0][1], {"F#29": "fi"}) == "The final field"


def test_words_of_the_document_decide_where_the_list_does_not_know_them():
    texts = [(f"Pazu{UNMAPPED}", ("F#7",)), (f"a ku{UNMAPPED}el", ("F#7",))]
    assert glyph_readings(texts, Counter({"pazuffi": 0, "kuffel": 2})) == {"F#7": "ff"}


def test_a_glyph_with_two_possible_readings_is_left_alone():
    # "floor" and "foor" aside: �ash is flash, but so little text also fits other words of the document.
    assert glyph_readings([(f"{UNMAPPED}ash", ("F#1",))], Counter({"ctash": 1})) == {}


def test_codes_of_a_font_follow_the_encoding_that_its_ligatures_betray():
    texts = [(f"{UNMAPPED}nd {UNMAPPED}re", ("T@28", "T@28")), (f"{UNMAPPED}Spielbuch{UNMAPPED}", ("T@16", "T@17"))]
    readings = glyph_readings(texts, Counter())
    assert with_readings(texts[1][0], texts[1][1], readings) == "“Spielbuch”"
