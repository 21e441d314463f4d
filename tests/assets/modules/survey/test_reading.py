"""A module's survey from its pages: windows, carry, census, and a plain word where there is nothing to find."""

import json
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from osrforge_assets.contracts.flags import FlagCode
from osrforge_assets.contracts.survey import SurveyIndex
from osrforge_assets.modules.survey.reading import survey_module
from osrforge_resources.failures import ProviderError, ReplyTooLongError, TransientProviderError
from osrforge_resources.model_provider import ImagePart, ModelRequest
from osrforge_resources.request_text import Carry
from tests.assets.modules.samples import Model, Pages, pages, shown_pages
from tests.assets.modules.survey.answers import (
    Json,
    PrintedArea,
    PrintedModule,
    a_census,
    a_dungeon,
    a_level,
    a_survey,
    an_area,
    carry_of,
)
from tests.corpus import ABSENT, CORPUS

RECORDED = CORPUS / "recorded" / "minimod"


def _surveyed(
    source: Pages, rule: Callable[[ModelRequest], object], *, survey_pages: int | None = 20, census_pages: int = 100
) -> tuple[SurveyIndex, Model]:
    model = Model(rule)
    index = survey_module(
        source.page_set, source.load, model.generate, survey_pages=survey_pages, census_pages=census_pages
    )
    return index, model


def _by_kind(survey: Json, census: Json) -> Callable[[ModelRequest], object]:
    return lambda request: census if request.tag.startswith("census") else survey


@st.composite
def printed_modules(draw: st.DrawFn) -> PrintedModule:
    """Return a module whose areas run through 14 pages in printed order; keys may repeat, texts may cross pages."""
    areas: list[PrintedArea] = []
    page = draw(st.integers(1, 3))
    for dungeon in ("The Crypt", "Tower", "Caves")[: draw(st.integers(0, 3))]:
        for level in range(1, draw(st.integers(1, 3)) + 1):
            for position in range(draw(st.integers(1, 5))):
                page = min(page + draw(st.sampled_from([0, 0, 1, 2])), 14)
                length = min(draw(st.sampled_from([1, 1, 1, 2, 3])), 15 - page)
                key = draw(st.sampled_from(["1", "2", "4a", "A1"]))
                areas.append(PrintedArea(dungeon, level, key, f"Room {position}", tuple(range(page, page + length))))
                # A box or a column may hold the next area beside this one's text, or that goes on where this one ends.
                page = draw(st.sampled_from([page, page + length - 1]))
    hooks = draw(st.dictionaries(st.integers(1, 14), st.sampled_from(["Gold!", "Fame", "A map"]), max_size=3))
    return PrintedModule(tuple(areas), hooks)


@given(printed_modules(), st.integers(2, 9))
@settings(max_examples=60)
def test_truthful_answers_give_the_same_survey_whatever_the_windows(printed: PrintedModule, size: int):
    source = pages(range(1, 15))
    whole, _ = _surveyed(source, printed.answer)
    windowed, _ = _surveyed(source, printed.answer, survey_pages=size)
    assert windowed == whole
    assert whole.disputes == ()


@given(printed_modules(), st.integers(2, 9))
@settings(max_examples=40)
def test_truthful_counts_agree_with_the_survey_whatever_the_windows(printed: PrintedModule, size: int):
    # A count sees first and last keys only, so it is true in windows where each text ends before the next one begins.
    printed = replace(printed, areas=tuple(replace(one, pages=one.pages[:1]) for one in printed.areas))
    index, _ = _surveyed(pages(range(1, 15)), printed.answer, census_pages=size)
    assert index.disputes == ()


@given(printed_modules(), st.integers(2, 9))
@settings(max_examples=40)
def test_every_printed_area_is_surveyed_once_and_none_is_invented(printed: PrintedModule, size: int):
    index, _ = _surveyed(pages(range(1, 15)), printed.answer, survey_pages=size)
    surveyed = [
        (dungeon.name, level.number, area.source_label, area.name, area.source_pages)
        for dungeon in index.dungeons
        for level in dungeon.levels
        for area in level.areas
    ]
    assert surveyed == [(one.dungeon, one.level, one.key, one.name, one.pages) for one in printed.areas]


def test_a_source_that_fits_is_asked_once_and_counted_once():
    printed = PrintedModule((PrintedArea("Crypt", 1, "1", "Stair", (2,)),), {})
    index, model = _surveyed(pages(range(1, 21)), printed.answer)
    assert model.tags == ["survey", "census"]
    assert [shown_pages(request) for request in model.requests] == [list(range(1, 21))] * 2
    assert (index.module, index.title) == ("the-module", "The Module")
    assert index.flags == ()


