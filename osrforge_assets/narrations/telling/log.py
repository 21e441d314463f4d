"""Recording a turn: one more line of a story log, written so that a killed process leaves the old log or the new one."""

import contextlib
import json
import os
import secrets
from pathlib import Path

from osrforge_assets.modules.sources import read_source
from osrforge_assets.narrations.sources import MAX_BYTES
from osrforge_resources.failures import SourceError


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
    scratch = _scratch(path)
    try:
        scratch.write_bytes(b"")
    except OSError as error:
        raise _not_writable(path, error) from error
    finally:
        _remove(scratch)


def write_log(path: Path, data: bytes) -> None:
    """Replace a story log.

    Raises:
        SourceError: The folder or the file cannot be written.
    """
    scratch = _scratch(path)
    try:
        with scratch.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        scratch.replace(path)
    except OSError as error:
        raise _not_writable(path, error) from error
    finally:
        _remove(scratch)


def _scratch(path: Path) -> Path:
    return path.with_name(f".{path.name[:200]}.{secrets.token_hex(4)}")


def _remove(scratch: Path) -> None:
    with contextlib.suppress(OSError):
        scratch.unlink(missing_ok=True)


def _not_writable(path: Path, error: OSError) -> SourceError:
    return SourceError(
        f"{path.name!a} cannot be written: {error.strerror or type(error).__name__}.",
        code="source.not_writable",
        remedy="Check that its folder is there, and the folder's rights and room.",
    )
