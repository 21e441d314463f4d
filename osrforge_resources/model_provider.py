"""The one seam between the asset graph and any model vendor: one request type, one response type, one method.

A provider owns its schema: `generate` returns data that passed `ensure_schema` or raises, so a caller never validates
again. What does not belong here: vendors, caching, prices, Dagster, prompts.
"""

import contextlib
import hashlib
import io
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Protocol, cast, runtime_checkable

from jsonschema import (  # the reference implementation; reports the path of each violation
    Draft202012Validator,
    ValidationError,
    validators,
)

from osrforge_resources.failures import MisuseError, OsrforgeError, ProviderError, SchemaValidationError
from osrforge_resources.usage import Spending, TokenUsage

__all__ = [
    "ImagePart",
    "ModelProvider",
    "ModelRequest",
    "ModelResponse",
    "ProviderError",
    "SchemaValidationError",
    "TextPart",
    "TokenUsage",
    "ensure_schema",
    "pixel_digest",
]

# A tag names a recording's file and a row in the usage table, so it has the grammar of a file name that is safe
# everywhere: words of [a-z0-9] joined by single dots or hyphens. 180 leaves room for `.<12 hex>.json` in 255 bytes.
TAG_PATTERN = re.compile(r"[a-z0-9]+([.-][a-z0-9]+)*")
MAX_TAG_LENGTH = 180


@dataclass(frozen=True, slots=True)
class TextPart:
    """An ordered text part of a request: a page's text or a prompt text."""

    text: str


