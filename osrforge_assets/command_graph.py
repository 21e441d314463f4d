"""The graph as the console command opens it: the settings of this call, one store, the instance that the UI shows."""

import contextlib
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import dagster as dg

from osrforge_assets.settings import Settings, load_settings
from osrforge_resources.progress import Progress
from osrforge_resources.store import Store


@dataclass(frozen=True, slots=True)
class CommandGraph:
    """Everything that a command drives assets with."""

    definitions: dg.Definitions
    instance: dg.DagsterInstance
    store: Store
    settings: Settings


@contextlib.contextmanager
def open_graph(given: Mapping[str, str | None], progress: Progress) -> Iterator[CommandGraph]:
    """Open the graph.

    Args:
        given: Settings named on the command line, None where not; they take the place of the environment's.
        progress: Told how far the steps are.

    Raises:
        MisuseError: A setting is invalid (a `ValueError`).
    """
    # Data versions and partitioned checks have been "beta" and "preview" for years; the graph tests watch them, a user
    # need not. It has to be said before the assets are imported, which is when Dagster warns.
    for category in (dg.BetaWarning, dg.PreviewWarning):
        warnings.filterwarnings("ignore", category=category)
    from osrforge_assets.definitions import build_defs
    from osrforge_assets.instance import instance_errors, open_instance
    from osrforge_resources.orphaned_runs import end_orphaned_runs

    settings = load_settings(**given)
    store = Store(settings.store_root)
    with open_instance(settings.home) as instance:
        # A command that was killed left its run open, and with it a place in the pool of paid steps.
        with instance_errors():
            end_orphaned_runs(instance)
        definitions = build_defs(settings=settings, resources={"store": store, "progress": progress})
        yield CommandGraph(definitions, instance, store, settings)
