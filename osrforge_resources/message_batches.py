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
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Protocol

from pydantic import BaseModel, ConfigDict, ValidationError

from osrforge_resources.account import Account
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


@dataclass(frozen=True, slots=True)
class Question:
    """One request to be answered.

    Attributes:
        request: What is asked.
        owner: Whose it is, for whoever asks.
        account: Whom its answer is charged to.
    """

    request: ModelRequest
    owner: str = ""
    account: Account | None = None


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What is remembered of a question while its images are not in memory."""

    question: Question
    most_usd: float | None


@dataclass
class BatchRun:
    """What came of a run's questions.

    Attributes:
        spent: What the answers that came now cost, each with its question; their requests carry no parts.
        sent: Batches that were sent now.
        unanswered: Items for which a batch had no reply; they are asked as always.
    """

    spent: list[tuple[Question, Spending]] = field(default_factory=list)
    sent: int = 0
    unanswered: int = 0


def open_batches(store: Store) -> int:
    """Return how many batches are in the ledger: sent, and not yet collected."""
    return len(store.asset_partitions(LEDGER))


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
        on_progress: Callable[[int, int], None],
        wait: Callable[[], None] = poll_wait,
    ) -> None:
        if provider.cache is None:
            raise MisuseError("Batches need a response cache to put their answers into.", code="provider.no_batches")
        self._cache = provider.cache
        self._provider = provider
        self._service = service
        self._store = store
        self._wait = wait
        self._on_progress = on_progress

    def answer(self, questions: Callable[[], Iterable[Question]], account: Account | None = None) -> BatchRun:
        """Have questions answered in the cache: those that it lacks are sent, or collected where they were sent before.

        Args:
            questions: Gives the questions, twice: what a batch may cost is known before any of it is sent, and the
                images of a whole backfill need not be in memory for that.
            account: Holds room for all of it while it is under way.

        Raises:
            BudgetError: It would pass a ceiling; nothing was sent.
            ProviderError: The service failed; what was sent is collected by the next run.
            StoreError: The ledger cannot be read or written; nothing was sent.
        """
        run = BatchRun()
        with contextlib.ExitStack() as held:
            with self._store.lock(_LOCK):
                waiting = self._find_sent()
                sent_before = {key for entry in waiting for key in entry.tags}
                wanted = self._wanted(questions())
                unsent = wanted.keys() - sent_before
                self._hold(held, [wanted[key] for key in unsent], account)
                for chunk in _chunks(self._items(questions() if unsent else (), set(unsent))):
                    waiting.append(self._send(chunk))
                    run.sent += 1
            # Batches of an earlier run that hold nothing of ours are left to whoever asks for it.
            ours = [entry for entry in waiting if wanted.keys() & entry.tags.keys()]
            self._collect(ours, wanted, run, account)
        return run

    def _wanted(self, questions: Iterable[Question]) -> dict[str, _Wanted]:
        """Return what the cache lacks, by key, without its images."""
        model, prices, wanted = self._provider.model, self._provider.prices, {}
        for question in questions:
            key = self._key(question.request)
            if key not in wanted and self._cache.find(key) is None:
                most = prices.ceiling_usd(model.provider, model.model, question.request, (), output_limit(model))
                bare = replace(question, request=replace(question.request, parts=(), shared_prefixes=()))
                wanted[key] = _Wanted(bare, None if most is None else most / 2)
        return wanted

    def _items(self, questions: Iterable[Question], keys: set[str]) -> Iterator[tuple[str, ModelRequest]]:
        for question in questions:
            key = self._key(question.request)
            if key in keys:
                keys.remove(key)
                yield key, question.request

    def _key(self, request: ModelRequest) -> str:
        return self._cache.key(request, (), self._provider.model)

    def _hold(self, held: contextlib.ExitStack, wanted: Sequence[_Wanted], account: Account | None) -> None:
        """Hold room for everything under the run's account, after each owner's own ceiling was asked.

        The owners' rooms (a module's) are not held: side by side under one run, the second would wait for the first.
        """
        owners = {id(item.question.account): item.question.account for item in wanted}
        for key, owner in owners.items():
            if owner is not None:
                with owner.reserve(_sum(item for item in wanted if id(item.question.account) == key)):
                    pass
        if account is not None and wanted:
            held.enter_context(account.reserve(_sum(wanted)))

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
            elif (match := self._lost_batch(entry, known) or self._late_batch(entry, known)) is not None:
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

    def _late_batch(self, entry: Entry, known: set[str]) -> Entry | None:
        """Look once more where the batch was sent just now: the service may still be taking it in."""
        if datetime.now(UTC) - entry.sent_at > _CLOCK_SLACK:
            return None
        self._wait()
        return self._lost_batch(entry, known)

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

    def _send(self, items: Sequence[tuple[str, ModelRequest]]) -> Entry:
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

    # Collecting ------------------------------------------------------------------------------------------------------

    def _collect(
        self, entries: Sequence[Entry], wanted: Mapping[str, _Wanted], run: BatchRun, account: Account | None
    ) -> None:
        total = sum(len(entry.tags) for entry in entries)
        waiting = {entry.name: entry for entry in entries}
        open_items = {entry.name: len(entry.tags) for entry in entries}
        while waiting:
            for entry in list(waiting.values()):
                state = self._state(entry)
                open_items[entry.name] = state.open_items if state is not None else 0
                if state is None or state.ended:
                    replies = self._replies(entry) if state is not None else {}
                    run.unanswered += len(entry.tags) - len(replies)
                    for key, reply in replies.items():
                        self._keep(key, reply, entry.tags[key], wanted.get(key), run, account)
                    self._store.retire_asset(LEDGER, entry.name)
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

    def _replies(self, entry: Entry) -> dict[str, RawReply]:
        """Return a batch's replies by key.

        Raises:
            TransientProviderError: It turns out to be another one's; the next run goes on looking.
        """
        assert entry.batch is not None
        replies: dict[str, RawReply] = {}
        for key, reply in self._service.results(entry.batch):
            if key not in entry.tags:
                self._write(entry.model_copy(update={"batch": None, "not_ours": (*entry.not_ours, entry.batch)}))
                raise TransientProviderError(
                    "A batch of the size and time of ours holds other requests; ours is looked for again."
                )
            if reply is not None:
                replies[key] = reply
        return replies

    def _keep(
        self, key: str, reply: RawReply, tag: str, wanted: _Wanted | None, run: BatchRun, account: Account | None
    ) -> None:
        """Put a reply into the cache and charge it, unless a run that was stopped while it collected has done so."""
        if self._cache.find(key) is not None:
            return
        model = self._provider.model
        cost = self._provider.prices.cost_usd(model.provider, model.model, reply.usage, batched=True)
        spent = Spending(calls=1, usage=reply.usage, cost_usd=cost)
        self._cache.put(key, reply, tag=tag, provider=model.provider, cost_usd=cost)
        question = wanted.question if wanted is not None else None
        if question is not None:
            run.spent.append((question, spent))
        payer = question.account if question is not None and question.account is not None else account
        if payer is not None:
            payer.charge(spent)


def _sum(wanted: Iterable[_Wanted]) -> float | None:
    """Return the most that questions may cost together, None if one of them has no price."""
    costs = [item.most_usd for item in wanted]
    known = [cost for cost in costs if cost is not None]
    return sum(known) if len(known) == len(costs) else None


def _chunks(items: Iterable[tuple[str, ModelRequest]]) -> Iterator[list[tuple[str, ModelRequest]]]:
    """Yield items, as many at a time as one batch takes."""
    chunk: list[tuple[str, ModelRequest]] = []
    size = 0
    for key, request in items:
        bytes_of_it = wire_bytes(request)
        if chunk and (size + bytes_of_it > _MOST_BYTES or len(chunk) == _MOST_ITEMS):
            yield chunk
            chunk, size = [], 0
        chunk.append((key, request))
        size += bytes_of_it
    if chunk:
        yield chunk
