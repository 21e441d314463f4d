"""Plain text: `Name: text` with or without times, header lines (Otter, Teams, Zoom), a speech recognizer's lines.

Every line is read alone into what it could be; the file as a whole decides which of that it is. A line that begins
nothing goes on with the unit before it.
"""

import re
from dataclasses import dataclass

from osrforge_assets.contracts.transcript import TranscriptFlagCode, UnitKind
from osrforge_assets.transcripts.failures import TranscriptError
from osrforge_assets.transcripts.source.clock import CLOCK, clock_ms, seconds_ms
from osrforge_assets.transcripts.source.entries import Doubt, Entry, Reading, spoken_kind, written_kind
from osrforge_assets.transcripts.source.speaker_names import NamedText, accepted_names, looks_like_name, split_name

# A date before a time tells nothing that a session needs; it is read over.
_DATE = r"(?:\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4},?[ T]+)?"
_RANGE = re.compile(
    rf"\s*[\[(]?\s*(?P<start>{CLOCK}|\d+(?:\.\d+)?s)\s*(?:-->|->|→|–|—|-)\s*(?P<end>{CLOCK}|\d+(?:\.\d+)?s)\s*[\])]?[:,]?\s*(?P<rest>.*)"
)
_TIME_FIRST = re.compile(
    rf"\s*(?:\[\s*{_DATE}({CLOCK})\s*\]|\(\s*{_DATE}({CLOCK})\s*\)|{_DATE}({CLOCK})(?=\s|$))\s*(?:[-–—|]\s+)?(.*)"
)
_TIME_AFTER_NAME = re.compile(
    rf"\s*(?P<name>\S[^\t:]{{0,59}}?)\s*(?:\[\s*{_DATE}(?P<a>{CLOCK})\s*\]|\(\s*{_DATE}(?P<b>{CLOCK})\s*\))\s*:?(?:\s+(?P<text>\S.*)|\s*)"
)
_HEADER = re.compile(rf"(?P<name>\S[^\t:]{{0,59}}?)(?P<gap>\s{{2,}}|\t+|\s+[-–—|•·]\s+|\s){_DATE}(?P<time>{CLOCK})\s*")
_BRACKET_NAME = re.compile(rf"\[(?P<name>[^\[\]:]{{1,60}})\]\s+(?P<time>{CLOCK})\s*")
_LABEL = re.compile(r"[\[(](?P<name>[^\[\]()]{1,60})[\])]\s*:\s*(?P<text>.*)")
# Zoom's saved chat: the words follow on the same line or, in newer versions, below.
_ZOOM_CHAT = re.compile(r"From (?P<name>\S[^:]{0,59}?)(?: to (?P<to>\S[^:]{0,80}?))?\s?:(?: (?P<text>\S.*))?")
_SERVICE_LINE = re.compile(
    r"transcribed by https?://otter\.ai\S*|.{1,60} (?:started|stopped) (?:the )?(?:transcription|recording)",
    re.IGNORECASE,
)
_RUNS = re.compile(r"[ \t\u00a0]{2,}")
_LONGEST_HEADER = 120  # characters
_SPACES = re.compile(r"[ \t\u00a0]+")


@dataclass(slots=True)
class _Line:
    """What a line could be: a time or two, a name with it or before a colon, and the rest."""

    number: int
    text: str
    start: int | None = None
    end: int | None = None
    candidate: NamedText | None = None
    sure: NamedText | None = None  # named by the form of the line itself
    header: NamedText | None = None  # a name and a time with one space between: a header if such lines come back
    header_time: int | None = None
    whole: str = ""  # with what could be a time, for a line that goes on with another one

    @property
    def timed(self) -> bool:
        return self.start is not None


def read_plain(text: str) -> Reading:
    """Return the reading of plain text.

    Raises:
        TranscriptError: A line begins with a time that is none.
    """
    lines = [_whole_line(number, raw) for number, raw in enumerate(text.split("\n"), start=1) if raw.strip()]
    _promote_headers(lines)
    timed = sum(line.timed for line in lines)
    sure = sum(line.sure is not None for line in lines)
    untimed = sum(not line.timed and line.candidate is not None for line in lines)
    # A header line carries the time of all the lines below it; "3:15, and no bus" among named lines is what was said.
    times_count = timed * 10 >= len(lines) and timed * 2 >= untimed
    names = accepted_names([line.candidate for line in lines], timed if times_count else _openings(lines))
    begins = [_begins(line, names, times_count=times_count) for line in lines]
    if not any(begins):
        return _unstructured(lines)
    return _structured(lines, names, begins, times_count=times_count, by_header=sure * 2 > sum(begins))


def _promote_headers(lines: list[_Line]) -> None:
    """Take `Name 0:03` lines as headers where they come back and are not all there is."""
    headers = [line for line in lines if line.header is not None]
    # `[0:03] Name` above the words: where a time stands first, it is a header only if all such lines are.
    timed = sum(line.timed for line in lines)
    if timed and timed != sum(line.timed for line in headers):
        headers = [line for line in headers if not line.timed]
    if len(headers) > 1 and len(lines) // 5 <= len(headers) <= len(lines) // 2 and _come_back(headers):
        for line in headers:
            line.sure, line.start, line.text = line.header, line.header_time, ""


def _come_back(headers: list[_Line]) -> bool:
    """Return whether names are repeated or numbered; `[0:01] Yes` and `[0:07] Well` above more words are what was said."""
    names = [line.header.name for line in headers if line.header is not None]
    return not headers[0].timed or len(set(names)) < len(names) or all(name[-1:].isdecimal() for name in names)


