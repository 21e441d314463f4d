"""Who answers a run: the deployment's provider, or the one that the run's config names."""

from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from osrforge_assets.code_versions import code_versions
from osrforge_assets.definitions import build_defs
from osrforge_assets.settings import Settings
from osrforge_resources.asset_events import CODE_VERSION
from osrforge_resources.failures import MisuseError
from osrforge_resources.offline.provider import OfflineProvider
from osrforge_resources.provider_resource import run_settings
from osrforge_resources.staleness import Staleness
from osrforge_resources.store import Store
from tests.graph.deployment import Deployment

DEMO = Path(__file__).parents[1] / "data" / "demo_module.pdf"


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch):
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OSRFORGE_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def _survey(definitions: dg.Definitions, deployment: Deployment, **provider: Any) -> dg.ExecuteInProcessResult:
    return definitions.resolve_implicit_global_asset_job_def().execute_in_process(
        run_config={"resources": {"model_provider": {"config": provider}}} if provider else None,
        instance=deployment.instance,
        partition_key="demo-module",
        asset_selection=[dg.AssetKey("survey_index")],
        raise_on_error=False,
    )


def _failure_code(result: dg.ExecuteInProcessResult) -> object:
    events = [event for event in result.all_events if event.is_step_failure]
    data = events[0].step_failure_data.user_failure_data
    assert data is not None
    return data.metadata["code"].value


def test_definitions_load_without_a_key_and_the_first_call_names_the_variable(deployment: Deployment):
    deployment.convert(DEMO)
    settings = Settings(home=deployment.home, provider="anthropic")
    result = _survey(build_defs(settings=settings, resources={"store": deployment.store}), deployment)
    assert not result.success
    assert _failure_code(result) == "provider.no_key"


def test_a_run_may_name_who_answers_it_and_its_answers_are_recorded_as_theirs(deployment: Deployment):
    deployment.convert(DEMO)
    settings = Settings(home=deployment.home, provider="anthropic")
    definitions = build_defs(settings=settings, resources={"store": deployment.store})
    result = _survey(definitions, deployment, provider="offline")
    assert result.success
    [event] = [
        event
        for event in result.all_events
        if event.event_type == dg.DagsterEventType.ASSET_MATERIALIZATION
        and event.asset_key == dg.AssetKey("survey_index")
    ]
    tags = event.step_materialization_data.materialization.tags or {}
    assert tags[CODE_VERSION] == code_versions(settings, OfflineProvider()).survey_index
    # The deployment's provider has not answered it, and the graph says so.
    assert not Staleness(definitions, deployment.instance).is_fresh("survey_index", "demo-module")
    offline = build_defs(settings=Settings(home=deployment.home), resources={"store": deployment.store})
    assert Staleness(offline, deployment.instance).is_fresh("survey_index", "demo-module")


def test_a_run_that_names_an_unusable_provider_fails_in_its_step_with_a_code(deployment: Deployment):
    deployment.convert(DEMO)
    definitions = build_defs(settings=Settings(home=deployment.home), resources={"store": deployment.store})
    result = _survey(definitions, deployment, provider="openai-compatible")
    assert _failure_code(result) == "provider.settings"


def test_another_provider_of_a_run_gets_neither_the_key_nor_the_address_nor_the_model_of_the_configured_one():
    configured = Settings(provider="anthropic", api_key="sk-secret", base_url="https://proxy.example", model="m")  # pyright: ignore[reportArgumentType]
    same = run_settings(configured, {"provider": "anthropic", "model": "", "effort": "high", "max_tokens": 0})
    assert (same.base_url, same.api_key.get_secret_value(), same.model, same.effort) == (
        "https://proxy.example",
        "sk-secret",
        "m",
        "high",
    )
    other = run_settings(configured, {"provider": "openai-compatible", "model": "x", "vision": False})
    assert (other.base_url, other.api_key.get_secret_value(), other.model, other.vision) == ("", "", "x", False)


def test_a_value_that_a_setting_refuses_is_refused_in_a_run_too():
    with pytest.raises(MisuseError) as refused:
        run_settings(Settings(), {"effort": "utmost"})
    assert refused.value.code == "provider.settings"


def test_neither_a_key_nor_an_address_can_be_named_in_a_run(tmp_path: Path):
    resource = build_defs(settings=Settings(home=tmp_path), resources={"store": Store(tmp_path)}).resources
    assert resource is not None
    fields = resource["model_provider"].config_schema.as_field().config_type.fields
    assert sorted(fields) == ["effort", "max_tokens", "model", "provider", "vision"]
    assert all(field.description for field in fields.values())
