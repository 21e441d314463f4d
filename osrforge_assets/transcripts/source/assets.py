"""`transcript_source` and `transcript_units`: a session's files, and the one ordered document they make."""

from typing import Any

import dagster as dg

from osrforge_assets.contracts.transcript import TranscriptSource, TranscriptUnits
from osrforge_assets.escaping import markdown_table
from osrforge_assets.partitions import TRANSCRIPTS
from osrforge_assets.transcripts.source.speakers import read_speakers
from osrforge_assets.transcripts.source.units import UNITS_VERSION, InputFile, import_transcript
from osrforge_resources.io_manager import read_document
from osrforge_resources.step_failures import expected_failures
from osrforge_resources.store import BlobKind, Store

transcript_source = dg.AssetSpec(
    "transcript_source",
    description="The transcript files of a session, kept in the store. Registered by `osrforge-assets scenes`.",
    group_name="transcripts",
    kinds={"text"},
    owners=["team:osrforge"],
    partitions_def=TRANSCRIPTS,
)


@dg.asset(
    description="The session as ordered units: who said what and when, whatever program wrote it down.",
    group_name="transcripts",
    kinds={"json"},
    owners=["team:osrforge"],
    partitions_def=TRANSCRIPTS,
    deps=[transcript_source],
    io_manager_key="documents",
    code_version=UNITS_VERSION,
)
def transcript_units(context: dg.AssetExecutionContext, store: dg.ResourceParam[Store]) -> dg.Output[TranscriptUnits]:
    """Import a session's files."""
    with expected_failures():
        source = read_document(store, "transcript_source", context.partition_key, TranscriptSource)
        files = [
            InputFile(file.name, file.sha256, store.get_blob(BlobKind.TRANSCRIPT, file.sha256)) for file in source.files
        ]
        people = None
        if source.speakers is not None:
            people = read_speakers(store.get_blob(BlobKind.TRANSCRIPT, source.speakers.sha256))
        units = import_transcript(source.session, files, tracks=source.tracks, people=people)
    return dg.Output(units, data_version=dg.DataVersion(units.digest()), metadata=_metadata(units))


def _metadata(transcript: TranscriptUnits) -> dict[str, Any]:
    speakers: list[tuple[object, ...]] = [
        (speaker.name, speaker.player or "", "GM" if speaker.gm else speaker.character or "", speaker.units)
        for speaker in transcript.speakers
    ]
    files: list[tuple[object, ...]] = [(file.name, file.format, file.markers, file.units) for file in transcript.files]
    flags: list[tuple[object, ...]] = [(flag.code.value, flag.message) for flag in transcript.flags]
    return {
        "dagster/row_count": len(transcript.units),
        "words": sum(len(unit.text.split()) for unit in transcript.units),
        "source_digest": dg.MetadataValue.text(transcript.source_digest),
        "speakers": len(transcript.speakers),
        "speaker_table": dg.MetadataValue.md(markdown_table(("speaker", "player", "plays", "units"), speakers[:50])),
        "file_table": dg.MetadataValue.md(markdown_table(("file", "format", "entries promised", "units"), files)),
        "flags": len(flags),
        "flag_table": dg.MetadataValue.md(markdown_table(("flag", "what"), flags[:50])),
    }
