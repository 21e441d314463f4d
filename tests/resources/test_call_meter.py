"""What a step's calls came to."""

import pytest

from osrforge_resources.call_meter import CallMeter
from osrforge_resources.failures import PermanentProviderError
from osrforge_resources.model_provider import ModelRequest, ModelResponse, TokenUsage

REQUEST = ModelRequest("survey", "rules", (), {"type": "object"})


class _Paid:
    def generate(self, request: ModelRequest) -> ModelResponse:
        return ModelResponse(
            {"asked": request.tag}, TokenUsage(input_tokens=100, output_tokens=7, cached_input_tokens=50), "paid-model"
        )


class _Free:
    def generate(self, request: ModelRequest) -> ModelResponse:
        return ModelResponse({"asked": request.tag}, TokenUsage(), "free-reader")


class _Refusing:
    def generate(self, request: ModelRequest) -> ModelResponse:
        raise PermanentProviderError(f"No {request.tag}.")


def test_calls_and_tokens_add_up_under_the_keys_that_the_ui_plots():
    meter = CallMeter(_Paid())
    meter.generate(REQUEST)
    meter.generate(REQUEST)
    assert meter.metadata() == {
        "llm/calls": 2,
        "llm/cache_hits": 0,
        "llm/input_tokens": 200,
        "llm/cached_input_tokens": 100,
        "llm/output_tokens": 14,
        "llm/model": "paid-model",
    }


def test_tokens_without_a_known_price_have_no_cost_and_no_tokens_cost_nothing():
    paid, free = CallMeter(_Paid()), CallMeter(_Free())
    paid.generate(REQUEST)
    free.generate(REQUEST)
    assert paid.spending.cost_usd is None
    assert free.spending.cost_usd == 0.0
    assert free.metadata()["llm/cost_usd"] == 0.0


def test_a_failed_call_was_a_call():
    meter = CallMeter(_Refusing())
    with pytest.raises(PermanentProviderError):
        meter.generate(REQUEST)
    assert meter.calls == 1
