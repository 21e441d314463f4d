"""The console command from its first moment: Ctrl-C while it still imports, odd file names, odd page lists."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from osrforge_assets.__main__ import INTERRUPTED

_COMMAND = Path(sys.executable).parent / "osrforge-assets"
# A sitecustomize that presses Ctrl-C when a module is imported: a moment that no clock on a busy machine can miss.
_PRESS = """
import importlib.abc, os, signal, sys

class _Press(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == os.environ["PRESS_AT"]:
            sys.meta_path.remove(self)
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, _Press())
"""


def _pressed_at(module: str, tmp_path: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    (tmp_path / "hook").mkdir()
    (tmp_path / "hook" / "sitecustomize.py").write_text(_PRESS, encoding="utf-8")
    return subprocess.run(
        [_COMMAND, *arguments],
        env={**os.environ, "PYTHONPATH": str(tmp_path / "hook"), "PRESS_AT": module, "OSRFORGE_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize(
    "module", ["osrforge_assets.cli", "click", "rich.progress", "dagster", "osrforge_assets.definitions"]
)
def test_ctrl_c_while_the_command_is_still_importing_is_one_line(module: str, tmp_path: Path):
    done = _pressed_at(module, tmp_path, "convert", tmp_path / "module.pdf")
    assert done.returncode == INTERRUPTED
    assert (done.stdout, len(done.stderr.strip().splitlines())) == ("", 1)
    assert "interrupted" in done.stderr
