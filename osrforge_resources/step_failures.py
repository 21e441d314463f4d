"""What an expected failure means to Dagster: decided once, by type."""

import contextlib
from collections.abc import Iterable, Iterator, Mapping

import dagster as dg

from osrforge_resources.failures import OsrforgeError, TransientProviderError

# Long enough for a rate limit that names no time of its own.
_RETRY_SECONDS = 10.0


def step_failure(failure: OsrforgeError) -> dg.Failure:
    """Return the Dagster failure of an expected one: its sentence, its code and remedy, retries only where they can help."""
    return dg.Failure(
        description=f"{failure.message} {failure.remedy}",
        metadata={
            "code": dg.MetadataValue.text(failure.code),
            "message": dg.MetadataValue.text(failure.message),
            "remedy": dg.MetadataValue.text(failure.remedy),
        },
        allow_retries=isinstance(failure, TransientProviderError),
    )


@contextlib.contextmanager
def expected_failures(*, retry_number: int | None = None) -> Iterator[None]:
    """Turn an expected failure inside the block into a step failure without its traceback; bugs pass through.

    Args:
        retry_number: How often the step was retried, where it may be; None where a retry cannot help.
    """
    try:
        yield
    except OsrforgeError as failure:
        retry_once([failure], retry_number)
        raise step_failure(failure) from None


def retry_once(failures: Iterable[OsrforgeError], retry_number: int | None) -> None:
    """Ask Dagster to run the step again if any of its failures may pass by waiting and it was not yet retried.

    An asset's `RetryPolicy` would do the same, but also take Ctrl-C and any bug for a failure that may pass: the step
    would start again ten seconds after it was told to stop, and pay for its calls a second time.

    Raises:
        RetryRequested: The step is to be run again.
    """
    waits = [failure.retry_after for failure in failures if isinstance(failure, TransientProviderError)]
    if waits and retry_number == 0:
        raise dg.RetryRequested(max_retries=1, seconds_to_wait=max(wait or _RETRY_SECONDS for wait in waits))


def combined_failure(failures: Mapping[str, OsrforgeError], *, of: int, what: str) -> dg.Failure:
    """Return one step failure for several items of which the rest is done; retried if any item may pass then.

    Args:
        failures: Item name to its failure, in the order they happened.
        of: How many items the step had.
        what: What the items are called.
    """
    first = next(iter(failures.values()))
    lines = [f"{name}: {failure.message}" for name, failure in failures.items()]
    return dg.Failure(
        description=f"{len(failures)} of {of} {what} failed; the others are kept. {'; '.join(lines[:5])} {first.remedy}",
        metadata={
            "code": dg.MetadataValue.text(first.code),
            "message": dg.MetadataValue.text("; ".join(lines)),
            "remedy": dg.MetadataValue.text(first.remedy),
            "failed": dg.MetadataValue.json({name: failure.code for name, failure in failures.items()}),
        },
        allow_retries=any(isinstance(failure, TransientProviderError) for failure in failures.values()),
    )
