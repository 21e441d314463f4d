"""A page's reading-order text as typed blocks.

The page reader writes light Markdown: blocks apart by a blank line, a paragraph a line, `#` headings, `**bold**` run-ins,
`> ` boxed text, pipe tables, `- ` bullets, and a backslash before text that would only look like markup. Raw text layers,
where a paragraph is many lines, are read too: their lines are joined until one plainly starts something new.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum


class BlockKind(StrEnum):
    """What the layout says a block is."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    BOX = "box"
    TABLE = "table"
    BULLET = "bullet"


@dataclass(frozen=True, slots=True)
class Block:
    """One block of a page.

    Attributes:
        page: The `[page N]` number.
        kind: What the layout says it is.
        tier: Rank of a heading, 1 the highest; 0 for any other block.
        text: Its words without markup.
        bold: The part of `text` that a bold run at its head covers, "" if it starts plain.
        rows: Cells of a table's rows, () for any other block.
    """

    page: int
    kind: BlockKind
    tier: int
    text: str
    bold: str = ""
    rows: tuple[tuple[str, ...], ...] = ()


# One pass, no backtracking: an escaped character, a bold mark, or one other character.
_INLINE = re.compile(r"\\([!-/:-@\[-`{-~])|(\*\*)|([^\\*]+|.)", re.DOTALL)
_HEADING = re.compile(r"(#{1,6})\s+")
_SPACE = re.compile(r"\s+")
_KEY_COLUMN = re.compile(
    r"(?:room|area|location|chamber|key|sala|habitación|estancia|zona|salle|raum|stanza)s?(?: (?:no\.?|#))?",
    re.IGNORECASE,
)
# `No.` alone numbers anything; what it numbers is the next column's matter.
_NUMBER_COLUMN = re.compile(r"#|n[oº°]\.?|nr\.?|num(?:ber)?\.?", re.IGNORECASE)
# A cell of so few words between key and text is the room's name.
_MOST_NAME_WORDS = 7
_TABLE_RULE = re.compile(r"[\s|:\-]+")
# In a raw text layer a line starts an entry only with a punctuated key, after the line before it ended a sentence or
# was itself short: `3` + `stirges roost` across a line end is no entry.
_RAW_ENTRY = re.compile(
    r"\s{0,3}(?:(?:[^\W\d_]{1,2})?\d{1,3}[a-z]?[.):]\s+\S|(?:[Ww]andering [Mm]onsters|[Rr]andom [Ee]ncounters)\b)"
)
_SENTENCE_END = re.compile(r"[.!?:…][\"'”’)\]]*\s*$")
_SHORT_SHARE = 0.6
_SHORT_TITLE = 50


def read_blocks(page: int, text: str) -> list[Block]:
    """Return the blocks of a page's text in reading order; linear in its length.

    Args:
        page: The `[page N]` number, carried by every block.
        text: Light Markdown or a raw text layer.
    """
    blocks: list[Block] = []
    for lines in _chunks(text):
        blocks.extend(_chunk_blocks(page, lines))
    return blocks


def _chunks(text: str) -> Iterable[list[str]]:
    chunk: list[str] = []
    for line in text.split("\n"):
        if line.strip():
            chunk.append(line)
        elif chunk:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


def _chunk_blocks(page: int, lines: Sequence[str]) -> Iterable[Block]:
    width = max(map(len, lines))
    table: list[str] = []
    open_lines: list[str] = []
    for line in lines:
        if line.startswith("|"):
            if open_lines:
                yield _text_block(page, open_lines)
                open_lines = []
            table.append(line)
            continue
        if table:
            yield from _table(page, table)
            table = []
        if open_lines and _starts_block(line, open_lines, width):
            yield _text_block(page, open_lines)
            open_lines = []
        open_lines.append(line)
    if table:
        yield from _table(page, table)
    if open_lines:
        yield _text_block(page, open_lines)


def _starts_block(line: str, before: Sequence[str], width: int) -> bool:
    last = before[-1]
    if len(before) == 1 and _reads_as_title(last, line):
        return True
    if _HEADING.match(line) or _HEADING.match(last) or line.startswith(("- ", "**")):
        return True
    if line.startswith("> "):
        return not last.startswith("> ")
    if last.startswith("> "):
        return True
    return bool(_RAW_ENTRY.match(line)) and (bool(_SENTENCE_END.search(last)) or len(last) < _SHORT_SHARE * width)


