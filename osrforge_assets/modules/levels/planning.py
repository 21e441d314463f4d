"""A level's plan: its exact requests, written down as digests, so that it changes exactly when one of them does."""

from collections.abc import Callable, Iterator, Sequence

from osrforge_assets.contracts.level import ContentBatch, LevelPlan, PlanPage
from osrforge_assets.contracts.pages import Page, PageSet
from osrforge_assets.contracts.survey import SurveyArea, SurveyDungeon, SurveyIndex, SurveyLevel
from osrforge_assets.modules.levels.batches import PlannedBatch, plan_batches
from osrforge_assets.modules.levels.prompt import content_request
from osrforge_assets.modules.page_parts import RequestPage
from osrforge_resources.failures import StoreError
from osrforge_resources.model_provider import ModelRequest

Load = Callable[[Page], RequestPage]


def plan_levels(index: SurveyIndex, page_set: PageSet, load: Load, batch_pages: int) -> tuple[LevelPlan, ...]:
    """Return the plan of every level, in survey order.

    Args:
        index: The module's survey.
        page_set: The pages it was surveyed from.
        load: Loads a page's text and image; the pages of one request at a time are in memory.
        batch_pages: Pages of one window, at least 2.

    Raises:
        MisuseError: `batch_pages` is below 2 (a `ValueError`).
        StoreError: The survey names a page that the page set does not have.
    """
    return tuple(
        _plan(index.module, dungeon, level, page_set, load, batch_pages)
        for dungeon in index.dungeons
        for level in dungeon.levels
    )


def plan_level(
    index: SurveyIndex, page_set: PageSet, load: Load, batch_pages: int, *, dungeon_id: str, number: int
) -> LevelPlan:
    """Return one level's plan: the same that `plan_levels` gives for it.

    Raises:
        StoreError: The survey has no such level, or names a page that the page set does not have.
    """
    for dungeon in index.dungeons:
        for level in dungeon.levels:
            if (dungeon.id, level.number) == (dungeon_id, number):
                return _plan(index.module, dungeon, level, page_set, load, batch_pages)
    raise StoreError(
        f"The survey of {index.module} has no level {number} of {dungeon_id}.",
        code="level.unknown",
        remedy="Materialize survey_index for the module: it registers the levels it finds and retires the others.",
    )


def batch_request(plan: LevelPlan, batch: ContentBatch, load: Callable[[PlanPage], RequestPage]) -> ModelRequest:
    """Return a planned batch's request again, from the plan and the blobs it names alone.

    Raises:
        StoreError: Today's prompt, schema or page form make another request than the one that was planned.
    """
    return planned_request(plan, batch, batch_pages_of(plan, batch, load))


def planned_request(plan: LevelPlan, batch: ContentBatch, pages: Sequence[RequestPage]) -> ModelRequest:
    """Return a planned batch's request over its loaded pages.

    Raises:
        StoreError: Today's prompt, schema or page form make another request than the one that was planned.
    """
    request = request_of(plan, batch, pages, batch.areas)
    if request.fingerprint() != batch.fingerprint:
        raise StoreError(
            f"The plan of {plan.dungeon_id} level {plan.level_number} was made by another version of osrforge.",
            code="level.plan_outdated",
            remedy="Materialize level_plan for this level, then its content.",
        )
    return request


def batch_pages_of(
    plan: LevelPlan, batch: ContentBatch, load: Callable[[PlanPage], RequestPage]
) -> tuple[RequestPage, ...]:
    """Return the pages of a planned batch, loaded, in request order."""
    by_number = {page.number: page for page in plan.pages}
    return tuple(load(by_number[number]) for number in batch.part_pages)


def request_of(
    plan: LevelPlan,
    batch: ContentBatch,
    pages: Sequence[RequestPage],
    areas: Sequence[SurveyArea],
    *,
    follow_up: bool = False,
    halves: Sequence[int] = (),
) -> ModelRequest:
    """Return the request for `areas` of a planned batch over its loaded pages."""
    return content_request(
        dungeon_id=plan.dungeon_id,
        dungeon_name=plan.dungeon_name,
        level_number=plan.level_number,
        batch_number=batch.number,
        areas=areas,
        map_pages=batch.map_pages,
        pages=pages,
        follow_up=follow_up,
        halves=halves,
    )


def _plan(
    module: str, dungeon: SurveyDungeon, level: SurveyLevel, page_set: PageSet, load: Load, batch_pages: int
) -> LevelPlan:
    planned = plan_batches(level, batch_pages)
    by_number = {page.number: page for page in page_set.pages}
    batches = []
    for batch, pages in _loaded(planned, by_number, load, f"{module} {dungeon.id} level {level.number}"):
        request = content_request(
            dungeon_id=dungeon.id,
            dungeon_name=dungeon.name,
            level_number=level.number,
            batch_number=batch.number,
            areas=batch.areas,
            map_pages=batch.map_pages,
            pages=pages,
        )
        batches.append(_content_batch(batch, request.fingerprint()))
    carried = sorted({number for batch in batches for number in batch.part_pages})
    return LevelPlan(
        module=module,
        dungeon_id=dungeon.id,
        dungeon_name=dungeon.name,
        level_number=level.number,
        areas=level.areas,
        pages=tuple(_plan_page(by_number[number]) for number in carried),
        batches=tuple(batches),
    )


def _content_batch(batch: PlannedBatch, fingerprint: str) -> ContentBatch:
    return ContentBatch(
        number=batch.number,
        pages=batch.pages,
        tail_pages=batch.tail_pages,
        map_pages=batch.map_pages,
        areas=batch.areas,
        fingerprint=fingerprint,
    )


def _loaded(
    batches: Sequence[PlannedBatch], by_number: dict[int, Page], load: Load, what: str
) -> Iterator[tuple[PlannedBatch, list[RequestPage]]]:
    """Yield each batch with its pages; only those of one batch are kept, so the overlap and the maps load once."""
    kept: dict[int, RequestPage] = {}
    for batch in batches:
        numbers = batch.part_pages
        missing = [number for number in numbers if number not in by_number]
        if missing:
            raise StoreError(
                f"The survey of {what} names page {missing[0]}, which the pages read now do not have.",
                code="level.page_missing",
                remedy="Materialize survey_index for the module again.",
            )
        kept = {number: kept[number] if number in kept else load(by_number[number]) for number in numbers}
        yield batch, [kept[number] for number in numbers]


def _plan_page(page: Page) -> PlanPage:
    return PlanPage(number=page.number, text=page.text, image=page.image.sha256 if page.image is not None else None)
