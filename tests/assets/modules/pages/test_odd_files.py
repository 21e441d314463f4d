"""Files that are no sound PDF, each read as the asset does: a code with a remedy, or what is there with a flag."""

import zlib

import pymupdf
import pytest

from osrforge_assets.contracts.flags import FlagCode
from osrforge_assets.contracts.pages import PageSet
from osrforge_assets.modules.pages import reading
from osrforge_assets.modules.pages.reading import read_pages
from osrforge_assets.modules.pages.settings import PageSettings
from osrforge_resources.failures import SourceError
from osrforge_resources.store import BlobKind, Store

from .conftest import make_pdf, write
from .raw_pdf import KEY, page, raw_pdf, stream


def _read(data: bytes, store: Store) -> PageSet:
    return read_pages(data, store, PageSettings(workers=1), module="crypt")


def _first_text(pages: PageSet, store: Store) -> str:
    return store.get_blob(BlobKind.TEXT, pages.pages[0].text).decode()


def _codes(pages: PageSet) -> list[set[FlagCode]]:
    return [{flag.code for flag in page.flags} for page in pages.pages]


@pytest.mark.parametrize("count", [b"100000", b"2000000000", b"-5"])
def test_a_page_tree_that_lies_about_its_pages_is_repaired_and_said(count: bytes, store: Store):
    kids = {2: b"<</Type/Pages/Kids[5 0 R 3 0 R]/Count %b>>" % count, 5: page(contents=6)}
    data = raw_pdf(kids | {6: stream(KEY.replace(b"goblins", b"dragons"))})
    pages = _read(data, store)
    assert [flag.code for flag in pages.flags] == [FlagCode.SOURCE_REPAIRED]
    assert len(pages.pages) == 2
    # In the order of the tree, although the second page's object has the lower number.
    assert "Two dragons" in _first_text(pages, store)


def test_pages_whose_tree_is_gone_are_found_by_themselves_and_said(store: Store):
    pages = _read(raw_pdf({1: b"<</Type/Catalog/Pages 77 0 R>>"}), store)
    assert [flag.code for flag in pages.flags] == [FlagCode.SOURCE_REPAIRED]
    assert "Two goblins" in _first_text(pages, store)


def test_a_loop_in_the_page_tree_costs_the_pages_it_hides_and_no_other(store: Store):
    pages = _read(raw_pdf({2: b"<</Type/Pages/Kids[3 0 R 2 0 R]/Count 2>>"}), store)
    assert "Two goblins" in _first_text(pages, store)
    assert _codes(pages) == [set(), {FlagCode.PAGE_FAILED}]
    assert pages.pages[1].flags[0].message == "Page 2 cannot be read: cycle in page tree."


def test_a_kid_that_is_no_page_is_a_failed_page_and_not_a_blank_one(store: Store):
    data = raw_pdf({2: b"<</Type/Pages/Kids[3 0 R 5 0 R]/Count 2>>", 5: b"(nothing)"})
    assert _codes(_read(data, store)) == [set(), {FlagCode.PAGE_FAILED}]


@pytest.mark.parametrize("encrypt", [b"<</Filter/EBX_HANDLER/V 4>>", b"<</Filter/Standard/V 99/R 99/O(x)/U(y)/P -1>>"])
def test_a_sellers_lock_is_told_from_damage(encrypt: bytes, store: Store):
    with pytest.raises(SourceError) as refused:
        _read(raw_pdf({6: encrypt}, b"/Encrypt 6 0 R/ID[<00><00>]"), store)
    assert refused.value.code == "source.encrypted"
    assert "seller" in refused.value.remedy


@pytest.mark.parametrize(
    "data",
    [
        b"<html>An essay about %PDF and its marks.</html>",
        b"<html><body><p>1. Hall. Its objects end with endobj, says the essay.</p></body></html>",
        b"\x89PNG\r\n\x1a\n" + b"x" * 100,
        b"%!PS-Adobe-3.0\n/Helvetica findfont",
    ],
)
def test_another_kind_of_file_is_no_pdf_whatever_it_mentions(data: bytes, store: Store):
    with pytest.raises(SourceError) as refused:
        _read(data, store)
    assert refused.value.code == "source.not_a_pdf"


