"""The inbox: which files dropped into `<home>/inbox/<lane>/` are new, whole and readable.

A file counts when two looks in a row see the same size and times: nothing is read while it is still copied. Each state of
a file is handled once, so what cannot be read is told once. What was seen is kept as a document of the store; there is
nothing to lose in a restart.

What does not belong here: what a source is (`sources.py` of each lane).
"""

import hashlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from osrforge_assets.contracts.automation import InboxEntry, InboxRecord
from osrforge_assets.transcripts.sources import SessionFiles, find_sessions
from osrforge_resources.failures import OsrforgeError, SourceError, StoreError
from osrforge_resources.io_manager import usable_document
from osrforge_resources.store import Store

# In the order they are looked at. The lanes share the time of one look, and what one leaves is the next one's: modules
# come last, since each takes the longest. When they had a third and no more, a thousand files took 43 looks.
LANES = ("transcripts", "narrations", "modules")
_ASSET = "inbox_record"

# What a lane takes; anything else there is told once and left alone.
_ENDINGS = {
    "modules": frozenset({".pdf"}),
    "transcripts": frozenset({".vtt", ".srt", ".json", ".jsonl", ".ndjson", ".txt", ".tsv", ".md"}),
    "narrations": frozenset({".jsonl", ".ndjson", ".json", ".md", ".txt"}),
}
_SPEAKERS = ("speakers.yaml", "speakers.yml")
# Browsers and copy programs write under these until a file is whole, and rename it then.
_UNFINISHED = (".part", ".partial", ".crdownload", ".download", ".tmp", ".filepart")

# A tick of the daemon is cut off after 60 s; what is not reached waits for the next.
SECONDS_A_LOOK = 20.0


@dataclass(frozen=True, slots=True)
class Drop:
    """Something that lies in the inbox.

    Attributes:
        files: The session or the one file.
        identity: Digest of lane and place.
        name: Its name as it may be shown.
        signature: Digest of names, sizes and times.
        is_known_kind: Whether the lane takes files of its ending.
        is_link: Whether it is a symbolic link or has one among its files: who may write into a shared inbox must not
            have other files of the account read through it.
    """

    files: SessionFiles
    identity: str
    name: str
    signature: str
    is_known_kind: bool
    is_link: bool


@dataclass(slots=True)
class Look:
    """What one look at a lane came to.

    Attributes:
        registered: File name and the key it was registered as.
        refused: What was refused now, for the first time.
        waiting: How many files are still copied, or were left for the next look.
    """

    registered: list[tuple[str, str]] = field(default_factory=list)
    refused: list[InboxEntry] = field(default_factory=list)
    waiting: int = 0


def take_in(
    store: Store,
    inbox: Path,
    lane: str,
    register: Callable[[SessionFiles], str],
    clock: Callable[[], float] = time.monotonic,
    seconds: float = SECONDS_A_LOOK,
) -> Look:
    """Register what is whole and new in one lane.

    Args:
        store: Keeps what was seen.
        inbox: The folder of all lanes.
        lane: One of `LANES`.
        register: Registers a source and returns its partition key.
        clock: Seconds.
        seconds: After these the look ends and leaves the rest to the next.

    Raises:
        StoreError: The store refuses; what was registered before is recorded.
    """
    record = usable_document(store, _ASSET, lane, InboxRecord) or InboxRecord(lane=lane)
    known = {entry.identity: entry for entry in record.entries}
    entries: dict[str, InboxEntry] = {}
    look = Look()
    until = clock() + seconds
    drops = find_drops(inbox, lane)
    try:
        for drop in drops:
            entry = known.get(drop.identity)
            if entry is None or entry.signature != drop.signature:
                entry = InboxEntry(identity=drop.identity, name=drop.name, signature=drop.signature)
                look.waiting += 1
            elif not entry.is_handled and clock() < until:
                entry = _handle(drop, entry, register, look)
            elif not entry.is_handled:
                look.waiting += 1
            entries[drop.identity] = entry
    finally:
        # What was not reached stays as it was known.
        for drop in drops:
            if drop.identity not in entries and drop.identity in known:
                entries[drop.identity] = known[drop.identity]
        kept = InboxRecord(lane=lane, entries=tuple(entries.values()))
        if kept != record:
            store.write_asset(_ASSET, lane, kept.canonical_json())
    return look


