"""How the answers over several page windows become one: in window order, the first say standing.

Neighbouring windows share one page, so an area there is answered twice. Two answered areas are one if their printed
keys agree within one level of one dungeon *and* their pages meet; equal keys on pages far apart are two printed areas
that normalization tells apart. A place without a key is its name, so its second description is of the same place, also
where the name is printed a little otherwise (`The beach`, `Beach`). Truthful answers merge to the same survey whatever the
window size.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TypeVar

from osrforge_assets.contracts.flags import Flag, FlagCode
from osrforge_assets.contracts.survey import AreaKind, CensusDungeon, CensusLevel, Town
from osrforge_assets.modules.printed_text import distinct, quoted
from osrforge_assets.modules.survey.reply import AnsweredArea, AnsweredDungeon, AnsweredLevel, SurveyAnswer
from osrforge_resources.keys import slug
from osrforge_resources.place_names import name_key, standing_name

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class MergedSurvey:
    """Answers of one or more windows as one, with what they disagree on."""

    answer: SurveyAnswer
    flags: tuple[Flag, ...]


def merge_surveys(answers: Iterable[SurveyAnswer]) -> MergedSurvey:
    """Return the windows' answers, in window order, as one."""
    merged, conflicts = SurveyAnswer(), _Conflicts()
    for answer in answers:
        merged = SurveyAnswer(
            title=_first_say("titles", merged.title, answer.title, conflicts),
            description=_first_say("descriptions of the module", merged.description, answer.description, conflicts),
            hooks=distinct([*merged.hooks, *answer.hooks]),
            town=_town(merged.town, answer.town, conflicts),
            dungeons=_dungeons(merged.dungeons, answer.dungeons, conflicts),
            monster_names=distinct([*merged.monster_names, *answer.monster_names]),
        )
    return MergedSurvey(merged, tuple(conflicts.flags.values()))


def merge_censuses(answers: Iterable[Sequence[CensusDungeon]]) -> tuple[CensusDungeon, ...]:
    """Return the windows' census answers, in window order, as one: a level begun earlier keeps its first key."""
    merged: list[CensusDungeon] = []
    for answer in answers:
        for position, dungeon in _matched(merged, answer, lambda dungeon: same_name(dungeon.name)):
            if position is None:
                merged.append(dungeon)
            else:
                levels = _census_levels(merged[position].levels, dungeon.levels)
                merged[position] = CensusDungeon(name=merged[position].name, levels=levels)
    return tuple(merged)


# Every window looks through what is known of its level; of 5,000 areas in windows of two pages spelling was three quarters.
@lru_cache(maxsize=65_536)
def same_name(name: str) -> str:
    """Return what two spellings of one printed name have in common: its slug, or its folded letters if it has none."""
    return slug(name) or name.casefold()


def _census_levels(known: Sequence[CensusLevel], answered: Sequence[CensusLevel]) -> tuple[CensusLevel, ...]:
    result = list(known)
    for position, level in _matched(known, answered, lambda level: level.number):
        if position is None:
            result.append(level)
        else:
            first, last = result[position].first_key, result[position].last_key
            result[position] = CensusLevel(
                number=level.number, first_key=first or level.first_key, last_key=level.last_key or last
            )
    return tuple(result)


@dataclass
class _Conflicts:
    """Flags by what they are about: one disagreement that three windows repeat is one flag."""

    flags: dict[str, Flag] = field(default_factory=dict)

    def add(self, about: str, message: str) -> None:
        self.flags.setdefault(about, Flag(code=FlagCode.WINDOW_CONFLICT, message=message))


def _first_say(what: str, first: str, second: str, conflicts: _Conflicts) -> str:
    if first and second and same_name(first) != same_name(second):
        conflicts.add(what, f"Page windows give different {what}; the first stands: {quoted(first)}, {quoted(second)}.")
    return first or second


def _town(first: Town, second: Town, conflicts: _Conflicts) -> Town:
    return Town(
        name=_first_say("names of the town", first.name, second.name, conflicts),
        description=_first_say("descriptions of the town", first.description, second.description, conflicts),
        services=distinct([*first.services, *second.services]),
    )


def _dungeons(
    known: Sequence[AnsweredDungeon], answered: Sequence[AnsweredDungeon], conflicts: _Conflicts
) -> tuple[AnsweredDungeon, ...]:
    result = list(known)
    for position, dungeon in _matched(known, answered, lambda dungeon: same_name(dungeon.name)):
        if position is None:
            result.append(dungeon)
        else:
            levels = _levels(result[position].levels, dungeon.levels, dungeon.name, conflicts)
            result[position] = replace(result[position], levels=levels)
    return tuple(result)


