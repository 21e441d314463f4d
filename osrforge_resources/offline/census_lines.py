"""How the census reads one line: the key that it starts with, be it a number, a letter or a Roman numeral.

Rows of a table whose head says that its first column keys rooms are lines like any other. What does not belong here:
whether lines make up a level (`census.py`).
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

_WORD = r"(?P<word>(?i:area|room|location|chamber|cave|sala|habitaci[oó]n|estancia|zona|salle|pièce|raum|zimmer|stanza)s?\s+)?"
_NUMBERED = re.compile(
    rf"(?P<mark>(?:> )?(?:#{{1,6}} |- )?(?:\*\*)?[\[(]?){_WORD}"
    r"(?P<key>(?P<prefix>[A-Z]{0,2})(?P<number>\d{1,4})(?P<suffix>[a-z]?)(?:\s?[-–]\s?(?P<end>\d{1,3}))?)"
    r"(?:\*\*)?(?P<stop>[.:)\]]|\s[-–—]\s|(?=\s[A-Z\"“¡¿«])|(?=\*\*)|$)(?![\d'′])",
)
# A letter needs more to be a key than a number does: a mark and a space after it, or print that sets it apart, or its word.
# `A door` and `I was told` are sentences, `U.S.` is a name.
_LETTERED = re.compile(
    rf"(?P<mark>(?:> )?(?:#{{1,6}} )?(?:\*\*)?[\[(]?){_WORD}(?P<key>[IVXLC]{{1,7}}|[A-Z])(?![\w'’])"
    r"(?:\*\*)?(?P<stop>[.:)\]](?=\s|\*|$)|\s[-–—]\s|$)"
)
_ROMAN = re.compile(r"(?:C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})")
_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}
_CELLS = re.compile(r"(?<!\\)\|")
_TABLE_RULE = re.compile(r"[\s|:\-]+")
_KEY_HEAD = re.compile(
    r"(?:room|area|location|chamber|key|sala|habitaci[oó]n|estancia|zona|salle|raum|stanza)s?(?: (?:no\.?|#))?",
    re.IGNORECASE,
)
# `No.` alone numbers anything; what it numbers is the next column's matter.
_NUMBER_HEAD = re.compile(r"#|n[oº°]\.?|nr\.?|num(?:ber)?\.?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read a key.

    Attributes:
        style: What keys of one list share.
        number: Its place in the list, 1 the first.
    """

    style: tuple[str, bool, str]
    number: int


@dataclass(frozen=True, slots=True)
class KeyLine:
    """A line that starts with a key.

    Attributes:
        printed: The key with its area word.
        readings: Ways to read it; two where a letter is a Roman numeral too.
        last: The last number of a range, None for any other key.
        is_sub_area: Whether a small letter follows the number.
        worded: Whether an area word comes before it.
        alone: Whether nothing follows it and nothing sets it apart.
        text: What follows the key.
    """

    printed: str
    readings: tuple[Reading, ...]
    last: int | None
    is_sub_area: bool
    worded: bool
    alone: bool
    text: str

    @property
    def lettered(self) -> bool:
        """Whether the key is a letter or a Roman numeral."""
        return self.readings[0].style[0] in {"letter", "roman"}


def read_key_line(line: str) -> KeyLine | None:
    """Return the key that a line starts with, None for any other line."""
    if match := _NUMBERED.match(line):
        plain = match["stop"] == "" and "#" not in match["mark"] and "*" not in match["mark"]
        style = (match["prefix"], bool(match["word"]), "plain" if plain else "marked")
        return _key_line(
            line,
            match,
            (Reading(style, int(match["number"])),),
            last=int(match["end"]) if match["end"] else None,
            is_sub_area=bool(match["suffix"]),
        )
    if (match := _LETTERED.match(line)) is None:
        return None
    form = "heading" if "#" in match["mark"] else "bold" if "*" in match["mark"] else "plain"
    if not match["stop"] and form == "plain" and not match["word"]:
        return None
    kinds = [
        (kind, rank) for kind, rank in (("roman", _roman(match["key"])), ("letter", _letter(match["key"]))) if rank
    ]
    readings = tuple(Reading((kind, bool(match["word"]), form), rank) for kind, rank in kinds)
    return _key_line(line, match, readings) if readings else None


def _key_line(
    line: str,
    match: re.Match[str],
    readings: tuple[Reading, ...],
    *,
    last: int | None = None,
    is_sub_area: bool = False,
) -> KeyLine:
    return KeyLine(
        ((match["word"] or "") + match["key"]).strip(),
        readings,
        last,
        is_sub_area,
        bool(match["word"]),
        match.end() == len(line) and not match["mark"].strip(" >-"),
        line[match.end() :].strip(" *"),
    )


def _roman(numeral: str) -> int:
    if not _ROMAN.fullmatch(numeral):
        return 0
    values = [_VALUES[letter] for letter in numeral]
    return sum(-value if value < after else value for value, after in zip(values, [*values[1:], 0], strict=True))


def _letter(key: str) -> int:
    return ord(key) - 64 if len(key) == 1 else 0


def as_lines(lines: Iterable[str]) -> Iterator[str]:
    """Yield lines with the rows of room tables as lines of text (`1. Guard room. Two goblins`), other tables as they are."""
    table: list[str] = []
    for line in lines:
        if line.startswith("|"):
            table.append(line)
            continue
        yield from _rows(table)
        table = []
        yield line
    yield from _rows(table)


def _rows(table: Sequence[str]) -> Iterator[str]:
    rows = [_cells(line) for line in table if not _TABLE_RULE.fullmatch(line)]
    if not rows or not _keys_rooms(rows[0]):
        yield from table
        return
    for key, *rest in rows[1:]:
        yield f"{key.rstrip('.')}. {'. '.join(cell for cell in rest if cell)}"


def _cells(line: str) -> list[str]:
    inner = line.strip().removeprefix("|").removesuffix("|")
    return [cell.replace("**", "").strip() for cell in _CELLS.split(inner)]


def _keys_rooms(head: Sequence[str]) -> bool:
    """Whether a table's head says that it is a key: `Room | Contents`, `No. | Location | …`, and never `d6 | Room`."""
    if _KEY_HEAD.fullmatch(head[0]):
        return True
    return len(head) > 1 and bool(_NUMBER_HEAD.fullmatch(head[0]) and _KEY_HEAD.fullmatch(head[1]))
