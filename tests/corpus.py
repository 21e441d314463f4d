"""Where the real inputs are that tests may use and that are never part of the project."""

from pathlib import Path

CORPUS = Path(__file__).parents[2] / "shared" / "corpus"
ABSENT = "the corpus of real files is not beside this checkout"