@dataclass(frozen=True, slots=True)
class ImagePart:
    """An ordered image part of a request; each adapter packs it as its vendor wants it.

    Attributes:
        png: The picture as PNG; as JPEG where map tracing packed a large crop (`tracing_models.py`).
    """

    png: bytes

    @property
    def media_type(self) -> str:
        """What the bytes are."""
        return "image/jpeg" if self.png.startswith(b"\xff\xd8\xff") else "image/png"


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One structured-output completion.

    Attributes:
        tag: A short stable label (`survey`, `content.crypt.1.b01.retry`), never free prose; part of the identity.
        system: The system text.
        parts: Text and image parts in order.
        schema: The JSON Schema (draft 2020-12) that the answer's data must satisfy.
        shared_prefixes: Numbers of first parts with which other requests begin as well, for a prompt cache; they say
            nothing to the model and are no part of the identity.

    Raises:
        MisuseError: The tag is outside its grammar (a `ValueError`).
    """

    tag: str
    system: str
    parts: tuple[TextPart | ImagePart, ...]
    schema: dict[str, object]
    shared_prefixes: tuple[int, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        if len(self.tag) > MAX_TAG_LENGTH or not TAG_PATTERN.fullmatch(self.tag):
            raise MisuseError(
                f"{ascii(self.tag)[:120]} is not a request tag.",
                code="request.tag",
                remedy="Use words of a-z and 0-9 joined by single dots or hyphens, at most 180 characters.",
            )

    def identity(self) -> dict[str, object]:
        """Return the request as JSON data with every image replaced by its digest and size."""
        parts = [
            {"text": part.text}
            if isinstance(part, TextPart)
            else {"sha256": hashlib.sha256(part.png).hexdigest(), "bytes": len(part.png)}
            for part in self.parts
        ]
        return {"tag": self.tag, "system": self.system, "parts": parts, "schema": self.schema}

    def fingerprint(self) -> str:
        """Return the sha256 hex digest of the request's canonical JSON (sorted keys, compact, UTF-8).

        Images count by their PNG bytes, so a re-encoded render is another request; `pixel_digest` is the identity
        that survives an encoder.
        """
        canonical = json.dumps(self.identity(), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        # A lone surrogate cannot be encoded; surrogatepass keeps the fingerprint defined for any text.
        return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class ModelResponse:
    """One completion's result.

    Attributes:
        data: Parsed JSON that satisfies the request's schema.
        usage: Tokens of the answer as the provider counted them, also where it came from the response cache.
        model_id: The model that answered, as the service names it.
        spending: What this answer cost now, repairs included; None where the provider keeps no account, which counts
            as one call of `usage` at an unknown price.
        forget: Removes the answer from where the provider keeps it; None where it keeps none.
    """

    data: object
    usage: TokenUsage
    model_id: str
    spending: Spending | None = None
    forget: Callable[[], None] | None = field(default=None, compare=False, repr=False)

    @contextlib.contextmanager
    def being_read(self) -> Iterator[None]:
        """Have the answer forgotten if the block refuses it, so that the next run asks anew instead of failing again.

        For rules that no schema can say: dice without a line break, ranges that divide a session.
        """
        try:
            yield
        except OsrforgeError:
            if self.forget is not None:
                self.forget()
            raise


@runtime_checkable
class ModelProvider(Protocol):
    """Any object with this method is a provider; nothing to subclass, nothing to register.

    A provider may have a string `answers_version`. Where another one answers the same request differently (another
    model, other rules), it differs, and what the old one answered becomes stale.

    A provider that looks at text alone and takes any number of pages may have a true `reads_whole_modules`: then a module
    is surveyed in one request, and nothing depends on where a window ends.
    """

    def generate(self, request: ModelRequest) -> ModelResponse:
        """Run one structured-output completion.

        Raises:
            ProviderError: Transport, authentication or limits stopped it; the subclass says whether to retry.
            SchemaValidationError: No answer satisfied the schema within the provider's own attempts.
        """
        ...


def ensure_schema(data: object, schema: dict[str, object], context: str) -> None:
    """Refuse data that does not satisfy a request's JSON Schema.

    Args:
        data: Parsed JSON.
        schema: The schema of the request.
        context: Where the data came from (a tag, a file name), for the message.

    Raises:
        SchemaValidationError: Names the first violation by document position, and how many there are.
    """
    try:
        violations = sorted(_validator(_frozen(schema)).iter_errors(cast("Any", data)), key=_position)
    except RecursionError:
        raise SchemaValidationError(f"{context}: the data is nested too deeply to be read.") from None
    if violations:
        first = violations[0]
        more = f" ({len(violations) - 1} more)" if len(violations) > 1 else ""
        # Messages quote the offending value, which may be a whole reply: 300 characters show what is wrong.
        raise SchemaValidationError(f"{context}: {first.json_path}: {first.message[:300]}{more}.")


def _position(error: ValidationError) -> list[tuple[bool, int | str]]:
    # Steps into lists sort by number, so position 2 comes before position 10.
    return [(isinstance(step, str), step) for step in error.absolute_path]


def _frozen(schema: dict[str, object]) -> str:
    return json.dumps(schema, sort_keys=True)


def _enum(validator: Any, allowed: list[object], instance: object, schema: object) -> Iterator[ValidationError]:
    # A reply has as many keys as its request allows; the reference compares each with each, a third of reading 2,500 areas.
    if isinstance(instance, str) and instance in allowed:
        return iter(())
    return Draft202012Validator.VALIDATORS["enum"](validator, allowed, instance, schema)


_Validator = validators.extend(Draft202012Validator, {"enum": _enum})


@lru_cache(maxsize=64)
def _validator(schema_json: str) -> Draft202012Validator:
    # Building a validator costs about as much as validating a level's reply; batches of one level differ only in keys.
    return _Validator(json.loads(schema_json))


def pixel_digest(png: bytes) -> str:
    """Return the sha256 hex digest of an image's decoded pixels: `f"{width}x{height}:"`, then its RGBA rows.

    Two encodings of one picture have one digest, and so have an image without alpha and the same image fully opaque.

    Raises:
        ValueError: Pillow cannot decode the bytes.
    """
    # Not above: every process that loads the definitions imports this file, and hardly any looks at a picture.
    from PIL import Image  # decodes every PNG alike, whoever encoded it

    try:
        with Image.open(io.BytesIO(png)) as image:
            pixels = image.convert("RGBA")
    # What Pillow raises on 6,000 randomly damaged PNGs was OSError (its own UnidentifiedImageError is one), SyntaxError
    # and, on a cut header, ValueError; the rest is what its documentation names.
    except (OSError, SyntaxError, ValueError, EOFError, Image.DecompressionBombError) as error:
        raise MisuseError("The bytes are not an image that can be decoded.", code="image.undecodable") from error
    digest = hashlib.sha256(f"{pixels.width}x{pixels.height}:".encode())
    digest.update(pixels.tobytes())
    return digest.hexdigest()
