"""A store that was damaged by hand or by a disk: the next conversion makes good what is missing, and only that."""

from collections.abc import Callable
from pathlib import Path

import pytest

from osrforge_assets.contracts.dossier import LevelStatus, ModuleContents
from osrforge_resources.io_manager import read_document
from tests.graph.deployment import CountingProvider, Deployment
from tests.graph.module_pdfs import PIT, write_module

LEVEL = "pit--the-testing-pit--2"
CENSUS_AND_SURVEY = ["census", "survey"]


def _delete(path: Path) -> None:
    path.unlink()


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def _replace(path: Path) -> None:
    path.write_bytes(b"{}")


def _flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


@pytest.mark.parametrize("damage", [_delete, _replace])
def test_every_damaged_document_is_made_again_and_the_dossier_is_what_it_was(
    deployment: Deployment, tmp_path: Path, damage: Callable[[Path], None]
):
    path = write_module(tmp_path / "pit.pdf", PIT)
    first = deployment.convert(path)
    deployment.provider.take()
    for asset, partition, asked in (
        ("page_renders", "pit", []),
        ("survey_index", "pit", CENSUS_AND_SURVEY),
        ("level_plan", LEVEL, []),
        ("level_content", LEVEL, ["content.the-testing-pit.2.b01"]),
        ("module_contents", "pit", []),
        ("module_dossier", "pit", []),
    ):
        document = deployment.home / "store" / "assets" / asset / f"{partition}.json"
        before = document.read_bytes()
        damage(document)
        again = deployment.convert(path)
        assert (asset, again.status, again.error) == (asset, "converted", None)
        assert (asset, deployment.provider.take()) == (asset, asked)
        assert document.read_bytes() == before
        assert again.dossier == first.dossier
    assert deployment.not_fresh() == {}


def test_a_level_that_was_written_but_not_entered_in_the_manifest_is_no_gap_of_the_next_dossier(
    deployment: Deployment, tmp_path: Path
):
    path = write_module(tmp_path / "pit.pdf", PIT)
    first = deployment.convert(path)
    deployment.provider.take()
    # As a run leaves it that lost all documents of the module's levels and was killed after it had made them again.
    whole = read_document(deployment.store, "module_contents", "pit", ModuleContents)
    gap = whole.levels[1].model_copy(update={"status": LevelStatus.ABSENT, "content": None})
    before = whole.model_copy(update={"levels": (whole.levels[0], gap, whole.levels[2])})
    deployment.store.write_asset("module_contents", "pit", before.canonical_json())
    (deployment.home / "store" / "assets" / "module_dossier" / "pit.json").unlink()
    again = deployment.convert(path)
    assert (again.status, deployment.provider.take()) == ("converted", [])
    assert again.dossier == first.dossier


@pytest.mark.parametrize("damage", [_delete, _cut, _flip])
@pytest.mark.parametrize("kind", ["text", "image"])
def test_a_lost_page_is_made_again_when_it_is_needed(
    deployment: Deployment, tmp_path: Path, kind: str, damage: Callable[[Path], None]
):
    path = write_module(tmp_path / "pit.pdf", {1: PIT[1]})
    first = deployment.convert(path)
    for blob in (deployment.home / "store" / "blobs" / kind).rglob("*.*"):
        if blob.stat().st_size:
            damage(blob)
            break
    deployment.provider = CountingProvider("counted-2")
    again = deployment.convert(path)
    assert again.error is None
    assert again.counts == first.counts


def test_a_damaged_content_does_not_stop_the_survey_of_its_module(deployment: Deployment, tmp_path: Path):
    path = write_module(tmp_path / "pit.pdf", PIT)
    deployment.convert(path)
    _cut(deployment.home / "store" / "assets" / "level_content" / f"{LEVEL}.json")
    deployment.provider = CountingProvider("counted-2")
    again = deployment.convert(path)
    assert again.error is None
    assert again.counts["answered"] == 6


def test_every_deleted_file_of_a_dossier_is_written_again(deployment: Deployment, tmp_path: Path):
    path = write_module(tmp_path / "pit.pdf", {1: PIT[1]})
    deployment.convert(path)
    folder = deployment.home / "store" / "dossiers" / "pit"
    before = {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}
    assert {file.suffix for file in before} == {".json", ".md", ".html", ".jpg", ".csv", ".parquet"}
    deployment.provider.take()
    for file in {file.suffix: file for file in before}.values():
        file.unlink()
        assert deployment.convert(path).error is None
        assert file.read_bytes() == before[file], file.name
    assert deployment.provider.take() == []


def test_a_damaged_event_database_is_an_expected_failure(deployment: Deployment, tmp_path: Path):
    path = write_module(tmp_path / "pit.pdf", {1: PIT[1]})
    for database in (deployment.home / "dagster").rglob("index.db"):
        database.write_bytes(b"no database at all" * 100)
    failed = deployment.convert(path)
    assert failed.error is not None
    assert (failed.status, failed.error.code) == ("failed", "instance.unusable")
