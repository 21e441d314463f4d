"""Where a drawn map and the text beside it disagree about which areas there are. Pure.

Only maps drawn with letters that can be read take part: of a painted one nothing is known. Neither side is believed; the
doubt is said with the page it is about.
"""

import re
from collections.abc import Iterator

from osrforge_assets.contracts.flags import Flag, FlagCode
from osrforge_assets.contracts.pages import PageSet
from osrforge_assets.contracts.survey import SurveyIndex
from osrforge_resources.keys import slug

# A number or two in a picture are a scale or a year; a map has a key.
_FEWEST_KEYS = 3
# A map that shows fewer of the areas is a detail, and says nothing of the others.
_SHOWN_SHARE = 0.75
_KEY = re.compile(r"[1-9]\d{0,2}[a-z]?", re.IGNORECASE)


def map_flags(page_set: PageSet, index: SurveyIndex) -> list[Flag]:
    """Return a flag for each page whose map shows keys that no area bears, and for areas that no map shows.

    Args:
        page_set: The pages; `Page.labels` is what is drawn into their maps.
        index: The survey.
    """
    areas = [area for dungeon in index.dungeons for level in dungeon.levels for area in level.areas]
    printed = {slug(area.source_label) for area in areas} | {area.key for area in areas}
    maps = dict(_maps(page_set))
    flags: list[Flag] = []
    for page, keys in maps.items() if areas else ():
        unknown = [key for key in keys if slug(key) not in printed]
        # Where the map shows none of the areas, it is a map of something else.
        if unknown and len(unknown) < len(keys):
            message = f"The map of page {page} shows {', '.join(unknown)}, which the text describes nowhere."
            flags.append(Flag(code=FlagCode.MAP_DISAGREES, message=message, page=page))
    if sum(len(dungeon.levels) for dungeon in index.dungeons) == 1:
        flags += _unshown([area.key for area in areas], {slug(key) for keys in maps.values() for key in keys})
    return flags


def _maps(page_set: PageSet) -> Iterator[tuple[int, list[str]]]:
    """Yield each page that has a map with a key, and the keys on it in ascending order, each once."""
    for page in page_set.pages:
        keys = sorted({label for label in page.labels if _KEY.fullmatch(label)}, key=lambda key: (len(key), key))
        if len(keys) >= _FEWEST_KEYS:
            yield page.number, keys


def _unshown(areas: list[str], shown: set[str]) -> Iterator[Flag]:
    """Yield a flag for each numbered area that is on no map, where the maps show nearly all of them."""
    numbered = [key for key in areas if key.isdigit()]
    absent = [key for key in numbered if key not in shown]
    if len(numbered) - len(absent) >= max(_FEWEST_KEYS, _SHOWN_SHARE * len(numbered)):
        for key in absent:
            yield Flag(code=FlagCode.MAP_DISAGREES, message=f"No drawn map shows area {key}.", key=key)
