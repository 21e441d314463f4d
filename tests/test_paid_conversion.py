"""The command against a paid service: what is paid for once is not paid for again, whatever stops it; no key leaves it."""

import json
import os
import shutil
import subprocess
import sys
import threading
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from pydantic import SecretStr

from osrforge_assets import cli
from osrforge_assets.cli_report import as_json
from osrforge_assets.command_graph import CommandGraph
from osrforge_assets.conversion import Converter
from osrforge_assets.definitions import build_defs
from osrforge_assets.instance import open_instance
from osrforge_assets.modules.survey.prompt import SURVEY_RULES
from osrforge_assets.settings import Settings
from osrforge_resources.failures import ProviderError
from osrforge_resources.model_provider import ModelRequest
from osrforge_resources.providers import make_provider
from osrforge_resources.store import Store
from tests.graph.deployment import Deployment
from tests.graph.module_pdfs import PIT, write_module
from tests.messages_server import MessagesServer, message

# Planted: they must turn up nowhere but in a request's header, the first one there.
KEY = "sk-ant-api03-PLANTED-by-a-test-7xW2mN9vK4Zq"
OTHER_KEY = "sk-ant-api03-PLANTED-elsewhere-Qr8sT3uV6yB1"
# 1000 input and 100 output tokens a call at these prices.
CALL_USD = 0.003 + 0.0015


@pytest.fixture
def home(new_home: Path, tmp_path: Path) -> Path:
    return shutil.copytree(new_home, tmp_path / "home")


@pytest.fixture
def deployment(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Deployment]:
    monkeypatch.setenv("DAGSTER_HOME", "")
    with open_instance(home) as instance:
        yield Deployment(home, instance)


@pytest.fixture
def pit(tmp_path: Path) -> Path:
    return write_module(tmp_path / "pit.pdf", PIT)


@pytest.fixture
def server() -> Iterator[MessagesServer]:
    with MessagesServer() as server:
        yield server


