"""Reading a source as the asset does: into a store, in processes of its own."""

import io
import os
import sys
import tempfile
from pathlib import Path

import pymupdf
import pytest
from PIL import Image

from osrforge_assets.contracts.flags import FlagCode
from osrforge_assets.contracts.pages import PageSet
from osrforge_assets.modules.pages.reading import read_pages
from osrforge_assets.modules.pages.settings import PageSettings, ocr_available
from osrforge_resources.failures import SourceError
from osrforge_resources.store import BlobKind, Store

from .conftest import Draw, make_pdf, write

_SETTINGS = PageSettings(workers=2)


def _read(data: bytes, store: Store, **options: object) -> PageSet:
    settings = options.pop("settings", _SETTINGS)
    assert isinstance(settings, PageSettings)
    return read_pages(data, store, settings, module="crypt", **options)  # pyright: ignore[reportArgumentType]


def _texts(pages: PageSet, store: Store) -> list[str]:
    return [store.get_blob(BlobKind.TEXT, page.text).decode() for page in pages.pages]


def _numbered(number: int) -> Draw:
    return lambda page: write(page, 60, 100, f"Page {number * 7} tells of a door.", "Behind it is nothing at all.")


def _codes(pages: PageSet) -> list[set[FlagCode]]:
    return [{flag.code for flag in page.flags} for page in pages.pages]


class CountingStore(Store):
    """A store that counts the page records it is asked to keep: one for each page that was really read."""

    def __init__(self, root: str) -> None:
        super().__init__(root)
        self.read: list[str] = []

    def put_record(self, kind: BlobKind, address: str, data: bytes, *, replace: bool = True) -> None:
        if kind is BlobKind.PAGE:
            self.read.append(address)
        super().put_record(kind, address, data, replace=replace)


def test_a_page_set_names_blobs_that_are_in_the_store(store: Store):
    seen: list[tuple[int, int]] = []
    pages = _read(make_pdf(_numbered(1), _numbered(2)), store, on_page=lambda done, total: seen.append((done, total)))
    assert [page.number for page in pages.pages] == [1, 2]
    assert seen == [(1, 2), (2, 2)]
    assert _texts(pages, store)[0] == "Page 7 tells of a door. Behind it is nothing at all."
    image = pages.pages[0].image
    assert image is not None
    png = store.get_blob(BlobKind.IMAGE, image.sha256)
    assert (len(png), Image.open(io.BytesIO(png)).size) == (image.size, (image.width, image.height))
    assert (image.width, image.height) == (1275, 1650)
    assert b"Behind it" in store.get_blob(BlobKind.LAYER, pages.pages[0].layer)


def test_reading_the_same_source_again_gives_the_same_page_set(store: Store):
    data = make_pdf(_numbered(1), _numbered(2))
    assert _read(data, store).digest() == _read(data, Store("memory://again")).digest() == _read(data, store).digest()


def test_only_the_changed_page_of_twelve_is_read_again():
    store = CountingStore("memory://counting")
    document = pymupdf.open("pdf", make_pdf(*(_numbered(number) for number in range(12))))
    before = _read(document.tobytes(), store)
    assert len(store.read) == 12
    write(document[6], 60, 300, "Something was added here.")
    store.read.clear()
    after = _read(document.tobytes(), store)
    assert len(store.read) == 1
    assert store.read == [after.pages[6].content]
    same = [old.text == new.text and old.image == new.image for old, new in zip(before.pages, after.pages, strict=True)]
    assert same == [number != 6 for number in range(12)]
    assert "Something was added" in _texts(after, store)[6]


def test_a_page_put_before_the_others_costs_only_itself():
    store = CountingStore("memory://inserted")
    document = pymupdf.open("pdf", make_pdf(*(_numbered(number) for number in range(3))))
    _read(document.tobytes(), store)
    store.read.clear()
    write(document.new_page(0), 60, 100, "A new cover.")
    pages = _read(document.tobytes(garbage=4, deflate=True), store)
    assert store.read == [pages.pages[0].content]
    assert len(pages.pages) == 4


