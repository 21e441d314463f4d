"""The graph as the console command opens it: the settings of this call, one store, the instance that the UI shows."""

import contextlib
import logging
import secrets
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

import dagster as dg

from osrforge_assets.contracts.automation import FailedRun
from osrforge_assets.failure_ledger import note_failed_runs
from osrforge_assets.run_results import call_costs, failed_items, failure_of
from osrforge_assets.settings import Settings, load_settings
from osrforge_resources.budget import COMMAND_TAG, Budget
from osrforge_resources.failures import OsrforgeError
from osrforge_resources.progress import Progress
from osrforge_resources.staleness import Staleness
from osrforge_resources.store import Store
from osrforge_resources.usage import Spending


@dataclass(frozen=True)
class Ran:
    """What came of a run.

    Attributes:
        costs: Provider calls it made, and what they cost; also where it failed.
        error: Its failure, None if there was none.
    """

    costs: Spending
    error: OsrforgeError | None


@dataclass(frozen=True)
class CommandGraph:
    """Everything that a command drives assets with."""

    definitions: dg.Definitions
    instance: dg.DagsterInstance
    store: Store
    settings: Settings
    # All runs of one command are one run to a budget.
    command_run: str = field(default_factory=lambda: secrets.token_hex(8))

    @property
    def budget(self) -> Budget:
        """The ceilings of the settings, for what a command spends outside of a run."""
        return Budget(self.store, run_usd=self.settings.budget_run_usd, module_usd=self.settings.budget_module_usd)

    @cached_property
    def _job(self) -> dg.JobDefinition:
        return self.definitions.resolve_implicit_global_asset_job_def()

    def staleness(self) -> Staleness:
        """Return a snapshot of what is fresh; take a new one after a run."""
        return Staleness(self.definitions, self.instance)

    def run(self, assets: Sequence[str], partition: str, config: Mapping[str, Mapping[str, Any]] | None = None) -> Ran:
        """Materialize assets of one partition set in this process.

        Args:
            assets: Their names.
            partition: The partition, or the first of those that `config` names.
            config: Each asset's own config.

        Raises:
            RuntimeError: A bug.
            KeyboardInterrupt: The run was told to stop.
        """
        result = self._job.execute_in_process(
            run_config={
                "loggers": {"console": {"config": {"log_level": "CRITICAL"}}},
                "ops": {asset: {"config": dict(given)} for asset, given in (config or {}).items()},
            },
            instance=self.instance,
            partition_key=partition,
            asset_selection=[dg.AssetKey(asset) for asset in assets],
            raise_on_error=False,
            tags={COMMAND_TAG: self.command_run},
        )
        costs = call_costs(self.instance, result.run_id)
        if result.success:
            return Ran(costs, None)
        failure = failure_of(result)
        self._note(
            result,
            assets,
            failed_items(result) or (config or {}).get(assets[0], {}).get("keys") or [partition],
            failure,
        )
        return Ran(costs, failure)

    def _note(
        self,
        result: dg.ExecuteInProcessResult,
        assets: Sequence[str],
        partitions: Sequence[str],
        failure: OsrforgeError,
    ) -> None:
        """Write the failure where `status` finds it, as the sensor `run_failures` does for runs of a deployment."""
        row = FailedRun(
            run=result.run_id,
            at=datetime.now(UTC).isoformat(timespec="seconds"),
            job=result.job_def.name,
            assets=tuple(assets),
            partitions=tuple(partitions),
            code=failure.code,
            message=failure.message,
            remedy=failure.remedy,
        )
        note_failed_runs(self.store, [row])


@contextlib.contextmanager
def open_graph(given: Mapping[str, str | None], progress: Progress) -> Iterator[CommandGraph]:
    """Open the graph.

    Args:
        given: Settings named on the command line, None where not; they take the place of the environment's.
        progress: Told how far the steps are.

    Raises:
        MisuseError: A setting is invalid (a `ValueError`).
    """
    # Data versions and partitioned checks have been "beta" and "preview" for years; the graph tests watch them, a user
    # need not. It has to be said before the assets are imported, which is when Dagster warns.
    for category in (dg.BetaWarning, dg.PreviewWarning):
        warnings.filterwarnings("ignore", category=category)
    # An interruption that meets the closing of a database goes on up, but not before the pool has printed its traceback.
    logging.getLogger("sqlalchemy.pool").setLevel(logging.CRITICAL)
    from osrforge_assets.definitions import build_defs
    from osrforge_assets.instance import instance_errors, open_instance
    from osrforge_resources.orphaned_runs import end_orphaned_runs

    settings = load_settings(**given)
    store = Store(settings.store_root)
    with open_instance(settings.home) as instance:
        # A command that was killed left its run open, and with it a place in the pool of paid steps.
        with instance_errors():
            end_orphaned_runs(instance)
        definitions = build_defs(settings=settings, resources={"store": store, "progress": progress})
        yield CommandGraph(definitions, instance, store, settings)
