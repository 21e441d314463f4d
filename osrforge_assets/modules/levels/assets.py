"""`level_plan` and `level_content`: what is asked about a level, and the answers.

Both run any list of levels in one run: `keys` in the run's config, or the partitions the run was launched for. Each
level is recorded as it finishes, so one that fails keeps the others. The bodies yield nothing: returning a result
beside logged events would overwrite every level's version with one that all share.
"""

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass

import dagster as dg
from pydantic import Field

from osrforge_assets.code_versions import CodeVersions
from osrforge_assets.code_versions import code_versions as versions_with
from osrforge_assets.contracts.level import Encounter, LevelContent, LevelPlan
from osrforge_assets.contracts.pages import PageSet
from osrforge_assets.contracts.survey import SurveyIndex
from osrforge_assets.escaping import markdown_table
from osrforge_assets.modules.contents import refreshed_contents
from osrforge_assets.modules.flag_list import flag_list
from osrforge_assets.modules.level_keys import split_level_partition
from osrforge_assets.modules.levels.batch_mode import answer_levels
from osrforge_assets.modules.levels.checks import LEVEL_CHECKS, level_evaluations
from osrforge_assets.modules.levels.extraction import extract_level
from osrforge_assets.modules.levels.planning import plan_level
from osrforge_assets.modules.page_loading import load_page, load_plan_page
from osrforge_assets.modules.pages.contact_sheet import contact_sheet
from osrforge_assets.partitions import LEVELS, LINEAGE_ONLY
from osrforge_assets.settings import Settings
from osrforge_resources.asset_events import InputState, input_state, is_reported, made_in_run, materialization
from osrforge_resources.budget import Budget
from osrforge_resources.call_meter import CallMeter
from osrforge_resources.failures import OsrforgeError
from osrforge_resources.io_manager import read_document
from osrforge_resources.model_provider import ModelProvider
from osrforge_resources.progress import Progress
from osrforge_resources.providers import make_batches
from osrforge_resources.run_tags import tag_spending
from osrforge_resources.step_failures import (
    combined_failure,
    expected_failures,
    report_spending,
    retry_once,
    spending_run,
)
from osrforge_resources.store import Store
from osrforge_resources.usage import Spending

# What the event log keeps of every materialization: four thumbnails are about 8 KB, a hundred rows about as much.
_SHEET_PAGES = 4
_TABLE_ROWS = 100


class LevelKeys(dg.Config):
    """Which levels a run is for."""

    keys: list[str] = Field(
        default_factory=list,
        description="Level partitions to make in this run; empty for the partitions the run was launched for.",
    )


class ContentRun(LevelKeys):
    """Which levels a run is for, and how they are asked."""

    batch: bool = Field(
        default=False,
        description="Send the first requests of all levels as one message batch: half the price, an answer within "
        "minutes to hours. Stopped while it waits, the next run with it collects the same batch.",
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
        for module, keys in _by_module(config.keys or context.partition_keys).items():
            index = read_document(store, "survey_index", module, SurveyIndex)
            pages = read_document(store, "page_renders", module, PageSet)
            events = []
            for key in keys:
                _, dungeon, number = split_level_partition(key)
                plan = plan_level(
                    index, pages, load_page(store), settings.batch_pages, dungeon_id=dungeon, number=number
                )
                store.write_asset("level_plan", key, plan.canonical_json())
                events.append(plan_event(key, plan, code_versions))
            _report_contents(context, store, keys, code_versions)
            for event in events:
                context.log_event(event)
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
    # Checks of a step that yields nothing are only allowed where the step may leave some of its outputs out.
    check_specs=LEVEL_CHECKS,
    can_subset=True,
    backfill_policy=dg.BackfillPolicy.single_run(),
    pool="model_requests",
)
def level_content(
    context: dg.AssetExecutionContext,
    config: ContentRun,
    store: dg.ResourceParam[Store],
    settings: dg.ResourceParam[Settings],
    model_provider: dg.ResourceParam[ModelProvider],
    budget: dg.ResourceParam[Budget],
    progress: dg.ResourceParam[Progress],
) -> Iterator[dg.MaterializeResult]:
    """Ask every wanted level's batches, several levels at a time, and record each level as it finishes."""
    versions = versions_with(settings, model_provider)  # of who answers this run, which its config may have chosen
    keys = list(config.keys or context.partition_keys)
    if not context.selected_asset_keys:
        _check_again(context, store, keys)
        return
    if context.retry_number:
        keys = [key for key in keys if not made_in_run(context.instance, "level_content", key, context.run_id)]
    failures: dict[str, OsrforgeError] = {}
    meters = {key: _meter(budget, model_provider, context.run, key) for key in keys}
    if config.batch:
        with expected_failures(retry_number=context.retry_number):
            batches = make_batches(model_provider, store, lambda done, total: progress("batch", done, total))
            answer_levels(store, meters, batches, budget.account(spending_run(context.run)))
    waiting: dict[Future[Extracted], tuple[str, InputState]] = {}

    def take(done: Iterable[Future[Extracted]]) -> None:
        finished, bugs = [], []
        for future in done:
            key, state = waiting.pop(future)
            error = future.exception()
            if isinstance(error, OsrforgeError):
                failures[key] = error
                context.log.error("%s: %s", key, error)
            elif error is not None:
                bugs.append(error)
            else:
                finished.append((future.result(), state))
        _record(context, store, finished, versions)
        progress("levels", len(keys) - len(waiting), len(keys))
        if bugs:
            raise bugs[0]

    pool = ThreadPoolExecutor(max_workers=settings.requests_in_flight, thread_name_prefix="level")
    try:
        for key in keys:
            state = input_state(context.instance, "level_plan", key)
            waiting[pool.submit(_extract, store, meters[key], key)] = (key, state)
        while waiting:
            take(wait(waiting, return_when=FIRST_COMPLETED).done)
    finally:
        # After a cancelled run or a bug no further level is begun; the calls under way end and their answers are kept.
        pool.shutdown(wait=True, cancel_futures=True)
        take([future for future in waiting if not future.cancelled()])
        tag_spending(context.instance, context.run_id, sum((meter.spending for meter in meters.values()), Spending()))
    if failures:
        lost = sum((meters[key].spending for key in failures), Spending())
        retry_once(failures.values(), context.retry_number, lambda: report_spending(context, "level_content", lost))
        raise combined_failure(failures, of=len(keys), what="levels", spending=lost)
    yield from ()


