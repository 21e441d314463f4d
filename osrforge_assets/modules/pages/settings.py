"""Settings of the page reader: each knob with the reason for its default, and the digest of what changes output."""

import hashlib
import importlib.util
import json
import os
from functools import cache
from importlib.metadata import PackageNotFoundError, version

from pydantic import BaseModel, ConfigDict, Field

# Raise when the reader's own code changes what a page's image, text or flags are: known pages are then read again.
READER_VERSION = 2

# A worker holds 60 to 120 MB, and a third one beside the parent would leave the 500 MB a 500-page source may take.
_MOST_WORKERS = 2


class PageSettings(BaseModel):
    """How pages are rendered and read, and what a source may cost.

    Attributes:
        dpi: Resolution of the render in dots per inch.
        max_edge: Longest edge of a render in pixels.
        max_pixels: Most pixels of a render.
        max_source_bytes: Largest source in bytes.
        max_pages: Most pages read of one source.
        page_seconds: Seconds one page, or opening the document, may take.
        worker_bytes: Address space of a reading process in bytes, where the system can limit it.
        workers: Reading processes at most.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    # 150 DPI: 9-point type is 19 px high, which vision models read; 200 DPI nearly doubles pixels and tokens.
    dpi: int = Field(default=150, ge=36, le=600)
    # Vision services cap an image at 2000 px from the 21st of a request on. A4 and US Letter at 150 DPI have 1754 and
    # 1650 px, so nothing is lost on them.
    max_edge: int = Field(default=2000, ge=200, le=8000)
    # The square of the edge: it only bites where the edge was raised (12 bytes a pixel while a page is encoded).
    max_pixels: int = Field(default=4_000_000, ge=40_000, le=64_000_000)
    # Scanned hardcovers reach 100 to 300 MB.
    max_source_bytes: int = Field(default=512 * 1024**2, ge=1)
    # The largest printed megadungeons have about 900 pages.
    max_pages: int = Field(default=1500, ge=1, le=100_000)
    # Ordinary pages take 0.02 to 0.3 s; the slowest page of the corpus that ends at all takes a few seconds.
    page_seconds: float = Field(default=30.0, gt=0, le=3600)
    # Workers need 0.1 GB at rest; the limit leaves room for a 10,000 x 10,000 image and stops a decompression bomb.
    worker_bytes: int = Field(default=2 * 1024**3, ge=256 * 1024**2)
    workers: int = Field(default=min(os.cpu_count() or 1, _MOST_WORKERS), ge=1, le=32)

    def settings_digest(self) -> str:
        """Return the digest of everything besides a page's own content that decides how it is rendered and read."""
        deciding = {
            "dpi": self.dpi,
            "max_edge": self.max_edge,
            "max_pixels": self.max_pixels,
            "reader": READER_VERSION,
            "libraries": {name: _version(name) for name in ("pymupdf", "isal", "rapidocr-onnxruntime")},
        }
        return hashlib.sha256(json.dumps(deciding, sort_keys=True).encode("utf-8")).hexdigest()


@cache
def ocr_available() -> bool:
    """Return whether the optional text recognition (extra `ocr`) is installed."""
    return importlib.util.find_spec("rapidocr_onnxruntime") is not None


@cache
def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
