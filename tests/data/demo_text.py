"""Text of the demo module: markup to words, words to justified lines.

The markup is a small part of Markdown (`**bold**`, `*italic*`, `#` headings, `>` boxes, `-` stat blocks, `|` tables) plus
`@` commands, one a paragraph. Sizes are in PDF points.
"""

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

import pymupdf  # the fonts' own advance widths decide where a line breaks

REGULAR, BOLD, ITALIC, SANS, SANS_BOLD = "tiro", "tibo", "tiit", "helv", "hebo"

# Times has these two as glyphs. They are printed on purpose: a reader of the PDF has to resolve them.
LIGATURES = {"fi": "\N{LATIN SMALL LIGATURE FI}", "fl": "\N{LATIN SMALL LIGATURE FL}"}

Word = tuple[tuple[str, str], ...]  # runs of (text, font name) with no space between them


@dataclass(frozen=True)
class Block:
    """One paragraph of the markup: what it is, and its text without the mark."""

    kind: str
    text: str


@dataclass(frozen=True)
class Style:
    """How a paragraph is set: size, line height, first-line indent, base font and colour."""

    size: float
    leading: float
    font: str = REGULAR
    indent: float = 0.0
    justify: bool = True


@dataclass(frozen=True)
class Line:
    """Words of one line, its first-line indent, and whether it is stretched to the full width."""

    words: tuple[Word, ...]
    indent: float
    stretch: bool


@cache
def font(name: str) -> Any:
    """The base-14 font of that PyMuPDF name; PyMuPDF ships the outlines, so no system font is read."""
    return pymupdf.Font(name)


MARKS = (("### ", "area"), ("## ", "heading"), ("> ", "box"), ("- ", "stat"), ("| ", "row"))


def parse(source: str) -> list[Block]:
    """Markup to blocks in order; a paragraph is one line of the source."""
    blocks: list[Block] = []
    for line in filter(None, (raw.strip() for raw in source.splitlines())):
        if line.startswith("@"):
            command, _, rest = line[1:].partition(" ")
            blocks.append(Block(command, rest))
            continue
        mark, kind = next(((mark, kind) for mark, kind in MARKS if line.startswith(mark)), ("", "text"))
        blocks.append(Block(kind, line[len(mark) :]))
    return blocks


def hyphen_points(blocks: list[Block]) -> dict[str, tuple[str, ...]]:
    """The exception list of the markup (`trea-sure`) as word to syllables."""
    words = [word for block in blocks if block.kind == "hyphens" for word in block.text.split()]
    return {word.replace("-", ""): tuple(word.split("-")) for word in words}


def to_words(text: str, base: str) -> list[Word]:
    """Inline markup to words; runs that touch (`**1.**text`) stay one word."""
    words: list[list[tuple[str, str]]] = []
    open_word = False
    for run in re.split(r"(\*\*.+?\*\*|\*[^* ].*?\*)", text):
        face, plain = base, run
        if run.startswith("**") and len(run) > 2:
            face, plain = BOLD, run[2:-2]
        elif run.startswith("*") and len(run) > 1:
            face, plain = (ITALIC if base != ITALIC else REGULAR), run[1:-1]
        for piece in re.findall(r"\s+|\S+", plain):
            if piece.isspace():
                open_word = False
            elif open_word:
                words[-1].append((piece, face))
            else:
                words.append([(piece, face)])
                open_word = True
    return [tuple((ligated(piece, face), face) for piece, face in word) for word in words]


def ligated(text: str, face: str) -> str:
    """The text with the ligatures that the font draws."""
    if face in (REGULAR, ITALIC, BOLD):
        for pair, glyph in LIGATURES.items():
            text = text.replace(pair, glyph)
    return text


def width(word: Word, size: float) -> float:
    """Advance width of a word."""
    return sum(font(face).text_length(text, size) for text, face in word)


def splits(word: Word, hyphens: dict[str, tuple[str, ...]]) -> list[tuple[Word, Word]]:
    """Ways to break a word over two lines, longest first part first: at its own hyphens and dashes, then by the list."""
    if len(word) != 1:
        return []
    text, face = word[0]
    cuts = [(text[: m.end()], text[m.end() :]) for m in re.finditer(r"(?<=[A-Za-z])-(?=[A-Za-z])", text)]
    match = re.fullmatch(r"(\W*)([\w’]+)(\W*)", text)
    spelled = match and match[2]
    for pair, glyph in LIGATURES.items():
        spelled = spelled and spelled.replace(glyph, pair)
    syllables = hyphens.get(spelled.lower(), ()) if spelled and match else ()
    for count in range(1, len(syllables)):
        length = sum(map(len, syllables[:count]))
        head, tail = f"{match[1]}{spelled[:length]}-", f"{spelled[length:]}{match[3]}"  # pyright: ignore[reportOptionalSubscript]
        cuts.append((ligated(head, face), ligated(tail, face)))
    return [(((head, face),), ((tail, face),)) for head, tail in sorted(cuts, key=lambda cut: -len(cut[0]))]


def break_lines(
    text: str, style: Style, measure: float, hyphens: dict[str, tuple[str, ...]], hang: float = 0.0
) -> list[Line]:
    """Greedy lines of at most `measure` points; `hang` indents every line but the first."""
    space = font(style.font).text_length(" ", style.size)
    queue = to_words(text, style.font)
    lines: list[Line] = []
    while queue:
        indent = hang if lines else style.indent
        line: list[Word] = []
        used = indent
        while queue:
            gap = space if line else 0.0
            if used + gap + width(queue[0], style.size) <= measure:
                used += gap + width(queue[0], style.size)
                line.append(queue.pop(0))
                continue
            room = measure - used - gap
            cut = next((cut for cut in splits(queue[0], hyphens) if width(cut[0], style.size) <= room), None)
            if cut:
                line.append(cut[0])
                queue[0] = cut[1]
            elif not line:  # a word wider than the column prints over the edge rather than hanging the loop
                line.append(queue.pop(0))
            break
        lines.append(Line(tuple(line), indent, stretch=style.justify and bool(queue)))
    return lines
