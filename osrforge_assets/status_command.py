"""`osrforge-assets status`: what is fresh, stale, failed or missing, and what a rerun would take."""

import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

import click  # the command-line library that Dagster itself is built on
from rich.console import Console  # tables; kept by Textualize, and already a dependency of Dagster
from rich.table import Column, Table
from rich.text import Text

from osrforge_assets.cli_report import complain, expected_output_errors, one_line, print_json
from osrforge_resources.failures import OsrforgeError

if TYPE_CHECKING:
    from osrforge_assets.partition_status import PartitionStatus

# A terminal is read by a person; `--json` lists everything.
_MOST_ROWS = 40


@click.command()
@click.option("--provider", metavar="NAME", help="Who would answer; default OSRFORGE_PROVIDER or offline.")
@click.option("--json", "json_wanted", is_flag=True, help="Print one JSON document and nothing else.")
def status(provider: str | None, json_wanted: bool) -> None:
    """Show what is fresh, stale, failed or missing, why, and what a rerun would cost; runs nothing."""
    try:
        statuses = _statuses(provider)
        with expected_output_errors():
            print_json(as_json(statuses)) if json_wanted else _print(statuses)
    except OsrforgeError as failure:
        complain(failure)
        sys.exit(1)


def _statuses(provider: str | None) -> "list[PartitionStatus]":
    # Dagster takes a second to import, so `--help` and a misspelt option do not wait for it.
    from osrforge_assets.backfill import Backfill
    from osrforge_assets.command_graph import open_graph
    from osrforge_assets.failure_ledger import failed_runs
    from osrforge_assets.instance import instance_errors
    from osrforge_assets.partition_status import partition_statuses
    from osrforge_resources.progress import no_progress

    with open_graph({"provider": provider}, no_progress) as graph, instance_errors():
        return partition_statuses(Backfill(graph).look(), graph.store, graph.settings, failed_runs(graph.store))


def as_json(statuses: "Sequence[PartitionStatus]") -> dict[str, object]:
    """Return the statuses as JSON data: totals, what a rerun is expected to take, and every partition."""
    from osrforge_assets.partition_status import counts

    return {
        "counts": counts(statuses),
        "expected": _expected(statuses),
        "partitions": [asdict(entry) for entry in statuses],
    }


def _expected(statuses: "Sequence[PartitionStatus]") -> dict[str, int | float]:
    open_ones = [entry for entry in statuses if entry.state != "fresh"]
    return {
        "calls": sum(entry.calls or 0 for entry in open_ones),
        "cost_usd": round(sum(entry.cost_usd or 0.0 for entry in open_ones), 6),
        "calls_unknown": sum(entry.calls is None for entry in open_ones),
        "cost_unknown": sum(entry.cost_usd is None for entry in open_ones),
    }


def _print(statuses: "Sequence[PartitionStatus]") -> None:
    from osrforge_assets.partition_status import STATES, counts

    console = Console()
    if not statuses:
        console.print("Nothing is registered yet.")
        return
    table = Table("asset", *(Column(state, justify="right") for state in STATES))
    for asset, by_state in counts(statuses).items():
        table.add_row(asset, *(str(by_state[state]) if by_state[state] else "-" for state in STATES))
    console.print(table)
    open_ones = [entry for entry in statuses if entry.state != "fresh"]
    if not open_ones:
        return
    table = Table(
        Column("partition", overflow="fold"),
        "asset",
        "state",
        "why",
        Column("calls", justify="right"),
        Column("cost", justify="right"),
    )
    for entry in open_ones[:_MOST_ROWS]:
        cells = (entry.partition, entry.asset, entry.state, one_line(entry.why), _known(entry.calls, "{}"))
        table.add_row(*(Text(cell) for cell in cells), _known(entry.cost_usd, "${:.2f}"))
    console.print(table)
    if len(open_ones) > _MOST_ROWS:
        console.print(f"… and {len(open_ones) - _MOST_ROWS} more; --json lists them all.")
    expected = _expected(statuses)
    more = (
        f", and {expected['calls_unknown']} more that only show their calls then" if expected["calls_unknown"] else ""
    )
    price = f"; {expected['cost_unknown']} have no known price" if expected["cost_unknown"] else ""
    console.print(f"A rerun asks {expected['calls']} requests, about ${expected['cost_usd']:.2f}{more}{price}.")
    console.print("What changes downstream of these shows once they are made.")


def _known(number: float | None, form: str) -> str:
    return "?" if number is None else form.format(number)
