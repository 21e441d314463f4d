"""A level's plan: its exact requests as digests, and nothing of its neighbours."""

from dataclasses import replace

import pytest

from osrforge_assets.contracts.level import LevelPlan
from osrforge_assets.contracts.survey import SurveyIndex
from osrforge_assets.modules.levels.planning import batch_request, plan_level, plan_levels
from osrforge_assets.modules.page_loading import load_page, load_plan_page
from osrforge_resources.failures import StoreError
from osrforge_resources.model_provider import ImagePart, TextPart
from osrforge_resources.store import BlobKind, Store
from osrforge_resources.wire_format import enforceable_schema
from tests.assets.modules.samples import Pages, area, asked, dungeon, index, level, pages, shown_pages

TWO_LEVELS = index(
    dungeon(
        level(area("1", 1), area("2", 2, 3), area("3", 4), number=1, map_pages=(6,)),
        level(area("1", 7), area("2", 9), number=2),
    )
)


def _plans(survey: SurveyIndex, source: Pages, batch_pages: int = 3) -> dict[int, LevelPlan]:
    plans = plan_levels(survey, source.page_set, source.load, batch_pages)
    return {plan.level_number: plan for plan in plans}


def test_a_plan_names_its_areas_its_batches_and_every_page_they_carry():
    first, second = _plans(TWO_LEVELS, pages(range(1, 10))).values()
    assert [found.key for found in first.areas] == ["1", "2", "3"]
    assert [batch.part_pages for batch in first.batches] == [(6, 1, 2, 3), (6, 3, 4)]
    assert [page.number for page in first.pages] == [1, 2, 3, 4, 6]
    assert [page.number for page in second.pages] == [7, 9]
    assert (first.module, first.dungeon_id, first.dungeon_name) == ("the-module", "the-crypt", "The Crypt")


def test_a_planned_request_asks_its_areas_and_carries_its_pages_with_their_images():
    source = pages(range(1, 10))
    plan = _plans(TWO_LEVELS, source)[1]
    request = batch_request(plan, plan.batches[0], source.load_planned)
    assert [(one.key, one.pages) for one in asked(request)] == [("1", (1,)), ("2", (2, 3))]
    assert shown_pages(request) == [6, 1, 2, 3]
    assert request.parts[2:4] == (TextPart("[page 1]\nText of page 1."), ImagePart(b"png 1"))
    assert request.tag == "content.the-crypt.1.b01"


def test_a_request_is_rebuilt_from_the_plan_and_its_blobs_alone():
    source = pages(range(1, 10))
    for plan in _plans(TWO_LEVELS, source).values():
        stored = LevelPlan.from_json(plan.canonical_json())
        for batch in stored.batches:
            assert batch_request(stored, batch, source.load_planned).fingerprint() == batch.fingerprint


def test_a_request_is_rebuilt_from_a_store_byte_for_byte():
    source, store = pages(range(1, 10)), Store("memory://planning")
    plan = _plans(TWO_LEVELS, source)[1]
    for page in source.page_set.pages:
        store.put_blob(BlobKind.TEXT, source.texts[page.number].encode("utf-8"))
        store.put_blob(BlobKind.IMAGE, source.images[page.number])
    from_store = plan_levels(TWO_LEVELS, source.page_set, load_page(store), 3)[0]
    assert from_store == plan
    assert [batch_request(plan, batch, load_plan_page(store)).fingerprint() for batch in plan.batches] == [
        batch.fingerprint for batch in plan.batches
    ]


def test_a_rebuilt_request_is_of_the_blobs_it_was_planned_with_whatever_the_module_has_now():
    source = pages(range(1, 10))
    plan = _plans(TWO_LEVELS, source)[2]
    changed = replace(source, texts=source.texts | {9: "Another text."})
    assert changed.page_set != source.page_set
    assert batch_request(plan, plan.batches[0], changed.load_planned).fingerprint() == plan.batches[0].fingerprint


def test_a_request_of_another_version_than_planned_is_refused_before_it_is_paid_for():
    source = pages(range(1, 10))
    plan = _plans(TWO_LEVELS, source)[2]
    other = plan.batches[0].model_copy(update={"fingerprint": "0" * 64})
    with pytest.raises(StoreError) as refused:
        batch_request(plan, other, source.load_planned)
    assert refused.value.code == "level.plan_outdated"


