"""A page as it left the PDF library: plain values that cross a process border and are kept as a page record.

All coordinates are points of the upright page, x to the right and y down from its top left corner.
"""

import json
from dataclasses import dataclass
from typing import Any

Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class RawSpan:
    """Characters of one style.

    Attributes:
        text: As mapped by the file; U+FFFD where a glyph has no Unicode meaning.
        size: Font size in points.
        bold: Whether the face is bold.
        italic: Whether the face is italic.
        visible: False for text drawn with neither fill nor stroke, as recognition layers of scans are.
        start: Where it starts along the writing direction.
        end: Where it ends.
        font: Family of the font, without style and subset marks.
        glyphs: For each U+FFFD of `text`, font and glyph number.
    """

    text: str
    size: float
    bold: bool
    italic: bool
    visible: bool
    start: float
    end: float
    font: str
    glyphs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RawLine:
    """A line of text.

    Attributes:
        dx: Writing direction, x part of a unit vector.
        dy: Writing direction, y part; 0 for upright text.
        x0: Left edge of its box on the page.
        y0: Top edge.
        x1: Right edge.
        y1: Bottom edge.
        baseline: Position of the baseline across the writing direction; grows from line to line.
        block: Number of the library's block it came in.
        spans: Its characters.
    """

    dx: float
    dy: float
    x0: float
    y0: float
    x1: float
    y1: float
    baseline: float
    block: int
    spans: tuple[RawSpan, ...]


@dataclass(frozen=True, slots=True)
class Shape:
    """A drawn shape large enough to be a box or a rule.

    Attributes:
        x0: Left edge.
        y0: Top edge.
        x1: Right edge.
        y1: Bottom edge.
        rectangle: Whether the path is a rectangle.
        stroked: Whether it is an outline; otherwise a fill.
        color: 0xRRGGBB.
    """

    x0: float
    y0: float
    x1: float
    y1: float
    rectangle: bool
    stroked: bool
    color: int


@dataclass(frozen=True, slots=True)
class RawPage:
    """All that is read from one page.

    Attributes:
        width: Points, upright.
        height: Points, upright.
        turned: Clockwise degrees the page was turned by because its text was drawn sideways.
        scaled_down: Whether the render stays below the asked resolution.
        lines: In the order of the file.
        shapes: Visible boxes and rules.
        drawings: Boxes around drawn regions such as maps.
        images: Boxes of raster images.
        blank: Whether nothing is drawn: every pixel of the render has one colour.
        recognized: Whether `lines` come from text recognition.
        damaged: Whether part of the page's content could not be read.
    """

    width: float
    height: float
    turned: int
    scaled_down: bool
    lines: tuple[RawLine, ...]
    shapes: tuple[Shape, ...]
    drawings: tuple[Box, ...]
    images: tuple[Box, ...]
    blank: bool = False
    recognized: bool = False
    damaged: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return the page as JSON data."""
        return {
            **{
                name: getattr(self, name)
                for name in ("width", "height", "turned", "scaled_down", "blank", "recognized", "damaged")
            },
            "lines": [
                [
                    *(line.dx, line.dy, line.x0, line.y0, line.x1, line.y1, line.baseline, line.block),
                    [_values(span) for span in line.spans],
                ]
                for line in self.lines
            ],
            "shapes": [_values(shape) for shape in self.shapes],
            "drawings": self.drawings,
            "images": self.images,
        }


def raw_page_from_json(data: dict[str, Any]) -> RawPage:
    """Return the page that `RawPage.to_json` wrote.

    Raises:
        KeyError, TypeError, ValueError: The data is something else.
    """
    return RawPage(
        width=float(data["width"]),
        height=float(data["height"]),
        turned=int(data["turned"]),
        scaled_down=bool(data["scaled_down"]),
        lines=tuple(_line(*line) for line in data["lines"]),
        shapes=tuple(_shape(*shape) for shape in data["shapes"]),
        drawings=tuple(_box(box) for box in data["drawings"]),
        images=tuple(_box(box) for box in data["images"]),
        blank=bool(data["blank"]),
        recognized=bool(data["recognized"]),
        damaged=bool(data["damaged"]),
    )


def plain_text(page: RawPage) -> str:
    """Return the text layer as the file has it: a line a line, a blank line between blocks."""
    parts: list[str] = []
    block = None
    for line in page.lines:
        if block is not None:
            parts.append("\n" if line.block == block else "\n\n")
        block = line.block
        parts.append("".join(span.text for span in line.spans))
    # Lone surrogates have no UTF-8 form.
    return "".join(parts).encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def record_bytes(document: dict[str, Any]) -> bytes:
    """Return JSON data as bytes; lone surrogates stay escapes."""
    return json.dumps(document, separators=(",", ":"), ensure_ascii=True).encode("ascii")


def _values(item: RawSpan | Shape) -> list[Any]:
    # dataclasses.asdict copies deeply and takes 6 ms a page where this takes 0.5.
    return [getattr(item, name) for name in item.__slots__]


def _span(
    text: str,
    size: float,
    bold: bool,
    italic: bool,
    visible: bool,
    start: float,
    end: float,
    font: str,
    glyphs: list[str],
) -> RawSpan:
    return RawSpan(
        str(text),
        float(size),
        bool(bold),
        bool(italic),
        bool(visible),
        float(start),
        float(end),
        str(font),
        tuple(map(str, glyphs)),
    )


def _line(
    dx: float,
    dy: float,
    x0: float,
    y0: float,
    x1: float,
    y1: float,
    baseline: float,
    block: int,
    spans: list[list[Any]],
) -> RawLine:
    read = tuple(_span(*span) for span in spans)
    return RawLine(float(dx), float(dy), float(x0), float(y0), float(x1), float(y1), float(baseline), int(block), read)


def _shape(x0: float, y0: float, x1: float, y1: float, rectangle: bool, stroked: bool, color: int) -> Shape:
    return Shape(float(x0), float(y0), float(x1), float(y1), bool(rectangle), bool(stroked), int(color))


def _box(values: list[float]) -> Box:
    x0, y0, x1, y1 = map(float, values)
    return x0, y0, x1, y1
