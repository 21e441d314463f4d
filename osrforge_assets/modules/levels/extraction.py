"""A level's content from its plan: every batch asked, missing areas asked once more, answers put together.

A batch's reply can only hold keys that were asked, and each area is asked in one batch, so putting batches together is
plain concatenation. What is uncertain is flagged; an area that was never answered is named, not invented.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from osrforge_assets.contracts.flags import Flag, FlagCode
from osrforge_assets.contracts.level import AreaContent, ContentBatch, LevelContent, LevelPlan, PlanPage
from osrforge_assets.contracts.survey import SurveyArea
from osrforge_assets.modules.levels.planning import batch_pages_of, planned_request, request_of
from osrforge_assets.modules.levels.reply import parse_areas
from osrforge_assets.modules.page_parts import RequestPage
from osrforge_resources.failures import ReplyTooLongError
from osrforge_resources.model_provider import ModelRequest, ModelResponse

# Raised when parsing, follow-ups or flags change what the same answers come to.
EXTRACTION_VERSION = "1"

Ask = Callable[[ModelRequest], ModelResponse]
Load = Callable[[PlanPage], RequestPage]


def extract_level(
    plan: LevelPlan, load: Load, ask: Ask, *, on_batch: Callable[[int, int], None] | None = None
) -> LevelContent:
    """Ask a level's batches and return its content.

    A level without batches makes no call: all its areas are missing and flagged.

    Args:
        plan: The level's plan.
        load: Loads a planned page's text and image; the pages of one batch at a time are in memory.
        ask: Asks the provider.
        on_batch: Told after each batch how many of all are done.

    Raises:
        ProviderError: A request failed. A reply that is too long even for a single area is one of them.
        StoreError: The plan was made by another version, or a page's blob is missing or damaged.
    """
    answers = _Answers()
    for done, batch in enumerate(plan.batches, start=1):
        _extract_batch(plan, batch, load, ask, answers)
        if on_batch is not None:
            on_batch(done, len(plan.batches))
    order = {area.key: position for position, area in enumerate(plan.areas)}
    missing = tuple(area for area in plan.areas if area.key not in answers.areas)
    flags = [*answers.flags, *(_missing_flag(plan, area) for area in missing)]
    return LevelContent(
        module=plan.module,
        dungeon_id=plan.dungeon_id,
        level_number=plan.level_number,
        plan=plan.digest(),
        areas=tuple(sorted(answers.areas.values(), key=lambda area: order[area.key])),
        missing=tuple(area.key for area in missing),
        model_ids=tuple(sorted(answers.model_ids)),
        flags=tuple(flags),
    )


@dataclass
class _Answers:
    """What a level's batches have answered so far."""

    areas: dict[str, AreaContent] = field(default_factory=dict)
    flags: list[Flag] = field(default_factory=list)
    model_ids: set[str] = field(default_factory=set)

    def add(self, answered: Iterable[AreaContent], carried: Sequence[int]) -> None:
        """Take over one reply's areas; `carried` are the pages of its request."""
        in_this_reply: set[str] = set()
        for area in answered:
            if area.key in in_this_reply:
                message = f"Area {area.key} was answered more than once in one reply; the first answer stands."
                self._flag(FlagCode.DUPLICATE_ANSWER, message, area.key)
                continue
            if area.key in self.areas:
                raise RuntimeError(f"Area {area.key} was asked in more than one request; a plan never does that.")
            in_this_reply.add(area.key)
            self.areas[area.key] = self._checked(area, carried)

    def _checked(self, area: AreaContent, carried: Sequence[int]) -> AreaContent:
        foreign = sorted(set(area.source_pages) - set(carried))
        if foreign:
            # A page number of 300 digits is possible in JSON; three are enough to know it by.
            named = ", ".join(f"{page:.3g}" if abs(page) >= 10**9 else str(page) for page in foreign[:8])
            message = f"Area {area.key} cites pages that its request did not carry: {named}."
            self._flag(FlagCode.PAGES_DROPPED, message, area.key)
        for encounter in area.encounters:
            if encounter.count_fixed is not None and encounter.count_dice is not None:
                counts = f"{encounter.count_fixed} and {encounter.count_dice}"
                message = f"Area {area.key} gives {counts} for {encounter.monster[:80]}."
                self._flag(FlagCode.COUNT_CONFLICT, message, area.key)
        return area.model_copy(update={"source_pages": tuple(sorted(set(area.source_pages) & set(carried)))})

    def _flag(self, code: FlagCode, message: str, key: str) -> None:
        self.flags.append(Flag(code=code, message=message, key=key))


def _extract_batch(plan: LevelPlan, batch: ContentBatch, load: Load, ask: Ask, answers: _Answers) -> None:
    pages = batch_pages_of(plan, batch, load)
    planned_request(plan, batch, pages)  # refuses before anything is paid for

    def ask_for(areas: Sequence[SurveyArea], *, follow_up: bool, halves: tuple[int, ...] = ()) -> None:
        request = request_of(plan, batch, pages, areas, follow_up=follow_up, halves=halves)
        try:
            response = ask(request)
        except ReplyTooLongError:
            if len(areas) == 1:
                raise
            middle = (len(areas) + 1) // 2
            ask_for(areas[:middle], follow_up=follow_up, halves=(*halves, 1))
            ask_for(areas[middle:], follow_up=follow_up, halves=(*halves, 2))
        else:
            answers.model_ids.add(response.model_id)
            with response.being_read():
                areas_read = parse_areas(response.data, tag=request.tag)
            answers.add(areas_read, batch.part_pages)

    ask_for(batch.areas, follow_up=False)
    missing = [area for area in batch.areas if area.key not in answers.areas]
    if missing:
        ask_for(missing, follow_up=True)
    for area in batch.areas:
        unread = [str(page) for page in area.source_pages if page not in batch.part_pages]
        if unread and area.key in answers.areas:
            message = f"Pages {', '.join(unread[:8])} of area {area.key} did not fit into its request."
            answers.flags.append(Flag(code=FlagCode.AREA_PAGES_UNREAD, message=message, key=area.key))


def _missing_flag(plan: LevelPlan, area: SurveyArea) -> Flag:
    if plan.batches:
        message = f"Area {area.key} was asked for twice and never answered."
        return Flag(code=FlagCode.AREA_MISSING, message=message, key=area.key)
    message = f"Area {area.key} has no page to read it from, and its level has no map page; it was not asked for."
    return Flag(code=FlagCode.AREA_NOT_ASKED, message=message, key=area.key)
