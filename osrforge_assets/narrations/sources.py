"""Sources: how a story log becomes a narration with a key that stays, while the story grows.

The store keeps the bytes. The same bytes are the same narration under any name; other bytes from the same path are the
same story gone on; anything else is a narration of its own, numbered where its name is taken.
"""

import hashlib
from collections.abc import Callable
from pathlib import Path

from osrforge_assets.contracts.narration_turns import NarrationSource
from osrforge_assets.modules.sources import read_source
from osrforge_resources.io_manager import find_document
from osrforge_resources.keys import slug
from osrforge_resources.store import BlobKind, Store

ASSET = "narration_source"

# 50 MB hold some 20,000 turns of 2,500 characters: more than any story, and read and split in under a minute.
MAX_BYTES = 50_000_000


def register_story(
    store: Store, path: Path, *, taken: Callable[[str], bool], max_bytes: int = MAX_BYTES
) -> NarrationSource:
    """Keep a story log's bytes in the store and return the narration it is.

    Args:
        store: Where sources are kept.
        path: The log.
        taken: Whether a key is in use by something the store does not know of.
        max_bytes: Refuse a larger file before reading it.

    Raises:
        SourceError: The file is not there, not readable, empty or too large.
    """
    data = read_source(path, max_bytes)
    sha256 = hashlib.sha256(data).hexdigest()
    origin = hashlib.sha256(str(path.absolute()).encode("utf-8", "surrogateescape")).hexdigest()
    with store.lock("narration-sources"):
        key = _known(store, sha256, origin) or _new_key(store, path.stem, taken)
        name = "".join(char if char.isprintable() else "?" for char in path.name)[:200]
        source = NarrationSource(narration=key, name=name, sha256=sha256, size=len(data), origin=origin)
        store.put_blob(BlobKind.STORY, data)
        store.write_asset(ASSET, key, source.canonical_json())
    return source


def _known(store: Store, sha256: str, origin: str) -> str | None:
    found = [find_document(store, ASSET, key, NarrationSource) for key in store.asset_partitions(ASSET)]
    sources = [source for source in found if source is not None]
    same_bytes = (source.narration for source in sources if source.sha256 == sha256)
    same_path = (source.narration for source in sources if source.origin == origin)
    return next(same_bytes, None) or next(same_path, None)


def _new_key(store: Store, name: str, taken: Callable[[str], bool]) -> str:
    base = slug(name) or "story"
    in_use = set(store.asset_partitions(ASSET))
    key, number = base, 1
    while key in in_use or taken(key):
        number += 1
        key = f"{base}-{number}"
    return key
