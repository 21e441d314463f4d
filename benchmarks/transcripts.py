"""Figures of the transcript lane: import and offline plan of a 10 000-unit session, peak memory, boundary scores.

Run it from the checkout: `python benchmarks/transcripts.py`. Times are medians of three runs.
"""

import json
import resource
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from osrforge_assets.contracts.transcript import TranscriptUnits
from osrforge_assets.evaluation.boundaries import (
    BoundaryScores,
    even_boundaries,
    no_boundaries,
    random_boundaries,
    score,
)
from osrforge_assets.transcripts.scenes.planning import make_plan
from osrforge_assets.transcripts.settings import TranscriptSettings
from osrforge_assets.transcripts.source.units import InputFile, import_transcript
from osrforge_resources.offline.provider import OfflineProvider
from osrforge_resources.offline.scenes import scene_starts
from tests.assets.transcripts.reviewed import reviewed_sessions

UNITS = 10_000
RUNS = 3


def long_session() -> bytes:
    """Return the whisperX JSON of a session of 10 000 units: the reviewed ones one after another, again and again."""
    spoken = [unit for units, _ in reviewed_sessions().values() for unit in units]
    segments = []
    clock = 0.0
    for at in range(UNITS):
        unit = spoken[at % len(spoken)]
        length = 0.4 * len(unit.text.split())
        segments.append({"start": clock, "end": clock + length, "text": f" {unit.text}", "speaker": unit.speaker})
        clock += length + 0.3
    return json.dumps({"segments": segments, "word_segments": []}).encode("utf-8")


def median_seconds(action: Callable[[], object]) -> float:
    taken = []
    for _ in range(RUNS):
        start = time.perf_counter()
        action()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


def read_session(data: bytes) -> TranscriptUnits:
    return import_transcript("long", [InputFile("long.json", "0" * 64, data)])


def print_scores() -> None:
    rows: dict[str, list[BoundaryScores]] = {}
    for units, reviewed in reviewed_sessions().values():
        count, length = len(reviewed), len(units)
        plans = {
            "offline": [frozenset(scene_starts(units))],
            "none": [no_boundaries()],
            "even": [even_boundaries(count, length)],
        }
        plans["random"] = [random_boundaries(count, length, seed) for seed in range(20)]
        for name, alternatives in plans.items():
            rows.setdefault(name, []).extend(score(reviewed, plan, length) for plan in alternatives)
    names = [field.name for field in fields(BoundaryScores)]
    print(f"{'plan':<10}" + "".join(f"{name:>22}" for name in names))
    for plan, scores in rows.items():
        print(
            f"{plan:<10}"
            + "".join(f"{statistics.mean(getattr(each, name) for each in scores):>22.3f}" for name in names)
        )


def main() -> None:
    data = long_session()
    transcript = read_session(data)
    words = sum(len(unit.text.split()) for unit in transcript.units)
    print(f"session: {len(transcript.units)} units, {words} words, {len(data) / 1e6:.1f} MB")
    print(f"import:  {median_seconds(lambda: read_session(data)):.2f} s (at most 2)")
    window = TranscriptSettings().window
    generate = OfflineProvider().generate
    plan = make_plan(transcript, generate, window, run="benchmark").plan
    taken = median_seconds(lambda: make_plan(transcript, generate, window, run="benchmark"))
    print(f"plan:    {taken:.2f} s (at most 10), {len(plan.ranges)} scenes")
    print(f"peak:    {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB (at most 300)")
    print()
    print_scores()


if __name__ == "__main__":
    main()
