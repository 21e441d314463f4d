"""The light Markdown that a page's paragraphs are written in; `reading_order` documents the format. Pure."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from osrforge_assets.modules.pages.line import Run
from osrforge_assets.modules.pages.paragraphs import Paragraph

_HEADING = 1.15
_DEEPEST = 4
_ONE_TIER = 0.94
_ADDRESS = re.compile(r"://|www\.|@\w+\.")
_LONGEST_HEADING = 120
_LONGEST_BOLD_HEADING = 80
_MOST_HEADING_LINES = 3
_NO_HEADING_END = (".", ",", ";", ":", "!", "?", "”", '"', "»")
_MARKUP_START = re.compile(r"(?=[#>|\\]|\*\*|- )")


def heading_tiers(sizes: Sequence[float], cover: Sequence[float] = ()) -> dict[float, int]:
    """Return a heading depth 1 to 4 for each size: the largest is 1, then 2, 3, and 4 for all others.

    Sizes within 6 % are one tier: fonts set for the same heading differ by rounding. The sizes that only the cover has
    are one tier too, however many it uses, so that the book's own headings keep theirs apart.

    Args:
        sizes: Of the headings after the first page, or of all if there is only one page.
        cover: Of the first page's headings.
    """
    largest = max(sizes, default=0.0)
    above = {size for size in cover if size * _ONE_TIER > largest}
    ranks = _ranks(Counter(size for size in [*sizes, *cover] if size not in above), int(bool(above)))
    tiers = dict.fromkeys(above, 1)
    for depth, rank in enumerate(ranks, int(bool(above)) + 1):
        tiers.update(dict.fromkeys(rank, min(depth, _DEEPEST)))
    return tiers


def _ranks(counts: Counter[float], above: int) -> list[list[float]]:
    """Return sizes by rank; while there are more ranks than depths, one used but once joins the next smaller one."""
    ranks: list[list[float]] = []
    for size in sorted(counts, reverse=True):
        if ranks and size >= ranks[-1][0] * _ONE_TIER:
            ranks[-1].append(size)
        else:
            ranks.append([size])
    index = 0
    while len(ranks) + above >= _DEEPEST and index < len(ranks) - 1:
        if sum(counts[size] for size in ranks[index]) == 1:
            ranks[index : index + 2] = [ranks[index] + ranks[index + 1]]
        else:
            index += 1
    return ranks


def is_heading(paragraph: Paragraph, body: float) -> bool:
    """Return whether a paragraph is a heading by its size."""
    if paragraph.table is not None or paragraph.bullet or paragraph.size <= _HEADING * body:
        return False
    text = paragraph.text
    if len(text) > _LONGEST_HEADING or paragraph.lines > _MOST_HEADING_LINES:
        return False
    # A lead paragraph in larger type is text: it ends in a full stop and runs on.
    return any(char.isalnum() for char in text) and not (text.endswith((".", ",")) and len(text) > 40)


@dataclass(frozen=True, slots=True)
class BodyType:
    """The type that a page's running text is set in.

    Attributes:
        size: Points.
        family: Font family.
    """

    size: float
    family: str


def page_markdown(paragraphs: Sequence[Paragraph], tiers: dict[float, int], body: BodyType) -> str:
    """Return the paragraphs as text, a blank line between blocks."""
    blocks = [block for paragraph in paragraphs if (block := _block(paragraph, tiers, body))]
    return "\n\n".join(blocks)


def _block(paragraph: Paragraph, tiers: dict[float, int], body: BodyType) -> str:
    if paragraph.table is not None:
        return _table(paragraph.table)
    text = _plain(paragraph.text)
    if not text:
        return ""
    lead = "> " if paragraph.boxed else ""
    if paragraph.bullet:
        return f"{lead}- {_marked(paragraph.runs)}"
    if is_heading(paragraph, body.size):
        return f"{lead}{'#' * tiers.get(paragraph.size, _DEEPEST)} {_inline(text)}"
    if _is_bold_heading(paragraph, text) or _is_display_heading(paragraph, text, body):
        return f"{lead}#### {_inline(text)}"
    marked = _marked(paragraph.runs)
    # What the page prints is data: where it begins like markup it is escaped, so it can never be taken for structure.
    starts_bold = paragraph.runs and paragraph.runs[0].bold and paragraph.runs[0].text.strip()
    return lead + (marked if starts_bold else _MARKUP_START.sub(r"\\", marked, count=1) if _starts(marked) else marked)


def _starts(text: str) -> bool:
    return _MARKUP_START.match(text) is not None


def _is_bold_heading(paragraph: Paragraph, text: str) -> bool:
    if (
        len(text) < 2
        or not any(char.isalpha() for char in text)
        or paragraph.lines > _MOST_HEADING_LINES
        or _ADDRESS.search(text)
    ):
        return False
    capitals = text.isupper() and sum(char.isalpha() for char in text) > 3 and paragraph.lines == 1
    if len(text) > _LONGEST_BOLD_HEADING or text.endswith((",", ";")):
        return False
    return paragraph.bold or (capitals and not text.endswith("."))


def _is_display_heading(paragraph: Paragraph, text: str, body: BodyType) -> bool:
    """Return whether a short line in another family than the running text is a heading; stat lines have digits."""
    if not paragraph.family or paragraph.family == body.family or paragraph.size < 0.95 * body.size:
        return False
    if _ADDRESS.search(text):
        return False
    few_digits = sum(char.isdigit() for char in text) <= 2
    short = len(text) <= _LONGEST_BOLD_HEADING and paragraph.lines == 1
    return short and few_digits and any(char.isalpha() for char in text) and not text.endswith(_NO_HEADING_END)


def _marked(runs: Sequence[Run]) -> str:
    """Return runs with bold ones between `**`, spaces outside the marks."""
    pieces: list[str] = []
    for run in _merged(runs):
        text = run.text
        core = text.strip()
        if not run.bold or not any(char.isalnum() for char in core):
            pieces.append(_inline(text))
            continue
        start, end = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
        pieces.append(f"{start}**{_inline(core)}**{end}")
    return _plain("".join(pieces))


def _merged(runs: Sequence[Run]) -> list[Run]:
    """Return runs with neighbours of one weight joined; a space or mark between bold words is bold too."""
    merged: list[Run] = []
    for index, run in enumerate(runs):
        bold = run.bold
        between = not any(char.isalnum() for char in run.text)
        if between and 0 < index < len(runs) - 1 and runs[index - 1].bold and runs[index + 1].bold:
            bold = True
        if merged and merged[-1].bold == bold:
            merged[-1] = Run(merged[-1].text + run.text, bold)
        else:
            merged.append(Run(run.text, bold))
    return merged


def _inline(text: str) -> str:
    return text.replace("**", "\\*\\*")


def _plain(text: str) -> str:
    return " ".join(text.split())


def _table(rows: Sequence[Sequence[str]]) -> str:
    def row(cells: Sequence[str]) -> str:
        return "| " + " | ".join(_plain(cell).replace("|", "\\|") for cell in cells) + " |"

    return "\n".join([row(rows[0]), row(["---"] * len(rows[0])), *(row(cells) for cells in rows[1:])])
