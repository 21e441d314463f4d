"""The nightly backfill: everything stale or failed is taken up once more, within a budget."""

from datetime import UTC, datetime

import dagster as dg
from pydantic import Field

from osrforge_assets.grants import grant
from osrforge_assets.graph_state import asset_rules, read_graph
from osrforge_assets.reconcile import find_needs
from osrforge_assets.sensors import may_pay_unasked
from osrforge_assets.settings import Settings
from osrforge_resources.partition_log import PartitionLog
from osrforge_resources.store import Store


class BackfillBudget(dg.Config):
    """How much a backfill may take up."""

    max_cost_usd: float | None = Field(
        default=None,
        ge=0,
        allow_inf_nan=False,
        description="What everything granted in one night may be expected to cost, in US dollars, by what its like cost "
        "before; empty for the setting OSRFORGE_NIGHTLY_MAX_COST_USD, and without that for no limit.",
    )


@dg.op(description="Grant whatever is stale or failed to the sensor `reconcile`, as far as the night's budget goes.")
def take_up_what_is_stale(
    context: dg.OpExecutionContext,
    config: BackfillBudget,
    store: dg.ResourceParam[Store],
    settings: dg.ResourceParam[Settings],
) -> None:
    """Grant needs; the runs are launched by `reconcile`, which alone knows what is under way."""
    rules = asset_rules(context.repository_def.asset_graph)
    graph = read_graph(rules, context.instance, PartitionLog(context.instance))
    budget = config.max_cost_usd if config.max_cost_usd is not None else settings.nightly_max_cost_usd
    night = datetime.now(UTC).date().isoformat()
    estimate = grant(store, find_needs(graph), graph, night=night, max_cost_usd=budget)
    context.add_output_metadata(
        {
            "granted": len(estimate.granted),
            "left_out": len(estimate.left_out),
            "estimated_usd": estimate.usd,
            "without_price": estimate.without_price,
        }
    )
    context.log.info(
        "%d partitions granted, expected to cost $%.2f; %d left out for want of budget; %d have no known price.",
        *(len(estimate.granted), estimate.usd, len(estimate.left_out), estimate.without_price),
    )


@dg.job(description="Take up everything stale or failed within a budget: what the schedule `nightly` runs.")
def nightly_backfill() -> None:
    """One op; see `take_up_what_is_stale`."""
    take_up_what_is_stale()


def nightly(settings: Settings) -> dg.ScheduleDefinition:
    """Return the schedule; it runs by default where nothing is paid for unasked."""
    is_asked_for = may_pay_unasked(settings) or settings.nightly_max_cost_usd is not None
    runs = settings.automation != "off" and is_asked_for
    return dg.ScheduleDefinition(
        name="nightly",
        job=nightly_backfill,
        cron_schedule=settings.nightly,
        execution_timezone="UTC",
        default_status=dg.DefaultScheduleStatus.RUNNING if runs else dg.DefaultScheduleStatus.STOPPED,
        tags={"osrforge/by": "nightly"},
        description="Takes up everything that is stale or failed, within the night's budget.",
    )
