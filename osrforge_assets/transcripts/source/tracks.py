"""Per-speaker tracks: which files belong to one recording, whose they are, and one order for all of them.

Craig, the Discord recorder, names its tracks `1-alice.flac`, `2-bob_0.flac`; a speech recognizer keeps the stem.
"""

import re
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from osrforge_assets.transcripts.failures import TranscriptError
from osrforge_assets.transcripts.source.entries import Entry

_TRACK = re.compile(r"(?P<number>\d{1,3})-(?P<name>.+)")
_AUDIO = re.compile(r"\.(?:flac|aac|ogg|oga|opus|wav|mp3|m4a|mka)$", re.IGNORECASE)
# Discord's old four-digit discriminator, or the 0 that replaced it.
_DISCRIMINATOR = re.compile(r"[_#](?:0|\d{4})$")


def track_speaker(name: str) -> str:
    """Return whose track a file is: its name without number, endings and discriminator."""
    stem = _AUDIO.sub("", Path(name).stem)
    match = _TRACK.fullmatch(stem)
    bare = match["name"] if match else stem
    return _DISCRIMINATOR.sub("", bare).strip() or bare


def is_track(path: Path) -> bool:
    """Return whether a file is named as a track is."""
    return _TRACK.fullmatch(path.stem) is not None


def sessions_of(paths: Sequence[Path]) -> list[tuple[Path, ...]]:
    """Return the sessions that files make up, in the order given: tracks of one folder are one, any other file is one.

    A single file with a track's name is a session of its own, and so are two with one number.
    """
    folders: defaultdict[Path, list[Path]] = defaultdict(list)
    for path in dict.fromkeys(paths):
        if is_track(path):
            folders[path.parent].append(path)
    numbers = {folder: [path.stem.split("-", 1)[0] for path in files] for folder, files in folders.items()}
    whole = {folder for folder, files in folders.items() if len(files) > 1 and len(set(numbers[folder])) == len(files)}
    sessions: list[tuple[Path, ...]] = []
    for path in dict.fromkeys(paths):
        if not (is_track(path) and path.parent in whole):
            sessions.append((path,))
        elif path == folders[path.parent][0]:
            sessions.append(tuple(sorted(folders[path.parent], key=lambda file: int(file.stem.split("-", 1)[0]))))
    return sessions


def merge_order(tracks: Sequence[Sequence[Entry]]) -> list[tuple[int, int]]:
    """Return the order of several tracks' entries by time, as pairs of 0-based track and entry.

    Equal times keep the order of the tracks, and a track's own order always stands: an entry whose time is before the
    entry above it is placed as if it began with that one.

    Raises:
        TranscriptError: An entry has no time, so its place is unknown; names track and line.
    """
    keyed: list[tuple[int, int, int]] = []
    for track, entries in enumerate(tracks):
        latest = 0
        for number, entry in enumerate(entries):
            if entry.start_ms is None:
                raise TranscriptError(
                    f"Track {track + 1} has no time here, so its place between the other tracks is unknown.",
                    line=entry.line,
                    code="transcript.track_without_time",
                    remedy="Export the tracks with times, or convert them one by one.",
                )
            latest = max(latest, entry.start_ms)
            keyed.append((latest, track, number))
    return [(track, number) for _, track, number in sorted(keyed)]
