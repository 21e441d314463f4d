"""Tables of a narration: its events, and its facts with the turns from which and until which they stood.

The state after turn N is the facts with `from_turn <= N` and `until_turn` empty or `> N`; the table is as long as the
story has changes, not turns times facts. CSV is for spreadsheets (text cells made safe), Parquet holds the raw text.
"""

import csv
import io
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from osrforge_assets.contracts.narration import StateEvent
from osrforge_assets.contracts.narration_turns import WorldHistory
from osrforge_assets.escaping import spreadsheet_text

if TYPE_CHECKING:
    import pandas as pd  # data frames: what a person who wants tables already knows

Row = dict[str, object]

# Column → pandas dtype; all of them know missing values, so a column's type never depends on its rows.
COLUMNS: dict[str, dict[str, str]] = {
    "facts": {
        "narration": "string",
        "type": "string",
        "subject": "string",
        "value": "string",
        "from_turn": "Int64",
        "until_turn": "Int64",
    },
    "events": {
        "narration": "string",
        "turn": "Int64",
        "outcome": "string",
        "type": "string",
        "event": "string",
        "code": "string",
        "reason": "string",
    },
}

# What a column says, for the UI's schema.
MEANINGS: dict[str, str] = {
    "narration": "The story's partition.",
    "type": "The event's type.",
    "subject": "What it is about.",
    "value": "What it says of it.",
    "from_turn": "The turn that made it true.",
    "until_turn": "The turn that ended it; missing while it stands.",
    "turn": "The turn it was proposed in, 0 for the story's beginning.",
    "outcome": "Whether it was accepted.",
    "event": "The event as written.",
    "code": "Why it was refused, as a stable code.",
    "reason": "Why it was refused, in words.",
}


def fact_rows(history: WorldHistory) -> list[Row]:
    """Return every fact that ever stood, with the turns from which and until which it did."""
    rows: list[Row] = []
    standing: dict[tuple[str, ...], Row] = {}
    for turn in history.turns:
        for change in turn.changes:
            if change.before is not None:
                standing.pop(change.before.subject)["until_turn"] = turn.number
            if change.after is not None:
                row = _fact_row(history.narration, change.after, turn.number)
                standing[change.after.subject] = row
                rows.append(row)
    return rows


def event_rows(history: WorldHistory) -> list[Row]:
    """Return every proposed event in order within its turn, the accepted ones first, then the refused with reasons."""
    rows: list[Row] = []
    for turn in history.turns:
        base: Row = {"narration": history.narration, "turn": turn.number}
        rows += [
            {**base, "outcome": "accepted", "type": event.type_name(), "event": _json(event.as_written())}
            for event in turn.accepted
        ]
        for refusal in turn.refused:
            proposed = refusal.proposed
            name = proposed.get("type") if isinstance(proposed, dict) else None
            rows.append(
                {
                    **base,
                    "outcome": "refused",
                    "type": name if isinstance(name, str) else None,
                    "event": _json(proposed),
                    "code": refusal.code.value,
                    "reason": refusal.reason,
                }
            )
    return rows


def frame(name: str, rows: Sequence[Row]) -> "pd.DataFrame":
    """Return rows as a data frame with the table's own columns and types."""
    import pandas as pd  # here, because it takes 0.6 s to import

    columns = COLUMNS[name]
    values = {column: [row.get(column) for row in rows] for column in columns}
    return pd.DataFrame(values, columns=list(columns)).astype(columns)


def tables(history: WorldHistory) -> dict[str, bytes]:
    """Return the table files of a narration by name; the same history gives the same bytes."""
    files: dict[str, bytes] = {}
    for name, rows in (("facts", fact_rows(history)), ("events", event_rows(history))):
        files[f"{name}.csv"] = _csv(name, rows)
        buffer = io.BytesIO()
        frame(name, rows).to_parquet(buffer, index=False)
        files[f"{name}.parquet"] = buffer.getvalue()
    return files


def _csv(name: str, rows: Sequence[Row]) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS[name])
    for row in rows:
        writer.writerow(
            ["" if (value := row.get(column)) is None else spreadsheet_text(str(value)) for column in COLUMNS[name]]
        )
    return text.getvalue().encode("utf-8")


def _fact_row(narration: str, fact: StateEvent, turn: int) -> Row:
    subject = fact.subject
    about = {"type", *fact.rule.about}
    value = {name: entry for name, entry in fact.as_written().items() if name not in about}
    return {
        "narration": narration,
        "type": subject[0],
        "subject": " ".join(subject[1:]),
        "value": _json(value),
        "from_turn": turn,
        "until_turn": None,
    }


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)
