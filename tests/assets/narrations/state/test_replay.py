from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from osrforge_assets.contracts.narration_turns import NarrationTurns, StoryLog, StoryTurn, WorldHistory
from osrforge_assets.narrations.state.reducer import World
from osrforge_assets.narrations.state.replay import replay, world_after
from osrforge_assets.narrations.turns.splitting import split_story
from osrforge_assets.narrations.turns.story_log import read_story_log

DEMO = Path(__file__).parents[3] / "data" / "demo_story.jsonl"


@pytest.fixture
def demo() -> StoryLog:
    return read_story_log(DEMO.read_bytes(), name=DEMO.name)


def turns_of(log: StoryLog, previous: NarrationTurns | None = None) -> NarrationTurns:
    return split_story(log, narration="demo", previous=previous)[0]


def changed(log: StoryLog, number: int, reply: str) -> StoryLog:
    turns = list(log.turns)
    turns[number - 1] = turns[number - 1].model_copy(update={"reply": reply})
    return log.model_copy(update={"turns": tuple(turns)})


def test_a_changed_turn_recomputes_from_that_turn_on_and_splits_only_itself(demo: StoryLog):
    first_turns = turns_of(demo)
    first = replay(first_turns).history
    edited = changed(demo, 9, 'Nothing breaks.\n```state\n{"events": []}\n```\n')
    second_turns, kept = split_story(edited, narration="demo", previous=first_turns)
    assert kept == len(demo.turns) - 1
    second = replay(second_turns, first)
    assert second.kept == 9
    assert second.history == replay(second_turns).history
    assert second.history.turns[:9] == first.turns[:9]


def test_an_edit_of_prose_alone_recomputes_no_state(demo: StoryLog):
    turns = turns_of(demo)
    history = replay(turns).history
    edited = changed(demo, 3, demo.turns[2].reply.replace("slick", "wet"))
    assert replay(turns_of(edited, turns), history).kept == len(demo.turns) + 1


def test_the_state_after_any_turn_is_there(demo: StoryLog):
    history = replay(turns_of(demo)).history
    world = World()
    for number, turn in enumerate(history.turns):
        world = world.changed(turn.changes)
        assert world_after(history, number) == world
        assert world.document().digest() == turn.state
    assert world.document() == history.final
    with pytest.raises(IndexError):
        world_after(history, len(history.turns))


def test_documents_are_read_back_as_written(demo: StoryLog):
    turns = turns_of(demo)
    history = replay(turns).history
    assert NarrationTurns.from_json(turns.canonical_json()) == turns
    assert WorldHistory.from_json(history.canonical_json()) == history


replies = st.sampled_from(
    [
        "Story.",
        '```state\n{"events": [{"type": "create_entity", "id": "mara", "kind": "person"}]}\n```',
        '```state\n{"events": [{"type": "create_entity", "id": "mara", "kind": "thing"}]}\n```',
        '```state\n{"events": [{"type": "set_hit_points", "entity": "mara", "current": 3}]}\n```',
        '```state\n{"events": [{"type": "set_scene_time", "time": "dusk"}, 7]}\n```',
        '```state\n{"events": [',
    ]
)


def log_of(texts: list[str]) -> StoryLog:
    turns = tuple(StoryTurn(number=number, player="", reply=text) for number, text in enumerate(texts, 1))
    return StoryLog(title="", initial=(), turns=turns)


@settings(deadline=None)
@given(st.lists(replies, min_size=1, max_size=6), st.lists(replies, min_size=1, max_size=6))
def test_what_is_taken_over_is_what_would_be_computed(old: list[str], new: list[str]):
    old_turns = turns_of(log_of(old))
    new_turns = turns_of(log_of(new), old_turns)
    assert new_turns == turns_of(log_of(new))
    assert replay(new_turns, replay(old_turns).history).history == replay(new_turns).history
