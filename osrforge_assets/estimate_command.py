"""`osrforge-assets estimate`: calls, tokens and cost of a conversion for each model, before anything is spent."""

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click  # the command-line library that Dagster itself is built on
from rich.console import Console  # tables; kept by Textualize, and already a dependency of Dagster
from rich.table import Column, Table
from rich.text import Text

from osrforge_assets.cli_report import complain, expected_output_errors, one_line, print_json
from osrforge_resources.failures import MisuseError, OsrforgeError
from osrforge_resources.prices import PriceTable, context_window, priced_models

if TYPE_CHECKING:
    from osrforge_assets.modules.estimating import ModelEstimate, PlannedConversion
    from osrforge_assets.settings import Settings

_VENDORS = ("anthropic", "openai")
# The table has models that answer no JSON Schema, and models for sound, pictures and search; none of them can convert.
_UNSUITED = re.compile(
    r"claude-(v1|2|3)|audio|realtime|image|tts|transcribe|search|codex|live|instruct|moderation|embedding|deep-research"
    r"|computer-use|cyber|rosalind|gpt-(3|4\b|4-|4\.5)|chatgpt|davinci|babbage|ft:|whisper|:extended|gpt-oss|-chat-|o1|gpt-4o-20"
)


@click.command()
@click.argument("pdf", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--pages", "page_list", metavar="LIST", help="Read only these pages, as in 1-3,7.")
@click.option("--model", "models", multiple=True, metavar="NAME", help="Only this model; may be given several times.")
@click.option("--password", metavar="TEXT", help="Password of a protected PDF; or set OSRFORGE_PDF_PASSWORD.")
@click.option("--json", "json_wanted", is_flag=True, help="Print one JSON document and nothing else.")
def estimate(
    pdf: tuple[Path, ...], page_list: str | None, models: tuple[str, ...], password: str | None, *, json_wanted: bool
) -> None:
    """Say what converting module PDFs would ask and cost; no provider is asked."""
    try:
        reports = _estimate(pdf, page_list, models, password)
    except OsrforgeError as failure:
        complain(failure)
        sys.exit(1)
    with expected_output_errors():
        if json_wanted:
            print_json([_as_json(planned, rows) for planned, rows in reports])
        else:
            for planned, rows in reports:
                _print(planned, rows)


def _estimate(
    files: Sequence[Path], page_list: str | None, models: Sequence[str], password: str | None
) -> "list[tuple[PlannedConversion, list[ModelEstimate]]]":
    from osrforge_assets.modules.estimating import estimate_model, plan_conversion
    from osrforge_assets.modules.sources import parse_pages
    from osrforge_assets.settings import load_settings
    from osrforge_resources.store import Store

    pages = parse_pages(page_list) if page_list is not None else None
    settings = load_settings(pdf_password=password)
    store = Store(settings.store_root)
    reports = []
    for file in files:
        planned = plan_conversion(file, store, settings, pages=pages)
        rows = [estimate_model(planned, *choice) for choice in _choices(settings, models, planned)]
        reports.append((planned, sorted(rows, key=lambda row: (row.cost_usd is None, row.cost_usd or 0.0, row.model))))
    return reports


def _choices(
    settings: "Settings", models: Sequence[str], planned: "PlannedConversion"
) -> list[tuple[str, str, PriceTable]]:
    """Return vendor, name and prices of the models to estimate: those asked for, else all that can convert the module.

    The configured model has the configured price, and is among them if it has any.

    Raises:
        MisuseError: A model is asked for whose price nobody knows (`estimate.model`).
    """
    named = PriceTable(settings.price_input_usd, settings.price_output_usd)
    configured = PriceTable(settings.price_input_usd, settings.price_output_usd, settings.base_url)
    own = (settings.provider, settings.model, configured)
    known = {vendor: priced_models(vendor) for vendor in _VENDORS}
    if not models:
        largest = planned.largest
        is_priced = bool(settings.model) and configured.knows(settings.provider, settings.model)
        return [own] * is_priced + [
            (vendor, model, PriceTable())
            for vendor, names in known.items()
            for model in names
            if not _UNSUITED.search(model)
            and not (is_priced and model == settings.model)
            and (largest is None or largest.tokens(vendor, model) <= context_window(vendor, model))
        ]
    choices = []
    for model in models:
        if model == settings.model and configured.knows(settings.provider, model):
            choices.append(own)
            continue
        vendor = next((vendor for vendor in _VENDORS if named.knows(vendor, model)), None)
        if vendor is None:
            raise MisuseError(
                f"{ascii(model)[:80]} has no known price.",
                code="estimate.model",
                remedy="Name its price in OSRFORGE_PRICE_INPUT_USD and OSRFORGE_PRICE_OUTPUT_USD, or leave --model out.",
            )
        choices.append(("anthropic" if model.startswith("claude") else vendor, model, named))
    return choices


def _notes(planned: "PlannedConversion") -> list[str]:
    from osrforge_assets.modules.estimating import OUTPUT_BASIS

    whose = "the module's own survey" if planned.surveyed else "the offline reader's survey; a model may find others"
    counts = ", ".join(f"{kind} {planned.count(kind)}" for kind in ("survey", "census", "content"))
    notes = [
        f"Requests: {counts}. Levels: {planned.levels}, areas: {planned.areas}, by {whose}.",
        f"List prices without prompt caching, repairs or follow-ups; {OUTPUT_BASIS}.",
    ]
    if planned.pages_without_text and not planned.surveyed:
        notes.append(
            f"Pages without text: {planned.pages_without_text} of {planned.pages}; areas that only images show are not counted."
        )
    return notes


def _print(planned: "PlannedConversion", rows: "Sequence[ModelEstimate]") -> None:
    console = Console()
    numbers = ("calls", "input tokens", "output tokens", "cost", "as a batch")
    title = f"{one_line(planned.source)}: {planned.pages} pages"
    # A name that is cut names another model.
    name = Column("model", no_wrap=True, min_width=max((len(row.model) for row in rows), default=0))
    table = Table(name, *(Column(head, justify="right") for head in numbers), title=title, title_justify="left")
    for row in rows:
        cells = (row.model, str(row.calls), f"{row.input_tokens:,}", f"{row.output_tokens:,}")
        table.add_row(*(Text(cell) for cell in cells), _dollars(row.cost_usd), _dollars(row.batched_usd))
    console.print(table, soft_wrap=True)
    for note in _notes(planned):
        console.print(Text(note), soft_wrap=True)


def _dollars(cost: float | None) -> str:
    # A module of a few pages costs cents with a small model; two digits would show nothing.
    return "-" if cost is None else f"${cost:.2f}" if cost >= 1 else f"${cost:.4f}"


def _as_json(planned: "PlannedConversion", rows: "Sequence[ModelEstimate]") -> dict[str, object]:
    return {
        "source": planned.source,
        "pages": planned.pages,
        "pages_without_text": planned.pages_without_text,
        "basis": "survey" if planned.surveyed else "offline_survey",
        "levels": planned.levels,
        "areas": planned.areas,
        "requests": {kind: planned.count(kind) for kind in ("survey", "census", "content")},
        "models": [
            {
                "provider": row.provider,
                "model": row.model,
                "calls": row.calls,
                "input_tokens": row.input_tokens,
                "output_tokens": row.output_tokens,
                "cost_usd": row.cost_usd,
                "batched_usd": row.batched_usd,
            }
            for row in rows
        ],
        "notes": _notes(planned),
    }
