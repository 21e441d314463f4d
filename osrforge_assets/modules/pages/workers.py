"""The processes that read one document: which page goes to which, and what becomes of a page whose process fails."""

import contextlib
import json
import queue
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

from osrforge_assets.modules.pages.processes import ReadingProcess, WorkerFailure
from osrforge_assets.modules.pages.raw_page import RawPage, raw_page_from_json, record_bytes
from osrforge_assets.modules.pages.recognition import Recognizer, needs_recognition
from osrforge_assets.modules.pages.settings import PageSettings, ocr_available

_OPEN_SECONDS = 60.0
# Reading a page takes about 0.06 s: shorter documents are read before a second process has the document open.
_PAGES_FOR_MORE_WORKERS = 8
# Results wait for the parent to store them; more than a few would only hold memory (a render is 0.1 to 1.5 MB).
_WAITING_RESULTS = 4
# After ten pages' time has gone into pages that overran, the rest of the document gets a tenth of the limit a page: a
# hostile file of 1,500 such pages ends after an hour and a quarter instead of 12.
_OVERRUNS_AT_FULL_LIMIT = 10


@dataclass(frozen=True, slots=True)
class ReadPage:
    """A page as a worker read it.

    Attributes:
        raw: Its raw content.
        raw_json: The same as JSON, as it is kept.
        png: The render.
        width: Its width in pixels.
        height: Its height in pixels.
    """

    raw: RawPage
    raw_json: bytes
    png: bytes
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class PageAnswer:
    """What came of one page.

    Attributes:
        number: 1-based page number.
        content: Digest of the page's own objects, None where it cannot be told.
        known: What `known` returned for this content, None if the page was read now or failed.
        read: What the worker read, None if the page was known or failed.
        failure: Why the page failed, None if it did not.
    """

    number: int
    content: str | None
    known: Any = None
    read: ReadPage | None = None
    failure: WorkerFailure | None = None


class Worker:
    """One reading process with the document open, started when first asked and again after each failure.

    Args:
        path: The document.
        password: Opens it; "" for none. It travels through the pipe, never through arguments or environment.
        settings: Limits and rendering.
    """

    def __init__(self, path: Path, password: str, settings: PageSettings) -> None:
        rendering = {name: getattr(settings, name) for name in ("dpi", "max_edge", "max_pixels")}
        self._order = {"do": "open", "path": str(path), "password": password, **rendering}
        self._order["bytes"] = settings.worker_bytes
        self._open_seconds = max(settings.page_seconds, _OPEN_SECONDS)
        self._process = ReadingProcess("osrforge_assets.modules.pages.page_worker")

    def open(self) -> dict[str, Any]:
        """Start the process, open the document and return its facts.

        Raises:
            WorkerFailure: The document cannot be opened.
        """
        self._process.start()
        return self._process.ask(self._order, self._open_seconds)[0]

    def digest(self, number: int, seconds: float) -> str | None:
        """Return the content digest of a page, None where it cannot be told."""
        if not self._process.running:
            self.open()
        return self._process.ask({"do": "digest", "page": number}, seconds)[0]["content"]

    def read(self, number: int, seconds: float) -> tuple[ReadPage, bool]:
        """Return a page, and whether the document had to be repaired."""
        if not self._process.running:
            self.open()
        answer, data = self._process.ask({"do": "read", "page": number}, seconds)
        try:
            size = int(answer["raw_bytes"])
            raw_json, png = data[:size], data[size:]
            raw = raw_page_from_json(json.loads(raw_json))
            return ReadPage(raw, raw_json, png, int(answer["width"]), int(answer["height"])), bool(answer["repaired"])
        except (ValueError, KeyError, TypeError) as error:
            raise WorkerFailure("the reading process gave a senseless answer") from error

    def close(self) -> None:
        """End the process; a question under way ends with a failure."""
        self._process.close()


