"""The store: the one owner of every path, and of the promise that a killed process leaves the old value or the new one.

    <root>/assets/<asset>/<partition>.json     one document a materialized partition
    <root>/blobs/<kind>/<2 hex>/<sha256>.<ext> content-addressed: sources, page images and texts; records
    <root>/dossiers/<module>/...               what a person opens: JSON, Markdown, tables
    <root>/retired/<asset>/<partition>.json    data of partitions that are no more
    <root>/retired/dossiers/<module>/...       and what a person opened of them
    <root>/locks/<name>.lock                   cross-process locks (local roots only)

Any fsspec root works: a folder, `memory://`, an object store. What does not belong here: what the documents mean.
"""

import contextlib
import hashlib
import os
import secrets
import threading
import time
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import ClassVar

from filelock import FileLock, Timeout  # locks that work across processes on every platform; kept by the tox developers
from upath import UPath  # one Path interface over local folders, memory and object stores; fsspec's own

from osrforge_resources.failures import MisuseError, StoreError
from osrforge_resources.keys import KEY_PATTERN, checked_key

_SHA256_LENGTH = 64
# File systems take 255 bytes a name; the temporary name of a file is cut to well below that.
_MAX_FILE_NAME = 200
_FILE_NAME_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789.-_")
# A dossier file lies in the dossier's folder or one below.
_MAX_DOSSIER_DEPTH = 2
# Longer than any step holds a lock (milliseconds), shorter than a person waits before looking what is wrong.
_LOCK_SECONDS = 600.0
# A killed process leaves its temporary file; one that old is no longer being written.
_LEFTOVER_SECONDS = 3600.0


class BlobKind(StrEnum):
    """The kinds of content-addressed blobs, each with its file ending as value."""

    SOURCE = "pdf"
    TRANSCRIPT = "transcript"
    STORY = "story"
    IMAGE = "png"
    TEXT = "md"
    LAYER = "txt"
    PAGE = "json"
    RESPONSE = "reply"


