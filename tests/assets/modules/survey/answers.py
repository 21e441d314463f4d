"""Survey answers for tests, and a truth that answers any window of its pages truthfully."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from osrforge_assets.modules.survey.reply import SurveyAnswer, parse_survey
from osrforge_resources.model_provider import ModelRequest, TextPart
from osrforge_resources.request_text import Carry, read_carry
from tests.assets.modules.samples import shown_pages

Json = dict[str, object]


def an_area(key: str, *pages: float, name: str = "", kind: str = "room") -> Json:
    return {"key": key, "name": name, "source_pages": list(pages), "kind": kind}


def a_level(number: float, *areas: Json, map_pages: Iterable[float] = ()) -> Json:
    return {"number": number, "map_pages": list(map_pages), "areas": list(areas)}


def a_dungeon(name: str, *levels: Json) -> Json:
    return {"name": name, "levels": list(levels)}


def a_survey(*dungeons: Json, **changes: object) -> Json:
    plain: Json = {
        "title": "",
        "description": "",
        "hooks": [],
        "town": {"name": "", "description": "", "services": []},
        "dungeons": list(dungeons),
        "monster_names": [],
    }
    return plain | changes


def parsed(*dungeons: Json, **changes: object) -> SurveyAnswer:
    return parse_survey(a_survey(*dungeons, **changes))


def a_census(*dungeons: tuple[str, Sequence[tuple[float, str, str]]]) -> Json:
    return {
        "dungeons": [
            {
                "name": name,
                "levels": [{"number": number, "first_key": first, "last_key": last} for number, first, last in levels],
            }
            for name, levels in dungeons
        ]
    }


def carry_of(request: ModelRequest) -> Carry | None:
    last = request.parts[-1]
    return read_carry(last.text) if isinstance(last, TextPart) else None


@dataclass(frozen=True)
class PrintedArea:
    """An area as it stands in print."""

    dungeon: str
    level: int
    key: str
    name: str
    pages: tuple[int, ...]


@dataclass(frozen=True)
class PrintedModule:
    """A module as it stands in print: what is true of any of its pages."""

    areas: tuple[PrintedArea, ...]
    hooks: dict[int, str]
    title_page: int = 1

    def answer(self, request: ModelRequest) -> Json:
        """Answer a survey or census request truthfully from the pages it shows."""
        shown = shown_pages(request)
        return self.census(shown) if request.tag.startswith("census") else self.survey(shown)

    def survey(self, shown: Collection[int]) -> Json:
        dungeons = [
            a_dungeon(dungeon, *(self._level(number, areas, shown) for number, areas in levels.items()))
            for dungeon, levels in self._visible(shown).items()
        ]
        title = "The Module" if self.title_page in shown else ""
        hooks = [self.hooks[page] for page in sorted(shown) if page in self.hooks]
        return a_survey(*dungeons, title=title, hooks=hooks)

    def census(self, shown: Collection[int]) -> Json:
        visible = self._visible(shown).items()
        return a_census(
            *(
                (dungeon, [(number, areas[0].key, areas[-1].key) for number, areas in levels.items()])
                for dungeon, levels in visible
            )
        )

    def _visible(self, shown: Collection[int]) -> dict[str, dict[int, list[PrintedArea]]]:
        visible: dict[str, dict[int, list[PrintedArea]]] = {}
        for printed in self.areas:
            if not set(printed.pages).isdisjoint(shown):
                visible.setdefault(printed.dungeon, {}).setdefault(printed.level, []).append(printed)
        return visible

    def _level(self, number: int, areas: list[PrintedArea], shown: Collection[int]) -> Json:
        seen = [an_area(one.key, *(page for page in one.pages if page in shown), name=one.name) for one in areas]
        # Each level's map is drawn on the page its first area begins on.
        first = min(page for one in self.areas if (one.dungeon, one.level) == _place(areas[0]) for page in one.pages)
        return a_level(number, *seen, map_pages=[first] if first in shown else [])


def _place(one: PrintedArea) -> tuple[str, int]:
    return one.dungeon, one.level
