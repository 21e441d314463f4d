"""Stat blocks in running text and in tables: whose they are, how many, and where they stand.

Read as words and figures, so a block reads the same at any line width: `AC 7 [12]`, `AC -2`, `AC: 6`, `Armour Class 5`,
`HD 1+1`, `hp 5`, `MV 120' (40')`, with hyphen, minus or en dash, in brackets or bare, after `Name:`, `Name (4):`,
`4 names (`.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from osrforge_resources.offline.counts import Count, read_count
from osrforge_resources.offline.creatures import LEXICON, is_creature

# A statistic and its value. The first group names what makes a block a creature's; the others only fill it up.
_SIGN = r"[+\-−–—]?"
_STAT = re.compile(
    rf"(?<![\w'’])(?:(?P<core>AC|A\.C\.|Armou?r\s+[Cc]lass|ARMOU?R\s+CLASS|HD|H\.D\.|Hit\s+[Dd]ice|HIT\s+DICE|CA|DG|DV|PV|DEF|TP|RK|CdP)"
    rf"|(?P<more>hp|HP|h\.p\.|hit\s+points|Hit\s+[Pp]oints|THAC0|#\s?AT|#\s?ATT|No\.\s?AT|Att|ATT|Atk|AT|Attacks?|D|Dmg|DMG|Dam|"
    rf"Damage|MV|Mv|Mov|Move|Movement|Sv|SV|Save|Saves|ML|Morale|AL|Align|XP|Int|TT|SA|SD|Size|EAC|MC|M\.?V\.?))"
    rf"\s?[:=]?\s?(?P<value>{_SIGN}\d[\d,.]*(?:\s?d\s?\d+)?(?:\s?[+*/\-−–—]+\s?\d+(?:d\d+)?)*[*]*['′\"″]?|[½¼¾]|"
    r"(?:F|C|M|T|D|E|H|NM|MU|W|L|N)\s?\d{0,2}\b|[A-Z][a-z]+(?=[,;.)\s])|\d+/\d+|special|nil)?"
)
# Statistics of one block stand close: attack texts (`1 × weapon (1d6 or by weapon)`) are the longest stretches between.
_LONGEST_GAP = 70
_LEAST_STATS = 2
_NAME_BEFORE = re.compile(
    r"(?:(?P<count>\d{1,4}|\d{0,3}d\d{1,3}(?:[+-]\d+)?|\d{1,3}\s?[-–]\s?\d{1,3})\s?[x×]?\s+)?"
    r"(?P<name>(?:[^\W\d_][\w'’-]*)(?:[ ,](?:[^\W\d_][\w'’-]*|,)){0,4})"
    r"\s*(?:[x×]\s?(?P<times>\d{1,3})|\(\s?(?P<paren>\d*d\d+(?:[+-]\d+)?|\d+\s?[-–—]\s?\d+|\d{1,4})\s?\))?\s*[:;,.–—-]?\s*[(\[]?\s*$"
)
_HP_LIST = re.compile(r"\b(?:hp|HP|hit points|PV|PG)\s?[:=]?\s?(\d{1,3}(?:\s?(?:,|/|;|and|&)\s?\d{1,3})+)(?!\s?['d])")
_TAIL = re.compile(
    r"(?:[,;/]?\s?(?:\d*d\d+[^\s.;,()]*|[A-Z]{1,2}\s?\d{1,2}\b|each\b|\([^()]{0,80}\)|\[[^\]]{0,40}\]))*\s?[.;]?"
)
_ONE = re.compile(r"\b(?:an?|una?|une?|ein|eine|one)\s+$", re.IGNORECASE)
_TRAILING = frozenset("here there inside within".split())
_NOT_NAMES = frozenset(
    """
    the a an each all and or with has have of in is are it they he she as to for armed every both these those its
    their treats treat attack attacks unarmoured level levels save saves
    """.split()
)
_COUNT_HEADS = re.compile(r"^(?:#|no\.?|number|count|qty|n[uú]m(?:ero)?\.?|cantidad|anzahl|nombre)$", re.IGNORECASE)
_NAME_HEADS = re.compile(
    r"^(?:name|monster|creature|type|criatura|monstruo|nombre|nom|créature|kreatur|nome|mostro)$", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class StatBlock:
    """A stat block.

    Attributes:
        name: The creature's name as printed before it, "" if none is.
        count: How many it says it is for.
        start: Offset of name or block in the text, whichever the block's line starts with.
        inner: Offset where the statistics start, opening bracket included.
        end: Offset after it, closing bracket included.
        hit_points: How many hit point values it lists, 0 if it lists none or one.
    """

    name: str
    count: Count
    start: int
    inner: int
    end: int
    hit_points: int = 0


def find_stat_blocks(text: str) -> list[StatBlock]:
    """Return the stat blocks of a running text, in order; none overlap."""
    groups = _groups(text)
    blocks: list[StatBlock] = []
    floor = 0
    for group in groups:
        if len({_kind(match) for match in group}) < _LEAST_STATS or not any(match["core"] for match in group):
            continue
        block = _block(text, group, floor)
        blocks.append(block)
        floor = block.end
    return blocks


def _kind(match: re.Match[str]) -> str:
    return re.sub(r"[^a-z]", "", (match["core"] or match["more"]).lower())[:2]


def _groups(text: str) -> list[list[re.Match[str]]]:
    groups: list[list[re.Match[str]]] = []
    for match in _STAT.finditer(text):
        if match["value"] is None and not match["core"]:
            continue
        current = groups[-1] if groups else None
        if current is None or match.start() - current[-1].end() > _LONGEST_GAP or _starts_again(current, match):
            groups.append([match])
        else:
            current.append(match)
    return groups


def _starts_again(group: Sequence[re.Match[str]], match: re.Match[str]) -> bool:
    """Whether a statistic opens the next creature's block: a core one named twice."""
    if not match["core"]:
        return False
    return any(_kind(match) == _kind(other) for other in group if other["core"])


