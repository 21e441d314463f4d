"""The shape of a survey's and a census's answer: flat, closed, every field required; and the answers as read.

Answered text is cleaned once, here. Keys, numbers and pages stay as answered: making them canonical is normalization.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from osrforge_assets.contracts.survey import AreaKind, CensusDungeon, CensusLevel, Town
from osrforge_assets.modules.printed_text import distinct, one_line, running_text
from osrforge_assets.modules.schema_forms import INTEGER, TEXT, Schema, closed_object, list_of, one_of


def survey_schema() -> Schema:
    """Return the JSON Schema of a survey answer."""
    area = closed_object(key=TEXT, name=TEXT, source_pages=list_of(INTEGER), kind=one_of(AreaKind))
    level = closed_object(number=INTEGER, map_pages=list_of(INTEGER), areas=list_of(area))
    return closed_object(
        title=TEXT,
        description=TEXT,
        hooks=list_of(TEXT),
        town=closed_object(name=TEXT, description=TEXT, services=list_of(TEXT)),
        dungeons=list_of(closed_object(name=TEXT, levels=list_of(level, at_least=1))),
        monster_names=list_of(TEXT),
    )


def census_schema() -> Schema:
    """Return the JSON Schema of a census answer."""
    level = closed_object(number=INTEGER, first_key=TEXT, last_key=TEXT)
    return closed_object(dungeons=list_of(closed_object(name=TEXT, levels=list_of(level, at_least=1))))


@dataclass(frozen=True, slots=True)
class AnsweredArea:
    """An area as answered.

    Attributes:
        key: The printed key, or the name where none is printed; "" if the answer gave neither.
        name: The printed name, "" if none.
        pages: As answered, in any order.
        kind: What sort of place it is.
    """

    key: str
    name: str
    pages: tuple[int, ...]
    kind: AreaKind


@dataclass(frozen=True, slots=True)
class AnsweredLevel:
    """A level as answered; `number` may be anything."""

    number: int
    map_pages: tuple[int, ...]
    areas: tuple[AnsweredArea, ...]


@dataclass(frozen=True, slots=True)
class AnsweredDungeon:
    """A dungeon as answered."""

    name: str
    levels: tuple[AnsweredLevel, ...]


@dataclass(frozen=True, slots=True)
class SurveyAnswer:
    """A survey answer, of one window or merged from several."""

    title: str = ""
    description: str = ""
    hooks: tuple[str, ...] = ()
    town: Town = field(default_factory=Town)
    dungeons: tuple[AnsweredDungeon, ...] = ()
    monster_names: tuple[str, ...] = ()


def parse_survey(data: Any) -> SurveyAnswer:
    """Return a survey answer that has passed `survey_schema`."""
    town = data["town"]
    return SurveyAnswer(
        title=one_line(data["title"]),
        description=running_text(data["description"]),
        hooks=distinct([running_text(hook) for hook in data["hooks"]]),
        town=Town(
            name=one_line(town["name"]),
            description=running_text(town["description"]),
            services=distinct([one_line(service) for service in town["services"]]),
        ),
        dungeons=tuple(_dungeon(dungeon) for dungeon in data["dungeons"]),
        monster_names=distinct([one_line(name) for name in data["monster_names"]]),
    )


def parse_census(data: Any) -> tuple[CensusDungeon, ...]:
    """Return a census answer that has passed `census_schema`."""
    return tuple(
        CensusDungeon(
            name=one_line(dungeon["name"]),
            levels=tuple(
                CensusLevel(
                    number=int(level["number"]),
                    first_key=one_line(level["first_key"]),
                    last_key=one_line(level["last_key"]),
                )
                for level in dungeon["levels"]
            ),
        )
        for dungeon in data["dungeons"]
    )


def _dungeon(data: Any) -> AnsweredDungeon:
    levels = [
        AnsweredLevel(
            number=int(level["number"]),
            map_pages=_pages(level["map_pages"]),
            areas=tuple(_area(area) for area in level["areas"]),
        )
        for level in data["levels"]
    ]
    return AnsweredDungeon(one_line(data["name"]), tuple(levels))


def _area(data: Any) -> AnsweredArea:
    name = one_line(data["name"])
    return AnsweredArea(
        key=one_line(data["key"]) or name,
        name=name,
        pages=_pages(data["source_pages"]),
        kind=AreaKind(data["kind"]),
    )


def _pages(numbers: Sequence[float]) -> tuple[int, ...]:
    # JSON Schema counts 2.0 as an integer; JSON has one number type and some services write it so.
    return tuple(int(number) for number in numbers)
