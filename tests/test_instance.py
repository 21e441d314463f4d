"""The command's Dagster instance where it cannot be opened, or is opened twice at once."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from osrforge_assets.instance import open_instance
from osrforge_resources.failures import MisuseError, StoreError

OPEN = """
import os, sys
from pathlib import Path
os.environ["DAGSTER_HOME"] = ""
from osrforge_assets.instance import open_instance
print("ready", flush=True)
sys.stdin.readline()
open_instance(Path(sys.argv[1])).dispose()
"""


@pytest.fixture(autouse=True)
def no_dagster_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DAGSTER_HOME", "")


def test_two_processes_may_make_the_instance_of_a_new_home_at_the_same_time(tmp_path: Path):
    openers = [
        subprocess.Popen(
            [sys.executable, "-c", OPEN, str(tmp_path / "home")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    for opener in openers:
        assert opener.stdout is not None
        assert opener.stdout.readline() == "ready\n"
    for opener in openers:
        assert opener.stdin is not None
        opener.stdin.write("\n")
        opener.stdin.flush()
    for opener in openers:
        _, said = opener.communicate(timeout=100)
        assert opener.returncode == 0, said


@pytest.mark.parametrize("value", ["relative", "/nowhere/at/all"])
def test_a_dagster_home_that_is_no_folder_is_misuse(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str):
    monkeypatch.setenv("DAGSTER_HOME", value)
    with pytest.raises(MisuseError) as refused:
        open_instance(tmp_path)
    assert refused.value.code == "instance.invalid"
    assert value in refused.value.message


def test_a_damaged_configuration_is_misuse_that_names_the_place(tmp_path: Path):
    folder = tmp_path / "dagster"
    folder.mkdir()
    (folder / "dagster.yaml").write_text("telemetry: [", encoding="utf-8")
    with pytest.raises(MisuseError) as refused:
        open_instance(tmp_path)
    assert refused.value.code == "instance.invalid"


def test_a_home_that_is_a_file_is_a_store_error(tmp_path: Path):
    home = tmp_path / "home"
    home.write_text("a file", encoding="utf-8")
    with pytest.raises(StoreError) as refused:
        open_instance(home)
    assert refused.value.code == "instance.unusable"


def test_a_process_killed_while_it_makes_the_instance_leaves_a_home_that_opens(tmp_path: Path):
    home = tmp_path / "home"
    maker = subprocess.Popen([sys.executable, "-c", OPEN, str(home)], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    assert maker.stdin is not None
    maker.stdin.write(b"\n")
    maker.stdin.flush()
    while not list(home.rglob("runs.db")):
        assert maker.poll() is None
        time.sleep(0.001)
    maker.kill()
    maker.wait()
    with open_instance(home) as instance:
        assert instance.get_runs_count() == 0
    assert [path.name for path in home.iterdir() if not path.name.startswith(".")] == ["dagster"]
