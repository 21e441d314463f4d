"""Pages that nobody designed to be read: sizes, places, amounts and damage."""

import zlib
from collections.abc import Callable

import pytest

from osrforge_assets.contracts.flags import FlagCode
from osrforge_assets.contracts.pages import Page
from osrforge_assets.modules.pages.reading import read_pages
from osrforge_assets.modules.pages.settings import PageSettings
from osrforge_resources.failures import SourceError
from osrforge_resources.store import BlobKind, Store

from .conftest import raw_pages
from .raw_pdf import KEY, page, raw_pdf, stream


def _read(data: bytes, store: Store) -> tuple[Page, str]:
    (page,) = read_pages(data, store, PageSettings(workers=1), module="crypt").pages
    return page, store.get_blob(BlobKind.TEXT, page.text).decode()


def _codes(page: Page) -> set[FlagCode]:
    return {flag.code for flag in page.flags}


@pytest.mark.parametrize(
    ("drawn", "place"),
    [
        (page(b"/CropBox[1000 1000 1612 1792]/Rotate 180", box=b"0 0 5000 5000"), (1072, 1700)),
        (page(box=b"-306 -396 306 396"), (-234, 304)),
        (page(box=b"612 792 0 0"), (72, 700)),
        (page(box=b"0 0 0 0"), (72, 700)),
        (page(box=b"0 0 /a (b)"), (72, 700)),
        (page(b"/Rotate 45"), (72, 700)),
    ],
    ids=["a crop far from the origin, upside down", "negative", "corners swapped", "no size", "no numbers", "askew"],
)
def test_a_page_with_an_odd_box_is_upright_and_whole(drawn: bytes, place: tuple[int, int], store: Store):
    data = raw_pdf({3: drawn, 4: stream(KEY.replace(b"72 700 Td", b"%d %d Td" % place))})
    read, text = _read(data, store)
    assert text == "1. Guard room. Two goblins watch the door.\n\n2. Store room. A chest holds 120 sp."
    assert read.image is not None
    assert (read.image.width, read.image.height) == (1275, 1650)


def test_a_page_a_million_times_its_size_keeps_its_text_and_a_render_within_limits(store: Store):
    read, text = _read(raw_pdf({3: page(b"/UserUnit 1000000")}), store)
    assert "Two goblins" in text
    assert _codes(read) == {FlagCode.PAGE_SCALED_DOWN}
    assert read.image is not None
    assert max(read.image.width, read.image.height) <= 2000


def test_a_page_too_thin_to_have_a_pixel_is_a_failure_and_no_traceback(store: Store):
    with pytest.raises(SourceError) as refused:
        _read(raw_pdf({3: page(box=b"0 0 100000000000000000000000000000000 100")}), store)
    assert refused.value.code == "source.no_readable_page"
    assert "too narrow" in refused.value.message


@pytest.mark.parametrize(
    ("content", "resources"),
    [(b"3 Tr ", b""), (b"/G gs ", b"/ExtGState<</G<</ca 0/CA 0>>>>")],
    ids=["without fill or stroke", "wholly transparent"],
)
def test_a_page_of_nothing_but_invisible_text_says_so_and_gives_none(content: bytes, resources: bytes, store: Store):
    drawn = page().replace(b"/Resources<<", b"/Resources<<" + resources)
    read, text = _read(raw_pdf({3: drawn, 4: stream(content + KEY)}), store)
    assert text == ""
    assert [(flag.code, flag.message) for flag in read.flags] == [
        (FlagCode.NO_TEXT_LAYER, "All text of the page is invisible: it is not printed, so it was not read.")
    ]


def _long_key() -> bytes:
    lines = b"".join(b"(%d. Room %d with %d goblins) Tj T*\n" % (n, n * 7919 % 1000, n * 31) for n in range(60))
    return b"BT /F 9 Tf 11 TL 60 740 Td " + lines + b"ET"


