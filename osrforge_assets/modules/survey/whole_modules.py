"""Whether a module is surveyed in windows or whole: that is the provider's matter, not the module's.

A vision service takes a few pages at a time. A reader of text alone takes them all, and then which areas there are cannot
depend on where a window happened to end.
"""

from collections.abc import Iterable

from osrforge_assets.modules.page_windows import page_windows
from osrforge_assets.settings import Settings
from osrforge_resources.model_provider import ModelProvider


def survey_window(settings: Settings, provider: ModelProvider) -> int | None:
    """Return the pages of one survey window, None for a provider that reads whole modules."""
    return None if getattr(provider, "reads_whole_modules", False) else settings.survey_pages


def survey_page_windows(pages: Iterable[int], size: int | None) -> list[tuple[int, ...]]:
    """Return the windows of a survey; a size of None is one window of all pages.

    Raises:
        MisuseError: `size` is below 2.
    """
    if size is not None:
        return page_windows(pages, size)
    whole = tuple(sorted(set(pages)))
    return [whole] if whole else []
