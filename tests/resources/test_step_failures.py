"""What an expected failure means to Dagster, decided by its type alone."""

import dagster as dg
import pytest

from osrforge_resources.failures import PermanentProviderError, SourceError, StoreError, TransientProviderError
from osrforge_resources.step_failures import combined_failure, expected_failures


@pytest.mark.parametrize(
    ("failure", "retries"),
    [
        (TransientProviderError("The service is busy."), True),
        (PermanentProviderError("The service refused."), False),
        (SourceError("The file is damaged."), False),
        (StoreError("The disk is full."), False),
    ],
)
def test_only_a_transient_failure_may_be_retried(failure: Exception, retries: bool):
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
