"""How near one division of a sequence is to another: window scores, edit scores, and the count beside them.

A division of `n` units is the set of its boundaries: positions 1 to n-1, each before the unit with that 0-based index.
Pk and WindowDiff are errors (0 is best), the others are agreements (1 is best). No score stands alone: the empty plan
often wins Pk, and only the count ratio and F1 show it.

Sources: Beeferman, Berger and Lafferty 1999 (Pk); Pevzner and Hearst 2002 (WindowDiff); Fournier 2013 (Boundary
Similarity). `tests/assets/evaluation` holds them against nltk and segeval.
"""

import random
from collections.abc import Iterable
from dataclasses import dataclass

from osrforge_resources.failures import MisuseError

Boundaries = frozenset[int]


@dataclass(frozen=True, slots=True)
class BoundaryScores:
    """All scores of one division against a reference.

    Attributes:
        pk: Error: how often two units one window apart are wrongly called together or apart.
        window_diff: Error: how often a window holds the wrong number of boundaries.
        boundary_similarity: Agreement by boundary edit distance; near misses count in part.
        f1: Agreement: each boundary may be `tolerance` units off and is matched once.
        count_ratio: Boundaries proposed for each boundary of the reference; 1 where both have none.
    """

    pk: float
    window_diff: float
    boundary_similarity: float
    f1: float
    count_ratio: float


def score(reference: Boundaries, proposed: Boundaries, units: int, *, tolerance: int = 2) -> BoundaryScores:
    """Return every score of `proposed` against `reference`.

    Args:
        reference: The reviewed boundaries.
        proposed: The boundaries to judge.
        units: How many units the sequence has.
        tolerance: How many units off a boundary still counts for F1.

    Raises:
        MisuseError: A boundary lies outside the sequence.
    """
    if any(not 0 < boundary < units for boundary in reference | proposed):
        raise MisuseError(f"Boundaries of {units} units lie between 1 and {units - 1}.", code="boundaries.outside")
    window = window_size(reference, units)
    return BoundaryScores(
        pk=pk(reference, proposed, units, window),
        window_diff=window_diff(reference, proposed, units, window),
        boundary_similarity=boundary_similarity(reference, proposed, near=tolerance + 1),
        f1=tolerance_f1(reference, proposed, tolerance),
        count_ratio=len(proposed) / len(reference) if reference else float(not proposed),
    )


def window_size(reference: Boundaries, units: int) -> int:
    """Return half the mean length of the reference's segments, at least 2 and at most the sequence's gaps."""
    mean = units / (len(reference) + 1)
    return max(1, min(units - 1, max(2, round(mean / 2))))


def pk(reference: Boundaries, proposed: Boundaries, units: int, window: int) -> float:
    """Return the share of windows in which only one of the two divisions has a boundary."""
    pairs = list(zip(_counts(reference, units, window), _counts(proposed, units, window), strict=True))
    return sum((here > 0) != (there > 0) for here, there in pairs) / len(pairs) if pairs else 0.0


def window_diff(reference: Boundaries, proposed: Boundaries, units: int, window: int) -> float:
    """Return the share of windows in which the two divisions have different numbers of boundaries."""
    pairs = list(zip(_counts(reference, units, window), _counts(proposed, units, window), strict=True))
    return sum(here != there for here, there in pairs) / len(pairs) if pairs else 0.0


def boundary_similarity(reference: Boundaries, proposed: Boundaries, *, near: int = 2) -> float:
    """Return 1 minus the share of edits that turn one division into the other.

    Args:
        reference: One division.
        proposed: The other.
        near: A boundary moved by fewer than `near` units is one edit of weight distance/near instead of two edits.
    """
    matched = reference & proposed
    missed, extra = set(reference - proposed), set(proposed - reference)
    moves: list[int] = []
    for distance in range(1, near):
        used: set[int] = set()
        for left in sorted(missed | extra):
            right = left + distance
            if left in used or right in used:
                continue
            if (left in missed and right in extra) or (left in extra and right in missed):
                moves.append(distance)
                used |= {left, right}
        missed -= used
        extra -= used
    edits = len(missed) + len(extra)
    total = edits + len(moves) + len(matched)
    return 1 - (edits + sum(moves) / near) / total if total else 1.0


def tolerance_f1(reference: Boundaries, proposed: Boundaries, tolerance: int) -> float:
    """Return the F1 of boundaries matched one to one within `tolerance` units, nearest first."""
    if not reference and not proposed:
        return 1.0
    pairs = sorted(
        (abs(here - there), here, there) for here in reference for there in proposed if abs(here - there) <= tolerance
    )
    taken_here: set[int] = set()
    taken_there: set[int] = set()
    for _, here, there in pairs:
        if here not in taken_here and there not in taken_there:
            taken_here.add(here)
            taken_there.add(there)
    return 2 * len(taken_here) / (len(reference) + len(proposed))


def no_boundaries() -> Boundaries:
    """Return the plan of one scene."""
    return frozenset()


def even_boundaries(count: int, units: int) -> Boundaries:
    """Return `count` boundaries at equal distances, fewer where there is no room."""
    places = (round(units * number / (count + 1)) for number in range(1, count + 1))
    return frozenset(place for place in places if 0 < place < units)


def random_boundaries(count: int, units: int, seed: int) -> Boundaries:
    """Return `count` boundaries anywhere; the same seed gives the same."""
    # Reproducible, not secret: the trivial plan of a comparison.
    return frozenset(random.Random(seed).sample(range(1, units), min(count, units - 1)))  # noqa: S311


def boundaries_of(starts: Iterable[int]) -> Boundaries:
    """Return the boundaries of scenes that start at these 0-based positions; the first start is none."""
    return frozenset(start for start in starts if start > 0)


def _counts(boundaries: Boundaries, units: int, window: int) -> list[int]:
    """Return the number of boundaries in every window of `window` neighbouring gaps."""
    sums = [0]
    for place in range(1, units):
        sums.append(sums[-1] + (place in boundaries))
    return [sums[at + window] - sums[at] for at in range(units - window)]
