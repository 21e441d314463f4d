"""Ceilings hold for sixteen calls in flight, over runs and processes, and keep what was paid for."""

import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osrforge_resources.account import current_account
from osrforge_resources.budget import Budget
from osrforge_resources.call_meter import CallMeter
from osrforge_resources.failures import BudgetError, PermanentProviderError, StoreError
from osrforge_resources.ledger import Ledger, Refusal, module_scope, run_scope
from osrforge_resources.model_provider import ModelRequest, ModelResponse
from osrforge_resources.store import Store
from osrforge_resources.usage import Spending, TokenUsage

REQUEST = ModelRequest("survey", "rules", (), {"type": "object"})


class _Paid:
    """Spends what each call costs from the account of its step, as a provider of a service does."""

    def __init__(self, *, most: float | None, cost: float | None, seconds: float = 0.0) -> None:
        self.most, self.cost, self.seconds = most, cost, seconds
        self.sent = 0
        self._lock = threading.Lock()

    def generate(self, request: ModelRequest) -> ModelResponse:
        account = current_account()
        assert account is not None
        spending = Spending(1, usage=TokenUsage(10, 1), cost_usd=self.cost)
        with account.reserve(self.most):
            with self._lock:
                self.sent += 1
            time.sleep(self.seconds)
            account.charge(spending)
        return ModelResponse(request.tag, spending.usage, "model", spending)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path)


def _ask_all(provider: _Paid, budget: Budget, *, calls: int, module: str | None = "crypt") -> list[BudgetError]:
    refusals: list[BudgetError] = []

    def ask(number: int) -> None:
        meter = CallMeter(provider, account=budget.account(f"run-{number % 2}", module))
        try:
            meter.generate(REQUEST)
        except BudgetError as refusal:
            refusals.append(refusal)

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(ask, range(calls)))
    return refusals


def test_sixteen_calls_in_flight_do_not_pass_a_ceiling_together(store: Store):
    budget = Budget(store, module_usd=1.0)
    provider = _Paid(most=0.3, cost=0.3, seconds=0.05)
    refusals = _ask_all(provider, budget, calls=16)
    assert provider.sent == 3
    assert len(refusals) == 13
    assert budget.ledger.spent(module_scope("crypt")).usd == pytest.approx(0.9)


def test_a_call_waits_for_those_under_way_and_is_not_refused_for_what_they_might_have_cost(store: Store):
    budget = Budget(store, module_usd=1.0)
    provider = _Paid(most=0.6, cost=0.1, seconds=0.02)
    assert _ask_all(provider, budget, calls=5) == []
    assert provider.sent == 5
    assert budget.ledger.spent(module_scope("crypt")).usd == pytest.approx(0.5)


def test_a_ceiling_of_the_run_counts_all_its_modules_and_one_of_the_module_all_its_runs(store: Store):
    by_run, by_module = Budget(store, run_usd=1.0), Budget(store, module_usd=1.0)
    for module in ("crypt", "tower", "crypt"):
        by_run.account("first", module).charge(Spending(1, cost_usd=0.4))
    with pytest.raises(BudgetError, match="the run"), by_run.account("first", "cave").reserve(0.1):
        pass
    with by_run.account("second", "crypt").reserve(0.1):
        pass
    with pytest.raises(BudgetError, match="module crypt"), by_module.account("second", "crypt").reserve(0.3):
        pass
    with by_module.account("first", "tower").reserve(0.3):
        pass


def test_spending_is_known_to_the_next_process_and_counts_without_a_ceiling(store: Store):
    Budget(store).account("first", "crypt").charge(Spending(1, cost_usd=4.0))
    later = Budget(Store(store.root), module_usd=4.5)
    with pytest.raises(BudgetError) as refused, later.account("second", "crypt").reserve(1.0):
        pass
    assert refused.value.code == "budget.reached"
    assert "OSRFORGE_BUDGET_MODULE_USD" in refused.value.remedy
    assert "$4.00 is spent" in refused.value.message


def test_a_model_without_a_price_is_refused_under_a_ceiling_and_free_to_go_without_one(store: Store):
    provider = _Paid(most=None, cost=None)
    (refusal,) = _ask_all(provider, Budget(store, run_usd=5.0), calls=1)
    assert (refusal.code, provider.sent) == ("budget.no_price", 0)
    assert _ask_all(provider, Budget(store), calls=1) == []
    assert Ledger(store).spent(module_scope("crypt")).unpriced == 1


