"""The few JSON Schema forms the replies are built from: closed objects with every field required, plain lists, nulls.

Structured-output services accept this subset only: no free-keyed maps, no optional fields, unknown values are null.
"""

from collections.abc import Iterable

from osrforge_resources.wire_format import PER_REQUEST

Schema = dict[str, object]

TEXT: Schema = {"type": "string"}
INTEGER: Schema = {"type": "integer"}
BOOLEAN: Schema = {"type": "boolean"}


def closed_object(**properties: object) -> Schema:
    """Return the schema of an object that requires exactly these properties, in this order."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def list_of(items: object, *, at_least: int = 0) -> Schema:
    """Return the schema of a list of `items`."""
    return {"type": "array", "items": items, **({"minItems": at_least} if at_least else {})}


def one_of(values: Iterable[str], *, per_request: bool = False) -> Schema:
    """Return the schema of a closed vocabulary; one that differs from request to request is marked as such."""
    return {"type": "string", "enum": list(values), **({"$comment": PER_REQUEST} if per_request else {})}


def nullable(kind: str, **bounds: object) -> Schema:
    """Return the schema of a value that is null where unknown."""
    return {"type": [kind, "null"], **bounds}