def _start(*arguments: str | Path, home: Path, server: MessagesServer, **environment: str) -> subprocess.Popen[str]:
    variables = {name: value for name, value in os.environ.items() if not name.startswith(("OSRFORGE_", "DAGSTER_"))}
    ours = {
        "OSRFORGE_HOME": str(home),
        "OSRFORGE_PROVIDER": "anthropic",
        "OSRFORGE_BASE_URL": server.url,
        "OSRFORGE_API_KEY": KEY,
        "ANTHROPIC_API_KEY": OTHER_KEY,
        "OSRFORGE_PRICE_INPUT_USD": "3",
        "OSRFORGE_PRICE_OUTPUT_USD": "15",
    }
    command = [Path(sys.executable).parent / "osrforge-assets", *map(str, arguments)]
    return subprocess.Popen(
        command,
        env={**variables, **ours, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )


def _run(*arguments: str | Path, home: Path, server: MessagesServer, **environment: str) -> tuple[str, str]:
    return _start(*arguments, home=home, server=server, **environment).communicate(timeout=200)


def _convert(pit: Path, **where: Any) -> dict[str, Any]:
    output, errors = _run("convert", "--json", pit, **where)
    assert output, errors
    return json.loads(output)[0]


def _convert_here(path: Path, deployment: Deployment, server: MessagesServer, **named: Any) -> dict[str, Any]:
    """Convert in this process, as the command does."""
    given = {
        "provider": "anthropic",
        "price_input_usd": 3.0,
        "price_output_usd": 15.0,
        "base_url": server.url,
        "api_key": SecretStr(KEY),
        **named,
    }
    settings = Settings(home=deployment.home, **given)
    definitions = build_defs(settings=settings, resources={"store": deployment.store})
    graph = CommandGraph(definitions, deployment.instance, deployment.store, settings)
    return as_json(Converter(graph).convert(path))


def _files_with(text: str, folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and text.encode("utf-8") in path.read_bytes()]


def test_a_second_conversion_makes_no_call_and_the_first_is_priced(
    pit: Path, deployment: Deployment, server: MessagesServer, monkeypatch: pytest.MonkeyPatch
):
    first = _convert_here(pit, deployment, server)
    assert first["status"] == "converted"
    assert sorted(server.asked) == ["census", "content", "content", "content", "survey"]
    assert (first["calls"], first["cache_hits"]) == (5, 0)
    assert first["cost_usd"] == pytest.approx(5 * CALL_USD)
    assert first["tokens"] == {"input": 5000, "cached_input": 0, "cache_write": 0, "output": 500}
    second = _convert_here(pit, deployment, server)
    assert (second["status"], second["calls"], second["cost_usd"]) == ("converted", 0, 0.0)
    assert len(server.asked) == 5
    monkeypatch.setenv("OSRFORGE_HOME", str(deployment.home))
    held = json.loads(CliRunner().invoke(cli.main, ["cache", "stats", "--json"]).output)
    assert (held["entries"], held["damaged"], held["models"][0]["replies"]) == (5, 0, 5)
    assert held["modules"] == [
        {"module": "pit", "calls": 5, "unpriced_calls": 0, "spent_usd": pytest.approx(5 * CALL_USD)}
    ]


def test_answers_that_are_kept_make_a_lost_result_again_without_a_call(
    pit: Path, deployment: Deployment, server: MessagesServer
):
    _convert_here(pit, deployment, server)
    for path in (deployment.home / "store" / "assets" / "level_content").iterdir():
        path.unlink()
    again = _convert_here(pit, deployment, server)
    assert (again["status"], again["calls"], again["cache_hits"]) == ("converted", 0, 3)


def test_a_conversion_that_is_killed_between_answer_and_result_pays_for_that_answer_once(pit: Path, home: Path):
    reached, ended = threading.Event(), threading.Event()

    def hang(kind: str, _: dict[str, Any]) -> None:
        if kind == "census":
            reached.set()
            ended.wait(60)

    with MessagesServer(fault=hang) as server:
        process = _start("convert", "--json", pit, home=home, server=server)
        assert reached.wait(120)
        process.kill()
        process.communicate()
        ended.set()
        assert server.asked == ["survey", "census"]
        server.fault = lambda _kind, _body: None
        server.asked.clear()
        again = _convert(pit, home=home, server=server)
        assert again["status"] == "converted"
        assert "survey" not in server.asked
        assert (again["calls"], again["cache_hits"]) == (4, 1)


def test_recorded_answers_convert_the_module_again_without_a_service(
    pit: Path, deployment: Deployment, server: MessagesServer, tmp_path: Path
):
    recordings = tmp_path / "recordings"
    first = _convert_here(pit, deployment, server, recordings=recordings)
    assert len(list(recordings.iterdir())) == 5
    areas = Path(first["dossier"]).read_bytes()
    replayed = _convert_here(pit, deployment, server, provider="fixtures", recordings=recordings)
    assert (replayed["status"], replayed["calls"], replayed["cache_hits"]) == ("converted", 0, 0)
    assert len(server.asked) == 5
    assert Path(replayed["dossier"]).read_bytes() == areas


def test_a_ceiling_stops_new_calls_and_the_raised_one_goes_on_where_it_stopped(
    pit: Path, deployment: Deployment, server: MessagesServer
):
    server.input_tokens, call = 10_000, 0.03 + 0.0015
    limits = {"max_tokens": 256, "requests_in_flight": 1}
    # The largest request, the survey, may cost 0.045 and a content request 0.019: there is room for three answers.
    stopped = _convert_here(pit, deployment, server, budget_run_usd=0.1, **limits)
    assert stopped["error"]["code"] == "budget.reached"
    assert "OSRFORGE_BUDGET_RUN_USD" in stopped["error"]["remedy"]
    assert (stopped["calls"], len(server.asked)) == (3, 3)
    assert stopped["cost_usd"] == pytest.approx(3 * call)
    assert stopped["counts"]["answered"] > 0
    by_module = _convert_here(pit, deployment, server, budget_module_usd=0.1, **limits)
    assert "OSRFORGE_BUDGET_MODULE_USD" in by_module["error"]["remedy"]
    assert len(server.asked) == 3
    done = _convert_here(pit, deployment, server, **limits)
    assert (done["status"], done["calls"], len(server.asked)) == ("converted", 2, 5)


def test_a_model_without_a_price_is_not_asked_under_a_ceiling(
    pit: Path, deployment: Deployment, server: MessagesServer
):
    elsewhere = {"base_url": server.url.replace("127.0.0.1", "0.0.0.0"), "model": "nobody-sells-this"}
    unpriced = {"price_input_usd": None, "price_output_usd": None}
    result = _convert_here(pit, deployment, server, budget_run_usd=5.0, **elsewhere, **unpriced)
    assert result["error"]["code"] == "budget.no_price"
    assert (result["calls"], server.asked) == (0, [])


def test_calls_of_a_level_that_failed_are_counted(pit: Path, deployment: Deployment, server: MessagesServer):
    refused: list[str] = []

    def nonsense(kind: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]] | None:
        lead = json.dumps(body["messages"][0])
        if kind == "content" and (not refused or lead == refused[0]):
            refused[:] = [lead]
            return 200, message("no JSON")
        return None

    server.fault = nonsense
    result = _convert_here(pit, deployment, server)
    assert result["error"]["code"] == "provider.schema"
    # Three replies to the refused level's request; the others are made.
    assert len(server.asked) == 7
    assert result["calls"] == 7
    assert result["cost_usd"] == pytest.approx(7 * CALL_USD)


