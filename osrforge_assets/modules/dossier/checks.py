"""Asset checks of a dossier: every level is in it, its facts are printed where it says, its ways out lead somewhere."""

import dagster as dg

from osrforge_assets.contracts.dossier import Dossier, DossierArea, DossierLevel, GroundingStatus, LevelStatus
from osrforge_assets.contracts.flags import FlagCode
from osrforge_assets.escaping import markdown_table
from osrforge_assets.modules.levels.promises import count_faults
from osrforge_assets.partitions import MODULES

_MOST_SHOWN = 50


@dg.asset_check(
    asset="module_dossier",
    description="Every surveyed level has content that answers its current plan, and every area in it an answer.",
    partitions_def=MODULES,
)
def every_level_is_current(module_dossier: Dossier) -> dg.AssetCheckResult:
    """List the gaps."""
    gaps = [
        (f"{dungeon} {level.number}", level.status.value)
        for dungeon, level in _levels(module_dossier)
        if level.status is not LevelStatus.CURRENT
    ]
    areas = [area for _, level in _levels(module_dossier) for area in level.areas]
    unanswered = sum(not area.answered for area in areas)
    return dg.AssetCheckResult(
        passed=not gaps and not unanswered,
        metadata={
            "areas": len(areas),
            "unanswered": unanswered,
            "gaps": dg.MetadataValue.md(markdown_table(("level", "content"), gaps[:_MOST_SHOWN])),
        },
    )


@dg.asset_check(
    asset="module_dossier",
    description="Monsters, treasure and descriptions are printed on the pages they cite.",
    partitions_def=MODULES,
)
def facts_are_on_their_pages(module_dossier: Dossier) -> dg.AssetCheckResult:
    """Count the look-ups; facts of pages without text were not looked up and are counted apart."""
    facts = [(where, fact) for where, area in _areas(module_dossier) for fact in area.grounding]
    missing = [(where, fact.fact, fact.value[:80]) for where, fact in facts if fact.status is GroundingStatus.NOT_FOUND]
    found = sum(fact.status is GroundingStatus.FOUND for _, fact in facts)
    looked_up = found + len(missing)
    return dg.AssetCheckResult(
        passed=not missing,
        severity=dg.AssetCheckSeverity.WARN,
        metadata={
            "found": found,
            "not_found": len(missing),
            "without_text": len(facts) - looked_up,
            "share_found": found / looked_up if looked_up else 1.0,
            "not_found_list": dg.MetadataValue.md(markdown_table(("area", "fact", "value"), missing[:_MOST_SHOWN])),
        },
    )


@dg.asset_check(
    asset="module_dossier",
    description="Every count of monsters is one number or one dice expression that can come to one or more.",
    partitions_def=MODULES,
)
def counts_are_valid(module_dossier: Dossier) -> dg.AssetCheckResult:
    """List the counts that nobody can roll."""
    areas = _areas(module_dossier)
    faults = [(where, *fault) for where, area in areas for fault in count_faults(area.encounters)]
    return dg.AssetCheckResult(
        passed=not faults,
        severity=dg.AssetCheckSeverity.WARN,
        metadata={
            "encounters": sum(len(area.encounters) for _, area in areas),
            "faults": len(faults),
            "fault_list": dg.MetadataValue.md(markdown_table(("area", "monster", "count"), faults[:_MOST_SHOWN])),
        },
    )


@dg.asset_check(
    asset="module_dossier",
    description="Every connection leads to an area or level that the module has.",
    partitions_def=MODULES,
)
def connections_lead_somewhere(module_dossier: Dossier) -> dg.AssetCheckResult:
    """List the connections whose target nobody knows."""
    return _connections(module_dossier, FlagCode.CONNECTION_UNRESOLVED)


@dg.asset_check(
    asset="module_dossier",
    description="Every connection between two areas is known to both of them.",
    partitions_def=MODULES,
)
def connections_are_mutual(module_dossier: Dossier) -> dg.AssetCheckResult:
    """List the connections that only one side mentions; printed texts often do so on purpose."""
    return _connections(module_dossier, FlagCode.CONNECTION_ONE_WAY)


DOSSIER_CHECKS = [
    every_level_is_current,
    facts_are_on_their_pages,
    counts_are_valid,
    connections_lead_somewhere,
    connections_are_mutual,
]


def _connections(dossier: Dossier, code: FlagCode) -> dg.AssetCheckResult:
    areas = _areas(dossier)
    doubts = [(where, flag.message) for where, area in areas for flag in area.flags if flag.code is code]
    return dg.AssetCheckResult(
        passed=not doubts,
        severity=dg.AssetCheckSeverity.WARN,
        metadata={
            "connections": sum(len(area.connections) for _, area in areas),
            "doubts": len(doubts),
            "doubt_list": dg.MetadataValue.md(markdown_table(("area", "what"), doubts[:_MOST_SHOWN])),
        },
    )


def _levels(dossier: Dossier) -> list[tuple[str, DossierLevel]]:
    return [(dungeon.id, level) for dungeon in dossier.dungeons for level in dungeon.levels]


def _areas(dossier: Dossier) -> list[tuple[str, DossierArea]]:
    return [
        (f"{dungeon} {level.number}, {area.key}", area) for dungeon, level in _levels(dossier) for area in level.areas
    ]
