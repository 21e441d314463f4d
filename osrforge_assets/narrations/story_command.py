"""`osrforge-assets story`: story logs in, clean prose and a world out. Parses, prints, and leaves the work to the graph."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click  # the command-line library that Dagster itself is built on
from rich.console import Console  # tables; kept by Textualize, and already a dependency of Dagster
from rich.table import Table
from rich.text import Text

from osrforge_assets.cli_report import complain, one_line, print_json
from osrforge_resources.failures import OsrforgeError
from osrforge_resources.progress import no_progress


@click.command()
@click.argument("file", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--json", "json_wanted", is_flag=True, help="Print one JSON document and nothing else.")
@click.option("--quiet", is_flag=True, help="Print nothing but errors.")
def story(file: tuple[Path, ...], *, json_wanted: bool, quiet: bool) -> None:
    """Take story logs apart: prose, state events, and the world after each turn."""
    try:
        told = _run(file)
    except OsrforgeError as failure:
        complain(failure)
        sys.exit(1)
    if json_wanted:
        print_json(told)
    for entry in told:
        if json_wanted or entry["error"] is not None:
            continue
        if not quiet:
            _print_story(entry)
    failed = [entry for entry in told if entry["error"] is not None]
    for entry in failed:
        if not json_wanted:
            failure = entry["error"]
            complain(
                OsrforgeError(failure["message"], code=failure["code"], remedy=failure["remedy"]),
                source=entry["source"],
            )
    sys.exit(1 if failed else 0)


def _run(files: Sequence[Path]) -> list[dict[str, Any]]:
    # Dagster takes a second to import, so `--help` and a misspelt option do not wait for it.
    from osrforge_assets.command_graph import open_graph
    from osrforge_assets.narrations.telling.story_run import bring_up_to_date

    told: list[dict[str, Any]] = []
    with open_graph({}, no_progress) as graph:
        for file in files:
            entry: dict[str, Any] = {"source": str(file), "narration": None, "error": None, "turns": [], "files": []}
            try:
                state = bring_up_to_date(graph, file)
            except OsrforgeError as failure:
                entry["error"] = {"code": failure.code, "message": failure.message, "remedy": failure.remedy}
            else:
                entry |= {"narration": state.narration, "files": [str(path) for path in state.files]}
                entry["turns"] = [
                    {
                        "number": turn.turn.number,
                        "prose": turn.split.prose,
                        "accepted": len(world.accepted),
                        "refused": len(world.refused),
                        "malformed": len(turn.split.malformed),
                        "cut": turn.split.cut,
                    }
                    for turn, world in zip(state.turns.turns, state.history.turns[1:], strict=True)
                ]
                entry["notes"] = list(state.turns.notes)
            told.append(entry)
    return told


def _print_story(entry: dict[str, Any]) -> None:
    console = Console()
    table = Table("turn", "accepted", "refused", "malformed", "begins", title=entry["narration"], title_justify="left")
    for turn in entry["turns"]:
        begins = Text(one_line(turn["prose"].strip()[:60]))
        table.add_row(*(str(turn[name]) for name in ("number", "accepted", "refused", "malformed")), begins)
    console.print(table)
    for note in entry["notes"]:
        console.print(Text(f"note: {one_line(note)}"))
    for path in entry["files"]:
        console.print(Text(path), soft_wrap=True)
