"""Windows of a long session: where each one begins and ends, and how their answers become one plan.

A window ends in the middle of something, so its last scene is open. The next window begins where that scene began, or,
where the scene is longer than half a window, late enough that the window still reaches new units; then its first
scene is joined to the open one.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from osrforge_assets.contracts.scenes import SceneRange
from osrforge_assets.contracts.transcript import Unit
from osrforge_resources.failures import MisuseError
from osrforge_resources.transcript_text import WindowLead

# A unit's line around its text: id, time, speaker, quotes.
_LINE_OVERHEAD = 60

Ask = Callable[[Sequence[Unit], WindowLead | None], Sequence[SceneRange]]


@dataclass(frozen=True, slots=True)
class WindowSize:
    """How much one request may carry; whichever limit is met first ends the window.

    Attributes:
        units: Units, at least 2.
        characters: Characters of the request's transcript.
    """

    units: int
    characters: int

    def __post_init__(self) -> None:
        if self.units < 2 or self.characters < 1:  # noqa: PLR2004 - a window of one unit could not carry an open scene
            raise MisuseError("A scene window needs at least 2 units and 1 character.", code="scenes.window")


def window_end(units: Sequence[Unit], start: int, size: WindowSize, *, beyond: int) -> int:
    """Return the exclusive end of the window at `start`; it reaches at least one unit past `beyond`."""
    characters = 0
    end = start
    while end < len(units) and end - start < size.units:
        characters += len(units[end].text) + _LINE_OVERHEAD
        if characters > size.characters:
            break
        end += 1
    return min(len(units), max(end, beyond + 1))


def carried_start(units: Sequence[Unit], open_start: int, end: int, size: WindowSize) -> int:
    """Return where the next window begins: at the open scene, or as much before `end` as half a window holds."""
    start = end
    characters = 0
    while start > open_start and end - start < size.units // 2:
        characters += len(units[start - 1].text) + _LINE_OVERHEAD
        if characters > size.characters // 2:
            break
        start -= 1
    return start


def divide(units: Sequence[Unit], size: WindowSize, ask: Ask) -> tuple[SceneRange, ...]:
    """Return the scenes of all units, asked window by window.

    Args:
        units: The document's units, at least one.
        size: The size of a window.
        ask: Returns scenes that divide exactly the units it is given.
    """
    at = {unit.id: position for position, unit in enumerate(units)}
    scenes: list[SceneRange] = []
    open_start = start = end = 0
    part = 1
    while True:
        end = window_end(units, start, size, beyond=end)
        final = end == len(units)
        whole = part == 1 and final
        lead = None if whole else WindowLead(part, not final, units[open_start].id if part > 1 else None)
        answered = list(ask(units[start:end], lead))
        if start > open_start:
            answered[0] = SceneRange(start_unit_id=units[open_start].id, end_unit_id=answered[0].end_unit_id)
        if final:
            return (*scenes, *answered)
        scenes.extend(answered[:-1])
        open_start = at[answered[-1].start_unit_id]
        start = carried_start(units, open_start, end, size)
        part += 1
