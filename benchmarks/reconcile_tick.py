"""How long one look of the reconcile sensor takes, at 50 and at 1000 levels, beside Dagster's own staleness.

Seconds of processor time, which a busy machine changes less than the clock's. Cold is the first look of a process, warm the
next one with nothing new, changed the next one after ten levels changed.
"""

import os
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path

warnings.simplefilter("ignore")

import dagster as dg  # noqa: E402  # it warns on import

from osrforge_assets.definitions import build_defs  # noqa: E402
from osrforge_assets.graph_state import asset_rules, read_graph  # noqa: E402
from osrforge_assets.instance import open_instance  # noqa: E402
from osrforge_assets.reconcile import find_needs, wanted_work  # noqa: E402
from osrforge_resources.asset_events import input_state, materialization  # noqa: E402
from osrforge_resources.partition_log import PartitionLog  # noqa: E402
from osrforge_resources.staleness import Staleness  # noqa: E402

LEVELS_A_MODULE = 10


def main() -> None:
    definitions = build_defs()
    rules = asset_rules(definitions.resolve_asset_graph())
    versions = {rule.asset: rule.code_version or "" for rule in rules}
    print("levels   cold s   warm s   changed s   needs   Dagster's own, s a level")
    for count in (50, 1000):
        os.environ["DAGSTER_HOME"] = ""
        with tempfile.TemporaryDirectory() as folder, open_instance(Path(folder)) as instance:
            keys = [f"module-{at // LEVELS_A_MODULE}--dungeon--{at % LEVELS_A_MODULE + 1}" for at in range(count)]
            instance.add_dynamic_partitions("level", keys)
            for key in keys:
                _make(instance, versions, key, "1")
            log = PartitionLog(instance)

            def look(log: PartitionLog = log, instance: dg.DagsterInstance = instance, keys: list[str] = keys) -> int:
                needs = find_needs(read_graph(rules, instance, log))
                wanted_work(needs, levels=keys)
                return len(needs)

            cold, _ = _timed(look)
            warm, _ = _timed(look)
            for key in keys[:10]:
                instance.report_runless_asset_event(
                    materialization("level_plan", key, data_version="2", code_version=versions["level_plan"])
                )
            changed, needs = _timed(look)
            own = _dagsters_own(definitions, instance, keys[:50])
            print(f"{count:6} {cold:8.2f} {warm:8.3f} {changed:11.3f} {needs:7} {own / 50:12.4f}")


def _dagsters_own(definitions: dg.Definitions, instance: dg.DagsterInstance, keys: list[str]) -> float:
    seconds, _ = _timed(lambda: len(Staleness(definitions, instance).not_fresh("level_content", keys)))
    return seconds


def _make(instance: dg.DagsterInstance, versions: dict[str, str], key: str, version: str) -> None:
    instance.report_runless_asset_event(
        materialization("level_plan", key, data_version=version, code_version=versions["level_plan"])
    )
    state = input_state(instance, "level_plan", key)
    instance.report_runless_asset_event(
        materialization(
            "level_content",
            key,
            data_version=version,
            code_version=versions["level_content"],
            inputs=[state],
            metadata={"area_table": dg.MetadataValue.md("| 1 | 2 | 3 |\n" * 12)},
        )
    )


def _timed(work: Callable[[], int]) -> tuple[float, int]:
    begin = time.process_time()
    result = work()
    return time.process_time() - begin, result


if __name__ == "__main__":
    main()