class Store:
    """Documents and blobs under one root.

    Args:
        root: A local folder (made when first written to) or an fsspec URL.

    Raises:
        MisuseError: The URL names a kind of root that nothing installed can open (a `ValueError`).
    """

    # One pair of locks a name and process: a second file lock on one file would wait for the first one for ever. Roots
    # without a file system (memory://) have the thread lock only, which is as far as such a root reaches.
    _locks: ClassVar[dict[str, tuple[threading.RLock, FileLock | None]]] = {}
    _locks_guard: ClassVar[threading.Lock] = threading.Lock()

    def __init__(self, root: str | Path | UPath) -> None:
        try:
            self.root = UPath(root)
            # Asked now, so that a missing driver is a clear sentence at the start and not an import error in a run.
            self.root.fs  # noqa: B018
        except (ValueError, ImportError) as error:
            protocol = str(root).partition(":")[0]
            raise MisuseError(
                f"A store at {ascii(protocol)[:40]} cannot be opened: {error}.",
                code="store.root",
                remedy="Name a local folder, or install the fsspec driver of this kind of root.",
            ) from error

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
        return self.root.joinpath("assets", _asset_name(asset), f"{checked_key(partition)}.json")

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
        return self._keys(self.root.joinpath("assets", _asset_name(asset)))

    def _keys(self, folder: UPath) -> list[str]:
        with _store_errors(folder):
            names = [path.name.removesuffix(".json") for path in folder.glob("*.json")] if folder.exists() else []
        # Whatever else a person or a file manager has put there is not a document.
        return sorted(name for name in names if KEY_PATTERN.fullmatch(name))

    def retired_path(self, asset: str, partition: str) -> UPath:
        """Return where a partition's document lies when it is retired."""
        return self.root.joinpath("retired", _asset_name(asset), f"{checked_key(partition)}.json")

    def read_retired(self, asset: str, partition: str) -> bytes | None:
        """Return a retired document, None if there is none."""
        return self._read(self.retired_path(asset, partition))

    def retired_partitions(self, asset: str) -> list[str]:
        """Return the partition keys that have a retired document, sorted."""
        return self._keys(self.root.joinpath("retired", _asset_name(asset)))

    def retire_asset(self, asset: str, partition: str) -> bool:
        """Move a partition's document aside, replacing what was retired there before; False if there is none."""
        document = self.read_asset(asset, partition)
        if document is None:
            return False
        self._write(self.retired_path(asset, partition), document)
        path = self.asset_path(asset, partition)
        with _store_errors(path):
            path.unlink(missing_ok=True)
        return True

    def restore_asset(self, asset: str, partition: str) -> bool:
        """Bring a retired document back where there is none now; False if nothing was retired."""
        path = self.asset_path(asset, partition)
        document = self.read_retired(asset, partition)
        if document is None or self._size(path) is not None:
            return False
        self._write(path, document)
        # What is back is no longer retired: a later edition under this key must not be taken for it.
        with _store_errors(path):
            self.retired_path(asset, partition).unlink(missing_ok=True)
        return True

    # Blobs ---------------------------------------------------------------------------------------------------------

    def blob_path(self, kind: BlobKind, address: str) -> UPath:
        """Return where a blob lies.

        Raises:
            MisuseError: The address is not a sha256 hex digest.
        """
        if not _is_address(address):
            raise MisuseError(f"{ascii(address)[:80]} is not a blob's address.", code="store.address")
        # One join: each costs 0.8 ms on a root that is no local folder.
        return self.root.joinpath("blobs", kind.name.lower(), address[:2], f"{address}.{kind.value}")

    def put_blob(self, kind: BlobKind, data: bytes) -> str:
        """Keep `data` under its sha256 digest and return the digest; known data costs no write."""
        address = hashlib.sha256(data).hexdigest()
        # A blob of another length was cut by a full disk or a careless copy; writing it again heals it.
        if self._size(self.blob_path(kind, address)) != len(data):
            self._write(self.blob_path(kind, address), data)
        return address

    def get_blob(self, kind: BlobKind, address: str) -> bytes:
        """Return a blob.

        Raises:
            StoreError: There is none, or its bytes no longer have its digest.
        """
        data = self._read(self.blob_path(kind, address))
        if data is None:
            raise StoreError(
                f"The store has no {kind.name.lower()} {address[:12]}.",
                code="store.blob_missing",
                remedy="Convert the source again: what is missing is made anew.",
            )
        if hashlib.sha256(data).hexdigest() != address:
            # It is not what its name says, and as long as it lies there a blob of its length is taken for it.
            with contextlib.suppress(OSError):
                self.blob_path(kind, address).unlink(missing_ok=True)
            raise StoreError(
                f"The {kind.name.lower()} {address[:12]} was damaged in the store and is removed.",
                code="store.blob_damaged",
                remedy="Convert the source again: what is missing is made anew.",
            )
        return data

    def has_blob(self, kind: BlobKind, address: str, *, size: int) -> bool:
        """Whether a blob is there in its full length; its bytes are checked when they are read."""
        return self._size(self.blob_path(kind, address)) == size

    def put_record(self, kind: BlobKind, address: str, data: bytes, *, replace: bool = True) -> None:
        """Keep `data` under a digest of what it was made from (not of itself)."""
        path = self.blob_path(kind, address)
        if replace or self._size(path) is None:
            self._write(path, data)

    def get_record(self, kind: BlobKind, address: str) -> bytes | None:
        """Return what `put_record` kept, None if nothing."""
        return self._read(self.blob_path(kind, address))

    def record_addresses(self, kind: BlobKind) -> list[str]:
        """Return the addresses of all records of a kind, sorted."""
        folder = self.root.joinpath("blobs", kind.name.lower())
        with _store_errors(folder):
            names = [path.name for path in folder.glob(f"*/*.{kind.value}")] if folder.exists() else []
        stems = (name.removesuffix(f".{kind.value}") for name in names)
        # Whatever else a person or a file manager has put there is not a record.
        return sorted(stem for stem in stems if _is_address(stem))

    def forget_record(self, kind: BlobKind, address: str) -> bool:
        """Delete a record; False if there is none."""
        path = self.blob_path(kind, address)
        with _store_errors(path):
            try:
                path.unlink()
            except FileNotFoundError:
                return False
        return True

    # Dossier files -------------------------------------------------------------------------------------------------

    def dossier_path(self, module: str, name: str) -> UPath:
        """Return where a dossier file lies; `name` is `a-z 0-9 . - _`, with at most one folder before it."""
        parts = name.split("/")
        if len(parts) > _MAX_DOSSIER_DEPTH or not all(_is_file_name(part) for part in parts):
            raise MisuseError(f"{ascii(name)[:120]} is not a dossier file's name.", code="store.file_name")
        return self.root.joinpath("dossiers", checked_key(module), *parts)

    def write_dossier_file(self, module: str, name: str, data: bytes) -> UPath:
        """Write one dossier file atomically and return its path."""
        path = self.dossier_path(module, name)
        self._write(path, data)
        return path

    def dossier_files(self, module: str) -> list[UPath]:
        """Return the files of a module's dossier, sorted by name."""
        folder = self.root.joinpath("dossiers", checked_key(module))
        with _store_errors(folder):
            paths = [path for path in folder.rglob("*") if path.is_file()] if folder.exists() else []
        return sorted(path for path in paths if not path.name.startswith("."))

    def retire_dossier(self, module: str) -> list[UPath]:
        """Move the files of a dossier aside and return where they are now."""
        folder, aside = self.root.joinpath("dossiers", checked_key(module)), []
        for path in self.dossier_files(module):
            name = path.as_posix()[len(folder.as_posix()) :].strip("/")
            kept = self.root.joinpath("retired", "dossiers", module, *name.split("/"))
            self._write(kept, self._read(path) or b"")
            with _store_errors(path):
                path.unlink(missing_ok=True)
            aside.append(kept)
        return aside

    def prune_dossier(self, module: str, keep: set[str]) -> None:
        """Delete the files of a module's dossier that are not among `keep` (names as written)."""
        folder = self.root.joinpath("dossiers", checked_key(module))
        with _store_errors(folder):
            for path in sorted(folder.rglob("*")) if folder.exists() else []:
                name = path.as_posix()[len(folder.as_posix()) :].strip("/")
                if path.is_file() and name not in keep and not _is_being_written(path):
                    path.unlink(missing_ok=True)

    # Locks ---------------------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def lock(self, name: str) -> Iterator[None]:
        """Hold a named lock: across processes on a local root, across threads elsewhere; its holder may take it again.

        Raises:
            InvalidKeyError: The name is outside the grammar of keys.
            StoreError: Another process or thread held it for ten minutes, or the store refuses lock files.
        """
        threads, processes = self._lock_pair(checked_key(name))
        if not threads.acquire(timeout=_LOCK_SECONDS):
            raise _lock_held(name)
        try:
            if processes is not None:
                _acquire(processes, name)
            try:
                yield
            finally:
                if processes is not None:
                    processes.release()
        finally:
            threads.release()

    def _lock_pair(self, name: str) -> tuple[threading.RLock, FileLock | None]:
        path = Path(self.root.path).absolute() / "locks" / f"{name}.lock" if self.is_local else None
        with self._locks_guard:
            identity = str(path or f"{self.root}#{name}")
            if identity not in self._locks:
                # Threads take turns at the thread lock, so the file lock may be handed from one to the next.
                processes = FileLock(path, timeout=_LOCK_SECONDS, thread_local=False) if path is not None else None
                self._locks[identity] = threading.RLock(), processes
            return self._locks[identity]

    # The two operations everything above is made of ------------------------------------------------------------------

    def _read(self, path: UPath) -> bytes | None:
        with _store_errors(path):
            try:
                return path.read_bytes()
            except FileNotFoundError:
                return None

    def _size(self, path: UPath) -> int | None:
        with _store_errors(path):
            try:
                return path.stat().st_size
            except FileNotFoundError:
                return None

    def _write(self, path: UPath, data: bytes) -> None:
        with _store_errors(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            if self.is_local:
                replace_file(Path(str(path.path)), data)
            else:
                # A single put of a whole object is all-or-nothing on memory:// and on object stores.
                path.write_bytes(data)


def replace_file(path: Path, data: bytes) -> None:
    """Write next to the target, sync, rename: a reader or a crash sees the old bytes or the new ones."""
    temporary = path.with_name(f".{path.name[:40]}.{secrets.token_hex(8)}.part")
    try:
        # Opened like any file and not by `tempfile`, whose files nobody else may read, whatever the umask says.
        with temporary.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _is_being_written(path: UPath) -> bool:
    return path.name.startswith(".") and time.time() - path.stat().st_mtime < _LEFTOVER_SECONDS


def _acquire(lock: FileLock, name: str) -> None:
    path = Path(lock.lock_file)
    with _store_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            lock.acquire()
        except Timeout as error:
            raise _lock_held(name) from error


def _lock_held(name: str) -> StoreError:
    return StoreError(
        f"The lock {name} was held elsewhere for {_LOCK_SECONDS:.0f} seconds.",
        code="store.locked",
        remedy="End the run that holds it, then run the partition again.",
    )


@contextlib.contextmanager
def _store_errors(path: Path | UPath) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise StoreError(f"{path}: {reason}.", code="store.io") from error


def _is_address(text: str) -> bool:
    return len(text) == _SHA256_LENGTH and set(text) <= set("0123456789abcdef")


def _asset_name(asset: str) -> str:
    if not asset.isascii() or not asset.replace("_", "").isalnum():
        raise MisuseError(f"{ascii(asset)[:80]} is not an asset's name.", code="store.asset_name")
    return asset


def _is_file_name(name: str) -> bool:
    return 0 < len(name) <= _MAX_FILE_NAME and set(name) <= _FILE_NAME_CHARACTERS and not name.startswith(".")
