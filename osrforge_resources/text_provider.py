"""Free text from a model, as it arrives: the budget and the limiter of structured requests around a stream.

A stream is not kept in the response cache: who tells a story wants another one when he asks again.
"""

import contextlib
from collections.abc import Iterator
from typing import Protocol

from osrforge_resources.account import current_account
from osrforge_resources.chat_model import ChatModel, RawReply, StopReason, TextModel, TextRequest
from osrforge_resources.failures import ProviderError, RefusalError, ReplyTooLongError
from osrforge_resources.in_flight import InFlight
from osrforge_resources.model_provider import ModelRequest
from osrforge_resources.prices import input_tokens
from osrforge_resources.structured_provider import Prices, answers_version
from osrforge_resources.usage import Spending


class ServiceModel(ChatModel, TextModel, Protocol):
    """A model that is both: what the adapters of services are."""


class TextProvider:
    """Streams free text from one model, within a budget and a limiter; safe to share between threads.

    Args:
        model: The vendor's adapter.
        limiter: Bounds what is under way.
        prices: Turns usage into cost.
    """

    def __init__(self, model: ServiceModel, *, limiter: InFlight, prices: Prices) -> None:
        self._model = model
        self._limiter = limiter
        self._prices = prices
        self.answers_version = answers_version(model)

    def stream_text(self, request: TextRequest) -> Iterator[str | RawReply]:
        """Yield the text as it arrives, and at the end the whole reply; what was used is charged, however it ends.

        Raises:
            RefusalError: The model declined.
            ReplyTooLongError: The text was cut at the output limit; all pieces were yielded.
            BudgetError: A ceiling would be passed; nothing was sent.
            ProviderError: The service failed, perhaps in mid-stream; `spending` says what was paid.
        """
        model, account = self._model, current_account()
        priced = ModelRequest("text", request.system, (), {})
        limit = request.max_tokens or model.max_tokens
        most = self._prices.ceiling_usd(model.provider, model.model, priced, request.turns, limit)
        tokens = input_tokens(priced, request.turns, provider=model.provider, model=model.model)
        spent = Spending(calls=1)
        with account.reserve(most) if account is not None else contextlib.nullcontext():
            try:
                with self._limiter.slot(tokens):
                    for piece in model.stream(request):
                        if isinstance(piece, RawReply):
                            cost = self._prices.cost_usd(model.provider, model.model, piece.usage)
                            spent = Spending(calls=1, usage=piece.usage, cost_usd=cost)
                            _check_end(piece, spent)
                        yield piece
            except ProviderError as failure:
                spent = failure.spending = failure.spending or spent
                raise
            finally:
                if account is not None:
                    account.charge(spent)


def _check_end(reply: RawReply, spent: Spending) -> None:
    failure: ProviderError | None = None
    if reply.stop is StopReason.REFUSED:
        because = f" ({reply.detail})" if reply.detail else ""
        failure = RefusalError(f"{reply.model_id} declined to go on{because}.")
    elif reply.stop is StopReason.TOO_LONG:
        failure = ReplyTooLongError(f"The text was cut at {reply.usage.output_tokens} tokens.")
    if failure is not None:
        failure.spending = spent
        raise failure
