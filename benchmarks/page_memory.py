"""Peak memory of reading a 500-page PDF: this process and its reading processes together.

    python benchmarks/page_memory.py [PDF] [--pages 500]

The PDF is made by repeating a file's pages, with a mark on each so that no page is known again from an equal one.
Resident memory is sampled every 20 ms; shared libraries count once a process, so the sum is an upper bound.
"""

import argparse
import sys
import tempfile
import threading
import time
from pathlib import Path

import psutil
import pymupdf

from osrforge_assets.modules.pages.reading import read_pages
from osrforge_assets.modules.pages.settings import PageSettings
from osrforge_resources.store import Store

_ROOT = Path(__file__).parents[1]
_LIMIT_MB = 500


def repeated(path: Path, least: int, target: Path) -> int:
    """Write the document with its pages repeated to at least `least`, each marked, and return how many there are."""
    source, made = pymupdf.open(path), pymupdf.open()
    while made.page_count < least:
        made.insert_pdf(source)
    for page in made:
        page.insert_text((4, 8), str(page.number), fontsize=4)
    count = made.page_count
    made.save(target, garbage=4, deflate=True)
    return count


class Peak(threading.Thread):
    """Samples the resident memory of this process and all below it."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.most = 0
        self.parent_most = 0
        self.running = True

    def run(self) -> None:
        """Sample until told to stop."""
        own = psutil.Process()
        while self.running:
            parent = own.memory_info().rss
            total = parent
            for child in own.children(recursive=True):
                try:
                    total += child.memory_info().rss
                except psutil.NoSuchProcess:
                    continue
            self.most, self.parent_most = max(self.most, total), max(self.parent_most, parent)
            time.sleep(0.02)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pdf", nargs="?", type=Path, default=_ROOT / "tests" / "data" / "demo_module.pdf")
    parser.add_argument("--pages", type=int, default=500)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "long.pdf"
        # In a process of its own, since building the file takes more memory than reading it.
        import multiprocessing

        with multiprocessing.get_context("spawn").Pool(1) as pool:
            pages = pool.apply(repeated, (options.pdf, options.pages, path))
        data = path.read_bytes()
        peak = Peak()
        peak.start()
        start = time.perf_counter()
        read_pages(data, Store(Path(folder) / "store"), PageSettings(), module="benchmark")
        seconds = time.perf_counter() - start
        peak.running = False
        peak.join()
    most, parent = peak.most / 1024**2, peak.parent_most / 1024**2
    print(f"{options.pdf.name} x {pages} pages, {len(data) / 1024**2:.1f} MB: {seconds:.1f} s")
    print(f"peak resident memory {most:.0f} MB (parent alone {parent:.0f} MB); limit {_LIMIT_MB} MB")
    return 0 if most < _LIMIT_MB else 1


if __name__ == "__main__":
    sys.exit(main())
