"""Faces: whether a font is bold or italic, and its family. Runs in a reading process."""

import re
from dataclasses import dataclass
from typing import Any

# Flags of a span in the PDF library's text page.
_FONT_BOLD, _FONT_ITALIC = 16, 2
_CHAR_BOLD, _FILLED, _STROKED = 8, 16, 32
_HEAVY = 600
_BOLD_NAME = re.compile(r"bold|black|heavy|demi", re.IGNORECASE)
_TYPE3_NAME = re.compile(r"Type3 \((\d+) 0 R\)")
_SUBSET = re.compile(r"^/?[A-Z]{6}\+")
_STYLE = re.compile(r"[-,_ ].*$|(?:PS)?MT$|PS$")


@dataclass(frozen=True, slots=True)
class Face:
    """What of a font tells headings and run-in keys from text.

    Attributes:
        bold: Whether it is heavier than the text face.
        italic: Whether it is slanted.
        family: Its name in small letters without subset and style.
    """

    bold: bool
    italic: bool
    family: str


class Fonts:
    """The faces of one page.

    Args:
        document: An open `pymupdf.Document`.
        number: 1-based page number.
    """

    def __init__(self, document: Any, number: int) -> None:
        self._document = document
        self._number = number
        self._faces: dict[tuple[str, int, int], Face] = {}
        self._ordinary: set[str] | None = None

    def face(self, span: dict[str, Any]) -> Face:
        """Return the face of a span of the library's text page."""
        look = span["font"], span["flags"], span["char_flags"]
        face = self._faces.get(look)
        if face is None:
            face = self._faces[look] = self._face(*look)
        return face

    def _face(self, font: str, flags: int, char_flags: int) -> Face:
        type3 = _TYPE3_NAME.fullmatch(font)
        if type3:
            return self._described(int(type3[1]))
        # Filled and stroked at once is how programs fake a bold face.
        faked = char_flags & _FILLED and char_flags & _STROKED
        bold = bool(flags & _FONT_BOLD or char_flags & _CHAR_BOLD or faked or _BOLD_NAME.search(font))
        return Face(bold, bool(flags & _FONT_ITALIC), family(font))

    def _described(self, xref: int) -> Face:
        """Return the face of a font that is a set of drawings, as browsers write them, from its descriptor."""
        try:
            name = self._document.xref_get_key(xref, "FontDescriptor/FontName")[1]
            weight = self._document.xref_get_key(xref, "FontDescriptor/FontWeight")[1]
            angle = self._document.xref_get_key(xref, "FontDescriptor/ItalicAngle")[1]
        except Exception:  # noqa: BLE001  the library's errors have no other common base
            return Face(bold=False, italic=False, family="")
        base = family(name)
        heavy = bool(re.fullmatch(r"[1-9]\d{2}", weight)) and int(weight) >= _HEAVY
        # Browsers embolden a face without a bold cut by drawing it anew, beside the ordinary font of the same name.
        emboldened = base in self._ordinary_families()
        return Face(heavy or emboldened or bool(_BOLD_NAME.search(name)), angle not in {"null", "0", "0.0"}, base)

    def _ordinary_families(self) -> set[str]:
        if self._ordinary is None:
            fonts = self._document.get_page_fonts(self._number - 1)
            self._ordinary = {family(name) for _, _, kind, name, *_ in fonts if kind != "Type3"}
        return self._ordinary


def family(name: str) -> str:
    """Return a font's family: `ABCDEF+OpenSans-Bold` is `opensans`."""
    return _STYLE.sub("", _SUBSET.sub("", name)).lower()
