"""What model calls used and what they cost: the numbers that responses, failures and reports carry.

What does not belong here: prices (they turn usage into cost) and budgets (they stop calls).
"""

from dataclasses import dataclass, fields
from typing import Self


@dataclass(frozen=True, slots=True)
class TokenUsage:
    """Tokens of one or more completions, as the service counted them.

    Attributes:
        input_tokens: Input tokens paid in full.
        cached_input_tokens: Input tokens read from a prompt cache.
        cache_write_tokens: Input tokens written to a prompt cache.
        output_tokens: Output tokens, thinking included.
        thinking_tokens: The part of the output spent on thinking, where the service says so.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cached_input_tokens: int = 0
    cache_write_tokens: int = 0
    thinking_tokens: int = 0

    def __add__(self, other: Self) -> Self:
        return type(self)(**{f.name: getattr(self, f.name) + getattr(other, f.name) for f in fields(self)})


@dataclass(frozen=True, slots=True)
class Spending:
    """Calls to a service and what was paid for them.

    Attributes:
        calls: Calls that reached the service, repairs included; an answer from the response cache is none.
        cache_hits: Answers that came from the response cache.
        usage: Tokens that were paid for.
        cost_usd: US dollars; None as soon as one call has no known price.
    """

    calls: int = 0
    cache_hits: int = 0
    usage: TokenUsage = TokenUsage()
    cost_usd: float | None = 0.0

    def __add__(self, other: Self) -> Self:
        mine, others = self.cost_usd, other.cost_usd
        return type(self)(
            calls=self.calls + other.calls,
            cache_hits=self.cache_hits + other.cache_hits,
            usage=self.usage + other.usage,
            cost_usd=None if mine is None or others is None else mine + others,
        )
