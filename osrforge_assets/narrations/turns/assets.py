"""`narration_source` and `narration_turns`: a story log, and every reply of it taken apart."""

from typing import Any

import dagster as dg

from osrforge_assets.contracts.narration_turns import NarrationSource, NarrationTurns
from osrforge_assets.escaping import markdown_table
from osrforge_assets.narrations.turns.splitting import split_story, splitting_version
from osrforge_assets.narrations.turns.story_log import read_story_log
from osrforge_assets.partitions import NARRATIONS
from osrforge_resources.failures import StoreError
from osrforge_resources.io_manager import find_document, read_document
from osrforge_resources.step_failures import expected_failures
from osrforge_resources.store import BlobKind, Store

narration_source = dg.AssetSpec(
    "narration_source",
    description="The log of a story told by a model, kept in the store.",
    group_name="narrations",
    kinds={"text"},
    owners=["team:osrforge"],
    partitions_def=NARRATIONS,
)


@dg.asset(
    description="Every reply as clean prose, proposed events, and an audit of all that was taken out.",
    group_name="narrations",
    kinds={"json"},
    owners=["team:osrforge"],
    partitions_def=NARRATIONS,
    deps=[narration_source],
    io_manager_key="documents",
    code_version=splitting_version()[:16],
)
def narration_turns(context: dg.AssetExecutionContext, store: dg.ResourceParam[Store]) -> dg.Output[NarrationTurns]:
    """Split the replies of a story; those that did not change are taken over."""
    narration = context.partition_key
    with expected_failures():
        source = read_document(store, "narration_source", narration, NarrationSource)
        log = read_story_log(store.get_blob(BlobKind.STORY, source.sha256), name=source.name)
        turns, kept = split_story(log, narration=narration, previous=_previous(store, narration))
    return dg.Output(turns, data_version=dg.DataVersion(turns.digest()), metadata=_metadata(turns, kept))


def _previous(store: Store, narration: str) -> NarrationTurns | None:
    """Return the turns as they were; what an older version wrote is made anew instead of failing the step."""
    try:
        return find_document(store, "narration_turns", narration, NarrationTurns)
    except StoreError:
        return None


def _metadata(turns: NarrationTurns, kept: int) -> dict[str, Any]:
    splits = [turn.split for turn in turns.turns]
    malformed: list[tuple[object, ...]] = [
        (turn.turn.number, block.kind.value, block.error, block.raw[:80])
        for turn in turns.turns
        for block in turn.split.malformed
    ]
    return {
        "dagster/row_count": len(turns.turns),
        "turns_taken_over": kept,
        "characters_of_prose": sum(len(split.prose) for split in splits),
        "events_proposed": sum(len(split.events) for split in splits),
        "blocks": sum(len(split.blocks) for split in splits),
        "blocks_malformed": len(malformed),
        "replies_cut": sum(split.cut for split in splits),
        "malformed": dg.MetadataValue.md(markdown_table(("turn", "kind", "why", "raw"), malformed[:50])),
        "notes": dg.MetadataValue.md("\n".join(f"- {note}" for note in turns.notes) or "none"),
    }