def test_a_transcript_has_the_ceiling_of_the_run_alone(store: Store):
    budget = Budget(store, run_usd=0.5, module_usd=0.01)
    assert _ask_all(_Paid(most=0.3, cost=0.3), budget, calls=1, module=None) == []


def test_a_failed_call_gives_its_room_back(store: Store):
    account = Budget(store, run_usd=1.0).account("run", "crypt")
    for _ in range(3):
        with pytest.raises(PermanentProviderError), account.reserve(0.9):
            raise PermanentProviderError("No.")
    with account.reserve(0.9):
        pass


def test_a_budget_never_asks_for_a_retry(store: Store):
    account = Budget(store, run_usd=1.0).account("run")
    with pytest.raises(PermanentProviderError), account.reserve(2.0):
        pass


def test_room_held_by_a_killed_process_is_free_again(store: Store):
    ledger = Ledger(store)
    assert isinstance(ledger.hold(0.9, {"run:a": 1.0}), str)
    assert ledger.hold(0.9, {"run:a": 1.0}) is None
    path = Path(str(store.asset_path("spending", "ledger")))
    book = json.loads(path.read_text(encoding="utf-8"))
    (name,) = book["held"]
    # No process has this number: it is above the highest that Linux and macOS give out.
    path.write_text(json.dumps({**book, "held": {name: {**book["held"][name], "pid": 2**22 + 1}}}), encoding="utf-8")
    assert isinstance(ledger.hold(0.9, {"run:a": 1.0}), str)


def test_room_held_elsewhere_is_free_again_after_a_while(store: Store):
    ledger = Ledger(store)
    ledger.hold(0.9, {"run:a": 1.0})
    path = Path(str(store.asset_path("spending", "ledger")))
    book = json.loads(path.read_text(encoding="utf-8"))
    for hold in book["held"].values():
        hold.update(host="elsewhere", until=(datetime.now(UTC) - timedelta(seconds=1)).isoformat())
    path.write_text(json.dumps(book), encoding="utf-8")
    assert isinstance(ledger.hold(0.9, {"run:a": 1.0}), str)


@pytest.mark.parametrize(
    "damage", [b"", b"{", b"null", b"[]", b'{"format": 2}', b'{"format":1,"spent":{"run:a":{"usd":-1}},"held":{}}']
)
def test_a_damaged_ledger_keeps_no_ceiling_and_stops_nothing_that_is_paid(store: Store, damage: bytes):
    store.write_asset("spending", "ledger", damage)
    account = Budget(store, run_usd=1.0).account("a")
    with pytest.raises(StoreError) as refused, account.reserve(0.1):
        pass
    assert refused.value.code == "budget.ledger"
    account.charge(Spending(1, cost_usd=0.5))
    assert Ledger(store).spent(run_scope("a")).usd == 0.5


def test_totals_of_old_runs_are_dropped_and_those_of_modules_kept(store: Store):
    budget = Budget(store)
    budget.account("old", "crypt").charge(Spending(1, cost_usd=1.0))
    path = Path(str(store.asset_path("spending", "ledger")))
    path.write_text(path.read_text(encoding="utf-8").replace(str(datetime.now(UTC).year), "2020"), encoding="utf-8")
    budget.account("new", "tower").charge(Spending(1, cost_usd=1.0))
    assert budget.ledger.spent(run_scope("old")).calls == 0
    assert set(budget.ledger.modules()) == {"crypt", "tower"}


@given(costs=st.lists(st.floats(0, 2), max_size=12), ceiling=st.floats(0.01, 5))
def test_calls_that_cost_at_most_their_estimate_never_pass_the_ceiling(costs: list[float], ceiling: float):
    store = Store(f"memory://budget-{time.monotonic_ns()}")
    account = Budget(store, run_usd=ceiling).account("run")
    for cost in costs:
        try:
            with account.reserve(cost):
                account.charge(Spending(1, cost_usd=cost))
        except BudgetError:
            assert isinstance(Ledger(store).hold(cost, {run_scope("run"): ceiling}), Refusal)
    assert Ledger(store).spent(run_scope("run")).usd <= ceiling + 1e-9
