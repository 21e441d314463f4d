"""Scene ranges from the transcript alone: cues, fights, changes of vocabulary and mode, pauses.

A boundary needs evidence of its own or a change on both sides of a weaker cue; of neighbouring candidates the strongest
stays. In doubt there is none: few coherent scenes are better than many small ones.
"""

import math
import statistics
from collections.abc import Sequence
from itertools import pairwise

from osrforge_resources.failures import PermanentProviderError
from osrforge_resources.model_provider import ModelRequest, TextPart
from osrforge_resources.offline.scenes_cohesion import gap_depths, setting_changes
from osrforge_resources.offline.scenes_combat import Fight, fights
from osrforge_resources.offline.scenes_cues import cue_weight, game_master, mode_hits
from osrforge_resources.transcript_text import RequestUnit, read_units

_THRESHOLD = 0.9  # 0.85 to 1.1 give the same plans on all but one of the reviewed sessions
_SHORTEST = 7  # units of a scene; the reviewed scenes' shortest has 10
_PLAIN = 1.5
_ROOM = 11
_MOST_ROOM = 60
_DEPTH_WEIGHT = 0.22  # a standard deviation of depth, up to three of them
_PAUSE_WEIGHT = 0.6
_IN_FIGHT = 0.35  # how much a cue is worth while blows fall: "the next round", "you climb over the rail"
_LEAD_IN = 5  # units between a threat's appearance and the call for initiative
_THREAT = 0.75  # evidence at such a unit below which the scene begins with the call itself
_LONG_PAUSE = 8  # times the session's usual distance between units
_SHORTEST_PAUSE = 45  # seconds; in a quick exchange eight times the usual distance is a breath


def answer_scenes(request: ModelRequest) -> dict[str, object]:
    """Return the answer to a scene request.

    Raises:
        PermanentProviderError: The request holds no transcript.
    """
    read = (read_units(part.text) for part in request.parts if isinstance(part, TextPart))
    units = next((units for units in read if units), None)
    if units is None:
        raise PermanentProviderError("The request has no transcript to divide.", code="provider.offline_cannot")
    starts = [0, *scene_starts(units)]
    ends = [start - 1 for start in starts[1:]] + [len(units) - 1]
    scenes = [
        {"start_unit_id": units[start].id, "end_unit_id": units[end].id}
        for start, end in zip(starts, ends, strict=True)
    ]
    return {"scenes": scenes}


def scene_starts(units: Sequence[RequestUnit]) -> list[int]:
    """Return the 0-based positions at which a new scene begins, ascending, the first unit's left out."""
    scores = boundary_scores(units)
    # A long session is a leisurely one: its scenes have a hundred units where a short excerpt's have twenty.
    likely_room = min(_MOST_ROOM, max(_ROOM, math.isqrt(len(units))))
    chosen: list[int] = []
    for at in sorted(range(1, len(units)), key=lambda place: (-scores[place], place)):
        if scores[at] < _THRESHOLD:
            break
        if at < _SHORTEST // 2 or at > len(units) - _SHORTEST // 2:
            continue
        # A boundary that is plain may be near another one; a likely one needs room.
        room = _SHORTEST if scores[at] >= _PLAIN else likely_room
        if all(abs(at - other) >= room for other in chosen):
            chosen.append(at)
    return sorted(chosen)


def boundary_scores(units: Sequence[RequestUnit]) -> list[float]:
    """Return for each unit how much speaks for a scene beginning there."""
    master = game_master(list(units))
    modes = [mode_hits(unit) for unit in units]
    depths = _standing_out(gap_depths(units, modes))
    settings = setting_changes(units, master)
    pauses = _pauses(units)
    found = fights(units, modes)
    scores = [0.0] * len(units)
    for at, unit in enumerate(units):
        said = cue_weight(unit, from_gm=master is None or unit.speaker == master) + settings[at]
        if _inside(at, found):
            said *= _IN_FIGHT
        scores[at] = said + _DEPTH_WEIGHT * depths[at] + _PAUSE_WEIGHT * pauses[at]
    for fight in found:
        _mark_fight(scores, units, fight, master)
    return scores


def _standing_out(depths: list[float]) -> list[float]:
    """Return how many standard deviations the deepest gap within two units stands out, 0 to 3."""
    spread = statistics.pstdev(depths) or 1.0
    mean = statistics.fmean(depths)
    scaled = [min(3.0, max(0.0, (depth - mean) / spread)) for depth in depths]
    return [max(scaled[max(0, at - 2) : at + 3]) for at in range(len(scaled))]


def _mark_fight(scores: list[float], units: Sequence[RequestUnit], fight: Fight, master: str | None) -> None:
    """Make a fight's beginning a boundary, and the best of the three units after it.

    The scene begins where the threat shows itself, which may be some units before dice are asked for.
    """
    lead_in = range(max(1, fight.start - _LEAD_IN), fight.start)
    first = max(lead_in, key=lambda at: (scores[at], at), default=fight.start)
    start = first if first != fight.start and scores[first] >= _THREAT else fight.start
    scores[start] += 1.0
    after = range(fight.end, min(fight.end + 3, len(units)))
    if after:
        best = max(after, key=lambda at: (scores[at] + (0.2 if units[at].speaker == master else 0), -at))
        scores[best] += 0.7


def _inside(at: int, found: Sequence[Fight]) -> bool:
    return any(fight.start < at < fight.end for fight in found)


def _pauses(units: Sequence[RequestUnit]) -> list[float]:
    """Return 1 where an unusual silence comes before a unit, 0 elsewhere and where there are no times."""
    distances = [
        after.at - before.at if before.at is not None and after.at is not None else None
        for before, after in pairwise(units)
    ]
    known = [distance for distance in distances if distance is not None and distance > 0]
    usual = statistics.median(known) if known else 0
    long = max(usual * _LONG_PAUSE, _SHORTEST_PAUSE)
    return [0.0, *(1.0 if distance is not None and known and distance >= long else 0.0 for distance in distances)]
