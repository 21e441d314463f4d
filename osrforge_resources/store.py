"""The store: the one owner of every path, and of the promise that a killed process leaves the old value or the new one.

    <root>/assets/<asset>/<partition>.json     one document a materialized partition
    <root>/blobs/<kind>/<2 hex>/<sha256>.<ext> content-addressed: sources, page images, page texts, page records
    <root>/dossiers/<module>/...               what a person opens: JSON, Markdown, tables
    <root>/retired/<asset>/<partition>.json    data of partitions that are no more
    <root>/locks/<name>.lock                   cross-process locks (local roots only)

Any fsspec root works: a folder, `memory://`, an object store. What does not belong here: what the documents mean.
"""

import contextlib
import hashlib
import os
import tempfile
import threading
from collections import defaultdict
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path

from filelock import FileLock  # locks that work across processes on every platform; kept by the tox developers
from upath import UPath  # one Path interface over local folders, memory and object stores; fsspec's own

from osrforge_resources.failures import MisuseError, StoreError
from osrforge_resources.keys import checked_key

_SHA256_LENGTH = 64


class BlobKind(StrEnum):
    """The kinds of content-addressed blobs, each with its file ending as value."""

    SOURCE = "pdf"
    IMAGE = "png"
    TEXT = "md"
    LAYER = "txt"
    PAGE = "json"


