"""Where fights begin and end: from the call for initiative, or the first blows, to the last one."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from osrforge_resources.offline.scenes_cues import Mode
from osrforge_resources.transcript_text import RequestUnit

_CALL = re.compile(
    r"\broll(?:ing|s)?(?: me| us)?(?: for)?(?: an?)? ?initiative\b|\binitiatives?(?:,? (?:please|everybody|everyone|rolls?|order))?[.!]|\bneed initiatives?\b"
    r"|^!i(?:nit)? (?:begin|start)\b",
    re.IGNORECASE,
)
_OVER = re.compile(
    r"\bout of (?:combat|initiative)\b|\bcombat (?:is over|ends|is done|ended)\b|\b(?:it'?s|and it is|that'?s) (?:all )?over\b"
    r"|\b(?:the last|last one|final) (?:\w+ ){0,3}(?:falls|drops|dies|goes down|collapses|flees|is dead)\b|^!i(?:nit)? end\b|\bthey(?:'re| are) all (?:dead|down)\b",
    re.IGNORECASE,
)
_FEWEST_BLOWS = 4  # blows within the next 40 units that make a call for initiative a fight, and not talk about rules
_NEAR = 40  # sorting out who goes first takes a big table 30 units
_DENSE = 7  # blows within 12 units that are a fight although nobody called for initiative
_DENSE_SPAN = 12
_LULL = 12  # units without a blow after which a fight may be over: asides and a rule looked up are fewer
_ECHO_SPAN = 40  # it is over unless as many blows as begin one follow within this many units
_SUMMED_UP = 7  # units after "it's over" that may hold two more blows, of those who tell them again


@dataclass(frozen=True, slots=True)
class Fight:
    """A fight: the 0-based position of its first unit, and of the first unit after it."""

    start: int
    end: int


def fights(units: Sequence[RequestUnit], modes: Sequence[dict[Mode, float]]) -> list[Fight]:
    """Return the fights of a session in order.

    Args:
        units: The units.
        modes: What `mode_hits` says of each.
    """
    blows = [hits[Mode.COMBAT] >= 0.5 for hits in modes]
    found: list[Fight] = []
    at = 0
    while at < len(units):
        called = _CALL.search(units[at].text) is not None and sum(blows[at : at + _NEAR]) >= _FEWEST_BLOWS
        dense = blows[at] and sum(blows[at : at + _DENSE_SPAN]) >= _DENSE
        if not (called or dense):
            at += 1
            continue
        end = _end(units, blows, at)
        found.append(Fight(at, end))
        at = max(end, at + 1)
    return found


def _end(units: Sequence[RequestUnit], blows: list[bool], start: int) -> int:
    last = start
    for at in range(start, len(units)):
        over = at > start + 2 and _OVER.search(units[at].text) is not None
        if over and sum(blows[at + 1 : at + 1 + _SUMMED_UP]) <= 2:
            return at + 1
        if blows[at]:
            last = at
        elif at - last >= _LULL and sum(blows[at : at + _ECHO_SPAN]) < _DENSE:
            break
    return last + 1
