"""A home for fault drills: one source of each lane, and child processes that bring a lane up to date until they are killed."""

import contextlib
import hashlib
import json
import os
import shutil
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

warnings.simplefilter("ignore")

from osrforge_assets.command_graph import CommandGraph  # noqa: E402  # Dagster warns on import
from osrforge_assets.contracts.base import Contract  # noqa: E402
from osrforge_assets.contracts.narration_turns import NarrationTurns, WorldHistory  # noqa: E402
from osrforge_assets.contracts.scenes import SceneChunks, ScenePlan  # noqa: E402
from osrforge_assets.contracts.transcript import TranscriptUnits  # noqa: E402
from osrforge_assets.conversion import _CONTRACTS, Conversion, Converter  # noqa: E402
from osrforge_assets.definitions import build_defs  # noqa: E402
from osrforge_assets.instance import open_instance  # noqa: E402
from osrforge_assets.narrations.telling.story_run import bring_up_to_date  # noqa: E402
from osrforge_assets.registering import Registry  # noqa: E402
from osrforge_assets.settings import Settings  # noqa: E402
from osrforge_assets.transcripts.session_run import SessionRunner  # noqa: E402
from osrforge_assets.transcripts.sources import SessionFiles, find_sessions  # noqa: E402
from osrforge_resources.chat_model import RawReply, StopReason, Turn  # noqa: E402
from osrforge_resources.failures import OsrforgeError  # noqa: E402
from osrforge_resources.in_flight import process_limiter  # noqa: E402
from osrforge_resources.model_provider import ModelRequest  # noqa: E402
from osrforge_resources.orphaned_runs import end_orphaned_runs  # noqa: E402
from osrforge_resources.prices import PriceTable  # noqa: E402
from osrforge_resources.response_cache import ResponseCache  # noqa: E402
from osrforge_resources.store import BlobKind, Store  # noqa: E402
from osrforge_resources.structured_provider import StructuredProvider  # noqa: E402
from osrforge_resources.usage import TokenUsage  # noqa: E402
from tests import databases  # noqa: E402, F401  # SQLite that does not wait for the disk
from tests.graph.live_provider import LoggingProvider  # noqa: E402
from tests.graph.module_pdfs import PIT, write_module  # noqa: E402


class OfflineModel:
    """The offline reader in the place of a service, so that its answers pass through everything that paid ones do."""

    provider, model, max_tokens = "offline-service", "reader", 1000

    def __init__(self, folder: Path) -> None:
        self._answers = LoggingProvider(folder)

    @property
    def answer_settings(self) -> dict[str, object]:
        return {}

    def reply(self, request: ModelRequest, turns: Sequence[Turn]) -> RawReply:
        assert not turns
        answer = self._answers.generate(request)
        return RawReply(json.dumps(answer.data), StopReason.END, TokenUsage(1000, 100), "reader")


@dataclass(frozen=True)
class Lane:
    """A lane's stages in the order the data flows, and the key of its one source here.

    Attributes:
        key: Partition of the source.
        page: Key of the files that a person opens.
        stages: Asset to what its documents hold.
    """

    key: str
    page: str
    stages: dict[str, type[Contract]]


LANES = {
    "modules": Lane("pit", "pit", dict(_CONTRACTS)),
    "transcripts": Lane(
        "night",
        "session--night",
        {"transcript_units": TranscriptUnits, "scene_plan": ScenePlan, "scene_chunks": SceneChunks},
    ),
    "narrations": Lane("tale", "narration--tale", {"narration_turns": NarrationTurns, "world_state": WorldHistory}),
}
STAGES = {stage: lane for lane, its in LANES.items() for stage in its.stages}
_CONTENT_ADDRESSED = (
    BlobKind.SOURCE,
    BlobKind.IMAGE,
    BlobKind.TEXT,
    BlobKind.LAYER,
    BlobKind.TRANSCRIPT,
    BlobKind.STORY,
)
_SESSION = "".join(f"GM: Room {number} lies dark before you.\nAnna: I go on.\n" for number in range(1, 60))
_STORY = "".join(
    json.dumps({"player": "I go on.", "reply": f"Room {number} lies dark before you.", "stop_reason": "stop"}) + "\n"
    for number in range(1, 40)
)


