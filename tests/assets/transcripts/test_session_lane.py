"""The lane as assets: what is asked, what is kept, what a person gets."""

import json
from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest

from osrforge_assets.transcripts.scenes import planning, prompt
from osrforge_assets.transcripts.sessions import as_json
from osrforge_resources.staleness import Staleness
from tests.assets.transcripts.session_lane import SessionLane

DATA = Path(__file__).parents[2] / "data"


@pytest.fixture
def lane(tmp_path: Path) -> Iterator[SessionLane]:
    (tmp_path / "dagster").mkdir()
    with dg.instance_for_test(temp_dir=str(tmp_path / "dagster")) as instance:
        yield SessionLane(tmp_path / "home", instance)


def test_a_session_becomes_scenes_a_page_and_passed_checks(lane: SessionLane):
    (result,) = lane.scenes(DATA / "demo_transcript.vtt")
    said = as_json(result)
    assert said["error"] is None
    assert (said["session"], said["units"], said["speakers"]) == (
        "demo-transcript",
        192,
        ["GM", "Hanne", "Jonas", "Samir"],
    )
    scenes = said["scenes"]
    assert isinstance(scenes, list)
    assert len(scenes) > 3
    assert (scenes[0]["start_unit_id"], scenes[-1]["end_unit_id"]) == (1, 192)
    assert {path.name for path in result.files} == {"session.html", "session.md"}
    planned = lane.instance.get_latest_materialization_event(dg.AssetKey("scene_plan"))
    assert planned is not None
    assert planned.asset_materialization is not None
    assert str(planned.asset_materialization.metadata["scene_table"].value).count("\n") == len(scenes) + 1
    events = lane.instance.get_event_records(dg.EventRecordsFilter(dg.DagsterEventType.ASSET_CHECK_EVALUATION))
    checks = {}
    for record in events:
        event = record.event_log_entry.dagster_event
        assert event is not None
        evaluation = event.asset_check_evaluation_data
        checks[evaluation.check_name] = evaluation.passed
    assert checks == {"import_is_complete": True, "plan_is_contiguous": True, "chunks_cover_the_session": True}


def test_an_unchanged_session_asks_nothing_and_a_forced_plan_asks_again(lane: SessionLane):
    path = DATA / "demo_transcript.srt"
    lane.scenes(path)
    assert len(lane.planner.asked) == 1
    runs = lane.instance.get_runs_count()
    again = lane.scenes(path)[0]
    assert (len(lane.planner.asked), again.costs.calls, lane.instance.get_runs_count()) == (1, 0, runs)
    assert again.chunks is not None
    lane.planner.answer = {"scenes": [{"start_unit_id": 1, "end_unit_id": 192}]}
    forced = lane.scenes(path, force=True)[0]
    assert (len(lane.planner.asked), forced.costs.calls) == (2, 1)
    assert forced.chunks is not None
    assert len(forced.chunks.chunks) == 1
    status = Staleness(lane.definitions(), lane.instance)
    assert status.not_fresh("scene_chunks", ["demo-transcript"]) == []


def test_the_same_session_in_another_format_reuses_the_plan(lane: SessionLane):
    first = lane.scenes(DATA / "demo_transcript.vtt")[0]
    second = lane.scenes(DATA / "demo_tracks")[0]
    assert (second.session, second.error) == ("demo-tracks", None)
    assert len(lane.planner.asked) == 1
    assert first.chunks is not None
    assert second.chunks is not None
    assert second.chunks.chunks == first.chunks.chunks
    assert second.transcript is not None
    assert next((s.name, s.gm) for s in second.transcript.speakers) == ("GM", True)


def test_an_invalid_answer_fails_with_its_code_and_leaves_nothing_half_done(lane: SessionLane):
    lane.planner.answer = {"scenes": [{"start_unit_id": 2, "end_unit_id": 192}]}
    (result,) = lane.scenes(DATA / "demo_transcript.vtt")
    assert result.error is not None
    assert result.error.code == "scenes.head_missing"
    said = as_json(result)
    assert (said["units"], said["scenes"], said["page"]) == (192, [], None)
    assert lane.store.asset_partitions("scene_plan") == lane.store.asset_partitions("scene_plan_cache") == []
    lane.planner.answer = None
    assert lane.scenes(DATA / "demo_transcript.vtt")[0].error is None


