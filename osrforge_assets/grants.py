"""What a backfill grants: needs that the automation may satisfy although they cost something or were given up.

The nightly backfill launches nothing itself. It grants, and `reconcile` launches what was granted in the order the data
flows: one mechanism knows what is under way.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from osrforge_assets.contracts.automation import BackfillGrants, GrantedNeed
from osrforge_assets.reconcile import PAID_ASSETS, Graph, Need
from osrforge_resources.io_manager import usable_document
from osrforge_resources.store import Store

_ASSET, _KEY = "backfill_grants", "nightly"


class Grants:
    """The grants of a store, to be asked about needs."""

    def __init__(self, document: BackfillGrants) -> None:
        self._by_need = {(granted.key, granted.wanted): granted.number for granted in document.needs}
        self.number = document.number

    def covers(self, need: Need) -> bool:
        """Whether this very need was granted."""
        return (need.key, need.wanted) in self._by_need

    def newer_than(self, number: int, needs: Iterable[Need]) -> Iterator[Need]:
        """Yield those needs that were granted after the grant of this number."""
        return (need for need in needs if self._by_need.get((need.key, need.wanted), 0) > number)


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a list of needs is expected to cost.

    Attributes:
        granted: What fits the budget, in the order given.
        left_out: What does not.
        usd: What the granted ones are expected to cost.
        without_price: How many paid ones have no known price and count as nothing.
    """

    granted: tuple[Need, ...]
    left_out: tuple[Need, ...]
    usd: float
    without_price: int


def read_grants(store: Store) -> Grants:
    """Return what is granted now."""
    return Grants(usable_document(store, _ASSET, _KEY, BackfillGrants) or BackfillGrants())


def grant(store: Store, needs: Sequence[Need], graph: Graph, *, night: str, max_cost_usd: float | None) -> Estimate:
    """Grant what fits what is left of the night's budget.

    Args:
        store: Where grants are kept.
        needs: What is to be made, in the order it is to be granted.
        graph: Its states say what the like cost before.
        night: Date of the night; another one begins with a full budget and without the last one's grants.
        max_cost_usd: The night's budget, None for no limit.
    """
    with store.lock("backfill-grants"):
        kept = usable_document(store, _ASSET, _KEY, BackfillGrants) or BackfillGrants()
        before = kept if kept.night == night else BackfillGrants(night=night, number=kept.number)
        known = Grants(before)
        new = [need for need in needs if not known.covers(need)]
        left = None if max_cost_usd is None else max_cost_usd - before.estimated_usd
        estimate = estimated(new, graph, left)
        number = before.number + bool(estimate.granted)
        granted = tuple(GrantedNeed(key=n.key, wanted=n.wanted, number=number) for n in estimate.granted)
        document = BackfillGrants(
            night=night,
            number=number,
            estimated_usd=round(before.estimated_usd + estimate.usd, 6),
            needs=before.needs + granted,
        )
        store.write_asset(_ASSET, _KEY, document.canonical_json())
    return estimate


def estimated(needs: Sequence[Need], graph: Graph, budget_usd: float | None) -> Estimate:
    """Return what of these needs fits a budget, by what the same partition or its like cost the last time.

    Args:
        needs: In the order they are to be granted.
        graph: Its states say what was paid.
        budget_usd: None for no limit.
    """
    means = {asset: _mean_cost(graph, asset) for asset in PAID_ASSETS}
    granted: list[Need] = []
    left_out: list[Need] = []
    total, without_price = 0.0, 0
    for need in needs:
        state = graph.states.get(need.asset, {}).get(need.partition)
        cost = (getattr(state, "cost_usd", None) or means[need.asset]) if need.asset in PAID_ASSETS else 0.0
        if budget_usd is not None and total + (cost or 0.0) > budget_usd:
            left_out.append(need)
            continue
        granted.append(need)
        total += cost or 0.0
        without_price += cost is None
    return Estimate(tuple(granted), tuple(left_out), total, without_price)


def _mean_cost(graph: Graph, asset: str) -> float | None:
    states: Mapping = graph.states.get(asset, {})
    costs = [cost for state in states.values() if (cost := getattr(state, "cost_usd", None)) is not None]
    return sum(costs) / len(costs) if costs else None
