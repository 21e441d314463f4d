"""The grammar of printed area keys: `1`, `4a`, `A1`, `L6a`, `3-B`, `01.03`, `4-6`, `IV`, `Area 7`, `Sala 3`.

What does not belong here: whether a key that parses is an area. That takes a whole list of them (`key_runs.py`).
"""

import re
from dataclasses import dataclass

# Words that print before a key, English and the structure words of the other languages modules come in.
_AREA_WORDS = (
    "area|areas|room|rooms|location|chamber|cave|cavern|hex|site|zone|place|cell|keyed area|encounter area|"
    "sala|salas|habitación|habitacion|estancia|zona|área|cámara|camara|localización|localizacion|lugar|cueva|cuarto|"
    "aposento|salle|pièce|piece|chambre|lieu|caverne|raum|zimmer|kammer|ort|bereich|halle|höhle|stanza|stanze|camera|"
    "luogo|grotta|quarto|câmara"
)
_NUMERAL = (
    r"[A-Z]{1,2}[-.]?\d{1,3}[a-z]?(?:\s?[-–—]\s?[A-Z]{1,2}?\d{1,3})?"
    r"|\d{1,2}\.\d{1,3}[a-z]?|\d{1,2}-[A-Z](?![\w'’])|\d{1,4}[a-zA-Z]?(?:\s?[-–—]\s?\d{1,3}[a-z]?)?"
    r"|[IVXLC]{1,7}(?![\w'’])|[A-Z](?![\w'’])"
)
_WITH_WORD = re.compile(rf"((?i:{_AREA_WORDS})(?:\s*(?i:no\.|nº|n°|nr\.|#)\s*|\s+))({_NUMERAL})(?![\w'’])")
_BARE = re.compile(
    r"[\[(#]?"
    r"(?:(?P<join>\d{1,3}[a-z]?\s?(?:[-–—&,+]|and|to|y|und|et|e)\s?\d{1,3}[a-z]?)(?![\w'’%])"
    r"|(?P<dotted>\d{1,2}\.\d{1,3}[a-z]?)(?![\w'’%])"
    r"|(?P<dashed>\d{1,2}-[A-Z]|[A-Z]-\d{1,3}[a-z]?)(?![\w'’])"
    r"|(?P<prefixed>[A-Z]{1,2}\.?\d{1,3}[a-z]?(?:\s?[-–—]\s?(?:[A-Z]{1,2})?\d{1,3})?)(?![\w'’/+])"
    r"|(?P<hex>0\d{3})(?![\w'’])"
    r"|(?P<number>\d{1,3}(?:[a-zA-Z]|\.[a-z])?)(?![\w'’%/×])"
    r"|(?P<roman>[IVXLC]{1,7})(?![\w'’])"
    r"|(?P<letter>[A-Z])(?![\w'’&]))"
)
_MARK = re.compile(r"\s?([.:)\]]{0,3})(?:\s?[-–—]\s+|\s+|$)")
_DASH = re.compile(r"\s[-–—]\s")
_DIGITS = re.compile(r"\d+")
_SUFFIX = re.compile(r"[a-zA-Z]$")
_ROMAN = re.compile(r"M{0,3}(CM|CD|D?C{0,3})(XC|XL|L?X{0,3})(IX|IV|V?I{0,3})")
_ROMAN_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
# Capitals before a number that are statistics, not prefixes of a key.
_STATISTICS = frozenset(
    {"AC", "HD", "HP", "ML", "MV", "XP", "AT", "DC", "SV", "TT", "CL", "AL", "PV", "CA", "CR", "SD"}
)
_HIGHEST_PLAIN = 400


@dataclass(frozen=True, slots=True)
class PrintedKey:
    """A key at the head of a block.

    Attributes:
        label: As printed, area word included, closing punctuation not.
        bare: The label without its area word.
        style: Keys of one list share it: `number`, `prefixed A`, `dotted 1`, `roman`, `letter`, …
        major: What orders the list: its number.
        minor: Orders sub-areas within a number: 0 none, 1 for `a`, …
        last: The last number of a range, else `major`.
        marked: A closing mark follows (`.`, `:`, `)`).
        worded: An area word comes before it.
        end: Offset in the block's text where the name or text starts.
    """

    label: str
    bare: str
    style: str
    major: int
    minor: int
    last: int
    marked: bool
    worded: bool
    end: int


