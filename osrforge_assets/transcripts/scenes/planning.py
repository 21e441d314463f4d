"""A document's scene plan: taken from the cache, or asked window by window, checked and kept."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from osrforge_assets.contracts.scenes import PLAN_CACHE_FORMAT, PlanProvenance, PlanRecord, ScenePlan, SceneRange
from osrforge_assets.contracts.transcript import TranscriptUnits, Unit
from osrforge_assets.transcripts.failures import ScenePlanError
from osrforge_assets.transcripts.scenes.plan_cache import find_plan, keep_plan, text_digest
from osrforge_assets.transcripts.scenes.prompt import SCENES_RULES, scenes_request
from osrforge_assets.transcripts.scenes.ranges import checked_ranges
from osrforge_assets.transcripts.scenes.reply import parse_reply, scenes_schema
from osrforge_assets.transcripts.scenes.windows import WindowSize, divide
from osrforge_resources.model_provider import ModelRequest, ModelResponse
from osrforge_resources.store import Store
from osrforge_resources.transcript_text import WindowLead

Generate = Callable[[ModelRequest], ModelResponse]
OnWindow = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Planned:
    """A plan and whether it was there already."""

    record: PlanRecord
    reused: bool


def plan_session(
    store: Store,
    transcript: TranscriptUnits,
    generate: Generate,
    size: WindowSize,
    *,
    run: str,
    force: bool = False,
    on_window: OnWindow | None = None,
) -> Planned:
    """Return a session's plan, asking only where no accepted plan of this source is kept or a new one is forced.

    Args:
        store: Where plans are kept.
        transcript: The document.
        generate: Answers a request.
        size: The size of a window.
        run: Who makes the plan, for its provenance.
        force: Make a new plan and replace the kept one; the old one stays if that fails.
        on_window: Told the units planned so far and their total after each window.

    Raises:
        ScenePlanError: An answer does not divide its units; nothing is kept.
        ProviderError: The provider gave no answer; nothing is kept.
    """
    with store.lock(f"scene-plan--{transcript.source_digest}"):
        if not force and (record := find_plan(store, transcript)) is not None:
            return Planned(record, reused=True)
        record = make_plan(transcript, generate, size, run=run, on_window=on_window)
        keep_plan(store, record)
    return Planned(record, reused=False)


def make_plan(
    transcript: TranscriptUnits, generate: Generate, size: WindowSize, *, run: str, on_window: OnWindow | None = None
) -> PlanRecord:
    """Return a new plan; a session of one unit is one scene and asks nobody."""
    units = transcript.units
    asker = _Asker(transcript, generate, on_window)
    ranges = (_whole(units),) if len(units) == 1 else divide(units, size, asker.ask)
    plan = ScenePlan(source_digest=transcript.source_digest, ranges=checked_ranges(ranges, [unit.id for unit in units]))
    provenance = PlanProvenance(
        run=run,
        models=tuple(sorted(asker.models)),
        prompt=text_digest(SCENES_RULES),
        schema_digest=text_digest(scenes_schema()),
        windows=asker.windows,
    )
    return PlanRecord(format_version=PLAN_CACHE_FORMAT, plan=plan, provenance=provenance)


class _Asker:
    def __init__(self, transcript: TranscriptUnits, generate: Generate, on_window: OnWindow | None) -> None:
        self._transcript = transcript
        self._generate = generate
        self._on_window = on_window
        self.models: set[str] = set()
        self.windows = 0

    def ask(self, units: Sequence[Unit], lead: WindowLead | None) -> Sequence[SceneRange]:
        """Return a window's scenes, checked against exactly its units."""
        response = self._generate(scenes_request(units, speakers=self._transcript.speakers, lead=lead))
        self.models.add(response.model_id)
        self.windows += 1
        try:
            with response.being_read():
                ranges = checked_ranges(parse_reply(response.data), [unit.id for unit in units])
        except ScenePlanError as failure:
            if lead is not None:
                failure.message = f"Part {lead.part}, units {units[0].id} to {units[-1].id}: {failure.message}"
            raise
        if self._on_window is not None:
            # Our ids are positions, so the last unit's id is how many are planned.
            self._on_window(units[-1].id, len(self._transcript.units))
        return ranges


def _whole(units: Sequence[Unit]) -> SceneRange:
    return SceneRange(start_unit_id=units[0].id, end_unit_id=units[-1].id)
