"""Every paid reply, kept before anything is made of it: the same question is paid for once.

An entry lies in the store under the digest of what decides the reply: the request's fingerprint, the turns after it,
vendor, model, and the settings that change answers. It holds the reply and who gave it when; of the request it holds the
tag alone, so neither page text nor any secret is in it.

What does not belong here: when a reply is good (`structured_provider.py` decides, and forgets a chain that was refused to
the end) and what it costs (`prices.py`).
"""

import contextlib
import hashlib
import json
import logging
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from osrforge_resources.chat_model import ChatModel, RawReply, StopReason, Turn
from osrforge_resources.failures import StoreError
from osrforge_resources.model_provider import ModelRequest
from osrforge_resources.store import BlobKind, Store
from osrforge_resources.usage import Spending, TokenUsage

_log = logging.getLogger(__name__)

_FORMAT = 1
# Longer than any call with its transport retries: on a server of one's own, 16 questions may wait for one another.
_ASKING_SECONDS = 86_400.0


@dataclass(frozen=True, slots=True)
class CacheEntry:
    """One kept reply and where it came from.

    Attributes:
        reply: The reply as it came.
        tag: The request's tag.
        provider: The vendor's name.
        asked_at: When it was paid for, UTC.
        cost_usd: What it cost then; None if that is not known.
    """

    reply: RawReply
    tag: str
    provider: str
    asked_at: datetime
    cost_usd: float | None


@dataclass(frozen=True, slots=True)
class CacheStats:
    """What the cache holds.

    Attributes:
        entries: Kept replies.
        size: Their bytes in the store.
        damaged: Entries that cannot be read; the next question replaces them.
        oldest: When the oldest was paid for, None if there is none.
        newest: When the newest was paid for, None if there is none.
        spent: Vendor and model to what their replies cost and used when they were paid for.
    """

    entries: int
    size: int
    damaged: int
    oldest: datetime | None
    newest: datetime | None
    spent: dict[tuple[str, str], Spending]