def test_other_settings_read_the_pages_anew():
    store = CountingStore("memory://settings")
    data = make_pdf(_numbered(1))
    _read(data, store)
    smaller = _read(data, store, settings=PageSettings(dpi=72))
    assert len(set(store.read)) == 2
    assert smaller.pages[0].image is not None
    assert smaller.pages[0].image.width == 612


def test_limits_take_no_part_in_the_settings_digest():
    assert PageSettings(max_pages=3, page_seconds=1, workers=1).settings_digest() == PageSettings().settings_digest()
    assert PageSettings(dpi=100).settings_digest() != PageSettings().settings_digest()


def test_a_damaged_record_is_read_anew_and_not_believed():
    store = CountingStore("memory://damaged")
    data = make_pdf(_numbered(1))
    first = _read(data, store)
    content = first.pages[0].content
    assert content is not None
    Store.put_record(store, BlobKind.PAGE, content, b'{"image": 3}')
    assert _read(data, store).digest() == first.digest()
    assert len(store.read) == 2


def test_asked_pages_are_read_alone_and_keep_their_numbers(store: Store):
    pages = _read(make_pdf(*(_numbered(number) for number in range(5))), store, asked=(4, 2))
    assert [page.number for page in pages.pages] == [2, 4]
    assert pages.source_pages == 5


@pytest.mark.parametrize(
    ("data", "options", "code"),
    [
        (b"", {}, "source.empty"),
        (b"MZ this is a program", {}, "source.not_a_pdf"),
        (b"%PDF-1.7 and nothing else", {}, "source.damaged"),
        (make_pdf(_numbered(1)), {"asked": (2,)}, "source.page_not_there"),
        (make_pdf(_numbered(1)), {"settings": PageSettings(max_source_bytes=100)}, "source.too_large"),
        (make_pdf(_numbered(1), _numbered(2)), {"settings": PageSettings(max_pages=1)}, "source.too_many_pages"),
    ],
)
def test_a_source_that_cannot_be_read_is_refused_with_a_code_and_a_remedy(
    data: bytes, options: dict[str, object], code: str, store: Store
):
    with pytest.raises(SourceError) as refused:
        _read(data, store, **options)
    assert refused.value.code == code
    assert refused.value.remedy.endswith(".")
    assert tempfile.gettempdir() not in str(refused.value)


def _encrypted(owner: str, user: str) -> bytes:
    document = pymupdf.open("pdf", make_pdf(_numbered(1)))
    aes_256, may_print = 5, 4
    return document.tobytes(encryption=aes_256, owner_pw=owner, user_pw=user, permissions=may_print)


def test_an_encrypted_source_asks_for_its_password_and_opens_with_it(store: Store):
    data = _encrypted("owner", "open sesame")
    for password, code in ((None, "source.encrypted"), ("wrong", "source.wrong_password")):
        with pytest.raises(SourceError) as refused:
            _read(data, store, password=password)
        assert refused.value.code == code
        assert "sesame" not in str(refused.value)
    assert "door" in _texts(_read(data, store, password="open sesame"), store)[0]


def test_an_owner_password_alone_is_a_flag(store: Store):
    pages = _read(_encrypted("owner", ""), store)
    assert [flag.code for flag in pages.flags] == [FlagCode.SOURCE_PROTECTED]
    assert pages.pages[0].characters > 0


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks at processes through /proc")
def test_the_password_shows_in_no_process(store: Store):
    found: list[str] = []

    def look(_done: int, _total: int) -> None:
        for process in Path("/proc").glob("[0-9]*"):
            for name in ("cmdline", "environ"):
                try:
                    content = (process / name).read_bytes()
                except OSError:
                    continue
                if b"open-sesame-42" in content and int(process.name) != os.getpid():
                    found.append(process.name)

    _read(_encrypted("owner", "open-sesame-42"), store, password="open-sesame-42", on_page=look)
    assert found == []


