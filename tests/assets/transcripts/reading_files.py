"""Shorthand of the reader tests: text in, document out."""

import hashlib
from pathlib import Path

from osrforge_assets.contracts.transcript import TranscriptUnits
from osrforge_assets.transcripts.source.units import InputFile, import_transcript


def input_file(data: str | bytes, name: str = "session.txt") -> InputFile:
    raw = data.encode("utf-8") if isinstance(data, str) else data
    return InputFile(name, hashlib.sha256(raw).hexdigest(), raw)


def read(data: str | bytes) -> TranscriptUnits:
    return import_transcript("session", [input_file(data)])


def read_path(path: Path) -> TranscriptUnits:
    return import_transcript("session", [input_file(path.read_bytes(), path.name)])


def said(transcript: TranscriptUnits) -> list[tuple[str | None, str]]:
    return [(unit.speaker, unit.text) for unit in transcript.units]
