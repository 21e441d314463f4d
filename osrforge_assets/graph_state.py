"""The graph as the planner of `reconcile.py` looks at it: rules from the definitions, states from the event log."""

from collections.abc import Iterable, Mapping

import dagster as dg
from dagster._core.definitions.assets.graph.base_asset_graph import BaseAssetGraph, BaseAssetNode

from osrforge_assets.reconcile import AssetRule, Graph
from osrforge_resources.partition_log import PartitionLog


def asset_rules(graph: BaseAssetGraph) -> list[AssetRule]:
    """Return the rule of every asset with named partitions, an asset after its inputs.

    An edge between two partition sets carries lineage only (`partitions.LINEAGE_ONLY`) and makes nothing stale.
    """
    nodes: list[BaseAssetNode] = [graph.get(key) for key in graph.toposorted_asset_keys]
    return [
        AssetRule(
            asset=node.key.path[-1],
            partition_set=str(node.partitions_def.name),
            code_version=node.code_version,
            inputs=tuple(sorted(_same_partition(graph, node))),
            is_source=not node.is_executable,
        )
        for node in nodes
        if isinstance(node.partitions_def, dg.DynamicPartitionsDefinition)
    ]


def read_graph(rules: Iterable[AssetRule], instance: dg.DagsterInstance, log: PartitionLog) -> Graph:
    """Return the present state of every partition.

    Args:
        rules: The assets, from `asset_rules`.
        instance: The instance that holds the partition sets.
        log: Reads its events; keep it from look to look, so that only new events are read.
    """
    rules = list(rules)
    sets = sorted({rule.partition_set for rule in rules})
    # States before partitions: a level registered in between is missing once instead of being seen without its plan.
    states: Mapping = {rule.asset: log.states(rule.asset, is_source=rule.is_source) for rule in rules}
    return Graph(rules, {name: instance.get_dynamic_partitions(name) for name in sets}, states)


def _same_partition(graph: BaseAssetGraph, node: BaseAssetNode) -> Iterable[str]:
    for parent in node.parent_keys:
        mapping = graph.get_partition_mapping(node.key, parent)
        if not isinstance(mapping, dg.SpecificPartitionsPartitionMapping):
            yield parent.path[-1]
