"""`osrforge-assets cache`: what the response cache holds and cost, and how to empty it."""

import re
import sys
from collections.abc import Mapping
from datetime import timedelta

import click  # the command-line library that Dagster itself is built on
from rich.console import Console  # tables; kept by Textualize, and already a dependency of Dagster
from rich.table import Column, Table
from rich.text import Text

from osrforge_assets.cli_report import complain, expected_output_errors, one_line, print_json, tokens_json
from osrforge_resources.failures import MisuseError, OsrforgeError
from osrforge_resources.ledger import Ledger, Spent
from osrforge_resources.response_cache import CacheStats, ResponseCache

_AGE = re.compile(r"([0-9]{1,5})([hdw])")
_UNITS = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}


@click.group()
def cache() -> None:
    """Show or empty the cache of paid replies."""


@cache.command()
@click.option("--json", "json_wanted", is_flag=True, help="Print one JSON document and nothing else.")
def stats(*, json_wanted: bool) -> None:
    """Say what the cache holds, what it cost, and what each module has spent."""
    try:
        responses, ledger = _open()
        held, modules = responses.stats(), ledger.modules()
    except OsrforgeError as failure:
        complain(failure)
        sys.exit(1)
    with expected_output_errors():
        if json_wanted:
            print_json(_as_json(held, modules))
        else:
            _print(held, modules)


@cache.command()
@click.option("--older-than", "age", metavar="AGE", required=True, help="How old at least: 12h, 30d, 8w; 0h for all.")
@click.option("--json", "json_wanted", is_flag=True, help="Print one JSON document and nothing else.")
def clear(age: str, *, json_wanted: bool) -> None:
    """Delete kept replies; asking the same again then costs again. What was made of them stays."""
    try:
        older_than = parse_age(age)
        deleted = _open()[0].clear(older_than)
    except OsrforgeError as failure:
        complain(failure)
        sys.exit(1)
    with expected_output_errors():
        if json_wanted:
            print_json({"deleted": deleted})
        else:
            click.echo(f"{deleted} {'reply' if deleted == 1 else 'replies'} deleted.")


def parse_age(text: str) -> timedelta:
    """Return the age that `12h`, `30d` or `8w` says.

    Raises:
        MisuseError: It says none (`cache.age`).
    """
    match = _AGE.fullmatch(text)
    if match is None:
        raise MisuseError(f"{ascii(text)[:40]} is no age.", code="cache.age", remedy="Write it as 12h, 30d or 8w.")
    return int(match[1]) * _UNITS[match[2]]


def _open() -> tuple[ResponseCache, Ledger]:
    from osrforge_assets.settings import load_settings
    from osrforge_resources.store import Store

    store = Store(load_settings().store_root)
    return ResponseCache(store), Ledger(store)


def _print(held: CacheStats, modules: Mapping[str, Spent]) -> None:
    console = Console()
    if held.oldest is not None and held.newest is not None:
        dates = f", {held.oldest.date()} to {held.newest.date()}"
    else:
        dates = ""
    damaged = f", {held.damaged} damaged" if held.damaged else ""
    console.print(Text(f"{held.entries} replies, {held.size:,} bytes{dates}{damaged}"))
    if held.spent:
        names = ("replies", "input tokens", "output tokens", "cost")
        table = Table("provider", "model", *(Column(name, justify="right") for name in names))
        for (provider, model), spending in held.spent.items():
            usage = spending.usage
            read = usage.input_tokens + usage.cached_input_tokens + usage.cache_write_tokens
            cells = (one_line(provider), one_line(model), str(spending.calls), f"{read:,}", f"{usage.output_tokens:,}")
            cost = "?" if spending.cost_usd is None else f"${spending.cost_usd:.2f}"
            table.add_row(*(Text(cell) for cell in (*cells, cost)))
        console.print(table)
    if modules:
        table = Table("module", *(Column(name, justify="right") for name in ("calls", "spent")))
        for module, spent in modules.items():
            table.add_row(module, str(spent.calls), f"${spent.usd:.2f}" + (" and more" if spent.unpriced else ""))
        console.print(table)


def _as_json(held: CacheStats, modules: Mapping[str, Spent]) -> dict[str, object]:
    return {
        "entries": held.entries,
        "bytes": held.size,
        "damaged": held.damaged,
        "oldest": held.oldest.isoformat() if held.oldest is not None else None,
        "newest": held.newest.isoformat() if held.newest is not None else None,
        "models": [
            {
                "provider": provider,
                "model": model,
                "replies": spending.calls,
                "tokens": tokens_json(spending.usage),
                "cost_usd": spending.cost_usd,
            }
            for (provider, model), spending in held.spent.items()
        ],
        "modules": [
            {"module": module, "calls": spent.calls, "unpriced_calls": spent.unpriced, "spent_usd": spent.usd}
            for module, spent in modules.items()
        ],
    }
