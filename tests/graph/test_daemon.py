"""The graph under a live daemon: from files in the inbox to dossiers, with exactly the calls that are needed."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from osrforge_assets.instance import open_instance
from tests.graph.live import LiveDeployment
from tests.graph.module_pdfs import PIT, write_module

VAULT = {1: PIT[3]}


@pytest.fixture(scope="module")
def live(new_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveDeployment]:
    home = shutil.copytree(new_home, tmp_path_factory.mktemp("live") / "home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DAGSTER_HOME", "")
        with open_instance(home) as instance:
            deployment = LiveDeployment(home, instance)
            deployment.start()
            yield deployment
            deployment.stop()


def test_two_modules_in_the_inbox_become_dossiers(live: LiveDeployment):
    write_module(live.drop("modules", "pit.pdf"), PIT)
    write_module(live.drop("modules", "vault.pdf"), VAULT, title="The Other Vault")
    live.wait_for(lambda: live.dossier("pit") and live.dossier("vault"), "no dossiers")
    assert live.take() == [
        *("census", "census"),
        *("content.the-other-vault.1.b01", *(f"content.the-testing-pit.{number}.b01" for number in (1, 2, 3))),
        *("survey", "survey"),
    ]
