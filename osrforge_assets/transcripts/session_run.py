"""`scenes`: one session through the transcript lane, in one process, running only what is missing or stale."""

import secrets
from pathlib import Path

import dagster as dg

from osrforge_assets.contracts.scenes import SceneChunks, ScenePlan
from osrforge_assets.contracts.transcript import TranscriptUnits
from osrforge_assets.partitions import TRANSCRIPTS
from osrforge_assets.run_results import call_costs, failure_of
from osrforge_assets.settings import Settings
from osrforge_assets.transcripts.scenes.plan_cache import find_plan
from osrforge_assets.transcripts.sessions import SessionResult, page_key
from osrforge_assets.transcripts.sources import SessionFiles, reading_digest, register_session
from osrforge_resources.asset_events import report_source
from osrforge_resources.budget import COMMAND_TAG
from osrforge_resources.failures import OsrforgeError
from osrforge_resources.io_manager import find_document
from osrforge_resources.staleness import Staleness
from osrforge_resources.store import Store

_SET = str(TRANSCRIPTS.name)
_LANE = ("transcript_units", "scene_plan", "scene_chunks")


class SessionRunner:
    """Drives sessions through the transcript lane.

    Args:
        definitions: The graph.
        instance: Where its events are.
        store: The store of the graph's resources.
        settings: The settings of the graph's resources.
    """

    def __init__(
        self, definitions: dg.Definitions, instance: dg.DagsterInstance, store: Store, settings: Settings
    ) -> None:
        self._definitions = definitions
        self._instance = instance
        self._store = store
        self._settings = settings
        # All runs of one command are one run to a budget.
        self._tags = {COMMAND_TAG: secrets.token_hex(8)}
        self._job = definitions.resolve_implicit_global_asset_job_def()

    def run(self, files: SessionFiles, *, speakers: Path | None = None, force: bool = False) -> SessionResult:
        """Bring one session up to date; an expected failure is in the result, a bug is raised."""
        result = SessionResult(str(files.origin), tuple(map(str, files.files)))
        try:
            result.session = self._register(files, speakers)
            self._bring_up_to_date(result.session, result, force=force)
        except OsrforgeError as failure:
            result.error = failure
        return result

    def _register(self, files: SessionFiles, speakers: Path | None) -> str:
        known = set(self._instance.get_dynamic_partitions(_SET))
        source = register_session(
            self._store,
            files,
            speakers=speakers,
            max_bytes=self._settings.transcripts.max_source_bytes,
            taken=known.__contains__,
        )
        self._instance.add_dynamic_partitions(_SET, [source.session])
        version, name = reading_digest(source), source.files[0].name
        report_source(self._instance, "transcript_source", source.session, version=version, name=name)
        return source.session

    def _bring_up_to_date(self, session: str, result: SessionResult, *, force: bool) -> None:
        """Run the lane from the first asset that is missing or stale; what an earlier run left is shown only if fresh."""
        staleness = Staleness(self._definitions, self._instance)
        stale = [asset for asset in _LANE if not staleness.is_fresh(asset, session)]
        first = stale[0] if stale else None
        if first != _LANE[0] and (force or self._plan_was_replaced(session)):
            first = "scene_plan"
        failure = self._materialize(_LANE[_LANE.index(first) :], session, result, force=force) if first else None
        if failure is None or Staleness(self._definitions, self._instance).is_fresh("transcript_units", session):
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
        config: dict[str, object] = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}
        if "scene_plan" in assets:
            config["ops"] = {"scene_plan": {"config": {"force": force}}}
        run = self._job.execute_in_process(
            run_config=config,
            instance=self._instance,
            partition_key=session,
            asset_selection=[dg.AssetKey(asset) for asset in assets],
            raise_on_error=False,
            tags=self._tags,
        )
        result.costs += call_costs(self._instance, run.run_id)
        return None if run.success else failure_of(run)
