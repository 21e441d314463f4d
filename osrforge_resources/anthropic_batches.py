"""Anthropic's Message Batches as `message_batches.py` needs them: send, look, read."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from osrforge_resources.anthropic import AnthropicModel, check_size, read_message
from osrforge_resources.chat_model import RawReply
from osrforge_resources.failures import TransientProviderError
from osrforge_resources.message_batches import BatchState
from osrforge_resources.model_provider import ModelRequest
from osrforge_resources.service_failures import broken_reply
from osrforge_resources.wire_format import plain_data

_PAGE = 100


class AnthropicBatches:
    """The batch side of an Anthropic model.

    Args:
        model: Whose requests are sent; one item is exactly what `reply` would send.
    """

    def __init__(self, model: AnthropicModel) -> None:
        self.model = model

    def submit(self, items: Sequence[tuple[str, ModelRequest]]) -> str:
        """Send items (an id of at most 64 characters, a request) as one batch; return the batch's id.

        It is sent once: repeated by the SDK after a lost answer, it would be two batches.
        """
        for _, request in items:
            check_size(request)
        client, calls = self.model.connection()
        requests: Any = [{"custom_id": name, "params": self.model.parameters(request)} for name, request in items]
        once = client.with_options(max_retries=0)
        batch = plain_data(calls.run(lambda: once.messages.batches.create(requests=requests)))
        if not batch.get("id"):
            raise broken_reply(self.model.provider, "something that is not a batch")
        return str(batch["id"])

    def state(self, batch: str) -> BatchState:
        """Return how far a batch is."""
        client, calls = self.model.connection()
        return _state(plain_data(calls.run(lambda: client.messages.batches.retrieve(batch))))

    def recent(self, since: datetime) -> Iterator[BatchState]:
        """Yield the batches made since then, newest first."""
        client, calls = self.model.connection()
        pages = iter(calls.run(lambda: client.messages.batches.list(limit=_PAGE)))
        while (batch := calls.run(lambda: next(pages, None))) is not None:
            state = _state(plain_data(batch))
            if state.made_at < since:
                return
            yield state

    def results(self, batch: str) -> Iterator[tuple[str, RawReply | None]]:
        """Yield each item's id and reply; None where the service gave none (an error, or it ran out of time)."""
        client, calls = self.model.connection()
        lines = iter(calls.run(lambda: client.messages.batches.results(batch)))
        while (line := calls.run(lambda: next(lines, None))) is not None:
            item = plain_data(line)
            yield str(item.get("custom_id", "")), _reply(item.get("result"))


def _reply(result: Any) -> RawReply | None:
    if not isinstance(result, dict) or result.get("type") != "succeeded":
        return None
    try:
        return read_message(result.get("message") or {})
    except TransientProviderError:
        return None


def _state(batch: dict[str, Any]) -> BatchState:
    counts = batch.get("request_counts") or {}
    try:
        made_at = datetime.fromisoformat(str(batch.get("created_at")))
    except ValueError:
        made_at = None
    if made_at is None or made_at.tzinfo is None:
        raise broken_reply(AnthropicModel.provider, "a batch without the time it was made")
    return BatchState(
        id=str(batch.get("id", "")),
        made_at=made_at,
        ended=batch.get("processing_status") == "ended",
        items=sum(count for count in counts.values() if isinstance(count, int)),
        open_items=int(counts.get("processing") or 0),
    )
