"""What requests look like on the wire, as far as services agree on it: the schema they enforce, text that can be sent.

Pure. What does not belong here: vendors' own message forms, which are their adapters'.
"""

import struct
from collections.abc import Mapping
from typing import Any

from osrforge_resources.model_provider import ModelRequest, TextPart
from osrforge_resources.request_text import read_page

# Structured-output services compile a schema to a grammar and refuse the keywords that a grammar cannot keep.
_KEPT = {"type", "properties", "required", "items", "enum", "const", "anyOf", "$ref", "$defs", "title", "description"}
_MOST_MIN_ITEMS = 1
_PNG_HEADER = struct.Struct(">8s4s4sII")

# Marks an enumeration that names what one request asks for (`one_of(..., per_request=True)`).
PER_REQUEST = "per request"


def enforceable_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of a schema that a service can enforce; what it cannot is told in the description.

    Bounds, lengths and patterns go. So do enumerations that differ from request to request: a service compiles each
    new schema, and one that differs ends the prompt cache although the pages before the question are the same. What is
    dropped here is still validated on every reply.
    """
    kept: dict[str, Any] = {}
    dropped: dict[str, Any] = {}
    per_request = schema.get("$comment") == PER_REQUEST
    for name, value in schema.items():
        if name in {"properties", "$defs"}:
            kept[name] = {key: enforceable_schema(part) for key, part in value.items()}
        elif name == "items":
            kept[name] = enforceable_schema(value)
        elif name == "anyOf":
            kept[name] = [enforceable_schema(part) for part in value]
        elif name == "enum" and per_request:
            kept["description"] = "one of those that the request names"
        elif name in _KEPT or (name == "minItems" and value <= _MOST_MIN_ITEMS):
            kept[name] = value
        elif name not in {"additionalProperties", "$comment"}:
            dropped[name] = value
    if "properties" in kept:
        kept["additionalProperties"] = False
    if dropped:
        rules = ", ".join(f"{name} {value}" for name, value in dropped.items())
        kept["description"] = f"{kept['description']}; {rules}" if "description" in kept else rules
    return kept


def sendable(text: str) -> str:
    """Return text that UTF-8 can encode: half a surrogate pair, which a PDF may hold, becomes a question mark."""
    return text.encode("utf-8", "replace").decode("utf-8")


def plain_data(answer: object) -> dict[str, Any]:
    """Return what an SDK made of an answer as plain data; {} for what is not even an object.

    SDKs take answers as they come, of whatever form: a field of the wrong type is passed on with a warning.
    """
    dump = getattr(answer, "to_dict", None)
    data = dump(warnings=False) if callable(dump) else answer
    return data if isinstance(data, dict) else {}


def png_size(png: bytes) -> tuple[int, int]:
    """Return width and height in pixels from a PNG's header, (0, 0) where there is none."""
    if len(png) < _PNG_HEADER.size or not png.startswith(b"\x89PNG"):
        return 0, 0
    *_, width, height = _PNG_HEADER.unpack_from(png)
    return width, height


def wire_bytes(request: ModelRequest) -> int:
    """Return about how many bytes a request is on the wire: base64 is four bytes for three."""
    parts = (
        len(part.text.encode("utf-8", "replace")) if isinstance(part, TextPart) else (len(part.png) + 2) // 3 * 4
        for part in request.parts
    )
    return len(request.system) + sum(parts)


def has_page_text(request: ModelRequest) -> bool:
    """Whether any text part says more than a page's marker."""
    for part in request.parts:
        if isinstance(part, TextPart):
            page = read_page(part.text)
            if (page[1] if page is not None else part.text).strip():
                return True
    return False
