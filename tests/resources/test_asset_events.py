"""The tags that Dagster's staleness reads, held against the installed Dagster."""

from pathlib import Path

import dagster as dg
from dagster._core.definitions import data_version as private

from osrforge_resources import asset_events
from osrforge_resources.asset_events import input_state, made_in_run, materialization, report_source

MODULES = dg.DynamicPartitionsDefinition(name="module")


def test_the_tag_names_are_those_of_the_installed_dagster():
    assert asset_events.DATA_VERSION == private.DATA_VERSION_TAG
    assert asset_events.DATA_VERSION_IS_OURS == private.DATA_VERSION_IS_USER_PROVIDED_TAG
    assert asset_events.CODE_VERSION == private.CODE_VERSION_TAG
    assert asset_events.INPUT_VERSION == private.INPUT_DATA_VERSION_TAG_PREFIX
    assert asset_events.INPUT_POINTER == private.INPUT_EVENT_POINTER_TAG_PREFIX


def test_an_event_carries_version_code_and_the_state_of_each_input(tmp_path: Path):
    with dg.DagsterInstance.local_temp(str(tmp_path)) as instance:
        instance.report_runless_asset_event(materialization("plan", "a", data_version="p1", code_version="c1"))
        state = input_state(instance, "plan", "a")
        event = materialization("content", "a", data_version="d1", code_version="c2", inputs=[state])
    assert state.version == "p1"
    assert state.pointer is not None
    assert event.tags == {
        "dagster/data_version": "d1",
        "dagster/data_version_is_user_provided": "true",
        "dagster/code_version": "c2",
        "dagster/input_data_version/plan": "p1",
        "dagster/input_event_pointer/plan": str(state.pointer),
    }


def test_an_input_without_an_event_is_recorded_as_such(tmp_path: Path):
    with dg.DagsterInstance.local_temp(str(tmp_path)) as instance:
        state = input_state(instance, "plan", "a")
    event = materialization("content", "a", data_version="d", code_version="c", inputs=[state])
    assert event.tags is not None
    assert event.tags["dagster/input_data_version/plan"] == "NULL"
    assert event.tags["dagster/input_event_pointer/plan"] == "NULL"


def test_a_source_seen_twice_in_one_version_is_one_event(tmp_path: Path):
    with dg.DagsterInstance.local_temp(str(tmp_path)) as instance:
        for version in ("v1", "v1", "v2"):
            report_source(instance, "source", "a", version=version, name="a.pdf")
        records = instance.fetch_observations(dg.AssetKey("source"), limit=10).records
    versions = [record.asset_observation.tags["dagster/data_version"] for record in records if record.asset_observation]
    assert versions == ["v2", "v1"]


def test_only_what_this_run_made_counts_as_made_in_it(tmp_path: Path):
    @dg.asset(partitions_def=MODULES)
    def plan() -> None:
        """Nothing but an event."""

    with dg.DagsterInstance.local_temp(str(tmp_path)) as instance:
        instance.add_dynamic_partitions("module", ["a"])
        run = dg.materialize([plan], partition_key="a", instance=instance).run_id
        assert made_in_run(instance, "plan", "a", run)
        assert not made_in_run(instance, "plan", "a", "another run")
        assert not made_in_run(instance, "plan", "b", run)