def _meter(budget: Budget, provider: ModelProvider, run: dg.DagsterRun, key: str) -> CallMeter:
    module, _, _ = split_level_partition(key)
    return CallMeter(provider, account=budget.account(spending_run(run), module))


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


def _extract(store: Store, meter: CallMeter, key: str) -> Extracted:
    plan = read_document(store, "level_plan", key, LevelPlan)
    content = extract_level(plan, load_plan_page(store), meter.generate)
    store.write_asset("level_content", key, content.canonical_json())
    images = [page.image for page in plan.pages if page.image is not None]
    return Extracted(key, plan, content, meter, contact_sheet(store, images, most=_SHEET_PAGES))


def _record(
    context: dg.AssetExecutionContext,
    store: Store,
    levels: Sequence[tuple[Extracted, InputState]],
    versions: CodeVersions,
) -> None:
    """Record levels that are finished, those that finished meanwhile together.

    Their manifest comes first: a run that is killed in between leaves levels that are asked again, and not a manifest
    that nobody would bring up to date.
    """
    if levels:
        _report_contents(context, store, [level.key for level, _ in levels], versions)
    for level, state in levels:
        context.log_event(_content_event(store, level, state, versions))
        _log_checks(context, level.key, level.plan, level.content)


def _check_again(context: dg.AssetExecutionContext, store: Store, keys: Sequence[str]) -> None:
    """Evaluate the checks alone, on what the store holds; no call is made."""
    with expected_failures():
        for key in keys:
            plan = read_document(store, "level_plan", key, LevelPlan)
            content = read_document(store, "level_content", key, LevelContent)
            _log_checks(context, key, plan, content)


def _log_checks(context: dg.AssetExecutionContext, key: str, plan: LevelPlan, content: LevelContent) -> None:
    for evaluation in level_evaluations(context.instance, key, plan, content):
        # Taken since partitioned checks exist, although its annotation does not say so; a graph test watches it.
        context.log_event(evaluation)  # pyright: ignore[reportArgumentType]


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
    store: Store, level: Extracted, state: InputState, versions: CodeVersions
) -> dg.AssetMaterialization:
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


def _by_module(levels: Iterable[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for level in levels:
        found.setdefault(split_level_partition(level)[0], []).append(level)
    return found


def _report_contents(
    context: dg.AssetExecutionContext, store: Store, levels: Sequence[str], versions: CodeVersions
) -> None:
    """Bring the manifests of these levels' modules up to date and report each that says something new."""
    for module, keys in _by_module(levels).items():
        with store.lock(f"contents--{module}"):
            contents = refreshed_contents(store, module, set(keys))
            document = contents.canonical_json()
            if document != store.read_asset("module_contents", module):
                store.write_asset("module_contents", module, document)
            event = materialization(
                "module_contents", module, data_version=contents.digest(), code_version=versions.module_contents
            )
            # Held against the event log, not against the document: a run killed between the two has to be made good.
            if not is_reported(context.instance, event):
                context.log_event(event)
