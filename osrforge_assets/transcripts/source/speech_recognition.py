"""JSON of speech recognizers: openai-whisper, faster-whisper, whisperX, whisper.cpp, AssemblyAI, Deepgram.

Ids of segments restart and repeat, so they are not read. A segment without a speaker has none, whatever its words say.
"""

import itertools
from collections.abc import Callable, Iterable

from osrforge_assets.contracts.transcript import TranscriptFlagCode
from osrforge_assets.transcripts.failures import TranscriptError, UnknownFormatError
from osrforge_assets.transcripts.source.clock import clock_ms, seconds_ms, whole_ms
from osrforge_assets.transcripts.source.entries import Doubt, Entry, Reading, spoken_kind
from osrforge_assets.transcripts.source.json_source import JsonObject, name_of, objects, text_of

Lines = dict[int, int]
ToMs = Callable[[object], int | None]


def read_segments(format_name: str, items: list[JsonObject], lines: Lines) -> Reading:
    """Return the reading of whisper segments: `start` and `end` in seconds, `text`, perhaps a speaker."""
    return _read_items(
        format_name,
        ((item, item.get("start"), item.get("end"), _segment_text(item), item.get("speaker")) for item in items),
        lines,
        seconds_ms,
    )


def read_whisper_cpp(items: list[JsonObject], lines: Lines) -> Reading:
    """Return the reading of whisper.cpp: `offsets` in milliseconds, or `timestamps` as clock times."""
    rows = []
    for item in items:
        offsets, stamps = item.get("offsets"), item.get("timestamps")
        if isinstance(offsets, dict):
            rows.append((item, offsets.get("from"), offsets.get("to"), item.get("text"), None))
        else:
            times = stamps if isinstance(stamps, dict) else {}
            start, end = (clock_ms(text_of(times.get(name))) for name in ("from", "to"))
            rows.append((item, start, end, item.get("text"), None))
    return _read_items("whisper.cpp", rows, lines, whole_ms)


def read_chunks(items: list[JsonObject], lines: Lines) -> Reading:
    """Return the reading of the transformers pipeline: `timestamp` is a pair of seconds, the last end may be null."""
    rows = []
    for item in items:
        pair = item.get("timestamp")
        start, end = pair if isinstance(pair, list) and len(pair) == 2 else (None, None)  # noqa: PLR2004  a pair
        rows.append((item, start, end, item.get("text"), item.get("speaker")))
    return _read_items("transformers", rows, lines, seconds_ms)


def read_assemblyai(data: JsonObject, lines: Lines) -> Reading:
    """Return the reading of an AssemblyAI transcript; times are milliseconds.

    Raises:
        TranscriptError: The service reports an error or an unfinished transcript.
    """
    if data.get("status") not in {None, "completed"}:
        reason = " ".join(text_of(data.get("error")).split())[:200]
        raise TranscriptError(
            f"The service reports {data.get('status')!a}{': ' + reason if reason else ''}.",
            code="transcript.not_finished",
            remedy="Fetch the transcript again once it is completed.",
        )
    if data.get("utterances"):
        items = objects(data["utterances"], "utterances")
        return _read_items(
            "assemblyai",
            ((item, item.get("start"), item.get("end"), item.get("text"), item.get("speaker")) for item in items),
            lines,
            whole_ms,
        )
    words = objects(data.get("words") or [], "words")
    if not words:
        return read_whole_text("assemblyai", [data.get("text")])
    return _read_words("assemblyai", words, lines, whole_ms, ("text",))


def read_deepgram(data: JsonObject, lines: Lines) -> Reading:
    """Return the reading of a Deepgram response; times are seconds.

    Raises:
        UnknownFormatError: The results are another service's.
    """
    results = data["results"]
    if not isinstance(results, dict) or not {"channels", "utterances"} & results.keys():
        raise UnknownFormatError("The JSON has results, but not those of Deepgram.", line=1)
    if results.get("utterances"):
        items = objects(results["utterances"], "utterances")
        return _read_items(
            "deepgram",
            ((item, item.get("start"), item.get("end"), item.get("transcript"), item.get("speaker")) for item in items),
            lines,
            seconds_ms,
        )
    first = [
        alternative
        for channel in objects(results.get("channels"), "channels")
        for alternative in objects(channel.get("alternatives"), "alternatives")[:1]
    ]
    channels = [objects(alternative.get("words") or [], "words") for alternative in first]
    if not any(channels):
        return read_whole_text("deepgram", [alternative.get("transcript") for alternative in first])
    # A channel is a microphone: people talk at the same time, so sentences are made before channels are merged.
    readings = [_read_words("deepgram", words, lines, seconds_ms, ("punctuated_word", "word")) for words in channels]
    if len(readings) == 1:
        return readings[0]
    for number, reading in enumerate(readings):
        for entry in reading.entries:
            entry.speaker = (
                f"channel {number}" if entry.speaker is None else f"channel {number} speaker {entry.speaker}"
            )
    return _merged_channels(readings)