def test_a_provider_of_whole_modules_is_asked_once_for_all_pages_and_sent_no_image():
    printed = PrintedModule((PrintedArea("Crypt", 1, "1", "Stair", (2,)),), {})
    index, model = _surveyed(pages(range(1, 41)), printed.answer, survey_pages=None)
    assert model.tags == ["survey", "census"]
    assert shown_pages(model.requests[0]) == list(range(1, 41))
    assert not any(isinstance(part, ImagePart) for part in model.requests[0].parts)
    assert index.flags == ()


def test_a_longer_source_is_asked_in_windows_that_share_a_page_and_each_is_told_where_the_last_ended():
    printed = PrintedModule(
        (
            PrintedArea("Crypt", 1, "1", "", (1,)),
            PrintedArea("Crypt", 2, "1", "", (3,)),
            PrintedArea("Crypt", 2, "2", "", (9,)),
        ),
        {},
    )
    _, model = _surveyed(pages(range(1, 10)), printed.answer, survey_pages=4, census_pages=6)
    assert model.tags == ["survey.w01", "survey.w02", "survey.w03", "census.w01", "census.w02"]
    assert [shown_pages(request) for request in model.requests] == [
        [1, 2, 3, 4],
        [4, 5, 6, 7],
        [7, 8, 9],
        [1, 2, 3, 4, 5, 6],
        [6, 7, 8, 9],
    ]
    level_two = Carry("Crypt", 2, "1", "The Module")
    # The census is asked for no title.
    counted = Carry("Crypt", 2, "1")
    # The second window finds nothing, so the third is told what the first one found.
    assert [carry_of(request) for request in model.requests] == [None, level_two, level_two, None, counted]


def test_the_survey_sees_the_images_and_the_census_only_those_of_pages_without_text():
    source = pages([1, 2])
    source.texts[2] = ""
    _, model = _surveyed(source, _by_kind(a_survey(), a_census()))
    images = [[part.png for part in request.parts if isinstance(part, ImagePart)] for request in model.requests]
    assert images == [[b"png 1", b"png 2"], [b"png 2"]]


def test_a_page_with_neither_text_nor_image_is_not_sent():
    source = pages([1, 2, 3])
    source.texts[2] = ""
    del source.images[2]
    _, model = _surveyed(source, _by_kind(a_survey(), a_census()))
    assert [shown_pages(request) for request in model.requests] == [[1, 3], [1, 3]]


def test_a_module_without_keyed_areas_says_so_and_invents_no_dungeon():
    index, _ = _surveyed(pages(range(1, 4)), _by_kind(a_survey(title="Rules"), a_census()))
    assert index.dungeons == ()
    assert [flag.code for flag in index.flags] == [FlagCode.NO_KEYED_AREAS]
    assert index.flags[0].message == "None of the 3 pages read lists keyed areas."


def test_a_dungeon_that_is_named_without_any_area_is_not_taken_for_one():
    answer = a_survey(a_dungeon("Crypt", a_level(1, map_pages=[2])))
    index, _ = _surveyed(pages(range(1, 4)), _by_kind(answer, a_census()))
    assert index.dungeons == ()
    assert [flag.code for flag in index.flags] == [FlagCode.LEVEL_EMPTY, FlagCode.NO_KEYED_AREAS]


def test_a_scan_that_nobody_could_read_is_told_from_a_module_without_areas():
    source = pages([1, 2, 3])
    source.texts.update({2: "", 3: ""})
    index, _ = _surveyed(source, _by_kind(a_survey(), a_census()))
    assert "2 of them have no text" in index.flags[0].message


def test_a_module_of_which_no_page_can_be_read_makes_no_call():
    source = pages([1, 2], images=False)
    source.texts.update({1: "", 2: ""})
    index, model = _surveyed(source, _by_kind(a_survey(), a_census()))
    assert model.requests == []
    assert [flag.code for flag in index.flags] == [FlagCode.NO_KEYED_AREAS]


