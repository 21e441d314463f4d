"""Which module a file is, and what is refused before anything is kept."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osrforge_assets.modules.sources import parse_pages, register_source
from osrforge_resources.failures import MisuseError, SourceError
from osrforge_resources.store import BlobKind, Store

LIMIT = 1_000


def _register(store: Store, path: Path, data: bytes | None = None, pages: tuple[int, ...] | None = None):
    if data is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return register_source(store, path, pages=pages, max_bytes=LIMIT, taken=lambda _: False)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


def test_a_file_becomes_a_module_named_after_it_and_its_bytes_are_kept(store: Store, tmp_path: Path):
    source = _register(store, tmp_path / "The Crypt of Älva (v2).PDF", b"bytes")
    assert source.module == "the-crypt-of-alva-v2"
    assert source.name == "The Crypt of Älva (v2).PDF"
    assert store.get_blob(BlobKind.SOURCE, source.sha256) == b"bytes"


def test_the_same_bytes_under_another_name_are_the_same_module(store: Store, tmp_path: Path):
    first = _register(store, tmp_path / "crypt.pdf", b"bytes")
    renamed = _register(store, tmp_path / "elsewhere" / "vault.pdf", b"bytes")
    assert renamed.module == first.module == "crypt"


def test_other_bytes_at_the_same_path_are_a_new_edition_of_the_module(store: Store, tmp_path: Path):
    first = _register(store, tmp_path / "crypt.pdf", b"first edition")
    second = _register(store, tmp_path / "crypt.pdf", b"second edition")
    assert second.module == first.module
    assert second.sha256 != first.sha256


def test_two_files_of_one_name_in_two_folders_are_told_apart(store: Store, tmp_path: Path):
    assert _register(store, tmp_path / "a" / "module.pdf", b"one").module == "module"
    assert _register(store, tmp_path / "b" / "module.pdf", b"two").module == "module-2"
    assert _register(store, tmp_path / "c" / "module.pdf", b"three").module == "module-3"


def test_a_name_without_a_latin_letter_still_gets_a_key(store: Store, tmp_path: Path):
    assert _register(store, tmp_path / "迷宮.pdf", b"one").module == "module"
    assert _register(store, tmp_path / "地下.pdf", b"two").module == "module-2"


def test_a_very_long_name_gets_a_key_that_fits_a_file_name(store: Store, tmp_path: Path):
    source = _register(store, tmp_path / ("x" * 240 + ".pdf"), b"one")
    assert len(source.module) <= 80


def test_asked_pages_belong_to_what_is_read_and_the_name_does_not(store: Store, tmp_path: Path):
    all_pages = _register(store, tmp_path / "crypt.pdf", b"bytes")
    renamed = _register(store, tmp_path / "vault.pdf", b"bytes")
    some = _register(store, tmp_path / "crypt.pdf", b"bytes", pages=(1, 2))
    assert all_pages.reading_digest() == renamed.reading_digest() != some.reading_digest()


@pytest.mark.parametrize(
    ("name", "data", "code"),
    [
        ("missing.pdf", None, "source.not_found"),
        ("empty.pdf", b"", "source.empty"),
        ("large.pdf", b"x" * (LIMIT + 1), "source.too_large"),
    ],
)
def test_a_file_that_cannot_be_a_source_is_refused_and_leaves_no_trace(
    store: Store, tmp_path: Path, name: str, data: bytes | None, code: str
):
    with pytest.raises(SourceError) as caught:
        _register(store, tmp_path / name, data)
    assert caught.value.code == code
    assert caught.value.remedy
    assert store.asset_partitions("module_source") == []


def test_a_folder_is_not_a_source(store: Store, tmp_path: Path):
    with pytest.raises(SourceError, match=r"source\.not_found"):
        _register(store, tmp_path)


def test_page_lists_are_read_as_printed():
    assert parse_pages("1-3,7") == (1, 2, 3, 7)
    assert parse_pages(" 9 , 2 - 3,3") == (2, 3, 9)


@pytest.mark.parametrize("text", ["", "0", "3-1", "a", "1-", "-3", "1;2", "1,,2", "1-9999999", "²"])
def test_what_is_not_a_page_list_is_refused_as_misuse(text: str):
    with pytest.raises(MisuseError) as caught:
        parse_pages(text)
    assert isinstance(caught.value, ValueError)


@given(st.sets(st.integers(1, 500), min_size=1))
def test_any_set_of_pages_survives_being_written_and_read(pages: set[int]):
    assert parse_pages(",".join(map(str, pages))) == tuple(sorted(pages))


@pytest.mark.parametrize("document", [b"", b"{}", b"{", b"\xff"])
def test_a_damaged_source_document_stops_no_other_file_and_heals_with_its_own(
    store: Store, tmp_path: Path, document: bytes
):
    first = _register(store, tmp_path / "crypt.pdf", b"one")
    store.write_asset("module_source", "crypt", document)
    assert _register(store, tmp_path / "vault.pdf", b"two").module == "vault"
    assert _register(store, tmp_path / "crypt.pdf", b"one") == first


def test_a_file_that_says_it_is_small_is_not_read_beyond_the_limit(store: Store):
    endless = Path("/proc/self/smaps")
    if not endless.is_file() or len(endless.read_bytes()) <= LIMIT:
        pytest.skip("This system has no file that is longer than it says.")
    with pytest.raises(SourceError) as refused:
        _register(store, endless)
    assert refused.value.code == "source.too_large"
