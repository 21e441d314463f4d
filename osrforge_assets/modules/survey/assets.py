"""`survey_index`: which dungeons, levels and keyed areas a module prints. It also registers the levels it finds.

This is the bridge between the partition sets of modules and levels: the survey writes each level's plan, registers the
level, and reports the plan's version, so that only levels whose requests changed become stale.
"""

from collections.abc import Sequence
from typing import Any

import dagster as dg

from osrforge_assets.code_versions import CodeVersions
from osrforge_assets.code_versions import code_versions as versions_with
from osrforge_assets.contracts.level import LevelPlan
from osrforge_assets.contracts.pages import PageSet
from osrforge_assets.contracts.survey import SurveyIndex
from osrforge_assets.escaping import markdown_table
from osrforge_assets.modules.contents import contents_of
from osrforge_assets.modules.flag_list import flag_list
from osrforge_assets.modules.level_keys import level_partition, levels_of
from osrforge_assets.modules.levels.events import contents_event, plan_event
from osrforge_assets.modules.levels.planning import plan_levels
from osrforge_assets.modules.levels.retiring import restore_level, retire_level
from osrforge_assets.modules.page_loading import load_page
from osrforge_assets.modules.survey.reading import survey_module
from osrforge_assets.modules.survey.whole_modules import survey_window
from osrforge_assets.partitions import LEVEL_SET, MODULES
from osrforge_assets.settings import Settings
from osrforge_resources.asset_events import CODE_VERSION, is_reported
from osrforge_resources.budget import Budget
from osrforge_resources.call_meter import CallMeter
from osrforge_resources.model_provider import ModelProvider
from osrforge_resources.progress import Progress
from osrforge_resources.run_tags import tag_spending
from osrforge_resources.step_failures import expected_failures, report_spending, spending_run
from osrforge_resources.store import Store


@dg.asset(
    description="Dungeons, levels and keyed areas with their pages, read twice; registers a partition for each level.",
    group_name="modules",
    kinds={"json"},
    owners=["team:osrforge"],
    partitions_def=MODULES,
    io_manager_key="documents",
    pool="model_requests",
)
def survey_index(
    context: dg.AssetExecutionContext,
    page_renders: PageSet,
    store: dg.ResourceParam[Store],
    settings: dg.ResourceParam[Settings],
    model_provider: dg.ResourceParam[ModelProvider],
    budget: dg.ResourceParam[Budget],
    progress: dg.ResourceParam[Progress],
) -> dg.Output[SurveyIndex]:
    """Survey a module, plan its levels, and hand the levels over to their own partitions."""
    versions = versions_with(settings, model_provider)  # of who answers this run, which its config may have chosen
    meter = CallMeter(model_provider, account=budget.account(spending_run(context.run), page_renders.module))
    with expected_failures(
        retry_number=context.retry_number,
        meter=meter,
        before_retry=lambda: report_spending(context, "survey_index", meter.spending),
    ):
        index = survey_module(
            page_renders,
            load_page(store),
            meter.generate,
            survey_pages=survey_window(settings, model_provider),
            census_pages=settings.census_pages,
            on_answer=lambda done, total: progress("survey", done, total),
        )
        plans = plan_levels(index, page_renders, load_page(store), settings.batch_pages)
        publish_levels(context, store, index, plans, versions)
    tag_spending(context.instance, context.run_id, meter.spending)
    return dg.Output(
        index,
        data_version=dg.DataVersion(index.digest()),
        tags={CODE_VERSION: versions.survey_index},
        metadata=_metadata(index, meter),
    )


def publish_levels(
    context: dg.AssetExecutionContext,
    store: Store,
    index: SurveyIndex,
    plans: Sequence[LevelPlan],
    versions: CodeVersions,
) -> None:
    """Make a module's level partitions exactly those of its survey, each with its current plan."""
    module = index.module
    planned = {level_partition(module, plan.dungeon_id, plan.level_number): plan for plan in plans}
    known = set(levels_of(module, context.instance.get_dynamic_partitions(LEVEL_SET)))
    with store.lock(f"contents--{module}"):
        for key in sorted(known - planned.keys()):
            retire_level(store, key)
            context.instance.delete_dynamic_partition(LEVEL_SET, key)
            context.log.info("%s is no longer surveyed; its data is kept under retired/.", key)
        for key, plan in planned.items():
            store.write_asset("level_plan", key, plan.canonical_json())
            if key not in known:
                restore_level(store, key)
        context.instance.add_dynamic_partitions(LEVEL_SET, [key for key in planned if key not in known])
        for key, plan in planned.items():
            event = plan_event(key, plan, versions)
            # A plan that says what it said is news to nobody; an event costs 20 ms, a look a tenth of it.
            if not is_reported(context.instance, event):
                context.log_event(event)
        contents = contents_of(store, index)
        store.write_asset("module_contents", module, contents.canonical_json())
        event = contents_event(contents, versions)
        if not is_reported(context.instance, event):
            context.log_event(event)


def _metadata(index: SurveyIndex, meter: CallMeter) -> dict[str, Any]:
    levels = [(dungeon, level) for dungeon in index.dungeons for level in dungeon.levels]
    rows = [
        (dungeon.name, level.number, area.source_label, area.name, ", ".join(map(str, area.source_pages)))
        for dungeon, level in levels
        for area in level.areas
    ]
    disputes = [(dispute.subject, dispute.survey, dispute.census) for dispute in index.disputes]
    return {
        "dungeons": len(index.dungeons),
        "levels": len(levels),
        "areas": len(rows),
        # The event log keeps every materialization's metadata: 200 rows are about 15 KB.
        "area_table": dg.MetadataValue.md(markdown_table(("dungeon", "level", "key", "name", "pages"), rows[:200])),
        "disputes": len(disputes),
        "dispute_table": dg.MetadataValue.md(markdown_table(("subject", "survey", "census"), disputes[:50])),
        "flags": len(index.flags),
        "flag_list": dg.MetadataValue.md(flag_list(index.flags)),
        **meter.metadata(),
    }
