"""A level's content: every area asked once, the missing asked once more, and nothing invented or lost."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osrforge_assets.contracts.flags import FlagCode
from osrforge_assets.contracts.level import LevelContent, LevelPlan
from osrforge_assets.contracts.survey import SurveyLevel
from osrforge_assets.modules.levels.extraction import extract_level
from osrforge_assets.modules.levels.planning import plan_levels
from osrforge_resources.failures import (
    PermanentProviderError,
    ReplyTooLongError,
    SchemaValidationError,
    StoreError,
    TransientProviderError,
)
from osrforge_resources.model_provider import ModelRequest
from tests.assets.modules.samples import (
    Model,
    Pages,
    answer_all,
    answered,
    area,
    asked,
    dungeon,
    index,
    level,
    pages,
    shown_pages,
)

FIVE_AREAS = level(area("1", 1), area("2", 2, 3), area("3", 3), area("4", 4), area("5", 5), map_pages=(6,))


def _planned(one: SurveyLevel, batch_pages: int = 3) -> tuple[LevelPlan, Pages]:
    source = pages(range(1, 40))
    (plan,) = plan_levels(index(dungeon(one)), source.page_set, source.load, batch_pages)
    return plan, source


def _extracted(one: SurveyLevel, rule: Callable[[ModelRequest], object], batch_pages: int = 3):
    plan, source = _planned(one, batch_pages)
    model = Model(rule)
    return extract_level(plan, source.load_planned, model.generate), model


def _codes(content: LevelContent) -> list[tuple[str, str | None]]:
    return [(flag.code.value, flag.key) for flag in content.flags]


def test_every_area_is_answered_under_its_key_in_printed_order():
    def backwards(request: ModelRequest) -> object:
        return {"areas": [answered(one.key) for one in reversed(asked(request))]}

    content, model = _extracted(FIVE_AREAS, backwards)
    assert [found.key for found in content.areas] == ["1", "2", "3", "4", "5"]
    assert (content.missing, content.flags) == ((), ())
    assert model.tags == ["content.the-crypt.1.b01", "content.the-crypt.1.b02"]
    assert content.model_ids == ("a-model",)


def test_each_batch_carries_its_window_and_the_map():
    _, model = _extracted(FIVE_AREAS, answer_all)
    assert [shown_pages(request) for request in model.requests] == [[6, 1, 2, 3], [6, 3, 4, 5]]


def test_content_names_the_plan_that_it_answers():
    plan, source = _planned(FIVE_AREAS)
    content = extract_level(plan, source.load_planned, Model(answer_all).generate)
    assert content.plan == plan.digest()
    assert (content.module, content.dungeon_id, content.level_number) == ("the-module", "the-crypt", 1)


def test_one_follow_up_names_only_the_missing_areas_over_the_same_pages():
    def forgets_three(request: ModelRequest) -> object:
        follow_up = request.tag.endswith(".retry")
        return {"areas": [answered(one.key) for one in asked(request) if follow_up or one.key not in {"1", "3"}]}

    content, model = _extracted(FIVE_AREAS, forgets_three)
    assert model.tags == ["content.the-crypt.1.b01", "content.the-crypt.1.b01.retry", "content.the-crypt.1.b02"]
    first, follow_up, _ = model.requests
    assert [one.key for one in asked(follow_up)] == ["1", "3"]
    assert follow_up.parts[:-1] == first.parts[:-1]
    assert follow_up.schema["properties"]["areas"]["items"]["properties"]["key"]["enum"] == ["1", "3"]  # type: ignore[index]
    assert [found.key for found in content.areas] == ["1", "2", "3", "4", "5"]
    assert content.flags == ()


def test_what_is_still_missing_stays_missing_and_is_flagged():
    def never_two(request: ModelRequest) -> object:
        return {"areas": [answered(one.key) for one in asked(request) if one.key != "2"]}

    content, model = _extracted(FIVE_AREAS, never_two)
    assert content.missing == ("2",)
    assert [found.key for found in content.areas] == ["1", "3", "4", "5"]
    assert _codes(content) == [("area_missing", "2")]
    assert sum(tag.endswith(".retry") for tag in model.tags) == 1


def test_a_model_that_answers_nothing_is_asked_twice_a_batch_and_leaves_every_area_missing():
    content, model = _extracted(FIVE_AREAS, lambda _: {"areas": []})
    assert len(model.requests) == 4
    assert content.missing == ("1", "2", "3", "4", "5")
    assert [code for code, _ in _codes(content)] == ["area_missing"] * 5


def test_a_level_with_neither_pages_nor_map_makes_no_call_and_its_areas_are_flagged():
    content, model = _extracted(level(area("1"), area("2")), answer_all)
    assert model.requests == []
    assert (content.areas, content.missing) == ((), ("1", "2"))
    assert _codes(content) == [("area_not_asked", "1"), ("area_not_asked", "2")]


def test_an_area_answered_twice_in_one_reply_keeps_its_first_answer_and_is_flagged():
    def twice(request: ModelRequest) -> object:
        return {
            "areas": [answered(one.key, description=text) for one in asked(request) for text in ("first", "second")]
        }

    content, _ = _extracted(level(area("1", 1)), twice)
    assert [found.description for found in content.areas] == ["first"]
    assert _codes(content) == [("duplicate_answer", "1")]


def test_pages_that_the_request_did_not_carry_are_dropped_and_flagged():
    content, _ = _extracted(
        level(area("1", 2, 3), map_pages=(6,)),
        lambda _: {"areas": [answered("1", source_pages=[6, 3, 99, 3, 0, -1, 1e300])]},
    )
    assert content.areas[0].source_pages == (3, 6)
    assert _codes(content) == [("pages_dropped", "1")]
    assert "-1, 0, 99, 1e+300" in content.flags[0].message


def test_two_printed_counts_that_disagree_are_both_kept_and_flagged():
    goblins = {"monster": "goblins", "count_fixed": 6, "count_dice": "2d4", "count_note": None}
    content, _ = _extracted(level(area("1", 1)), lambda _: {"areas": [answered("1", encounters=[goblins])]})
    (encounter,) = content.areas[0].encounters
    assert (encounter.count_fixed, encounter.count_dice) == (6, "2d4")
    assert _codes(content) == [("count_conflict", "1")]


def test_pages_beyond_what_a_request_may_carry_are_named():
    content, model = _extracted(level(area("1", *range(1, 25)), area("2", 24)), answer_all, batch_pages=2)
    assert shown_pages(model.requests[0]) == list(range(1, 21))
    assert _codes(content) == [("area_pages_unread", "1")]
    assert "21, 22, 23, 24" in content.flags[0].message


def _too_long_for(limit: int) -> Callable[[ModelRequest], object]:
    def rule(request: ModelRequest) -> object:
        if len(asked(request)) > limit:
            raise ReplyTooLongError(f"{request.tag}: the reply was cut.")
        return answer_all(request)

    return rule


def test_a_batch_whose_reply_is_too_long_is_asked_in_halves():
    content, model = _extracted(FIVE_AREAS, _too_long_for(2), batch_pages=9)
    assert [(request.tag, [one.key for one in asked(request)]) for request in model.requests] == [
        ("content.the-crypt.1.b01", ["1", "2", "3", "4", "5"]),
        ("content.the-crypt.1.b01.half1", ["1", "2", "3"]),
        ("content.the-crypt.1.b01.half1.half1", ["1", "2"]),
        ("content.the-crypt.1.b01.half1.half2", ["3"]),
        ("content.the-crypt.1.b01.half2", ["4", "5"]),
    ]
    assert [found.key for found in content.areas] == ["1", "2", "3", "4", "5"]
    assert content.flags == ()


@given(count=st.integers(1, 40), limit=st.integers(1, 12))
def test_halving_loses_no_area_and_asks_for_none_twice(count: int, limit: int):
    one = level(*(area(str(number), 1) for number in range(1, count + 1)))
    content, model = _extracted(one, _too_long_for(limit))
    assert [found.key for found in content.areas] == [found.key for found in one.areas]
    kept = [found.key for request in model.requests if len(asked(request)) <= limit for found in asked(request)]
    assert sorted(kept) == sorted(found.key for found in one.areas)
    assert len(set(model.tags)) == len(model.tags)


def test_a_follow_up_that_is_too_long_is_halved_as_well():
    def rule(request: ModelRequest) -> object:
        if ".retry" not in request.tag:
            return {"areas": []}
        return _too_long_for(1)(request)

    content, model = _extracted(level(area("1", 1), area("2", 1)), rule)
    assert model.tags[1:] == [
        "content.the-crypt.1.b01.retry",
        "content.the-crypt.1.b01.retry.half1",
        "content.the-crypt.1.b01.retry.half2",
    ]
    assert content.missing == ()


def test_a_single_area_whose_reply_is_too_long_fails_the_level():
    with pytest.raises(ReplyTooLongError):
        _extracted(FIVE_AREAS, _too_long_for(0))


@pytest.mark.parametrize("failure", [TransientProviderError, PermanentProviderError, SchemaValidationError])
def test_a_failed_request_fails_the_level_as_what_it_is(failure: type[Exception]):
    def rule(request: ModelRequest) -> object:
        if request.tag.endswith("b02"):
            raise failure("No answer.")
        return answer_all(request)

    with pytest.raises(failure):
        _extracted(FIVE_AREAS, rule)


def test_an_answer_that_only_the_schema_accepts_fails_the_level_and_names_the_place():
    rat = {"monster": "rat", "count_fixed": None, "count_dice": "2d4\n", "count_note": None}
    with pytest.raises(
        SchemaValidationError, match=r"content.the-crypt.1.b01: \$.areas\[0\].encounters\[0\].count_dice"
    ):
        _extracted(level(area("1", 1)), lambda _: {"areas": [answered("1", encounters=[rat])]})


def test_a_plan_that_asks_one_area_in_two_batches_is_a_bug_and_not_an_answer():
    plan, source = _planned(FIVE_AREAS)
    broken = plan.model_copy(update={"batches": (plan.batches[0], plan.batches[0])})
    with pytest.raises(RuntimeError, match="more than one request"):
        extract_level(broken, source.load_planned, Model(answer_all).generate)


def test_a_plan_of_another_version_is_refused_before_a_call():
    plan, source = _planned(FIVE_AREAS)
    outdated = plan.model_copy(update={"dungeon_name": "Renamed"})
    model = Model(answer_all)
    with pytest.raises(StoreError):
        extract_level(outdated, source.load_planned, model.generate)
    assert model.requests == []


def test_progress_is_told_batch_by_batch():
    plan, source = _planned(FIVE_AREAS)
    told: list[tuple[int, int]] = []
    extract_level(plan, source.load_planned, Model(answer_all).generate, on_batch=lambda *of: told.append(of))
    assert told == [(1, 2), (2, 2)]


@given(
    cited=st.lists(st.sets(st.integers(1, 30), max_size=3), min_size=1, max_size=12),
    maps=st.sets(st.integers(1, 30), max_size=2),
    forgotten=st.sets(st.integers(1, 12)),
    size=st.integers(2, 6),
)
def test_every_area_of_a_level_is_answered_or_missing_and_every_missing_one_is_flagged(
    cited: list[set[int]], maps: set[int], forgotten: set[int], size: int
):
    one = level(*(area(str(number), *sorted(of)) for number, of in enumerate(cited, start=1)), map_pages=maps)
    never = {str(number) for number in forgotten}

    def rule(request: ModelRequest) -> object:
        return {"areas": [answered(found.key) for found in asked(request) if found.key not in never]}

    content, _ = _extracted(one, rule, size)
    keys = [found.key for found in one.areas]
    assert sorted([*(found.key for found in content.areas), *content.missing]) == sorted(keys)
    flagged = {key for code, key in _codes(content) if code in {"area_missing", "area_not_asked"}}
    assert flagged == set(content.missing)
    assert FlagCode.DUPLICATE_ANSWER not in {flag.code for flag in content.flags}
