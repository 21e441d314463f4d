"""Windows over pages: how a source that is too long for one request is shared out. Survey, census and levels use it."""

from collections.abc import Iterable

from osrforge_resources.failures import MisuseError

# A window of one page has no page left to share with the next and to move on with.
SMALLEST_WINDOW = 2


def page_windows(pages: Iterable[int], size: int) -> list[tuple[int, ...]]:
    """Return windows of at most `size` pages over the sorted, distinct `pages`; neighbours share exactly one page.

    Gaps in the numbers play no part: [3, 9, 10] windows like [1, 2, 3]. No pages, no windows.

    Raises:
        MisuseError: `size` is below 2, where neighbours could not share a page and still move on (a `ValueError`).
    """
    if size < SMALLEST_WINDOW:
        raise MisuseError(
            f"A window of {size} page(s) cannot overlap its neighbour.",
            code="batch.window",
            remedy=f"Use windows of at least {SMALLEST_WINDOW} pages.",
        )
    ordered = sorted(set(pages))
    # The last start must leave a page that the window before it has not shown; a lone page is a window of its own.
    starts = range(0, max(len(ordered) - 1, 1), size - 1) if ordered else range(0)
    return [tuple(ordered[start : start + size]) for start in starts]
