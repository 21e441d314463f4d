"""Bringing everything up to date in this process: the planner's runs, one after another, within a budget.

It is the command's counterpart of the sensor `reconcile` and asks the same planner, so both mean the same by stale, missing
and ready. Levels of one look are one run, with as many requests in flight as the setting allows.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from osrforge_assets.command_graph import CommandGraph
from osrforge_assets.failure_ledger import failed_runs
from osrforge_assets.grants import estimated
from osrforge_assets.graph_state import asset_rules, read_graph
from osrforge_assets.modules.level_keys import split_level_partition
from osrforge_assets.reconcile import (
    CHAINS,
    LEVEL_JOBS,
    PAID_ASSETS,
    Attempts,
    Graph,
    Need,
    Work,
    find_needs,
    wanted_work,
)
from osrforge_assets.run_requests import held_by, open_runs
from osrforge_resources.failures import OsrforgeError
from osrforge_resources.orphaned_runs import end_orphaned_runs
from osrforge_resources.partition_log import PartitionLog
from osrforge_resources.usage import Spending

Choice = Callable[[Need], bool]


@dataclass
class Backfilled:
    """What came of a backfill.

    Attributes:
        made: Asset and partition of what was made, in order.
        failed: Failed runs with their failures; what of a run's levels was finished is kept.
        left: Asset and partition of what is still to be made.
        held: Asset and partition of what an open run of the deployment makes.
        costs: Calls made, and what they cost.
    """

    made: list[tuple[str, str]] = field(default_factory=list)
    failed: list[tuple[Work, OsrforgeError]] = field(default_factory=list)
    left: list[tuple[str, str]] = field(default_factory=list)
    held: list[tuple[str, str]] = field(default_factory=list)
    costs: Spending = field(default_factory=Spending)


class Backfill:
    """Makes what is missing or stale.

    Args:
        graph: What to make it with.
        on_run: Told before each run.
    """

    def __init__(self, graph: CommandGraph, on_run: Callable[[Work], None] | None = None) -> None:
        self._graph = graph
        self._on_run = on_run or (lambda _: None)
        self._rules = asset_rules(graph.definitions.resolve_asset_graph())
        self._log = PartitionLog(graph.instance)

    def look(self) -> Graph:
        """Return the present state of every partition."""
        return read_graph(self._rules, self._graph.instance, self._log)

    def failed_before(self, need: Need) -> bool:
        """Whether the ledger of failed runs names it."""
        rows = failed_runs(self._graph.store)
        return any(need.asset in row.assets and need.partition in row.partitions for row in rows)

    def run(
        self, *, wanted: Choice = lambda _: True, may_pay: Choice = lambda _: True, max_cost_usd: float | None = None
    ) -> Backfilled:
        """Run what is wanted until nothing more of it can be made; each need is tried once.

        Args:
            wanted: Which needs to look at at all.
            may_pay: Which paid ones of them may be asked for.
            max_cost_usd: Ask only for what is expected to stay within it, by what its like cost before. None for no limit.
        """
        done = Backfilled()
        attempts = Attempts(limit=1)
        end_orphaned_runs(self._graph.instance)
        while True:
            graph = self.look()
            needs = [need for need in find_needs(graph) if wanted(need)]
            held = held_by(open_runs(self._graph.instance), graph.partitions)
            affordable = _affordable(needs, graph, max_cost_usd, done.costs)
            work = wanted_work(
                needs,
                levels=graph.partitions.get("level", ()),
                held=held,
                attempts=attempts,
                may_pay=lambda need, keys=affordable: may_pay(need) and need.key in keys,
            )
            if not work:
                done.left = [(need.asset, need.partition) for need in needs]
                done.held = [pair for pair in done.left if pair in held]
                return done
            attempts.add(work)
            for item in work:
                self._make(item, done)

    def rerun(self, levels: Sequence[str]) -> Backfilled:
        """Ask these levels again, fresh or not, and write the dossiers of their modules."""
        modules = {split_level_partition(level)[0] for level in levels}
        done = Backfilled()
        # Their plans are derived first: content that answers an older plan would be a gap and no content.
        for asset, job in (("level_plan", "plan_levels"), ("level_content", "rerun_levels")):
            if not done.failed:
                self._make(Work(job, (asset,), tuple(levels), ()), done)
        rest = self.run(wanted=lambda need: need.partition in modules and need.asset in CHAINS["write_dossiers"])
        return Backfilled(
            done.made + rest.made, done.failed + rest.failed, rest.left, rest.held, done.costs + rest.costs
        )

    def _make(self, work: Work, done: Backfilled) -> None:
        self._on_run(work)
        before = {asset: self._log.states(asset) for asset in work.assets}
        config = {work.assets[0]: {"keys": list(work.partitions)}} if work.job in LEVEL_JOBS else None
        ran = self._graph.run(work.assets, work.partitions[0], config)
        done.costs += ran.costs
        for asset in work.assets:
            after = self._log.states(asset)
            done.made += [(asset, key) for key in work.partitions if after.get(key) != before[asset].get(key)]
        if ran.error is not None:
            done.failed.append((work, ran.error))


def _affordable(needs: Sequence[Need], graph: Graph, limit: float | None, spent: Spending) -> set[str]:
    """Return the keys of the paid needs that fit what is left of a budget."""
    paid = [need for need in needs if need.asset in PAID_ASSETS]
    if limit is None:
        return {need.key for need in paid}
    return {need.key for need in estimated(paid, graph, max(0.0, limit - (spent.cost_usd or 0.0))).granted}
