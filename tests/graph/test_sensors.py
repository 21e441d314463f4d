"""The reconcile sensor, tick by tick on a real instance, without a daemon."""

import json
from pathlib import Path

import dagster as dg
from dagster._core.definitions.partitions.context import partition_loading_context

from osrforge_assets.grants import grant
from osrforge_assets.graph_state import asset_rules, read_graph
from osrforge_assets.reconcile import find_needs
from osrforge_assets.registering import Registry
from osrforge_assets.settings import Settings
from osrforge_resources.partition_log import PartitionLog
from tests.graph.deployment import Deployment
from tests.graph.module_pdfs import PIT, write_module

LEVELS = [f"pit--the-testing-pit--{number}" for number in (1, 2, 3)]


class Ticks:
    """Evaluates the sensor as the daemon would, and keeps its cursor."""

    def __init__(self, deployment: Deployment) -> None:
        self._deployment = deployment
        self._repository = deployment.definitions().get_repository_def()
        self._sensor = self._repository.get_sensor_def("reconcile")
        self.cursor: str | None = None

    def tick(self) -> list[dg.RunRequest]:
        with (
            dg.build_sensor_context(
                instance=self._deployment.instance,
                cursor=self.cursor,
                repository_def=self._repository,
                resources={"store": self._deployment.store, "settings": self._deployment.settings},
            ) as context,
            partition_loading_context(dynamic_partitions_store=self._deployment.instance),
        ):
            result = self._sensor.evaluate_tick(context)
        self.cursor = result.cursor
        return list(result.run_requests or ())

    def tried(self) -> dict[str, int]:
        return {key: count for key, (_, count) in json.loads(self.cursor or "{}").get("tried", {}).items()}

    def open(self, request: dg.RunRequest, status: dg.DagsterRunStatus = dg.DagsterRunStatus.STARTED) -> dg.DagsterRun:
        """Store a run of this request as the daemon would, without running it."""
        run = dg.DagsterRun(
            job_name=request.job_name or "",
            run_config=request.run_config,
            tags={**request.tags, "dagster/partition": request.partition_key or ""},
            asset_selection=frozenset(key for key in request.asset_selection or () if isinstance(key, dg.AssetKey)),
            status=status,
        )
        return self._deployment.instance.add_run(run)


def _jobs(requests: list[dg.RunRequest]) -> list[tuple[str | None, str | None]]:
    return [(request.job_name, request.partition_key) for request in requests]


def _without_levels(deployment: Deployment, tmp_path: Path) -> None:
    """Convert a module and change the provider's answers, so that everything paid is stale."""
    deployment.convert(write_module(tmp_path / "pit.pdf", PIT))
    deployment.provider.answers_version = "counted-2"


def test_a_tick_asks_once_and_the_next_one_waits_for_the_run(deployment: Deployment, tmp_path: Path):
    Registry(deployment.instance, deployment.store, deployment.settings).module(
        write_module(tmp_path / "pit.pdf", {1: PIT[1]})
    )
    ticks = Ticks(deployment)
    requests = ticks.tick()
    assert _jobs(requests) == [("survey_modules", "pit")]
    ticks.open(requests[0])
    assert ticks.tick() == []
    assert ticks.tried() == {"page_renders|pit": 1, "survey_index|pit": 1}


def test_a_failed_run_is_asked_for_three_times_with_another_key_each_time(deployment: Deployment, tmp_path: Path):
    _without_levels(deployment, tmp_path)
    ticks = Ticks(deployment)
    surveys, others = [], []
    for _ in range(5):
        for request in ticks.tick():
            (surveys if request.job_name == "survey_modules" else others).append(request)
            ticks.open(request, dg.DagsterRunStatus.FAILURE)
    assert len({request.run_key for request in surveys}) == len(surveys) == 3
    # Levels wait until the survey is given up, and go on then by the plans that they have.
    assert {request.job_name for request in others} == {"rerun_levels"}


def test_what_a_person_cancelled_is_not_launched_again(deployment: Deployment, tmp_path: Path):
    _without_levels(deployment, tmp_path)
    ticks = Ticks(deployment)
    (request,) = ticks.tick()
    run = ticks.open(request)
    ticks.tick()
    deployment.instance.report_run_canceled(run)
    assert ("survey_modules", "pit") not in _jobs(ticks.tick())
    assert ticks.tried()["survey_index|pit"] == 3


def test_a_paid_provider_is_asked_only_for_what_was_granted(deployment: Deployment, tmp_path: Path):
    _without_levels(deployment, tmp_path)
    deployment.settings = Settings(home=deployment.home, provider="anthropic")
    ticks = Ticks(deployment)
    assert [job for job, _ in _jobs(ticks.tick()) if job in {"survey_modules", "rerun_levels"}] == []
    rules = asset_rules(deployment.definitions().resolve_asset_graph())
    graph = read_graph(rules, deployment.instance, PartitionLog(deployment.instance))
    needs = [need for need in find_needs(graph) if need.asset == "survey_index"]
    grant(deployment.store, needs, graph, night="2026-01-01", max_cost_usd=1.0)
    assert _jobs(ticks.tick()) == [("survey_modules", "pit")]


def test_a_tick_that_is_evaluated_again_after_a_crash_asks_for_the_same_runs(deployment: Deployment, tmp_path: Path):
    _without_levels(deployment, tmp_path)
    ticks = Ticks(deployment)
    ticks.cursor = '{"serial": 5, "tried": {}}'
    first = [request.run_key for request in ticks.tick()]
    ticks.cursor = '{"serial": 5, "tried": {}}'
    assert [request.run_key for request in ticks.tick()] == first