def _openings(lines: list[_Line]) -> int:
    """Return how many lines could begin an utterance: all but those right below a name that stands alone."""
    count = 0
    below = 0  # the line number that would go on below the name
    for line in lines:
        if line.candidate is not None:
            count += 1
            below = line.number + 1 if not line.candidate.text else 0
        elif line.number == below:
            below += 1
        else:
            count += 1
            below = 0
    return count


def _structured(
    lines: list[_Line], names: frozenset[str], begins: list[bool], *, times_count: bool, by_header: bool
) -> Reading:
    entries: list[Entry] = []
    doubts: list[Doubt] = []
    empty: list[int] = []
    marker = -1
    for line, begin in zip(lines, begins, strict=True):
        if _SERVICE_LINE.fullmatch(line.whole) or (marker < 0 and not begin):
            # Titles and dates above the first speaker, and what the recorder says of itself, are nobody's words.
            marker += 1
            entries.append(Entry(line.whole, marker, line.number, kind=UnitKind.SYSTEM))
        elif begin:
            marker += 1
            entries.append(_entry(line, names, marker, times_count=times_count))
        elif entries[-1].kind is UnitKind.SYSTEM:
            marker += 1
            entries.append(Entry(line.whole, marker, line.number, kind=UnitKind.SYSTEM))
        else:
            entries[-1].text = f"{entries[-1].text} {line.whole}".strip()
    for entry in entries:
        if not entry.text:
            empty.append(entry.line)
        elif entry.kind is not UnitKind.SYSTEM:
            entry.kind = spoken_kind(entry.text) if times_count else written_kind(entry.text)
    if empty:
        raise TranscriptError(
            "A speaker or time stands here without a word.", line=empty[0], code="transcript.entry_without_text"
        )
    return Reading("named_headers" if by_header else "plain_text", entries, marker + 1, 0, doubts)


def _unstructured(lines: list[_Line]) -> Reading:
    entries = [Entry(line.whole, at, line.number, kind=spoken_kind(line.whole)) for at, line in enumerate(lines)]
    doubt = Doubt(TranscriptFlagCode.NO_STRUCTURE, "The text has neither times nor speakers; every line is a unit.")
    return Reading("plain_lines", entries, len(lines), 0, [doubt])


def _begins(line: _Line, names: frozenset[str], *, times_count: bool) -> bool:
    if line.sure is not None or (line.timed and times_count):
        return True
    return line.candidate is not None and line.candidate.name in names


def _entry(line: _Line, names: frozenset[str], marker: int, *, times_count: bool) -> Entry:
    start, end = (line.start, line.end) if times_count or line.sure is not None else (None, None)
    who = line.sure
    if who is None and line.candidate is not None and line.candidate.name in names:
        who = line.candidate
    if who is not None:
        return Entry(who.text, marker, line.number, who.name, start, end)
    return Entry(line.text, marker, line.number, None, start, end)


def _whole_line(number: int, raw: str) -> _Line:
    line = _read_line(number, raw)
    line.whole = _SPACES.sub(" ", raw).strip()
    return line


def _read_line(number: int, raw: str) -> _Line:
    line = _SPACES.sub(" ", raw).strip()
    # A header separates name and time by two spaces or a tab, so it is read before white space is folded.
    # Runs of it become two spaces, or every space of a long run would be tried as the end of the name.
    header = _HEADER.fullmatch(_RUNS.sub("  ", raw.strip())) if len(line) <= _LONGEST_HEADER else None
    bracketed = _BRACKET_NAME.fullmatch(line)
    for match in filter(None, (header, bracketed)):
        name = NamedText(_folded(match["name"]), "")
        if not (looks_like_name(name.name) or name.name.casefold().startswith("speaker")):
            continue
        if match is bracketed or match["gap"] != " ":
            return _Line(number, "", clock_ms(match["time"]), sure=name)
        return _Line(number, line, header=name, header_time=clock_ms(match["time"]))
    after = _TIME_AFTER_NAME.fullmatch(line)
    if after is not None and looks_like_name(_folded(after["name"])):
        start = clock_ms(after["a"] or after["b"])
        return _Line(number, line, start, sure=NamedText(_folded(after["name"]), after["text"] or ""))
    span = _RANGE.fullmatch(line)
    if span is not None:
        start, end, rest = _time(span["start"]), _time(span["end"]), span["rest"]
        _refuse_bad_time(number, span["start"], start)
        return _timed_line(number, rest, start, end)
    first = _TIME_FIRST.fullmatch(line)
    if first is not None:
        shown = first[1] or first[2] or first[3]
        start = clock_ms(shown)
        if first[3] is None:
            _refuse_bad_time(number, shown, start)
        # Without brackets `12:95` may be a verse or a score; it is a time only if it can be one.
        if start is not None:
            return _timed_line(number, first[4], start, None)
    return _Line(number, line, candidate=split_name(line))


def _timed_line(number: int, rest: str, start: int | None, end: int | None) -> _Line:
    label = _LABEL.fullmatch(rest)
    if label is not None:
        return _Line(number, rest, start, end, sure=NamedText(_folded(label["name"]), label["text"]))
    chat = _ZOOM_CHAT.fullmatch(rest)
    if chat is not None:
        return _Line(number, rest, start, end, sure=NamedText(_folded(chat["name"]), chat["text"] or ""))
    line = _Line(number, rest, start, end, split_name(rest))
    if looks_like_name(rest):
        line.header, line.header_time = NamedText(_folded(rest), ""), start
    return line


def _time(shown: str) -> int | None:
    return seconds_ms(shown) if shown.endswith("s") else clock_ms(shown)


def _refuse_bad_time(number: int, shown: str, read: int | None) -> None:
    if read is None:
        raise TranscriptError(f"{shown!a} is not a time.", line=number, code="transcript.bad_time")


def _folded(name: str) -> str:
    return " ".join(name.strip("*_ ").split())
