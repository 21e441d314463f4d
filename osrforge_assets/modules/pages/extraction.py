"""From one loaded PDF page to its render and its raw content. Runs in a reading process.

The page is interpreted once, into a display list; the render and the text both come from that list, which saves 2 to
10 ms a page over interpreting it for each.
"""

import math
import re
from collections import Counter
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from osrforge_assets.modules.pages.drawings import image_boxes, vector_shapes
from osrforge_assets.modules.pages.fonts import Fonts
from osrforge_assets.modules.pages.png import encode_png
from osrforge_assets.modules.pages.raw_page import RawLine, RawPage, RawSpan

_POINTS_PER_INCH = 72
_QUARTERS = {(1, 0): 0, (0, 1): 90, (-1, 0): 180, (0, -1): 270}
_UNMAPPED = "\ufffd"
# Flags of a character in the PDF library's text page.
_BOLD, _FILLED, _STROKED = 8, 16, 32
_STYLE_FLAGS = _BOLD | _FILLED | _STROKED
# "T H E   V A U L T": at least four single characters, each set off by a space.
# A code below the space that reached the text is a glyph whose meaning the file does not tell.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x0c\x0e-\x1f\x7f]")
# What the library says of a page of which something is lost. It also warns of fonts without a character map, wrong lengths
# and the like, which lose nothing; of 21 sound modules it says nothing at all.
_LOSS = re.compile(
    r"page may not be correct|premature end|zlib error|is not a stream|cannot (?:load|find|parse) object"
)
# It says this of all pages of a document; of those without any content it is the reason.
_NO_PAGE = "non-page object"
_SPACED = re.compile(r"^\W*(?:\w\W? +){3,}\w\W?$")


class UnreadablePageError(Exception):
    """A page that has no sensible size or no content that loads."""


@dataclass(frozen=True, slots=True)
class Rendering:
    """What a page's render may be: the page reader's settings without what concerns processes."""

    dpi: int
    max_edge: int
    max_pixels: int


@dataclass(frozen=True, slots=True)
class Extracted:
    """A page as it left the PDF library.

    Attributes:
        png: The render.
        width: Its width in pixels.
        height: Its height in pixels.
        raw: Text lines, shapes and images in points of the upright page.
    """

    png: bytes
    width: int
    height: int
    raw: RawPage


def extract_page(document: Any, number: int, rendering: Rendering) -> Extracted:
    """Render and read the page with 1-based `number`.

    Raises:
        UnreadablePageError: The page has no usable size.
        RuntimeError: The library cannot load the page.
    """
    import pymupdf

    page = document[number - 1]
    width, height = page.rect.width, page.rect.height
    if not (0 < width < math.inf and 0 < height < math.inf):
        raise UnreadablePageError("the page has no size")
    display, content, turn = _upright(pymupdf, page)
    width, height = page.rect.width, page.rect.height
    lines = _lines(pymupdf, display, content, Fonts(document, number))
    shapes, drawings = vector_shapes(content, width, height)
    scale, scaled_down = _scale(width, height, rendering)
    pixmap = display.get_pixmap(matrix=pymupdf.Matrix(scale, scale), colorspace=pymupdf.csRGB, alpha=False)
    if not (pixmap.width and pixmap.height):
        raise UnreadablePageError("the page is too narrow to be drawn")
    samples, images = pixmap.samples_mv, image_boxes(pymupdf, display)
    # The library's own test for one colour takes 15 s on a white page.
    blank = not lines and _has_one_value(samples)
    complaints = pymupdf.TOOLS.mupdf_warnings()
    damaged = bool(_LOSS.search(complaints))
    if blank and (damaged or _NO_PAGE in complaints):
        raise UnreadablePageError("its content is damaged")
    raw = RawPage(
        width=round(width, 2),
        height=round(height, 2),
        turned=turn,
        scaled_down=scaled_down,
        lines=lines,
        shapes=shapes,
        drawings=drawings,
        images=images,
        blank=blank,
        damaged=damaged,
    )
    return Extracted(encode_png(samples, pixmap.width, pixmap.height), pixmap.width, pixmap.height, raw)


