"""What a code version covers, and what it does not."""

from dataclasses import asdict
from typing import Any

import pytest

from osrforge_assets.code_versions import code_versions, provider_version
from osrforge_assets.modules.pages.settings import PageSettings
from osrforge_assets.settings import Settings
from osrforge_resources.model_provider import ModelRequest, ModelResponse
from osrforge_resources.offline.provider import OfflineProvider


class _Provider:
    def __init__(self, answers_version: str) -> None:
        self.answers_version = answers_version

    def generate(self, request: ModelRequest) -> ModelResponse:
        raise AssertionError(f"nothing is asked here, yet {request.tag} was")


def _changed(**settings: Any) -> set[str]:
    provider = OfflineProvider()
    before, after = (asdict(code_versions(each, provider)) for each in (Settings(), Settings(**settings)))
    return {name for name in before if before[name] != after[name]}


def test_survey_windows_decide_nothing_for_a_reader_of_whole_modules_and_the_survey_for_any_other():
    versions = [
        asdict(code_versions(Settings(survey_pages=pages), provider))["survey_index"]
        for provider in (OfflineProvider(), _Provider("1"))
        for pages in (10, 20)
    ]
    assert versions[0] == versions[1]
    assert versions[2] != versions[3]


def test_the_offline_reader_says_which_rules_answer():
    assert provider_version(OfflineProvider()) == OfflineProvider.model_id


def test_another_answering_provider_changes_only_what_it_answers():
    one, two = (asdict(code_versions(Settings(), _Provider(version))) for version in ("1", "2"))
    assert {name for name in one if one[name] != two[name]} == {"survey_index", "level_content"}


@pytest.mark.parametrize(
    ("settings", "assets"),
    [
        ({"survey_pages": 10}, set()),
        ({"census_pages": 50}, {"survey_index"}),
        ({"batch_pages": 3}, {"level_plan"}),
        ({"pages": PageSettings(dpi=100)}, {"page_renders"}),
        ({"requests_in_flight": 2, "executor": "multiprocess", "pdf_password": "x", "home": "elsewhere"}, set()),
        ({"pages": PageSettings(page_seconds=3, workers=1, max_pages=9)}, set()),
    ],
)
def test_a_setting_makes_exactly_what_it_decides_stale(settings: dict[str, Any], assets: set[str]):
    assert _changed(**settings) == assets
