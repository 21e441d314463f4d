"""The answer to a census request: first and last key of each level, counted line by line.

It shares no segmentation with the survey on purpose: it looks at line starts only, collects numbers as a set until one
comes twice, and asks of such a stretch only that it is long enough and that few of its lines read like table rows. Where
the two readings differ, a person has something to look at.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from osrforge_resources.model_provider import ModelRequest, TextPart
from osrforge_resources.request_text import Carry, read_carry, read_page

_LINE_KEY = re.compile(
    r"(?P<mark>(?:> )?(?:#{1,6} |- )?(?:\*\*)?[\[(]?)"
    r"(?P<word>(?i:area|room|location|chamber|cave|sala|habitaci[oó]n|estancia|zona|salle|pièce|raum|zimmer|stanza)s?\s+)?"
    r"(?P<key>(?P<prefix>[A-Z]{0,2})(?P<number>\d{1,4})(?P<suffix>[a-z]?)(?:\s?[-–]\s?(?P<end>\d{1,3}))?)"
    r"(?:\*\*)?(?P<stop>[.:)\]]|\s[-–—]\s|(?=\s[A-Z\"“¡¿«])|(?=\*\*)|$)(?![\d'′])",
)
_HEADING = re.compile(r"^(?:> )?(#{1,6}) (.*)$")
_LEVEL = re.compile(
    r"\b(?:level|nivel|niveau|ebene|livello|floor)\s+(\d{1,2})\b"
    r"|\b(first|second|third|fourth|fifth)\s+(?:dungeon\s+)?(?:level|floor)\b",
    re.IGNORECASE,
)
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5}
_TABLE_HEADING = re.compile(
    r"\b(?:wandering|random|rumou?rs?|tables?|contents|index|hooks?|spells?|spellbook|encounters\b(?! areas?)|effects?|licen[cs]e|"
    r"d\d{1,3}|errantes|aleatori\w+|rumores|índice|appendix|names|steps?|procedure|bibliography|references|rules|events|scenes?|credits)\b",
    re.IGNORECASE,
)
_NOT_TABLE = re.compile(r"\b(?:areas?|key|rooms?)\b", re.IGNORECASE)
_CAPITALS = re.compile(
    r"[A-ZÀ-Þ][\w'’-]*(?:[ ,:]+(?:of|the|and|in|on|at|under|for|a|an|de|la|el|los|las|del|y|[A-ZÀ-Þ(][\w'’)-]*))*"
)
_PLACE = re.compile(
    r"\b(?:room|chamber|hall|corridor|passage|door|wall|floor|stair|cave|cavern|chest|pit|tunnel|crypt|tomb|cell|entrance|altar|statue|"
    r"north|south|east|west|sala|puerta|pasillo|pared|norte|sur|cueva|escalera|cofre|salle|porte|raum|tür|wand|stanza|porta|pantry|"
    r"store|cellar|niche|barred|corpse|painting|mosaic|carving|key|guard|bench|ground|stands|lies|corner|pool|campfire)\w*\b"
    r"|\d+\s?['′]\s?[x×]",
    re.IGNORECASE,
)
_ROW = re.compile(
    r"\d+d\d+|\bAC\s?\d|\bHD\s?\d|\(true\)|\(false\)|turn to \d|\.{4}|open game|product identity|contributor",
    re.IGNORECASE,
)
_CONNECTIONS = re.compile(
    r"(?:\*\*)?(?:connections|conexiones|conecctions|connexions|verbindungen|collegamenti):", re.IGNORECASE
)


@dataclass(slots=True)
class _Stretch:
    level: int | None
    heading: str
    style: tuple[str, bool, bool]
    keys: dict[int, str] = field(default_factory=dict)
    lines: int = 0
    places: int = 0
    rows: int = 0


def answer_census(request: ModelRequest) -> dict[str, object]:
    """Return a census answer."""
    texts = [part.text for part in request.parts if isinstance(part, TextPart)]
    pages = dict(page for text in texts if (page := read_page(text)) is not None)
    carry = next((found for text in texts if (found := read_carry(text)) is not None), None)
    lines = [line.strip() for _, text in sorted(pages.items()) for line in text.split("\n") if line.strip()]
    title = _title(lines)
    kept = [stretch for stretch in _stretches(lines) if _counts(stretch, continued=carry is not None)]
    if kept:
        return {"dungeons": _dungeons(kept, title, carry)}
    linked = _linked_headings(lines)
    if len(linked) < 3:
        return {"dungeons": []}
    return {"dungeons": [{"name": title, "levels": [{"number": 1, "first_key": linked[0], "last_key": linked[-1]}]}]}


def _title(lines: Sequence[str]) -> str:
    headed = next((match[2] for line in lines if (match := _HEADING.match(line)) and match[1] == "#"), None)
    plain = next((line for line in lines if len(line) < 80 and line[:1].isupper() and line[-1:].isalnum()), "")
    return (headed or plain.lstrip("# "))[:120]


def _dungeons(stretches: Sequence[_Stretch], title: str, carry: Carry | None) -> list[dict[str, object]]:
    dungeons: list[tuple[str, dict[int, list[str]]]] = []
    if carry is not None:
        dungeons.append((carry.dungeon, {}))
    level = carry.level if carry is not None else 0
    before = ""
    for stretch in stretches:
        first, last = stretch.keys[min(stretch.keys)], stretch.keys[max(stretch.keys)]
        goes_on = carry is not None and not dungeons[-1][1] and min(stretch.keys) > 1
        number = stretch.level or (level if goes_on else level + 1)
        # A level number that falls back opens the next dungeon; the heading it stands under is its name.
        elsewhere = dungeons and stretch.level is None and stretch.heading not in {"", title, dungeons[-1][0], before}
        if not dungeons or (not goes_on and min(stretch.keys) == 1 and (elsewhere or number in dungeons[-1][1])):
            level, number = 0, stretch.level or 1
            dungeons.append((title if not dungeons else stretch.heading or title, {}))
        before = stretch.heading
        level = number
        known = dungeons[-1][1].setdefault(number, [first, last])
        known[1] = last
    # With one site its title names it; with several each has a heading of its own.
    if carry is None and len(dungeons) > 1 and stretches[0].heading:
        dungeons[0] = (stretches[0].heading, dungeons[0][1])
    return [
        {
            "name": name,
            "levels": [{"number": n, "first_key": keys[0], "last_key": keys[1]} for n, keys in levels.items()],
        }
        for name, levels in dungeons
        if levels
    ]


def _stretches(lines: Iterable[str]) -> list[_Stretch]:
    found: list[_Stretch] = []
    level, skipping, named, after_heading = None, False, "", False
    for line in lines:
        match = _LINE_KEY.match(line)
        if match is None or _LEVEL.search(line[:60]):
            over = _HEADING.match(line)
            if over or (len(line) < 70 and line[-1:].isalnum() and _LEVEL.search(line)):
                heading = re.sub(r"^[># ]+|\*", "", line)
                table = bool(_TABLE_HEADING.search(heading)) and not _NOT_TABLE.search(heading)
                # `d6` and `What turns up` side by side are the head cells of one table.
                skipping = table or (skipping and after_heading)
                after_heading = True
                said = _LEVEL.search(heading)
                level = (int(said[1]) if said[1] else _ORDINALS[said[2].lower()]) if said else level
                named = heading if not said and not skipping and _CAPITALS.fullmatch(heading) else named
            else:
                after_heading = False
            continue
        after_heading = False
        # `1–4.` alone is the number cell of a table; a lone key is an entry only as a heading or in bold.
        alone = match.end() == len(line) and not match["mark"].strip(" >-")
        if alone or (skipping and not match["word"]):
            continue
        stretch = _stretch_for(found, match, level, named)
        # A level heading speaks for the list that follows it, not for every later one.
        level = None
        _add(stretch, match, line)
    return found


def _stretch_for(found: list[_Stretch], match: re.Match[str], level: int | None, heading: str) -> _Stretch:
    style = (
        match["prefix"],
        bool(match["word"]),
        match["stop"] == "" and "#" not in match["mark"] and "*" not in match["mark"],
    )
    number = int(match["number"])
    if (
        found
        and found[-1].style == style
        and (number not in found[-1].keys or match["suffix"])
        and level in {None, found[-1].level}
    ):
        return found[-1]
    fresh = _Stretch(level, heading, style)
    found.append(fresh)
    return fresh


def _add(stretch: _Stretch, match: re.Match[str], line: str) -> None:
    key = ((match["word"] or "") + match["key"]).strip()
    number = int(match["end"] or match["number"])
    # The last printed key of a number is its last sub-area (`4`, `4a`, `4b`); the first key of all stays.
    if number not in stretch.keys or number != min(stretch.keys):
        stretch.keys[number] = key
    head = line[:160]
    stretch.lines += 1
    stretch.places += bool(_PLACE.search(head))
    stretch.rows += bool(_ROW.search(head[:80]))


def _counts(stretch: _Stretch, *, continued: bool) -> bool:
    """Whether a stretch is a level: starts like a list, has few holes, and more lines about places than table rows."""
    lowest, highest = min(stretch.keys), max(stretch.keys)
    starts = lowest <= 1 or continued or stretch.lines >= 4
    dense = highest - lowest + 1 <= 2 * len(stretch.keys)
    worded = stretch.style[1]
    long_enough = stretch.lines >= 2 or worded
    return (
        starts
        and dense
        and long_enough
        and stretch.rows * 2 < stretch.lines
        and (worded or stretch.places * 4 >= stretch.lines)
    )


def _linked_headings(lines: Iterable[str]) -> list[str]:
    """Headings under which a line of connections is printed, each once."""
    found: list[str] = []
    heading = ""
    for line in lines:
        if over := _HEADING.match(line):
            heading = over[2]
        elif heading and _CONNECTIONS.search(line):
            found.append(heading)
            heading = ""
    return list(dict.fromkeys(found))
