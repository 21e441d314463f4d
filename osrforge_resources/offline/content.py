"""The answer to a content request: each asked area found in the pages and read, from its own text alone."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from osrforge_resources.failures import MisuseError, PermanentProviderError
from osrforge_resources.keys import slug
from osrforge_resources.model_provider import ModelRequest, TextPart
from osrforge_resources.offline.document import Document, document_title, read_document
from osrforge_resources.offline.dungeons import place_runs
from osrforge_resources.offline.encounters import area_occupants
from osrforge_resources.offline.exits import AreaNames, find_exits
from osrforge_resources.offline.fixtures_and_traps import find_features, find_trap
from osrforge_resources.offline.keyed_areas import KeyedArea, area_text, flowing, keyed_runs
from osrforge_resources.offline.named_areas import named_runs
from osrforge_resources.offline.page_text import Block
from osrforge_resources.offline.stat_blocks import find_stat_blocks, table_creatures
from osrforge_resources.offline.treasure import find_treasure
from osrforge_resources.place_names import name_key
from osrforge_resources.request_text import AskedArea, LevelLead, read_level_lead

_NAMED = "\0"  # before a name that is a key, in the same index as the keys

# How sure a segmentation is, by how the key is printed: a heading or bold key is set apart by the layout, a bare number
# only by its list. An order of trust, not a calibration: no key of the truth files was segmented wrongly, in any form.
_CONFIDENCE = {"heading": 0.9, "bold": 0.9, "marked": 0.8, "bullet": 0.6, "bare": 0.7, "name": 0.6}


def answer_content(request: ModelRequest) -> dict[str, object]:
    """Return a content answer: one entry for each asked area whose text is on the pages; the others stay unanswered.

    Raises:
        PermanentProviderError: The request names neither areas nor keys.
    """
    lead = _lead(request)
    document = read_document(request)
    areas = _locate(document, lead)
    names = _known_names(lead)
    answers = [_answer(asked, areas[asked.key], names) for asked in lead.areas if asked.key in areas]
    return {"areas": answers}


def _lead(request: ModelRequest) -> LevelLead:
    last = next((part.text for part in reversed(request.parts) if isinstance(part, TextPart)), "")
    try:
        return read_level_lead(last)
    except MisuseError as error:
        # A prompt of another make still says in its schema which keys it wants.
        keys = _schema_keys(request.schema)
        if not keys:
            raise PermanentProviderError(
                "The content request names no areas that the offline reader could look for.",
                code="provider.offline_cannot",
                remedy="Ask a model provider, or build the request with this version of osrforge.",
            ) from error
        return LevelLead("", 1, (), tuple(AskedArea(key, key, "", ()) for key in keys))


def _schema_keys(schema: Mapping[str, object]) -> tuple[str, ...]:
    node: object = schema
    for step in ("properties", "areas", "items", "properties", "key", "enum"):
        node = node.get(step) if isinstance(node, Mapping) else None
    return tuple(str(key) for key in node) if isinstance(node, Sequence) and not isinstance(node, str) else ()


def _locate(document: Document, lead: LevelLead) -> dict[str, KeyedArea]:
    """Find each asked area: the one with its printed key, on its pages, in its level's list."""
    expected = {area.printed_key: area.name for area in lead.areas}
    runs = keyed_runs(document.outline, expected=expected)
    by_name = named_runs(document.outline, expected=[area.name or area.printed_key for area in lead.areas])
    title = document_title(document)
    placed = [
        (area, dungeon.name, level.number)
        for dungeon in place_runs(runs, document.outline, title=title)
        for level in dungeon.levels
        for area in level.areas
    ]
    placed.extend((area, "", 0) for run in by_name for area in run)
    crowd = _run_sizes(runs, expected)
    # By what a printed area answers to: comparing every asked with every printed one took 45 s of 3,000 areas, this 3.
    by_label: dict[str, list[int]] = defaultdict(list)
    for at, (area, _, _) in enumerate(placed):
        for label in _labels(area):
            by_label[label].append(at)
    found: dict[str, KeyedArea] = {}
    for asked in lead.areas:
        best: tuple[float, KeyedArea] | None = None
        fitting = {*by_label[slug(asked.printed_key)], *by_label[_NAMED + name_key(asked.printed_key)]}
        for area, dungeon, level in (placed[at] for at in sorted(fitting)):
            score = _match(asked, area, lead, dungeon, level) + crowd.get(id(area), 0.0)
            if score > 1.0 and (best is None or score > best[0]):
                best = (score, area)
        if best is not None:
            found[asked.key] = best[1]
    return found


