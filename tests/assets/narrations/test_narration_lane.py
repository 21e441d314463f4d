"""The narration lane in Dagster: one log in, turns, world, checks, files; an edited log recomputes from its turn on."""

import io
import json
from pathlib import Path
from typing import Any

import dagster as dg
import pandas as pd
import pytest

from osrforge_assets.contracts.narration_turns import WorldHistory
from osrforge_assets.definitions import build_defs
from osrforge_assets.narrations.sources import register_story
from osrforge_assets.narrations.state.replay import world_after
from osrforge_assets.narrations.turns.story_log import read_story_log
from osrforge_assets.settings import Settings
from osrforge_resources.failures import SourceError
from osrforge_resources.io_manager import read_document
from osrforge_resources.store import Store

DEMO = Path(__file__).parents[2] / "data" / "demo_story.jsonl"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


def tell(store: Store, log: Path, instance: dg.DagsterInstance, tmp_path: Path) -> dg.ExecuteInProcessResult:
    source = register_story(store, log, taken=lambda _: False)
    instance.add_dynamic_partitions("narration", [source.narration])
    definitions = build_defs(settings=Settings(home=tmp_path), resources={"store": store})
    job = definitions.resolve_job_def("tell_narrations")
    return job.execute_in_process(instance=instance, partition_key=source.narration, raise_on_error=False)


def metadata(result: dg.ExecuteInProcessResult, asset: str) -> dict[str, Any]:
    materializations = [
        event.step_materialization_data.materialization
        for event in result.all_events
        if event.event_type == dg.DagsterEventType.ASSET_MATERIALIZATION
    ]
    found = next(entry for entry in materializations if entry.asset_key.path[-1] == asset)
    return {name: value.value for name, value in found.metadata.items()}


def test_a_story_becomes_turns_and_a_world_and_its_checks_pass(store: Store, tmp_path: Path):
    with dg.DagsterInstance.ephemeral() as instance:
        result = tell(store, DEMO, instance, tmp_path)
    assert result.success
    evaluations = result.get_asset_check_evaluations()
    assert {entry.check_name for entry in evaluations} == {
        *("prose_is_story", "every_event_is_accounted_for", "replay_gives_the_final_state")
    }
    assert all(entry.passed for entry in evaluations)
    said = metadata(result, "world_state")
    assert all(column.description for column in said["dagster/column_schema"].columns)
    assert (said["turns"], said["events_refused"]) == (19, 8)
    names = {path.name for path in store.dossier_files("narration--demo-story")}
    assert names == {"story.html", "facts.csv", "facts.parquet", "events.csv", "events.parquet"}


def test_the_fact_table_holds_the_state_after_every_turn(store: Store, tmp_path: Path):
    with dg.DagsterInstance.ephemeral() as instance:
        tell(store, DEMO, instance, tmp_path)
    history = read_document(store, "world_state", "demo-story", WorldHistory)
    data = store.dossier_path("narration--demo-story", "facts.parquet").read_bytes()
    facts = pd.read_parquet(io.BytesIO(data))
    for number in range(len(history.turns)):
        standing = facts[(facts["from_turn"] <= number) & ~(facts["until_turn"] <= number).fillna(value=False)]
        assert len(standing) == len(world_after(history, number).facts)


def test_the_page_shows_what_was_told_as_text_only(store: Store, tmp_path: Path):
    log = tmp_path / "story.jsonl"
    evil = '<script>alert(1)</script> <img src=x onerror=1>\n```state\n{"events": [{"type": "<b>"}]}\n```\n'
    log.write_text(
        json.dumps({"title": "<i>T</i>", "initial": []}) + "\n" + json.dumps({"player": "<u>", "reply": evil})
    )
    with dg.DagsterInstance.ephemeral() as instance:
        assert tell(store, log, instance, tmp_path).success
    page = store.dossier_path("narration--story", "story.html").read_bytes().decode()
    for markup in ("<script", "<img", "<i>", "<u>", "<b>"):
        assert markup not in page
    assert "&lt;script&gt;" in page


def test_a_block_that_was_taken_out_leaves_no_hole_in_the_page(store: Store, tmp_path: Path):
    log = tmp_path / "story.jsonl"
    block = '```state\n{"events": []}\n```\n'
    reply = f"She nods.\n\n{block}\n \nHe waits.\n\nIt rains.\n{block}"
    log.write_text(json.dumps({"title": "T", "initial": []}) + "\n" + json.dumps({"player": "", "reply": reply}))
    with dg.DagsterInstance.ephemeral() as instance:
        assert tell(store, log, instance, tmp_path).success
    page = store.dossier_path("narration--story", "story.html").read_bytes().decode()
    assert '<div class="prose">She nods.\n\nHe waits.\n\nIt rains.</div>' in page


def test_an_edited_log_is_the_same_narration_and_recomputes_from_the_edited_turn_on(store: Store, tmp_path: Path):
    log = tmp_path / "bell.jsonl"
    log.write_bytes(DEMO.read_bytes())
    with dg.DagsterInstance.ephemeral() as instance:
        tell(store, log, instance, tmp_path)
        log.write_text(
            log.read_text("utf-8")
            .replace("It hangs there", "There it hangs")
            .replace('\\"filled\\": 4', '\\"filled\\": 5'),
            "utf-8",
        )
        result = tell(store, log, instance, tmp_path)
        assert instance.get_dynamic_partitions("narration") == ["bell"]
    assert metadata(result, "narration_turns")["turns_taken_over"] == 17
    assert metadata(result, "world_state")["turns_taken_over"] == 16


def test_a_log_without_turns_fails_with_a_sentence(store: Store, tmp_path: Path):
    log = tmp_path / "notes.md"
    log.write_text("# Just notes\n")
    with dg.DagsterInstance.ephemeral() as instance:
        result = tell(store, log, instance, tmp_path)
    failures = [event.step_failure_data for event in result.all_events if event.is_step_failure]
    assert failures[0].user_failure_data is not None
    assert failures[0].user_failure_data.metadata["code"].value == "source.no_turns"


def test_two_logs_of_one_name_are_two_narrations_and_an_absent_one_is_refused(store: Store, tmp_path: Path):
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "bell.jsonl").write_text(json.dumps({"reply": folder}))
    keys = [
        register_story(store, tmp_path / folder / "bell.jsonl", taken=lambda _: False).narration for folder in "aba"
    ]
    assert keys == ["bell", "bell-2", "bell"]
    with pytest.raises(SourceError):
        register_story(store, tmp_path / "absent.jsonl", taken=lambda _: False)


def test_the_demo_story_written_as_markdown_is_the_same_story():
    log = read_story_log(DEMO.read_bytes(), name=DEMO.name)
    parts = [f"# {log.title}\n\n```initial\n{json.dumps(list(log.initial))}\n```\n\n"]
    for turn in log.turns:
        player = f"> {turn.player}\n\n" if turn.player else "\n"
        parts.append(f"## Turn {turn.number}\n{player}{turn.reply}\n<!-- stop: {turn.stop_reason} -->\n")
    read = read_story_log("".join(parts).encode(), name="demo.md")
    assert read == log
