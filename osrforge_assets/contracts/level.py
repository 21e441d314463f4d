"""A level: the plan of what will be asked about it, and the answers."""

from enum import StrEnum
from typing import Literal

from pydantic import Field

from osrforge_assets.contracts.base import Contract
from osrforge_assets.contracts.flags import Flag
from osrforge_assets.contracts.pages import Sha256
from osrforge_assets.contracts.survey import SurveyArea

# NdS or NdS±M: N left out or 1–999, the usual dice (d2 and d3 are rolled on a d4 and a d6), M 0–999 999. It is the
# grammar that referees' tools roll without asking, so a dice string that passes here can be rolled there.
# Python's `$` also matches before a final line break, so where this pattern is used as a schema's, "2d4\n" still has to
# be refused by the contract, whose own engine has no such exception.
DICE_PATTERN = r"^([1-9][0-9]{0,2})?d(2|3|4|6|8|10|12|20|100)([+-](0|[1-9][0-9]{0,5}))?$"

# JSON numbers have no limit, table columns of 64 bits have one; nothing a module prints comes near this.
MAX_NUMBER = 2**31 - 1


class PlanPage(Contract):
    """A page as a request carries it: digests only, so the plan changes exactly when the page's request does.

    Attributes:
        number: The `[page N]` number.
        text: Digest of the reading-order text's blob.
        image: Digest of the PNG blob, None where the page has no render.
    """

    number: int
    text: Sha256
    image: Sha256 | None


class ContentBatch(Contract):
    """One planned request.

    Attributes:
        number: 1-based within the level.
        pages: The batch's own pages: one window over the level's sorted page set; empty when only map pages are read.
        tail_pages: Pages beyond the window on which areas that begin on its last page go on.
        map_pages: The level's map pages, all of them; they ride on every batch.
        areas: The areas this batch must answer.
        fingerprint: Fingerprint of the request, which pins prompt, schema, pages and areas at once.
    """

    number: int = Field(ge=1)
    pages: tuple[int, ...]
    tail_pages: tuple[int, ...] = ()
    map_pages: tuple[int, ...]
    areas: tuple[SurveyArea, ...] = Field(min_length=1)
    fingerprint: Sha256

    @property
    def part_pages(self) -> tuple[int, ...]:
        """The request's page order: map pages, with which all requests of the level begin, then the other own pages."""
        return self.map_pages + tuple(page for page in self.pages + self.tail_pages if page not in self.map_pages)


class LevelPlan(Contract):
    """Everything a level's requests need, and nothing of its neighbours.

    Attributes:
        module: The module's partition key.
        dungeon_id: Canonical dungeon id.
        dungeon_name: Printed name, for the prompt.
        level_number: 1-based.
        areas: All areas of the level in printed order.
        pages: Every page some batch carries, ascending.
        batches: In order; empty when the level needs no model call.
    """

    schema_version: Literal[1] = 1
    module: str
    dungeon_id: str
    dungeon_name: str
    level_number: int = Field(ge=1)
    areas: tuple[SurveyArea, ...] = Field(min_length=1)
    pages: tuple[PlanPage, ...]
    batches: tuple[ContentBatch, ...]


class Direction(StrEnum):
    """Where a connection leads, as the text or the map says."""

    NORTH = "north"
    SOUTH = "south"
    EAST = "east"
    WEST = "west"
    UP = "up"
    DOWN = "down"
    UNKNOWN = "unknown"


class Via(StrEnum):
    """By what a connection leads there; `passage` when the text names nothing."""

    PASSAGE = "passage"
    DOOR = "door"
    SECRET_DOOR = "secret_door"  # noqa: S105  a door, not a password
    STAIRS = "stairs"
    TRAPDOOR = "trapdoor"
    CHUTE = "chute"
    OTHER = "other"


class Encounter(Contract):
    """Keyed monsters of an area; wandering monsters are not keyed.

    Attributes:
        monster: The creature type as printed, singular or plural as the text has it.
        count_fixed: A plain number, None if the text gives none.
        count_dice: Dice (`2d4`, `d6+1`), None if the text gives none.
        count_note: What the text says about the count that fits neither, None if nothing.
    """

    monster: str
    count_fixed: int | None = Field(ge=1, le=MAX_NUMBER)
    count_dice: str | None = Field(pattern=DICE_PATTERN)
    count_note: str | None


class Connection(Contract):
    """A way out of an area.

    Attributes:
        to_key: The other area's canonical key, or its printed label where it is not in the level; None if only a level
            is stated.
        to_level: The level's number where the text states one.
        direction: Where it leads.
        via: By what.
        door_stuck: The text says that the door is stuck.
        door_locked: The text says that the door is locked or barred.
    """

    to_key: str | None
    to_level: int | None = Field(ge=1, le=MAX_NUMBER)
    direction: Direction
    via: Via
    door_stuck: bool
    door_locked: bool


class AreaContent(Contract):
    """What one keyed area holds.

    Attributes:
        key: The canonical key from the survey.
        description: The area's text.
        encounters: Its keyed monsters.
        trap: Its trap, None if it has none.
        treasure: As printed, one entry an item or hoard.
        features: Fixtures a referee should know about.
        connections: The ways out.
        source_pages: The pages of its request that describe it.
        confidence: The reader's own estimate in [0, 1].
    """

    key: str
    description: str
    encounters: tuple[Encounter, ...]
    trap: str | None
    treasure: tuple[str, ...]
    features: tuple[str, ...]
    connections: tuple[Connection, ...]
    source_pages: tuple[int, ...]
    confidence: float = Field(ge=0, le=1)


class LevelContent(Contract):
    """A level's answers.

    Attributes:
        module: The module's partition key.
        dungeon_id: Canonical dungeon id.
        level_number: 1-based.
        plan: Digest of the plan these answers belong to; content of another plan is a visible gap, not content.
        areas: The answered areas, in the plan's order.
        missing: Canonical keys that were never answered, in the plan's order; each has a flag.
        model_ids: The models that answered, sorted.
        flags: What is uncertain.
    """

    schema_version: Literal[1] = 1
    module: str
    dungeon_id: str
    level_number: int = Field(ge=1)
    plan: Sha256
    areas: tuple[AreaContent, ...]
    missing: tuple[str, ...]
    model_ids: tuple[str, ...]
    flags: tuple[Flag, ...] = ()
