"""Text as a look-up sees it: plain words and numbers, the same for a printed page and for what was extracted from it.

Markup, quotes, dashes, accents, capitals, ligatures and line breaks are how a text is set, not what it says, so none of
them survives here. Numbers keep their value and sign: `1,200`, `1.200` and `1 200` are 1200, `+1` is not `1`.
"""

import re
import unicodedata
from dataclasses import dataclass

# A thousands group: one to three digits, then groups of exactly three behind one comma, point, space or apostrophe.
# The look-arounds keep it from starting inside a longer number. A plain space counts too: read as two numbers, "1 200 sp"
# would vouch for an extracted "200 sp".
_THOUSANDS = re.compile(r"(?<![\d.,])\d{1,3}(?:[,. '’\u00a0\u2009\u202f]\d{3})+(?!\d)")
_BOLD = re.compile(r"(?<!\\)\*\*")
# What joins a word rather than ending it: apostrophes (`Wenna's`), soft hyphens, zero-width characters, a backslash
# before punctuation.
_INVISIBLE = re.compile(r"['’‘`´ʼ\u00ad\u200b-\u200f\u2060\ufeff\\]")
_DASHES = re.compile(r"[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]")
# A sign belongs to a number that nothing runs into (`+1`, `sword+1`, `AC -2`), not to dice (`1d6+1`) or a range (`3-5`).
# Scripts written without spaces are taken a character at a time.
_WORD = re.compile(
    r"(?<!\d)\+\d+|(?<!\w)-\d+|\d+"
    r"|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
    r"|[^\W\d_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+"
)
_SENTENCE_BREAK = re.compile(r"[.!?…][\"”»)\]]*\s|\n\s*\n|\|")
# Words that a reader adds or leaves out when it quotes a hoard or a name: `gold thimble (8 gp)`, `a gold thimble worth
# 8 gp`; `Governor's mansion (Exterior)`, `Exterior of the Governor's mansion`.
# fmt: off
_FILLERS_EN = {
    "a", "an", "the", "of", "in", "on", "and", "or", "with", "worth", "each", "value", "valued", "at", "total",
    "some", "this", "that", "is", "are", "there", "it", "contains", "containing",
}
_FILLERS_ES = {
    "un", "una", "unos", "unas", "el", "la", "los", "las", "de", "del", "y", "o", "con", "por", "valor", "cada",
    "en", "hay",
}
# fmt: on
FILLERS = frozenset(_FILLERS_EN | _FILLERS_ES)


@dataclass(frozen=True, slots=True)
class Words:
    """A text's words in order.

    Attributes:
        words: Lower-case words without accents, and numbers as digits with their sign.
        starts: Positions of the words that begin a sentence, a paragraph or a table cell.
    """

    words: tuple[str, ...]
    starts: frozenset[int]

    def __add__(self, other: "Words") -> "Words":
        shift = len(self.words)
        return Words(self.words + other.words, self.starts | {shift + start for start in other.starts})


def read_words(text: str) -> Words:
    """Return the words of plain text or of a page's light Markdown; linear in its length."""
    text = _DASHES.sub("-", _INVISIBLE.sub("", _BOLD.sub("", _THOUSANDS.sub(_digits_only, text))))
    plain = unicodedata.normalize("NFKC", text).casefold()
    if not plain.isascii():
        plain = "".join(char for char in unicodedata.normalize("NFKD", plain) if not unicodedata.combining(char))
    words: list[str] = []
    starts: set[int] = set()
    end = 0
    for match in _WORD.finditer(plain):
        if not words or _SENTENCE_BREAK.search(plain, end, match.start()):
            starts.add(len(words))
        words.append(match.group())
        end = match.end()
    return Words(tuple(words), frozenset(starts))


def is_number(word: str) -> bool:
    """Return whether a word of `read_words` is a number."""
    return word[-1].isdigit()


def _digits_only(match: re.Match[str]) -> str:
    return re.sub(r"\D", "", match.group())
