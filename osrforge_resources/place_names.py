"""Names of places as they are printed: which two printings name one place, and which of them stands for it.

A place without a printed key is its name, and books print that name loosely: `The beach` over its text and `Beach` in the
list of exits, `Souvenirs Shop` here and `Souvenir shop` there. Both rules give the same for any grouping of the printings,
so a place is the same whichever pages are read together.
"""

import re

from osrforge_resources.keys import slug

_LEADING_ARTICLE = re.compile(r"^(?:the|an?|el|la|los|las|le|les|l['’]|der|die|das|il|lo|gli|i)\s+", re.IGNORECASE)
_ORDINALS = {"1st": "first", "2nd": "second", "3rd": "third", "4th": "fourth", "5th": "fifth"}
_ORDINAL = re.compile(r"\b(?:1st|2nd|3rd|4th|5th)\b", re.IGNORECASE)
# `Bus` and `inn` are no plurals.
_LONGEST_WHOLE = 3


def name_key(name: str) -> str:
    """Return what makes two printings of a place's name one: `The beach` and `Beach`, `Souvenirs Shop` and `Souvenir shop`."""
    key = slug(_ORDINAL.sub(lambda match: _ORDINALS[match[0].lower()], _LEADING_ARTICLE.sub("", name)))
    return "-".join(word.removesuffix("s") if len(word) > _LONGEST_WHOLE else word for word in key.split("-"))


def standing_name(first: str, second: str) -> str:
    """Return which of two printings of one name stands for the place: the first without an article, else the first.

    Lists of exits leave articles out, so the bare name serves text and exits.
    """
    return second if _LEADING_ARTICLE.match(first) and not _LEADING_ARTICLE.match(second) else first
