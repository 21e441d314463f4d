"""Partitions that go and come back: their data is set aside under its own name, and nothing that was paid for is deleted.

A partition's events outlive it. So a key that comes back gets its documents back too, and Dagster's staleness says, as for
any other partition, what of them still stands. Which file belongs to which key is for `sources.py` of each lane.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from osrforge_assets.contracts.survey import SurveyIndex
from osrforge_assets.modules.level_keys import level_partition, levels_of, split_level_partition
from osrforge_assets.modules.levels.retiring import restore_level, retire_level
from osrforge_assets.narrations.state.story_files import page_key as story_key
from osrforge_assets.transcripts.sessions import page_key as session_key
from osrforge_resources.failures import MisuseError
from osrforge_resources.io_manager import usable_document
from osrforge_resources.store import Store

# The documents of each partition set, the source first: without it a partition is nobody's.
DOCUMENTS: Mapping[str, tuple[str, ...]] = {
    "module": ("module_source", "page_renders", "survey_index", "module_contents", "module_dossier"),
    "level": ("level_plan", "level_content"),
    "transcript": ("transcript_source", "transcript_units", "scene_plan", "scene_chunks"),
    "narration": ("narration_source", "narration_turns", "world_state"),
}


class PartitionSets(Protocol):
    """What is needed of a Dagster instance."""

    def get_dynamic_partitions(self, partitions_def_name: str) -> Sequence[str]:
        """Return the keys of a set."""
        ...

    def add_dynamic_partitions(self, partitions_def_name: str, partition_keys: Sequence[str]) -> None:
        """Add keys to a set."""
        ...

    def delete_dynamic_partition(self, partitions_def_name: str, partition_key: str) -> None:
        """Delete a key of a set."""
        ...


@dataclass(frozen=True, slots=True)
class Retired:
    """A partition that is no more.

    Attributes:
        partition_set: The set it was in.
        key: Its key.
        kept: Where its data lies now.
        levels: The levels that went with a module.
    """

    partition_set: str
    key: str
    kept: tuple[str, ...]
    levels: tuple[str, ...] = ()


def set_of(sets: PartitionSets, key: str, wanted: str | None = None) -> str:
    """Return the partition set that holds a key.

    Raises:
        MisuseError: None does, or several do and none is named.
    """
    found = [name for name in DOCUMENTS if wanted in {None, name} and key in sets.get_dynamic_partitions(name)]
    if not found:
        kind = wanted or "module, level, transcript or narration"
        raise MisuseError(
            f"There is no {kind} {ascii(key)[:120]}.",
            code="partition.unknown",
            remedy="`osrforge-assets status` lists them.",
        )
    if len(found) > 1:
        raise MisuseError(
            f"{key} is a {' and a '.join(found)}.", code="partition.ambiguous", remedy="Say which with --kind."
        )
    return found[0]


def retire(sets: PartitionSets, store: Store, partition_set: str, key: str) -> Retired:
    """Set a partition's data aside and take its key out of its set; a module takes its levels with it.

    Killed at any point it can be called again: what is aside already stays there.
    """
    if partition_set == "level":
        with store.lock(f"contents--{split_level_partition(key)[0]}"):
            retire_level(store, key)
            sets.delete_dynamic_partition(partition_set, key)
        return Retired(partition_set, key, _kept(store, partition_set, key))
    levels = levels_of(key, sets.get_dynamic_partitions("level")) if partition_set == "module" else []
    kept = [path for level in levels for path in retire(sets, store, "level", level).kept]
    for asset in DOCUMENTS[partition_set]:
        store.retire_asset(asset, key)
    aside = store.retire_dossier(_files_key(partition_set, key))
    sets.delete_dynamic_partition(partition_set, key)
    return Retired(
        partition_set, key, (*kept, *_kept(store, partition_set, key), *map(str, aside)), levels=tuple(levels)
    )


def restore(sets: PartitionSets, store: Store, partition_set: str, key: str) -> None:
    """Bring back the data of a key that is about to be registered; nothing where it is known or was never retired.

    A module brings back the levels of its survey, which would otherwise wait for a survey that nothing makes stale.
    """
    if key in sets.get_dynamic_partitions(partition_set):
        return
    for asset in DOCUMENTS[partition_set]:
        store.restore_asset(asset, key)
    index = usable_document(store, "survey_index", key, SurveyIndex) if partition_set == "module" else None
    if index is None:
        return
    levels = [level_partition(key, dungeon.id, level.number) for dungeon in index.dungeons for level in dungeon.levels]
    for level in levels:
        store.restore_asset("level_plan", level)
        restore_level(store, level)
    sets.add_dynamic_partitions("level", levels)


def _kept(store: Store, partition_set: str, key: str) -> tuple[str, ...]:
    return tuple(
        str(store.retired_path(asset, key))
        for asset in DOCUMENTS[partition_set]
        if store.read_retired(asset, key) is not None
    )


def _files_key(partition_set: str, key: str) -> str:
    """Return the key under which the files of a partition lie that a person opens."""
    return {"transcript": session_key, "narration": story_key}.get(partition_set, str)(key)
