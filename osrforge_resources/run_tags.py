"""What a run's tags say about the calls it made, so that the list of runs can be read and filtered by them."""

import dagster as dg

from osrforge_resources.usage import Spending

CALLS, COST_USD = "osrforge/calls", "osrforge/cost_usd"


def tag_spending(instance: dg.DagsterInstance, run_id: str, spending: Spending) -> None:
    """Add what a step spent to its run's tags; a step that is tried again adds to what it spent before.

    The cost is left out where a call has no known price.
    """
    run = instance.get_run_by_id(run_id)
    if run is None:
        return
    tags = {CALLS: str(int(run.tags.get(CALLS, "0")) + spending.calls)}
    if spending.cost_usd is not None:
        tags[COST_USD] = f"{float(run.tags.get(COST_USD, '0')) + spending.cost_usd:.6f}"
    instance.add_run_tags(run_id, tags)
