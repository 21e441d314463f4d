"""The Anthropic adapter: packs a request for the Messages API, sends it, and reads why and how the reply ended.

Prompt-cache breakpoints stand at the end of the system text and of each prefix that a request shares with others: a
content request's map pages (all batches of its level) and its pages (its follow-ups, halves and repairs). The schema sent
is the part that the service enforces, the same for all batches: a service reads a schema before the pages, so another
schema is another prefix.

The SDK retries transport, and nobody else does. What does not belong here: JSON, schema, repair, money.
"""

import base64
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from osrforge_resources.chat_model import RawReply, StopReason, TextRequest, Turn
from osrforge_resources.failures import PermanentProviderError, ProviderError
from osrforge_resources.http_client import http_client
from osrforge_resources.model_provider import ImagePart, ModelRequest, TextPart
from osrforge_resources.service_failures import ServiceCalls, broken_reply
from osrforge_resources.usage import Spending, TokenUsage
from osrforge_resources.wire_format import enforceable_schema, plain_data, png_size, sendable, wire_bytes

if TYPE_CHECKING:
    import httpx2
    from anthropic import Anthropic

ANTHROPIC_URL = "https://api.anthropic.com"

# The service's limits (October 2026): 32 MB a request, 8000 px an edge, 2000 px from the 21st image on.
_MOST_BYTES = 32_000_000
_MOST_EDGE = 8000
_MANY_IMAGES, _MANY_IMAGES_EDGE = 20, 2000

_STOPS = {
    "refusal": StopReason.REFUSED,
    "max_tokens": StopReason.TOO_LONG,
    "model_context_window_exceeded": StopReason.TOO_LONG,
}
# The service takes four breakpoints a request; one is the system text's.
_MOST_BREAKPOINTS = 3
_CACHED = {"type": "ephemeral"}


class AnthropicModel:
    """One Anthropic model; both a `ChatModel` and a `TextModel`, safe to share between threads.

    Args:
        model: The model's name as the service takes it.
        key: Looks the API key up, at the first call.
        base_url: Where the service is; "" for the vendor's own address.
        effort: How much thinking the answer is worth; "" leaves it to the service.
        max_tokens: Output limit of a reply, thinking included.
        timeout: Seconds that the service may be silent.
        retries: How often the SDK repeats a call whose transport failed.
        transport: Replaces the network, for tests.
    """

    provider = "anthropic"

    def __init__(
        self,
        model: str,
        *,
        key: Callable[[], str],
        base_url: str = "",
        effort: str = "",
        max_tokens: int,
        timeout: float,
        retries: int = 2,
        transport: "httpx2.BaseTransport | None" = None,
    ) -> None:
        self.model = model
        self._key = key
        self._base_url = base_url or ANTHROPIC_URL
        self._effort = effort
        self.max_tokens = max_tokens
        self._timeout = timeout
        self._retries = retries
        self._transport = transport
        self._making = threading.Lock()
        self._made: tuple[Anthropic, ServiceCalls] | None = None

    @property
    def answer_settings(self) -> dict[str, object]:
        """Every setting that changes answers."""
        return {"base_url": self._base_url, "effort": self._effort}

    def connection(self) -> "tuple[Anthropic, ServiceCalls]":
        """Return the SDK's client and what runs its calls, made at the first call.

        Raises:
            PermanentProviderError: There is no key.
        """
        with self._making:
            if self._made is None:
                import anthropic  # the vendor's official SDK; half a second to import

                key = self._key()
                client = anthropic.Anthropic(
                    api_key=key,
                    base_url=self._base_url,
                    # Named, since the SDK refuses more than 21,333 output tokens at once without a timeout of the caller's.
                    timeout=self._timeout,
                    max_retries=self._retries,
                    http_client=http_client(anthropic, self._base_url, self._transport),
                )
                self._made = client, ServiceCalls(anthropic, self.provider, key, self._timeout)
            return self._made

    def reply(self, request: ModelRequest, turns: Sequence[Turn]) -> RawReply:
        """Send a request, and the turns after it, once.

        Raises:
            PermanentProviderError: The same request will fail again.
            TransientProviderError: Waiting may help.
        """
        check_size(request)
        client, calls = self.connection()
        parameters = self.parameters(request, turns)
        message = calls.run(lambda: client.messages.create(**parameters))
        return read_message(plain_data(message))

    def parameters(self, request: ModelRequest, turns: Sequence[Turn] = ()) -> dict[str, Any]:
        """Return the parameters of `messages.create`, which are also those of an item of a message batch."""
        output: dict[str, object] = {
            "format": {"type": "json_schema", "schema": enforceable_schema(request.schema)},
            **({"effort": self._effort} if self._effort else {}),
        }
        first = {"role": "user", "content": _content(request)}
        return {
            "model": self.model,
            "max_tokens": self.max_tokens,
            "system": [{"type": "text", "text": sendable(request.system), "cache_control": _CACHED}],
            "messages": [first, *_messages(turns)],
            "output_config": output,
        }

    def stream(self, request: TextRequest) -> Iterator[str | RawReply]:
        """Yield the reply's text as it arrives, and at the end the `RawReply` of the whole.

        Raises:
            ProviderError: As in `reply`; one in mid-stream carries what was used until then.
        """
        client, calls = self.connection()
        parameters: dict[str, Any] = {
            "model": self.model,
            "max_tokens": request.max_tokens or self.max_tokens,
            "system": [{"type": "text", "text": sendable(request.system), "cache_control": _CACHED}],
            "messages": _messages(request.turns),
            **({"output_config": {"effort": self._effort}} if self._effort else {}),
        }
        events = calls.run(lambda: client.messages.create(**parameters, stream=True))
        # What has come so far, in the form of a whole message.
        message: dict[str, Any] = {"model": self.model, "content": [{"type": "text", "text": ""}], "usage": {}}
        try:
            while (event := calls.run(lambda: next(events, None))) is not None:
                text = _take_event(message, plain_data(event))
                if text:
                    yield text
            if message.get("stop_reason") is None:
                raise broken_reply(self.provider, "a stream that ends before the reply does")
        except ProviderError as failure:
            failure.spending = Spending(calls=1, usage=read_message(message).usage, cost_usd=None)
            raise
        finally:
            events.close()
        yield read_message(message)


