"""What a narrator is asked, what becomes of its reply, and how the log grows."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osrforge_assets.narrations.telling import prompt
from osrforge_assets.narrations.telling.log import check_writable, read_log, with_title, with_turn, write_log
from osrforge_assets.narrations.telling.narrator import story_so_far
from osrforge_assets.narrations.telling.prompt import narration_request
from osrforge_assets.narrations.telling.turn import tell
from osrforge_assets.narrations.turns.story_log import read_story_log
from osrforge_resources.chat_model import RawReply, StopReason
from osrforge_resources.failures import (
    PermanentProviderError,
    RefusalError,
    ReplyTooLongError,
    SourceError,
    TransientProviderError,
)
from osrforge_resources.usage import TokenUsage

DEMO = Path(__file__).parents[3] / "data" / "demo_story.jsonl"
WHOLE = RawReply("", StopReason.END, TokenUsage(), "model")


def demo_request(line: str = "I ring the bell."):
    return narration_request(*story_so_far(DEMO.read_bytes(), name="demo"), line)


# The request --------------------------------------------------------------------------------------------------------


def test_a_narrator_is_shown_prose_and_accepted_events_and_never_what_was_refused():
    turns, history = story_so_far(DEMO.read_bytes(), name="demo")
    shown = "\n".join(turn.text for turn in demo_request().turns if turn.role == "assistant")
    for turn in turns.turns:
        assert turn.split.prose.strip() in shown
    refused = [refusal.proposed for state in history.turns for refusal in state.refused]
    assert refused
    for proposed in refused:
        assert json.dumps(proposed, ensure_ascii=False) not in shown


def test_turns_take_turns_and_the_player_speaks_last():
    roles = [turn.role for turn in demo_request().turns]
    assert roles == ["user", "assistant"] * 19 + ["user"]


def test_the_last_message_lists_the_world_then_the_line_then_the_reminder():
    last = demo_request("I ring the bell.").turns[-1].text
    world, line, reminder = (last.index(part) for part in ('"wenna", "current": 5', "I ring the bell.", "[Reminder:"))
    assert world < line < reminder


def test_what_the_last_turn_got_wrong_is_said_once_in_the_next_request():
    data = with_turn(b"", player="Go.", reply='Dust.\n```state\n{"events": [{"type": "fly"}]}\n```', stop_reason="stop")
    asked = narration_request(*story_so_far(data, name="x"), "On.").turns
    assert "not accepted" in asked[-1].text
    later = with_turn(data, player="On.", reply="More dust.", stop_reason="stop")
    assert "not accepted" not in narration_request(*story_so_far(later, name="x"), "On.").turns[-1].text


def test_a_story_that_begins_is_asked_for_with_the_line_alone():
    request = narration_request(*story_so_far(with_title("The Salt Bell"), name="x"), "I wake.")
    assert [turn.role for turn in request.turns] == ["user"]
    assert '"The Salt Bell"' in request.system
    assert "The world now" not in request.turns[0].text


def test_a_long_story_shows_its_newest_turns_within_the_window(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(prompt, "MOST_CHARACTERS", 900)
    turns = demo_request().turns[:-1]
    assert 2 <= len(turns) < 20
    assert sum(len(turn.text) for turn in turns) <= 900
    assert turns[-1].text == demo_request().turns[-2].text


def test_one_turn_longer_than_the_window_is_shown_all_the_same():
    data = with_turn(b"", player="Tell me all.", reply="word " * 10_000, stop_reason="stop")
    assert len(narration_request(*story_so_far(data, name="x"), "More.").turns) == 3


def test_a_world_too_large_to_list_says_how_much_is_left_out(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(prompt, "MOST_WORLD_CHARACTERS", 300)
    world = demo_request().turns[-1].text.split("\n\n")[0]
    listed = [line for line in world.splitlines() if line.startswith("{")]
    facts = len(story_so_far(DEMO.read_bytes(), name="demo")[1].final.facts)
    assert f"({facts - len(listed)} more facts are not listed.)" in world


# The reply ----------------------------------------------------------------------------------------------------------


def pieces(*parts: str, failure: BaseException | None = None) -> Iterator[str | RawReply]:
    yield from parts
    if failure is not None:
        raise failure
    yield WHOLE


def test_prose_is_shown_as_it_comes_and_protocol_never():
    shown: list[str] = []
    told = tell(pieces("The door ", "opens.\n``", '`state\n{"events": []}\n``', "`\n"), shown.append)
    assert "".join(shown) == told.split.prose
    assert "events" not in "".join(shown)
    assert shown[0] == "The door "
    assert (told.stop_reason, told.failure) == ("stop", None)
    assert told.reply == 'The door opens.\n```state\n{"events": []}\n```\n'


@pytest.mark.parametrize(
    ("failure", "reason"),
    [
        (TransientProviderError("Gone."), "interrupted"),
        (KeyboardInterrupt(), "interrupted"),
        (ReplyTooLongError("Cut."), "length"),
        (RefusalError("No."), "refusal"),
    ],
)
def test_a_reply_that_breaks_off_keeps_what_arrived_and_says_why(failure: BaseException, reason: str):
    told = tell(pieces("The door op", failure=failure), lambda _: None)
    assert (told.reply, told.stop_reason, told.failure) == ("The door op", reason, failure)


def test_a_reply_without_text_is_no_turn():
    with pytest.raises(PermanentProviderError) as caught:
        tell(pieces("", " \n"), lambda _: None)
    assert caught.value.code == "provider.empty_reply"
    with pytest.raises(TransientProviderError):
        tell(pieces(failure=TransientProviderError("Gone.")), lambda _: None)


# The log ------------------------------------------------------------------------------------------------------------

TEXT = st.text(max_size=200)


@given(st.lists(st.tuples(TEXT, TEXT, st.sampled_from(["stop", "length", "interrupted"])), min_size=1, max_size=6))
def test_turns_that_are_added_are_read_back_as_they_were(turns: list[tuple[str, str, str]]):
    data = with_title("A tale")
    for player, reply, reason in turns:
        before = data
        data = with_turn(data, player=player, reply=reply, stop_reason=reason)
        assert data.startswith(before)
    read = read_story_log(data, name="x")
    assert read.title == "A tale"
    assert [(turn.player, turn.reply, turn.stop_reason) for turn in read.turns] == turns


def test_a_log_whose_last_line_has_no_end_gets_one_before_the_turn():
    data = with_turn(b'{"player": "a", "reply": "b"}', player="c", reply="d", stop_reason="stop")
    assert [turn.reply for turn in read_story_log(data, name="x").turns] == ["b", "d"]


def test_a_log_in_markdown_is_refused_and_left_alone(tmp_path: Path):
    story = tmp_path / "story.md"
    story.write_text("# Tale\n\n## Turn 1\n\nDust.\n", encoding="utf-8")
    with pytest.raises(SourceError) as caught:
        read_log(story)
    assert caught.value.code == "source.not_json_lines"


def test_a_log_is_replaced_whole_and_leaves_nothing_beside_it(tmp_path: Path):
    story = tmp_path / "story.jsonl"
    write_log(story, b"one\n")
    write_log(story, b"two\n")
    check_writable(story)
    assert story.read_bytes() == b"two\n"
    assert list(tmp_path.iterdir()) == [story]


def test_a_folder_that_is_not_there_is_said_before_anything_is_paid(tmp_path: Path):
    with pytest.raises(SourceError) as caught:
        check_writable(tmp_path / "nowhere" / "story.jsonl")
    assert caught.value.code == "source.not_writable"
