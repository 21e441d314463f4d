"""Where something begins in the prose that may be protocol, and what can be told of it at a glance.

Each function looks at text and offsets alone; what is done about an opener is the splitter's part.
"""

import re
from functools import lru_cache

from osrforge_assets.narrations.turns.bare_objects import LONGEST_UNDECIDED, OPENING, PARTIAL_OPENING
from osrforge_assets.narrations.turns.echoes import LONGEST, is_echo
from osrforge_assets.narrations.turns.fences import ANY_RUN, Fence, closing_line
from osrforge_assets.narrations.turns.prompt import LABEL
from osrforge_assets.narrations.turns.reasoning import prefixes

_NOTE = r"\[\s{0,8}(?:remind|part of your last)|(?<=\n)[ \t>*_\"']{0,8}(?:reminder:|part of your last)"
OPENER = re.compile(rf"(?P<run>(?<![`~])(?:`{{3,}}|~{{3,}}))|(?P<note>(?i:{_NOTE}))|(?P<object>{OPENING})")

# Every beginning of an opener that the next piece may complete, and no longer than this.
LONGEST_PARTIAL = 400
_PARTIAL = re.compile(
    r"(?<![`~])(?:`{1,2}|~{1,2})\Z"
    rf"|(?i:\[\s{{0,8}}(?:{prefixes('remind')}|{prefixes('part of your last')})\Z)"
    rf"|(?i:(?<=\n)[ \t>*_\"']{{0,8}}(?:{prefixes('reminder:')}|{prefixes('part of your last')})\Z)"
    rf"|{PARTIAL_OPENING}"
)
_OPENER_CHARACTER = re.compile(r"[`~\[{]")
_LONGEST_NOTE_OPENER = 40

_FLAT_OBJECT = re.compile(r'\{(?:[^"\'“”„‟‘’‚‛{}\[\]\n\\]|"[^"\n\\]*")*\}')
# What every proposal holds, cut short or a letter of it written as an escape perhaps.
_PROTOCOL_WORD = re.compile(rf"e\s*(?:v|\Z)|type|{LABEL}|\\\\", re.IGNORECASE)
_FIRST_CHARACTER = re.compile(r"\s{0,64}(\S)")

_INDENT = re.compile(r"\n( {0,3})\Z")
PARTIAL_CLOSING = re.compile(r"\n {0,3}(?:`{0,200}|~{0,200})[ \t\r]{0,64}\Z")


def partial_opener(text: str) -> int:
    """Return where the beginning of an opener stands that more text may complete; the text's end if none.

    The first character of `text` is the one before what is undecided.
    """
    start = max(1, len(text) - LONGEST_PARTIAL)
    line = text.rfind("\n") + 1
    possible = _OPENER_CHARACTER.search(text, start) or len(text) - line < _LONGEST_NOTE_OPENER
    found = _PARTIAL.search(text, start) if possible else None
    return found.start() if found else len(text)


def line_indent(text: str, at: int) -> int:
    """Return where the spaces before `at` begin, if only they stand between it and its line's start; `at` if not."""
    indent = _INDENT.search(text, max(0, at - 4), at)
    return indent.start(1) if indent else at


def end_of_run(text: str, at: int) -> int:
    """Return the offset behind the characters that equal the one at `at`."""
    stop = at
    while stop < len(text) and text[stop] == text[at]:
        stop += 1
    return stop


def end_of_note(text: str, opener: re.Match[str], *, end: bool) -> int | None:
    """Return the offset behind a near copy of one of our notes, the opener's own if it is none, None to wait."""
    start = opener.start()
    closing = "]" if text[start] == "[" else "\n"
    stop = text.find(closing, opener.end(), start + LONGEST)
    cut = stop < 0 and len(text) - start < LONGEST
    if cut and not end:
        return None
    if stop < 0 and not cut:
        return start
    stop = len(text) if cut else stop + (closing == "]")
    # None of our notes holds an opening bracket; without this rule nested brackets would be judged over and over.
    return stop if "[" not in text[start + 1 : stop] and is_echo(text[start:stop], cut=cut) else start


def end_of_authors_object(text: str, at: int) -> int:
    """Return the offset behind a small object that is no proposal, 0 if that takes a look at its JSON (20 µs)."""
    flat = _FLAT_OBJECT.match(text, at)
    if flat and len(flat[0]) <= LONGEST_UNDECIDED and "events" not in flat[0] and "type" not in flat[0]:
        return flat.end()
    return 0


def content_in_sight(text: str, fence: Fence, at: int) -> tuple[int, int] | None:
    """Return where the content of a fence opened before `at` ends and its closing line ends, None if it has to be read.

    It ends in sight if the first line with a run of fence characters is its closing line, and that line is whole.
    """
    run = ANY_RUN.search(text, at)
    if run is None or text[at - 1] != "\n":
        return None
    line = text.rfind("\n", at - 1, run.start()) + 1
    closing = closing_line(fence.char, fence.length).match(text, line)
    if closing is None or not text.startswith("\n", closing.end()):
        return None
    return line, closing.end() + 1


def may_be_protocol(text: str, fence: Fence, behind: int, stop: int) -> bool:
    """Whether a fence without our label, whose opening line is `text[behind:stop]`, has to be collected and judged."""
    first = None if fence.lead else _FIRST_CHARACTER.match(text, stop)
    if first and first[1] not in fence.first_characters:
        return False
    # A fence that ends in sight without a word of a proposal is the author's; judging it took three times as long.
    closing = author_closing(fence.char, fence.length).search(text, stop)
    if closing is None or closing.end() == len(text):
        return True
    return _PROTOCOL_WORD.search(text, behind, closing.start()) is not None


@lru_cache(maxsize=64)
def author_closing(char: str, length: int) -> re.Pattern[str]:
    """Return the pattern of the closing line of a fence that is not ours, its line end not included."""
    return re.compile(rf"(?<=\n){closing_line(char, length).pattern}(?=\n|\Z)")
