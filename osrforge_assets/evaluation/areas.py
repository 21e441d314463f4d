"""A dossier against the hand-checked truth of its module: what was found, missed and invented. Pure.

A truth document is what a YAML file of this shape loads to: `dungeons` → `levels` (`number`) → `areas` (`key`, `name`,
`encounters` with `name` and `count` or `count_dice`, `treasure.present`, `connections`, `doors` by the other area's key with
`kind`, `locked`, `stuck`). A key that is left out asserts nothing; an empty list asserts that there is none. So nothing
is called invented where the truth is silent.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from rapidfuzz import fuzz  # edit-distance ratios in C++; WRatio and partial ratios saturate on part names

from osrforge_assets.contracts.dossier import Dossier, DossierArea
from osrforge_assets.contracts.level import Connection, Encounter, Via
from osrforge_assets.modules.dossier.word_forms import word_forms
from osrforge_assets.modules.dossier.words import read_words
from osrforge_resources.keys import slug

# Names with plurals made alike: "orc" against "orcs" 100, "pirate lady boss" against "pirate ladybosses" 91, "goblin"
# against "hobgoblin" 80, "giant rat" against "giant bat" 89: alike from 82 up, and of several the nearest name first.
_ALIKE = 82.0
_DOORS = {Via.DOOR, Via.SECRET_DOOR}


@dataclass(frozen=True, slots=True)
class Tally:
    """How many of one sort of fact were found, missed and invented."""

    found: int = 0
    missed: int = 0
    invented: int = 0

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(self.found + other.found, self.missed + other.missed, self.invented + other.invented)

    def __str__(self) -> str:
        return f"{self.found}/{self.missed}/{self.invented}"


@dataclass(frozen=True, slots=True)
class AreaScores:
    """One dossier against its truth.

    Attributes:
        areas: Keyed areas; one found under another level or dungeon than printed counts as found.
        misplaced: Areas found under another level or dungeon than printed.
        encounters: Monsters of found areas by name and, where the truth asserts it, count: a wrong count is a miss and an
            invention.
        treasure: Areas whose treasure is asserted to be there (found or missed) or not (invented if some is given).
        connections: Ways out of found areas to an area, each target once.
        doors: Doors of found areas among the asserted ones: kind, locked and stuck as the truth has them; none invented.
        details: Every miss and invention in words, for a person.
    """

    areas: Tally = Tally()
    misplaced: int = 0
    encounters: Tally = Tally()
    treasure: Tally = Tally()
    connections: Tally = Tally()
    doors: Tally = Tally()
    details: tuple[str, ...] = ()

    def __add__(self, other: "AreaScores") -> "AreaScores":
        return AreaScores(**{f.name: getattr(self, f.name) + getattr(other, f.name) for f in fields(self)})


@dataclass(frozen=True, slots=True)
class _Printed:
    """A true area and the number of the level it stands in, counted over the whole module."""

    level: int
    truth: Mapping[str, Any]

    @property
    def label(self) -> str:
        return str(self.truth["key"])

    @property
    def names(self) -> frozenset[str]:
        return _spellings(self.label, str(self.truth.get("name") or ""))


@dataclass(frozen=True, slots=True)
class _Found:
    """An extracted area and the number of its level."""

    level: int
    area: DossierArea

    @property
    def names(self) -> frozenset[str]:
        return _spellings(self.area.source_label, self.area.name)


def score_areas(truth: Mapping[str, Any], dossier: Dossier) -> AreaScores:
    """Return a dossier's scores against the truth of its module."""
    printed = [
        _Printed(number, area)
        for number, level in enumerate(level for dungeon in truth["dungeons"] for level in dungeon["levels"])
        for area in level["areas"]
    ]
    found = [
        _Found(number, area)
        for number, level in enumerate(level for dungeon in dossier.dungeons for level in dungeon.levels)
        for area in level.areas
    ]
    pairs = _paired(printed, found)
    places = _level_pairs(printed, found)
    matched = {id(area) for _, area in pairs}
    details = [f"missed area {p.label}" for p in printed if all(p is not q for q, _ in pairs)]
    details += [f"invented area {f.area.source_label} {f.area.name}".rstrip() for f in found if id(f) not in matched]
    total = AreaScores(
        areas=Tally(len(pairs), len(printed) - len(pairs), len(found) - len(pairs)),
        misplaced=sum(places.get(p.level) != f.level for p, f in pairs),
        details=tuple(details),
    )
    named = {id(f.area): p for p, f in pairs}
    for p, f in pairs:
        neighbours = {other.area.key: named.get(id(other.area)) for other in found if other.level == f.level}
        total += _facts(p, f.area, neighbours)
    return total


