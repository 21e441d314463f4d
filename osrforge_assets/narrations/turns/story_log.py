"""Story logs: the two file formats that hold a story's turns.

JSON Lines, one object a line, in either of two shapes:

    {"player": "I open the door.", "reply": "It creaks ...", "stop_reason": "stop"}
    {"role": "user", "content": "I open the door."}  {"role": "assistant", "content": "It creaks ..."}

`turn` and `prompt` are read as `player`, `text` and `response` as `reply`, `finish_reason` as `stop_reason`. A line
`{"title": ..., "initial": [events]}` before the first turn names the story and sets its world up.

Markdown: the first `# ` heading is the title; `## Turn 1`, `## Turn 2` ... begin the turns. Quoted lines (`> `) right
below the heading are the player's; the rest is the reply, raw. A fenced block labelled `initial` before the first turn
holds the list of events that sets the world up. A heading counts only with the number that is due, so a
reply may hold headings of its own. `<!-- stop: length -->` as a turn's last line gives the stop reason.

Nothing is dropped unsaid: what is not understood becomes a note. Lone surrogates and bytes that are no UTF-8 become the
replacement character, with a note, because no document can hold them.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from osrforge_assets.contracts.narration_turns import StoryLog, StoryTurn
from osrforge_resources.failures import SourceError
from osrforge_resources.tolerant_json import UnreadableJsonError, decode

_NAMES = {
    "player": ("player", "turn", "prompt"),
    "reply": ("reply", "text", "response"),
    "stop_reason": ("stop_reason", "finish_reason"),
}
_HEADER = frozenset({"title", "initial"})
_MESSAGE = frozenset({"role", "content", "stop_reason", "finish_reason"})

_TURN = re.compile(r"^## Turn ([1-9][0-9]{0,5})\b[^\n]*$", re.MULTILINE)
_TITLE = re.compile(r"^# +(.+?) *$", re.MULTILINE)
_STOP = re.compile(r"\n?<!-- stop: ([a-z_]{1,40}) -->\s*\Z")
_QUOTED = re.compile(r"\s*((?:>[^\n]*(?:\n|\Z))+)\n?")
_SURROGATE = re.compile("[\ud800-\udfff]")
_INITIAL = re.compile(r"^```initial\n(.*?)^```\s*$", re.MULTILINE | re.DOTALL)

_MAX_NOTES = 100


@dataclass(slots=True)
class _Draft:
    title: str = ""
    initial: tuple[object, ...] = ()
    turns: list[StoryTurn] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    player: str | None = None  # a user message that waits for its reply

    def note(self, text: str) -> None:
        if len(self.notes) < _MAX_NOTES:
            self.notes.append(text)
        elif len(self.notes) == _MAX_NOTES:
            self.notes.append("There are more lines that were not understood.")

    def add(self, player: str, reply: str, stop_reason: str | None) -> None:
        number = len(self.turns) + 1
        self.turns.append(StoryTurn(number=number, player=player, reply=reply, stop_reason=stop_reason))


def read_story_log(data: bytes, *, name: str, may_be_untold: bool = False) -> StoryLog:
    """Return the story of a log file; the format is told from its content.

    Args:
        data: The file's bytes.
        name: The file's name, for messages.
        may_be_untold: Whether a log without turns, of which the first is about to be told, is one.

    Raises:
        SourceError: The file holds no turn, and has to.
    """
    text = data.decode("utf-8-sig", "replace")
    draft = _Draft()
    if "\N{REPLACEMENT CHARACTER}" in text:
        draft.note("Bytes that are no UTF-8 were replaced.")
    if text.lstrip()[:1] == "{":
        _read_lines(text, draft)
    else:
        _read_markdown(text.replace("\r\n", "\n"), draft)
    if not draft.turns and not may_be_untold:
        raise SourceError(
            f"{name} holds no turn of a story.",
            code="source.no_turns",
            remedy="Write one JSON object a line with `player` and `reply`, or Markdown with `## Turn 1` headings.",
        )
    if draft.player is not None:
        draft.note("The last user message has no reply; it was left out.")
    return StoryLog(title=draft.title, initial=draft.initial, turns=tuple(draft.turns), notes=tuple(draft.notes))


def _read_lines(text: str, draft: _Draft) -> None:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            draft.note(f"Line {number} was left out: it is no JSON.")
            continue
        if not isinstance(value, dict):
            draft.note(f"Line {number} was left out: it is no object.")
            continue
        value = {key: _storable(item, number, draft) for key, item in value.items()}
        if _HEADER & value.keys() and not draft.turns and "reply" not in value:
            _read_header(value, number, draft)
        elif "role" in value:
            _read_message(value, number, draft)
        else:
            _read_turn(value, number, draft)


def _storable(value: object, number: int, draft: _Draft) -> object:
    """Return a text without lone surrogates, which no document can hold; anything else as it is."""
    if isinstance(value, str) and not value.isascii() and _SURROGATE.search(value):
        draft.note(f"Line {number}: lone surrogates were replaced.")
        return _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", value)
    return value


def _events(value: object, draft: _Draft) -> tuple[object, ...]:
    """Return the initial events if they are a list that the reader of blocks would take, too."""
    try:
        events = decode(json.dumps(value)).value
    except (UnreadableJsonError, RecursionError) as error:
        draft.note(f"The initial events were left out: {error}.")
        return ()
    if not isinstance(events, list):
        draft.note("The initial events were left out: they are no list.")
        return ()
    return tuple(events)


def _read_header(value: Mapping[str, object], number: int, draft: _Draft) -> None:
    title = value.get("title", "")
    draft.title = title if isinstance(title, str) else ""
    if not isinstance(title, str):
        draft.note(f"Line {number}: `title` has to be text.")
    draft.initial = _events(value.get("initial", []), draft)
    _note_unknown(value.keys() - _HEADER, number, draft)


def _read_message(value: Mapping[str, object], number: int, draft: _Draft) -> None:
    role, content = value["role"], value.get("content")
    if role not in {"user", "assistant"} or not isinstance(content, str):
        draft.note(f"Line {number} was left out: it is no user or assistant message with text.")
        return
    if role == "user":
        draft.player = content if draft.player is None else f"{draft.player}\n\n{content}"
        return
    stop = value.get("stop_reason", value.get("finish_reason"))
    draft.add(draft.player or "", content, stop if isinstance(stop, str) else None)
    draft.player = None
    _note_unknown(value.keys() - _MESSAGE, number, draft)


def _read_turn(value: Mapping[str, object], number: int, draft: _Draft) -> None:
    found = {name: next((key for key in keys if key in value), None) for name, keys in _NAMES.items()}
    said = {name: value[key] if key else None for name, key in found.items()}
    if not isinstance(said["reply"], str):
        draft.note(f"Line {number} was left out: it has no `reply`.")
        return
    texts = {name: text if isinstance(text, str) else None for name, text in said.items()}
    draft.add(texts["player"] or "", said["reply"], texts["stop_reason"])
    _note_unknown(value.keys() - {key for key in found.values() if key}, number, draft)


def _note_unknown(keys: set[str], number: int, draft: _Draft) -> None:
    if keys:
        named = ", ".join(
            sorted("".join(char if char.isprintable() else "?" for char in key[:40]) for key in keys)[:10]
        )
        draft.note(f"Line {number}: not used: {named}.")


def _read_markdown(text: str, draft: _Draft) -> None:
    headings = list(_due_headings(text))
    lead = text[: headings[0].start()] if headings else text
    title = _TITLE.search(lead)
    draft.title = title[1] if title else ""
    if initial := _INITIAL.search(lead):
        try:
            draft.initial = _events(json.loads(initial[1]), draft)
        except (ValueError, RecursionError):
            draft.note("The initial events were left out: they are no JSON.")
    for index, heading in enumerate(headings):
        stop = headings[index + 1].start() if index + 1 < len(headings) else len(text)
        body = text[heading.end() : stop]
        reason = _STOP.search(body)
        body = body[: reason.start()] if reason else body
        quoted = _QUOTED.match(body)
        player = "\n".join(line[1:].removeprefix(" ") for line in quoted[1].splitlines()) if quoted else ""
        # The heading's own line end and one blank line belong to the format, everything behind them to the reply.
        reply = body[quoted.end() :] if quoted else body.removeprefix("\n").removeprefix("\n")
        draft.add(player, reply, reason[1] if reason else None)


def _due_headings(text: str) -> Iterator[re.Match[str]]:
    due = 1
    for heading in _TURN.finditer(text):
        if int(heading[1]) == due:
            yield heading
            due += 1
