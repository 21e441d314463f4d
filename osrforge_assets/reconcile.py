"""What is to be made now: from the newest events of all partitions to a short list of runs. Pure; no Dagster.

Level-triggered: it looks at what is, not at what happened, so a lost event, a failed run or a restart changes nothing in
what comes out. A partition is wanted where it was never made, its code version is another, or an input says something
else than what it was made from. It is *ready* where its inputs are there and not themselves wanted.

What does not belong here: reading the event log (`osrforge_resources.partition_log`) and launching (`sensors.py`).
"""

import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from osrforge_assets.modules.level_keys import levels_of, split_level_partition

MODULE, LEVEL = "module", "level"

# A third failure for the same reason is not bad luck; the nightly schedule and the commands try again all the same.
MAX_ATTEMPTS = 3
# A level costs one to a few requests and about 100 bytes of run config; a run of this many is killed without regret,
# because each level is recorded as it finishes.
MAX_LEVELS_A_RUN = 200

# The assets of each job in the order the data flows. What is nearest to its end comes first, so that of a thousand modules
# dropped at once some are finished soon.
CHAINS: Mapping[str, tuple[str, ...]] = {
    "write_dossiers": ("module_contents", "module_dossier"),
    "tell_narrations": ("narration_turns", "world_state"),
    "plan_levels": ("level_plan",),
    "rerun_levels": ("level_content",),
    "plan_transcripts": ("transcript_units", "scene_plan", "scene_chunks"),
    "survey_modules": ("page_renders", "survey_index"),
}
LEVEL_JOBS = ("plan_levels", "rerun_levels")
# Those that ask a provider. Everything else costs nothing but time.
PAID_ASSETS = frozenset({"survey_index", "level_content", "scene_plan"})


class State(Protocol):
    """What is known of a partition; `PartitionState` is one."""

    @property
    def data_version(self) -> str | None:
        """What it says."""
        ...

    @property
    def code_version(self) -> str | None:
        """What it was made by."""
        ...

    @property
    def inputs(self) -> Mapping[str, str | None]:
        """What each input said when it was made."""
        ...


@dataclass(frozen=True, slots=True)
class AssetRule:
    """How an asset depends on others.

    Attributes:
        asset: Its name.
        partition_set: Name of its partition set.
        code_version: What it would be made by now, None if it does not say.
        inputs: The assets that it is made from in the same partition, sources included.
        is_source: Whether it comes from outside and is never made.
    """

    asset: str
    partition_set: str
    code_version: str | None = None
    inputs: tuple[str, ...] = ()
    is_source: bool = False


@dataclass(frozen=True, slots=True)
class Need:
    """A partition that is to be made.

    Attributes:
        asset: The asset's name.
        partition: The partition's key.
        wanted: Digest of the code and input versions that it would be made from now: the identity of this need.
        certain: Whether it has to be made whatever its inputs turn out to say: it is missing or its code is another.
        ready: Whether its inputs are there and not wanted themselves.
    """

    asset: str
    partition: str
    wanted: str
    certain: bool
    ready: bool

    @property
    def key(self) -> str:
        """Its name in a cursor."""
        return f"{self.asset}|{self.partition}"


@dataclass(frozen=True, slots=True)
class Work:
    """One run: assets of one job, for one partition or for many levels.

    Attributes:
        job: The job's name.
        assets: Those of its assets that the run makes.
        partitions: One partition, or any number of levels.
        needs: What the run is to satisfy.
    """

    job: str
    assets: tuple[str, ...]
    partitions: tuple[str, ...]
    needs: tuple[Need, ...]


@dataclass(frozen=True, slots=True)
class Graph:
    """What the planner looks at.

    Attributes:
        rules: Every asset, an asset after its inputs.
        partitions: The keys of each partition set.
        states: The newest state of each partition that was ever made, by asset.
    """

    rules: Sequence[AssetRule]
    partitions: Mapping[str, Sequence[str]]
    states: Mapping[str, Mapping[str, State]]


@dataclass(slots=True)
class Attempts:
    """How often each need was tried, for as long as it is the same need.

    Attributes:
        tried: Key of a need to the version it wanted and how often that was tried.
        limit: How often a need may be tried.
    """

    tried: dict[str, tuple[str, int]] = field(default_factory=dict)
    limit: int = MAX_ATTEMPTS

    def of(self, need: Need) -> int:
        """Return how often this very need was tried."""
        wanted, count = self.tried.get(need.key, ("", 0))
        return count if wanted == need.wanted else 0

    def is_over(self, need: Need) -> bool:
        """Whether it was tried as often as it may be; a change of its inputs makes it another need."""
        return self.of(need) >= self.limit

    def add(self, work: Iterable[Work]) -> None:
        """Count these runs."""
        for need in (need for item in work for need in item.needs):
            self.tried[need.key] = (need.wanted, self.of(need) + 1)

    def forget(self, need: Need) -> None:
        """Begin anew with a need."""
        self.tried.pop(need.key, None)

    def give_up(self, need: Need) -> None:
        """Try a need no more; a person has cancelled it."""
        self.tried[need.key] = (need.wanted, self.limit)

    def keep_only(self, needs: Iterable[Need]) -> None:
        """Forget what is no longer needed, so that the cursor holds open and failed partitions and nothing else."""
        keys = {need.key for need in needs}
        self.tried = {key: value for key, value in self.tried.items() if key in keys}


