"""Answered texts as they may be kept."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osrforge_assets.modules.printed_text import distinct, one_line, quoted, running_text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The  Vault\n of\tBones ", "The Vault of Bones"),
        ("\x1b[31mred\x00", "[31mred"),
        ("safe\u202egnp.exe", "safegnp.exe"),
        ("\ufeffCrypt\u00ad", "Crypt"),
        ("a\ud800b", "a\ufffdb"),
        ("Cafe\u0301", "Café"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("20' × 30' – 5″", "20' × 30' – 5″"),
        ("", ""),
    ],
)
def test_one_line_keeps_what_a_page_prints(text: str, expected: str):
    assert one_line(text) == expected


@given(st.text())
def test_kept_text_is_printable_and_stays_as_it_is(text: str):
    for keep in (one_line, running_text):
        kept = keep(text)
        assert keep(kept) == kept
        assert kept.encode("utf-8").decode("utf-8") == kept
        assert {unicodedata.category(char) for char in kept if char != "\n"} & {"Cc", "Cs"} == set()
    assert "\n" not in one_line(text)
    assert "\n\n\n" not in running_text(text)


def test_running_text_keeps_lines_and_paragraphs():
    assert running_text("One\r\n two.\n\n\n\nThree.\n") == "One\ntwo.\n\nThree."


def test_texts_that_differ_in_case_alone_are_one_and_empty_ones_none():
    assert distinct(["Goblin", "", "goblin", "Rat", "GOBLIN"]) == ("Goblin", "Rat")


def test_a_quoted_text_is_cut_where_it_is_too_long_to_show():
    assert quoted("Vault") == '"Vault"'
    assert quoted("x" * 100, limit=5) == '"xxxxx…"'
