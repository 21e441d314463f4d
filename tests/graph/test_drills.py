"""A few of each fault drill; `make drills` runs them all, with two hundred kills."""

import subprocess
import sys
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]


@pytest.mark.timeout(600)
@pytest.mark.parametrize("drill", ["kills", "two-runs", "stalling", "full-disk", "read-only"])
def test_nothing_is_lost_written_by_half_or_asked_without_need(drill: str):
    # A process of its own: the drill forks, which a test process with threads had better not.
    command = [sys.executable, "-W", "ignore", "-m", "tests.graph.drills", "--kills", "6", "--only", drill]
    ended = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, timeout=500, check=False)
    if "not run:" in ended.stdout:
        pytest.skip(ended.stdout.strip())
    assert ended.returncode == 0, ended.stdout + ended.stderr[-3000:]