def find_needs(graph: Graph) -> list[Need]:
    """Return every partition that is to be made, in the order the data flows."""
    needs: list[Need] = []
    wanted: set[tuple[str, str]] = set()
    for rule in graph.rules:
        if rule.is_source:
            continue
        states = graph.states.get(rule.asset, {})
        for partition in graph.partitions.get(rule.partition_set, ()):
            inputs = {name: _version(graph, name, partition) for name in rule.inputs}
            state = states.get(partition)
            certain = state is None or (rule.code_version is not None and state.code_version != rule.code_version)
            if not certain and state is not None and all(state.inputs.get(name) == inputs[name] for name in inputs):
                continue
            is_ready = all(inputs[name] is not None and (name, partition) not in wanted for name in inputs)
            wanted.add((rule.asset, partition))
            needs.append(Need(rule.asset, partition, _digest(rule.code_version, inputs), certain, is_ready))
    return needs


def wanted_work(
    needs: Sequence[Need],
    *,
    levels: Sequence[str],
    held: Collection[tuple[str, str]] = (),
    attempts: Attempts | None = None,
    may_pay: Callable[[Need], bool] = lambda _: True,
    max_runs: int | None = None,
) -> list[Work]:
    """Return the runs that are to be launched now.

    Args:
        needs: What is to be made, from `find_needs`.
        levels: All level partitions, of which a dossier waits for its module's.
        held: Asset and partition of everything that an open run makes.
        attempts: How often needs were tried; None for not at all, which takes up also what was given up.
        may_pay: Whether a paid partition may be made; one that may not is passed over.
        max_runs: Return at most this many runs; the others come with a later look.
    """
    attempts = attempts if attempts is not None else Attempts()
    barred = {need.key for need in needs if need.asset in PAID_ASSETS and not may_pay(need)}
    lane = _Lane(needs, levels, set(held), attempts, barred)
    work: list[Work] = []
    for job, assets in CHAINS.items():
        members = [chain for chain in _chains(needs, assets, barred) if lane.may_start(job, chain)]
        if job in LEVEL_JOBS:
            work += _level_runs(job, assets, [chain[0] for chain in members])
        else:
            work += [Work(job, tuple(n.asset for n in chain), (chain[0].partition,), tuple(chain)) for chain in members]
    return work if max_runs is None else work[: max(0, max_runs)]


class _Lane:
    """What has to be over before what."""

    def __init__(
        self,
        needs: Sequence[Need],
        levels: Sequence[str],
        held: set[tuple[str, str]],
        attempts: Attempts,
        barred: set[str],
    ) -> None:
        self._needs = {(need.asset, need.partition): need for need in needs}
        self._levels = levels
        self._held = held
        self._attempts = attempts
        self._barred = barred

    def may_start(self, job: str, chain: Sequence[Need]) -> bool:
        if any((need.asset, need.partition) in self._held for need in chain) or self._attempts.is_over(chain[0]):
            return False
        partition = chain[0].partition
        if job in LEVEL_JOBS:
            # Its plan may be about to change: content asked for now would be paid for twice.
            module = split_level_partition(partition)[0]
            return self._is_settled(CHAINS["survey_modules"], module)
        if job == "write_dossiers":
            return self._is_done(CHAINS["survey_modules"], partition) and all(
                self._is_settled(("level_plan", "level_content"), level) for level in levels_of(partition, self._levels)
            )
        return True

    def _is_settled(self, assets: Iterable[str], partition: str) -> bool:
        """Whether nothing more will come of these by itself: made, given up, or not to be paid for."""
        first = next((need for asset in assets if (need := self._needs.get((asset, partition)))), None)
        if first is None:
            return True
        # What comes after one that was given up waits for it in vain.
        is_stopped = self._attempts.is_over(first) or first.key in self._barred
        return (first.asset, partition) not in self._held and is_stopped

    def _is_done(self, assets: Iterable[str], partition: str) -> bool:
        return not any((asset, partition) in self._needs for asset in assets)


def _chains(needs: Sequence[Need], assets: Sequence[str], barred: Collection[str]) -> Iterator[list[Need]]:
    """Yield, for each partition, the assets that one run makes, starting with one that is ready.

    An asset joins its predecessor's run where it will be made in any case. Where it may turn out to be fresh after all
    (the same pages in a file that was saved again) it waits until that is known: a survey asks a provider.
    """
    by_partition: dict[str, dict[str, Need]] = {}
    for need in needs:
        if need.asset in assets:
            by_partition.setdefault(need.partition, {})[need.asset] = need
    for found in by_partition.values():
        chain: list[Need] = []
        for asset in assets:
            need = found.get(asset)
            if need is not None and need.key not in barred and (need.certain if chain else need.ready):
                chain.append(need)
            elif chain:
                break
        if chain:
            yield chain


def _level_runs(job: str, assets: tuple[str, ...], needs: Sequence[Need]) -> Iterator[Work]:
    for start in range(0, len(needs), MAX_LEVELS_A_RUN):
        group = tuple(needs[start : start + MAX_LEVELS_A_RUN])
        yield Work(job, assets, tuple(need.partition for need in group), group)


def _version(graph: Graph, asset: str, partition: str) -> str | None:
    state = graph.states.get(asset, {}).get(partition)
    return state.data_version if state is not None else None


def _digest(code_version: str | None, inputs: Mapping[str, str | None]) -> str:
    parts = [code_version or "", *(f"{name}={version or ''}" for name, version in sorted(inputs.items()))]
    return hashlib.sha256("\n".join(parts).encode("utf-8")).hexdigest()[:16]
