"""Areas without numbers: headings of one rank that name places one after the other (`Hall of Harmony`, `Upper deck`).

Two kinds of print are told apart from chapters of a story: places that print their own connections, and ranks of
headings most of which name a place and say what a referee needs there (creatures with statistics, treasure, exits).
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from osrforge_resources.offline.exits import AreaNames, find_exits
from osrforge_resources.offline.keyed_areas import KeyedArea, area_text
from osrforge_resources.offline.outline import PSEUDO_TIER, Heading, Outline
from osrforge_resources.offline.page_text import Block, BlockKind
from osrforge_resources.offline.stat_blocks import find_stat_blocks
from osrforge_resources.offline.treasure import find_treasure
from osrforge_resources.offline.vocabulary import (
    CONNECTIONS_LINE,
    DIMENSIONS,
    FACET_WORDS,
    LICENCE_WORDS,
    LIST_WORDS,
    PLACE_WORDS,
)
from osrforge_resources.place_names import name_key, standing_name

# Of a rank of headings, so many must name a place, and so many must say something a referee runs a place with. A story
# told in scenes names places in some headings but keeps no statistics or treasure under most of them.
_PLACES = 0.5
_FACTS = 0.5
# A heading over a by-line or a licence is a title, whatever its rank.
_IMPRINT = re.compile(r"https?://|www\.|©|\bcopyright\b|creative commons", re.IGNORECASE)
# Where nearly every heading names a place, fewer need to say so much.
_NEARLY_ALL = 0.8
_FEW_FACTS = 0.25
_FEWEST = 3
_LONGEST_NAME = 60


@dataclass(frozen=True, slots=True)
class _Section:
    heading: Heading
    blocks: tuple[Block, ...]

    @property
    def text(self) -> str:
        return area_text(self.blocks)


def named_runs(outline: Outline, *, expected: Collection[str] = ()) -> list[list[KeyedArea]]:
    """Return lists of areas that bear names only, in reading order; one area printed in several places is one.

    Args:
        outline: The document.
        expected: Names that are known to be areas, for a reader that was asked for them.
    """
    sections = _sections(outline)
    wanted = {name_key(name) for name in expected if name_key(name)}
    if wanted:
        asked = {_name_words(name): name for name in expected}
        named = [
            section if name_key(section.heading.text) in wanted else _under_parent(at, sections, asked)
            for at, section in enumerate(sections)
        ]
        chosen = [section for section in named if name_key(section.heading.text) in wanted]
        return [_united(chosen, outline, set())] if chosen else []
    connected = connected_names(outline)
    if connected:
        by_words = _by_words(sections)
        named = [_under_parent(at, sections, by_words) for at in range(len(sections))]
        known = connected | {
            name_key(new.heading.text) for new, old in zip(named, sections, strict=True) if new is not old
        }
        chosen = [section for section in named if name_key(section.heading.text) in known]
        return [_united(chosen, outline, known)]
    return _ranked(sections, outline)


def _by_words(sections: Sequence[_Section]) -> dict[frozenset[str], str]:
    """Each name as first printed, by its words in any order."""
    first: dict[frozenset[str], str] = {}
    for section in sections:
        first.setdefault(_name_words(section.heading.text), section.heading.text)
    return first


def _under_parent(at: int, sections: Sequence[_Section], by_words: Mapping[frozenset[str], str]) -> _Section:
    """Give a place printed as `Exterior` under `Governor's mansion` the name it has where it stands alone.

    Args:
        at: The place's position in `sections`.
        sections: All of them.
        by_words: Names by their words; one that has the words of a part and of its parent is neither's own.
    """
    section = sections[at]
    for parent in _parents(at, sections):
        own, over = _name_words(section.heading.text), _name_words(parent.heading.text)
        if own <= over or over <= own:
            continue
        if (whole := by_words.get(own | over)) is not None:
            return _Section(replace(section.heading, text=whole), section.blocks)
    return section


def _parents(at: int, sections: Sequence[_Section]) -> list[_Section]:
    """Headings without text of their own before a section, the nearest first if it is next to it.

    `Governor's mansion`, then three parts of it: up to five headings back.
    """
    near = sections[at - 1 : at] if at else []
    return [other for other in [*near, *sections[max(0, at - 5) : at]] if not other.blocks]


def _name_words(name: str) -> frozenset[str]:
    return frozenset(name_key(name).split("-")) - {"of", "the", "a", "s", "de", "del", "la", "el"}


def connected_names(outline: Outline) -> set[str]:
    """Return the name keys of headings under which connections are printed; empty where only one or two have them."""
    sections = _sections(outline)
    found = {name_key(section.heading.text) for section in sections if CONNECTIONS_LINE.search(section.text)}
    return found if len(found) >= _FEWEST else set()


def _sections(outline: Outline) -> list[_Section]:
    found: list[_Section] = []
    for index, heading in enumerate(outline.headings):
        if heading is None or heading.tier >= PSEUDO_TIER or len(heading.text) > _LONGEST_NAME:
            continue
        if LIST_WORDS.fullmatch(heading.text) or LICENCE_WORDS.search(heading.text):
            continue
        blocks: list[Block] = []
        for later in range(index + 1, len(outline.blocks)):
            block = outline.blocks[later]
            if block.kind is BlockKind.HEADING and not FACET_WORDS.fullmatch(block.text):
                break
            blocks.append(outline.blocks[later])
        found.append(_Section(heading, tuple(blocks)))
    return found


def _ranked(sections: Sequence[_Section], outline: Outline) -> list[list[KeyedArea]]:
    """Ranks of sibling headings that read like places."""
    runs: list[list[KeyedArea]] = []
    for group in _siblings(sections, outline):
        told = [
            section
            for section in group
            if section.text and not LIST_WORDS.search(section.heading.text) and not _IMPRINT.search(section.text[:400])
        ]
        if len(told) < _FEWEST:
            continue
        places = sum(bool(PLACE_WORDS.search(section.heading.text)) for section in told)
        facts = sum(_holds_facts(section.text) for section in told)
        plainly = places >= _NEARLY_ALL * len(told) and facts >= _FEW_FACTS * len(told) and len(told) > _FEWEST
        if plainly or (places >= _PLACES * len(told) and facts >= _FACTS * len(told)):
            runs.append(_united(told, outline, set()))
    return runs


def _siblings(sections: Sequence[_Section], outline: Outline) -> list[list[_Section]]:
    groups: dict[tuple[int, tuple[int, ...]], list[_Section]] = {}
    for section in sections:
        above = tuple(head.index for head in outline.paths[section.heading.index][:-1] if head.tier < PSEUDO_TIER)
        groups.setdefault((section.heading.tier, above), []).append(section)
    return list(groups.values())


def _holds_facts(text: str) -> bool:
    return bool(
        find_stat_blocks(text) or find_treasure(text) or DIMENSIONS.search(text) or find_exits(text, AreaNames())
    )


def _united(sections: Sequence[_Section], outline: Outline, connected: set[str]) -> list[KeyedArea]:
    """One area a name: its sections in reading order, its name as first printed."""
    areas: dict[str, KeyedArea] = {}
    for section in sections:
        key = name_key(section.heading.text)
        if not section.blocks and key not in connected:
            continue
        page = outline.blocks[section.heading.index].page
        pages = {page, *(block.page for block in section.blocks)}
        if (known := areas.get(key)) is not None:
            name = standing_name(known.name, section.heading.text.strip())
            merged = tuple(sorted({*known.pages, *pages}))
            areas[key] = replace(known, label=name, name=name, blocks=(*known.blocks, *section.blocks), pages=merged)
            continue
        # Places that print their connections stand under parts of a story; the parts name no dungeon.
        path = () if connected else tuple(outline.paths[section.heading.index][:-1])
        name = section.heading.text.strip()
        areas[key] = KeyedArea(
            name,
            name,
            name,
            section.heading.index,
            (len(areas) + 1, 0),
            section.blocks,
            tuple(sorted(pages)),
            "name",
            path,
        )
    return list(areas.values())
