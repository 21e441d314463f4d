"""The reviewed sessions: their units, and where a reader sees a scene begin."""

from pathlib import Path

from osrforge_resources.transcript_text import RequestUnit

REVIEWED = Path(__file__).parents[2] / "data" / "reviewed_scenes"


def reviewed_sessions() -> dict[str, tuple[list[RequestUnit], frozenset[int]]]:
    """Return each session's units and the 0-based positions at which its later scenes begin."""
    return {path.stem: _read(path) for path in sorted(REVIEWED.glob("*.txt"))}


def _read(path: Path) -> tuple[list[RequestUnit], frozenset[int]]:
    units: list[RequestUnit] = []
    boundaries: set[int] = set()
    for line in path.read_text(encoding="utf-8").splitlines():
        if line == "---":
            boundaries.add(len(units))
        else:
            name, text = line.split(": ", 1)
            units.append(RequestUnit(len(units) + 1, text, name))
    return units, frozenset(boundaries)
