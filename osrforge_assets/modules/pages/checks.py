"""Asset check of a module's pages: is there something to read on each of them?"""

import dagster as dg

from osrforge_assets.contracts.flags import FlagCode
from osrforge_assets.contracts.pages import Page, PageSet
from osrforge_assets.partitions import MODULES

_UNREAD = {FlagCode.PAGE_FAILED, FlagCode.PAGE_TIMED_OUT}


def is_readable(page: Page) -> bool:
    """Whether a page has something to read: a render or text, and no failure."""
    return (page.image is not None or page.characters > 0) and not any(flag.code in _UNREAD for flag in page.flags)


@dg.asset_check(
    asset="page_renders",
    description="Every page could be rendered or read; without a single one the survey would ask about nothing.",
    partitions_def=MODULES,
    blocking=True,
)
def pages_are_readable(page_renders: PageSet) -> dg.AssetCheckResult:
    """Count the pages that failed; only a module without any readable page stops what comes after it."""
    unread = [page.number for page in page_renders.pages if not is_readable(page)]
    nothing = len(unread) == len(page_renders.pages)
    return dg.AssetCheckResult(
        passed=not unread,
        severity=dg.AssetCheckSeverity.ERROR if nothing else dg.AssetCheckSeverity.WARN,
        description="None of the pages can be read." if nothing else None,
        metadata={
            "pages": len(page_renders.pages),
            "unreadable": len(unread),
            "unreadable_pages": dg.MetadataValue.text(", ".join(map(str, unread[:50])) or "none"),
            "pages_without_text": sum(page.characters == 0 for page in page_renders.pages),
        },
    )


PAGE_CHECKS = [pages_are_readable]
