"""Recorded answers in a model's place: a provider that replays them, and one that records another's.

Replay checks every answer against its request's schema again, so a recording that an edited schema no longer admits is a
failure and not an answer. What does not belong here: the form of the files (`recordings.py`).
"""

from pathlib import Path

from osrforge_resources.failures import SchemaValidationError
from osrforge_resources.model_provider import ModelProvider, ModelRequest, ModelResponse, ensure_schema
from osrforge_resources.recordings import Identity, Recordings, checked_folder, damaged, read_usage, write_usage
from osrforge_resources.usage import Spending


class FixtureProvider:
    """Answers requests from recordings; a replayed answer costs nothing and is no call.

    Args:
        folder: The folder of recordings.

    Raises:
        MisuseError: There is no such folder (`recording.folder`).
        StoreError: It cannot be read.
    """

    def __init__(self, folder: Path | None) -> None:
        self._recordings = Recordings(checked_folder(folder))
        self.answers_version = f"fixtures/{self._recordings.version()}"

    def generate(self, request: ModelRequest) -> ModelResponse:
        """Return the recorded answer.

        Raises:
            PermanentProviderError: It is not recorded (`recording.missing`, names the tags that are) or damaged.
            SchemaValidationError: It does not satisfy the request's schema.
            StoreError: The folder cannot be read.
        """
        identity = Identity(request.tag, request.fingerprint())
        return _response(request, identity, self._recordings.get(identity))


class RecordingProvider:
    """Records another provider's answers. What is recorded already is answered from the recording, without a call.

    So recording twice costs once and leaves every file as it was; to record anew, delete the file.

    Args:
        provider: Who answers what is not recorded.
        folder: Where recordings lie; made if it is not there.
    """

    def __init__(self, provider: ModelProvider, folder: Path) -> None:
        self._provider = provider
        self._recordings = Recordings(folder)

    @property
    def answers_version(self) -> str:
        """What the recorded provider says of its answers."""
        return str(getattr(self._provider, "answers_version", None) or type(self._provider).__qualname__)

    def generate(self, request: ModelRequest) -> ModelResponse:
        """Return the recorded answer, or the provider's after it is recorded.

        Raises:
            ProviderError: The provider has no answer, or the recording is damaged; nothing is recorded.
            StoreError: The folder refuses the recording.
        """
        identity = Identity(request.tag, request.fingerprint())
        recorded = self._recordings.find(identity)
        if recorded is not None:
            return _response(request, identity, recorded)
        response = self._provider.generate(request)
        said = request.identity()
        del said["tag"]
        answer = {"data": response.data, "usage": write_usage(response.usage), "model_id": response.model_id}
        self._recordings.put(identity, said, answer)
        return response


def _response(request: ModelRequest, identity: Identity, recorded: dict[str, object]) -> ModelResponse:
    name = identity.file_name
    if "data" not in recorded or not isinstance(model_id := recorded.get("model_id"), str):
        raise damaged(name, "its response has no data or no model")
    try:
        ensure_schema(recorded["data"], request.schema, name)
    except SchemaValidationError as failure:
        failure.spending = Spending()
        raise
    return ModelResponse(recorded["data"], read_usage(name, recorded.get("usage")), model_id, spending=Spending())
