"""The graph under a live daemon: from files in the inbox to dossiers, with exactly the calls that are needed.

One deployment for the whole file, and a module of its own for most scenarios: nearly all of the time is polling and the
start of runs, which the scenarios share. They run in the order they stand.
"""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from osrforge_assets.contracts.dossier import LevelStatus
from osrforge_assets.inbox import refused_drops
from osrforge_assets.instance import open_instance
from tests.graph.live import LiveDeployment
from tests.graph.module_pdfs import PIT, Levels, write_module

pytestmark = pytest.mark.timeout(900)

PIT_TITLE, MINE_TITLE, TOWER_TITLE = "The Testing Pit", "The Flaky Mine", "The Lost Tower"
CHANGED = {**PIT, 2: ("1. Flooded hall. Five giant rats swim in the black water.", PIT[2][1])}
STORY = '{"player": "I open the door.", "reply": "It creaks.", "stop_reason": "stop"}\n'
CURRENT, ABSENT = LevelStatus.CURRENT, LevelStatus.ABSENT


@pytest.fixture(scope="module")
def live(new_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveDeployment]:
    home = shutil.copytree(new_home, tmp_path_factory.mktemp("live") / "home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DAGSTER_HOME", "")
        with open_instance(home) as instance:
            deployment = LiveDeployment(home, instance)
            deployment.start()
            yield deployment
            deployment.stop()


def _drop(live: LiveDeployment, module: str, levels: Levels, title: str = PIT_TITLE) -> None:
    """Drop a module as a copy program would: under another name until it is whole."""
    path = live.drop("modules", f"{module}.pdf")
    write_module(path.with_suffix(".part"), levels, title=title).rename(path)


def _content(calls: list[str]) -> list[str]:
    return [call for call in calls if call.startswith("content")]


def _statuses(live: LiveDeployment, module: str) -> list[LevelStatus]:
    dossier = live.dossier(module)
    assert dossier is not None
    return [level.status for level in dossier.dungeons[0].levels]


def test_everything_in_the_inbox_is_worked_through_with_the_calls_it_needs(live: LiveDeployment):
    # The first census of the two fails once, level 1 of the mine twice, its level 2 always.
    live.failing({"census": 1, "content.the-flaky-mine.1": 2, "content.the-flaky-mine.2": -1})
    _drop(live, "pit", PIT)
    _drop(live, "mine", {1: PIT[1], 2: PIT[2], 3: PIT[3]}, MINE_TITLE)
    live.drop("modules", "notes.xyz").write_bytes(b"a shopping list")
    live.drop("transcripts", "session.txt").write_text("GM: A door.\nAnna: I open it.\n", encoding="utf-8")
    live.drop("narrations", "tale.jsonl").write_text(STORY, encoding="utf-8")
    live.wait_until_settled()
    calls = live.take()
    assert calls.count("census") == 3
    assert _content(calls) == [
        *["content.the-flaky-mine.1.b01"] * 3,
        *["content.the-flaky-mine.2.b01"] * 3,
        "content.the-flaky-mine.3.b01",
        *(f"content.the-testing-pit.{level}.b01" for level in (1, 2, 3)),
    ]
    assert _statuses(live, "pit") == [CURRENT] * 3
    assert live.store.asset_partitions("scene_chunks") == ["session"]
    assert live.store.asset_partitions("world_state") == ["tale"]


def test_a_level_that_fails_twice_is_made_and_one_that_always_fails_is_given_up_and_is_a_gap(live: LiveDeployment):
    assert _statuses(live, "mine") == [CURRENT, ABSENT, CURRENT]
    failed = [row.partitions for row in live.failures() if row.job == "rerun_levels"]
    levels = "mine--the-flaky-mine--1", "mine--the-flaky-mine--2"
    assert failed == [levels, levels, levels[1:]]


def test_a_failed_survey_was_tried_again_and_every_failure_is_in_the_ledger(live: LiveDeployment):
    rows = live.failures()
    assert [row.job for row in rows if row.job != "rerun_levels"] == ["survey_modules"]
    assert {(row.code, row.message) for row in rows if row.job == "survey_modules"} == {
        ("provider.permanent", "The service refused.")
    }


def test_the_nightly_backfill_takes_up_what_was_given_up(live: LiveDeployment):
    live.failing({})
    live.execute("nightly_backfill")
    live.wait_until_settled()
    assert live.take() == ["content.the-flaky-mine.2.b01"]
    assert _statuses(live, "mine") == [CURRENT] * 3


def test_another_kind_of_file_is_told(live: LiveDeployment):
    refused = [(lane, entry.name, entry.code) for lane, entry in refused_drops(live.store)]
    assert refused == [("modules", "notes.xyz", "inbox.kind")]


def test_a_changed_level_is_asked_alone(live: LiveDeployment):
    live.drop("modules", "mine.pdf").touch()
    _drop(live, "pit", CHANGED)
    live.wait_until_settled()
    assert live.take() == ["census", "content.the-testing-pit.2.b01", "survey"]


def test_a_level_that_went_and_came_back_is_not_asked_again(live: LiveDeployment):
    _drop(live, "pit", {1: CHANGED[1], 2: CHANGED[2]})
    live.wait_until_settled()
    assert _statuses(live, "pit") == [CURRENT] * 2
    _drop(live, "pit", CHANGED)
    live.wait_until_settled()
    assert _content(live.take()) == []
    assert _statuses(live, "pit") == [CURRENT] * 3


def test_after_a_killed_run_and_a_killed_deployment_only_what_was_under_way_is_asked_again(live: LiveDeployment):
    with live.stalling("content.the-lost-tower.2"):
        _drop(live, "tower", {1: PIT[1], 2: PIT[2]}, TOWER_TITLE)
        live.wait_for(lambda: live.is_recorded("level_content", "tower--the-lost-tower--1"), "level 1 was not made")
        live.run_process("rerun_levels").kill()
        live.wait_for(lambda: live.calls().count("content.the-lost-tower.2.b01") == 2, "level 2 was not asked again")
        # The deployment as a whole is killed while the same level is under way for the second time.
        live.kill()
    live.start()
    live.wait_until_settled()
    assert _content(live.take()) == ["content.the-lost-tower.1.b01", *["content.the-lost-tower.2.b01"] * 3]
    assert _statuses(live, "tower") == [CURRENT] * 2
    assert [row.job for row in live.failures() if row.code == "lost"] == ["rerun_levels"] * 2
