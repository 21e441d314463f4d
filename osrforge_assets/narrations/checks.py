"""Asset checks of the narration lane: its two promises, looked at once more in what was stored."""

import dagster as dg

from osrforge_assets.contracts.narration_turns import NarrationTurns, WorldHistory
from osrforge_assets.narrations.state.reducer import World
from osrforge_assets.narrations.turns.splitter import split
from osrforge_assets.partitions import NARRATIONS


@dg.asset_check(
    asset="narration_turns",
    description="No prose holds protocol: split once more, every prose is all story.",
    partitions_def=NARRATIONS,
)
def prose_is_story(narration_turns: NarrationTurns) -> dg.AssetCheckResult:
    """Split the stored prose again."""
    bad = [turn.turn.number for turn in narration_turns.turns if split(turn.split.prose).blocks]
    return dg.AssetCheckResult(
        passed=not bad, metadata={"turns": len(narration_turns.turns), "turns_with_protocol": bad}
    )


@dg.asset_check(
    asset="world_state",
    description="Every proposed event was accepted or refused, and every refusal gives its reason.",
    additional_ins={"narration_turns": dg.AssetIn()},
    partitions_def=NARRATIONS,
)
def every_event_is_accounted_for(world_state: WorldHistory, narration_turns: NarrationTurns) -> dg.AssetCheckResult:
    """Count events in and out, turn by turn."""
    proposed = [len(narration_turns.initial), *(len(turn.split.events) for turn in narration_turns.turns)]
    judged = [len(turn.accepted) + len(turn.refused) for turn in world_state.turns]
    reasons = all(refusal.reason.strip() for turn in world_state.turns for refusal in turn.refused)
    return dg.AssetCheckResult(
        passed=proposed == judged and reasons, metadata={"proposed": sum(proposed), "judged": sum(judged)}
    )


@dg.asset_check(
    asset="world_state",
    description="The accepted events, replayed from the start, give the final state.",
    partitions_def=NARRATIONS,
)
def replay_gives_the_final_state(world_state: WorldHistory) -> dg.AssetCheckResult:
    """Apply every accepted event to an empty world."""
    world = World()
    for turn in world_state.turns:
        world = world.step(turn.accepted).world
    return dg.AssetCheckResult(
        passed=world.document() == world_state.final, metadata={"facts": len(world_state.final.facts)}
    )


NARRATION_CHECKS = [prose_is_story, every_event_is_accounted_for, replay_gives_the_final_state]
