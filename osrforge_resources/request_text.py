"""The text forms that module requests are made of, written and read in one place.

The prompts of the module lane write them, the offline provider reads them back, and a vendor's model simply reads them.
Structured parts are JSON, so no printed name can pretend to be structure.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from osrforge_resources.failures import MisuseError

_PAGE_MARKER = re.compile(r"\[page ([1-9][0-9]{0,5})\]\n")
_LEVEL_LEAD = "The level: "
_AREAS_LEAD = "Areas to extract, one JSON object a line:"
_CARRY_LEAD = "Earlier pages of this module ended inside this dungeon and level: "


def write_page(number: int, text: str) -> str:
    """Return a page's text under its marker: `[page N]`, newline, text."""
    return f"[page {number}]\n{text}"


def read_page(part: str) -> tuple[int, str] | None:
    """Return the page number and text of a page part, None for any other part.

    Only the head of a part counts: a page that prints the words `[page 9]` is still the page it is.
    """
    marker = _PAGE_MARKER.match(part)
    return (int(marker[1]), part[marker.end() :]) if marker else None


@dataclass(frozen=True, slots=True)
class AskedArea:
    """One area that a content request asks for.

    Attributes:
        key: Canonical key to answer under.
        printed_key: The key as printed, or the name where none is.
        name: Printed name, "" if none.
        pages: Pages expected to describe it.
    """

    key: str
    printed_key: str
    name: str
    pages: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class LevelLead:
    """The last part of a content request: which level, and which of its areas.

    Attributes:
        dungeon: Printed dungeon name.
        level: 1-based level number.
        map_pages: Pages that show its map.
        areas: The asked areas in printed order.
    """

    dungeon: str
    level: int
    map_pages: tuple[int, ...]
    areas: tuple[AskedArea, ...]


def write_level_lead(lead: LevelLead) -> str:
    """Return the lead as text: one JSON object for the level, then one a line for each area."""
    level = {"dungeon": lead.dungeon, "level": lead.level, "map_pages": lead.map_pages}
    return "\n".join([_LEVEL_LEAD + _json(level), _AREAS_LEAD, *(_json(asdict(area)) for area in lead.areas)])


def read_level_lead(part: str) -> LevelLead:
    """Return the lead that `write_level_lead` wrote.

    Raises:
        MisuseError: The part is something else.
    """
    first, _, rest = part.partition("\n")
    second, *lines = rest.split("\n")
    try:
        is_lead = first.startswith(_LEVEL_LEAD) and second == _AREAS_LEAD
        level = json.loads(first.removeprefix(_LEVEL_LEAD) if is_lead else "")
        areas = [json.loads(line) for line in lines]
        return LevelLead(
            level["dungeon"], level["level"], tuple(level["map_pages"]), tuple(_asked_area(area) for area in areas)
        )
    except (ValueError, KeyError, TypeError) as error:
        raise MisuseError(
            "The request's last part does not name a level and its areas.", code="request.lead"
        ) from error


def _asked_area(data: dict[str, object]) -> AskedArea:
    pages = data["pages"]
    if not isinstance(pages, Sequence):
        raise TypeError("pages")
    return AskedArea(str(data["key"]), str(data["printed_key"]), str(data["name"]), tuple(int(page) for page in pages))


@dataclass(frozen=True, slots=True)
class Carry:
    """Where the pages before a survey window ended.

    Attributes:
        dungeon: Printed name of the dungeon that was open, "" if none was.
        level: Number of its open level.
        last_key: The last printed key of that level, "" if no dungeon was open.
        title: The module's title as those pages print it, "" if they do not.
    """

    dungeon: str
    level: int
    last_key: str
    title: str = ""

    @property
    def is_open(self) -> bool:
        """Whether a list of areas was open where the pages ended."""
        return bool(self.last_key)


def write_carry(carry: Carry) -> str:
    """Return the part that tells a window where the window before it stopped."""
    return f"{_CARRY_LEAD}{_json(asdict(carry))}\n" + (
        "Areas on these pages that go on with it belong under the same dungeon name and level number."
        if carry.is_open
        else "No list of areas was open where they ended."
    )


def read_carry(part: str) -> Carry | None:
    """Return the carry of a part that `write_carry` wrote, None for any other part.

    Raises:
        MisuseError: The part begins like a carry and is none.
    """
    if not part.startswith(_CARRY_LEAD):
        return None
    try:
        return Carry(**json.loads(part.removeprefix(_CARRY_LEAD).split("\n", 1)[0]))
    except (ValueError, TypeError) as error:
        raise MisuseError("The request's carry cannot be read.", code="request.carry") from error


def _json(data: object) -> str:
    return json.dumps(data, ensure_ascii=False)