def read_key(text: str) -> PrintedKey | None:
    """Return the key that `text` starts with, None if it starts with none."""
    if worded := _WITH_WORD.match(text):
        return _worded_key(text, worded)
    bare = _BARE.match(text)
    if bare is None:
        return None
    style = bare.lastgroup or ""
    label = bare[style]
    mark = _MARK.match(text, bare.end())
    if mark is None or not _plausible(style, label, text, mark):
        return None
    return _key(label, label, style, marked=bool(mark[1]), worded=False, end=mark.end())


def _worded_key(text: str, match: re.Match[str]) -> PrintedKey | None:
    mark = _MARK.match(text, match.end())
    numeral = match[2]
    if mark is None or (numeral.isalpha() and not numeral.isupper()):
        return None
    style = _style_of(numeral)
    if style is None:
        return None
    return _key(match[0].strip(), numeral, style, marked=bool(mark[1]), worded=True, end=mark.end())


def _style_of(numeral: str) -> str | None:
    bare = _BARE.match(numeral)
    return bare.lastgroup if bare and bare.end() == len(numeral) else None


def _plausible(style: str, label: str, text: str, mark: re.Match[str]) -> bool:
    marked = bool(mark[1])
    follows = text[mark.end() : mark.end() + 1]
    if style in {"roman", "letter"}:
        # `I was told` and `A door` are sentences; a mark, a dash between spaces, or nothing after it, makes a key.
        return (marked or not follows or bool(_DASH.search(mark[0]))) and (
            style == "letter" or bool(_ROMAN.fullmatch(label))
        )
    if style == "prefixed" and re.sub(r"[^A-Z].*", "", label) in _STATISTICS:
        return False
    if style == "number" and int(_DIGITS.findall(label)[0]) > _HIGHEST_PLAIN:
        return False
    # Without a mark only a capital, a quote or an ellipsis can start an entry: `2 giant rats nest` is a sentence.
    return marked or not follows or follows.isupper() or follows in "\"“‘'«(¡¿[…-–—" or style in {"prefixed", "dotted"}


def _key(label: str, bare: str, style: str, *, marked: bool, worded: bool, end: int) -> PrintedKey | None:
    numbers = [int(digits) for digits in _DIGITS.findall(bare)]
    suffix = _SUFFIX.search(bare)
    minor = 0
    if style == "roman":
        major = last = _roman(bare)
    elif style == "letter":
        major = last = ord(bare) - 64
    elif style == "dashed" and bare[0].isdigit():
        major, last = ord(bare[-1]) - 64, ord(bare[-1]) - 64
    elif style == "dotted":
        major = last = numbers[1]
        minor = _rank(suffix)
    elif style == "join":
        major, last = numbers
        # `6-4` and `10-10` are dates and scores, not ranges.
        if last <= major:
            return None
    else:
        major, last = numbers[0], numbers[-1]
        minor = _rank(suffix)
    return PrintedKey(label, bare, _family(style, bare), major, minor, last, marked, worded, end)


def _family(style: str, bare: str) -> str:
    if style == "prefixed" or (style == "dashed" and bare[0].isalpha()):
        return "prefixed " + re.sub(r"[^A-Z].*", "", bare)
    if style in {"dotted", "dashed"}:
        return f"{style} {_DIGITS.findall(bare)[0]}"
    return "number" if style in {"hex", "join"} else style


def _rank(suffix: re.Match[str] | None) -> int:
    return ord(suffix[0].lower()) - 96 if suffix else 0


def _roman(numeral: str) -> int:
    values = [_ROMAN_VALUES[letter] for letter in numeral]
    return sum(-value if value < after else value for value, after in zip(values, [*values[1:], 0], strict=True))
