"""Asset checks: recorded for each partition, also where one step makes many, and shown with the data they are about."""

from pathlib import Path

import dagster as dg
from dagster._core.definitions.partitions.context import partition_loading_context
from dagster._core.storage.asset_check_execution_record import AssetCheckExecutionResolvedStatus as Status
from dagster._core.storage.asset_check_state import AssetCheckState

from osrforge_assets.partitions import LEVELS, MODULES
from osrforge_resources.failures import PermanentProviderError
from tests.graph.deployment import CountingProvider, Deployment
from tests.graph.module_pdfs import PIT, write_module

PIT_LEVELS = {f"pit--the-testing-pit--{number}" for number in PIT}
ANSWERED = "every_key_is_answered"


def shown(deployment: Deployment, asset: str, check: str, status: Status) -> set[str]:
    """Return the partitions that the UI shows in a status: of evaluations about the newest materialization only."""
    key = dg.AssetCheckKey(dg.AssetKey(asset), check)
    partitions = MODULES if asset != "level_content" else LEVELS
    storage = deployment.instance.event_log_storage
    with partition_loading_context(dynamic_partitions_store=deployment.instance):
        state: AssetCheckState = storage.get_asset_check_state([(key, partitions)])[key]
        subset = state.subsets.get(status)
        return set(subset.subset_value.get_partition_keys()) if subset is not None else set()


def test_every_partition_has_its_own_evaluations(deployment: Deployment, tmp_path: Path):
    deployment.convert(write_module(tmp_path / "pit.pdf", PIT))
    assert shown(deployment, "level_content", ANSWERED, Status.SUCCEEDED) == PIT_LEVELS
    for asset, check in (
        ("page_renders", "pages_are_readable"),
        ("survey_index", "survey_agrees_with_census"),
        ("survey_index", "areas_have_pages"),
        ("module_dossier", "every_level_is_current"),
        ("module_dossier", "facts_are_on_their_pages"),
        ("module_dossier", "counts_are_valid"),
        ("module_dossier", "connections_lead_somewhere"),
    ):
        assert (check, shown(deployment, asset, check, Status.SUCCEEDED)) == (check, {"pit"})
    # Only one side of each of its doors is told.
    assert shown(deployment, "module_dossier", "connections_are_mutual", Status.FAILED) == {"pit"}


def test_a_level_that_fails_has_no_evaluation_and_its_neighbours_have(deployment: Deployment, tmp_path: Path):
    deployment.provider.failing["content.the-testing-pit.1"] = PermanentProviderError("The service refused.")
    deployment.convert(write_module(tmp_path / "pit.pdf", PIT))
    kept = PIT_LEVELS - {"pit--the-testing-pit--1"}
    assert shown(deployment, "level_content", ANSWERED, Status.SUCCEEDED) == kept
    assert shown(deployment, "level_content", ANSWERED, Status.EXECUTION_FAILED) == PIT_LEVELS - kept
    assert shown(deployment, "module_dossier", "every_level_is_current", Status.FAILED) == {"pit"}


def test_a_level_made_again_is_checked_again(deployment: Deployment, tmp_path: Path):
    path = write_module(tmp_path / "pit.pdf", PIT)
    deployment.convert(path)
    deployment.provider = CountingProvider("counted-2")
    deployment.convert(path)
    assert shown(deployment, "level_content", ANSWERED, Status.SUCCEEDED) == PIT_LEVELS


def test_checks_alone_run_on_what_is_stored_and_ask_nothing(deployment: Deployment, tmp_path: Path):
    deployment.convert(write_module(tmp_path / "pit.pdf", PIT))
    deployment.provider.take()
    level = sorted(PIT_LEVELS)[1]
    checks = dg.AssetSelection.checks(dg.AssetCheckKey(dg.AssetKey("level_content"), ANSWERED))
    definitions = dg.Definitions(
        assets=deployment.definitions().assets,
        asset_checks=deployment.definitions().asset_checks,
        jobs=[dg.define_asset_job("look", selection=checks)],
        resources=deployment.definitions().resources,
    )
    result = definitions.resolve_job_def("look").execute_in_process(
        run_config={"ops": {"level_content": {"config": {"keys": [level]}}}},
        instance=deployment.instance,
        raise_on_error=False,
    )
    assert result.success
    assert [(check.check_name, check.partition) for check in result.get_asset_check_evaluations()] == [
        (ANSWERED, level)
    ]
    assert deployment.provider.take() == []
