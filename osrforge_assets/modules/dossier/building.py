"""The dossier: survey, contents and page texts joined into one document in which every fact names its page.

Every surveyed area appears once, in printed order, whether or not it was answered; what is absent or outdated is a visible
gap. What does not belong here: files and their formats (`rendering.py`), storage, Dagster.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from osrforge_assets.contracts.dossier import (
    Dossier,
    DossierArea,
    DossierDungeon,
    DossierLevel,
    LevelStatus,
    ModuleContents,
)
from osrforge_assets.contracts.flags import Flag, FlagCode
from osrforge_assets.contracts.level import AreaContent, LevelContent
from osrforge_assets.contracts.pages import ModuleSource, PageSet
from osrforge_assets.contracts.survey import SurveyArea, SurveyDungeon, SurveyIndex, SurveyLevel
from osrforge_assets.modules.dossier.connections import DungeonKeys, Place, connection_flags
from osrforge_assets.modules.dossier.grounding import PageLookup, ground_area
from osrforge_assets.modules.dossier.map_keys import map_flags

# Raised when joining, grounding or the written files change what the same survey and contents come to.
DOSSIER_VERSION = "3"

LevelAddress = tuple[str, int]


@dataclass(frozen=True, slots=True)
class _Standing:
    """A level's status and, where it is current, its content."""

    status: LevelStatus
    content: LevelContent | None = None


_GAPS = {
    LevelStatus.ABSENT: (FlagCode.LEVEL_ABSENT, "The area's level has not been read yet."),
    LevelStatus.OUTDATED: (FlagCode.LEVEL_OUTDATED, "The area's level was read for an older plan and is due again."),
}
_MISSING = (FlagCode.AREA_MISSING, "The survey lists the area, but nothing was answered about it.")
_SAYS_WHY = {FlagCode.AREA_MISSING, FlagCode.AREA_NOT_ASKED}


def build_dossier(
    source: ModuleSource,
    page_set: PageSet,
    index: SurveyIndex,
    contents: ModuleContents,
    levels: Mapping[LevelAddress, LevelContent],
    page_texts: Callable[[int], str],
) -> Dossier:
    """Join what is known of a module.

    Args:
        source: The registered source.
        page_set: Its pages as read.
        index: Its survey.
        contents: The manifest of its levels, which says whose content stands.
        levels: Content by dungeon id and level number; content that the manifest does not call current is ignored.
        page_texts: Returns the reading-order text of a page of the page set.
    """
    lookup = PageLookup(_text_with_labels(page_set, page_texts))
    dungeons = tuple(_dungeon(dungeon, contents, levels, lookup) for dungeon in index.dungeons)
    return Dossier(
        module=source.module,
        source_name=source.name,
        source=source.sha256,
        source_pages=page_set.source_pages,
        title=index.title,
        description=index.description,
        hooks=index.hooks,
        town=index.town,
        dungeons=dungeons,
        monster_names=_monster_names(index, dungeons),
        disputes=index.disputes,
        flags=_document_flags(page_set, index),
    )


def all_flags(dossier: Dossier) -> list[Flag]:
    """Return every flag of a dossier once: the document's, then each level's and its areas' in printed order."""
    flags = list(dossier.flags)
    for dungeon in dossier.dungeons:
        for level in dungeon.levels:
            flags += level.flags
            for area in level.areas:
                flags += area.flags
    return flags


def _text_with_labels(page_set: PageSet, page_texts: Callable[[int], str]) -> Callable[[int], str]:
    pages = {page.number: page for page in page_set.pages}

    def text(number: int) -> str:
        if number not in pages:
            return ""
        # A creature may be named only in the map's own lettering, which the reading order leaves out.
        return "\n\n".join([page_texts(number), *pages[number].labels])

    return text


def _dungeon(
    dungeon: SurveyDungeon,
    contents: ModuleContents,
    levels: Mapping[LevelAddress, LevelContent],
    lookup: PageLookup,
) -> DossierDungeon:
    standings = {level.number: _standing(dungeon.id, level, contents, levels) for level in dungeon.levels}
    answers = {
        number: {area.key: area for area in standing.content.areas}
        for number, standing in standings.items()
        if standing.content is not None
    }
    doubts = connection_flags(DungeonKeys.of(dungeon), answers)
    return DossierDungeon(
        id=dungeon.id,
        name=dungeon.name,
        levels=tuple(_level(level, standings[level.number], doubts, lookup) for level in dungeon.levels),
    )


