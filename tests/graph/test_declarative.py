"""Why the reconcile sensor launches runs and Dagster's declarative automation does not: what the latter sees and loses.

The condition is the one that asks for exactly the right partitions otherwise; docs/automation.md draws the conclusion.
"""

from pathlib import Path

import dagster as dg

from osrforge_assets.graph_state import asset_rules, read_graph
from osrforge_assets.reconcile import find_needs
from osrforge_resources.asset_events import input_state, materialization
from osrforge_resources.partition_log import PartitionLog
from tests.graph.deployment import Deployment
from tests.graph.module_pdfs import PIT, write_module

LEVEL = "pit--the-testing-pit--2"
CONDITION = (
    (
        dg.AutomationCondition.newly_missing()
        | dg.AutomationCondition.code_version_changed()
        | dg.AutomationCondition.any_deps_match(dg.AutomationCondition.data_version_changed())
    ).since_last_handled()  # pyright: ignore[reportAttributeAccessIssue]  # its own annotations do not fit each other
    & ~dg.AutomationCondition.any_deps_missing()
    & ~dg.AutomationCondition.any_deps_in_progress()
    & ~dg.AutomationCondition.in_progress()
)


class Watcher:
    """The graph with the condition on its paid level, evaluated tick by tick as the daemon does."""

    def __init__(self, deployment: Deployment) -> None:
        self._deployment = deployment
        definitions = deployment.definitions().map_resolved_asset_specs(
            selection="level_content", func=lambda spec: spec.replace_attributes(automation_condition=CONDITION)
        )
        self._definitions = definitions
        self._rules = asset_rules(definitions.resolve_asset_graph())
        self._versions = {rule.asset: rule.code_version or "" for rule in self._rules}
        self._cursor = None

    def tick(self) -> set[str | None]:
        result = dg.evaluate_automation_conditions(
            self._definitions, self._deployment.instance, cursor=self._cursor, asset_selection=dg.AssetSelection.all()
        )
        self._cursor = result.cursor
        return set(result.get_requested_partitions(dg.AssetKey("level_content")))

    def plan(self, version: str) -> None:
        event = materialization("level_plan", LEVEL, data_version=version, code_version=self._versions["level_plan"])
        self._deployment.instance.report_runless_asset_event(event)

    def content(self) -> None:
        """Report content that was made from the plan as it is now."""
        state = input_state(self._deployment.instance, "level_plan", LEVEL)
        self._report(state.version or "", [state])

    def _report(self, version: str, inputs: list) -> None:
        event = materialization(
            *("level_content", LEVEL),
            data_version=version,
            code_version=self._versions["level_content"],
            inputs=inputs,
        )
        self._deployment.instance.report_runless_asset_event(event)

    def wanted(self) -> set[str]:
        """Return the levels that the planner of the reconcile sensor wants."""
        graph = read_graph(self._rules, self._deployment.instance, PartitionLog(self._deployment.instance))
        return {need.partition for need in find_needs(graph) if need.asset == "level_content"}


def test_the_condition_asks_for_a_changed_level_and_loses_an_update_that_comes_with_the_content(
    deployment: Deployment, tmp_path: Path
):
    deployment.convert(write_module(tmp_path / "pit.pdf", PIT))
    watcher = Watcher(deployment)
    watcher.tick()
    assert watcher.tick() == set()

    watcher.plan("2")
    assert watcher.tick() == {LEVEL} == watcher.wanted()
    watcher.content()
    assert watcher.tick() == set() == watcher.wanted()

    # A run that began before the plan changed ends after it, between two ticks: its content answers the older plan.
    before = input_state(deployment.instance, "level_plan", LEVEL)
    watcher.plan("3")
    watcher._report("2", [before])
    assert watcher.tick() == set()
    assert watcher.tick() == set()
    assert watcher.wanted() == {LEVEL}
