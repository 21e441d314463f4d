"""Which dungeon and level each area list belongs to.

A heading that names a level names it; a restart of the numbers starts a new level, or a new dungeon where a heading
that names a place stands over it; a window that goes on from earlier pages goes on in the dungeon it was given.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from osrforge_resources.keys import slug
from osrforge_resources.offline.keyed_areas import KeyedArea
from osrforge_resources.offline.outline import PSEUDO_TIER, Heading, Outline
from osrforge_resources.offline.vocabulary import (
    ENCOUNTER_KEY,
    FACET_WORDS,
    LIST_WORDS,
    PLACE_WORDS,
    level_number,
    names_level,
    without_level,
    words,
)
from osrforge_resources.request_text import Carry

# Headings that say what stands under them but not where: never a dungeon's name.
_GENERIC = frozenset(
    """
    map area areas room rooms dungeon dungeons location locations keyed encounter encounters level levels key keys
    description descriptions to of and the site sites adventure module exploring exploration introduction background
    overview start beginning summary getting there running this part chapter section setting history for referee gm
    dm player players note notes interior exterior inside caves cellar cellars hex hexes descripción descripciones
    descripcion de las los la el salas habitaciones localizaciones lugares zonas mapa mazmorra introducción
    introduccion aventura trasfondo resumen aventure pièces des salles lieux einleitung räume raumbeschreibungen
    raumbeschreibung raumschlüssel abenteuer hintergrund beschreibung descrizione stanze luoghi introduzione
    avventura
    """.split()
)
_NUMERAL = re.compile(r"[ivxlc]+|\d+|[a-z]")
_CHAPTER = re.compile(
    r"^(?:part|chapter|section|parte|cap[ií]tulo|partie|chapitre|teil|kapitel|capitolo)\s+\w+\s*[:.–—-]\s*",
    re.IGNORECASE,
)
_LONGEST_DUNGEON_NAME = 80
# Every word that counts starts with a capital, as names of places do and section headings in sentence case do not.
_PROPER = re.compile(
    r"(?:the |la |el |los |las |le |les |der |die |das |il )?[A-ZÀ-Þ][\w'’-]*"
    r"(?:[ ,:](?:of|the|and|in|on|at|under|beneath|for|a|an|de|la|el|los|las|del|y|du|des|von|der|di|[A-ZÀ-Þ(][\w'’)-]*|\s))*",
)
# The home town and the parts of one dungeon are no dungeons.
_NO_DUNGEON = words(
    "village|town|city|hamlet|settlement|inn|tavern|wing|quarter|section|side|region|wilderness|overland|journey|map|mapa",
    "monsters?|magic|items|experience|dedication|dramatis personae|personae|east|west|north|south|eastern|western|northern",
    "southern|aldea|pueblo|ciudad|villa|dorf|stadt|ville",
)
_INTRODUCTORY = re.compile(
    r"^(?:background|introduction|overview|about|how to|getting|welcome|what|why|who|when|where|trasfondo|introducci[oó]n|"
    r"hintergrund|einleitung|introduzione|contexte)\b",
    re.IGNORECASE,
)


@dataclass(slots=True)
class Level:
    """A level: its number and its areas in printed order."""

    number: int
    areas: list[KeyedArea] = field(default_factory=list)


@dataclass(slots=True)
class Dungeon:
    """A dungeon: its name and its levels; `given` if earlier pages opened it."""

    name: str
    levels: list[Level] = field(default_factory=list)
    given: bool = False
    weak: bool = False


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Areas of one list under one level heading."""

    areas: tuple[KeyedArea, ...]
    level: int | None
    level_named: bool
    name: str
    weak_name: str


def place_runs(
    runs: Sequence[Sequence[KeyedArea]], outline: Outline, *, title: str, carry: Carry | None = None
) -> list[Dungeon]:
    """Return the dungeons that the area lists make up, in printed order.

    Args:
        runs: Area lists in reading order.
        outline: The document, for its headings.
        title: The document's printed title: the name of a dungeon that no heading names.
        carry: The dungeon and level that earlier pages ended in.
    """
    dungeons: list[Dungeon] = []
    if carry is not None:
        dungeons.append(Dungeon(carry.dungeon, [Level(carry.level)], given=True))
    seen: set[str] = set()
    for stretch in _from_carry(list(_stretches(runs, outline, title)), carry):
        keys = {slug(area.label) for area in stretch.areas}
        current = dungeons[-1] if dungeons else None
        # Nothing of this window is known yet: only the key that earlier pages ended with can tell a new list.
        restarts = bool(keys & seen) if seen or carry is None else _starts_over(stretch, carry)
        # `A1`–`A4` of one named cave and `B1`–`B6` of the next share no key and are two sites all the same.
        elsewhere = bool(stretch.name) and current is not None and slug(stretch.name) != slug(current.name)
        restarts = restarts or (elsewhere and bool(seen or carry) and stretch.areas[0].place[0] <= 1)
        level = _level_for(stretch, current, dungeons, restarts=restarts, title=title)
        if restarts or not level.areas:
            seen = keys
        else:
            seen |= keys
        level.areas.extend(stretch.areas)
    kept = [Dungeon(d.name, [level for level in d.levels if level.areas], d.given, d.weak) for d in dungeons]
    kept = [dungeon for dungeon in kept if dungeon.levels]
    if len(kept) == 1 and kept[0].weak and title:
        kept[0].name = title
    return kept


