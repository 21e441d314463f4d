"""`status`, `rerun`, `backfill`, `retire`: the command on the instance that the UI shows."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from osrforge_assets.cli import main
from osrforge_assets.contracts.automation import FailedRun
from osrforge_assets.failure_ledger import note_failed_runs
from osrforge_assets.partition_status import partition_statuses
from osrforge_assets.reconcile import AssetRule, Graph
from osrforge_assets.settings import Settings
from osrforge_resources.partition_log import PartitionState
from osrforge_resources.store import Store
from tests.graph.module_pdfs import PIT, write_module

LEVELS = [f"pit--the-testing-pit--{number}" for number in PIT]


@pytest.fixture(scope="module")
def converted(new_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with one converted module, by the command."""
    folder = tmp_path_factory.mktemp("commands")
    home = shutil.copytree(new_home, folder / "home")
    path = write_module(folder / "pit.pdf", PIT)
    assert _run(home, "convert", "--quiet", str(path)).exit_code == 0
    return home


@pytest.fixture
def home(converted: Path, tmp_path: Path) -> Path:
    return shutil.copytree(converted, tmp_path / "home")


def _run(home: Path, *arguments: str, **environment: str) -> Result:
    # An empty DAGSTER_HOME is none, and the command sets its own.
    settings = {"OSRFORGE_HOME": str(home), "DAGSTER_HOME": "", "COLUMNS": "200", **environment}
    return CliRunner().invoke(main, arguments, env=settings)


def _json(result: Result) -> Any:
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_status_of_a_fresh_home_asks_nothing_and_says_so(home: Path):
    said = _json(_run(home, "status", "--json"))
    assert said["expected"] == {"calls": 0, "cost_usd": 0.0, "calls_unknown": 0, "cost_unknown": 0}
    assert said["counts"]["level_content"] == {"fresh": 3, "stale": 0, "missing": 0, "failed": 0}
    assert {entry["state"] for entry in said["partitions"]} == {"fresh"}


def test_status_names_what_is_stale_why_and_what_it_takes_and_rerun_makes_it(home: Path):
    changed = {"OSRFORGE_CENSUS_PAGES": "3"}
    said = _json(_run(home, "status", "--json", **changed))
    (stale,) = [entry for entry in said["partitions"] if entry["state"] != "fresh"]
    assert (stale["asset"], stale["partition"], stale["state"]) == ("survey_index", "pit", "stale")
    assert stale["why"] == "rules, schema, settings or provider changed"
    # The offline reader surveys the four pages at once; the census in windows of three takes two requests.
    assert (stale["calls"], stale["cost_usd"]) == (3, 0.0)
    shown = _run(home, "status", **changed).stdout
    assert "survey_index" in shown
    assert "about $0.00" in shown

    done = _json(_run(home, "rerun", "--stale", "--max-cost", "1", "--json", **changed))
    assert {"asset": "survey_index", "partition": "pit"} in done["made"]
    assert (done["calls"], done["failed"], done["left"]) == (3, [], [])


def test_a_named_level_is_asked_again_alone_and_its_dossier_stays_whole(home: Path):
    done = _json(_run(home, "rerun", "--level", LEVELS[1], "--json"))
    assert done["calls"] == 1
    assert {entry["partition"] for entry in done["made"]} == {LEVELS[1]}
    assert _json(_run(home, "status", "--json"))["counts"]["module_dossier"]["fresh"] == 1


def test_a_retired_module_is_named_and_converting_it_again_is_free(home: Path, converted: Path):
    (gone,) = _json(_run(home, "retire", "pit", "--json"))
    assert (gone["kind"], gone["key"], gone["levels"]) == ("module", "pit", LEVELS)
    assert all(Path(path).is_file() for path in gone["kept"])
    assert _run(home, "status").stdout.strip() == "Nothing is registered yet."
    (back,) = _json(_run(home, "convert", "--json", str(converted.parent / "pit.pdf")))
    assert (back["module"], back["status"], back["calls"], back["counts"]["answered"]) == ("pit", "converted", 0, 6)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("rerun",), "rerun.what"),
        (("rerun", "--stale", "--level", LEVELS[0]), "rerun.what"),
        (("rerun", "--level", "pit--nowhere--1"), "partition.unknown"),
        (("retire", "vault"), "partition.unknown"),
        (("retire", "../pit"), "partition.unknown"),
        (("status", "--provider", "nobody"), "settings.invalid"),
    ],
)
def test_a_wrong_call_is_one_line_and_exit_status_one(home: Path, arguments: tuple[str, ...], code: str):
    result = _run(home, *arguments)
    assert result.exit_code == 1
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    assert line.startswith(f"osrforge-assets: {code}: ")


@pytest.mark.parametrize("command", ["rerun", "backfill"])
@pytest.mark.parametrize("amount", ["nan", "inf", "-inf", "-1", "0", "1e999"])
def test_what_is_no_amount_of_money_is_no_ceiling(home: Path, command: str, amount: str):
    result = _run(home, command, "--max-cost", amount)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "--max-cost" in result.stderr


@pytest.mark.parametrize("amount", ["nan", "inf"])
def test_what_is_no_amount_of_money_is_no_nightly_ceiling(home: Path, amount: str):
    result = _run(home, "status", OSRFORGE_NIGHTLY_MAX_COST_USD=amount)
    assert (result.exit_code, "settings.invalid" in result.stderr) == (1, True)


def test_a_failure_is_over_once_the_partition_was_made_after_it(tmp_path: Path):
    rules = [AssetRule("page_renders", "module", code_version="2")]
    made = PartitionState(event=7, data_version="a", code_version="1", at=2_000_000_000.0)
    graph = Graph(rules, {"module": ["pit"]}, {"page_renders": {"pit": made}})
    store = Store(tmp_path / "store")
    row = FailedRun(
        run="r",
        at="2030-01-01T00:00:00+00:00",
        job="j",
        assets=("page_renders",),
        partitions=("pit",),
        code="c",
        message="m",
    )
    note_failed_runs(store, [row])
    for at, state in (("2030-01-01T00:00:00+00:00", "stale"), ("2040-01-01T00:00:00+00:00", "failed")):
        (said,) = partition_statuses(graph, store, Settings(home=tmp_path), [row.model_copy(update={"at": at})])
        assert said.state == state
