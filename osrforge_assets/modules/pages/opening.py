"""What is refused before a page is read: no PDF, damaged, locked, without the asked pages, too large."""

from typing import Any

from osrforge_assets.modules.pages.processes import WorkerFailure
from osrforge_assets.modules.pages.settings import PageSettings
from osrforge_assets.modules.pages.workers import ReadingCrew
from osrforge_resources.failures import SourceError


def check_source(data: bytes, settings: PageSettings) -> None:
    """Refuse what needs no PDF library to be refused.

    Raises:
        SourceError: The source is empty, too large or no PDF.
    """
    if not data:
        raise SourceError("The source is empty.", code="source.empty", remedy="Copy or download the file again.")
    if len(data) > settings.max_source_bytes:
        raise SourceError(
            f"The source has {len(data):,} bytes; at most {settings.max_source_bytes:,} are allowed.",
            code="source.too_large",
            remedy="Split it, or raise OSRFORGE_PAGES__MAX_SOURCE_BYTES.",
        )
    if b"%PDF-" not in data and b"endobj" not in data:
        raise _not_a_pdf()


def open_document(crew: ReadingCrew) -> dict[str, Any]:
    """Open the document and return its facts.

    Raises:
        SourceError: It is no PDF, damaged, locked, or has no pages.
    """
    try:
        facts = crew.open()
    except WorkerFailure as failure:
        raise SourceError(f"The PDF cannot be opened: {failure.reason}.", code="source.damaged") from None
    if facts["locked"]:
        raise _locked(facts["locked"])
    if facts["pages"] < 1:
        raise SourceError("The source has no pages.", code="source.no_pages")
    return facts


def _locked(lock: str) -> SourceError:
    if lock == "no_pdf":
        return _not_a_pdf()
    if lock == "unknown_lock":
        return SourceError(
            "The source is protected by a method that only its seller's own reader opens.",
            code="source.encrypted",
            remedy="Ask the seller for an unprotected copy.",
        )
    if lock == "encrypted":
        return SourceError(
            "The source is encrypted.", code="source.encrypted", remedy="Give its password, or save a copy without one."
        )
    return SourceError(
        "The password does not open the source.", code="source.wrong_password", remedy="Check the password."
    )


def _not_a_pdf() -> SourceError:
    return SourceError("The source is not a PDF.", code="source.not_a_pdf", remedy="Convert it to PDF first.")


def page_numbers(pages: int, asked: tuple[int, ...] | None, settings: PageSettings) -> tuple[int, ...]:
    """Return the 1-based numbers of the pages to read.

    Raises:
        SourceError: An asked page is not there, or they are too many.
    """
    absent = [number for number in asked or () if not 1 <= number <= pages]
    if absent:
        raise SourceError(
            f"Page {absent[0]} was asked for, but the source has {pages}.",
            code="source.page_not_there",
            remedy=f"Ask for pages 1 to {pages}.",
        )
    numbers = tuple(range(1, pages + 1)) if asked is None else tuple(sorted(set(asked)))
    if len(numbers) > settings.max_pages:
        raise SourceError(
            f"The source has {len(numbers):,} pages; at most {settings.max_pages:,} are read.",
            code="source.too_many_pages",
            remedy="Ask for a part of its pages, or raise OSRFORGE_PAGES__MAX_PAGES.",
        )
    return numbers
