"""What a person waits for who materializes one level in the UI: from the launch to the event, with live webserver and daemon.

Everything is as `make ui` starts it, save that nothing runs by itself. The level is answered by the offline reader, so
what is left is Dagster: the queue, the start of the run's process, the start of its step. Three launches, since the first
one of a new checkout also compiles it. `python benchmarks/ui_run.py multiprocess` measures the other executor.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import dagster as dg

warnings.simplefilter("ignore")

from graph import Bench  # noqa: E402  # the benchmark beside this one; Dagster warns on import

CHECKOUT = Path(__file__).parents[1]
LAUNCHES = 3
LAUNCH = """mutation($partition: String!) { launchRun(executionParams: {
  selector: {repositoryName: "__repository__", repositoryLocationName: "osrforge", pipelineName: "rerun_levels"},
  runConfigData: {}, executionMetadata: {tags: [{key: "dagster/partition", value: $partition}]}
  }) { ... on LaunchRunSuccess { run { runId } } ... on PythonError { message } } }"""
EVENTS = dg.DagsterEventType
STEPS = {
    "taken from the queue": EVENTS.PIPELINE_STARTING,
    "run's process is up": EVENTS.PIPELINE_START,
    "step begins": EVENTS.STEP_START,
    "level is materialized": EVENTS.ASSET_MATERIALIZATION,
    "run is over": EVENTS.PIPELINE_SUCCESS,
}


@contextmanager
def live_ui(home: Path, executor: str) -> Iterator[int]:
    """Serve a home as `make ui` does; yields the port once it answers."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {
        **os.environ,
        "OSRFORGE_HOME": str(home),
        "OSRFORGE_AUTOMATION": "off",
        "OSRFORGE_EXECUTOR": executor,
        "DAGSTER_HOME": str(home / "dagster"),
    }
    command = [Path(sys.executable).parent / "dagster", "dev", "-w", "workspace.yaml", "-p", str(port)]
    server = subprocess.Popen(
        command,
        cwd=CHECKOUT,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        until = time.monotonic() + 180
        while True:
            try:
                query(port, "{ version }")
                break
            except OSError:
                if time.monotonic() > until or server.poll() is not None:
                    raise
                time.sleep(0.5)
        yield port
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        try:
            server.wait(timeout=30)
        except subprocess.TimeoutExpired:
            os.killpg(server.pid, signal.SIGKILL)


def query(port: int, text: str, **variables: object) -> dict[str, Any]:
    body = json.dumps({"query": text, "variables": variables}).encode()
    request = urllib.request.Request(f"http://127.0.0.1:{port}/graphql", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as reply:
        return json.load(reply)["data"]


def launched(port: int, instance: dg.DagsterInstance, level: str) -> dict[str, float]:
    """Launch one level and return the seconds at which each step of it was reached."""
    begin = time.time()
    run = query(port, LAUNCH, partition=level)["launchRun"]["run"]["runId"]
    while not ((found := instance.get_run_by_id(run)) and found.is_finished):
        time.sleep(0.2)
    reached: dict[str, float] = {}
    for entry in instance.all_logs(run):
        for name, kind in STEPS.items():
            if entry.dagster_event and entry.dagster_event.event_type is kind:
                reached.setdefault(name, entry.timestamp - begin)
    return reached


def main() -> None:
    executor = sys.argv[1] if len(sys.argv) > 1 else "in_process"
    os.environ["DAGSTER_HOME"] = ""
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder))
        bench.convert(dict.fromkeys(range(1, LAUNCHES + 1), "goblins"))
        levels = bench.instance.get_dynamic_partitions("level")
        with live_ui(bench.settings.home, executor) as port:
            # The daemon takes up the queue once it has loaded the definitions, some seconds after the webserver.
            launched(port, bench.instance, levels[0])
            runs = [launched(port, bench.instance, level) for level in levels]
        bench.instance.dispose()
    print(f"seconds from the launch, executor {executor}: {LAUNCHES} launches")
    for name in STEPS:
        print(f"  {name:22} " + "  ".join(f"{run[name]:6.2f}" if name in run else "     -" for run in runs))


if __name__ == "__main__":
    main()
