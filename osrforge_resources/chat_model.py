"""The seam below the seam: what a vendor's adapter does, and nothing else.

An adapter packs a request for its service, sends it once, and returns the reply as it came, or raises the failure that
the service's answer means. Everything that all vendors share (cache, budget, limiter, strict JSON, schema, repair
turns) is `structured_provider.py`, written once above this protocol.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, Protocol, runtime_checkable

from osrforge_resources.model_provider import ModelRequest
from osrforge_resources.usage import TokenUsage


class StopReason(StrEnum):
    """Why a reply ended."""

    END = "end"
    TOO_LONG = "too_long"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of a conversation after its first request: a reply that was refused, or what was wrong with it."""

    role: Literal["assistant", "user"]
    text: str


@dataclass(frozen=True, slots=True)
class RawReply:
    """A reply before anything was made of it.

    Attributes:
        text: The reply's text, thinking excluded.
        stop: Why it ended; an adapter maps its vendor's reasons to these.
        usage: Tokens as the service counted them.
        model_id: The model that answered, as the service names it.
        detail: The category of a refusal, or the vendor's own stop reason; "" if there is none.
    """

    text: str
    stop: StopReason
    usage: TokenUsage
    model_id: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class TextRequest:
    """A free-text completion, streamed.

    Attributes:
        system: The system text.
        turns: The conversation so far, oldest first; the last one is the user's.
        max_tokens: Output limit; None for the adapter's setting.
    """

    system: str
    turns: tuple[Turn, ...]
    max_tokens: int | None = None


@runtime_checkable
class ChatModel(Protocol):
    """One model of one vendor.

    Attributes:
        provider: The vendor's name in keys, prices and messages (`anthropic`, `openai-compatible`).
        model: The model's name as the service takes it.
        max_tokens: Output limit of one reply, thinking included.
    """

    provider: str
    model: str
    max_tokens: int

    @property
    def answer_settings(self) -> dict[str, object]:
        """Every setting that changes answers (effort, base URL, vision …), as JSON data.

        The output limit is none of them: a whole answer is as good under any. It is part of cache keys and of `answers_version`; no secret is ever in it.
        """
        ...

    def reply(self, request: ModelRequest, turns: Sequence[Turn]) -> RawReply:
        """Send a request, and the turns after it, once.

        Raises:
            PermanentProviderError: The same request will fail again.
            TransientProviderError: Waiting may help.
        """
        ...


@runtime_checkable
class TextModel(Protocol):
    """A model that writes free text; adapters of services are both this and a `ChatModel`."""

    def stream(self, request: TextRequest) -> Iterator[str | RawReply]:
        """Yield the reply's text as it arrives, and at the end the `RawReply` of the whole.

        Raises:
            ProviderError: As in `ChatModel.reply`, also in mid-stream.
        """
        ...
