"""Asset events that are written outside an asset's own return: with every tag that Dagster's staleness reads.

An event needs its data version, code version *and* the version and event pointer of each input. With the first two
alone a partition stays stale for ever.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import dagster as dg
from dagster._core.definitions.asset_checks.asset_check_evaluation import AssetCheckEvaluationTargetMaterializationData

# The names of `dagster._core.definitions.data_version`, which is private; a test holds them against the installed one.
DATA_VERSION = "dagster/data_version"
DATA_VERSION_IS_OURS = "dagster/data_version_is_user_provided"
CODE_VERSION = "dagster/code_version"
INPUT_VERSION = "dagster/input_data_version"
INPUT_POINTER = "dagster/input_event_pointer"

# SQLite takes 32,766 variables a statement; smaller pieces also bound the memory of events that carry tables.
_EVENTS_A_QUERY = 500


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
    return input_states(instance, asset, [partition])[partition]


def input_states(instance: dg.DagsterInstance, asset: str, partitions: Collection[str]) -> dict[str, InputState]:
    """Return the states of many partitions of an input, as `input_state` would one by one."""
    records = newest_materializations(instance, asset, partitions)
    return {key: _state_of(asset, records.get(key)) for key in partitions}


def _state_of(asset: str, record: dg.EventLogRecord | None) -> InputState:
    if record is None:
        return InputState(asset, None, None)
    materialization = record.asset_materialization
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


def is_reported(instance: dg.DagsterInstance, event: dg.AssetMaterialization) -> bool:
    """Whether a partition's newest event says this already: the same data version by the same code."""
    assert event.partition is not None
    record = instance.get_latest_data_version_record(event.asset_key, is_source=False, partition_key=event.partition)
    known = record.event_log_entry.asset_materialization if record is not None else None
    tags = (known.tags or {}) if known is not None else {}
    return all(tags.get(name) == (event.tags or {}).get(name) for name in (DATA_VERSION, CODE_VERSION))


def made_in_run(instance: dg.DagsterInstance, asset: str, partition: str, run_id: str) -> bool:
    """Whether a partition's newest materialization was made by this run: what a retried step need not make again."""
    record = instance.get_latest_data_version_record(dg.AssetKey(asset), is_source=False, partition_key=partition)
    return record is not None and record.run_id == run_id


def newest_materializations(
    instance: dg.DagsterInstance, asset: str, partitions: Collection[str]
) -> dict[str, dg.EventLogRecord]:
    """Return the newest materialization of each of these partitions; those never made are left out.

    Two queries for any number of partitions: one by one each costs 4 ms, and 80 on a busy disk.
    """
    key = dg.AssetKey(asset)
    newest = instance.event_log_storage.get_latest_storage_id_by_partition(
        key, dg.DagsterEventType.ASSET_MATERIALIZATION, set(partitions)
    )
    events = sorted(newest.values())
    records: list[dg.EventLogRecord] = []
    for start in range(0, len(events), _EVENTS_A_QUERY):
        ids = events[start : start + _EVENTS_A_QUERY]
        records += instance.fetch_materializations(
            dg.AssetRecordsFilter(asset_key=key, storage_ids=ids), limit=len(ids)
        ).records
    return {record.partition_key: record for record in records if record.partition_key is not None}


def checked_materialization(record: dg.EventLogRecord) -> AssetCheckEvaluationTargetMaterializationData:
    """Return what a check evaluation points at: without it the UI takes the evaluation for one of older data."""
    return AssetCheckEvaluationTargetMaterializationData(
        storage_id=record.storage_id, run_id=record.run_id, timestamp=record.timestamp
    )


def check_evaluation(
    spec: dg.AssetCheckSpec,
    partition: str,
    *,
    passed: bool,
    target: AssetCheckEvaluationTargetMaterializationData | None,
    severity: dg.AssetCheckSeverity = dg.AssetCheckSeverity.ERROR,
    metadata: Mapping[str, Any] | None = None,
) -> dg.AssetCheckEvaluation:
    """Return the event that says what a check of one partition came to."""
    return dg.AssetCheckEvaluation(
        asset_key=spec.asset_key,
        check_name=spec.name,
        passed=passed,
        metadata=metadata,
        target_materialization_data=target,
        severity=severity,
        blocking=spec.blocking,
        partition=partition,
    )
