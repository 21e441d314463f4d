"""A module's survey from its pages: windows asked in order, answers merged and made canonical, the census beside them.

Windows are asked one after another because each is told where the one before it ended.
"""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from osrforge_assets.contracts.flags import Flag, FlagCode
from osrforge_assets.contracts.pages import Page, PageSet
from osrforge_assets.contracts.survey import CensusDungeon, Dispute, SurveyIndex
from osrforge_assets.modules.page_parts import RequestPage
from osrforge_assets.modules.page_windows import SMALLEST_WINDOW, page_windows
from osrforge_assets.modules.survey.census import find_disputes
from osrforge_assets.modules.survey.merge import merge_censuses, merge_surveys
from osrforge_assets.modules.survey.normalize import normalized_dungeons
from osrforge_assets.modules.survey.prompt import census_request, survey_request
from osrforge_assets.modules.survey.reply import SurveyAnswer, parse_census, parse_survey
from osrforge_assets.modules.survey.whole_modules import survey_page_windows
from osrforge_resources.failures import ReplyTooLongError
from osrforge_resources.model_provider import ModelRequest, ModelResponse
from osrforge_resources.request_text import Carry

# Raised when merging, normalization or the comparison with the census changes what the same answers come to.
SURVEY_VERSION = "3"

Ask = Callable[[ModelRequest], ModelResponse]
Load = Callable[[Page], RequestPage]
Answer = TypeVar("Answer")


def survey_module(
    page_set: PageSet,
    load: Load,
    ask: Ask,
    *,
    survey_pages: int | None,
    census_pages: int,
    on_answer: Callable[[int, int], None] | None = None,
) -> SurveyIndex:
    """Survey a module.

    A page with neither text nor image has nothing to read and is not sent; its own flags say what happened to it.

    Args:
        page_set: The module's pages.
        load: Loads a page's text and image; called once a page and window, so one window at a time is in memory.
        ask: Asks the provider.
        survey_pages: Pages of one survey window; None asks for all pages at once, as text alone (`survey_window`).
        census_pages: Pages of one census window.
        on_answer: Told after each answer how many of all requests are answered.

    Raises:
        MisuseError: A window has less than two pages.
        ProviderError: A request failed; nothing is kept of the others here. A reply that is too long even for a window
            of two pages is one of them.
    """
    readable = {page.number: page for page in page_set.pages if page.characters or page.image is not None}
    survey_windows = survey_page_windows(readable, survey_pages)
    census_windows = page_windows(readable, census_pages)
    total = len(survey_windows) + len(census_windows)
    answered = 0

    def ask_and_tell(request: ModelRequest) -> ModelResponse:
        nonlocal answered
        response = ask(request)
        answered += 1
        if on_answer is not None:
            # Halves of a window whose reply was too long were not counted before.
            on_answer(answered, max(answered, total))
        return response

    def pages_of(window: Sequence[int]) -> list[RequestPage]:
        loaded = (load(readable[number]) for number in window)
        # All images of a module are more than memory should hold, and who takes a module whole looks at none.
        return list(loaded) if survey_pages is not None else [replace(page, png=None) for page in loaded]

    def ask_survey(window: tuple[int, ...], number: int | None, carry: Carry | None) -> ModelResponse:
        return ask_and_tell(survey_request(pages_of(window), window=number, carry=carry))

    def ask_census(window: tuple[int, ...], number: int | None, carry: Carry | None) -> ModelResponse:
        return ask_and_tell(census_request(pages_of(window), window=number, carry=carry))

    surveys = _ask_windows(survey_windows, ask_survey, parse_survey, _carry_of_survey)
    census = _ask_windows(census_windows, ask_census, parse_census, _carry_of_census)
    return build_index(page_set, surveys, census)


def build_index(
    page_set: PageSet, surveys: Sequence[SurveyAnswer], censuses: Sequence[Sequence[CensusDungeon]]
) -> SurveyIndex:
    """Return the index that the windows' answers come to."""
    merged = merge_surveys(surveys)
    census = merge_censuses(censuses)
    dungeons, changes = normalized_dungeons(merged.answer.dungeons, [page.number for page in page_set.pages])
    disputes = find_disputes(dungeons, census)
    flags = [*merged.flags, *changes, *map(_dispute_flag, disputes)]
    if not dungeons:
        flags.append(_no_keyed_areas(page_set))
    return SurveyIndex(
        module=page_set.module,
        title=merged.answer.title,
        description=merged.answer.description,
        hooks=merged.answer.hooks,
        town=merged.answer.town,
        dungeons=dungeons,
        monster_names=merged.answer.monster_names,
        census=census,
        disputes=disputes,
        flags=tuple(flags),
    )


def _carry_of_survey(carry: Carry | None, answer: SurveyAnswer) -> Carry | None:
    """Return where a window ended, and the title that the windows so far found."""
    ends = [
        Carry(dungeon.name, level.number, level.areas[-1].key)
        for dungeon in answer.dungeons
        for level in dungeon.levels
        if level.areas
    ]
    title = carry.title if carry is not None and carry.title else answer.title
    last = ends[-1] if ends else carry or (Carry("", 1, "") if title else None)
    return replace(last, title=title) if last is not None else None


def _carry_of_census(carry: Carry | None, answer: Sequence[CensusDungeon]) -> Carry | None:
    ends = [Carry(dungeon.name, level.number, level.last_key) for dungeon in answer for level in dungeon.levels]
    return ends[-1] if ends else carry


def _ask_windows(
    windows: Sequence[tuple[int, ...]],
    ask: Callable[[tuple[int, ...], int | None, Carry | None], ModelResponse],
    parse: Callable[[Any], Answer],
    carried: Callable[[Carry | None, Answer], Carry | None],
) -> list[Answer]:
    """Return the windows' answers in order; a window whose reply is too long is asked in halves that share a page.

    Args:
        windows: Page numbers of each window.
        ask: Asks a window, given its number (None for the only one) and where the windows before it ended.
        parse: Reads an answer.
        carried: What the next window is told, from what this one was told and its answer.
    """
    waiting, only = deque(windows), len(windows) == 1
    answers: list[Answer] = []
    carry: Carry | None = None
    while waiting:
        window = waiting.popleft()
        try:
            response = ask(window, None if only else len(answers) + 1, carry)
        except ReplyTooLongError:
            if len(window) <= SMALLEST_WINDOW:
                raise
            middle = len(window) // 2
            waiting.extendleft([window[middle:], window[: middle + 1]])
            only = False
            continue
        with response.being_read():
            answers.append(parse(response.data))
        carry = carried(carry, answers[-1])
    return answers


def _dispute_flag(dispute: Dispute) -> Flag:
    message = f"On the {dispute.subject} the survey says {dispute.survey}, the census {dispute.census}."
    return Flag(code=FlagCode.CENSUS_DISPUTE, message=message)


def _no_keyed_areas(page_set: PageSet) -> Flag:
    without_text = sum(page.characters == 0 for page in page_set.pages)
    message = f"None of the {len(page_set.pages)} pages read lists keyed areas."
    if without_text:
        # A scan that was not recognized is not a module without areas; the reader has to be able to tell.
        message += f" {without_text} of them have no text; an image is all that could be read of them."
    return Flag(code=FlagCode.NO_KEYED_AREAS, message=message)
