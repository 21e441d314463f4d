"""What a module says of itself around its areas: its pitch, its hooks, the home town, and every creature it names."""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from osrforge_resources.offline.creatures import kind_key
from osrforge_resources.offline.document import Document
from osrforge_resources.offline.key_runs import is_list_context
from osrforge_resources.offline.mentions import find_mentions
from osrforge_resources.offline.page_text import Block, BlockKind
from osrforge_resources.offline.prose import sentences
from osrforge_resources.offline.stat_blocks import find_stat_blocks, table_creatures
from osrforge_resources.offline.vocabulary import LICENCE_WORDS, words

_HOOKS = words(
    "rumou?rs?|hooks?|legends?|reasons to go|jobs|ganchos?|rumores|rumeurs|gerüchte|voci|background|trasfondo|hintergrund"
)
_BY_LINE = re.compile(
    r"^(?:by|written by|por|von|par|di|for characters|version|an? original)\b|https?://|©|\bcopyright\b|\bpublic domain\b",
    re.IGNORECASE,
)
_TOWN = re.compile(
    r"\b(?:[Tt]he\s+)?(?:[Vv]illage|[Tt]own|[Hh]amlet|[Cc]ity|[Ss]ettlement|[Bb]orough|[Tt]horp)\s+of\s+(?P<of>[A-ZÀ-Þ][\w'’-]+(?:\s[A-ZÀ-Þ][\w'’-]+){0,2})"
    r"|(?P<is>[A-ZÀ-Þ][\w'’-]+(?:\s[A-ZÀ-Þ][\w'’-]+){0,2})(?:,|\s+is)\s+an?\s+(?:\w+\s+){0,3}(?:village|town|hamlet|settlement|port|pirate haven)\b"
    r"|\b(?:[Pp]ueblo|[Aa]ldea|[Vv]illa|[Cc]iudad)\s+de\s+(?P<es>[A-ZÀ-Þ][\w'’-]+(?:\s[A-ZÀ-Þ][\w'’-]+){0,2})"
)
_SERVICE = words(
    "inn|tavern|temple|shrine|smith|smithy|blacksmith|shop|store|market|peddler|pedlar|merchant|healer|apothecary|stables?|"
    "trader|outfitter|chandler|bank|moneylender|alehouse|lodging|posada|taberna|templo|herrero|tienda|mercado|curandero"
)
_LIST_MARK = re.compile(r"^(?:\d{1,2}|[a-z])[.):]\s+|^[•*–-]\s+")
_LONGEST_PITCH = 600
_MOST_HOOKS = 24


@dataclass(frozen=True, slots=True)
class Frame:
    """What stands around the areas.

    Attributes:
        description: The module's own pitch, "" if none.
        hooks: Rumours and reasons to go.
        town: Name of the home base, "" if none is named.
        town_text: One or two sentences on it.
        services: Sentences that name a service there.
        monsters: Names of all creatures anywhere, each once, in order of appearance.
    """

    description: str
    hooks: tuple[str, ...]
    town: str
    town_text: str
    services: tuple[str, ...]
    monsters: tuple[str, ...]


def module_frame(document: Document, title: str, keyed: Collection[int]) -> Frame:
    """Return a document's frame.

    Args:
        document: The pages.
        title: Its title, which is no pitch.
        keyed: Indices of blocks that belong to areas.
    """
    outline = document.outline
    outside = [(index, block) for index, block in enumerate(outline.blocks) if index not in keyed]
    first_page = min(document.pages, default=1)
    opening = document.carry is None
    pitches = (
        block
        for index, block in outside
        if opening and block.page <= first_page + 1 and not is_list_context(outline.paths[index])
    )
    description = _pitch(pitches, title)
    hooks: list[str] = []
    for index, block in outside:
        path = outline.paths[index]
        if path and outline.headings[index] is None and _HOOKS.search(path[-1].text):
            hooks.extend(_hook_lines(block))
    prose = [block.text for _, block in outside if block.kind is not BlockKind.HEADING]
    town, town_text, services = _town(prose)
    return Frame(description, tuple(hooks[:_MOST_HOOKS]), town, town_text, services, tuple(_monsters(outline.blocks)))


def _pitch(blocks: Iterable[Block], title: str) -> str:
    for block in blocks:
        text = block.text
        if block.kind in {BlockKind.HEADING, BlockKind.TABLE} or text == title or _BY_LINE.search(text):
            continue
        if (
            re.search(r"(?:\.\s?){4,}", text)
            or LICENCE_WORDS.search(text)
            or len(text.split()) < 6
            or _LIST_MARK.match(text)
        ):
            continue
        return text if len(text) <= _LONGEST_PITCH else " ".join(sentences(text)[:3])[:_LONGEST_PITCH]
    return ""


def _hook_lines(block: Block) -> list[str]:
    if block.rows:
        return [row[-1] for row in block.rows[1:] if row and len(row[-1].split()) > 2]
    text = _LIST_MARK.sub("", block.text)
    return [text] if len(text.split()) > 3 else []


def _town(texts: Collection[str]) -> tuple[str, str, tuple[str, ...]]:
    for text in texts:
        match = _TOWN.search(text)
        if match is None:
            continue
        name = match["of"] or match["is"] or match["es"]
        told = [sentence for other in texts for sentence in sentences(other) if name in sentence]
        near = [sentence for other in texts if name in other for sentence in sentences(other)]
        services = tuple(
            dict.fromkeys(s.rstrip(".") for s in near if _SERVICE.search(s) and not re.match(r"[\w ]+:", s))
        )[:12]
        return name, " ".join(told[:2]), services
    return "", "", ()


def _monsters(blocks: Iterable[Block]) -> list[str]:
    names: dict[str, str] = {}
    for block in blocks:
        if LICENCE_WORDS.search(block.text[:2000]) and len(LICENCE_WORDS.findall(block.text[:2000])) > 1:
            continue
        found = [name for name, _ in table_creatures(block.rows)] if block.rows else []
        found.extend(stat.name for stat in find_stat_blocks(block.text))
        found.extend(mention.name for mention in find_mentions(block.text))
        for name in found:
            if name:
                names.setdefault(kind_key(name), name)
    return list(names.values())
