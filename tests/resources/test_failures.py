"""What every failure tells, also on the other side of a process border."""

import copy
import pickle

import pytest

from osrforge_resources.failures import (
    InvalidKeyError,
    MisuseError,
    OsrforgeError,
    PermanentProviderError,
    ProviderError,
    ReplyTooLongError,
    SchemaValidationError,
    SourceError,
    StoreError,
    TransientProviderError,
)

EVERY_FAILURE = [
    OsrforgeError,
    MisuseError,
    InvalidKeyError,
    SourceError,
    StoreError,
    ProviderError,
    PermanentProviderError,
    TransientProviderError,
    ReplyTooLongError,
    SchemaValidationError,
]


@pytest.mark.parametrize("kind", EVERY_FAILURE)
def test_a_failure_has_a_code_a_message_and_a_remedy(kind: type[OsrforgeError]):
    failure = kind("The page is gone.")
    assert failure.code
    assert failure.remedy.endswith(".")
    assert str(failure) == f"{failure.code}: The page is gone. {failure.remedy}"


@pytest.mark.parametrize("kind", EVERY_FAILURE)
@pytest.mark.parametrize("passed_on", [lambda failure: pickle.loads(pickle.dumps(failure)), copy.copy])
def test_a_failure_crosses_a_process_border_whole(kind: type[OsrforgeError], passed_on):
    failure = kind("The page is gone.", code="page.gone", remedy="Look for it.")
    if isinstance(failure, TransientProviderError):
        failure.retry_after = 7.5
    same = passed_on(failure)
    assert type(same) is kind
    assert (same.message, same.code, same.remedy, same.args) == (
        "The page is gone.",
        "page.gone",
        "Look for it.",
        ("The page is gone.",),
    )
    assert getattr(same, "retry_after", None) == getattr(failure, "retry_after", None)


def test_no_two_kinds_of_failure_share_a_code():
    codes = [kind.default_code for kind in EVERY_FAILURE]
    assert len(set(codes)) == len(codes)


def test_misuse_is_a_value_error_and_a_provider_failure_is_not():
    assert issubclass(MisuseError, ValueError)
    assert not issubclass(ProviderError, ValueError)
