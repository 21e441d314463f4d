"""From readings to the one ordered document: ids, digest, flags, and the check that nothing was lost."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from osrforge_assets.contracts.transcript import (
    Speaker,
    TranscriptFile,
    TranscriptFlag,
    TranscriptFlagCode,
    TranscriptUnits,
    Unit,
)
from osrforge_assets.transcripts.failures import IncompleteImportError, TranscriptError
from osrforge_assets.transcripts.source.entries import Entry, Reading
from osrforge_assets.transcripts.source.reading import read_file
from osrforge_assets.transcripts.source.speakers import Person
from osrforge_assets.transcripts.source.tracks import merge_order, track_speaker

# Raised when the same file gives other units than before.
UNITS_VERSION = "units 2"

# A person says "yes" three times; the fourth same line in a row is a recognizer listening to silence.
_LOOP = 4


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file to import: its name for people, its digest and its bytes."""

    name: str
    sha256: str
    data: bytes


def import_transcript(
    session: str, files: Sequence[InputFile], *, tracks: bool = False, people: Mapping[str, Person] | None = None
) -> TranscriptUnits:
    """Return a session's document.

    Args:
        session: The session's partition key.
        files: Its files.
        tracks: Whether each file is one speaker's track; then speakers come from file names and times decide the order.
        people: Who the speakers are.

    Raises:
        TranscriptError: A file cannot be imported; names file and line.
        IncompleteImportError: Fewer units than a file's own markers promise.
    """
    readings = [_read(file) for file in files]
    whose = [track_speaker(file.name) if tracks else None for file in files]
    for reading, owner in zip(readings, whose, strict=True):
        for entry in reading.entries:
            entry.speaker = entry.speaker or owner
    if len(readings) == 1:
        order = [(0, number) for number in range(len(readings[0].entries))]
    else:
        order = merge_order([reading.entries for reading in readings])
    units = [_unit(at, track, readings[track].entries[number]) for at, (track, number) in enumerate(order, start=1)]
    positions = {place: at for at, place in enumerate(order, start=1)}
    flags = [
        TranscriptFlag(
            code=doubt.code,
            message=doubt.message,
            units=tuple(sorted(positions[track, entry] for entry in doubt.entries)),
        )
        for track, reading in enumerate(readings)
        for doubt in reading.doubts
    ]
    speakers, unmapped = _speakers(units, people or {})
    return TranscriptUnits(
        session=session,
        source_digest=source_digest(units),
        files=tuple(map(_file, files, readings, whose)),
        speakers=speakers,
        units=tuple(units),
        flags=(*flags, *_time_flags(units), *_loop_flags(units), *unmapped),
    )


def source_digest(units: Sequence[Unit]) -> str:
    """Return the digest of the canonical document: what was said, by whom and when, in order; not how it was stored."""
    digest = hashlib.sha256()
    for unit in units:
        row = [unit.id, unit.speaker, unit.text, unit.start_ms, unit.end_ms, unit.kind]
        digest.update(
            json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass") + b"\n"
        )
    return digest.hexdigest()


def _read(file: InputFile) -> Reading:
    try:
        reading = read_file(file.data)
    except TranscriptError as error:
        error.message = f"{file.name}: {error.message}"
        raise
    missing = reading.markers - len({entry.marker for entry in reading.entries}) - reading.silent
    if missing:
        raise IncompleteImportError(
            f"{file.name}: the file promises {reading.markers} entries, {missing} of them could not be read.",
            line=reading.entries[-1].line,
        )
    return reading


def _unit(at: int, track: int, entry: Entry) -> Unit:
    text = _storable(" ".join(entry.text.split()))
    speaker = _storable(entry.speaker) if entry.speaker else None
    return Unit(
        id=at,
        speaker=speaker,
        text=text,
        start_ms=entry.start_ms,
        end_ms=entry.end_ms,
        kind=entry.kind,
        file=track + 1,
        line=entry.line,
    )


def _storable(text: str) -> str:
    # A lone surrogate (a broken JSON escape) can be stored in no encoding, so it becomes the replacement character.
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _file(file: InputFile, reading: Reading, track: str | None) -> TranscriptFile:
    return TranscriptFile(
        name=file.name,
        sha256=file.sha256,
        format=reading.format,
        markers=reading.markers,
        units=len(reading.entries),
        track=track,
    )


def _speakers(units: Sequence[Unit], people: Mapping[str, Person]) -> tuple[tuple[Speaker, ...], list[TranscriptFlag]]:
    counts: dict[str, int] = {}
    for unit in units:
        if unit.speaker is not None:
            counts[unit.speaker] = counts.get(unit.speaker, 0) + 1
    absent = [name for name in people if name not in counts]
    nobody = Person()
    speakers = tuple(
        Speaker(name=name, units=counts.get(name, 0), **people.get(name, nobody).model_dump())
        for name in [*counts, *absent]
    )
    message = "The speakers file names {}, who says nothing."
    flags = [
        TranscriptFlag(code=TranscriptFlagCode.SPEAKER_UNMAPPED, message=message.format(name[:80])) for name in absent
    ]
    return speakers, flags


def _time_flags(units: Sequence[Unit]) -> list[TranscriptFlag]:
    inverted: list[int] = []
    backwards: list[int] = []
    latest: dict[int, int] = {}
    for unit in units:
        if unit.start_ms is None:
            continue
        if unit.end_ms is not None and unit.end_ms < unit.start_ms:
            inverted.append(unit.id)
        if unit.start_ms < latest.get(unit.file, 0):
            backwards.append(unit.id)
        latest[unit.file] = unit.start_ms
    flags = []
    if inverted:
        message = f"{len(inverted)} units end before they start, first unit {inverted[0]}."
        flags.append(TranscriptFlag(code=TranscriptFlagCode.TIME_INVERTED, message=message, units=tuple(inverted)))
    if backwards:
        message = (
            f"{len(backwards)} units start before the one above them, first unit {backwards[0]}; the order stands."
        )
        flags.append(TranscriptFlag(code=TranscriptFlagCode.TIME_BACKWARDS, message=message, units=tuple(backwards)))
    return flags


def _loop_flags(units: Sequence[Unit]) -> list[TranscriptFlag]:
    flags = []
    run: list[Unit] = []
    for unit in [*units, None]:
        if unit is not None and run and (unit.text, unit.speaker) == (run[0].text, run[0].speaker):
            run.append(unit)
            continue
        if len(run) >= _LOOP and run[0].text:
            message = f"Units {run[0].id} to {run[-1].id} say the same: a recognizer may have listened to silence."
            flags.append(
                TranscriptFlag(code=TranscriptFlagCode.LOOPED, message=message, units=tuple(u.id for u in run))
            )
        run = [unit] if unit is not None else []
    return flags
