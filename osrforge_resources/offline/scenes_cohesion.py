"""Where the words change: how alike the talk before and after each gap is, in vocabulary and in mode of play.

After Hearst's TextTiling (1997): the depth of a gap is how far its likeness lies below the nearest peaks on both sides.
"""

import math
import re
import statistics
from collections import Counter
from collections.abc import Sequence

from osrforge_resources.offline.scenes_cues import Mode, narration
from osrforge_resources.transcript_text import RequestUnit

_WORD = re.compile(r"[^\W\d_]{3,}")
_STOP = frozenset(
    """
    about after again all also and any anything are around away back because been before being but can could did
    does doing don down each even every everybody everyone everything few first for from get gets getting give goes
    going gonna good got great had has have her here him his how into isn its just know last let like little long
    look looking lot made make makes many maybe more most much need never next nice not nothing now off okay old one
    ones only onto other our out over own people please pretty put really right roll said same saw say says see
    seems she should some somebody someone something sorry still such sure take tell than that the their them then
    there these they thing things think this those three through time too try two under until upon use very wait
    want was way well went were what when where which while who why will with would yeah yes you your yours ours
    guys gotta alright actually kind
    """.split()
)
# What a place or an hour is described with, as stems.
_SETTING_WORDS = """
    alley attic bank barn basement bay beach bend bog bridge building camp canal carriage castle cave cavern cell cellar chamber
    chapel church city cliff clearing cloud coast corridor cottage courtyard crossroads crypt dawn desert dock door doorway dune dungeon
    dusk entrance farm field fog forest fort fortress gate glade grass grave graveyard hall hallway harbor harbour heath heather hill
    hillside horizon house hut inn island jungle keep lake ledge library light lobby mansion market marsh meadow mine mist moon moor
    morning mountain night office palace passage passageway path peak pier plain plaza pool port portal prison quarter rain ridge
    river road roof room ruin sea sewer ship shop shore shrine sky slope snow square stair staircase station stone storm street
    sun swamp tavern temple tent throne tomb tower town trail train tree tunnel valley vault village wagon wall warehouse water
    waterfall wharf wind window wood yard
"""
_BLOCK = 12  # units on each side: six exchanges, about what a scene needs to be recognized


def gap_depths(units: Sequence[RequestUnit], modes: Sequence[dict[Mode, float]]) -> list[float]:
    """Return for each unit how deep the gap before it is, 0 to about 1; 0 for the first.

    Args:
        units: The units.
        modes: What `mode_hits` says of each.
    """
    words = [content_words(unit.text) for unit in units]
    lexical = _likeness(words, _rarity(words))
    likeness = [1.0] * len(units)
    for gap in range(1, len(units)):
        before, after = range(max(0, gap - _BLOCK), gap), range(gap, min(len(units), gap + _BLOCK))
        likeness[gap] = 0.5 * lexical[gap] + 0.5 * (1 - _mode_change(modes, before, after))
    return _depths(likeness)


def content_words(text: str) -> frozenset[str]:
    """Return the stems of a text's content words."""
    return frozenset(_stem(word) for word in _WORD.findall(text.casefold()) if word not in _STOP)


def setting_changes(units: Sequence[RequestUnit], master: str | None) -> list[float]:
    """Return for each unit how much it sets a new scene, 0 to 0.9: the GM tells at length of a place or time not named before.

    A scene is opened by whoever describes it, so only the GM's units count; without a known GM, anybody's.
    """
    told = [narration(unit.text) for unit in units]
    words = [content_words(text) for text in told]
    lengths = [len(text) for text, unit in zip(told, units, strict=True) if master is None or unit.speaker == master]
    usual = max(40.0, statistics.median(lengths)) if lengths else 40.0
    result = [0.0] * len(units)
    for at, unit in enumerate(units):
        if master is not None and unit.speaker != master:
            continue
        recent = frozenset().union(*words[max(0, at - 2 * _BLOCK) : at])
        coming = frozenset().union(*words[at + 1 : at + 1 + _BLOCK])
        places = {word for word in words[at] & _SETTING if word not in recent}
        taken_up = {word for word in words[at] - recent if word in coming}
        long = min(1.0, max(0.0, math.log2(max(1, len(told[at])) / usual)))
        result[at] = 0.16 * min(3, len(places)) + 0.08 * min(3, len(taken_up)) + 0.2 * long
    return result


def _depths(likeness: list[float]) -> list[float]:
    depths = [0.0] * len(likeness)
    for gap in range(1, len(likeness)):
        left = right = likeness[gap]
        # A peak is looked for within two blocks: further away is another scene's matter.
        for place in range(gap - 1, max(0, gap - 2 * _BLOCK), -1):
            if likeness[place] < left:
                break
            left = likeness[place]
        for place in range(gap + 1, min(len(likeness), gap + 2 * _BLOCK)):
            if likeness[place] < right:
                break
            right = likeness[place]
        depths[gap] = (left - likeness[gap]) + (right - likeness[gap])
    return depths


def _rarity(words: Sequence[frozenset[str]]) -> dict[str, float]:
    """Return a word's squared weight: words of the whole session say nothing about one scene."""
    blocks = max(1, math.ceil(len(words) / _BLOCK))
    seen: Counter[str] = Counter()
    for start in range(0, len(words), _BLOCK):
        seen.update(frozenset().union(*words[start : start + _BLOCK]))
    return {word: max(math.log((1 + blocks) / (0.5 + count)), 0.05) ** 2 for word, count in seen.items()}


def _likeness(words: Sequence[frozenset[str]], weights: dict[str, float]) -> list[float]:
    """Return for each gap the cosine of the blocks on its sides, a word counted once a unit.

    Product and norms are carried from gap to gap, so 10 000 units cost their words once and not once a block.
    """
    left: Counter[str] = Counter()
    right: Counter[str] = Counter()
    product = left_norm = right_norm = 0.0
    result = [1.0] * len(words)

    def shift(mine: Counter[str], other: Counter[str], unit: frozenset[str], step: int) -> tuple[float, float]:
        norm = dot = 0.0
        for word in unit:
            count = mine[word]
            norm += weights[word] * (2 * count * step + 1)
            dot += weights[word] * step * other[word]
            mine[word] = count + step
        return norm, dot

    for place in range(min(_BLOCK, len(words))):
        norm, dot = shift(right, left, words[place], 1)
        right_norm += norm
    for gap in range(1, len(words)):
        moves = [(right, left, gap - 1, -1), (left, right, gap - 1, 1)]
        if gap - 1 + _BLOCK < len(words):
            moves.append((right, left, gap - 1 + _BLOCK, 1))
        if gap - 1 - _BLOCK >= 0:
            moves.append((left, right, gap - 1 - _BLOCK, -1))
        for mine, other, place, step in moves:
            norm, dot = shift(mine, other, words[place], step)
            product += dot
            if mine is left:
                left_norm += norm
            else:
                right_norm += norm
        size = math.sqrt(max(left_norm, 0.0) * max(right_norm, 0.0))
        result[gap] = min(1.0, product / size) if size > 1e-9 else 0.0
    return result


def _mode_change(modes: Sequence[dict[Mode, float]], before: range, after: range) -> float:
    change = 0.0
    for mode in (Mode.COMBAT, Mode.PLANNING, Mode.TALK, Mode.TABLE):
        left = sum(modes[place][mode] for place in before) / len(before)
        right = sum(modes[place][mode] for place in after) / len(after)
        change += abs(left - right)
    return min(1.0, change)


def _stem(word: str) -> str:
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word.removesuffix(ending)
    return word


_SETTING = frozenset(_stem(word) for word in _SETTING_WORDS.split())
