"""`module_contents`, the manifest of a module's finished levels: the same-partition input of its dossier.

Dagster is silently FRESH over 100 or more upstream partitions, so a dossier does not depend on its levels one by one
but on this one document, whose digest changes exactly when a level's plan or content does.
"""

from collections.abc import Collection

from osrforge_assets.contracts.dossier import ContentsEntry, LevelStatus, ModuleContents
from osrforge_assets.contracts.level import LevelContent, LevelPlan
from osrforge_assets.contracts.survey import SurveyIndex
from osrforge_assets.modules.level_keys import level_partition
from osrforge_resources.io_manager import find_document, read_document, usable_document
from osrforge_resources.store import Store


def contents_of(store: Store, index: SurveyIndex) -> ModuleContents:
    """Return the manifest of a survey's levels from what the store holds."""
    keys = [
        level_partition(index.module, dungeon.id, level.number)
        for dungeon in index.dungeons
        for level in dungeon.levels
    ]
    # A level that a person retired has no plan until the module is surveyed again; the dossier shows it as a gap.
    levels = [_entry(store, key, plan) for key in keys if (plan := find_document(store, "level_plan", key, LevelPlan))]
    return ModuleContents(module=index.module, survey=index.digest(), levels=tuple(levels))


def refreshed_contents(store: Store, module: str, levels: Collection[str]) -> ModuleContents:
    """Return a module's manifest with the entries of these levels taken anew; call it under the module's lock.

    Only those entries are read again: a run of a hundred levels would otherwise read ten thousand documents.
    """
    contents = usable_document(store, "module_contents", module, ModuleContents)
    if contents is None or not {entry.level for entry in contents.levels}.issuperset(levels):
        return contents_of(store, read_document(store, "survey_index", module, SurveyIndex))
    entries = tuple(
        _entry(store, entry.level, read_document(store, "level_plan", entry.level, LevelPlan))
        if entry.level in levels
        else entry
        for entry in contents.levels
    )
    return contents.model_copy(update={"levels": entries})


def has_filled_gaps(store: Store, contents: ModuleContents) -> bool:
    """Whether a level that the manifest calls absent or outdated is in the store as it should be.

    A run that is killed after a level's document and before the manifest leaves one. Mostly the level has no event then
    and is asked again; where its older event is of the same content, nothing else would ever enter it.
    """
    gaps = [entry for entry in contents.levels if entry.status is not LevelStatus.CURRENT]
    plans = [(gap, usable_document(store, "level_plan", gap.level, LevelPlan)) for gap in gaps]
    return any(plan is not None and _entry(store, gap.level, plan) != gap for gap, plan in plans)


def _entry(store: Store, level: str, plan: LevelPlan) -> ContentsEntry:
    # A damaged document is absent here: the level is asked again, and the survey of its neighbours goes on.
    content = usable_document(store, "level_content", level, LevelContent)
    if content is None:
        status = LevelStatus.ABSENT
    else:
        status = LevelStatus.CURRENT if content.plan == plan.digest() else LevelStatus.OUTDATED
    return ContentsEntry(
        level=level,
        dungeon_id=plan.dungeon_id,
        level_number=plan.level_number,
        status=status,
        plan=plan.digest(),
        content=content.digest() if content is not None else None,
    )