def _standing(
    dungeon_id: str, level: SurveyLevel, contents: ModuleContents, levels: Mapping[LevelAddress, LevelContent]
) -> _Standing:
    address = (dungeon_id, level.number)
    entry = next((entry for entry in contents.levels if (entry.dungeon_id, entry.level_number) == address), None)
    content = levels.get(address)
    if entry is None or (entry.status is LevelStatus.CURRENT and content is None):
        return _Standing(LevelStatus.ABSENT)
    if entry.status is not LevelStatus.CURRENT or content is None:
        return _Standing(entry.status)
    # Answers for keys that the survey does not have belong to another survey, whatever the manifest says.
    if content.plan != entry.plan or not {area.key for area in content.areas} <= {area.key for area in level.areas}:
        return _Standing(LevelStatus.OUTDATED)
    return _Standing(LevelStatus.CURRENT, content)


def _level(
    level: SurveyLevel, standing: _Standing, doubts: Mapping[Place, list[Flag]], lookup: PageLookup
) -> DossierLevel:
    content = standing.content
    answers = {area.key: area for area in content.areas} if content is not None else {}
    keys = {area.key for area in level.areas}
    noted = content.flags if content is not None else ()
    # A level none of whose areas were answered has as many flags as areas.
    by_key: defaultdict[str | None, list[Flag]] = defaultdict(list)
    for flag in noted:
        by_key[flag.key].append(flag)
    areas = []
    for area in level.areas:
        flags = by_key[area.key]
        if (answer := answers.get(area.key)) is None:
            areas.append(_gap(area, standing.status, flags))
        else:
            areas.append(_answered(area, answer, flags + doubts.get((level.number, area.key), []), lookup))
    return DossierLevel(
        number=level.number,
        map_pages=level.map_pages,
        status=standing.status,
        areas=tuple(areas),
        flags=tuple(flag for flag in noted if flag.key not in keys),
    )


def _answered(area: SurveyArea, answer: AreaContent, flags: list[Flag], lookup: PageLookup) -> DossierArea:
    pages = answer.source_pages or area.source_pages
    grounding, unfounded = ground_area(answer, pages, lookup)
    return DossierArea(
        key=area.key,
        name=area.name,
        source_label=area.source_label,
        kind=area.kind,
        source_pages=pages,
        answered=True,
        description=answer.description,
        encounters=answer.encounters,
        trap=answer.trap,
        treasure=answer.treasure,
        features=answer.features,
        connections=answer.connections,
        confidence=answer.confidence,
        flags=tuple(flags + unfounded),
        grounding=tuple(grounding),
    )


def _gap(area: SurveyArea, status: LevelStatus, flags: list[Flag]) -> DossierArea:
    """Return an area without content; at least one flag says why."""
    if not any(flag.code in _SAYS_WHY for flag in flags):
        code, message = _GAPS.get(status, _MISSING)
        flags = [*flags, Flag(code=code, message=message, key=area.key)]
    return DossierArea(
        key=area.key,
        name=area.name,
        source_label=area.source_label,
        kind=area.kind,
        source_pages=area.source_pages,
        answered=False,
        description="",
        encounters=(),
        trap=None,
        treasure=(),
        features=(),
        connections=(),
        confidence=None,
        flags=tuple(flags),
        grounding=(),
    )


def _document_flags(page_set: PageSet, index: SurveyIndex) -> tuple[Flag, ...]:
    flags = [*page_set.flags]
    for page in page_set.pages:
        flags += [
            flag if flag.page is not None else flag.model_copy(update={"page": page.number}) for flag in page.flags
        ]
    flags += [*index.flags, *map_flags(page_set, index)]
    if not index.dungeons and all(flag.code is not FlagCode.NO_KEYED_AREAS for flag in flags):
        flags.append(Flag(code=FlagCode.NO_KEYED_AREAS, message="Nothing in the source is a keyed area."))
    return tuple(flags)


def _monster_names(index: SurveyIndex, dungeons: tuple[DossierDungeon, ...]) -> tuple[str, ...]:
    keyed = [
        encounter.monster
        for dungeon in dungeons
        for level in dungeon.levels
        for area in level.areas
        for encounter in area.encounters
    ]
    names: dict[str, str] = {}
    for name in [*index.monster_names, *keyed]:
        names.setdefault(name.casefold(), name)
    return tuple(names.values())
