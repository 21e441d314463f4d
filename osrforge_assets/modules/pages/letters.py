"""Letters: what a text layer's characters become before anything is read from them. Pure.

Control characters go, spaces become plain, ligatures are spelled out, everything is NFC. A glyph without a Unicode
meaning is repaired only where the document itself shows that one reading exists.
"""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable

UNMAPPED = "\ufffd"
SOFT_HYPHEN = "\u00ad"

_LIGATURES = {
    "ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "ft", "ﬆ": "st",
}  # fmt: skip
# Bullets that symbol fonts keep in the private use area.
_SYMBOLS = dict.fromkeys("\uf0b7\uf0a7\uf0a8\uf076\uf0d8\uf0fc\uf06c\uf06e\uf071\uf0a1", "•")
_INVISIBLE = "\u200b\u200e\u200f\u2060\ufeff\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
_TABLE = str.maketrans(_LIGATURES | _SYMBOLS | dict.fromkeys(_INVISIBLE, ""))
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_ORDINARY = re.compile(r"[\x20-\x7e]*")

# Ligatures that fonts draw as one glyph, and words that need them in the languages modules are mostly written in.
# Enough to recognize a ligature; which word is meant is then decided by the text.
# Codes of the two TeX encodings, which older typesetting left unmapped. A font whose ligatures stand where such an
# encoding has them has its quotes and dashes there too.
_TEX_ENCODINGS = (
    {16: "“", 17: "”", 18: "„", 19: "«", 20: "»", 21: "–", 22: "—", 27: "ff", 28: "fi", 29: "fl", 30: "ffi", 31: "ffl"},
    {11: "ff", 12: "fi", 13: "fl", 14: "ffi", 15: "ffl", 16: "ı", 25: "ß", 26: "æ", 27: "œ", 28: "ø"},
)
_LIGATURE_READINGS = ("fi", "fl", "ff", "ffi", "ffl", "ft", "tt", "tti", "ti", "Th", "fj", "ct", "st")
_KNOWN_WORDS = frozenset(
    """
    affect coffer coffin cliff difficult effect effort giraffe griffin offer office off staff stiff stuff sniff scuffle
    baffle muffled raffle waffle shuffle buffet traffic ruffian suffer sufficient different affair
    benefit confined crucifix defile defined field fiend fierce fifteen fifth fifty fight figure file fill filled final
    finally find finds finding fine finger finish fire first fish fishermen fist five fix magnificent officer prefix
    profit sacrifice scarified specific terrified unfinished
    afloat conflict deflect flag flail flame flank flap flare flash flask flat flax flea flee flesh flicker flies flight
    fling flint float flock flood floor flour flow flower flows fluid flute fly flying inflict influence reflect
    after craft draft drift gift left lift loft often shaft shift soft swift theft thief lifted
    attack attic battle better bottle bottom button cottage cutting gutter kettle letter little matter pattern potter
    rattle scatter settle shattered sitting tattered tattoo written
    the their them then there these they thing think third this those thousand three through throw thunder thus
    action condition direction edition function location mention mission motion notice option portion position question
    station time times until
    actor architect direct exact expect inspect object protect sect select strict
    beast best chest cost dust east fast ghost host last least lost master mist most must nest past post priest rest
    stairs stand star start statue stay steal step still stone stop store storm story strange street strong
    calificar difícil edificio fila filo fin final finca flor flecha oficial oficina rifle
    """.split()
)


def clean(text: str) -> str:
    """Return `text` without control and format characters, with plain spaces and spelled-out ligatures, in NFC.

    A soft hyphen is kept only at the end, where it says that the word goes on.
    """
    if _ORDINARY.fullmatch(text):
        return text
    text = text.translate(_TABLE)
    text = "".join(_plain(char) for char in text)
    if SOFT_HYPHEN in text:
        ends = text.rstrip().endswith(SOFT_HYPHEN)
        text = text.replace(SOFT_HYPHEN, "") + (SOFT_HYPHEN if ends else "")
    return unicodedata.normalize("NFC", text)


def _plain(char: str) -> str:
    if char < "\x7f" and char >= " ":
        return char
    category = unicodedata.category(char)
    if category in ("Zs", "Zl", "Zp") or char in "\t\n\r\v\f":
        return " "
    if category == "Cc":
        return ""
    if category in ("Cs", "Co", "Cn"):
        return UNMAPPED
    return char


def words(text: str) -> list[str]:
    """Return the words of `text`, case folded, without digits and punctuation."""
    return [word.casefold() for word in _WORD.findall(text)]


def glyph_readings(texts: Iterable[tuple[str, tuple[str, ...]]], vocabulary: Counter[str]) -> dict[str, str]:
    """Return the ligature that each unmapped glyph stands for, where exactly one makes words.

    Args:
        texts: Pieces of text, each with the glyph names of its unmapped characters in order.
        vocabulary: How often each word occurs in the document.

    A reading wins if it turns more of the glyph's words into known ones than any other does; all other uses of the same
    glyph of the same font then follow it, whether their words are known or not.
    """
    uses: defaultdict[str, set[str]] = defaultdict(set)
    for text, glyphs in texts:
        _collect(text, glyphs, uses)
    readings: dict[str, str] = {}
    for glyph, patterns in uses.items():
        if not patterns:
            continue
        scores = Counter({reading: _known(patterns, reading, vocabulary) for reading in _LIGATURE_READINGS})
        (best, score), (_, second) = scores.most_common(2)
        if score > second:
            readings[glyph] = best
    return readings | _encoding_readings(uses.keys(), readings)


def _encoding_readings(glyphs: Iterable[str], readings: dict[str, str]) -> dict[str, str]:
    """Return readings of further codes of fonts whose ligatures stand where a known encoding has them."""
    codes: defaultdict[str, dict[int, str]] = defaultdict(dict)
    for glyph, reading in readings.items():
        font, _, code = glyph.rpartition("@")
        if font:
            codes[font][int(code)] = reading
    more: dict[str, str] = {}
    for font, known in codes.items():
        for encoding in _TEX_ENCODINGS:
            if all(encoding.get(code) == reading for code, reading in known.items()):
                more.update({f"{font}@{code}": reading for code, reading in encoding.items()})
                break
    return {glyph: more[glyph] for glyph in glyphs if glyph in more}


def _collect(text: str, glyphs: tuple[str, ...], uses: defaultdict[str, set[str]]) -> None:
    position = 0
    for token in text.split():
        count = token.count(UNMAPPED)
        inside = glyphs[position : position + count]
        position += count
        # Letters beside it: a word. Alone it may be anything: a bullet, an ornament, an arrow.
        if not inside or not any(char.isalpha() for char in token):
            continue
        if len(set(inside)) == 1:
            uses[inside[0]].add(token)
        else:
            # Two different ones in one word decide nothing about either.
            for glyph in inside:
                uses.setdefault(glyph, set())


def _known(patterns: set[str], reading: str, vocabulary: Counter[str]) -> int:
    count = 0
    for pattern in patterns:
        found = words(pattern.replace(UNMAPPED, reading))
        count += bool(found) and all(word in _KNOWN_WORDS or vocabulary[word] > 0 for word in found)
    return count


def with_readings(text: str, glyphs: tuple[str, ...], readings: dict[str, str]) -> str:
    """Return `text` with its unmapped glyphs replaced where a reading is known."""
    if not glyphs:
        return text
    parts = text.split(UNMAPPED)
    pieces = [parts[0]]
    for index, part in enumerate(parts[1:]):
        glyph = glyphs[index] if index < len(glyphs) else ""
        pieces += [readings.get(glyph, UNMAPPED), part]
    return "".join(pieces)
