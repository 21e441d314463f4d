"""What an expected failure means to Dagster: decided once, by type."""

import contextlib
from collections.abc import Iterator, Mapping

import dagster as dg

from osrforge_resources.failures import OsrforgeError, TransientProviderError


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
def expected_failures() -> Iterator[None]:
    """Turn an expected failure inside the block into a step failure without its traceback; bugs pass through."""
    try:
        yield
    except OsrforgeError as failure:
        raise step_failure(failure) from None


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