def _from_carry(stretches: list[_Stretch], carry: Carry | None) -> list[_Stretch]:
    """Leave out what earlier pages told in full: on a shared page, the end of a level before the one they ended in."""
    if carry is None:
        return stretches
    last = slug(carry.last_key)
    holding = [index for index, stretch in enumerate(stretches) if last in {slug(area.label) for area in stretch.areas}]
    named = [index for index in holding if stretches[index].level == carry.level]
    return stretches[(named or holding or [0])[0] :]


def _starts_over(stretch: _Stretch, carry: Carry) -> bool:
    """Whether a window's first list is a new one. Its pages may repeat the last keys that earlier pages ended with."""
    # Places without keys have no first number: their list goes on wherever the next of them stands.
    if stretch.areas[0].form == "name" or any(slug(area.label) == slug(carry.last_key) for area in stretch.areas):
        return False
    return stretch.areas[0].place[0] <= 1


def _level_for(
    stretch: _Stretch, current: Dungeon | None, dungeons: list[Dungeon], *, restarts: bool, title: str
) -> Level:
    name = stretch.name or stretch.weak_name
    if current is None:
        dungeons.append(Dungeon(name or title, weak=not stretch.name))
        return _new_level(dungeons[-1], stretch.level or 1)
    known = {level.number: level for level in current.levels}
    other_place = bool(name) and slug(name) != slug(current.name)
    taken = stretch.level is not None and stretch.level in known and bool(known[stretch.level].areas or current.given)
    if restarts and other_place and (not stretch.level_named or taken or stretch.name):
        dungeons.append(Dungeon(name, weak=not stretch.name))
        return _new_level(dungeons[-1], stretch.level or 1)
    if stretch.level is not None and not (restarts and taken):
        return known.get(stretch.level) or _new_level(current, stretch.level)
    if restarts or (stretch.level_named and stretch.level is None and current.levels[-1].areas):
        return _new_level(current, max(known) + 1)
    return current.levels[-1]


def _new_level(dungeon: Dungeon, number: int) -> Level:
    dungeon.levels.append(Level(number))
    return dungeon.levels[-1]


def _stretches(runs: Sequence[Sequence[KeyedArea]], outline: Outline, title: str) -> Iterable[_Stretch]:
    """Cut the lists wherever a heading for another level stands between two areas."""
    before = -1
    for run in runs:
        piece: list[KeyedArea] = []
        between: tuple[Heading, ...] = ()
        level_head: Heading | None = None
        for area in run:
            new = tuple(head for head in outline.headings[before + 1 : area.index] if head is not None)
            # Among areas that bear names, `Basement` is one of them; only a number makes a level there.
            level = level_number if area.form == "name" else names_level
            over = next((head for head in reversed(new) if level(head.text)), None)
            # A second heading for the same level (`level 1: areas 5 to 6`) is no new stretch.
            if piece and over is not None and not _same_level(over, level_head):
                yield _stretch(piece, between, level_head, outline, title)
                piece, level_head = [], None
            if not piece:
                between = new
            level_head = level_head or over
            piece.append(area)
            # Boxes scattered round a map are ordered by number, so the place read so far is the furthest one.
            before = max(before, area.index)
        if piece:
            yield _stretch(piece, between, level_head, outline, title)


def _same_level(first: Heading, second: Heading | None) -> bool:
    if second is None:
        return False
    number = level_number(first.text)
    return number is not None and number == level_number(second.text)


def _stretch(
    areas: Sequence[KeyedArea], between: Sequence[Heading], level_head: Heading | None, outline: Outline, title: str
) -> _Stretch:
    number = level_number(level_head.text) if level_head else None
    weak = _place_name(without_level(level_head.text)) if level_head else ""
    return _Stretch(
        tuple(areas),
        number,
        level_head is not None,
        _dungeon_heading(areas[0], between, level_head, outline, title),
        weak,
    )


def _dungeon_heading(
    first: KeyedArea, between: Sequence[Heading], level_head: Heading | None, outline: Outline, title: str
) -> str:
    """The name of the place that a list of areas is about: a heading above it, or one of its own rank right before it."""
    above = [head for head in first.path if head.tier < PSEUDO_TIER]
    own_tier = level_head.tier if level_head else first.heading_tier or (above[-1].tier if above else 0)
    page = outline.blocks[first.index].page
    # A higher heading that is not above has been closed by another; one of the same rank right before may name the place
    # that a flat layout does not put above its levels.
    beside = [head for head in between if head.tier == own_tier and page - outline.blocks[head.index].page <= 1]
    for heads in (above, beside):
        for head in reversed(heads):
            if head is level_head or names_level(head.text) or slug(head.text) == slug(title):
                continue
            name = _place_name(head.text)
            if name and (_PROPER.fullmatch(name) or (heads is above and PLACE_WORDS.search(name))):
                return name
    return ""


def _is_generic(text: str) -> bool:
    said = re.findall(r"[^\W_]+", text.lower())
    return all(word in _GENERIC or _NUMERAL.fullmatch(word) for word in said)


def _place_name(heading: str) -> str:
    text = _CHAPTER.sub("", heading).strip(" .:–—-")
    if not text or len(text) > _LONGEST_DUNGEON_NAME or _is_generic(text) or FACET_WORDS.fullmatch(text):
        return ""
    if LIST_WORDS.search(text) or ENCOUNTER_KEY.search(text) or _NO_DUNGEON.search(text) or _INTRODUCTORY.match(text):
        return ""
    return re.sub(r"\s*[:–—-]\s*(?:areas?|rooms?|key)\b.*$|\s+(?:key|areas)$", "", text, flags=re.IGNORECASE)
