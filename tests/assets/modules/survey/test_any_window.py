"""The areas of a survey do not depend on how many pages a window has: real and made pages, the offline reader."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from upath import UPath

from osrforge_assets.contracts.pages import PageSet
from osrforge_assets.modules.page_parts import RequestPage
from osrforge_assets.modules.pages.reading import read_pages
from osrforge_assets.modules.pages.settings import PageSettings
from osrforge_assets.modules.survey.reading import survey_module
from osrforge_assets.modules.survey.whole_modules import survey_window
from osrforge_assets.settings import Settings
from osrforge_resources.offline.provider import OfflineProvider
from osrforge_resources.store import BlobKind, Store
from tests.assets.modules.samples import pages as made_pages
from tests.corpus import ABSENT, CORPUS

DEMO = Path(__file__).parents[3] / "data" / "demo_module.pdf"
Pages = tuple[PageSet, dict[int, str]]


def read(path: Path) -> Pages:
    store = Store(UPath(f"memory://any-window-{path.stem}"))
    pages = read_pages(path.read_bytes(), store, PageSettings(dpi=36), module=path.stem)
    return pages, {page.number: store.get_blob(BlobKind.TEXT, page.text).decode("utf-8") for page in pages.pages}


def surveyed(pages: Pages, window: int | None) -> tuple[str, list[tuple[str, int, list[str]]]]:
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


# The parts of a story tell of the places; only the last pages print which of them are connected.
TOLD_LATE = [
    "# The Long Isle\n\n## 1. The arrival\n\nThe players land on a beach of black sand, where a door of driftwood stands.",
    "## 2. The search\n\nThe players look for the cook.\n\n### The kitchen\n\nA cold hearth, 2 giant rats and 30 gp.",
    "### Dark alley\n\nA thief with a silver ring worth 20 gp waits here.\n\n## 3. The mansion\n\nThe players are let in.",
    "### Exterior of the mansion\n\nIvy hides a side door, and a guard walks round the house.",
    "## 4. The end\n\nThe players sail home, and the isle sinks behind them in the evening.",
    "# Maps\n\n## The beach\n\nConnections: Kitchen, Dark alley.\n\n## Kitchen\n\nConnections: Beach.",
    "## Dark alley\n\nConnections: Beach, Mansion (Exterior).\n\n## Mansion\n\n## Exterior\n\nConnections: Dark alley.",
]


@pytest.mark.parametrize("setting", [2, 3, 4, 8, 20])
def test_a_reader_of_whole_modules_finds_the_places_that_only_later_pages_tell_whatever_the_setting(setting: int):
    source = made_pages(range(1, len(TOLD_LATE) + 1))
    pages = (source.page_set, dict(enumerate(TOLD_LATE, start=1)))
    window = survey_window(Settings(survey_pages=setting), OfflineProvider())
    assert surveyed(pages, window)[1] == [
        ("The Long Isle", 1, ["Kitchen", "Dark alley", "Exterior of the mansion", "The beach"])
    ]


@pytest.mark.skipif(not CORPUS.is_dir(), reason=ABSENT)
@pytest.mark.parametrize("name", ["enigma-of-the-ape-peninsula-en", "misterio-de-la-peninsula-es"])
def test_real_modules_of_named_places_have_the_same_areas_under_any_setting(name: str):
    pages = read(CORPUS / "modules" / f"{name}.pdf")
    found = [surveyed(pages, survey_window(Settings(survey_pages=size), OfflineProvider())) for size in (4, 12, 20)]
    assert found[0] == found[1] == found[2]
    assert [len(areas) for _, _, areas in found[0][1]] == [25]


PRINTINGS = [
    ("The beach", "Beach"),
    ("Souvenir shop", "Souvenirs Shop", "The Souvenir Shop"),
    ("Harbour", "The Harbours"),
    ("1st chamber of the cave", "First chamber of the cave"),
    ("Dark alley",),
    ("The Swamp", "Swamps"),
]


@st.composite
def places_printed_again(draw: st.DrawFn) -> list[str]:
    """Return pages of four places each, every one under any of its printings, each with its connections."""
    texts: list[str] = []
    for _ in range(draw(st.integers(2, 9))):
        chosen = draw(st.permutations(PRINTINGS))[:4]
        names = [draw(st.sampled_from(printings)) for printings in chosen]
        texts.append("\n\n".join(f"## {name}\n\nA quiet place.\n\nConnections: {names[0]}." for name in names))
    texts[0] = f"# The Long Isle\n\n{texts[0]}"
    return texts


@given(places_printed_again(), st.integers(2, 9))
@settings(max_examples=60, deadline=None)
def test_places_that_print_their_connections_are_the_same_in_windows_of_any_size(texts: list[str], window: int):
    source = made_pages(range(1, len(texts) + 1))
    pages = (source.page_set, dict(enumerate(texts, start=1)))
    assert surveyed(pages, window) == surveyed(pages, None)
