"""What was spent, and what is held for calls under way: one document in the store, shared by runs and processes.

A scope is whatever a ceiling is set for: a module, a run. A call is held in all its scopes or in none, under one lock.

What does not belong here: ceilings and what reaching one means (`budget.py`).
"""

import json
import logging
import math
import os
import secrets
import socket
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from osrforge_resources.failures import StoreError
from osrforge_resources.store import Store
from osrforge_resources.usage import Spending

_log = logging.getLogger(__name__)

_FORMAT = 1
_DOCUMENT = ("spending", "ledger")
_LOCK = "spending"
# Longer than a call with its transport retries takes (three times ten minutes); a process that was killed on this machine
# is noticed at once.
_HELD_FOR = timedelta(minutes=30)
# A run's total is of use while it runs; a module's is kept for ever.
_RUNS_KEPT_FOR = timedelta(days=7)
_RUN = "run:"
_MODULE = "module:"


def run_scope(run: str) -> str:
    """Return the scope of a run."""
    return _RUN + run


def module_scope(module: str) -> str:
    """Return the scope of a module."""
    return _MODULE + module


@dataclass(frozen=True, slots=True)
class Spent:
    """What a scope has spent.

    Attributes:
        usd: Dollars of all calls with a known price.
        calls: Paid calls.
        unpriced: Those of them whose price is not known.
        at: When the last one was charged, UTC, ISO 8601.
    """

    usd: float = 0.0
    calls: int = 0
    unpriced: int = 0
    at: str = ""


@dataclass(frozen=True, slots=True)
class _Hold:
    usd: float
    scopes: tuple[str, ...]
    until: str
    host: str
    pid: int


@dataclass(slots=True)
class _Book:
    spent: dict[str, Spent] = field(default_factory=dict)
    held: dict[str, _Hold] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a call cannot be held: the first scope whose ceiling it would pass even after all calls under way."""

    scope: str
    ceiling: float
    spent: float


class Ledger:
    """The book over a store.

    Args:
        store: Where it lies; on a local root it is shared by processes, elsewhere by threads.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    def hold(self, usd: float, ceilings: Mapping[str, float]) -> str | Refusal | None:
        """Hold room for a call in every scope of `ceilings`.

        Returns:
            The name to release it by; None where only the calls under way are in its way, which may turn out cheaper; a
            refusal where what is spent already leaves no room.

        Raises:
            StoreError: The book is damaged, so no ceiling can be kept (`budget.ledger`), or the store refuses.
        """
        with self._store.lock(_LOCK):
            book = self._read()
            now = datetime.now(UTC)
            book.held = {name: hold for name, hold in book.held.items() if _is_under_way(hold, now)}
            for scope, ceiling in ceilings.items():
                spent = book.spent.get(scope, Spent()).usd
                if spent + usd > ceiling:
                    return Refusal(scope, ceiling, spent)
            for scope, ceiling in ceilings.items():
                held = math.fsum(hold.usd for hold in book.held.values() if scope in hold.scopes)
                if book.spent.get(scope, Spent()).usd + held + usd > ceiling:
                    return None
            name = secrets.token_hex(8)
            until = (now + _HELD_FOR).isoformat()
            book.held[name] = _Hold(usd, tuple(ceilings), until, socket.gethostname(), os.getpid())
            self._write(book)
            return name

    def release(self, name: str) -> None:
        """Give a hold back."""
        with self._store.lock(_LOCK):
            book = self._read()
            if book.held.pop(name, None) is not None:
                self._write(book)

    def charge(self, spending: Spending, scopes: Sequence[str]) -> None:
        """Add a paid call to its scopes; a damaged book is begun anew, and that is logged."""
        now = datetime.now(UTC)
        with self._store.lock(_LOCK):
            try:
                book = self._read()
            except StoreError as failure:
                if failure.code != "budget.ledger":
                    raise
                _log.warning("%s It is begun anew.", failure.message)
                book = _Book()
            for scope in scopes:
                before = book.spent.get(scope, Spent())
                book.spent[scope] = Spent(
                    # Ten digits: sums of a thousand calls must not show the binary fractions they are made of.
                    usd=round(before.usd + (spending.cost_usd or 0.0), 10),
                    calls=before.calls + spending.calls,
                    unpriced=before.unpriced + (spending.calls if spending.cost_usd is None else 0),
                    at=now.isoformat(timespec="seconds"),
                )
            limit = (now - _RUNS_KEPT_FOR).isoformat(timespec="seconds")
            book.spent = {
                scope: spent for scope, spent in book.spent.items() if not (scope.startswith(_RUN) and spent.at < limit)
            }
            self._write(book)

    def spent(self, scope: str) -> Spent:
        """Return what a scope has spent."""
        return self._read().spent.get(scope, Spent())

    def modules(self) -> dict[str, Spent]:
        """Return what each module has spent, sorted by module."""
        spent = self._read().spent
        return {scope.removeprefix(_MODULE): spent[scope] for scope in sorted(spent) if scope.startswith(_MODULE)}

    def _read(self) -> _Book:
        data = self._store.read_asset(*_DOCUMENT)
        if data is None:
            return _Book()
        try:
            document: dict[str, Any] = json.loads(data)
            if document["format"] != _FORMAT:
                raise ValueError(document["format"])  # noqa: TRY301  # one sentence for every kind of damage
            spent = {scope: _checked(Spent(**said)) for scope, said in document["spent"].items()}
            held = {
                name: replace(hold := _Hold(**said), scopes=tuple(hold.scopes))
                for name, said in document["held"].items()
            }
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            raise StoreError(
                f"The ledger of spending ({self._store.asset_path(*_DOCUMENT)}) is damaged.",
                code="budget.ledger",
                remedy="Restore it, or delete it to count from zero; paid answers are kept elsewhere.",
            ) from None
        return _Book(spent, held)

    def _write(self, book: _Book) -> None:
        document = {
            "format": _FORMAT,
            "spent": {scope: asdict(spent) for scope, spent in sorted(book.spent.items())},
            "held": {name: asdict(hold) for name, hold in book.held.items()},
        }
        self._store.write_asset(*_DOCUMENT, json.dumps(document, indent=1).encode("ascii"))


def _checked(spent: Spent) -> Spent:
    if not (math.isfinite(spent.usd) and spent.usd >= 0):
        raise ValueError(spent.usd)
    return spent


def _is_under_way(hold: _Hold, now: datetime) -> bool:
    if datetime.fromisoformat(hold.until) < now:
        return False
    # Signal 0 asks whether a process is there; on Windows it would end it.
    if os.name == "posix" and hold.host == socket.gethostname():
        try:
            os.kill(hold.pid, 0)
        except ProcessLookupError:
            return False
        except OSError:
            return True
    return True
