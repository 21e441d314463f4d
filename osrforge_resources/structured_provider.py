"""A `ModelProvider` over any vendor's `ChatModel`: cache, budget, limiter, strict JSON, schema, repair turns. Written once.

One call of `generate` is a chain of at most three turns: the question, and two in which the model is shown what is
wrong with its reply. Each turn is looked up before it is paid for, and kept before anything is made of it, so a crash
after a paid reply costs nothing on the next run. A chain that ends without a usable answer is forgotten: the next run
asks anew. One that is too long is not: it would be as long again, and the caller asks for less.

What does not belong here: vendors, their failures (`service_failures.py`), prices, Dagster.
"""

import contextlib
import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Protocol

from osrforge_resources import tolerant_json
from osrforge_resources.account import current_account
from osrforge_resources.chat_model import ChatModel, RawReply, StopReason, Turn
from osrforge_resources.failures import (
    ProviderError,
    RefusalError,
    ReplyTooLongError,
    SchemaValidationError,
    StoreError,
    TransientProviderError,
)
from osrforge_resources.in_flight import InFlight
from osrforge_resources.model_provider import ModelRequest, ModelResponse, ensure_schema
from osrforge_resources.prices import input_tokens
from osrforge_resources.usage import Spending, TokenUsage

# Raised when the same replies come to other answers: another reading of JSON, another wording of repairs.
READING_VERSION = "1"

# A model that breaks its schema three times in a row breaks it for a reason that a fourth turn does not change.
REPAIRS = 2

# Models without an enforced schema wrap their JSON in one fence; nothing else around it is read past.
_FENCED = re.compile(r"\s*```(?:json)?[ \t]*\n(.*?)\n?```\s*", re.DOTALL | re.IGNORECASE)


class Cache(Protocol):
    """Where raw replies are kept; `response_cache.py` is one."""

    def key(self, request: ModelRequest, turns: Sequence[Turn], model: ChatModel) -> str:
        """Return the address of a turn's reply: request, turns, model, and the settings that change answers."""
        ...

    def find(self, key: str) -> RawReply | None:
        """Return a kept reply."""
        ...

    def put(
        self, key: str, reply: RawReply, *, tag: str = "", provider: str = "", cost_usd: float | None = None
    ) -> bool:
        """Keep a reply; False where the store refused, which does not cost the caller the reply."""
        ...

    def forget(self, keys: Iterable[str]) -> None:
        """Remove replies."""
        ...

    def asking(self, key: str) -> contextlib.AbstractContextManager[None]:
        """Let one asker of a key at a time into the block, across threads and processes."""
        ...


class Prices(Protocol):
    """What calls cost; `prices.PriceTable` is one."""

    def cost_usd(self, provider: str, model: str, usage: TokenUsage, *, batched: bool = False) -> float | None:
        """Return what a call cost, None without a known price."""
        ...

    def ceiling_usd(
        self, provider: str, model: str, request: ModelRequest, turns: Sequence[Turn], max_tokens: int
    ) -> float | None:
        """Return the most that a call may cost, None without a known price."""
        ...


_anew: ContextVar[bool] = ContextVar("osrforge_ask_anew", default=False)


@contextlib.contextmanager
def asked_anew(wanted: bool = True) -> Iterator[None]:
    """Have every request of the block, in this thread, asked although a reply to it is kept; the new one replaces it."""
    token = _anew.set(wanted)
    try:
        yield
    finally:
        _anew.reset(token)


@dataclass
class _Chain:
    """One request's turns so far: what was said, what it cost, where its replies are kept."""

    request: ModelRequest
    turns: tuple[Turn, ...] = ()
    spending: Spending = field(default_factory=Spending)
    keys: list[str] = field(default_factory=list)

    def repair(self, reply: RawReply, violation: str) -> None:
        """Add a refused reply and what is wrong with it."""
        said = (Turn("assistant", reply.text),) if reply.text.strip() else ()
        self.turns += (*said, Turn("user", self._repair_text(violation)))

    def _repair_text(self, violation: str) -> str:
        # A server that ignores the schema has never shown it to its model, so the first repair does.
        schema = "" if self.turns else f" The schema:\n{json.dumps(self.request.schema, ensure_ascii=False)}\n"
        return (
            f"That reply cannot be used: {violation} Answer the same question again with one JSON document that "
            f"satisfies the schema, whole, and nothing before or after it.{schema}"
        )


