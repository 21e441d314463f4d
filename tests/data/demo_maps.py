"""The maps of the demo module. Map coordinates are squares of ten feet, north up."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import pymupdf  # its rectangles
from demo_cover import comb
from demo_pages import AMBER, INK, MARGIN, PAGE, TINT, Book
from demo_text import BOLD, ITALIC, SANS, SANS_BOLD, font

ROCK, FLOOR, GRID, COMB = (0.86, 0.80, 0.69), (1, 1, 1), (0.88, 0.87, 0.84), (0.80, 0.72, 0.57)
Spot = tuple[float, float]


@dataclass(frozen=True)
class Plan:
    """A level as drawn: rooms by key, corridors, and marks (kind, x, y) on walls and floors.

    `door`, `stuck`, `locked` and `secret` end in `-h` on a horizontal wall and in `-v` on a vertical one.
    """

    title: str
    rooms: dict[str, tuple[int, int, int, int]]
    corridors: tuple[tuple[int, int, int, int], ...]
    marks: tuple[tuple[str, float, float], ...]


UNDERCROFT = Plan(
    "Level 1: The Undercroft",
    {
        "1": (17, 18, 6, 4),
        "2": (14, 10, 12, 5),
        "3": (3, 10, 7, 5),
        "4": (30, 9, 7, 6),
        "4a": (31, 2, 5, 4),
        "4b": (38, 10, 3, 4),
        "5": (15, 1, 10, 6),
        "6": (5, 2, 6, 4),
        "7": (4, 18, 5, 4),
        "8": (30, 18, 7, 4),
    },
    (
        (20, 15, 1, 3),
        (10, 12, 4, 1),
        (26, 12, 4, 1),
        (20, 7, 1, 3),
        (11, 3, 4, 1),
        (6, 15, 1, 3),
        (9, 20, 8, 1),
        (33, 6, 1, 3),
        (37, 12, 1, 1),
        (33, 15, 1, 3),
        (20, 22, 1, 1),
    ),
    (
        ("stuck-v", 10, 12.5),
        ("door-h", 20.5, 10),
        ("secret-v", 15, 3.5),
        ("door-h", 33.5, 6),
        ("locked-h", 33.5, 15),
        ("stairs", 20.5, 22.0),
        ("well", 35.4, 20.4),
        ("chute", 6.5, 4.9),
        ("entrance", 20.5, 23),
    ),
)

CELLARS = Plan(
    "Level 2: The Wax Cellars",
    {
        "1": (30, 18, 7, 4),
        "2": (26, 9, 9, 6),
        "3": (15, 10, 7, 5),
        "4": (38, 9, 4, 5),
        "5": (5, 2, 6, 4),
        "6": (14, 1, 14, 5),
        "7": (3, 10, 8, 5),
        "8": (14, 18, 9, 4),
    },
    (
        (33, 15, 1, 3),
        (22, 12, 4, 1),
        (35, 11, 3, 1),
        (11, 3, 3, 1),
        (18, 6, 1, 4),
        (27, 6, 1, 3),
        (11, 12, 4, 1),
        (7, 6, 1, 4),
        (18, 15, 1, 3),
    ),
    (
        ("stuck-v", 22, 12.5),
        ("locked-v", 38, 11.5),
        ("door-h", 18.5, 10),
        ("locked-v", 11, 12.5),
        ("secret-h", 7.5, 10),
        ("locked-h", 18.5, 18),
        ("well", 35.4, 20.4),
        ("chute", 6.5, 4.9),
    ),
)

# Caves by key: centre and radii in points inside the map frame; passages as pairs of keys.
CAVES = {
    "1": (255, 448, 62, 46),
    "2": (252, 285, 74, 50),
    "3": (88, 268, 48, 42),
    "4": (420, 285, 58, 54),
    "5": (90, 436, 58, 50),
    "6": (408, 100, 70, 54),
    "7": (424, 444, 52, 44),
    "8": (222, 104, 50, 40),
}
PASSAGES = (
    ("1", "2"),
    ("1", "5"),
    ("1", "7"),
    ("2", "3"),
    ("2", "4"),
    ("2", "8"),
    ("3", "5"),
    ("4", "6"),
    ("4", "7"),
    ("6", "8"),
)


def rect(origin: Spot, cell: float, room: tuple[int, int, int, int]) -> pymupdf.Rect:
    """A room's rectangle on the page."""
    x, y, w, h = room
    left, top = origin[0] + x * cell, origin[1] + y * cell
    return pymupdf.Rect(left, top, left + w * cell, top + h * cell)


