"""What an expected failure means to Dagster, decided by its type alone."""

import dagster as dg
import pytest

from osrforge_resources.call_meter import CallMeter
from osrforge_resources.failures import (
    OsrforgeError,
    PermanentProviderError,
    SourceError,
    StoreError,
    TransientProviderError,
)
from osrforge_resources.model_provider import ModelRequest, ModelResponse
from osrforge_resources.step_failures import combined_failure, expected_failures
from osrforge_resources.usage import Spending, TokenUsage


@pytest.mark.parametrize(
    ("failure", "retries"),
    [
        (TransientProviderError("The service is busy."), True),
        (PermanentProviderError("The service refused."), False),
        (SourceError("The file is damaged."), False),
        (StoreError("The disk is full."), False),
    ],
)
def test_only_a_transient_failure_may_be_retried(failure: OsrforgeError, retries: bool):
    with pytest.raises(dg.Failure) as caught, expected_failures():
        raise failure
    assert caught.value.allow_retries is retries
    assert {name: value.value for name, value in caught.value.metadata.items()} == {
        "code": failure.code,
        "message": failure.message,
        "remedy": failure.remedy,
    }


def test_a_bug_passes_through_with_its_own_type():
    with pytest.raises(ZeroDivisionError), expected_failures():
        _ = 1 // 0


def test_several_failures_are_one_that_names_each_and_retries_if_any_may_pass():
    failures = {"a": PermanentProviderError("No."), "b": TransientProviderError("Later.")}
    combined = combined_failure(failures, of=5, what="levels")
    assert combined.description is not None
    assert combined.description.startswith("2 of 5 levels failed; the others are kept. a: No.; b: Later.")
    assert combined.metadata["failed"].value == {"a": "provider.permanent", "b": "provider.transient"}
    assert combined.allow_retries


def test_a_transient_failure_asks_for_one_more_try_after_the_wait_that_the_service_named():
    busy = TransientProviderError("The service is busy.", retry_after=3.0)
    with pytest.raises(dg.RetryRequested) as first, expected_failures(retry_number=0):
        raise busy
    assert (first.value.max_retries, first.value.seconds_to_wait) == (1, 3.0)
    with pytest.raises(dg.Failure), expected_failures(retry_number=1):
        raise busy


def test_what_waiting_cannot_help_is_not_tried_again():
    with pytest.raises(dg.Failure), expected_failures(retry_number=0):
        raise PermanentProviderError("No.")
    with pytest.raises(KeyboardInterrupt), expected_failures(retry_number=0):
        raise KeyboardInterrupt


class _PaidAndRefused:
    def generate(self, request: ModelRequest) -> ModelResponse:
        failure = PermanentProviderError(f"The reply to {request.tag} is not usable.")
        failure.spending = Spending(3, 1, TokenUsage(300, 30), 0.25)
        raise failure


PAID = {
    "llm/calls": 3,
    "llm/cache_hits": 1,
    "llm/input_tokens": 300,
    "llm/cached_input_tokens": 0,
    "llm/cache_write_tokens": 0,
    "llm/output_tokens": 30,
    "llm/cost_usd": 0.25,
}


def test_a_failure_says_what_was_paid_before_it():
    meter = CallMeter(_PaidAndRefused())
    with pytest.raises(dg.Failure) as caught, expected_failures(meter=meter):
        meter.generate(ModelRequest("survey", "", (), {}))
    metadata = {name: value.value for name, value in caught.value.metadata.items()}
    assert metadata.items() >= PAID.items()
    failures = {"crypt": PermanentProviderError("No.")}
    combined = combined_failure(failures, of=2, what="levels", spending=meter.spending)
    assert {name: value.value for name, value in combined.metadata.items()}.items() >= PAID.items()


def test_what_was_paid_is_recorded_before_a_step_is_tried_again_and_only_then():
    recorded: list[str] = []
    for failure, retry_number in (
        (TransientProviderError("Busy."), 0),
        (TransientProviderError("Busy."), 1),
        (PermanentProviderError("No."), 0),
    ):
        block = expected_failures(retry_number=retry_number, before_retry=lambda: recorded.append("paid"))
        with pytest.raises((dg.Failure, dg.RetryRequested)), block:
            raise failure
    assert recorded == ["paid"]
