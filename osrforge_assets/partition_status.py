"""What of everything is fresh, stale, missing or failed, why, and what making it would take: data for `status`."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from osrforge_assets.contracts.automation import FailedRun
from osrforge_assets.expected_calls import expected_calls
from osrforge_assets.grants import estimated
from osrforge_assets.reconcile import PAID_ASSETS, AssetRule, Graph, Need, find_needs
from osrforge_assets.settings import Settings
from osrforge_resources.store import Store

StateName = Literal["fresh", "stale", "missing", "failed"]
STATES: tuple[StateName, ...] = ("fresh", "stale", "missing", "failed")


@dataclass(frozen=True, slots=True)
class PartitionStatus:
    """One partition of one asset.

    Attributes:
        asset: The asset's name.
        kind: Its partition set.
        partition: The partition's key.
        state: How it stands.
        why: What changed, or what failed; empty if it is fresh.
        calls: Requests that making it would ask, None where that is not known yet.
        cost_usd: What they are expected to cost by what the like cost before, None where nothing is known.
    """

    asset: str
    kind: str
    partition: str
    state: StateName
    why: str = ""
    calls: int | None = 0
    cost_usd: float | None = 0.0


def partition_statuses(
    graph: Graph, store: Store, settings: Settings, failures: Sequence[FailedRun] = ()
) -> list[PartitionStatus]:
    """Return the status of every partition of every asset, in the order the data flows.

    Args:
        graph: The present state of all partitions.
        store: Says how many requests a partition takes.
        settings: As for `expected_calls`.
        failures: The ledger of failed runs, the newest last.
    """
    needs = {(need.asset, need.partition): need for need in find_needs(graph)}
    failed = {(asset, key): run for run in failures for asset in run.assets for key in run.partitions}
    return [
        _status(rule, key, needs.get((rule.asset, key)), failed.get((rule.asset, key)), graph, store, settings)
        for rule in graph.rules
        if not rule.is_source
        for key in graph.partitions.get(rule.partition_set, ())
    ]


def _status(
    rule: AssetRule,
    partition: str,
    need: Need | None,
    failure: FailedRun | None,
    graph: Graph,
    store: Store,
    settings: Settings,
) -> PartitionStatus:
    if need is None:
        return PartitionStatus(rule.asset, rule.partition_set, partition, "fresh")
    made = graph.states.get(rule.asset, {}).get(partition)
    state: StateName = "missing" if made is None else "stale"
    why = _why(rule, partition, graph)
    if failure is not None and (made is None or _is_newer(failure, made)):
        state, why = "failed", f"{failure.code}: {failure.message}"
    cost: float | None = 0.0
    if rule.asset in PAID_ASSETS:
        estimate = estimated([need], graph, None)
        cost = None if estimate.without_price else estimate.usd
    calls = expected_calls(store, settings, rule.asset, partition)
    return PartitionStatus(rule.asset, rule.partition_set, partition, state, why, calls, cost)


def _is_newer(failure: FailedRun, made: object) -> bool:
    at = getattr(made, "at", None)
    return at is None or datetime.fromisoformat(failure.at) > datetime.fromtimestamp(at, UTC)


def _why(rule: AssetRule, partition: str, graph: Graph) -> str:
    state = graph.states.get(rule.asset, {}).get(partition)
    versions = {name: _version(graph, name, partition) for name in rule.inputs}
    waits = [name for name, version in versions.items() if version is None]
    if waits:
        return f"waits for {', '.join(waits)}"
    if state is None:
        return "never made"
    causes = [f"{name} changed" for name, version in versions.items() if state.inputs.get(name) != version]
    if rule.code_version is not None and state.code_version != rule.code_version:
        causes.insert(0, "rules, schema, settings or provider changed")
    return "; ".join(causes)


def _version(graph: Graph, asset: str, partition: str) -> str | None:
    state = graph.states.get(asset, {}).get(partition)
    return state.data_version if state is not None else None


def counts(statuses: Iterable[PartitionStatus]) -> Mapping[str, Mapping[StateName, int]]:
    """Return how many partitions of each asset stand how."""
    found: dict[str, dict[StateName, int]] = {}
    for status in statuses:
        found.setdefault(status.asset, dict.fromkeys(STATES, 0))[status.state] += 1
    return found
