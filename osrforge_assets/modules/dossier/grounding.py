"""Grounding: is what was extracted printed on the pages that it cites?

A fact that is not found stays in the dossier and gets a flag: a reader may have read it from the picture, or may have
invented it, and only a person can tell. What does not belong here: whether a fact belongs to its area rather than to the
area next to it on the same page.

Measured on 102 text pages of 12 modules, share of a text's words that `PageWords.found` gives:

| text                                               | least | 1 % | median | 99 % |
| -------------------------------------------------- | ----- | --- | ------ | ---- |
| three sentences of the page                        | 0.89  | 1.0 | 1.0    | 1.0  |
| the same with the middle sentence left out         | 0.80  | 1.0 | 1.0    | 1.0  |
| the same with every tenth word changed             | 0.46  | .72 | 0.89   | 1.0  |
| its words shuffled                                 | 0.0   | 0.0 | 0.08   | 0.32 |
| three sentences of another module                  | 0.0   | 0.0 | 0.0    | 0.12 |

The six descriptions that a large commercial model wrote for a five-page module gave 0.95–1.0 on their own pages and
0.0–0.30 on the other one.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Literal

from osrforge_assets.contracts.dossier import Grounding, GroundingStatus
from osrforge_assets.contracts.flags import Flag, FlagCode
from osrforge_assets.contracts.level import AreaContent
from osrforge_assets.modules.dossier.page_words import PageWords
from osrforge_assets.modules.dossier.words import FILLERS, Words, is_number, read_words

# Above the best of the shuffled texts (0.40); of 1068 texts with every tenth word changed, 1 % fall below 0.72.
_DESCRIPTION_SHARE = 0.5
# Treasure is asked for as printed and is short, so one wrong word is a different thing: `potion of flying` shares half of
# `potion of healing`. At 0.85 a word may be missing only from seven words on, a number never.
_TREASURE_SHARE = 0.85
# fmt: off
_ARTICLES = frozenset({
    "a", "an", "the", "some", "un", "una", "unos", "unas", "el", "la", "los", "las", "une", "le", "les", "der",
    "die", "das", "ein", "eine", "il", "lo", "gli",
})
# fmt: on
# Six printed pages, more than any keyed area takes: what is longer is looked up by its beginning, so that a page-long fact
# on a page of a megabyte takes a second and not forty.
_LOOKED_UP_WORDS = 3000
_SHOWN_WORDS = 12

_Fact = Literal["monster", "treasure", "description"]


class PageLookup:
    """The texts of a module's pages, read and indexed when they are first asked for.

    Args:
        text_of: Returns a page's reading-order text, "" for a page without text.
    """

    def __init__(self, text_of: Callable[[int], str]) -> None:
        self._text_of = text_of
        # Areas come in printed order, so a page is asked for again soon or never; an indexed page takes about 0.3 MB.
        self.printed = lru_cache(maxsize=64)(self._printed)

    def _printed(self, *pages: int) -> "_Printed":
        """Return one page, or a run of pages as one text."""
        if len(pages) == 1:
            return _Printed(read_words(self._text_of(pages[0])))
        words = self.printed(pages[0]).words
        for page in pages[1:]:
            words += self.printed(page).words
        return _Printed(words)


class _Printed:
    """A text in the two forms that facts are looked up in."""

    def __init__(self, words: Words) -> None:
        self.words = words

    @cached_property
    def all_words(self) -> PageWords:
        return PageWords(self.words)

    @cached_property
    def without_fillers(self) -> PageWords:
        return PageWords(_without_fillers(self.words))


@dataclass(frozen=True, slots=True)
class _Hit:
    page: int | None
    share: float
    found: bool


def ground_area(area: AreaContent, pages: Sequence[int], lookup: PageLookup) -> tuple[list[Grounding], list[Flag]]:
    """Look up every monster, treasure entry and the description of an answered area.

    Args:
        area: The area's content.
        pages: The pages it cites.
        lookup: The module's pages.

    Returns:
        One grounding a fact that has words, in the order monsters, treasure, description; and the flags of those that
        were not found.
    """
    with_text = [page for page in dict.fromkeys(pages) if lookup.printed(page).words.words]
    groundings: list[Grounding] = []
    flags: list[Flag] = []
    for encounter in area.encounters:
        hit = _find_monster(_beginning(read_words(encounter.monster)), with_text, lookup)
        groundings.append(_grounding("monster", encounter.monster, hit, with_text))
    for entry in area.treasure:
        hit = _find_treasure(_beginning(read_words(entry)), with_text, lookup)
        groundings.append(_grounding("treasure", entry, hit, with_text))
    if (description := read_words(area.description)).words:
        hit = _find_description(_beginning(description), with_text, lookup)
        value = _first_words(area.description)
        groundings.append(_grounding("description", value, hit, with_text))
    if groundings and not with_text:
        flags.append(_no_text_flag(area.key, pages))
    flags += [
        _not_found_flag(grounding, area.key, pages)
        for grounding in groundings
        if grounding.status is GroundingStatus.NOT_FOUND
    ]
    return groundings, flags


def _grounding(fact: _Fact, value: str, hit: _Hit, with_text: Sequence[int]) -> Grounding:
    if not with_text:
        return Grounding(fact=fact, value=value, status=GroundingStatus.NO_TEXT, page=None, share=0.0)
    status = GroundingStatus.FOUND if hit.found else GroundingStatus.NOT_FOUND
    page = hit.page if hit.found else None
    return Grounding(fact=fact, value=value, status=status, page=page, share=round(hit.share, 3))


def _find_monster(name: Words, pages: Sequence[int], lookup: PageLookup) -> _Hit:
    """A name is printed or it is not; the share of a missing one is that of the words of it that are printed."""
    bare = _without_articles(name)
    for page in pages:
        if lookup.printed(page).all_words.has_name(bare):
            return _Hit(page=page, share=1.0, found=True)
    shares = [_printed_share(bare, lookup.printed(page).all_words) for page in pages]
    # All words of a name may be there, one here and one there; that is still not the name.
    return _Hit(page=None, share=min(max(shares, default=0.0), 0.99), found=False)


def _printed_share(name: Words, page: PageWords) -> float:
    singles = [Words((word,), frozenset({0})) for word in name.words]
    return sum(page.has_name(single) for single in singles) / len(singles) if singles else 0.0


def _find_treasure(entry: Words, pages: Sequence[int], lookup: PageLookup) -> _Hit:
    bare = _without_fillers(entry)
    best = _Hit(page=None, share=0.0, found=False)
    if not bare.words:
        return best
    # 2n + 10 words hold `n` words quoted with another line between them, and seldom reach into the next area.
    gaps = len(bare.words) + 10
    for run in _runs(pages):
        covered = lookup.printed(*run).without_fillers.found(bare, gaps=gaps)
        share = len(covered) / len(bare.words)
        numbers_stand = all(at in covered for at, word in enumerate(bare.words) if is_number(word))
        found = numbers_stand and share >= _TREASURE_SHARE
        if (found, share) > (best.found, best.share):
            best = _Hit(page=run[0], share=share, found=found)
    return best


def _find_description(text: Words, pages: Sequence[int], lookup: PageLookup) -> _Hit:
    best = _Hit(page=None, share=0.0, found=False)
    # A description leaves out the stat blocks and treasure that stand between its sentences: at 2n + 10 words 1 % of
    # those with a sentence left out lost a third of their words, at 4n + 40 none lost more than a fifth.
    gaps = 3 * len(text.words) + 40
    shares: dict[int, float] = {}
    for run in _runs(pages):
        if best.share == 1.0:
            break
        share = len(lookup.printed(*run).all_words.found(text, gaps=gaps)) / len(text.words)
        shares.setdefault(run[0], share)
        page = max(run, key=lambda number: shares.get(number, 0.0))
        if share > best.share:
            best = _Hit(page=page, share=share, found=share >= _DESCRIPTION_SHARE)
    return best


def _runs(pages: Sequence[int]) -> list[tuple[int, ...]]:
    """Return every page, then every two pages in a row: a text may run over from one to the next."""
    ordered = sorted(pages)
    return [(page,) for page in ordered] + [(one, two) for one, two in pairwise(ordered) if two == one + 1]


def _without_articles(name: Words) -> Words:
    return Words(name.words[1:], frozenset({0})) if len(name.words) > 1 and name.words[0] in _ARTICLES else name


def _without_fillers(words: Words) -> Words:
    kept = [at for at, word in enumerate(words.words) if word not in FILLERS]
    return Words(
        tuple(words.words[at] for at in kept),
        frozenset(new for new, old in enumerate(kept) if old in words.starts),
    )


def _beginning(words: Words) -> Words:
    kept = words.words[:_LOOKED_UP_WORDS]
    return Words(kept, frozenset(start for start in words.starts if start < len(kept)))


def _first_words(text: str) -> str:
    words = text.split()
    return " ".join(words) if len(words) <= _SHOWN_WORDS else " ".join(words[:_SHOWN_WORDS]) + " …"


_NOT_FOUND = {
    "monster": (FlagCode.MONSTER_NOT_ON_PAGE, "The creature “{value}” is not named on {pages}."),
    "treasure": (FlagCode.TREASURE_NOT_ON_PAGE, "The treasure “{value}” is not printed so on {pages}."),
    "description": (
        FlagCode.DESCRIPTION_NOT_ON_PAGE,
        "Only {share:.0%} of the description “{value}” is printed so on {pages}.",
    ),
}


def _not_found_flag(grounding: Grounding, key: str, pages: Sequence[int]) -> Flag:
    code, sentence = _NOT_FOUND[grounding.fact]
    message = sentence.format(value=_first_words(grounding.value), pages=_page_list(pages), share=grounding.share)
    return Flag(code=code, message=message, page=pages[0] if len(set(pages)) == 1 else None, key=key)


def _no_text_flag(key: str, pages: Sequence[int]) -> Flag:
    message = (
        f"Nothing of this area could be looked up: no text on {_page_list(pages)}."
        if pages
        else "Nothing of this area could be looked up: it cites no page."
    )
    page = pages[0] if len(set(pages)) == 1 else None
    return Flag(code=FlagCode.PAGE_WITHOUT_TEXT, message=message, page=page, key=key)


def _page_list(pages: Iterable[int]) -> str:
    numbers = sorted(set(pages))
    return f"page {numbers[0]}" if len(numbers) == 1 else f"pages {', '.join(map(str, numbers))}"
