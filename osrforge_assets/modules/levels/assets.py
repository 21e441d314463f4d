"""`level_plan` and `level_content`: what is asked about a level, and the answers.

Both run any list of levels in one run: `keys` in the run's config, or the partitions the run was launched for. Each
level is recorded as it finishes, so one that fails keeps the others. The bodies yield nothing: returning a result
beside logged events would overwrite every level's version with one that all share.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed

import dagster as dg
from pydantic import Field

from osrforge_assets.code_versions import CodeVersions
from osrforge_assets.contracts.level import LevelContent, LevelPlan
from osrforge_assets.contracts.pages import PageSet
from osrforge_assets.contracts.survey import SurveyIndex
from osrforge_assets.escaping import markdown_table
from osrforge_assets.modules.contents import refreshed_contents
from osrforge_assets.modules.flag_list import flag_list
from osrforge_assets.modules.level_keys import split_level_partition
from osrforge_assets.modules.levels.extraction import extract_level
from osrforge_assets.modules.levels.planning import plan_level
from osrforge_assets.modules.page_loading import load_page, load_plan_page
from osrforge_assets.partitions import LEVELS, LINEAGE_ONLY
from osrforge_assets.settings import Settings
from osrforge_resources.asset_events import InputState, input_state, made_in_run, materialization
from osrforge_resources.call_meter import CallMeter
from osrforge_resources.failures import OsrforgeError
from osrforge_resources.io_manager import read_document
from osrforge_resources.model_provider import ModelProvider
from osrforge_resources.progress import Progress
from osrforge_resources.run_tags import tag_spending
from osrforge_resources.step_failures import combined_failure, expected_failures, retry_once
from osrforge_resources.store import Store
from osrforge_resources.usage import Spending


class LevelKeys(dg.Config):
    """Which levels a run is for."""

    keys: list[str] = Field(
        default_factory=list,
        description="Level partitions to make in this run; empty for the partitions the run was launched for.",
    )


@dg.multi_asset(
    name="level_plan",
    specs=[
        dg.AssetSpec(
            "level_plan",
            description="The requests of one level: areas, pages and the digests of their text and image.",
            group_name="modules",
            kinds={"json"},
            owners=["team:osrforge"],
            deps=[dg.AssetDep("survey_index", partition_mapping=LINEAGE_ONLY)],
            skippable=True,
        )
    ],
    partitions_def=LEVELS,
    backfill_policy=dg.BackfillPolicy.single_run(),
)
def level_plan(
    context: dg.AssetExecutionContext,
    config: LevelKeys,
    store: dg.ResourceParam[Store],
    settings: dg.ResourceParam[Settings],
    code_versions: dg.ResourceParam[CodeVersions],
) -> Iterator[dg.MaterializeResult]:
    """Derive each level's plan again from its module's survey and pages; no call is made."""
    with expected_failures():
        for key in config.keys or context.partition_keys:
            module, dungeon, number = split_level_partition(key)
            index = read_document(store, "survey_index", module, SurveyIndex)
            pages = read_document(store, "page_renders", module, PageSet)
            plan = plan_level(index, pages, load_page(store), settings.batch_pages, dungeon_id=dungeon, number=number)
            store.write_asset("level_plan", key, plan.canonical_json())
            context.log_event(plan_event(key, plan, code_versions))
            report_contents(context, store, key, code_versions)
    yield from ()


@dg.multi_asset(
    name="level_content",
    specs=[
        dg.AssetSpec(
            "level_content",
            description="Every keyed area of one level: description, encounters, trap, treasure, features, connections.",
            group_name="modules",
            kinds={"json"},
            owners=["team:osrforge"],
            deps=["level_plan"],
            skippable=True,
        )
    ],
    partitions_def=LEVELS,
    backfill_policy=dg.BackfillPolicy.single_run(),
    pool="model_requests",
)
def level_content(
    context: dg.AssetExecutionContext,
    config: LevelKeys,
    store: dg.ResourceParam[Store],
    settings: dg.ResourceParam[Settings],
    model_provider: dg.ResourceParam[ModelProvider],
    code_versions: dg.ResourceParam[CodeVersions],
    progress: dg.ResourceParam[Progress],
) -> Iterator[dg.MaterializeResult]:
    """Ask every wanted level's batches, several levels at a time, and record each level as it finishes."""
    keys = list(config.keys or context.partition_keys)
    if context.retry_number:
        keys = [key for key in keys if not made_in_run(context.instance, "level_content", key, context.run_id)]
    failures: dict[str, OsrforgeError] = {}
    spent = Spending()
    pool = ThreadPoolExecutor(max_workers=settings.requests_in_flight, thread_name_prefix="level")
    try:
        waiting: dict[Future[tuple[LevelContent, CallMeter]], tuple[str, InputState]] = {}
        for key in keys:
            state = input_state(context.instance, "level_plan", key)
            waiting[pool.submit(_extract, store, model_provider, key)] = (key, state)
        for done, future in enumerate(as_completed(waiting), start=1):
            key, state = waiting[future]
            try:
                content, meter = future.result()
                spent += meter.spending
                store.write_asset("level_content", key, content.canonical_json())
            except OsrforgeError as failure:
                failures[key] = failure
                context.log.error("%s: %s", key, failure)
            else:
                context.log_event(_content_event(store, key, content, meter, state, code_versions))
                report_contents(context, store, key, code_versions)
            progress("levels", done, len(keys))
    finally:
        # After a cancelled run or a bug no further level is begun; the calls under way end and their answers are kept.
        pool.shutdown(wait=True, cancel_futures=True)
        tag_spending(context.instance, context.run_id, spent)
    if failures:
        retry_once(failures.values(), context.retry_number)
        raise combined_failure(failures, of=len(keys), what="levels")
    yield from ()


