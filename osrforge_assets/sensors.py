"""What a deployment does by itself: it takes in what is dropped, makes what is stale, and writes down what failed.

One mechanism launches runs, `reconcile`; the others only change what it sees. docs/automation.md says why it is this one
and not Dagster's declarative automation.
"""

import threading
import time
from collections.abc import Callable, Collection, Sequence
from datetime import UTC, datetime

import dagster as dg

from osrforge_assets.contracts.automation import FailedRun
from osrforge_assets.failure_ledger import note_failed_runs
from osrforge_assets.grants import read_grants
from osrforge_assets.graph_state import asset_rules, read_graph
from osrforge_assets.inbox import take_in_all
from osrforge_assets.reconcile import CHAINS, Graph, Need, Work, find_needs, wanted_work
from osrforge_assets.registering import Registry
from osrforge_assets.run_requests import Cursor, cancelled_runs, held_by, open_runs, run_request
from osrforge_assets.settings import Settings
from osrforge_assets.transcripts.sources import SessionFiles
from osrforge_resources.orphaned_runs import end_orphaned_runs
from osrforge_resources.partition_log import PartitionLog
from osrforge_resources.store import Store

# Four runs work at a time (`instance.py`); more than this in the queue would only be in the way of what changes next.
_MAX_OPEN_RUNS = 12

# What is lost or failed is told within this, also where `reconcile` looks less often.
_TOLD_WITHIN_SECONDS = 15


def sensors(settings: Settings, jobs: Sequence[dg.JobDefinition | object]) -> list[dg.SensorDefinition]:
    """Return the sensors of a deployment.

    Args:
        settings: Whether they run by default, and how often they look.
        jobs: The jobs that `reconcile` launches.
    """
    status = dg.DefaultSensorStatus.STOPPED if settings.automation == "off" else dg.DefaultSensorStatus.RUNNING
    return [
        _inbox_sensor(settings, status),
        _reconcile_sensor(settings, status, jobs),
        # These two spend nothing and start nothing, so they run whatever is switched off.
        _orphan_sensor(min(settings.sensor_seconds, _TOLD_WITHIN_SECONDS)),
        _failure_sensor(min(settings.sensor_seconds, _TOLD_WITHIN_SECONDS)),
    ]


def _inbox_sensor(settings: Settings, status: dg.DefaultSensorStatus) -> dg.SensorDefinition:
    @dg.sensor(
        name="inbox",
        minimum_interval_seconds=settings.sensor_seconds,
        default_status=status,
        description="Registers modules, transcripts and narrations that were dropped into the inbox, once they are whole.",
    )
    def inbox(
        context: dg.SensorEvaluationContext, store: dg.ResourceParam[Store], settings: dg.ResourceParam[Settings]
    ) -> dg.SkipReason:
        registry = Registry(context.instance, store, settings)
        register: dict[str, Callable[[SessionFiles], str]] = {
            "modules": lambda files: registry.module(files.origin).module,
            "transcripts": lambda files: registry.session(files).session,
            "narrations": lambda files: registry.story(files.origin).narration,
        }
        registered, waiting = 0, 0
        for look in take_in_all(store, settings.inbox, register):
            for name, key in look.registered:
                context.log.info("%s is %s.", name, key)
            for entry in look.refused:
                context.log.warning("%s: %s", entry.name, entry.message)
            registered += len(look.registered)
            waiting += look.waiting
        return dg.SkipReason(f"{registered} registered, {waiting} still to be looked at again.")

    return inbox


def _reconcile_sensor(
    settings: Settings, status: dg.DefaultSensorStatus, jobs: Sequence[dg.JobDefinition | object]
) -> dg.SensorDefinition:
    view = _View()

    @dg.sensor(
        name="reconcile",
        minimum_interval_seconds=settings.sensor_seconds,
        default_status=status,
        jobs=jobs,  # pyright: ignore[reportArgumentType]
        description="Launches runs for whatever is missing or stale, at most three times for the same reason.",
    )
    def reconcile(
        context: dg.SensorEvaluationContext, store: dg.ResourceParam[Store], settings: dg.ResourceParam[Settings]
    ) -> dg.SensorResult:
        cursor = Cursor.parse(context.cursor)
        assert context.repository_def is not None
        # Open runs first: one that ends while the states are read is seen as done, not as work nobody does.
        runs = open_runs(context.instance)
        graph = view.read(context.instance, context.repository_def)
        needs = find_needs(graph)
        cursor.attempts.keep_only(needs)
        granted = read_grants(store)
        for need in granted.newer_than(cursor.granted, needs):
            cursor.attempts.forget(need)
        cursor.granted = granted.number
        _heed_cancelling(context.instance, cursor, needs, graph)
        held = held_by(runs, graph.partitions)
        work = wanted_work(
            needs,
            levels=graph.partitions.get("level", ()),
            held=held,
            attempts=cursor.attempts,
            may_pay=lambda need: may_pay_unasked(settings) or granted.covers(need),
            max_runs=_MAX_OPEN_RUNS - len(runs),
        )
        return _ask_for(cursor, needs, work, held, settings.provider)

    return reconcile


