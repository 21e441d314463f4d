"""Tables for spreadsheets and data frames: areas, encounters, treasure, connections.

Each row names module, dungeon, level, key and page. CSV is for spreadsheets (UTF-8, text cells made safe, see
`spreadsheet_text`); Parquet holds the same rows with the raw text. Empty tables have the same columns and types, and the
same dossier gives the same bytes.
"""

import csv
import io
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from osrforge_assets.contracts.dossier import Dossier, DossierArea, DossierDungeon, DossierLevel, Grounding
from osrforge_assets.escaping import spreadsheet_text

if TYPE_CHECKING:
    import pandas as pd  # data frames: what a person who wants tables already knows

Row = dict[str, object]

_PLACE = {"module": "string", "dungeon": "string", "level": "Int64", "key": "string", "page": "Int64"}
_LOOKED_UP = {"grounding": "string", "share": "Float64"}

# Column → pandas dtype; all of them know missing values, so a column's type never depends on its rows.
COLUMNS: dict[str, dict[str, str]] = {
    "areas": {
        **_PLACE,
        "pages": "string",
        "dungeon_name": "string",
        "name": "string",
        "source_label": "string",
        "kind": "string",
        "answered": "boolean",
        "description": "string",
        "trap": "string",
        "features": "string",
        "encounters": "Int64",
        "treasure": "Int64",
        "connections": "Int64",
        "confidence": "Float64",
        "flags": "string",
        **_LOOKED_UP,
    },
    "encounters": {
        **_PLACE,
        "area_name": "string",
        "monster": "string",
        "count_fixed": "Int64",
        "count_dice": "string",
        "count_note": "string",
        **_LOOKED_UP,
    },
    "treasure": {**_PLACE, "area_name": "string", "treasure": "string", **_LOOKED_UP},
    "connections": {
        **_PLACE,
        "area_name": "string",
        "to_key": "string",
        "to_level": "Int64",
        "direction": "string",
        "via": "string",
        "door_stuck": "boolean",
        "door_locked": "boolean",
    },
}

# What a column says, for the UI's schema; a column of the same name says the same in every table.
MEANINGS: dict[str, str] = {
    "module": "The module's partition.",
    "dungeon": "Canonical id of the dungeon.",
    "level": "The level's number, from 1.",
    "key": "Canonical key of the area.",
    "page": "The page that the fact was found on, else the first that its area cites.",
    "pages": "Every page that the area cites.",
    "dungeon_name": "The dungeon's name as printed.",
    "name": "The area's name as printed.",
    "source_label": "The area's key as printed.",
    "kind": "What sort of place it is.",
    "answered": "False for a place whose content was never read.",
    "description": "The area's text.",
    "trap": "Its trap.",
    "features": "Fixtures a referee should know about.",
    "encounters": "How many keyed monsters or groups it has.",
    "treasure": "An item or hoard as printed; in the table of areas, how many.",
    "connections": "How many ways out it has.",
    "confidence": "The reader's own estimate, 0 to 1.",
    "flags": "Codes of what is in doubt.",
    "grounding": "How the look-up on the cited pages ended.",
    "share": "How much of the text was found there, 0 to 1.",
    "area_name": "The area's name as printed.",
    "monster": "The creature as printed.",
    "count_fixed": "A plain number of them.",
    "count_dice": "Dice for their number.",
    "count_note": "What is said about their number that fits neither.",
    "to_key": "The area it leads to.",
    "to_level": "The level it leads to, where one is stated.",
    "direction": "Where it leads.",
    "via": "By what it leads there.",
    "door_stuck": "The door is stuck.",
    "door_locked": "The door is locked or barred.",
}


def tables(dossier: Dossier) -> dict[str, "pd.DataFrame"]:
    """Return the tables by name, their columns and types as in `COLUMNS`, rows in printed order.

    `page` is the page that the fact was found on, else the first page that its area cites, else missing; `grounding` and
    `share` say how the fact's look-up ended (of an area: its description's).
    """
    import pandas as pd  # a third of a second that a failed conversion need not wait for

    frames: dict[str, pd.DataFrame] = {}
    for name, columns in COLUMNS.items():
        rows = list(_rows(dossier, _ROWS[name]))
        frames[name] = pd.DataFrame(
            {column: pd.Series([row[column] for row in rows], dtype=kind) for column, kind in columns.items()}
        )
    return frames