@pytest.mark.parametrize("password", ["pässwörd", "秘密"])
def test_a_password_need_not_be_ascii(password: str, store: Store):
    aes_256 = 5
    data = pymupdf.open("pdf", raw_pdf({})).tobytes(encryption=aes_256, owner_pw="owner", user_pw=password)
    pages = read_pages(data, store, PageSettings(workers=1), module="crypt", password=password)
    assert "Two goblins" in _first_text(pages, store)


@pytest.mark.parametrize("cipher", [2, 3, 4, 5])
def test_an_empty_user_password_opens_by_itself_under_every_cipher(cipher: int, store: Store):
    data = pymupdf.open("pdf", raw_pdf({})).tobytes(encryption=cipher, owner_pw="owner", user_pw="")
    pages = _read(data, store)
    assert [flag.code for flag in pages.flags] == [FlagCode.SOURCE_PROTECTED]
    assert "Two goblins" in _first_text(pages, store)


def test_a_portfolio_says_that_the_files_inside_were_not_read(store: Store):
    document = pymupdf.open("pdf", make_pdf(lambda page: write(page, 60, 80, "Open this portfolio in a viewer.")))
    document.embfile_add("module.pdf", raw_pdf({}))
    document.xref_set_key(document.pdf_catalog(), "Collection", "<</Type/Collection/View/D>>")
    pages = _read(document.tobytes(), store)
    assert [flag.code for flag in pages.flags] == [FlagCode.SOURCE_HAS_ATTACHMENTS]
    assert _first_text(pages, store) == "Open this portfolio in a viewer."


def test_of_two_objects_with_one_number_the_later_one_is_read_where_no_table_says_which(store: Store):
    first = raw_pdf({})
    later = b"4 0 obj\n" + stream(KEY.replace(b"goblins", b"dragons")) + b"\nendobj\n"
    pages = _read(first[: first.index(b"xref\n0")] + later, store)
    assert "Two dragons" in _first_text(pages, store)
    assert [flag.code for flag in pages.flags] == [FlagCode.SOURCE_REPAIRED]


def test_half_a_download_whose_texts_are_lost_is_a_failure_and_no_blank_module(store: Store):
    whole = raw_pdf({})
    cut = whole[: whole.index(b"4 0 obj")]
    with pytest.raises(SourceError) as refused:
        _read(cut, store)
    assert refused.value.code == "source.no_readable_page"
    assert "damaged" in str(refused.value)


def test_a_title_of_half_a_megabyte_or_of_control_codes_does_no_harm(store: Store):
    for title in (b"A" * 500_000, b"\\000evil\\033[2J\\r\\n# head"):
        pages = _read(raw_pdf({6: b"<</Title(%b)>>" % title}, b"/Info 6 0 R"), store)
        assert "Two goblins" in _first_text(pages, store)
        assert len(pages.title) <= 300


def test_content_that_unpacks_without_end_is_a_failed_page_that_says_why(store: Store):
    packer = zlib.compressobj(9)
    packed = b"".join(packer.compress(b"0 0 m 1 1 l S \n" * 100_000) for _ in range(60)) + packer.flush()
    data = raw_pdf({4: stream(packed, b"/Filter/FlateDecode")})
    with pytest.raises(SourceError) as refused:
        read_pages(data, store, PageSettings(workers=1, worker_bytes=400 * 1024**2), module="crypt")
    assert refused.value.code == "source.no_readable_page"
    assert "needs more memory" in refused.value.message


def test_more_text_than_can_be_held_is_refused_before_it_is_held(store: Store, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(reading, "_MOST_SPANS", 20)
    many = make_pdf(*[lambda page: write(page, 60, 80, *(f"word {line}" for line in range(3)))] * 12)
    with pytest.raises(SourceError) as refused:
        _read(many, store)
    assert (refused.value.code, refused.value.remedy) == ("source.too_much_text", "Ask for a part of its pages.")
