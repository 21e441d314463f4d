"""The transcript lane alone, on an instance and store of its own, with a provider that counts."""

from pathlib import Path

import dagster as dg

from osrforge_assets.command_graph import CommandGraph
from osrforge_assets.settings import Settings
from osrforge_assets.transcripts.checks import TRANSCRIPT_CHECKS
from osrforge_assets.transcripts.scenes.assets import scene_chunks, scene_plan
from osrforge_assets.transcripts.session_run import SessionRunner
from osrforge_assets.transcripts.sessions import SessionResult
from osrforge_assets.transcripts.source.assets import transcript_source, transcript_units
from osrforge_assets.transcripts.sources import find_sessions
from osrforge_resources.budget import Budget
from osrforge_resources.io_manager import DocumentIOManager
from osrforge_resources.model_provider import ModelRequest, ModelResponse, TokenUsage
from osrforge_resources.offline.scenes import answer_scenes
from osrforge_resources.progress import no_progress
from osrforge_resources.store import Store


class ScenePlanner:
    """Answers scene requests by the offline rules, or with what it is told to answer.

    Attributes:
        asked: The requests in the order they came.
        answer: What to answer instead, None for the rules.
    """

    def __init__(self) -> None:
        self.asked: list[ModelRequest] = []
        self.answer: object = None

    def generate(self, request: ModelRequest) -> ModelResponse:
        self.asked.append(request)
        data = answer_scenes(request) if self.answer is None else self.answer
        return ModelResponse(data, TokenUsage(), "planner-1")


class SessionLane:
    """One home with what the command has."""

    def __init__(self, home: Path, instance: dg.DagsterInstance) -> None:
        self.home = home
        self.instance = instance
        self.settings = Settings(home=home)
        self.store = Store(self.settings.store_root)
        self.planner = ScenePlanner()

    def definitions(self) -> dg.Definitions:
        return dg.Definitions(
            assets=[transcript_source, transcript_units, scene_plan, scene_chunks],
            asset_checks=TRANSCRIPT_CHECKS,
            resources={
                "store": self.store,
                "documents": DocumentIOManager(self.store),
                "settings": self.settings,
                "model_provider": self.planner,
                "budget": Budget(self.store),
                "progress": no_progress,
            },
            executor=dg.in_process_executor,
        )

    def scenes(self, *paths: Path, force: bool = False, tracks: bool = False) -> list[SessionResult]:
        runner = SessionRunner(CommandGraph(self.definitions(), self.instance, self.store, self.settings))
        return [runner.run(session, force=force) for session in find_sessions(paths, tracks=tracks)]