class Store:
    """Documents and blobs under one root.

    Args:
        root: A local folder (made when first written to) or an fsspec URL.
    """

    # Locks of roots without a file system (memory://) are per process, which is as far as such a root reaches.
    _thread_locks: defaultdict[str, threading.RLock] = defaultdict(threading.RLock)

    def __init__(self, root: str | Path | UPath) -> None:
        self.root = UPath(root)

    @property
    def is_local(self) -> bool:
        """Whether the root is a folder of this machine."""
        return self.root.protocol in {"", "file", "local"}

    # Documents -----------------------------------------------------------------------------------------------------

    def asset_path(self, asset: str, partition: str) -> UPath:
        """Return where a partition's document lies.

        Raises:
            InvalidKeyError: The partition key is outside the grammar.
        """
        return self.root / "assets" / _asset_name(asset) / f"{checked_key(partition)}.json"

    def write_asset(self, asset: str, partition: str, document: bytes) -> UPath:
        """Write a partition's document atomically and return its path."""
        path = self.asset_path(asset, partition)
        self._write(path, document)
        return path

    def read_asset(self, asset: str, partition: str) -> bytes | None:
        """Return a partition's document, None if there is none."""
        return self._read(self.asset_path(asset, partition))

    def asset_partitions(self, asset: str) -> list[str]:
        """Return the partition keys that have a document, sorted."""
        folder = self.root / "assets" / _asset_name(asset)
        return sorted(path.stem for path in folder.glob("*.json")) if folder.exists() else []

    def retire_asset(self, asset: str, partition: str) -> bool:
        """Move a partition's document aside, replacing what was retired there before; False if there is none."""
        document = self.read_asset(asset, partition)
        if document is None:
            return False
        path = self.asset_path(asset, partition)
        self._write(self.root / "retired" / _asset_name(asset) / path.name, document)
        path.unlink(missing_ok=True)
        return True

    def restore_asset(self, asset: str, partition: str) -> bool:
        """Bring a retired document back where there is none now; False if nothing was retired."""
        path = self.asset_path(asset, partition)
        document = self._read(self.root / "retired" / _asset_name(asset) / path.name)
        if document is None or path.exists():
            return False
        self._write(path, document)
        return True

    # Blobs ---------------------------------------------------------------------------------------------------------

    def blob_path(self, kind: BlobKind, address: str) -> UPath:
        """Return where a blob lies.

        Raises:
            MisuseError: The address is not a sha256 hex digest.
        """
        if len(address) != _SHA256_LENGTH or not set(address) <= set("0123456789abcdef"):
            raise MisuseError(f"{ascii(address)[:80]} is not a blob's address.", code="store.address")
        return self.root / "blobs" / kind.name.lower() / address[:2] / f"{address}.{kind.value}"

    def put_blob(self, kind: BlobKind, data: bytes) -> str:
        """Keep `data` under its sha256 digest and return the digest; known data costs no write."""
        address = hashlib.sha256(data).hexdigest()
        self.put_record(kind, address, data, replace=False)
        return address

    def get_blob(self, kind: BlobKind, address: str) -> bytes:
        """Return a blob.

        Raises:
            StoreError: There is none, or its bytes no longer have its digest.
        """
        data = self._read(self.blob_path(kind, address))
        if data is None:
            raise StoreError(f"The store has no {kind.name.lower()} {address[:12]}.", code="store.blob_missing")
        if hashlib.sha256(data).hexdigest() != address:
            raise StoreError(
                f"The {kind.name.lower()} {address[:12]} is damaged in the store.",
                code="store.blob_damaged",
                remedy="Delete the file that bears this name and run the page or source again.",
            )
        return data

    def put_record(self, kind: BlobKind, address: str, data: bytes, *, replace: bool = True) -> None:
        """Keep `data` under a digest of what it was made from (not of itself)."""
        path = self.blob_path(kind, address)
        if replace or not path.exists():
            self._write(path, data)

    def get_record(self, kind: BlobKind, address: str) -> bytes | None:
        """Return what `put_record` kept, None if nothing."""
        return self._read(self.blob_path(kind, address))

    # Dossier files -------------------------------------------------------------------------------------------------

    def dossier_path(self, module: str, name: str) -> UPath:
        """Return where a dossier file lies; `name` is `a-z 0-9 . - _`, with at most one folder before it."""
        parts = name.split("/")
        if len(parts) > 2 or not all(_is_file_name(part) for part in parts):
            raise MisuseError(f"{ascii(name)[:120]} is not a dossier file's name.", code="store.file_name")
        return self.root.joinpath("dossiers", checked_key(module), *parts)

    def write_dossier_file(self, module: str, name: str, data: bytes) -> UPath:
        """Write one dossier file atomically and return its path."""
        path = self.dossier_path(module, name)
        self._write(path, data)
        return path

    def dossier_files(self, module: str) -> list[UPath]:
        """Return the files of a module's dossier, sorted by name."""
        folder = self.root / "dossiers" / checked_key(module)
        return sorted(path for path in folder.rglob("*") if path.is_file()) if folder.exists() else []

    def prune_dossier(self, module: str, keep: set[str]) -> None:
        """Delete the files of a module's dossier that are not among `keep` (names as written)."""
        folder = self.root / "dossiers" / checked_key(module)
        if not folder.exists():
            return
        for path in sorted(folder.rglob("*")):
            name = path.as_posix()[len(folder.as_posix()) :].strip("/")
            if path.is_file() and name not in keep:
                path.unlink()

    # Locks ---------------------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def lock(self, name: str) -> Iterator[None]:
        """Hold a named lock: across processes on a local root, across threads elsewhere.

        Raises:
            StoreError: Another process held it for ten minutes.
        """
        checked_key(name)
        with self._thread_locks[f"{self.root}#{name}"]:
            if not self.is_local:
                yield
                return
            folder = Path(str(self.root.path)) / "locks"
            with _store_errors(folder):
                folder.mkdir(parents=True, exist_ok=True)
                lock = FileLock(folder / f"{name}.lock", timeout=600)
            with lock:
                yield

    # The two operations everything above is made of ------------------------------------------------------------------

    def _read(self, path: UPath) -> bytes | None:
        with _store_errors(path):
            try:
                return path.read_bytes()
            except FileNotFoundError:
                return None

    def _write(self, path: UPath, data: bytes) -> None:
        with _store_errors(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            if self.is_local:
                _replace_file(Path(str(path.path)), data)
            else:
                # A single put of a whole object is all-or-nothing on memory:// and on object stores.
                path.write_bytes(data)


def _replace_file(path: Path, data: bytes) -> None:
    """Write next to the target, sync, rename: a reader or a crash sees the old bytes or the new ones."""
    descriptor, temporary = tempfile.mkstemp(prefix=f".{path.name[:40]}.", suffix=".part", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


@contextlib.contextmanager
def _store_errors(path: Path | UPath) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise StoreError(f"{path}: {reason}.", code="store.io") from error


def _asset_name(asset: str) -> str:
    if not asset.isascii() or not asset.replace("_", "").isalnum():
        raise MisuseError(f"{ascii(asset)[:80]} is not an asset's name.", code="store.asset_name")
    return asset


def _is_file_name(name: str) -> bool:
    allowed = set("abcdefghijklmnopqrstuvwxyz0123456789.-_")
    return 0 < len(name) <= 200 and set(name) <= allowed and not name.startswith(".")