@pytest.mark.parametrize("kind", ["text", "image"])
def test_a_changed_page_changes_only_the_plans_whose_requests_carry_it(kind: str):
    source = pages(range(1, 10))
    changed = (
        replace(source, texts=source.texts | {9: "Another text."})
        if kind == "text"
        else replace(source, images=source.images | {9: b"another png"})
    )
    before, after = _plans(TWO_LEVELS, source), _plans(TWO_LEVELS, changed)
    assert before[1].digest() == after[1].digest()
    assert before[2].digest() != after[2].digest()


def test_a_page_that_no_request_carries_changes_no_plan():
    source = pages(range(1, 10))
    changed = replace(source, texts=source.texts | {5: "Another text."})
    assert _plans(TWO_LEVELS, source) == _plans(TWO_LEVELS, changed)


def test_a_changed_page_changes_the_fingerprints_of_the_batches_that_carry_it_only():
    source = pages(range(1, 10))
    changed = replace(source, texts=source.texts | {4: "Another text."})
    before, after = _plans(TWO_LEVELS, source)[1].batches, _plans(TWO_LEVELS, changed)[1].batches
    assert [one.fingerprint == other.fingerprint for one, other in zip(before, after, strict=True)] == [True, False]


def test_a_plan_says_nothing_of_the_levels_beside_it():
    source = pages(range(1, 10))
    alone = index(dungeon(TWO_LEVELS.dungeons[0].levels[1]))
    more = index(
        dungeon(level(area("1", 3)), name="Another", id="another"),
        dungeon(level(area("9", 1), number=1), TWO_LEVELS.dungeons[0].levels[1], level(area("9", 2), number=3)),
    )
    digests = {_plans(survey, source)[2].digest() for survey in (TWO_LEVELS, alone, more)}
    assert len(digests) == 1


def test_one_level_is_planned_as_it_is_among_all():
    source = pages(range(1, 10))
    plans = _plans(TWO_LEVELS, source)
    for number in (1, 2):
        alone = plan_level(TWO_LEVELS, source.page_set, source.load, 3, dungeon_id="the-crypt", number=number)
        assert alone == plans[number]


def test_a_level_that_the_survey_does_not_have_cannot_be_planned():
    source = pages(range(1, 10))
    for dungeon_id, number in (("the-crypt", 3), ("another", 1)):
        with pytest.raises(StoreError) as refused:
            plan_level(TWO_LEVELS, source.page_set, source.load, 3, dungeon_id=dungeon_id, number=number)
        assert refused.value.code == "level.unknown"


def test_a_survey_that_names_a_page_the_module_no_longer_has_is_refused():
    source = pages(range(1, 9))
    with pytest.raises(StoreError) as refused:
        _plans(TWO_LEVELS, source)
    assert refused.value.code == "level.page_missing"
    assert "page 9" in refused.value.message


def test_the_shared_page_and_the_maps_are_loaded_once_a_level():
    source = pages(range(1, 10))
    _plans(TWO_LEVELS, source)
    assert source.loaded == [6, 1, 2, 3, 4, 7, 9]


def test_a_level_without_a_page_is_planned_without_a_batch():
    plan = _plans(index(dungeon(level(area("1"), area("2")))), pages([1]))[1]
    assert (plan.batches, plan.pages, [found.key for found in plan.areas]) == ((), (), ["1", "2"])


def test_pages_without_an_image_travel_as_text_alone():
    source = pages(range(1, 10), images=False)
    plan = _plans(TWO_LEVELS, source)[2]
    assert [page.image for page in plan.pages] == [None, None]
    request = batch_request(plan, plan.batches[0], source.load_planned)
    assert all(isinstance(part, TextPart) for part in request.parts)


def test_a_window_below_two_pages_is_a_value_error():
    with pytest.raises(ValueError, match="overlap"):
        _plans(TWO_LEVELS, pages(range(1, 10)), batch_pages=1)


def test_requests_of_a_level_begin_with_the_same_parts_and_end_with_the_question():
    source = pages(range(1, 10))
    plan = _plans(TWO_LEVELS, source)[1]
    first, second = (batch_request(plan, batch, source.load_planned) for batch in plan.batches)
    maps, material = first.shared_prefixes
    assert first.parts[:maps] == second.parts[:maps] == (TextPart("[page 6]\nText of page 6."), ImagePart(b"png 6"))
    assert material == len(first.parts) - 1
    assert enforceable_schema(first.schema) == enforceable_schema(second.schema)
