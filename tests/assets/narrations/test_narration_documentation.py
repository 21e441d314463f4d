from pathlib import Path

from osrforge_assets.narrations.documentation import conflicts_table, vocabulary_table

DOCUMENT = Path(__file__).parents[3] / "docs" / "narration.md"


def test_the_documentation_shows_the_vocabulary_and_the_conflicts_as_declared():
    text = DOCUMENT.read_text(encoding="utf-8")
    assert vocabulary_table() in text
    assert conflicts_table() in text
