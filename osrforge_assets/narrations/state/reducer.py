"""The reducer: a state and a turn's proposed events become the next state, what was accepted, and what was refused.

A state is never changed in place. Replaying the accepted events from the start gives the same state, because every
event is absolute and is stored as it was applied.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from osrforge_assets.contracts.narration import StateEvent
from osrforge_assets.contracts.narration_turns import Change, Refusal, RefusalCode, WorldState
from osrforge_assets.narrations.state.judging import judge

# A turn changes a handful of facts; a hostile reply of 1 MB may propose 20,000, each judged against all the others.
MAX_EVENTS = 1_000


def _too_many(proposed: Any) -> Refusal:
    reason = f"A turn proposes at most {MAX_EVENTS:,} events; send only what changed."
    return Refusal(proposed=proposed, code=RefusalCode.TOO_MANY_EVENTS, reason=reason)


class World:
    """A state at one moment, ready to be asked and stepped; equal facts are equal worlds.

    Args:
        facts: The newest event about each subject.
    """

    def __init__(self, facts: dict[tuple[str, ...], StateEvent] | None = None) -> None:
        self._facts = dict(facts or {})

    @property
    def facts(self) -> dict[tuple[str, ...], StateEvent]:
        """A copy of the facts, by subject."""
        return dict(self._facts)

    def document(self) -> WorldState:
        """Return the state as a document, sorted by subject."""
        return WorldState(facts=tuple(self._facts[subject] for subject in sorted(self._facts)))

    @classmethod
    def of(cls, document: WorldState) -> "World":
        """Return the world of a document."""
        return cls({fact.subject: fact for fact in document.facts})

    def step(self, proposed: Iterable[Any]) -> "Step":
        """Return what a turn's proposed events make of this world; the world itself stays as it is."""
        facts = dict(self._facts)
        accepted: list[StateEvent] = []
        refused: list[Refusal] = []
        touched: dict[tuple[str, ...], None] = {}
        for count, proposal in enumerate(proposed):
            event = judge(proposal, facts) if count < MAX_EVENTS else _too_many(proposal)
            if isinstance(event, Refusal):
                refused.append(event)
                continue
            accepted.append(event)
            for ended in ((name, *event.subject[1:]) for name in event.rule.ends):
                if facts.pop(ended, None) is not None:
                    touched[ended] = None
            facts[event.subject] = event
            touched[event.subject] = None
        changes = [
            Change(before=self._facts.get(subject), after=facts.get(subject))
            for subject in sorted(touched)
            if self._facts.get(subject) != facts.get(subject)
        ]
        return Step(World(facts), tuple(accepted), tuple(refused), tuple(changes))

    def changed(self, changes: Iterable[Change]) -> "World":
        """Return the world after changes that were made to this one before."""
        facts = dict(self._facts)
        for change in changes:
            if change.before is not None:
                facts.pop(change.before.subject, None)
            if change.after is not None:
                facts[change.after.subject] = change.after
        return World(facts)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, World) and self._facts == other._facts

    def __hash__(self) -> int:
        return hash(frozenset(self._facts))


@dataclass(frozen=True, slots=True)
class Step:
    """What one turn made of a world.

    Attributes:
        world: The world after it.
        accepted: The accepted events as they stand, in the order applied.
        refused: The refusals, in the order proposed.
        changes: The facts that differ, by subject.
    """

    world: World
    accepted: tuple[StateEvent, ...]
    refused: tuple[Refusal, ...]
    changes: tuple[Change, ...]
