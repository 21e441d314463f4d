"""`world_state`: the world that a story tells, after each of its turns."""

from typing import Any

import dagster as dg

from osrforge_assets.contracts.narration_turns import NarrationTurns, WorldHistory
from osrforge_assets.escaping import markdown_table
from osrforge_assets.narrations.state.replay import replay, rules_version
from osrforge_assets.narrations.state.story_files import page_key
from osrforge_assets.narrations.state.story_page import story_html
from osrforge_assets.narrations.state.tables import COLUMNS, MEANINGS, tables
from osrforge_assets.partitions import NARRATIONS
from osrforge_resources.failures import StoreError
from osrforge_resources.io_manager import find_document
from osrforge_resources.step_failures import expected_failures
from osrforge_resources.store import Store

# Of its two tables the one that a row is a fact in.
_FACT_TABLE = dg.TableSchema(
    columns=[dg.TableColumn(name, dtype, description=MEANINGS[name]) for name, dtype in COLUMNS["facts"].items()]
)


@dg.asset(
    description="The world after each turn: accepted and refused events, what changed, and the final state; with a page.",
    group_name="narrations",
    kinds={"json", "parquet"},
    owners=["team:osrforge"],
    partitions_def=NARRATIONS,
    io_manager_key="documents",
    code_version=rules_version()[:16],
    metadata={"dagster/column_schema": _FACT_TABLE},
)
def world_state(
    context: dg.AssetExecutionContext, narration_turns: NarrationTurns, store: dg.ResourceParam[Store]
) -> dg.Output[WorldHistory]:
    """Replay a story's events from the first turn that changed, and write the files a person opens."""
    narration = context.partition_key
    with expected_failures():
        replayed = replay(narration_turns, _previous(store, narration))
        history = replayed.history
        files = {"story.html": story_html(narration_turns, history).encode("utf-8"), **tables(history)}
        paths: list[tuple[object, ...]] = [
            (name, str(store.write_dossier_file(page_key(narration), name, data))) for name, data in files.items()
        ]
    metadata = {
        "dagster/column_schema": _FACT_TABLE,
        **_metadata(history, replayed.kept),
        "files": dg.MetadataValue.md(markdown_table(("file", "path"), paths)),
    }
    return dg.Output(history, data_version=dg.DataVersion(history.digest()), metadata=metadata)


def _previous(store: Store, narration: str) -> WorldHistory | None:
    """Return the history as it was; what an older version wrote is made anew instead of failing the step."""
    try:
        return find_document(store, "world_state", narration, WorldHistory)
    except StoreError:
        return None


def _metadata(history: WorldHistory, kept: int) -> dict[str, Any]:
    refused: list[tuple[object, ...]] = [
        (turn.number, refusal.code.value, refusal.reason) for turn in history.turns for refusal in turn.refused
    ]
    return {
        "dagster/row_count": len(history.final.facts),
        "turns": len(history.turns) - 1,
        "turns_taken_over": kept,
        "events_accepted": sum(len(turn.accepted) for turn in history.turns),
        "events_refused": len(refused),
        "refused": dg.MetadataValue.md(markdown_table(("turn", "code", "reason"), refused[:50])),
    }
