"""`convert`: one PDF through the whole module lane, in one process, running only what is missing or stale.

It drives the same assets on the same instance as the UI: module, levels, module. An unchanged file asks no provider.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from osrforge_assets.command_graph import CommandGraph
from osrforge_assets.contracts.base import Contract
from osrforge_assets.contracts.dossier import Dossier, ModuleContents
from osrforge_assets.contracts.flags import Flag
from osrforge_assets.contracts.level import LevelContent, LevelPlan
from osrforge_assets.contracts.pages import PageSet
from osrforge_assets.contracts.survey import SurveyIndex
from osrforge_assets.instance import instance_errors
from osrforge_assets.modules.contents import has_filled_gaps
from osrforge_assets.modules.dossier.building import all_flags
from osrforge_assets.modules.dossier.page_pictures import cited_pages, picture_names
from osrforge_assets.modules.dossier.rendering import dossier_file_names
from osrforge_assets.modules.level_keys import levels_of
from osrforge_assets.partitions import LEVEL_SET
from osrforge_assets.registering import Registry
from osrforge_resources.failures import OsrforgeError
from osrforge_resources.io_manager import find_document, usable_document
from osrforge_resources.usage import Spending

Status = Literal["converted", "no_keyed_areas", "failed"]

_CONTRACTS: dict[str, type[Contract]] = {
    "page_renders": PageSet,
    "survey_index": SurveyIndex,
    "level_plan": LevelPlan,
    "level_content": LevelContent,
    "module_contents": ModuleContents,
    "module_dossier": Dossier,
}
_LOST_BLOB = {"store.blob_missing", "store.blob_damaged"}


@dataclass
class Conversion:
    """What came of one file.

    Attributes:
        source: The file as it was named.
        module: Its module key, None if it was not registered.
        status: `converted`, `no_keyed_areas`, or `failed`.
        error: The failure, None if there was none.
        dossier: The dossier document, None if none could be written. After a failed level it shows the gap.
        costs: Provider calls made now, and what they cost.
    """

    source: str
    module: str | None = None
    status: Status = "failed"
    error: OsrforgeError | None = None
    dossier: Dossier | None = None
    costs: Spending = field(default_factory=Spending)
    files: list[Path] = field(default_factory=list)

    @property
    def flags(self) -> Sequence[Flag]:
        """Every flag of the dossier."""
        return all_flags(self.dossier) if self.dossier is not None else ()

    @property
    def counts(self) -> dict[str, int]:
        """Return how much of everything the dossier holds."""
        if self.dossier is None:
            return {}
        levels = [level for dungeon in self.dossier.dungeons for level in dungeon.levels]
        areas = [area for level in levels for area in level.areas]
        return {
            "pages": self.dossier.source_pages,
            "dungeons": len(self.dossier.dungeons),
            "levels": len(levels),
            "areas": len(areas),
            "answered": sum(area.answered for area in areas),
            "encounters": sum(len(area.encounters) for area in areas),
            "treasure": sum(len(area.treasure) for area in areas),
            "connections": sum(len(area.connections) for area in areas),
        }


class Converter:
    """Drives files through the module lane of a graph."""

    def __init__(self, graph: CommandGraph) -> None:
        self._graph = graph
        self._instance = graph.instance
        self._store = graph.store
        self._registry = Registry(graph.instance, graph.store, graph.settings)

    def convert(self, path: Path, *, pages: tuple[int, ...] | None = None) -> Conversion:
        """Convert one file; an expected failure is in the result, a bug is raised."""
        conversion = Conversion(str(path))
        try:
            with instance_errors():
                conversion.module = self._registry.module(path, pages=pages).module
                self._bring_up_to_date(conversion.module, conversion)
        except OsrforgeError as failure:
            conversion.error = failure
        if conversion.module is not None and conversion.dossier is not None and conversion.error is None:
            conversion.status = "converted" if conversion.dossier.dungeons else "no_keyed_areas"
        return conversion

    def _bring_up_to_date(self, module: str, conversion: Conversion) -> None:
        """Run the lane; a page's image or text that the store lost is made anew from the source, once."""
        try:
            self._run_lane(module, conversion)
        except OsrforgeError as failure:
            if failure.code not in _LOST_BLOB:
                raise
            self._materialize("page_renders", [module], conversion)
            self._run_lane(module, conversion)

    def _run_lane(self, module: str, conversion: Conversion) -> None:
        """Run what is missing or stale, in the order the data flows; levels that fail leave a gap in the dossier."""
        for asset in ("page_renders", "survey_index"):
            self._run(asset, [module], conversion)
        levels = levels_of(module, self._instance.get_dynamic_partitions(LEVEL_SET))
        self._run("level_plan", levels, conversion)
        failure = None
        try:
            self._run("level_content", levels, conversion)
        except OsrforgeError as error:
            failure = error
        for asset in ("module_contents", "module_dossier"):
            self._run(asset, [module], conversion)
        conversion.dossier = find_document(self._store, "module_dossier", module, Dossier)
        # The pictures of pages are the HTML files' own; a book has hundreds.
        files = [path for path in self._store.dossier_files(module) if path.parent.name != "pages"]
        conversion.files = [Path(str(path)) for path in files]
        if failure is not None:
            raise failure

    def _run(self, asset: str, partitions: Sequence[str], conversion: Conversion) -> None:
        """Materialize those of `partitions` that are missing or stale, or whose document the store cannot give."""
        staleness = self._graph.staleness()
        wanted = [key for key in partitions if not (self._is_kept(asset, key) and staleness.is_fresh(asset, key))]
        if wanted:
            self._materialize(asset, wanted, conversion)

    def _is_kept(self, asset: str, partition: str) -> bool:
        # Dagster knows its events only: a document that was deleted or damaged by hand is fresh to it for ever.
        document = usable_document(self._store, asset, partition, _CONTRACTS[asset])
        if document is None or (isinstance(document, ModuleContents) and has_filled_gaps(self._store, document)):
            return False
        return not isinstance(document, Dossier) or self._has_files(partition, document)

    def _has_files(self, module: str, dossier: Dossier) -> bool:
        """Whether every file of a dossier is where a person looks for it."""
        pages = usable_document(self._store, "page_renders", module, PageSet)
        names = dossier_file_names(dossier) | (picture_names(pages, cited_pages(dossier)) if pages else set())
        return all(self._store.dossier_path(module, name).exists() for name in names)

    def _materialize(self, asset: str, wanted: Sequence[str], conversion: Conversion) -> None:
        config = {asset: {"keys": wanted}} if asset in {"level_plan", "level_content"} else None
        ran = self._graph.run([asset], wanted[0], config)
        conversion.costs += ran.costs
        if ran.error is not None:
            raise ran.error
