"""Notes of our own prompt that a model repeats: removed only where they are near copies of our own text."""

import re

from rapidfuzz import fuzz  # edit-distance ratios at C speed; the maintained successor of fuzzywuzzy

from osrforge_assets.narrations.turns.prompt import CORRECTION_LEAD, EMIT_REMINDER

# Copies by a 270M model differ in case, quotes and a word or two: ratios of 88 to 100. A character's own reminder about
# a tavern reaches 45.
_NEAR = 82.0

# A copy of only our beginning is judged against as much of ours; less than this is too little to tell. A copy that the
# end of the reply cut may be shorter: there is no other reason for a note to break off.
_SHORTEST = 60
_SHORTEST_CUT = 30

# A note is at most this long: the correction with six reasons.
LONGEST = 2_000

_SEPARATORS = re.compile(r"[\W_]+")


def _bare(text: str) -> str:
    return _SEPARATORS.sub(" ", text).strip().casefold()


_REMINDER = _bare(EMIT_REMINDER)
_LEAD = _bare(CORRECTION_LEAD)


def is_echo(text: str, *, cut: bool) -> bool:
    """Whether `text` is a near copy of the prompt's reminder or of a correction note.

    Args:
        text: From the opening bracket or first word to the closing bracket or the end of the line.
        cut: The reply ended within it.
    """
    bare = _bare(text[: LONGEST + 1])
    if len(bare) < (_SHORTEST_CUT if cut else _SHORTEST):
        return False
    return (
        fuzz.ratio(bare, _REMINDER) >= _NEAR
        or fuzz.ratio(bare, _REMINDER[: len(bare)]) >= _NEAR
        or fuzz.ratio(bare[: len(_LEAD)], _LEAD[: len(bare)]) >= _NEAR
    )
