"""The console command from its first moment: Ctrl-C while it still imports, odd file names, odd page lists."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from osrforge_assets.__main__ import INTERRUPTED
from tests.graph.module_pdfs import PIT, write_module

_COMMAND = Path(sys.executable).parent / "osrforge-assets"
# A sitecustomize that presses Ctrl-C when a module is imported: a moment that no clock on a busy machine can miss.
_PRESS = """
import importlib.abc, os, signal, sys

# A shell starts what it puts into the background with the interruption ignored, and so what that starts in turn.
signal.signal(signal.SIGINT, signal.default_int_handler)

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


def test_the_command_is_a_module_too():
    done = subprocess.run(
        [sys.executable, "-m", "osrforge_assets", "--help"], capture_output=True, text=True, timeout=120, check=True
    )
    assert "convert" in done.stdout


def test_a_file_may_have_any_name_that_the_system_allows(new_home: Path, tmp_path: Path):
    home = shutil.copytree(new_home, tmp_path / "home")
    folder = tmp_path / "odd"
    names = {
        "-leading.pdf": "leading",
        "new\nline.pdf": "new-line",
        "\u202egnp.pdf": "gnp",
        "x" * 251 + ".pdf": "x" * 80,
    }
    for number, name in enumerate(names):
        write_module(folder / name, {1: PIT[1]}, motto=f"Edition {number}.")
    done = subprocess.run(
        [_COMMAND, "convert", "--json", "--", *names],
        cwd=folder,
        env={**os.environ, "OSRFORGE_HOME": str(home), "DAGSTER_HOME": ""},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=200,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    told = {item["source"]: (item["module"], item["status"]) for item in json.loads(done.stdout)}
    assert told == {name: (key, "converted") for name, key in names.items()}
    # What is written is named after the keys alone.
    kept = {path.name for path in (home / "store" / "dossiers").iterdir()}
    assert kept == set(names.values())
