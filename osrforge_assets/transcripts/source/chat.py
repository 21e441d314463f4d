"""Chat: DiscordChatExporter's JSON, and the event log of a Discord dice bot (one event a line).

Message ids pass 2^53 and are never numbers here; every message is one unit, also one that only rolls dice.
"""

import datetime as dt
from collections.abc import Sequence

from osrforge_assets.contracts.transcript import TranscriptFlagCode, UnitKind
from osrforge_assets.transcripts.failures import IncompleteImportError, TranscriptError
from osrforge_assets.transcripts.source.clock import seconds_ms
from osrforge_assets.transcripts.source.entries import Doubt, Entry, Reading, has_dice, written_kind
from osrforge_assets.transcripts.source.json_source import JsonObject, objects, text_of

_SPOKEN_TYPES = frozenset(
    {"", "Default", "Reply", "ChatInputCommand", "ContextMenuCommand", "ThreadStarterMessage", "0", "19", "20"}
)


def read_discord_export(data: JsonObject, lines: dict[int, int]) -> Reading:
    """Return the reading of a DiscordChatExporter file.

    Raises:
        IncompleteImportError: It states another number of messages than it holds.
        TranscriptError: A message is not one.
    """
    messages = objects(data.get("messages"), "messages")
    stated = data.get("messageCount")
    if isinstance(stated, int) and not isinstance(stated, bool) and stated != len(messages):
        raise IncompleteImportError(f"The export states {stated} messages and holds {len(messages)}.")
    times = [_instant(message.get("timestamp")) for message in messages]
    entries = []
    for at, message in enumerate(messages):
        author = message.get("author")
        author = author if isinstance(author, dict) else {}
        name = text_of(author.get("nickname")) or text_of(author.get("name"))
        kind = str(message.get("type", ""))
        entries.append(
            _entry(
                at,
                lines.get(id(message), 1),
                name,
                message,
                is_bot=author.get("isBot") is True,
                is_service=kind not in _SPOKEN_TYPES,
            )
        )
    return _with_times("discord", entries, times, [message.get("timestamp") for message in messages])


def read_event_log(events: Sequence[tuple[int, JsonObject]]) -> Reading:
    """Return the reading of a dice bot's event log: its `message` events; the others repeat what those show.

    Args:
        events: Each event with its line.
    """
    messages = [(line, event) for line, event in events if event.get("event_type") == "message"]
    entries = [
        _entry(
            at, line, text_of(event.get("author_name")), event, is_bot=event.get("author_bot") is True, is_service=False
        )
        for at, (line, event) in enumerate(messages)
    ]
    raw = [event.get("created_at", event.get("timestamp")) for _, event in messages]
    return _with_times("avrae", entries, [_epoch_ms(value) for value in raw], raw)


def _entry(at: int, line: int, name: str, message: JsonObject, *, is_bot: bool, is_service: bool) -> Entry:
    written, files = _content(message, line)
    forwarded = message.get("forwardedMessage")
    if isinstance(forwarded, dict):
        # The words of a forwarded message stand in it alone; the message that forwards it is empty.
        passed_on, more_files = _content(forwarded, line)
        written, files = "\n".join(filter(None, [written, passed_on])), [*files, *more_files]
    text = "\n".join(filter(None, [written, *files]))
    if is_service:
        kind = UnitKind.SYSTEM
    elif is_bot:
        kind = UnitKind.ROLL if has_dice(text) else UnitKind.SYSTEM
    else:
        kind = written_kind(written) if written.strip() or files else UnitKind.SYSTEM
    return Entry(text, at, line, " ".join(name.split()) or None, kind=kind)


def _content(message: JsonObject, line: int) -> tuple[str, list[str]]:
    """Return what a message says in words and embeds, and a mark for each thing attached to it."""
    content = message.get("content")
    if content is not None and not isinstance(content, str):
        raise TranscriptError("The message's content is no text.", line=line, code="transcript.bad_json")
    shown = [_embed_text(embed) for embed in objects(message.get("embeds") or [], "embeds")]
    attached = [
        f"[{what}: {text_of(item.get(key)) or 'file'}]"
        for what, field, key in (("attachment", "attachments", "fileName"), ("sticker", "stickers", "name"))
        for item in objects(message.get(field) or [], field)
    ]
    return "\n".join(filter(None, [text_of(content), *shown])), attached


def _embed_text(embed: JsonObject) -> str:
    author, footer, fields = embed.get("author"), embed.get("footer"), embed.get("fields")
    parts = [
        text_of(author.get("name")) if isinstance(author, dict) else "",
        text_of(embed.get("title")),
        text_of(embed.get("description")),
        *(
            ": ".join(filter(None, (text_of(item.get("name")).strip("\u200b "), text_of(item.get("value")))))
            for item in objects(fields or [], "fields")
        ),
        text_of(footer.get("text")) if isinstance(footer, dict) else "",
    ]
    return "\n".join(filter(None, parts))


def _with_times(format_name: str, entries: list[Entry], times: list[int | None], raw: list[object]) -> Reading:
    """Set times relative to the earliest message, since a unit's time counts from the start of its session."""
    origin = min((time for time in times if time is not None), default=0)
    for entry, time in zip(entries, times, strict=True):
        entry.start_ms = None if time is None else time - origin
    bad = tuple(
        at for at, (time, value) in enumerate(zip(times, raw, strict=True)) if time is None and value is not None
    )
    doubts = []
    if bad:
        message = f"{len(bad)} messages have a time that cannot be read."
        doubts.append(Doubt(TranscriptFlagCode.TIME_UNREADABLE, message, bad))
    return Reading(format_name, entries, len(entries), 0, doubts)


def _instant(value: object) -> int | None:
    try:
        moment = dt.datetime.fromisoformat(text_of(value))
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=dt.UTC)
    return round(moment.timestamp() * 1000)


def _epoch_ms(value: object) -> int | None:
    # Seconds since 1970 are far beyond the bound of a recording's own times, so the whole days are split off first.
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e11:  # noqa: PLR2004  the year 5138
        return None
    days, rest = divmod(value, 86_400)
    part = seconds_ms(rest)
    return None if part is None else int(days) * 86_400_000 + part