def test_where_the_second_reading_differs_both_are_kept_and_flagged():
    answer = a_survey(a_dungeon("Crypt", a_level(1, an_area("1", 1), an_area("6", 2))))
    index, _ = _surveyed(pages([1, 2]), _by_kind(answer, a_census(("Crypt", [(1, "1", "7")]))))
    (dispute,) = index.disputes
    assert (dispute.subject, dispute.survey, dispute.census) == ("keys of crypt level 1", "1 to 6", "1 to 7")
    assert [flag.code for flag in index.flags] == [FlagCode.CENSUS_DISPUTE]
    assert index.census[0].levels[0].last_key == "7"
    assert [area.key for area in index.dungeons[0].levels[0].areas] == ["1", "6"]


def test_areas_that_only_the_census_finds_are_disputed_beside_the_plain_word():
    index, _ = _surveyed(pages([1]), _by_kind(a_survey(), a_census(("Crypt", [(1, "1", "7")]))))
    assert [flag.code for flag in index.flags] == [FlagCode.CENSUS_DISPUTE, FlagCode.NO_KEYED_AREAS]


def test_two_surveys_of_the_same_answers_are_the_same_bytes():
    printed = PrintedModule(tuple(PrintedArea("Crypt", 1, str(n), "", (n,)) for n in range(1, 9)), {3: "Gold!"})
    first, _ = _surveyed(pages(range(1, 10)), printed.answer, survey_pages=3)
    second, _ = _surveyed(pages(range(1, 10)), printed.answer, survey_pages=3)
    assert first.canonical_json() == second.canonical_json()


@pytest.mark.parametrize("failing", ["survey.w02", "census.w01"])
def test_a_failed_request_fails_the_survey_as_what_it_is(failing: str):
    def rule(request: ModelRequest) -> object:
        if request.tag == failing:
            raise TransientProviderError("Overloaded.")
        return _by_kind(a_survey(), a_census())(request)

    with pytest.raises(ProviderError, match=r"Overloaded\."):
        _surveyed(pages(range(1, 10)), rule, survey_pages=4, census_pages=6)


@given(printed_modules(), st.integers(2, 9))
@settings(max_examples=25)
def test_a_window_whose_reply_is_too_long_is_asked_in_halves_and_nothing_is_lost(printed: PrintedModule, most: int):
    def rule(request: ModelRequest) -> object:
        if len(shown_pages(request)) > most:
            raise ReplyTooLongError("Cut.")
        return printed.answer(request)

    # As above: a count is true only where each text ends before the next one begins.
    printed = replace(printed, areas=tuple(replace(one, pages=one.pages[:1]) for one in printed.areas))
    whole, _ = _surveyed(pages(range(1, 15)), printed.answer)
    halved, model = _surveyed(pages(range(1, 15)), rule)
    assert halved == whole
    tags = [request.tag for request in model.requests if len(shown_pages(request)) <= most]
    assert len(set(tags)) == len(tags)


def test_a_reply_that_is_too_long_for_two_pages_is_a_failure():
    def rule(request: ModelRequest) -> object:
        raise ReplyTooLongError(f"{request.tag} was cut.")

    with pytest.raises(ReplyTooLongError):
        _surveyed(pages(range(1, 10)), rule)


def test_progress_is_told_request_by_request():
    source, told = pages(range(1, 10)), []
    survey_module(
        source.page_set,
        source.load,
        Model(_by_kind(a_survey(), a_census())).generate,
        survey_pages=5,
        census_pages=100,
        on_answer=lambda *of: told.append(of),
    )
    assert told == [(1, 3), (2, 3), (3, 3)]


def test_windows_below_two_pages_are_a_value_error():
    for sizes in ({"survey_pages": 1}, {"census_pages": 1}):
        with pytest.raises(ValueError, match="overlap"):
            _surveyed(pages([1, 2, 3]), _by_kind(a_survey(), a_census()), **sizes)


@pytest.mark.skipif(not RECORDED.is_dir(), reason=ABSENT)
def test_a_large_models_recorded_answers_become_the_six_printed_areas_without_dispute():
    recorded = {
        kind: json.loads(next(RECORDED.glob(f"{kind}.*.json")).read_text(encoding="utf-8"))["response"]["data"]
        for kind in ("survey", "census")
    }
    index, _ = _surveyed(pages(range(1, 6)), lambda request: recorded[request.tag])
    (dungeon,) = index.dungeons
    (level,) = dungeon.levels
    assert dungeon.id == "the-root-cellar-of-old-wenna"
    assert [(area.key, area.source_pages) for area in level.areas] == [
        *(("1", (3,)), ("2", (3,)), ("3", (3,)), ("4", (3,)), ("5", (5,)), ("6", (5,)))
    ]
    assert (level.map_pages, index.flags, index.disputes) == ((4,), (), ())
