"""Flags: what is uncertain, missing or repaired, said next to the data instead of dropped.

Each code is stable and means one thing; the message names the particulars. A flag never changes the data beside it.
"""

from enum import StrEnum

from osrforge_assets.contracts.base import Contract


class FlagCode(StrEnum):
    """Every kind of doubt the module lane can express."""

    # The source document.
    SOURCE_REPAIRED = "source_repaired"  # a damaged file was read after repair
    SOURCE_PROTECTED = "source_protected"  # owner password only: readable, its author restricted copying
    SOURCE_HAS_SCRIPTS = "source_has_scripts"  # JavaScript is present and was not run
    SOURCE_HAS_ATTACHMENTS = "source_has_attachments"  # embedded files were not read
    SOURCE_IS_FORM = "source_is_form"  # an XFA form: only its fixed page content was read

    # A page.
    NO_TEXT_LAYER = "no_text_layer"  # a scan: nothing can be read without OCR or a vision model
    TEXT_FROM_OCR = "text_from_ocr"  # text was recognized from the image
    TEXT_REPAIRED = "text_repaired"  # one reading existed for damaged letters and was taken
    TEXT_UNMAPPED = "text_unmapped"  # glyphs without a Unicode meaning remain in the text
    TEXT_TURNED = "text_turned"  # the page was drawn sideways and was set upright
    PAGE_SCALED_DOWN = "page_scaled_down"  # the render is below the asked resolution to stay within its pixel limit
    PAGE_DAMAGED = "page_damaged"  # part of the page's content could not be read
    PAGE_FAILED = "page_failed"  # the page could not be loaded; the other pages are good
    PAGE_TIMED_OUT = "page_timed_out"  # the page took longer than its time limit

    # The survey.
    NO_KEYED_AREAS = "no_keyed_areas"  # nothing in the source is a keyed area
    CENSUS_DISPUTE = "census_dispute"  # the second reading names other dungeons, levels or keys
    KEY_RENAMED = "key_renamed"  # a printed key occurs twice in its level
    NAME_RENAMED = "name_renamed"  # two dungeons share a printed name
    LEVEL_RENUMBERED = "level_renumbered"  # a level's number was missing, repeated or below one
    PAGES_DROPPED = "pages_dropped"  # cited pages that the source or the request does not have
    AREA_WITHOUT_PAGES = "area_without_pages"  # the survey names no page for the area
    AREA_UNNAMED = "area_unnamed"  # an answer listed an area with neither key nor name; it was left out
    LEVEL_EMPTY = "level_empty"  # an answer named a level without a keyed area; it was left out
    WINDOW_CONFLICT = "window_conflict"  # two page windows say different things of one area or of the module

    # A level's content.
    AREA_MISSING = "area_missing"  # asked twice, never answered
    AREA_NOT_ASKED = "area_not_asked"  # neither the area nor its level has a page to read
    AREA_PAGES_UNREAD = "area_pages_unread"  # more pages are surveyed for the area than its request could carry
    DUPLICATE_ANSWER = "duplicate_answer"  # one reply answered one key twice; the first stands
    COUNT_CONFLICT = "count_conflict"  # the printed counts of one creature disagree

    # The dossier.
    MONSTER_NOT_ON_PAGE = "monster_not_on_page"  # the creature's name is not printed on its cited pages
    TREASURE_NOT_ON_PAGE = "treasure_not_on_page"
    DESCRIPTION_NOT_ON_PAGE = "description_not_on_page"
    MAP_DISAGREES = "map_disagrees"  # a drawn map and the text have different keys
    PAGE_WITHOUT_TEXT = "page_without_text"  # the cited pages have no text to look a fact up in
    CONNECTION_UNRESOLVED = "connection_unresolved"  # a connection to a key that no area of the level bears
    CONNECTION_ONE_WAY = "connection_one_way"  # the other area does not mention the way back
    LEVEL_ABSENT = "level_absent"  # the level has no content yet
    LEVEL_OUTDATED = "level_outdated"  # the level's content answers an older plan


class Flag(Contract):
    """One doubt about one thing.

    Attributes:
        code: What kind of doubt.
        message: One sentence with the particulars, for a person.
        page: The 1-based page of the source it concerns, None where it concerns no single page.
        key: The canonical area key it concerns, None where it concerns no single area.
    """

    code: FlagCode
    message: str
    page: int | None = None
    key: str | None = None
