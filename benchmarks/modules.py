"""What the module lane finds in real modules against hand-checked truth, and the time a file takes; offline.

    python benchmarks/modules.py [--details] [PDF ...]

Every file is converted in this process with the offline reader, in a home that is thrown away. The truth of `NAME.pdf` is
`../truth/NAME.yaml` or `NAME.yaml` beside it. Columns read found/missed/invented; a file without truth shows only what was
found. Files whose truth holds no area are the negative controls. Without arguments: the demo module and, where it is
there, the corpus beside the checkout. Ends with 1 if an area was invented.
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import yaml  # the truth files' format

sys.path.insert(0, str(Path(__file__).parents[1]))

from osrforge_assets.command_graph import open_graph
from osrforge_assets.conversion import Conversion, Converter
from osrforge_assets.evaluation.areas import AreaScores, score_areas
from osrforge_resources.progress import no_progress

_ROOT = Path(__file__).parents[1]
_CORPUS = _ROOT.parent / "shared" / "corpus" / "modules"
_COLUMNS = "{:<50} {:<15} {:>10} {:>6} {:>10} {:>8} {:>10} {:>8} {:>6} {:>7}"
# The same print in another wrapping: a copy without a truth of its own is held against its original's.
_COPIES = {"darkloch-rotate90": "darkloch", "darkloch-scan": "darkloch"}


def truth_of(pdf: Path) -> dict[str, Any] | None:
    """Return the truth of a module, None where nobody wrote one."""
    name = f"{_COPIES.get(pdf.stem, pdf.stem)}.yaml"
    path = next((path for path in (pdf.parent.parent / "truth" / name, pdf.with_name(name)) if path.is_file()), None)
    return yaml.safe_load(path.read_text(encoding="utf-8")) if path is not None else None


def row(name: str, status: str, found: str, scores: AreaScores | None, seconds: float) -> str:
    """Return a line of the table."""
    parts = (
        (scores.areas, scores.misplaced, scores.encounters, scores.treasure, scores.connections, scores.doors)
        if scores is not None
        else (found, "", "", "", "", "")
    )
    return _COLUMNS.format(name[:50], status, *map(str, parts), "", f"{seconds:.1f} s")


def convert(converter: Converter, pdf: Path) -> tuple[Conversion, float]:
    """Convert a file and return the result with the seconds it took."""
    start = time.perf_counter()
    conversion = converter.convert(pdf)
    return conversion, time.perf_counter() - start


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pdf", nargs="*", type=Path)
    parser.add_argument("--details", action="store_true", help="say every miss and invention in words")
    given = parser.parse_args()
    files = given.pdf or [_ROOT / "tests" / "data" / "demo_module.pdf", *sorted(_CORPUS.glob("*.pdf"))]
    heads = ("module", "status", "areas", "moved", "encounters", "treasure", "connected", "doors", "", "time")
    print(_COLUMNS.format(*heads))
    total, spent = AreaScores(), 0.0
    with (
        tempfile.TemporaryDirectory() as home,
        open_graph({"home": home, "provider": "offline"}, no_progress) as graph,
    ):
        converter = Converter(graph)
        for pdf in files:
            conversion, seconds = convert(converter, pdf)
            truth = truth_of(pdf)
            dossier = conversion.dossier
            scores = None if truth is None or dossier is None else score_areas(truth, dossier)
            total, spent = total + (scores or AreaScores()), spent + seconds
            status = conversion.error.code if conversion.error is not None else conversion.status
            print(row(pdf.stem, status, str(conversion.counts.get("areas", 0)), scores, seconds), flush=True)
            if given.details and scores is not None:
                print("".join(f"    {line}\n" for line in scores.details), end="")
    print(row("total", "", "", total, spent))
    return 1 if total.areas.invented else 0


if __name__ == "__main__":
    sys.exit(main())
