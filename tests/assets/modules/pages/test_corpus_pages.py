"""The page reader on real files."""

from pathlib import Path

import pytest

from osrforge_assets.contracts.flags import FlagCode
from osrforge_assets.contracts.pages import PageSet
from osrforge_assets.modules.pages.reading import read_pages
from osrforge_assets.modules.pages.settings import PageSettings
from osrforge_resources.failures import SourceError
from osrforge_resources.store import BlobKind, Store
from tests.corpus import ABSENT, CORPUS

pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason=ABSENT)

_MODULES = sorted(CORPUS.glob("modules/*.pdf"))
_BROKEN = sorted(CORPUS.glob("broken/*.pdf"))


def _blocks(name: str) -> list[str]:
    store = Store(f"memory://{name}")
    pages = read_pages((CORPUS / "modules" / name).read_bytes(), store, PageSettings(), module="corpus")
    return [block for page in pages.pages for block in store.get_blob(BlobKind.TEXT, page.text).decode().split("\n\n")]


def _keyed(blocks: list[str]) -> list[str]:
    leads = [block.lstrip("*# ") for block in blocks]
    return [lead.split()[0].strip(".*") for lead in leads if lead[:1].isdigit()]


@pytest.mark.parametrize("path", _BROKEN, ids=lambda path: path.stem)
def test_a_broken_file_ends_in_a_code_or_in_pages(path: Path):
    outcome: PageSet | SourceError
    try:
        outcome = read_pages(path.read_bytes(), Store(f"memory://{path.stem}"), PageSettings(), module="broken")
    except SourceError as failure:
        outcome = failure
    if isinstance(outcome, SourceError):
        assert outcome.code.startswith("source.")
        assert outcome.remedy
    else:
        assert any(page.image for page in outcome.pages)


@pytest.mark.parametrize("path", _MODULES, ids=lambda path: path.stem)
def test_every_module_is_read_without_a_failed_page(path: Path):
    pages = read_pages(path.read_bytes(), Store(f"memory://{path.stem}"), PageSettings(), module="corpus")
    codes = {flag.code for page in pages.pages for flag in page.flags}
    assert not codes & {FlagCode.PAGE_FAILED, FlagCode.PAGE_TIMED_OUT}
    assert all(page.image and max(page.image.width, page.image.height) <= 2000 for page in pages.pages)


def test_minimod_prints_its_six_areas_in_order():
    assert _keyed(_blocks("minimod.pdf")) == ["1", "2", "3", "4", "5", "6"]


@pytest.mark.parametrize("name", ["darkloch.pdf", "darkloch-rotate90.pdf"])
def test_darkloch_prints_its_22_areas_in_order_from_four_columns(name: str):
    blocks = _blocks(name)
    assert _keyed(blocks) == [str(number) for number in range(1, 23)]
    (eight,) = [block for block in blocks if block.startswith("**8**")]
    assert eight.endswith("A small gap leads to some stairs going down.")


def test_the_pagodas_areas_follow_its_columns_with_the_image_on_top():
    headings = [block.lstrip("# ") for block in _blocks("pagoda-of-pazuzu.pdf") if block.startswith("#")]
    assert headings[-6:] == [
        "Outside",
        "Entrance",
        "Hall of Harmony",
        "Hall of Discipline",
        "Sanctum of Tranquility",
        "Aerie of the Avatar",
    ]


def test_lost_ligatures_of_the_sepulchre_are_read():
    text = "\n".join(_blocks("sepulchre-of-the-clone.pdf"))
    for word in ("find a man", "The final resting", "switch off", "fishermen", "Radiation effect", "fly, plant growth"):
        assert word in text
    assert "\ufffd" not in text


def test_ninja_headings_drawn_twice_and_white_boxes_are_read_once():
    blocks = _blocks("ninjas-cutres-es.pdf")
    assert sum("Aventuras para Ninjas Cutres" in block for block in blocks) == 1
    assert sum(block.startswith("> ") for block in blocks) == 3
    assert "| 1 | Congelados |" in "\n".join(blocks)


@pytest.mark.parametrize("path", [path for path in _MODULES if "watabou" in path.stem], ids=lambda path: path.stem)
def test_notes_round_a_drawn_map_are_read_in_key_order_under_their_title(path: Path):
    blocks = _blocks(path.name)
    assert blocks[0].startswith("# ")
    keys = _keyed(blocks)
    assert keys == [str(number) for number in range(1, len(keys) + 1)]
    assert len(keys) >= 3


def test_the_demo_modules_tables_and_boxes_are_what_they_are():
    data = (Path(__file__).parents[3] / "data" / "demo_module.pdf").read_bytes()
    store = Store("memory://demo")
    pages = read_pages(data, store, PageSettings(), module="demo")
    texts = [store.get_blob(BlobKind.TEXT, page.text).decode() for page in pages.pages]
    assert "| d6 | Rumour |" in texts[2]
    assert "| d8 | Wandering monsters of the hive |" in texts[8]
    assert "\n\n> Forty iron lamps" in texts[4]
    assert "#### 4a. The Larder" in texts[4]
    assert texts[6].startswith("handle or hinge")
