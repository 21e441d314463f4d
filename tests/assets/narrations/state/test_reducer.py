import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from osrforge_assets.contracts.narration import read_event
from osrforge_assets.contracts.narration_turns import RefusalCode, WorldState
from osrforge_assets.narrations.state.judging import CONFLICTS
from osrforge_assets.narrations.state.reducer import MAX_EVENTS, Step, World
from osrforge_assets.narrations.turns.prompt import EXAMPLE_EVENTS, render_block, render_rejections
from osrforge_assets.narrations.turns.splitter import split


def create(entity: str, kind: str) -> dict[str, object]:
    return {"type": "create_entity", "id": entity, "kind": kind}


def at(entity: str, location: object) -> dict[str, object]:
    return {"type": "set_current_location", "entity": entity, "location": location}


def held(item: str, owner: object) -> dict[str, object]:
    return {"type": "set_possession", "item": item, "owner": owner}


STAGE = [create("mara", "person"), create("jory", "person"), create("abbey", "place"), create("cellar", "place")]
STAGE += [create("key", "thing"), create("chest", "thing")]


@pytest.fixture
def world() -> World:
    step = World().step(STAGE)
    assert not step.refused
    return step.world


def codes(step: Step) -> list[RefusalCode]:
    return [refusal.code for refusal in step.refused]


@pytest.mark.parametrize(
    ("event", "code"),
    [
        (7, RefusalCode.NOT_AN_OBJECT),
        ([], RefusalCode.NOT_AN_OBJECT),
        ({"type": "set_location", "entity": "mara", "location": "abbey"}, RefusalCode.UNKNOWN_TYPE),
        ({"type": ["set_location"]}, RefusalCode.UNKNOWN_TYPE),
        ({"entity": "mara"}, RefusalCode.UNKNOWN_TYPE),
        ({**at("mara", "abbey"), "why": "cold"}, RefusalCode.INVALID_FIELDS),
        ({"type": "set_current_location", "entity": "mara"}, RefusalCode.INVALID_FIELDS),
        (at("gull", "abbey"), RefusalCode.UNKNOWN_ENTITY),
        (at("mara", "moor"), RefusalCode.UNKNOWN_ENTITY),
        (at("mara", "chest"), RefusalCode.WRONG_KIND),
        (held("mara", "jory"), RefusalCode.WRONG_KIND),
        (held("key", "key"), RefusalCode.INSIDE_ITSELF),
        (at("abbey", "abbey"), RefusalCode.INSIDE_ITSELF),
        (create("mara", "thing"), RefusalCode.KIND_CONFLICT),
        (
            {"type": "set_disposition", "entity": "mara", "toward": "mara", "disposition": "friendly"},
            RefusalCode.SAME_ENTITY,
        ),
        ({"type": "set_hit_points", "entity": "mara", "current": 9, "maximum": 7}, RefusalCode.ABOVE_LIMIT),
        ({"type": "set_clock", "clock": "tide", "filled": 1}, RefusalCode.VALUE_NEEDED),
        (EXAMPLE_EVENTS[0], RefusalCode.EXAMPLE_ECHOED),
        (EXAMPLE_EVENTS[1], RefusalCode.EXAMPLE_ECHOED),
    ],
)
def test_each_conflict_has_its_one_refusal_with_a_reason_and_the_rest_stands(
    world: World, event: object, code: RefusalCode
):
    step = world.step([at("jory", "cellar"), event, at("mara", "abbey")])
    assert codes(step) == [code]
    assert step.refused[0].reason.endswith(".")
    assert [accepted.as_written() for accepted in step.accepted] == [at("jory", "cellar"), at("mara", "abbey")]


def test_every_refusal_code_has_a_row_in_the_table_of_conflicts():
    outcomes = " ".join(outcome for _, outcome in CONFLICTS)
    assert [code for code in RefusalCode if f"({code.value})" not in outcomes] == []


def test_a_refusal_names_the_legal_choices(world: World):
    step = world.step([at("mara", "chest"), {"type": "set_place", "place": "abbey"}])
    assert step.refused[0].choices == ("abbey", "cellar")
    assert "abbey, cellar" in step.refused[0].reason
    assert "set_current_location" in step.refused[1].choices


def test_creating_again_is_idempotent_and_the_first_name_stands(world: World):
    step = world.step([{**create("mara", "person"), "name": "Another"}])
    assert not step.refused
    assert not step.changes
    assert step.world == world


def test_an_entity_created_later_in_the_block_does_not_help():
    step = World().step([at("mara", "abbey"), create("mara", "person"), create("abbey", "place")])
    assert codes(step) == [RefusalCode.UNKNOWN_ENTITY]


