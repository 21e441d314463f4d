"""A server on this machine that speaks Anthropic's Messages API and reads what it is sent as the offline reader does."""

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from osrforge_assets.modules.levels.prompt import CONTENT_RULES
from osrforge_assets.modules.survey.prompt import CENSUS_RULES, SURVEY_RULES
from osrforge_resources.model_provider import ModelRequest, TextPart
from osrforge_resources.offline.provider import OfflineProvider

_KINDS = {SURVEY_RULES: "survey", CENSUS_RULES: "census", CONTENT_RULES: "content"}

# What a fault answers: an HTTP status and a body, or None for the ordinary answer.
Fault = Callable[[str, dict[str, Any]], tuple[int, dict[str, Any]] | None]


@dataclass
class MessagesServer:
    """Answers every message; use it as a context manager.

    Attributes:
        fault: Asked first, with the kind of the request (`survey`, `census`, `content`) and its body.
        asked: Kinds of the requests, in the order they came.
        keys: The keys they carried.
        input_tokens: What each ordinary answer says it read.
    """

    fault: Fault = lambda _kind, _body: None
    asked: list[str] = field(default_factory=list)
    keys: set[str] = field(default_factory=set)
    input_tokens: int = 1000

    def __enter__(self) -> Self:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                status, answer = server.answer(
                    body, self.headers.get("x-api-key") or self.headers.get("authorization", "")
                )
                data = json.dumps(answer).encode("utf-8")
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                if status == 529:
                    # A busy service says when to come again; without it SDK and step wait for 13 seconds.
                    self.send_header("Retry-After", "1")
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: object) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
                """Say nothing on the test's output."""

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    def answer(self, body: dict[str, Any], key: str) -> tuple[int, dict[str, Any]]:
        """Return status and JSON of the answer to one request."""
        kind = _KINDS[body["system"][0]["text"]]
        self.asked.append(kind)
        self.keys.add(key.removeprefix("Bearer "))
        return self.fault(kind, body) or (200, message(offline_answer(kind, body), read=self.input_tokens))


def offline_answer(kind: str, body: dict[str, Any]) -> str:
    """Return what the offline reader answers to a request, from its text alone."""
    texts = [block["text"] for block in body["messages"][0]["content"] if block["type"] == "text"]
    request = ModelRequest(kind, body["system"][0]["text"], tuple(map(TextPart, texts)), {})
    return json.dumps(OfflineProvider().generate(request).data)


def message(text: str, *, read: int = 1000) -> dict[str, Any]:
    """Return a message of the API with `read` input tokens and 100 output tokens."""
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-5-5",
        "content": [{"type": "text", "text": text}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": read, "output_tokens": 100},
    }