def test_calls_before_a_retry_are_counted(pit: Path, deployment: Deployment, server: MessagesServer):
    busy: list[str] = []

    def once(kind: str, _: dict[str, Any]) -> tuple[int, dict[str, Any]] | None:
        # The SDK repeats a busy answer twice by itself; the fourth request is the step's own second attempt.
        if kind == "census" and len(busy) < 3:
            busy.append(kind)
            return 529, {"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}
        return None

    server.fault = once
    result = _convert_here(pit, deployment, server)
    assert result["status"] == "converted"
    # The survey's answer was paid in the first attempt and found in the second.
    assert (result["calls"], result["cache_hits"]) == (6, 1)
    assert result["cost_usd"] == pytest.approx(5 * CALL_USD)


def test_no_key_is_in_anything_that_is_written_or_said(pit: Path, home: Path, server: MessagesServer, tmp_path: Path):
    error = {"type": "error", "error": {"type": "authentication_error", "message": f"invalid key {KEY} ({KEY[:20]}…)"}}

    def refuse(kind: str, _: dict[str, Any]) -> tuple[int, dict[str, Any]] | None:
        return (401, error) if kind == "content" else None

    recordings = {"OSRFORGE_RECORDINGS": str(tmp_path / "recordings")}
    server.fault = refuse
    said = [*_run("convert", "--json", pit, home=home, server=server, **recordings)]
    assert "provider.key_refused" in said[0]
    server.fault = lambda _kind, _body: None
    said += _run("convert", pit, home=home, server=server, **recordings)
    assert server.keys == {KEY}
    assert list((tmp_path / "recordings").iterdir())
    assert _files_with("The Testing Pit", tmp_path)  # the search finds what is there
    for secret in (KEY, OTHER_KEY, KEY[:20]):
        assert _files_with(secret, tmp_path) == []
        assert not any(secret in text for text in said)


def test_no_key_is_in_a_failure_its_traceback_or_the_settings(server: MessagesServer, tmp_path: Path):
    server.fault = lambda _kind, _body: (403, {"type": "error", "error": {"type": "x", "message": f"not with {KEY}"}})
    settings = Settings(home=tmp_path, provider="anthropic", base_url=server.url, api_key=SecretStr(KEY))
    provider = make_provider(settings, Store(tmp_path / "store"))
    with pytest.raises(ProviderError) as refused:
        provider.generate(ModelRequest("survey", SURVEY_RULES, (), {"type": "object"}))
    shown = "".join(traceback.format_exception(refused.value)) + repr(refused.value) + str(refused.value.__dict__)
    for text in (shown, repr(settings), str(settings), settings.model_dump_json(), repr(provider), str(vars(provider))):
        assert KEY not in text
