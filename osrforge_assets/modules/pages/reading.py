"""Reading a module's source: from PDF bytes to a page set whose images and texts lie in the store.

The work on the document happens in processes of its own (`workers`, `page_worker`); what compares pages with each other
(`reading_order`) is cheap, pure and runs here over all pages each time. What a page costs, its render and its raw
content, is kept as a record under the digest of the page's own objects, so only changed pages are read again.
"""

import contextlib
import hashlib
import json
import tempfile
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path
from typing import Any

from osrforge_assets.contracts.flags import Flag, FlagCode
from osrforge_assets.contracts.pages import Page, PageImage, PageSet
from osrforge_assets.modules.pages.opening import check_source, open_document, page_numbers
from osrforge_assets.modules.pages.page_flags import document_flags, page_flags
from osrforge_assets.modules.pages.processes import WorkerFailure
from osrforge_assets.modules.pages.raw_page import RawPage, plain_text, raw_page_from_json
from osrforge_assets.modules.pages.reading_order import PageText, document_text
from osrforge_assets.modules.pages.settings import PageSettings
from osrforge_assets.modules.pages.workers import PageAnswer, ReadingCrew
from osrforge_resources.failures import SourceError
from osrforge_resources.store import BlobKind, Store

# Every write waits about 2 ms for the disk; a few at once keep it from holding up the reading.
_STORE_THREADS = 4
# A dense page has 400 pieces of text and each takes about 1 KB of memory: two and a half times a book of 1,500 pages.
_MOST_SPANS = 1_500_000


@dataclass(frozen=True, slots=True)
class _ReadPage:
    number: int
    content: str | None
    image: PageImage
    raw: RawPage


@dataclass(frozen=True, slots=True)
class _FailedPage:
    number: int
    failure: WorkerFailure


def read_pages(
    data: bytes,
    store: Store,
    settings: PageSettings,
    *,
    module: str,
    asked: tuple[int, ...] | None = None,
    password: str | None = None,
    on_page: Callable[[int, int], None] | None = None,
) -> PageSet:
    """Render and read a PDF; keep images, texts and raw layers in the store.

    Args:
        data: The PDF.
        store: Where blobs and page records go.
        settings: How to render, and limits.
        module: The module's partition key.
        asked: 1-based page numbers to read, None for all.
        password: Opens a protected source.
        on_page: Called, in this thread, after each page with how many are done and how many there are.

    Raises:
        SourceError: The source cannot be read, or none of its pages can; a few bad pages are flagged instead.
        StoreError: The store refuses.
    """
    digest = settings.settings_digest()
    with _opened(data, settings, password) as (crew, facts):
        numbers = page_numbers(facts["pages"], asked, settings)
        read, failed = _read_all(crew, numbers, store, digest, on_page)
        facts["repaired"] = facts["repaired"] or crew.repaired
    if not read:
        reason = failed[0].failure.reason if failed else "it has no pages"
        raise SourceError(f"None of the {len(numbers)} pages can be read: {reason}.", code="source.no_readable_page")
    ordered = sorted(read, key=lambda page: page.number)
    texts = document_text([(page.number, page.raw) for page in ordered], facts["title"])
    with ThreadPoolExecutor(_STORE_THREADS) as pool:
        pages = list(pool.map(_page, ordered, texts, repeat(store)))
    pages += [_failed_page(page, store) for page in failed]
    return PageSet(
        module=module,
        source=hashlib.sha256(data).hexdigest(),
        source_pages=facts["pages"],
        title=facts["title"],
        settings=digest,
        pages=tuple(sorted(pages, key=lambda page: page.number)),
        flags=document_flags(facts),
    )


def examine_source(
    data: bytes, settings: PageSettings, *, asked: tuple[int, ...] | None = None, password: str | None = None
) -> None:
    """Open a PDF and look for the asked pages, without reading any: what fails here is no module yet.

    Raises:
        SourceError: The source is no PDF, damaged, protected or too large, or an asked page does not exist.
    """
    with _opened(data, settings, password) as (_, facts):
        page_numbers(facts["pages"], asked, settings)


@contextlib.contextmanager
def _opened(data: bytes, settings: PageSettings, password: str | None) -> Iterator[tuple[ReadingCrew, dict[str, Any]]]:
    check_source(data, settings)
    with tempfile.TemporaryDirectory(prefix="osrforge-") as folder:
        path = Path(folder) / "source.pdf"
        path.write_bytes(data)
        with ReadingCrew(path, password or "", settings) as crew:
            yield crew, open_document(crew)


