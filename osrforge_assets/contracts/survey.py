"""The survey: which dungeons, levels and keyed areas a module prints, and where.

Printed words stay as printed; keys, ids and level numbers are canonical. Page numbers are `[page N]` numbers.
"""

from enum import StrEnum
from typing import Literal

from pydantic import Field

from osrforge_assets.contracts.base import Contract
from osrforge_assets.contracts.flags import Flag


class AreaKind(StrEnum):
    """What sort of place a keyed area is."""

    ROOM = "room"
    CORRIDOR = "corridor"
    CAVE = "cave"
    LANDMARK = "landmark"
    OTHER = "other"


class SurveyArea(Contract):
    """One keyed area.

    Attributes:
        key: The canonical key, a slug unique in its level.
        name: The printed name, "" if it has none.
        source_label: The printed key (`4a`, `01.03`, `Area 7`), or the name where no key is printed.
        kind: What sort of place it is.
        source_pages: Pages that describe it, ascending, each within the source; may be empty.
    """

    key: str
    name: str
    source_label: str
    kind: AreaKind
    source_pages: tuple[int, ...]


class SurveyLevel(Contract):
    """One level of a dungeon.

    Attributes:
        number: 1-based, unique in its dungeon.
        map_pages: Pages that show its map, ascending.
        areas: Its keyed areas in printed order; never empty.
    """

    number: int = Field(ge=1)
    map_pages: tuple[int, ...]
    areas: tuple[SurveyArea, ...] = Field(min_length=1)


class SurveyDungeon(Contract):
    """One independently keyed site.

    Attributes:
        id: The canonical id, a slug unique in its module.
        name: The printed name.
        levels: In printed order; never empty.
    """

    id: str
    name: str
    levels: tuple[SurveyLevel, ...] = Field(min_length=1)


class Town(Contract):
    """The home base, never a dungeon.

    Attributes:
        name: Printed name, "" where the module names none.
        description: One or two sentences, "" if none.
        services: The named services it is said to offer.
    """

    name: str = ""
    description: str = ""
    services: tuple[str, ...] = ()


class CensusLevel(Contract):
    """A level as the second reading counts it.

    Attributes:
        number: As counted; may be anything.
        first_key: The first printed key of its list, or the name where no key is printed.
        last_key: The last one.
    """

    number: int
    first_key: str
    last_key: str


class CensusDungeon(Contract):
    """A dungeon as the second reading counts it.

    Attributes:
        name: As printed.
        levels: In printed order.
    """

    name: str
    levels: tuple[CensusLevel, ...]


class Dispute(Contract):
    """One point on which survey and census differ; neither is changed.

    Attributes:
        subject: What is disputed (`dungeons`, `levels of the-crypt`, `keys of the-crypt level 2`).
        survey: What the survey says.
        census: What the census says.
    """

    subject: str
    survey: str
    census: str


class SurveyIndex(Contract):
    """A module's survey, normalized.

    Attributes:
        module: The module's partition key.
        title: Printed title, "" if none.
        description: The module's own pitch in its own words, "" if none.
        hooks: Rumours, jobs and reasons to go.
        town: The home base.
        dungeons: In printed order; empty where the module holds no keyed areas.
        monster_names: Every monster name that appears anywhere, in order of appearance.
        census: The second reading, as answered.
        disputes: Where the two readings differ.
        flags: What normalization had to change or could not settle.
    """

    schema_version: Literal[1] = 1
    module: str
    title: str
    description: str
    hooks: tuple[str, ...]
    town: Town
    dungeons: tuple[SurveyDungeon, ...]
    monster_names: tuple[str, ...]
    census: tuple[CensusDungeon, ...]
    disputes: tuple[Dispute, ...] = ()
    flags: tuple[Flag, ...] = ()