class ResponseCache:
    """Replies over a store.

    Args:
        store: Any store; several processes may share it.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    @staticmethod
    def key(request: ModelRequest, turns: Sequence[Turn], model: ChatModel) -> str:
        """Return the digest (64 hex digits) of all that decides a reply."""
        return response_key(request.fingerprint(), turns, model)

    def find(self, key: str) -> RawReply | None:
        """Return the kept reply, None if there is none; a damaged entry is none, and is logged.

        Raises:
            StoreError: The store cannot be read, so an answer could not be kept either: nothing should be paid for now.
        """
        data = self._store.get_record(BlobKind.RESPONSE, key)
        if data is None:
            return None
        entry = _read(key, data)
        if entry is None:
            _log.warning("The kept reply %s is damaged; it is asked for again.", key[:12])
        return entry.reply if entry is not None else None

    def put(
        self, key: str, reply: RawReply, *, tag: str = "", provider: str = "", cost_usd: float | None = None
    ) -> bool:
        """Keep a reply, replacing what was there; returns whether the store took it.

        A store that refuses (no room) does not cost the caller the reply that was just paid for; it is logged.

        Args:
            key: From `key`.
            reply: The reply as it came, before validation.
            tag: The request's tag, for `stats`.
            provider: The vendor's name, for `stats`.
            cost_usd: What the call cost, None if not known.
        """
        entry = CacheEntry(reply, tag, provider, datetime.now(UTC), cost_usd)
        try:
            self._store.put_record(BlobKind.RESPONSE, key, _written(key, entry))
        except StoreError as failure:
            _log.warning("A paid reply to %s could not be kept: %s", tag or key[:12], failure.message)
            return False
        return True

    def forget(self, keys: Iterable[str]) -> None:
        """Delete entries, so that the next run asks anew."""
        for key in keys:
            self._store.forget_record(BlobKind.RESPONSE, key)

    @contextlib.contextmanager
    def asking(self, key: str) -> Iterator[None]:
        """Hold a question: whoever asks the same, in a thread or a process on this store, waits and then finds the reply.

        Look with `find` once more inside the block. Blocks must not be nested over different keys.

        Raises:
            StoreError: Another one held it for longer than the store's locks wait.
        """
        name = f"asking-{key}"
        with self._store.lock(name, wait_seconds=_ASKING_SECONDS):
            yield
            # A lock file for every question ever asked would pile up. Whoever still waits for this one finds the reply.
            if self._store.get_record(BlobKind.RESPONSE, key) is not None:
                self._store.forget_lock(name)

    def entries(self) -> Iterator[tuple[str, int, CacheEntry | None]]:
        """Yield key, bytes and content of every entry, sorted by key; None where it is damaged."""
        for key in self._store.record_addresses(BlobKind.RESPONSE):
            data = self._store.get_record(BlobKind.RESPONSE, key)
            if data is not None:
                yield key, len(data), _read(key, data)

    def stats(self) -> CacheStats:
        """Return what the cache holds and what it cost when it was paid for."""
        sizes: list[int] = []
        dates: list[datetime] = []
        spent: dict[tuple[str, str], Spending] = {}
        kinds: Counter[bool] = Counter()
        for _, size, entry in self.entries():
            sizes.append(size)
            kinds[entry is None] += 1
            if entry is not None:
                dates.append(entry.asked_at)
                who = (entry.provider, entry.reply.model_id)
                once = Spending(calls=1, usage=entry.reply.usage, cost_usd=entry.cost_usd)
                spent[who] = spent.get(who, Spending()) + once
        return CacheStats(
            entries=kinds[False],
            size=sum(sizes),
            damaged=kinds[True],
            oldest=min(dates, default=None),
            newest=max(dates, default=None),
            spent=dict(sorted(spent.items())),
        )

    def clear(self, older_than: timedelta = timedelta(0)) -> int:
        """Delete damaged entries and those that were paid for at least `older_than` ago; returns how many."""
        limit = datetime.now(UTC) - older_than
        old = [key for key, _, entry in self.entries() if entry is None or entry.asked_at <= limit]
        return sum(self._store.forget_record(BlobKind.RESPONSE, key) for key in old)


def response_key(fingerprint: str, turns: Sequence[Turn], model: ChatModel) -> str:
    """Return a reply's key from a request's fingerprint, where that is known already (a batch's answers)."""
    identity = {
        "fingerprint": fingerprint,
        "turns": [[turn.role, turn.text] for turn in turns],
        "provider": model.provider,
        "model": model.model,
        "settings": model.answer_settings,
    }
    return hashlib.sha256(_canonical(identity)).hexdigest()


def _canonical(value: object) -> bytes:
    # ASCII escapes: a reply may hold half a surrogate pair, which UTF-8 cannot.
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode("ascii")


def _written(key: str, entry: CacheEntry) -> bytes:
    body = {
        "format": _FORMAT,
        "key": key,
        "tag": entry.tag,
        "provider": entry.provider,
        "asked_at": entry.asked_at.isoformat(),
        "cost_usd": entry.cost_usd,
        "reply": asdict(entry.reply),
    }
    return _canonical({**body, "digest": hashlib.sha256(_canonical(body)).hexdigest()})


def _read(key: str, data: bytes) -> CacheEntry | None:
    """Return an entry, None if it is not one that was written whole for this key."""
    try:
        document: dict[str, Any] = json.loads(data)
        digest = document.pop("digest")
        if hashlib.sha256(_canonical(document)).hexdigest() != digest:
            return None
        if document["format"] != _FORMAT or document["key"] != key:
            return None
        said = document["reply"]
        reply = RawReply(
            text=said["text"],
            stop=StopReason(said["stop"]),
            usage=TokenUsage(**said["usage"]),
            model_id=said["model_id"],
            detail=said["detail"],
        )
        asked_at = datetime.fromisoformat(document["asked_at"])
        return CacheEntry(reply, document["tag"], document["provider"], asked_at, document["cost_usd"])
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