def may_pay_unasked(settings: Settings) -> bool:
    """Whether paid steps run by themselves: where nothing is paid for, or where the deployment says so."""
    return settings.automation == "all" or settings.provider == "offline"


def _heed_cancelling(instance: dg.DagsterInstance, cursor: Cursor, needs: Sequence[Need], graph: Graph) -> None:
    """Give up what a person cancelled: launching it again would be the last thing that they want."""
    now = time.time()
    if cursor.looked:
        cancelled = held_by(cancelled_runs(instance, cursor.looked), graph.partitions)
        for need in needs:
            if (need.asset, need.partition) in cancelled:
                cursor.attempts.give_up(need)
    cursor.looked = now


def _ask_for(
    cursor: Cursor,
    needs: Sequence[Need],
    work: Sequence[Work],
    held: Collection[tuple[str, str]],
    provider: str,
) -> dg.SensorResult:
    requests = []
    if work:
        cursor.serial += 1
        for item in work:
            attempt = 1 + max(cursor.attempts.of(need) for need in item.needs)
            requests.append(run_request(item, serial=cursor.serial, by="reconcile", attempt=attempt, provider=provider))
        cursor.attempts.add(work)
    idle = [need for need in needs if (need.asset, need.partition) not in held]
    over = sum(cursor.attempts.is_over(need) for need in idle)
    reason = (
        f"{len(needs)} to be made: {len(needs) - len(idle)} under way, {over} given up, "
        f"{len(idle) - over} behind those or not to be paid for."
    )
    return dg.SensorResult(
        run_requests=requests,
        cursor=cursor.text(),
        skip_reason=None if requests else dg.SkipReason(reason if needs else "Everything is up to date."),
    )


class _View:
    """The graph's state, with the memory that makes the second look cheap; one for each sensor of each process."""

    def __init__(self) -> None:
        self._logs: dict[str, PartitionLog] = {}
        # A tick that outlived its time limit may still be reading when the next one begins.
        self._guard = threading.Lock()

    def read(self, instance: dg.DagsterInstance, repository: dg.RepositoryDefinition) -> Graph:
        with self._guard:
            log = self._logs.setdefault(instance.root_directory, PartitionLog(instance))
            # Each tick opens the instance anew.
            log.instance = instance
            return read_graph(asset_rules(repository.asset_graph), instance, log)


def _orphan_sensor(seconds: int) -> dg.SensorDefinition:
    @dg.sensor(
        name="orphaned_runs",
        minimum_interval_seconds=seconds,
        default_status=dg.DefaultSensorStatus.RUNNING,
        description="Ends runs whose process was killed together with the deployment, so that nothing waits for them.",
    )
    def orphaned_runs(context: dg.SensorEvaluationContext) -> dg.SkipReason:
        ended = end_orphaned_runs(context.instance)
        for run_id in ended:
            context.log.warning("The process of run %s is gone; the run is failed.", run_id)
        return dg.SkipReason(f"{len(ended)} runs had lost their process." if ended else "No run has lost its process.")

    return orphaned_runs


def _failure_sensor(seconds: int) -> dg.SensorDefinition:
    @dg.run_failure_sensor(
        name="run_failures",
        minimum_interval_seconds=seconds,
        default_status=dg.DefaultSensorStatus.RUNNING,
        description="Writes every failed run into the ledger that `osrforge-assets status` reads.",
    )
    def run_failures(context: dg.RunFailureSensorContext, store: dg.ResourceParam[Store]) -> None:
        note_failed_runs(store, [failed_run(context)])

    return run_failures


def failed_run(context: dg.RunFailureSensorContext) -> FailedRun:
    """Return the ledger's row of a failed run."""
    run = context.dagster_run
    held = held_by([run], {})
    row = FailedRun(
        run=run.run_id,
        at=_ended(context.instance, run.run_id),
        job=run.job_name,
        assets=tuple(sorted({asset for asset, _ in held}) or CHAINS.get(run.job_name, ())),
        partitions=tuple(sorted({partition for _, partition in held})),
        code="lost" if not context.get_step_failure_events() else "unexpected",
        message=_one_line(context.failure_event.message or "The run failed."),
    )
    for event in context.get_step_failure_events():
        data = event.step_failure_data
        metadata = data.user_failure_data.metadata if data.user_failure_data is not None else {}
        if "code" in metadata:
            said = {name: str(metadata[name].value) for name in ("code", "message", "remedy") if name in metadata}
            failed = metadata["failed"].value if "failed" in metadata else None
            partitions = tuple(sorted(failed)) if isinstance(failed, dict) else row.partitions
            return row.model_copy(update={**said, "partitions": partitions})
        if data.error is not None:
            row = row.model_copy(update={"message": _one_line(data.error.message)})
    return row


def _ended(instance: dg.DagsterInstance, run_id: str) -> str:
    record = instance.get_run_record_by_id(run_id)
    ended = record.end_time if record is not None and record.end_time is not None else time.time()
    return datetime.fromtimestamp(ended, UTC).isoformat(timespec="seconds")


def _one_line(text: str) -> str:
    return " ".join(text.split())[:500]
