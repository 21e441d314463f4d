"""`scenes`: one session through the transcript lane, in one process, running only what is missing or stale."""

from pathlib import Path

from osrforge_assets.command_graph import CommandGraph
from osrforge_assets.contracts.scenes import SceneChunks, ScenePlan
from osrforge_assets.contracts.transcript import TranscriptUnits
from osrforge_assets.registering import Registry
from osrforge_assets.transcripts.scenes.plan_cache import find_plan
from osrforge_assets.transcripts.sessions import SessionResult, page_key
from osrforge_assets.transcripts.sources import SessionFiles
from osrforge_resources.failures import OsrforgeError
from osrforge_resources.io_manager import find_document

_LANE = ("transcript_units", "scene_plan", "scene_chunks")


class SessionRunner:
    """Drives sessions through the transcript lane of a graph."""

    def __init__(self, graph: CommandGraph) -> None:
        self._graph = graph
        self._registry = Registry(graph.instance, graph.store, graph.settings)
        self._store = graph.store

    def run(self, files: SessionFiles, *, speakers: Path | None = None, force: bool = False) -> SessionResult:
        """Bring one session up to date; an expected failure is in the result, a bug is raised."""
        result = SessionResult(str(files.origin), tuple(map(str, files.files)))
        try:
            result.session = self._registry.session(files, speakers=speakers).session
            self._bring_up_to_date(result.session, result, force=force)
        except OsrforgeError as failure:
            result.error = failure
        return result

    def _bring_up_to_date(self, session: str, result: SessionResult, *, force: bool) -> None:
        """Run the lane from the first asset that is missing or stale; what an earlier run left is shown only if fresh."""
        staleness = self._graph.staleness()
        stale = [asset for asset in _LANE if not staleness.is_fresh(asset, session)]
        first = stale[0] if stale else None
        if first != _LANE[0] and (force or self._plan_was_replaced(session)):
            first = "scene_plan"
        failure = self._materialize(_LANE[_LANE.index(first) :], session, result, force=force) if first else None
        if failure is None or self._graph.staleness().is_fresh("transcript_units", session):
            result.transcript = find_document(self._store, "transcript_units", session, TranscriptUnits)
        if failure is not None:
            raise failure
        result.chunks = find_document(self._store, "scene_chunks", session, SceneChunks)
        result.files = [Path(str(path)) for path in self._store.dossier_files(page_key(session))]

    def _plan_was_replaced(self, session: str) -> bool:
        """Return whether the accepted plan of the session's source is another one: forced for a session of the same words."""
        transcript = find_document(self._store, "transcript_units", session, TranscriptUnits)
        plan = find_document(self._store, "scene_plan", session, ScenePlan)
        accepted = find_plan(self._store, transcript) if transcript is not None else None
        return accepted is not None and plan is not None and accepted.plan != plan

    def _materialize(
        self, assets: tuple[str, ...], session: str, result: SessionResult, *, force: bool
    ) -> OsrforgeError | None:
        config = {"scene_plan": {"force": force}} if "scene_plan" in assets else None
        ran = self._graph.run(assets, session, config)
        result.costs += ran.costs
        return ran.error
