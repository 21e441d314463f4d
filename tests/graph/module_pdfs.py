"""Small modules made on the spot: one page a level, each area a numbered paragraph."""

from collections.abc import Mapping, Sequence
from pathlib import Path

Levels = Mapping[int, Sequence[str]]

# Level 1 to 3 of a module that every graph test starts from.
PIT: Levels = {
    1: (
        "1. Guard room. Two goblins watch the north door, which leads to area 2.",
        "2. Store room. Barrels of salted fish stand along the wall. A chest holds 120 sp.",
    ),
    2: (
        "1. Flooded hall. Three giant rats swim in the black water. A corridor leads east to area 2.",
        "2. Shrine. A stone altar stands here. Behind it lies a silver cup worth 25 gp.",
    ),
    3: (
        "1. Bone pit. Four skeletons rise from the pit when anyone enters.",
        "2. Crypt. A locked door leads west to area 1. An ogre sleeps on a heap of 300 gp.",
    ),
}


def write_module(
    path: Path, levels: Levels, *, title: str = "The Testing Pit", motto: str = "", drawn: int | None = None
) -> Path:
    """Write a module with a title page and one page a level; the same text gives the same bytes.

    Args:
        path: Where to.
        levels: The printed areas of each level.
        title: Stands on the title page.
        motto: Stands below it.
        drawn: The level whose page gets a picture, which changes its pixels and no text.
    """
    import pymupdf

    document = pymupdf.open()
    cover = document.new_page(width=595, height=842)
    cover.insert_text((72, 120), title, fontsize=28)
    cover.insert_text((72, 160), "An adventure for characters of levels 1 to 3.", fontsize=11)
    if motto:
        cover.insert_text((72, 200), motto, fontsize=11)
    for number, areas in levels.items():
        page = document.new_page(width=595, height=842)
        page.insert_text((72, 80), f"Level {number}", fontsize=20)
        if number == drawn:
            page.draw_circle((300, 600), 80)
        top = 110.0
        for area in areas:
            box = pymupdf.Rect(72, top, 523, top + 70)
            page.insert_textbox(box, area, fontsize=11)
            top += 80
    path.parent.mkdir(parents=True, exist_ok=True)
    document.save(path, garbage=4, deflate=True, no_new_id=True)
    document.close()
    return path
