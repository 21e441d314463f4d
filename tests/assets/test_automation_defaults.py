"""What runs by itself without anyone having switched it on, and for whom nothing is paid unasked."""

from pathlib import Path

import dagster as dg
import pytest

from osrforge_assets.definitions import build_defs
from osrforge_assets.settings import Settings, load_settings
from osrforge_resources.failures import MisuseError

ALWAYS = {"orphaned_runs", "run_failures"}


def _running(**settings: object) -> set[str]:
    definitions = build_defs(settings=Settings(**settings))  # pyright: ignore[reportArgumentType]
    sensors = {sensor.name for sensor in definitions.sensors or () if _runs(sensor)}
    return sensors | {schedule.name for schedule in definitions.schedules or () if _runs(schedule)}


def _runs(instigator: object) -> bool:
    status = getattr(instigator, "default_status", None)
    return status in {dg.DefaultSensorStatus.RUNNING, dg.DefaultScheduleStatus.RUNNING}


def test_a_deployment_that_pays_nobody_does_everything_by_itself():
    assert _running(provider="offline") == ALWAYS | {"inbox", "reconcile", "nightly"}


def test_a_paid_provider_gets_no_nightly_backfill_without_a_budget():
    assert _running(provider="anthropic") == ALWAYS | {"inbox", "reconcile"}
    assert _running(provider="anthropic", nightly_max_cost_usd=2.0) == ALWAYS | {"inbox", "reconcile", "nightly"}
    assert _running(provider="anthropic", automation="all") == ALWAYS | {"inbox", "reconcile", "nightly"}


def test_switched_off_only_what_starts_nothing_runs():
    assert _running(automation="off") == ALWAYS


def test_a_time_that_is_no_cron_expression_is_refused_by_its_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("OSRFORGE_HOME", str(tmp_path))
    monkeypatch.setenv("OSRFORGE_NIGHTLY", "at three")
    with pytest.raises(MisuseError, match="OSRFORGE_NIGHTLY"):
        load_settings()
