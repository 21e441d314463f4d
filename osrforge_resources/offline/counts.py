"""Printed counts of creatures: digits, words, dice, ranges, and the words that say roughly how many."""

import re
from dataclasses import dataclass

# What the reply schema accepts as dice; anything else a count says goes into a note.
_DICE = re.compile(r"([1-9]\d{0,2})?d(2|3|4|6|8|10|12|20|100)([+-](0|[1-9]\d{0,5}))?")
_NUMBERS = {
    "a": 1, "an": 1, "one": 1, "single": 1, "lone": 1, "another": 1, "two": 2, "pair": 2, "both": 2, "couple": 2,
    "three": 3, "trio": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11,
    "twelve": 12, "dozen": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17,
    "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "hundred": 100,
    "un": 1, "una": 1, "dos": 2, "tres": 3, "cuatro": 4, "cinco": 5, "seis": 6, "siete": 7, "ocho": 8, "nueve": 9,
    "diez": 10, "doce": 12, "une": 1, "deux": 2, "trois": 3, "quatre": 4, "cinq": 5, "sept": 7, "huit": 8, "neuf": 9,
    "dix": 10, "ein": 1, "eine": 1, "einen": 1, "zwei": 2, "drei": 3, "vier": 4, "fünf": 5, "sechs": 6, "sieben": 7,
    "acht": 8, "neun": 9, "zehn": 10, "uno": 1, "due": 2, "tre": 3, "quattro": 4, "cinque": 5, "sette": 7, "otto": 8,
}  # fmt: skip
_VAGUE = frozenset(
    """
    several some many few various numerous dozens hundreds scores countless more varios varias algunos algunas
    muchos muchas plusieurs quelques einige mehrere viele alcuni alcune diversi molti
    """.split()
)


@dataclass(frozen=True, slots=True)
class Count:
    """How many, as printed.

    Attributes:
        fixed: A plain number, None if none is printed.
        dice: Dice the schema accepts, None if none are printed.
        note: What is printed beyond that (`2-5`, `several`), None if nothing.
    """

    fixed: int | None = None
    dice: str | None = None
    note: str | None = None

    @property
    def stated(self) -> bool:
        """Whether anything is stated at all."""
        return self != Count()

    def said(self) -> str:
        """The count in words, for a note."""
        return str(self.fixed) if self.fixed is not None else self.dice or self.note or "no number"


def read_count(printed: str) -> Count | None:
    """Return the count a printed word or figure states, None if it states none.

    `3` → 3; `2d4` → dice; `2-5` → a note, because no roll is printed; `several` → a note.
    """
    text = re.sub(r"[−–—]", "-", printed.strip().lower()).strip("()[],:;.")
    text = re.sub(r"\s+", "", text) if re.match(r"[\dd]", text) else text
    text = (
        text.removeprefix("x").removeprefix("×").removesuffix("x").removesuffix("×") if re.search(r"\d", text) else text
    )
    if text.isascii() and text.isdigit():
        number = int(text) if len(text) <= 6 else 0
        return Count(fixed=number) if number else None
    if _DICE.fullmatch(text):
        return Count(dice=text)
    if re.fullmatch(r"\d{1,4}-\d{1,4}|\d{0,3}d\d{1,3}(?:[x×*]\d{1,4}|[+-]\d{1,6})?", text):
        return Count(note=printed.strip())
    if text in _NUMBERS:
        return Count(fixed=_NUMBERS[text])
    return Count(note=text) if text in _VAGUE else None
