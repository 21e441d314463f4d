"""The bundled demo module: its PDF, its generator and its truth agree."""

import re
import subprocess
import sys
import unicodedata
from pathlib import Path
from typing import Any

import pymupdf  # reads the PDF's text and metadata
import pytest
import yaml  # the truth files' format

DATA = Path(__file__).parent / "data"
PDF = DATA / "demo_module.pdf"
MOST_BYTES = 400_000


@pytest.fixture(scope="module")
def pages() -> dict[int, str]:
    """Text of each page on one line, ligatures spelled out, words at line ends joined."""
    with pymupdf.open(PDF) as doc:
        texts = {
            number: unicodedata.normalize("NFKC", page.get_text()) for number, page in enumerate(doc.pages(), start=1)
        }
    return {number: " ".join(text.split()) for number, text in texts.items()}


@pytest.fixture(scope="module")
def truth() -> dict[str, Any]:
    return yaml.safe_load((DATA / "demo_module.yaml").read_text(encoding="utf-8"))


def levels(truth: dict[str, Any]) -> list[dict[str, Any]]:
    return [level for dungeon in truth["dungeons"] for level in dungeon["levels"]]


def areas(truth: dict[str, Any]) -> list[dict[str, Any]]:
    return [area for level in levels(truth) for area in level["areas"]]


def singular_forms(name: str) -> tuple[str, ...]:
    """What a stat block may print for a truth name: the same, a plural, or a Latin plural."""
    return name, f"{name}s", f"{name}es", f"{name}e"


def test_regenerating_gives_the_committed_bytes(tmp_path: Path) -> None:
    with pymupdf.open(PDF) as doc:
        producer = (doc.metadata or {}).get("producer")
    if producer != f"PyMuPDF {pymupdf.VersionBind}":
        pytest.skip(f"the PDF was written by {producer}, here is PyMuPDF {pymupdf.VersionBind}")
    target = tmp_path / "again.pdf"
    subprocess.run([sys.executable, DATA / "make_demo_module.py", target], check=True, timeout=120, capture_output=True)
    assert target.read_bytes() == PDF.read_bytes()


def test_the_module_is_small_and_as_long_as_its_truth_says(pages: dict[int, str], truth: dict[str, Any]) -> None:
    assert 8 <= len(pages) <= 12
    assert len(pages) == truth["pages"]
    assert PDF.stat().st_size < MOST_BYTES


def test_the_module_has_two_dungeons_three_levels_and_keys_that_start_again(truth: dict[str, Any]) -> None:
    assert [len(dungeon["levels"]) for dungeon in truth["dungeons"]] == [2, 1]
    assert [level["areas"][0]["key"] for level in levels(truth)] == ["1", "1", "1"]
    assert 20 <= len(areas(truth)) <= 30
    assert {"4", "4a", "4b"} <= {area["key"] for area in levels(truth)[0]["areas"]}


def test_every_printed_key_and_name_stands_on_the_first_of_its_pages(
    pages: dict[int, str], truth: dict[str, Any]
) -> None:
    for area in areas(truth):
        assert f"{area['key']}. {area['name']}" in pages[area["pages"][0]]


def test_no_key_is_printed_in_bold_that_the_truth_leaves_out(truth: dict[str, Any]) -> None:
    with pymupdf.open(PDF) as doc:
        blocks = [block for page in doc.pages() for block in page.get_text("dict")["blocks"]]
    lines = [line["spans"] for block in blocks for line in block.get("lines", ())]
    starts = ["".join(span["text"] for span in spans) for spans in lines if "Times-Bold" in spans[0]["font"]]
    printed = [match[1] for start in starts if (match := re.match(r"(\d+[a-z]?)\. ", start))]
    assert printed == [area["key"] for area in areas(truth)]


def test_the_text_of_an_area_names_every_area_it_connects_to(truth: dict[str, Any]) -> None:
    source = (DATA / "demo_module.md").read_text(encoding="utf-8")
    texts = re.split(r"(?m)^(?:### |\*\*)\d+[a-z]?\. ", source)[1:]
    assert len(texts) == len(areas(truth))
    for text, area in zip(texts, areas(truth), strict=True):
        own = re.split(r"(?m)^(?:## |@)", text)[0]
        named = set(re.findall(r"(?<!level \d, )\barea (\d+[a-z]?)", own))
        assert set(area["connections"]) <= named, area["name"]


def test_every_monster_is_printed_with_its_count_on_a_page_of_its_area(
    pages: dict[int, str], truth: dict[str, Any]
) -> None:
    for area in areas(truth):
        text = " ".join(pages[number] for number in area["pages"]).lower()
        for encounter in area["encounters"]:
            count = encounter.get("count", encounter.get("count_dice"))
            blocks = [f"{form} ({count}):".lower() for form in singular_forms(encounter["name"])]
            assert any(block in text for block in blocks), (area["name"], encounter)


def test_connections_and_doors_read_the_same_from_both_sides(truth: dict[str, Any]) -> None:
    for level in levels(truth):
        by_key = {area["key"]: area for area in level["areas"]}
        for key, area in by_key.items():
            for other in area["connections"]:
                assert key in by_key[other]["connections"]
                assert by_key[other]["doors"].get(key) == area["doors"].get(other)
            assert set(area["doors"]) <= set(area["connections"])


def test_transitions_and_entrances_name_areas_that_exist(truth: dict[str, Any]) -> None:
    for dungeon in truth["dungeons"]:
        keys = {(level["number"], area["key"]) for level in dungeon["levels"] for area in level["areas"]}
        assert (dungeon["entrance"]["level"], dungeon["entrance"]["key"]) in keys
        for way in dungeon["transitions"]:
            assert {(way["from_level"], way["from_key"]), (way["to_level"], way["to_key"])} <= keys


def test_the_module_has_an_empty_area_dice_counts_and_each_kind_of_door(truth: dict[str, Any]) -> None:
    assert any(not area["encounters"] and not area["treasure"]["present"] for area in areas(truth))
    assert any("count_dice" in encounter for area in areas(truth) for encounter in area["encounters"])
    doors = [door for area in areas(truth) for door in area["doors"].values()]
    assert any(door["locked"] for door in doors)
    assert any(door.get("stuck") for door in doors)
    assert any(door["kind"] == "secret_door" for door in doors)
    assert any(len(area["pages"]) > 1 for area in areas(truth))