def test_junk_before_the_header_and_a_wrong_xref_are_repaired_and_said(store: Store):
    whole = make_pdf(_numbered(1))
    broken = b"junk\r\n" * 40 + whole.replace(b"startxref\n", b"startxref\n9", 1)
    pages = _read(broken, store)
    assert FlagCode.SOURCE_REPAIRED in {flag.code for flag in pages.flags}
    assert "door" in _texts(pages, store)[0]


def test_a_truncated_source_gives_what_is_left_with_a_flag(store: Store):
    whole = pymupdf.open("pdf", make_pdf(*(_numbered(number) for number in range(6)))).tobytes(deflate=False)
    pages = _read(whole[: int(len(whole) * 0.97)], store)
    assert FlagCode.SOURCE_REPAIRED in {flag.code for flag in pages.flags}
    assert "door" in _texts(pages, store)[0]


def test_scripts_attachments_and_forms_are_said_and_not_run(store: Store):
    document = pymupdf.open("pdf", make_pdf(_numbered(1)))
    document.embfile_add("map.txt", b"a map")
    catalog = document.pdf_catalog()
    document.xref_set_key(catalog, "OpenAction", "<</S/JavaScript/JS(app.alert(1))>>")
    document.xref_set_key(catalog, "AcroForm", "<</Fields[]/XFA(<xdp/>)>>")
    codes = {flag.code for flag in _read(document.tobytes(), store).flags}
    assert codes >= {FlagCode.SOURCE_HAS_SCRIPTS, FlagCode.SOURCE_HAS_ATTACHMENTS, FlagCode.SOURCE_IS_FORM}


def test_an_oversized_page_is_scaled_down_and_said(store: Store):
    (page,) = _read(make_pdf(_numbered(1), width=14_000, height=9_000), store).pages
    assert page.image is not None
    assert max(page.image.width, page.image.height) <= 2000
    assert {flag.code for flag in page.flags} == {FlagCode.PAGE_SCALED_DOWN}


def test_a_page_drawn_sideways_is_rendered_upright_and_said(store: Store):
    def draw(page: pymupdf.Page) -> None:
        for line in range(8):
            page.insert_text((100 + 14 * line, 700), f"line {line} runs up the sheet", fontsize=10, rotate=90)

    (page,) = _read(make_pdf(draw), store).pages
    assert page.image is not None
    assert (page.image.width, page.image.height) == (1650, 1275)
    assert {flag.code for flag in page.flags} == {FlagCode.TEXT_TURNED}


def _picture(page: pymupdf.Page) -> None:
    buffer = io.BytesIO()
    Image.effect_noise((300, 400), 60).save(buffer, "PNG")
    page.insert_image(page.rect, stream=buffer.getvalue())


@pytest.mark.skipif(ocr_available(), reason="with text recognition installed such a page is recognized")
def test_half_a_scan_is_flagged_page_by_page(store: Store):
    pages = _read(make_pdf(_numbered(1), _picture), store)
    assert _codes(pages) == [set(), {FlagCode.NO_TEXT_LAYER}]
    assert pages.pages[1].characters == 0


@pytest.mark.skipif(not ocr_available(), reason="text recognition (extra `ocr`) is not installed")
def test_a_scan_is_recognized_and_said(store: Store):
    drawn = pymupdf.open("pdf", make_pdf(lambda page: write(page, 80, 200, "The locked vault", size=30)))
    image = drawn[0].get_pixmap(dpi=150).tobytes("png")
    (page,) = _read(make_pdf(lambda page: page.insert_image(page.rect, stream=image)), store).pages
    assert {flag.code for flag in page.flags} == {FlagCode.TEXT_FROM_OCR}
    assert "vault" in store.get_blob(BlobKind.TEXT, page.text).decode()


def test_a_recognition_layer_of_the_file_is_read_and_said(store: Store):
    def draw(page: pymupdf.Page) -> None:
        _picture(page)
        page.insert_text((80, 200), "The locked vault", fontsize=14, render_mode=3)

    pages = _read(make_pdf(draw), store)
    assert _texts(pages, store) == ["The locked vault"]
    assert _codes(pages) == [{FlagCode.TEXT_FROM_OCR}]


