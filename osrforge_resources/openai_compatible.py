"""The adapter for every server that speaks OpenAI's chat completions: llama.cpp, vLLM, Ollama, LM Studio, hosted ones.

Servers differ in what they take. One that refuses `response_format` is asked without it, with the schema in the prompt,
for the rest of the process; one that ignores it is found out by validation, and the first repair shows the schema. A
model without vision gets the pages' text and is told where an image is left out; its name then says so in every answer.

The SDK retries transport, and nobody else does. What does not belong here: JSON, schema, repair, money.
"""

import base64
import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from osrforge_resources.chat_model import RawReply, StopReason, TextRequest, Turn
from osrforge_resources.failures import PermanentProviderError, ProviderError
from osrforge_resources.http_client import http_client
from osrforge_resources.model_provider import ImagePart, ModelRequest, TextPart
from osrforge_resources.service_failures import ServiceCalls, broken_reply
from osrforge_resources.usage import Spending, TokenUsage
from osrforge_resources.wire_format import has_page_text, plain_data, sendable

if TYPE_CHECKING:
    import httpx2
    from openai import OpenAI

OPENAI_URL = "https://api.openai.com/v1"

_STOPS = {"length": StopReason.TOO_LONG, "content_filter": StopReason.REFUSED}
# A server that does not know `response_format` calls the request bad, invalid, or not implemented.
_MAY_BE_THE_SCHEMA = {"provider.bad_request"}
_NO_IMAGE = "(An image stands here that is not sent.)"