def _spellings(label: str, name: str) -> frozenset[str]:
    return frozenset({_bare(label), _bare(name), _bare(f"{label} {name}")} - {""})


def _bare(name: str) -> str:
    """Return a name's singular words in one order, without articles: two printings of a name agree in it."""
    said = [min(word_forms(word), key=len) for word in read_words(name).words]
    return " ".join(sorted(word for word in said if word not in {"the", "a", "an", "of"})) or slug(name)


def _paired(printed: Sequence[_Printed], found: Sequence[_Found]) -> list[tuple[_Printed, _Found]]:
    """Return each true area with the extracted one that is it; the surest agreement first, each used once."""
    places = _level_pairs(printed, found)
    pairs: list[tuple[_Printed, _Found]] = []
    free_printed, free_found = list(printed), list(found)

    def take(agree: Callable[[_Printed, _Found], bool]) -> None:
        by_name: dict[str, list[_Found]] = {}
        for f in free_found:
            for name in f.names:
                by_name.setdefault(name, []).append(f)
        for p in list(free_printed):
            candidates = [f for name in p.names for f in by_name.get(name, []) if any(f is g for g in free_found)]
            if (best := next((f for f in candidates if agree(p, f)), None)) is not None:
                pairs.append((p, best))
                free_printed.remove(p)
                free_found.remove(best)

    take(lambda p, f: places.get(p.level) == f.level and _same_label(p, f))
    take(lambda p, f: places.get(p.level) == f.level)
    take(_same_label)
    take(lambda *_: True)
    return pairs


def _same_label(printed: _Printed, found: _Found) -> bool:
    return slug(printed.label) == slug(found.area.source_label)


def _level_pairs(printed: Sequence[_Printed], found: Sequence[_Found]) -> dict[int, int]:
    """Return true level → extracted level; those that share most names first, and in printed order among equals."""
    shared: dict[tuple[int, int], int] = {}
    for p_level in {p.level for p in printed}:
        names = {name for p in printed if p.level == p_level for name in p.names}
        for f in found:
            if f.names & names:
                shared[p_level, f.level] = shared.get((p_level, f.level), 0) + 1
    pairs: dict[int, int] = {}
    for p_level, f_level in sorted(shared, key=lambda pair: (-shared[pair], pair)):
        if p_level not in pairs and f_level not in pairs.values():
            pairs[p_level] = f_level
    return pairs


def _facts(printed: _Printed, area: DossierArea, neighbours: Mapping[str, _Printed | None]) -> AreaScores:
    where, truth = f"area {printed.label}", printed.truth
    scores = AreaScores()
    if truth.get("encounters") is not None:
        scores += _encounters(truth["encounters"], area.encounters, where)
    if (treasure := truth.get("treasure")) is not None and treasure.get("present") is not None:
        scores += _treasure(bool(treasure["present"]), area, where)
    targets = [_target(connection, neighbours) for connection in area.connections]
    if truth.get("connections") is not None:
        scores += _connections({_bare(str(key)) for key in truth["connections"]}, targets, where)
    if truth.get("doors"):
        scores += _doors(truth["doors"], list(zip(targets, area.connections, strict=True)), where)
    return scores


