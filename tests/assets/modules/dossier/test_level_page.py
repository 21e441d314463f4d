"""The page to check a level by: every area beside its pages, and no text of a source ever becomes markup."""

import io
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from osrforge_assets.contracts.dossier import Dossier, LevelStatus
from osrforge_assets.contracts.pages import PageImage, PageSet
from osrforge_assets.modules.dossier.level_page import level_html
from osrforge_assets.modules.dossier.page_pictures import cited_pages, write_page_pictures
from osrforge_resources.failures import StoreError
from osrforge_resources.store import BlobKind, Store
from tests.assets.modules.dossier.small_module import SmallModule, area, encounter, surveyed

PICTURES = {2: "pages/0002-aa.jpg", 3: "pages/0003-bb.jpg"}


class _Read(HTMLParser):
    """The tags of a page, its text, and what it loads or leads to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.shown: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [value or "" for name, value in attrs if name in {"src", "href"}]

    def handle_data(self, data: str) -> None:
        self.shown.append(data)


def page_of(dossier: Dossier, number: int = 1, pictures: dict[int, str] | None = None) -> _Read:
    dungeon = dossier.dungeons[0]
    return _Read(level_html(dossier, dungeon, dungeon.levels[number - 1], PICTURES if pictures is None else pictures))


def test_an_area_stands_beside_every_page_it_was_read_from():
    read = page_of(SmallModule().answer(1, area("1"), area("2", source_pages=(2, 3))).build())
    images = [link for link in read.links if link.endswith(".jpg")]
    assert images == [
        f"../{name}" for name in (PICTURES[2], PICTURES[2], PICTURES[2], PICTURES[2], PICTURES[3], PICTURES[3])
    ]


def test_neighbours_from_the_same_page_share_its_picture():
    areas = tuple(surveyed(str(number)) for number in range(1, 6))
    dossier = SmallModule(surveyed={1: areas}).answer(1, *(area(str(number)) for number in range(1, 6))).build()
    read = page_of(dossier)
    assert (read.tags.count("article"), read.tags.count("section"), read.tags.count("img")) == (5, 1, 1)


def test_each_area_is_reached_by_its_key_and_says_what_was_read():
    read = page_of(SmallModule().answer(1, area("1", encounters=(encounter("wolves", 2),)), area("2")).build())
    assert [link for link in read.links if link.startswith("#")] == ["#1", "#2"]
    assert "wolves (2)" in read.shown


def test_a_page_without_a_picture_is_named_and_a_level_that_was_not_read_says_so():
    module = SmallModule()
    module.statuses[1] = LevelStatus.OUTDATED
    read = page_of(module.build(), pictures={})
    assert "img" not in read.tags
    assert "Page 2" in read.shown
    assert "Not read." in read.shown
    assert any("older plan" in text for text in read.shown)


@given(st.text(max_size=60).map(lambda text: f"<script>{text}</script><img src=x onerror=y>'\"&"))
def test_no_text_of_a_source_becomes_markup(text: str):
    fields = {
        "description": text,
        "encounters": (encounter(text),),
        "trap": text,
        "treasure": (text,),
        "features": (text,),
    }
    names = {1: (surveyed("1", text, label=text),)}
    hostile = page_of(SmallModule(surveyed=names).answer(1, area("1", **fields)).build())
    plain = page_of(
        SmallModule(surveyed={1: (surveyed("1", "x", label="x"),)})
        .answer(
            1,
            area(
                "1",
                **dict.fromkeys(fields, "x")
                | {"encounters": (encounter("x"),), "treasure": ("x",), "features": ("x",)},
            ),
        )
        .build()
    )
    assert set(hostile.tags) <= set(plain.tags) | {"p", "h3", "ul", "li"}
    assert "script" not in hostile.tags
    assert [link for link in hostile.links if not link.startswith(("#", "../pages/"))] == []


# The pictures -------------------------------------------------------------------------------------------------------


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


def page_set(store: Store, *shades: int | None) -> PageSet:
    pages = []
    for number, shade in enumerate(shades, 1):
        image = None
        if shade is not None:
            buffer = io.BytesIO()
            Image.new("L", (1800, 2400), shade).save(buffer, "PNG")
            sha256 = store.put_blob(BlobKind.IMAGE, buffer.getvalue())
            image = PageImage(sha256=sha256, size=len(buffer.getvalue()), width=1800, height=2400)
        pages.append(
            {"number": number, "content": "c", "image": image, "layer": "l", "text": "t", "characters": 1, "labels": ()}
        )
    fields = {"module": "salt-well", "source": "0" * 64, "source_pages": len(pages), "title": "", "settings": "0" * 64}
    return PageSet.model_validate({**fields, "pages": pages})


def test_only_cited_pages_are_pictured_and_only_those_that_have_a_render(store: Store):
    dossier = SmallModule().answer(1, area("1"), area("2")).build()
    assert cited_pages(dossier) == {2, 3}
    names = write_page_pictures(store, "salt-well", page_set(store, 10, 20, None, 40), cited_pages(dossier))
    assert list(names) == [2]
    (path,) = store.dossier_files("salt-well")
    with Image.open(io.BytesIO(path.read_bytes())) as picture:
        assert (picture.format, picture.size) == ("JPEG", (900, 1200))


def test_an_unchanged_page_keeps_its_picture_and_a_changed_one_gets_another(store: Store):
    first = write_page_pictures(store, "salt-well", page_set(store, 10, 20), [1, 2])
    path = store.dossier_path("salt-well", first[1])
    path.write_bytes(b"left alone")
    second = write_page_pictures(store, "salt-well", page_set(store, 10, 99), [1, 2])
    assert path.read_bytes() == b"left alone"
    assert second[1] == first[1]
    assert second[2] != first[2]


def test_a_lost_render_is_a_failure_and_not_a_page_without_a_picture(store: Store):
    pages = page_set(store, 10)
    image = pages.pages[0].image
    assert image is not None
    store.blob_path(BlobKind.IMAGE, image.sha256).unlink()
    with pytest.raises(StoreError):
        write_page_pictures(store, "salt-well", pages, [1])
