r"""From the raw pages of a document to their text in reading order. Pure.

The text is light Markdown; every block is separated by one blank line and, tables apart, is ONE line of text:

    # Title            `#` to `####`: larger type, by its rank among the document's heading sizes
    #### 4. The hall   also a short block in bold, capitals or a display face at body size
    **1. Crypt.** A …  a paragraph; bold stays, italics are dropped; a printed key always starts a block of its own
    > You see …        a paragraph (or heading, or list entry) inside a drawn box
    - An entry         a list entry after any kind of bullet
    | d6 | Result |    a table: header row, `| --- |` row, then a row a line

Line-end hyphens are resolved, so a stat block reads the same at any line width. Text that would by itself look like
this markup at the start of a block (`#`, `>`, `|`, `\`, `**`, `- `) has a backslash before it, and `**` inside a text is
`\*\*`: what a page prints is data and can never pretend to be structure.

Notes scattered round a drawn map are read in the order of their printed keys. Not in the text: running heads and feet, page numbers, watermark lines (`Page.removed`), and loose keys drawn into maps
(`Page.labels`). Map labels of several words stay as paragraphs.

Blocks are ordered here and not by the layout model that comes with PyMuPDF 2.0, because both were weighed on the ten
corpus modules whose areas are keyed: of 98 printed keys this puts 98 at the head of a block and in printed order, at
20 to 60 ms a page with the render; the model puts 32 there, 29 of them in order (it reads the notes round a drawn map
as part of the picture), at 830 ms a page.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from osrforge_assets.modules.pages.blocks import Block, block_of, by_printed_key, gathered, with_their_text
from osrforge_assets.modules.pages.boxes import holder, text_boxes
from osrforge_assets.modules.pages.columns import in_order
from osrforge_assets.modules.pages.edges import EdgePage
from osrforge_assets.modules.pages.letters import glyph_readings
from osrforge_assets.modules.pages.line import Line
from osrforge_assets.modules.pages.lines import PageLines, page_lines, vocabulary
from osrforge_assets.modules.pages.listed_tables import listed_tables
from osrforge_assets.modules.pages.map_labels import map_labels
from osrforge_assets.modules.pages.markdown import BodyType, heading_tiers, is_heading, page_markdown
from osrforge_assets.modules.pages.markers import joined_markers, with_drawn_bullets, with_drop_caps
from osrforge_assets.modules.pages.paragraphs import Paragraph, paragraphs
from osrforge_assets.modules.pages.raw_page import RawPage, Shape
from osrforge_assets.modules.pages.ruled_tables import ruled_tables
from osrforge_assets.modules.pages.running_lines import running_lines
from osrforge_assets.modules.pages.tables import find_table

# A page with less text than this has no size of its own that could be told from its headings.
_OWN_SIZE_CHARACTERS = 300
_RULE_THICKNESS = 3.0
_HEADING = 1.15
_LONGEST_TITLE, _TITLE_SIZE = 60, 2.0


@dataclass(frozen=True, slots=True)
class PageText:
    """A page as text.

    Attributes:
        text: Light Markdown in reading order.
        labels: Loose keys of its maps, in reading order.
        removed: Running heads, page numbers and watermark lines.
        repaired: How many damaged letters were read.
        unmapped: How many glyphs without a meaning remain.
        recognized: Whether text comes from recognition.
    """

    text: str
    labels: tuple[str, ...]
    removed: tuple[str, ...]
    repaired: int
    unmapped: int
    recognized: bool


def document_text(pages: Sequence[tuple[int, RawPage]], title: str) -> list[PageText]:
    """Return the text of each page.

    Args:
        pages: 1-based page numbers and raw pages, ascending; pages of a document are judged together, since running
            heads, hyphens and heading sizes show only in comparison.
        title: The document's title, "" if it has none.
    """
    words = vocabulary(page for _, page in pages)
    readings = glyph_readings(
        (("".join(span.text for span in line.spans), tuple(glyph for span in line.spans for glyph in span.glyphs))
        for _, page in pages
        for line in page.lines
        if any(span.glyphs for span in line.spans)),
        words,
    )  # fmt: skip
    read = [page_lines(page, readings) for _, page in pages]
    bodies = _body_sizes(read)
    edges = [
        EdgePage(number, page.width, page.height, found.lines, body)
        for (number, page), found, body in zip(pages, read, bodies, strict=True)
    ]
    removed = running_lines(edges, title)
    laid_out = [
        _lay_out(page, found, dropped, body, words)
        for (_, page), found, dropped, body in zip(pages, read, removed, bodies, strict=True)
    ]
    if laid_out:
        _promote_title(laid_out[0][0], bodies[0])
    sizes = [
        [paragraph.size for paragraph in made if is_heading(paragraph, body)]
        for (made, _), body in zip(laid_out, bodies, strict=True)
    ]
    later = [size for own in sizes[1:] for size in own]
    tiers = heading_tiers(later, sizes[0]) if len(sizes) > 1 else heading_tiers(sizes[0] if sizes else ())
    return [
        PageText(
            text=page_markdown(made, tiers, BodyType(body, _family(found.lines, body))),
            labels=labels,
            removed=tuple(" ".join(found.lines[position].text.split()) for position in sorted(dropped)),
            repaired=found.repaired,
            unmapped=found.unmapped,
            recognized=found.recognized,
        )
        for (made, labels), found, dropped, body in zip(laid_out, read, removed, bodies, strict=True)
    ]


def _promote_title(first_page: list[Paragraph], body: float) -> None:
    """Make the short line that heads the first page its title, where no larger type says which line is."""
    if len(first_page) < 2 or any(is_heading(paragraph, body) for paragraph in first_page):
        return
    top = first_page[0]
    plain = top.table is None and not (top.boxed or top.bullet or top.keyed) and top.lines == 1
    if plain and len(top.text) <= _LONGEST_TITLE and top.text[-1:].isalpha() and top.text[:1].isupper():
        top.size = _TITLE_SIZE * body


def _body_sizes(read: Sequence[PageLines]) -> list[float]:
    """Return the body size of each page: its most frequent one, or the document's where the page has little text."""
    counts = [_size_counts(found.lines) for found in read]
    total: Counter[float] = Counter()
    for count in counts:
        total.update(count)
    usual = total.most_common(1)[0][0] if total else 10.0
    bodies: list[float] = []
    for count in counts:
        own, characters = count.most_common(1)[0] if count else (usual, 0)
        bodies.append(own if characters >= _OWN_SIZE_CHARACTERS else usual)
    return bodies


