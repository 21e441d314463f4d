"""The answer to a survey request: dungeons, levels, keyed areas with their pages, and what the module says of itself."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from osrforge_resources.model_provider import ModelRequest
from osrforge_resources.offline.document import Document, document_title, read_document
from osrforge_resources.offline.dungeons import Dungeon, Level, place_runs
from osrforge_resources.offline.frame import module_frame
from osrforge_resources.offline.keyed_areas import KeyedArea, area_text, keyed_runs
from osrforge_resources.offline.named_areas import connected_names, named_runs
from osrforge_resources.offline.vocabulary import CONNECTIONS_LINE, level_number, words

_MAP_HEADING = words("maps?|map of|mapas?|carte|plan|karte|mappa|floor ?plan")
_LEGEND = words(
    "(?:(?:secret|stuck|locked|concealed|barred|false|double|one-way) )?doors?|stairs?(?: up| down)?|stair well|chute|way in|entrance|"
    "trapdoor|pit|portcullis|statue|pillar|(?:one|1) square (?:is|=) .*|scale.*|legend|key|puertas?(?: secretas?)?|escaleras?"
)
# A page with more words than this is read for its words.
_LONGEST_LEGEND = 600
_WORD = re.compile(r"[^\W\d_]{3,}")
# A page with fewer words has none to read.
_FEWEST_WORDS = 3
_KINDS = (
    ("corridor", words("corridors?|passages?|passageway|hallways?|tunnels?|gallery|crawlway|pasillo|corredor|t[uú]nel|couloir|gang|corridoio")),
    ("cave", words("caves?|caverns?|grotto|den|burrow|cuevas?|grutas?|grottes?|höhle|grotta|caverna")),
    ("room", words(
        "rooms?|chambers?|halls?|vaults?|cells?|crypts?|tombs?|library|kitchens?|pantry|armou?ry|barracks|shrine|temple|chapel|"
        "laborator(?:y|ies)|workshop|stores?|storeroom|storage|cellars?|study|office|bedrooms?|quarters|antechamber|vestibule|"
        "foyer|niche|closet|prison|throne|sanctum|cabin|shop|tavern|guardroom|stair|stairs|bin|press|den|pen|nest|house|inn|"
        "salas?|habitaci[oó]n|estancia|c[aá]mara|celda|cripta|cocina|biblioteca|templo|capilla|salle|chambre|raum|zimmer|kammer|stanza|sala"
    )),
    ("landmark", words(
        "bridge|tower|gate|gatehouse|well|pool|pond|lake|river|beach|shore|statue|tree|ruins?|camp|clearing|grove|courtyard|yard|"
        "garden|square|harbou?r|shipyard|swamp|jungle|forest|hill|cliff|outside|exterior|deck|alley|waterfall|spring|fountain|"
        "puente|torre|puerta|pozo|lago|r[ií]o|playa|plaza|muelle|pantano|selva|bosque|patio|jard[ií]n|pont|tour|puits|brücke|turm|ponte"
    )),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _MapPage:
    """A page that may show a map, and the numbers of the levels it names."""

    page: int
    named: frozenset[int | None]


def answer_survey(request: ModelRequest) -> dict[str, object]:
    """Return a survey answer; a document without keyed areas has no dungeons."""
    document = read_document(request)
    title = document_title(document)
    dungeons = find_dungeons(document, title)
    keyed = {
        block for dungeon in dungeons for level in dungeon.levels for area in level.areas for block in _indices(area)
    }
    frame = module_frame(document, title, keyed)
    maps = _read_map_pages(document)
    return {
        "title": title,
        "description": frame.description,
        "hooks": list(frame.hooks),
        "town": {"name": frame.town, "description": frame.town_text, "services": list(frame.services)},
        "dungeons": [_dungeon(dungeon, maps) for dungeon in dungeons],
        "monster_names": list(frame.monsters),
    }


def find_dungeons(document: Document, title: str) -> list[Dungeon]:
    """Return the dungeons that a document's areas make up: its numbered lists, or where it has none, its named places."""
    runs = keyed_runs(document.outline, last_key=document.carry.last_key if document.carry else "")
    # Numbered scenes of a story whose places print their connections under names are scenes, not areas.
    linked = any(CONNECTIONS_LINE.search(area_text(area.blocks)) for run in runs for area in run if area.form != "name")
    if not runs or (connected_names(document.outline) and not linked):
        runs = named_runs(document.outline)
    return place_runs(runs, document.outline, title=title, carry=document.carry)


