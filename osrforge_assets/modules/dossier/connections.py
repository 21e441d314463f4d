"""Connections: does each way out lead to an area that exists, and does that area know of it?"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from osrforge_assets.contracts.flags import Flag, FlagCode
from osrforge_assets.contracts.level import AreaContent, Connection, Via
from osrforge_assets.contracts.survey import SurveyArea, SurveyDungeon
from osrforge_assets.modules.dossier.word_forms import word_forms
from osrforge_assets.modules.dossier.words import FILLERS, is_number, read_words
from osrforge_resources.keys import slug

# An area's place in its dungeon: level number and canonical key.
Place = tuple[int, str]


@dataclass(frozen=True, slots=True)
class DungeonKeys:
    """The areas of a dungeon by every key a connection may use for them.

    Attributes:
        by_level: Level number → key as written → canonical keys that it may mean.
    """

    by_level: Mapping[int, Mapping[str, frozenset[str]]]

    @classmethod
    def of(cls, dungeon: SurveyDungeon) -> "DungeonKeys":
        """Return the keys of a surveyed dungeon."""
        return cls({level.number: _spellings(level.areas) for level in dungeon.levels})

    def resolve(self, to_key: str, level: int) -> frozenset[Place]:
        """Return the areas of a level that a connection's key may mean: the canonical key before a printed label."""
        spellings = self.by_level.get(level, {})
        for spelling in _key_spellings(to_key):
            if spelling in spellings:
                return frozenset((level, key) for key in spellings[spelling])
        return frozenset()

    def where_else(self, to_key: str, level: int) -> str:
        """Say what a key means that no area of `level` bears; on another level it may be meant, but is not stated."""
        others = [number for number in self.by_level if number != level and self.resolve(to_key, number)]
        if len(others) == 1:
            return f"which is an area of level {others[0]}, not of level {level}"
        return f"which no area of level {level} is called"


def connection_flags(keys: DungeonKeys, answers: Mapping[int, Mapping[str, AreaContent]]) -> dict[Place, list[Flag]]:
    """Return the flags of a dungeon's connections by the area that states them.

    A chute is not expected to lead back. An area that was not answered states nothing, so nothing is missed there.

    Args:
        keys: The dungeon's keys.
        answers: Level number → canonical key → content, of the levels whose content stands.
    """
    flags: defaultdict[Place, list[Flag]] = defaultdict(list)
    for level, areas in answers.items():
        for key, area in areas.items():
            seen: set[tuple[str | None, int | None]] = set()
            for connection in area.connections:
                target = (connection.to_key, connection.to_level)
                if target in seen:
                    continue
                seen.add(target)
                if (flag := _doubt((level, key), connection, keys, answers)) is not None:
                    flags[level, key].append(flag)
    return dict(flags)


def _doubt(
    place: Place, connection: Connection, keys: DungeonKeys, answers: Mapping[int, Mapping[str, AreaContent]]
) -> Flag | None:
    level, key = place
    to_level = connection.to_level if connection.to_level is not None else level
    if to_level not in keys.by_level:
        return Flag(
            code=FlagCode.CONNECTION_UNRESOLVED,
            message=f"A connection leads to level {to_level}, which the dungeon does not have.",
            key=key,
        )
    if connection.to_key is None:
        return None
    targets = keys.resolve(connection.to_key, to_level)
    if not targets:
        return Flag(
            code=FlagCode.CONNECTION_UNRESOLVED,
            message=f"A connection leads to “{connection.to_key}”, {keys.where_else(connection.to_key, to_level)}.",
            key=key,
        )
    others = [answers.get(at_level, {}).get(at_key) for at_level, at_key in sorted(targets)]
    known = [other for other in others if other is not None]
    # One of several areas of that name suffices, and one that was never answered may be the one.
    if place in targets or connection.via is Via.CHUTE or len(known) < len(others):
        return None
    if any(_leads_back(other, to_level, place, keys) for other in known):
        return None
    where = f"area {known[0].key}" if to_level == level else f"area {known[0].key} of level {to_level}"
    return Flag(
        code=FlagCode.CONNECTION_ONE_WAY,
        message=f"A connection leads to {where}, which mentions no way back.",
        key=key,
    )


def _leads_back(other: AreaContent, other_level: int, place: Place, keys: DungeonKeys) -> bool:
    for connection in other.connections:
        to_level = connection.to_level if connection.to_level is not None else other_level
        if connection.to_key is not None:
            if place in keys.resolve(connection.to_key, to_level):
                return True
        elif connection.to_level == place[0] != other_level:
            return True  # "stairs up to level 1" is the way back, although it names no area
    return False


def _spellings(areas: Sequence[SurveyArea]) -> Mapping[str, frozenset[str]]:
    canonical = {area.key for area in areas}
    spellings: defaultdict[str, set[str]] = defaultdict(set)
    for area in areas:
        names = {*_key_spellings(area.source_label), slug(area.name), *_as_words(area.name)}
        for spelling in names - canonical - {""}:
            spellings[spelling].add(area.key)
    return {key: frozenset({key}) for key in canonical} | {name: frozenset(keys) for name, keys in spellings.items()}


def _key_spellings(key: str) -> list[str]:
    """Return how a key may be written, nearest first.

    As it is, as a slug, without leading zeros, without `Area` or `Room`, and a name by its words in any order.
    """
    plain = slug(key)
    spellings = [key, plain, re.sub(r"(?<![a-z0-9])0+(?=\d)", "", plain)]
    # `area-7`, `room-no-9`: the word is the layout's; what has a digit is the key.
    if named := re.fullmatch(r"[a-z]{2,}(?:-[a-z]{2,})*-([a-z]?\d[a-z0-9-]*)", spellings[-1]):
        spellings.append(named.group(1))
    return [spelling for spelling in dict.fromkeys([*spellings, *_as_words(key)]) if spelling]


def _as_words(name: str) -> list[str]:
    """Return a name of two words or more as its sorted singulars, `exterior governor mansion`; none for a printed key.

    Lists of exits turn names round: `Governor's mansion (Exterior)`, `Souvenirs Shop`. Keys with digits are exact.
    """
    words = sorted({min(word_forms(word), key=_shortest) for word in read_words(name).words if word not in FILLERS})
    return [" ".join(words)] if len(words) > 1 and not any(map(is_number, words)) else []


def _shortest(word: str) -> tuple[int, str]:
    return len(word), word
