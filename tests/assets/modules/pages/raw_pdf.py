"""PDFs written object by object, since no library writes what these tests need to be wrong."""

from collections.abc import Mapping

ONE_PAGE = b"<</Type/Pages/Kids[3 0 R]/Count 1>>"
CATALOG = b"<</Type/Catalog/Pages 2 0 R>>"
FONT = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
KEY = (
    b"BT /F 11 Tf 72 700 Td (1. Guard room. Two goblins watch the door.) Tj"
    b" 0 -30 Td (2. Store room. A chest holds 120 sp.) Tj ET"
)


def page(extra: bytes = b"", *, box: bytes = b"0 0 612 792", parent: int = 2, contents: int = 4) -> bytes:
    """Return a page that draws object 4 and names the font of object 9."""
    return b"<</Type/Page/Parent %d 0 R/MediaBox[%b]/Contents %d 0 R/Resources<</Font<</F 9 0 R>>>>%b>>" % (
        parent,
        box,
        contents,
        extra,
    )


def stream(data: bytes, extra: bytes = b"") -> bytes:
    return b"<</Length %d%b>>stream\n%b\nendstream" % (len(data), extra, data)


def raw_pdf(objects: Mapping[int, bytes], trailer: bytes = b"") -> bytes:
    """Return a file of these objects with a correct cross-reference table; what is not given is a one-page module."""
    usual = {1: CATALOG, 2: ONE_PAGE, 3: page(), 4: stream(KEY), 9: FONT}
    out, places = b"%PDF-1.7\n", {}
    for number, content in sorted({**usual, **objects}.items()):
        places[number] = len(out)
        out += b"%d 0 obj\n%b\nendobj\n" % (number, content)
    size = max(places) + 1
    rows = [b"%010d 00000 n \n" % places[n] if n in places else b"0000000000 65535 f \n" for n in range(size)]
    table = b"xref\n0 %d\n%b" % (size, b"".join(rows))
    return out + table + b"trailer\n<</Size %d/Root 1 0 R%b>>\nstartxref\n%d\n%%%%EOF\n" % (size, trailer, len(out))
