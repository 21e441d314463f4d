"""Requests answered as one batch at half price: sent, waited for, and put into the response cache by their keys.

Whoever asks for them afterwards finds them there. What the cache lacks after that (an item that failed, a repair, a
follow-up) is asked as always.

Nothing is sent twice. What is about to be sent is written down first, then it is sent, then the batch's id is added. A
process killed between the last two leaves an entry without an id: the next run looks through the service's recent batches for
one of that size and time, waits for it, and knows it by its items' ids, which are the cache keys. Only where there is
none was nothing sent.
"""

import contextlib
import hashlib
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Protocol

from pydantic import BaseModel, ConfigDict, ValidationError

from osrforge_resources.account import current_account
from osrforge_resources.chat_model import RawReply
from osrforge_resources.failures import MisuseError, PermanentProviderError, StoreError, TransientProviderError
from osrforge_resources.model_provider import ModelRequest
from osrforge_resources.store import Store
from osrforge_resources.structured_provider import StructuredProvider, output_limit
from osrforge_resources.usage import Spending
from osrforge_resources.wire_format import wire_bytes

LEDGER = "message_batch"

# The service takes 256 MB and 100,000 items; the JSON of one batch is in memory as a whole, several times.
_MOST_BYTES = 100_000_000
_MOST_ITEMS = 10_000
# Clocks differ; a batch of the same size made five minutes before we sent ours is told apart by its items.
_CLOCK_SLACK = timedelta(minutes=5)
# A batch takes minutes to hours (most end within one); asking twice a minute costs nothing.
POLL_SECONDS = 30.0
_LOCK = "message-batches"


@dataclass(frozen=True, slots=True)
class BatchState:
    """A batch as its service shows it.

    Attributes:
        id: The service's id.
        made_at: When it was accepted.
        ended: Whether its results can be read.
        items: How many items it has.
        open_items: How many of them are not done.
    """

    id: str
    made_at: datetime
    ended: bool
    items: int
    open_items: int


class BatchService(Protocol):
    """What a vendor's batches have to offer; `anthropic_batches.py` is one."""

    def submit(self, items: Sequence[tuple[str, ModelRequest]]) -> str:
        """Send items as one batch and return its id; never repeated by itself."""
        ...

    def state(self, batch: str) -> BatchState:
        """Return how far a batch is."""
        ...

    def recent(self, since: datetime) -> Iterator[BatchState]:
        """Yield the batches made since then."""
        ...

    def results(self, batch: str) -> Iterator[tuple[str, RawReply | None]]:
        """Yield item ids with their replies, None where there is none."""
        ...


class Entry(BaseModel):
    """One batch in the ledger.

    Attributes:
        batch: The service's id; None while it is not known whether the service has accepted it.
        who: Vendor, model and settings, as in `answers_version`: another one's batches are not ours to read.
        sent_at: When it was about to be sent, UTC.
        tags: Cache key to the request's tag.
        not_ours: Batches of the same size that turned out to be others'.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    batch: str | None
    who: str
    sent_at: datetime
    tags: dict[str, str]
    not_ours: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The entry's name in the ledger: a digest of its keys."""
        return hashlib.sha256("".join(sorted(self.tags)).encode("ascii")).hexdigest()[:32]


@dataclass
class BatchRun:
    """What came of a run's requests.

    Attributes:
        spent: Cache key to what its answer cost now.
        sent: Batches that were sent now.
        unanswered: Items for which a batch had no reply; they are asked as always.
    """

    spent: dict[str, Spending] = field(default_factory=dict)
    sent: int = 0
    unanswered: int = 0


def poll_wait() -> None:
    """Wait between two looks at a batch."""
    time.sleep(POLL_SECONDS)


