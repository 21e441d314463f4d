"""Pages of the demo module: two columns, boxes, stat blocks, tables, running heads."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pymupdf  # draws the shapes and embeds the fonts
from demo_text import BOLD, ITALIC, REGULAR, SANS, SANS_BOLD, Line, Style, break_lines, font, width

PAGE = pymupdf.Rect(0, 0, 612, 792)  # US Letter
MARGIN, GUTTER, TOP, BOTTOM = 54.0, 22.0, 66.0, 738.0
MEASURE = (PAGE.width - 2 * MARGIN - GUTTER) / 2
INK, AMBER, TINT, PALE = (0.1, 0.09, 0.08), (0.56, 0.32, 0.04), (0.98, 0.93, 0.8), (0.95, 0.94, 0.91)

BODY = Style(10.4, 12.8, indent=11)
FIRST = Style(10.4, 12.8)
BOXED = Style(10.2, 12.6, font=ITALIC)
STAT = Style(9.2, 11.2, font=REGULAR, justify=False)
CELL = Style(9.5, 11.8, justify=False)
HEAD_CELL = Style(8.2, 11.2, font=SANS_BOLD, justify=False)
AREA = Style(11.4, 13.6, font=BOLD, justify=False)
HEADING = Style(13.2, 16.0, font=SANS_BOLD, justify=False)

TITLE = Style(19, 24, font=BOLD, justify=False)

Colour = tuple[float, ...] | None


@dataclass
class Book:
    """The document being set: current page, column and height, and what the contents page needs."""

    doc: Any = field(default_factory=pymupdf.open)  # PyMuPDF's own annotations miss what its objects do
    title: str = ""
    section: str = ""
    hyphens: dict[str, tuple[str, ...]] = field(default_factory=dict)
    headings: list[tuple[int, str, int]] = field(default_factory=list)
    column: int = 0
    top: float = TOP
    y: float = TOP
    shape: Any = None  # the page's drawing, below its text
    runs: list[tuple[tuple[float, ...], Any]] = field(default_factory=list)

    @property
    def page(self) -> Any:
        """The page under the pen."""
        return self.doc[-1]

    @property
    def x(self) -> float:
        """Left edge of the current column."""
        return MARGIN + self.column * (MEASURE + GUTTER)

    def mark(self, depth: int, title: str) -> None:
        """Enter a heading for the contents page and the outline."""
        self.headings.append((depth, title, len(self.doc)))

    def new_page(self, *, furniture: bool = True) -> None:
        """Start a page, with running head and page number unless it is the cover."""
        self.flush()
        self.doc.new_page(width=PAGE.width, height=PAGE.height)
        self.shape, self.runs = self.page.new_shape(), []
        self.column, self.top, self.y = 0, TOP, TOP
        if not furniture:
            return
        number = len(self.doc)
        text = self.title if number % 2 == 0 else self.section
        x = MARGIN if number % 2 == 0 else PAGE.width - MARGIN - font(SANS).text_length(text, 8)
        self.write(x, 44, text, SANS, 8, AMBER)
        self.draw("line", (MARGIN, 50), (PAGE.width - MARGIN, 50), colour=AMBER, width=0.5)
        label = str(number)
        self.write((PAGE.width - font(SANS).text_length(label, 9)) / 2, 764, label, SANS, 9, INK)

    def write(self, x: float, y: float, text: str, face: str, size: float, colour: tuple[float, ...]) -> None:
        """Text with its baseline at (x, y)."""
        if not self.runs or self.runs[-1][0] != colour:
            self.runs.append((colour, pymupdf.TextWriter(PAGE)))
        self.runs[-1][1].append((x, y), text, font=font(face), fontsize=size)

    def draw(
        self, what: str, *at: Any, colour: Colour = None, fill: Colour = None, width: float = 1.0, **more: Any
    ) -> None:
        """A line, rect, circle, oval or polyline on the current page."""
        corner = {"radius": more.pop("radius")} if "radius" in more else {}
        getattr(self.shape, f"draw_{what}")(*at, **corner)
        more.setdefault("closePath", what not in ("line", "polyline"))
        self.shape.finish(color=colour, fill=fill, width=width, **more)

    def flush(self) -> None:
        """Put the page's drawing and text down, in one go: PyMuPDF re-reads the page's content at every write, which
        made a book of single lines and strokes take 11 s a pass."""
        if self.shape:
            self.shape.commit()
        for colour, writer in self.runs:
            writer.write_text(self.page, color=colour)
        self.shape, self.runs = None, []

    def centred(self, y: float, text: str, face: str, size: float, colour: tuple[float, ...]) -> None:
        """Text centred on the page."""
        self.write((PAGE.width - font(face).text_length(text, size)) / 2, y, text, face, size, colour)

    def advance(self) -> None:
        """Go to the next column or page."""
        if self.column == 0:
            self.column, self.y = 1, self.top
        else:
            self.new_page()

    def need(self, height: float) -> None:
        """Go to the next column unless `height` points are left in this one."""
        if self.y + height > BOTTOM:
            self.advance()

    def gap(self, height: float) -> None:
        """White space, dropped at the head of a column."""
        if self.y > self.top:
            self.y += height

    def set_line(self, line: Line, style: Style, measure: float, x: float, colour: tuple[float, ...] = INK) -> None:
        """One line at the pen; words carry their space, so the text layer has real spaces."""
        space = font(style.font).text_length(" ", style.size)
        if line.stretch and len(line.words) > 1:
            free = measure - line.indent - sum(width(word, style.size) for word in line.words)
            space = free / (len(line.words) - 1)
        pen, baseline = x + line.indent, self.y + style.size
        for index, word in enumerate(line.words):
            for part, (text, face) in enumerate(word):
                last = part == len(word) - 1 and index < len(line.words) - 1
                self.write(pen, baseline, text + (" " if last else ""), face, style.size, colour)
                pen += font(face).text_length(text, style.size)
            pen += space
        self.y += style.leading

    def paragraph(self, text: str, style: Style, *, hang: float = 0.0) -> None:
        """Running text; it may cross a column or a page, but never leaves one line alone."""
        lines = break_lines(text, style, MEASURE, self.hyphens, hang)
        for index, line in enumerate(lines):
            left = len(lines) - index
            together = left if left == 2 or (index == 0 and left <= 3) else 2 if index == 0 else 1
            self.need(style.leading * together)
            self.set_line(line, style, MEASURE, self.x)

    def heading(self, text: str, style: Style, colour: tuple[float, ...], follow: float, before: float) -> None:
        """A heading and at least `follow` points of what it heads."""
        lines = break_lines(text, style, MEASURE, self.hyphens)
        self.gap(before)
        self.need(len(lines) * style.leading + follow)
        for line in lines:
            self.set_line(line, style, MEASURE, self.x, colour)
        if style is HEADING:
            self.draw("line", (self.x, self.y), (self.x + MEASURE, self.y), colour=AMBER, width=0.7)
            self.y += 2
        self.y += 2.5

    def box(self, text: str) -> None:
        """Read-aloud text in a tinted frame, never broken."""
        pad = 7.0
        lines = break_lines(text, BOXED, MEASURE - 2 * pad, self.hyphens)
        height = len(lines) * BOXED.leading + 2 * pad - 3
        self.gap(3)
        self.need(height)
        frame = pymupdf.Rect(self.x, self.y, self.x + MEASURE, self.y + height)
        self.draw("rect", frame, colour=AMBER, fill=TINT, width=0.6)
        self.y += pad - 1.5
        for line in lines:
            self.set_line(line, BOXED, MEASURE - 2 * pad, self.x + pad)
        self.y = frame.y1 + 6

    def stat(self, text: str) -> bool:
        """A stat block with a rule down its side; it breaks where the column ends. True if it did."""
        self.gap(2)
        columns: set[tuple[int, int]] = set()
        for line in break_lines(text, STAT, MEASURE - 10, self.hyphens, hang=8):
            self.need(STAT.leading)
            self.draw("line", (self.x + 3, self.y), (self.x + 3, self.y + STAT.leading), colour=AMBER, width=1.2)
            self.set_line(line, STAT, MEASURE - 10, self.x + 10)
            columns.add((len(self.doc), self.column))
        self.y += 3.5
        return len(columns) > 1

    def table(self, rows: list[list[str]]) -> None:
        """A table whose first row is its head; every other row is shaded, no row is broken."""
        first = max(width(((row[0], REGULAR),), CELL.size) for row in rows) + 16
        widths = [first, MEASURE - first]
        self.gap(5)
        for index, row in enumerate(rows):
            style = CELL if index else HEAD_CELL
            cells = [break_lines(text, style, w - 8, self.hyphens) for text, w in zip(row, widths, strict=True)]
            height = max(map(len, cells)) * style.leading + 3
            self.need(height + (30 if index == 0 else 0))
            frame = pymupdf.Rect(self.x, self.y, self.x + MEASURE, self.y + height)
            fill = AMBER if index == 0 else PALE if index % 2 else None
            if fill:
                self.draw("rect", frame, colour=None, fill=fill, width=0)
            for lines, left in zip(cells, (self.x + 5, self.x + first), strict=True):
                self.y = frame.y0 + 0.5
                for line in lines:
                    self.set_line(line, style, 0, left, INK if index else (1, 1, 1))
            self.y = frame.y1
        self.draw("line", (self.x, self.y), (self.x + MEASURE, self.y), colour=AMBER, width=0.7)
        self.y += 7

    def opening(self, title: str) -> None:
        """A part starts a page, its title across both columns."""
        self.section = title
        self.new_page()
        self.mark(1, title)
        self.write(MARGIN, 88, title, BOLD, 25, AMBER)
        self.draw("line", (MARGIN, 99), (PAGE.width - MARGIN, 99), colour=AMBER, width=1.6)
        self.top = self.y = 113.0

    def contents(self, entries: list[tuple[int, str, int]]) -> None:
        """The contents list with dotted leaders; entries come from the pass before this one."""
        for depth, title, number in entries:
            style = Style(10.2 if depth == 1 else 9.4, 15.0 if depth == 1 else 12.6, BOLD if depth == 1 else REGULAR)
            self.gap(4 if depth == 1 else 0)
            left, right = self.x + (0 if depth == 1 else 10), self.x + MEASURE
            self.need(style.leading)
            end = left + font(style.font).text_length(title, style.size) + 4
            start = right - font(style.font).text_length(str(number), style.size)
            dot = font(REGULAR).text_length(" .", style.size)
            dots = " ." * max(0, int((start - 4 - end) / dot))
            baseline = self.y + style.size
            self.write(left, baseline, title, style.font, style.size, INK)
            self.write(start - 4 - dot * (len(dots) / 2), baseline, dots, REGULAR, style.size, AMBER)
            self.write(start, baseline, str(number), style.font, style.size, INK)
            self.y += style.leading

    def plate(self, title: str, draw: Callable[["Book"], None]) -> None:
        """A full page that a function draws, such as a map."""
        self.section = title
        self.new_page()
        self.mark(1, title)
        draw(self)
