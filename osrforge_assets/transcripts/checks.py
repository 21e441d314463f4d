"""Asset checks of the transcript lane: what the assets promise, looked at once more in what was stored."""

from itertools import pairwise

import dagster as dg

from osrforge_assets.contracts.scenes import SceneChunks, ScenePlan
from osrforge_assets.contracts.transcript import TranscriptUnits
from osrforge_assets.partitions import TRANSCRIPTS
from osrforge_assets.transcripts.scenes.chunks import is_whole
from osrforge_assets.transcripts.scenes.ranges import plan_failures
from osrforge_assets.transcripts.source.units import source_digest

_UNITS = {"transcript_units": dg.AssetIn()}


@dg.asset_check(
    asset="transcript_units",
    description="Every file gave units, all units belong to a file, and the digest is that of the units.",
    partitions_def=TRANSCRIPTS,
)
def import_is_complete(transcript_units: TranscriptUnits) -> dg.AssetCheckResult:
    """Hold the units against the files' own counts."""
    per_file = [
        sum(unit.file == number for unit in transcript_units.units)
        for number in range(1, len(transcript_units.files) + 1)
    ]
    promised = [file.units for file in transcript_units.files]
    numbered = [unit.id for unit in transcript_units.units] == list(range(1, len(transcript_units.units) + 1))
    same = source_digest(transcript_units.units) == transcript_units.source_digest
    return dg.AssetCheckResult(
        passed=per_file == promised and numbered and same,
        metadata={
            "units": len(transcript_units.units),
            "markers": sum(file.markers for file in transcript_units.files),
        },
    )


@dg.asset_check(
    asset="scene_plan",
    description="The ranges start at the first unit, end at the last, and touch without gap or overlap.",
    additional_ins=_UNITS,
    partitions_def=TRANSCRIPTS,
)
def plan_is_contiguous(scene_plan: ScenePlan, transcript_units: TranscriptUnits) -> dg.AssetCheckResult:
    """Validate the stored plan against the stored units."""
    failures = plan_failures(scene_plan.ranges, [unit.id for unit in transcript_units.units])
    same = scene_plan.source_digest == transcript_units.source_digest
    said = "; ".join(failure.message for failure in failures[:5])
    return dg.AssetCheckResult(
        passed=not failures and same, description=said or None, metadata={"ranges": len(scene_plan.ranges)}
    )


@dg.asset_check(
    asset="scene_chunks",
    description="The chunks in order are exactly the transcript: no unit lost, none in two scenes.",
    additional_ins=_UNITS,
    partitions_def=TRANSCRIPTS,
)
def chunks_cover_the_session(scene_chunks: SceneChunks, transcript_units: TranscriptUnits) -> dg.AssetCheckResult:
    """Concatenate the stored chunks and compare."""
    ordered = all(before.index + 1 == after.index for before, after in pairwise(scene_chunks.chunks))
    return dg.AssetCheckResult(
        passed=is_whole(transcript_units, scene_chunks) and ordered,
        metadata={"chunks": len(scene_chunks.chunks), "units": len(transcript_units.units)},
    )


TRANSCRIPT_CHECKS = [import_is_complete, plan_is_contiguous, chunks_cover_the_session]
