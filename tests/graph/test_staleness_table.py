"""What changed -> what is stale, what is made again, what asks the provider: the table, row by row, on a real instance.

Every row starts from one home that holds a module of three levels, a session and a story, all fresh. Levels are named by
their number, the other partitions not at all: there is one of each.
"""

import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from osrforge_assets import code_versions
from osrforge_assets.backfill import Backfill
from osrforge_assets.instance import open_instance
from osrforge_assets.modules.levels import prompt as content_prompt
from osrforge_assets.modules.survey import prompt as survey_prompt
from osrforge_assets.reconcile import find_needs
from osrforge_assets.registering import Registry
from osrforge_assets.settings import Settings
from osrforge_assets.transcripts.sources import find_sessions
from osrforge_resources.model_provider import ModelRequest, ModelResponse
from tests.graph.deployment import CountingProvider, Deployment
from tests.graph.module_pdfs import PIT, Levels, write_module

SESSION = """GM: The door creaks open.
Anna: I hold up the lantern.
GM: Something moves behind the barrels.
Ben: I draw my sword.
GM: It is only a cat.
"""
SPEAKERS = "GM: {player: Mara, gm: true}\nAnna: {player: Lea, character: Anna}\nBen: {player: Tim, character: Ben}\n"
TURNS = [f"Turn {number}: the tide comes in." for number in range(1, 6)]


class World:
    """A deployment with its sources, and ways to change them.

    Attributes:
        patch: Undone when the row is over.
    """

    def __init__(self, deployment: Deployment, sources: Path, patch: pytest.MonkeyPatch) -> None:
        self.deployment = deployment
        self.sources = sources
        self.patch = patch

    def module(self, levels: Levels = PIT, name: str = "pit", **how: Any) -> None:
        write_module(self.sources / f"{name}.pdf", levels, **how)
        self._registry().module(self.sources / f"{name}.pdf")

    def session(self, text: str = SESSION, speakers: str = SPEAKERS) -> None:
        folder = self.sources / "session"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "session.txt").write_text(text, encoding="utf-8")
        (folder / "speakers.yaml").write_text(speakers, encoding="utf-8")
        (files,) = find_sessions([folder / "session.txt"])
        self._registry().session(files)

    def story(self, turns: list[str] = TURNS) -> None:
        rows = [json.dumps({"player": "I wait.", "reply": reply}) for reply in turns]
        (self.sources / "story.jsonl").write_text("\n".join(rows), encoding="utf-8")
        self._registry().story(self.sources / "story.jsonl")

    def set(self, **settings: Any) -> None:
        self.deployment.settings = Settings(home=self.deployment.home, **settings)

    def rules(self, *modules_and_names: tuple[Any, str]) -> None:
        for module, name in modules_and_names:
            self.patch.setattr(module, name, getattr(module, name) + "\n- Be brief.\n")

    def survey_again(self, answer: Callable[[Any], Any]) -> None:
        """Ask the survey once more, of a provider that answers it otherwise."""
        self.deployment.provider = Changed(answer)
        ran = self.deployment.graph().run(["survey_index"], "pit")
        assert ran.error is None

    def _registry(self) -> Registry:
        return Registry(self.deployment.instance, self.deployment.store, self.deployment.settings)


class Changed(CountingProvider):
    """A provider whose survey says something else than the offline reader's."""

    def __init__(self, answer: Callable[[Any], Any]) -> None:
        super().__init__()
        self._answer = answer

    def generate(self, request: ModelRequest) -> ModelResponse:
        response = super().generate(request)
        if request.tag != "survey":
            return response
        return ModelResponse(self._answer(response.data), response.usage, response.model_id)


def level(number: int, *areas: str) -> Levels:
    return {**PIT, number: areas}


def renamed_area(survey: Any) -> Any:
    survey["dungeons"][0]["levels"][1]["areas"][0]["name"] = "Drowned hall"
    return survey


@dataclass(frozen=True)
class Row:
    """One row of the table.

    Attributes:
        changed: What changed.
        change: Does it.
        stale: What is stale or missing at once, before anything is made.
        made: What is made until nothing is stale, or what the change itself makes.
        asked: What the provider is asked for it.
    """

    changed: str
    change: Callable[[World], object]
    stale: str
    made: str
    asked: str


FLOODED = "1. Flooded hall. Five giant rats swim in the black water."
NEW = ("1. Cistern. A giant toad sits in the cold water.", "2. Drain. A narrow drain leads out to the river.")
MODULE = "page_renders survey_index"
END = "module_contents module_dossier"
PLANS, CONTENTS = "level_plan/1 level_plan/2 level_plan/3", "level_content/1 level_content/2 level_content/3"
ALL_CONTENT = "content.1 content.2 content.3"