def _extract(store: Store, provider: ModelProvider, key: str) -> tuple[LevelContent, CallMeter]:
    plan = read_document(store, "level_plan", key, LevelPlan)
    meter = CallMeter(provider)
    return extract_level(plan, load_plan_page(store), meter.generate), meter


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


def _content_event(
    store: Store, key: str, content: LevelContent, meter: CallMeter, state: InputState, versions: CodeVersions
) -> dg.AssetMaterialization:
    rows = [
        (area.key, len(area.encounters), len(area.treasure), len(area.connections), _pages(area.source_pages))
        for area in content.areas
    ]
    metadata = {
        "areas": len(content.areas),
        "missing": len(content.missing),
        "encounters": sum(len(area.encounters) for area in content.areas),
        "treasure": sum(len(area.treasure) for area in content.areas),
        "flags": len(content.flags),
        "flag_list": dg.MetadataValue.md(flag_list(content.flags)),
        "area_table": dg.MetadataValue.md(
            markdown_table(("area", "encounters", "treasure", "connections", "pages"), rows)
        ),
        "dagster/uri": str(store.asset_path("level_content", key)),
        **meter.metadata(),
    }
    return materialization(
        "level_content",
        key,
        data_version=content.digest(),
        code_version=versions.level_content,
        inputs=[state],
        metadata=metadata,
    )


def _pages(pages: Sequence[int]) -> str:
    return ", ".join(map(str, pages)) or "none"


def report_contents(context: dg.AssetExecutionContext, store: Store, level: str, versions: CodeVersions) -> None:
    """Bring the manifest of a level's module up to date and report it if it says something new."""
    module, _, _ = split_level_partition(level)
    with store.lock(f"contents--{module}"):
        contents = refreshed_contents(store, level)
        document = contents.canonical_json()
        if document != store.read_asset("module_contents", module):
            store.write_asset("module_contents", module, document)
            context.log_event(
                materialization(
                    "module_contents", module, data_version=contents.digest(), code_version=versions.module_contents
                )
            )
