"""A page tree for a document whose own is lost or lies about its pages. Runs in a reading process."""

import re
from typing import Any

# A rescue looks at every object once; beyond this many it would take over a second.
_MOST_OBJECTS = 20_000
_REFERENCE = re.compile(r"(\d+) \d+ R")


def rescue_pages(document: Any) -> bool:
    """Give a document without pages those that its tree leads to, else those that its objects still hold.

    Looking at the objects makes the library repair what it had not noticed; if that brings no pages back but page
    objects are there, they are put into a new tree: in printed order where the old one only miscounts them, else in the
    order of their numbers.

    Returns:
        Whether the document has pages now.
    """
    try:
        pages = _page_objects(document)
        if count_pages(document) == 0 and pages:
            _build_tree(document, _tree_pages(document) or pages)
        return count_pages(document) > 0
    except Exception:  # noqa: BLE001  the library's errors have no other common base
        return False


def count_pages(document: Any) -> int:
    """Return how many pages a document has; 0 also where its page tree lies about them so that none can be counted."""
    try:
        return document.page_count
    except Exception:  # noqa: BLE001  the library's errors have no other common base
        return 0


def _page_objects(document: Any) -> list[int]:
    return [xref for xref in range(1, min(document.xref_length(), _MOST_OBJECTS)) if _is_page(document, xref)]


def _tree_pages(document: Any) -> list[int]:
    """Return the pages that the document's own tree leads to, each once; none where it has no catalog."""
    catalog = document.pdf_catalog()
    kind, root = document.xref_get_key(catalog, "Pages") if catalog else ("null", "")
    waiting = [int(root.split()[0])] if kind == "xref" else []
    pages: list[int] = []
    met: set[int] = set()
    while waiting and len(met) < _MOST_OBJECTS:
        xref = waiting.pop()
        if xref in met:
            continue
        met.add(xref)
        if _is_page(document, xref):
            pages.append(xref)
        else:
            waiting.extend(reversed(_kids(document, xref)))
    return pages


def _kids(document: Any, xref: int) -> list[int]:
    try:
        return [int(kid) for kid in _REFERENCE.findall(document.xref_get_key(xref, "Kids")[1])]
    except Exception:  # noqa: BLE001  an object that cannot be read leads nowhere
        return []


def _is_page(document: Any, xref: int) -> bool:
    try:
        return document.xref_get_key(xref, "Type")[1] == "/Page"
    except Exception:  # noqa: BLE001  an object that cannot be read is no page
        return False


def _build_tree(document: Any, pages: list[int]) -> None:
    tree = document.get_new_xref()
    kids = " ".join(f"{page} 0 R" for page in pages)
    document.update_object(tree, f"<</Type/Pages/Count {len(pages)}/Kids[{kids}]>>")
    for page in pages:
        document.xref_set_key(page, "Parent", f"{tree} 0 R")
    catalog = document.pdf_catalog()
    if catalog and document.xref_get_key(catalog, "Type")[1] == "/Catalog":
        document.xref_set_key(catalog, "Pages", f"{tree} 0 R")
    else:
        catalog = document.get_new_xref()
        document.update_object(catalog, f"<</Type/Catalog/Pages {tree} 0 R>>")
        document.xref_set_key(-1, "Root", f"{catalog} 0 R")
