"""The reading process: opens one PDF and answers questions about its pages.

PDFs are hostile input to a large C library, so it never runs in the process that holds a run: here a crash, a hang or
a decompression bomb costs this process, which limits its own address space and time.

A process starts in 0.25 s where `import pymupdf` alone takes 1.2: importing the library's layout model, which this
reader does not use, is prevented the way the library provides for (it carries on when that import fails).
"""

import contextlib
import sys
from pathlib import Path
from typing import Any

from osrforge_assets.modules.pages.messages import Answer, answer_questions
from osrforge_assets.modules.pages.raw_page import record_bytes

# Pages share fonts and images, so the library caches them, by itself up to 256 MB (and does not tell how much it holds).
# Emptied every few pages it stays within about 40 MB on image-heavy books and costs nothing that can be measured.
_PAGES_A_CACHE = 8
# A dense page is about 60 KB of JSON; 200,000 words on one sheet are 3 MB. What is beyond this nobody printed, and
# comparing its lines with each other would keep the reader for minutes.
_MOST_RAW_BYTES = 4 * 1024**2


class Reader:
    """One open document.

    Args:
        order: The first question: `path`, `password`, `dpi`, `max_edge`, `max_pixels`.

    Raises:
        Exception: The library cannot open it.
    """

    def __init__(self, order: dict[str, Any]) -> None:
        sys.modules["pymupdf.layout"] = None  # type: ignore[assignment]  # see the module's docstring
        sys.modules["pymupdf4llm"] = None  # type: ignore[assignment]
        import pymupdf

        from osrforge_assets.modules.pages.content_digest import ContentDigester
        from osrforge_assets.modules.pages.extraction import Rendering
        from osrforge_assets.modules.pages.source_facts import source_facts

        pymupdf.TOOLS.mupdf_display_errors(on=False)
        pymupdf.TOOLS.mupdf_display_warnings(on=False)
        self._pymupdf = pymupdf
        self._rendering = Rendering(order["dpi"], order["max_edge"], order["max_pixels"])
        self._pages_read = 0
        self._document = _opened(pymupdf, Path(order["path"]))
        if self._document is None:
            self.facts: dict[str, Any] = {"locked": "unknown_lock"}
        elif not self._document.is_pdf:
            # The library goes by a file's content and opens web pages, archives and drawings that hold a PDF's marks.
            self.facts = {"locked": "no_pdf"}
        else:
            self.facts = source_facts(self._document, order["password"])
            self._digester = ContentDigester(self._document)

    def digest(self, number: int) -> Answer:
        """Return the content digest of a page; it is asked first of a page, so what was complained of before is done."""
        self._pymupdf.TOOLS.reset_mupdf_warnings()
        return {"content": self._digester.digest(number)}, b""

    def read(self, number: int) -> Answer:
        """Return a page's raw content and its render, one after the other."""
        from osrforge_assets.modules.pages.extraction import extract_page

        page = extract_page(self._document, number, self._rendering)
        self._pages_read += 1
        if self._pages_read % _PAGES_A_CACHE == 0:
            self._pymupdf.TOOLS.store_shrink(100)
        # Some damage shows, and is repaired, only when a page is loaded.
        repaired = bool(self._document.is_repaired)
        raw = record_bytes(page.raw.to_json())
        if len(raw) > _MOST_RAW_BYTES:
            raise UnreadableDocumentError(f"it holds {len(raw):,} bytes of text")
        message = {"width": page.width, "height": page.height, "repaired": repaired, "raw_bytes": len(raw)}
        return message, raw + page.png


class UnreadableDocumentError(Exception):
    """The library finds no PDF in the file, or a page that nobody printed."""


def _opened(pymupdf: Any, path: Path) -> Any:
    """Return the document, None where it is protected by a method that the library does not know."""
    try:
        return pymupdf.open(str(path), filetype="pdf")
    except pymupdf.FileDataError as error:
        if "encryption" in str(error.__cause__):
            return None
        # The library's message names our temporary file and nothing else.
        raise UnreadableDocumentError("its structure is damaged beyond repair") from error


def main() -> None:
    """Answer questions about the document that the first one names."""
    readers: list[Reader] = []

    def answer(question: dict[str, Any]) -> Answer:
        if question["do"] == "open":
            _limit_memory(question["bytes"])
            readers[:] = [Reader(question)]
            return readers[0].facts, b""
        if question["do"] == "digest":
            return readers[0].digest(question["page"])
        return readers[0].read(question["page"])

    answer_questions(answer)


def _limit_memory(most: int) -> None:
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (most, most))


if __name__ == "__main__":
    main()
