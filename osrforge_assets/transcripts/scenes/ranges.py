"""Whether ranges divide a document: every invariant by position in the document's order, none by the value of an id."""

from collections.abc import Sequence
from itertools import pairwise

from osrforge_assets.contracts.scenes import SceneRange
from osrforge_assets.transcripts.failures import (
    GapError,
    HeadMissingError,
    InvertedRangeError,
    NoScenesError,
    OverlapError,
    ScenePlanError,
    TailMissingError,
    UnknownUnitError,
    WrongOrderError,
)
from osrforge_resources.failures import MisuseError

# Which failure names a plan that has several. A wrong order always leaves gaps behind, and an unknown unit has no
# position to say more about, so the cause stands before what follows from it.
_CAUSES_FIRST = (
    UnknownUnitError,
    InvertedRangeError,
    WrongOrderError,
    OverlapError,
    HeadMissingError,
    GapError,
    TailMissingError,
)


def checked_ranges(ranges: Sequence[SceneRange], order: Sequence[int]) -> tuple[SceneRange, ...]:
    """Return the ranges unchanged if they divide the document.

    Args:
        ranges: Inclusive ranges of unit ids.
        order: The document's unit ids in its order; neither contiguous nor ascending.

    Raises:
        ScenePlanError: The first failure by cause; its message counts the others.
    """
    failures = plan_failures(ranges, order)
    if failures:
        first = failures[0]
        if len(failures) > 1:
            first.message += (
                f" {len(failures) - 1} more failures: {', '.join(failure.code for failure in failures[1:4])}."
            )
        raise first
    return tuple(ranges)


def plan_failures(ranges: Sequence[SceneRange], order: Sequence[int]) -> list[ScenePlanError]:
    """Return everything that keeps ranges from dividing the document, causes first; empty for a valid plan.

    Raises:
        MisuseError: The document has no unit, or one id twice.
    """
    positions = {unit: position for position, unit in enumerate(order, start=1)}
    if not order or len(positions) != len(order):
        raise MisuseError("A document to divide needs units with ids of their own.", code="scenes.document")
    if not ranges:
        return [NoScenesError("The plan has no scene.")]
    failures = [
        *_endpoint_failures(ranges, positions),
        *_edge_failures(ranges, order),
        *(
            failure
            for number, (before, after) in enumerate(pairwise(ranges), start=1)
            for failure in _seam_failures(number, before, after, positions)
        ),
    ]
    return sorted(failures, key=lambda failure: _CAUSES_FIRST.index(type(failure)))


def _endpoint_failures(ranges: Sequence[SceneRange], positions: dict[int, int]) -> list[ScenePlanError]:
    failures: list[ScenePlanError] = []
    for number, scene in enumerate(ranges, start=1):
        unknown = [unit for unit in dict.fromkeys((scene.start_unit_id, scene.end_unit_id)) if unit not in positions]
        if unknown:
            named = " and ".join(map(_shown, unknown))
            failures.append(UnknownUnitError(f"Scene {number} names unit {named}, which the document does not have."))
            continue
        start, end = positions[scene.start_unit_id], positions[scene.end_unit_id]
        if start > end:
            message = f"Scene {number} starts at position {start}, after its end at position {end}."
            failures.append(InvertedRangeError(message, positions=(start, end)))
    return failures


def _edge_failures(ranges: Sequence[SceneRange], order: Sequence[int]) -> list[ScenePlanError]:
    failures: list[ScenePlanError] = []
    first, last = ranges[0].start_unit_id, ranges[-1].end_unit_id
    if first != order[0]:
        message = f"The first scene starts at unit {_shown(first)}, the document at unit {order[0]} (position 1)."
        failures.append(HeadMissingError(message, positions=(1,)))
    if last != order[-1]:
        message = (
            f"The last scene ends at unit {_shown(last)}, the document at unit {order[-1]} (position {len(order)})."
        )
        failures.append(TailMissingError(message, positions=(len(order),)))
    return failures


def _seam_failures(
    number: int, before: SceneRange, after: SceneRange, positions: dict[int, int]
) -> list[ScenePlanError]:
    """Return what is wrong between scene `number` and the next."""
    start, end = positions.get(before.start_unit_id), positions.get(before.end_unit_id)
    next_start, next_end = positions.get(after.start_unit_id), positions.get(after.end_unit_id)
    if start is None or end is None or next_start is None or next_end is None:
        # Two ranges that name one unit both hold it, wherever it may be.
        shared = {before.start_unit_id, before.end_unit_id} & {after.start_unit_id, after.end_unit_id}
        return [OverlapError(f"Scenes {number} and {number + 1} share unit {_shown(min(shared))}.")] if shared else []
    if start > end or next_start > next_end or next_start == end + 1:
        return []
    between = f"Scene {number} ends at position {end}, scene {number + 1} starts at position {next_start}"
    if next_start > end:
        missing = (end + 1, next_start - 1)
        return [GapError(f"{between}: positions {missing[0]} to {missing[1]} are left out.", positions=missing)]
    if next_end < start:
        return [WrongOrderError(f"{between}, before it.", positions=(next_start, next_end))]
    held = (max(start, next_start), min(end, next_end))
    return [OverlapError(f"{between}: positions {held[0]} to {held[1]} are in both.", positions=held)]


def _shown(unit: int) -> str:
    # A model may answer a number of a thousand digits.
    return str(unit) if abs(unit) < 10**20 else "of more than 20 digits"
