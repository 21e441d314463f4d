"""`osrforge-assets scenes`: transcripts in, scenes out. Parses, prints, and leaves the work to the graph."""

import sys
from collections.abc import Sequence
from pathlib import Path

import click  # the command-line library that Dagster itself is built on
from rich.console import Console  # tables; kept by Textualize, and already a dependency of Dagster
from rich.table import Table
from rich.text import Text

from osrforge_assets.cli_report import Bars, complain, one_line, print_json
from osrforge_assets.transcripts.sessions import SessionResult, as_json
from osrforge_resources.failures import OsrforgeError


@click.command()
@click.argument("file", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--speakers",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Who is who; default speakers.yaml beside the transcript.",
)
@click.option("--tracks", is_flag=True, help="The files are one session, each the track of one speaker.")
@click.option("--replan", is_flag=True, help="Ask for new scenes although this transcript has accepted ones.")
@click.option("--provider", metavar="NAME", help="Who answers model requests; default OSRFORGE_PROVIDER or offline.")
@click.option("--json", "json_wanted", is_flag=True, help="Print one JSON document and nothing else.")
@click.option("--quiet", is_flag=True, help="Print nothing but errors.")
def scenes(
    file: tuple[Path, ...],
    speakers: Path | None,
    tracks: bool,
    replan: bool,
    provider: str | None,
    json_wanted: bool,
    quiet: bool,
) -> None:
    """Divide session transcripts into scenes.

    Each FILE is a session; a folder is one too, and files named like 1-alice.srt 2-bob.srt are the tracks of one.
    """
    try:
        results = _run(file, speakers, provider, tracks=tracks, replan=replan, show=not (json_wanted or quiet))
    except OsrforgeError as failure:
        complain(failure)
        sys.exit(1)
    if json_wanted:
        print_json([as_json(result) for result in results])
    elif not quiet:
        _print_sessions(results)
    for result in results:
        if result.error is not None and not json_wanted:
            complain(result.error)
    sys.exit(1 if any(result.error is not None for result in results) else 0)


def _run(
    files: Sequence[Path], speakers: Path | None, provider: str | None, *, tracks: bool, replan: bool, show: bool
) -> list[SessionResult]:
    # Dagster takes a second to import, so `--help` and a misspelt option do not wait for it.
    from osrforge_assets.command_graph import open_graph
    from osrforge_assets.transcripts.session_run import SessionRunner
    from osrforge_assets.transcripts.sources import find_sessions

    results = []
    with Bars(show=show) as bars, open_graph({"provider": provider}, bars.advance) as graph:
        runner = SessionRunner(graph)
        for session in find_sessions(files, tracks=tracks):
            bars.begin(session.name)
            results.append(runner.run(session, speakers=speakers, force=replan))
    return results


def _print_sessions(results: Sequence[SessionResult]) -> None:
    from osrforge_assets.transcripts.scenes.session_page import scene_views

    console = Console()
    for result in results:
        if result.transcript is None or result.chunks is None:
            continue
        count = len(result.transcript.flags)
        flags = f", {count} flag{'s' if count > 1 else ''}" if count else ""
        files = result.transcript.files
        about = f"{len(result.transcript.units)} units from {len(files)} {files[0].format} file{'s' if len(files) > 1 else ''}{flags}"
        table = Table("scene", "time", "units", "begins", title=f"{result.session}: {about}", title_justify="left")
        for view in scene_views(result.transcript, result.chunks):
            table.add_row(str(view.number), view.time, str(len(view.units)), Text(one_line(view.first_line)))
        console.print(table)
        for path in result.files:
            console.print(Text(str(path)), soft_wrap=True)
