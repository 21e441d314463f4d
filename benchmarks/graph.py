"""What the graph itself costs beside its calls: one changed level of twenty, nothing changed, a hundred slow levels at once.

Everything runs in this process, as `osrforge-assets` does it, with the offline reader behind a provider that counts and,
where said, takes a second. Walls are of this run on this machine; the ratios are what to compare.
"""

import os
import tempfile
import threading
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import dagster as dg

warnings.filterwarnings("ignore", category=dg.BetaWarning)
warnings.filterwarnings("ignore", category=dg.PreviewWarning)

# Dagster warns when the assets are imported, so they come after the filters.
from osrforge_assets.command_graph import CommandGraph  # noqa: E402
from osrforge_assets.conversion import Conversion, Converter  # noqa: E402
from osrforge_assets.definitions import build_defs  # noqa: E402
from osrforge_assets.instance import open_instance  # noqa: E402
from osrforge_assets.settings import Settings  # noqa: E402
from osrforge_resources.model_provider import ModelRequest, ModelResponse  # noqa: E402
from osrforge_resources.offline.provider import OfflineProvider  # noqa: E402
from osrforge_resources.store import Store  # noqa: E402

IN_FLIGHT = 16
SLOW_LEVELS = 100
CALL_SECONDS = 1.0

_FIRST = ["Old", "Black", "Broken", "Painted", "Silent", "Dusty", "Frozen", "Burnt", "Hollow", "Narrow"]
_SECOND = ["Red", "Green", "Grey", "Torn", "White", "Blue", "Brown", "Yellow", "Golden", "Purple"]

T = TypeVar("T")


class TimedProvider:
    """The offline reader, counted, and slow where it is told to be."""

    answers_version = "benchmark-1"

    def __init__(self) -> None:
        self.calls = 0
        self.seconds = 0.0
        self.busy: list[tuple[float, float]] = []
        self._reader = OfflineProvider()
        self._lock = threading.Lock()

    def generate(self, request: ModelRequest) -> ModelResponse:
        """Answer by rules, and take as long as a service would."""
        start = time.perf_counter()
        response = self._reader.generate(request)
        if request.tag.startswith("content"):
            time.sleep(max(0.0, self.seconds - (time.perf_counter() - start)))
        with self._lock:
            self.calls += 1
            self.busy.append((start, time.perf_counter()))
        return response

    def take(self) -> int:
        """Return the calls since the last look."""
        calls, self.calls = self.calls, 0
        return calls


class Bench:
    """A home of its own with everything a command has."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.provider = TimedProvider()
        self.settings = Settings(home=folder / "home", requests_in_flight=IN_FLIGHT)
        self.store = Store(self.settings.store_root)
        self.instance = open_instance(self.settings.home)

    def graph(self) -> CommandGraph:
        """Return the graph as a new command would open it."""
        resources = {"store": self.store, "model_provider": self.provider}
        return CommandGraph(
            build_defs(settings=self.settings, resources=resources), self.instance, self.store, self.settings
        )

    def convert(self, levels: dict[int, str]) -> Conversion:
        """Write the module and bring it up to date."""
        conversion = Converter(self.graph()).convert(write_module(self.folder / "module.pdf", levels))
        if conversion.error is not None:
            raise conversion.error
        return conversion


def write_module(path: Path, levels: dict[int, str]) -> Path:
    """Write a module with one page a level, two keyed areas on each."""
    import pymupdf  # draws the pages

    document = pymupdf.open()
    cover = document.new_page(width=595, height=842)
    cover.insert_text((72, 120), "The Endless Stair", fontsize=28)
    for number, monster in levels.items():
        page = document.new_page(width=595, height=842)
        page.insert_text((72, 80), f"Level {number}", fontsize=20)
        # Lines that all pages share would be taken for running heads.
        first, second = _FIRST[number % 10], _SECOND[number // 10 % 10]
        areas = (
            f"1. {first} hall. Two {monster} in {second.lower()} cloaks watch the {first.lower()} door to area 2.",
            f"2. {second} store. A {first.lower()} chest holds {100 + number} sp. A {second.lower()} door leads to area 1.",
        )
        for at, area in enumerate(areas):
            page.insert_textbox((72, 110 + 80 * at, 523, 180 + 80 * at), area, fontsize=11)
    document.save(path, garbage=4, deflate=True, no_new_id=True)
    document.close()
    return path


def timed(work: Callable[[], T]) -> tuple[float, T]:
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def one_of_twenty(bench: Bench) -> None:
    levels = dict.fromkeys(range(1, 21), "goblins")
    whole, _ = timed(lambda: bench.convert(levels))
    calls = bench.provider.take()
    changed, _ = timed(lambda: bench.convert({**levels, 7: "kobolds"}))
    again = bench.provider.take()
    nothing, _ = timed(lambda: bench.convert({**levels, 7: "kobolds"}))
    print(f"twenty levels converted           {whole:6.2f} s, {calls} calls")
    print(
        f"one of them changed               {changed:6.2f} s, {again} calls (survey, census, its batch); {changed / whole:.2f} of all twenty"
    )
    print(
        f"nothing changed                   {nothing:6.2f} s, {bench.provider.take()} calls; {nothing / whole:.2f} of all twenty"
    )


def slow_levels(bench: Bench) -> None:
    bench.convert(dict.fromkeys(range(1, SLOW_LEVELS + 1), "goblins"))
    bench.provider.take()
    bench.provider.seconds = CALL_SECONDS
    bench.provider.busy.clear()
    graph = bench.graph()
    keys = list(bench.instance.get_dynamic_partitions("level"))
    start = time.perf_counter()
    ran = graph.run(["level_content"], keys[0], {"level_content": {"keys": keys}})
    wall = time.perf_counter() - start
    if ran.error is not None:
        raise ran.error
    first, last = min(began for began, _ in bench.provider.busy), max(ended for _, ended in bench.provider.busy)
    ideal = len(keys) * CALL_SECONDS / IN_FLIGHT
    print(
        f"{len(keys)} levels of {CALL_SECONDS:.0f} s, {IN_FLIGHT} in flight   {wall:6.2f} s, ideal {ideal:.2f} s: {wall / ideal:.2f}"
    )
    print(f"  of it before the first call     {first - start:6.2f} s")
    print(f"  first call to last answer       {last - first:6.2f} s: {(last - first) / ideal:.2f} of the ideal")
    print(f"  after the last answer           {start + wall - last:6.2f} s")


def main() -> None:
    os.environ["DAGSTER_HOME"] = ""
    for measure in (one_of_twenty, slow_levels):
        with tempfile.TemporaryDirectory() as folder:
            os.environ["DAGSTER_HOME"] = ""
            bench = Bench(Path(folder))
            measure(bench)
            bench.instance.dispose()


if __name__ == "__main__":
    main()
