"""Counts what a step asks its provider: calls, tokens, models."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

from osrforge_resources.model_provider import ModelProvider, ModelRequest, ModelResponse, TokenUsage


@dataclass(frozen=True, slots=True)
class CallCosts:
    """Provider calls of one or more runs, and what they cost: None as soon as one has no known price."""

    calls: int = 0
    cost_usd: float | None = 0.0

    def __add__(self, other: Self) -> Self:
        known = self.cost_usd is not None and other.cost_usd is not None
        cost = self.cost_usd + other.cost_usd if known else None  # pyright: ignore[reportOperatorIssue]
        return type(self)(self.calls + other.calls, cost)


class CallMeter:
    """A provider that counts; safe to share between threads.

    Args:
        provider: Who answers.
        on_answer: Called with each answered request's tag.
    """

    def __init__(self, provider: ModelProvider, on_answer: Callable[[str], None] | None = None) -> None:
        self._provider = provider
        self._on_answer = on_answer
        self._lock = threading.Lock()
        self.calls = 0
        self.usage = TokenUsage()
        self.models: set[str] = set()

    def generate(self, request: ModelRequest) -> ModelResponse:
        """Ask the provider and count the call, also where it fails."""
        with self._lock:
            self.calls += 1
        response = self._provider.generate(request)
        with self._lock:
            self.usage += response.usage
            self.models.add(response.model_id)
        if self._on_answer is not None:
            self._on_answer(request.tag)
        return response

    @property
    def cost_usd(self) -> float | None:
        """What the calls cost: nothing where no token was paid, unknown where tokens were and no price is known."""
        return 0.0 if self.usage == TokenUsage() else None

    def metadata(self) -> dict[str, int | float | str]:
        """Return the counts under the metadata keys that the UI plots over time."""
        counts: dict[str, int | float | str] = {
            "llm/calls": self.calls,
            "llm/input_tokens": self.usage.input_tokens,
            "llm/cached_input_tokens": self.usage.cached_input_tokens,
            "llm/output_tokens": self.usage.output_tokens,
            "llm/model": ", ".join(sorted(self.models)) or "none",
        }
        if self.cost_usd is not None:
            counts["llm/cost_usd"] = self.cost_usd
        return counts
