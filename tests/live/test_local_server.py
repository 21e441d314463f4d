"""Both adapters against a real llama.cpp server: transport, keys, truncation, rejection and repair; not quality.

Its chat completions enforce a schema, its `/v1/messages` ignores one: the second gives real unconstrained replies.
"""

from pathlib import Path
from typing import Any

import pytest

from osrforge_resources.anthropic import AnthropicModel
from osrforge_resources.chat_model import RawReply, StopReason, TextRequest, Turn
from osrforge_resources.failures import (
    PermanentProviderError,
    ProviderError,
    ReplyTooLongError,
    SchemaValidationError,
    TransientProviderError,
)
from osrforge_resources.in_flight import InFlight
from osrforge_resources.model_provider import ModelRequest, TextPart
from osrforge_resources.openai_compatible import OpenAICompatibleModel
from osrforge_resources.prices import PriceTable
from osrforge_resources.response_cache import ResponseCache
from osrforge_resources.store import Store
from osrforge_resources.structured_provider import StructuredProvider
from osrforge_resources.text_provider import TextProvider
from tests.live.conftest import KEY, LocalServer

pytestmark = pytest.mark.live_local

SCHEMA: dict[str, object] = {
    "type": "object",
    "properties": {"monster": {"type": "string", "enum": ["goblin", "ogre"]}, "count": {"type": "integer"}},
    "required": ["monster", "count"],
    "additionalProperties": False,
}
PAGE = "[page 1]\n3. The Guard Room. Two goblins play dice here."
REQUEST = ModelRequest(
    "content", "You read keyed areas.", (TextPart(PAGE), TextPart("Which monster, how many?")), SCHEMA
)
STORY = TextRequest("You tell stories.", (Turn("user", "A door opens."),), max_tokens=24)
Adapter = type[AnthropicModel] | type[OpenAICompatibleModel]
BOTH = pytest.mark.parametrize("adapter", [AnthropicModel, OpenAICompatibleModel], ids=["messages", "chat completions"])


def _model(adapter: Adapter, server: LocalServer, **settings: Any) -> AnthropicModel | OpenAICompatibleModel:
    url = server.url if adapter is AnthropicModel else f"{server.url}/v1"
    common: dict[str, Any] = {"key": lambda: KEY, "base_url": url, "max_tokens": 200, "timeout": 120.0, "retries": 0}
    return adapter("gemma", **(common | settings))


def _provider(model: AnthropicModel | OpenAICompatibleModel, folder: Path) -> StructuredProvider:
    return StructuredProvider(
        model,
        cache=ResponseCache(Store(folder)),
        limiter=InFlight(requests=1, tokens=100_000),
        prices=PriceTable(base_url="http://127.0.0.1"),
    )


def test_an_enforced_schema_gives_an_answer_that_is_then_kept(server: LocalServer, tmp_path: Path):
    provider = _provider(_model(OpenAICompatibleModel, server), tmp_path)
    response = provider.generate(REQUEST)
    assert isinstance(response.data, dict)
    assert response.data["monster"] in {"goblin", "ogre"}
    assert response.spending is not None
    assert response.spending.usage.output_tokens > 0
    again = provider.generate(REQUEST)
    assert again.data == response.data
    assert again.spending is not None
    assert (again.spending.calls, again.spending.cache_hits) == (0, response.spending.calls)


def test_a_reply_that_the_servers_grammar_admits_and_the_schema_does_not_is_shown_to_the_model_twice(
    server: LocalServer, tmp_path: Path
):
    # A grammar cannot keep "no two alike", so whatever the model says here is refused.
    rows = {
        "type": "array",
        "items": {"type": "integer", "enum": [1]},
        "minItems": 2,
        "maxItems": 2,
        "uniqueItems": True,
    }
    schema: dict[str, object] = {"type": "object", "properties": {"rows": rows}, "required": ["rows"]}
    provider = _provider(_model(OpenAICompatibleModel, server, max_tokens=600), tmp_path)
    with pytest.raises(SchemaValidationError) as refused:
        provider.generate(ModelRequest("content", "You count.", (TextPart("Count."),), schema))
    assert refused.value.spending is not None
    assert refused.value.spending.calls == 3
    assert provider.cache is not None
    assert list(ResponseCache(Store(tmp_path)).entries()) == []


