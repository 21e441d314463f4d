"""Properties of the splitter over generated replies.

A longer search: `OSRFORGE_FUZZ_EXAMPLES=2000000 pytest --timeout=0 tests/assets/narrations/turns/test_splitter_properties.py`
runs for more than an hour.
"""

import os
import re

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from osrforge_assets.contracts.narration_turns import SplitReply
from osrforge_assets.narrations.turns import bare_objects, splitter
from osrforge_assets.narrations.turns.prompt import EMIT_REMINDER
from osrforge_assets.narrations.turns.reply import Claim, read_block
from osrforge_assets.narrations.turns.splitter import StreamSplitter, split

EXAMPLES = int(os.environ.get("OSRFORGE_FUZZ_EXAMPLES", "200"))
FUZZ = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.too_slow])

PIECES = [
    *("```", "````", "`", "``", "~~~", "~~~~", "state", "State", "statement", "json", "python"),
    *(" ", "  ", "    ", "\n", "\n\n", "\r\n", "\t", "{", "}", "[", "]", '"', "'", "“", "”", ":", ",", "\\", '\\"'),
    *('{"events": []}', '{"events": [', '{"events": [{"type": "set_scene_time", "time": "dusk"}]}'),
    *("{'events':", "{“events”:[", '[{"events": [', '{"a": {"events": []} x'),
    *('{"type": "set_scene_time", "time": "x"}', '{"a": 1}', '{"a": {"events": []}}', '"events"', '"type"'),
    *(
        "[Reminder: ",
        "Reminder: ",
        EMIT_REMINDER,
        "[Part of your last ",
        "<think>",
        "</think>",
        "<think",
        "<thi",
        "<",
        ">",
    ),
    *("The door.", "word", "é", "\ud800", "\x00", "]}", "}]}", " x" * 30, "x" * 250, "`" * 201, '{"k": "' + "v" * 4100),
]
replies = st.lists(st.sampled_from(PIECES) | st.text(max_size=8), max_size=25).map("".join)

# What makes a text more than story: our label, an event, a note of ours, a reasoning tag.
PROTOCOL = re.compile(r"state|events|type|<\s*/?\s*(think|reason)|remind|part of your last", re.IGNORECASE)


def fed_in_pieces(reply: str, data: st.DataObject) -> tuple[SplitReply, str]:
    fed = StreamSplitter()
    shown = ""
    at = 0
    while at < len(reply):
        size = data.draw(st.sampled_from([1, 2, 3, 5, 17, 400, 5000]))
        shown += fed.feed(reply[at : at + size])
        at += size
    shown += fed.finish("length")
    return fed.result, shown


@FUZZ
@given(replies, st.data())
def test_any_split_into_deltas_gives_the_whole_text_result(reply: str, data: st.DataObject):
    result, shown = fed_in_pieces(reply, data)
    assert shown == result.prose
    assert result == split(reply, stop_reason="length")


@FUZZ
@given(replies, st.data())
def test_the_bounds_that_keep_time_linear_are_kept_wherever_a_piece_ends(reply: str, data: st.DataObject):
    with pytest.MonkeyPatch.context() as small:
        small.setattr(splitter, "MAX_BLOCKS", 2)
        small.setattr(splitter, "_STRETCH", 7)
        small.setattr(splitter, "MOST_AGAIN", 10)
        small.setattr(bare_objects, "LONGEST_UNDECIDED", 600)
        result, shown = fed_in_pieces(reply, data)
        assert shown == result.prose
        assert result == split(reply, stop_reason="length")
        assert len(result.blocks) <= 2


@FUZZ
@given(replies)
def test_the_prose_is_the_reply_without_the_recorded_spans(reply: str):
    result = split(reply)
    kept, at = [], 0
    for span in sorted((*result.blocks, *result.dropped), key=lambda entry: (entry.start, entry.end)):
        assert span.start < span.end <= len(reply)
        kept.append(reply[at : span.start] if span.start > at else "")
        at = max(at, span.end)
    assert "".join([*kept, reply[at:]]) == result.prose


@FUZZ
@given(st.lists(st.text(max_size=20) | st.sampled_from(PIECES), max_size=20).map("".join))
def test_story_without_our_words_passes_unchanged(story: str):
    assume(not PROTOCOL.search(story))
    result = split(story)
    assert result.prose == story
    assert result.blocks == ()


@FUZZ
@given(st.text(max_size=200))
def test_any_text_at_all_passes_unchanged_without_our_words(story: str):
    assume(not PROTOCOL.search(story))
    assert split(story).prose == story


@FUZZ
@given(
    st.lists(st.sampled_from(PIECES) | st.text(alphabet="{}[]\"':,/aeventsyp1 \n", max_size=8), max_size=12).map(
        "".join
    )
)
def test_what_holds_no_word_of_a_proposal_is_never_read_as_one(content: str):
    assume(not re.search(r"e\s*(v|\Z)|type|state|\\", content, re.IGNORECASE))
    assert read_block(content).claim is Claim.NONE


@FUZZ
@given(replies)
def test_no_own_opener_is_left_at_the_start_of_a_line_of_prose(reply: str):
    # An author's fence may hold one, and a line of inline code may begin like one.
    assume(not re.search(r"(`{3,}|~{3,})[^\n]*`|~~~|```(?!\s*state\s*\n)|`{4}", reply, re.IGNORECASE))
    assert not re.search(r"^ {0,3}```[ \t]*state[ \t]*$", split(reply).prose, re.MULTILINE | re.IGNORECASE)
