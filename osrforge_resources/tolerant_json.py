"""JSON as small models write it: strict first, then a grammar that reads past known slips and refuses everything else.

The slips have one meaning each: trailing commas, `+5`, comments, single and typographic quotes, unquoted keys, Python's
`True`, `False` and `None`. Text that is cut off is refused, never completed: a cut `14` may have been 140. So are
duplicate keys, NaN and infinities, NUL and lone surrogates, which have no one meaning.

The kept JSON5 readers were measured on a block of 1 MB: `json5` needs 15 s; `pyjson5` needs 0.03 s but hides duplicate
keys, passes NUL and infinities, and knows no typographic quotes. This one needs about 0.4 s.
"""

import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

T = TypeVar("T")

# Deeper than any event, and far from Python's recursion limit.
MAX_DEPTH = 64

# Real blocks hold less than 2 KB. A hostile one of brackets only costs 1.3 s a MB here, so larger ones are read strictly.
MAX_TOLERATED = 250_000

# Python itself refuses more than 4300 digits; no event holds more than four.
_MAX_DIGITS = 40

_SKIPPED = re.compile(r"(?:[ \t\r\n\ufeff\xa0]+|//[^\n]*|/\*(?s:.*?)\*/)*")
# What may follow at once; looked up before the pattern above, which costs four times as much.
_DENSE = frozenset('{}[]:,"')
_NUMBER = re.compile(r"[+-]?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?![\w.])")
_NAME = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_ESCAPED = {'"': '"', "'": "'", "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_CONSTANTS = {"true": True, "false": False, "null": None, "True": True, "False": False, "None": None}
_SURROGATE = re.compile("[\ud800-\udfff]")

_DOUBLE_SMART = "“”„‟"
_SINGLE_SMART = "‘’‚‛"
_CLOSING = {
    '"': '"',
    "'": "'",
    **dict.fromkeys(_DOUBLE_SMART, _DOUBLE_SMART),
    **dict.fromkeys(_SINGLE_SMART, _SINGLE_SMART),
}
_STRINGS = {
    opener: re.compile(rf"((?:[^{closers}\\\x00-\x1f]|\\.)*)[{closers}]", re.DOTALL)
    for opener, closers in _CLOSING.items()
}


class UnreadableJsonError(ValueError):
    """The text is not one JSON value, also read with tolerance; the message says why, without quoting the text."""


@dataclass(frozen=True, slots=True)
class Decoded:
    """A decoded value, and which slips were read past, sorted."""

    value: object
    repairs: tuple[str, ...] = ()


def decode(text: str) -> Decoded:
    """Return the one JSON value that `text` holds.

    Raises:
        UnreadableJsonError: It holds none, more than one, a cut one, or one without a single meaning.
    """
    try:
        value = _STRICT.decode(text)
    except UnreadableJsonError:
        raise
    except (ValueError, RecursionError):
        if len(text) > MAX_TOLERATED:
            raise UnreadableJsonError("it is not strict JSON and too long to be read with tolerance") from None
        return _Reader(text).document()
    _check(value)
    return Decoded(value)


def _distinct(pairs: list[tuple[str, object]]) -> dict[str, object]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise UnreadableJsonError("a key occurs twice in one object")
    return result


def _no_constant(_: str) -> object:
    raise UnreadableJsonError("NaN and infinities are not values")


def _finite(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise UnreadableJsonError("a number is too large")
    return value


def _integer(digits: str) -> int:
    if len(digits) > _MAX_DIGITS:
        raise UnreadableJsonError("a number is too large")
    return int(digits)


# Made once: making one costs more than reading a usual block.
_STRICT = json.JSONDecoder(
    object_pairs_hook=_distinct, parse_constant=_no_constant, parse_float=_finite, parse_int=_integer
)


def _check(value: object) -> None:
    """Refuse text without a meaning, and depths that nothing downstream should have to walk.

    Raises:
        UnreadableJsonError: A string holds NUL or half a surrogate pair, or the value is nested too deep.
    """
    layer: list[object] = [value]
    for _ in range(MAX_DEPTH + 1):
        inner: list[object] = []
        for item in layer:
            if isinstance(item, str):
                _check_text(item)
            elif isinstance(item, dict):
                inner.extend(item)
                inner.extend(item.values())
            elif isinstance(item, list):
                inner.extend(item)
        if not inner:
            return
        layer = inner
    raise UnreadableJsonError("it is nested too deep")


def _check_text(text: str) -> None:
    if "\x00" in text:
        raise UnreadableJsonError("a string holds NUL")
    if not text.isascii() and _SURROGATE.search(text):
        raise UnreadableJsonError("a string holds half a surrogate pair")


@dataclass(slots=True)
class _Reader:
    """A recursive-descent reader over one text; each character is matched once."""

    text: str
    at: int = 0
    repairs: set[str] = field(default_factory=set)

    def document(self) -> Decoded:
        value = self.value(0)
        if self.peek():
            raise UnreadableJsonError("something follows the value")
        _check(value)
        return Decoded(value, tuple(sorted(self.repairs)))

    def peek(self) -> str:
        """Skip white space and comments; return the character there, "" at the end."""
        char = self.text[self.at : self.at + 1]
        if char in _DENSE:
            return char
        match = _SKIPPED.match(self.text, self.at)
        assert match is not None  # it matches nothing, too
        if "/" in match[0]:
            self.repairs.add("comments")
        self.at = match.end()
        return self.text[self.at : self.at + 1]

    def value(self, depth: int) -> object:
        if depth > MAX_DEPTH:
            raise UnreadableJsonError("it is nested too deep")
        char = self.peek()
        if char == "{":
            return self.members(depth)
        if char == "[":
            return self.items("]", depth, lambda: self.value(depth + 1))
        if char in _STRINGS and char:
            return self.string(char)
        if number := _NUMBER.match(self.text, self.at):
            return self.number(number[0])
        if name := _NAME.match(self.text, self.at):
            return self.constant(name[0])
        raise UnreadableJsonError("it is cut off" if not char else "a value is missing or not JSON")

    def members(self, depth: int) -> dict[str, object]:
        return _distinct(self.items("}", depth, lambda: self.member(depth)))

    def member(self, depth: int) -> tuple[str, object]:
        char = self.peek()
        if char in _STRINGS and char:
            key = self.string(char)
        elif name := _NAME.match(self.text, self.at):
            self.at = name.end()
            self.repairs.add("unquoted keys")
            key = name[0]
        else:
            raise UnreadableJsonError("it is cut off" if not char else "a key is missing or not JSON")
        if self.peek() != ":":
            raise UnreadableJsonError("a key has no value")
        self.at += 1
        return key, self.value(depth + 1)

    def items(self, closing: str, depth: int, read: Callable[[], T]) -> list[T]:
        """Read what stands between the bracket here and its `closing` one."""
        if depth > MAX_DEPTH:
            raise UnreadableJsonError("it is nested too deep")
        self.at += 1
        result: list[T] = []
        while (char := self.peek()) != closing:
            if result:
                if char != ",":
                    raise UnreadableJsonError("it is cut off" if not char else "a comma or bracket is missing")
                self.at += 1
                if self.peek() == closing:
                    self.repairs.add("trailing commas")
                    break
            result.append(read())
        self.at += 1
        return result

    def string(self, opener: str) -> str:
        match = _STRINGS[opener].match(self.text, self.at + 1)
        if match is None:
            raise UnreadableJsonError("a string is not closed on its line")
        self.at = match.end()
        if opener != '"':
            self.repairs.add("single quotes" if opener == "'" else "typographic quotes")
        if "\\" not in match[1]:
            return match[1]
        try:
            # Joins the two halves of an escaped surrogate pair, and refuses a lone one.
            return _ESCAPE.sub(_unescape, match[1]).encode("utf-16-le", "surrogatepass").decode("utf-16-le")
        except UnicodeDecodeError:
            raise UnreadableJsonError("a string holds half a surrogate pair") from None

    def number(self, digits: str) -> int | float:
        self.at += len(digits)
        if digits.startswith("+"):
            self.repairs.add("leading +")
        return _finite(digits) if any(char in digits for char in ".eE") else _integer(digits)

    def constant(self, name: str) -> object:
        if name not in _CONSTANTS:
            raise UnreadableJsonError("a bare word is no value")
        self.at += len(name)
        if name[0].isupper():
            self.repairs.add("Python constants")
        return _CONSTANTS[name]


def _unescape(match: re.Match[str]) -> str:
    if match[1]:
        return chr(int(match[1], 16))
    if match[2] not in _ESCAPED:
        raise UnreadableJsonError("a string holds an unknown escape")
    return _ESCAPED[match[2]]
