"""A provider for tests across processes: every call is a line in a file, and files tell it to fail or to stall."""

import json
import os
import time
from pathlib import Path

from osrforge_resources.failures import PermanentProviderError
from osrforge_resources.model_provider import ModelRequest, ModelResponse
from osrforge_resources.offline.provider import OfflineProvider


class LoggingProvider:
    """Answers offline.

    Args:
        folder: Holds `calls` (a line a call, of all processes together), `failing.json` (tag prefix to how many calls
            of each tag fail, -1 for all), `stalling` (tag prefix; calls of it last until the file is gone) and `answers`
            (the answers' version).
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._reader = OfflineProvider()
        version = folder / "answers"
        self.answers_version = version.read_text(encoding="utf-8") if version.exists() else "logged-1"

    def generate(self, request: ModelRequest) -> ModelResponse:
        count = self._log(request.tag)
        self._stall(request.tag)
        for prefix, times in self._failing().items():
            if request.tag.startswith(prefix) and (times < 0 or count <= times):
                raise PermanentProviderError("The service refused.")
        return self._reader.generate(request)

    def _log(self, tag: str) -> int:
        calls = self._folder / "calls"
        # One write of less than a page to a file opened for appending is one line, whoever else writes.
        handle = os.open(calls, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        try:
            os.write(handle, f"{tag}\n".encode())
        finally:
            os.close(handle)
        return calls.read_text(encoding="utf-8").splitlines().count(tag)

    def _stall(self, tag: str) -> None:
        stalling = self._folder / "stalling"
        while stalling.exists() and tag.startswith(stalling.read_text(encoding="utf-8") or "nothing"):
            time.sleep(0.1)

    def _failing(self) -> dict[str, int]:
        failing = self._folder / "failing.json"
        return json.loads(failing.read_text(encoding="utf-8")) if failing.exists() else {}