class StructuredProvider:
    """Answers structured requests with one model of one vendor; safe to share between threads.

    Args:
        model: The vendor's adapter.
        cache: Where raw replies are kept; None keeps none.
        limiter: Bounds what is under way.
        prices: Turns usage into cost.

    Attributes:
        model: The adapter.
        answers_version: Digest of vendor, model and every setting that changes answers.
    """

    def __init__(self, model: ChatModel, *, cache: Cache | None, limiter: InFlight, prices: Prices) -> None:
        self.model = model
        self.cache = cache
        self._limiter = limiter
        self.prices = prices
        self.answers_version = answers_version(model)

    def generate(self, request: ModelRequest) -> ModelResponse:
        """Return an answer that satisfies the request's schema.

        Every failure carries in `spending` what was paid before it.

        Raises:
            RefusalError: The model declined; its category is in the message.
            ReplyTooLongError: The reply hit the output limit or the context window.
            SchemaValidationError: Three replies in a row did not satisfy the schema.
            BudgetError: A ceiling would be passed; nothing was sent.
            ProviderError: The service failed.
            StoreError: The cache cannot be read; nothing was sent.
        """
        chain = _Chain(request)
        try:
            return self._answer(chain)
        except ProviderError as failure:
            failure.spending = chain.spending
            if isinstance(failure, SchemaValidationError | RefusalError):
                self._forget(chain)
            raise

    def _answer(self, chain: _Chain) -> ModelResponse:
        attempt = 0
        while True:
            reply = self._reply(chain)
            try:
                data = read_reply(chain.request, reply)
            except SchemaValidationError as violation:
                if attempt == REPAIRS:
                    raise SchemaValidationError(f"After {attempt + 1} replies: {violation.message}") from None
                attempt += 1
                chain.repair(reply, violation.message)
            else:
                return ModelResponse(
                    data, reply.usage, reply.model_id, spending=chain.spending, forget=lambda: self._forget(chain)
                )

    def _forget(self, chain: _Chain) -> None:
        if self.cache is not None:
            self.cache.forget(chain.keys)

    def _reply(self, chain: _Chain) -> RawReply:
        """Return the reply to a chain's turns so far: a kept one, or one that is paid for and kept."""
        if self.cache is None:
            return self._paid_reply(chain, key=None)
        key = self.cache.key(chain.request, chain.turns, self.model)
        chain.keys.append(key)
        kept = None if _anew.get() else self.cache.find(key)
        if kept is None:
            with _no_endless_wait(), self.cache.asking(key):
                # Whoever held the key before has perhaps just kept the reply.
                kept = None if _anew.get() else self.cache.find(key)
                if kept is None:
                    return self._paid_reply(chain, key)
        chain.spending += Spending(cache_hits=1)
        return kept

    def _paid_reply(self, chain: _Chain, key: str | None) -> RawReply:
        model, prices, turns = self.model, self.prices, chain.turns
        account = current_account()
        most = prices.ceiling_usd(model.provider, model.model, chain.request, turns, output_limit(model))
        with account.reserve(most) if account is not None else contextlib.nullcontext():
            tokens = input_tokens(chain.request, turns, provider=model.provider, model=model.model)
            with self._limiter.slot(tokens):
                try:
                    reply = model.reply(chain.request, turns)
                except ProviderError as failure:
                    # An adapter that never reached its service says so.
                    chain.spending += failure.spending or Spending(calls=1)
                    raise
            cost = prices.cost_usd(model.provider, model.model, reply.usage)
            spent = Spending(calls=1, usage=reply.usage, cost_usd=cost)
            chain.spending += spent
            if self.cache is not None and key is not None:
                self.cache.put(key, reply, tag=chain.request.tag, provider=model.provider, cost_usd=cost)
            if account is not None:
                account.charge(spent)
        return reply


@contextlib.contextmanager
def _no_endless_wait() -> Iterator[None]:
    """Turn a lock that another run held for too long into a failure that may pass: its call may only be slow."""
    try:
        yield
    except StoreError as failure:
        if failure.code != "store.locked":
            raise
        raise TransientProviderError("A call of another run, waited for because it asks the same, goes on.") from None


def answers_version(model: ChatModel) -> str:
    """Return what tells this model's answers from another's, short enough to read: `anthropic/<model>/<digest>`."""
    settings = json.dumps([READING_VERSION, model.answer_settings], sort_keys=True)
    digest = hashlib.sha256(settings.encode("utf-8")).hexdigest()[:12]
    return f"{model.provider}/{model.model}/{digest}"


def output_limit(model: ChatModel) -> int:
    """Return the most output tokens of one reply."""
    limit = model.answer_settings.get("max_tokens")
    return limit if isinstance(limit, int) else 0


def read_reply(request: ModelRequest, reply: RawReply) -> object:
    """Return the data of a raw reply: why it ended comes first, then JSON, then the whole schema.

    Raises:
        RefusalError: The model declined.
        ReplyTooLongError: It was cut.
        SchemaValidationError: It is not JSON, or not of the schema.
    """
    if reply.stop is StopReason.REFUSED:
        because = f" ({reply.detail})" if reply.detail else ""
        raise RefusalError(f"{reply.model_id} declined to answer {request.tag}{because}.")
    if reply.stop is StopReason.TOO_LONG:
        because = f" ({reply.detail})" if reply.detail else ""
        raise ReplyTooLongError(f"The reply to {request.tag} was cut at {reply.usage.output_tokens} tokens{because}.")
    fenced = _FENCED.fullmatch(reply.text)
    text = fenced[1] if fenced is not None else reply.text
    if not text.strip():
        raise SchemaValidationError(f"{request.tag}: the reply is empty.")
    try:
        data = tolerant_json.decode(text).value
    except tolerant_json.UnreadableJsonError as error:
        raise SchemaValidationError(f"{request.tag}: the reply is not JSON: {error}.") from None
    ensure_schema(data, request.schema, request.tag)
    return data
