import contextlib
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osrforge_assets.narrations.turns.story_log import read_story_log
from osrforge_resources.failures import SourceError

DEMO = Path(__file__).parents[3] / "data" / "demo_story.jsonl"


def lines(*values: object) -> bytes:
    return "\n".join(json.dumps(value) for value in values).encode("utf-8")


def test_the_demo_story_is_read_whole():
    log = read_story_log(DEMO.read_bytes(), name=DEMO.name)
    assert (log.title, len(log.turns), log.notes) == ("The Salt Bell", 19, ())
    assert log.turns[9].stop_reason == "length"
    assert len(log.initial) == 7


def test_the_names_that_other_tools_use_are_understood():
    log = read_story_log(lines({"turn": "I go.", "text": "You go.", "finish_reason": "stop", "seed": 1}), name="x")
    assert (log.turns[0].player, log.turns[0].reply, log.turns[0].stop_reason) == ("I go.", "You go.", "stop")
    assert log.notes == ("Line 1: not used: seed.",)


def test_chat_messages_are_paired_and_a_waiting_one_is_noted():
    chat = [
        {"role": "user", "content": "Go."},
        {"role": "assistant", "content": "Gone."},
        {"role": "user", "content": "?"},
    ]
    log = read_story_log(lines({"role": "system", "content": "x"}, *chat), name="x")
    assert [(turn.player, turn.reply) for turn in log.turns] == [("Go.", "Gone.")]
    assert len(log.notes) == 2


def test_an_odd_line_is_noted_and_the_rest_is_kept():
    data = lines({"reply": "One."}) + b'\n{"reply": "cut\n[1]\n{"reply": 5}\n\n' + lines({"reply": "Two."})
    log = read_story_log(data, name="x")
    assert [turn.reply for turn in log.turns] == ["One.", "Two."]
    assert [note.split(" was")[0] for note in log.notes] == ["Line 2", "Line 3", "Line 4"]


def test_text_that_no_document_can_hold_is_replaced_and_said():
    log = read_story_log(b'{"reply": "a\\ud800b \\u0000 \\ud83d\\ude00 \xff"}', name="x")
    assert log.turns[0].reply == "a\N{REPLACEMENT CHARACTER}b \x00 😀 \N{REPLACEMENT CHARACTER}"
    assert len(log.notes) == 2
    log.canonical_json()


@pytest.mark.parametrize(
    "data", [b"", b"\n", b"# Title only", b'{"title": "x"}', b"\x00\xff", b"{", b"[" * 10_000, b"{" * 10]
)
def test_a_file_without_a_turn_is_a_source_failure(data: bytes):
    with pytest.raises(SourceError, match="no turn"):
        read_story_log(data, name="x")


def test_initial_events_that_no_document_can_hold_are_left_out_and_said():
    log = read_story_log(b'{"title": "T", "initial": [{"a": NaN}]}\n{"reply": "x"}', name="x")
    assert log.initial == ()
    assert len(log.notes) == 1


MARKDOWN = """# The Salt Bell

```initial
[{"type": "create_entity", "id": "mara", "kind": "person"}]
```

## Turn 1
> I knock.
> Twice.

It opens.

## Turn 7 of the tide
is a heading of the story.

```state
{"events": [

<!-- stop: length -->
## Turn 2

It shuts.
"""


def test_markdown_turns_begin_at_the_heading_that_is_due():
    log = read_story_log(MARKDOWN.encode(), name="x")
    assert (log.title, len(log.initial)) == ("The Salt Bell", 1)
    assert [turn.player for turn in log.turns] == ["I knock.\nTwice.", ""]
    assert log.turns[0].reply.startswith("It opens.\n\n## Turn 7 of the tide\n")
    assert [turn.stop_reason for turn in log.turns] == ["length", None]
    assert log.turns[1].reply == "It shuts.\n"


@given(
    st.binary(max_size=200)
    | st.text(max_size=200).map(lambda text: ('{"reply": "x"}\n' + text).encode("utf-8", "replace"))
)
def test_any_bytes_are_a_story_or_a_source_failure(data: bytes):
    with contextlib.suppress(SourceError):
        assert read_story_log(data, name="x").canonical_json()
