"""Transcripts: a session's words as one ordered document of units, whatever program wrote them down.

The order of `TranscriptUnits.units` is the order of the session. Ids are ours; nothing may be read into their values.
"""

from enum import StrEnum
from typing import Literal

from pydantic import Field

from osrforge_assets.contracts.base import Contract

Sha256 = str


class UnitKind(StrEnum):
    """What a unit is."""

    SPEECH = "speech"  # somebody said or wrote it
    ROLL = "roll"  # dice: a command that rolls, or its result
    SYSTEM = "system"  # the recorder, a bot or the chat service says so
    SOUND = "sound"  # laughter, music: heard, not said


class TranscriptFlagCode(StrEnum):
    """Every kind of doubt about an import; the data beside it is as the source has it."""

    TIME_INVERTED = "time_inverted"  # ends before it starts
    TIME_BACKWARDS = "time_backwards"  # starts before the unit before it; the file's order stands
    TIME_UNREADABLE = "time_unreadable"  # a time that is no number; the unit has none
    ENTRY_WITHOUT_TEXT = "entry_without_text"  # the source has an entry in which nothing is said
    CAPTION_REPEATED = "caption_repeated"  # a rolling caption shows again what the one before it said
    TURN_REPEATED = "turn_repeated"  # the source lists one turn in two places; it is imported once
    LOOPED = "looped"  # the same words many times in a row: speech recognition over silence
    TEXT_OUTSIDE_CUE = "text_outside_cue"  # text after a blank line inside a cue; it stays with its cue
    ENCODING_GUESSED = "encoding_guessed"  # not UTF-8; read as Windows-1252
    NO_STRUCTURE = "no_structure"  # neither times nor speakers: every line is a unit
    SPEAKER_UNMAPPED = "speaker_unmapped"  # the speakers file names somebody who says nothing


class TranscriptFlag(Contract):
    """One doubt about an import.

    Attributes:
        code: What kind of doubt.
        message: One sentence with the particulars, for a person.
        units: Ids of the units it concerns, in order; empty where it concerns the file.
    """

    code: TranscriptFlagCode
    message: str
    units: tuple[int, ...] = ()


class Unit(Contract):
    """One utterance.

    Attributes:
        id: Positive integer, our own: the 1-based position.
        speaker: The name as the source has it, None where it has none.
        text: What was said, one line, "" only for a system message without text.
        start_ms: Milliseconds from the start of the recording, None where the source has no time.
        end_ms: The same for its end; below `start_ms` only where the source says so, and then flagged.
        kind: What it is.
        file: 1-based number of its file in `TranscriptUnits.files`.
        line: 1-based line of that file on which it begins.
    """

    id: int = Field(ge=1)
    speaker: str | None
    text: str
    start_ms: int | None = Field(default=None, ge=0)
    end_ms: int | None = Field(default=None, ge=0)
    kind: UnitKind = UnitKind.SPEECH
    file: int = Field(default=1, ge=1)
    line: int = Field(default=1, ge=1)


class TranscriptFile(Contract):
    """One imported file.

    Attributes:
        name: Its file name; for people, never a path.
        sha256: Digest of its bytes.
        format: The reader that read it.
        markers: How many entries the file's own markers promise (time lines, list lengths, a stated count).
        units: How many units came of it.
        track: The speaker whose track it is, None for a file with all speakers.
    """

    name: str
    sha256: Sha256
    format: str
    markers: int = Field(ge=1)
    units: int = Field(ge=1)
    track: str | None = None


class Speaker(Contract):
    """Somebody who speaks, or whom the speakers file names.

    Attributes:
        name: The name as the source has it.
        player: The person, None where unknown.
        character: The character they play, None where unknown or for the GM.
        gm: Whether they run the game.
        units: How many units they speak.
    """

    name: str
    player: str | None = None
    character: str | None = None
    gm: bool = False
    units: int = Field(ge=0)


class TranscriptUnits(Contract):
    """A session as an ordered document.

    Attributes:
        session: The session's partition key.
        source_digest: Digest of the units' ids, speakers, texts, times and kinds: the identity of the source for scene plans.
            File names, formats and line numbers take no part, so the same session in another format is the same source.
        files: The imported files; more than one for per-speaker tracks.
        speakers: In the order in which they first speak; then those who are only in the speakers file.
        units: In the order of the session, never empty.
        flags: What is uncertain.
    """

    schema_version: Literal[1] = 1
    session: str
    source_digest: Sha256
    files: tuple[TranscriptFile, ...] = Field(min_length=1)
    speakers: tuple[Speaker, ...]
    units: tuple[Unit, ...] = Field(min_length=1)
    flags: tuple[TranscriptFlag, ...] = ()


class SourceFile(Contract):
    """A registered file: a blob of the store.

    Attributes:
        name: The file name it had; for people, never a path.
        sha256: Digest and address of its bytes.
        size: Its size in bytes.
    """

    name: str
    sha256: Sha256
    size: int = Field(ge=0)


class TranscriptSource(Contract):
    """The files of a session, as they were registered.

    Attributes:
        session: The session's partition key.
        files: In the order they were given; several are the tracks of one recording.
        tracks: Whether each file is one speaker's track.
        speakers: The speakers file, None if there is none.
        origin: Digest of the path it was registered from: tells a new edition from another session of the same name.
    """

    schema_version: Literal[1] = 1
    session: str
    files: tuple[SourceFile, ...] = Field(min_length=1)
    tracks: bool = False
    speakers: SourceFile | None = None
    origin: Sha256