class Home:
    """A home that child processes work on; the parent never holds its databases open.

    Args:
        folder: Where it lies.
        store: Root of the store where it is not in the home.
    """

    def __init__(self, folder: Path, store: Path | None = None) -> None:
        self.folder = folder
        self.settings = Settings(home=folder, store=str(store or ""))
        self.store = Store(self.settings.store_root)
        # Beside the home: what is known by its place stays known in a copy.
        self.sources = folder.parent / "sources"
        self.pdf = self.sources / "pit.pdf"
        self._provider = folder / "provider"

    def make(self) -> "Home":
        self._provider.mkdir(parents=True)
        write_module(self.pdf, PIT)
        (self.sources / "night.txt").write_text(_SESSION, encoding="utf-8")
        (self.sources / "tale.jsonl").write_text(_STORY, encoding="utf-8")
        os.environ["DAGSTER_HOME"] = ""
        open_instance(self.folder).dispose()
        return self

    def copy(self, folder: Path) -> "Home":
        shutil.copytree(self.folder, folder)
        return Home(folder)

    def convert(self) -> Conversion:
        """Convert the module in this process."""
        with self._graph() as graph:
            return Converter(graph).convert(self.pdf)

    def bring_up_to_date(self, lane: str) -> OsrforgeError | None:
        """Do what the command of a lane does, in this process; return what stopped it."""
        if lane == "modules":
            return self.convert().error
        with self._graph() as graph:
            if lane == "transcripts":
                return SessionRunner(graph).run(self._session()).error
            try:
                bring_up_to_date(graph, self.sources / "tale.jsonl")
            except OsrforgeError as failure:
                return failure
        return None

    def make_before(self, stage: str) -> None:
        """Register the source of a lane and make everything before one of its stages."""
        lane = LANES[STAGES[stage]]
        with self._graph() as graph:
            registry = Registry(graph.instance, self.store, self.settings)
            if lane is LANES["transcripts"]:
                registry.session(self._session())
            else:
                registry.story(self.sources / "tale.jsonl")
            before = list(lane.stages)[: list(lane.stages).index(stage)]
            assert not before or graph.run(before, lane.key).error is None

    def forget_from(self, stage: str) -> None:
        """Take away what a stage of the module lane wrote, everything after it, and all answers."""
        stages = list(LANES["modules"].stages)
        for asset in stages[stages.index(stage) :]:
            shutil.rmtree(Path(str(self.store.root)) / "assets" / asset, ignore_errors=True)
        ResponseCache(self.store).clear()
        (self._provider / "calls").unlink()

    def start(self, lane: str = "modules") -> int:
        """Bring a lane up to date in a child process and return its number; forked, so that it starts at once."""
        child = os.fork()
        if child == 0:
            status = 1
            try:
                null = os.open(os.devnull, os.O_WRONLY)
                os.dup2(null, 1)
                os.dup2(null, 2)
                status = 0 if self.bring_up_to_date(lane) is None else 3
            finally:
                os._exit(status)
        return child

    def calls(self) -> Counter[str]:
        calls = self._provider / "calls"
        return Counter(calls.read_text(encoding="utf-8").splitlines() if calls.exists() else [])

    def kept_answers(self) -> set[str]:
        return {entry.tag for _, _, entry in ResponseCache(self.store).entries() if entry is not None}

    def open_runs(self) -> int:
        os.environ["DAGSTER_HOME"] = ""
        with open_instance(self.folder) as instance:
            return len(end_orphaned_runs(instance))

    def damage(self) -> list[str]:
        """Return everything in the store that is not whole."""
        root = Path(str(self.store.root))
        found = []
        for asset, contract in {stage: its for lane in LANES.values() for stage, its in lane.stages.items()}.items():
            for path in (root / "assets" / asset).glob("[!.]*.json"):
                with contextlib.suppress(ValueError):
                    contract.from_json(path.read_bytes())
                    continue
                found.append(f"{path.name} of {asset} is no document")
        for kind in _CONTENT_ADDRESSED:
            found += [
                f"{kind.name.lower()} {path.name[:12]} is not what its name says"
                for path in (root / "blobs" / kind.name.lower()).glob("*/[!.]*")
                if hashlib.sha256(path.read_bytes()).hexdigest() != path.name.partition(".")[0]
            ]
        return found

    def outcome(self, lane: str) -> dict[str, str]:
        """Return the digests of a lane's last document and of all files that a person opens, by name."""
        its = LANES[lane]
        files = self.store.dossier_files(its.page)
        assert files, f"{lane} has no files"
        paths = [self.store.asset_path(list(its.stages)[-1], its.key), *files]
        return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}

    def _session(self) -> SessionFiles:
        (files,) = find_sessions([self.sources / "night.txt"])
        return files

    @contextlib.contextmanager
    def _graph(self) -> Iterator[CommandGraph]:
        os.environ["DAGSTER_HOME"] = ""
        provider = StructuredProvider(
            OfflineModel(self._provider),
            cache=ResponseCache(self.store),
            limiter=process_limiter(16, 1_000_000_000),
            prices=PriceTable(),
        )
        with open_instance(self.folder) as instance:
            end_orphaned_runs(instance)
            definitions = build_defs(
                settings=self.settings, resources={"store": self.store, "model_provider": provider}
            )
            yield CommandGraph(definitions, instance, self.store, self.settings)
