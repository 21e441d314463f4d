"""The offline planner: what it calls a scene, and that its answer always divides what it was given."""

import statistics

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from osrforge_assets.contracts.transcript import Unit
from osrforge_assets.evaluation.boundaries import even_boundaries, no_boundaries, random_boundaries, score
from osrforge_assets.transcripts.scenes.prompt import scenes_request
from osrforge_assets.transcripts.scenes.ranges import checked_ranges
from osrforge_assets.transcripts.scenes.reply import parse_reply
from osrforge_resources.failures import PermanentProviderError
from osrforge_resources.model_provider import ModelRequest, TextPart
from osrforge_resources.offline.provider import OfflineProvider
from osrforge_resources.offline.scenes import scene_starts
from osrforge_resources.offline.scenes_cues import game_master
from osrforge_resources.transcript_text import RequestUnit
from tests.assets.transcripts.reviewed import reviewed_sessions


def _talk(*texts: str) -> list[RequestUnit]:
    """Return units in which the GM and two players take turns."""
    names = ("GM", "Anna", "Bo")
    return [RequestUnit(at, text, names[(at - 1) % 3]) for at, text in enumerate(texts, start=1)]


_ROOM = (
    "It is a dusty cellar with barrels.",
    "I open a barrel.",
    "What's in there?",
    "Old wine, sour by now.",
    "I drink some.",
    "Ew.",
)
_FIGHT = (
    "Roll for initiative!",
    "Fifteen.",
    "Nine.",
    "It attacks Anna, that hits for six damage.",
    "I hit back, eight damage.",
    "I miss.",
) * 3


def test_combat_begins_a_scene_and_its_rounds_do_not():
    units = _talk(*_ROOM, *_ROOM, *_FIGHT)
    assert scene_starts(units) == [12]


def test_combat_ends_a_scene():
    after = ("The cellar is quiet again and dust settles.", "I search the shelves.", "Is there a way on?") * 4
    starts = scene_starts(_talk(*_ROOM, *_ROOM, *_FIGHT, *after))
    assert starts[0] == 12
    assert any(abs(start - 30) <= 2 for start in starts)


def test_a_rule_looked_up_or_a_joke_is_no_scene():
    aside = ("Wait, how does initiative work again?", "You add your dexterity.", "Right, ha, pizza later?")
    assert scene_starts(_talk(*_ROOM, *aside, *_ROOM)) == []


def test_a_long_break_and_the_return_from_it_are_scenes():
    pause = (
        "Let's take a ten-minute break.",
        "Coffee?",
        "Yes, my job was awful today.",
        "How's the bus?",
        "Late.",
        "Always.",
    ) * 2
    back = ("Welcome back everyone. You are standing in the cellar.", "I look behind the barrels.", "Me too.") * 4
    assert scene_starts(_talk(*_ROOM, *_ROOM, *pause, *back)) == [12, 24]


def test_a_long_silence_counts_where_there_are_times():
    texts = [*_ROOM, *_ROOM, "You wake in the ditch outside the town.", "Where are we?", "Who's there?", *_ROOM]
    timed = [RequestUnit(u.id, u.text, u.speaker, u.id * 5 + (900 if u.id > 12 else 0)) for u in _talk(*texts)]
    assert scene_starts(timed) == [12]


def test_whoever_tells_the_others_what_they_see_is_the_gm():
    units = [
        RequestUnit(1, "I go in.", "Zoe"),
        RequestUnit(2, "You see a door. Give me a perception check.", "Mara"),
        RequestUnit(3, "Ten.", "Zoe"),
    ]
    assert game_master(units) == "Mara"
    assert (
        game_master([RequestUnit(1, "You see a bird.", "Zoe"), RequestUnit(2, "I", "Dungeon Master")])
        == "Dungeon Master"
    )
    assert game_master([RequestUnit(1, "You see a bird.")]) is None


_UNITS = st.lists(
    st.builds(
        lambda text, speaker, kind: (text, speaker, kind),
        st.text(max_size=60)
        | st.sampled_from([*_ROOM, *_FIGHT, "Welcome back!", "The next morning you arrive at the town."]),
        st.sampled_from([None, "GM", "Anna"]),
        st.sampled_from(["speech", "roll", "system", "sound"]),
    ),
    min_size=1,
    max_size=60,
)


@settings(max_examples=60, deadline=None)
@given(_UNITS)
def test_any_answer_divides_what_was_given_and_is_always_the_same(rows: list[tuple[str, str | None, str]]):
    ids = [at * 7 % 61 + 1 for at in range(len(rows))]
    units = [
        Unit.model_validate({"id": unit, "text": text, "speaker": speaker, "kind": kind})
        for unit, (text, speaker, kind) in zip(ids, rows, strict=True)
    ]
    request = scenes_request(units)
    answer = OfflineProvider().generate(request).data
    assert answer == OfflineProvider().generate(request).data
    checked_ranges(parse_reply(answer), ids)


def test_a_request_without_a_transcript_cannot_be_answered():
    with pytest.raises(PermanentProviderError):
        OfflineProvider().generate(ModelRequest("scenes", "", (TextPart("hello"),), {"type": "object"}))


def test_the_reviewed_sessions_are_divided_better_than_by_any_trivial_plan():
    """A development aid: it guards against a rule that makes everything worse, not any single boundary."""
    rows: dict[str, list[tuple[float, float]]] = {"offline": [], "none": [], "even": [], "random": []}
    for units, reviewed in reviewed_sessions().values():
        plans = {
            "offline": frozenset(scene_starts(units)),
            "none": no_boundaries(),
            "even": even_boundaries(len(reviewed), len(units)),
            "random": random_boundaries(len(reviewed), len(units), seed=7),
        }
        for name, plan in plans.items():
            scores = score(reviewed, plan, len(units))
            rows[name].append((scores.f1, 1 - scores.window_diff))
    means = {
        name: tuple(statistics.mean(column) for column in zip(*scores, strict=True)) for name, scores in rows.items()
    }
    for name in ("none", "even", "random"):
        assert means["offline"][0] > means[name][0] + 0.1
        assert means["offline"][1] > means[name][1] + 0.1
