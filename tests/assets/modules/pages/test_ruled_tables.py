"""Tables with drawn cells, and drawings that are none."""

from itertools import pairwise

import pytest

from osrforge_assets.modules.pages.blocks import CELL_LINE
from osrforge_assets.modules.pages.line import Line, Run
from osrforge_assets.modules.pages.raw_page import Shape
from osrforge_assets.modules.pages.ruled_tables import ruled_tables

ROOMS = [["Room", "What is there"], ["1", "Two goblins watch."], ["2", "Rats (2d4)."], ["3", "A deep well."]]
COLUMNS, TOP, ROW = (72.0, 132.0, 520.0), 160.0, 36.0


def _line(text: str, x0: float, baseline: float, size: float = 11.0) -> Line:
    x1 = x0 + 0.5 * size * len(text)
    return Line(x0, x1, baseline, size, (Run(text, bold=False),), (x0, baseline - size, x1, baseline + 2), 0)


def _lines(rows: list[list[str]]) -> list[Line]:
    return [
        _line(text, COLUMNS[column] + 6, TOP + ROW * row + 20)
        for row, cells in enumerate(rows)
        for column, text in enumerate(cells)
        if text
    ]


def _edge(x0: float, y0: float, x1: float, y1: float) -> Shape:
    return Shape(x0, y0, x1, y1, rectangle=True, stroked=True, color=0)


def _outlines(rows: int) -> list[Shape]:
    return [
        _edge(x0 - 0.7, TOP + ROW * row - 0.7, x1 + 0.7, TOP + ROW * (row + 1) + 0.7)
        for row in range(rows)
        for x0, x1 in pairwise(COLUMNS)
    ]


def _rules(rows: int) -> list[Shape]:
    end = TOP + ROW * rows
    across = [_edge(COLUMNS[0], TOP + ROW * row, COLUMNS[-1], TOP + ROW * row + 0.5) for row in range(rows + 1)]
    return across + [_edge(x, TOP, x + 0.5, end) for x in COLUMNS]


@pytest.mark.parametrize("drawn", [_outlines, _rules], ids=["outlined cells", "rules across and down"])
def test_the_cells_of_a_drawn_table_are_read_row_by_row(drawn):
    below = _line("The stair goes on down.", 72, 420)
    tables, left = ruled_tables([*_lines(ROOMS), below], drawn(len(ROOMS)))
    assert [table.table for table in tables] == [ROOMS]
    assert left == [below]


def test_a_cell_keeps_its_lines_and_an_empty_cell_its_place():
    rows = [*ROOMS[:3], ["", "A deep well."]]
    more = _line("They sleep.", COLUMNS[1] + 6, TOP + ROW + 32)
    (table,), _ = ruled_tables([*_lines(rows), more], _outlines(4))
    assert table.table is not None
    assert table.table[1] == ["1", f"Two goblins watch.{CELL_LINE}They sleep."]
    assert table.table[3] == ["", "A deep well."]


def test_two_tables_apart_are_two():
    second = [_line(line.text, line.x0, line.baseline + 300) for line in _lines(ROOMS)]
    shapes = [*_outlines(4), *(_edge(s.x0, s.y0 + 300, s.x1, s.y1 + 300) for s in _outlines(4))]
    tables, left = ruled_tables([*_lines(ROOMS), *second], shapes)
    assert [table.table for table in tables] == [ROOMS, ROOMS]
    assert left == []


def test_a_text_that_runs_across_cells_makes_it_no_table():
    across = _line("A heading that runs across both of the columns", 80, TOP + 24)
    lines = [across, *_lines([["", ""], *ROOMS[1:]])]
    assert ruled_tables(lines, _outlines(4)) == ([], lines)


def test_rooms_of_a_map_are_no_table():
    # Three by three rooms of unlike sizes: their walls touch, and none runs through the whole.
    rooms = [
        _edge(72 + 90 * column + 14 * (row % 2), 160 + 70 * row, 162 + 90 * column + 9 * (row % 3), 228 + 70 * row)
        for row in range(3)
        for column in range(3)
    ]
    lines = [
        _line(str(3 * row + column + 1), 110 + 90 * column, 200 + 70 * row) for row in range(3) for column in range(3)
    ]
    assert ruled_tables(lines, rooms) == ([], lines)


def test_squares_that_hold_little_are_no_table():
    lines = _lines([["1", ""], ["", ""], ["", "x"], ["", ""]])
    assert ruled_tables(lines, _outlines(4)) == ([], lines)


def test_two_boxes_under_each_other_are_no_table():
    boxes = [_edge(72, 160 + 60 * row, 520, 220 + 60 * row) for row in range(2)]
    lines = [_line("Read aloud: the door is shut.", 80, 190), _line("The door is trapped.", 80, 250)]
    assert ruled_tables(lines, boxes) == ([], lines)