def _reads_as_title(first: str, second: str) -> bool:
    """Whether the first line of a raw chunk is its heading: no key, not closed, and shorter than the next line."""
    return (
        len(first) < _SHORT_TITLE
        and len(second) * 4 > len(first) * 5
        and second[:1].isupper()
        and not _SENTENCE_END.search(first)
        and not first.startswith(("> ", "- "))
        and not re.match(r"\s*\S?\d", first)
    )


def _text_block(page: int, lines: Sequence[str]) -> Block:
    head = lines[0]
    if heading := _HEADING.match(head):
        text, _ = plain_text(head[heading.end() :])
        return Block(page, BlockKind.HEADING, len(heading[1]), text)
    if heading := _HEADING.match(head.removeprefix("> ")):
        # A heading inside a box is as much a heading as one outside.
        text, _ = plain_text(head.removeprefix("> ")[heading.end() :])
        return Block(page, BlockKind.HEADING, len(heading[1]), text)
    if head.startswith("> "):
        text, bold = plain_text(_join([line.removeprefix("> ") for line in lines]))
        return Block(page, BlockKind.BOX, 0, text, bold)
    if head.startswith("- "):
        text, bold = plain_text(_join([head[2:], *lines[1:]]))
        return Block(page, BlockKind.BULLET, 0, text, bold)
    text, bold = plain_text(_join(lines))
    return Block(page, BlockKind.PARAGRAPH, 0, text, bold)


def _join(lines: Sequence[str]) -> str:
    return " ".join(line.strip() for line in lines)


def _table(page: int, lines: Sequence[str]) -> Iterable[Block]:
    rows = [tuple(_cells(line)) for line in lines if not _TABLE_RULE.fullmatch(line)]
    if len(rows) > 2 and _keys_rooms(rows[0]) and all(row[0][:1].isalnum() for row in rows[1:]):
        # A key printed as a table: each row is an entry like any other.
        for row in rows[1:]:
            yield Block(page, BlockKind.PARAGRAPH, 0, f"{row[0].rstrip('.')}. {_entry_of(row[1:])}")
        return
    text = "\n".join(" | ".join(row) for row in rows)
    yield Block(page, BlockKind.TABLE, 0, text, rows=tuple(rows))


def _keys_rooms(head: Sequence[str]) -> bool:
    """Whether a table's head says that it is a key: `Room | Contents`, `No. | Location | …`, and never `d6 | Room`."""
    if _KEY_COLUMN.fullmatch(head[0]):
        return True
    return len(head) > 1 and bool(_NUMBER_COLUMN.fullmatch(head[0]) and _KEY_COLUMN.fullmatch(head[1]))


def _entry_of(cells: Sequence[str]) -> str:
    """Return a row's cells after its key as the text of an entry, its name closed off from what follows."""
    filled = [cell for cell in cells if cell]
    if len(filled) > 1 and len(filled[0].split()) <= _MOST_NAME_WORDS and filled[0][-1:].isalnum():
        filled[0] += "."
    return " ".join(filled)


def _cells(line: str) -> list[str]:
    inner = line.strip().removeprefix("|")
    inner = inner[:-1] if inner.endswith("|") and not inner.endswith("\\|") else inner
    return [plain_text(cell)[0] for cell in re.split(r"(?<!\\)\|", inner)]


def plain_text(marked: str) -> tuple[str, str]:
    """Return text without inline markup, and the part of it that a bold run at its head covers."""
    pieces: list[str] = []
    bold_pieces: list[str] = []
    inside = leading = False
    for escaped, mark, other in _INLINE.findall(marked):
        if mark:
            # Two bold runs with nothing between are one run drawn in two spans.
            leading = (not any(piece.strip() for piece in pieces) or leading) if not inside else leading
            inside = not inside
            continue
        piece = escaped or other
        if not inside and piece.strip():
            leading = False
        pieces.append(piece)
        if (inside and leading) or leading:
            bold_pieces.append(piece)
    text = _SPACE.sub(" ", "".join(pieces)).strip()
    bold = _SPACE.sub(" ", "".join(bold_pieces)).strip()
    return text, bold