def _encounters(printed: Sequence[Mapping[str, Any]], found: Sequence[Encounter], where: str) -> AreaScores:
    ranked = sorted(
        ((-_likeness(str(p["name"]), f.monster), i, j) for i, p in enumerate(printed) for j, f in enumerate(found)),
    )
    pairs: dict[int, int] = {}
    for distance, i, j in ranked:
        if -distance >= _ALIKE and i not in pairs and j not in pairs.values():
            pairs[i] = j
    right = {i: j for i, j in pairs.items() if _same_count(printed[i], found[j])}
    missed = [f"{where}: missed {_said(printed[i])}" for i in range(len(printed)) if i not in right]
    invented = [
        f"{where}: invented {f.monster} ×{f.count_fixed or f.count_dice or f.count_note}"
        for j, f in enumerate(found)
        if j not in right.values()
    ]
    return AreaScores(encounters=Tally(len(right), len(missed), len(invented)), details=(*missed, *invented))


def _likeness(first: str, second: str) -> float:
    known = read_words(first).words
    # Whatever two words may both be the singular or plural of, they are written alike: `zombies` and `zombie`.
    alike = [next((w for w in known if word_forms(w) & word_forms(word)), word) for word in read_words(second).words]
    one, other = " ".join(known) or first.casefold(), " ".join(alike) or second.casefold()
    # A space more or less (`ladybosses`) is no other creature.
    return max(fuzz.ratio(one, other), fuzz.token_sort_ratio(one, other))


def _same_count(printed: Mapping[str, Any], found: Encounter) -> bool:
    if printed.get("count") is not None:
        return found.count_fixed == printed["count"]
    if printed.get("count_dice") is not None:
        return found.count_dice == printed["count_dice"]
    return True


def _said(printed: Mapping[str, Any]) -> str:
    count = printed.get("count") or printed.get("count_dice")
    return f"{printed['name']} ×{count}" if count else str(printed["name"])


def _treasure(present: bool, area: DossierArea, where: str) -> AreaScores:
    if present:
        missed = not area.treasure
        return AreaScores(treasure=Tally(not missed, missed), details=(f"{where}: missed treasure",) * missed)
    invented = bool(area.treasure)
    details = (f"{where}: invented treasure {'; '.join(area.treasure)}",) * invented
    return AreaScores(treasure=Tally(invented=int(invented)), details=details)


def _target(connection: Connection, neighbours: Mapping[str, _Printed | None]) -> str:
    """Return which true area a connection leads to, "" where it names none."""
    if connection.to_key is None or connection.to_level is not None:
        return ""
    printed = neighbours.get(connection.to_key)
    return _bare(printed.label if printed is not None else connection.to_key)


def _connections(printed: set[str], targets: Iterable[str], where: str) -> AreaScores:
    said = set(targets) - {""}
    missed, invented = sorted(printed - said), sorted(said - printed)
    details = [f"{where}: missed connection to {key}" for key in missed]
    details += [f"{where}: invented connection to {key}" for key in invented]
    return AreaScores(connections=Tally(len(printed & said), len(missed), len(invented)), details=tuple(details))


def _doors(printed: Mapping[Any, Mapping[str, Any]], found: Sequence[tuple[str, Connection]], where: str) -> AreaScores:
    missed = []
    for key, door in printed.items():
        doors = [c for target, c in found if target == _bare(str(key)) and c.via in _DOORS]
        if not any(_same_door(door, connection) for connection in doors):
            missed.append(f"{where}: missed {door.get('kind', 'door')} to {key}")
    return AreaScores(doors=Tally(len(printed) - len(missed), len(missed)), details=tuple(missed))


def _same_door(printed: Mapping[str, Any], found: Connection) -> bool:
    asserted = (
        (printed.get("kind"), found.via.value),
        (printed.get("locked"), found.door_locked),
        (printed.get("stuck"), found.door_stuck),
    )
    return all(said is None or said == given for said, given in asserted)
