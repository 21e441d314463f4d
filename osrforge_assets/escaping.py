"""Text of a source inside what we write for people: Markdown files, spreadsheet cells.

Text from a PDF or a model is data. It must never become a heading, a link, HTML or a formula, and it should stay readable
in the raw file too, because Markdown is read raw as often as rendered: only what could begin markup is escaped.
"""

import re
from collections.abc import Sequence

# Marks that can begin inline markup: code, emphasis, links and images, HTML, tables, strikethrough, mathematics, autolinked
# mail addresses, templates of static site generators; an underscore at a word's edge; an ampersand that begins an entity.
_INLINE = re.compile(r"[\\`*\[\]<>|~$@{}#]|(?<![^\W_])_|_(?![^\W_])|&(?=#?\w+;)")
# Schemes and hosts that GitHub's Markdown links without brackets.
_BARE_LINK = re.compile(r"(?i)(?<=www)\.|:(?=//)|(?<=mailto):|(?<=xmpp):")
# What means a list, a rule, a setext underline or a block only at the start of a line.
_LINE_START = re.compile(r"[-+=:]|\d{1,9}(?=[.)])")
# Control characters other than tab and line feed; a reader sees that something was there.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
# What spreadsheets take as a formula's start, also behind spaces and apostrophes (a leading apostrophe alone is shown as
# text by all of them, so it is the usual cure). The full-width forms count in East Asian locales.
_FORMULA = re.compile(r"[\s'\x00-\x1f]*[=+\-@＝＋－＠\t\r\n]")


def markdown_inline(text: str) -> str:
    """Return `text` as Markdown for the middle of a line, where it renders as these characters, white space folded."""
    line = " ".join(_CONTROL.sub("\ufffd", text).split())
    return _BARE_LINK.sub(r"\\\g<0>", _INLINE.sub(r"\\\g<0>", line))


def markdown_text(text: str) -> str:
    """Return `text` as Markdown for the start of a line, a list item or a quotation: never a block of its own."""
    line = markdown_inline(text)
    start = _LINE_START.match(line)
    if start is None:
        return line
    # A backslash before a digit is a backslash; before the mark behind the digits it is an escape.
    at = start.end() if start.group()[0].isdigit() else 0
    return f"{line[:at]}\\{line[at:]}"


def spreadsheet_text(text: str) -> str:
    """Return `text` as a CSV cell that no spreadsheet takes for a formula.

    A text that would start one (`=1+1`, `-2`, `@SUM`) gets an apostrophe before it; so does one that starts so behind an
    apostrophe of its own, which keeps the cure reversible. Line ends become line feeds, control characters U+FFFD. The
    Parquet tables keep the text as it is.
    """
    cell = _CONTROL.sub("\ufffd", text.replace("\r\n", "\n").replace("\r", "\n"))
    return f"'{cell}" if _FORMULA.match(text) or _FORMULA.match(cell) else cell


def markdown_table(head: tuple[str, ...], rows: Sequence[tuple[object, ...]]) -> str:
    """Return a Markdown table: the head is ours, every cell is text of a source and escaped."""
    lines = [head, tuple("---" for _ in head), *(tuple(markdown_text(str(cell)) for cell in row) for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
