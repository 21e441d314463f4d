"""What an in-process run says when it is over: its failure as one of ours, and what its calls cost."""

from collections.abc import Iterator, Mapping

import dagster as dg

from osrforge_resources.call_meter import spending_of
from osrforge_resources.failures import OsrforgeError
from osrforge_resources.usage import Spending

_COSTLY_EVENTS = {
    dg.DagsterEventType.ASSET_MATERIALIZATION,
    dg.DagsterEventType.ASSET_OBSERVATION,
    dg.DagsterEventType.STEP_FAILURE,
}
_INTERRUPTS = {"DagsterExecutionInterruptedError", "KeyboardInterrupt"}


def call_costs(instance: dg.DagsterInstance, run_id: str) -> Spending:
    """Return what a run's calls cost: those of what it made, of what failed, and of attempts before a retry.

    Read from the instance: an in-process result lacks what a step logged before it failed.
    """
    total = Spending()
    for metadata in _metadata(instance, run_id):
        numbers = {key: value.value for key, value in metadata.items() if isinstance(value.value, int | float)}
        if "llm/calls" in numbers:
            total += spending_of(numbers)
    return total


def _metadata(instance: dg.DagsterInstance, run_id: str) -> Iterator[Mapping[str, dg.MetadataValue]]:
    for entry in instance.all_logs(run_id, of_type=_COSTLY_EVENTS):
        event = entry.dagster_event
        if event is None:
            continue
        if event.event_type == dg.DagsterEventType.ASSET_MATERIALIZATION:
            yield event.step_materialization_data.materialization.metadata
        elif event.event_type == dg.DagsterEventType.ASSET_OBSERVATION:
            yield event.asset_observation_data.asset_observation.metadata
        elif event.step_failure_data.user_failure_data is not None:
            yield event.step_failure_data.user_failure_data.metadata


def failed_items(result: dg.ExecuteInProcessResult) -> list[str]:
    """Return the partitions that a failed step names as not made; none where it names none."""
    for event in result.all_events:
        if event.is_step_failure and (data := event.step_failure_data.user_failure_data) is not None:
            value = data.metadata["failed"].value if "failed" in data.metadata else None
            if isinstance(value, dict):
                return [str(key) for key in value]
    return []


def _check_failure(result: dg.ExecuteInProcessResult) -> OsrforgeError:
    failed = [check for check in result.get_asset_check_evaluations() if check.blocking and not check.passed]
    said = "; ".join(check.description or f"The check {check.check_name} failed." for check in failed)
    return OsrforgeError(
        said, code="check.blocking", remedy="The check's details are in the UI, with the asset that it is about."
    )


def failure_of(result: dg.ExecuteInProcessResult) -> OsrforgeError:
    """Return a failed run's expected failure.

    Raises:
        RuntimeError: The run failed for a reason that nobody expects: a bug, shown with its own traceback.
        KeyboardInterrupt: The run was told to stop (Ctrl-C, SIGTERM), which Dagster records as a failure of its step.
    """
    for event in result.all_events:
        if event.is_step_failure:
            data = event.step_failure_data
            metadata = data.user_failure_data.metadata if data.user_failure_data is not None else {}
            if "code" in metadata:
                said = {name: str(metadata[name].value) for name in ("message", "code", "remedy")}
                return OsrforgeError(said["message"], code=said["code"], remedy=said["remedy"])
            if data.error is not None and data.error.cls_name in _INTERRUPTS:
                raise KeyboardInterrupt
            if data.error is not None and data.error.cls_name == "DagsterAssetCheckFailedError":
                return _check_failure(result)
            raise RuntimeError(data.error.to_string() if data.error is not None else "A step failed without an error.")
        if event.event_type == dg.DagsterEventType.RUN_FAILURE:
            error = event.job_failure_data.error
            if error is not None and error.cls_name in _INTERRUPTS:
                raise KeyboardInterrupt
    raise RuntimeError(f"Run {result.run_id} failed outside its steps.")