def _family(lines: Sequence[Line], body: float) -> str:
    count: Counter[str] = Counter()
    for line in lines:
        if abs(line.size - body) <= 0.6:
            count[line.family] += len(line.text)
    return count.most_common(1)[0][0] if count else ""


def _size_counts(lines: Sequence[Line]) -> Counter[float]:
    count: Counter[float] = Counter()
    for line in lines:
        count[round(line.size * 2) / 2] += len(line.text)
    return count


def _lay_out(
    page: RawPage, found: PageLines, dropped: set[int], body: float, words: Counter[str]
) -> tuple[list[Paragraph], tuple[str, ...]]:
    kept = [line for position, line in enumerate(found.lines) if position not in dropped]
    # Tables come first: their rolls would pass for keys of a map, and their entries for keyed areas.
    ruled, upright = ruled_tables([line for line in kept if line.angle == 0], page.shapes)
    listed, upright = listed_tables(upright, page.shapes)
    loose = [*upright, *(line for line in kept if line.angle != 0)]
    label_positions = map_labels(loose, page.drawings, page.images, page.width * page.height)
    labels = tuple(key for position in label_positions for key in loose[position].text.split())
    taken = set(label_positions)
    lines = with_drawn_bullets([line for position, line in enumerate(loose) if position not in taken], page.images)
    blocks = _upright_blocks(page, [line for line in lines if line.angle == 0], [*ruled, *listed], body, words)
    result = paragraphs(blocks, words, body)
    for angle in sorted({line.angle for line in lines} - {0}):
        turned = [line for line in lines if line.angle == angle]
        result += paragraphs(in_order(_blocks(turned, [], words), body, find_table), words, body)
    return result, labels


def _upright_blocks(
    page: RawPage, lines: list[Line], tables: list[Block], body: float, words: Counter[str]
) -> list[Block]:
    boxes = text_boxes(page.shapes, lines, body)
    by_box: dict[int | None, list[Line]] = {}
    for line in lines:
        by_box.setdefault(holder(boxes, line), []).append(line)
    free = by_box.pop(None, [])
    rules = _rules(page.shapes, lines)
    blocks = [*with_their_text(_with_underlines(_blocks(free, rules, words), rules, body), body), *tables]
    for inside in by_box.values():
        # Its place is that of its text: borders of neighbouring boxes may overlap across a gutter.
        box = block_of(inside)
        box.inner = in_order(_blocks(inside, [], words), body, find_table)
        blocks.append(box)
    ordered = in_order(blocks, body, find_table)
    return by_printed_key(ordered) if page.drawings else ordered


def _blocks(lines: list[Line], rules: list[Block], words: Counter[str]) -> list[Block]:
    return gathered(joined_markers(with_drop_caps(lines, words)), rules)


def _rules(shapes: Sequence[Shape], lines: Sequence[Line]) -> list[Block]:
    """Return the horizontal rules of a page, without underlines of words."""
    rules: list[Block] = []
    for shape in shapes:
        if shape.y1 - shape.y0 > _RULE_THICKNESS or shape.x1 - shape.x0 < 60:
            continue
        underlines = any(
            line.x0 - 2 <= shape.x0
            and shape.x1 <= line.x1 + 2
            and line.baseline - 2 <= shape.y0 <= line.baseline + 0.35 * line.size
            for line in lines
        )
        if not underlines:
            rules.append(Block(shape.x0, shape.y0, shape.x1, shape.y1, []))
    return rules


def _with_underlines(blocks: list[Block], rules: Sequence[Block], body: float) -> list[Block]:
    """Return the blocks, a heading as wide as the rule right under it: it then heads all columns the rule spans."""
    for block in blocks:
        if block.lines[0].size <= _HEADING * body:
            continue
        for rule in rules:
            near = 0 <= rule.top - block.lines[-1].baseline <= 1.2 * block.lines[-1].size
            if near and len(block.lines) <= 2 and rule.x0 <= block.x0 + 4 and rule.x1 >= block.x1:
                block.x0, block.x1 = min(block.x0, rule.x0), rule.x1
    return blocks
