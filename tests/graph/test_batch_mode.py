"""`batch` in a run's config: all levels' requests as one message batch, then levels from the cache."""

import json
from pathlib import Path
from typing import Any

import dagster as dg
import httpx2

from osrforge_assets.contracts.dossier import Dossier
from osrforge_assets.definitions import build_defs
from osrforge_assets.modules.levels.prompt import CONTENT_RULES
from osrforge_assets.modules.survey.prompt import SURVEY_RULES
from osrforge_resources.in_flight import InFlight
from osrforge_resources.io_manager import find_document
from osrforge_resources.model_provider import ModelRequest, TextPart
from osrforge_resources.offline.provider import OfflineProvider
from osrforge_resources.prices import PriceTable
from osrforge_resources.response_cache import ResponseCache
from osrforge_resources.structured_provider import StructuredProvider
from tests.graph.deployment import Deployment
from tests.graph.module_pdfs import PIT, write_module
from tests.resources.fake_services import ANTHROPIC, anthropic_message
from tests.resources.test_message_batches import BatchServer

PIT_LEVELS = ["pit--the-testing-pit--1", "pit--the-testing-pit--2", "pit--the-testing-pit--3"]


def _read(parameters: dict[str, Any]) -> str:
    """Answer what came over the wire as the offline reader does."""
    system = parameters["system"][0]["text"]
    tag = {CONTENT_RULES: "content", SURVEY_RULES: "survey"}.get(system, "census")
    texts = [block["text"] for block in parameters["messages"][0]["content"] if block["type"] == "text"]
    request = ModelRequest(tag, system, tuple(map(TextPart, texts)), {})
    return json.dumps(OfflineProvider().generate(request).data)


class ReadingServer(BatchServer):
    """A batch server that reads what it is sent."""

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        if request.url.path == "/v1/messages":
            self.asked += 1
            return httpx2.Response(200, json=anthropic_message(_read(json.loads(request.content))))
        return super().__call__(request)

    def _results(self, name: str) -> httpx2.Response:
        lines = [
            json.dumps(
                {
                    "custom_id": item["custom_id"],
                    "result": {"type": "succeeded", "message": anthropic_message(_read(item["params"]))},
                }
            )
            for item in self.batches[name]
        ]
        return httpx2.Response(200, content="\n".join(lines))


def _provider(deployment: Deployment, server: ReadingServer) -> StructuredProvider:
    return StructuredProvider(
        ANTHROPIC.model(server, max_tokens=20_000),  # pyright: ignore[reportArgumentType]
        cache=ResponseCache(deployment.store),
        limiter=InFlight(requests=4, tokens=1_000_000),
        prices=PriceTable(),
    )


def _make_levels(definitions: dg.Definitions, deployment: Deployment, **config: Any) -> dg.ExecuteInProcessResult:
    return definitions.resolve_implicit_global_asset_job_def().execute_in_process(
        run_config={"ops": {"level_content": {"config": {"keys": PIT_LEVELS, **config}}}},
        instance=deployment.instance,
        partition_key=PIT_LEVELS[0],
        asset_selection=[dg.AssetKey("level_content")],
        raise_on_error=False,
    )


def test_a_backfill_goes_out_as_one_batch_and_its_levels_cost_nothing_more(deployment: Deployment, tmp_path: Path):
    deployment.convert(write_module(tmp_path / "pit.pdf", PIT))
    server = ReadingServer()
    provider = _provider(deployment, server)
    definitions = build_defs(
        settings=deployment.settings, resources={"store": deployment.store, "model_provider": provider}
    )
    result = _make_levels(definitions, deployment, batch=True)
    assert result.success
    assert [len(items) for items in server.batches.values()] == [3]
    assert server.asked == 0
    events = [event for event in result.all_events if event.event_type == dg.DagsterEventType.ASSET_MATERIALIZATION]
    costs = [
        event.step_materialization_data.materialization.metadata["llm/cost_usd"].value
        for event in events
        if event.asset_key == dg.AssetKey("level_content")
    ]
    assert len(costs) == 3
    assert all(isinstance(cost, float) and cost > 0 for cost in costs)
    assert _make_levels(definitions, deployment, batch=True).success
    assert (len(server.batches), server.asked) == (1, 0)


def test_a_second_conversion_of_the_same_module_makes_no_call(deployment: Deployment, tmp_path: Path):
    server = ReadingServer()
    deployment.provider = _provider(deployment, server)  # type: ignore[assignment]
    path = write_module(tmp_path / "pit.pdf", PIT)
    first = deployment.convert(path)
    assert first.error is None
    assert (server.asked, first.costs.calls) == (5, 5)
    assert deployment.convert(path).costs.calls == 0
    assert server.asked == 5
    dossier = find_document(deployment.store, "module_dossier", "pit", Dossier)
    assert dossier is not None


def test_a_provider_without_batches_fails_before_any_level_is_asked(deployment: Deployment, tmp_path: Path):
    deployment.convert(write_module(tmp_path / "pit.pdf", PIT))
    deployment.provider.take()
    result = _make_levels(deployment.definitions(), deployment, batch=True)
    assert not result.success
    [failure] = [event for event in result.all_events if event.is_step_failure]
    data = failure.step_failure_data.user_failure_data
    assert data is not None
    assert data.metadata["code"].value == "provider.no_batches"
    assert deployment.provider.take() == []
