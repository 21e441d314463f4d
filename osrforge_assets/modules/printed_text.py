"""Text of answers as it may be kept: printed words, without what no page prints.

An answer's text is data. Control and format characters, bidirectional overrides and lone surrogates cannot be printed,
break terminals and tables, and a lone surrogate cannot even be stored as UTF-8.
"""

import re
import unicodedata

# The two joiners are Unicode "format" characters that Persian and Indic spelling need.
_SPELLING_JOINERS = frozenset("\u200c\u200d")
# Everything below is printable ASCII: nine of ten texts take this path, which is 30 times faster.
_PLAIN = re.compile(r"[ -~]*")


def one_line(text: str) -> str:
    """Return `text` on one line: white space collapsed, unprintable characters gone, lone surrogates as U+FFFD."""
    kept = text if _PLAIN.fullmatch(text) else "".join(map(_printable, unicodedata.normalize("NFC", text)))
    return " ".join(kept.split())


def running_text(text: str) -> str:
    """Return `text` line by line as `one_line` has it, with at most one empty line between two lines."""
    lines = [one_line(line) for line in text.splitlines()]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def quoted(text: str, limit: int = 80) -> str:
    """Return `text` in quotation marks as a message shows it, cut after `limit` characters."""
    return f'"{text[:limit]}…"' if len(text) > limit else f'"{text}"'


def distinct(texts: list[str]) -> tuple[str, ...]:
    """Return the texts that say something, each once, letter case aside; the first spelling stands."""
    first: dict[str, str] = {}
    for text in texts:
        if text:
            first.setdefault(text.casefold(), text)
    return tuple(first.values())


def _printable(char: str) -> str:
    category = unicodedata.category(char)
    if category == "Cs":
        return "\ufffd"
    if category == "Cc":
        return " "
    return "" if category == "Cf" and char not in _SPELLING_JOINERS else char
