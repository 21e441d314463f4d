"""Running text as sentences and words, with what is quoted or parenthesized marked off. Linear in the text's length."""

import re
from dataclasses import dataclass

# A sentence ends at a stop before a capital, a digit, a quote or a bracket; abbreviations and decimals do not end one.
_SENTENCE = re.compile(r"(?<=[.!?…])[\"”’»)\]]*\s+(?=[\"“‘«(\[¿¡]?[A-ZÀ-ÞŒ0-9•+-])")
# Units (`8 gp.`) are no abbreviations here: a capital after them starts a sentence.
_ABBREVIATION = re.compile(r"(?:\b(?:vs|nr|st|dr|mr|mrs|ms|approx|e\.g|i\.e|cf|fig|pg|lvl)|\b[A-Z])\.$", re.IGNORECASE)
# No printed sentence of the corpus is longer than 700 characters.
_LONGEST_SENTENCE = 2000
_WORD = re.compile(r"[^\W\d_][\w’'-]*|\d+d\d+(?:[+x×-]\d+)?|d\d+|\d[\d,.]*(?:\s?[-–—]\s?\d+)?|[^\w\s]", re.IGNORECASE)
_QUOTED = re.compile(r"\"[^\"]{1,600}\"|“[^“”]{1,600}”|«[^«»]{1,600}»")


@dataclass(frozen=True, slots=True)
class Word:
    """A word, figure or mark of a sentence.

    Attributes:
        text: As printed.
        start: Offset in the sentence.
        end: Offset after it.
    """

    text: str
    start: int
    end: int

    @property
    def lower(self) -> str:
        """In lower case."""
        return self.text.lower()


def sentences(text: str) -> list[str]:
    """Return the sentences of a text; `save vs. poison` stays one, and no sentence runs over a line's end (a paragraph's)."""
    return [piece for line in text.split("\n") for piece in _line_sentences(line)]


def _line_sentences(line: str) -> list[str]:
    pieces: list[str] = []
    start = 0
    for gap in _SENTENCE.finditer(line):
        piece = line[start : gap.start()]
        if _ABBREVIATION.search(piece[-8:]):
            continue
        pieces.append(line[start : gap.end()].strip())
        start = gap.end()
    pieces.append(line[start:].strip())
    return [part for piece in pieces for part in _bounded(piece) if part]


def _bounded(piece: str) -> list[str]:
    """Cut what runs on without a stop, so that looking round a word stays cheap however long the run is."""
    parts: list[str] = []
    while len(piece) > _LONGEST_SENTENCE:
        cut = piece.rfind(" ", 0, _LONGEST_SENTENCE)
        cut = cut if cut > 0 else _LONGEST_SENTENCE
        parts.append(piece[:cut])
        piece = piece[cut:].lstrip()
    return [*parts, piece]


def words_of(sentence: str) -> list[Word]:
    """Return the words, figures and marks of a sentence."""
    return [Word(match[0], match.start(), match.end()) for match in _WORD.finditer(sentence)]


def without_quotes(text: str) -> str:
    """Return `text` with quoted speech blanked out, offsets kept: what is said aloud is no inventory."""
    return _QUOTED.sub(lambda match: " " * len(match[0]), text)
