"""Counts what a step asks its provider: calls, cache hits, tokens, cost, models."""

import threading
from collections.abc import Callable, Mapping

from osrforge_resources.account import Account, charged_to
from osrforge_resources.failures import ProviderError
from osrforge_resources.model_provider import ModelProvider, ModelRequest, ModelResponse
from osrforge_resources.usage import Spending, TokenUsage


class CallMeter:
    """A provider that counts; safe to share between threads.

    Args:
        provider: Who answers.
        on_answer: Called with each answered request's tag.
        account: Whom every call is charged to; None for nobody.
    """

    def __init__(
        self,
        provider: ModelProvider,
        on_answer: Callable[[str], None] | None = None,
        *,
        account: Account | None = None,
    ) -> None:
        self._provider = provider
        self.account = account
        self._on_answer = on_answer
        self._lock = threading.Lock()
        self.spending = Spending()
        self.models: set[str] = set()

    def generate(self, request: ModelRequest) -> ModelResponse:
        """Ask the provider and count what it spent, also where it fails."""
        try:
            # Set here and not around the step: the threads of a pool do not inherit context variables.
            with charged_to(self.account):
                response = self._provider.generate(request)
        except ProviderError as failure:
            self.add(failure.spending or Spending(calls=1))
            raise
        self.add(response.spending or _unaccounted(response.usage))
        with self._lock:
            self.models.add(response.model_id)
        if self._on_answer is not None:
            self._on_answer(request.tag)
        return response

    def add(self, spending: Spending) -> None:
        """Count what was spent for the step elsewhere, by a batch."""
        with self._lock:
            self.spending += spending

    @property
    def calls(self) -> int:
        """Calls that reached the provider's service."""
        return self.spending.calls

    def metadata(self) -> dict[str, int | float | str]:
        """Return the counts under the metadata keys that the UI plots over time."""
        return {**spending_metadata(self.spending), "llm/model": ", ".join(sorted(self.models)) or "none"}


def spending_metadata(spending: Spending) -> dict[str, int | float | str]:
    """Return calls, tokens and cost under the metadata keys that the UI plots; no cost where it is not known."""
    usage = spending.usage
    counts: dict[str, int | float | str] = {
        "llm/calls": spending.calls,
        "llm/cache_hits": spending.cache_hits,
        "llm/input_tokens": usage.input_tokens,
        "llm/cached_input_tokens": usage.cached_input_tokens,
        "llm/cache_write_tokens": usage.cache_write_tokens,
        "llm/output_tokens": usage.output_tokens,
    }
    if spending.cost_usd is not None:
        counts["llm/cost_usd"] = spending.cost_usd
    return counts


def spending_of(numbers: Mapping[str, float]) -> Spending:
    """Return what `spending_metadata` wrote; keys that are not there count nothing, a missing cost is an unknown one."""

    def count(key: str) -> int:
        return int(numbers.get(key, 0))

    usage = TokenUsage(
        input_tokens=count("llm/input_tokens"),
        output_tokens=count("llm/output_tokens"),
        cached_input_tokens=count("llm/cached_input_tokens"),
        cache_write_tokens=count("llm/cache_write_tokens"),
    )
    return Spending(count("llm/calls"), count("llm/cache_hits"), usage, numbers.get("llm/cost_usd"))


def _unaccounted(usage: TokenUsage) -> Spending:
    # Nothing was paid where no token was counted (offline); tokens without an account have no known price.
    return Spending(calls=1, usage=usage, cost_usd=0.0 if usage == TokenUsage() else None)
