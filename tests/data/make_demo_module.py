"""Write the demo module: `demo_module.md` to `demo_module.pdf`, the same bytes on every run.

Run it as `python tests/data/make_demo_module.py [OUTPUT]`. It prints the pages of every keyed area, which is what the
truth file says, and fails if the layout no longer shows what the module is for: an area that crosses a page, a stat
block that crosses a column, words hyphenated at line ends.
"""

import re
import sys
from pathlib import Path

import pymupdf  # writes the PDF
from demo_cover import cover
from demo_maps import abbey, hive
from demo_pages import AMBER, AREA, BODY, FIRST, HEADING, INK, TITLE, Book
from demo_text import Block, hyphen_points, parse

HERE = Path(__file__).parent
MAPS = {"abbey": ("Map of the Abbey", abbey), "hive": ("Map of the Hive", hive)}
PAGE_OF = re.compile(r"\{page:(?:map )?([^}]+)\}")
RUN_IN_KEY = re.compile(r"\*\*(\d+[a-z]?\. [^*]+?)\.\*\*")


def known_pages(book: Book) -> dict[str, int]:
    """Page of every heading, and of every map under its short name."""
    pages = {title: number for _, title, number in book.headings}
    return pages | {name: pages[title] for name, (title, _) in MAPS.items() if title in pages}


def compose(blocks: list[Block], previous: Book | None) -> tuple[Book, dict[str, list[int]], int]:
    """Set the whole book; `previous` is the pass that found out the page numbers.

    Returns the book, the pages of each area in order, and the number of stat blocks broken over two columns.
    """
    book = Book(hyphens=hyphen_points(blocks))
    pages = known_pages(previous) if previous else {}
    areas: dict[str, list[int]] = {}
    area, part, broken, after_heading, table = "", "", 0, True, list[list[str]]()
    for index, block in enumerate(blocks):
        text = PAGE_OF.sub(lambda match: str(pages.get(match[1], 0)), block.text)
        start = len(book.doc)
        if block.kind == "row":
            table.append([cell.strip() for cell in text.strip(" |").split(" | ")])
            if index + 1 == len(blocks) or blocks[index + 1].kind != "row":
                book.table(table)
                table = []
                after_heading = True
        elif block.kind == "heading":
            area = ""
            part = f"{book.section} / {text}"
            book.heading(text, HEADING, AMBER, 52, 9)
            book.mark(2, text)
        elif block.kind == "area":
            book.heading(text, AREA, INK, 40, 7)
            area = f"{part} / {text}"
        elif block.kind == "text":
            key = RUN_IN_KEY.match(text)
            if key:
                area = f"{part} / {key[1]}"
                book.gap(5)
            book.paragraph(text, FIRST if key or after_heading else BODY)
        elif block.kind == "box":
            book.box(text)
        elif block.kind == "stat":
            broken += book.stat(text)
        else:
            area = ""
            command(book, block, previous)
        if block.kind != "row":
            after_heading = block.kind in {"heading", "area", "box", "stat", "part", "dungeon", "column"}
        if area:
            first = len(book.doc) if block.kind == "area" or area not in areas else start
            seen = areas.setdefault(area, [])
            seen += [number for number in range(first, len(book.doc) + 1) if number not in seen]
    book.flush()
    return book, areas, broken


def command(book: Book, block: Block, previous: Book | None) -> None:
    """A block that is not text: cover, part, contents or map."""
    if block.kind == "cover":
        book.title, subtitle, foot = (part.strip() for part in block.text.split("|"))
        book.new_page(furniture=False)
        cover(book, book.title, subtitle, foot)
    elif block.kind in {"part", "dungeon"}:
        book.opening(block.text)
    elif block.kind == "contents":
        book.contents([entry for entry in previous.headings if entry[2] > 2] if previous else [])
    elif block.kind == "column":
        book.advance()
    elif block.kind == "appendix":
        book.heading(block.text, TITLE, AMBER, 90, 22)
        book.mark(1, block.text)
    elif block.kind == "map":
        title, draw = MAPS[block.text]
        book.plate(title, draw)


def save(book: Book, target: Path) -> None:
    """Write the PDF with nothing in it that changes from run to run: no dates, no new file id."""
    producer = f"PyMuPDF {pymupdf.VersionBind}"
    book.doc.set_metadata({"title": book.title, "author": "The osrforge maintainers", "producer": producer})
    book.doc.set_toc([list(entry) for entry in book.headings])
    book.doc.subset_fonts()
    for page in book.doc:
        page.clean_contents()
    book.doc.save(target, garbage=4, deflate=True, use_objstms=True, no_new_id=True)


def main(target: Path) -> None:
    """Compose twice (the second pass knows the page numbers), check the layout, save."""
    blocks = parse((HERE / "demo_module.md").read_text(encoding="utf-8"))
    first, _, _ = compose(blocks, None)
    book, areas, broken = compose(blocks, first)
    for name, numbers in areas.items():
        print(f"{name}: {', '.join(map(str, numbers))}")
    text = "".join(page.get_text() for page in book.doc)
    hyphenated = len(re.findall(r"[a-z]-\n[a-z]", text))
    crossing = sum(len(numbers) > 1 for numbers in areas.values())
    print(
        f"{len(areas)} areas, {len(book.doc)} pages, {crossing} areas cross a page, {broken} stat blocks cross a column"
    )
    print(f"{hyphenated} words hyphenated at line ends")
    if not (8 <= len(book.doc) <= 12 and crossing and broken and hyphenated):
        save(book, target)
        sys.exit("The layout lost one of the cases that the demo module is there to show.")
    save(book, target)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "demo_module.pdf")