def label(book: Book, centre: Spot, text: str, size: float = 11) -> None:
    """A key, centred on a spot."""
    x = centre[0] - font(SANS_BOLD).text_length(text, size) / 2
    book.write(x, centre[1] + size * 0.36, text, SANS_BOLD, size, INK)


def draw_mark(book: Book, kind: str, at: Spot, cell: float) -> None:
    """One map mark; the legend draws the same ones."""
    x, y = at
    name, _, wall = kind.partition("-")
    along, across = (0.42 * cell, 0.2 * cell) if wall == "h" else (0.2 * cell, 0.42 * cell)
    if name in ("door", "stuck", "locked"):
        leaf = pymupdf.Rect(x - along, y - across, x + along, y + across)
        book.draw("rect", leaf, colour=INK, fill=INK if name == "locked" else FLOOR, width=0.8)
        if name == "stuck":
            book.draw("line", leaf.tl, leaf.br, colour=INK, width=0.8)
            book.draw("line", leaf.tr, leaf.bl, colour=INK, width=0.8)
    elif name == "secret":
        book.draw("circle", at, 0.46 * cell, colour=INK, fill=TINT, width=0.8)
        label(book, at, "S", 8)
    elif name == "stairs":
        for step in range(5):
            half, level = cell * (0.42 - 0.06 * step), y - 0.5 * cell + step * 0.3 * cell
            book.draw("line", (x - half, level), (x + half, level), colour=INK, width=0.8)
    elif name == "well":
        for spoke in range(12):
            turn = spoke * math.tau / 12
            rim = (x + 1.1 * cell * math.cos(turn), y + 1.1 * cell * math.sin(turn))
            book.draw("line", (x, y), rim, colour=INK, width=0.6)
        book.draw("circle", at, 1.1 * cell, colour=INK, width=0.8)
        book.draw("circle", at, 0.4 * cell, colour=INK, fill=INK, width=0.8)
    elif name == "chute":
        book.draw("circle", at, 0.5 * cell, colour=INK, fill=FLOOR, width=0.8, dashes="[2 1.5] 0")
        book.draw("circle", at, 0.16 * cell, colour=INK, fill=INK)
    elif name == "entrance":
        tip = [(x, y + 0.15 * cell), (x - 0.4 * cell, y + 0.9 * cell), (x + 0.4 * cell, y + 0.9 * cell)]
        book.draw("polyline", tip, colour=AMBER, fill=AMBER, closePath=True)


def draw_plan(book: Book, plan: Plan, origin: Spot, cell: float) -> None:
    """One built level: rock, floors joined into one outline, squares, marks, keys."""
    frame = pymupdf.Rect(origin[0], origin[1], origin[0] + 43 * cell, origin[1] + 24 * cell)
    book.draw("rect", frame, colour=INK, fill=ROCK, width=0.8)
    floors = [rect(origin, cell, room) for room in (*plan.rooms.values(), *plan.corridors)]
    for floor in floors:
        book.draw("rect", floor, colour=INK, width=3.2)
    for floor in floors:
        book.draw("rect", floor, colour=None, fill=FLOOR, width=0)
        for column in range(1, round(floor.width / cell)):
            x = floor.x0 + column * cell
            book.draw("line", (x, floor.y0), (x, floor.y1), colour=GRID, width=0.4)
        for row in range(1, round(floor.height / cell)):
            y = floor.y0 + row * cell
            book.draw("line", (floor.x0, y), (floor.x1, y), colour=GRID, width=0.4)
    for kind, x, y in plan.marks:
        draw_mark(book, kind, (origin[0] + x * cell, origin[1] + y * cell), cell)
    for key, room in plan.rooms.items():
        area = rect(origin, cell, room)
        label(book, ((area.x0 + area.x1) / 2, (area.y0 + area.y1) / 2), key)


def legend(book: Book, y: float, kinds: Iterable[tuple[str, str]]) -> None:
    """The marks and their meaning, in a row, with the compass and the scale."""
    x = MARGIN + 6
    for kind, text in kinds:
        draw_mark(book, kind, (x, y - (8 if kind == "entrance" else 0)), 7.5 if kind == "well" else 12)
        book.write(x + 11, y + 3, text, SANS, 8, INK)
        x += 24 + font(SANS).text_length(text, 8)
    right = PAGE.width - MARGIN - 6
    book.draw("line", (right, y + 7), (right, y - 6), colour=INK, width=0.9)
    head = [(right, y - 10), (right - 3, y - 4), (right + 3, y - 4)]
    book.draw("polyline", head, colour=INK, fill=INK, closePath=True)
    book.write(right - 14, y + 3, "N", SANS_BOLD, 9, INK)


