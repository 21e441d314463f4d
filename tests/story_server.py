"""A server on this machine that speaks streamed chat completions, for tests of whoever talks to one."""

import contextlib
import json
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class StoryServer:
    """What the server says, and what it was asked.

    Attributes:
        replies: The pieces of each reply, in the order asked for.
        finish: Why a reply ends; None breaks the connection off instead.
        asked: The body of each request.
        url: Its base URL.
    """

    replies: list[Sequence[str]] = field(default_factory=list)
    finish: str | None = "stop"
    asked: list[dict[str, Any]] = field(default_factory=list)
    url: str = ""


@contextlib.contextmanager
def story_server() -> Iterator[StoryServer]:
    """Run a server on a free port of the loopback address."""
    story = StoryServer()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            story.asked.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.end_headers()
            for piece in story.replies.pop(0):
                self._event({"choices": [{"index": 0, "delta": {"content": piece}, "finish_reason": None}]})
            if story.finish is not None:
                self._event({"choices": [{"index": 0, "delta": {}, "finish_reason": story.finish}]})
                self._event({"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 5, "total_tokens": 14}})
                self.wfile.write(b"data: [DONE]\n\n")

        def _event(self, data: dict[str, Any]) -> None:
            head = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "bard"}
            self.wfile.write(b"data: " + json.dumps(head | data).encode() + b"\n\n")

        def log_message(self, *_: object) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
            """Say nothing on the test's output."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    story.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    try:
        yield story
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