def _levels(
    known: Sequence[AnsweredLevel], answered: Sequence[AnsweredLevel], dungeon: str, conflicts: _Conflicts
) -> tuple[AnsweredLevel, ...]:
    result = list(known)
    for position, level in _matched(known, answered, lambda level: level.number):
        if position is None:
            result.append(level)
        else:
            where = f"level {level.number} of {quoted(dungeon)}"
            result[position] = AnsweredLevel(
                level.number,
                result[position].map_pages + level.map_pages,
                _areas(result[position].areas, level.areas, where, conflicts),
            )
    return tuple(result)


def _matched(
    known: Sequence[T], answered: Sequence[T], identity: Callable[[T], Hashable]
) -> list[tuple[int | None, T]]:
    """Return each answered item with the position of the known one it continues.

    A window continues what was open last, so an item goes on with the latest known one of its identity. A second item
    of that identity in the same answer is another one: two levels that both print "level 1" are two levels.
    """
    latest = {identity(item): position for position, item in enumerate(known)}
    return [(latest.pop(identity(item), None), item) for item in answered]


def _areas(
    known: Sequence[AnsweredArea], answered: Sequence[AnsweredArea], where: str, conflicts: _Conflicts
) -> tuple[AnsweredArea, ...]:
    pairs = _same_areas(known, answered)
    result = list(known)
    for index, area in enumerate(answered):
        if index in pairs:
            result[pairs[index]] = _united(result[pairs[index]], area, where, conflicts)
        else:
            result.append(area)
    return tuple(result)


def _same_areas(known: Sequence[AnsweredArea], answered: Sequence[AnsweredArea]) -> dict[int, int]:
    """Return, for each answered area that is known already, its index and that of the known one; surest pairs first."""
    by_key: dict[str, list[int]] = {}
    for position, area in enumerate(known):
        by_key.setdefault(same_name(area.key), []).append(position)
    pairs: dict[int, int] = {}
    for is_same in (_same_page_and_name, _same_page, _meeting_pages, _known_by_name):
        for index, area in enumerate(answered):
            candidates = by_key.get(same_name(area.key), []) if index not in pairs else []
            found = next((position for position in candidates if is_same(known[position], area)), None)
            if found is not None:
                pairs[index] = found
                candidates.remove(found)
    return pairs | _same_places(known, answered, pairs)


def _same_places(
    known: Sequence[AnsweredArea], answered: Sequence[AnsweredArea], pairs: Mapping[int, int]
) -> dict[int, int]:
    """Return the pairs among areas without a printed key whose names are printed a little otherwise, beside `pairs`."""
    taken = set(pairs.values())
    by_place: dict[str, list[int]] = {}
    for position, area in enumerate(known):
        if position not in taken and _is_its_name(area) and (place := name_key(area.name)):
            by_place.setdefault(place, []).append(position)
    found: dict[int, int] = {}
    for index, area in enumerate(answered):
        if index not in pairs and _is_its_name(area) and (positions := by_place.get(name_key(area.name))):
            found[index] = positions.pop(0)
    return found


def _same_page(known: AnsweredArea, answered: AnsweredArea) -> bool:
    return not set(known.pages).isdisjoint(answered.pages)


def _same_page_and_name(known: AnsweredArea, answered: AnsweredArea) -> bool:
    return _same_page(known, answered) and same_name(known.name) == same_name(answered.name)


def _meeting_pages(known: AnsweredArea, answered: AnsweredArea) -> bool:
    """Whether the later pages go on where the earlier end; an area without pages contradicts nothing."""
    if not known.pages or not answered.pages:
        return True
    return max(known.pages) + 1 == min(answered.pages)


def _known_by_name(known: AnsweredArea, answered: AnsweredArea) -> bool:
    """Whether an area without a printed key is printed again: its name is all that tells it apart, on any page."""
    return _is_its_name(known) and _is_its_name(answered)


def _is_its_name(area: AnsweredArea) -> bool:
    return bool(area.name) and same_name(area.key) == same_name(area.name)


def _united(first: AnsweredArea, second: AnsweredArea, where: str, conflicts: _Conflicts) -> AnsweredArea:
    label = f"area {quoted(first.key)} on {where}"
    kind = second.kind if first.kind is AreaKind.OTHER else first.kind
    if second.kind not in {kind, AreaKind.OTHER}:
        conflicts.add(f"kind of {label}", f"Page windows call {label} {kind.value} and {second.kind.value}.")
    if _known_by_name(first, second):
        name = standing_name(first.name, second.name)
        return AnsweredArea(name, name, first.pages + second.pages, kind)
    if first.name and second.name and same_name(first.name) != same_name(second.name):
        names = f"{quoted(first.name)} and {quoted(second.name)}"
        conflicts.add(f"name of {label}", f"Page windows name {label} {names}; the first stands.")
    return AnsweredArea(first.key, first.name or second.name, first.pages + second.pages, kind)
