"""What each adapter sends: parts, prompt-cache breakpoints, limits, and what a server does not take."""

import json
from typing import Any

import httpx2
import pytest

from osrforge_resources.anthropic import ANTHROPIC_URL
from osrforge_resources.chat_model import ChatModel, TextModel, Turn
from osrforge_resources.failures import PermanentProviderError
from osrforge_resources.model_provider import ImagePart, ModelRequest, TextPart
from osrforge_resources.openai_compatible import OPENAI_URL
from osrforge_resources.usage import Spending, TokenUsage
from tests.resources.fake_services import ANTHROPIC, OPENAI, Script, Vendor
from tests.resources.test_fault_table import GOOD, SCHEMA
from tests.resources.test_wire_format import _png

SMALL = _png(8, 8)
PAGES = (
    *(TextPart("[page 6]\nA map."), ImagePart(SMALL)),
    *(TextPart("[page 1]\nA room."), ImagePart(SMALL)),
)
QUESTION = TextPart("The level: …")
REQUEST = ModelRequest("content.crypt.1.b01", "rules", (*PAGES, QUESTION), SCHEMA, shared_prefixes=(2, 4))
VENDORS = pytest.mark.parametrize("vendor", [ANTHROPIC, OPENAI], ids=lambda vendor: vendor.name)


def _sent(vendor: Vendor, request: ModelRequest, turns: tuple[Turn, ...] = (), **settings: Any) -> dict[str, Any]:
    script = Script([vendor.said(GOOD)])
    vendor.model(script, **settings).reply(request, turns)
    return script.bodies[0]


def _breakpoints(body: dict[str, Any]) -> list[int]:
    content = body["messages"][0]["content"]
    return [index for index, block in enumerate(content) if "cache_control" in block]


@VENDORS
def test_an_adapter_is_both_a_chat_and_a_text_model(vendor: Vendor):
    model = vendor.model(Script([]))
    assert isinstance(model, ChatModel)
    assert isinstance(model, TextModel)
    assert json.loads(json.dumps(model.answer_settings))["base_url"] in {ANTHROPIC_URL, OPENAI_URL}


def test_breakpoints_stand_after_the_system_text_the_maps_and_the_pages():
    body = _sent(ANTHROPIC, REQUEST, effort="high")
    assert body["system"] == [{"type": "text", "text": "rules", "cache_control": {"type": "ephemeral"}}]
    assert [block["type"] for block in body["messages"][0]["content"]] == ["text", "image", "text", "image", "text"]
    assert _breakpoints(body) == [1, 3]
    assert body["output_config"]["effort"] == "high"
    assert body["output_config"]["format"]["schema"]["properties"]["count"] == {
        "type": "integer",
        "description": "minimum 1",
    }


def test_a_follow_up_and_a_repair_send_the_same_bytes_up_to_the_question():
    first = _sent(ANTHROPIC, REQUEST)
    follow_up = ModelRequest("content.crypt.1.b01.retry", "rules", (*PAGES, TextPart("Others?")), SCHEMA, (2, 4))
    repair = _sent(ANTHROPIC, REQUEST, (Turn("assistant", "no"), Turn("user", "again")))
    prefix = {**first, "messages": first["messages"][0]["content"][:4]}
    for body in (_sent(ANTHROPIC, follow_up), repair):
        assert {**body, "messages": body["messages"][0]["content"][:4]} == prefix
    assert [message["role"] for message in repair["messages"]] == ["user", "assistant", "user"]


def test_a_request_that_shares_nothing_pays_for_no_cache_writes_of_its_pages():
    assert _breakpoints(_sent(ANTHROPIC, ModelRequest("survey", "rules", PAGES, SCHEMA))) == []


def test_texts_of_nothing_are_left_out_and_half_a_surrogate_pair_is_sent_as_a_question_mark():
    request = ModelRequest("survey", "rules", (TextPart("  "), TextPart("bad \ud83d half")), SCHEMA)
    [block] = _sent(ANTHROPIC, request)["messages"][0]["content"]
    assert block["text"] == "bad ? half"


@pytest.mark.parametrize(
    "images",
    [[_png(8001, 8)], [_png(8, 2001)] + [SMALL] * 20, [b"\x00" * 12_500_000] * 2],
    ids=["too large an image", "too large among many", "too many bytes"],
)
def test_what_the_service_would_refuse_after_the_upload_is_not_sent(images: list[bytes]):
    script = Script([ANTHROPIC.said(GOOD)])
    request = ModelRequest("survey", "rules", tuple(map(ImagePart, images)), SCHEMA)
    with pytest.raises(PermanentProviderError) as refused:
        ANTHROPIC.model(script).reply(request, ())
    assert refused.value.code == "provider.request_too_large"
    assert refused.value.spending == Spending()
    assert script.bodies == []


