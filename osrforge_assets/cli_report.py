"""What commands show: progress bars while it works, a table or a JSON document when it is done."""

import contextlib
import json
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Self

import click  # the command-line library that Dagster itself is built on
from rich.console import Console  # progress bars and tables; kept by Textualize, and already a dependency of Dagster
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Column, Table
from rich.text import Text

from osrforge_assets.__main__ import end_interrupted
from osrforge_resources.failures import OsrforgeError
from osrforge_resources.usage import TokenUsage

if TYPE_CHECKING:
    from osrforge_assets.conversion import Conversion

_STAGES = {"pages": "pages", "survey": "survey requests", "levels": "levels"}


def one_line(text: str) -> str:
    """Return text for a terminal: one line, and no control character of a file's name or text reaches it."""
    return "".join(char if char.isprintable() else " " for char in text)


def print_json(document: object) -> None:
    """Print one JSON document on standard output: UTF-8 whatever the terminal's encoding.

    A file name need not be text on every system; its stray bytes are escaped as JSON escapes half characters.
    """
    text = json.dumps(document, ensure_ascii=False, indent=2) + "\n"
    click.echo(text.encode("utf-8", "backslashreplace"), nl=False)


@contextlib.contextmanager
def expected_output_errors() -> Iterator[None]:
    """Turn a refused write to standard output (a full disk) into an expected failure; a closed pipe is click's to end."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OsrforgeError(
            f"Standard output cannot be written: {error.strerror or type(error).__name__}.",
            code="output.io",
            remedy="Send it where there is room; what was made is kept.",
        ) from error


class Command(click.Group):
    """A group of commands that Ctrl-C ends with one line and the exit code that shells expect."""

    def invoke(self, ctx: click.Context) -> object:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            end_interrupted()


def complain(failure: OsrforgeError, source: str = "") -> None:
    """Say an expected failure in one line on standard error."""
    lead = f"{one_line(source)}: " if source else ""
    click.echo(f"osrforge-assets: {lead}{one_line(str(failure))}", err=True)


class Bars:
    """A bar for each stage of the file at hand, on standard error; nothing where it is told not to show."""

    def __init__(self, *, show: bool) -> None:
        self._progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=Console(stderr=True),
            disable=not show,
        )
        self._file = ""
        self._tasks: dict[str, TaskID] = {}

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()

    def begin(self, name: str) -> None:
        """Start on another file."""
        self._file = one_line(name)
        self._tasks.clear()

    def advance(self, stage: str, done: int, total: int) -> None:
        """Move a stage's bar: a `Progress` of the graph."""
        if stage not in self._tasks:
            self._tasks[stage] = self._progress.add_task(f"{self._file}: {_STAGES.get(stage, stage)}", total=total)
        self._progress.update(self._tasks[stage], completed=done, total=total)


def print_table(conversions: Sequence["Conversion"]) -> None:
    """Print what came of each file, and the paths written, on standard output."""
    console = Console()
    table = Table(
        "module",
        "status",
        *(Column(name, justify="right") for name in ("areas", "flags", "pages", "calls", "cached", "cost")),
    )
    for conversion in conversions:
        counts = conversion.counts
        cost = "?" if conversion.costs.cost_usd is None else f"${conversion.costs.cost_usd:.2f}"
        cells = (
            conversion.module or one_line(conversion.source),
            conversion.status.replace("_", " "),
            *(str(counts[name]) if name in counts else "-" for name in ("areas",)),
            str(len(conversion.flags)) if conversion.dossier is not None else "-",
            str(counts.get("pages", "-")),
            str(conversion.costs.calls),
            str(conversion.costs.cache_hits),
            cost,
        )
        table.add_row(*(Text(cell) for cell in cells))
    console.print(table)
    for conversion in conversions:
        for flag in conversion.flags if conversion.status == "no_keyed_areas" else ():
            # A rule book and a scan that nobody could read end alike; only this sentence tells them apart.
            if flag.code == "no_keyed_areas":
                console.print(Text(f"{conversion.module}: {flag.message}"), soft_wrap=True)
        for path in conversion.files:
            console.print(Text(str(path)), soft_wrap=True)


def as_json(conversion: "Conversion") -> dict[str, object]:
    """Return what came of one file as JSON data; `dossier` is the path of the dossier's JSON document."""
    error = conversion.error
    dossier = next((path for path in conversion.files if path.name == "dossier.json"), None)
    return {
        "source": conversion.source,
        "module": conversion.module,
        "status": conversion.status,
        "error": {"code": error.code, "message": error.message, "remedy": error.remedy} if error is not None else None,
        "dossier": str(dossier) if dossier is not None else None,
        "counts": conversion.counts,
        "flags": [flag.model_dump(mode="json") for flag in conversion.flags],
        "calls": conversion.costs.calls,
        "cache_hits": conversion.costs.cache_hits,
        "tokens": tokens_json(conversion.costs.usage),
        "cost_usd": conversion.costs.cost_usd,
    }


def tokens_json(usage: TokenUsage) -> dict[str, int]:
    """Return paid tokens as JSON data."""
    return {
        "input": usage.input_tokens,
        "cached_input": usage.cached_input_tokens,
        "cache_write": usage.cache_write_tokens,
        "output": usage.output_tokens,
    }
