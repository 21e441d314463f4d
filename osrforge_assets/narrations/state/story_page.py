"""The story as a page: each turn's prose, and beside it what it made true and what was refused.

Everything that a player or a model wrote is text: escaped, never markup. The page loads nothing.
"""

import html
import json
import re
from collections.abc import Iterator

from osrforge_assets.contracts.narration import StateEvent
from osrforge_assets.contracts.narration_turns import NarrationTurn, NarrationTurns, TurnState, WorldHistory

# A block stands between empty lines; where it was taken out, they would be a hole in the page.
_HOLE = re.compile(r"\n(?:[ \t\r]*\n){2,}")

_STYLE = """\
:root { color-scheme: light dark; }
body { font: 1rem/1.55 Georgia, serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
h1, h2, aside, .player { font-family: system-ui, sans-serif; }
section { display: grid; grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); gap: 0 2rem; border-top: 1px solid #8886; }
h2 { grid-column: 1 / -1; font-size: 1rem; margin: 1rem 0 .25rem; color: #777; }
.prose { white-space: pre-wrap; overflow-wrap: anywhere; }
.player { color: #777; white-space: pre-wrap; margin: 0 0 .75rem; }
aside { font-size: .85rem; padding-bottom: 1rem; }
aside ul { margin: 0 0 .5rem; padding-left: 1.1rem; }
code { font: .8rem ui-monospace, monospace; overflow-wrap: anywhere; }
.refused, .malformed { color: #b3261e; }
@media (prefers-color-scheme: dark) { .refused, .malformed { color: #f2b8b5; } }
@media (max-width: 45rem) { section { display: block; } }
"""


def story_html(turns: NarrationTurns, history: WorldHistory) -> str:
    """Return a narration's page as one HTML file."""
    title = html.escape(turns.title or turns.narration)
    first, *states = history.turns
    parts = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{title}</title><style>{_STYLE}</style></head><body><h1>{title}</h1>",
        f'<section id="turn-0"><h2>Before the first turn</h2><div></div><aside>{"".join(_events(first))}</aside></section>',
        *(_turn(turn, state) for turn, state in zip(turns.turns, states, strict=True)),
        "<section><h2>The world now</h2><div></div><aside><ul>",
        *(f"<li>{_code(fact)}</li>" for fact in history.final.facts),
        "</ul></aside></section></body></html>\n",
    ]
    return "\n".join(parts)


def _turn(turn: NarrationTurn, state: TurnState) -> str:
    number, split = turn.turn.number, turn.split
    prose = html.escape(_HOLE.sub("\n\n", split.prose.strip()))
    player = f'<p class="player">{html.escape(turn.turn.player)}</p>' if turn.turn.player else ""
    malformed = "".join(
        f'<p class="malformed">Unreadable block: {html.escape(block.error or "")}. <code>{html.escape(block.raw[:300])}</code></p>'
        for block in split.malformed
    )
    removed = "".join(
        f"<details><summary>Removed: {dropped.reason.value.replace('_', ' ')}</summary>"
        f"<code>{html.escape(dropped.text[:2000])}</code></details>"
        for dropped in split.dropped
    )
    cut = "<p>The reply was cut by the output limit.</p>" if split.cut else ""
    return (
        f'<section id="turn-{number}"><h2>Turn {number}</h2>'
        f'<div>{player}<div class="prose">{prose}</div></div>'
        f"<aside>{''.join(_events(state))}{malformed}{removed}{cut}</aside></section>"
    )


def _events(state: TurnState) -> Iterator[str]:
    if state.accepted:
        yield "<ul>" + "".join(f"<li>{_code(event)}</li>" for event in state.accepted) + "</ul>"
    if state.refused:
        yield '<ul class="refused">'
        for refusal in state.refused:
            proposed = html.escape(json.dumps(refusal.proposed, ensure_ascii=False)[:300])
            yield f"<li><code>{proposed}</code><br>{html.escape(refusal.reason)}</li>"
        yield "</ul>"


def _code(event: StateEvent) -> str:
    fields = ", ".join(
        f"{name} {json.dumps(value, ensure_ascii=False)}"
        for name, value in event.as_written().items()
        if name != "type"
    )
    return f"<code>{event.type_name()}: {html.escape(fields)}</code>"
