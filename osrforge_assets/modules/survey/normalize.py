"""From a merged survey answer to canonical dungeons, levels and areas; every change is flagged, nothing is guessed.

Printed keys and names stay beside the canonical ones. What becomes canonical: ids and keys are distinct slugs, level
numbers count from 1 and are unique in their dungeon, page lists ascend and hold pages that were read.
"""

from collections.abc import Collection, Sequence

from osrforge_assets.contracts.flags import Flag, FlagCode
from osrforge_assets.contracts.survey import SurveyArea, SurveyDungeon, SurveyLevel
from osrforge_assets.modules.level_keys import MAX_LEVEL_NUMBER
from osrforge_assets.modules.printed_text import quoted
from osrforge_assets.modules.survey.reply import AnsweredArea, AnsweredDungeon, AnsweredLevel
from osrforge_resources.keys import slug, unique_slugs

# A careless answer may cite hundreds of pages; a flag names the first few.
_MOST_PAGES_NAMED = 8


def normalized_dungeons(
    answered: Sequence[AnsweredDungeon], pages: Collection[int]
) -> tuple[tuple[SurveyDungeon, ...], tuple[Flag, ...]]:
    """Return the canonical dungeons of an answer and what had to be changed.

    Args:
        answered: Dungeons as answered, merged over windows.
        pages: Numbers of the pages that were read.
    """
    flags: list[Flag] = []
    kept = [dungeon for dungeon in (_without_empty_levels(dungeon, flags) for dungeon in answered) if dungeon.levels]
    ids = unique_slugs((dungeon.name for dungeon in kept), fallback="dungeon")
    dungeons = []
    for dungeon, dungeon_id in zip(kept, ids, strict=True):
        if slug(dungeon.name) not in {dungeon_id, ""}:
            message = f"Another dungeon is called {quoted(dungeon.name)} as well; this one is {dungeon_id}."
            flags.append(Flag(code=FlagCode.NAME_RENAMED, message=message))
        dungeons.append(_dungeon(dungeon, dungeon_id, frozenset(pages), flags))
    return tuple(dungeons), tuple(flags)


def level_numbers(answered: Sequence[int]) -> list[int]:
    """Return one number from 1 up for each level, no two alike: first reserve, then renumber.

    The first level that bears a good number keeps it; each other level gets the next free number after the level
    before it, so printed order is kept where it can be: [1, 1, 2] → [1, 3, 2], [0, 1] → [2, 1].
    """
    taken: set[int] = set()
    good = []
    for number in answered:
        good.append(1 <= number <= MAX_LEVEL_NUMBER and number not in taken)
        taken.update([number] if good[-1] else [])
    result: list[int] = []
    for number, is_good in zip(answered, good, strict=True):
        chosen = number
        if not is_good:
            before = result[-1] if result else 0
            chosen = next(
                free for free in (*range(before + 1, MAX_LEVEL_NUMBER + 1), *range(1, before)) if free not in taken
            )
            taken.add(chosen)
        result.append(chosen)
    return result


def _without_empty_levels(dungeon: AnsweredDungeon, flags: list[Flag]) -> AnsweredDungeon:
    levels = []
    for level in dungeon.levels:
        areas = tuple(area for area in level.areas if area.key)
        if len(areas) < len(level.areas):
            count = len(level.areas) - len(areas)
            message = f"{count} area(s) on {_level_name(dungeon, level.number)} have neither key nor name; left out."
            flags.append(Flag(code=FlagCode.AREA_UNNAMED, message=message))
        if areas:
            levels.append(AnsweredLevel(level.number, level.map_pages, areas))
        else:
            message = f"{_level_name(dungeon, level.number)} has no keyed area; left out."
            flags.append(Flag(code=FlagCode.LEVEL_EMPTY, message=_sentence(message)))
    if not dungeon.levels:
        message = f"The dungeon {quoted(dungeon.name)} has no level; left out."
        flags.append(Flag(code=FlagCode.LEVEL_EMPTY, message=message))
    # A thousandth level has no number left; a dungeon of that size is an answer gone wrong.
    if len(levels) > MAX_LEVEL_NUMBER:
        message = f"Levels beyond {MAX_LEVEL_NUMBER} of {quoted(dungeon.name)} are left out."
        flags.append(Flag(code=FlagCode.LEVEL_EMPTY, message=message))
    return AnsweredDungeon(dungeon.name, tuple(levels[:MAX_LEVEL_NUMBER]))


def _dungeon(dungeon: AnsweredDungeon, dungeon_id: str, pages: frozenset[int], flags: list[Flag]) -> SurveyDungeon:
    numbers = level_numbers([level.number for level in dungeon.levels])
    levels = []
    for level, number in zip(dungeon.levels, numbers, strict=True):
        where = _level_name(dungeon, number)
        if number != level.number:
            message = f"The level answered as {_number(level.number)} is {where}."
            flags.append(Flag(code=FlagCode.LEVEL_RENUMBERED, message=message))
        map_pages = _read_pages(level.map_pages, pages, f"the map of {where}", None, flags)
        levels.append(SurveyLevel(number=number, map_pages=map_pages, areas=_areas(level.areas, pages, where, flags)))
    return SurveyDungeon(id=dungeon_id, name=dungeon.name, levels=tuple(levels))


def _areas(
    answered: Sequence[AnsweredArea], pages: frozenset[int], where: str, flags: list[Flag]
) -> tuple[SurveyArea, ...]:
    keys = unique_slugs((area.key for area in answered), fallback="area")
    areas = []
    for area, key in zip(answered, keys, strict=True):
        if slug(area.key) not in {key, ""}:
            message = f"{_sentence(where)} has another area {quoted(area.key)}; this one is {key}."
            flags.append(Flag(code=FlagCode.KEY_RENAMED, message=message, key=key))
        source_pages = _read_pages(area.pages, pages, f"area {quoted(area.key)} on {where}", key, flags)
        if not source_pages:
            message = f"No page is known for area {quoted(area.key)} on {where}."
            flags.append(Flag(code=FlagCode.AREA_WITHOUT_PAGES, message=message, key=key))
        areas.append(
            SurveyArea(key=key, name=area.name, source_label=area.key, kind=area.kind, source_pages=source_pages)
        )
    return tuple(areas)


def _read_pages(
    cited: Sequence[int], pages: frozenset[int], what: str, key: str | None, flags: list[Flag]
) -> tuple[int, ...]:
    dropped = sorted(set(cited) - pages)
    if dropped:
        named = ", ".join(map(_number, dropped[:_MOST_PAGES_NAMED])) + (", …" if dropped[_MOST_PAGES_NAMED:] else "")
        message = f"Pages cited for {what} were not read or are not in the source: {named}."
        flags.append(Flag(code=FlagCode.PAGES_DROPPED, message=message, key=key))
    return tuple(sorted(set(cited) & pages))


def _level_name(dungeon: AnsweredDungeon, number: int) -> str:
    return f"level {_number(number)} of {quoted(dungeon.name)}"


def _number(number: int) -> str:
    # JSON numbers may have 300 digits; nobody reads them.
    return str(number) if abs(number) < 10**9 else f"{number:.0e}"


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
