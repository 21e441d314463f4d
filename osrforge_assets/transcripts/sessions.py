"""What came of a session, and where its page lies: shared by the asset that writes it and the command that shows it."""

from dataclasses import dataclass, field
from pathlib import Path

from osrforge_assets.contracts.scenes import SceneChunks
from osrforge_assets.contracts.transcript import TranscriptUnits
from osrforge_resources.failures import OsrforgeError
from osrforge_resources.usage import Spending


def page_key(session: str) -> str:
    """Return the key under which a session's page is kept; a module's key has no double hyphen, so they never meet."""
    return f"session--{session}"


@dataclass
class SessionResult:
    """What came of one session.

    Attributes:
        source: What was named: a file, or the folder of the tracks.
        sources: Its files.
        session: Its key, None if it was not registered.
        transcript: Its units, None if they could not be imported.
        chunks: Its scenes, None if they could not be planned.
        error: The failure, None if there was none.
        costs: Provider calls made now, and what they cost.
        files: The pages written.
    """

    source: str
    sources: tuple[str, ...]
    session: str | None = None
    transcript: TranscriptUnits | None = None
    chunks: SceneChunks | None = None
    error: OsrforgeError | None = None
    costs: Spending = field(default_factory=Spending)
    files: list[Path] = field(default_factory=list)


def as_json(result: SessionResult) -> dict[str, object]:
    """Return what came of a session as JSON data."""
    transcript, chunks, error = result.transcript, result.chunks, result.error
    page = next((path for path in result.files if path.suffix == ".html"), None)
    return {
        "source": result.source,
        "sources": list(result.sources),
        "session": result.session,
        "units": len(transcript.units) if transcript is not None else 0,
        "speakers": [speaker.name for speaker in transcript.speakers if speaker.units]
        if transcript is not None
        else [],
        "digest": transcript.source_digest if transcript is not None else None,
        "scenes": [
            {"start_unit_id": chunk.start_unit_id, "end_unit_id": chunk.end_unit_id}
            for chunk in (chunks.chunks if chunks is not None else ())
        ],
        "error": {"code": error.code, "message": error.message, "remedy": error.remedy} if error is not None else None,
        "flags": [flag.model_dump(mode="json") for flag in transcript.flags] if transcript is not None else [],
        "page": str(page) if page is not None else None,
        "calls": result.costs.calls,
        "cache_hits": result.costs.cache_hits,
        "cost_usd": result.costs.cost_usd,
    }
