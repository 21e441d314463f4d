"""A page tree for a document whose own is lost. Runs in a reading process."""

from typing import Any

# A rescue looks at every object once; beyond this many it would take over a second.
_MOST_OBJECTS = 20_000


def rescue_pages(document: Any) -> bool:
    """Give a document without pages those that its objects still hold, in the order of their numbers.

    Looking at the objects makes the library repair what it had not noticed; if that brings no pages back but page
    objects are there, they are put into a new tree.

    Returns:
        Whether the document has pages now.
    """
    try:
        pages = _page_objects(document)
        if document.page_count == 0 and pages:
            _build_tree(document, pages)
        found = document.page_count > 0
    except Exception:  # noqa: BLE001  the library's errors have no other common base
        return False
    return found


def _page_objects(document: Any) -> list[int]:
    return [xref for xref in range(1, min(document.xref_length(), _MOST_OBJECTS)) if _is_page(document, xref)]


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
