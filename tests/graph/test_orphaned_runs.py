"""A run whose process was killed is over as soon as anyone looks, and holds nothing after it."""

import subprocess
import sys
from pathlib import Path

import dagster as dg
import pytest

from osrforge_resources.orphaned_runs import LOST, end_orphaned_runs
from tests.graph.deployment import Deployment
from tests.graph.module_pdfs import PIT, write_module

CHECKOUT = Path(__file__).parents[2]
KILLED = """
import os, signal, sys
from pathlib import Path
from osrforge_assets.instance import open_instance
from tests.graph.deployment import CountingProvider, Deployment

class Killed(CountingProvider):
    def generate(self, request):
        os.kill(os.getpid(), signal.SIGKILL)

home = Path(sys.argv[1])
with open_instance(home) as instance:
    deployment = Deployment(home, instance)
    deployment.provider = Killed()
    deployment.convert(Path(sys.argv[2]))
"""


@pytest.fixture
def killed(deployment: Deployment, tmp_path: Path) -> Deployment:
    path = write_module(tmp_path / "pit.pdf", {1: PIT[1]})
    command = [sys.executable, "-W", "ignore", "-c", KILLED, str(deployment.home), str(path)]
    ended = subprocess.run(command, cwd=CHECKOUT, capture_output=True, timeout=200, check=False)
    assert ended.returncode == -9, ended.stderr.decode()
    return deployment


def _statuses(deployment: Deployment) -> list[str]:
    return [run.status.value for run in deployment.instance.get_runs()]


def test_a_killed_run_is_failed_and_its_place_in_the_pool_is_free(killed: Deployment, tmp_path: Path):
    storage = killed.instance.event_log_storage
    assert _statuses(killed) == ["STARTED", "SUCCESS"]
    assert len(storage.get_concurrency_run_ids()) == 1
    lost = end_orphaned_runs(killed.instance)
    assert len(lost) == 1
    assert _statuses(killed) == ["FAILURE", "SUCCESS"]
    assert not storage.get_concurrency_run_ids()
    messages = [entry.message or entry.get_dagster_event().message for entry in killed.instance.all_logs(lost[0])]
    assert any(LOST in (message or "") for message in messages)
    assert end_orphaned_runs(killed.instance) == []
    assert killed.convert(tmp_path / "pit.pdf").status == "converted"


def test_a_run_that_is_under_way_is_left_alone(deployment: Deployment):
    seen: list[list[str]] = []

    @dg.op
    def look(context: dg.OpExecutionContext) -> None:
        seen.append(end_orphaned_runs(context.instance))

    @dg.job
    def looking() -> None:
        look()

    assert looking.execute_in_process(instance=deployment.instance).success
    assert seen == [[]]
