"""Which reader reads a file: chosen by its content; the file's name plays no part."""

import json
import re
from collections.abc import Callable

from osrforge_assets.transcripts.failures import TranscriptError, UnknownFormatError
from osrforge_assets.transcripts.source.chat import read_discord_export, read_event_log
from osrforge_assets.transcripts.source.crd3 import read_crd3, turns_of
from osrforge_assets.transcripts.source.cues import is_cue_file, read_cues
from osrforge_assets.transcripts.source.decoding import decode
from osrforge_assets.transcripts.source.entries import Entry, Reading, spoken_kind
from osrforge_assets.transcripts.source.json_source import JsonObject, object_lines, objects, parse_json
from osrforge_assets.transcripts.source.plain_text import read_plain
from osrforge_assets.transcripts.source.speech_recognition import (
    read_assemblyai,
    read_chunks,
    read_deepgram,
    read_segments,
    read_whisper_cpp,
    read_whole_text,
)

# What a recognizer says where it was asked for the text alone.
_TEXT_ONLY = frozenset({"text", "language", "duration", "task", "usage"})
# Subtitles that hold times and speakers in forms of their own; read as plain text, those would be words.
_OTHER_SUBTITLES = (
    (re.compile(r"\[Script Info\]", re.IGNORECASE), "SubStation Alpha subtitles"),
    (re.compile(r"\d+:\d\d:\d\d\.\d{3},\d+:\d\d:\d\d\.\d{3}\s*\n"), "SubViewer subtitles (SBV)"),
    (re.compile(r"\{\d+\}\{\d+\}"), "MicroDVD subtitles, which count frames instead of time"),
)
_TSV_HEAD = ["start", "end", "text"]


def read_file(data: bytes) -> Reading:
    """Return the reading of a transcript file.

    Raises:
        TranscriptError: It cannot be read; names the line where one is to blame.
        UnknownFormatError: No reader knows it.
    """
    decoded = decode(data)
    reading = _reader(decoded.text)(decoded.text)
    if not reading.entries:
        raise TranscriptError(
            f"The file is {reading.format}, but nobody says anything in it.",
            line=1,
            code="transcript.no_units",
            remedy="Export the transcript again.",
        )
    reading.doubts = [*decoded.doubts, *reading.doubts]
    return reading


def _reader(text: str) -> Callable[[str], Reading]:
    start = text.lstrip()
    for form, what in _OTHER_SUBTITLES:
        if form.match(start):
            raise UnknownFormatError(
                f"The file is {what}.", line=1, remedy="Convert it to SRT or WebVTT, which every subtitle tool writes."
            )
    if start.startswith("{"):
        return _read_jsonl if _is_jsonl(start) else _read_json
    if start.startswith("[") and start[1:].lstrip()[:1] in {"{", "[", "]", '"', ""}:
        return _read_json
    if start[:1] == "<" and start[1:2].isalpha() | (start[1:2] in "!?"):
        raise UnknownFormatError("The file is a web page or XML, not a transcript.", line=1)
    if is_cue_file(text):
        return read_cues
    if _is_json_value(start):
        raise UnknownFormatError("The file is JSON, but neither an object nor a list of objects.", line=1)
    if text.split("\n", 1)[0].strip().split("\t") == _TSV_HEAD:
        return _read_tsv
    return read_plain


def _is_json_value(start: str) -> bool:
    if start[:1] not in {'"', "["} and start.strip() not in {"null", "true", "false"}:
        return False
    try:
        json.loads(start)
    except (ValueError, RecursionError):
        return False
    return True


def _is_jsonl(start: str) -> bool:
    """Return whether the first line is an object of its own and another one follows, or it is a single segment."""
    first, _, rest = start.partition("\n")
    try:
        data = json.loads(first)
    except (ValueError, RecursionError):
        return False
    return rest.lstrip().startswith("{") or (not rest.strip() and isinstance(data, dict) and _is_segment(data))