def test_a_blank_page_says_that_it_is_blank(store: Store):
    (page,) = _read(make_pdf(lambda _: None), store).pages
    assert [(flag.code, flag.message) for flag in page.flags] == [(FlagCode.NO_TEXT_LAYER, "The page is blank.")]


def _endless(document: pymupdf.Document, page: pymupdf.Page) -> None:
    """Draw a form that draws ten forms, nine deep: a thousand million strokes in 5 KB."""
    inner = document.get_new_xref()
    document.update_object(inner, "<</Type/XObject/Subtype/Form/BBox[0 0 600 600]>>")
    document.update_stream(inner, b"0 0 m 500 500 l S " * 100)
    for _ in range(8):
        outer = document.get_new_xref()
        resources = f"<</XObject<</F {inner} 0 R>>>>"
        document.update_object(outer, f"<</Type/XObject/Subtype/Form/BBox[0 0 600 600]/Resources{resources}>>")
        document.update_stream(outer, b"/F Do " * 10)
        inner = outer
    document.xref_set_key(page.xref, "Resources", f"<</XObject<</F {inner} 0 R>>>>")
    contents = document.get_new_xref()
    document.update_object(contents, "<<>>")
    document.update_stream(contents, b"/F Do " * 10)
    document.xref_set_key(page.xref, "Contents", f"{contents} 0 R")


def test_a_page_that_never_ends_costs_itself_and_no_other(store: Store):
    document = pymupdf.open("pdf", make_pdf(_numbered(1), _numbered(2), _numbered(3)))
    _endless(document, document[1])
    pages = _read(document.tobytes(), store, settings=PageSettings(page_seconds=5, workers=1))
    assert _codes(pages) == [set(), {FlagCode.PAGE_TIMED_OUT}, set()]
    assert pages.pages[1].image is None
    assert pages.pages[1].characters == 0
    assert "Page 21" in _texts(pages, store)[2]


def test_a_source_whose_every_page_fails_is_a_failure_and_no_empty_success(store: Store):
    document = pymupdf.open("pdf", make_pdf(_numbered(1)))
    _endless(document, document[0])
    with pytest.raises(SourceError) as refused:
        _read(document.tobytes(), store, settings=PageSettings(page_seconds=1, workers=1))
    assert refused.value.code == "source.no_readable_page"


def test_a_decompression_bomb_ends_within_its_memory(store: Store):
    document = pymupdf.open("pdf", make_pdf(_numbered(1), _numbered(2)))
    image = document.get_new_xref()
    size = 40_000
    document.update_object(
        image,
        f"<</Type/XObject/Subtype/Image/Width {size}/Height {size}/BitsPerComponent 8/ColorSpace/DeviceRGB>>",
    )
    document.update_stream(image, b"\0" * 50_000_000)
    document.xref_set_key(document[1].xref, "Resources", f"<</XObject<</I {image} 0 R>>>>")
    contents = document.get_new_xref()
    document.update_object(contents, "<<>>")
    document.update_stream(contents, b"600 0 0 700 0 0 cm /I Do")
    document.xref_set_key(document[1].xref, "Contents", f"{contents} 0 R")
    settings = PageSettings(worker_bytes=400 * 1024**2, workers=1)
    pages = _read(document.tobytes(), store, settings=settings)
    assert "Page 7" in _texts(pages, store)[0]
    assert len(pages.pages) == 2


def test_reading_works_from_a_thread_and_leaves_no_process_behind(store: Store):
    import threading

    import psutil

    result: list[PageSet] = []
    thread = threading.Thread(target=lambda: result.append(_read(make_pdf(_numbered(1)), store)))
    thread.start()
    thread.join()
    assert result[0].pages[0].characters > 0
    names = [" ".join(child.cmdline()) for child in psutil.Process().children(recursive=True) if child.is_running()]
    assert not any("page_worker" in name for name in names)
