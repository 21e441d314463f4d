"""The title page of the demo module, and the honeycomb that the hive's map shares with it."""

import math

import pymupdf  # its rectangles
from demo_pages import PAGE, Book
from demo_text import BOLD, ITALIC, REGULAR


def comb(book: Book, frame: pymupdf.Rect, side: float, colour: tuple[float, ...]) -> None:
    """Honeycomb over a frame, whole cells only."""
    step, rise = side * math.sqrt(3), side * 1.5
    for row in range(int((frame.height - 2 * side) / rise) + 1):
        for column in range(int(frame.width / step - 0.5)):
            x, y = frame.x0 + step * (column + 0.5 + row % 2 / 2), frame.y0 + side + rise * row
            corners = [(x + side * math.sin(k * math.tau / 6), y + side * math.cos(k * math.tau / 6)) for k in range(6)]
            book.draw("polyline", corners, colour=colour, width=0.5, closePath=True)


def cover(book: Book, title: str, subtitle: str, foot: str) -> None:
    """Title page: a burning candle before the comb."""
    middle = PAGE.width / 2
    book.draw("rect", PAGE, colour=None, fill=(0.17, 0.13, 0.09), width=0)
    comb(book, pymupdf.Rect(-20, -30, 700, 830), 26, (0.30, 0.22, 0.13))
    for ring in range(12):
        glow = ring / 11
        shade = (0.22 + 0.5 * glow, 0.16 + 0.32 * glow, 0.10 + 0.06 * glow)
        book.draw("circle", (middle, 372), 176 - 12 * ring, colour=None, fill=shade, width=0)
    book.draw("rect", pymupdf.Rect(middle - 30, 424, middle + 30, 616), colour=None, fill=(0.95, 0.87, 0.68), width=0)
    book.draw("oval", pymupdf.Rect(middle - 30, 412, middle + 30, 436), colour=None, fill=(0.99, 0.94, 0.80), width=0)
    for x, top, length in ((-30, 430, 62), (-17, 434, 26), (8, 434, 44), (23, 430, 92)):
        drip = pymupdf.Rect(middle + x - 3, top, middle + x + 10, top + length)
        book.draw("rect", drip, colour=None, fill=(0.99, 0.94, 0.80), width=0, radius=0.45)
    book.draw("line", (middle, 424), (middle, 402), colour=(0.2, 0.12, 0.05), width=2.4)
    for half, low, high, colour in ((23, 414, 306, (0.96, 0.62, 0.12)), (12, 410, 344, (1, 0.92, 0.62))):
        flame = book.shape
        flame.draw_bezier((middle, low), (middle - 2 * half, low - 12), (middle - half / 3, high + 34), (middle, high))
        flame.draw_bezier((middle, high), (middle + half / 3, high + 34), (middle + 2 * half, low - 12), (middle, low))
        flame.finish(color=None, fill=colour, width=0)
    book.draw("oval", pymupdf.Rect(middle - 96, 604, middle + 96, 640), colour=None, fill=(0.52, 0.33, 0.10), width=0)
    book.draw("oval", pymupdf.Rect(middle - 84, 601, middle + 84, 630), colour=None, fill=(0.68, 0.45, 0.15), width=0)
    book.draw("rect", pymupdf.Rect(middle - 30, 590, middle + 30, 616), colour=None, fill=(0.95, 0.87, 0.68), width=0)
    cream = (0.99, 0.93, 0.78)
    head, _, tail = title.partition(" of ")
    book.centred(112, head, BOLD, 44, cream)
    book.centred(158, f"of {tail}", BOLD, 36, cream)
    book.centred(196, subtitle, ITALIC, 14, cream)
    book.centred(706, foot, REGULAR, 13, cream)
