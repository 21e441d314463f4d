"""Dagster's SQLite databases without a wait for the disk at every event.

A level that is recorded is two events and six commits, each on a connection of its own. Whenever the last connection of a
file closes, SQLite carries its write-ahead log over into the file, which waits for the disk. With a connection kept open, and
no wait at a commit either, a module of a hundred levels waits 850 times instead of 6,600, and its levels are recorded 0.2 to
0.5 s after their last answer instead of 3 s, or 10 s beside other work (`benchmarks/graph.py`).
"""

import contextlib
import sqlite3
import threading
from collections import OrderedDict

from sqlalchemy import Engine, event  # what Dagster's storages are made with; it comes with Dagster

_FULL = 2
# The three databases of an instance and those of the newest runs, whose events are written; three handles each.
_KEPT = 8

_kept: OrderedDict[str, sqlite3.Connection] = OrderedDict()
_lock = threading.Lock()


def do_not_wait_for_the_disk() -> None:
    """Let this process commit to SQLite databases with a write-ahead log without waiting for the disk.

    The log is still synced whenever it is carried over, so the file stays sound whatever happens, and a process that is
    killed loses nothing. A machine that loses power may lose the events of the last moments; what they told is in the store,
    where the next run finds it and pays for nothing again.
    """
    if not event.contains(Engine, "connect", _commit_without_waiting):
        event.listen(Engine, "connect", _commit_without_waiting)


def close_kept() -> None:
    """Close what is kept open, before its folder is moved or copied."""
    with _lock:
        while _kept:
            _kept.popitem()[1].close()


def _commit_without_waiting(connection: object, _record: object) -> None:
    if not isinstance(connection, sqlite3.Connection):
        return
    (mode,) = connection.execute("PRAGMA journal_mode").fetchone()
    if mode != "wal":
        return
    (waits,) = connection.execute("PRAGMA synchronous").fetchone()
    if waits == _FULL:
        connection.execute("PRAGMA synchronous=NORMAL")
    (_, _, path) = connection.execute("PRAGMA database_list").fetchone()
    _keep_open(path)


def _keep_open(path: str) -> None:
    with _lock, contextlib.suppress(sqlite3.Error):  # whoever uses the file hears of what is wrong with it
        if path in _kept:
            _kept.move_to_end(path)
            return
        connection = sqlite3.connect(path, check_same_thread=False)
        connection.execute("PRAGMA schema_version").fetchone()  # until it has read, it does not count
        _kept[path] = connection
        while len(_kept) > _KEPT:
            _kept.popitem(last=False)[1].close()
