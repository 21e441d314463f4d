"""Lines of a page as they will be read: cleaned, upright, without shadows and invisible doubles. Pure."""

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from osrforge_assets.modules.pages.fragments import joined_fragments, joined_sentences, without_shadows
from osrforge_assets.modules.pages.letters import SOFT_HYPHEN, UNMAPPED, clean, with_readings, words
from osrforge_assets.modules.pages.line import Line, Run
from osrforge_assets.modules.pages.raw_page import Box, RawLine, RawPage, RawSpan

_SPACE = 0.27


@dataclass(frozen=True, slots=True)
class PageLines:
    """The lines of a page.

    Attributes:
        lines: In the order of the file.
        repaired: How many damaged letters were read.
        unmapped: How many remain.
        recognized: Whether some of the text comes from a recognition layer of the file.
    """

    lines: tuple[Line, ...]
    repaired: int
    unmapped: int
    recognized: bool


def page_lines(page: RawPage, readings: dict[str, str]) -> PageLines:
    """Return the lines of `page` to be read.

    Invisible text is taken only where an image lies under it and no visible text stands in the same place: that is the
    recognition layer of a scan. Anywhere else it is not printed, so it is not part of the module.
    """
    visible = [line for line in page.lines if any(span.visible and span.text.strip() for span in line.spans)]
    hidden = [line for line in page.lines if line.spans and not any(span.visible for span in line.spans)]
    kept_hidden = [line for line in hidden if _over_image(line, page.images) and not _covered(line, visible)]
    result: list[Line] = []
    repaired = unmapped = 0
    for raw in [*visible, *kept_hidden]:
        line, fixed, unread = _line(raw, readings)
        if line is None or not _inside(line, page):
            continue
        repaired += fixed
        unmapped += line.text.count(UNMAPPED) + unread
        result.append(line)
    return PageLines(
        tuple(joined_sentences(joined_fragments(without_shadows(result)))),
        repaired,
        unmapped,
        bool(kept_hidden) or page.recognized,
    )


def vocabulary(pages: Iterable[RawPage]) -> Counter[str]:
    """Return how often each word occurs, without the halves of words that a line end divides."""
    count: Counter[str] = Counter()
    for page in pages:
        after_hyphen = False
        for line in page.lines:
            text = clean("".join(span.text for span in line.spans)).strip()
            tokens = text.split()
            if after_hyphen and tokens:
                tokens = tokens[1:]
            after_hyphen = text.endswith(("-", "‐", SOFT_HYPHEN))
            if after_hyphen and tokens:
                tokens = tokens[:-1]
            if UNMAPPED in text or "-" in text:
                _count_tokens(tokens, count)
            else:
                count.update(words(" ".join(tokens)))
    return count


def _count_tokens(tokens: list[str], count: Counter[str]) -> None:
    for token in tokens:
        if UNMAPPED not in token:
            count.update(words(token))
            if "-" in token.strip("-"):
                count[token.strip(".,;:!?()[]\"“”'’").casefold()] += 1


def _line(raw: RawLine, readings: dict[str, str]) -> tuple[Line | None, int, int]:
    """Return a line, how many of its letters were repaired, and how many were dropped as unreadable."""
    runs: list[Run] = []
    fixed = unread = longest = 0
    size, family = 0.0, ""
    for span in raw.spans:
        text, read, dropped = _read(span, readings) if span.glyphs else (clean(span.text), 0, 0)
        fixed, unread = fixed + read, unread + dropped
        if len(text) > longest or (not family and text):
            longest, size, family = len(text), span.size, span.font
        if runs and runs[-1].bold == span.bold:
            runs[-1] = Run(runs[-1].text + text, span.bold)
        elif text:
            runs.append(Run(text, span.bold))
    text = "".join([run.text for run in runs])
    bare = text.strip()
    if not bare:
        return None, 0, 0
    # Leading and trailing spaces move the edges that layout is read from.
    first, last = raw.spans[0], raw.spans[-1]
    space = min(_SPACE * first.size, (last.end - first.start) / len(text)) if len(bare) < len(text) else 0.0
    lead = len(text) - len(text.lstrip())
    line = Line(
        x0=first.start + space * lead,
        x1=last.end - space * (len(text) - len(bare) - lead),
        baseline=raw.baseline,
        size=max(size, 0.1),
        runs=_stripped(runs),
        box=(raw.x0, raw.y0, raw.x1, raw.y1),
        angle=_degrees(raw.dx, raw.dy),
        family=family,
    )
    return line, fixed, unread


def _read(span: RawSpan, readings: dict[str, str]) -> tuple[str, int, int]:
    """Return the text of a span with damaged letters, how many were repaired, and how many dropped."""
    read = with_readings(span.text, span.glyphs, readings)
    fixed = span.text.count(UNMAPPED) - read.count(UNMAPPED)
    text = clean(read)
    if any("@" in glyph for glyph in span.glyphs):
        # Control codes without a reading print nothing; they are counted, not kept.
        return text.replace(UNMAPPED, ""), fixed, text.count(UNMAPPED)
    return text, fixed, 0


def _stripped(runs: list[Run]) -> tuple[Run, ...]:
    if len(runs) == 1:
        text = runs[0].text.strip()
        return (runs[0],) if text == runs[0].text else (Run(text, runs[0].bold),)
    inner = [Run(runs[0].text.lstrip(), runs[0].bold), *runs[1:-1], Run(runs[-1].text.rstrip(), runs[-1].bold)]
    return tuple(run for run in inner if run.text)


def _degrees(dx: float, dy: float) -> int:
    if (dx, dy) == (1.0, 0.0):
        return 0
    return round(math.degrees(math.atan2(dy, dx))) % 360


def _inside(line: Line, page: RawPage) -> bool:
    x, y = line.center
    return 0 <= x <= page.width and 0 <= y <= page.height


def _over_image(line: RawLine, images: tuple[Box, ...]) -> bool:
    x, y = (line.x0 + line.x1) / 2, (line.y0 + line.y1) / 2
    return any(image[0] <= x <= image[2] and image[1] <= y <= image[3] for image in images)


def _covered(line: RawLine, others: list[RawLine]) -> bool:
    x, y = (line.x0 + line.x1) / 2, (line.y0 + line.y1) / 2
    return any(other.x0 <= x <= other.x1 and other.y0 <= y <= other.y1 for other in others)
