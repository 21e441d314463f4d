"""Lines that the file draws more than once or in pieces: doubles dropped, pieces joined. Pure."""

from collections import Counter, defaultdict

from osrforge_assets.modules.pages.line import Line, Run
from osrforge_assets.modules.pages.raw_page import Box

# A shadow lies at most this many em beside its heading.
_SHADOW = 0.45
_LARGE = 1.1
_WORD_GAP = 0.45
# Between the sentences of a justified line; a gap as wide as this is a gutter unless the lines around it cover it.
_STRETCHED_GAP = 1.3


def without_shadows(lines: list[Line]) -> list[Line]:
    """Return the lines without those that repeat another one's text a hair beside it."""
    kept: list[Line] = []
    by_text: defaultdict[tuple[str, int], list[Line]] = defaultdict(list)
    for line in lines:
        near = _SHADOW * line.size
        twins = by_text[line.text, line.angle]
        if any(abs(twin.x0 - line.x0) <= near and abs(twin.baseline - line.baseline) <= near for twin in twins):
            continue
        twins.append(line)
        kept.append(line)
    return [_without_inner_double(line) for line in _without_parts(kept)]


def _without_parts(lines: list[Line]) -> list[Line]:
    """Return the lines without those that lie under a longer one that contains their text.

    Only type larger than the page's usual one is looked at: shadows are drawn for headings.
    """
    usual = Counter(round(line.size) for line in lines).most_common(1)[0][0] if lines else 0
    large = [line for line in lines if line.size > _LARGE * usual]
    parts = {
        id(line)
        for line in large
        if any(_is_part(line, other, _SHADOW * line.size) for other in large if other.angle == line.angle)
    }
    return [line for line in lines if id(line) not in parts]


def _is_part(line: Line, other: Line, near: float) -> bool:
    return (
        abs(other.baseline - line.baseline) <= near
        and other.x0 - near <= line.x0
        and line.x1 <= other.x1 + near
        and len(other.text) > len(line.text)
        and line.text in other.text
    )


def _without_inner_double(line: Line) -> Line:
    """Undo a double that the library joined into one line: `1212`, each half in the width of the whole."""
    half, rest = line.text[: len(line.text) // 2], line.text[len(line.text) // 2 :]
    if len(line.runs) == 1 and half == rest and half and line.width < 0.75 * len(line.text) * 0.5 * line.size:
        line.runs = (Run(half, line.runs[0].bold),)
        line.text = half
    return line


def joined_fragments(lines: list[Line]) -> list[Line]:
    """Return the lines with pieces of one line joined that the file draws apart (a word gap or less between them)."""
    gone: set[int] = set()
    row: list[Line] = []
    for line in sorted(lines, key=lambda line: (line.angle, line.baseline, line.x0)):
        row = [other for other in row if other.angle == line.angle and line.baseline - other.baseline < 1]
        for other in row:
            first, second = (other, line) if other.x0 <= line.x0 else (line, other)
            gap = second.x0 - first.x1
            alike = abs(line.size - other.size) <= 0.25 * other.size
            if alike and -0.2 * line.size <= gap <= _WORD_GAP * line.size:
                glue = " " if gap > 0.12 * line.size else ""
                between = (Run(glue, first.runs[-1].bold),) if glue else ()
                text = first.text + glue + second.text
                other.x0, other.x1, other.runs = first.x0, second.x1, (*first.runs, *between, *second.runs)
                other.text = text
                other.box = _union(other.box, line.box)
                gone.add(id(line))
                break
        else:
            row.append(line)
    return [line for line in lines if id(line) not in gone]


def joined_sentences(lines: list[Line]) -> list[Line]:
    """Return the lines with pieces joined that a justified line's wide spaces keep apart.

    The lines above and below tell such a space from a gutter: their words run across it.
    """
    ordered = sorted(lines, key=lambda line: (line.angle, line.baseline, line.x0))
    gone: set[int] = set()
    for index, first in enumerate(ordered[:-1]):
        second = ordered[index + 1]
        gap = second.x0 - first.x1
        level = first.angle == second.angle and abs(first.baseline - second.baseline) < 1
        alike = abs(first.size - second.size) <= 0.05 * first.size and len(first.text) > 3
        if not (level and alike and _WORD_GAP * first.size < gap <= _STRETCHED_GAP * first.size):
            continue
        near = ordered[max(index - 8, 0) : index] + ordered[index + 2 : index + 10]
        if any(_covers(other, first, second) for other in near):
            second.runs = (*first.runs, Run(" ", first.runs[-1].bold), *second.runs)
            second.text = f"{first.text} {second.text}"
            second.x0, second.box = first.x0, _union(first.box, second.box)
            gone.add(id(first))
    return [line for line in lines if id(line) not in gone]


def _covers(other: Line, first: Line, second: Line) -> bool:
    """Return whether a neighbouring line of the same type runs across the space between two pieces."""
    distance = abs(other.baseline - first.baseline)
    close = other.angle == first.angle and 0.5 * first.size < distance <= 1.7 * first.size
    spread = other.x0 <= first.x1 - first.size and other.x1 >= second.x0 + first.size
    return close and spread and abs(other.size - first.size) <= 0.05 * first.size


def _union(one: Box, two: Box) -> Box:
    return min(one[0], two[0]), min(one[1], two[1]), max(one[2], two[2]), max(one[3], two[3])
