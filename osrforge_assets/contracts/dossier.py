"""The dossier: a module's survey and contents as one document in which every fact names its page."""

from enum import StrEnum
from typing import Literal

from pydantic import Field

from osrforge_assets.contracts.base import Contract
from osrforge_assets.contracts.flags import Flag
from osrforge_assets.contracts.level import Connection, Encounter
from osrforge_assets.contracts.pages import Sha256
from osrforge_assets.contracts.survey import AreaKind, Dispute, Town


class LevelStatus(StrEnum):
    """Whether a level's content stands in the dossier."""

    CURRENT = "current"
    ABSENT = "absent"
    OUTDATED = "outdated"


class ContentsEntry(Contract):
    """One level in a module's manifest.

    Attributes:
        level: The level's partition key.
        dungeon_id: Canonical dungeon id.
        level_number: 1-based.
        status: Whether its content answers its current plan.
        plan: Digest of the current plan.
        content: Digest of its content, None where there is none.
    """

    level: str
    dungeon_id: str
    level_number: int
    status: LevelStatus
    plan: Sha256
    content: Sha256 | None


class ModuleContents(Contract):
    """The manifest of a module's finished levels: what the dossier is made of.

    Attributes:
        module: The module's partition key.
        survey: Digest of the survey it belongs to.
        levels: In survey order.
    """

    schema_version: Literal[1] = 1
    module: str
    survey: Sha256
    levels: tuple[ContentsEntry, ...]


class GroundingStatus(StrEnum):
    """What a look-up of a fact in the text of its cited pages gave."""

    FOUND = "found"
    NOT_FOUND = "not_found"
    NO_TEXT = "no_text"


class Grounding(Contract):
    """One looked-up fact.

    Attributes:
        fact: `monster`, `treasure` or `description`.
        value: The fact as extracted; for a description its first words.
        status: The result.
        page: The cited page that holds it, None where none does.
        share: Share of the fact's words that were found in order on the best page, in [0, 1].
    """

    fact: Literal["monster", "treasure", "description"]
    value: str
    status: GroundingStatus
    page: int | None
    share: float = Field(ge=0, le=1)


class DossierArea(Contract):
    """A keyed area with the survey's and the content's fields under their own names.

    `description` is "" and the lists are empty where the area was not answered; its flags say so.

    Attributes:
        key: Canonical key from the survey.
        name: Printed name, "" if it has none.
        source_label: The printed key, or the name where none is printed.
        kind: What sort of place it is.
        source_pages: Pages that describe it, ascending.
        answered: Whether its level's content holds it.
        description: The area's text.
        encounters: Its keyed monsters.
        trap: Its trap, None if it has none.
        treasure: As printed, one entry an item or hoard.
        features: Fixtures a referee should know about.
        connections: The ways out.
        confidence: The reader's own estimate in [0, 1], None where the area was not answered.
        flags: What is uncertain about it.
        grounding: What the look-up of its facts in the cited pages gave.
    """

    key: str
    name: str
    source_label: str
    kind: AreaKind
    source_pages: tuple[int, ...]
    answered: bool
    description: str
    encounters: tuple[Encounter, ...]
    trap: str | None
    treasure: tuple[str, ...]
    features: tuple[str, ...]
    connections: tuple[Connection, ...]
    confidence: float | None
    flags: tuple[Flag, ...]
    grounding: tuple[Grounding, ...]


class DossierLevel(Contract):
    """A level of a dungeon.

    Attributes:
        number: 1-based.
        map_pages: Pages that show its map, ascending.
        status: Whether its areas carry content.
        areas: All its areas in printed order, answered or not.
        flags: What is uncertain about the level as a whole.
    """

    number: int
    map_pages: tuple[int, ...]
    status: LevelStatus
    areas: tuple[DossierArea, ...]
    flags: tuple[Flag, ...]


class DossierDungeon(Contract):
    """A dungeon.

    Attributes:
        id: Canonical id.
        name: Printed name.
        levels: In survey order.
    """

    id: str
    name: str
    levels: tuple[DossierLevel, ...]


class Dossier(Contract):
    """A module as one document.

    Attributes:
        module: The module's partition key.
        source_name: The file it was read from.
        source: Digest of the source bytes.
        source_pages: How many pages the source has.
        title: Printed title.
        description: The module's own pitch.
        hooks: Reasons to go.
        town: The home base.
        dungeons: In survey order; empty where the module holds no keyed areas.
        monster_names: Every monster named anywhere.
        disputes: Where survey and census differ.
        flags: Flags of the document, its pages and its survey; those of a level and of an area stand with them.
    """

    schema_version: Literal[1] = 1
    module: str
    source_name: str
    source: Sha256
    source_pages: int
    title: str
    description: str
    hooks: tuple[str, ...]
    town: Town
    dungeons: tuple[DossierDungeon, ...]
    monster_names: tuple[str, ...]
    disputes: tuple[Dispute, ...]
    flags: tuple[Flag, ...]