class MessageBatches:
    """Answers many requests of one provider as batches.

    Args:
        provider: Whose cache, model and prices are used.
        service: The vendor's batches.
        store: Where the ledger is kept.
        wait: Called between two looks at a batch.
        on_progress: Told how many items of all waited for are done.
    """

    def __init__(
        self,
        provider: StructuredProvider,
        service: BatchService,
        store: Store,
        *,
        wait: Callable[[], None] = poll_wait,
        on_progress: Callable[[int, int], None] = lambda done, total: None,
    ) -> None:
        if provider.cache is None:
            raise MisuseError("Batches need a response cache to put their answers into.", code="provider.no_batches")
        self._cache = provider.cache
        self._provider = provider
        self._service = service
        self._store = store
        self._wait = wait
        self._on_progress = on_progress

    def answer(self, requests: Iterable[ModelRequest]) -> BatchRun:
        """Have requests answered in the cache: those that it lacks are sent, or collected where they were sent before.

        Raises:
            BudgetError: A batch would pass the ceiling; it was not sent.
            ProviderError: The service failed; what was sent is collected by the next run.
            StoreError: The ledger cannot be read or written; nothing was sent.
        """
        run = BatchRun()
        with contextlib.ExitStack() as reservations:
            with self._store.lock(_LOCK):
                waiting = self._find_sent()
                known = {key for entry in waiting for key in entry.tags}
                wanted = set()
                for chunk in _chunks(self._missing(requests, wanted), known):
                    waiting.append(self._send(chunk, reservations))
                    run.sent += 1
            # Batches of an earlier run that hold nothing of ours are left to whoever asks for it.
            self._collect([entry for entry in waiting if wanted & entry.tags.keys()], run)
        return run

    def key(self, request: ModelRequest) -> str:
        """Return the cache key of a request's first answer."""
        return self._cache.key(request, (), self._provider.model)

    def _missing(self, requests: Iterable[ModelRequest], wanted: set[str]) -> Iterator[tuple[str, ModelRequest]]:
        for request in requests:
            key = self.key(request)
            if key not in wanted and self._cache.find(key) is None:
                wanted.add(key)
                yield key, request

    # The ledger ------------------------------------------------------------------------------------------------------

    def _find_sent(self) -> list[Entry]:
        """Return this provider's open entries; those without a batch id find theirs or are dropped."""
        who = self._provider.answers_version
        entries = [entry for name in self._store.asset_partitions(LEDGER) if (entry := self._read(name)).who == who]
        known = {entry.batch for entry in entries if entry.batch is not None}
        found = []
        for entry in entries:
            if entry.batch is not None:
                found.append(entry)
            elif (match := self._lost_batch(entry, known)) is not None:
                found.append(self._write(match))
            else:
                self._store.retire_asset(LEDGER, entry.name)
        return found

    def _lost_batch(self, entry: Entry, known: set[str]) -> Entry | None:
        for state in self._service.recent(entry.sent_at - _CLOCK_SLACK):
            if state.items == len(entry.tags) and state.id not in known and state.id not in entry.not_ours:
                known.add(state.id)
                return entry.model_copy(update={"batch": state.id})
        return None

    def _read(self, name: str) -> Entry:
        try:
            return Entry.model_validate_json(self._store.read_asset(LEDGER, name) or b"")
        except ValidationError as error:
            raise StoreError(
                f"The ledger entry {name} of a message batch cannot be read.",
                code="store.contract",
                remedy="Look up the batch at the service, then remove the entry from the store.",
            ) from error

    def _write(self, entry: Entry) -> Entry:
        self._store.write_asset(LEDGER, entry.name, entry.model_dump_json().encode("utf-8"))
        return entry

    # Sending ---------------------------------------------------------------------------------------------------------

    def _send(self, items: Sequence[tuple[str, ModelRequest]], reservations: contextlib.ExitStack) -> Entry:
        account = current_account()
        if account is not None:
            reservations.enter_context(account.reserve(self._ceiling(items)))
        tags = {key: request.tag for key, request in items}
        entry = Entry(batch=None, who=self._provider.answers_version, sent_at=datetime.now(UTC), tags=tags)
        self._write(entry)
        try:
            batch = self._service.submit(items)
        except PermanentProviderError:
            # The service refused it, so there is none to look for.
            self._store.retire_asset(LEDGER, entry.name)
            raise
        except TransientProviderError as failure:
            if failure.code == "provider.rate_limited":
                self._store.retire_asset(LEDGER, entry.name)
            raise
        return self._write(entry.model_copy(update={"batch": batch}))

    def _ceiling(self, items: Sequence[tuple[str, ModelRequest]]) -> float | None:
        model, prices = self._provider.model, self._provider.prices
        limit = output_limit(model)
        costs = [prices.ceiling_usd(model.provider, model.model, request, (), limit) for _, request in items]
        known = [cost for cost in costs if cost is not None]
        return sum(known) / 2 if len(known) == len(costs) else None

    # Collecting ------------------------------------------------------------------------------------------------------

    def _collect(self, entries: Sequence[Entry], run: BatchRun) -> None:
        total = sum(len(entry.tags) for entry in entries)
        waiting = {entry.name: entry for entry in entries}
        open_items = {entry.name: len(entry.tags) for entry in entries}
        while waiting:
            for entry in list(waiting.values()):
                state = self._state(entry)
                open_items[entry.name] = state.open_items if state is not None else 0
                if state is None or state.ended:
                    self._take(entry, run, there=state is not None)
                    del waiting[entry.name]
            self._on_progress(total - sum(open_items.values()), total)
            if waiting:
                self._wait()

    def _state(self, entry: Entry) -> BatchState | None:
        assert entry.batch is not None
        try:
            return self._service.state(entry.batch)
        except PermanentProviderError as failure:
            if failure.code != "provider.not_found":
                raise
            return None  # removed at the service, or its results have expired

    def _take(self, entry: Entry, run: BatchRun, *, there: bool) -> None:
        """Put a batch's replies into the cache, then close its entry."""
        assert entry.batch is not None
        results = self._service.results(entry.batch) if there else ()
        answered: set[str] = set()
        for key, reply in results:
            if key not in entry.tags:
                # Of the same size and time, and not ours: the entry goes on looking.
                self._write(entry.model_copy(update={"batch": None, "not_ours": (*entry.not_ours, entry.batch)}))
                raise TransientProviderError(
                    "A batch that was taken for ours holds other requests; ours is looked for again.",
                    code="provider.transient",
                )
            if reply is not None:
                answered.add(key)
                self._keep(key, reply, entry.tags[key], run)
        run.unanswered += len(entry.tags) - len(answered)
        self._store.retire_asset(LEDGER, entry.name)

    def _keep(self, key: str, reply: RawReply, tag: str, run: BatchRun) -> None:
        if self._cache.find(key) is not None:
            return  # kept, and charged, by a run that was stopped while it collected
        model, account = self._provider.model, current_account()
        cost = self._provider.prices.cost_usd(model.provider, model.model, reply.usage, batched=True)
        spent = Spending(calls=1, usage=reply.usage, cost_usd=cost)
        self._cache.put(key, reply, tag=tag, provider=model.provider, cost_usd=cost)
        run.spent[key] = spent
        if account is not None:
            account.charge(spent)


def _chunks(
    items: Iterable[tuple[str, ModelRequest]], known: set[str]
) -> Iterator[list[tuple[str, ModelRequest]]]:
    """Yield the items that no batch holds yet, as many at a time as one batch takes."""
    chunk: list[tuple[str, ModelRequest]] = []
    size = 0
    for key, request in items:
        if key in known:
            continue
        bytes_of_it = wire_bytes(request)
        if chunk and (size + bytes_of_it > _MOST_BYTES or len(chunk) == _MOST_ITEMS):
            yield chunk
            chunk, size = [], 0
        chunk.append((key, request))
        size += bytes_of_it
    if chunk:
        yield chunk