def test_an_unreadable_file_is_an_error_with_its_line_and_others_go_on(lane: SessionLane, tmp_path: Path):
    broken = tmp_path / "broken.vtt"
    broken.write_text("WEBVTT\n\n00:01.000 --> nonsense 1:00\nHello\n", encoding="utf-8")
    (tmp_path / "empty").mkdir()
    results = lane.scenes(broken, tmp_path / "absent.srt", tmp_path / "empty", DATA / "demo_transcript.txt")
    codes = [result.error.code if result.error else None for result in results]
    assert codes == ["transcript.bad_time", "source.not_found", "transcript.empty_folder", None]
    assert results[0].error is not None
    assert "Line 3" in results[0].error.message
    assert as_json(results[0])["units"] == 0


def test_a_changed_transcript_is_a_new_edition_and_is_planned_anew(lane: SessionLane, tmp_path: Path):
    path = tmp_path / "game.txt"
    path.write_text("Anna: one\nBo: two\nAnna: three\n", encoding="utf-8")
    first = lane.scenes(path)[0]
    path.write_text("Anna: one\nBo: two\nAnna: four\n", encoding="utf-8")
    second = lane.scenes(path)[0]
    assert (first.session, second.session) == ("game", "game")
    assert len(lane.planner.asked) == 2
    assert second.transcript is not None
    assert second.transcript.units[-1].text == "four"


def test_what_is_said_is_never_markup_on_the_page(lane: SessionLane, tmp_path: Path):
    path = tmp_path / "game.txt"
    path.write_text("Anna: <script>alert(1)</script> **bold** [x](http://y)\nBo: </details> | cell\n", encoding="utf-8")
    (result,) = lane.scenes(path)
    pages = {page.suffix: page.read_text(encoding="utf-8") for page in result.files}
    assert "<script>" not in pages[".html"] + pages[".md"]
    assert "&lt;script&gt;" in pages[".html"]
    assert pages[".md"].count("</details>") == 1
    assert r"\*\*bold\*\*" in pages[".md"]


def test_a_plan_forced_for_one_session_reaches_another_of_the_same_words_without_a_call(lane: SessionLane):
    lane.scenes(DATA / "demo_transcript.vtt")
    lane.scenes(DATA / "demo_tracks")
    lane.planner.answer = {"scenes": [{"start_unit_id": 1, "end_unit_id": 192}]}
    lane.scenes(DATA / "demo_transcript.vtt", force=True)
    other = lane.scenes(DATA / "demo_tracks")[0]
    assert other.chunks is not None
    assert (len(other.chunks.chunks), other.costs.calls, len(lane.planner.asked)) == (1, 0, 2)


def test_another_prompt_or_schema_leaves_an_accepted_plan_in_place(lane: SessionLane, monkeypatch: pytest.MonkeyPatch):
    path = DATA / "demo_transcript.vtt"
    first = lane.scenes(path)[0]
    monkeypatch.setattr(prompt, "SCENES_RULES", "Other rules.")
    monkeypatch.setattr(planning, "SCENES_RULES", "Other rules.")
    again = lane.scenes(path)[0]
    assert (again.chunks, len(lane.planner.asked)) == (first.chunks, 1)


def test_a_new_cache_format_makes_an_old_plan_anew_once(lane: SessionLane):
    path = DATA / "demo_transcript.vtt"
    lane.scenes(path)
    (key,) = lane.store.asset_partitions("scene_plan_cache")
    kept = lane.store.read_asset("scene_plan_cache", key)
    assert kept is not None
    older = {**json.loads(kept), "format_version": 0}
    lane.store.write_asset("scene_plan_cache", key, json.dumps(older).encode("utf-8"))
    for _ in range(2):
        assert lane.scenes(DATA / "demo_tracks")[0].error is None
    assert len(lane.planner.asked) == 2
