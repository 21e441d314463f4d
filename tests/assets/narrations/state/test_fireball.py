"""True states of a recorded combat: what our events can express is replayed and compared with the state afterwards."""

import json
import re

import pytest

from osrforge_assets.narrations.state.reducer import World
from osrforge_resources.keys import slug
from tests.corpus import ABSENT, CORPUS

TRIPLES = CORPUS / "transcripts" / "fireball" / "filtered_triples.jsonl"
HIT_POINTS = re.compile(r"<(-?[0-9]+)/([0-9]+) HP; [A-Za-z]+>")

Actor = dict[str, str]
Sheet = tuple[int, int, frozenset[str]]


def sheet(actor: Actor) -> Sheet:
    found = HIT_POINTS.fullmatch(actor["hp"])
    assert found is not None
    effects = frozenset(slug(effect) for effect in actor["effects"].split(", ") if effect)
    return int(found[1]), int(found[2]), effects


def events_between(before: list[Actor], after: list[Actor]) -> list[dict[str, object]]:
    """What a narrator would have to say for the difference."""
    known = {actor["name"]: sheet(actor) for actor in before}
    events: list[dict[str, object]] = []
    for actor in after:
        entity = slug(actor["name"])
        current, maximum, effects = sheet(actor)
        old = known.get(actor["name"])
        if old is None:
            events.append({"type": "create_entity", "id": entity, "kind": "person", "name": actor["name"]})
        if old is None or old[:2] != (current, maximum):
            events.append({"type": "set_hit_points", "entity": entity, "current": current, "maximum": maximum})
        before_effects = old[2] if old else frozenset[str]()
        events += [
            {"type": "set_condition", "entity": entity, "condition": name, "active": name in effects}
            for name in sorted(effects ^ before_effects)
        ]
    return events


def sheets_of(world: World) -> dict[str, Sheet]:
    facts = [fact.as_written() for fact in world.facts.values()]
    points = {fact["entity"]: fact for fact in facts if fact["type"] == "set_hit_points"}
    conditions = [fact for fact in facts if fact["type"] == "set_condition" and fact["active"]]
    return {
        entity: (
            fact["current"],
            fact["maximum"],
            frozenset(entry["condition"] for entry in conditions if entry["entity"] == entity),
        )
        for entity, fact in points.items()
    }


@pytest.mark.skipif(not TRIPLES.exists(), reason=ABSENT)
def test_a_recorded_combat_replayed_as_events_has_the_true_state_after_every_turn():
    triples = [json.loads(line) for line in TRIPLES.read_text(encoding="utf-8").splitlines()]
    assert len(triples) == 25
    world = World()
    actors: list[Actor] = []
    for triple in triples:
        for now in (triple["combat_state_before"], triple["combat_state_after"]):
            step = world.step(events_between(actors, now))
            assert not step.refused
            world, actors = step.world, now
            true = {slug(actor["name"]): sheet(actor) for actor in now}
            assert {entity: entry for entity, entry in sheets_of(world).items() if entity in true} == true
