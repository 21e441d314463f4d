"""The parts of a request as a document: its pages' blocks, its title, and where earlier pages ended."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from osrforge_resources.model_provider import ModelRequest, TextPart
from osrforge_resources.offline.outline import Outline, read_outline
from osrforge_resources.offline.page_text import Block, BlockKind, read_blocks
from osrforge_resources.offline.printed_keys import read_key
from osrforge_resources.offline.vocabulary import LICENCE_WORDS, LIST_WORDS
from osrforge_resources.request_text import Carry, read_carry, read_page

_BY_LINE = re.compile(
    r"^(?:by|written by|an? .{0,30}by|por|von|par|di)\s|https?://|www\.|©|\bcopyright\b", re.IGNORECASE
)
_LONGEST_TITLE = 120
# Every word that counts starts with a capital.
_CAPITALIZED = re.compile(
    r"[A-ZÀ-Þ][\w'’-]*(?:\s(?:of|the|and|in|on|to|for|a|an|at|de|la|el|los|las|del|y|[A-ZÀ-Þ(][\w'’)-]*))+"
)


@dataclass(frozen=True, slots=True)
class Document:
    """The pages of one request.

    Attributes:
        pages: Page numbers in request order.
        texts: Their texts as sent.
        outline: Their blocks and headings, pages joined in order.
        carry: Where the pages before this window ended, None for a whole document, its first window, and where no list of
            areas was open.
        title: The title that earlier pages print, "" if there are none or they print none.
    """

    pages: tuple[int, ...]
    texts: tuple[str, ...]
    outline: Outline
    carry: Carry | None
    title: str = ""


def read_document(request: ModelRequest) -> Document:
    """Return the pages that a request's text parts carry; images are not looked at."""
    texts = [part.text for part in request.parts if isinstance(part, TextPart)]
    pages = [page for text in texts if (page := read_page(text)) is not None]
    # A page given twice (a map page among the batch's own) is read once.
    distinct = dict(reversed(pages))
    ordered = sorted(distinct.items())
    carry = next((found for text in texts if (found := read_carry(text)) is not None), None)
    blocks = join_pages(read_blocks(number, text) for number, text in ordered)
    return Document(
        tuple(number for number, _ in ordered),
        tuple(text for _, text in ordered),
        read_outline(blocks),
        carry if carry is not None and carry.is_open else None,
        carry.title if carry is not None else "",
    )


def join_pages(pages: Iterable[list[Block]]) -> list[Block]:
    """Return the blocks of pages in order."""
    return [block for page in pages for block in page]


def document_title(document: Document) -> str:
    """Return the printed title: the highest heading of the first page that prints one, else its first short line.

    A title that earlier pages print stands: on these pages the highest heading is a chapter's.
    """
    if document.title:
        return document.title
    blocks = [
        block for block in document.outline.blocks if block.text and block.page <= min(document.pages, default=1) + 1
    ]
    headings = [block for block in blocks if block.kind is BlockKind.HEADING and _may_be_title(block.text)]
    if headings:
        best = min(headings, key=lambda block: (block.page, block.tier))
        return best.text[:_LONGEST_TITLE]
    # A sheet without larger print: its first short line of capitalized words, or its first line of all.
    lines = [head.text for head in document.outline.headings if head is not None and _may_be_title(head.text)]
    named = next((line for line in lines if _CAPITALIZED.fullmatch(line)), "")
    first = next((block.text for block in blocks[:3] if _may_be_title(block.text)), "")
    return named or (first if len(first) <= _LONGEST_TITLE and not first.endswith((".", ",", ";")) else "")


def _may_be_title(text: str) -> bool:
    if _BY_LINE.search(text) or read_key(text) or LICENCE_WORDS.search(text):
        return False
    return not (LIST_WORDS.search(text) and len(text.split()) <= 2)
