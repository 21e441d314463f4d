"""The planner's view of the graph says what Dagster says, at a fraction of its price."""

from pathlib import Path

from osrforge_assets.graph_state import asset_rules, read_graph
from osrforge_assets.reconcile import CHAINS, find_needs
from osrforge_assets.registering import Registry
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
    # Dagster's pointers to inputs name the newest event of any partition: a second module is in the way of the first.
    other = write_module(tmp_path / "vault.pdf", {1: PIT[3]}, title="The Other Vault")
    deployment.convert(path)
    deployment.convert(other)
    assert _needs(deployment, log) == deployment.not_fresh() == {}

    deployment.provider = CountingProvider("counted-2")
    assert _needs(deployment, log) == deployment.not_fresh() != {}
    deployment.provider.failing["content.the-testing-pit.2"] = PermanentProviderError("The service refused.")
    deployment.convert(other)
    deployment.convert(path)
    assert _needs(deployment, log) == deployment.not_fresh() == {"level_content": ["pit--the-testing-pit--2"]}

    deployment.provider.failing.clear()
    deployment.convert(write_module(tmp_path / "pit.pdf", {1: PIT[1], 3: PIT[2]}))
    assert _needs(deployment, log) == deployment.not_fresh() == {}

    deployment.convert(write_module(tmp_path / "vault.pdf", {1: PIT[2]}, title="The Other Vault"))
    deployment.settings = Settings(home=deployment.home, batch_pages=2)
    assert _needs(deployment, log) == deployment.not_fresh() != {}


def test_modules_that_are_made_in_turns_are_not_in_each_others_way(deployment: Deployment, tmp_path: Path):
    """Both are registered before either is read: the pointer of the first then names the second's event."""
    registry = Registry(deployment.instance, deployment.store, deployment.settings)
    paths = [
        write_module(tmp_path / "pit.pdf", {1: PIT[1]}),
        write_module(tmp_path / "vault.pdf", {1: PIT[3]}, title="The Other Vault"),
    ]
    for path in paths:
        registry.module(path)
    for path in paths:
        deployment.convert(path)
    log = PartitionLog(deployment.instance)
    assert _needs(deployment, log) == deployment.not_fresh() == {}
    write_module(paths[0], {1: PIT[2]})
    registry.module(paths[0])
    assert _needs(deployment, log) == deployment.not_fresh() == {"page_renders": ["pit"]}


def test_a_fresh_reader_sees_what_one_saw_that_watched_all_along(deployment: Deployment, tmp_path: Path):
    log = PartitionLog(deployment.instance)
    deployment.convert(write_module(tmp_path / "pit.pdf", PIT))
    rules = asset_rules(deployment.definitions().resolve_asset_graph())
    read_graph(rules, deployment.instance, log)
    deployment.convert(write_module(tmp_path / "pit.pdf", {1: PIT[2], 2: PIT[1]}))
    assert read_graph(rules, deployment.instance, log) == read_graph(
        rules, deployment.instance, PartitionLog(deployment.instance)
    )
