"""Recording a turn: one more line of a story log, written so that a killed process leaves the old log or the new one."""

import contextlib
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

from osrforge_assets.modules.sources import read_source
from osrforge_assets.narrations.sources import MAX_BYTES
from osrforge_resources.failures import SourceError
from osrforge_resources.store import replace_file


def read_log(path: Path, *, max_bytes: int = MAX_BYTES) -> bytes:
    """Return a story log's bytes, b"" where there is no file yet.

    Raises:
        SourceError: The file cannot be read, is too large, or is a log in Markdown, to which no turn can be added: a
            reply may hold the very heading that begins the next turn.
    """
    if not path.exists():
        return b""
    data = read_source(path, max_bytes)
    start = data.decode("utf-8-sig", "replace").lstrip()
    if start and start[0] != "{":
        raise SourceError(
            f"{path.name!a} is no story log in JSON Lines.",
            code="source.not_json_lines",
            remedy="Name a .jsonl file, or a new one to begin a story.",
        )
    return data


def with_turn(data: bytes, *, player: str, reply: str, stop_reason: str | None) -> bytes:
    """Return a log with one more turn; what it held before stays as it is, to the byte."""
    # Escapes keep lone surrogates and line separators in a line that every reader takes for one.
    line = json.dumps({"player": player, "reply": reply, "stop_reason": stop_reason}, ensure_ascii=True)
    gap = b"" if not data or data.endswith(b"\n") else b"\n"
    return data + gap + line.encode("ascii") + b"\n"


def with_title(title: str) -> bytes:
    """Return a new log that holds only its title, b"" without one."""
    return json.dumps({"title": title}, ensure_ascii=True).encode("ascii") + b"\n" if title else b""


def check_writable(path: Path) -> None:
    """Refuse a log that could not be written, before its turn is paid for.

    Raises:
        SourceError: The folder is not there or cannot be written.
    """
    with _writing(path), tempfile.TemporaryFile(dir=path.parent):
        pass


def write_log(path: Path, data: bytes) -> None:
    """Replace a story log.

    Raises:
        SourceError: The folder or the file cannot be written.
    """
    with _writing(path):
        replace_file(path, data)


@contextlib.contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise SourceError(
            f"{path.name!a} cannot be written: {error.strerror or type(error).__name__}.",
            code="source.not_writable",
            remedy="Check that its folder is there, and the folder's rights and room.",
        ) from error
