"""`osrforge-assets retire`: take a partition out of the graph; its data is set aside, not deleted."""

import sys
from typing import TYPE_CHECKING

import click  # the command-line library that Dagster itself is built on

from osrforge_assets.cli_report import complain, expected_output_errors, print_json
from osrforge_resources.failures import OsrforgeError

if TYPE_CHECKING:
    from osrforge_assets.retiring import Retired


@click.command()
@click.argument("key", nargs=-1, required=True)
@click.option(
    "--kind",
    metavar="KIND",
    type=click.Choice(["module", "level", "transcript", "narration"]),
    help="module, level, transcript or narration; needed where a key is more than one of them.",
)
@click.option("--json", "json_wanted", is_flag=True, help="Print one JSON document and nothing else.")
def retire(key: tuple[str, ...], kind: str | None, json_wanted: bool) -> None:
    """Take modules, levels, transcripts or narrations out of the graph; their data is kept aside and named.

    Converting the same file again brings them back without a call.
    """
    try:
        retired = _retire(key, kind)
        with expected_output_errors():
            if json_wanted:
                print_json(
                    [
                        {"kind": r.partition_set, "key": r.key, "levels": list(r.levels), "kept": list(r.kept)}
                        for r in retired
                    ]
                )
            else:
                _print(retired)
    except OsrforgeError as failure:
        complain(failure)
        sys.exit(1)


def _retire(keys: tuple[str, ...], kind: str | None) -> "list[Retired]":
    # Dagster takes a second to import, so `--help` and a misspelt option do not wait for it.
    from osrforge_assets.command_graph import open_graph
    from osrforge_assets.instance import instance_errors
    from osrforge_assets.retiring import retire as set_aside
    from osrforge_assets.retiring import set_of
    from osrforge_resources.progress import no_progress

    with open_graph({}, no_progress) as graph, instance_errors():
        # All are looked up before the first goes, so that a misspelt one leaves everything as it was.
        found = [(set_of(graph.instance, key, kind), key) for key in keys]
        return [set_aside(graph.instance, graph.store, name, key) for name, key in found]


def _print(retired: "list[Retired]") -> None:
    for gone in retired:
        levels = f" with {len(gone.levels)} levels" if gone.levels else ""
        click.echo(f"{gone.partition_set} {gone.key}{levels} is retired; its data is kept in")
        for path in gone.kept:
            click.echo(f"  {path}")
