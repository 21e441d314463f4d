"""The digest of everything a page is drawn from, under which an unchanged page of a changed source is found again.

Runs in a reading process, which has the PDF library loaded.
"""

import hashlib
import re
from typing import Any

_REFERENCE = re.compile(r"(\d+) \d+ R(?![A-Za-z])")
# Keys that say nothing about how the page looks: ways up and across the document, editing history, thumbnails.
_UNDRAWN = (
    "Parent",
    "P",
    "B",
    "StructParent",
    "StructParents",
    "LastModified",
    "PieceInfo",
    "Metadata",
    "Thumb",
    "Tabs",
)
_INHERITED = ("Resources", "MediaBox", "CropBox", "Rotate")
# A page of the corpus reaches 20 to 300 objects. A page beyond this bound is simply read again each time.
_MOST_OBJECTS = 20_000
_MOST_ANCESTORS = 64


class ContentDigester:
    """Digests pages of one open document.

    Object numbers never enter a digest (each object is numbered by when the walk meets it), so inserting a page before
    others does not change theirs; cycles end at an object already met; other pages, which links point to, are not entered.

    Args:
        document: An open `pymupdf.Document`.
    """

    def __init__(self, document: Any) -> None:
        self._document = document
        self._objects: dict[int, tuple[str, list[int], bytes]] = {}
        self._layers = self._digest_catalog()

    def digest(self, number: int) -> str | None:
        """Return the sha256 hex digest of the page with 1-based `number`, None where it cannot be told."""
        own = self._document.page_xref(number - 1)
        sha = hashlib.sha256(self._layers)
        try:
            complete = self._walk(own, sha, root=True)
        except Exception:  # noqa: BLE001  the library's errors have no other common base
            # The object graph is broken; the page may still be readable after the library's repair.
            return None
        return sha.hexdigest() if complete else None

    def _digest_catalog(self) -> bytes:
        """Return a digest of what decides every page: which optional layers are shown, how form fields look."""
        sha = hashlib.sha256()
        try:
            catalog = self._document.pdf_catalog()
            for key in ("OCProperties", "AcroForm/DA", "AcroForm/DR", "AcroForm/NeedAppearances"):
                kind, value = self._document.xref_get_key(catalog, key)
                sha.update(f"{key} {kind} ".encode())
                if kind == "xref":
                    self._walk(int(value.split()[0]), sha, root=False)
                else:
                    sha.update(_REFERENCE.sub("R", value).encode("utf-8", "surrogatepass"))
        except Exception:  # noqa: BLE001  the library's errors have no other common base
            sha.update(b"broken")
        return sha.digest()

    def _walk(self, start: int, sha: Any, *, root: bool) -> bool:
        met: dict[int, int] = {start: 0}
        queue = [start]
        for position, xref in enumerate(queue):
            if position > _MOST_OBJECTS:
                return False
            text, references, stream = self._object(xref, is_start=root and position == 0)
            for reference in references:
                if reference not in met:
                    met[reference] = len(met)
                    queue.append(reference)
            numbered = _REFERENCE.sub(lambda found: f"#{met.get(int(found[1]), -1)}", text)
            sha.update(numbered.encode("utf-8", "surrogatepass") + b"\0" + stream + b"\0")
        return True

    def _object(self, xref: int, *, is_start: bool) -> tuple[str, list[int], bytes]:
        """Return an object's text, the objects it refers to and the digest of its stream; read once a document."""
        known = self._objects.get(xref)
        if known is not None and not is_start:
            return known
        document = self._document
        if not 0 < xref < document.xref_length():
            return "null", [], b""
        text = document.xref_object(xref, compressed=True)
        kind = document.xref_get_key(xref, "Type")[1]
        if kind in ("/Page", "/Pages", "/Catalog") and not is_start:
            # A link's target: which page it is says nothing about how this page looks.
            value: tuple[str, list[int], bytes] = ("page", [], b"")
            self._objects[xref] = value
            return value
        text = self._page_text(xref) if is_start else self._without_undrawn(xref, text)
        references = [int(found) for found in _REFERENCE.findall(text)]
        stream = b""
        if document.xref_is_stream(xref):
            stream = hashlib.sha256(document.xref_stream_raw(xref) or b"").digest()
        value = (text, references, stream)
        if not is_start:
            self._objects[xref] = value
        return value

    def _page_text(self, xref: int) -> str:
        """Return a page dictionary with what it inherits, key by key in sorted order."""
        document = self._document
        entries = {
            key: document.xref_get_key(xref, key)[1] for key in document.xref_get_keys(xref) if key not in _UNDRAWN
        }
        for key in _INHERITED:
            if key not in entries:
                entries[key] = self._inherited(xref, key)
        return " ".join(f"{key} {entries[key]}" for key in sorted(entries))

    def _inherited(self, xref: int, key: str) -> str:
        for _ in range(_MOST_ANCESTORS):
            kind, parent = self._document.xref_get_key(xref, "Parent")
            if kind != "xref":
                return ""
            xref = int(parent.split()[0])
            kind, value = self._document.xref_get_key(xref, key)
            if kind != "null":
                return value
        return ""

    def _without_undrawn(self, xref: int, text: str) -> str:
        if "/P " not in text and "/Parent" not in text and "/StructParent" not in text and "/Metadata" not in text:
            return text
        keys = self._document.xref_get_keys(xref)
        if not keys:
            return text
        return " ".join(f"{key} {self._document.xref_get_key(xref, key)[1]}" for key in keys if key not in _UNDRAWN)
