"""Level partition keys: `module--dungeon--3`, three parts of which the first two are slugs."""

import re
from collections.abc import Iterable

from osrforge_resources.failures import InvalidKeyError
from osrforge_resources.keys import checked_key

# No printed dungeon comes near it, and three digits keep every level key within the 200 characters of a partition key.
MAX_LEVEL_NUMBER = 999

_LEVEL_KEY = re.compile(r"([a-z0-9]+(?:-[a-z0-9]+)*)--([a-z0-9]+(?:-[a-z0-9]+)*)--([1-9][0-9]{0,2})")


def level_partition(module: str, dungeon_id: str, number: int) -> str:
    """Return a level's partition key.

    Raises:
        InvalidKeyError: Module or dungeon is not a single slug, or the number is not within 1 to 999.
    """
    key = checked_key(f"{module}--{dungeon_id}--{number}")
    if not _LEVEL_KEY.fullmatch(key):
        raise InvalidKeyError(f"{key!a} is not a level's partition key.")
    return key


def split_level_partition(key: str) -> tuple[str, str, int]:
    """Return module, dungeon id and level number of a level's partition key.

    Raises:
        InvalidKeyError: The key is not what `level_partition` makes.
    """
    match = _LEVEL_KEY.fullmatch(checked_key(key))
    if match is None:
        raise InvalidKeyError(
            f"{key!a} is not a level's partition key.", remedy="Level keys have the form module--dungeon--3."
        )
    return match[1], match[2], int(match[3])


def levels_of(module: str, keys: Iterable[str]) -> list[str]:
    """Return those of `keys` that are levels of `module`, by dungeon and then by number; other keys are passed over."""
    matches = [match for key in keys if (match := _LEVEL_KEY.fullmatch(key)) and match[1] == module]
    return [match[0] for match in sorted(matches, key=lambda match: (match[2], int(match[3])))]
