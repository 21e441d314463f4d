"""Runs whose process is gone: ended when that is known, and not hours later.

Dagster's code server watches the run processes that it started. When it is killed together with them, nobody does: the
run stays STARTED, holds its partitions and its place in a pool, and everything behind it waits. Each run's log names the
process that executes it; a process that is not there, or that is younger than the entry that names it, ended.
"""

import contextlib
from collections.abc import Iterator

import dagster as dg
import psutil  # process ages, the same on every platform
from dagster._core.launcher import DefaultRunLauncher
from dagster._core.storage.event_log.sqlite import SqliteEventLogStorage

LOST = "The process of this run ended without a word: it was killed, or the machine was."

# Clocks of events and of process ages are read at different moments; a process that takes over a number in this time
# would have to be started in the same breath.
_TOLERANCE_SECONDS = 2.0

_RUNNING = [
    dg.DagsterRunStatus.STARTING,
    dg.DagsterRunStatus.STARTED,
    dg.DagsterRunStatus.CANCELING,
]


def end_orphaned_runs(instance: dg.DagsterInstance) -> list[str]:
    """Fail every run whose process is gone and free the pool slots of runs that are over; return the failed runs.

    Only where processes are this machine's own: Dagster's default launcher and SQLite storage, which no second machine
    shares. Elsewhere run monitoring is the launcher's business.
    """
    if not isinstance(instance.run_launcher, DefaultRunLauncher):
        return []
    if not isinstance(instance.event_log_storage, SqliteEventLogStorage):
        return []
    lost = [run for run in instance.get_runs(dg.RunsFilter(statuses=_RUNNING)) if _is_orphaned(instance, run.run_id)]
    for run in lost:
        instance.report_run_failed(run, LOST)
    _free_slots(instance)
    return [run.run_id for run in lost]


def _is_orphaned(instance: dg.DagsterInstance, run_id: str) -> bool:
    """Whether the run had a process and none of its processes is left."""
    processes = list(_processes(instance, run_id))
    # A run that was only just launched has none yet; run monitoring ends it if it never gets one.
    return bool(processes) and not any(_is_alive(number, since) for number, since in processes)


def _processes(instance: dg.DagsterInstance, run_id: str) -> Iterator[tuple[int, float]]:
    """Yield number and last sign of life of every process that the run's log names."""
    for entry in instance.all_logs(run_id, of_type=dg.DagsterEventType.ENGINE_EVENT):
        event = entry.dagster_event
        pid = event.engine_event_data.metadata.get("pid") if event is not None else None
        if pid is not None and str(pid.value).isdecimal():
            yield int(str(pid.value)), entry.timestamp


def _is_alive(number: int, since: float) -> bool:
    try:
        process = psutil.Process(number)
        return process.create_time() <= since + _TOLERANCE_SECONDS and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
    except psutil.AccessDenied:
        # It is there, and whose it is cannot be seen: better to wait than to start a paid step beside it.
        return True


def _free_slots(instance: dg.DagsterInstance) -> None:
    storage = instance.event_log_storage
    if not storage.supports_global_concurrency_limits:
        return
    holders = storage.get_concurrency_run_ids()
    if not holders:
        return
    for record in instance.get_run_records(dg.RunsFilter(run_ids=list(holders))):
        if record.dagster_run.is_finished:
            # Freed twice is freed once; Dagster's own monitor may have come first.
            with contextlib.suppress(KeyError):
                storage.free_concurrency_slots_for_run(record.dagster_run.run_id)