def _is_segment(data: JsonObject) -> bool:
    return (
        "text" in data
        and ("start" in data or "speaker" in data)
        and not {"segments", "utterances", "words"} & data.keys()
    )


def _read_jsonl(text: str) -> Reading:
    rows: list[tuple[int, JsonObject]] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            data = parse_json(line)
        except TranscriptError as error:
            reason = error.message.removeprefix("Line 1: ")
            raise TranscriptError(reason, line=number, code=error.code, remedy=error.remedy) from None
        if not isinstance(data, dict):
            raise TranscriptError("The line is not a JSON object.", line=number, code="transcript.bad_json")
        rows.append((number, data))
    if any("event_type" in data for _, data in rows):
        return read_event_log(rows)
    for number, data in rows:
        if "text" not in data:
            raise UnknownFormatError("The JSON line has no text.", line=number)
    return read_segments("whisper-jsonl", [data for _, data in rows], {id(data): number for number, data in rows})


def _read_json(text: str) -> Reading:
    data = parse_json(text)
    lines = object_lines(text, data)
    if isinstance(data, dict):
        return _read_json_object(data, lines)
    items = objects(data, "the list")
    if items and all("TURNS" in item for item in items):
        return read_crd3(turns_of(items), lines)
    if items and all("text" in item for item in items):
        return read_segments("whisper", items, lines)
    if not items:
        raise TranscriptError("The list is empty.", line=1, code="transcript.no_units")
    raise UnknownFormatError("No reader knows this JSON list.", line=1)


def _read_json_object(data: JsonObject, lines: dict[int, int]) -> Reading:
    if "TURNS" in data:
        return read_crd3(turns_of(data), lines)
    if "messages" in data:
        return read_discord_export(data, lines)
    for key, reader in _RECOGNIZERS:
        if isinstance(data.get(key), list | dict):
            return reader(data, lines)
    if "text" in data and data.keys() <= _TEXT_ONLY:
        return read_whole_text("whisper", [data["text"]])
    if data.keys() & {"utterances", "words", "audio_url"}:
        return read_assemblyai(data, lines)
    named = ascii(", ".join(list(data)[:6]))[:120]
    raise UnknownFormatError(f"No reader knows a JSON object of {named}.", line=1)


def _read_whisper(data: JsonObject, lines: dict[int, int]) -> Reading:
    items = objects(data["segments"], "segments")
    if not items and isinstance(data.get("text"), str):
        return read_whole_text("whisper", [data["text"]])
    is_x = "word_segments" in data or any("speaker" in item for item in items)
    return read_segments("whisperx" if is_x else "whisper", items, lines)


# The key that tells each recognizer's JSON, the most telling first; AssemblyAI's are null where nothing was asked for.
_RECOGNIZERS: tuple[tuple[str, Callable[[JsonObject, dict[int, int]], Reading]], ...] = (
    ("results", read_deepgram),
    ("segments", _read_whisper),
    ("transcription", lambda data, lines: read_whisper_cpp(objects(data["transcription"], "transcription"), lines)),
    ("chunks", lambda data, lines: read_chunks(objects(data["chunks"], "chunks"), lines)),
    ("utterances", read_assemblyai),
)


def _read_tsv(text: str) -> Reading:
    """Return the reading of whisper's table: milliseconds, milliseconds, text."""
    entries: list[Entry] = []
    rows = [(number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip()][1:]
    for marker, (number, line) in enumerate(rows):
        cells = line.split("\t", 2)
        if len(cells) != len(_TSV_HEAD) or not all(cell.strip().isdecimal() for cell in cells[:2]):
            raise TranscriptError("The row is not start, end and text.", line=number, code="transcript.bad_time")
        start, end = (int(cell) for cell in cells[:2])
        if not cells[2].strip():
            raise TranscriptError("The row has a time but no text.", line=number, code="transcript.entry_without_text")
        entries.append(Entry(cells[2], marker, number, None, start, end, spoken_kind(cells[2])))
    return Reading("whisper-tsv", entries, len(rows))
