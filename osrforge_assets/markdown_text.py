"""Text of a source inside Markdown that we write: shown as it is, never as markup."""

import re
from collections.abc import Sequence

# Every ASCII punctuation mark may be escaped with a backslash in CommonMark; these are the ones that can begin markup,
# a link, a table cell or raw HTML.
_MARKUP = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~&:@=$])")


def plain(text: str) -> str:
    """Return `text` as one line of Markdown that renders as exactly these characters, white space folded."""
    return _MARKUP.sub(r"\\\1", " ".join(text.split()))


def table(head: tuple[str, ...], rows: Sequence[tuple[object, ...]]) -> str:
    """Return a Markdown table; cells are escaped, the head is ours."""
    lines = [head, tuple("---" for _ in head), *(tuple(plain(str(cell)) for cell in row) for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
