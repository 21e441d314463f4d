"""The backfill of the command: what failed or is missing is made, within a budget, and what is finished stays."""

from pathlib import Path

from osrforge_assets.backfill import Backfill
from osrforge_assets.failure_ledger import failed_runs
from osrforge_assets.partition_status import partition_statuses
from osrforge_resources.failures import PermanentProviderError
from osrforge_resources.model_provider import ModelRequest, ModelResponse
from osrforge_resources.usage import Spending
from tests.graph.deployment import CountingProvider, Deployment
from tests.graph.module_pdfs import PIT, write_module

LEVELS = [f"pit--the-testing-pit--{number}" for number in PIT]


def test_a_failed_level_is_shown_as_failed_and_backfill_asks_only_for_it(deployment: Deployment, tmp_path: Path):
    deployment.provider.failing["content.the-testing-pit.2"] = PermanentProviderError("The service refused.")
    deployment.convert(write_module(tmp_path / "pit.pdf", PIT))
    backfill = Backfill(deployment.graph())
    said = partition_statuses(backfill.look(), deployment.store, deployment.settings, failed_runs(deployment.store))
    (failed,) = [entry for entry in said if entry.state != "fresh"]
    assert (failed.asset, failed.partition, failed.state) == ("level_content", LEVELS[1], "failed")
    assert failed.why == f"provider.permanent: {LEVELS[1]}: The service refused."
    assert failed.calls == 1

    deployment.provider.failing.clear()
    deployment.provider.take()
    done = Backfill(deployment.graph()).run()
    assert deployment.provider.take() == ["content.the-testing-pit.2.b01"]
    assert ("module_dossier", "pit") in done.made
    assert deployment.not_fresh() == {}


class Priced(CountingProvider):
    """A provider whose every call costs a dollar."""

    def generate(self, request: ModelRequest) -> ModelResponse:
        response = super().generate(request)
        return ModelResponse(response.data, response.usage, response.model_id, spending=Spending(calls=1, cost_usd=1.0))


def test_a_backfill_takes_up_what_its_limit_allows_and_names_what_is_left(deployment: Deployment, tmp_path: Path):
    deployment.provider = Priced()
    deployment.convert(write_module(tmp_path / "pit.pdf", PIT))
    # Everything is stale with another provider: a survey of two calls, and three levels of one.
    deployment.provider = Priced("counted-2")
    done = Backfill(deployment.graph()).run(max_cost_usd=4.0)
    assert done.costs.cost_usd == 4.0
    assert [asset for asset, _ in done.made if asset in {"survey_index", "level_content"}] == [
        *("survey_index", "level_content", "level_content")
    ]
    assert [asset for asset, _ in done.left] == ["level_content"]
    assert Backfill(deployment.graph()).run().costs.cost_usd == 1.0
    assert deployment.not_fresh() == {}


def test_levels_of_a_backfill_are_one_run(deployment: Deployment, tmp_path: Path):
    path = write_module(tmp_path / "pit.pdf", PIT)
    deployment.convert(path)
    deployment.provider = CountingProvider("counted-2")
    runs: list[tuple[str, ...]] = []
    Backfill(deployment.graph(), lambda work: runs.append(work.partitions)).run()
    assert tuple(LEVELS) in runs
