"""What content promises: every surveyed key is answered, and every count can be rolled."""

import re
from collections.abc import Iterable, Iterator

from osrforge_assets.contracts.level import DICE_PATTERN, Encounter, LevelContent, LevelPlan


def unanswered_keys(plan: LevelPlan, content: LevelContent) -> list[str]:
    """Return the plan's keys that the content does not hold, in printed order."""
    answered = {area.key for area in content.areas}
    return [area.key for area in plan.areas if area.key not in answered]


def unplanned_keys(plan: LevelPlan, content: LevelContent) -> list[str]:
    """Return the content's keys that the plan never asked for, or that it holds twice."""
    planned = {area.key for area in plan.areas}
    keys = [area.key for area in content.areas]
    return [key for at, key in enumerate(keys) if key not in planned or key in keys[:at]]


def count_faults(encounters: Iterable[Encounter]) -> list[tuple[str, str]]:
    """Return monster and what is wrong with its count, for every count that nobody can roll."""
    return [(encounter.monster, fault) for encounter in encounters for fault in _faults(encounter)]


def _faults(encounter: Encounter) -> Iterator[str]:
    if encounter.count_fixed is not None and encounter.count_dice is not None:
        yield f"both {encounter.count_fixed} and {encounter.count_dice}"
    if encounter.count_dice is None:
        return
    match = re.fullmatch(DICE_PATTERN, encounter.count_dice)
    if match is None:
        yield f"{encounter.count_dice} is no dice expression"
    elif int(match[1] or 1) * int(match[2]) + int(match[3] or 0) < 1:
        yield f"{encounter.count_dice} never comes to one"
