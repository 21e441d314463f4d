"""`osrforge-assets`: the one console command. Parses, prints, and leaves the work to the graph."""

import json
import sys
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path

import click  # the command-line library that Dagster itself is built on

from osrforge_assets.cli_report import Bars, as_json, one_line, print_table
from osrforge_resources.failures import OsrforgeError


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="osrforge")
def main() -> None:
    """Turn adventure modules into verified, structured data."""


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
        _complain(failure)
        failed = True
    sys.exit(1 if failed else 0)


def _convert(
    files: Sequence[Path], page_list: str | None, given: Mapping[str, str | None], *, show: bool, json_wanted: bool
) -> bool:
    """Convert each file and report; returns whether any of them failed."""
    # Dagster takes a second to import, so `--help` and a misspelt option do not wait for it.
    from dagster import BetaWarning

    from osrforge_assets.conversion import Converter
    from osrforge_assets.definitions import build_defs
    from osrforge_assets.instance import open_instance
    from osrforge_assets.modules.sources import parse_pages
    from osrforge_assets.settings import load_settings
    from osrforge_resources.store import Store

    # Data versions have been "beta" in Dagster for years; the graph tests watch them, a user need not.
    warnings.filterwarnings("ignore", category=BetaWarning)
    pages = parse_pages(page_list) if page_list is not None else None
    settings = load_settings(**given)
    store = Store(settings.store_root)
    with Bars(show=show) as bars, open_instance(settings.home) as instance:
        definitions = build_defs(settings=settings, resources={"store": store, "progress": bars.advance})
        converter = Converter(definitions, instance, store, settings)
        conversions = []
        for file in files:
            bars.begin(file.name)
            conversions.append(converter.convert(file, pages=pages))
    if json_wanted:
        click.echo(json.dumps([as_json(conversion) for conversion in conversions], ensure_ascii=False, indent=2))
    for conversion in conversions:
        if conversion.error is not None and not json_wanted:
            _complain(conversion.error, source=conversion.source)
    if show:
        print_table(conversions)
    return any(conversion.status == "failed" for conversion in conversions)


def _complain(failure: OsrforgeError, source: str = "") -> None:
    lead = f"{one_line(source)}: " if source else ""
    click.echo(f"osrforge-assets: {lead}{one_line(str(failure))}", err=True)
