"""JSON with the lines of its objects: parsing that names the line of a fault, and the line of every entry."""

import json
import re

from osrforge_assets.transcripts.failures import TranscriptError

_TOKENS = re.compile(r'"(?:[^"\\]|\\.)*"|\{|\n', re.DOTALL)

JsonObject = dict[str, object]


def parse_json(text: str) -> object:
    """Return the data of a JSON text.

    Raises:
        TranscriptError: It is no JSON; `transcript.truncated` where it ends too early. Names the line.
    """
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        # A file cut short fails at its end, or at the start of the string it was cut in.
        rest = text[error.pos :].strip()
        cut = not rest or error.msg.startswith("Unterminated string")
        raise TranscriptError(
            "The JSON ends too early." if cut else f"The JSON is malformed: {error.msg}.",
            line=error.lineno,
            code="transcript.truncated" if cut else "transcript.bad_json",
            remedy="Export or download the file again.",
        ) from None
    except RecursionError:
        raise TranscriptError("The JSON is nested too deeply.", code="transcript.bad_json") from None
    except ValueError as error:
        # Integers of thousands of digits.
        raise TranscriptError(f"The JSON holds a number that is none: {error}.", code="transcript.bad_json") from None


def object_lines(text: str, data: object) -> dict[int, int]:
    """Return the 1-based line of every object, by the identity of the parsed dict.

    Objects open in the text in the same order in which a walk meets them. A text that says one key twice breaks that
    and gets no lines, which `line_of` answers with 1.
    """
    lines: list[int] = []
    line = 1
    for token in _TOKENS.finditer(text):
        first = token[0][0]
        if first == "\n":
            line += 1
        elif first == "{":
            lines.append(line)
        else:
            line += token[0].count("\n")
    found: list[dict[object, object]] = []
    stack: list[object] = [data]
    while stack:
        value = stack.pop()
        if isinstance(value, dict):
            found.append(value)
            stack.extend(reversed(value.values()))
        elif isinstance(value, list):
            stack.extend(reversed(value))
    return {id(value): at for value, at in zip(found, lines, strict=True)} if len(found) == len(lines) else {}


def objects(value: object, what: str) -> list[JsonObject]:
    """Return a list of objects.

    Raises:
        TranscriptError: It is something else; names the item.
    """
    if not isinstance(value, list):
        raise TranscriptError(f"{what} is not a list.", code="transcript.bad_json")
    for number, item in enumerate(value, start=1):
        if not isinstance(item, dict):
            raise TranscriptError(f"Item {number} of {what} is not an object.", code="transcript.bad_json")
    return value


def text_of(value: object) -> str:
    """Return a JSON string, "" for anything else."""
    return value if isinstance(value, str) else ""


def name_of(value: object) -> str | None:
    """Return a speaker's label, a string or a number, None where there is none."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None
    return " ".join(str(value).split()) or None
