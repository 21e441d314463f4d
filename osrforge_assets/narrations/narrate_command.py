"""`osrforge-assets narrate`: one turn of a story, told by the configured model and recorded in the story's log."""

import hashlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click  # the command-line library that Dagster itself is built on

from osrforge_assets.cli_report import complain, one_line, print_json
from osrforge_resources.failures import MisuseError, OsrforgeError
from osrforge_resources.progress import no_progress

if TYPE_CHECKING:
    from osrforge_assets.command_graph import CommandGraph
    from osrforge_assets.narrations.telling.turn import Told

# What a model writes may hold the control sequences of a terminal; of all of them a story needs line ends and tabs.
_CONTROLS = {
    code: "\N{REPLACEMENT CHARACTER}" for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\n\t"
}


@click.command()
@click.argument("story", type=click.Path(path_type=Path))
@click.option("--say", "line", metavar="TEXT", help="The player's line; default standard input.")
@click.option("--title", metavar="TEXT", default="", help="Title of a story that begins with this turn.")
@click.option("--provider", metavar="NAME", help="Who tells the story; default OSRFORGE_PROVIDER.")
@click.option("--json", "json_wanted", is_flag=True, help="Print one JSON document instead of the prose.")
def narrate(story: Path, *, line: str | None, title: str, provider: str | None, json_wanted: bool) -> None:
    """Tell the next turn of STORY, a log in JSON Lines that is made if it is not there, and record it."""
    # Dagster takes a second to import, so `--help` and a misspelt option do not wait for it.
    from osrforge_assets.command_graph import open_graph

    try:
        said = line if line is not None else _asked_line()
        with open_graph({"provider": provider}, no_progress) as graph:
            told, document = _narrate(graph, story, said, title=title, show=not json_wanted)
    except OsrforgeError as failure:
        complain(failure)
        sys.exit(1)
    if json_wanted:
        print_json(document)
    else:
        click.echo()
        for reason in document["refused"]:
            click.echo(f"osrforge-assets: refused event: {one_line(reason['reason'])}", err=True)
    if isinstance(told.failure, KeyboardInterrupt):
        raise told.failure
    if told.failure is not None:
        complain(told.failure)
        sys.exit(1)


def _asked_line() -> str:
    line = click.prompt("You", prompt_suffix="> ", err=True) if sys.stdin.isatty() else sys.stdin.read()
    return str(line)


def _narrate(graph: "CommandGraph", story: Path, line: str, *, title: str, show: bool) -> tuple["Told", dict[str, Any]]:
    """Tell, record, and bring the story's lane up to date."""
    from osrforge_assets.narrations.telling.log import check_writable, read_log, with_title, with_turn, write_log
    from osrforge_assets.narrations.telling.narrator import story_so_far
    from osrforge_assets.narrations.telling.prompt import narration_request
    from osrforge_assets.narrations.telling.story_run import bring_up_to_date
    from osrforge_assets.narrations.telling.turn import tell
    from osrforge_resources.account import charged_to
    from osrforge_resources.providers import make_text_provider

    if not line.strip():
        raise MisuseError("There is nothing that the player says.", code="story.no_line", remedy="Give it with --say.")
    account = graph.budget.account(graph.command_run)
    origin = hashlib.sha256(str(story.absolute()).encode("utf-8", "surrogateescape")).hexdigest()[:16]
    # One turn at a time a story: two at once would each be the next one.
    with graph.store.lock(f"telling--{origin}"):
        data = read_log(story) or with_title(title)
        check_writable(story)
        request = narration_request(*story_so_far(data, name=story.name), line)
        narrator = make_text_provider(graph.settings)
        with charged_to(account):
            told = tell(narrator.stream_text(request), _print if show else lambda _: None)
        write_log(
            story, with_turn(read_log(story) or data, player=line, reply=told.reply, stop_reason=told.stop_reason)
        )
        state = bring_up_to_date(graph, story)
    return told, {
        "story": str(story),
        "narration": state.narration,
        "turn": state.last.number,
        "prose": told.split.prose,
        "stop_reason": told.stop_reason,
        "accepted": [event.as_written() for event in state.last.accepted],
        "refused": [{"proposed": refusal.proposed, "reason": refusal.reason} for refusal in state.last.refused],
        "files": [str(path) for path in state.files],
    }


def _print(prose: str) -> None:
    click.echo(prose.translate(_CONTROLS), nl=False)
    sys.stdout.flush()
