"""What the automation keeps in the store: failed runs, and what a night was granted."""

from pathlib import Path

import pytest

from osrforge_assets.contracts.automation import FailedRun
from osrforge_assets.failure_ledger import MAX_FAILED_RUNS, failed_runs, note_failed_runs
from osrforge_assets.grants import grant, read_grants
from osrforge_assets.reconcile import Graph, Need
from osrforge_resources.partition_log import PartitionState
from osrforge_resources.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


def _row(run: str) -> FailedRun:
    return FailedRun(run=run, at="2026-01-01T00:00:00+00:00", job="rerun_levels", code="lost", message="It ended.")


def _level(number: int, wanted: str = "v") -> Need:
    return Need("level_content", f"crypt--vault--{number}", wanted, certain=True, ready=True)


def _graph(*costs: float | None) -> Graph:
    states = {f"crypt--vault--{at}": PartitionState(at, "d", cost_usd=cost) for at, cost in enumerate(costs, start=1)}
    return Graph((), {}, {"level_content": states})


def test_a_run_is_in_the_ledger_once_and_the_newest_are_kept(store: Store):
    note_failed_runs(store, [_row(str(number)) for number in range(MAX_FAILED_RUNS + 5)])
    note_failed_runs(store, [_row(str(MAX_FAILED_RUNS + 4))])
    rows = failed_runs(store)
    assert (len(rows), rows[0].run, rows[-1].run) == (MAX_FAILED_RUNS, "5", str(MAX_FAILED_RUNS + 4))


def test_a_damaged_ledger_is_an_empty_one(store: Store):
    store.write_asset("failure_ledger", "runs", b"{")
    assert failed_runs(store) == ()
    note_failed_runs(store, [_row("a")])
    assert [row.run for row in failed_runs(store)] == ["a"]


def test_a_night_grants_what_fits_its_budget_by_what_the_like_cost(store: Store):
    graph = _graph(0.5, 0.3)
    needs = [_level(1), _level(2), _level(3)]
    estimate = grant(store, needs, graph, night="2026-01-01", max_cost_usd=1.0)
    assert ([need.partition[-1] for need in estimate.granted], estimate.usd) == (["1", "2"], 0.8)
    assert [need.partition[-1] for need in estimate.left_out] == ["3"]
    grants = read_grants(store)
    assert [grants.covers(need) for need in needs] == [True, True, False]
    # The same night does not spend the same budget twice, and grants nothing a second time.
    again = grant(store, needs, graph, night="2026-01-01", max_cost_usd=1.0)
    assert again.granted == ()
    # The next one does: all that is still wanted is wanted anew.
    following = grant(store, needs, graph, night="2026-01-02", max_cost_usd=1.0)
    assert len(following.granted) == 2
    assert list(read_grants(store).newer_than(grants.number, needs)) == list(following.granted)


def test_a_grant_is_for_one_need_and_not_for_what_becomes_of_it(store: Store):
    grant(store, [_level(1)], _graph(), night="2026-01-01", max_cost_usd=None)
    assert read_grants(store).covers(_level(1))
    assert not read_grants(store).covers(_level(1, "other"))


def test_without_a_price_everything_is_granted_and_said_to_be_without_one(store: Store):
    estimate = grant(store, [_level(1), _level(2)], _graph(), night="2026-01-01", max_cost_usd=0.0)
    assert (len(estimate.granted), estimate.without_price, estimate.usd) == (2, 2, 0.0)


def test_what_asks_nobody_fits_every_budget(store: Store):
    free = Need("module_dossier", "crypt", "v", certain=True, ready=True)
    estimate = grant(store, [free, _level(1)], _graph(2.0), night="2026-01-01", max_cost_usd=0.0)
    assert estimate.granted == (free,)
