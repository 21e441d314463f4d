"""The two services as transports that answer from a script, in each vendor's own form; nothing of ours is replaced."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx2

from osrforge_resources.anthropic import AnthropicModel
from osrforge_resources.openai_compatible import OpenAICompatibleModel

# Planted: it must turn up nowhere but in a request's headers.
KEY = "sk-ant-api03-PLANTED-Zq7xW2mN9vK4"
TIMEOUT = 30.0
MAX_TOKENS = 4000

Step = httpx2.Response | Exception | Callable[[httpx2.Request], httpx2.Response]


@dataclass
class Script:
    """Answers request after request; the last step answers all that follow.

    Attributes:
        steps: What to answer.
        bodies: The JSON of the requests that came.
        keys: The key that each of them carried.
    """

    steps: Sequence[Step]
    bodies: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        step = self.steps[min(len(self.bodies), len(self.steps) - 1)]
        self.bodies.append(json.loads(request.content) if request.content else {})
        self.keys.append(request.headers.get("x-api-key") or request.headers.get("authorization", ""))
        self.paths.append(request.url.path)
        if isinstance(step, Exception):
            raise step
        return step(request) if callable(step) else _copy(step)


def _copy(response: httpx2.Response) -> httpx2.Response:
    # A response object can be read once; a script's last step answers often.
    if isinstance(response.stream, httpx2.ByteStream):
        return httpx2.Response(response.status_code, headers=response.headers, content=response.content)
    return response


class BrokenStream(httpx2.SyncByteStream):
    """A body that breaks off after its pieces."""

    def __init__(self, pieces: Sequence[bytes], error: Exception) -> None:
        self._pieces = pieces
        self._error = error

    def __iter__(self) -> Iterator[bytes]:
        yield from self._pieces
        raise self._error


# The services' reason names by ours.
ANTHROPIC_REASONS = {"end": "end_turn", "cut": "max_tokens", "refused": "refusal"}
OPENAI_REASONS = {"end": "stop", "cut": "length", "refused": "content_filter"}


def anthropic_message(text: str, *, reason: str = "end_turn", **more: Any) -> dict[str, Any]:
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-5-5",
        "content": [{"type": "text", "text": text}] if text else [],
        "stop_reason": reason,
        "stop_sequence": None,
        "usage": {"input_tokens": 100, "output_tokens": 10},
        **more,
    }


def openai_completion(text: str, *, reason: str = "stop", **message: Any) -> dict[str, Any]:
    return {
        "id": "c1",
        "object": "chat.completion",
        "created": 1,
        "model": "gpt-5.4",
        "choices": [
            {
                "index": 0,
                "finish_reason": reason,
                "message": {"role": "assistant", "content": text, **message},
            }
        ],
        "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
    }


@dataclass(frozen=True)
class Vendor:
    """One vendor's side of the table."""

    name: str
    message: Callable[..., dict[str, Any]]
    reasons: dict[str, str]

    def said(self, text: str, why: str = "end") -> httpx2.Response:
        message = self.message(text, reason=self.reasons[why])
        if why == "cut":
            # Both vendors' names for it: a cut reply is as long as the limit.
            message["usage"] |= {"output_tokens": MAX_TOKENS, "completion_tokens": MAX_TOKENS}
        return httpx2.Response(200, json=message)

    def error(self, status: int, kind: str = "some_error", **headers: str) -> httpx2.Response:
        # Both SDKs wait as long as the service asks for between attempts: a millisecond here.
        body = {"type": "error", "error": {"type": kind, "code": kind, "message": f"No, not with {KEY} today."}}
        return httpx2.Response(status, json=body, headers={"retry-after-ms": "1", **headers})

    def model(self, script: Script, **settings: Any) -> AnthropicModel | OpenAICompatibleModel:
        transport = httpx2.MockTransport(script)
        common: dict[str, Any] = {
            "key": lambda: KEY,
            "max_tokens": MAX_TOKENS,
            "timeout": TIMEOUT,
            "retries": 1,
            "transport": transport,
            **settings,
        }
        if self.name == "anthropic":
            return AnthropicModel("claude-sonnet-5-5", **common)
        return OpenAICompatibleModel("gpt-5.4", **common)


ANTHROPIC = Vendor("anthropic", anthropic_message, ANTHROPIC_REASONS)
OPENAI = Vendor("openai-compatible", openai_completion, OPENAI_REASONS)
