"""`osrforge-assets rerun` and `backfill`: make again what is named, what is stale, or everything that is not fresh."""

import math
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import click  # the command-line library that Dagster itself is built on

from osrforge_assets.cli_report import Bars, complain, expected_output_errors, one_line, print_json
from osrforge_resources.failures import MisuseError, OsrforgeError

if TYPE_CHECKING:
    from osrforge_assets.backfill import Backfill, Backfilled


class _Dollars(click.FloatRange):
    """An amount above nothing; `nan` and `inf` are floats, and no limits."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        amount = super().convert(value, param, ctx)
        if not math.isfinite(amount):
            self.fail(f"{value!a} is not an amount.", param, ctx)
        return amount


_PROVIDER = click.option(
    "--provider", metavar="NAME", help="Who answers model requests; default OSRFORGE_PROVIDER or offline."
)
_MAX_COST = click.option(
    "--max-cost",
    type=_Dollars(min=0, min_open=True),
    metavar="USD",
    help="Take up only what is expected to stay within it, and stop before the call that could pass it.",
)
_JSON = click.option("--json", "json_wanted", is_flag=True, help="Print one JSON document and nothing else.")
_QUIET = click.option("--quiet", is_flag=True, help="Print nothing but errors.")


@click.command()
@click.option("--level", "levels", multiple=True, metavar="KEY", help="Ask this level again, fresh or not; repeatable.")
@click.option("--stale", is_flag=True, help="Make again whatever is stale or failed, and what follows from it.")
@_MAX_COST
@_PROVIDER
@_JSON
@_QUIET
def rerun(
    levels: tuple[str, ...], stale: bool, max_cost: float | None, provider: str | None, json_wanted: bool, quiet: bool
) -> None:
    """Ask again: named levels, or everything that was made once and is stale or failed."""

    def work(backfill: "Backfill") -> "Backfilled":
        if levels:
            return backfill.rerun(list(dict.fromkeys(levels)))
        known = backfill.look().states
        return backfill.run(
            may_pay=lambda need: need.partition in known.get(need.asset, {}) or backfill.failed_before(need),
            max_cost_usd=max_cost,
        )

    if bool(levels) == stale:
        complain(
            MisuseError("Nothing or two things were asked for.", code="rerun.what", remedy="Give --level or --stale.")
        )
        sys.exit(1)
    _report(work, _given(provider, max_cost), json_wanted=json_wanted, quiet=quiet, levels=levels)


@click.command()
@_MAX_COST
@_PROVIDER
@_JSON
@_QUIET
def backfill(max_cost: float | None, provider: str | None, json_wanted: bool, quiet: bool) -> None:
    """Make everything that is missing, stale or failed, of all lanes."""
    given = _given(provider, max_cost)
    _report(lambda all_of_it: all_of_it.run(max_cost_usd=max_cost), given, json_wanted=json_wanted, quiet=quiet)


def _given(provider: str | None, max_cost: float | None) -> dict[str, str | None]:
    """Return the settings of this call: the limit is also the ceiling of the command's budget, which stops calls."""
    return {"provider": provider, "budget_run_usd": None if max_cost is None else str(max_cost)}


def _report(
    work: Callable[["Backfill"], "Backfilled"],
    given: Mapping[str, str | None],
    *,
    json_wanted: bool,
    quiet: bool,
    levels: tuple[str, ...] = (),
) -> None:
    try:
        done = _run(work, given, levels, show=not (json_wanted or quiet))
        with expected_output_errors():
            if json_wanted:
                print_json(as_json(done))
            elif not quiet:
                _print(done)
    except OsrforgeError as failure:
        complain(failure)
        sys.exit(1)
    if not json_wanted:
        for item, failure in done.failed:
            complain(failure, source=f"{item.assets[0]} of {item.partitions[0]}")
    sys.exit(1 if done.failed else 0)


def _run(
    work: Callable[["Backfill"], "Backfilled"], given: Mapping[str, str | None], levels: tuple[str, ...], *, show: bool
) -> "Backfilled":
    # Dagster takes a second to import, so `--help` and a misspelt option do not wait for it.
    from osrforge_assets.backfill import Backfill
    from osrforge_assets.command_graph import open_graph
    from osrforge_assets.instance import instance_errors
    from osrforge_assets.retiring import set_of

    bars = Bars(show=show)
    with open_graph(given, bars.advance) as graph, instance_errors():
        for level in levels:
            set_of(graph.instance, level, "level")
        # Begun only now: bars that never moved leave an empty line behind.
        with bars:
            return work(Backfill(graph, lambda item: bars.begin(f"{item.assets[0]} {item.partitions[0]}")))


def as_json(done: "Backfilled") -> dict[str, object]:
    """Return what came of it as JSON data."""
    return {
        "made": [{"asset": asset, "partition": key} for asset, key in done.made],
        "failed": [
            {
                "assets": list(item.assets),
                "partitions": list(item.partitions),
                "error": {"code": failure.code, "message": failure.message, "remedy": failure.remedy},
            }
            for item, failure in done.failed
        ],
        "left": [{"asset": asset, "partition": key} for asset, key in done.left],
        "held": [{"asset": asset, "partition": key} for asset, key in done.held],
        "calls": done.costs.calls,
        "cost_usd": done.costs.cost_usd,
    }


def _print(done: "Backfilled") -> None:
    by_asset: dict[str, list[str]] = {}
    for asset, key in done.made:
        by_asset.setdefault(asset, []).append(key)
    for asset, keys in by_asset.items():
        more = f" and {len(keys) - 5} more" if keys[5:] else ""
        click.echo(f"{asset}: {one_line(', '.join(keys[:5]))}{more}")
    cost = "an unknown sum" if done.costs.cost_usd is None else f"${done.costs.cost_usd:.2f}"
    click.echo(f"{len(done.made)} made with {done.costs.calls} calls for {cost}; {len(done.left)} still to be made.")
    if done.held:
        click.echo(f"{len(done.held)} of them are being made by a run of the deployment.")
