"""Asset events that are written outside an asset's own return: with every tag that Dagster's staleness reads.

An event needs its data version, code version *and* the version and event pointer of each input. With the first two
alone a partition stays stale for ever.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import dagster as dg

# The names of `dagster._core.definitions.data_version`, which is private; a test holds them against the installed one.
DATA_VERSION = "dagster/data_version"
DATA_VERSION_IS_OURS = "dagster/data_version_is_user_provided"
CODE_VERSION = "dagster/code_version"
INPUT_VERSION = "dagster/input_data_version"
INPUT_POINTER = "dagster/input_event_pointer"


@dataclass(frozen=True, slots=True)
class InputState:
    """What an input partition said when it was looked at.

    Attributes:
        asset: The input asset's name.
        pointer: Storage id of its newest event, None if it has none.
        version: The data version of that event, None if it has none.
    """

    asset: str
    pointer: int | None
    version: str | None


def input_state(instance: dg.DagsterInstance, asset: str, partition: str) -> InputState:
    """Return an input partition's newest event and version, both from one record.

    Taken before the input's data is read, so a change in between makes the result stale instead of passing unseen.
    """
    record = instance.get_latest_data_version_record(dg.AssetKey(asset), is_source=False, partition_key=partition)
    if record is None:
        return InputState(asset, None, None)
    materialization = record.event_log_entry.asset_materialization
    tags = materialization.tags if materialization is not None and materialization.tags else {}
    return InputState(asset, record.storage_id, tags.get(DATA_VERSION))


def materialization(
    asset: str,
    partition: str,
    *,
    data_version: str,
    code_version: str,
    inputs: Sequence[InputState] = (),
    metadata: Mapping[str, Any] | None = None,
) -> dg.AssetMaterialization:
    """Return the event that says: this partition was made from these inputs by this code and now says this.

    Args:
        asset: The asset's name.
        partition: Its partition key.
        data_version: Digest of what it says.
        code_version: The code version of its spec.
        inputs: The state of every input partition, as seen before its data was read.
        metadata: What the UI shows.
    """
    tags = {DATA_VERSION: data_version, DATA_VERSION_IS_OURS: "true", CODE_VERSION: code_version}
    for state in inputs:
        tags[f"{INPUT_VERSION}/{state.asset}"] = state.version or "NULL"
        tags[f"{INPUT_POINTER}/{state.asset}"] = "NULL" if state.pointer is None else str(state.pointer)
    return dg.AssetMaterialization(asset_key=asset, partition=partition, tags=tags, metadata=dict(metadata or {}))


def report_source(instance: dg.DagsterInstance, asset: str, partition: str, *, version: str, name: str) -> None:
    """Record that a source partition exists in this version; the same version twice is one event.

    An external asset's version is read from observations only.
    """
    known = instance.get_latest_data_version_record(dg.AssetKey(asset), is_source=True, partition_key=partition)
    if known is not None:
        observation = known.event_log_entry.asset_observation
        if observation is not None and observation.tags.get(DATA_VERSION) == version:
            return
    instance.report_runless_asset_event(
        dg.AssetObservation(
            asset_key=asset,
            partition=partition,
            tags={DATA_VERSION: version},
            metadata={"source": dg.MetadataValue.text(name)},
        )
    )


def made_in_run(instance: dg.DagsterInstance, asset: str, partition: str, run_id: str) -> bool:
    """Whether a partition's newest materialization was made by this run: what a retried step need not make again."""
    record = instance.get_latest_data_version_record(dg.AssetKey(asset), is_source=False, partition_key=partition)
    return record is not None and record.run_id == run_id
