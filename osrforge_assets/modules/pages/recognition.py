"""Text for pages that have none: recognized from the render where the extra `ocr` is installed."""

import re
import threading
from dataclasses import replace
from pathlib import Path
from statistics import median

from osrforge_assets.modules.pages.letters import UNMAPPED
from osrforge_assets.modules.pages.processes import ReadingProcess, WorkerFailure
from osrforge_assets.modules.pages.raw_page import RawLine, RawPage, RawSpan

# The engine took 8 s for a dense page on a free core and 42 s on a busy machine.
_SECONDS = 180.0
# Type fills about three quarters of the box that the engine draws round a line.
_TYPE_SHARE = 0.75
_UNREADABLE_SHARE = 0.5
_NEAR_USUAL = 0.3
# Points from which a line's slope can be told, and characters from which its height is that of the text.
_LONG_LINE, _LONG_TEXT = 100.0, 20
# The engine drops spaces: `12Orc guard.The door`. A printed key and a sentence end are where one reading exists.
_GLUED_KEY = re.compile(r"^(\d{1,3}[a-z]?[.:)]?)(?=[A-ZÁÉÍÓÚ])")
_GLUED_SENTENCE = re.compile(r"(?<=[a-zà-ÿ][.!?:;,])(?=[A-ZÁÉÍÓÚ])")


def needs_recognition(page: RawPage) -> bool:
    """Return whether a page shows something but has no text, or mostly text without a readable meaning."""
    text = "".join(span.text for line in page.lines for span in line.spans).replace(" ", "")
    return not page.blank and text.count(UNMAPPED) >= _UNREADABLE_SHARE * len(text)


class Recognizer:
    """The recognizing process, shared by all workers of a document.

    Args:
        folder: Where renders are put for it.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._process = ReadingProcess("osrforge_assets.modules.pages.ocr_worker")
        self._lock = threading.Lock()

    def recognized(self, page: RawPage, png: bytes, width: int) -> RawPage:
        """Return the page with lines read from its render, or unchanged if nothing was read.

        Args:
            page: What the file tells.
            png: The render.
            width: Its width in pixels.
        """
        path = self._folder / "recognize.png"
        with self._lock:
            path.write_bytes(png)
            try:
                if not self._process.running:
                    self._process.start()
                answer, _ = self._process.ask({"path": str(path)}, _SECONDS)
                lines = recognized_lines(answer["lines"], page.width / width)
            except (WorkerFailure, ValueError, TypeError, KeyError):
                # Nothing was recognized: the page keeps its flag.
                return page
        return replace(page, lines=lines, recognized=True) if lines else page

    def close(self) -> None:
        """End the process."""
        self._process.close()


def recognized_lines(found: list[tuple[list[float], str]], scale: float) -> tuple[RawLine, ...]:
    """Return recognized texts as lines of an upright page.

    A scan lies a little askew and its boxes differ in height from line to line; columns and paragraphs are told from
    straight lines of equal type, so the usual slope is taken out and heights near the usual one become it.

    Args:
        found: For each text its corners in pixels, clockwise from the top left (x, y, x, y, …).
        scale: Points a pixel.
    """
    slopes = [(box[3] - box[1]) / (box[2] - box[0]) for box, _ in found if box[2] - box[0] > _LONG_LINE / scale]
    slope = median(slopes) if slopes else 0.0
    straight = [([*_straight(box, slope, scale)], text) for box, text in found]
    heights = [box[3] - box[1] for box, text in straight if len(text) > _LONG_TEXT] or [
        box[3] - box[1] for box, _ in straight
    ]
    usual = median(heights) if heights else 0.0
    return tuple(_line(box, text, usual) for box, text in straight)


def _straight(corners: list[float], slope: float, scale: float) -> tuple[float, float, float, float]:
    """Return the upright box of corners after turning the page back by `slope`."""
    points = [(x * scale, y * scale) for x, y in zip(corners[0::2], corners[1::2], strict=True)]
    turned = [(x + slope * y, y - slope * x) for x, y in points]
    (x0, y0), (x1, y1), (x2, y2), (x3, y3) = turned
    return min(x0, x3), (y0 + y1) / 2, max(x1, x2), (y2 + y3) / 2


def _line(box: list[float], text: str, usual: float) -> RawLine:
    x0, y0, x1, y1 = box
    height = y1 - y0
    if abs(height - usual) <= _NEAR_USUAL * usual:
        height = usual
    middle = (y0 + y1) / 2
    read = _GLUED_SENTENCE.sub(" ", _GLUED_KEY.sub(r"\1 ", text))
    size = round(max(_TYPE_SHARE * height, 1.0), 1)
    span = RawSpan(read, size, bold=False, italic=False, visible=True, start=x0, end=x1, font="")
    return RawLine(
        dx=1.0,
        dy=0.0,
        x0=round(x0, 2),
        y0=round(y0, 2),
        x1=round(x1, 2),
        y1=round(y1, 2),
        baseline=round(middle + 0.27 * size, 2),
        block=0,
        spans=(span,),
    )