def _upright(pymupdf: Any, page: Any) -> tuple[Any, dict[str, Any], int]:
    """Return a page's drawing and text, most of it upright, and the clockwise degrees it was turned by for that."""
    display, content = _read(pymupdf, page)
    turn = _sideways_turn(content)
    if turn and page.rotation == 0:
        # Of a `/Rotate` that is no quarter the library draws the nearest one and calls it none.
        page.set_rotation(0)
        display, content = _read(pymupdf, page)
        turn = _sideways_turn(content)
    if turn:
        page.set_rotation((page.rotation + turn) % 360)
        display, content = _read(pymupdf, page)
    return display, content, turn


def _read(pymupdf: Any, page: Any) -> tuple[Any, dict[str, Any]]:
    display = page.get_displaylist()
    return display, _text_page(pymupdf, display, pymupdf.TEXT_COLLECT_VECTORS).extractDICT()


def _text_page(pymupdf: Any, display: Any, more_flags: int) -> Any:
    # Ligatures are not preserved, so the library itself spells them out; text outside the page's box is left out.
    flags = pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_MEDIABOX_CLIP | more_flags
    return pymupdf.TextPage(display.get_textpage(flags))


def _scale(width: float, height: float, rendering: Rendering) -> tuple[float, bool]:
    """Return pixels a point, and whether the limits forced it below the asked resolution."""
    asked = rendering.dpi / _POINTS_PER_INCH
    edge = rendering.max_edge / max(width, height)
    area = math.sqrt(rendering.max_pixels / (width * height))
    # A hair below the limit: the rendered box is rounded outwards to whole pixels.
    return min(asked, edge * 0.9995, area * 0.9995), min(edge, area) < asked


def _has_one_value(samples: memoryview) -> bool:
    return bytes(samples).count(samples[:1]) == len(samples)


def _sideways_turn(content: dict[str, Any]) -> int:
    """Return the clockwise turn that sets most of the page's text upright: 0, 90, 180 or 270.

    Three quarters of the characters must agree, so a sheet with some labels up its margin, or one imposed with half of
    its pages upside down, stays as it is. Vertical writing (wmode 1) is upright as it stands.
    """
    votes: Counter[int] = Counter()
    for block in content["blocks"]:
        for line in block.get("lines", ()):
            direction = (round(line["dir"][0]), round(line["dir"][1]))
            quarter = 0 if line["wmode"] else _QUARTERS.get(direction, 0)
            votes[quarter] += sum(len(span["text"]) for span in line["spans"])
    if not votes:
        return 0
    quarter, count = votes.most_common(1)[0]
    return (360 - quarter) % 360 if count >= 0.75 * votes.total() else 0


def _lines(pymupdf: Any, display: Any, content: dict[str, Any], fonts: Fonts) -> tuple[RawLine, ...]:
    found = [line for block in content["blocks"] for line in block.get("lines", ())]
    texts = ["".join(span["text"] for span in line["spans"]) for line in found]
    glyphs: list[str] | None = None
    if any(_UNMAPPED in text for text in texts):
        glyphs = _glyph_texts(pymupdf, display, [len(text) for text in texts])
    letters = _spaced_letters(pymupdf, display) if any(_SPACED.match(text.strip()) for text in texts) else {}
    block_of = [index for index, block in enumerate(content["blocks"]) for _ in block.get("lines", ())]
    result: list[RawLine] = []
    for index, line in enumerate(found):
        rejoined = letters.get(index) if _SPACED.match(texts[index].strip()) else None
        result.append(_line(line, fonts, block_of[index], glyphs[index] if glyphs else None, rejoined))
    return tuple(result)


