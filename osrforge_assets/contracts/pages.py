"""Pages: what was rendered and read of a module's source, page by page.

Images and texts are content-addressed blobs of the store; a page set names them by digest, so a page that did not
change keeps its digests through any change of its neighbours.
"""

import hashlib
from typing import Literal

from pydantic import Field

from osrforge_assets.contracts.base import Contract
from osrforge_assets.contracts.flags import Flag

Sha256 = str


class ModuleSource(Contract):
    """The source document of a module, as it was registered.

    Attributes:
        module: The module's partition key.
        name: The file name it had when it was registered; for people, never a path.
        sha256: Digest of its bytes, which the store keeps under that digest.
        size: Its size in bytes.
        origin: Digest of the absolute path it was registered from, which tells a new edition of this module from
            another module's file of the same name.
        pages: The asked 1-based pages in ascending order, None for all of them.
    """

    schema_version: Literal[1] = 1
    module: str
    name: str
    sha256: Sha256
    size: int = Field(ge=0)
    origin: Sha256
    pages: tuple[int, ...] | None = None

    def reading_digest(self) -> str:
        """Return the digest of what is to be read: bytes and asked pages, not the file's name or place."""
        asked = "all" if self.pages is None else ",".join(map(str, self.pages))
        return hashlib.sha256(f"{self.sha256} {asked}".encode()).hexdigest()


class PageImage(Contract):
    """A page's render: a PNG blob.

    Attributes:
        sha256: Digest of the PNG bytes: the blob's address in the store. One encoder writes every render and its
            version is part of the page reader's version, so an encoder change is visible on purpose.
        size: Bytes of the PNG.
        width: Pixels.
        height: Pixels.
    """

    sha256: Sha256
    size: int = Field(ge=1)
    width: int = Field(ge=1)
    height: int = Field(ge=1)


class Page(Contract):
    """One page as read.

    Attributes:
        number: 1-based position in the source document, the `N` of a `[page N]` marker; printed numbers play no part.
        content: Digest of everything in the source that the page is drawn from: the key under which an unchanged page of
            a changed source is found again. None where the page failed.
        image: The render, None where the page failed.
        layer: Digest of the raw text layer's blob, in the order the file has it.
        text: Digest of the reading-order text's blob (light Markdown, see `modules/pages/reading_order.py`).
        characters: Length of the reading-order text in characters; 0 means there is nothing to read.
        labels: Loose short texts drawn into a map or picture, in reading order; they are not in `text`.
        removed: Running heads, page numbers and watermark lines that were left out of `text`.
        flags: What is uncertain about this page.
    """

    number: int = Field(ge=1)
    content: Sha256 | None
    image: PageImage | None
    layer: Sha256
    text: Sha256
    characters: int = Field(ge=0)
    labels: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    flags: tuple[Flag, ...] = ()


class PageSet(Contract):
    """All read pages of a module, written last: a page set that exists is complete.

    Attributes:
        module: The module's partition key.
        source: Digest of the source bytes.
        source_pages: How many pages the source has, including those not asked for.
        title: The document title of the file's own metadata, "" if it has none.
        settings: Digest of the settings and reader version the pages were made with.
        pages: In ascending page number.
        flags: What is uncertain about the document as a whole.
    """

    schema_version: Literal[1] = 1
    module: str
    source: Sha256
    source_pages: int = Field(ge=1)
    title: str
    settings: Sha256
    pages: tuple[Page, ...]
    flags: tuple[Flag, ...] = ()
