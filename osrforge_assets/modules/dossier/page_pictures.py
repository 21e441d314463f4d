"""Pictures of the pages that a dossier cites, small enough to lie beside every area that was read from them."""

import io
from collections.abc import Iterable

from osrforge_assets.contracts.dossier import Dossier
from osrforge_assets.contracts.pages import Page, PageSet
from osrforge_resources.store import BlobKind, Store

# 900 px across read well beside the text; as JPEG they are 60 to 200 KB a page, where the render has up to 1.5 MB.
_WIDTH = 900
_QUALITY = 70


def cited_pages(dossier: Dossier) -> set[int]:
    """Return the pages that any level shows: its maps and its areas' pages."""
    levels = [level for dungeon in dossier.dungeons for level in dungeon.levels]
    return {page for level in levels for page in level.map_pages} | {
        page for level in levels for area in level.areas for page in area.source_pages
    }


def write_page_pictures(store: Store, module: str, pages: PageSet, wanted: Iterable[int]) -> dict[int, str]:
    """Write the pictures that are not there yet and return each page's file name in the dossier.

    A picture's name holds the digest of its render, so a page that did not change is not written again.

    Raises:
        StoreError: A render is missing or damaged, or the store refuses.
    """
    shown = _shown(pages, wanted)
    for page, name in shown:
        if not store.dossier_path(module, name).exists():
            store.write_dossier_file(module, name, _picture(store, page))
    return {page.number: name for page, name in shown}


def picture_names(pages: PageSet, wanted: Iterable[int]) -> set[str]:
    """Return the names of `write_page_pictures` without making them."""
    return {name for _, name in _shown(pages, wanted)}


def _shown(pages: PageSet, wanted: Iterable[int]) -> list[tuple[Page, str]]:
    by_number = {page.number: page for page in pages.pages}
    found = [by_number[number] for number in sorted(wanted) if number in by_number]
    return [(page, f"pages/{page.number:04d}-{page.image.sha256[:16]}.jpg") for page in found if page.image]


def _picture(store: Store, page: Page) -> bytes:
    assert page.image is not None
    # Not above: every process that loads the definitions imports this file.
    from PIL import Image

    with Image.open(io.BytesIO(store.get_blob(BlobKind.IMAGE, page.image.sha256))) as image:
        # `reducing_gap` first shrinks by a whole factor, which is most of the work at a fraction of the time.
        image.thumbnail((_WIDTH, 4 * _WIDTH), reducing_gap=1.5)
        buffer = io.BytesIO()
        image.save(buffer, "JPEG", quality=_QUALITY)
    return buffer.getvalue()
