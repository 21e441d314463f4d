"""The words before a creature's name: its count, its article, the band or pack it comes in."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from osrforge_resources.offline.counts import Count, read_count
from osrforge_resources.offline.prose import Word

_NOT_MODIFIERS = frozenset(
    """
    of in on at by with from to into onto for and or but nor as if than then when while where which who that this
    these those is are was were be been being has have had do does did will would can could may might must shall
    should not no he she it they them his her its their him you your we our i there here up down over under behind
    near beside between through against about after before until since per like unlike only also just even very so
    too de del la el los las con por para que en y o su sus al le les des du et dans der die das den und im mit il
    lo gli di e
    """.split()
)
DEFINITE = frozenset(
    """
    the this these those its their his her your our el la los las le les der die das il lo gli i
    """.split()
)
BANNED_DETERMINERS = frozenset(
    """
    all any every no each most other those these such non ningún ninguna todo todos todas
    """.split()
)
_COLLECTIVES = frozenset(
    """
    band group pack tribe gang swarm bunch horde nest crew patrol mob party squad herd colony family flock brood
    cluster lot host company troop banda grupo manada enjambre horda patrulla
    """.split()
)
_NOT_COUNTS = frozenset(
    {"armed", "headed", "legged", "winged", "eyed", "handed", "foot", "horned", "tailed", "level", "hd"}
)
SAID_AGAIN = frozenset({"more", "another", "other", "additional", "further", "otro", "otros"})
COUNT_AFTER = re.compile(r"\s?\(\s?(\d*d\d+(?:[+-]\d+)?|\d+\s?[-–—]\s?\d+|\d{1,4})\s?\)|\s[x×]\s?(\d{1,4})(?![\d'])")


@dataclass(frozen=True, slots=True)
class Phrase:
    """What stands before a creature's name.

    Attributes:
        first: Index of the phrase's first word.
        count: What it counts, None if it does not.
        determiner: Its article or pronoun in lower case, "" if it has none.
    """

    first: int
    count: Count | None
    determiner: str


def read_phrase(tokens: Sequence[Word], start: int) -> Phrase:
    """Walk left over modifiers to the count or article of a name.

    Args:
        tokens: The sentence.
        start: Index of the creature's own word.
    """
    index = start
    for _ in range(5):
        if index == 0:
            # No article in sight: the words before may be a verb (`Bees stand guard`), so they are left out.
            return Phrase(start, None, "")
        before = tokens[index - 1]
        lower = before.lower
        apart = tokens[index].start - before.end > 1 or not re.match(r"\w", before.text)
        if apart or (lower in _NOT_MODIFIERS - DEFINITE and lower != "of") or re.search(r"['’]s?$", lower):
            return Phrase(index, None, "")
        if lower in DEFINITE or lower in BANNED_DETERMINERS:
            return Phrase(index - 1, None, lower)
        after = tokens[index].lower.split("-")[0]
        if lower in SAID_AGAIN and index > 1 and read_count(tokens[index - 2].text) is not None:
            index -= 1
            continue
        count = read_count(before.text) if after not in _NOT_COUNTS else None
        if count is not None:
            return _outer_count(tokens, index - 1, count)
        if lower == "of":
            collective = index > 1 and _is_collective(tokens[index - 2].lower)
            return _collective(tokens, index - 2) if collective else Phrase(index, None, "")
        index -= 1
    return Phrase(index, None, "")


def _is_collective(word: str) -> bool:
    """Return whether a word is a band, pack or swarm."""
    return word in _COLLECTIVES or word.removesuffix("s") in _COLLECTIVES


def _outer_count(tokens: Sequence[Word], index: int, count: Count) -> Phrase:
    before = tokens[index - 1].lower if index and tokens[index].start - tokens[index - 1].end == 1 else ""
    # `the 4 war boars` and `up to 6 orcs` keep their number, and the note says what stands before it.
    if before in DEFINITE | BANNED_DETERMINERS:
        return Phrase(index - 1, count, before)
    if (
        index >= 2
        and before in {"to", "than", "least"}
        and tokens[index - 2].lower in {"up", "more", "less", "at", "fewer"}
    ):
        phrase = f"{tokens[index - 2].text} {tokens[index - 1].text} {tokens[index].text}"
        return Phrase(index - 2, Count(note=phrase), "")
    if before in {"about", "around", "some", "roughly", "nearly", "approximately"} and count.fixed:
        return Phrase(index - 1, Count(fixed=count.fixed, note=f"{before} {count.fixed}"), "")
    return Phrase(index, count, tokens[index].lower)


def _collective(tokens: Sequence[Word], index: int) -> Phrase:
    first = index
    while first > 0 and tokens[first].start - tokens[first - 1].end == 1 and first > index - 3:
        lower = tokens[first - 1].lower
        if lower in DEFINITE or lower in _NOT_MODIFIERS:
            break
        first -= 1
        if read_count(lower) is not None:
            break
    phrase = " ".join(token.text for token in tokens[first : index + 1])
    return Phrase(first, Count(note=f"{phrase} of"), "")
