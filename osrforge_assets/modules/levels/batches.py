"""How a level's areas are shared out over requests: sliding windows over its pages, each area asked exactly once."""

from collections.abc import Sequence
from dataclasses import dataclass

from osrforge_assets.contracts.survey import SurveyArea, SurveyLevel
from osrforge_assets.modules.page_windows import page_windows

# Services cap every image at 2000 px from the 21st on, so a request grows to 20 pages of its own; a careless survey may
# cite a hundred for one area. A wider window may still double, or an area on its last page would be cut.
_MOST_PAGES = 20


@dataclass(frozen=True, slots=True)
class PlannedBatch:
    """One request to be: its pages and the areas it must answer.

    Attributes:
        number: 1-based within the level.
        pages: One window over the level's sorted page set; empty when only map pages are read.
        tail_pages: Pages beyond the window on which its own areas go on.
        map_pages: All of the level's map pages, ascending.
        areas: In printed order, never empty.
    """

    number: int
    pages: tuple[int, ...]
    tail_pages: tuple[int, ...]
    map_pages: tuple[int, ...]
    areas: tuple[SurveyArea, ...]

    @property
    def part_pages(self) -> tuple[int, ...]:
        """The request's page order: map pages, with which all requests of the level begin, then the other own pages."""
        return self.map_pages + tuple(page for page in self.pages + self.tail_pages if page not in self.map_pages)


def plan_batches(level: SurveyLevel, batch_pages: int) -> tuple[PlannedBatch, ...]:
    """Share a level's areas out over windows of `batch_pages` pages that overlap by one.

    Each area belongs to the earliest window that contains its first page; areas without pages go to the last batch;
    windows that own no area are dropped. A level with neither area pages nor map pages needs no call: ().

    Raises:
        MisuseError: `batch_pages` is below 2 (a `ValueError`).
    """
    map_pages = tuple(sorted(set(level.map_pages)))
    windows = page_windows((page for area in level.areas for page in area.source_pages), batch_pages)
    if not windows:
        return (PlannedBatch(1, (), (), map_pages, level.areas),) if map_pages else ()
    # Later windows are laid down first, so a page that two share counts for the earlier one.
    window_of = {page: index for index in reversed(range(len(windows))) for page in windows[index]}
    owners = [window_of[min(area.source_pages)] if area.source_pages else None for area in level.areas]
    # "Last" is the last window that is asked at all: an area without pages never revives an empty window.
    last = max(owner for owner in owners if owner is not None)
    owned: dict[int, list[SurveyArea]] = {}
    for area, owner in zip(level.areas, owners, strict=True):
        owned.setdefault(last if owner is None else owner, []).append(area)
    return tuple(
        PlannedBatch(number, windows[index], _tail(windows[index], owned[index]), map_pages, tuple(owned[index]))
        for number, index in enumerate(sorted(owned), start=1)
    )


def _tail(window: Sequence[int], areas: Sequence[SurveyArea]) -> tuple[int, ...]:
    """Return the pages beyond a window on which its areas go on.

    The overlap makes an area whole that begins before the shared page and ends on it. One that begins *on* the shared
    page belongs to the earlier window and would be cut: the pages it runs on to ride along, and so do pages far off that say
    more of it (a roster, a list of exits).
    """
    beyond = {page for area in areas for page in area.source_pages} - set(window)
    return tuple(sorted(beyond)[: max(len(window), _MOST_PAGES - len(window))])
