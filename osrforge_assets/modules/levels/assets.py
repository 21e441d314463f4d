"""`level_plan` and `level_content`: what is asked about a level, and the answers.

Both run any list of levels in one run: `keys` in the run's config, or the partitions the run was launched for. Each
level is recorded as it finishes, so one that fails keeps the others. The bodies yield nothing: returning a result
beside logged events would overwrite every level's version with one that all share.
"""

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

import dagster as dg
from pydantic import Field

from osrforge_assets.code_versions import CodeVersions
from osrforge_assets.code_versions import code_versions as versions_with
from osrforge_assets.contracts.level import LevelContent, LevelPlan
from osrforge_assets.contracts.pages import PageSet
from osrforge_assets.contracts.survey import SurveyIndex
from osrforge_assets.modules.contents import refreshed_contents
from osrforge_assets.modules.level_keys import split_level_partition
from osrforge_assets.modules.levels.batch_mode import answer_levels
from osrforge_assets.modules.levels.checks import LEVEL_CHECKS, level_evaluation
from osrforge_assets.modules.levels.events import Extracted, content_event, contents_event, plan_event
from osrforge_assets.modules.levels.extraction import extract_level
from osrforge_assets.modules.levels.planning import plan_level
from osrforge_assets.modules.page_loading import load_page, load_plan_page
from osrforge_assets.modules.pages.contact_sheet import contact_sheet
from osrforge_assets.partitions import LEVELS, LINEAGE_ONLY
from osrforge_assets.settings import Settings
from osrforge_resources.asset_events import (
    InputState,
    input_states,
    is_reported,
    made_in_run,
    newest_materializations,
)
from osrforge_resources.budget import Budget
from osrforge_resources.call_meter import CallMeter
from osrforge_resources.failures import OsrforgeError
from osrforge_resources.io_manager import read_document
from osrforge_resources.message_batches import open_batches
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

# What the event log keeps of every materialization: four thumbnails are about 8 KB.
_SHEET_PAGES = 4


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
    meters = _meters(budget, model_provider, context.run, keys)
    if config.batch:
        with expected_failures(retry_number=context.retry_number):
            batches = make_batches(model_provider, store, lambda done, total: progress("batch", done, total))
            answer_levels(store, meters, batches, budget.account(spending_run(context.run)))
    elif waiting_batches := open_batches(store):
        context.log.warning("%d message batches are not collected; a run with `batch` does that.", waiting_batches)
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
        # Looked at before any plan is read, so that a plan that changes in between makes its content stale.
        for key, state in input_states(context.instance, "level_plan", keys).items():
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


def _meters(budget: Budget, provider: ModelProvider, run: dg.DagsterRun, keys: Sequence[str]) -> dict[str, CallMeter]:
    """Return a meter for each level; levels of one module share its account."""
    modules = {key: split_level_partition(key)[0] for key in keys}
    accounts = {module: budget.account(spending_run(run), module) for module in set(modules.values())}
    return {key: CallMeter(provider, account=accounts[module]) for key, module in modules.items()}


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
        context.log_event(content_event(store, level, state, versions))
    _log_checks(context, [(level.key, level.plan, level.content) for level, _ in levels])


def _check_again(context: dg.AssetExecutionContext, store: Store, keys: Sequence[str]) -> None:
    """Evaluate the checks alone, on what the store holds; no call is made."""
    with expected_failures():
        read = [
            (
                key,
                read_document(store, "level_plan", key, LevelPlan),
                read_document(store, "level_content", key, LevelContent),
            )
            for key in keys
        ]
    _log_checks(context, read)


def _log_checks(context: dg.AssetExecutionContext, levels: Sequence[tuple[str, LevelPlan, LevelContent]]) -> None:
    made = newest_materializations(context.instance, "level_content", [key for key, _, _ in levels])
    for key, plan, content in levels:
        # Taken since partitioned checks exist, although its annotation does not say so; a graph test watches it.
        context.log_event(level_evaluation(key, plan, content, made.get(key)))  # pyright: ignore[reportArgumentType]


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
            event = contents_event(contents, versions)
            # Held against the event log, not against the document: a run killed between the two has to be made good.
            if not is_reported(context.instance, event):
                context.log_event(event)
