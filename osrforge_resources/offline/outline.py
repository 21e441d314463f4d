"""A document's outline: which blocks are headings, and under which headings every block stands."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from osrforge_resources.offline.page_text import Block, BlockKind
from osrforge_resources.offline.printed_keys import read_key
from osrforge_resources.offline.vocabulary import FACET_WORDS, LIST_WORDS, names_level

# A short line without closing punctuation stands in for a heading where the layout shows none (raw text layers).
PSEUDO_TIER = 7
_PSEUDO_LENGTH = 70
_STATISTICS = re.compile(r"\b(?:AC|HD|ML|ATT|MV|hp|THAC0|XP)\b\s?[-−–+]?\d")
_LEVEL_NOUN = re.compile(r"(?:ebene|stock\w*|etage|étage|niveau|livello|piano|level|floor)\b", re.IGNORECASE)
_LEVEL_SET_OFF = re.compile(
    r"^(?:the\s+)?(?:[\w-]+\s+)?(?:levels?|floor|nivel|piso|planta|niveau|étage|ebene|livello|piano)\b|[:,–—]",
    re.IGNORECASE,
)
_CLOSED = re.compile(r"[.!?;,:…][\"”’)]*$")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading that is no area key.

    Attributes:
        index: Its block's index in the document.
        tier: 1 the highest; 7 for a short line that only reads like one.
        text: Its words.
    """

    index: int
    tier: int
    text: str


@dataclass(frozen=True, slots=True)
class Outline:
    """The blocks of some pages and the headings above each.

    Attributes:
        blocks: In reading order.
        headings: By block index, None where the block is no heading.
        paths: By block index, the headings it stands under, outermost first.
    """

    blocks: tuple[Block, ...]
    headings: tuple[Heading | None, ...]
    paths: tuple[tuple[Heading, ...], ...]


def read_outline(blocks: Sequence[Block]) -> Outline:
    """Return the outline of `blocks`; keyed and facet headings open no section of their own."""
    headings: list[Heading | None] = []
    paths: list[tuple[Heading, ...]] = []
    path: tuple[Heading, ...] = ()
    for index, block in enumerate(blocks):
        heading = _heading(index, block, blocks[index + 1] if index + 1 < len(blocks) else None)
        if heading is not None:
            path = (*(above for above in path if above.tier < heading.tier), heading)
        headings.append(heading)
        paths.append(path)
    return Outline(tuple(blocks), tuple(headings), tuple(paths))


def _heading(index: int, block: Block, after: Block | None) -> Heading | None:
    if not block.text or FACET_WORDS.fullmatch(block.text):
        return None
    if block.kind is BlockKind.HEADING:
        # `2. Ebene` is a level although it starts like a key; `5. Basement` is an area although it names a level.
        key = read_key(block.text)
        keyed = key is not None and not _LEVEL_NOUN.match(block.text, key.end)
        return None if keyed else Heading(index, block.tier, block.text)
    short = block.kind is BlockKind.PARAGRAPH and len(block.text) <= _PSEUDO_LENGTH and after is not None
    return Heading(index, PSEUDO_TIER, block.text) if short and _reads_as_heading(block.text) else None


def _reads_as_heading(text: str) -> bool:
    # `Stairs down to level 2` is a note, `The cellar, level 1` a heading: the level stands first or set off.
    if names_level(text) and not _LEVEL_SET_OFF.search(text):
        return False
    if read_key(text) or not text[:1].isupper() or _STATISTICS.search(text):
        return False
    # `Wandering monsters (1 in 6):` and `Level 2: the pits` may close with a mark and still head what follows.
    return not _CLOSED.search(text) or (text.endswith(":") and bool(LIST_WORDS.search(text)))
