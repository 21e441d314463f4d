"""`estimate` and `cache`: what a person is told before anything is spent, and of what was."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from osrforge_assets import cli
from osrforge_assets.cache_command import parse_age
from osrforge_assets.modules.estimating import OUTPUT_TOKENS_PER_CHARACTER, plan_conversion
from osrforge_assets.settings import Settings
from osrforge_resources.budget import Budget
from osrforge_resources.chat_model import RawReply, StopReason
from osrforge_resources.failures import MisuseError
from osrforge_resources.prices import PriceTable
from osrforge_resources.response_cache import ResponseCache
from osrforge_resources.store import BlobKind, Store
from osrforge_resources.usage import Spending, TokenUsage
from tests.corpus import ABSENT, CORPUS
from tests.graph.module_pdfs import PIT, write_module

REPLY = RawReply("{}", StopReason.END, TokenUsage(1000, 100), "claude-sonnet-5-5")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("PROVIDER", "MODEL", "BASE_URL", "STORE"):
        monkeypatch.delenv(f"OSRFORGE_{name}", raising=False)
    monkeypatch.setenv("OSRFORGE_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def store(home: Path) -> Store:
    return Store(home / "store")


@pytest.fixture
def pit(tmp_path: Path) -> Path:
    return write_module(tmp_path / "pit.pdf", PIT)


def _run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli.main, list(map(str, arguments)))


@pytest.mark.usefixtures("home")
def test_an_estimate_counts_the_requests_that_a_conversion_makes(pit: Path):
    (report,) = json.loads(_run("estimate", "--json", pit).stdout)
    # The same five that converting this file asks.
    assert report["requests"] == {"survey": 1, "census": 1, "content": 3}
    assert (report["levels"], report["areas"], report["basis"]) == (3, 6, "offline_survey")
    models = {row["model"]: row for row in report["models"]}
    assert {"claude-opus-5-5", "gpt-5.4"} <= models.keys()
    assert all(row["calls"] == 5 and row["cost_usd"] > 0 for row in models.values())
    costs = [row["cost_usd"] for row in report["models"]]
    assert costs == sorted(costs)


@pytest.mark.usefixtures("home")
def test_an_estimate_is_the_price_of_its_tokens_and_half_of_the_content_as_a_batch(pit: Path):
    (report,) = json.loads(_run("estimate", "--json", pit, "--model", "claude-opus-5-5").stdout)
    (row,) = report["models"]
    usage = TokenUsage(row["input_tokens"], row["output_tokens"])
    assert row["cost_usd"] == pytest.approx(PriceTable().cost_usd("anthropic", "claude-opus-5-5", usage), abs=1e-5)
    assert row["cost_usd"] / 2 < row["batched_usd"] < row["cost_usd"]


def test_an_estimate_asks_no_provider_and_registers_no_module(pit: Path, home: Path, store: Store):
    assert _run("estimate", pit).exit_code == 0
    assert store.asset_partitions("module_source") == []
    assert not (home / "dagster").exists()
    assert ResponseCache(store).stats().entries == 0


@pytest.mark.usefixtures("home")
def test_the_table_cuts_no_model_s_name_and_says_what_it_rests_on(pit: Path):
    shown = _run("estimate", pit).stdout
    assert "claude-haiku-5-5" in shown
    assert "offline reader" in shown
    assert "gpt-5.4" in shown


@pytest.mark.usefixtures("home")
def test_a_model_that_nobody_prices_is_refused_unless_the_settings_do(pit: Path, monkeypatch: pytest.MonkeyPatch):
    refused = _run("estimate", pit, "--model", "nobody-sells-this")
    assert refused.exit_code == 1
    assert "estimate.model" in refused.stderr
    monkeypatch.setenv("OSRFORGE_PRICE_INPUT_USD", "1")
    (report,) = json.loads(_run("estimate", "--json", pit, "--model", "nobody-sells-this").stdout)
    assert report["models"][0]["cost_usd"] == pytest.approx(report["models"][0]["input_tokens"] / 1e6, abs=1e-6)


@pytest.mark.usefixtures("home")
def test_the_configured_model_is_estimated_at_its_own_price(pit: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OSRFORGE_PROVIDER", "openai-compatible")
    monkeypatch.setenv("OSRFORGE_MODEL", "gemma")
    monkeypatch.setenv("OSRFORGE_BASE_URL", "http://127.0.0.1:8080/v1")
    (report,) = json.loads(_run("estimate", "--json", pit).stdout)
    assert (report["models"][0]["model"], report["models"][0]["cost_usd"]) == ("gemma", 0.0)


@pytest.mark.usefixtures("home")
def test_an_estimate_of_what_is_no_pdf_is_one_line(tmp_path: Path):
    (tmp_path / "no.pdf").write_bytes(b"not a pdf")
    result = _run("estimate", tmp_path / "no.pdf")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "source.not_a_pdf" in result.stderr


@pytest.mark.skipif(not CORPUS.is_dir(), reason=ABSENT)
def test_output_tokens_are_those_that_were_recorded_for_this_module(tmp_path: Path):
    planned = plan_conversion(CORPUS / "modules" / "minimod.pdf", Store(tmp_path), Settings(home=tmp_path), pages=None)
    recorded = {}
    for path in (CORPUS / "recorded" / "minimod").glob("*.json"):
        document = json.loads(path.read_text(encoding="utf-8"))
        recorded[document["tag"].partition(".")[0]] = document["response"]["usage"]["output_tokens"]
    for request in planned.requests:
        # The ratios were measured here; a reader that says more or less than it did then needs them measured anew.
        assert request.output_tokens == pytest.approx(recorded[request.kind], rel=0.25)
    assert {request.kind for request in planned.requests} == OUTPUT_TOKENS_PER_CHARACTER.keys()


def test_cache_statistics_name_models_and_modules(store: Store):
    cache = ResponseCache(store)
    cache.put("a" * 64, REPLY, tag="survey", provider="anthropic", cost_usd=0.25)
    store.put_record(BlobKind.RESPONSE, "b" * 64, b"damaged")
    Budget(store).account("run", "crypt").charge(Spending(2, cost_usd=0.25))
    held = json.loads(_run("cache", "stats", "--json").stdout)
    assert (held["entries"], held["damaged"]) == (1, 1)
    assert held["models"][0] | {"tokens": None} == {
        "provider": "anthropic",
        "model": "claude-sonnet-5-5",
        "replies": 1,
        "tokens": None,
        "cost_usd": 0.25,
    }
    assert held["modules"] == [{"module": "crypt", "calls": 2, "unpriced_calls": 0, "spent_usd": 0.25}]
    shown = _run("cache", "stats").stdout
    assert "1 damaged" in shown
    assert "crypt" in shown


@pytest.mark.usefixtures("home")
def test_an_empty_cache_has_statistics_too():
    assert _run("cache", "stats").stdout.startswith("0 replies")
    assert json.loads(_run("cache", "clear", "--older-than", "0h", "--json").stdout) == {"deleted": 0}


def test_clearing_spares_what_is_young_enough(store: Store):
    cache = ResponseCache(store)
    cache.put("a" * 64, REPLY)
    assert _run("cache", "clear", "--older-than", "1h").stdout == "0 replies deleted.\n"
    assert _run("cache", "clear").exit_code == 2  # nothing that was paid for is deleted by a word too few
    assert cache.find("a" * 64) == REPLY
    assert _run("cache", "clear", "--older-than", "0h").stdout == "1 reply deleted.\n"
    assert cache.find("a" * 64) is None


@pytest.mark.parametrize("age", ["", "3", "d", "-1d", "3x", "1.5h", "999999d", "３d"])
def test_an_age_that_is_none_is_refused(age: str):
    with pytest.raises(MisuseError) as refused:
        parse_age(age)
    assert refused.value.code == "cache.age"


def test_ages_are_hours_days_and_weeks():
    assert [parse_age(age) for age in ("12h", "30d", "8w")] == [
        timedelta(hours=12),
        timedelta(days=30),
        timedelta(days=56),
    ]
    # Before the largest that can be written there still is a date.
    assert datetime.now(UTC) - parse_age("99999w")
