"""A story brought up to date in the graph: its log registered, its turns split, its world replayed."""

from dataclasses import dataclass
from pathlib import Path

from osrforge_assets.command_graph import CommandGraph
from osrforge_assets.contracts.narration_turns import NarrationTurns, TurnState, WorldHistory
from osrforge_assets.narrations.state.story_files import page_key
from osrforge_assets.registering import Registry
from osrforge_resources.io_manager import read_document

_LANE = ("narration_turns", "world_state")


@dataclass(frozen=True, slots=True)
class StoryState:
    """A story as the graph has it.

    Attributes:
        narration: Its partition key.
        turns: Its turns, split.
        history: Its world.
        files: What a person opens: the page and the tables.
    """

    narration: str
    turns: NarrationTurns
    history: WorldHistory
    files: tuple[Path, ...]

    @property
    def last(self) -> TurnState:
        """What the newest turn did to the world."""
        return self.history.turns[-1]


def bring_up_to_date(graph: CommandGraph, path: Path) -> StoryState:
    """Register a story log and run what is missing or stale of its lane.

    Raises:
        OsrforgeError: The log cannot be read, or a step failed.
    """
    key = Registry(graph.instance, graph.store, graph.settings).story(path).narration
    stale = graph.staleness().not_fresh
    first = next((asset for asset in _LANE if stale(asset, [key])), None)
    if first is not None:
        ran = graph.run(_LANE[_LANE.index(first) :], key)
        if ran.error is not None:
            raise ran.error
    turns = read_document(graph.store, "narration_turns", key, NarrationTurns)
    history = read_document(graph.store, "world_state", key, WorldHistory)
    files = tuple(Path(str(file)) for file in graph.store.dossier_files(page_key(key)))
    return StoryState(key, turns, history, files)
