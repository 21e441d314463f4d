"""Sources: how transcript files become a session with a key that stays.

The store keeps the bytes. The same bytes are the same session under any name; other bytes from the same place are a new
edition of it; anything else is a session of its own, numbered where its name is taken.
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from osrforge_assets.contracts.transcript import SourceFile, TranscriptSource
from osrforge_assets.modules.sources import read_source
from osrforge_assets.transcripts.failures import TranscriptError
from osrforge_assets.transcripts.source.tracks import is_track, sessions_of
from osrforge_resources.io_manager import find_document
from osrforge_resources.keys import slug
from osrforge_resources.store import BlobKind, Store

ASSET = "transcript_source"

# What recorders put beside their tracks; a folder may also hold the audio itself.
_TRANSCRIPT_ENDINGS = frozenset({".vtt", ".srt", ".json", ".jsonl", ".ndjson", ".txt", ".tsv", ".md"})
_BESIDE = frozenset({"info.txt", "readme.txt", "readme.md"})
_SPEAKERS_NAMES = ("speakers.yaml", "speakers.yml")


@dataclass(frozen=True, slots=True)
class SessionFiles:
    """The files of one session.

    Attributes:
        name: What the session is called.
        origin: Where it comes from: a file, or the folder of its tracks.
        files: Its files in order; none where a folder holds no transcript.
        tracks: Whether each is one speaker's track.
    """

    name: str
    origin: Path
    files: tuple[Path, ...]
    tracks: bool


def find_sessions(paths: Sequence[Path], *, tracks: bool = False) -> list[SessionFiles]:
    """Return the sessions that files and folders make up, in order.

    Args:
        paths: A file is a session, a folder is one, and files named as tracks of one folder are one.
        tracks: Take all given files as the tracks of one session, whatever they are called.
    """
    files = [path for path in paths if not path.is_dir()]
    sessions: dict[Path, SessionFiles] = {}
    if tracks and len(files) > 1:
        sessions[files[0]] = _tracks(tuple(dict.fromkeys(files)))
    else:
        for group in sessions_of(files):
            first, *others = group
            sessions[first] = _tracks(group) if others else SessionFiles(first.stem, first, group, tracks=tracks)
    for path in paths:
        if path.is_dir():
            sessions[path] = _folder(path)
    order = {path: at for at, path in reversed(list(enumerate(paths)))}
    return sorted(
        sessions.values(),
        key=lambda session: min(order.get(path, len(order)) for path in (*session.files, session.origin)),
    )


def register_session(
    store: Store, session: SessionFiles, *, speakers: Path | None, max_bytes: int, taken: Callable[[str], bool]
) -> TranscriptSource:
    """Keep a session's bytes in the store and return the session it is.

    Args:
        store: Where sources are kept.
        session: Its files.
        speakers: The speakers file, None to look for `speakers.yaml` beside them.
        max_bytes: Refuse a larger file before reading it.
        taken: Whether a key is in use by something the store does not know of.

    Raises:
        SourceError: A file is not there, not readable, empty or too large.
        TranscriptError: The folder holds no transcript.
    """
    if not session.files:
        raise TranscriptError(
            f"The folder {_shown_name(session.origin)} holds no transcript that can be read.",
            code="transcript.empty_folder",
            remedy="Name the transcript files themselves.",
        )
    named = speakers or next(
        (path for name in _SPEAKERS_NAMES if (path := session.files[0].parent / name).is_file()), None
    )
    read = partial(read_source, max_bytes=max_bytes, setting="OSRFORGE_TRANSCRIPTS__MAX_SOURCE_BYTES")
    contents = [(path, read(path)) for path in session.files]
    people = (named, read(named)) if named is not None else None
    files = tuple(_source_file(path, data) for path, data in contents)
    origin = hashlib.sha256(str(session.origin.absolute()).encode("utf-8", "surrogateescape")).hexdigest()
    with store.lock("transcript-sources"):
        key = _known_session(store, files, origin) or _new_key(store, session.name, taken)
        source = TranscriptSource(
            session=key,
            files=files,
            tracks=session.tracks,
            speakers=_source_file(*people) if people is not None else None,
            origin=origin,
        )
        for _, data in (*contents, *([people] if people is not None else [])):
            store.put_blob(BlobKind.TRANSCRIPT, data)
        store.write_asset(ASSET, key, source.canonical_json())
    return source


def reading_digest(source: TranscriptSource) -> str:
    """Return the digest of what is to be read: bytes, track names and speakers, not where the files lie."""
    parts = [file.sha256 for file in source.files]
    if source.tracks:
        parts += [file.name for file in source.files]
    parts.append(source.speakers.sha256 if source.speakers is not None else "none")
    return hashlib.sha256("\n".join(parts).encode("utf-8")).hexdigest()


def _tracks(files: tuple[Path, ...]) -> SessionFiles:
    folder = files[0].parent
    return SessionFiles(folder.absolute().name or "session", folder, files, tracks=True)


def _folder(folder: Path) -> SessionFiles:
    try:
        found = sorted(
            path
            for path in folder.iterdir()
            if path.suffix.lower() in _TRANSCRIPT_ENDINGS and path.name.lower() not in _BESIDE and path.is_file()
        )
    except OSError:
        found = []
    found.sort(key=lambda path: int(path.stem.split("-", 1)[0]) if is_track(path) else 0)
    whole = len(found) > 1 or any(map(is_track, found))
    return SessionFiles(folder.absolute().name or "session", folder, tuple(found), tracks=whole)


def _source_file(path: Path, data: bytes) -> SourceFile:
    return SourceFile(name=_shown_name(path), sha256=hashlib.sha256(data).hexdigest(), size=len(data))


def _known_session(store: Store, files: tuple[SourceFile, ...], origin: str) -> str | None:
    known = [find_document(store, ASSET, session, TranscriptSource) for session in store.asset_partitions(ASSET)]
    sources = [source for source in known if source is not None]
    digests = [file.sha256 for file in files]
    same_bytes = (source.session for source in sources if [file.sha256 for file in source.files] == digests)
    same_place = (source.session for source in sources if source.origin == origin)
    return next(same_bytes, None) or next(same_place, None)


def _new_key(store: Store, name: str, taken: Callable[[str], bool]) -> str:
    base = slug(name) or "session"
    in_use = set(store.asset_partitions(ASSET))
    key, number = base, 1
    while key in in_use or taken(key):
        number += 1
        key = f"{base}-{number}"
    return key


def _shown_name(path: Path) -> str:
    """Return a file's name as it may be shown and stored: no path, no control characters, no lone surrogates."""
    name = path.name.encode("utf-8", "replace").decode("utf-8")
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in name)[:200]
