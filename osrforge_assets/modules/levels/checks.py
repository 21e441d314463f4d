"""Asset check of a level's content.

One run makes any list of levels in one step, and a check of its own would run once, for the partition the run was
launched for. So the step itself logs the evaluations, level by level, with the materialization that each is about. An
evaluation costs as much as the materialization, so what can be looked at in the whole module is a check of its dossier.
"""

import dagster as dg

from osrforge_assets.contracts.level import LevelContent, LevelPlan
from osrforge_assets.modules.levels.promises import unanswered_keys, unplanned_keys
from osrforge_assets.partitions import LEVELS
from osrforge_resources.asset_events import check_evaluation, checked_materialization

ANSWERED = dg.AssetCheckSpec(
    "every_key_is_answered",
    asset="level_content",
    description="Every key that the survey lists for the level has an answer, and no other key has one.",
    partitions_def=LEVELS,
)
LEVEL_CHECKS = [ANSWERED]


def level_evaluation(
    key: str, plan: LevelPlan, content: LevelContent, made: dg.EventLogRecord | None
) -> dg.AssetCheckEvaluation:
    """Return the evaluation of a level's content.

    Args:
        key: The level's partition key.
        plan: What was asked.
        content: What was answered.
        made: The content's newest materialization.
    """
    unanswered, unplanned = unanswered_keys(plan, content), unplanned_keys(plan, content)
    return check_evaluation(
        ANSWERED,
        key,
        passed=not unanswered and not unplanned,
        target=checked_materialization(made) if made is not None else None,
        metadata={
            "asked": len(plan.areas),
            "answered": len(content.areas),
            "unanswered": dg.MetadataValue.text(", ".join(unanswered[:50]) or "none"),
            "never_asked": dg.MetadataValue.text(", ".join(unplanned[:50]) or "none"),
        },
    )
