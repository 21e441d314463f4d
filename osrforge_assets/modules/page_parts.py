"""How a page travels in a request: its marked text, then its image. Survey, census and content all use this form."""

from collections.abc import Iterable
from dataclasses import dataclass

from osrforge_resources.model_provider import ImagePart, TextPart
from osrforge_resources.request_text import write_page


@dataclass(frozen=True, slots=True)
class RequestPage:
    """A page ready to be sent.

    Attributes:
        number: The `[page N]` number.
        text: Reading-order text, "" if the page has none.
        png: The render, None if the request carries no image of it.
    """

    number: int
    text: str
    png: bytes | None


def page_parts(pages: Iterable[RequestPage]) -> tuple[TextPart | ImagePart, ...]:
    """Return the parts of `pages` in order: a text part `[page N]` + newline + text, then the image if there is one.

    The marker heads a part of its own, so a page whose text contains the words `[page 9]` cannot pretend to be page 9.
    """
    parts: list[TextPart | ImagePart] = []
    for page in pages:
        parts.append(TextPart(write_page(page.number, page.text)))
        if page.png is not None:
            parts.append(ImagePart(page.png))
    return tuple(parts)
