"""The answer to a census request: first and last key of each level, counted line by line.

It shares no segmentation with the survey on purpose: it looks at line starts only, collects numbers as a set until one
comes twice, and asks of such a stretch only that it is long enough and that few of its lines read like table rows. Where
the two readings differ, a person has something to look at.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from osrforge_resources.model_provider import ModelRequest, TextPart
from osrforge_resources.offline.census_lines import KeyLine, Reading, as_lines, read_key_line
from osrforge_resources.request_text import Carry, read_carry, read_page

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


# A name is said in so many letters; whatever a line says of places further on is said in prose.
_NAME = 40
# Three letters in a row are a list; two are as often initials, or the options of a question.
_FEWEST_LETTERED = 3
_LARGEST_GAP = 2


@dataclass(slots=True)
class _Stretch:
    level: int | None
    heading: str
    style: tuple[str, bool, str]
    keys: dict[int, str] = field(default_factory=dict)
    lines: int = 0
    places: int = 0
    rows: int = 0
    at: int = 0
    inside: "_Stretch | None" = None
    asked: bool = False

    @property
    def lettered(self) -> bool:
        return self.style[0] in {"letter", "roman"}


def answer_census(request: ModelRequest) -> dict[str, object]:
    """Return a census answer."""
    texts = [part.text for part in request.parts if isinstance(part, TextPart)]
    pages = dict(page for text in texts if (page := read_page(text)) is not None)
    carry = next((found for text in texts if (found := read_carry(text)) is not None), None)
    lines = list(
        as_lines(line.strip() for _, text in sorted(pages.items()) for line in text.split("\n") if line.strip())
    )
    title = _title(lines)
    found = [stretch for stretch in _stretches(lines) if _counts(stretch, continued=carry is not None)]
    # A list inside an area of another list is no level; one inside a list that is none may be.
    counted = {id(stretch) for stretch in found}
    kept = [stretch for stretch in found if id(stretch.inside) not in counted]
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
    reader = _Reader()
    for line in lines:
        key = read_key_line(line)
        if key is None or _LEVEL.search(line[:60]):
            reader.read_other(line)
        else:
            reader.read_key(key, line)
        reader.before = line
    return reader.found


@dataclass(slots=True)
class _Reader:
    """The stretches so far, and what stood over the line that is read.

    Attributes:
        found: All stretches in order.
        numbered: The last one of numbers, None before the first.
        lettered: The last one of letters or Roman numerals.
        level: What the last level heading said, until a list took it.
        skipping: Whether the last heading announced a table.
        named: The last heading that may name a site.
        after_heading: Whether the line before is a heading.
        headed: Whether a heading stands between the last key and here.
        before: The line before.
    """

    found: list[_Stretch] = field(default_factory=list)
    numbered: _Stretch | None = None
    lettered: _Stretch | None = None
    level: int | None = None
    skipping: bool = False
    named: str = ""
    after_heading: bool = False
    headed: bool = False
    before: str = ""

    def read_other(self, line: str) -> None:
        """Read a line without a key: only headings count."""
        over = _HEADING.match(line)
        if not over and not (len(line) < 70 and line[-1:].isalnum() and _LEVEL.search(line)):
            self.after_heading = False
            return
        heading = re.sub(r"^[># ]+|\*", "", line)
        table = bool(_TABLE_HEADING.search(heading)) and not _NOT_TABLE.search(heading)
        # `d6` and `What turns up` side by side are the head cells of one table.
        self.skipping = table or (self.skipping and self.after_heading)
        self.after_heading = self.headed = True
        said = _LEVEL.search(heading)
        self.level = (int(said[1]) if said[1] else _ORDINALS[said[2].lower()]) if said else self.level
        if not said and not self.skipping and _CAPITALS.fullmatch(heading):
            self.named = heading

    def read_key(self, key: KeyLine, line: str) -> None:
        """Read a line that starts with a key into the stretch that it continues, or into a new one."""
        self.after_heading = False
        # `1–4.` alone is the number cell of a table; a lone key is an entry only as a heading or in bold.
        if key.alone or (self.skipping and not key.worded):
            return
        own, other = (self.lettered, self.numbered) if key.lettered else (self.numbered, self.lettered)
        reading = _reading(key, own)
        stretch = own
        if own is None or not _goes_on(key, reading, own, self.level):
            asked = self.before.endswith("?")
            stretch = _Stretch(self.level, self.named, reading.style, at=len(self.found), asked=asked)
            # Letters that no heading parts from the number before them are a list inside that area.
            stretch.inside = other if key.lettered and not self.headed else None
            self.found.append(stretch)
        elif other is not None and other.at > own.at:
            # The list goes on after the other one began: that one stood inside an area.
            other.inside = own
        assert stretch is not None
        # A level heading speaks for the list that follows it, not for every later one.
        self.level, self.headed = None, False
        _add(stretch, key, reading.number, line)
        if key.lettered:
            self.lettered = stretch
        else:
            self.numbered = stretch


def _reading(key: KeyLine, own: _Stretch | None) -> Reading:
    """`C`, `I`, `L`, `V` and `X` are letters and Roman numerals: the list they continue decides, and `I` begins Roman ones."""
    for reading in key.readings:
        if own is not None and reading.style == own.style and reading.number == max(own.keys) + 1:
            return reading
    if len(key.readings) == 1 or key.readings[0].number == 1:
        return key.readings[0]
    return key.readings[-1]


def _goes_on(key: KeyLine, reading: Reading, own: _Stretch, level: int | None) -> bool:
    if own.style != reading.style or level not in {None, own.level}:
        return False
    if key.lettered:
        return max(own.keys) < reading.number <= max(own.keys) + _LARGEST_GAP
    return reading.number not in own.keys or key.is_sub_area


def _add(stretch: _Stretch, key: KeyLine, number: int, line: str) -> None:
    number = key.last or number
    # The last printed key of a number is its last sub-area (`4`, `4a`, `4b`); the first key of all stays.
    if number not in stretch.keys or number != min(stretch.keys):
        stretch.keys[number] = key.printed
    # `A. 1,000 cp in a chest` names nothing.
    head = (key.text[:_NAME] if key.text[:1].isalpha() else "") if key.lettered else line[:160]
    stretch.lines += 1
    stretch.places += bool(_PLACE.search(head))
    stretch.rows += bool(_ROW.search(line[:80]))


def _counts(stretch: _Stretch, *, continued: bool) -> bool:
    """Whether a stretch is a level: starts like a list, has few holes, and more lines about places than table rows."""
    lowest, highest = min(stretch.keys), max(stretch.keys)
    worded = stretch.style[1]
    if stretch.rows * 2 >= stretch.lines:
        return False
    if stretch.lettered:
        # Outlines, appendices and options have letters too: half of the names have to be places.
        long_enough = stretch.lines >= (2 if worded else _FEWEST_LETTERED)
        places = worded or stretch.places * 2 >= stretch.lines
        return (lowest == 1 or continued) and long_enough and places and not stretch.asked
    starts = lowest <= 1 or continued or stretch.lines >= 4
    dense = highest - lowest + 1 <= 2 * len(stretch.keys)
    long_enough = stretch.lines >= 2 or worded
    return starts and dense and long_enough and (worded or stretch.places * 4 >= stretch.lines)


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
