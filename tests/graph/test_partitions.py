"""Partitions live and die: what becomes one, what does not, what goes aside, and what comes back without a call."""

from pathlib import Path

import pytest

from osrforge_assets.contracts.dossier import LevelStatus
from osrforge_assets.contracts.pages import ModuleSource
from osrforge_assets.retiring import retire, set_of
from osrforge_resources.failures import MisuseError
from osrforge_resources.io_manager import read_document
from tests.graph.deployment import Deployment
from tests.graph.module_pdfs import PIT, write_module

LEVELS = [f"pit--the-testing-pit--{number}" for number in PIT]


def _modules(deployment: Deployment) -> list[str]:
    return list(deployment.instance.get_dynamic_partitions("module"))


def test_a_file_that_is_no_pdf_becomes_no_module(deployment: Deployment, tmp_path: Path):
    note = tmp_path / "notes.pdf"
    for data, code in ((b"shopping list", "source.not_a_pdf"), (b"%PDF-1.7\ngarbage", "source.damaged")):
        note.write_bytes(data)
        failed = deployment.convert(note)
        assert failed.error is not None
        assert (failed.error.code, failed.module) == (code, None)
    assert _modules(deployment) == []
    assert deployment.store.asset_partitions("module_source") == []


def test_pages_that_do_not_exist_leave_the_module_as_it_was_asked_before(deployment: Deployment, tmp_path: Path):
    path = write_module(tmp_path / "pit.pdf", PIT)
    deployment.convert(path, pages=(1, 2))
    deployment.provider.take()
    failed = deployment.convert(path, pages=(99,))
    assert failed.error is not None
    assert failed.error.code == "source.page_not_there"
    assert read_document(deployment.store, "module_source", "pit", ModuleSource).pages == (1, 2)
    assert deployment.not_fresh() == {}
    assert deployment.convert(path, pages=(1, 2)).error is None
    assert deployment.provider.take() == []


def test_a_renamed_file_is_the_same_module_and_two_files_of_one_name_are_two(deployment: Deployment, tmp_path: Path):
    path = write_module(tmp_path / "a" / "pit.pdf", PIT)
    deployment.convert(path)
    deployment.provider.take()
    renamed = path.rename(tmp_path / "a" / "a new name.pdf")
    assert deployment.convert(renamed).module == "pit"
    assert deployment.provider.take() == []
    other = write_module(tmp_path / "b" / "pit.pdf", {1: PIT[3]}, title="The Other Vault")
    assert deployment.convert(other).module == "pit-2"
    assert _modules(deployment) == ["pit", "pit-2"]


def test_a_module_whose_own_document_was_lost_is_known_by_its_bytes(deployment: Deployment, tmp_path: Path):
    path = write_module(tmp_path / "pit.pdf", {1: PIT[1]})
    deployment.convert(path)
    deployment.provider.take()
    (deployment.home / "store" / "assets" / "module_source" / "pit.json").unlink()
    again = deployment.convert(path)
    assert (again.module, again.error) == ("pit", None)
    assert deployment.provider.take() == []


def test_a_retired_module_is_set_aside_and_comes_back_without_a_call(deployment: Deployment, tmp_path: Path):
    path = write_module(tmp_path / "pit.pdf", PIT)
    first = deployment.convert(path)
    gone = retire(deployment.instance, deployment.store, "module", "pit")
    assert gone.levels == tuple(LEVELS)
    assert all(Path(kept).is_file() for kept in gone.kept)
    assert {Path(kept).parent.name for kept in gone.kept} >= {"module_source", "survey_index", "level_content", "pit"}
    assert _modules(deployment) == list(deployment.instance.get_dynamic_partitions("level")) == []
    assert deployment.store.dossier_files("pit") == []

    deployment.provider.take()
    back = deployment.convert(path.rename(tmp_path / "under another name.pdf"))
    assert (back.module, back.error) == ("pit", None)
    assert deployment.provider.take() == []
    assert back.dossier is not None
    assert back.dossier.dungeons == (first.dossier.dungeons if first.dossier is not None else None)
    assert [path.name for path in back.files] == [path.name for path in first.files]
    assert deployment.not_fresh() == {}


def test_a_retired_level_is_a_gap_until_its_module_is_surveyed_again(deployment: Deployment, tmp_path: Path):
    path = write_module(tmp_path / "pit.pdf", PIT)
    deployment.convert(path)
    deployment.provider.take()
    retire(deployment.instance, deployment.store, "level", LEVELS[1])
    assert deployment.graph().run(["module_contents", "module_dossier"], "pit").error is None
    gap = deployment.convert(path)
    assert gap.dossier is not None
    statuses = [level.status for level in gap.dossier.dungeons[0].levels]
    assert statuses == [LevelStatus.CURRENT, LevelStatus.ABSENT, LevelStatus.CURRENT]
    assert deployment.provider.take() == []

    assert deployment.graph().run(["survey_index"], "pit").error is None
    whole = deployment.convert(path)
    assert whole.counts["answered"] == 6
    assert deployment.provider.take() == ["census", "survey"]


def test_a_key_that_is_nobodys_and_one_that_is_two_are_refused(deployment: Deployment):
    deployment.instance.add_dynamic_partitions("module", ["pit"])
    deployment.instance.add_dynamic_partitions("transcript", ["pit"])
    for key, kind, code in (("vault", None, "partition.unknown"), ("pit", None, "partition.ambiguous")):
        with pytest.raises(MisuseError) as refused:
            set_of(deployment.instance, key, kind)
        assert refused.value.code == code
    assert set_of(deployment.instance, "pit", "transcript") == "transcript"
