"""Marks set apart from the text they lead: bullets and numbers in a hanging margin, drop caps. Pure."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from osrforge_assets.modules.pages.line import Line, Run
from osrforge_assets.modules.pages.raw_page import Box

_MARK = re.compile(r"[•◦▪▫●○■□◆◇‣⁃∙★☆✦✧➤►▶→❖✓✔☐·\ufffd–—*-]|[#(]?[A-Z]{0,2}\d{1,3}[a-z]?[.):]")
_BULLET = re.compile(r"[•◦▪▫●○■□◆◇‣⁃∙★☆✦✧➤►▶→❖✓✔☐·\ufffd–—*-]")
_MARK_GAP = 3.0
_DROP_CAP = 1.8


def joined_markers(lines: Sequence[Line]) -> list[Line]:
    """Return the lines with bullets and marked numbers that stand alone put before the line they lead."""
    marks = [line for line in lines if _MARK.fullmatch(line.text)]
    led: dict[int, Line] = {}
    used: set[int] = set()
    for mark in marks:
        target = _led_line(mark, lines)
        if target is not None and id(target) not in led:
            led[id(target)] = mark
            used.add(id(mark))
    result: list[Line] = []
    for line in lines:
        if id(line) in used:
            continue
        mark = led.get(id(line))
        if mark is None:
            result.append(line)
        elif _BULLET.fullmatch(mark.text):
            # The bullet's own width must not make a hanging indent of the lines below.
            result.append(_with_runs(line, (Run(f"{mark.text} ", line.runs[0].bold), *line.runs), line.x0))
        else:
            result.append(_with_runs(line, (*mark.runs, Run(" ", mark.runs[-1].bold), *line.runs), mark.x0))
    return result


def with_drawn_bullets(lines: Sequence[Line], images: Sequence[Box]) -> list[Line]:
    """Return the lines with a bullet before those that a small picture leads, where several lines have one alike."""
    small = {image for image in images if 2 < image[3] - image[1] < 24 and 2 < image[2] - image[0] < 24}
    led: dict[int, Box] = {}
    for line in lines:
        for image in small:
            high = image[3] - image[1]
            beside = -1 <= line.x0 - image[2] <= 1.2 * line.size and 0.3 * line.size <= high <= 1.6 * line.size
            if beside and line.top - 0.3 * line.size <= (image[1] + image[3]) / 2 <= line.bottom:
                led[id(line)] = image
                break
    alike = Counter((round(image[0]), round(image[2] - image[0])) for image in led.values())
    result: list[Line] = []
    for line in lines:
        image = led.get(id(line))
        if image is not None and alike[round(image[0]), round(image[2] - image[0])] >= 2:
            result.append(_with_runs(line, (Run("• ", line.runs[0].bold), *line.runs), line.x0))
        else:
            result.append(line)
    return result


def _led_line(mark: Line, lines: Sequence[Line]) -> Line | None:
    best: Line | None = None
    for line in lines:
        if line is mark or _MARK.fullmatch(line.text):
            continue
        gap = line.x0 - mark.x1
        level = line.top - 0.2 * line.size < mark.baseline - 0.3 * mark.size < line.bottom
        if level and -1 <= gap <= _MARK_GAP * line.size and (best is None or line.x0 < best.x0):
            best = line
    return best


def with_drop_caps(lines: Sequence[Line], vocabulary: Counter[str]) -> list[Line]:
    """Return the lines with large initial letters put before the word they begin."""
    result = list(lines)
    for cap in lines:
        text = cap.text.strip("“\"'«")
        if len(text) != 1 or not text.isalpha():
            continue
        beside = [
            line
            for line in result
            if line is not cap
            and cap.size >= _DROP_CAP * line.size
            and -0.2 * cap.size <= line.x0 - cap.x1 <= 1.2 * line.size
            and cap.top - 0.6 * line.size <= line.top
            and line.baseline <= cap.baseline + 0.5 * line.size
        ]
        if not beside:
            continue
        first = min(beside, key=lambda line: line.baseline)
        place = result.index(first)
        glue = _cap_glue(text, first.text, vocabulary)
        result[place] = _with_runs(first, (Run(cap.text + glue, first.runs[0].bold), *first.runs), first.x0)
        result.remove(cap)
    return result


def _cap_glue(letter: str, text: str, vocabulary: Counter[str]) -> str:
    """Return "" where the letter begins the word, " " where it is a word (`A cave`, `I saw`)."""
    word = text.split(" ", 1)[0].strip(".,;:!?").casefold()
    if letter.casefold() not in {"a", "i", "o", "y", "e"} or vocabulary[letter.casefold() + word]:
        return ""
    return " " if vocabulary[word] > 1 else ""


def _with_runs(line: Line, runs: tuple[Run, ...], x0: float) -> Line:
    return replace(line, runs=runs, x0=min(x0, line.x0))
