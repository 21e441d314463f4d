"""Pages a second of the page reader against a plain loop of the PDF library's render and default PNG.

    python benchmarks/page_renders.py [PDF ...]

Each file is repeated to at least 60 pages, so that starting processes amortizes, with a mark on each page, so that no
page is known again from an equal one; what starting costs is printed apart. The reader does more than the loop: text,
layout and a store on disk; `render` is the part that the loop does, in one process as the loop does it. Medians of several rounds, both sides in one run, alternating. Without arguments: the demo
module and, where it is there, the corpus beside the checkout.
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import pymupdf

from osrforge_assets.modules.pages.png import encode_png
from osrforge_assets.modules.pages.reading import read_pages
from osrforge_assets.modules.pages.settings import PageSettings
from osrforge_resources.store import Store

_ROOT = Path(__file__).parents[1]
_CORPUS = _ROOT.parent / "shared" / "corpus" / "modules"
_NAMES = ("minimod.pdf", "darkloch.pdf", "darkloch-scan.pdf", "las-pruebas-del-sabio-es.pdf", "gamebooklib.pdf")


def repeated(path: Path, least: int) -> bytes:
    """Return the document with its pages repeated to at least `least`, each with a mark of its own."""
    source = pymupdf.open(path)
    target = pymupdf.open()
    while target.page_count < least:
        target.insert_pdf(source)
    for page in target:
        page.insert_text((4, 8), str(page.number), fontsize=4)
    return target.tobytes(garbage=4, deflate=True)


def plain_loop(data: bytes, folder: Path) -> float:
    """Return the seconds of rendering every page and saving it as the library's default PNG."""
    start = time.perf_counter()
    document = pymupdf.open("pdf", data)
    for page in document:
        page.get_pixmap(dpi=150).save(str(folder / f"{page.number}.png"))
    return time.perf_counter() - start


def renders_alone(data: bytes) -> float:
    """Return the seconds of rendering and encoding every page as a reading process does, without all else it does."""
    start = time.perf_counter()
    document = pymupdf.open("pdf", data)
    for page in document:
        pixmap = page.get_displaylist().get_pixmap(matrix=pymupdf.Matrix(150 / 72, 150 / 72), colorspace=pymupdf.csRGB)
        encode_png(pixmap.samples_mv, pixmap.width, pixmap.height)
    return time.perf_counter() - start


def page_reader(data: bytes, settings: PageSettings) -> float:
    """Return the seconds of reading every page into a new store on disk: renders, layers, texts, records."""
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        read_pages(data, Store(folder), settings, module="benchmark")
        return time.perf_counter() - start


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pdf", nargs="*", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--pages", type=int, default=60)
    options = parser.parse_args()
    files = options.pdf or [
        _ROOT / "tests" / "data" / "demo_module.pdf",
        *(path for name in _NAMES if (path := _CORPUS / name).exists()),
    ]
    settings = PageSettings()
    one_page = pymupdf.open()
    one_page.new_page()
    start_up = median(page_reader(one_page.tobytes(), settings) for _ in range(options.rounds))
    print(f"start-up: a blank page takes {start_up:.2f} s; {settings.workers} workers for longer documents")
    print(
        f"{'file':42} {'pages':>5} {'plain pages/s':>14} {'reader pages/s':>15} {'ratio':>6} {'w/o start-up':>13} {'render':>7}"
    )
    for path in files:
        data = repeated(path, options.pages)
        pages = pymupdf.open("pdf", data).page_count
        plain: list[float] = []
        ours: list[float] = []
        alone: list[float] = []
        for _ in range(options.rounds):
            with tempfile.TemporaryDirectory() as folder:
                plain.append(plain_loop(data, Path(folder)))
            ours.append(page_reader(data, settings))
            alone.append(renders_alone(data))
        slow, fast = median(plain), median(ours)
        print(
            f"{path.name:42} {pages:5} {pages / slow:14.1f} {pages / fast:15.1f} {slow / fast:6.2f}"
            f" {slow / max(fast - start_up, 0.01):13.2f} {slow / median(alone):7.2f}",
            flush=True,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
