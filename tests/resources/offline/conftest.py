from collections.abc import Callable, Sequence
from typing import Any

import pytest

from osrforge_assets.contracts.survey import AreaKind, SurveyArea
from osrforge_assets.modules.levels.prompt import content_request
from osrforge_assets.modules.page_parts import RequestPage
from osrforge_assets.modules.survey.prompt import census_request, survey_request
from osrforge_resources.keys import unique_slugs
from osrforge_resources.offline.provider import OfflineProvider
from osrforge_resources.request_text import Carry

Answer = dict[str, Any]


def _pages(texts: Sequence[str]) -> list[RequestPage]:
    return [RequestPage(number, text, None) for number, text in enumerate(texts, start=1)]


def _answer(request: Any) -> Answer:
    data = OfflineProvider().generate(request).data
    assert isinstance(data, dict)
    return data


@pytest.fixture
def survey() -> Callable[..., Answer]:
    """Survey page texts: `survey(page_1, page_2, …, carry=None)`."""
    return lambda *texts, carry=None: _answer(survey_request(_pages(texts), carry=carry))


@pytest.fixture
def census() -> Callable[..., Answer]:
    """Take the census of page texts."""
    return lambda *texts, carry=None: _answer(census_request(_pages(texts), carry=carry))


@pytest.fixture
def keys_of(survey: Callable[..., Answer]) -> Callable[..., list[list[str]]]:
    """The printed keys of page texts, a list a level."""

    def read(*texts: str, carry: Carry | None = None) -> list[list[str]]:
        found = survey(*texts, carry=carry)
        return [[a["key"] for a in level["areas"]] for dungeon in found["dungeons"] for level in dungeon["levels"]]

    return read


@pytest.fixture
def content(survey: Callable[..., Answer]) -> Callable[..., dict[str, Answer]]:
    """Survey page texts, then read the content of one level: answers by printed key."""

    def read(*texts: str, dungeon: int = 0, level: int = 0) -> dict[str, Answer]:
        found = survey(*texts)["dungeons"][dungeon]
        printed = found["levels"][level]["areas"]
        keys = unique_slugs([area["key"] for area in printed], fallback="area")
        areas = [
            SurveyArea(
                key=key,
                name=area["name"],
                source_label=area["key"],
                kind=AreaKind(area["kind"]),
                source_pages=tuple(area["source_pages"]),
            )
            for key, area in zip(keys, printed, strict=True)
        ]
        request = content_request(
            dungeon_id="site",
            dungeon_name=found["name"],
            level_number=found["levels"][level]["number"],
            batch_number=1,
            areas=areas,
            map_pages=found["levels"][level]["map_pages"],
            pages=_pages(texts),
        )
        labels = {area.key: area.source_label for area in areas}
        return {labels[answer["key"]]: answer for answer in _answer(request)["areas"]}

    return read
