"""Tables: a row a fact with its place, fixed types, safe in a spreadsheet, raw in Parquet."""

import csv
import io

import pandas as pd
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from osrforge_assets.escaping import spreadsheet_text
from osrforge_assets.modules.dossier.tables import COLUMNS, MEANINGS, tables, write_tables
from tests.assets.modules.dossier.small_module import SmallModule, area, connection, encounter

PLACE = ["module", "dungeon", "level", "key", "page"]


def _full() -> SmallModule:
    return SmallModule().answer(
        1,
        area(
            "1",
            description="Two lamps hang over a table of dice.",
            encounters=(encounter("wolves", 2), encounter("lich")),
            connections=(connection("2"),),
        ),
        area("2", treasure=("1,200 sp",), encounters=(encounter("thief"),), source_pages=(2, 3)),
    )


def _csv_rows(files: dict[str, bytes], name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(files[name].decode("utf-8"), newline="")))


def test_every_row_names_module_dungeon_level_key_and_page():
    for name, frame in tables(_full().build()).items():
        assert list(frame.columns[:5]) == PLACE, name
        assert frame[PLACE].notna().all().all(), name


def test_every_area_has_a_row_and_every_fact_one_of_its_own():
    frames = tables(_full().build())
    assert list(zip(frames["areas"]["level"], frames["areas"]["key"], strict=True)) == [(1, "1"), (1, "2"), (2, "1")]
    assert frames["areas"]["answered"].tolist() == [True, True, False]
    assert frames["encounters"]["monster"].tolist() == ["wolves", "lich", "thief"]
    assert frames["encounters"]["count_fixed"].tolist() == [2, pd.NA, pd.NA]
    assert frames["treasure"]["treasure"].tolist() == ["1,200 sp"]
    assert frames["connections"]["to_key"].tolist() == ["2"]


def test_a_fact_names_the_page_it_was_found_on_and_else_its_areas_first():
    encounters = tables(_full().build())["encounters"]
    assert encounters["page"].tolist() == [2, 2, 3]
    assert encounters["grounding"].tolist() == ["found", "not_found", "found"]


def test_an_empty_table_has_the_columns_and_types_of_a_full_one():
    full, empty = tables(_full().build()), tables(SmallModule(surveyed={}).build())
    for name, frame in empty.items():
        assert len(frame) == 0
        assert frame.dtypes.to_dict() == full[name].dtypes.to_dict()
    full_files, empty_files = write_tables(_full().build()), write_tables(SmallModule(surveyed={}).build())
    for name in COLUMNS:
        schemas = [pq.read_schema(io.BytesIO(files[f"{name}.parquet"])) for files in (full_files, empty_files)]
        assert schemas[0] == schemas[1]
        header = empty_files[f"{name}.csv"].decode("utf-8").strip()
        assert header == ",".join(COLUMNS[name])


def test_every_column_says_what_it_holds_and_no_other_is_described():
    assert set(MEANINGS) == {column for columns in COLUMNS.values() for column in columns}


def test_the_same_dossier_gives_the_same_bytes():
    assert write_tables(_full().build()) == write_tables(_full().build())


def test_parquet_and_csv_hold_the_same_rows():
    files = write_tables(_full().build())
    for name in COLUMNS:
        rows = pq.read_table(io.BytesIO(files[f"{name}.parquet"])).to_pylist()
        texts = [{key: "" if value is None else str(value) for key, value in row.items()} for row in rows]
        assert texts == _csv_rows(files, f"{name}.csv")


FORMULAS = [
    "=1+1",
    "+1",
    "-2",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "\n=1",
    " =1",
    "'=1",
    "＝1+1",
    '=HYPERLINK("http://x")',
    "-2 to hit",
]


@pytest.mark.parametrize("text", FORMULAS)
def test_no_cell_of_a_csv_starts_a_formula_and_parquet_keeps_the_text(text: str):
    answer = area(
        "1", description=text, encounters=(encounter(text),), treasure=(text,), connections=(connection(text),)
    )
    files = write_tables(SmallModule().answer(1, answer).build())
    assert _csv_rows(files, "areas.csv")[0]["description"].startswith("'")
    assert _csv_rows(files, "encounters.csv")[0]["monster"].startswith("'")
    assert _csv_rows(files, "treasure.csv")[0]["treasure"].startswith("'")
    assert _csv_rows(files, "connections.csv")[0]["to_key"].startswith("'")
    assert pq.read_table(io.BytesIO(files["treasure.parquet"])).to_pylist()[0]["treasure"] == text


@settings(deadline=None)
@given(st.text(alphabet="=+-@'\t\r\n\x00 ,;\"a1＝", max_size=12))
def test_a_safe_cell_never_starts_a_formula_and_can_be_read_back(text: str):
    cell = spreadsheet_text(text)
    assert cell.lstrip(" ")[:1] not in {*"=+-@＝\t\r\n"} or cell[:1] == "'"
    buffer = io.StringIO(newline="")
    pd.DataFrame({"text": [cell, "end"]}).to_csv(buffer, index=False, lineterminator="\n")
    read = list(csv.DictReader(io.StringIO(buffer.getvalue(), newline="")))
    assert [row["text"] for row in read] == [cell, "end"]


def test_ordinary_text_is_left_alone():
    for text in ["120 sp", "Goblin's hoard", "", "AC -2", "“=”", "'tis a ring"]:
        assert spreadsheet_text(text) == text
