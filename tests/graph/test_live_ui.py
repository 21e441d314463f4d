"""The UI's own path: a live webserver and daemon on the data that the command made."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.graph.deployment import Deployment
from tests.graph.module_pdfs import PIT, write_module

CHECKOUT = Path(__file__).parents[2]
LEVEL = "pit--the-testing-pit--2"
Query = Callable[..., dict[str, Any]]

ASSETS = "{assetNodes{assetKey{path} groupName kinds description owners{... on TeamAssetOwner{team}} isPartitioned}}"
STALE = """query($asset: [String!]!, $partition: String!) {
  assetNodeOrError(assetKey: {path: $asset}) { ... on AssetNode { staleStatus(partition: $partition) } } }"""
LAUNCH = """mutation($job: String!, $partition: String!) { launchRun(executionParams: {
  selector: {repositoryName: "__repository__", repositoryLocationName: "osrforge", pipelineName: $job},
  runConfigData: {}, executionMetadata: {tags: [{key: "dagster/partition", value: $partition}]}
  }) { __typename ... on LaunchRunSuccess { run { runId } } ... on PythonError { message } } }"""
STATUS = "query($run: ID!) { runOrError(runId: $run) { ... on Run { status } } }"


@pytest.fixture
def ui(deployment: Deployment, tmp_path: Path) -> Iterator[Query]:
    deployment.convert(write_module(tmp_path / "pit.pdf", PIT))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("OSRFORGE_")},
        "OSRFORGE_HOME": str(deployment.home),
        # What runs by itself has its own tests; here it would make fresh what this one finds stale.
        "OSRFORGE_AUTOMATION": "off",
        "DAGSTER_HOME": str(deployment.home / "dagster"),
    }
    command = [Path(sys.executable).parent / "dagster", "dev", "-w", "workspace.yaml", "-p", str(port)]
    log = (tmp_path / "dagster-dev.log").open("wb")
    server = subprocess.Popen(
        command, cwd=CHECKOUT, env=environment, stdout=log, stderr=subprocess.STDOUT, start_new_session=True
    )
    try:
        yield _client(port, server)
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        # Under load `dagster dev` sometimes waits for a child of its own for minutes; how it ends is not what is tested.
        with contextlib.suppress(subprocess.TimeoutExpired):
            server.wait(timeout=30)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(server.pid, signal.SIGKILL)
        server.wait(timeout=30)
        log.close()


def _client(port: int, server: subprocess.Popen[bytes]) -> Query:
    def query(text: str, **variables: object) -> dict[str, Any]:
        body = json.dumps({"query": text, "variables": variables}).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{port}/graphql", body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=30) as reply:
            answer = json.load(reply)
        assert "errors" not in answer, answer
        return answer["data"]

    def is_up() -> bool:
        assert server.poll() is None, "dagster dev ended"
        try:
            return bool(query(ASSETS)["assetNodes"])
        except OSError:
            return False

    _wait_for(is_up, seconds=120)
    return query


def _wait_for(done: Callable[[], bool], *, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < deadline, f"nothing came of it in {seconds} s"
        time.sleep(0.5)


@pytest.mark.timeout(300)
def test_the_ui_shows_the_lane_and_runs_one_level_again(ui: Query):
    nodes = {node["assetKey"]["path"][-1]: node for node in ui(ASSETS)["assetNodes"]}
    assert nodes.keys() >= {
        *("module_source", "page_renders", "survey_index", "level_plan"),
        *("level_content", "module_contents", "module_dossier"),
    }
    for node in nodes.values():
        assert node["description"]
        assert node["kinds"]
        assert node["owners"]
        assert node["isPartitioned"]

    for asset, partition in (("survey_index", "pit"), ("level_plan", LEVEL), ("level_content", LEVEL)):
        # The server reads providers and settings of its own environment: what the counting provider answered is stale
        # there, which is also what a change of provider looks like in the UI.
        status = ui(STALE, asset=[asset], partition=partition)["assetNodeOrError"]["staleStatus"]
        assert (asset, status) == (asset, "FRESH" if asset == "level_plan" else "STALE")

    launched = ui(LAUNCH, job="rerun_levels", partition=LEVEL)["launchRun"]
    assert launched["__typename"] == "LaunchRunSuccess", launched
    run = launched["run"]["runId"]
    ended = {"SUCCESS", "FAILURE", "CANCELED"}
    _wait_for(lambda: ui(STATUS, run=run)["runOrError"]["status"] in ended, seconds=120)
    assert ui(STATUS, run=run)["runOrError"]["status"] == "SUCCESS"
    assert ui(STALE, asset=["level_content"], partition=LEVEL)["assetNodeOrError"]["staleStatus"] == "FRESH"
    other = "pit--the-testing-pit--1"
    assert ui(STALE, asset=["level_content"], partition=other)["assetNodeOrError"]["staleStatus"] == "STALE"
