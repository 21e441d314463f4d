"""Between the planner and Dagster: requests, cursors, and what open runs hold."""

from collections.abc import Mapping
from typing import Any

import dagster as dg
from hypothesis import given
from hypothesis import strategies as st

from osrforge_assets.reconcile import Attempts, Need, Work
from osrforge_assets.run_requests import Cursor, held_by, run_request

LEVELS = [f"crypt--vault--{number}" for number in range(1, 6)]


def _run(
    job: str, *, assets: tuple[str, ...] = (), config: Mapping[str, Any] | None = None, **tags: str
) -> dg.DagsterRun:
    return dg.DagsterRun(
        job_name=job,
        run_config=config or {},
        tags={f"dagster/{name}": value for name, value in tags.items()},
        asset_selection=frozenset(dg.AssetKey(asset) for asset in assets) or None,
    )


def _work(*levels: str, wanted: str = "v") -> Work:
    needs = tuple(Need("level_content", level, wanted, certain=True, ready=True) for level in levels)
    return Work("rerun_levels", ("level_content",), levels, needs)


def test_a_run_of_many_levels_holds_all_of_them():
    request = run_request(_work(*LEVELS[:3]), serial=1, by="reconcile", attempt=1, provider="offline")
    run = _run("rerun_levels", assets=("level_content",), config=request.run_config, partition=LEVELS[0])
    assert held_by([run], {"level": LEVELS}) == {("level_content", level) for level in LEVELS[:3]}


def test_a_run_from_the_launchpad_holds_the_assets_of_its_job():
    run = _run("survey_modules", partition="crypt")
    assert held_by([run], {}) == {("page_renders", "crypt"), ("survey_index", "crypt")}


def test_a_backfill_of_a_range_holds_the_whole_range():
    run = _run(
        "__ASSET_JOB",
        assets=("level_content",),
        asset_partition_range_start=LEVELS[1],
        asset_partition_range_end=LEVELS[3],
    )
    assert held_by([run], {"module": ["crypt"], "level": LEVELS}) == {("level_content", level) for level in LEVELS[1:4]}


def test_a_run_without_partitions_holds_nothing():
    assert held_by([_run("nightly_backfill")], {"level": LEVELS}) == set()


def test_the_same_work_in_the_same_tick_has_the_same_key_and_in_another_tick_another():
    keys = {
        run_request(_work(*levels, wanted=wanted), serial=serial, by="x", attempt=1, provider="offline").run_key
        for levels, wanted, serial in (
            (LEVELS[:2], "v", 1),
            (LEVELS[1::-1], "v", 1),
            (LEVELS[:2], "w", 1),
            (LEVELS[:2], "v", 2),
        )
    }
    assert len(keys) == 3


def test_a_request_says_in_its_tags_whose_work_it_is():
    tags = run_request(_work(*LEVELS[:2]), serial=1, by="reconcile", attempt=2, provider="offline").tags
    assert tags == {
        "osrforge/by": "reconcile",
        "osrforge/attempt": "2",
        "osrforge/levels": "2",
        "osrforge/module": "crypt",
        "osrforge/provider": "offline",
    }


@given(st.text(max_size=60) | st.none())
def test_a_cursor_that_was_edited_by_hand_begins_anew(text: str | None):
    cursor = Cursor.parse(text)
    assert Cursor.parse(cursor.text()) == cursor


def test_a_cursor_comes_back_as_it_was():
    cursor = Cursor(7, Attempts({"level_content|crypt--vault--1": ("v", 2)}), granted=3)
    assert Cursor.parse(cursor.text()) == cursor
    assert Cursor.parse('{"serial": 1, "tried": {"a": 3}}').serial > 7
