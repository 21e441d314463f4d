"""Pages from the store, ready to be sent."""

from collections.abc import Callable

from osrforge_assets.contracts.level import PlanPage
from osrforge_assets.contracts.pages import Page
from osrforge_assets.modules.page_parts import RequestPage
from osrforge_resources.store import BlobKind, Store


def load_page(store: Store) -> Callable[[Page], RequestPage]:
    """Return a loader of a page set's pages."""

    def load(page: Page) -> RequestPage:
        return _request_page(store, page.number, page.text, page.image.sha256 if page.image is not None else None)

    return load


def load_plan_page(store: Store) -> Callable[[PlanPage], RequestPage]:
    """Return a loader of a level plan's pages: the very blobs it was planned with, whatever the module has now."""

    def load(page: PlanPage) -> RequestPage:
        return _request_page(store, page.number, page.text, page.image)

    return load


def page_text(store: Store, text: str) -> str:
    """Return a page's reading-order text."""
    return store.get_blob(BlobKind.TEXT, text).decode("utf-8")


def _request_page(store: Store, number: int, text: str, image: str | None) -> RequestPage:
    return RequestPage(number, page_text(store, text), store.get_blob(BlobKind.IMAGE, image) if image else None)
