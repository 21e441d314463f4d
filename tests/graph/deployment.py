"""A deployment of its own for each test: a home, an instance, and a provider that counts."""

import threading
from pathlib import Path

import dagster as dg

from osrforge_assets.command_graph import CommandGraph
from osrforge_assets.conversion import Conversion, Converter
from osrforge_assets.definitions import build_defs
from osrforge_assets.settings import Settings
from osrforge_resources.failures import ProviderError
from osrforge_resources.model_provider import ModelRequest, ModelResponse
from osrforge_resources.offline.provider import OfflineProvider
from osrforge_resources.staleness import Staleness
from osrforge_resources.store import Store


class CountingProvider:
    """The offline provider, with a record of what it was asked and failures on demand.

    Attributes:
        asked: Tags in the order they came.
        failing: Tag prefix to the failure that is raised for it.
    """

    def __init__(self, answers_version: str = "counted-1") -> None:
        self.answers_version = answers_version
        self.asked: list[str] = []
        self.failing: dict[str, ProviderError] = {}
        self._reader = OfflineProvider()
        self._lock = threading.Lock()

    def generate(self, request: ModelRequest) -> ModelResponse:
        with self._lock:
            self.asked.append(request.tag)
        for prefix, failure in self.failing.items():
            if request.tag.startswith(prefix):
                raise failure
        return self._reader.generate(request)

    def take(self) -> list[str]:
        """Return what was asked since the last look, sorted."""
        asked, self.asked = sorted(self.asked), []
        return asked


class Deployment:
    """One home with everything that a user of the command has."""

    def __init__(self, home: Path, instance: dg.DagsterInstance) -> None:
        self.home = home
        self.instance = instance
        self.provider = CountingProvider()
        self.settings = Settings(home=home)
        self.store = Store(self.settings.store_root)

    def definitions(self) -> dg.Definitions:
        return build_defs(settings=self.settings, resources={"store": self.store, "model_provider": self.provider})

    def convert(self, path: Path, pages: tuple[int, ...] | None = None) -> Conversion:
        return Converter(self.graph()).convert(path, pages=pages)

    def graph(self) -> CommandGraph:
        return CommandGraph(self.definitions(), self.instance, self.store, self.settings)

    def not_fresh(self) -> dict[str, list[str]]:
        """Return every partition of every asset that is missing or stale, assets without one left out."""
        staleness = Staleness(self.definitions(), self.instance)
        modules = self.instance.get_dynamic_partitions("module")
        levels = self.instance.get_dynamic_partitions("level")
        by_asset = {
            **dict.fromkeys(("page_renders", "survey_index", "module_contents", "module_dossier"), modules),
            **dict.fromkeys(("level_plan", "level_content"), levels),
        }
        found = {asset: staleness.not_fresh(asset, keys) for asset, keys in by_asset.items()}
        return {asset: keys for asset, keys in found.items() if keys}

    def runs(self) -> int:
        return self.instance.get_runs_count()
