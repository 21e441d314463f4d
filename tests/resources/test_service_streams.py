"""Free text as it arrives, from both services: pieces, ends, and streams that are slow, broken or refused in the middle."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import httpx2
import pytest

from osrforge_resources.account import charged_to
from osrforge_resources.chat_model import RawReply, StopReason, TextRequest, Turn
from osrforge_resources.failures import (
    PermanentProviderError,
    ProviderError,
    RefusalError,
    ReplyTooLongError,
    TransientProviderError,
)
from osrforge_resources.in_flight import InFlight
from osrforge_resources.prices import PriceTable
from osrforge_resources.provider_settings import ProviderSettings
from osrforge_resources.providers import make_text_provider
from osrforge_resources.text_provider import TextProvider
from osrforge_resources.usage import TokenUsage
from tests.resources.fake_services import ANTHROPIC, OPENAI, BrokenStream, Script, Vendor
from tests.resources.test_fault_table import Purse

STORY = TextRequest("You tell stories.", (Turn("user", "A door opens."),))
WORDS = ("The ", "door ", "opens — ", "æther.")


def _anthropic_events(words: Sequence[str], reason: str | None) -> list[dict[str, Any]]:
    start = {"id": "m", "model": "claude-sonnet-5-5", "content": [], "usage": {"input_tokens": 40, "output_tokens": 1}}
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": start},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "hm"}},
    ]
    events += [
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": word}} for word in words
    ]
    if reason is not None:
        details = {"type": "refusal", "category": "bio"} if reason == "refusal" else None
        delta = {"stop_reason": reason, "stop_sequence": None, "stop_details": details}
        events += [
            {"type": "message_delta", "delta": delta, "usage": {"output_tokens": 9}},
            {"type": "message_stop"},
        ]
    return events


def _openai_chunks(words: Sequence[str], reason: str | None) -> list[dict[str, Any]]:
    def chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "gpt-5.4", "choices": [choice]}

    chunks = [chunk({"role": "assistant"}), *(chunk({"content": word}) for word in words)]
    if reason is not None:
        usage = {"prompt_tokens": 40, "completion_tokens": 9, "total_tokens": 49}
        chunks += [chunk({}, reason), {**chunk({}), "choices": [], "usage": usage}]
    return chunks


def _lines(vendor: Vendor, words: Sequence[str], why: str | None) -> list[bytes]:
    reason = vendor.reasons[why] if why is not None else None
    if vendor is ANTHROPIC:
        events = _anthropic_events(words, reason)
        return [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode() for event in events]
    chunks = [f"data: {json.dumps(chunk)}\n\n".encode() for chunk in _openai_chunks(words, reason)]
    return [*chunks, b"data: [DONE]\n\n"] if reason is not None else chunks


def _streamed(lines: Sequence[bytes], error: Exception | None = None) -> httpx2.Response:
    headers = {"content-type": "text/event-stream"}
    if error is not None:
        return httpx2.Response(200, headers=headers, stream=BrokenStream(lines, error))
    return httpx2.Response(200, headers=headers, content=b"".join(lines))


class Told:
    """A story as far as it was told, and what it was charged."""

    def __init__(self, vendor: Vendor, answer: httpx2.Response) -> None:
        self.script = Script([lambda _: answer])
        self.purse = Purse()
        self.pieces: list[str | RawReply] = []
        self.failure: ProviderError | None = None
        limiter = InFlight(requests=1, tokens=1000)
        provider = TextProvider(vendor.model(self.script), limiter=limiter, prices=PriceTable())
        with charged_to(self.purse):
            try:
                self.pieces.extend(self._tell(provider))
            except ProviderError as failure:
                self.failure = failure
        # Whatever happened, the slot is free again.
        with limiter.slot(1000):
            pass

    def _tell(self, provider: TextProvider):
        for piece in provider.stream_text(STORY):
            self.pieces.append(piece)
        return []


VENDORS = pytest.mark.parametrize("vendor", [ANTHROPIC, OPENAI], ids=lambda vendor: vendor.name)


@VENDORS
def test_text_comes_in_pieces_and_then_as_a_whole(vendor: Vendor):
    told = Told(vendor, _streamed(_lines(vendor, WORDS, "end")))
    assert told.failure is None
    *pieces, whole = told.pieces
    assert pieces == list(WORDS)
    assert isinstance(whole, RawReply)
    assert (whole.text, whole.stop) == ("".join(WORDS), StopReason.END)
    assert whole.usage == TokenUsage(input_tokens=40, output_tokens=9)
    assert [charge.usage for charge in told.purse.charges] == [whole.usage]
    assert told.purse.charges[0].cost_usd


@VENDORS
@pytest.mark.parametrize(("why", "kind"), [("cut", ReplyTooLongError), ("refused", RefusalError)])
def test_a_stream_that_ends_badly_is_charged_and_says_why(vendor: Vendor, why: str, kind: type[ProviderError]):
    told = Told(vendor, _streamed(_lines(vendor, WORDS, why)))
    assert told.failure is not None
    assert type(told.failure) is kind
    assert told.pieces == list(WORDS)
    assert [charge.usage.output_tokens for charge in told.purse.charges] == [9]
    assert told.failure.spending == told.purse.charges[0]


@VENDORS
@pytest.mark.parametrize(
    ("error", "code"),
    [
        (None, "provider.broken_reply"),
        (httpx2.ReadError("gone"), "provider.unreachable"),
        (httpx2.RemoteProtocolError("peer closed"), "provider.unreachable"),
        (httpx2.ReadTimeout("silence"), "provider.timeout"),
    ],
    ids=["ends early", "reset", "hung up", "slow"],
)
def test_a_stream_that_breaks_off_is_transient_and_its_cost_is_not_known(
    vendor: Vendor, error: Exception | None, code: str
):
    told = Told(vendor, _streamed(_lines(vendor, WORDS, None), error))
    assert isinstance(told.failure, TransientProviderError)
    assert (told.failure.code, told.pieces) == (code, list(WORDS))
    # It is not sent again by anybody: what came was read.
    assert len(told.script.bodies) == 1
    assert [charge.calls for charge in told.purse.charges] == [1]
    assert told.purse.charges[0].cost_usd is None


@VENDORS
def test_a_line_that_is_not_json_is_a_broken_reply(vendor: Vendor):
    lines = [*_lines(vendor, WORDS, None), b'event: content_block_delta\ndata: {"type": "conte\n\n']
    told = Told(vendor, _streamed(lines))
    assert told.failure is not None
    assert told.failure.code == "provider.broken_reply"


@VENDORS
@pytest.mark.parametrize(
    ("kind", "failure", "code"),
    [
        ("overloaded_error", TransientProviderError, "provider.unavailable"),
        ("rate_limit_error", TransientProviderError, "provider.rate_limited"),
        ("invalid_request_error", PermanentProviderError, "provider.bad_request"),
        ("something_new", TransientProviderError, "provider.unavailable"),
    ],
)
def test_an_error_inside_a_stream_means_what_its_type_says(
    vendor: Vendor, kind: str, failure: type[ProviderError], code: str
):
    body = {"type": "error", "error": {"type": kind, "message": "no more"}}
    told = Told(
        vendor, _streamed([*_lines(vendor, WORDS, None), f"event: error\ndata: {json.dumps(body)}\n\n".encode()])
    )
    assert told.failure is not None
    assert type(told.failure) is failure
    assert told.failure.code == code


@VENDORS
def test_a_refused_stream_yields_nothing(vendor: Vendor):
    told = Told(vendor, vendor.error(401, "authentication_error"))
    assert told.pieces == []
    assert told.failure is not None
    assert told.failure.code == "provider.key_refused"


def test_a_text_provider_is_made_from_the_settings_without_a_key(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    del tmp_path
    provider = make_text_provider(ProviderSettings(provider="anthropic"))
    with pytest.raises(PermanentProviderError) as refused:
        list(provider.stream_text(STORY))
    assert refused.value.code == "provider.no_key"
