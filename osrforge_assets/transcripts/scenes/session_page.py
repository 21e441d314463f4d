"""The session as a person reads it: scenes with times, speakers and first lines, the transcript folded under each.

Everything that somebody said is text: escaped in Markdown and in HTML, never markup.
"""

import html
from dataclasses import dataclass

from osrforge_assets.contracts.scenes import SceneChunks
from osrforge_assets.contracts.transcript import Speaker, TranscriptUnits, Unit, UnitKind
from osrforge_assets.escaping import markdown_table, markdown_text
from osrforge_assets.transcripts.source.clock import shown_time

_FIRST_LINE = 120
_MOST_SPEAKERS = 6

_HEAD = ("scene", "time", "length", "units", "speakers", "begins")

_STYLE = """\
:root { color-scheme: light dark; }
body { font: 1rem/1.5 Georgia, serif; max-width: 48rem; margin: 2rem auto; padding: 0 1rem; }
h1, h2, nav, summary, .about { font-family: system-ui, sans-serif; }
h2 { margin: 2.5rem 0 .25rem; font-size: 1.2rem; }
.about { color: #777; font-size: .9rem; margin: 0; }
.first { font-style: italic; margin: .5rem 0; }
nav a { display: block; color: inherit; padding: .1rem 0; }
summary { cursor: pointer; }
details p { margin: .3rem 0; }
.who { font-weight: bold; }
.roll, .system, .sound { color: #777; }
time { color: #777; font: .8rem ui-monospace, monospace; margin-right: .5rem; }
"""


@dataclass(frozen=True, slots=True)
class SceneView:
    """A scene ready to be shown.

    Attributes:
        number: 1-based.
        units: Its units.
        time: From when to when, "" where the source has no times.
        length: How long, "" where unknown.
        speakers: Who speaks, most first.
        first_line: The first words said.
    """

    number: int
    units: tuple[Unit, ...]
    time: str
    length: str
    speakers: tuple[str, ...]
    first_line: str


def scene_views(transcript: TranscriptUnits, chunks: SceneChunks) -> list[SceneView]:
    """Return the scenes of a session in order."""
    by_id = {unit.id: unit for unit in transcript.units}
    names = {speaker.name: shown_speaker(speaker) for speaker in transcript.speakers}
    return [_view(chunk.index + 1, tuple(by_id[unit] for unit in chunk.unit_ids), names) for chunk in chunks.chunks]


def shown_speaker(speaker: Speaker) -> str:
    """Return a speaker as shown: the character or GM with the name the transcript has."""
    role = "GM" if speaker.gm else speaker.character
    return f"{speaker.name} ({role})" if role else speaker.name


def scene_table(views: list[SceneView], most: int = 200) -> str:
    """Return a Markdown table of the scenes."""
    rows: list[tuple[object, ...]] = [
        (view.number, view.time, view.length, len(view.units), _few(view.speakers), view.first_line)
        for view in views[:most]
    ]
    return markdown_table(_HEAD, rows)


def session_markdown(transcript: TranscriptUnits, views: list[SceneView]) -> str:
    """Return the session's page as Markdown."""
    names = {speaker.name: shown_speaker(speaker) for speaker in transcript.speakers}
    lines = [
        f"# {markdown_text(transcript.session)}",
        "",
        _about(transcript, views),
        "",
        scene_table(views, len(views)),
    ]
    for view in views:
        lines += [
            "",
            f"## Scene {view.number}",
            "",
            markdown_text(_scene_about(view)),
            "",
            f"> {markdown_text(view.first_line)}",
            "",
        ]
        lines += ["<details><summary>Transcript</summary>", ""]
        for unit in view.units:
            who = f"**{markdown_text(names.get(unit.speaker, unit.speaker))}:** " if unit.speaker else ""
            said = markdown_text(unit.text)
            lines += [f"{_stamp(unit)}{who}{said if unit.kind is UnitKind.SPEECH else f'_{said}_'}", ""]
        lines.append("</details>")
    return "\n".join(lines) + "\n"


def session_html(transcript: TranscriptUnits, views: list[SceneView]) -> str:
    """Return the session's page as one HTML file that loads nothing."""
    title = html.escape(transcript.session)
    parts = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{title}</title><style>{_STYLE}</style></head><body>",
        f'<h1>{title}</h1><p class="about">{html.escape(_about(transcript, views))}</p><nav>',
        *(
            f'<a href="#scene-{view.number}">{view.number}. {html.escape(_joined(view.time, view.first_line))}</a>'
            for view in views
        ),
        "</nav>",
    ]
    names = {speaker.name: shown_speaker(speaker) for speaker in transcript.speakers}
    for view in views:
        parts.append(f'<section id="scene-{view.number}"><h2>Scene {view.number}</h2>')
        parts.append(f'<p class="about">{html.escape(_scene_about(view))}</p>')
        parts.append(f'<p class="first">{html.escape(view.first_line)}</p><details><summary>Transcript</summary>')
        parts.extend(_html_unit(unit, names) for unit in view.units)
        parts.append("</details></section>")
    parts.append("</body></html>")
    return "\n".join(parts) + "\n"


def _view(number: int, units: tuple[Unit, ...], names: dict[str, str]) -> SceneView:
    counts: dict[str, int] = {}
    for unit in units:
        if unit.speaker is not None:
            counts[unit.speaker] = counts.get(unit.speaker, 0) + 1
    times = [time for unit in units for time in (unit.start_ms, unit.end_ms) if time is not None]
    first = next((unit for unit in units if unit.text and unit.kind is UnitKind.SPEECH), units[0])
    line = _joined(names.get(first.speaker or "", first.speaker or ""), first.text)
    return SceneView(
        number,
        units,
        f"{shown_time(min(times))}–{shown_time(max(times))}" if times else "",
        shown_time(max(times) - min(times)) if times else "",
        tuple(names.get(name, name) for name in sorted(counts, key=lambda name: -counts[name])),
        line if len(line) <= _FIRST_LINE else line[: _FIRST_LINE - 1].rstrip() + "…",
    )


def _about(transcript: TranscriptUnits, views: list[SceneView]) -> str:
    times = [unit.end_ms or unit.start_ms or 0 for unit in transcript.units]
    length = f", {shown_time(max(times))}" if max(times) else ""
    return f"{_count(len(views), 'scene')}, {_count(len(transcript.units), 'unit')}, {_count(len(transcript.speakers), 'speaker')}{length}"


def _scene_about(view: SceneView) -> str:
    parts = [view.time, view.length, _count(len(view.units), "unit"), _few(view.speakers)]
    return " · ".join(part for part in parts if part)


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _few(speakers: tuple[str, ...]) -> str:
    more = len(speakers) - _MOST_SPEAKERS
    return ", ".join(speakers[:_MOST_SPEAKERS]) + (f" and {more} more" if more > 0 else "")


def _stamp(unit: Unit) -> str:
    return f"`{shown_time(unit.start_ms)}` " if unit.start_ms is not None else ""


def _html_unit(unit: Unit, names: dict[str, str]) -> str:
    time = f"<time>{shown_time(unit.start_ms)}</time>" if unit.start_ms is not None else ""
    who = f'<span class="who">{html.escape(names.get(unit.speaker, unit.speaker))}:</span> ' if unit.speaker else ""
    return f'<p class="{unit.kind.value}">{time}{who}{html.escape(unit.text)}</p>'


def _joined(before: str, after: str) -> str:
    return f"{before}: {after}" if before and after else before or after
