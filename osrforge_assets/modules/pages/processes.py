"""Processes that read hostile input: start, ask, time out, end. The parent's side.

Why plain processes with pipes: `multiprocessing` imports the caller's main module again (with Dagster loaded, 1 s or
more a start; a script without a main guard starts itself for ever, one from standard input cannot start at all), may
not be used from a daemonic process, and unpickles what the child sends; `fork` copies a parent that runs threads. A
plain start with the PDF library takes 0.25 s.
"""

import contextlib
import json
import os
import re
import signal
import struct
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

# The kernel ends a process that overruns; the parent waits a little longer before it does so itself.
_GRACE_SECONDS = 5.0
# The largest render that settings allow has 64 megapixels; unpacked it would be 192 MB.
_MOST_ANSWER_BYTES = 256 * 1024**2
# glibc gives every freed block of a page's size (6 MB of pixels) back to the system and gets it anew, touching each of
# its memory pages for the first time again: 30 ms a page with this, 46 without. Other C libraries ignore the names.
_MALLOC = {
    "MALLOC_MMAP_THRESHOLD_": str(32 * 1024**2),
    "MALLOC_TRIM_THRESHOLD_": str(64 * 1024**2),
    "MALLOC_TOP_PAD_": str(8 * 1024**2),
}
# How the PDF library words a refused allocation, and the number it puts before each of its sentences.
_OUT_OF_MEMORY = re.compile(r"memory|[mc]alloc|alloc \(")
_ERROR_NUMBER = re.compile(r"^code=\d+: ")
_ALARM = int(getattr(signal, "SIGALRM", 0))


class WorkerFailure(Exception):  # noqa: N818  it is caught at once and becomes a flag or a SourceError
    """A process gave no answer.

    Attributes:
        reason: A few words for a person.
        timed_out: Whether it overran its time limit; otherwise it crashed, ran out of memory or refused.
    """

    def __init__(self, reason: str, *, timed_out: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.timed_out = timed_out


class ReadingProcess:
    """One process that answers questions; it starts with the first and is gone after a failure without an answer.

    Args:
        module: The module it runs; it speaks the protocol of `messages`.
    """

    def __init__(self, module: str) -> None:
        self._module = module
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._closed = False

    @property
    def running(self) -> bool:
        """Whether the process is there."""
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        """Start the process.

        Raises:
            WorkerFailure: The reading was stopped meanwhile.
        """
        with self._lock:
            if self._closed:
                raise WorkerFailure("the reading was stopped")
            self._process = _start(self._module)

    def close(self) -> None:
        """End the process for good; a question under way ends with a failure."""
        with self._lock:
            self._closed = True
            process = self._process
        if process is not None:
            _end(process)

    def ask(self, question: dict[str, Any], seconds: float) -> tuple[dict[str, Any], bytes]:
        """Return the answer and its binary data.

        Raises:
            WorkerFailure: There is none, or it is an error; without an answer the process has ended.
        """
        process = self._process
        if process is None or process.stdin is None or process.stdout is None:
            raise WorkerFailure("the reading process is not running")
        body = json.dumps({**question, "seconds": seconds}).encode("ascii")
        overran = threading.Event()
        watch = threading.Timer(seconds + _GRACE_SECONDS, _overrun, (process, overran))
        watch.daemon = True
        watch.start()
        try:
            process.stdin.write(struct.pack(">I", len(body)) + body)
            process.stdin.flush()
            answer = dict(json.loads(_exactly(process.stdout, _length(process.stdout))))
            data = _exactly(process.stdout, _length(process.stdout))
        except (OSError, ValueError, TypeError, EOFError) as error:
            _end(process)
            timed_out = overran.is_set() or -(process.returncode or 0) == _ALARM != 0
            raise WorkerFailure(_ending(process.returncode, timed_out=timed_out), timed_out=timed_out) from error
        finally:
            watch.cancel()
        if "error" in answer:
            raise WorkerFailure(_reason(answer))
        return answer, data


def _start(module: str) -> "subprocess.Popen[bytes]":
    # -P and an explicit path: the process imports from where its parent does, never from the working directory.
    roots = [entry or str(Path.cwd()) for entry in sys.path]
    return subprocess.Popen(  # noqa: S603  our own interpreter and module
        [sys.executable, "-P", "-m", module],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **_MALLOC, "PYTHONPATH": os.pathsep.join(roots)},
    )


def _end(process: "subprocess.Popen[bytes]") -> None:
    if process.poll() is None:
        process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with contextlib.suppress(OSError, ValueError):
                stream.close()


def _overrun(process: "subprocess.Popen[bytes]", overran: threading.Event) -> None:
    overran.set()
    process.kill()


def _length(stream: Any) -> int:
    return struct.unpack(">I", _exactly(stream, 4))[0]


def _exactly(stream: Any, count: int) -> bytes:
    if count > _MOST_ANSWER_BYTES:
        raise ValueError(count)
    data = stream.read(count)
    if len(data) < count:
        raise EOFError
    return data


def _reason(answer: dict[str, Any]) -> str:
    """Return why a process could not do it."""
    reason = str(answer.get("reason") or answer["error"])
    if answer["error"] == "MemoryError" or _OUT_OF_MEMORY.search(reason):
        return "it needs more memory than a page may take"
    return _ERROR_NUMBER.sub("", reason).rstrip(". ")


def _ending(code: int | None, *, timed_out: bool) -> str:
    if timed_out:
        return "it took longer than its time limit"
    if code is not None and code < 0:
        return "it made the reading process crash"
    return f"the reading process ended with code {code}"
