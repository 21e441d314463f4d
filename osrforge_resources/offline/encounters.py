"""An area's encounters: its stat blocks and the creatures its text mentions, brought together.

A creature is reported once with every count that is printed for it; two counts that disagree are both reported.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from osrforge_resources.offline.counts import Count, read_count
from osrforge_resources.offline.creatures import is_creature, is_plural, kind_key
from osrforge_resources.offline.keyed_areas import KeyedArea
from osrforge_resources.offline.mentions import Mention, find_mentions
from osrforge_resources.offline.page_text import Block
from osrforge_resources.offline.stat_blocks import StatBlock, find_stat_blocks, split_count, table_creatures
from osrforge_resources.offline.vocabulary import FIXTURE_WORDS, PLACE_WORDS

# A printed line of who is here; its persons are listed like creatures because the module lists them so.
_LISTED = re.compile(
    r"(?:NPCs?|PNJs?|NSC|PNG|Creatures?|Monsters?|Inhabitants?|Occupants?|Encounters?|Criaturas?|Monstruos?|Monstres?)\s*:\s*(?=[A-ZÀ-Þ\d])(.{1,300})",
)
# A paragraph is a roster when stat blocks fill most of it and none says how many: it serves other areas too.
_ROSTER_SHARE = 0.6


@dataclass(frozen=True, slots=True)
class Occupant:
    """A creature of an area and how many of it.

    Attributes:
        name: As printed, without count.
        count: How many.
        notes: What the text says about the number beyond that.
    """

    name: str
    count: Count
    notes: tuple[str, ...] = ()

    def answer(self) -> dict[str, object]:
        """The occupant in the form of the reply schema."""
        notes = [*([self.count.note] if self.count.note else []), *self.notes]
        return {
            "monster": self.name,
            "count_fixed": self.count.fixed,
            "count_dice": self.count.dice,
            "count_note": "; ".join(dict.fromkeys(notes)) or None,
        }


def area_occupants(area: KeyedArea) -> list[Occupant]:
    """Return an area's creatures in order of appearance."""
    occupants: list[Occupant] = []
    rosters: list[StatBlock] = []
    listed_here = any(_LISTED.match(block.text) for block in area.blocks)
    for position, block in enumerate(area.blocks):
        if block.rows:
            for name, count in table_creatures(block.rows):
                occupants = _with_block(occupants, StatBlock(name, count, 0, 0, 0))
            continue
        text = f"{area.name}. {block.text}" if position == 0 and area.name and area.form != "name" else block.text
        if (listed := _LISTED.match(block.text)) and not find_stat_blocks(block.text):
            for occupant in _listed(listed[1]):
                if not any(_same(occupant.name, other.name) for other in occupants):
                    occupants = [*occupants, occupant]
            continue
        # `Monster: Ghoul (2), AC 6 …`: the label is no part of the name.
        text = listed[1] if listed else text
        blocks = find_stat_blocks(text)
        if _is_roster(block, blocks) and position > 0:
            rosters.extend(blocks)
            continue
        # Where the module lists who is here, its prose tells their story and counts nobody new.
        occupants = _read_text(occupants, text, blocks, prose=not listed_here)
    for roster in rosters:
        if any(_same(occupant.name, roster.name) for occupant in occupants):
            occupants = _with_block(occupants, roster)
    return occupants


def _listed(listing: str) -> list[Occupant]:
    """The creatures of a printed line `NPC: City guard, 3 goblins, A lot of zombies`."""
    found: list[Occupant] = []
    for item in re.split(
        r"[,;]\s*(?![^(]*\))|\s+(?:and|y|et|und|e)\s+(?=\d|an?\s)",
        re.split(r"\.\s|\s[A-Z][a-z]{2,20}(?: [a-z]+)?:", listing)[0],
    ):
        name, count = split_count(item.strip(" ."))
        some = re.match(
            r"(?:(an?|one|two|three|four|five|six|several|some|many)\s+)?((?:lot|bunch|group|pack|band|couple|pair)\s+of\s+)?",
            name,
            re.IGNORECASE,
        )
        if some and some[0]:
            count = Count(note=some[0].strip()) if some[2] else read_count(some[1]) or count
            name = name[some.end() :]
        if not name or len(name.split()) > 6 or find_stat_blocks(item):
            continue
        if not count.stated and not is_plural(name.split()[-1]):
            count = Count(fixed=1)
        found.append(Occupant(name, count))
    return found


def _is_roster(block: Block, blocks: Sequence[StatBlock]) -> bool:
    covered = sum(found.end - found.start for found in blocks)
    return (
        len(blocks) >= 2
        and covered >= _ROSTER_SHARE * len(block.text)
        and not any(found.count.stated for found in blocks)
    )


