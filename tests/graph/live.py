"""A live deployment for tests: daemon and code server as processes of their own, driven through files alone."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import dagster as dg
import psutil

from osrforge_assets.contracts.automation import FailedRun
from osrforge_assets.contracts.dossier import Dossier
from osrforge_assets.failure_ledger import failed_runs
from osrforge_assets.settings import Settings
from osrforge_resources.io_manager import find_document
from osrforge_resources.store import Store

CHECKOUT = Path(__file__).parents[2]
_WORKSPACE = "load_from: [{python_module: {module_name: tests.graph.live_location, working_directory: '%s'}}]\n"


T = TypeVar("T")


class LiveDeployment:
    """One home, and the processes that serve it.

    Args:
        home: Holds a new instance.
        instance: The same instance, opened by the test.
        settings: Further `OSRFORGE_*` settings of the deployment.
    """

    def __init__(self, home: Path, instance: dg.DagsterInstance, **settings: str) -> None:
        self.home = home
        self.instance = instance
        self.store = Store(Settings(home=home).store_root)
        self.provider = home / "provider"
        self.provider.mkdir()
        self._environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("OSRFORGE_")},
            "OSRFORGE_HOME": str(home),
            "OSRFORGE_SENSOR_SECONDS": "2",
            "OSRFORGE_PAGES__WORKERS": "1",
            # A backfill that happens to fall into a test would take up what the test wants given up.
            "OSRFORGE_NIGHTLY": "0 0 29 2 *",
            "OSRFORGE_TEST_PROVIDER": str(self.provider),
            "DAGSTER_HOME": str(home / "dagster"),
            "PYTHONPATH": str(CHECKOUT),
            **{f"OSRFORGE_{name.upper()}": value for name, value in settings.items()},
        }
        self._workspace = home / "workspace.yaml"
        self._workspace.write_text(_WORKSPACE % CHECKOUT, encoding="utf-8")
        self._daemon: subprocess.Popen[bytes] | None = None

    # Processes -----------------------------------------------------------------------------------------------------

    def start(self) -> None:
        command = [sys.executable, "-m", "tests.graph.live_daemon", "run", "-w", str(self._workspace)]
        with (self.home / "daemon.log").open("ab") as log:
            self._daemon = subprocess.Popen(
                command,
                cwd=CHECKOUT,
                env=self._environment,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def stop(self) -> None:
        """End the daemon as a person would."""
        if self._daemon is not None and self._daemon.poll() is None:
            children = psutil.Process(self._daemon.pid).children(recursive=True)
            self._daemon.send_signal(signal.SIGTERM)
            try:
                self._daemon.wait(timeout=30)
            except subprocess.TimeoutExpired:
                self._daemon.kill()
            psutil.wait_procs(children, timeout=10)
            _kill(children)

    def kill(self) -> None:
        """Kill everything at once, as a power cut would: daemon, code server, runs, page workers."""
        assert self._daemon is not None
        daemon = psutil.Process(self._daemon.pid)
        daemon.suspend()
        _kill([daemon, *daemon.children(recursive=True)])
        self._daemon.wait(timeout=30)

    def run_process(self, job: str) -> psutil.Process:
        """Return the process of the open run of a job."""
        run = self.wait_for(lambda: self.open_run(job), "no run of " + job)
        assert run is not None
        numbers = self.wait_for(lambda: _pids(self.instance, run.run_id), "the run has no process")
        return psutil.Process(numbers[0])

    def execute(self, job: str) -> None:
        """Run a job in a process of its own, as from a shell."""
        location = ["-m", "tests.graph.live_location", "-a", "defs"]
        subprocess.run(
            [Path(sys.executable).parent / "dagster", "job", "execute", *location, "-j", job],
            cwd=CHECKOUT,
            env=self._environment,
            check=True,
            capture_output=True,
            timeout=300,
        )

    # What a test does ----------------------------------------------------------------------------------------------

    def drop(self, lane: str, name: str) -> Path:
        """Return where a file of a lane is to be written."""
        path = self.home / "inbox" / lane / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def failing(self, prefixes: dict[str, int]) -> None:
        (self.provider / "failing.json").write_text(json.dumps(prefixes), encoding="utf-8")

    @contextlib.contextmanager
    def stalling(self, prefix: str) -> Iterator[None]:
        stalling = self.provider / "stalling"
        stalling.write_text(prefix, encoding="utf-8")
        try:
            yield
        finally:
            stalling.unlink(missing_ok=True)

    # What a test sees ----------------------------------------------------------------------------------------------

    def calls(self) -> list[str]:
        """Return every call so far, in order."""
        calls = self.provider / "calls"
        return calls.read_text(encoding="utf-8").splitlines() if calls.exists() else []

    def take(self) -> list[str]:
        """Return the calls since the last look, sorted."""
        calls = sorted(self.calls())
        (self.provider / "calls").unlink(missing_ok=True)
        return calls

    def dossier(self, module: str) -> Dossier | None:
        return find_document(self.store, "module_dossier", module, Dossier)

    def failures(self) -> tuple[FailedRun, ...]:
        """Return the ledger as soon as it names every failed run: a sensor of its own writes it, some time after the run."""
        failed = {run.run_id for run in self.instance.get_runs(dg.RunsFilter(statuses=[dg.DagsterRunStatus.FAILURE]))}
        self.wait_for(
            lambda: failed <= {row.run for row in failed_runs(self.store)}, "not every failed run is in the ledger"
        )
        return failed_runs(self.store)

    def open_run(self, job: str) -> dg.DagsterRun | None:
        runs = self.instance.get_runs(dg.RunsFilter(job_name=job, statuses=[dg.DagsterRunStatus.STARTED]))
        return runs[0] if runs else None

    def is_recorded(self, asset: str, partition: str) -> bool:
        """Whether Dagster knows that it was made: the event follows the document, and a kill may come in between."""
        return partition in self.instance.get_materialized_partitions(dg.AssetKey(asset))

    def wait_until_settled(self) -> None:
        """Wait until the inbox is taken in and `reconcile` finds nothing to launch and nothing under way."""
        since = time.time()
        looked = self.wait_for(
            lambda: self._tick("inbox", since, "0 registered, 0 still"), "the inbox was not taken in"
        )
        assert looked is not None
        self.wait_for(lambda: self._tick("reconcile", looked, " 0 under way", "up to date"), "there was no end of work")

    def _tick(self, sensor: str, since: float, *saying: str) -> float | None:
        """Return the time of a tick after `since` that launched nothing and says one of these."""
        for state in self.instance.all_instigator_state():
            if state.instigator_name == sensor:
                for tick in self.instance.get_ticks(
                    state.instigator_origin_id, state.selector_id, after=since, limit=5
                ):
                    if any(words in (tick.skip_reason or "") for words in saying):
                        return tick.timestamp
        return None

    def wait_for(self, done: Callable[[], T], otherwise: str, seconds: float = 400) -> T:
        """Return what `done` gives as soon as it gives something."""
        deadline = time.monotonic() + seconds
        while not (found := done()):
            assert self._daemon is None or self._daemon.poll() is None, self._log()
            assert time.monotonic() < deadline, f"{otherwise} within {seconds} s\n{self._log()}"
            time.sleep(0.5)
        return found

    def _log(self) -> str:
        return (self.home / "daemon.log").read_text(encoding="utf-8", errors="replace")[-6000:]


def _pids(instance: dg.DagsterInstance, run_id: str) -> list[int]:
    events = instance.all_logs(run_id, of_type=dg.DagsterEventType.ENGINE_EVENT)
    found = (entry.dagster_event.engine_event_data.metadata.get("pid") for entry in events if entry.dagster_event)
    return [int(str(pid.value)) for pid in found if pid is not None]


def _kill(processes: list[psutil.Process]) -> None:
    for process in processes:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()
