"""The text forms that scene requests are made of, written and read in one place.

A unit is one line of JSON, so nothing that somebody said can pretend to be another unit or an instruction's structure.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from osrforge_resources.failures import MisuseError

_UNITS_LEAD = "The transcript, one JSON object a unit:\n"
_WINDOW_LEAD = "This is one part of a longer session: "


@dataclass(frozen=True, slots=True)
class RequestUnit:
    """A unit as it is sent.

    Attributes:
        id: Its id.
        text: What was said.
        speaker: Who said it, None where unknown.
        at: Seconds from the start of the recording, None where unknown.
        kind: `speech`, `roll`, `system` or `sound`.
    """

    id: int
    text: str
    speaker: str | None = None
    at: int | None = None
    kind: str = "speech"


@dataclass(frozen=True, slots=True)
class WindowLead:
    """What a window of a long session has to know.

    Attributes:
        part: 1-based number of the window.
        continues: Whether the session goes on after it.
        open_scene: Id of the unit at which the scene began that its first unit belongs to, None for the first window.
    """

    part: int
    continues: bool
    open_scene: int | None


def write_units(units: Sequence[RequestUnit]) -> str:
    """Return the part that holds the transcript."""
    return _UNITS_LEAD + "\n".join(_unit_line(unit) for unit in units)


def read_units(part: str) -> list[RequestUnit] | None:
    """Return the units of a part that `write_units` wrote, None for any other part.

    Raises:
        MisuseError: The part begins as one but holds a line that is no unit.
    """
    if not part.startswith(_UNITS_LEAD):
        return None
    try:
        return [_read_unit(line) for line in part.removeprefix(_UNITS_LEAD).split("\n")]
    except (ValueError, KeyError, TypeError) as error:
        raise MisuseError("A line of the request's transcript is no unit.", code="request.units") from error


def write_window(lead: WindowLead) -> str:
    """Return the part that tells a window what came before it and whether more follows."""
    about = {"part": lead.part, "continues": lead.continues, "open_scene": lead.open_scene}
    return _WINDOW_LEAD + json.dumps(about)


def read_window(part: str) -> WindowLead | None:
    """Return the lead that `write_window` wrote, None for any other part."""
    if not part.startswith(_WINDOW_LEAD):
        return None
    return WindowLead(**json.loads(part.removeprefix(_WINDOW_LEAD)))


def _unit_line(unit: RequestUnit) -> str:
    said: dict[str, object] = {"unit": unit.id}
    if unit.at is not None:
        said["at"] = f"{unit.at // 3600}:{unit.at // 60 % 60:02d}:{unit.at % 60:02d}"
    if unit.speaker is not None:
        said["speaker"] = unit.speaker
    if unit.kind != "speech":
        said["kind"] = unit.kind
    said["text"] = unit.text
    return json.dumps(said, ensure_ascii=False)


def _read_unit(line: str) -> RequestUnit:
    said = json.loads(line)
    at = None
    if "at" in said:
        hours, minutes, seconds = (int(part) for part in said["at"].split(":"))
        at = (hours * 60 + minutes) * 60 + seconds
    return RequestUnit(said["unit"], said["text"], said.get("speaker"), at, said.get("kind", "speech"))
