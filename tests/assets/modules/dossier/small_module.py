"""A small module that a test can bend: two levels of one dungeon, three pages of our own."""

from dataclasses import dataclass, field

from osrforge_assets.contracts.dossier import ContentsEntry, Dossier, LevelStatus, ModuleContents
from osrforge_assets.contracts.level import AreaContent, Connection, Direction, Encounter, LevelContent, Via
from osrforge_assets.contracts.pages import ModuleSource, Page, PageSet
from osrforge_assets.contracts.survey import AreaKind, SurveyArea, SurveyDungeon, SurveyIndex, SurveyLevel, Town
from osrforge_assets.modules.dossier.building import build_dossier

PAGES = {
    1: "# The Salt Well\n\nA fisher's child has gone down the well and has not come back.",
    2: (
        "## Level 1\n\n### 1. Guard Post\n\n> Two lamps hang over a table of dice.\n\n"
        "**Wolves (2):** AC 7 [12], HD 2+2. They sleep by the east door, which is locked.\n\n"
        "### 2. Salt Store\n\nBarrels stand to the vault. Under the third lie 1,200 sp and a silver ring worth 50 gp. The text"
    ),
    3: "goes on here with a thief in a cage.\n\n## Level 2\n\n### 1. The Sump\n\nBlack water, and nothing else.",
}


def connection(to_key: str | None = None, to_level: int | None = None, via: Via = Via.PASSAGE) -> Connection:
    return Connection(
        to_key=to_key, to_level=to_level, direction=Direction.UNKNOWN, via=via, door_stuck=False, door_locked=False
    )


def encounter(monster: str, count: int | None = None) -> Encounter:
    return Encounter(monster=monster, count_fixed=count, count_dice=None, count_note=None)


def area(key: str, **fields: object) -> AreaContent:
    blank = {
        "description": "",
        "encounters": (),
        "trap": None,
        "treasure": (),
        "features": (),
        "connections": (),
        "source_pages": (2,),
        "confidence": 0.9,
    }
    return AreaContent.model_validate({"key": key, **blank, **fields})


def surveyed(key: str, name: str = "", label: str | None = None, pages: tuple[int, ...] = (2,)) -> SurveyArea:
    return SurveyArea(
        key=key, name=name, source_label=key if label is None else label, kind=AreaKind.ROOM, source_pages=pages
    )


def level_content(number: int, *areas: AreaContent, plan: str = "plan", **fields: object) -> LevelContent:
    known = {"module": "salt-well", "dungeon_id": "well", "level_number": number, "plan": plan}
    return LevelContent.model_validate({**known, "areas": areas, "missing": (), "model_ids": (), **fields})


@dataclass
class SmallModule:
    """The inputs of `build_dossier`; change a field, then build."""

    pages: dict[int, str] = field(default_factory=lambda: dict(PAGES))
    labels: dict[int, tuple[str, ...]] = field(default_factory=dict)
    surveyed: dict[int, tuple[SurveyArea, ...]] = field(
        default_factory=lambda: {
            1: (surveyed("1", "Guard Post"), surveyed("2", "Salt Store", pages=(2, 3))),
            2: (surveyed("1", "The Sump", pages=(3,)),),
        }
    )
    levels: dict[int, LevelContent] = field(default_factory=dict)
    statuses: dict[int, LevelStatus] = field(default_factory=dict)
    survey_fields: dict[str, object] = field(default_factory=dict)
    page_set_fields: dict[str, object] = field(default_factory=dict)

    def answer(self, number: int, *areas: AreaContent, plan: str = "plan", **fields: object) -> "SmallModule":
        self.levels[number] = level_content(number, *areas, plan=plan, **fields)
        self.statuses.setdefault(number, LevelStatus.CURRENT)
        return self

    def build(self) -> Dossier:
        source = ModuleSource(module="salt-well", name="salt well.pdf", sha256="0" * 64, size=9, origin="1" * 64)
        index = self._index()
        levels = {("well", number): content for number, content in self.levels.items()}
        return build_dossier(source, self._page_set(), index, self._contents(index), levels, self.pages.__getitem__)

    def _page_set(self) -> PageSet:
        pages = [
            Page.model_validate(
                {
                    "number": number,
                    "content": "c",
                    "image": None,
                    "layer": "l",
                    "text": "t",
                    "characters": len(text),
                    "labels": self.labels.get(number, ()),
                }
            )
            for number, text in self.pages.items()
        ]
        known = {"module": "salt-well", "source": "0" * 64, "source_pages": 3, "title": "", "settings": "s"}
        return PageSet.model_validate({**known, "pages": pages, **self.page_set_fields})

    def _index(self) -> SurveyIndex:
        levels = tuple(SurveyLevel(number=number, map_pages=(), areas=areas) for number, areas in self.surveyed.items())
        dungeons = (SurveyDungeon(id="well", name="The Salt Well", levels=levels),) if levels else ()
        known = {
            "module": "salt-well",
            "title": "The Salt Well",
            "description": "",
            "hooks": (),
            "town": Town(),
            "dungeons": dungeons,
            "monster_names": (),
            "census": (),
        }
        return SurveyIndex.model_validate({**known, **self.survey_fields})

    def _contents(self, index: SurveyIndex) -> ModuleContents:
        entries = tuple(
            ContentsEntry(
                level=f"salt-well--well--{number}",
                dungeon_id="well",
                level_number=number,
                status=self.statuses.get(number, LevelStatus.ABSENT),
                plan="plan",
                content=None,
            )
            for number in self.surveyed
        )
        return ModuleContents(module="salt-well", survey=index.digest(), levels=entries)
