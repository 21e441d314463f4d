"""What a story model is told about state events, and what it is told back about those it proposed.

Everything that names an event is derived from the vocabulary, so the rules cannot describe one that would be refused.
"""

import json
from collections.abc import Sequence
from typing import Any, Literal, Union, get_args, get_origin

from osrforge_assets.contracts.narration import EVENT_TYPES, EXAMPLE_PREFIX, Refers, StateEvent
from osrforge_assets.contracts.narration_turns import Refusal

LABEL = "state"

# Small models copy the example into their first block; its ids are reserved, so that a copy can be told from the story.
EXAMPLE_EVENTS: tuple[dict[str, Any], ...] = (
    {"type": "create_entity", "id": f"{EXAMPLE_PREFIX}lamp", "kind": "thing", "name": "The brass lamp"},
    {"type": "set_possession", "item": f"{EXAMPLE_PREFIX}lamp", "owner": f"{EXAMPLE_PREFIX}keeper"},
    {"type": "set_current_location", "entity": f"{EXAMPLE_PREFIX}keeper", "location": f"{EXAMPLE_PREFIX}cellar"},
)

# Placed last in the prompt, where a model looks most.
EMIT_REMINDER = (
    f"[Reminder: end your reply with a ```{LABEL} block that lists the events your narration made true, "
    "with absolute values. Send an empty events list if nothing changed.]"
)

CORRECTION_LEAD = f"Part of your last {LABEL} block was not accepted. Correct it in this turn's block:"

# More corrections than this are read by no small model, and the story needs the room.
MAX_CORRECTIONS = 6


def emit_rules() -> str:
    """Return the rules text that asks a model for state events behind its narration."""
    lines = "\n".join(event_line(event) for event in EVENT_TYPES.values())
    example = json.dumps({"events": EXAMPLE_EVENTS}, ensure_ascii=False)
    return (
        f"After your narration, append one fenced code block labelled `{LABEL}` that holds a JSON object with an "
        '"events" list: what your narration made true. Your narration is authoritative: if you wrote that someone '
        "moved, took something, learned something, was hurt, or that a new person, place or thing appeared, record it."
        "\n\nEvery value is ABSOLUTE: how things are now, never a change. Use only these events, with no other fields:\n"
        f"{lines}\n\n"
        "Identifiers are short lower-case slugs (old-abbey) and stay the same through the story. Introduce a person, "
        "place or thing with create_entity before any other event names it. If nothing changed, send an empty list.\n"
        f"The format, with ids that exist only in this example and must not be sent:\n```{LABEL}\n{example}\n```"
    )


def event_line(event: type[StateEvent]) -> str:
    """Return an event's line of the rules: its fields with their legal values, then what it says."""
    fields = ", ".join(
        f"{name}{'' if field.is_required() else '?'}: {field_values(event, name)}"
        for name, field in event.model_fields.items()
        if name != "type"
    )
    return f"- {event.type_name()} {{{fields}}}: {event.purpose()}"


def field_values(event: type[StateEvent], name: str) -> str:
    """Return what a field may hold, in words or as the list of its legal values."""
    annotation = event.model_fields[name].annotation
    reference = event.references().get(name)
    alternatives = (
        get_args(annotation) if get_origin(annotation) is not Literal and get_args(annotation) else (annotation,)
    )
    null = " or null" if type(None) in alternatives and event.model_fields[name].is_required() else ""
    return (reference.said + " id" if reference else _plain_type(annotation, about=name in event.rule.about)) + null


def _plain_type(annotation: object, *, about: bool) -> str:
    if get_origin(annotation) is Literal:
        return "|".join(str(choice) for choice in get_args(annotation))
    if get_origin(annotation) is Union or type(None) in get_args(annotation):
        return _plain_type(next(part for part in get_args(annotation) if part is not type(None)), about=about)
    return {bool: "true|false", int: "whole number"}.get(annotation, "slug" if about else "text")


def events_schema() -> dict[str, Any]:
    """Return the JSON Schema of a proposal, for services that hold a model to one."""
    variants = [_closed(event) for event in EVENT_TYPES.values()]
    return {
        "type": "object",
        "properties": {"events": {"type": "array", "items": {"anyOf": variants}}},
        "required": ["events"],
        "additionalProperties": False,
    }


def _closed(event: type[StateEvent]) -> dict[str, Any]:
    schema = event.model_json_schema()
    schema.pop("title", None)
    schema["description"] = event.purpose()
    for field in schema["properties"].values():
        field.pop("title", None)
        field.pop("default", None)
    # Services that fill schemas want every field required; what may be left open is nullable.
    schema["required"] = list(schema["properties"])
    return schema


def render_block(accepted: Sequence[StateEvent]) -> str:
    """Return accepted events as the block the model should have written, "" for none.

    Replayed in later prompts in place of what was proposed: a model shown a refused event sends it again.
    """
    if not accepted:
        return ""
    return f"```{LABEL}\n{json.dumps({'events': [event.as_written() for event in accepted]}, ensure_ascii=False)}\n```"


def render_rejections(refused: Sequence[Refusal]) -> str:
    """Return the short note that tells a model what was refused and what is legal, "" if nothing was."""
    reasons = list(dict.fromkeys(refusal.reason for refusal in refused))[:MAX_CORRECTIONS]
    if not reasons:
        return ""
    # The note ends at its closing bracket, by which an echo of it is recognized; a reason must not close it early.
    lines = "\n".join(f"- {reason.replace('[', '(').replace(']', ')')}" for reason in reasons)
    return f"[{CORRECTION_LEAD}\n{lines}]"


def reference_said(reference: Refers) -> str:
    """Return a reference's kinds with the article a sentence needs."""
    return f"a {reference.said}"
