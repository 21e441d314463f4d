"""The command's Dagster instance: `DAGSTER_HOME` where it is set, else a folder of its own under the home."""

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import yaml  # the parser that Dagster reads its own configuration with
from filelock import FileLock, Timeout  # locks that work across processes; the store's own
from sqlalchemy.exc import DBAPIError, SQLAlchemyError  # what Dagster's storages raise; it comes with Dagster

from osrforge_resources.databases import close_kept
from osrforge_resources.failures import MisuseError, StoreError

# The command and `make ui` share this instance. A tool that promises to work without a network opens no connections of
# its own (telemetry) and asks nobody for a mail address (nux).
#
# A run is a process of about 250 MB: of a thousand files dropped at once, four are worked on at a time, and paid steps
# (the pool `model_requests`) never more than that, whoever launches them. A run that is killed gives its place back:
# `free_slots` here, and at once through `orphaned_runs.py`. A run that does not come up in two minutes is not coming.
#
# The queue is looked at every second, as a person waits for the run that they launched, and runs are started beside each
# other: starting one takes as long as importing Dagster, and by default each waits for the one before.
_DAGSTER_YAML = """\
telemetry:
  enabled: false
nux:
  enabled: false
concurrency:
  runs:
    max_concurrent_runs: 4
  pools:
    granularity: op
    default_limit: 4
run_queue:
  dequeue_interval_seconds: 1
  dequeue_use_threads: true
  dequeue_num_workers: 4
run_monitoring:
  enabled: true
  start_timeout_seconds: 120
  cancel_timeout_seconds: 120
  free_slots_after_run_end_seconds: 30
"""

# Making the databases takes two seconds; a process that holds the lock for longer than this is stuck.
_OPEN_SECONDS = 120.0


def open_instance(home: Path) -> dg.DagsterInstance:
    """Return the instance of `DAGSTER_HOME`, or of `<home>/dagster`, which is made when it is not there.

    Raises:
        MisuseError: `DAGSTER_HOME` is not an existing absolute folder, or its configuration cannot be read.
        StoreError: The instance's folder or databases cannot be used.
    """
    with instance_errors():
        if os.environ.get("DAGSTER_HOME"):
            return _instance()
        folder = home.absolute() / "dagster"
        if not folder.exists():
            _make(folder)
        # Worker processes that a run starts look the instance up by the variable.
        os.environ["DAGSTER_HOME"] = str(folder)
        return _instance()


def _make(folder: Path) -> None:
    """Make an instance's folder whole or not at all.

    A process killed while Dagster makes its tables leaves databases that it can neither use nor complete, and two that
    make them at the same time trip over each other: the folder is made aside, by one process, and then renamed.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(folder.with_name(".dagster.lock"), timeout=_OPEN_SECONDS):
        if folder.exists():
            return
        unfinished = folder.with_name(".dagster.part")
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir()
        (unfinished / "dagster.yaml").write_text(_DAGSTER_YAML, encoding="utf-8")
        os.environ["DAGSTER_HOME"] = str(unfinished)
        try:
            _instance().dispose()
        finally:
            del os.environ["DAGSTER_HOME"]
        close_kept()
        unfinished.rename(folder)


def _instance() -> dg.DagsterInstance:
    try:
        return dg.DagsterInstance.get()
    except (dg.DagsterError, yaml.YAMLError) as error:
        raise MisuseError(
            f"The Dagster instance of {os.environ['DAGSTER_HOME']} cannot be opened: {_first_line(error)}",
            code="instance.invalid",
            remedy="Point DAGSTER_HOME at an existing folder by its absolute path, or unset it; or correct its dagster.yaml.",
        ) from error


@contextlib.contextmanager
def instance_errors() -> Iterator[None]:
    """Turn what a full disk, a refused write or a damaged database raises inside the block into an expected failure."""
    try:
        yield
    except Timeout as error:
        raise _unusable(f"{error.lock_file} is held by another process") from error
    except OSError as error:
        where = f"{error.filename}: " if error.filename is not None else ""
        raise _unusable(f"{where}{error.strerror or type(error).__name__}") from error
    except SQLAlchemyError as error:
        # The wrapper quotes the whole statement; the driver's own sentence says what is wrong.
        raise _unusable(_first_line(error.orig if isinstance(error, DBAPIError) and error.orig else error)) from error


def _unusable(reason: str) -> StoreError:
    return StoreError(
        f"The Dagster instance cannot be used: {reason.rstrip('.')}.",
        code="instance.unusable",
        remedy="Check that its folder is there, writable and has room; a damaged database has to be restored or moved away.",
    )


def _first_line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0][:300]
