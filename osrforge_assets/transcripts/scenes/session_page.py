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

_SPEAKER_HEAD = ("speaker", "player", "plays", "units")
_HEAD = ("scene", "time", "length", "units", "speakers", "begins")

_STYLE = """\
:root { color-scheme: light dark; }
body { font: 1rem/1.5 Georgia, serif; max-width: 48rem; margin: 2rem auto; padding: 0 1rem; }
h1, h2, nav, summary, .about { font-family: system-ui, sans-serif; }
h2 { margin: 1.5rem 0 .25rem; font-size: 1.2rem; }
.about { color: #777; font-size: .9rem; margin: 0; }
.first { font-style: italic; margin: .5rem 0; }
nav { margin: 1.5rem 0; }
nav a { display: block; color: inherit; padding: .25rem 0 .25rem 2rem; text-indent: -2rem; text-decoration: none; }
nav a:hover, nav a:focus { text-decoration: underline; }
table { border-collapse: collapse; margin: 1rem 0; font: .9rem/1.4 system-ui, sans-serif; }
th, td { text-align: left; padding: .15rem 1.5rem .15rem 0; vertical-align: top; }
th { color: #777; font-weight: normal; }
td:last-child, th:last-child { text-align: right; padding-right: 0; }
.doubts { font: .9rem/1.4 system-ui, sans-serif; padding-left: 1.2rem; }
section { border-top: 1px solid #8884; margin-top: 1.5rem; }
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
    """Return a speaker as shown: the name the transcript has, with the character or GM where that says more."""
    role = "GM" if speaker.gm else speaker.character
    return f"{speaker.name} ({role})" if role and role.casefold() != speaker.name.casefold() else speaker.name


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
        markdown_text(_about(transcript, views)),
        "",
        scene_table(views, len(views)),
    ]
    if transcript.speakers:
        lines += ["", "## Who speaks", "", markdown_table(_SPEAKER_HEAD, _speaker_rows(transcript))]
    if transcript.flags:
        lines += ["", "## To check", "", *(f"- {markdown_text(flag.message)}" for flag in transcript.flags)]
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
        f'<h1>{title}</h1><p class="about">{html.escape(_about(transcript, views))}</p>',
        *_html_speakers(transcript),
        *_html_doubts(transcript),
        "<nav>",
        *(
            f'<a href="#scene-{view.number}">{view.number}. {_html_start(view)}{html.escape(view.first_line)}</a>'
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


def _speaker_rows(transcript: TranscriptUnits) -> list[tuple[object, ...]]:
    return [
        (speaker.name, speaker.player or "", "GM" if speaker.gm else speaker.character or "", speaker.units)
        for speaker in transcript.speakers
    ]


def _html_speakers(transcript: TranscriptUnits) -> list[str]:
    if not transcript.speakers:
        return []
    rows = [_SPEAKER_HEAD, *_speaker_rows(transcript)]
    cells = [[html.escape(str(cell)) for cell in row] for row in rows]
    # A table without a speakers file knows neither players nor characters; two empty columns say nothing.
    wanted = [at for at in range(len(_SPEAKER_HEAD)) if any(row[at] for row in cells[1:])]
    head, *body = ("".join(f"<{tag}>{row[at]}</{tag}>" for at in wanted) for tag, row in _tagged(cells))
    return ["<table>", f"<tr>{head}</tr>", *(f"<tr>{row}</tr>" for row in body), "</table>"]


def _tagged(rows: list[list[str]]) -> list[tuple[str, list[str]]]:
    return [("th" if at == 0 else "td", row) for at, row in enumerate(rows)]


def _html_doubts(transcript: TranscriptUnits) -> list[str]:
    if not transcript.flags:
        return []
    items = [f"<li>{html.escape(flag.message)}</li>" for flag in transcript.flags]
    return ['<p class="about">To check:</p><ul class="doubts">', *items, "</ul>"]


def _html_start(view: SceneView) -> str:
    return f"<time>{html.escape(view.time.partition('–')[0])}</time>" if view.time else ""


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
    files = ", ".join(file.name for file in transcript.files[:_MOST_SPEAKERS])
    more = "…" if len(transcript.files) > _MOST_SPEAKERS else ""
    speakers = sum(speaker.units > 0 for speaker in transcript.speakers)
    counts = (_count(len(views), "scene"), _count(len(transcript.units), "unit"), _count(speakers, "speaker"))
    return f"{', '.join(counts)}{length} · from {files}{more}"


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
