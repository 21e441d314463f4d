"""Small PDFs made on the spot, and the two ways to read them: in this process, and as the asset does."""

from collections.abc import Callable

import pymupdf
import pytest

from osrforge_assets.modules.pages.extraction import Rendering, extract_page
from osrforge_assets.modules.pages.raw_page import RawPage
from osrforge_assets.modules.pages.reading_order import PageText, document_text
from osrforge_resources.store import Store

_SMALL = Rendering(dpi=36, max_edge=2000, max_pixels=4_000_000)

Draw = Callable[[pymupdf.Page], object]


def make_pdf(*draws: Draw, width: float = 612, height: float = 792) -> bytes:
    """Return a PDF with one page for each function, which draws it."""
    document = pymupdf.open()
    for draw in draws:
        draw(document.new_page(width=width, height=height))
    return document.tobytes()


def raw_pages(data: bytes) -> list[tuple[int, RawPage]]:
    """Return the raw pages, extracted in this process."""
    document = pymupdf.open("pdf", data)
    return [(number, extract_page(document, number, _SMALL).raw) for number in range(1, document.page_count + 1)]


def page_texts(data: bytes, title: str = "") -> list[PageText]:
    """Return the text of each page, read in this process."""
    return document_text(raw_pages(data), title)


def blocks_of(data: bytes, page: int = 1) -> list[str]:
    """Return the blocks of one page's text."""
    return page_texts(data)[page - 1].text.split("\n\n")


def write(page: pymupdf.Page, x: float, y: float, *lines: str, size: float = 10, font: str = "helv") -> None:
    """Write lines under each other, 1.2 times their size apart."""
    for index, line in enumerate(lines):
        page.insert_text((x, y + 1.2 * size * index), line, fontsize=size, fontname=font)


@pytest.fixture
def store(request: pytest.FixtureRequest) -> Store:
    """A store in memory that no other test sees."""
    return Store(f"memory://{request.node.name}")
