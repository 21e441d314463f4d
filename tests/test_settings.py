"""Settings from the environment, with the nonsense that environments hold."""

from pathlib import Path

import pytest

from osrforge_assets.settings import load_settings
from osrforge_resources.failures import MisuseError


@pytest.mark.parametrize("name", ["OSRFORGE_PAGES", "OSRFORGE_TRANSCRIPTS"])
def test_a_group_that_is_not_json_is_misuse_and_its_value_is_not_shown(monkeypatch: pytest.MonkeyPatch, name: str):
    monkeypatch.setenv(name, "sesame")
    with pytest.raises(MisuseError) as refused:
        load_settings()
    assert refused.value.code == "settings.invalid"
    assert "sesame" not in str(refused.value)


def test_an_empty_variable_is_an_unset_one(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OSRFORGE_HOME", "")
    monkeypatch.setenv("OSRFORGE_BATCH_PAGES", "")
    settings = load_settings()
    assert settings.home == Path(".osrforge")
    assert settings.batch_pages == 4
