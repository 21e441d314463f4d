"""From planned work to Dagster's run requests, and from Dagster's open runs to what they hold."""

import hashlib
import json
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import dagster as dg
from dagster._core.storage.dagster_run import NOT_FINISHED_STATUSES

from osrforge_assets.modules.level_keys import split_level_partition
from osrforge_assets.reconcile import CHAINS, LEVEL_JOBS, PAID_ASSETS, Attempts, Work

# Tags of every run that was not launched by hand.
BY, MODULE, LEVELS, ATTEMPT = "osrforge/by", "osrforge/module", "osrforge/levels", "osrforge/attempt"
PROVIDER = "osrforge/provider"

_PARTITION = "dagster/partition"
_RANGE_START, _RANGE_END = "dagster/asset_partition_range_start", "dagster/asset_partition_range_end"


@dataclass(slots=True)
class Cursor:
    """What the reconcile sensor remembers from tick to tick.

    Attributes:
        serial: Number of the last tick that asked for runs. It is part of every run key: a tick that is evaluated again
            after a crash asks for the same keys, and the same need in another week for another.
        attempts: How often each open need was tried.
        granted: Number of the newest grant that was taken up.
        looked: When the last tick looked for cancelled runs, in seconds since 1970; 0 if none did.
    """

    serial: int
    attempts: Attempts = field(default_factory=Attempts)
    granted: int = 0
    looked: float = 0.0

    @classmethod
    def parse(cls, text: str | None) -> "Cursor":
        """Return the cursor of its text; one that is missing or was edited by hand begins anew.

        A new one begins at the clock, so that no run key of an older one comes again.
        """
        try:
            data = json.loads(text or "")
            tried = {str(key): (str(wanted), int(count)) for key, (wanted, count) in data["tried"].items()}
            return cls(
                int(data["serial"]), Attempts(tried), int(data.get("granted", 0)), float(data.get("looked", 0.0))
            )
        except (ValueError, TypeError, KeyError, AttributeError):
            return cls(int(time.time()))

    def text(self) -> str:
        """Return the cursor as text."""
        tried = {key: list(value) for key, value in self.attempts.tried.items()}
        data = {"serial": self.serial, "granted": self.granted, "looked": self.looked, "tried": tried}
        return json.dumps(data, separators=(",", ":"))


def open_runs(instance: dg.DagsterInstance) -> Sequence[dg.DagsterRun]:
    """Return every run that is not over."""
    return instance.get_runs(dg.RunsFilter(statuses=NOT_FINISHED_STATUSES))


def cancelled_runs(instance: dg.DagsterInstance, since: float) -> Sequence[dg.DagsterRun]:
    """Return the runs that were cancelled after a moment (seconds since 1970)."""
    after = datetime.fromtimestamp(since, UTC)
    return instance.get_runs(dg.RunsFilter(statuses=[dg.DagsterRunStatus.CANCELED], updated_after=after))


def held_by(runs: Iterable[dg.DagsterRun], partitions: Mapping[str, Sequence[str]]) -> set[tuple[str, str]]:
    """Return asset and partition of everything that these runs make, whoever launched them and in whatever way.

    Args:
        runs: Runs that are not over.
        partitions: The keys of each partition set, in their order.
    """
    return {(asset, key) for run in runs for asset in _assets_of(run) for key in _partitions_of(run, asset, partitions)}


def run_request(work: Work, *, serial: int, by: str, attempt: int, provider: str) -> dg.RunRequest:
    """Return the request for one planned run.

    Args:
        work: The run.
        serial: The cursor's number.
        by: Who asks for it, for the run's tags.
        attempt: Which attempt it is, for the run's tags.
        provider: Who will answer, for the tags of runs that ask.
    """
    tags = {BY: by, ATTEMPT: str(attempt)}
    if not PAID_ASSETS.isdisjoint(work.assets):
        tags[PROVIDER] = provider
    config: dict[str, Any] = {}
    if work.job in LEVEL_JOBS:
        modules = sorted({split_level_partition(key)[0] for key in work.partitions})
        tags |= {LEVELS: str(len(work.partitions)), MODULE: ", ".join(modules[:5]) + (" …" if modules[5:] else "")}
        config = {"ops": {work.assets[0]: {"config": {"keys": list(work.partitions)}}}}
    elif work.job in {"survey_modules", "write_dossiers"}:
        tags[MODULE] = work.partitions[0]
    identity = "\n".join(sorted(f"{need.key}|{need.wanted}" for need in work.needs))
    return dg.RunRequest(
        run_key=f"{serial}-{hashlib.sha256(identity.encode('utf-8')).hexdigest()[:16]}",
        job_name=work.job,
        partition_key=work.partitions[0],
        asset_selection=[dg.AssetKey(asset) for asset in work.assets],
        run_config=config,
        tags=tags,
    )


def _assets_of(run: dg.DagsterRun) -> Iterator[str]:
    if run.asset_selection:
        yield from (key.path[-1] for key in run.asset_selection)
    else:
        yield from CHAINS.get(run.job_name, ())


def _partitions_of(run: dg.DagsterRun, asset: str, partitions: Mapping[str, Sequence[str]]) -> Iterable[str]:
    ops: Any = run.run_config.get("ops") or {}
    config = (ops.get(asset) or {}).get("config") or {}
    if config.get("keys"):
        return config["keys"]
    if _PARTITION in run.tags:
        return [run.tags[_PARTITION]]
    first, last = run.tags.get(_RANGE_START), run.tags.get(_RANGE_END)
    for keys in partitions.values():
        if first in keys and last in keys:
            return keys[keys.index(first) : keys.index(last) + 1]
    return []
