"""`osrforge-assets`: the one console command. Parses, prints, and leaves the work to the graph."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import click  # the command-line library that Dagster itself is built on

from osrforge_assets.cache_command import cache
from osrforge_assets.cli_report import (
    Bars,
    Command,
    as_json,
    complain,
    expected_output_errors,
    print_json,
    print_table,
)
from osrforge_assets.estimate_command import estimate
from osrforge_assets.narrations.narrate_command import narrate
from osrforge_assets.narrations.split_command import split
from osrforge_assets.narrations.story_command import story
from osrforge_assets.rerun_command import backfill, rerun
from osrforge_assets.retire_command import retire
from osrforge_assets.status_command import status
from osrforge_assets.transcripts.scenes_command import scenes
from osrforge_resources.failures import OsrforgeError


@click.group(cls=Command, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="osrforge")
def main() -> None:
    """Turn adventure modules and session transcripts into verified, structured data."""


@main.command()
@click.argument("pdf", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--pages", "page_list", metavar="LIST", help="Read only these pages, as in 1-3,7.")
@click.option("--provider", metavar="NAME", help="Who answers model requests; default OSRFORGE_PROVIDER or offline.")
@click.option("--password", metavar="TEXT", help="Password of a protected PDF; or set OSRFORGE_PDF_PASSWORD.")
@click.option("--json", "json_wanted", is_flag=True, help="Print one JSON document and nothing else.")
@click.option("--quiet", is_flag=True, help="Print nothing but errors.")
def convert(
    pdf: tuple[Path, ...],
    page_list: str | None,
    provider: str | None,
    password: str | None,
    json_wanted: bool,
    quiet: bool,
) -> None:
    """Convert module PDFs into keyed areas; only what is missing or changed is done."""
    given = {"provider": provider, "pdf_password": password}
    try:
        failed = _convert(pdf, page_list, given, show=not (json_wanted or quiet), json_wanted=json_wanted)
    except OsrforgeError as failure:
        complain(failure)
        failed = True
    sys.exit(1 if failed else 0)


def _convert(
    files: Sequence[Path], page_list: str | None, given: Mapping[str, str | None], *, show: bool, json_wanted: bool
) -> bool:
    """Convert each file and report; returns whether any of them failed."""
    # Dagster takes a second to import, so `--help` and a misspelt option do not wait for it.
    from osrforge_assets.command_graph import open_graph
    from osrforge_assets.conversion import Converter
    from osrforge_assets.modules.sources import parse_pages

    pages = parse_pages(page_list) if page_list is not None else None
    with Bars(show=show) as bars, open_graph(given, bars.advance) as graph:
        converter = Converter(graph)
        conversions = []
        for file in files:
            bars.begin(file.name)
            conversions.append(converter.convert(file, pages=pages))
    for conversion in conversions:
        if conversion.error is not None and not json_wanted:
            complain(conversion.error, source=conversion.source)
    with expected_output_errors():
        if json_wanted:
            print_json([as_json(conversion) for conversion in conversions])
        if show:
            print_table(conversions)
    return any(conversion.status == "failed" for conversion in conversions)


for command in (estimate, scenes, story, narrate, split, status, rerun, backfill, retire, cache):
    main.add_command(command)
