"""A dossier's files: what a person opens.

dossier.json                       the whole document; sorted keys, indented for people
overview.md                        the module at a glance, with links to its levels
levels/<dungeon>-level-<n>.md      a level for the table
levels/<dungeon>-level-<n>.html    the same beside the pages it was read from
pages/<n>-<digest>.jpg             the pages that the HTML shows (`page_pictures.py`)
tables/<table>.csv, .parquet       areas, encounters, treasure, connections
"""

import json
from collections.abc import Mapping

from osrforge_assets.contracts.dossier import Dossier
from osrforge_assets.modules.dossier.level_page import level_html
from osrforge_assets.modules.dossier.markdown import level_file_name, level_markdown, overview_markdown
from osrforge_assets.modules.dossier.tables import COLUMNS, write_tables


def dossier_files(dossier: Dossier, pictures: Mapping[int, str] | None = None) -> dict[str, bytes]:
    """Return every file of a dossier that is made of it alone, by name; equal dossiers give equal bytes.

    Args:
        dossier: The dossier.
        pictures: Page number to the name of the dossier file that shows it; pages without one are named only.
    """
    files = {"dossier.json": _json(dossier), "overview.md": overview_markdown(dossier).encode("utf-8")}
    for dungeon in dossier.dungeons:
        for level in dungeon.levels:
            name = f"levels/{level_file_name(dungeon, level)}"
            files[name] = level_markdown(dossier, dungeon, level).encode("utf-8")
            files[name.removesuffix(".md") + ".html"] = level_html(dossier, dungeon, level, pictures or {}).encode(
                "utf-8"
            )
    files |= {f"tables/{name}": data for name, data in write_tables(dossier).items()}
    return files


def dossier_file_names(dossier: Dossier) -> set[str]:
    """Return the names of `dossier_files` without making them."""
    levels = [f"levels/{level_file_name(dungeon, level)}" for dungeon in dossier.dungeons for level in dungeon.levels]
    return {
        "dossier.json",
        "overview.md",
        *levels,
        *(name.removesuffix(".md") + ".html" for name in levels),
        *(f"tables/{name}.{ending}" for name in COLUMNS for ending in ("csv", "parquet")),
    }


def _json(dossier: Dossier) -> bytes:
    data = dossier.model_dump(mode="json")
    return json.dumps(data, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False).encode("utf-8") + b"\n"
