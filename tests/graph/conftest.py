"""A deployment for each graph test, on a real SQLite instance."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from osrforge_assets.instance import open_instance
from tests.graph.deployment import Deployment


@pytest.fixture
def deployment(new_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Deployment]:
    home = shutil.copytree(new_home, tmp_path / "home")
    monkeypatch.setenv("DAGSTER_HOME", "")
    with open_instance(home) as instance:
        yield Deployment(home, instance)
