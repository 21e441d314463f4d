"""Where a few words stand on a page: whole names, and the best run of a longer text.

Both look-ups start from the places where the page and the fact share something, so their cost is one pass over the page
and not the product of their lengths.
"""

from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise

from rapidfuzz.distance import LCSseq  # bit-parallel alignment of word sequences, 64 words a step; MIT, no dependencies

from osrforge_assets.modules.dossier.word_forms import word_forms
from osrforge_assets.modules.dossier.words import Words

# Two neighbours as one string: unlike tuples, strings are not walked by the garbage collector.
_Pair = str

# An alignment takes a bit a cell: 1000 pairs against a stretch of 6000 words stay under 1 MB however long the texts are.
_LONGEST_ALIGNED = 1000


class PageWords:
    """A page's words with what a look-up needs.

    Args:
        words: The page's words.
    """

    def __init__(self, words: Words) -> None:
        self.words = words.words
        self.starts = words.starts

    @cached_property
    def _by_form(self) -> dict[str, list[int]]:
        """Positions of every form of every word."""
        index: defaultdict[str, list[int]] = defaultdict(list)
        for position, word in enumerate(self.words):
            for form in word_forms(word):
                index[form].append(position)
        return dict(index)

    @cached_property
    def _pairs(self) -> list[_Pair]:
        return _pairs_of(self.words)

    def has_name(self, name: Words) -> bool:
        """Return whether the name is printed here as whole words of one sentence, each singular or plural.

        A word broken in two or two words run together agree (`half-orc`, `half orc`, `halforc`).
        """
        if not name.words:
            return False
        first = name.words[0]
        heads = word_forms(first) | _glued(*name.words[:2]) if len(name.words) > 1 else word_forms(first)
        places = {place for head in heads for place in self._by_form.get(head, ())}
        if any(self._name_at(name, place) for place in places):
            return True
        # `halforc` may be printed as two words, of which the first is its beginning.
        halves = [place for place, word in enumerate(self.words) if first.startswith(word)]
        return any(self._name_at(name, place) for place in halves)

    def _name_at(self, name: Words, place: int) -> bool:
        states = {(0, place)}
        while states:
            following: set[tuple[int, int]] = set()
            for at, spot in states:
                if at == len(name.words):
                    return True
                following |= self._steps(name, at, spot)
            states = following
        return False

    def _steps(self, name: Words, at: int, spot: int) -> set[tuple[int, int]]:
        """Return how the words at `at` and `spot` agree: one with one, two with one, one with two."""
        if spot >= len(self.words) or (at > 0 and spot in self.starts and at not in name.starts):
            return set()
        steps: set[tuple[int, int]] = set()
        wanted, printed = name.words[at], self.words[spot]
        if word_forms(wanted) & word_forms(printed):
            steps.add((at + 1, spot + 1))
        if at + 1 < len(name.words) and _glued(wanted, name.words[at + 1]) & word_forms(printed):
            steps.add((at + 2, spot + 1))
        next_printed = self.words[spot + 1] if spot + 1 < len(self.words) and spot + 1 not in self.starts else ""
        if next_printed and word_forms(wanted) & _glued(printed, next_printed):
            steps.add((at + 1, spot + 2))
        return steps

    def found(self, text: Words, *, gaps: int) -> frozenset[int]:
        """Return the positions in `text` of the words that are printed here in order, on the best stretch of the page.

        Words count in pairs of neighbours: two texts that are strangers share many words but few pairs (`grounding.py`
        has the figures). A text of one word is found as a name is.

        Args:
            text: What to look for.
            gaps: How many other words may stand between its own.
        """
        if len(text.words) == 1:
            return frozenset({0}) if self.has_name(text) else frozenset()
        wanted = _pairs_of(text.words)
        covered: set[int] = set()
        for start in range(0, len(wanted), _LONGEST_ALIGNED):
            part = wanted[start : start + _LONGEST_ALIGNED]
            matched = self._best_alignment(part, len(part) + min(gaps, 4 * _LONGEST_ALIGNED))
            covered |= {start + at + side for at in matched for side in (0, 1)}
        return frozenset(covered)

    def _best_alignment(self, wanted: Sequence[_Pair], reach: int) -> list[int]:
        known = set(wanted)
        # A scan of a page takes 20 µs where an index of its pairs took 5 ms to build.
        places = [place for place, pair in enumerate(self._pairs) if pair in known]
        best: tuple[int, list[_Pair]] = (0, [])
        last = -reach
        for place in places:
            # A stretch that begins within a quarter of the last one's is the last one's: the stretches together are at
            # most five times the page, whatever repeats on it.
            if place - last < reach // 4:
                continue
            last = place
            stretch = self._pairs[place : place + reach + reach // 4]
            score = int(LCSseq.similarity(wanted, stretch))
            if score > best[0]:
                best = (score, stretch)
                if score == len(wanted):
                    return list(range(len(wanted)))
        operations = LCSseq.opcodes(wanted, best[1])
        return [at for step in operations if step.tag == "equal" for at in range(step.src_start, step.src_end)]


def _glued(first: str, second: str) -> frozenset[str]:
    return frozenset(first + form for form in word_forms(second))


def _pairs_of(words: Sequence[str]) -> list[_Pair]:
    return [f"{word} {following}" for word, following in pairwise(words)]
