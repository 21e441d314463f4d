"""Asset checks of a survey: its second reading agrees, and every area it lists can be asked about."""

import dagster as dg

from osrforge_assets.contracts.survey import SurveyIndex
from osrforge_assets.escaping import markdown_table
from osrforge_assets.partitions import MODULES


@dg.asset_check(
    asset="survey_index",
    description="The second, cheaper reading counts the same dungeons, levels, first and last keys.",
    partitions_def=MODULES,
)
def survey_agrees_with_census(survey_index: SurveyIndex) -> dg.AssetCheckResult:
    """Show where the readings differ; which of them is right only a look at the book can tell."""
    disputes = survey_index.disputes
    rows = [(dispute.subject, dispute.survey, dispute.census) for dispute in disputes[:50]]
    return dg.AssetCheckResult(
        passed=not disputes,
        severity=dg.AssetCheckSeverity.WARN,
        metadata={
            "disputes": len(disputes),
            "dispute_table": dg.MetadataValue.md(markdown_table(("subject", "survey", "census"), rows)),
        },
    )


@dg.asset_check(
    asset="survey_index",
    description="The module has keyed areas, and each names the pages to read it from.",
    partitions_def=MODULES,
)
def areas_have_pages(survey_index: SurveyIndex) -> dg.AssetCheckResult:
    """Count the areas, and those without a page."""
    areas = [
        (f"{dungeon.id} {level.number}", area)
        for dungeon in survey_index.dungeons
        for level in dungeon.levels
        for area in level.areas
    ]
    without = [f"{level} {area.key}" for level, area in areas if not area.source_pages]
    return dg.AssetCheckResult(
        passed=bool(areas) and not without,
        severity=dg.AssetCheckSeverity.WARN,
        metadata={
            "areas": len(areas),
            "without_pages": len(without),
            "areas_without_pages": dg.MetadataValue.text(", ".join(without[:50]) or "none"),
        },
    )


SURVEY_CHECKS = [survey_agrees_with_census, areas_have_pages]
