"""Partition keys: the one grammar, and how a printed name becomes a key.

A key is one or more slugs joined by a double hyphen (`the-crypt--lower-vault--2`). Dagster validates nothing that is
added to a dynamic partition set and keys become file names, so every key passes `checked_key` before it touches storage.
"""

import re
import unicodedata
from collections.abc import Iterable

from osrforge_resources.failures import InvalidKeyError

KEY_PATTERN = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*(--[a-z0-9]+(-[a-z0-9]+)*)*")

# File systems take 255 bytes a name. A level key is module + dungeon + number, and the longest suffix a file adds to it
# is about 40 characters (temporary name), so two slugs of 80 and a number stay well inside.
MAX_SLUG_LENGTH = 80
MAX_KEY_LENGTH = 200

# Letters that NFKD leaves whole although readers of the Latin script have a usual spelling for them.
_LATIN_SPELLINGS = str.maketrans(
    {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "ł": "l", "ı": "i", "ħ": "h"}
)


def slug(text: str) -> str:
    """Return `text` as a slug: `[a-z0-9]+` joined by single hyphens, at most 80 characters, or "" if nothing is left.

    Letters lose their accents (`Alfonsé` → `alfonse`), apostrophes vanish (`Wenna's` → `wennas`), everything else that
    is not a letter or digit separates words.
    """
    # Apostrophes go first: NFKD would make a space of the acute accent that stands for one. Folding comes after NFKD,
    # which turns letter-like signs (ℌ, ™) into capitals.
    spelled = unicodedata.normalize("NFKD", re.sub(r"['‘’`´ʼ]", "", text))
    bare = "".join(char for char in spelled if not unicodedata.combining(char))
    folded = unicodedata.normalize("NFKD", bare.casefold().translate(_LATIN_SPELLINGS))
    words = re.findall(r"[a-z0-9]+", folded)
    return "-".join(words)[:MAX_SLUG_LENGTH].strip("-")


def checked_key(key: str) -> str:
    """Return `key` unchanged if it is a valid partition key.

    Raises:
        InvalidKeyError: The key is outside the grammar or longer than 200 characters.
    """
    if not isinstance(key, str) or len(key) > MAX_KEY_LENGTH or not KEY_PATTERN.fullmatch(key):
        raise InvalidKeyError(f"{ascii(key)[:120]} is not a partition key.")
    return key


def unique_slugs(names: Iterable[str], *, fallback: str) -> list[str]:
    """Return one slug a name, in order, no two alike: first reserve, then bump.

    Every name's own slug is reserved for its first bearer before any duplicate is renamed, so a printed `5-2` keeps
    its key although another `5` needs a new one: `["5", "5", "5-2"]` → `["5", "5-3", "5-2"]`.

    Args:
        names: Printed names, in printed order.
        fallback: The slug of a name without a Latin letter or digit.
    """
    wanted = [slug(name) or fallback for name in names]
    taken = set(wanted)
    # Numbers below the next one are taken for good, so a thousand bearers of one name need a thousand looks, not a million.
    next_number: dict[str, int] = {}
    result: list[str] = []
    for base in wanted:
        chosen = base
        if base in next_number:
            number = next_number[base]
            # Cutting the base, not the number, keeps the bumped slug within the limit and distinct.
            while (chosen := f"{base[: MAX_SLUG_LENGTH - len(str(number)) - 1].rstrip('-')}-{number}") in taken:
                number += 1
            taken.add(chosen)
            next_number[base] = number + 1
        next_number.setdefault(base, 2)
        result.append(chosen)
    return result