# fmt: off
TABLE = [
    # what changed                       what was done                                             stale at once                       made again                                                asked
    Row("nothing",                       lambda w: (w.module(), w.session(), w.story()),           "",                                 "",                                                       ""),
    Row("one page's pixels",             lambda w: w.module(drawn=2),                              "page_renders",                     f"{MODULE} level_plan/2 level_content/2 {END}",           "census content.2 survey"),
    Row("one page's text",               lambda w: w.module(level(2, FLOODED, PIT[2][1])),         "page_renders",                     f"{MODULE} level_plan/2 level_content/2 {END}",           "census content.2 survey"),
    Row("a page no level shows",         lambda w: w.module(motto="Second printing."),             "page_renders",                     f"{MODULE} module_dossier",                               "census survey"),
    Row("the survey's answer, 1 level",  lambda w: w.survey_again(renamed_area),                   "level_content/2 module_dossier",   f"survey_index level_plan/2 level_content/2 {END}",       "census content.2 survey"),
    Row("the survey adds a level",       lambda w: w.module({**PIT, 4: NEW}),                      "page_renders",                     f"{MODULE} level_plan/4 level_content/4 {END}",           "census content.4 survey"),
    Row("the survey renames a level",    lambda w: w.module({1: PIT[1], 2: PIT[2], 7: PIT[3]}),    "page_renders",                     f"{MODULE} level_plan/7 level_content/7 {END}",           "census content.7 survey"),
    Row("the survey drops a level",      lambda w: w.module({1: PIT[1], 2: PIT[2]}),               "page_renders",                     f"{MODULE} {END}",                                        "census survey"),
    Row("the content rules' text",       lambda w: w.rules((content_prompt, "CONTENT_RULES"), (code_versions, "CONTENT_RULES")),
                                                                                                   f"{PLANS} {CONTENTS}",              f"{PLANS} {CONTENTS} {END}",                              ALL_CONTENT),
    Row("the survey rules' text",        lambda w: w.rules((survey_prompt, "SURVEY_RULES"), (code_versions, "SURVEY_RULES")),
                                                                                                   "survey_index",                     "survey_index",                                           "census survey"),
    Row("resolution of the renders",     lambda w: w.set(pages={"dpi": 75}),                       "page_renders",                     f"{MODULE} {PLANS} {CONTENTS} {END}",                     f"census {ALL_CONTENT} survey"),
    Row("batch size, same requests",     lambda w: w.set(batch_pages=2),                           PLANS,                              PLANS,                                                    ""),
    Row("survey windows",                lambda w: w.set(survey_pages=3),                          "survey_index",                     "survey_index",                                           "census survey.w01 survey.w02"),
    Row("settings of how, not what",     lambda w: w.set(requests_in_flight=2, executor="multiprocess"), "",                           "",                                                       ""),
    Row("the provider or its model",     lambda w: setattr(w.deployment, "provider", CountingProvider("counted-2")),
                                                                                                   f"survey_index {CONTENTS}",         f"survey_index {CONTENTS}",                               f"census {ALL_CONTENT} survey"),
    Row("a transcript's text",           lambda w: w.session(SESSION.replace("cat", "rat")),       "transcript_units",                 "transcript_units scene_plan scene_chunks",               "scenes"),
    Row("the speaker map",               lambda w: w.session(speakers=SPEAKERS.replace("Lea", "Kim")), "transcript_units",             "transcript_units scene_plan scene_chunks",               ""),
    Row("one turn in the middle",        lambda w: w.story([*TURNS[:2], "A bell rings.", *TURNS[3:]]), "narration_turns",              "narration_turns world_state",                            ""),
    Row("a second module",               lambda w: w.module({1: PIT[3]}, "vault", title="The Vault"), f"{MODULE} {END}",               f"{MODULE} level_plan/1 level_content/1 {END}",           "census content.1 survey"),
]
# fmt: on


@pytest.fixture(scope="module")
def fresh(new_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with one source of each lane, all fresh; its sources lie beside it."""
    folder = tmp_path_factory.mktemp("table")
    shutil.copytree(new_home, folder / "home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DAGSTER_HOME", "")
        with open_instance(folder / "home") as instance:
            world = World(Deployment(folder / "home", instance), folder / "sources", patch)
            world.module()
            world.session()
            world.story()
            assert Backfill(world.deployment.graph()).run().failed == []
    return folder


@pytest.fixture
def world(fresh: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    shutil.copytree(fresh, tmp_path / "row")
    # Files are known by their place: the row's copies have to stand where the originals stood.
    monkeypatch.setenv("DAGSTER_HOME", "")
    with open_instance(tmp_path / "row" / "home") as instance:
        yield World(Deployment(tmp_path / "row" / "home", instance), fresh / "sources", monkeypatch)


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.changed)
def test_what_changed_decides_what_is_stale_what_is_made_and_what_is_asked(row: Row, world: World):
    before = events(world.deployment)
    row.change(world)
    backfill = Backfill(world.deployment.graph())
    stale = {_short(need.asset, need.partition) for need in find_needs(backfill.look())}
    assert stale == set(row.stale.split())

    done = backfill.run()
    assert (done.failed, done.left) == ([], [])
    after = events(world.deployment)
    made = {_short(*pair) for pair, event in after.items() if before.get(pair) != event}
    assert made == set(row.made.split())
    assert [_short_tag(tag) for tag in world.deployment.provider.take()] == row.asked.split()
    # The planner and Dagster's own staleness, which the UI shows, agree that nothing is left.
    assert world.deployment.not_fresh() == {}


def events(deployment: Deployment) -> dict[tuple[str, str], int]:
    """Return the newest event of every partition that still is one."""
    state = Backfill(deployment.graph()).look()
    keys = {rule.asset: state.partitions[rule.partition_set] for rule in state.rules if not rule.is_source}
    return {
        (asset, key): getattr(state.states[asset][key], "event")  # noqa: B009  no field of the protocol
        for asset, partitions in keys.items()
        for key in partitions
        if key in state.states[asset]
    }


def _short(asset: str, partition: str) -> str:
    return f"{asset}/{partition.rsplit('--', 1)[1]}" if asset.startswith("level") else asset


def _short_tag(tag: str) -> str:
    parts = tag.split(".")
    return f"content.{parts[2]}" if parts[0] == "content" else tag.split("-", maxsplit=1)[0]
