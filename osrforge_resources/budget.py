"""Ceilings on cost: how much one run and one module may spend, checked before each call.

Room is held for a call while it is under way, by the most that it may cost, so that sixteen calls in flight cannot pass a
ceiling together. Where only calls under way are in the way the next one waits for them; where the money is spent it is
refused. What was paid for stays in the response cache, so the run after a raised ceiling goes on where this one ended.

What does not belong here: prices (`prices.py`), counting for reports (`call_meter.py`), the book itself (`ledger.py`).
"""

import contextlib
import time
from collections.abc import Iterator

from osrforge_resources.failures import BudgetError
from osrforge_resources.ledger import Ledger, Refusal, module_scope, run_scope
from osrforge_resources.store import Store
from osrforge_resources.usage import Spending

# The tag of a run that a command started: all runs of one command are one run to a budget.
COMMAND_TAG = "osrforge/command"

# Calls take seconds; half a second more is not felt, and 16 waiting threads read the book 32 times a second.
_POLL_SECONDS = 0.5


class Budget:
    """The ceilings of a deployment and the book they are kept by.

    Args:
        store: Where the book lies.
        run_usd: The most that one run may spend, None for no ceiling.
        module_usd: The most that one module may spend, over all runs; None for no ceiling.
    """

    def __init__(self, store: Store, *, run_usd: float | None = None, module_usd: float | None = None) -> None:
        self.ledger = Ledger(store)
        self.run_usd = run_usd
        self.module_usd = module_usd

    def account(self, run: str, module: str | None = None) -> "RunAccount":
        """Return the account of a step: its calls count for `run`, and for `module` if it works on one."""
        return RunAccount(self, run, module)


class RunAccount:
    """An `Account` of one run and, where there is one, one module; safe to share between threads."""

    def __init__(self, budget: Budget, run: str, module: str | None) -> None:
        self._ledger = budget.ledger
        self._scopes = [run_scope(run), *([module_scope(module)] if module is not None else [])]
        # The setting that holds each ceiling is named where it is reached.
        ceilings = {run_scope(run): (budget.run_usd, "the run", "OSRFORGE_BUDGET_RUN_USD")}
        if module is not None:
            ceilings[module_scope(module)] = (budget.module_usd, f"the module {module}", "OSRFORGE_BUDGET_MODULE_USD")
        self._ceilings = {scope: usd for scope, (usd, _, _) in ceilings.items() if usd is not None}
        self._names = {scope: (what, setting) for scope, (_, what, setting) in ceilings.items()}

    @contextlib.contextmanager
    def reserve(self, estimate_usd: float | None) -> Iterator[None]:
        """Hold room for one call while it is under way; waits while only other calls under way are in its way.

        Args:
            estimate_usd: The most that the call may cost, None if it has no price.

        Raises:
            BudgetError: A ceiling would be passed, or is set and the call has no price.
            StoreError: The ledger cannot be read or written.
        """
        if not self._ceilings:
            yield
            return
        if estimate_usd is None:
            raise BudgetError(
                "A ceiling on cost is set, but the model has no known price.",
                code="budget.no_price",
                remedy="Name its price in OSRFORGE_PRICE_INPUT_USD and OSRFORGE_PRICE_OUTPUT_USD, or remove the ceiling.",
            )
        name = self._held(estimate_usd)
        try:
            yield
        finally:
            self._ledger.release(name)

    def charge(self, spending: Spending) -> None:
        """Record what a call cost."""
        self._ledger.charge(spending, self._scopes)

    def _held(self, estimate_usd: float) -> str:
        while True:
            held = self._ledger.hold(estimate_usd, self._ceilings)
            if isinstance(held, Refusal):
                what, setting = self._names[held.scope]
                raise BudgetError(
                    f"The ceiling of ${held.ceiling:.2f} for {what} leaves no room for a call of up to ${estimate_usd:.2f}: "
                    f"${held.spent:.2f} is spent.",
                    remedy=f"Raise {setting} and run the partition again; everything paid for so far is kept.",
                )
            if held is not None:
                return held
            time.sleep(_POLL_SECONDS)
