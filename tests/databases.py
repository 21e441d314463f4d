"""SQLite without waiting for the disk, in processes of tests that import this.

A process that is killed loses nothing by it, only a machine that loses power would; a conversion commits 400 times.
"""

import sqlite3

from sqlalchemy import Engine, event


@event.listens_for(Engine, "connect")
def _without_waiting_for_the_disk(connection: sqlite3.Connection, _record: object) -> None:
    connection.execute("PRAGMA synchronous=OFF")
