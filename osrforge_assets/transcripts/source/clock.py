"""Times of every form the readers meet, as milliseconds.

1:02:03.456   02:03,45   0:0:5.0   100:00:00.000   7:05 PM   12.5 (seconds)
"""

import re

# Hours are optional and may pass 99; minutes may pass 59 where no hour is given (a recorder that counts minutes).
CLOCK = r"(?:\d{1,4}:)?\d{1,3}:\d{2}(?:[.,]\d{1,9})?(?:\s?[AaPp]\.?[Mm]\.?)?"
_CLOCK_PARTS = re.compile(r"(?:(\d{1,4}):)?(\d{1,3}):(\d{1,2})(?:[.,](\d{1,9}))?(?:\s?([AaPp])\.?[Mm]\.?)?")
_SECONDS = re.compile(r"(\d{1,9})(?:[.,](\d{1,9}))?\s?s?")

_MINUTE = 60
_HALF_DAY = 12
# Past this no number is a time of a recording: 9999 hours, which is also what the clock form can say.
_MAX_MS = 9_999 * 3_600_000


def clock_ms(text: str) -> int | None:
    """Return the milliseconds of a clock time, None if `text` is none.

    Digits after the third of the fraction are cut; a shorter fraction counts from the left (`.5` is 500 ms).
    """
    match = _CLOCK_PARTS.fullmatch(text.strip())
    if match is None:
        return None
    hours, minutes, seconds = int(match[1] or 0), int(match[2]), int(match[3])
    half = (match[5] or "").lower()
    if half and match[1] is None:
        # `7:05 PM` has no seconds.
        hours, minutes, seconds = minutes, seconds, 0
    if seconds >= _MINUTE or (minutes >= _MINUTE and (hours or half)):
        return None
    if half:
        hours = hours % _HALF_DAY + (_HALF_DAY if half == "p" else 0)
    return ((hours * _MINUTE + minutes) * _MINUTE + seconds) * 1000 + int((match[4] or "").ljust(3, "0")[:3])


def seconds_ms(value: object) -> int | None:
    """Return the milliseconds of a number of seconds (a number, or text such as `4.00s`), None if it is none."""
    if isinstance(value, str):
        match = _SECONDS.fullmatch(value.strip())
        return None if match is None else _bounded(int(match[1]) * 1000 + int((match[2] or "").ljust(3, "0")[:3]))
    number = _number(value)
    return None if number is None else _bounded(round(number * 1000))


def whole_ms(value: object) -> int | None:
    """Return a number of milliseconds as it is, None if it is none."""
    number = _number(value)
    return None if number is None else _bounded(round(number))


def shown_time(milliseconds: int) -> str:
    """Return a time for people and prompts: `1:02:03`."""
    seconds = milliseconds // 1000
    return f"{seconds // 3600}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"


def _number(value: object) -> float | None:
    # A JSON integer may be too long for a float, so size is asked before finiteness.
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= _MAX_MS:
        return None
    return value


def _bounded(milliseconds: int) -> int | None:
    return milliseconds if 0 <= milliseconds <= _MAX_MS else None
