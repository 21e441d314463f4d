"""Commits to Dagster's databases that do not wait for the disk, in processes of their own: the suite's never wait at all."""

import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

SET_UP = """
import os, sqlite3, sys
from sqlalchemy import create_engine, text
from sqlalchemy.pool import NullPool
from osrforge_resources import databases
databases.do_not_wait_for_the_disk()
databases.do_not_wait_for_the_disk()

def connect(name):
    return create_engine(f"sqlite:///{name}", poolclass=NullPool).connect()

def make(name, mode="WAL"):
    with connect(name) as connection:
        connection.execute(text(f"PRAGMA journal_mode={mode}"))
        connection.execute(text("CREATE TABLE t (a)"))
        connection.commit()

def add(name):
    with connect(name) as connection:
        connection.execute(text("INSERT INTO t VALUES (1)"))
        connection.commit()
        return connection.execute(text("PRAGMA synchronous")).scalar()
"""


def run(folder: Path, script: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", SET_UP + script], cwd=folder, capture_output=True, text=True, check=False
    )


def test_a_commit_to_a_database_with_a_write_ahead_log_does_not_wait_and_its_log_stays(tmp_path: Path):
    ran = run(tmp_path, 'make("a.db"); print(add("a.db"), os.path.getsize("a.db-wal") > 0)')
    assert ran.stdout.split() == ["1", "True"], ran.stderr


def test_a_database_without_one_waits_as_before_and_is_not_kept_open(tmp_path: Path):
    ran = run(tmp_path, 'make("a.db", "DELETE"); print(add("a.db"), len(databases._kept))')
    assert ran.stdout.split() == ["2", "0"], ran.stderr


def test_a_killed_process_loses_nothing_that_it_committed(tmp_path: Path):
    ran = run(tmp_path, 'make("a.db")\nfor _ in range(50): add("a.db")\nos.kill(os.getpid(), 9)')
    assert ran.returncode == -signal.SIGKILL
    with sqlite3.connect(tmp_path / "a.db") as connection:
        assert connection.execute("SELECT count(*) FROM t").fetchone() == (50,)


def test_of_many_databases_a_few_are_kept_open_and_all_can_be_let_go(tmp_path: Path):
    script = """
for number in range(30):
    make(f"{number}.db"); add(f"{number}.db")
print(len(databases._kept))
databases.close_kept()
print(len(databases._kept), [name for name in os.listdir() if name.endswith("-wal")])
"""
    assert run(tmp_path, script).stdout.split() == ["8", "0", "[]"]


def test_who_opens_a_damaged_database_hears_of_it_as_before(tmp_path: Path):
    (tmp_path / "a.db").write_bytes(b"SQLite format 3\x00" + b"\xff" * 4096)
    assert "DatabaseError" in run(tmp_path, 'add("a.db")').stderr
