"""What an expected failure means to Dagster: decided once, by type."""

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping

import dagster as dg

from osrforge_resources.budget import COMMAND_TAG
from osrforge_resources.call_meter import CallMeter, spending_metadata
from osrforge_resources.failures import OsrforgeError, TransientProviderError
from osrforge_resources.usage import Spending

# Long enough for a rate limit that names no time of its own.
_RETRY_SECONDS = 10.0


def step_failure(failure: OsrforgeError, spending: Spending | None = None) -> dg.Failure:
    """Return the Dagster failure of an expected one: its sentence, its code and remedy, retries only where they can help.

    Args:
        failure: What went wrong.
        spending: What the step had paid until then; replies that came to nothing are paid for all the same.
    """
    return dg.Failure(
        description=f"{failure.message} {failure.remedy}",
        metadata={
            "code": dg.MetadataValue.text(failure.code),
            "message": dg.MetadataValue.text(failure.message),
            "remedy": dg.MetadataValue.text(failure.remedy),
            **(spending_metadata(spending) if spending is not None else {}),
        },
        allow_retries=isinstance(failure, TransientProviderError),
    )


@contextlib.contextmanager
def expected_failures(
    *, retry_number: int | None = None, meter: CallMeter | None = None, before_retry: Callable[[], None] | None = None
) -> Iterator[None]:
    """Turn an expected failure inside the block into a step failure without its traceback; bugs pass through.

    Args:
        retry_number: How often the step was retried, where it may be; None where a retry cannot help.
        meter: Counts the block's calls: what they cost is told with the failure.
        before_retry: As in `retry_once`.
    """
    try:
        yield
    except OsrforgeError as failure:
        retry_once([failure], retry_number, before_retry)
        raise step_failure(failure, meter.spending if meter is not None else None) from None


def retry_once(
    failures: Iterable[OsrforgeError], retry_number: int | None, before_retry: Callable[[], None] | None = None
) -> None:
    """Ask Dagster to run the step again if any of its failures may pass by waiting and it was not yet retried.

    An asset's `RetryPolicy` would do the same, but also take Ctrl-C and any bug for a failure that may pass: the step
    would start again ten seconds after it was told to stop, and pay for its calls a second time.

    Args:
        failures: What went wrong in the step.
        retry_number: How often the step was retried, where it may be.
        before_retry: Called before the step is asked for again; a request to retry cannot carry what was paid until then.

    Raises:
        RetryRequested: The step is to be run again.
    """
    waits = [failure.retry_after for failure in failures if isinstance(failure, TransientProviderError)]
    if waits and retry_number == 0:
        if before_retry is not None:
            before_retry()
        raise dg.RetryRequested(max_retries=1, seconds_to_wait=max(wait or _RETRY_SECONDS for wait in waits))


def spending_run(run: dg.DagsterRun) -> str:
    """Return what counts as one run to a budget: all that one command started, else the run itself."""
    return run.tags.get(COMMAND_TAG, run.run_id)


def report_spending(context: dg.AssetExecutionContext, asset: str, spending: Spending) -> None:
    """Record what a step paid before it is tried again, as an observation of the partition it was for."""
    if spending != Spending():
        metadata = spending_metadata(spending)
        context.log_event(dg.AssetObservation(asset_key=asset, partition=context.partition_key, metadata=metadata))


def combined_failure(
    failures: Mapping[str, OsrforgeError], *, of: int, what: str, spending: Spending | None = None
) -> dg.Failure:
    """Return one step failure for several items of which the rest is done; retried if any item may pass then.

    Args:
        failures: Item name to its failure, in the order they happened.
        of: How many items the step had.
        what: What the items are called.
        spending: What the failed items had paid; what the others paid is recorded with them.
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
            **(spending_metadata(spending) if spending is not None else {}),
        },
        allow_retries=any(isinstance(failure, TransientProviderError) for failure in failures.values()),
    )
