"""The areas of a survey do not depend on how many pages a window has: real pages, the offline reader."""

from pathlib import Path

import pytest
from upath import UPath

from osrforge_assets.contracts.pages import PageSet
from osrforge_assets.modules.page_parts import RequestPage
from osrforge_assets.modules.pages.reading import read_pages
from osrforge_assets.modules.pages.settings import PageSettings
from osrforge_assets.modules.survey.reading import survey_module
from osrforge_resources.offline.provider import OfflineProvider
from osrforge_resources.store import BlobKind, Store
from tests.corpus import ABSENT, CORPUS

DEMO = Path(__file__).parents[3] / "data" / "demo_module.pdf"
Pages = tuple[PageSet, dict[int, str]]


def read(path: Path) -> Pages:
    store = Store(UPath(f"memory://any-window-{path.stem}"))
    pages = read_pages(path.read_bytes(), store, PageSettings(dpi=36), module=path.stem)
    return pages, {page.number: store.get_blob(BlobKind.TEXT, page.text).decode("utf-8") for page in pages.pages}


def surveyed(pages: Pages, window: int) -> tuple[str, list[tuple[str, int, list[str]]]]:
    page_set, texts = pages
    index = survey_module(
        page_set,
        lambda page: RequestPage(page.number, texts[page.number], None),
        OfflineProvider().generate,
        survey_pages=window,
        census_pages=100,
    )
    levels = [
        (dungeon.name, level.number, [area.source_label for area in level.areas])
        for dungeon in index.dungeons
        for level in dungeon.levels
    ]
    return index.title, levels


@pytest.fixture(scope="module")
def demo() -> Pages:
    return read(DEMO)


@pytest.mark.parametrize("window", range(2, 10))
def test_the_demo_module_has_the_same_areas_in_windows_of_any_size(demo: Pages, window: int):
    assert surveyed(demo, window) == surveyed(demo, 20)


@pytest.mark.skipif(not CORPUS.is_dir(), reason=ABSENT)
@pytest.mark.parametrize("name", ["minimod", "mdmod", "gamebooklib"])
def test_real_modules_have_the_same_areas_in_windows_of_any_size(name: str):
    pages = read(CORPUS / "modules" / f"{name}.pdf")
    whole = surveyed(pages, 20)[1]
    assert [surveyed(pages, window)[1] for window in (2, 3, 5, 8)] == [whole] * 4