def check_size(request: ModelRequest) -> None:
    """Refuse what the service would refuse after the upload.

    Raises:
        PermanentProviderError: The request is too large, or one of its images is (code `provider.request_too_large`).
    """
    images = [part.png for part in request.parts if isinstance(part, ImagePart)]
    most_edge = _MANY_IMAGES_EDGE if len(images) > _MANY_IMAGES else _MOST_EDGE
    size = wire_bytes(request)
    problem = ""
    if size > _MOST_BYTES:
        problem = f"{request.tag} is {size / 1e6:.0f} MB with its images; the service takes {_MOST_BYTES / 1e6:.0f} MB."
    elif any(max(png_size(png)) > most_edge for png in images):
        problem = f"{request.tag} has an image above {most_edge} px; the service takes none among {len(images)}."
    if problem:
        failure = PermanentProviderError(
            problem,
            code="provider.request_too_large",
            remedy="Lower the pages of a request or the resolution of the renders.",
        )
        failure.spending = Spending()  # nothing was sent
        raise failure


def _content(request: ModelRequest) -> list[dict[str, Any]]:
    """Return a request's blocks; the last one of each shared prefix carries a cache breakpoint."""
    breakpoints = {length - 1 for length in request.shared_prefixes[:_MOST_BREAKPOINTS]}
    blocks: list[dict[str, Any]] = []
    for index, part in enumerate(request.parts):
        if isinstance(part, TextPart):
            if not part.text.strip():
                continue  # the service refuses a text of nothing
            block: dict[str, Any] = {"type": "text", "text": sendable(part.text)}
        else:
            data = base64.b64encode(part.png).decode("ascii")
            block = {"type": "image", "source": {"type": "base64", "media_type": part.media_type, "data": data}}
        if index in breakpoints:
            block["cache_control"] = _CACHED
        blocks.append(block)
    return blocks


def _messages(turns: Sequence[Turn]) -> list[dict[str, Any]]:
    return [{"role": turn.role, "content": sendable(turn.text)} for turn in turns]


def read_message(message: Mapping[str, Any]) -> RawReply:
    """Return a reply from a message's data.

    Raises:
        TransientProviderError: It has no content: it is not a message.
    """
    content = message.get("content")
    if not isinstance(content, list):
        raise broken_reply(AnthropicModel.provider, "something that is not a message")
    texts = [block.get("text") for block in content if isinstance(block, Mapping) and block.get("type") == "text"]
    reason = str(message.get("stop_reason") or "")
    details = message.get("stop_details")
    category = str(details.get("category") or "") if isinstance(details, Mapping) else ""
    return RawReply(
        text="".join(text for text in texts if isinstance(text, str)),
        stop=_STOPS.get(reason, StopReason.END),
        usage=_usage(message.get("usage")),
        model_id=str(message.get("model") or "unknown"),
        detail=category or ("" if reason in {"", "end_turn", "refusal"} else reason),
    )


def _usage(said: object) -> TokenUsage:
    usage = said if isinstance(said, Mapping) else {}
    details = usage.get("output_tokens_details")
    return TokenUsage(
        input_tokens=_count(usage, "input_tokens"),
        output_tokens=_count(usage, "output_tokens"),
        cached_input_tokens=_count(usage, "cache_read_input_tokens"),
        cache_write_tokens=_count(usage, "cache_creation_input_tokens"),
        thinking_tokens=_count(details, "thinking_tokens") if isinstance(details, Mapping) else 0,
    )


def _count(usage: Mapping[str, Any], name: str) -> int:
    count = usage.get(name)
    return count if isinstance(count, int) and count > 0 else 0


def _take_event(message: dict[str, Any], event: Mapping[str, Any]) -> str:
    """Add a stream's event to the message so far; return the text that it brought."""
    kind = event.get("type")
    if kind == "message_start" and isinstance(started := event.get("message"), Mapping):
        message["model"] = started.get("model") or message["model"]
        message["usage"] = dict(started.get("usage") or {})
    elif kind == "content_block_delta" and isinstance(delta := event.get("delta"), Mapping):
        text = delta.get("text") if delta.get("type") == "text_delta" else ""
        if isinstance(text, str) and text:
            message["content"][0]["text"] += text
            return text
    elif kind == "message_delta":
        message.update({name: value for name, value in (event.get("delta") or {}).items() if value is not None})
        # Counts in a delta are totals; those that it leaves out stand as they started.
        message["usage"].update(
            {name: count for name, count in (event.get("usage") or {}).items() if count is not None}
        )
    return ""