def test_possession_to_nobody_is_accepted(world: World):
    step = world.step([held("key", "mara"), held("key", None)])
    assert not step.refused
    assert step.world.facts["set_possession", "key"].as_written() == held("key", None)


def test_what_is_put_down_is_no_longer_held_and_what_is_taken_no_longer_lies(world: World):
    lying = world.step([held("key", "mara"), at("key", "abbey")]).world
    assert ("set_possession", "key") not in lying.facts
    taken = lying.step([held("key", "chest")])
    assert ("set_current_location", "key") not in taken.world.facts
    assert {change.before is None for change in taken.changes} == {True, False}


def test_nothing_comes_to_lie_inside_itself_through_others(world: World):
    step = world.step([held("key", "chest"), held("chest", "key"), at("cellar", "abbey"), at("abbey", "cellar")])
    assert codes(step) == [RefusalCode.INSIDE_ITSELF, RefusalCode.INSIDE_ITSELF]


def test_what_is_left_out_keeps_what_is_known(world: World):
    step = world.step(
        [
            {"type": "set_hit_points", "entity": "mara", "current": 7, "maximum": 7},
            {"type": "set_hit_points", "entity": "mara", "current": -1},
            {"type": "set_clock", "clock": "tide", "filled": 1, "segments": 4},
            {"type": "set_clock", "clock": "tide", "filled": 5},
        ]
    )
    assert codes(step) == [RefusalCode.ABOVE_LIMIT]
    hit_points = step.world.facts["set_hit_points", "mara"].as_written()
    assert (hit_points["current"], hit_points["maximum"]) == (-1, 7)


def test_a_hostile_turn_is_bounded(world: World):
    step = world.step([at("gull", "abbey")] * (MAX_EVENTS + 2))
    assert codes(step)[-2:] == [RefusalCode.TOO_MANY_EVENTS] * 2


def test_text_of_a_model_is_quoted_safely_in_reasons(world: World):
    step = world.step([{"type": "\x1b[2J" + "x" * 500}, {**at("mara", "abbey"), "\x00\n]": 1}])
    for refusal in step.refused:
        assert refusal.reason.isprintable()


names = st.sampled_from(["mara", "jory", "abbey", "cellar", "key", "chest", "gull"])
events = st.one_of(
    st.builds(create, names, st.sampled_from(["person", "place", "thing"])),
    st.builds(at, names, st.none() | names),
    st.builds(held, names, st.none() | names),
    st.builds(
        lambda entity, current, maximum: {
            "type": "set_hit_points", "entity": entity, "current": current, "maximum": maximum,
        },
        names, st.integers(-3, 9), st.none() | st.integers(1, 9),
    ),
    st.builds(
        lambda entity, active: {"type": "set_condition", "entity": entity, "condition": "wet", "active": active},
        names, st.booleans(),
    ),
    st.just({"type": "invented"}),
)  # fmt: skip
turns = st.lists(st.lists(events, max_size=6), max_size=8)


@settings(deadline=None)
@given(turns)
def test_replaying_the_accepted_events_gives_the_same_state(story: list[list[object]]):
    world = World()
    accepted = []
    for proposed in story:
        before = world.facts
        step = world.step(proposed)
        assert world.facts == before
        assert len(step.accepted) + len(step.refused) == len(proposed)
        assert world.changed(step.changes) == step.world
        world = step.world
        accepted.extend(event.as_written() for event in step.accepted)
    assert World().step(accepted).world == world
    assert World.of(WorldState.from_json(world.document().canonical_json())) == world


@settings(deadline=None)
@given(turns)
def test_nothing_is_ever_inside_itself(story: list[list[object]]):
    world = World()
    for proposed in story:
        world = world.step(proposed).world
    outer = {fact.subject[1]: getattr(fact, fact.rule.inside[1]) for fact in world.facts.values() if fact.rule.inside}
    for entity in outer:
        seen = set()
        here: str | None = entity
        while here is not None:
            assert here not in seen
            seen.add(here)
            here = outer.get(here)


@settings(deadline=None)
@given(turns)
def test_a_rendered_block_is_read_back_as_the_same_events(story: list[list[object]]):
    step = World().step([event for proposed in story for event in proposed])
    block = render_block(step.accepted)
    assert bool(block) == bool(step.accepted)
    result = split(f"Story.\n{block}")
    assert result.prose == "Story.\n"
    assert [read_event(event) for event in result.events] == list(step.accepted)


def test_the_correction_note_is_short_says_each_reason_once_and_no_more_than_six(world: World):
    proposed = [at(f"gull-{number}", "abbey") for number in range(9)]
    note = render_rejections(world.step([*proposed[:1], *proposed]).refused)
    assert note.count("\n- ") == 6
    assert note.count("gull-0") == 1
    assert render_rejections([]) == ""
    assert render_block([]) == ""
