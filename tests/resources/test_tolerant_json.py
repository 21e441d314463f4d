import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osrforge_resources.tolerant_json import MAX_DEPTH, MAX_TOLERATED, UnreadableJsonError, decode

values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.floats(allow_nan=False, allow_infinity=False, width=32)
    | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("abc:+5,]}", max_size=5), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


@given(values)
def test_strict_json_is_read_as_it_is(value: object):
    assert decode(json.dumps(value)).value == value
    assert decode(json.dumps(value)).repairs == ()


@given(values, st.data())
def test_a_cut_value_is_refused_and_never_completed(value: object, data: st.DataObject):
    text = json.dumps({"events": value}, ensure_ascii=False)
    cut = data.draw(st.integers(0, len(text) - 1))
    with pytest.raises(UnreadableJsonError):
        decode(text[:cut])


@pytest.mark.parametrize(
    ("text", "value", "repair"),
    [
        ('{"a": [1, 2,],}', {"a": [1, 2]}, "trailing commas"),
        ('{"a": +5}', {"a": 5}, "leading +"),
        ('{"a": 1 // one\n, /* two */ "b": 2}', {"a": 1, "b": 2}, "comments"),
        ("{'a': 'it is \"so\"'}", {"a": 'it is "so"'}, "single quotes"),
        ("{“a”: “b”}", {"a": "b"}, "typographic quotes"),
        ("{a: 1}", {"a": 1}, "unquoted keys"),
        ("{'a': True, 'b': None}", {"a": True, "b": None}, "Python constants"),
    ],
)
def test_a_slip_with_one_meaning_is_read_past_and_named(text: str, value: object, repair: str):
    decoded = decode(text)
    assert decoded.value == value
    assert repair in decoded.repairs


def test_text_inside_a_string_is_never_repaired():
    text = '{"a": "keep : +5 and ,] and // and ‘this’",}'
    assert decode(text).value == {"a": "keep : +5 and ,] and // and ‘this’"}


@pytest.mark.parametrize(
    "text",
    [
        *('{"a": 1, "a": 2}', "{a: 1, 'a': 2}", "NaN", '{"a": -Infinity}', "1e999", "9" * 5000, r'"\ud800"', '"\ud800"'),
        *('"\\u0000"', '"a\nb"', "{'a': b}", "[1 2]", "[1,,2]", "{,}", "[,]", "010", "", "{} {}", "'", "//", '{"a"}'),
        *("[" * 100_000, "{'a':" * 1000, '{"a":' * 200_000),
    ],
)  # fmt: skip
def test_what_has_no_one_meaning_is_refused(text: str):
    with pytest.raises(UnreadableJsonError):
        decode(text)


def test_depth_is_bounded_in_both_readers():
    assert decode("[" * MAX_DEPTH + "]" * MAX_DEPTH).value
    for deep in ("[" * 90 + "1" + "]" * 90, "[" * 90 + "1,]" + "]" * 89):
        with pytest.raises(UnreadableJsonError, match="too deep"):
            decode(deep)


def test_a_very_long_block_is_read_strictly_only():
    long = "[" + "1," * MAX_TOLERATED
    assert decode(long + "1]").value
    with pytest.raises(UnreadableJsonError, match="too long"):
        decode(long + "]")