def read_whole_text(format_name: str, texts: Iterable[object]) -> Reading:
    """Return the reading of a transcript that is only its text: a unit each, and a flag that says so."""
    said = [text_of(text).strip() for text in texts]
    entries = [Entry(text, marker, 1, kind=spoken_kind(text)) for marker, text in enumerate(said) if text]
    doubt = Doubt(TranscriptFlagCode.NO_STRUCTURE, "The file has neither times nor single utterances, only its text.")
    return Reading(format_name, entries, len(said), len(said) - len(entries), [doubt])


def _read_items(
    format_name: str, rows: Iterable[tuple[JsonObject, object, object, object, object]], lines: Lines, to_ms: ToMs
) -> Reading:
    entries: list[Entry] = []
    doubts: list[Doubt] = []
    blank: list[int] = []
    unreadable: list[int] = []
    count = 0
    for marker, (item, start, end, text, speaker) in enumerate(rows):
        count += 1
        line = lines.get(id(item), 1)
        if (text is not None and not isinstance(text, str)) or (text is None and "text" in item):
            raise TranscriptError("The entry's text is no text.", line=line, code="transcript.bad_json")
        said = text_of(text).strip()
        if not said:
            blank.append(line)
            continue
        start_ms, end_ms = to_ms(start), to_ms(end)
        if (start is not None and start_ms is None) or (end is not None and end_ms is None):
            unreadable.append(len(entries))
        entries.append(Entry(said, marker, line, name_of(speaker), start_ms, end_ms, spoken_kind(said)))
    if blank:
        message = f"{len(blank)} entries have no text, first at line {blank[0]}."
        doubts.append(Doubt(TranscriptFlagCode.ENTRY_WITHOUT_TEXT, message))
    if unreadable:
        message = f"{len(unreadable)} entries have a time that is no number."
        doubts.append(Doubt(TranscriptFlagCode.TIME_UNREADABLE, message, tuple(unreadable)))
    return Reading(format_name, entries, count, len(blank), doubts)


def _read_words(
    format_name: str, words: list[JsonObject], lines: Lines, to_ms: ToMs, text_keys: tuple[str, ...]
) -> Reading:
    """Return a reading of single words: a unit ends with a sentence, or where another speaker takes over."""
    sentences: list[list[JsonObject]] = []
    for word in words:
        last = sentences[-1][-1] if sentences else None
        ended = last is None or _word(last, text_keys).endswith((".", "?", "!", "…"))
        if ended or last is None or last.get("speaker") != word.get("speaker"):
            sentences.append([])
        sentences[-1].append(word)
    entries: list[Entry] = []
    for marker, sentence in enumerate(sentences):
        said = " ".join(filter(None, (_word(word, text_keys) for word in sentence)))
        times = to_ms(sentence[0].get("start")), to_ms(sentence[-1].get("end"))
        line = lines.get(id(sentence[0]), 1)
        entries.append(Entry(said, marker, line, name_of(sentence[0].get("speaker")), *times, spoken_kind(said)))
    spoken = [entry for entry in entries if entry.text]
    return Reading(format_name, spoken, len(sentences), len(entries) - len(spoken))


def _merged_channels(readings: list[Reading]) -> Reading:
    offsets = itertools.accumulate((reading.markers for reading in readings), initial=0)
    for offset, reading in zip(offsets, readings, strict=False):
        for entry in reading.entries:
            entry.marker += offset
    entries = sorted(
        (entry for reading in readings for entry in reading.entries),
        key=lambda entry: (entry.start_ms or 0, entry.marker),
    )
    markers, silent = (sum(counts) for counts in zip(*((r.markers, r.silent) for r in readings), strict=True))
    return Reading(readings[0].format, entries, markers, silent)


def _segment_text(item: JsonObject) -> object:
    """Return a segment's text, or its words where it has only those."""
    words = item.get("words")
    if "text" in item or not isinstance(words, list):
        return item.get("text")
    return " ".join(_word(word, ("word", "text")) for word in words if isinstance(word, dict))


def _word(word: JsonObject, keys: tuple[str, ...]) -> str:
    return next(itertools.chain((text_of(word.get(key)).strip() for key in keys if word.get(key)), [""]))