def _indices(area: KeyedArea) -> range:
    return range(area.index, area.index + len(area.blocks))


def _dungeon(dungeon: Dungeon, maps: Sequence[_MapPage]) -> dict[str, object]:
    levels_on = Counter(page for level in dungeon.levels for page in _pages_of(level))
    levels = [
        {
            "number": level.number,
            "map_pages": _map_pages(level, levels_on, maps),
            "areas": [
                {"key": area.label, "name": area.name, "source_pages": list(area.pages), "kind": _kind(area)}
                for area in level.areas
            ],
        }
        for level in dungeon.levels
    ]
    return {"name": dungeon.name, "levels": levels}


def _read_map_pages(document: Document) -> list[_MapPage]:
    """The pages that may show a map, as far as text can tell: headed `Map`, with a map's legend, or without words.

    A page of words cannot say that it also shows a map; the pages of one level's key are sent with every request anyway.
    """
    found: list[_MapPage] = []
    for page, text in zip(document.pages, document.texts, strict=True):
        headed = _is_map_page(text)
        wordless = sum(1 for _ in islice(_WORD.finditer(text), _FEWEST_WORDS)) < _FEWEST_WORDS
        if headed or wordless:
            named = {level_number(line) for line in text.split("\n") if line.startswith("#")} if headed else set()
            found.append(_MapPage(page, frozenset(named - {None})))
    return found


def _map_pages(level: Level, levels_on: Mapping[int, int], maps: Sequence[_MapPage]) -> list[int]:
    """Of the pages that may show a map, those that show this level's: they stand among its pages, or next to them.

    Args:
        level: The level.
        levels_on: How many levels of its dungeon each page keys.
        maps: The candidates, ascending: all pages looked at for each of 400 levels took 58 s, the candidates near it 0.1.
    """
    pages = _pages_of(level)
    first, last = min(pages), max(pages)
    near = slice(bisect_left(maps, first - 3, key=_page_of), bisect_left(maps, last + 2, key=_page_of))
    found: list[int] = []
    for candidate in maps[near]:
        page = candidate.page
        if page in pages:
            continue
        elsewhere = levels_on.get(page, 0) > 0
        if candidate.named and not elsewhere:
            # A page of maps that names levels shows those, of the dungeon whose key follows or surrounds it.
            if level.number in candidate.named:
                found.append(page)
            continue
        between = first <= page <= last
        beside = page in {first - 1, last + 1} and page > 1 and not elsewhere
        if between or beside:
            found.append(page)
    return found


def _page_of(candidate: _MapPage) -> int:
    return candidate.page


def _pages_of(level: Level) -> set[int]:
    return {page for area in level.areas for page in area.pages}


def _is_map_page(text: str) -> bool:
    """Whether a page's few words are a map's: a heading `Map`, or the legend of one."""
    if len(text) > _LONGEST_LEGEND:
        return False
    lines = [line for line in text.split("\n") if line.strip()]
    legend = sum(bool(_LEGEND.fullmatch(line.strip("# >*.").strip())) for line in lines)
    return bool(_MAP_HEADING.search(text[:80])) or legend >= 2


def _kind(area: KeyedArea) -> str:
    for text in (area.name, _first_sentence(area_text(area.blocks[:1]))):
        matches = [(match.start(), kind) for kind, pattern in _KINDS if text and (match := pattern.search(text))]
        if matches:
            return min(matches)[1]
    return "other" if not _any_text(area.blocks) else "room"


def _first_sentence(text: str) -> str:
    return re.split(r"(?<=[.!?])\s", text, maxsplit=1)[0][:160]


def _any_text(blocks: Sequence[object]) -> bool:
    return bool(blocks)