def _line(line: dict[str, Any], fonts: Fonts, block: int, glyphs: str | None, rejoined: str | None) -> RawLine:
    dx, dy = line["dir"]
    x0, y0, x1, y1 = line["bbox"]
    spans: list[RawSpan] = []
    position = 0
    for span in _merged_spans(line["spans"]):
        text = span["text"]
        face = fonts.face(span)
        start, end = _along(span["bbox"], dx, dy)
        codes = glyphs[position : position + len(text)] if glyphs else text
        spans.append(
            RawSpan(
                text=text if text.isprintable() else _CONTROL.sub(_UNMAPPED, text),
                size=round(span["size"], 2),
                bold=face.bold,
                italic=face.italic,
                visible=bool(span["char_flags"] & (_FILLED | _STROKED)) and span.get("alpha", 255) > 0,
                start=round(start, 2),
                end=round(end, 2),
                font=face.family,
                glyphs=_glyph_names(span["font"], text, codes),
            )
        )
        position += len(text)
    if rejoined is not None and spans:
        spans = [replace(spans[0], text=rejoined, end=spans[-1].end, glyphs=())]
    origin = line["spans"][0]["origin"] if line["spans"] else (x0, y1)
    return RawLine(
        dx=round(dx, 3),
        dy=round(dy, 3),
        x0=round(x0, 2),
        y0=round(y0, 2),
        x1=round(x1, 2),
        y1=round(y1, 2),
        baseline=round(-origin[0] * dy + origin[1] * dx, 2),
        block=block,
        spans=tuple(spans),
    )


def _merged_spans(spans: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return spans with neighbours of one style joined; typesetting programs write a span a word and a span a space."""
    if len(spans) == 1:
        return spans
    merged: list[dict[str, Any]] = []
    for span in spans:
        last = merged[-1] if merged else None
        if (
            last is not None
            and all(last[key] == span[key] for key in ("font", "size", "flags"))
            and not (last["char_flags"] ^ span["char_flags"]) & _STYLE_FLAGS
        ):
            last["text"] += span["text"]
            old, new = last["bbox"], span["bbox"]
            last["bbox"] = (min(old[0], new[0]), min(old[1], new[1]), max(old[2], new[2]), max(old[3], new[3]))
        else:
            merged.append(dict(span))
    return merged


def _glyph_names(font: str, text: str, codes: str) -> tuple[str, ...]:
    """Return a name for each character without a meaning: its font, and its code or glyph number there."""
    if _UNMAPPED not in text and (text.isprintable() or not _CONTROL.search(text)):
        return ()
    names: list[str] = []
    for char, code in zip(text, codes, strict=False):
        if char == _UNMAPPED:
            names.append(f"{font}#{ord(code)}")
        elif _CONTROL.match(char):
            names.append(f"{font}@{ord(char)}")
    return tuple(names)


def _along(box: tuple[float, float, float, float], dx: float, dy: float) -> tuple[float, float]:
    """Return where a box starts and ends along the writing direction."""
    if dy == 0 and dx > 0:
        return box[0], box[2]
    corners = [x * dx + y * dy for x in (box[0], box[2]) for y in (box[1], box[3])]
    return min(corners), max(corners)


def _glyph_texts(pymupdf: Any, display: Any, lengths: list[int]) -> list[str] | None:
    """Return the lines with glyph numbers where a glyph has no Unicode meaning, None if they do not line up.

    Two glyphs of one font that bear the same number are the same letter or ligature, which is what a repair needs.
    """
    content = _text_page(pymupdf, display, pymupdf.TEXT_USE_GID_FOR_UNKNOWN_UNICODE).extractDICT()
    texts = [
        "".join(span["text"] for span in line["spans"])
        for block in content["blocks"]
        for line in block.get("lines", ())
    ]
    return texts if [len(text) for text in texts] == lengths else None


def _spaced_letters(pymupdf: Any, display: Any) -> dict[int, str]:
    """Return, for each line set with s p a c e d letters, its words: the wide gaps are the spaces between them."""
    content = _text_page(pymupdf, display, pymupdf.TEXT_COLLECT_VECTORS).extractRAWDICT()
    result: dict[int, str] = {}
    lines = [line for block in content["blocks"] for line in block.get("lines", ())]
    for index, line in enumerate(lines):
        chars = [char for span in line["spans"] for char in span["chars"] if not char["c"].isspace()]
        if len(chars) < 4 or abs(line["dir"][1]) > 0.01:
            continue
        gaps = [after["bbox"][0] - before["bbox"][2] for before, after in pairwise(chars)]
        usual = sorted(gaps)[len(gaps) // 2]
        wide = usual * 1.6 + 0.5
        words = chars[0]["c"]
        for gap, char in zip(gaps, chars[1:], strict=True):
            words += (" " if gap > wide else "") + char["c"]
        result[index] = words
    return result