class OpenAICompatibleModel:
    """One model of one server; both a `ChatModel` and a `TextModel`, safe to share between threads.

    Args:
        model: The model's name as the server takes it.
        key: Looks the API key up, at the first call.
        base_url: Where the server is, up to and with `/v1`; "" for OpenAI itself.
        effort: Sent as `reasoning_effort`; "" leaves it out, which every server takes.
        max_tokens: Output limit of a reply.
        timeout: Seconds that the service may be silent.
        vision: Whether the model reads images.
        retries: How often the SDK repeats a call whose transport failed.
        transport: Replaces the network, for tests.
    """

    provider = "openai-compatible"

    def __init__(
        self,
        model: str,
        *,
        key: Callable[[], str],
        base_url: str = "",
        effort: str = "",
        max_tokens: int,
        timeout: float,
        vision: bool = True,
        retries: int = 2,
        transport: "httpx2.BaseTransport | None" = None,
    ) -> None:
        self.model = model
        self._key = key
        self._base_url = base_url or OPENAI_URL
        self._effort = effort
        self.max_tokens = max_tokens
        self._timeout = timeout
        self._vision = vision
        self._retries = retries
        self._transport = transport
        self._making = threading.Lock()
        self._made: tuple[OpenAI, ServiceCalls] | None = None
        self._takes_schema = True

    @property
    def answer_settings(self) -> dict[str, object]:
        """Every setting that changes answers."""
        return {"base_url": self._base_url, "effort": self._effort, "vision": self._vision}

    def connection(self) -> "tuple[OpenAI, ServiceCalls]":
        """Return the SDK's client and what runs its calls, made at the first call.

        Raises:
            PermanentProviderError: There is no key.
        """
        with self._making:
            if self._made is None:
                import openai  # the vendor's official SDK, which other servers are reached with as well

                key = self._key()
                client = openai.OpenAI(
                    api_key=key,
                    base_url=self._base_url,
                    timeout=self._timeout,
                    max_retries=self._retries,
                    http_client=http_client(openai, self._base_url, self._transport),
                )
                self._made = client, ServiceCalls(openai, self.provider, key, self._timeout)
            return self._made

    def reply(self, request: ModelRequest, turns: Sequence[Turn]) -> RawReply:
        """Send a request, and the turns after it, once; twice where the server turns out not to take a schema.

        Raises:
            PermanentProviderError: The same request will fail again.
            TransientProviderError: Waiting may help.
        """
        self._check_readable(request)
        if self._takes_schema:
            try:
                return self._send(request, turns, enforced=True)
            except PermanentProviderError as refused:
                if refused.code not in _MAY_BE_THE_SCHEMA:
                    raise
                failure = refused
            try:
                reply = self._send(request, turns, enforced=False)
            except PermanentProviderError:
                # It was not the schema: what the server said first is about the request as it should be.
                raise failure from None
            self._takes_schema = False
            return reply
        return self._send(request, turns, enforced=False)

    def _send(self, request: ModelRequest, turns: Sequence[Turn], *, enforced: bool) -> RawReply:
        client, calls = self.connection()
        parameters = self._parameters(request, turns, enforced=enforced)
        completion = calls.run(lambda: client.chat.completions.create(**parameters))
        reply = read_completion(plain_data(completion))
        return reply if self._vision else _as_read_without_images(request, reply)

    def _parameters(self, request: ModelRequest, turns: Sequence[Turn], *, enforced: bool) -> dict[str, Any]:
        system = sendable(request.system)
        if not enforced:
            schema = json.dumps(request.schema, ensure_ascii=False)
            system += f"\n\nAnswer with one JSON document that satisfies this JSON Schema, and nothing else:\n{schema}"
        parameters = self._common(system, [{"role": "user", "content": self._content(request)}, *_messages(turns)])
        if enforced:
            schema_name = request.tag.replace(".", "-")[:64]
            parameters["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": schema_name, "strict": True, "schema": _plain_schema(request.schema)},
            }
        return parameters

    def _common(self, system: str, messages: list[dict[str, Any]], max_tokens: int | None = None) -> dict[str, Any]:
        # OpenAI's reasoning models refuse `max_tokens`; other servers know that name best.
        limit = "max_completion_tokens" if urlsplit(self._base_url).hostname == "api.openai.com" else "max_tokens"
        return {
            "model": self.model,
            "messages": [{"role": "system", "content": system}, *messages],
            limit: max_tokens or self.max_tokens,
            **({"reasoning_effort": self._effort} if self._effort else {}),
        }

    def _content(self, request: ModelRequest) -> list[dict[str, Any]] | str:
        if not self._vision:
            # One text: small servers take a list of parts from models with vision only.
            parts = (sendable(part.text) if isinstance(part, TextPart) else _NO_IMAGE for part in request.parts)
            return "\n\n".join(parts)
        content: list[dict[str, Any]] = []
        for part in request.parts:
            if isinstance(part, TextPart):
                content.append({"type": "text", "text": sendable(part.text)})
            else:
                url = f"data:{part.media_type};base64,{base64.b64encode(part.png).decode('ascii')}"
                content.append({"type": "image_url", "image_url": {"url": url}})
        return content

    def _check_readable(self, request: ModelRequest) -> None:
        has_images = any(isinstance(part, ImagePart) for part in request.parts)
        if has_images and not self._vision and not has_page_text(request):
            failure = PermanentProviderError(
                f"The pages of {request.tag} have no text, and {self.model} is set to read no images.",
                code="provider.no_vision",
                remedy="Have the pages' text recognized, or choose a model with vision and unset OSRFORGE_VISION.",
            )
            failure.spending = Spending()  # nothing was sent
            raise failure

    def stream(self, request: TextRequest) -> Iterator[str | RawReply]:
        """Yield the reply's text as it arrives, and at the end the `RawReply` of the whole.

        Raises:
            ProviderError: As in `reply`; one in mid-stream carries what was used until then.
        """
        client, calls = self.connection()
        parameters = self._common(sendable(request.system), _messages(request.turns), request.max_tokens)
        parameters["stream_options"] = {"include_usage": True}
        chunks: Any = calls.run(lambda: client.chat.completions.create(**parameters, stream=True))
        # What has come so far, in the form of a whole completion.
        choice: dict[str, Any] = {"message": {"content": ""}, "finish_reason": None}
        completion: dict[str, Any] = {"model": self.model, "choices": [choice], "usage": None}
        try:
            while (chunk := calls.run(lambda: next(chunks, None))) is not None:
                text = _take_chunk(completion, plain_data(chunk))
                if text:
                    yield text
            if choice["finish_reason"] is None:
                raise broken_reply(self.provider, "a stream that ends before the reply does")
        except ProviderError as failure:
            failure.spending = Spending(calls=1, usage=_usage(completion["usage"]), cost_usd=None)
            raise
        finally:
            chunks.close()
        yield read_completion(completion)


