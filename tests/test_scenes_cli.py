"""`osrforge-assets scenes` as a person meets it: a process, its output, its exit code."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

DATA = Path(__file__).parent / "data"


def _scenes(*arguments: str | Path, home: Path) -> subprocess.CompletedProcess[str]:
    variables = {name: value for name, value in os.environ.items() if not name.startswith(("OSRFORGE_", "DAGSTER_"))}
    return subprocess.run(
        [Path(sys.executable).parent / "osrforge-assets", "scenes", *map(str, arguments)],
        env={**variables, "OSRFORGE_HOME": str(home)},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=180,
        check=False,
    )


@pytest.fixture
def home(new_home: Path, tmp_path: Path) -> Path:
    return shutil.copytree(new_home, tmp_path / "home")


def test_json_has_an_entry_a_session_and_nothing_else_on_standard_output(home: Path, tmp_path: Path):
    broken = tmp_path / "broken.srt"
    broken.write_text("1\n00:00:01,000 --> 00:00:0x,000\nHi\n", encoding="utf-8")
    tracks = sorted((DATA / "demo_tracks").glob("*.srt"))
    done = _scenes("--json", DATA / "demo_transcript.vtt", broken, *tracks, home=home)
    assert done.returncode == 1
    good, bad, merged = json.loads(done.stdout)
    assert (good["units"], good["error"], good["speakers"]) == (192, None, ["GM", "Hanne", "Jonas", "Samir"])
    assert good["scenes"][0]["start_unit_id"] == 1
    assert good["scenes"][-1]["end_unit_id"] == 192
    assert all(set(scene) == {"start_unit_id", "end_unit_id"} for scene in good["scenes"])
    assert (bad["units"], bad["scenes"], bad["error"]["code"]) == (0, [], "transcript.bad_time")
    assert "Line 2" in bad["error"]["message"]
    assert (merged["digest"], merged["scenes"], len(merged["sources"])) == (good["digest"], good["scenes"], 4)
    assert (good["calls"], merged["calls"]) == (1, 0)


def test_a_table_and_the_page_are_shown_and_a_second_run_asks_nothing(home: Path, tmp_path: Path):
    path = shutil.copy(DATA / "demo_transcript.txt", tmp_path / "salt\x1b[2J.txt")
    done = _scenes(path, home=home)
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout + done.stderr
    pages = [Path(line) for line in done.stdout.splitlines() if line.endswith(".html")]
    assert [page.is_file() for page in pages] == [True]
    again = json.loads(_scenes("--json", path, home=home).stdout)
    assert (again[0]["calls"], again[0]["error"]) == (0, None)
    forced = json.loads(_scenes("--json", "--replan", path, home=home).stdout)
    assert forced[0]["calls"] == 1


def test_quiet_says_nothing_when_all_is_well(home: Path):
    done = _scenes("--quiet", DATA / "demo_transcript.jsonl", home=home)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
