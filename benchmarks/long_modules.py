"""Whether reading a module grows with its areas or with their square: modules of 1,250 to 10,000 areas, the offline reader.

    python benchmarks/long_modules.py [--areas N ...] [--profile STAGE] [SHAPE ...]

Prints seconds of processor time a stage and, beside every size but the first, the ratio to the size before it: sizes
double, so what is linear prints 2.0. The texts are made here, eight areas a page, in three shapes: many levels of many
dungeons, one level of all areas, and places that bear names only.
"""

import argparse
import cProfile
import hashlib
import pstats
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from osrforge_assets.contracts.dossier import ContentsEntry, Dossier, LevelStatus, ModuleContents
from osrforge_assets.contracts.level import LevelContent, LevelPlan, PlanPage
from osrforge_assets.contracts.pages import ModuleSource, Page, PageSet
from osrforge_assets.contracts.survey import SurveyIndex
from osrforge_assets.modules.dossier.building import build_dossier
from osrforge_assets.modules.dossier.level_page import level_html
from osrforge_assets.modules.dossier.markdown import level_markdown, overview_markdown
from osrforge_assets.modules.dossier.tables import write_tables
from osrforge_assets.modules.levels.extraction import extract_level
from osrforge_assets.modules.levels.planning import plan_levels
from osrforge_assets.modules.levels.prompt import content_request
from osrforge_assets.modules.page_parts import RequestPage
from osrforge_assets.modules.survey.prompt import census_request
from osrforge_assets.modules.survey.reading import survey_module
from osrforge_resources.offline.provider import OfflineProvider

_SIZES = (1250, 2500, 5000, 10000)
_PER_PAGE = 8
_SIDES = ("north", "south", "east", "west")
_ROOMS = ("Guard room", "Old kitchen", "Crypt", "Store room", "Shrine", "Gallery", "Cell", "Well room", "Hall", "Pit")
_CREATURES = ("goblins", "giant rats", "ghouls", "skeletons", "orcs", "stirges", "cultists")
_FIRST = ("Amber", "Broken", "Crooked", "Dusty", "Echoing", "Flooded", "Gilded", "Hollow", "Iron", "Jagged", "Kindly")
_LAST = (
    "Hall",
    "Vault",
    "Crypt",
    "Library",
    "Chapel",
    "Kitchen",
    "Tunnel",
    "Cave",
    "Bridge",
    "Tower",
    "Garden",
    "Well",
    "Cell",
)


def _body(at: int, leads: str) -> str:
    return (
        f"A {20 + at % 7}' x 30' chamber of damp stone; a door in the {_SIDES[at % 4]} wall leads to {leads}. "
        f"{2 + at % 5} {_CREATURES[at % len(_CREATURES)]} (AC 6, HD 1+{at % 3}, hp {4 + at % 5} each) guard a chest "
        f"with {100 + at} gp and a silver ring worth {10 + at % 90} gp."
    )


def _levels(areas: int) -> list[str]:
    """Dungeons of ten levels of 25 areas each."""
    entries: list[str] = []
    for at in range(areas):
        number = at % 25 + 1
        head = f"# The Vaults of {_word(at // 250)}\n\n" if at % 250 == 0 else ""
        head += f"## Level {at // 25 % 10 + 1}\n\n" if number == 1 else ""
        entries.append(f"{head}### {number}. {_ROOMS[at % 10]}\n\n{_body(at, f'area {number % 25 + 1}')}")
    return entries


def _one_level(areas: int) -> list[str]:
    """`1`, `1a` to `1y`, `2`, …: one list."""
    keys = [f"{at // 26 + 1}{chr(96 + at % 26) if at % 26 else ''}" for at in range(areas)]
    head = "# The Deep\n\n## Key to the rooms\n\n"
    return [
        f"{head if not at else ''}### {key}. {_ROOMS[at % 10]}\n\n{_body(at, f'area {keys[(at + 1) % areas]}')}"
        for at, key in enumerate(keys)
    ]


def _named(areas: int) -> list[str]:
    """Places without keys that print their connections, some of them shortened."""
    names = [f"The {_FIRST[at % 11]} {_LAST[at // 11 % 13]} of {_word(at // 143)}" for at in range(areas)]
    entries = ["# The Long Isle\n\nAn island of many places."]
    for at, name in enumerate(names):
        after = names[(at + 1) % areas]
        short = (
            after.split(" of ")[0].removeprefix("The ") if at % 3 else f"{after.split(' of ')[1]} {after.split()[1]}"
        )
        entries.append(f"## {name}\n\n{_body(at, 'the cliff')}\n\nConnections: {after}, {short}, Nowhere {_word(at)}.")
    return entries


_SHAPES: dict[str, Callable[[int], list[str]]] = {"levels": _levels, "one level": _one_level, "named": _named}


def _word(number: int) -> str:
    """A made-up name, no two numbers alike."""
    syllables = ("ka", "lo", "mi", "ru", "te", "va", "zo", "shi")
    word = ""
    while True:
        word += syllables[number % 8]
        number //= 8
        if not number:
            return word.capitalize() + "n"


