"""The child's side of the messages between a parent and a reading process.

Questions are 4 bytes length and JSON, with `seconds`, the time the answer may take. Answers are 4 bytes length, JSON,
4 bytes length, binary data. JSON, not pickle, so that a process that a document has taken over cannot make its parent
run anything.
"""

import contextlib
import json
import os
import signal
import struct
import sys
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

Answer = tuple[dict[str, Any], bytes]


def answer_questions(answer: Callable[[dict[str, Any]], Answer]) -> None:
    """Answer the parent's questions until it closes the stream.

    Args:
        answer: Called with each question; what it raises becomes an error answer.
    """
    questions = sys.stdin.buffer
    answers = os.fdopen(os.dup(1), "wb")
    # Whatever a library prints must not mix with the answers.
    with open(os.devnull, "wb") as nothing:  # noqa: PTH123  a descriptor is needed, not a path
        os.dup2(nothing.fileno(), 1)
        os.dup2(nothing.fileno(), 2)
    while (question := _receive(questions)) is not None:
        with _time_limit(question["seconds"]):
            try:
                message, data = answer(question)
            except Exception as error:  # noqa: BLE001  whatever a page does to the library is that page's failure
                message, data = {"error": type(error).__name__, "reason": _first_line(error)}, b""
        _send(answers, message, data)


def _receive(stream: BinaryIO) -> dict[str, Any] | None:
    head = stream.read(4)
    if len(head) < 4:
        return None
    return json.loads(stream.read(struct.unpack(">I", head)[0]))


def _send(stream: BinaryIO, message: dict[str, Any], data: bytes) -> None:
    body = json.dumps(message, separators=(",", ":")).encode("ascii")
    stream.write(struct.pack(">I", len(body)) + body + struct.pack(">I", len(data)))
    stream.write(data)
    stream.flush()


@contextlib.contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    """Have the kernel end this process after `seconds`: its default action works while C code never returns.

    It also ends a process whose parent is gone, so nothing is left behind that nobody waits for.
    """
    if not hasattr(signal, "setitimer"):
        yield
        return
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _first_line(error: BaseException) -> str:
    return ascii(str(error).split("\n", 1)[0])[1:-1][:200]
