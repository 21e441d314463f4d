"""The planner's view of the graph says what Dagster says, at a fraction of its price."""

from pathlib import Path

from osrforge_assets.graph_state import asset_rules, read_graph
from osrforge_assets.reconcile import CHAINS, find_needs
from osrforge_assets.settings import Settings
from osrforge_resources.failures import PermanentProviderError
from osrforge_resources.partition_log import PartitionLog
from tests.graph.deployment import CountingProvider, Deployment
from tests.graph.module_pdfs import PIT, write_module


def _needs(deployment: Deployment, log: PartitionLog | None = None) -> dict[str, list[str]]:
    rules = asset_rules(deployment.definitions().resolve_asset_graph())
    graph = read_graph(rules, deployment.instance, log or PartitionLog(deployment.instance))
    found: dict[str, list[str]] = {}
    for need in find_needs(graph):
        found.setdefault(need.asset, []).append(need.partition)
    return found


def test_every_asset_with_partitions_of_its_own_is_made_by_some_run(deployment: Deployment):
    made = {asset for assets in CHAINS.values() for asset in assets}
    rules = asset_rules(deployment.definitions().resolve_asset_graph())
    assert {rule.asset for rule in rules if not rule.is_source} == made


def test_the_view_agrees_with_dagster_after_every_kind_of_change(deployment: Deployment, tmp_path: Path):
    log = PartitionLog(deployment.instance)
    path = write_module(tmp_path / "pit.pdf", PIT)
    deployment.convert(path)
    assert _needs(deployment, log) == deployment.not_fresh() == {}

    deployment.provider = CountingProvider("counted-2")
    assert _needs(deployment, log) == deployment.not_fresh() != {}
    deployment.provider.failing["content.the-testing-pit.2"] = PermanentProviderError("The service refused.")
    deployment.convert(path)
    assert _needs(deployment, log) == deployment.not_fresh() == {"level_content": ["pit--the-testing-pit--2"]}

    deployment.provider.failing.clear()
    deployment.convert(write_module(tmp_path / "pit.pdf", {1: PIT[1], 3: PIT[2]}))
    assert _needs(deployment, log) == deployment.not_fresh() == {}

    deployment.settings = Settings(home=deployment.home, batch_pages=2)
    assert _needs(deployment, log) == deployment.not_fresh() != {}


def test_a_fresh_reader_sees_what_one_saw_that_watched_all_along(deployment: Deployment, tmp_path: Path):
    log = PartitionLog(deployment.instance)
    deployment.convert(write_module(tmp_path / "pit.pdf", PIT))
    rules = asset_rules(deployment.definitions().resolve_asset_graph())
    read_graph(rules, deployment.instance, log)
    deployment.convert(write_module(tmp_path / "pit.pdf", {1: PIT[2], 2: PIT[1]}))
    assert read_graph(rules, deployment.instance, log) == read_graph(
        rules, deployment.instance, PartitionLog(deployment.instance)
    )
