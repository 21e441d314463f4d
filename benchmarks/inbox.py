"""A thousand small files dropped into the inbox at once: looks and seconds until all are registered, none lost, none twice.

Each look is the sensor `inbox` itself on a real instance; a look may take 20 seconds, and the daemon cuts one off after 60.
"""

import logging
import os
import tempfile
import time
import warnings
from pathlib import Path

warnings.simplefilter("ignore")

import dagster as dg  # noqa: E402  # it warns on import

from osrforge_assets.definitions import build_defs  # noqa: E402
from osrforge_assets.instance import open_instance  # noqa: E402
from osrforge_assets.settings import Settings  # noqa: E402
from osrforge_resources.store import Store  # noqa: E402

MODULES, SESSIONS, STORIES = 500, 250, 250


def drop(inbox: Path) -> None:
    """Write files of all lanes, each another; sizes are 1 KB and less."""
    import pymupdf  # draws the pages

    for lane in ("modules", "transcripts", "narrations"):
        (inbox / lane).mkdir(parents=True)
    for number in range(MODULES):
        document = pymupdf.open()
        document.new_page().insert_text((72, 80), f"1. Hall {number}. Two goblins watch the door.", fontsize=11)
        document.save(inbox / "modules" / f"module-{number}.pdf", no_new_id=True)
        document.close()
    for number in range(SESSIONS):
        text = f"GM: Door number {number}.\nAnna: I open it.\n"
        (inbox / "transcripts" / f"session-{number}.txt").write_text(text, encoding="utf-8")
    for number in range(STORIES):
        text = f'{{"player": "I open door {number}.", "reply": "It creaks.", "stop_reason": "stop"}}\n'
        (inbox / "narrations" / f"story-{number}.jsonl").write_text(text, encoding="utf-8")


def registered(instance: dg.DagsterInstance) -> list[str]:
    return [key for name in ("module", "transcript", "narration") for key in instance.get_dynamic_partitions(name)]


def main() -> None:
    os.environ["DAGSTER_HOME"] = ""
    logging.disable()
    with tempfile.TemporaryDirectory() as folder, open_instance(Path(folder)) as instance:
        settings = Settings(home=Path(folder))
        store = Store(settings.store_root)
        repository = build_defs(settings=settings, resources={"store": store}).get_repository_def()
        sensor = repository.get_sensor_def("inbox")
        drop(settings.inbox)
        files = MODULES + SESSIONS + STORIES
        looks: list[tuple[float, float, int]] = []
        while len(registered(instance)) < files:
            before, start, cpu = len(registered(instance)), time.perf_counter(), time.process_time()
            with dg.build_sensor_context(
                instance=instance, repository_def=repository, resources={"store": store, "settings": settings}
            ) as context:
                sensor.evaluate_tick(context)
            wall, cpu = time.perf_counter() - start, time.process_time() - cpu
            looks.append((wall, cpu, len(registered(instance)) - before))
        events = [
            instance.fetch_observations(dg.AssetKey(asset), limit=files + 1).records
            for asset in ("module_source", "transcript_source", "narration_source")
        ]
    print(f"{files} files, look by look:")
    for number, (wall, cpu, taken) in enumerate(looks, 1):
        print(f"  {number:3}  {wall:6.2f} s, {cpu:6.2f} s of processor, {taken:4} registered")
    print(
        f"all {sum(taken for *_, taken in looks)} after {len(looks)} looks and {sum(wall for wall, *_ in looks):.1f} s,"
    )
    print(f"  the longest look {max(wall for wall, *_ in looks):.1f} s; {sum(map(len, events))} events, one a file")


if __name__ == "__main__":
    main()
