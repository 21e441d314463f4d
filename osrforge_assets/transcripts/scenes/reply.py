"""The shape of a scene answer, and its parsing: nothing but ranges, nothing repaired."""

import json

from osrforge_assets.contracts.scenes import SceneRange
from osrforge_assets.modules.schema_forms import Schema, closed_object, list_of
from osrforge_assets.transcripts.failures import (
    NoScenesError,
    ReplyFieldsError,
    ReplyNotJsonError,
    ReplyShapeError,
    UnitIdTypeError,
)

_UNIT_ID: Schema = {"type": "integer", "minimum": 1}
_FIELDS = ("start_unit_id", "end_unit_id")


def scenes_schema() -> Schema:
    """Return the JSON Schema of an answer: one `scenes` list, at least one range, two positive integers each."""
    return closed_object(scenes=list_of(closed_object(**dict.fromkeys(_FIELDS, _UNIT_ID)), at_least=1))


def parse_reply(data: object) -> tuple[SceneRange, ...]:
    """Return the ranges of an answer.

    JSON Schema calls 2.0 an integer and providers differ about booleans, so the types are looked at here once more.

    Raises:
        ReplyFieldsError: A field is missing or unknown.
        UnitIdTypeError: An id is no positive integer; a boolean is none.
        ReplyShapeError: It is no list of objects.
        NoScenesError: The list is empty.
    """
    if not isinstance(data, dict):
        raise ReplyShapeError("The reply is not an object.")
    if set(data) != {"scenes"}:
        raise ReplyFieldsError("The reply does not have exactly `scenes`.")
    scenes = data["scenes"]
    if not isinstance(scenes, list):
        raise ReplyShapeError("`scenes` is not a list.")
    if not scenes:
        raise NoScenesError("The reply has no scene.")
    return tuple(_parse_scene(number, scene) for number, scene in enumerate(scenes, start=1))


def parse_reply_text(text: str) -> tuple[SceneRange, ...]:
    """Return the ranges of an answer that is still text.

    Raises:
        ReplyNotJsonError: It is no JSON; a cut reply is not completed.
        ReplyShapeError: As in `parse_reply`.
        NoScenesError: As in `parse_reply`.
    """
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        position = f" at character {error.pos}" if isinstance(error, json.JSONDecodeError) else ""
        raise ReplyNotJsonError(f"The reply is not JSON{position}.") from None
    return parse_reply(data)


def _parse_scene(number: int, scene: object) -> SceneRange:
    if not isinstance(scene, dict):
        raise ReplyShapeError(f"Scene {number} is not an object.")
    if set(scene) != set(_FIELDS):
        raise ReplyFieldsError(f"Scene {number} does not have exactly `start_unit_id` and `end_unit_id`.")
    for field in _FIELDS:
        value = scene[field]
        if type(value) is not int or value < 1:
            raise UnitIdTypeError(f"`{field}` of scene {number} is not a positive integer.")
    return SceneRange(start_unit_id=scene["start_unit_id"], end_unit_id=scene["end_unit_id"])