def _block(text: str, group: Sequence[re.Match[str]], floor: int) -> StatBlock:
    start, end = group[0].start(), group[-1].end()
    opened = text.rfind("(", max(floor, start - 24), start)
    bracketed = opened >= 0 and ")" not in text[opened:start]
    inner = opened if bracketed else start
    end = _closing(text, opened, end) if bracketed else _sentence_stop(text, end)
    before = text[max(floor, inner - 90) : inner]
    # A name starts after the sentence or block before it.
    before = re.split(r"[.!?;]\s+|\n|\bactually\b|\(\s?actually", before)[-1]
    named = _NAME_BEFORE.search(before)
    name, count, begin = "", Count(), inner
    if named is not None:
        name = _trim(named["name"])
        said = named["count"] or named["times"] or named["paren"]
        count = (read_count(said) if said else None) or Count()
        begin = inner - (len(before) - named.start()) if name else inner
        first, _, rest = name.partition(" ")
        if rest and not count.stated and (worded := read_count(first)) is not None:
            # `Six orcs (AC 6 …`.
            name, count = rest, worded
        head = before[: named.end("name")].rfind(name) if name else -1
        if not count.stated and head > 0 and _ONE.search(before[:head]):
            count = Count(fixed=1)
    values = _HP_LIST.search(text, start, end)
    return StatBlock(name, count, begin, inner, end, len(re.findall(r"\d+", values[1])) if values else 0)


def _trim(name: str) -> str:
    """Keep the words of a name that belong to it: the last capitalized stretch or what follows the last small word."""
    words = name.replace(",", " , ").split()
    kept: list[str] = []
    while words and words[-1].lower() in _TRAILING:
        words.pop()
    for word in reversed(words):
        if word == "," or word.lower() in _NOT_NAMES:
            break
        kept.insert(0, word)
    # `Giant Rat` after running text: the capitals are the name. `goblin archers` has none and is kept whole.
    if kept and kept[-1][:1].isupper() and any(word[:1].islower() for word in kept):
        while kept[0][:1].islower():
            kept.pop(0)
    return " ".join(kept)


def _closing(text: str, opened: int, end: int) -> int:
    depth = 0
    for index in range(opened, min(len(text), end + 200)):
        if text[index] == "(":
            depth += 1
        elif text[index] == ")":
            depth -= 1
            if depth == 0:
                return max(index + 1, end)
    return end


def _sentence_stop(text: str, end: int) -> int:
    """The end of an unbracketed block: attack notes in brackets and the full stop after it belong to it."""
    match = _TAIL.match(text, end)
    return match.end() if match else end


def table_creatures(rows: Sequence[Sequence[str]]) -> list[tuple[str, Count]]:
    """Return the creatures of a tabular stat block: a table with a name column and at least one core statistic."""
    if len(rows) < 2:
        return []
    head = [cell.strip() for cell in rows[0]]
    core = [
        index
        for index, cell in enumerate(head)
        if re.fullmatch(r"AC|HD|CA|DG|Armou?r [Cc]lass|Hit [Dd]ice|hp|HP", cell)
    ]
    if not core:
        return _upright_table(rows)
    counted = next((index for index, cell in enumerate(head) if _COUNT_HEADS.match(cell)), None)
    named = next((index for index, cell in enumerate(head) if _NAME_HEADS.match(cell)), 0)
    found: list[tuple[str, Count]] = []
    for row in rows[1:]:
        if named >= len(row) or not re.search(r"[^\W\d_]{2}", row[named]):
            continue
        name, count = split_count(row[named])
        if counted is not None and counted < len(row):
            count = read_count(row[counted]) or count
        found.append((name, count))
    return found


def _upright_table(rows: Sequence[Sequence[str]]) -> list[tuple[str, Count]]:
    """A table of one creature, its statistics as rows: the first cell that is no statistic names it."""
    labels = [row[0].strip() for row in rows if row]
    core = sum(bool(re.fullmatch(r"AC|HD|CA|hp|HP|Armou?r [Cc]lass|Hit [Dd]ice", label)) for label in labels)
    if core < 1 or len(rows[0]) > 2:
        return []
    name, count = split_count(labels[0])
    return [(name, count)] if any(word.lower() in LEXICON or is_creature(word) for word in name.split()) else []


def split_count(printed: str) -> tuple[str, Count]:
    """Return a name without the count printed before or after it, and the count."""
    text = printed.strip()
    before = re.match(r"(\d{1,4}|\d*d\d+(?:[+-]\d+)?|\d+\s?[-–]\s?\d+)\s?[x×]?\s+(?=[^\W\d_])", text)
    after = re.search(r"\s*(?:[x×]\s?(\d{1,4})|\(\s?(\d*d\d+(?:[+-]\d+)?|\d+\s?[-–]\s?\d+|\d{1,4})\s?\))\s*$", text)
    if before and (count := read_count(before[1])):
        return text[before.end() :].strip(" :"), count
    if after and (count := read_count(after[1] or after[2])):
        return text[: after.start()].strip(" :"), count
    return text.strip(" :"), Count()
