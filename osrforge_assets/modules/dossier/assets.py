"""`module_contents` and `module_dossier`: a module's finished levels, and the document that is made of them."""

import dagster as dg

from osrforge_assets.contracts.dossier import Dossier, LevelStatus, ModuleContents
from osrforge_assets.contracts.level import LevelContent
from osrforge_assets.contracts.pages import ModuleSource, PageSet
from osrforge_assets.contracts.survey import SurveyIndex
from osrforge_assets.escaping import markdown_table
from osrforge_assets.modules.contents import contents_of
from osrforge_assets.modules.dossier.building import all_flags, build_dossier
from osrforge_assets.modules.dossier.page_pictures import cited_pages, write_page_pictures
from osrforge_assets.modules.dossier.rendering import dossier_files
from osrforge_assets.modules.dossier.tables import COLUMNS, MEANINGS
from osrforge_assets.modules.flag_list import flag_list
from osrforge_assets.modules.levels.events import contents_metadata
from osrforge_assets.modules.page_loading import page_text
from osrforge_assets.partitions import LINEAGE_ONLY, MODULES
from osrforge_resources.io_manager import read_document
from osrforge_resources.step_failures import expected_failures
from osrforge_resources.store import Store

# The widest of the dossier's four tables, a row an area; the others are described in `tables.py`.
_AREA_TABLE = dg.TableSchema(
    columns=[dg.TableColumn(name, dtype, description=MEANINGS[name]) for name, dtype in COLUMNS["areas"].items()]
)
# What the event log keeps of every materialization; the file itself is linked.
_OVERVIEW_CHARACTERS = 4000


@dg.asset(
    description="The manifest of a module's finished levels. Each level reports it; materialize it to derive it again.",
    group_name="modules",
    kinds={"json"},
    owners=["team:osrforge"],
    partitions_def=MODULES,
    deps=[dg.AssetDep("level_content", partition_mapping=LINEAGE_ONLY)],
    io_manager_key="documents",
)
def module_contents(context: dg.AssetExecutionContext, store: dg.ResourceParam[Store]) -> dg.Output[ModuleContents]:
    """Derive a module's manifest from its survey and the levels in the store."""
    with expected_failures(), store.lock(f"contents--{context.partition_key}"):
        contents = contents_of(store, read_document(store, "survey_index", context.partition_key, SurveyIndex))
    return dg.Output(contents, data_version=dg.DataVersion(contents.digest()), metadata=contents_metadata(contents))


@dg.asset(
    description="The module as one document in which every fact names its page: JSON, Markdown and HTML a level, tables.",
    group_name="modules",
    kinds={"json", "markdown", "html", "parquet"},
    owners=["team:osrforge"],
    partitions_def=MODULES,
    io_manager_key="documents",
    metadata={"dagster/column_schema": _AREA_TABLE},
)
def module_dossier(
    context: dg.AssetExecutionContext,
    page_renders: PageSet,
    survey_index: SurveyIndex,
    module_contents: ModuleContents,
    store: dg.ResourceParam[Store],
) -> dg.Output[Dossier]:
    """Join survey and contents, look every fact up on its pages, and write the files a person opens."""
    module = context.partition_key
    with expected_failures():
        source = read_document(store, "module_source", module, ModuleSource)
        levels = {
            (entry.dungeon_id, entry.level_number): read_document(store, "level_content", entry.level, LevelContent)
            for entry in module_contents.levels
            if entry.status is LevelStatus.CURRENT
        }
        texts = {page.number: page.text for page in page_renders.pages}
        dossier = build_dossier(
            source, page_renders, survey_index, module_contents, levels, lambda number: page_text(store, texts[number])
        )
        pictures = write_page_pictures(store, module, page_renders, cited_pages(dossier))
        files = dossier_files(dossier, pictures)
        paths = {name: store.write_dossier_file(module, name, data) for name, data in files.items()}
        store.prune_dossier(module, keep={*files, *pictures.values()})
    flags = all_flags(dossier)
    areas = [area for dungeon in dossier.dungeons for level in dungeon.levels for area in level.areas]
    metadata = {
        "overview": dg.MetadataValue.md(_beginning(files["overview.md"])),
        "dungeons": len(dossier.dungeons),
        "dagster/row_count": len(areas),
        "answered": sum(area.answered for area in areas),
        "encounters": sum(len(area.encounters) for area in areas),
        "treasure": sum(len(area.treasure) for area in areas),
        "connections": sum(len(area.connections) for area in areas),
        "dagster/column_schema": _AREA_TABLE,
        "flags": len(flags),
        "flag_list": dg.MetadataValue.md(flag_list(flags)),
        "folder": dg.MetadataValue.path(str(store.dossier_path(module, "dossier.json").parent)),
        "files": dg.MetadataValue.md(
            markdown_table(("file", "path"), [(name, str(path)) for name, path in paths.items()])
        ),
    }
    return dg.Output(dossier, data_version=dg.DataVersion(dossier.digest()), metadata=metadata)


def _beginning(overview: bytes) -> str:
    text = overview.decode("utf-8")
    if len(text) <= _OVERVIEW_CHARACTERS:
        return text
    # Whole lines only, so that no table row or link is cut in two.
    return text[:_OVERVIEW_CHARACTERS].rpartition("\n")[0] + "\n\n…"