def test_twenty_images_may_be_larger_than_two_thousand_pixels():
    request = ModelRequest("survey", "rules", (ImagePart(_png(8, 2001)),) * 20, SCHEMA)
    assert len(_sent(ANTHROPIC, request)["messages"][0]["content"]) == 20


def test_more_than_the_sdk_takes_without_a_timeout_is_sent():
    assert _sent(ANTHROPIC, REQUEST, max_tokens=64_000)["max_tokens"] == 64_000


def test_anthropic_usage_keeps_what_was_read_from_and_written_to_the_cache_and_thought():
    usage = {
        "input_tokens": 5,
        "cache_read_input_tokens": 7,
        "cache_creation_input_tokens": 11,
        "output_tokens": 13,
        "output_tokens_details": {"thinking_tokens": 3},
    }
    script = Script([httpx2.Response(200, json=ANTHROPIC.message(GOOD, usage=usage))])
    assert ANTHROPIC.model(script).reply(REQUEST, ()).usage == TokenUsage(
        input_tokens=5, output_tokens=13, cached_input_tokens=7, cache_write_tokens=11, thinking_tokens=3
    )


def test_openai_usage_counts_cached_tokens_beside_the_others():
    completion = OPENAI.message(GOOD)
    completion["usage"] |= {
        "prompt_tokens": 100,
        "prompt_tokens_details": {"cached_tokens": 64},
        "completion_tokens": 10,
        "completion_tokens_details": {"reasoning_tokens": 4},
    }
    usage = OPENAI.model(Script([httpx2.Response(200, json=completion)])).reply(REQUEST, ()).usage
    assert usage == TokenUsage(input_tokens=36, output_tokens=10, cached_input_tokens=64, thinking_tokens=4)


def test_images_go_to_an_openai_server_as_data_urls_and_the_whole_schema_is_enforced():
    body = _sent(OPENAI, REQUEST)
    content = body["messages"][1]["content"]
    assert [part["type"] for part in content] == ["text", "image_url", "text", "image_url", "text"]
    assert content[1]["image_url"]["url"].startswith("data:image/png;base64,iVBOR")
    assert body["response_format"]["json_schema"]["schema"] == SCHEMA
    assert "reasoning_effort" not in body


@pytest.mark.parametrize(
    ("base_url", "name"), [("", "max_completion_tokens"), ("http://127.0.0.1:8080/v1", "max_tokens")]
)
def test_the_output_limit_has_the_name_that_the_server_knows(base_url: str, name: str):
    assert _sent(OPENAI, REQUEST, base_url=base_url)[name] == 4000


def test_a_server_that_refuses_the_schema_gets_it_in_the_prompt_for_the_rest_of_the_process():
    def no_formats(request: httpx2.Request) -> httpx2.Response:
        refused = "response_format" in json.loads(request.content)
        return OPENAI.error(400, "invalid_request_error") if refused else OPENAI.said(GOOD)

    script = Script([no_formats])
    model = OPENAI.model(script)
    for _ in range(2):
        assert model.reply(REQUEST, ()).text == GOOD
    assert ["response_format" in body for body in script.bodies] == [True, False, False]
    assert json.dumps(SCHEMA) in script.bodies[1]["messages"][0]["content"]


def test_a_request_that_is_bad_with_and_without_a_schema_is_what_the_server_first_said():
    script = Script([OPENAI.error(400, "invalid_request_error"), OPENAI.error(401), OPENAI.said(GOOD)])
    model = OPENAI.model(script)
    with pytest.raises(PermanentProviderError) as refused:
        model.reply(REQUEST, ())
    assert refused.value.code == "provider.bad_request"
    model.reply(REQUEST, ())
    assert "response_format" in script.bodies[2]


def test_a_model_without_vision_gets_text_is_told_of_images_and_says_so_in_its_name():
    script = Script([OPENAI.said(GOOD)])
    reply = OPENAI.model(script, vision=False).reply(REQUEST, ())
    content = script.bodies[0]["messages"][1]["content"]
    assert content.count("(An image stands here that is not sent.)") == 2
    assert "[page 1]\nA room." in content
    assert reply.model_id == "gpt-5.4 (text only)"


def test_pages_without_text_cannot_be_read_without_vision():
    script = Script([OPENAI.said(GOOD)])
    scan = ModelRequest("survey", "rules", (TextPart("[page 1]\n"), ImagePart(SMALL)), SCHEMA)
    with pytest.raises(PermanentProviderError) as refused:
        OPENAI.model(script, vision=False).reply(scan, ())
    assert (refused.value.code, refused.value.spending, script.bodies) == ("provider.no_vision", Spending(), [])
