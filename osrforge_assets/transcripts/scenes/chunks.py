"""Chunks: an accepted plan made concrete. Owns ids, indexes and membership, and checks that nothing is lost or doubled."""

from itertools import chain

from osrforge_assets.contracts.scenes import SceneChunk, SceneChunks, ScenePlan
from osrforge_assets.contracts.transcript import TranscriptUnits
from osrforge_assets.transcripts.failures import ScenePlanError
from osrforge_assets.transcripts.scenes.ranges import checked_ranges

# Raised when the same plan gives other chunks or another page.
CHUNKS_VERSION = "chunks 2"


def chunk_session(transcript: TranscriptUnits, plan: ScenePlan) -> SceneChunks:
    """Return a session's chunks.

    Raises:
        ScenePlanError: The plan is of another source, or does not divide this one.
    """
    if plan.source_digest != transcript.source_digest:
        raise ScenePlanError(
            "The plan was made for another state of the transcript.",
            code="scenes.other_source",
            remedy="Materialize scene_plan for this session again.",
        )
    order = [unit.id for unit in transcript.units]
    at = {unit: position for position, unit in enumerate(order)}
    chunks = [
        SceneChunk(
            id=f"{plan.source_digest[:12]}-{index:04d}",
            index=index,
            start_unit_id=scene.start_unit_id,
            end_unit_id=scene.end_unit_id,
            unit_ids=tuple(order[at[scene.start_unit_id] : at[scene.end_unit_id] + 1]),
        )
        for index, scene in enumerate(checked_ranges(plan.ranges, order))
    ]
    made = SceneChunks(session=transcript.session, source_digest=plan.source_digest, chunks=tuple(chunks))
    if not is_whole(transcript, made):
        raise ScenePlanError("The chunks together are not the transcript.", code="scenes.not_whole")
    return made


def is_whole(transcript: TranscriptUnits, chunks: SceneChunks) -> bool:
    """Return whether the concatenation of all chunks is the source, unit by unit."""
    together = chain.from_iterable(chunk.unit_ids for chunk in chunks.chunks)
    return list(together) == [unit.id for unit in transcript.units]