def _read_all(
    crew: ReadingCrew, numbers: tuple[int, ...], store: Store, digest: str, on_page: Callable[[int, int], None] | None
) -> tuple[list[_ReadPage], list[_FailedPage]]:
    pages: list[_ReadPage | _FailedPage] = []
    spans = 0
    with ThreadPoolExecutor(_STORE_THREADS) as pool:
        under_way: deque[Future[_ReadPage | _FailedPage]] = deque()
        for done, answer in enumerate(crew.read(numbers, lambda content: _known(content, store, digest)), 1):
            under_way.append(pool.submit(_kept, answer, store, digest))
            if len(under_way) > _STORE_THREADS:
                pages.append(under_way.popleft().result())
                spans += _spans(pages[-1])
                _check_amount(spans)
            if on_page is not None:
                on_page(done, len(numbers))
        pages += [future.result() for future in under_way]
    read = [page for page in pages if isinstance(page, _ReadPage)]
    return read, [page for page in pages if isinstance(page, _FailedPage)]


def _spans(page: _ReadPage | _FailedPage) -> int:
    return sum(len(line.spans) for line in page.raw.lines) if isinstance(page, _ReadPage) else 0


def _check_amount(spans: int) -> None:
    """Refuse a document whose pages together hold more text than can be kept and compared with each other."""
    if spans > _MOST_SPANS:
        raise SourceError(
            f"The pages hold more than {_MOST_SPANS:,} pieces of text, which is more than is read at once.",
            code="source.too_much_text",
            remedy="Ask for a part of its pages.",
        )


def _address(content: str, digest: str) -> str:
    return hashlib.sha256(f"{content} {digest}".encode("ascii")).hexdigest()


def _known(content: str, store: Store, digest: str) -> tuple[PageImage, RawPage] | None:
    """Return what was kept of a page with this content, None if nothing usable was."""
    record = store.get_record(BlobKind.PAGE, _address(content, digest))
    if record is None:
        return None
    try:
        document = json.loads(record)
        image = PageImage.model_validate(document["image"])
        raw = raw_page_from_json(document["raw"])
    except (ValueError, KeyError, TypeError):
        # A damaged record is worth no more than none.
        return None
    return (image, raw) if store.has_blob(BlobKind.IMAGE, image.sha256, size=image.size) else None


def _kept(answer: PageAnswer, store: Store, digest: str) -> _ReadPage | _FailedPage:
    if answer.failure is not None:
        return _FailedPage(answer.number, answer.failure)
    content = _address(answer.content, digest) if answer.content else None
    if answer.known is not None:
        image, raw = answer.known
        return _ReadPage(answer.number, content, image, raw)
    page = answer.read
    assert page is not None
    image = PageImage(
        sha256=store.put_blob(BlobKind.IMAGE, page.png), size=len(page.png), width=page.width, height=page.height
    )
    if content is not None:
        # The raw content is kept as the worker wrote it; writing it again takes 3 ms a page.
        head = json.dumps({"image": image.model_dump(mode="json")}).encode("ascii")
        store.put_record(BlobKind.PAGE, content, head[:-1] + b', "raw": ' + page.raw_json + b"}")
    return _ReadPage(answer.number, content, image, page.raw)


def _page(page: _ReadPage, text: PageText, store: Store) -> Page:
    return Page(
        number=page.number,
        content=page.content,
        image=page.image,
        layer=store.put_blob(BlobKind.LAYER, plain_text(page.raw).encode("utf-8")),
        text=store.put_blob(BlobKind.TEXT, text.text.encode("utf-8")),
        characters=len(text.text),
        labels=text.labels,
        removed=text.removed,
        flags=page_flags(page.number, page.raw, page.image, text),
    )


def _failed_page(page: _FailedPage, store: Store) -> Page:
    code = FlagCode.PAGE_TIMED_OUT if page.failure.timed_out else FlagCode.PAGE_FAILED
    message = f"Page {page.number} cannot be read: {page.failure.reason}."
    empty = store.put_blob(BlobKind.LAYER, b"")
    return Page(
        number=page.number,
        content=None,
        image=None,
        layer=empty,
        text=store.put_blob(BlobKind.TEXT, b""),
        characters=0,
        flags=(Flag(code=code, message=message, page=page.number),),
    )
