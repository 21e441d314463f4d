"""Which partitions are missing, stale or fresh, as the Dagster UI says it, for code that is not the UI.

Dagster keeps its resolver private; this is the one place that calls it, and the graph tests hold it against real runs.
"""

from collections.abc import Iterable

import dagster as dg
from dagster._core.definitions.data_version import CachingStaleStatusResolver, StaleStatus
from dagster._core.loader import LoadingContext
from dagster._utils.aiodataloader import BlockingDataLoader, DataLoader


class Staleness:
    """A snapshot of stale statuses; make a new one after a run.

    Args:
        definitions: The definitions whose assets are asked about.
        instance: The instance that holds their events.
    """

    def __init__(self, definitions: dg.Definitions, instance: dg.DagsterInstance) -> None:
        graph = definitions.resolve_asset_graph()
        self._resolver = CachingStaleStatusResolver(instance, graph, _Loading(instance))

    def is_fresh(self, asset: str, partition: str) -> bool:
        """Whether the partition is materialized and neither its code nor its inputs changed since."""
        return self._resolver.get_status(dg.AssetKey(asset), partition) == StaleStatus.FRESH

    def not_fresh(self, asset: str, partitions: Iterable[str]) -> list[str]:
        """Return those of `partitions` that are missing or stale, in order."""
        return [partition for partition in partitions if not self.is_fresh(asset, partition)]

    def causes(self, asset: str, partition: str) -> list[str]:
        """Return why a partition is stale, one sentence a cause; empty if it is fresh or missing."""
        return [cause.reason for cause in self._resolver.get_stale_causes(dg.AssetKey(asset), partition)]


class _Loading(LoadingContext):
    """Dagster's request-scoped cache, scoped here to one snapshot."""

    def __init__(self, instance: dg.DagsterInstance) -> None:
        self._instance = instance
        self._loaders: dict[type, tuple[DataLoader, BlockingDataLoader]] = {}

    @property
    def instance(self) -> dg.DagsterInstance:
        return self._instance

    @property
    def loaders(self) -> dict[type, tuple[DataLoader, BlockingDataLoader]]:
        return self._loaders