def _run_sizes(runs: Sequence[Sequence[KeyedArea]], expected: Mapping[str, str]) -> dict[int, float]:
    """A list that holds more of the asked keys is more likely the level's own; worth less than any other fact."""
    sizes: dict[int, float] = {}
    for run in runs:
        size = 0.4 * sum(area.label in expected for area in run) / max(len(expected), 1)
        sizes |= dict.fromkeys(map(id, run), size)
    return sizes


def _labels(area: KeyedArea) -> set[str]:
    """Return what a printed area answers to: its key, with and without its word, or its name where that is its key."""
    named = {_NAMED + name_key(area.label)} if area.form == "name" else set[str]()
    return {slug(area.label), slug(area.bare), *named}


def _match(asked: AskedArea, area: KeyedArea, lead: LevelLead, dungeon: str, level: int) -> float:
    """Return how well a printed area that answers to the asked key fits otherwise; at most 1 means not at all."""
    score = 1.5
    if asked.pages:
        score += 1.0 if set(asked.pages) & set(area.pages[:1]) else 0.5 if set(asked.pages) & set(area.pages) else -1.0
    if asked.name:
        score += 1.0 if slug(asked.name) == slug(area.name) else 0.0
    score += 0.3 if level == lead.level else 0.0
    score += 0.3 if dungeon and slug(dungeon) == slug(lead.dungeon) else 0.0
    return score


def _known_names(lead: LevelLead) -> AreaNames:
    names = AreaNames()
    for area in lead.areas:
        for said in (area.printed_key, re.sub(r"^\D+\s+(?=\w*\d)", "", area.printed_key), area.name):
            if said and slug(said):
                names.setdefault(slug(said), area.key)
    return names


def _answer(asked: AskedArea, area: KeyedArea, names: AreaNames) -> dict[str, object]:
    blocks = flowing(area.blocks)
    text = area_text(blocks)
    # Paragraphs stay apart: a sentence never runs over from one into the next.
    prose = "\n\n".join(told for block in blocks if (told := _without_stat_blocks(block)))
    own = [own for own in (slug(area.label), slug(area.bare), slug(area.name), asked.key) if own]
    return {
        "key": asked.key,
        "description": prose or ("" if find_stat_blocks(text) else text),
        "encounters": [occupant.answer() for occupant in area_occupants(replace(area, blocks=blocks))],
        "trap": find_trap(prose),
        "treasure": find_treasure(prose),
        "features": find_features(prose),
        "connections": [way.answer() for way in find_exits(prose, names, own=own)],
        "source_pages": list(area.pages),
        "confidence": _confidence(area, text),
    }


def _without_stat_blocks(block: Block) -> str:
    if block.rows:
        return "" if table_creatures(block.rows) else block.text.replace("\n", "; ")
    text = block.text
    pieces: list[str] = []
    start = 0
    for found in find_stat_blocks(text):
        # `Ghoul: AC 6 …` goes whole; of `2 golems (HD 4 AC 3) guard …` only the bracket goes.
        opened = text[found.inner : found.inner + 1] in "(["
        cut = found.inner if opened or not _is_own_sentence(text, found.start) else found.start
        pieces.append(text[start:cut].strip())
        start = found.end
    text = " ".join(piece for piece in [*pieces, text[start:].strip()] if piece)
    return re.sub(r"[ ]{2,}", " ", re.sub(r"\s+([.,;:])", r"\1", text)).strip(" ;")


def _is_own_sentence(text: str, start: int) -> bool:
    before = text[max(0, start - 4) : start].rstrip()
    return not before or before[-1] in '.:;!?"”’)'


def _confidence(area: KeyedArea, text: str) -> float:
    sure = _CONFIDENCE[area.form.split()[0]]
    # An area of a few words may be cut off, or be printed that way.
    return round(sure - (0.2 if len(text) < 20 else 0.0), 2)
