"""A story log becomes split turns; a turn that did not change since the last time is taken over, not split again."""

import hashlib
import json

from osrforge_assets.contracts.narration_turns import NarrationTurn, NarrationTurns, StoryLog, StoryTurn
from osrforge_assets.narrations.turns.prompt import CORRECTION_LEAD, EMIT_REMINDER, LABEL, events_schema
from osrforge_assets.narrations.turns.splitter import split

# Raised by hand whenever the splitter gives another result for some reply.
SPLITTER_VERSION = 3


def splitting_version() -> str:
    """Return the digest of all that a split depends on besides its reply."""
    types = [
        variant["properties"]["type"]["const"] for variant in events_schema()["properties"]["events"]["items"]["anyOf"]
    ]
    return _digest([SPLITTER_VERSION, LABEL, EMIT_REMINDER, CORRECTION_LEAD, types])


def split_story(log: StoryLog, *, narration: str, previous: NarrationTurns | None = None) -> tuple[NarrationTurns, int]:
    """Return a story's turns with every reply split, and how many splits were taken over from `previous`."""
    version = splitting_version()
    known = {turn.source: turn.split for turn in previous.turns} if previous is not None else {}
    turns = []
    kept = 0
    for turn in log.turns:
        source = _source(turn, version)
        kept += source in known
        result = known.get(source) or split(turn.reply, stop_reason=turn.stop_reason)
        turns.append(NarrationTurn(turn=turn, split=result, source=source))
    document = NarrationTurns(
        narration=narration, title=log.title, initial=log.initial, turns=tuple(turns), notes=log.notes
    )
    return document, kept


def _source(turn: StoryTurn, version: str) -> str:
    return _digest([version, turn.reply, turn.stop_reason])


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value, ensure_ascii=True).encode("ascii")).hexdigest()