def write_tables(dossier: Dossier) -> dict[str, bytes]:
    """Return `areas.csv`, `areas.parquet`, … by file name."""
    files: dict[str, bytes] = {}
    for name, frame in tables(dossier).items():
        files[f"{name}.csv"] = _csv(frame)
        files[f"{name}.parquet"] = _parquet(frame, COLUMNS[name])
    return files


def _rows(
    dossier: Dossier, rows_of: Callable[[DossierDungeon, DossierLevel, DossierArea], Iterator[Row]]
) -> Iterator[Row]:
    for dungeon in dossier.dungeons:
        for level in dungeon.levels:
            for area in level.areas:
                place = {
                    "module": dossier.module,
                    "dungeon": dungeon.id,
                    "level": level.number,
                    "key": area.key,
                    "page": area.source_pages[0] if area.source_pages else None,
                }
                for row in rows_of(dungeon, level, area):
                    # A fact that was found names its own page, which stands before the area's first.
                    yield {**place, **{name: value for name, value in row.items() if name != "page" or value}}


def _area_rows(dungeon: DossierDungeon, _level: DossierLevel, area: DossierArea) -> Iterator[Row]:
    yield {
        "pages": ", ".join(map(str, area.source_pages)),
        "dungeon_name": dungeon.name,
        "name": area.name,
        "source_label": area.source_label,
        "kind": area.kind.value,
        "answered": area.answered,
        "description": area.description,
        "trap": area.trap,
        "features": "; ".join(area.features),
        "encounters": len(area.encounters),
        "treasure": len(area.treasure),
        "connections": len(area.connections),
        "confidence": area.confidence,
        "flags": ", ".join(dict.fromkeys(flag.code.value for flag in area.flags)),
        **_outcome(next(_groundings(area, "description"), None)),
        "page": None,
    }


def _encounter_rows(_dungeon: DossierDungeon, _level: DossierLevel, area: DossierArea) -> Iterator[Row]:
    for encounter, grounding in zip(area.encounters, _groundings(area, "monster"), strict=True):
        yield {"area_name": area.name, **encounter.model_dump(mode="json"), **_outcome(grounding)}


def _treasure_rows(_dungeon: DossierDungeon, _level: DossierLevel, area: DossierArea) -> Iterator[Row]:
    for entry, grounding in zip(area.treasure, _groundings(area, "treasure"), strict=True):
        yield {"area_name": area.name, "treasure": entry, **_outcome(grounding)}


def _connection_rows(_dungeon: DossierDungeon, _level: DossierLevel, area: DossierArea) -> Iterator[Row]:
    for connection in area.connections:
        yield {"area_name": area.name, **connection.model_dump(mode="json")}


_ROWS: Mapping[str, Callable[[DossierDungeon, DossierLevel, DossierArea], Iterator[Row]]] = {
    "areas": _area_rows,
    "encounters": _encounter_rows,
    "treasure": _treasure_rows,
    "connections": _connection_rows,
}


def _groundings(area: DossierArea, fact: str) -> Iterator[Grounding]:
    return (grounding for grounding in area.grounding if grounding.fact == fact)


def _outcome(grounding: Grounding | None) -> Row:
    if grounding is None:
        return {"grounding": None, "share": None, "page": None}
    return {"grounding": grounding.status.value, "share": grounding.share, "page": grounding.page}


def _csv(frame: "pd.DataFrame") -> bytes:
    safe = frame.copy()
    for column in frame.columns:
        if frame[column].dtype == "string":
            safe[column] = frame[column].map(spreadsheet_text, na_action="ignore").astype("string")
    return safe.to_csv(index=False, lineterminator="\n", quoting=csv.QUOTE_MINIMAL).encode("utf-8")


def _parquet(frame: "pd.DataFrame", columns: Mapping[str, str]) -> bytes:
    import pyarrow as pa  # heavy; Apache's own columnar format and its Parquet writer
    import pyarrow.parquet as pq

    types = {"string": pa.string(), "Int64": pa.int64(), "Float64": pa.float64(), "boolean": pa.bool_()}
    schema = pa.schema([(name, types[kind]) for name, kind in columns.items()])
    table = pa.Table.from_pandas(frame, schema=schema, preserve_index=False)
    buffer = io.BytesIO()
    # pandas' own schema note names library versions; without it the bytes depend on the rows alone.
    pq.write_table(table.replace_schema_metadata(None), buffer, compression="zstd")
    return buffer.getvalue()
