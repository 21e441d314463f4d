"""Paragraphs: which lines belong together, decided from how they are set. Pure.

A new paragraph begins where the layout says so: more space than between lines, an indent or outdent, a bullet, a
printed key, another size, a bold line of its own, or a line that ends although the next word would have fitted.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from osrforge_assets.modules.pages.blocks import CELL_LINE, Block
from osrforge_assets.modules.pages.hyphens import joined
from osrforge_assets.modules.pages.line import Line, Run

_BULLET = re.compile(r"([•◦▪▫●○■□◆◇‣⁃∙★☆✦✧➤►▶→❖✓✔☐·\ufffd]|[-–—*](?=\s))\s*")
# A printed key with its mark: `1.` `4a)` `B12:` `01.03` `Area 7` `#5`.
_MARKED_KEY = re.compile(
    r"(?:(?:area|room|location|zone|sala|zona|área|habitación)\s+)?#?[A-Z]{0,2}-?\d{1,3}(?:[.\-–]\d{1,3})?[a-z]?\s?[.):]"
    r"(?=\s|$|[A-ZÁÉÍÓÚ“\"])",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"(\d{1,3})[.):]\s")
_BARE_KEY = re.compile(r"(?:[A-Z]{1,2}-?\d{1,3}[a-z]?|\d{1,3}[a-z]?(?:[-–]\d{1,3})?)(?=\s+[A-ZÁÉÍÓÚÑ“\"]|\s*[–—])")
_NAMED_KEY = re.compile(r"(?:area|room|location|zona|sala)\s+\S{1,5}\b", re.IGNORECASE)
# A line of running text holds six words or so.
_COLUMN_WIDTH = 14
_SAME_SIZE, _HEADING = 1.1, 1.15
_ENDS = tuple('.!?:;…”"»)]')
_SENTENCE_END = tuple('.!?:…”"»')


@dataclass(slots=True)
class Paragraph:
    """One paragraph.

    Attributes:
        runs: Its text, lines joined.
        size: Font size of its first line.
        lines: How many lines it was set in.
        bold: Whether every letter is bold.
        boxed: Whether it stands in a drawn box.
        bullet: Whether a bullet leads it (not part of `runs`).
        keyed: Whether it starts with a printed key.
        table: Rows of a table instead of text, else None.
        family: Font family of its lines, "" if they differ.
    """

    runs: list[Run]
    size: float
    lines: int
    bold: bool
    boxed: bool = False
    bullet: bool = False
    keyed: bool = False
    table: list[list[str]] | None = None
    family: str = ""

    @property
    def text(self) -> str:
        """Its text without marks."""
        return "".join(run.text for run in self.runs)


def paragraphs(blocks: Sequence[Block], vocabulary: Counter[str], body: float) -> list[Paragraph]:
    """Return the paragraphs of ordered blocks.

    Args:
        blocks: In reading order.
        vocabulary: Words of the document, for hyphens at line ends.
        body: Size of the page's body text.
    """
    result: list[Paragraph] = []
    last: Block | None = None
    for block in blocks:
        if block.table is not None:
            rows = [[_cell(text, vocabulary) for text in row] for row in block.table]
            result.append(Paragraph([], body, len(rows), bold=False, table=rows))
        elif block.inner is not None:
            inside = paragraphs(block.inner, vocabulary, body)
            # A box that opens with a key is an entry of the key, as around drawn maps; read-aloud text has none.
            boxed = not (inside and inside[0].keyed)
            for paragraph in inside:
                paragraph.boxed = boxed
            result += inside
        elif block.lines:
            made = [_paragraph(lines, vocabulary) for lines in split_block(block.lines, body)]
            if result and _is_column(block) and last is not None and _goes_on(result[-1], made[0], last, block, body):
                result[-1] = _merged(result[-1], made.pop(0), vocabulary)
            result += made
        last = block if _is_column(block) else None if block.lines else last
    return result


def _cell(text: str, vocabulary: Counter[str]) -> str:
    cell, *lines = text.split(CELL_LINE)
    for line in lines:
        cell = joined(cell, line, vocabulary)
    return cell


def split_block(lines: Sequence[Line], body: float) -> list[list[Line]]:
    """Return a block's lines, divided into paragraphs."""
    groups: list[list[Line]] = []
    left = min(line.x0 for line in lines)
    pitch = _pitch(lines)
    in_sequence = _sequence(lines)
    for index, line in enumerate(lines):
        if index == 0 or index in in_sequence or _begins(lines, index, left, pitch, body):
            groups.append([line])
        else:
            groups[-1].append(line)
    return groups