def _plain_schema(schema: object) -> object:
    """Return a schema without remarks, which strict services refuse."""
    if isinstance(schema, Mapping):
        return {name: _plain_schema(part) for name, part in schema.items() if name != "$comment"}
    return [_plain_schema(part) for part in schema] if isinstance(schema, list) else schema


def _messages(turns: Sequence[Turn]) -> list[dict[str, Any]]:
    return [{"role": turn.role, "content": sendable(turn.text)} for turn in turns]


def _as_read_without_images(request: ModelRequest, reply: RawReply) -> RawReply:
    if not any(isinstance(part, ImagePart) for part in request.parts):
        return reply
    model_id = f"{reply.model_id} (text only)"
    return RawReply(reply.text, reply.stop, reply.usage, model_id, reply.detail)


def read_completion(completion: Mapping[str, Any]) -> RawReply:
    """Return a reply from a completion's data.

    Raises:
        TransientProviderError: It has no choice: it is not a completion.
    """
    choices = completion.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, Mapping) else None
    if not isinstance(choice, Mapping) or not isinstance(message, Mapping):
        raise broken_reply(OpenAICompatibleModel.provider, "something that is not a completion")
    reason = str(choice.get("finish_reason") or "")
    refusal, text = message.get("refusal"), message.get("content")
    stop = StopReason.REFUSED if refusal else _STOPS.get(reason, StopReason.END)
    return RawReply(
        text=text if isinstance(text, str) else "",
        stop=stop,
        usage=_usage(completion.get("usage")),
        model_id=str(completion.get("model") or "unknown"),
        detail="" if reason in {"", "stop", "length"} else reason,
    )


def _usage(said: object) -> TokenUsage:
    usage = said if isinstance(said, Mapping) else {}
    read, written = usage.get("prompt_tokens_details"), usage.get("completion_tokens_details")
    cached = _count(read, "cached_tokens")
    cache_write = _count(read, "cache_write_tokens")
    return TokenUsage(
        # The service counts cached tokens as part of the prompt's, we beside them.
        input_tokens=max(0, _count(usage, "prompt_tokens") - cached - cache_write),
        output_tokens=_count(usage, "completion_tokens"),
        cached_input_tokens=cached,
        cache_write_tokens=cache_write,
        thinking_tokens=_count(written, "reasoning_tokens"),
    )


def _count(usage: object, name: str) -> int:
    count = usage.get(name) if isinstance(usage, Mapping) else None
    return count if isinstance(count, int) and count > 0 else 0


def _take_chunk(completion: dict[str, Any], chunk: Mapping[str, Any]) -> str:
    """Add a stream's chunk to the completion so far; return the text that it brought."""
    completion["model"] = chunk.get("model") or completion["model"]
    completion["usage"] = chunk.get("usage") or completion["usage"]
    choices = chunk.get("choices")
    if not isinstance(choices, list) or not choices:
        return ""
    choice = completion["choices"][0]
    choice["finish_reason"] = choices[0].get("finish_reason") or choice["finish_reason"]
    delta = choices[0].get("delta") or {}
    if delta.get("refusal"):
        choice["message"]["refusal"] = delta["refusal"]
    text = delta.get("content")
    if not isinstance(text, str):
        return ""
    choice["message"]["content"] += text
    return text
