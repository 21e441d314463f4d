"""The vocabulary is declared once: rules, schema, validator and documentation follow."""

from collections.abc import Iterator
from typing import Annotated, Literal

import jsonschema
import pytest

from osrforge_assets.contracts.narration import EVENT_TYPES, FactRule, Refers, Slug, StateEvent, read_event
from osrforge_assets.contracts.narration_turns import Refusal
from osrforge_assets.narrations.state.reducer import World
from osrforge_assets.narrations.turns.prompt import EXAMPLE_EVENTS, emit_rules, events_schema

SEED = [
    {"type": "create_entity", "id": "mara", "kind": "person"},
    {"type": "set_current_location", "entity": "mara", "location": "old-abbey"},
    {"type": "set_possession", "item": "silver-key", "owner": "mara"},
]


@pytest.fixture
def weather() -> Iterator[type[StateEvent]]:
    class SetWeather(StateEvent):
        """The weather at a place."""

        rule = FactRule(about=("place",))
        type: Literal["set_weather"] = "set_weather"
        place: Annotated[Slug, Refers(("place",))]
        weather: Literal["fair", "foul"]

    yield SetWeather
    del EVENT_TYPES["set_weather"]


def test_a_new_event_is_one_declaration(weather: type[StateEvent]):
    assert "- set_weather {place: place id, weather: fair|foul}: The weather at a place." in emit_rules()
    event = {"type": "set_weather", "place": "moor", "weather": "foul"}
    jsonschema.validate({"events": [event]}, events_schema())
    assert isinstance(read_event(event), weather)
    step = World().step([{"type": "create_entity", "id": "moor", "kind": "place"}, event])
    assert not step.refused
    assert step.world.facts["set_weather", "moor"].as_written() == event
    refused = World().step([event]).refused[0]
    assert isinstance(refused, Refusal)


@pytest.mark.parametrize("event", [*SEED, *EXAMPLE_EVENTS])
def test_events_of_the_rules_text_are_valid(event: dict[str, object]):
    assert read_event(event).as_written() == event


def test_every_event_says_what_it_means_and_has_a_rule():
    for name, event in EVENT_TYPES.items():
        assert event.type_name() == name
        assert event.purpose().endswith(".")
        assert set(event.rule.about) <= set(event.model_fields)
        assert f"- {name} {{" in emit_rules()


def test_the_schema_is_closed_and_a_service_can_hold_a_model_to_it():
    schema = events_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"events": [{"type": "set_location", "entity": "a", "location": "b"}]}, schema)
    for variant in schema["properties"]["events"]["items"]["anyOf"]:
        assert variant["additionalProperties"] is False
        assert set(variant["required"]) == set(variant["properties"])


def test_an_identifier_is_read_as_its_slug():
    event = read_event({"type": "create_entity", "id": "Hall_of Lords", "kind": "place"})
    assert event.subject == ("create_entity", "hall-of-lords")


@pytest.mark.parametrize(
    "event",
    [
        {"type": "set_hit_points", "entity": "a", "current": "5"},
        {"type": "set_hit_points", "entity": "a", "current": True},
        {"type": "set_hit_points", "entity": "a", "current": 10**9},
        {"type": "create_entity", "id": "мара", "kind": "person"},
        {"type": "create_entity", "id": "a" * 81, "kind": "person"},
        {"type": "create_entity", "id": "a", "kind": "Person"},
        {"type": "create_entity", "id": "a", "kind": "person", "name": "\x1b[2J"},
        {"type": "set_condition", "entity": "a", "condition": "b", "active": "yes"},
        {"type": "set_possession", "item": "a"},
        {"type": "set_scene_time", "time": "dusk", "place": "x"},
        {"type": "nothing"},
        {},
        7,
    ],
)
def test_what_is_not_exactly_an_event_is_refused(event: object):
    with pytest.raises(ValueError):  # noqa: PT011 (pydantic's error is a ValueError)
        read_event(event)
