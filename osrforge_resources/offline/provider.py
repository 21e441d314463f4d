"""The embedded provider: a deterministic `ModelProvider` that answers module requests by rules, from their text parts.

It needs no key, no network and no images. What does not belong here: the rules themselves, Dagster, caching.
"""

from collections.abc import Callable
from typing import ClassVar

from osrforge_resources.failures import PermanentProviderError
from osrforge_resources.model_provider import ModelRequest, ModelResponse, TokenUsage, ensure_schema
from osrforge_resources.offline.census import answer_census
from osrforge_resources.offline.content import answer_content
from osrforge_resources.offline.scenes import answer_scenes
from osrforge_resources.offline.survey import answer_survey

# Bumped whenever the same request gets another answer, so that stored answers are known to be of an older reader.
READER_VERSION = "4"


class OfflineProvider:
    """Answers survey, census and content requests; the same request always gets the same answer.

    Attributes:
        model_id: Names the rules' version in every response.
        answers_version: The same, for whoever has to know when stored answers are of an older reader.
        reads_whole_modules: True: which lists are areas is often told pages later. Names printed on page 7 are places for
            the connections on page 12, and in windows of 4 to 16 pages a module of 31 had 25 to 32 areas for 25.
    """

    model_id: ClassVar[str] = f"offline-{READER_VERSION}"
    answers_version: ClassVar[str] = model_id
    reads_whole_modules: ClassVar[bool] = True

    def generate(self, request: ModelRequest) -> ModelResponse:
        """Answer a module request from its text parts.

        Raises:
            PermanentProviderError: The request is of another kind (code `provider.offline_cannot`).
            SchemaValidationError: The request's schema asks for another shape than these rules answer in.
        """
        kind = request.tag.split(".", 1)[0]
        answer = _ANSWERS.get(kind)
        if answer is None:
            raise PermanentProviderError(
                f"The offline reader answers survey, census, content and scenes requests, not {kind!r}.",
                code="provider.offline_cannot",
                remedy="Choose a model provider for this step.",
            )
        data = answer(request)
        ensure_schema(data, request.schema, request.tag)
        # No tokens were counted by any service, so none are reported.
        return ModelResponse(data=data, usage=TokenUsage(), model_id=self.model_id)


_ANSWERS: dict[str, Callable[[ModelRequest], dict[str, object]]] = {
    "survey": answer_survey,
    "census": answer_census,
    "content": answer_content,
    "scenes": answer_scenes,
}