MARKS = (
    ("door-v", "door"),
    ("stuck-v", "stuck door"),
    ("locked-v", "locked door"),
    ("secret-v", "secret door"),
    ("well", "stair well"),
    ("chute", "chute"),
    ("entrance", "way in"),
)


def abbey(book: Book) -> None:
    """Both levels of the abbey, one above the other, so that stair and chute line up."""
    cell = 504 / 43
    for plan, top in ((UNDERCROFT, 84.0), (CELLARS, 400.0)):
        book.write(MARGIN, top, plan.title, BOLD, 14, AMBER)
        draw_plan(book, plan, (MARGIN, top + 7), cell)
    legend(book, 714, MARKS)
    book.write(MARGIN, 734, "One square is ten feet.", ITALIC, 9, INK)


def wobble(seed: int, turn: float) -> float:
    """A cave wall's deviation from its ellipse, the same on every run."""
    return 1 + 0.09 * math.sin(3 * turn + seed) + 0.06 * math.sin(5 * turn + 2.3 * seed) + 0.03 * math.sin(9 * turn)


def cave(origin: Spot, key: str) -> list[Spot]:
    """Outline of a cave."""
    x, y, rx, ry = CAVES[key]
    turns = [step * math.tau / 72 for step in range(72)]
    scale = [wobble(int(key), turn) for turn in turns]
    return [
        (origin[0] + x + rx * s * math.cos(turn), origin[1] + y + ry * s * math.sin(turn))
        for turn, s in zip(turns, scale, strict=True)
    ]


def tunnel(origin: Spot, pair: tuple[str, str]) -> list[Spot]:
    """Centre line of a passage, bent a little to one side."""
    (x0, y0, *_), (x1, y1, *_) = CAVES[pair[0]], CAVES[pair[1]]
    length = math.hypot(x1 - x0, y1 - y0)
    nx, ny = (y0 - y1) / length, (x1 - x0) / length
    spots: list[Spot] = []
    for step in range(25):
        t = step / 24
        bend = 9 * math.sin(math.tau * t)
        spots.append((origin[0] + x0 + (x1 - x0) * t + nx * bend, origin[1] + y0 + (y1 - y0) * t + ny * bend))
    return spots


def hive(book: Book) -> None:
    """The caves of the hive, cut into comb."""
    origin = (MARGIN, 96.0)
    frame = pymupdf.Rect(MARGIN, 96, PAGE.width - MARGIN, 650)
    book.write(MARGIN, 86, "The Old Hive: the caves", BOLD, 14, AMBER)
    book.draw("rect", frame, colour=INK, fill=ROCK, width=0.8)
    comb(book, pymupdf.Rect(frame.x0 + 2, frame.y0 + 2, frame.x1 - 2, frame.y1 - 2), 10.49, COMB)
    south = [(origin[0] + 255, origin[1] + 460), (origin[0] + 255, frame.y1 - 1)]
    tunnels = [tunnel(origin, pair) for pair in PASSAGES] + [south]
    for line in tunnels:
        book.draw("polyline", line, colour=INK, width=24, lineCap=0)
    for key in CAVES:
        book.draw("polyline", cave(origin, key), colour=INK, width=3.4, closePath=True)
    for line in tunnels:
        book.draw("polyline", line, colour=FLOOR, width=20.6, lineCap=0)
    for key in CAVES:
        book.draw("polyline", cave(origin, key), colour=FLOOR, fill=FLOOR, width=0.2, closePath=True)
    draw_mark(book, "stuck-h", (origin[0] + 237, origin[1] + 194.5), 24)
    draw_mark(book, "secret-v", (origin[0] + 315, origin[1] + 102), 17)
    draw_mark(book, "entrance", (origin[0] + 255, frame.y1 - 3), 18)
    for key, (x, y, *_) in CAVES.items():
        label(book, (origin[0] + x, origin[1] + y), key, 15)
    legend(book, 690, (("stuck-v", "stuck door"), ("secret-v", "secret door"), ("entrance", "way in")))
    book.write(MARGIN, 712, "The map is two hundred feet from side to side.", ITALIC, 9, INK)
