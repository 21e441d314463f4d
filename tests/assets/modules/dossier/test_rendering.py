"""All files of a dossier: names that the store takes, bytes that do not depend on when they were written."""

import json
from pathlib import Path

from osrforge_assets.contracts.dossier import Dossier
from osrforge_assets.modules.dossier.rendering import dossier_file_names, dossier_files
from osrforge_resources.store import Store
from tests.assets.modules.dossier.small_module import SmallModule, area, encounter


def _module() -> SmallModule:
    return SmallModule().answer(1, area("1", encounters=(encounter("wölfe", 2),)), area("2")).answer(2, area("1"))


def test_a_dossier_is_one_document_an_overview_a_file_a_level_and_four_tables():
    assert sorted(dossier_files(_module().build())) == [
        "dossier.json",
        "levels/well-level-1.html",
        "levels/well-level-1.md",
        "levels/well-level-2.html",
        "levels/well-level-2.md",
        "overview.md",
        *(
            f"tables/{name}.{end}"
            for name in ("areas", "connections", "encounters", "treasure")
            for end in ("csv", "parquet")
        ),
    ]


def test_the_document_nests_dungeons_levels_and_areas_and_reads_back():
    dossier = _module().build()
    data = dossier_files(dossier)["dossier.json"]
    document = json.loads(data)
    assert document["dungeons"][0]["levels"][0]["areas"][0]["encounters"][0]["monster"] == "wölfe"
    assert "wölfe" in data.decode("utf-8")  # people search the file
    assert Dossier.from_json(data) == dossier


def test_the_same_dossier_gives_the_same_files():
    assert dossier_files(_module().build()) == dossier_files(_module().build())


def test_the_store_takes_every_file(tmp_path: Path):
    store = Store(tmp_path / "store")
    files = dossier_files(_module().build())
    paths = {name: store.write_dossier_file("salt-well", name, data) for name, data in files.items()}
    assert {name: path.read_bytes() for name, path in paths.items()} == files
    assert len(store.dossier_files("salt-well")) == len(files)


def test_a_source_without_keyed_areas_still_has_its_document_overview_and_tables():
    files = dossier_files(SmallModule(surveyed={}).build())
    assert not [name for name in files if name.startswith("levels/")]
    assert {"dossier.json", "overview.md", "tables/areas.csv"} <= set(files)


def test_the_names_of_the_files_are_known_without_making_them():
    dossier = _module().build()
    assert dossier_file_names(dossier) == set(dossier_files(dossier))