def _blanked(text: str, blocks: Sequence[StatBlock]) -> str:
    """The text with its statistics blanked out, offsets kept."""
    pieces: list[str] = []
    start = 0
    for found in blocks:
        pieces.append(text[start : found.inner] + " " * (found.end - found.inner))
        start = found.end
    return "".join([*pieces, text[start:]])


def _read_text(occupants: list[Occupant], text: str, blocks: Sequence[StatBlock], *, prose: bool) -> list[Occupant]:
    blanked = _blanked(text, blocks)
    mentions = find_mentions(blanked) if prose else []
    used: set[int] = set()
    order: list[tuple[int, Mention | None, StatBlock | None]] = []
    for found in blocks:
        near = next(
            (
                m
                for m in mentions
                if id(m) not in used
                and found.start - 2 <= m.end - 1
                and m.end <= found.inner + 2
                and (found.inner - m.end <= 24)
            ),
            None,
        )
        if near is not None:
            used.add(id(near))
        order.append((near.start if near else found.start, near, found))
    order.extend((mention.start, mention, None) for mention in mentions if id(mention) not in used)
    for _, mention, found in sorted(order, key=lambda item: item[0]):
        if mention is not None:
            occupants = _with_mention(occupants, mention, found)
        elif found is not None:
            occupants = _with_block(occupants, found)
    return occupants


def _with_mention(occupants: list[Occupant], mention: Mention, found: StatBlock | None) -> list[Occupant]:
    name = mention.name
    if found is not None and found.name and kind_key(found.name).endswith(kind_key(name)):
        name = found.name
    known = next((index for index, other in enumerate(occupants) if _same(other.name, name)), None)
    if known is None or (mention.further and mention.count.stated):
        fresh = Occupant(name, mention.count, ("further ones",) if known is not None else ())
        occupants = [*occupants, fresh]
        known = len(occupants) - 1
    elif found is None:
        return _joined(occupants, known, name, mention)
    elif mention.count.stated and not found.count.stated:
        found = replace(found, count=mention.count)
    return occupants if found is None else _counted(occupants, known, found)


def _joined(occupants: list[Occupant], known: int, name: str, mention: Mention) -> list[Occupant]:
    other = occupants[known]
    count, said = mention.count, other.count
    if len(name) > len(other.name):
        other = replace(other, name=name)
    if not said.stated:
        other = replace(other, count=count)
    elif mention.definite and count.fixed and said.fixed and count.fixed > 1 and count.fixed != said.fixed:
        other = replace(other, notes=(*other.notes, f"also given as {count.said()}"))
    elif not mention.definite and (
        (count.fixed or 0) > max(said.fixed or 0, 1) or (count.dice and count.dice != said.dice)
    ):
        # A second figure for new ones (`2 orcs … 4 orcs`) is a second group; a smaller one is a part of the first.
        group = Occupant(name, count)
        return occupants if group in occupants else [*occupants, group]
    return [*occupants[:known], other, *occupants[known + 1 :]]


def _with_block(occupants: list[Occupant], found: StatBlock) -> list[Occupant]:
    last = found.name.split()[-1] if found.name else ""
    # What stands before a bracket need not be a name: `goblins guard the room (AC 6 …)`.
    if not last or (
        last.islower() and not is_creature(last) and (PLACE_WORDS.fullmatch(last) or FIXTURE_WORDS.fullmatch(last))
    ):
        return occupants
    known = next((index for index, other in enumerate(occupants) if _same(other.name, found.name)), None)
    if known is not None:
        return _counted(occupants, known, found)
    count = found.count
    if not count.stated:
        count = (
            Count(fixed=found.hit_points)
            if found.hit_points
            else Count()
            if is_plural(found.name.split()[-1])
            else Count(fixed=1)
        )
    return _counted([*occupants, Occupant(found.name, count)], len(occupants), found)


def _counted(occupants: list[Occupant], known: int, found: StatBlock) -> list[Occupant]:
    other = occupants[known]
    notes = list(other.notes)
    if kind_key(found.name).endswith(f" {kind_key(other.name)}"):
        # `An ooze … Grey ooze (1): AC 8`: the statistics bear the full name.
        other = replace(other, name=found.name)
    if found.count.stated and not other.count.stated:
        other = replace(other, count=found.count)
    elif found.count.stated and found.count != other.count:
        notes.append(f"the stat block says {found.count.said()}")
    if found.hit_points and other.count.fixed and found.hit_points != other.count.fixed:
        notes.append(f"hit points are listed for {found.hit_points}")
    return [*occupants[:known], replace(other, notes=tuple(notes)), *occupants[known + 1 :]]


def _same(first: str, second: str) -> bool:
    one, two = kind_key(first), kind_key(second)
    return one == two or one.endswith(f" {two}") or two.endswith(f" {one}")
