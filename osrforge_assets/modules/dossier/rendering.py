"""A dossier's files: what a person opens.

dossier.json                       the whole document; sorted keys, indented for people
overview.md                        the module at a glance, with links to its levels
levels/<dungeon>-level-<n>.md      a level for the table
tables/<table>.csv, .parquet       areas, encounters, treasure, connections
"""

import json

from osrforge_assets.contracts.dossier import Dossier
from osrforge_assets.modules.dossier.markdown import level_file_name, level_markdown, overview_markdown
from osrforge_assets.modules.dossier.tables import write_tables


def dossier_files(dossier: Dossier) -> dict[str, bytes]:
    """Return every file of a dossier by its name; equal dossiers give equal bytes."""
    files = {"dossier.json": _json(dossier), "overview.md": overview_markdown(dossier).encode("utf-8")}
    for dungeon in dossier.dungeons:
        for level in dungeon.levels:
            text = level_markdown(dossier, dungeon, level)
            files[f"levels/{level_file_name(dungeon, level)}"] = text.encode("utf-8")
    files |= {f"tables/{name}": data for name, data in write_tables(dossier).items()}
    return files


def _json(dossier: Dossier) -> bytes:
    data = dossier.model_dump(mode="json")
    return json.dumps(data, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False).encode("utf-8") + b"\n"
