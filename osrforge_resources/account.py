"""Whose money a call spends: the account that a step opens and every paid call below it is charged to.

A provider's one method takes a request and nothing else, so the account travels beside it in a context variable, set by
`CallMeter` around each `generate` and read where a call is about to be paid for. Code outside any step has no account
and no ceiling.
"""

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Protocol

from osrforge_resources.usage import Spending


class Account(Protocol):
    """Refuses a call before it is made, and is charged after it."""

    def reserve(self, estimate_usd: float | None) -> contextlib.AbstractContextManager[None]:
        """Hold room for one call while it is under way.

        Args:
            estimate_usd: The most that the call may cost by its input and output limit, None if it has no price.

        Raises:
            BudgetError: The ceiling would be passed, or is set and the call has no price.
        """
        ...

    def charge(self, spending: Spending) -> None:
        """Record what a call cost; called once a paid call, also where its reply is refused."""
        ...


_current: ContextVar[Account | None] = ContextVar("osrforge_account", default=None)


def current_account() -> Account | None:
    """Return the account of the step in whose thread this runs."""
    return _current.get()


@contextlib.contextmanager
def charged_to(account: Account | None) -> Iterator[None]:
    """Charge every call made in the block, in this thread, to `account`."""
    token = _current.set(account)
    try:
        yield
    finally:
        _current.reset(token)
