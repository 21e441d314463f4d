"""Keyed areas: the runs of keys that are area lists, each area with its name and the blocks of its text."""

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from osrforge_resources.offline.evidence import ACCEPTED, area_score
from osrforge_resources.offline.key_runs import Entry, Run, read_runs
from osrforge_resources.offline.outline import PSEUDO_TIER, Heading, Outline
from osrforge_resources.offline.page_text import Block, BlockKind
from osrforge_resources.offline.printed_keys import read_key
from osrforge_resources.offline.vocabulary import FACET_WORDS, LIST_WORDS, WANDERING_LEAD, names_level

_NAME_END = re.compile(r"[.:!?…](?=\s|$)|\s[–—-]\s")
# `St. Amberel's shrine`: a stop after so few letters ends an abbreviation, not a name.
_SHORTEST_WORD = 3
_MOST_NAME_WORDS = 7
_LONGEST_NAME = 60
# A sentence, or an inventory: `A rear entrance`, `2 rats`, `The door is stuck`.
_NO_NAME = re.compile(
    r"^(?:an?|some|this|these|there|one|two|three|una?|unos|unas|une?|des|eine?|uno)\s|^\d|"
    r"\b(?:is|are|was|were|has|have|can|will|lies|stands|leads|está|están|hay|tiene|est|sont|ist|sind)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class KeyedArea:
    """One area as printed.

    Attributes:
        label: Its key as printed, or its name where no key is printed.
        bare: The key without an area word.
        name: Its printed name, "" if none.
        index: Its first block's index in the document.
        place: What orders areas of one list.
        blocks: Its text, block by block; the first starts after key and name.
        pages: Pages its text runs on, ascending.
        form: How its key is printed.
        path: The headings over it.
    """

    label: str
    bare: str
    name: str
    index: int
    place: tuple[int, int]
    blocks: tuple[Block, ...]
    pages: tuple[int, ...]
    form: str
    path: tuple[Heading, ...]

    @property
    def heading_tier(self) -> int:
        """Rank of the area's own heading, 0 if its key is no heading."""
        return int(self.form.split()[1]) if self.form.startswith("heading ") else 0


def keyed_runs(
    outline: Outline, *, expected: Mapping[str, str] | None = None, last_key: str = ""
) -> list[list[KeyedArea]]:
    """Return the area lists of a document in reading order; areas keep their lists apart.

    Args:
        outline: The document.
        expected: Printed keys that are known to be areas, with their names, for a reader that was asked for them.
        last_key: The key that the list ends with that earlier pages left open, "" if they left none open.
    """
    runs = read_runs(outline)
    open_key = read_key(last_key) if last_key else None
    accepted: list[Run] = []
    outer: set[int] = set()
    for run in runs:
        if id(run.nested) in outer or _inside_an_area(run, accepted, expected or {}):
            continue
        texts = [_entry_text(entry, outline, stop) for entry, stop in zip(run.entries, _limits(run), strict=True)]
        if area_score(run, outline, texts, expected=expected, open_key=open_key) >= ACCEPTED:
            accepted.append(run)
            outer.add(id(run))
    starts = sorted(entry.index for run in accepted for entry in run.entries)
    following = dict(zip(starts, [*starts[1:], len(outline.blocks)], strict=False))
    return [_areas_of(run, outline, following) for run in accepted]


def _inside_an_area(run: Run, accepted: Sequence[Run], expected: Mapping[str, str]) -> bool:
    """Whether a plain lettered list is part of the text of the last area before it: no heading stands between.

    Where that area's list goes on afterwards the list is nested anyway; in the last area nothing goes on.
    """
    first = run.entries[0]
    if first.key.style not in {"letter", "roman"} or first.key.worded or first.form not in {"marked", "bullet"}:
        return False
    if not accepted or any(entry.key.label in expected for entry in run.entries):
        return False
    before = accepted[-1].last
    parted = bool(run.path) and run.path[-1].index > before.index
    return before.index < first.index and before.key.style != first.key.style and not parted


def _limits(run: Run) -> list[int | None]:
    """Where each entry's text stops at the latest: at the run's first entry that stands further on, None if none does."""
    furthest = -1
    # Only an entry that stands further on than all before it is the first one to do so for any other.
    stops = [furthest := entry.index for entry in run.entries if entry.index > furthest]
    later = (bisect_right(stops, entry.index) for entry in run.entries)
    return [stops[at] if at < len(stops) else None for at in later]


def _entry_text(entry: Entry, outline: Outline, stop: int | None) -> str:
    """The text after an entry's key, with the next blocks of it: enough to tell what it is about."""
    parts = [entry.block.text[entry.key.end :]]
    end = min(stop if stop is not None else len(outline.blocks), entry.index + 5)
    for index in range(entry.index + 1, end):
        if outline.headings[index] is not None:
            break
        parts.append(outline.blocks[index].text)
    return " ".join(parts)[:1200]


def _areas_of(run: Run, outline: Outline, following: dict[int, int]) -> list[KeyedArea]:
    entries = sorted(run.entries, key=lambda entry: entry.index)
    scattered = sum(before.place > after.place for before, after in pairwise(entries))
    if scattered:
        # Boxes scattered round a map have no printed order but their numbers.
        entries.sort(key=lambda entry: entry.place)
    if scattered > 1:
        # Such boxes are whole: what stands after one on the page is another box or the page's own text.
        following = {entry.index: entry.index + 1 for entry in entries}
    names = [_split_name(entry, followed=following[entry.index] > entry.index + 1) for entry in entries]
    # A first sentence is a name only where the list names its areas; one short first sentence is just short.
    plain = [name for name, entry in zip(names, entries, strict=True) if entry.form in {"marked", "bare", "bullet"}]
    named = sum(bool(name) for name, _ in plain) * 2 > len(plain)
    return [
        _area(entry, name if named or entry.form not in {"marked", "bare", "bullet"} else ("", 0), outline, following)
        for entry, name in zip(entries, names, strict=True)
    ]


def _split_name(entry: Entry, *, followed: bool) -> tuple[str, int]:
    """Return an entry's printed name and the offset in its block where its text starts.

    Args:
        entry: The entry.
        followed: Whether more blocks of it follow: then a short first block alone is its name.
    """
    text, start = entry.block.text, entry.key.end
    if entry.form.startswith("heading"):
        return _clean_name(text[start:]), len(text)
    if entry.form == "bold" and len(entry.block.bold) > start:
        # The bold run is the name, up to its first stop: a bold creature or word may follow it without a gap.
        bold = entry.block.bold
        stop = next((end for end in _NAME_END.finditer(bold, start) if end.start() - start > _SHORTEST_WORD), None)
        return _clean_name(bold[start : stop.start() if stop else len(bold)]), stop.end() if stop else len(bold)
    headline = followed and text[-1:].isalnum()
    return _plain_name(text, start, alone=entry.form == "bold" or headline)


def _plain_name(text: str, start: int, *, alone: bool) -> tuple[str, int]:
    end = _NAME_END.search(text, start, start + _LONGEST_NAME + 2)
    stop = end.end() if end else len(text)
    name = _clean_name(text[start : end.start() if end else len(text)])
    if not name or len(name) > _LONGEST_NAME or len(name.split()) > _MOST_NAME_WORDS or _NO_NAME.search(name):
        return "", start
    # A whole entry of one sentence is its text, not a name without a text, unless it stands alone in capitals or bold.
    if stop >= len(text.rstrip()) and not alone and not name.isupper():
        return "", start
    return name, stop


def _clean_name(text: str) -> str:
    return text.strip().strip(".:–—- \t").strip()


def _area(entry: Entry, name: tuple[str, int], outline: Outline, following: dict[int, int]) -> KeyedArea:
    printed, offset = name
    first = entry.block
    head = Block(first.page, BlockKind.PARAGRAPH, 0, first.text[offset or entry.key.end :].strip())
    rest = area_rest(outline, entry.index, following[entry.index], first.tier)
    blocks = tuple(block for block in (head, *rest) if block.text)
    pages = tuple(sorted({first.page, *(block.page for block in blocks)}))
    return KeyedArea(
        entry.key.label, entry.key.bare, printed, entry.index, entry.place, blocks, pages, entry.form,
        outline.paths[entry.index],
    )  # fmt: skip


def area_rest(outline: Outline, start: int, stop: int, tier: int) -> list[Block]:
    """Return the blocks after an area's first that still belong to it.

    Args:
        outline: The document.
        start: Index of the area's first block.
        stop: Index where the next area starts.
        tier: Rank of the area's own heading, 0 if it has none.
    """
    section = max((head.tier for head in outline.paths[start] if head.tier < PSEUDO_TIER), default=0)
    limit = tier or section or 6
    blocks: list[Block] = []
    for index in range(start + 1, stop):
        block, heading = outline.blocks[index], outline.headings[index]
        if WANDERING_LEAD.match(block.text) or (heading is not None and _ends_area(heading, limit)):
            break
        blocks.append(block)
    return blocks


def _ends_area(heading: Heading, limit: int) -> bool:
    if FACET_WORDS.fullmatch(heading.text):
        return False
    if heading.tier >= PSEUDO_TIER:
        # A short line is rarely a heading; only one that opens like the head of another list ends an area.
        return names_level(heading.text) or bool(LIST_WORDS.match(heading.text))
    return heading.tier <= limit or names_level(heading.text) or bool(LIST_WORDS.search(heading.text))


def flowing(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """Return an area's blocks with paragraphs joined that a column or page break cut in two.

    A paragraph goes on where it ends in a comma or hyphen, or without any stop before a small letter. A stat block broken
    across columns becomes one again.
    """
    joined: list[Block] = []
    for block in blocks:
        before = joined[-1] if joined else None
        if (
            before is not None
            and before.kind is block.kind is BlockKind.PARAGRAPH
            and _goes_on(before.text, block.text)
        ):
            joined[-1] = replace(before, text=f"{before.text} {block.text}")
        else:
            joined.append(block)
    return tuple(joined)


def _goes_on(before: str, after: str) -> bool:
    return before.endswith((",", ";", "–", "(")) or (before[-1:].isalnum() and after[:1].islower())


def area_text(blocks: Sequence[Block]) -> str:
    """Return an area's words as running text, tables row by row."""
    return " ".join(block.text.replace("\n", "; ") if block.rows else block.text for block in blocks)