def test_an_unconstrained_reply_is_repaired_or_refused_and_never_believed(server: LocalServer, tmp_path: Path):
    provider = _provider(_model(AnthropicModel, server), tmp_path)
    try:
        response = provider.generate(REQUEST)
        spending, monster = response.spending, response.data["monster"]  # type: ignore[index]
    except (SchemaValidationError, ReplyTooLongError) as failure:
        spending, monster = failure.spending, None
    assert monster in {"goblin", "ogre", None}
    assert spending is not None
    assert 1 <= spending.calls <= 3
    assert spending.usage.output_tokens > 0


@BOTH
def test_a_reply_cut_at_its_limit_is_too_long(adapter: Adapter, server: LocalServer, tmp_path: Path):
    provider = _provider(_model(adapter, server, max_tokens=3), tmp_path)
    with pytest.raises(ReplyTooLongError):
        provider.generate(REQUEST)


@BOTH
def test_a_wrong_key_is_permanent_and_not_repeated_in_the_message(
    adapter: Adapter, server: LocalServer, tmp_path: Path
):
    wrong = "sk-wrong-PLANTED-77aa"
    provider = _provider(_model(adapter, server, key=lambda: wrong), tmp_path)
    with pytest.raises(PermanentProviderError) as refused:
        provider.generate(REQUEST)
    assert refused.value.code == "provider.key_refused"
    assert wrong not in str(refused.value)


@BOTH
def test_a_request_beyond_the_context_is_a_failure_with_the_services_sentence(
    adapter: Adapter, server: LocalServer, tmp_path: Path
):
    long = ModelRequest("content", "rules", (TextPart("goblin " * 4000),), SCHEMA)
    with pytest.raises(ProviderError) as refused:
        _provider(_model(adapter, server), tmp_path).generate(long)
    assert not isinstance(refused.value, TransientProviderError)


def test_nobody_at_the_address_is_transient(tmp_path: Path):
    # Port 9 (discard) is closed wherever tests run; the socket guard lets loopback through.
    nobody = LocalServer("http://127.0.0.1:9")
    with pytest.raises(TransientProviderError) as failed:
        _provider(_model(OpenAICompatibleModel, nobody), tmp_path).generate(REQUEST)
    assert failed.value.code == "provider.unreachable"


def test_a_call_that_takes_too_long_is_given_up(server: LocalServer, tmp_path: Path):
    provider = _provider(_model(OpenAICompatibleModel, server, timeout=0.05, max_tokens=1000), tmp_path)
    with pytest.raises(TransientProviderError) as failed:
        provider.generate(ModelRequest("content", "rules", (TextPart("Tell " * 300),), SCHEMA))
    assert failed.value.code == "provider.timeout"


@BOTH
def test_text_streams_in_pieces_and_ends_with_the_whole(adapter: Adapter, server: LocalServer):
    model = _model(adapter, server)
    pieces = list(model.stream(STORY))
    whole = pieces.pop()
    assert isinstance(whole, RawReply)
    assert whole.text == "".join(piece for piece in pieces if isinstance(piece, str))
    assert len(pieces) > 1
    assert whole.usage.output_tokens > 0
    assert whole.stop in {StopReason.END, StopReason.TOO_LONG}


@BOTH
def test_a_stream_that_is_cut_yields_its_pieces_and_then_says_so(adapter: Adapter, server: LocalServer):
    provider = TextProvider(
        _model(adapter, server),
        limiter=InFlight(requests=1, tokens=100_000),
        prices=PriceTable(base_url="http://127.0.0.1"),
    )
    request = TextRequest(STORY.system, (Turn("user", "Tell a long story of a goblin king."),), max_tokens=5)
    pieces = []
    with pytest.raises(ReplyTooLongError):
        pieces.extend(provider.stream_text(request))
