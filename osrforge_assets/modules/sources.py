"""Sources: how a PDF file becomes a module with a key that stays.

The store keeps the bytes, so a module can be read again when the file has moved. Which module a file is:
the same bytes are the same module under any name, also one that was retired or whose own document was lost; other bytes
from the same path are a new edition of it; anything else is a module of its own, and one that shares its file name with
another gets a number (`the-crypt-2`).
"""

import hashlib
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path

from osrforge_assets.contracts.pages import ModuleSource, PageSet
from osrforge_resources.failures import MisuseError, SourceError
from osrforge_resources.io_manager import usable_document
from osrforge_resources.keys import slug
from osrforge_resources.store import BlobKind, Store

ASSET = "module_source"

# More pages than any printed module; a range is expanded before it is checked against the document.
_MAX_PAGE = 100_000


def register_source(
    store: Store,
    path: Path,
    *,
    pages: tuple[int, ...] | None = None,
    max_bytes: int,
    taken: Callable[[str], bool],
    examine: Callable[[bytes], None] | None = None,
) -> ModuleSource:
    """Keep a file's bytes in the store and return the module it is.

    Args:
        store: Where sources are kept.
        path: The file.
        pages: The 1-based pages to read, None for all.
        max_bytes: Refuse a larger file before reading it.
        taken: Whether a key is in use by something the store does not know of.
        examine: Refuses bytes that are no module, before anything of them is kept; not asked about a source that is
            registered just so already. Opening a PDF takes a process and half a second.

    Raises:
        SourceError: The file is not there, not readable, empty or too large, or `examine` refuses it.
    """
    data = read_source(path, max_bytes, setting="OSRFORGE_PAGES__MAX_SOURCE_BYTES")
    sha256 = hashlib.sha256(data).hexdigest()
    origin = hashlib.sha256(str(path.absolute()).encode("utf-8", "surrogateescape")).hexdigest()
    if examine is not None and not _is_registered(store, sha256, pages):
        examine(data)
    with store.lock("module-sources"):
        known = _known_sources(store)
        module = (
            _registered_as(known.values(), sha256=sha256)
            or _registered_as(_retired_sources(store, known), sha256=sha256)
            or _read_as(store, known, sha256)
            or _registered_as(known.values(), origin=origin)
            or _new_key(known, path.stem, taken)
        )
        source = ModuleSource(
            module=module, name=_shown_name(path), sha256=sha256, size=len(data), origin=origin, pages=pages
        )
        store.put_blob(BlobKind.SOURCE, data)
        store.write_asset(ASSET, module, source.canonical_json())
    return source


def read_source(path: Path, max_bytes: int, *, setting: str | None = None) -> bytes:
    """Return a file's bytes.

    Args:
        path: The file.
        max_bytes: Refuse a larger one before reading it.
        setting: What raises that limit, None where nothing does.

    Raises:
        SourceError: The file is not there, not a file, not readable, empty or too large.
    """
    name = _shown_name(path)
    try:
        if not path.is_file():
            raise SourceError(
                f"There is no file {name}.", code="source.not_found", remedy="Check the path; folders are not sources."
            )
        size = path.stat().st_size
        if size > max_bytes:
            raise _too_large(name, size, max_bytes, setting)
        with path.open("rb") as file:
            data = file.read(max_bytes + 1)
        # What still grows, or what the system makes up while it is read, has no size to be refused by.
        size = len(data)
        if size > max_bytes:
            raise _too_large(name, size, max_bytes, setting)
    except OSError as error:
        raise SourceError(
            f"{name} cannot be read: {error.strerror or type(error).__name__}.",
            code="source.not_readable",
            remedy="Check the file's permissions.",
        ) from error
    if not data:
        raise SourceError(f"{name} is empty.", code="source.empty", remedy="Copy or download the file again.")
    return data


def _too_large(name: str, size: int, max_bytes: int, setting: str | None) -> SourceError:
    return SourceError(
        f"{name} has {size:,} bytes, more than the limit of {max_bytes:,}.",
        code="source.too_large",
        remedy=f"Split the file, or raise {setting}." if setting else "Split the file.",
    )


def parse_pages(text: str) -> tuple[int, ...]:
    """Return the pages of a list such as `1-3,7`, ascending and each once.

    Raises:
        MisuseError: The list is not of that form (a `ValueError`).
    """
    pages: set[int] = set()
    for part in text.split(","):
        match = re.fullmatch(r"\s*([1-9][0-9]{0,5})\s*(?:-\s*([1-9][0-9]{0,5})\s*)?", part)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if first > last or last > _MAX_PAGE:
            raise MisuseError(
                f"{ascii(part.strip())[:60]} is not a page or a range of pages.",
                code="pages.invalid",
                remedy="Write pages as in 1-3,7; the first page is 1.",
            )
        pages.update(range(first, last + 1))
    return tuple(sorted(pages))


def _known_sources(store: Store) -> dict[str, ModuleSource | None]:
    """Return the source of each registered module; None where its document is damaged, which stops no other file."""
    return {module: usable_document(store, ASSET, module, ModuleSource) for module in store.asset_partitions(ASSET)}


def _is_registered(store: Store, sha256: str, pages: tuple[int, ...] | None) -> bool:
    sources = _known_sources(store).values()
    return any(source is not None and (source.sha256, source.pages) == (sha256, pages) for source in sources)


def _retired_sources(store: Store, known: Collection[str]) -> list[ModuleSource]:
    """Return the sources of retired modules, which come back under their own keys."""
    retired = (module for module in store.retired_partitions(ASSET) if module not in known)
    documents = (store.read_retired(ASSET, module) for module in retired)
    return [ModuleSource.from_json(document) for document in documents if document is not None]


def _registered_as(
    sources: Iterable[ModuleSource | None], *, sha256: str | None = None, origin: str | None = None
) -> str | None:
    """Return the module of these bytes, or of this path."""
    for source in sources:
        if source is not None and (source.sha256 == sha256 or source.origin == origin):
            return source.module
    return None


def _read_as(store: Store, known: Mapping[str, ModuleSource | None], sha256: str) -> str | None:
    """Return the module whose source document was lost but whose pages were read from these bytes."""
    for module in store.asset_partitions("page_renders"):
        if known.get(module) is None:
            pages = usable_document(store, "page_renders", module, PageSet)
            if pages is not None and pages.source == sha256:
                return module
    return None


def _new_key(known: Mapping[str, ModuleSource | None], stem: str, taken: Callable[[str], bool]) -> str:
    """Return a free key; one whose document is damaged goes to the next file of its name, which it most likely was."""
    base = slug(stem) or "module"
    key, number = base, 1
    while known[key] is not None if key in known else taken(key):
        number += 1
        key = f"{base}-{number}"
    return key


def _shown_name(path: Path) -> str:
    """Return a file's name as it may be shown and stored: no path, no control characters, no lone surrogates."""
    name = path.name.encode("utf-8", "replace").decode("utf-8")
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in name)[:200]
