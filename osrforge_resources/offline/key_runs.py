"""Runs of printed keys: which numbered entries belong to one list, before anything says whether they are areas.

Keys join the run whose next key they are. A list inside an entry (`1.`–`3.` within area 5) becomes a run of its own,
marked as nested once the outer list goes on; boxes scattered round a map may come in any order.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from osrforge_resources.offline.outline import PSEUDO_TIER, Heading, Outline
from osrforge_resources.offline.page_text import Block, BlockKind
from osrforge_resources.offline.printed_keys import PrintedKey, read_key
from osrforge_resources.offline.vocabulary import KEY_WORDS, LIST_WORDS, names_level

_CONTINUED = re.compile(
    r"\(\s*(?:cont(?:\.|inued|'d)?|continued from.*|continuaci[oó]n|suite|fortsetzung)\s*\)", re.IGNORECASE
)

# Costs of joining a run; the cheapest wins and `_TOO_FAR` starts a new run. Only their order matters: the exact next
# key, a small gap, a key in any order under the same heading; another form of print is worse than a gap.
_EXACT, _GAP, _ANY_ORDER, _OTHER_FORM, _LIST_CONTEXT, _OUTER, _TOO_FAR = 0.0, 1.0, 1.8, 1.5, 1.0, 0.2, 3.0
_LONGEST_GAP = 3
# Open runs are searched for every key; a book of lists must not make that quadratic.
_OPEN_RUNS = 12


@dataclass(frozen=True, slots=True)
class Entry:
    """A block that starts with a key.

    Attributes:
        index: The block's index in the document.
        block: The block.
        key: Its key.
        form: How the key is printed: `heading 2`, `bold`, `marked`, `bare`, `bullet`.
    """

    index: int
    block: Block
    key: PrintedKey
    form: str

    @property
    def place(self) -> tuple[int, int]:
        """What orders entries of one run."""
        return self.key.major, self.key.minor


@dataclass(slots=True)
class Run:
    """Entries of one list, in reading order.

    Attributes:
        entries: Never empty.
        path: Headings over its first entry.
        nested: The run it lies inside of, None if it lies in none.
        places: The places of its entries.
        absorbed: Whether its entries turned out to be another run's.
    """

    entries: list[Entry]
    path: tuple[Heading, ...]
    nested: "Run | None" = None
    places: set[tuple[int, int]] = field(default_factory=set)
    absorbed: bool = False

    @property
    def last(self) -> Entry:
        """The entry that was read last."""
        return self.entries[-1]


def read_runs(outline: Outline) -> list[Run]:
    """Return every run of keys in the document, in order of first entries."""
    runs: list[Run] = []
    opened: list[Run] = []
    for index, block in enumerate(outline.blocks):
        entry = _entry(index, block, outline)
        if entry is None:
            continue
        run, entry = _run_for(entry, opened, outline)
        if run is None:
            run = Run([entry], outline.paths[index], places={entry.place})
            runs.append(run)
            opened = [*opened[-_OPEN_RUNS + 1 :], run]
            continue
        _close_above(run, opened)
        run.entries.append(entry)
        run.places.add(entry.place)
    return [run for run in runs if not run.absorbed]


def _entry(index: int, block: Block, outline: Outline) -> Entry | None:
    if block.kind is BlockKind.TABLE or outline.headings[index] is not None:
        return None
    key = read_key(block.text)
    if key is None or _CONTINUED.search(block.text[:80]):
        return None
    form = _form(block, key)
    # `Area 4 contains a lever` in running text is a sentence about area 4.
    sentence = key.worded and not key.marked and block.text[key.end : key.end + 1].islower()
    return None if sentence and not form.startswith("heading") else Entry(index, block, key, form)


def _form(block: Block, key: PrintedKey) -> str:
    if block.kind is BlockKind.HEADING:
        return f"heading {block.tier}"
    if block.kind is BlockKind.BULLET:
        return "bullet"
    if block.bold and len(block.bold) >= len(key.bare):
        return "bold"
    return "marked" if key.marked else "bare"


def _run_for(entry: Entry, opened: Sequence[Run], outline: Outline) -> tuple[Run | None, Entry]:
    chosen: Run | None = None
    chosen_entry = entry
    best = _TOO_FAR
    for depth, run in enumerate(reversed(opened)):
        for reading in _readings(entry):
            cost = _cost(reading, run, outline) + _OUTER * depth
            if cost < best:
                chosen, chosen_entry, best = run, reading, cost
    return chosen, chosen_entry


def _readings(entry: Entry) -> list[Entry]:
    # `C`, `D`, `I`, `L`, `V`, `X` are letters and Roman numerals; the list they continue decides.
    if entry.key.style == "roman" and len(entry.key.bare) == 1:
        rank = ord(entry.key.bare) - 64
        return [entry, replace(entry, key=replace(entry.key, style="letter", major=rank, last=rank))]
    return [entry]


def _cost(entry: Entry, run: Run, outline: Outline) -> float:
    key, last = entry.key, run.last.key
    if key.style != last.style or key.worded != last.worded or entry.place in run.places:
        return _TOO_FAR
    form = 0.0 if entry.form == run.last.form else _OTHER_FORM
    if form and "bare" in (entry.form, run.last.form):
        return _TOO_FAR
    context = _LIST_CONTEXT if is_list_context(run.path) else 0.0
    step = key.major - last.last
    if (step == 1 and key.minor <= 1) or (step == 0 and key.minor == last.minor + 1):
        return _EXACT + form + context
    if 0 <= step <= _LONGEST_GAP and entry.place > run.last.place:
        return _GAP + form + context
    # A scattered page has no order, but it has one list: the same print, under the same heading, each key once.
    same_section = _set_headings(outline.paths[entry.index]) == _set_headings(run.path)
    same_page = entry.block.page == run.last.block.page
    return _ANY_ORDER + context if same_section and same_page and not form else _TOO_FAR


def _set_headings(path: Sequence[Heading]) -> tuple[int, ...]:
    # A short line that only reads like a heading (a title between the boxes) parts no list.
    return tuple(heading.index for heading in path if heading.tier < PSEUDO_TIER)


def _close_above(run: Run, opened: list[Run]) -> None:
    while opened and opened[-1] is not run:
        inner = opened.pop()
        if (
            inner.entries[0].form == run.last.form
            and inner.entries[0].key.style == run.last.key.style
            and not (inner.places & run.places)
        ):
            # Not a list inside an entry but a stretch of the same list that came early.
            run.entries.extend(inner.entries)
            run.places |= inner.places
            inner.absorbed = True
        else:
            inner.nested = run


def is_list_context(path: Sequence[Heading]) -> bool:
    """Return whether the nearest heading announces a list of other things than places (`Rumours`, `d8`, `Contents`)."""
    if not path:
        return False
    nearest = path[-1].text
    return bool(LIST_WORDS.search(nearest)) and not is_key_context(path)


def is_key_context(path: Sequence[Heading]) -> bool:
    """Return whether the nearest heading announces areas (`Room descriptions`, `LEVEL 2`, `Key to the map`)."""
    if not path:
        return False
    nearest = path[-1].text
    if names_level(nearest):
        return True
    return bool(KEY_WORDS.search(nearest)) and not re.search(
        r"\b(?:tables?|rumou?rs?|wandering|random)\b", nearest, re.IGNORECASE
    )