class _Module:
    """A made module with what each stage needs from the stage before it."""

    def __init__(self, shape: str, areas: int) -> None:
        entries = _SHAPES[shape](areas)
        self.texts = {
            start // _PER_PAGE + 1: "\n\n".join(entries[start : start + _PER_PAGE])
            for start in range(0, len(entries), _PER_PAGE)
        }
        nothing = hashlib.sha256(b"").hexdigest()
        pages = tuple(
            Page(number=number, content=None, image=None, layer=nothing, text=nothing, characters=len(text))
            for number, text in self.texts.items()
        )
        self.pages = PageSet(
            module="long", source=nothing, source_pages=len(pages), title="", settings=nothing, pages=pages
        )
        self.source = ModuleSource(module="long", name="long.pdf", sha256=nothing, size=1, origin=nothing)
        self.index: SurveyIndex | None = None
        self.plans: tuple[LevelPlan, ...] = ()
        self.contents: list[LevelContent] = []
        self.dossier: Dossier | None = None
        self.provider = OfflineProvider()

    def load(self, page: Page | PlanPage) -> RequestPage:
        return RequestPage(page.number, self.texts[page.number], None)

    def survey(self) -> None:
        self.index = survey_module(self.pages, self.load, self.provider.generate, survey_pages=None, census_pages=100)

    def survey_in_windows(self) -> None:
        survey_module(self.pages, self.load, self.provider.generate, survey_pages=20, census_pages=100)

    def census_at_once(self) -> None:
        self.provider.generate(census_request([self.load(page) for page in self.pages.pages]))

    def plan(self) -> None:
        assert self.index is not None
        self.plans = plan_levels(self.index, self.pages, self.load, 4)

    def content(self) -> None:
        self.contents = [extract_level(plan, self.load, self.provider.generate) for plan in self.plans]

    def content_at_once(self) -> None:
        plan = max(self.plans, key=lambda plan: len(plan.areas))
        pages = [self.load(page) for page in plan.pages]
        self.provider.generate(
            content_request(
                dungeon_id=plan.dungeon_id,
                dungeon_name=plan.dungeon_name,
                level_number=plan.level_number,
                batch_number=1,
                areas=plan.areas,
                map_pages=(),
                pages=pages,
            )
        )

    def build(self) -> None:
        assert self.index is not None
        entries = tuple(
            ContentsEntry(
                level=f"long--{plan.dungeon_id}--{plan.level_number}",
                dungeon_id=plan.dungeon_id,
                level_number=plan.level_number,
                status=LevelStatus.CURRENT,
                plan=plan.digest(),
                content=content.digest(),
            )
            for plan, content in zip(self.plans, self.contents, strict=True)
        )
        levels = {(content.dungeon_id, content.level_number): content for content in self.contents}
        manifest = ModuleContents(module="long", survey=self.index.digest(), levels=entries)
        self.dossier = build_dossier(self.source, self.pages, self.index, manifest, levels, self.texts.__getitem__)

    def write_markdown(self) -> None:
        assert self.dossier is not None
        overview_markdown(self.dossier)
        for dungeon in self.dossier.dungeons:
            for level in dungeon.levels:
                level_markdown(self.dossier, dungeon, level)

    def write_html(self) -> None:
        assert self.dossier is not None
        for dungeon in self.dossier.dungeons:
            for level in dungeon.levels:
                level_html(self.dossier, dungeon, level, {})

    def write_tables(self) -> None:
        assert self.dossier is not None
        write_tables(self.dossier)


# Each stage takes what the ones before it left. The survey is one request over all pages, as the offline reader is asked, and
# windows of 20 pages for comparison. `at once` is one request over all pages or the largest level: more than a window holds,
# but nothing keeps a page from holding so many areas.
_STAGES: dict[str, Callable[[_Module], None]] = {
    "survey": _Module.survey,
    "survey, windows": _Module.survey_in_windows,
    "census at once": _Module.census_at_once,
    "plan": _Module.plan,
    "content": _Module.content,
    "content at once": _Module.content_at_once,
    "dossier": _Module.build,
    "markdown": _Module.write_markdown,
    "html": _Module.write_html,
    "tables": _Module.write_tables,
}


def _seconds(work: Callable[[], None]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def _profiled(work: Callable[[], None]) -> None:
    profile = cProfile.Profile()
    profile.runcall(work)
    pstats.Stats(profile).sort_stats("tottime").print_stats(12)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shape", nargs="*", help=f"of {', '.join(_SHAPES)}; all of them by default")
    parser.add_argument("--areas", nargs="+", type=int, default=_SIZES)
    parser.add_argument("--profile", choices=_STAGES, help="print where a stage's time goes instead")
    given = parser.parse_args()
    # The first table pays for importing pandas and pyarrow.
    warm = _Module("levels", 8)
    for work in _STAGES.values():
        work(warm)
    for shape in given.shape or _SHAPES:
        print(f"{shape:16}" + "".join(f"{size:>8} areas  " for size in given.areas))
        before: dict[str, float] = {}
        lines = {stage: f"{stage:16}" for stage in _STAGES}
        for size in given.areas:
            module = _Module(shape, size)
            for stage, work in _STAGES.items():
                if given.profile == stage:
                    _profiled(lambda work=work, module=module: work(module))
                    continue
                took = _seconds(lambda work=work, module=module: work(module))
                ratio = f"{took / before[stage]:5.1f}" if before.get(stage, 0.0) > 0.0 else "     "
                lines[stage] += f"{took:8.2f} {ratio} "
                before[stage] = took
        if given.profile is None:
            print("\n".join(lines.values()), flush=True)


if __name__ == "__main__":
    main()
