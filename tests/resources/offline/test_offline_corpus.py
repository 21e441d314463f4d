from collections.abc import Callable
from typing import Any

import pytest
import yaml
from upath import UPath

from osrforge_assets.modules.pages.reading import read_pages
from osrforge_assets.modules.pages.settings import PageSettings
from osrforge_resources.keys import slug
from osrforge_resources.store import BlobKind, Store
from tests.corpus import ABSENT, CORPUS

Answer = dict[str, Any]

pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason=ABSENT)

KEYED = [
    "minimod",
    "darkloch",
    "mdmod",
    "pagoda-of-pazuzu",
    "watabou-crypt-of-keverr",
    "watabou-darkfist-vault",
    "watabou-library-of-farax-shamakta",
]
UNKEYED = ["gamebook-example", "las-pruebas-del-sabio-es", "ninjas-cutres-es", "to-rob-a-witch"]


def page_texts(name: str) -> list[str]:
    store = Store(UPath(f"memory://offline-{name}"))
    data = (CORPUS / "modules" / f"{name}.pdf").read_bytes()
    pages = read_pages(data, store, PageSettings(), module=name).pages
    return [store.get_blob(BlobKind.TEXT, page.text).decode("utf-8") for page in pages]


def truth(name: str) -> Answer:
    return yaml.safe_load((CORPUS / "truth" / f"{name}.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", KEYED)
def test_every_printed_area_is_found_and_none_is_invented(survey: Callable[..., Answer], name: str):
    found = survey(*page_texts(name))["dungeons"]
    printed = [slug(str(a["key"])) for d in truth(name)["dungeons"] for level in d["levels"] for a in level["areas"]]
    assert [slug(a["key"]) for d in found for level in d["levels"] for a in level["areas"]] == printed


@pytest.mark.parametrize("name", UNKEYED)
def test_what_has_no_keyed_areas_gets_no_dungeon(survey: Callable[..., Answer], name: str):
    assert survey(*page_texts(name))["dungeons"] == []


@pytest.mark.parametrize("name", ["minimod", "darkloch"])
def test_printed_creatures_are_found_with_their_counts_and_none_is_invented(content: Callable[..., Any], name: str):
    answers = content(*page_texts(name))
    for dungeon in truth(name)["dungeons"]:
        for level in dungeon["levels"]:
            for area in level["areas"]:
                said = answers[str(area["key"])]["encounters"]
                # Names compare by their printed words; the truth has them in the singular.
                assert [e["count_fixed"] for e in said] == [e["count"] for e in area.get("encounters", [])], area["key"]
                for printed, expected in zip(said, area.get("encounters", []), strict=True):
                    assert expected["name"].split()[-1] in printed["monster"].lower(), area["key"]


@pytest.mark.parametrize("name", ["minimod", "darkloch"])
def test_treasure_is_found_where_it_is_printed_and_nowhere_else(content: Callable[..., Any], name: str):
    answers = content(*page_texts(name))
    for dungeon in truth(name)["dungeons"]:
        for level in dungeon["levels"]:
            for area in level["areas"]:
                if "treasure" in area:
                    assert bool(answers[str(area["key"])]["treasure"]) == area["treasure"]["present"], area["key"]
