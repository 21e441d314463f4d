"""The two seams of map tracing: readings of a whole map, and decisions about one cell, edge or key of it.

Both know their recordings by what the pictures show (`pixel_digest`) and not by their bytes: crops are drawn at run time, and
another PNG encoder must still find the recording. `ModelRequest.fingerprint` counts bytes instead, since page renders
are made once.

What does not belong here: who answers (`tracing_models.py`), recordings (`tracing_recordings.py`), and what is asked.
"""

import hashlib
import json
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Protocol, runtime_checkable

from osrforge_resources.failures import MisuseError
from osrforge_resources.model_provider import MAX_TAG_LENGTH, TAG_PATTERN, ImagePart, TextPart, pixel_digest
from osrforge_resources.usage import Spending, TokenUsage

_FEWEST_CHOICES = 2


class Subject(StrEnum):
    """What a decision is about."""

    CELL = "cell"
    EDGE = "edge"
    KEY = "key"


@dataclass(frozen=True)
class ReadingRequest:
    """A reading of a whole map, or a judgment on one: a structured answer to text and images.

    Attributes:
        tag: A short stable label (`reading.crypt.1`), with the grammar of a request's tag; part of the identity.
        system: The rules.
        parts: Text and PNG images in order.
        schema: The JSON Schema (draft 2020-12) that the answer must satisfy.

    Raises:
        MisuseError: The tag is outside its grammar (a `ValueError`).
    """

    tag: str
    system: str
    parts: tuple[TextPart | ImagePart, ...]
    schema: dict[str, object]

    def __post_init__(self) -> None:
        _check_tag(self.tag)

    def identity(self) -> dict[str, object]:
        """Return the request as JSON data with every image replaced by the digest of its pixels.

        Raises:
            MisuseError: An image cannot be decoded (a `ValueError`).
        """
        parts = [
            {"text": part.text} if isinstance(part, TextPart) else {"pixels": pixel_digest(part.png)}
            for part in self.parts
        ]
        return {"tag": self.tag, "system": self.system, "parts": parts, "schema": self.schema}

    @cached_property
    def key(self) -> str:
        """The sha256 hex digest that its recording is found by, whichever encoder drew the images."""
        return _digest(self.identity())


@dataclass(frozen=True)
class DecisionRequest:
    """One question about one crop, with the answers that it may have.

    Attributes:
        tag: A short stable label (`edge.crypt.1`); part of the identity.
        subject: What the crop shows.
        question: What is asked about it.
        png: The crop.
        choices: The answers to choose from, two or more, no two alike.

    Raises:
        MisuseError: The tag is outside its grammar, or there is nothing to choose (a `ValueError`).
    """

    tag: str
    subject: Subject
    question: str
    png: bytes
    choices: tuple[str, ...]

    def __post_init__(self) -> None:
        _check_tag(self.tag)
        if len(self.choices) < _FEWEST_CHOICES or len(set(self.choices)) != len(self.choices) or "" in self.choices:
            raise MisuseError(
                f"{self.tag} has no two answers to choose from.",
                code="decision.choices",
                remedy="Pass two or more answers, none of them empty, no two alike.",
            )

    def identity(self) -> dict[str, object]:
        """Return the request as JSON data with the crop replaced by the digest of its pixels.

        Raises:
            MisuseError: The crop cannot be decoded (a `ValueError`).
        """
        return {
            "tag": self.tag,
            "subject": self.subject.value,
            "question": self.question,
            "pixels": pixel_digest(self.png),
            "choices": list(self.choices),
        }

    @cached_property
    def key(self) -> str:
        """The sha256 hex digest that its recording is found by: of the crop's pixels, however it was encoded or sent."""
        return _digest(self.identity())


@dataclass(frozen=True, slots=True)
class ReadingResponse:
    """A reading's result.

    Attributes:
        data: Parsed JSON that satisfies the request's schema.
        usage: Tokens of the answer.
        model_id: Who answered.
        spending: What it cost now; None where the provider keeps no account.
    """

    data: object
    usage: TokenUsage
    model_id: str
    spending: Spending | None = None


@dataclass(frozen=True, slots=True)
class DecisionResponse:
    """A decision.

    Attributes:
        choice: One of the request's choices.
        confidence: How sure the provider is, 0 to 1; None where it does not say.
        usage: Tokens of the answer.
        model_id: Who decided.
        spending: What it cost now; None where the provider keeps no account.
    """

    choice: str
    confidence: float | None
    usage: TokenUsage
    model_id: str
    spending: Spending | None = None


@runtime_checkable
class ReadingProvider(Protocol):
    """Reads and judges whole maps; any object with this method is one."""

    def read(self, request: ReadingRequest) -> ReadingResponse:
        """Return data that satisfies the request's schema.

        Raises:
            ProviderError: There is no answer; the subclass says whether to retry.
        """
        ...


@runtime_checkable
class DecisionProvider(Protocol):
    """Decides about one cell, edge or key; any object with this method is one."""

    def decide(self, request: DecisionRequest) -> DecisionResponse:
        """Return one of the request's choices.

        Raises:
            ProviderError: There is no answer; the subclass says whether to retry.
        """
        ...


def _check_tag(tag: str) -> None:
    if len(tag) > MAX_TAG_LENGTH or not TAG_PATTERN.fullmatch(tag):
        raise MisuseError(
            f"{ascii(tag)[:120]} is not a request tag.",
            code="request.tag",
            remedy="Use words of a-z and 0-9 joined by single dots or hyphens, at most 180 characters.",
        )


def _digest(identity: dict[str, object]) -> str:
    canonical = json.dumps(identity, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()
