"""Exits that name a place otherwise than its heading does: the one area that holds all their words is meant."""

import pytest

from osrforge_resources.offline.exits import AreaNames, find_exits
from osrforge_resources.offline.keyed_areas import area_text
from osrforge_resources.offline.named_areas import named_runs
from osrforge_resources.offline.outline import read_outline
from osrforge_resources.offline.page_text import read_blocks

NAMES = AreaNames(
    {
        "first-chamber-of-the-cave": "first-chamber-of-the-cave",
        "second-chamber-of-the-cave": "second-chamber-of-the-cave",
        "souvenirs-shop": "shop",
        "7": "drowned-vault",
        "drowned-vault": "drowned-vault",
    }
)


def target(label: str) -> str | None:
    return find_exits(f"Connections: {label}.", NAMES)[0].to_key


@pytest.mark.parametrize(
    ("label", "key"),
    [
        ("1st chamber", "first-chamber-of-the-cave"),
        ("Shop", "shop"),
        ("Cave, second", "second-chamber-of-the-cave"),
        ("Vault", "drowned-vault"),
    ],
)
def test_a_shortened_name_is_the_one_area_that_holds_its_words(label: str, key: str):
    assert target(label.replace(",", "")) == key


def test_a_shortened_name_that_two_areas_hold_stays_as_printed():
    assert target("Chamber of the cave") == "Chamber of the cave"


def test_a_name_that_no_area_holds_stays_as_printed():
    assert target("Lighthouse vault") == "Lighthouse vault"


def named(text: str) -> dict[str, str]:
    """The text of each place by its name."""
    runs = named_runs(read_outline(read_blocks(1, text)))
    return {area.name: area_text(area.blocks) for run in runs for area in run}


PLACE = "## {name}\n\nA quiet place.\n\nConnections: {to}"


def test_a_part_printed_under_its_whole_bears_the_name_it_has_where_it_stands_alone():
    text = "\n\n".join(
        [
            PLACE.format(name="Harbour", to="Market"),
            PLACE.format(name="Market", to="Harbour"),
            PLACE.format(name="Exterior of the mansion", to="Market"),
            "## Mansion",
            "## Exterior\n\nIvy hides a side door, and a guard walks round the house.",
        ]
    )
    found = named(text)
    assert list(found) == ["Harbour", "Market", "Exterior of the mansion"]
    assert "Ivy" in found["Exterior of the mansion"]


def test_a_heading_below_a_place_with_text_of_its_own_is_no_part_of_it():
    text = "\n\n".join(
        [
            PLACE.format(name="Harbour", to="Market"),
            PLACE.format(name="Market", to="Harbour"),
            PLACE.format(name="Exterior of the market", to="Market"),
            PLACE.format(name="Mansion", to="Market"),
            "## Exterior\n\nIvy hides a side door, and a guard walks round the house.",
        ]
    )
    assert "Ivy" not in named(text)["Exterior of the market"]


def test_a_part_printed_under_its_whole_is_found_again_where_the_whole_name_is_asked_for():
    text = "## Mansion\n\n## Exterior\n\nConnections: Harbour.\n\n## Cellar\n\nConnections: Exterior."
    outline = read_outline(read_blocks(1, text))
    runs = named_runs(outline, expected=["Exterior of the mansion", "Harbour"])
    assert [(area.name, area_text(area.blocks)) for run in runs for area in run] == [
        ("Exterior of the mansion", "Connections: Harbour.")
    ]
