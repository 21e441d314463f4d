"""What a step's calls came to."""

import contextlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from osrforge_resources.account import current_account
from osrforge_resources.call_meter import CallMeter, spending_metadata, spending_of
from osrforge_resources.failures import PermanentProviderError
from osrforge_resources.model_provider import ModelRequest, ModelResponse, TokenUsage
from osrforge_resources.usage import Spending

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
        "llm/cache_write_tokens": 0,
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


def test_what_metadata_says_is_what_was_spent():
    known = Spending(3, 2, TokenUsage(100, 20, 30, 40), 0.25)
    unknown = Spending(1, usage=TokenUsage(1), cost_usd=None)
    for spending in (known, unknown, Spending()):
        numbers = {key: value for key, value in spending_metadata(spending).items() if not isinstance(value, str)}
        assert spending_of(numbers) == spending


class _Account:
    def __init__(self) -> None:
        self.estimates: list[float | None] = []

    @contextlib.contextmanager
    def reserve(self, estimate_usd: float | None) -> Iterator[None]:
        self.estimates.append(estimate_usd)
        yield

    def charge(self, spending: Spending) -> None: ...


class _Asking:
    def __init__(self) -> None:
        self.accounts: list[object] = []

    def generate(self, request: ModelRequest) -> ModelResponse:
        self.accounts.append(current_account())
        return ModelResponse(request.tag, TokenUsage(), "m")


def test_the_account_reaches_the_provider_in_every_thread_of_a_pool_and_ends_with_the_call():
    provider, account, other = _Asking(), _Account(), _Account()
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(CallMeter(provider, account=account).generate, [REQUEST] * 8))
        list(pool.map(CallMeter(provider, account=other).generate, [REQUEST] * 8))
        assert provider.accounts == [account] * 8 + [other] * 8
        assert set(pool.map(lambda _: current_account(), range(8))) == {None}
    CallMeter(provider).generate(REQUEST)
    assert provider.accounts[-1] is None