class ReadingCrew:
    """The workers of one document.

    Attributes:
        repaired: Whether the library had to repair the document while a page was read.

    Args:
        path: The document.
        password: Opens it; "" for none.
        settings: Limits and rendering.
    """

    def __init__(self, path: Path, password: str, settings: PageSettings) -> None:
        self._settings = settings
        self._workers = [Worker(path, password, settings) for _ in range(settings.workers)]
        self._recognizer = Recognizer(path.parent) if ocr_available() else None
        self._overruns = 0
        self.repaired = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self._workers:
            worker.close()
        if self._recognizer is not None:
            self._recognizer.close()

    def open(self) -> dict[str, Any]:
        """Return the facts of the document.

        Raises:
            WorkerFailure: It cannot be opened.
        """
        # All at once, before it is known whether the document has pages for all: started one after the other, the second
        # process began 0.25 s late. One that cannot open the document says so again when it is asked for a page.
        with ThreadPoolExecutor(len(self._workers)) as pool:
            facts, *_ = [pool.submit(worker.open) for worker in self._workers]
        return facts.result()

    def read(self, numbers: tuple[int, ...], known: Callable[[str], Any]) -> Iterator[PageAnswer]:
        """Yield an answer a page, in the order they are ready.

        Args:
            numbers: 1-based page numbers.
            known: Called, from any thread, with a page's content digest; what it returns is passed on, and the page is
                read only if that is None.
        """
        workers = self._workers if len(numbers) >= _PAGES_FOR_MORE_WORKERS else self._workers[:1]
        waiting: queue.SimpleQueue[int] = queue.SimpleQueue()
        for number in numbers:
            waiting.put(number)
        answers: queue.Queue[PageAnswer | BaseException] = queue.Queue(_WAITING_RESULTS)
        stop = threading.Event()
        work = (waiting, answers, known, stop)
        threads = [threading.Thread(target=self._work, args=(worker, *work), daemon=True) for worker in workers]
        for thread in threads:
            thread.start()
        try:
            for _ in numbers:
                answer = answers.get()
                if isinstance(answer, BaseException):
                    raise answer
                yield answer
        finally:
            stop.set()
            self.__exit__()
            for thread in threads:
                while thread.is_alive():
                    with contextlib.suppress(queue.Empty):
                        answers.get_nowait()
                    thread.join(0.01)

    def _work(
        self,
        worker: Worker,
        waiting: "queue.SimpleQueue[int]",
        answers: "queue.Queue[PageAnswer | BaseException]",
        known: Callable[[str], Any],
        stop: threading.Event,
    ) -> None:
        try:
            while not stop.is_set():
                try:
                    number = waiting.get_nowait()
                except queue.Empty:
                    return
                answers.put(self._page(worker, number, known))
        except BaseException as error:  # noqa: BLE001  raised again where the answers are awaited
            answers.put(error)

    def _page(self, worker: Worker, number: int, known: Callable[[str], Any]) -> PageAnswer:
        content: str | None = None
        seconds = self._settings.page_seconds
        if self._overruns >= _OVERRUNS_AT_FULL_LIMIT:
            seconds /= 10
        try:
            content = worker.digest(number, seconds)
            found = known(content) if content else None
            if found is not None:
                return PageAnswer(number, content, known=found)
            page, repaired = worker.read(number, seconds)
            self.repaired = self.repaired or repaired
            return PageAnswer(number, content, read=self._with_text(page))
        except WorkerFailure as failure:
            self._overruns += failure.timed_out
            return PageAnswer(number, content, failure=failure)

    def _with_text(self, page: ReadPage) -> ReadPage:
        """Return the page, with recognized text where it has none and recognition is there."""
        if self._recognizer is None or not needs_recognition(page.raw):
            return page
        raw = self._recognizer.recognized(page.raw, page.png, page.width)
        return replace(page, raw=raw, raw_json=record_bytes(raw.to_json()))
