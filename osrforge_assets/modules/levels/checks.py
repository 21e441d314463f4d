"""Asset checks of a level's content.

One run makes any list of levels in one step, and a check of its own would run once, for the partition the run was
launched for. So the step itself logs the evaluations, level by level, with the materialization that each is about.
"""

import dagster as dg

from osrforge_assets.contracts.level import LevelContent, LevelPlan
from osrforge_assets.escaping import markdown_table
from osrforge_assets.modules.levels.promises import count_faults, unanswered_keys, unplanned_keys
from osrforge_assets.partitions import LEVELS
from osrforge_resources.asset_events import check_evaluation, newest_materialization

ANSWERED = dg.AssetCheckSpec(
    "every_key_is_answered",
    asset="level_content",
    description="Every key that the survey lists for the level has an answer, and no other key has one.",
    partitions_def=LEVELS,
)
COUNTS = dg.AssetCheckSpec(
    "counts_are_valid",
    asset="level_content",
    description="Every count of monsters is one number or one dice expression that can come to one or more.",
    partitions_def=LEVELS,
)
LEVEL_CHECKS = [ANSWERED, COUNTS]


def level_evaluations(
    instance: dg.DagsterInstance, key: str, plan: LevelPlan, content: LevelContent
) -> list[dg.AssetCheckEvaluation]:
    """Return the evaluations of a level whose content has just been recorded."""
    target = newest_materialization(instance, "level_content", key)
    unanswered, unplanned, faults = (
        *(unanswered_keys(plan, content), unplanned_keys(plan, content)),
        count_faults(content),
    )
    return [
        check_evaluation(
            ANSWERED,
            key,
            passed=not unanswered and not unplanned,
            target=target,
            metadata={
                "asked": len(plan.areas),
                "answered": len(content.areas),
                "unanswered": dg.MetadataValue.text(", ".join(unanswered[:50]) or "none"),
                "never_asked": dg.MetadataValue.text(", ".join(unplanned[:50]) or "none"),
            },
        ),
        check_evaluation(
            COUNTS,
            key,
            passed=not faults,
            target=target,
            severity=dg.AssetCheckSeverity.WARN,
            metadata={
                "encounters": sum(len(area.encounters) for area in content.areas),
                "faults": dg.MetadataValue.md(markdown_table(("area", "monster", "count"), faults[:50])),
            },
        ),
    ]
