"""A narration's turns become its history; what did not change since the last time is taken over, not judged again.

Each turn carries a chain digest over everything that decides it: the turn's proposed events, all turns before it, and
the version of the rules. The longest beginning with equal chains is kept, its changes are re-applied, and judging goes
on from there; a changed turn thus recomputes from that turn on.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from osrforge_assets.contracts.narration_turns import NarrationTurns, TurnState, WorldHistory
from osrforge_assets.narrations.state.judging import CONFLICTS
from osrforge_assets.narrations.state.reducer import World
from osrforge_assets.narrations.turns.prompt import events_schema

# Raised by hand when judging changes in a way that neither the vocabulary nor the table of conflicts shows.
JUDGING_VERSION = 1


@dataclass(frozen=True, slots=True)
class Replay:
    """A history, and how much of the previous one it took over.

    Attributes:
        history: The narration's history.
        kept: How many of its turns were taken over, turn 0 included.
    """

    history: WorldHistory
    kept: int


def rules_version() -> str:
    """Return the digest of all that judging depends on besides its input."""
    return _digest([JUDGING_VERSION, events_schema(), CONFLICTS])


def replay(turns: NarrationTurns, previous: WorldHistory | None = None) -> Replay:
    """Return the history of a narration.

    Args:
        turns: The narration's turns.
        previous: Its history from before the turns changed, None if there is none.
    """
    proposals = [turns.initial, *(turn.split.events for turn in turns.turns)]
    chains = _chains(proposals)
    kept = _common(chains, previous)
    world = World()
    states = list(previous.turns[:kept]) if previous is not None else []
    for state in states:
        world = world.changed(state.changes)
    for number in range(kept, len(proposals)):
        step = world.step(proposals[number])
        world = step.world
        states.append(
            TurnState(
                number=number,
                accepted=step.accepted,
                refused=step.refused,
                changes=step.changes,
                state=world.document().digest(),
                chain=chains[number],
            )
        )
    history = WorldHistory(narration=turns.narration, title=turns.title, turns=tuple(states), final=world.document())
    return Replay(history, kept)


def world_after(history: WorldHistory, number: int) -> World:
    """Return the world after a turn; 0 is the world before turn 1.

    Raises:
        IndexError: The history has no such turn.
    """
    if not 0 <= number < len(history.turns):
        raise IndexError(number)
    world = World()
    for turn in history.turns[: number + 1]:
        world = world.changed(turn.changes)
    return world


def _chains(proposals: Sequence[Sequence[Any]]) -> list[str]:
    chains: list[str] = []
    chain = rules_version()
    for events in proposals:
        chain = _digest([chain, list(events)])
        chains.append(chain)
    return chains


def _common(chains: Sequence[str], previous: WorldHistory | None) -> int:
    known = [turn.chain for turn in previous.turns] if previous is not None else []
    return next(
        (index for index, pair in enumerate(zip(chains, known, strict=False)) if pair[0] != pair[1]),
        min(len(chains), len(known)),
    )


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, ensure_ascii=True).encode("ascii")).hexdigest()
