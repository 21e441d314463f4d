"""Recorded readings and decisions: replayed, or recorded from another provider. Their files are those of `recordings.py`.

A replayed answer is checked again: a reading against its request's schema, a decision against its choices. What is
recorded already is answered from the recording, without a call.
"""

from collections.abc import Mapping
from pathlib import Path

from osrforge_resources.failures import SchemaValidationError
from osrforge_resources.model_provider import ensure_schema
from osrforge_resources.recordings import Identity, Recordings, checked_folder, damaged, read_usage, write_usage
from osrforge_resources.tracing_provider import (
    DecisionProvider,
    DecisionRequest,
    DecisionResponse,
    ReadingProvider,
    ReadingRequest,
    ReadingResponse,
)
from osrforge_resources.usage import Spending


class ReplayedReadings:
    """A `ReadingProvider` of recorded readings.

    Args:
        folder: The folder of recordings.

    Raises:
        MisuseError: There is no such folder (`recording.folder`).
    """

    def __init__(self, folder: Path | None) -> None:
        self._recordings = Recordings(checked_folder(folder))

    def read(self, request: ReadingRequest) -> ReadingResponse:
        """Return the recorded reading.

        Raises:
            PermanentProviderError: It is not recorded, or damaged.
            SchemaValidationError: It does not satisfy the request's schema.
        """
        identity = _identity(request)
        return _reading(request, identity, self._recordings.get(identity))


class RecordedReadings:
    """A `ReadingProvider` that records another's readings.

    Args:
        provider: Who reads what is not recorded.
        folder: Where recordings lie.
    """

    def __init__(self, provider: ReadingProvider, folder: Path) -> None:
        self._provider = provider
        self._recordings = Recordings(folder)

    def read(self, request: ReadingRequest) -> ReadingResponse:
        """Return the recorded reading, or the provider's after it is recorded.

        Raises:
            ProviderError: The provider has no answer, or the recording is damaged.
        """
        identity = _identity(request)
        recorded = self._recordings.find(identity)
        if recorded is not None:
            return _reading(request, identity, recorded)
        response = self._provider.read(request)
        answer = {"data": response.data, "usage": write_usage(response.usage), "model_id": response.model_id}
        self._recordings.put(identity, _shown(request), answer)
        return response


class ReplayedDecisions:
    """A `DecisionProvider` of recorded decisions.

    Args:
        folder: The folder of recordings.

    Raises:
        MisuseError: There is no such folder (`recording.folder`).
    """

    def __init__(self, folder: Path | None) -> None:
        self._recordings = Recordings(checked_folder(folder))

    def decide(self, request: DecisionRequest) -> DecisionResponse:
        """Return the recorded decision.

        Raises:
            PermanentProviderError: It is not recorded, or damaged.
            SchemaValidationError: It is none of the request's choices.
        """
        identity = _identity(request)
        return _decision(request, identity, self._recordings.get(identity))


class RecordedDecisions:
    """A `DecisionProvider` that records another's decisions.

    Args:
        provider: Who decides what is not recorded.
        folder: Where recordings lie.
    """

    def __init__(self, provider: DecisionProvider, folder: Path) -> None:
        self._provider = provider
        self._recordings = Recordings(folder)

    def decide(self, request: DecisionRequest) -> DecisionResponse:
        """Return the recorded decision, or the provider's after it is recorded.

        Raises:
            ProviderError: The provider has no answer, or the recording is damaged.
        """
        identity = _identity(request)
        recorded = self._recordings.find(identity)
        if recorded is not None:
            return _decision(request, identity, recorded)
        response = self._provider.decide(request)
        answer = {
            "choice": response.choice,
            "confidence": response.confidence,
            "usage": write_usage(response.usage),
            "model_id": response.model_id,
        }
        self._recordings.put(identity, _shown(request), answer)
        return response


def _identity(request: ReadingRequest | DecisionRequest) -> Identity:
    return Identity(request.tag, request.key, name="key")


def _shown(request: ReadingRequest | DecisionRequest) -> dict[str, object]:
    shown = request.identity()
    del shown["tag"]
    return shown


def _model_id(name: str, recorded: Mapping[str, object]) -> str:
    model_id = recorded.get("model_id")
    if not isinstance(model_id, str):
        raise damaged(name, "its response names no model")
    return model_id


def _reading(request: ReadingRequest, identity: Identity, recorded: Mapping[str, object]) -> ReadingResponse:
    name = identity.file_name
    if "data" not in recorded:
        raise damaged(name, "its response has no data")
    ensure_schema(recorded["data"], request.schema, name)
    usage = read_usage(name, recorded.get("usage"))
    return ReadingResponse(recorded["data"], usage, _model_id(name, recorded), Spending())


def _decision(request: DecisionRequest, identity: Identity, recorded: Mapping[str, object]) -> DecisionResponse:
    name = identity.file_name
    choice, confidence = recorded.get("choice"), recorded.get("confidence")
    if not isinstance(choice, str) or choice not in request.choices:
        raise SchemaValidationError(f"{name}: the recorded choice is none of the request's.")
    if confidence is not None and not (isinstance(confidence, int | float) and 0 <= confidence <= 1):
        raise damaged(name, "its confidence is no number from 0 to 1")
    usage = read_usage(name, recorded.get("usage"))
    return DecisionResponse(choice, confidence, usage, _model_id(name, recorded), Spending())