def _sequence(lines: Sequence[Line]) -> set[int]:
    """Return the lines that start `1.`, `2.`, `3.` and so on at one edge: a list, whatever ends the lines before."""
    found: set[int] = set()
    last: tuple[int, int, float] | None = None
    for index, line in enumerate(lines):
        number = _NUMBERED.match(line.text)
        if number is None:
            continue
        value = int(number[1])
        if last is not None and value == last[1] + 1 and abs(line.x0 - last[2]) < 0.6 * line.size:
            found.update((last[0], index))
        last = (index, value, line.x0)
    return found


def _pitch(lines: Sequence[Line]) -> float:
    steps = sorted(lower.baseline - upper.baseline for upper, lower in pairwise(lines))
    return steps[len(steps) // 2] if steps else 0.0


def _begins(lines: Sequence[Line], index: int, left: float, pitch: float, body: float) -> bool:
    """Return whether a paragraph begins with line `index`."""
    line, last = lines[index], lines[index - 1]
    if max(line.size, last.size) > _SAME_SIZE * min(line.size, last.size):
        return True
    if line.size > _HEADING * body:
        # A heading over several lines is ragged by nature, and set at its own distance.
        return line.baseline - last.baseline > 1.6 * line.size
    if line.baseline - last.baseline > 1.25 * pitch + 0.5 or _BULLET.match(line.text):
        return True
    ended, short = last.text.endswith(_ENDS), _would_have_fitted(lines, index, 0.0)
    outdented = line.x0 < last.x0 - 0.5 * line.size
    if line.family != last.family and (ended or short):
        return True
    if _is_key_start(line, ended=ended, outdented=outdented, short=short) or _is_indent(lines, index, left):
        return True
    hung = outdented and ended and last.x0 - line.x0 < 4 * line.size and _was_hanging(lines, index)
    return hung or _broken_on_purpose(lines, index, ended=ended, short=short)


def _broken_on_purpose(lines: Sequence[Line], index: int, *, ended: bool, short: bool) -> bool:
    """Return whether the line before was ended although more words had fitted on it."""
    line, last = lines[index], lines[index - 1]
    if last.all_bold != line.all_bold and not (line.runs[0].bold and last.runs[-1].bold):
        # A bold line of its own, or what follows it.
        return short if last.all_bold else ended and _is_short(lines, index)
    # Text wrapped at a number of characters, not at an edge, leaves up to a tenth of its width free.
    slack = 0.03 if line.runs[0].bold and not last.runs[-1].bold and ended else 0.12
    return not line.text[:1].islower() and _would_have_fitted(lines, index, slack)


def _is_key_start(line: Line, *, ended: bool, outdented: bool, short: bool) -> bool:
    """Return whether a line starts with a printed key, rather than with a number its sentence happens to reach there."""
    bold = line.runs[0].bold
    marked = _MARKED_KEY.match(line.text)
    if marked:
        return bold or ended or outdented or short
    bare = _BARE_KEY.match(line.text)
    if bare:
        key_is_bold = bold and len(line.runs[0].text.strip()) <= len(bare[0]) + 60
        return (key_is_bold and (ended or short or outdented)) or (outdented and ended)
    return bool(_NAMED_KEY.match(line.text)) and bold and (ended or short)


def _is_indent(lines: Sequence[Line], index: int, left: float) -> bool:
    """Return whether only this line is set in: the next one returns to the edge, or it is the last."""
    line, last = lines[index], lines[index - 1]
    depth = line.x0 - last.x0
    if not 0.6 * line.size < depth < 5 * line.size or last.x0 > left + 0.5 * line.size:
        return False
    if not last.text.endswith(_SENTENCE_END) or _MARKED_KEY.match(last.text) or _BULLET.match(last.text):
        # A sentence goes on, or an entry hangs from its key.
        return False
    if index + 1 < len(lines):
        return lines[index + 1].x0 < line.x0 - 0.5 * line.size
    return True


def _was_hanging(lines: Sequence[Line], index: int) -> bool:
    """Return whether the paragraph before hung: its later lines are set in against its first."""
    return index >= 2 and lines[index - 1].x0 - lines[index].x0 > 0.5 * lines[index].size


def _would_have_fitted(lines: Sequence[Line], index: int, slack: float) -> bool:
    """Return whether the next line's first word had room on the line before, with `slack` of the width to spare."""
    last, line = lines[index - 1], lines[index]
    near = lines[max(index - 5, 0) : index + 5]
    right = max(other.x1 for other in near)
    width = right - min(other.x0 for other in near)
    word = line.text.split(" ", 1)[0]
    needed = (len(word) + 1) * line.width / max(len(line.text), 1)
    return last.x1 + needed < right - slack * width


def _is_short(lines: Sequence[Line], index: int) -> bool:
    line = lines[index]
    right = max(other.x1 for other in lines[max(index - 5, 0) : index + 5])
    return line.x1 < right - 0.15 * (right - line.x0)


def _paragraph(lines: Sequence[Line], vocabulary: Counter[str]) -> Paragraph:
    runs: list[Run] = list(lines[0].runs)
    for line in lines[1:]:
        runs = join_runs(runs, list(line.runs), vocabulary)
    bullet = _BULLET.match(lines[0].text)
    if bullet:
        runs = _without_start(runs, bullet.end())
    text = "".join(run.text for run in runs)
    keyed = bool(_MARKED_KEY.match(text) or (runs and runs[0].bold and _BARE_KEY.match(text)))
    return Paragraph(
        runs=runs,
        size=lines[0].size,
        lines=len(lines),
        bold=all(run.bold or not run.text.strip() for run in runs),
        bullet=bool(bullet) and bool(text.strip()),
        keyed=keyed,
        family=lines[0].family if all(line.family == lines[0].family for line in lines) else "",
    )


def join_runs(before: list[Run], after: list[Run], vocabulary: Counter[str]) -> list[Run]:
    """Return two lines' runs as one text; the space between is bold where both its neighbours are."""
    if not before or not after:
        return before + after
    last, first = before[-1], after[0]
    # Words of punctuation and hyphens are judged on the text, weights only decide where runs end.
    glued = joined(last.text, first.text, vocabulary)
    head = _head_length(last.text, first.text, glued)
    if last.bold == first.bold:
        return [*before[:-1], Run(glued, last.bold), *after[1:]]
    return [
        *before[:-1],
        Run(glued[:head].rstrip(), last.bold),
        Run(_gap(glued, head) + glued[head:].lstrip(), first.bold),
        *after[1:],
    ]


def _head_length(before: str, after: str, glued: str) -> int:
    return len(glued) - len(after) if glued.endswith(after) else len(before)


def _gap(glued: str, head: int) -> str:
    return " " if head and (glued[head - 1 : head] == " " or glued[head : head + 1] == " ") else ""


def _without_start(runs: list[Run], count: int) -> list[Run]:
    result: list[Run] = []
    for run in runs:
        taken = min(count, len(run.text))
        count -= taken
        if run.text[taken:]:
            result.append(Run(run.text[taken:], run.bold))
    return result


def _is_column(block: Block) -> bool:
    """Return whether a block is running text, as wide as some words; labels and notes are not continued elsewhere."""
    return block.inner is None and bool(block.lines) and block.x1 - block.x0 >= _COLUMN_WIDTH * block.lines[0].size


def _goes_on(last: Paragraph, new: Paragraph, above: Block, below: Block, body: float) -> bool:
    """Return whether a paragraph goes on in the next block: the sentence was left open and taken up in small letters."""
    left_early = above.lines[-1].x1 < above.x1 - 0.3 * (above.x1 - above.x0)
    if left_early and len(above.lines) > 1:
        return False
    widths = sorted((above.x1 - above.x0, below.x1 - below.x0))
    if below.top > above.bottom and widths[0] < 0.6 * widths[1] and len(below.lines) > 1:
        return False
    if last.table is not None or last.boxed or new.bullet or new.keyed or not last.text or not new.text:
        return False
    if abs(last.size - new.size) > 0.08 * body or last.size > 1.15 * body:
        return False
    first = new.text.lstrip("“\"'(«")[:1]
    open_ended = not last.text.endswith(_SENTENCE_END) or last.text.endswith(("-", "‐"))
    return open_ended and first.islower() and last.lines + new.lines >= 3 and not (last.bold and not new.bold)


def _merged(last: Paragraph, new: Paragraph, vocabulary: Counter[str]) -> Paragraph:
    last.runs = join_runs(last.runs, new.runs, vocabulary)
    last.lines += new.lines
    last.bold = last.bold and new.bold
    return last