def take_in_all(
    store: Store,
    inbox: Path,
    register: Mapping[str, Callable[[SessionFiles], str]],
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[Look]:
    """Look at every lane, in turn, within the time of one look; arguments as those of `take_in`."""
    start = clock()
    for number, lane in enumerate(LANES, 1):
        (inbox / lane).mkdir(parents=True, exist_ok=True)
        left = start + SECONDS_A_LOOK * number / len(LANES) - clock()
        yield take_in(store, inbox, lane, register[lane], clock, left)


def refused_drops(store: Store) -> list[tuple[str, InboxEntry]]:
    """Return lane and entry of everything in the inbox that was refused and still lies there as it was."""
    records = [(lane, usable_document(store, _ASSET, lane, InboxRecord)) for lane in LANES]
    return [(lane, entry) for lane, record in records if record for entry in record.entries if entry.code is not None]


def find_drops(inbox: Path, lane: str) -> list[Drop]:
    """Return what lies in a lane of the inbox, by name; folders are sessions in the lane of transcripts only."""
    folder = inbox / lane
    try:
        paths = sorted(path for path in folder.iterdir() if not _is_passed_over(path))
    except OSError:
        return []
    if lane == "transcripts":
        takes = [path for path in paths if path.is_dir() or path.suffix.lower() in _ENDINGS[lane]]
        # Speaker files say who speaks in what lies beside them; they are no sources.
        others = [path for path in paths if path not in takes and path.name.lower() not in _SPEAKERS]
        sessions = find_sessions(takes)
    else:
        takes = [path for path in paths if path.is_file() and path.suffix.lower() in _ENDINGS[lane]]
        others = [path for path in paths if path not in takes]
        sessions = [_single(path) for path in takes]
    drops = [_drop(lane, session, is_known_kind=True) for session in sessions]
    drops += [_drop(lane, _single(path), is_known_kind=False) for path in others]
    return [drop for drop in drops if drop is not None]


def _handle(drop: Drop, entry: InboxEntry, register: Callable[[SessionFiles], str], look: Look) -> InboxEntry:
    try:
        if drop.is_link:
            raise SourceError(
                f"{drop.name} is a link, or holds one; the inbox takes only what lies in it.",
                code="inbox.link",
                remedy="Put the file itself there, or name it to the command.",
            )
        if not drop.is_known_kind:
            raise SourceError(
                f"{drop.name} is not a kind of file that this folder of the inbox takes.",
                code="inbox.kind",
                remedy="PDF files go into modules/, transcripts into transcripts/, story logs into narrations/.",
            )
        key = register(drop.files)
    except StoreError:
        raise
    except OsrforgeError as failure:
        entry = entry.model_copy(update={"code": failure.code, "message": f"{failure.message} {failure.remedy}"})
        look.refused.append(entry)
        return entry
    look.registered.append((drop.name, key))
    return entry.model_copy(update={"key": key})


def _is_passed_over(path: Path) -> bool:
    name = path.name.lower()
    return name.startswith((".", "~")) or name.endswith(_UNFINISHED)


def _single(path: Path) -> SessionFiles:
    return SessionFiles(path.stem, path, (path,), tracks=False)


def _drop(lane: str, session: SessionFiles, *, is_known_kind: bool) -> Drop | None:
    """Return a session as it lies there now, None if it vanished in between."""
    beside = [session.files[0].parent / name for name in _SPEAKERS] if session.files and lane == "transcripts" else []
    seen: list[str] = []
    for path in (session.origin, *session.files, *beside):
        try:
            stat = path.lstat()
        except OSError:
            if path not in beside:
                return None
            continue
        # The change time too: it is the only one that granting a permission moves. A folder's own times say nothing
        # that its files' do not, save where it holds none.
        if not path.is_dir() or not session.files:
            seen.append(f"{path.name}\0{stat.st_size}\0{stat.st_mtime_ns}\0{stat.st_ctime_ns}")
    name = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in session.origin.name)[:200]
    return Drop(
        files=session,
        identity=_digest([lane, str(session.origin.name)]),
        name=name.encode("utf-8", "replace").decode("utf-8"),
        signature=_digest(seen),
        is_known_kind=is_known_kind,
        is_link=any(path.is_symlink() for path in (session.origin, *session.files, *beside)),
    )


def _digest(parts: Sequence[str]) -> str:
    return hashlib.sha256("\n".join(parts).encode("utf-8", "surrogateescape")).hexdigest()[:24]
