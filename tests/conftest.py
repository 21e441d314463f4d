"""What tests of the whole share."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from osrforge_assets.instance import open_instance
from tests import databases  # noqa: F401  # SQLite that does not wait for the disk

# Container images like to set it, and then each process that a test starts compiles the whole project anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# A busy machine makes any deadline of a single example, or of its making, a lottery; the suite's own timeout still holds.
settings.register_profile("project", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("project")


@pytest.fixture(scope="session")
def new_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home whose instance has just been made: making its databases takes two seconds, copying them none."""
    home = tmp_path_factory.mktemp("new") / "home"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DAGSTER_HOME", "")
        open_instance(home).dispose()
    return home
