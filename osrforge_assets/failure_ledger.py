"""The ledger of failed runs: a document of the store that outlives Dagster's own log and needs no Dagster to be read."""

from collections.abc import Iterable

from osrforge_assets.contracts.automation import FailedRun, FailureLedger
from osrforge_resources.io_manager import usable_document
from osrforge_resources.store import Store

_ASSET, _KEY = "failure_ledger", "runs"

# About 300 bytes a row: a document of 300 KB at most, which is months of a deployment that is looked after.
MAX_FAILED_RUNS = 1000


def note_failed_runs(store: Store, runs: Iterable[FailedRun]) -> None:
    """Add failed runs; one that is there already is not added twice."""
    with store.lock("failure-ledger"):
        rows = {row.run: row for row in failed_runs(store)}
        rows.update({run.run: run for run in runs})
        kept = tuple(rows.values())[-MAX_FAILED_RUNS:]
        store.write_asset(_ASSET, _KEY, FailureLedger(runs=kept).canonical_json())


def failed_runs(store: Store) -> tuple[FailedRun, ...]:
    """Return the newest failed runs, the newest last; a damaged ledger is an empty one."""
    ledger = usable_document(store, _ASSET, _KEY, FailureLedger)
    return ledger.runs if ledger is not None else ()