def _cut(packed: bytes) -> bytes:
    return packed[: len(packed) // 2]


def _flipped(packed: bytes) -> bytes:
    middle = len(packed) // 2
    return packed[:middle] + bytes([packed[middle] ^ 0xFF]) + packed[middle + 1 :]


@pytest.mark.parametrize("damage", [_cut, _flipped])
def test_a_page_of_which_a_part_is_lost_gives_the_rest_and_says_so(damage: Callable[[bytes], bytes], store: Store):
    data = raw_pdf({4: stream(damage(zlib.compress(_long_key())), b"/Filter/FlateDecode")})
    read, text = _read(data, store)
    assert "0. Room 0 with 0 goblins" in text
    assert FlagCode.PAGE_DAMAGED in _codes(read)


def test_a_sound_page_is_not_called_damaged(store: Store):
    read, _ = _read(raw_pdf({4: stream(zlib.compress(_long_key()), b"/Filter/FlateDecode")}), store)
    assert _codes(read) == set()


@pytest.mark.parametrize("contents", [b"(no stream)", stream(bytes(range(128, 256)) * 500)])
def test_a_page_whose_content_is_lost_is_a_failure_and_not_blank(contents: bytes, store: Store):
    with pytest.raises(SourceError) as refused:
        _read(raw_pdf({4: contents}), store)
    assert refused.value.message == "None of the 1 pages can be read: its content is damaged."


def test_damage_of_one_page_is_not_said_of_the_next(store: Store):
    kids = {2: b"<</Type/Pages/Kids[5 0 R 3 0 R]/Count 2>>", 5: page(contents=6)}
    broken = stream(_cut(zlib.compress(_long_key())), b"/Filter/FlateDecode")
    pages = read_pages(raw_pdf(kids | {6: broken}), store, PageSettings(workers=1), module="crypt").pages
    assert [_codes(page) for page in pages] == [{FlagCode.PAGE_DAMAGED}, set()]


def test_a_hundred_thousand_links_are_drawn_and_change_no_text(store: Store):
    link = b"<</Type/Annot/Subtype/Link/Rect[%d %d 9 9]/A<</S/URI/URI(https://shop.example)>>>>"
    drawn = page(b"/Annots[" + b"".join(link % (n % 600, n % 790) for n in range(100_000)) + b"]")
    read, text = _read(raw_pdf({3: drawn}), store)
    assert text.startswith("1. Guard room. Two goblins")
    assert _codes(read) == set()


def test_a_note_on_the_page_is_read_as_it_is_printed(store: Store):
    note = b"<</Type/Annot/Subtype/FreeText/Rect[0 0 612 792]/DA(/Helv 11 Tf)/AP<</N 8 0 R>>>>"
    form = b"/Type/XObject/Subtype/Form/BBox[0 0 612 792]/Resources<</Font<</F 9 0 R>>>>"
    _, text = _read(raw_pdf({3: page(b"/Annots[" + note + b"]"), 4: stream(b""), 8: stream(KEY, form)}), store)
    assert "Two goblins" in text


def test_a_huge_inline_image_costs_itself_and_not_the_text(store: Store):
    image = b"\nq 600 0 0 100 0 0 cm BI /W 60000 /H 60000 /BPC 8 /CS /G ID " + b"\x80" * 2_000_000 + b" EI Q"
    read, text = _read(raw_pdf({4: stream(KEY + image)}), store)
    assert "Two goblins" in text
    assert read.image is not None


def test_a_drawing_that_draws_itself_ends(store: Store):
    drawn = page().replace(b"/Resources<<", b"/Resources<</XObject<</I 8 0 R>>")
    own = b"/Type/XObject/Subtype/Form/BBox[0 0 612 792]/Resources<</Font<</F 9 0 R>>/XObject<</I 8 0 R>>>>"
    _, text = _read(raw_pdf({3: drawn, 4: stream(b"/I Do"), 8: stream(b"/I Do " + KEY, own)}), store)
    assert text.count("Two goblins") == 1


def test_two_hundred_thousand_words_on_one_sheet_are_read(store: Store):
    rows = [b" ".join(b"word%d" % (20 * row + column) for column in range(20)) for row in range(10_000)]
    content = b"BT /F 4 Tf 4 TL 10 41990 Td\n" + b"".join(b"(%b) Tj T*\n" % row for row in rows) + b"ET"
    read, text = _read(raw_pdf({3: page(box=b"0 0 2000 42000"), 4: stream(content)}), store)
    assert text.startswith("word0 word1 ")
    assert text.endswith("word199999")
    assert len(text.split()) == 200_000
    assert _codes(read) == {FlagCode.PAGE_SCALED_DOWN}


def test_more_text_than_a_sheet_can_hold_is_a_failed_page(store: Store):
    places = [(n * 37 % 580 + 10, n * 61 % 770 + 10, n) for n in range(60_000)]
    content = b"BT /F 6 Tf\n" + b"".join(b"1 0 0 1 %d %d Tm (w%d) Tj\n" % place for place in places) + b"ET"
    with pytest.raises(SourceError) as refused:
        _read(raw_pdf({4: stream(content)}), store)
    assert "bytes of text" in refused.value.message


def test_a_hidden_layer_is_not_printed_and_not_read():
    catalog = b"<</Type/Catalog/Pages 2 0 R/OCProperties<</OCGs[8 0 R]/D<</OFF[8 0 R]>>>>>>"
    drawn = page().replace(b"/Resources<<", b"/Resources<</Properties<</O 8 0 R>>")
    hidden = {1: catalog, 3: drawn, 4: stream(b"/OC /O BDC " + KEY + b" EMC"), 8: b"<</Type/OCG/Name(Referee)>>"}
    ((_, raw),) = raw_pages(raw_pdf(hidden))
    assert raw.lines == ()
