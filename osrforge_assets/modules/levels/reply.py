"""The shape of a level batch's answer, exactly the asked keys and exactly our dice; and the answer as read."""

from collections.abc import Sequence
from typing import Any

from pydantic import ValidationError

from osrforge_assets.contracts.level import DICE_PATTERN, AreaContent, Direction, Via
from osrforge_assets.modules.printed_text import one_line, running_text
from osrforge_assets.modules.schema_forms import (
    BOOLEAN,
    INTEGER,
    TEXT,
    Schema,
    closed_object,
    list_of,
    nullable,
    one_of,
)
from osrforge_resources.failures import MisuseError, SchemaValidationError


def batch_schema(keys: Sequence[str]) -> Schema:
    """Return the schema of a batch's answer, its `key` an enum of exactly `keys`.

    With the enum a model can neither invent nor misspell a key, nor answer one that was not asked.

    Raises:
        MisuseError: `keys` is empty or repeats a key (a `ValueError`).
    """
    if not keys or len(set(keys)) != len(keys):
        raise MisuseError("A batch asks for at least one area and for each area once.", code="batch.keys")
    encounter = closed_object(
        monster=TEXT,
        count_fixed=nullable("integer", minimum=1),
        count_dice=nullable("string", pattern=DICE_PATTERN),
        count_note=nullable("string"),
    )
    connection = closed_object(
        to_key=nullable("string"),
        to_level=nullable("integer", minimum=1),
        direction=one_of(Direction),
        via=one_of(Via),
        door_stuck=BOOLEAN,
        door_locked=BOOLEAN,
    )
    area = closed_object(
        key=one_of(keys, per_request=True),
        description=TEXT,
        encounters=list_of(encounter),
        trap=nullable("string"),
        treasure=list_of(TEXT),
        features=list_of(TEXT),
        connections=list_of(connection),
        source_pages=list_of(INTEGER),
        confidence={"type": "number", "minimum": 0, "maximum": 1},
    )
    return closed_object(areas=list_of(area))


def parse_areas(data: Any, *, tag: str) -> tuple[AreaContent, ...]:
    """Return the areas of an answer that has passed `batch_schema`, in its order, texts cleaned.

    Raises:
        SchemaValidationError: A value that the schema's own engine lets through but the contract refuses: dice that
            end in a line break, a confidence that is not a number, a count of twenty digits. Names its position.
    """
    areas = []
    for index, answered in enumerate(data["areas"]):
        try:
            areas.append(AreaContent.model_validate(_cleaned(answered)))
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            steps = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in first["loc"])
            raise SchemaValidationError(f"{tag}: $.areas[{index}]{steps}: {first['msg']}.") from error
    return tuple(areas)


def _cleaned(area: dict[str, Any]) -> dict[str, Any]:
    """Return an answered area with printable texts; an empty text says nothing and is left out or null."""
    return area | {
        "description": running_text(area["description"]),
        "encounters": [
            encounter
            | {"monster": one_line(encounter["monster"]), "count_note": _text_or_none(encounter["count_note"])}
            for encounter in area["encounters"]
        ],
        "trap": _text_or_none(area["trap"]),
        "treasure": [text for item in area["treasure"] if (text := one_line(item))],
        "features": [text for item in area["features"] if (text := one_line(item))],
        "connections": [
            connection | {"to_key": _text_or_none(connection["to_key"])} for connection in area["connections"]
        ],
        # 1e300 is an integer to JSON Schema and too long for pydantic's; as a page it is one the request does not have.
        "source_pages": [int(page) for page in area["source_pages"]],
    }


def _text_or_none(text: str | None) -> str | None:
    return one_line(text or "") or None
