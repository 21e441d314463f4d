"""Hyphens at line ends: whether the hyphen is the word's or the line's. Pure.

`trea-/sure` is one word, `half-/orc` keeps its hyphen. The document decides where it can: the form that occurs
elsewhere in it is the form meant here. Where it says nothing, a first part that usually makes compounds keeps its
hyphen; otherwise the hyphen is the line's, since typesetting programs divide words far more often than a compound
happens to end a line.
"""

import re
from collections import Counter

from osrforge_assets.modules.pages.letters import SOFT_HYPHEN

_LAST = re.compile(r"([^\W_]+(?:['’][^\W_]+)*)[-‐\u00ad]$")
_FIRST = re.compile(r"^([^\W_]+)")
_DASHES = "–—−"
_HYPHENS = f"-‐{SOFT_HYPHEN}"

# First parts after which a hyphen is nearly always printed: `half-orc`, `self-aware`, `two-headed`.
_STRONG = frozenset(
    """
    half self semi quasi pseudo demi non well two three four five six seven eight nine eleven twelve twenty thirty forty
    fifty sixty seventy eighty ninety
    """.split()
)
# First parts that make compounds and begin plain words too (`iron-bound`, but `man-ner`, `bat-tle`): they keep the
# hyphen only before a second part that is itself a word of the document.
_WEAK = frozenset(
    """
    one ten hundred double triple first second third all ill much so near far long short high low deep wide thick thin
    old new good bad full cross hand man dog cat bat bird snake spider lizard goat wolf bear rat owl iron bone stone
    blood fire ice snow sea sun moon star silver gold black white red green blue grey gray dark light cold hot dead
    ex anti multi mid ever fresh hard soft left right
    """.split()
)


def joined(before: str, after: str, vocabulary: Counter[str]) -> str:
    """Return two parts of a text that a line end divides, joined.

    Args:
        before: The text before the line end, without trailing space.
        after: The text after it, without leading space.
        vocabulary: How often each word, and each hyphenated compound, occurs in the document.
    """
    if not before or not after:
        return before + after
    # The pattern looks for its word from every position of the text: a tenth of a book's reading time went into texts
    # that do not even end in a hyphen.
    divided = _LAST.search(before) if before[-1] in _HYPHENS else None
    if divided is None:
        if before[-1] in _DASHES and len(before) > 1 and not before[-2].isspace() and after[0].isdigit():
            return before + after
        return f"{before.rstrip(SOFT_HYPHEN)} {after}"
    stem = before[:-1]
    if before[-1] == SOFT_HYPHEN:
        return stem + after
    rest = _FIRST.match(after)
    if rest is None:
        return f"{before} {after}"
    return stem + ("-" if keeps_hyphen(divided[1], rest[1], vocabulary) else "") + after


def keeps_hyphen(first: str, second: str, vocabulary: Counter[str]) -> bool:
    """Return whether the hyphen between two parts of a word belongs to it."""
    if not second[0].islower() or first[-1].isdigit() or first.isupper():
        return True
    whole, compound = (first + second).casefold(), f"{first}-{second}".casefold()
    if vocabulary[compound] != vocabulary[whole]:
        return vocabulary[compound] > vocabulary[whole]
    if vocabulary[whole]:
        return False
    if len(second) < 3:
        return False
    return first.casefold() in _STRONG or (first.casefold() in _WEAK and vocabulary[second.casefold()] > 0)
