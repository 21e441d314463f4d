"""What is to be known about a document before its pages are read. Runs in a reading process."""

from typing import Any

from osrforge_assets.modules.pages.rescue import count_pages, rescue_pages

_TITLE_LENGTH = 300
# A document's structure is looked through for scripts; beyond this many objects the search would take over a second.
_MOST_OBJECTS = 20_000


def source_facts(document: Any, password: str) -> dict[str, Any]:
    """Unlock the document and return its facts.

    Returns:
        `locked`: "" or "encrypted" or "wrong_password" (the reading process adds "no_pdf" and "unknown_lock"); then `pages`, `title`, and the booleans `repaired`,
        `protected`, `scripts`, `attachments`, `form`.
    """
    protected = False
    if document.needs_pass:
        if not password:
            return {"locked": "encrypted"}
        if not document.authenticate(password):
            return {"locked": "wrong_password"}
    elif document.metadata and document.metadata.get("encryption"):
        protected = True
    rescued = count_pages(document) == 0 and rescue_pages(document)
    return {
        "locked": "",
        "pages": count_pages(document),
        "title": str((document.metadata or {}).get("title") or "")[:_TITLE_LENGTH],
        "repaired": rescued or bool(document.is_repaired),
        "protected": protected,
        "scripts": _quietly(lambda: _has_scripts(document)),
        "attachments": _quietly(lambda: document.embfile_count() > 0 or _has_name(document, "EmbeddedFiles")),
        "form": _quietly(lambda: _key(document, document.pdf_catalog(), "AcroForm/XFA") != "null"),
    }


def _has_scripts(document: Any) -> bool:
    if _has_name(document, "JavaScript"):
        return True
    catalog = document.pdf_catalog()
    if "JavaScript" in _key(document, catalog, "OpenAction/S") or _key(document, catalog, "AA") != "null":
        return True
    for xref in range(1, min(document.xref_length(), _MOST_OBJECTS)):
        # The name may stand in any action of any page, field or annotation.
        if "/JavaScript" in document.xref_object(xref, compressed=True):
            return True
    return False


def _has_name(document: Any, name: str) -> bool:
    return _key(document, document.pdf_catalog(), f"Names/{name}") != "null"


def _key(document: Any, xref: int, key: str) -> str:
    return document.xref_get_key(xref, key)[1]


def _quietly(question: Any) -> bool:
    try:
        return bool(question())
    except Exception:  # noqa: BLE001  the library's errors have no other common base
        # A fact that a broken structure hides is not a reason to refuse its pages.
        return False
