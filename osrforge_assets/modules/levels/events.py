"""The events of plans, contents and manifests: what Dagster records of them, and what the UI shows with them."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import dagster as dg

from osrforge_assets.code_versions import CodeVersions
from osrforge_assets.contracts.dossier import LevelStatus, ModuleContents
from osrforge_assets.contracts.level import Encounter, LevelContent, LevelPlan
from osrforge_assets.escaping import markdown_table
from osrforge_assets.modules.flag_list import flag_list
from osrforge_resources.asset_events import InputState, materialization
from osrforge_resources.call_meter import CallMeter
from osrforge_resources.store import Store

# What the event log keeps of every materialization: a hundred rows are about 8 KB.
_TABLE_ROWS = 100


@dataclass(frozen=True, slots=True)
class Extracted:
    """A level that was asked and whose content is in the store, but not yet in the event log.

    Attributes:
        key: The level's partition key.
        plan: What was asked.
        content: What was answered.
        meter: What it cost.
        sheet: Thumbnails of its pages as a Markdown image, "" where they have no render.
    """

    key: str
    plan: LevelPlan
    content: LevelContent
    meter: CallMeter
    sheet: str


def plan_event(key: str, plan: LevelPlan, versions: CodeVersions) -> dg.AssetMaterialization:
    """Return the event of a level's plan, whoever derived it; its edge to the survey carries no version."""
    metadata = {
        "areas": len(plan.areas),
        "batches": len(plan.batches),
        "pages": dg.MetadataValue.text(", ".join(str(page.number) for page in plan.pages) or "none"),
    }
    return materialization(
        "level_plan", key, data_version=plan.digest(), code_version=versions.level_plan, metadata=metadata
    )


def content_event(store: Store, level: Extracted, state: InputState, versions: CodeVersions) -> dg.AssetMaterialization:
    """Return the event of a level that was asked, with what a person wants to look at."""
    content = level.content
    names = {area.key: area.name for area in level.plan.areas}
    rows = [
        (
            *(area.key, names.get(area.key, ""), ", ".join(map(_encounter, area.encounters)) or "-"),
            *(len(area.treasure), len(area.connections), _pages(area.source_pages)),
        )
        for area in content.areas[:_TABLE_ROWS]
    ]
    metadata = {
        "areas": len(content.areas),
        "missing": len(content.missing),
        "encounters": sum(len(area.encounters) for area in content.areas),
        "treasure": sum(len(area.treasure) for area in content.areas),
        "flags": len(content.flags),
        "flag_list": dg.MetadataValue.md(flag_list(content.flags)),
        "area_table": dg.MetadataValue.md(
            markdown_table(("area", "name", "encounters", "treasure", "connections", "pages"), rows)
        ),
        "page_sheet": dg.MetadataValue.md(level.sheet or "none"),
        "dagster/row_count": len(content.areas),
        "dagster/uri": str(store.asset_path("level_content", level.key)),
        **level.meter.metadata(),
    }
    return materialization(
        "level_content",
        level.key,
        data_version=content.digest(),
        code_version=versions.level_content,
        inputs=[state],
        metadata=metadata,
    )


def _encounter(encounter: Encounter) -> str:
    count = encounter.count_dice or encounter.count_fixed
    return f"{encounter.monster[:60]} ({count})" if count is not None else encounter.monster[:60]


def _pages(pages: Sequence[int]) -> str:
    return ", ".join(map(str, pages)) or "none"


def contents_event(contents: ModuleContents, versions: CodeVersions) -> dg.AssetMaterialization:
    """Return the event of a module's manifest, whoever brought it up to date."""
    return materialization(
        "module_contents",
        contents.module,
        data_version=contents.digest(),
        code_version=versions.module_contents,
        metadata=contents_metadata(contents),
    )


def contents_metadata(contents: ModuleContents) -> dict[str, Any]:
    """Return what the UI shows of a manifest: how many levels stand how, and those that are gaps."""
    statuses = Counter(entry.status for entry in contents.levels)
    gaps = [(entry.level, entry.status.value) for entry in contents.levels if entry.status is not LevelStatus.CURRENT]
    return {
        "levels": len(contents.levels),
        **{status.value: statuses[status] for status in LevelStatus},
        "gaps": dg.MetadataValue.md(markdown_table(("level", "content"), gaps[:_TABLE_ROWS]) if gaps else "none"),
    }
