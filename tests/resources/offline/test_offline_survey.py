from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from osrforge_resources.request_text import Carry

Answer = dict[str, Any]
Keys = Callable[..., list[list[str]]]

BODY = "A {size}' x 20' chamber of damp stone. The door in the north wall is closed and dust lies on the floor."


def entries(form: str, keys: list[str]) -> str:
    names = ["Guard room", "Old kitchen", "Crypt", "Store", "Shrine", "Gallery", "Cell", "Well room", "Hall", "Pit"]
    return "\n\n".join(
        form.format(key=key, name=names[index % len(names)], body=BODY.format(size=20 + index))
        for index, key in enumerate(keys)
    )


HEADED = "### {key}. {name}\n\n{body}"
BOLD = "**{key}. {name}.** {body}"
PLAIN = "{key}. {name}. {body}"
BARE = "{key} {name}. {body}"


@pytest.mark.parametrize(
    "form", [HEADED, BOLD, PLAIN, BARE, "**{key}** {name}. {body}", "#### {key}: {name}\n\n{body}"]
)
@pytest.mark.parametrize(
    "keys",
    [
        ["1", "2", "3", "4"],
        ["1", "2", "3", "4", "4a", "4b", "5"],
        ["A1", "A2", "A3"],
        ["L5", "L6", "L6a", "L7"],
        ["01.01", "01.02", "01.03"],
        ["1", "2", "3", "4-6", "7"],
        ["1", "2", "5", "6"],
        ["12a", "12b", "13", "14"],
    ],
)
def test_every_printed_key_is_found_in_every_form_of_print(keys_of: Keys, form: str, keys: list[str]):
    assert keys_of(f"# The Sunken Keep\n\n## Key to the dungeon\n\n{entries(form, keys)}") == [keys]


@pytest.mark.parametrize("keys", [["I", "II", "III", "IV"], ["A", "B", "C", "D", "E"], ["3-A", "3-B", "3-C"]])
@pytest.mark.parametrize("form", [HEADED, BOLD, PLAIN])
def test_roman_numerals_and_letters_are_keys_where_a_mark_follows(keys_of: Keys, form: str, keys: list[str]):
    assert keys_of(f"# The Sunken Keep\n\n## Key\n\n{entries(form, keys)}") == [keys]


@pytest.mark.parametrize("word", ["Area", "ROOM", "Location", "Sala", "Habitación", "Salle", "Raum", "Stanza", "Cave"])
@pytest.mark.parametrize("form", [HEADED, BOLD, PLAIN])
def test_an_area_word_belongs_to_the_printed_key(keys_of: Keys, word: str, form: str):
    keys = [f"{word} {number}" for number in (7, 8, 9)]
    assert keys_of(f"# Keep\n\n{entries(form, keys)}") == [keys]


def test_letters_of_a_key_are_never_dropped(survey: Callable[..., Answer]):
    areas = survey(f"# Keep\n\n## Rooms\n\n{entries(HEADED, ['1', '1a', '1b', '2'])}")["dungeons"][0]["levels"][0][
        "areas"
    ]
    assert [(area["key"], area["name"]) for area in areas] == [
        ("1", "Guard room"),
        ("1a", "Old kitchen"),
        ("1b", "Crypt"),
        ("2", "Store"),
    ]


def test_an_empty_area_is_an_entry(keys_of: Keys):
    text = "# Keep\n\n## Room key\n\n**1. Hall.** A 20' x 20' hall.\n\n**2.** …\n\n**3. Cell.** A barred cell, door locked."
    assert keys_of(text) == [["1", "2", "3"]]


def test_a_restart_of_the_numbers_under_a_level_heading_is_a_level(survey: Callable[..., Answer]):
    text = f"# The Deep Tomb\n\n## LEVEL 1\n\n{entries(BOLD, ['1', '2', '3'])}\n\n## LEVEL 2\n\n{entries(BOLD, ['1', '2'])}"
    (dungeon,) = survey(text)["dungeons"]
    assert dungeon["name"] == "The Deep Tomb"
    assert [(level["number"], len(level["areas"])) for level in dungeon["levels"]] == [(1, 3), (2, 2)]


@pytest.mark.parametrize(
    ("first", "second"),
    [("Level One", "Level Two"), ("First level", "Second level"), ("Nivel 1", "Nivel 2"), ("1st Level", "2nd Level"),
     ("Dungeon Level 1", "Dungeon Level 2"), ("Niveau 1", "Niveau 2"), ("Ebene 1", "Ebene 2"), ("Level I", "Level II")],
)  # fmt: skip
def test_levels_are_named_in_many_ways(survey: Callable[..., Answer], first: str, second: str):
    text = f"# Tomb of Ash\n\n## {first}\n\n{entries(HEADED, ['1', '2', '3'])}\n\n## {second}\n\n{entries(HEADED, ['1', '2'])}"
    (dungeon,) = survey(text)["dungeons"]
    assert [(level["number"], len(level["areas"])) for level in dungeon["levels"]] == [(1, 3), (2, 2)]


def test_numbers_that_run_on_over_a_level_heading_still_change_the_level(survey: Callable[..., Answer]):
    text = f"# Tomb\n\n## Level 1\n\n{entries(BOLD, ['1', '2', '3'])}\n\n## Level 2\n\n{entries(BOLD, ['4', '5', '6'])}"
    (dungeon,) = survey(text)["dungeons"]
    assert [(level["number"], [a["key"] for a in level["areas"]]) for level in dungeon["levels"]] == [
        (1, ["1", "2", "3"]),
        (2, ["4", "5", "6"]),
    ]


def test_two_sites_with_lists_of_their_own_are_two_dungeons(survey: Callable[..., Answer]):
    text = (
        f"# Two Ruins of the Fen\n\n## The Drowned Mill\n\n{entries(HEADED, ['1', '2', '3'])}"
        f"\n\n## The Burnt Chapel\n\n{entries(HEADED, ['1', '2'])}"
    )
    assert [(d["name"], len(d["levels"])) for d in survey(text)["dungeons"]] == [
        ("The Drowned Mill", 1),
        ("The Burnt Chapel", 1),
    ]


def test_the_pages_of_an_area_are_all_pages_its_text_runs_on(survey: Callable[..., Answer]):
    first = "# Keep\n\n## Key\n\n**1. Hall.** A 20' x 20' hall.\n\n**2. Crypt.** The stone door is shut. Inside,"
    second = "dust lies on the coffins.\n\n**3. Cell.** A barred cell, door locked."
    areas = survey(first, second)["dungeons"][0]["levels"][0]["areas"]
    assert [(area["key"], area["source_pages"]) for area in areas] == [("1", [1]), ("2", [1, 2]), ("3", [2])]


NOT_AREAS = {
    "a contents page": "## Contents\n\n1. The Hall . . . . . . 3\n\n2. The Crypt . . . . . . 4\n\n3. The Cells . . . . . . 5",
    "wandering monsters": "## Wandering Monsters\n\n1. 1d6 giant rats\n\n2. 2d4 goblins\n\n3. 1 ogre\n\n4. 1d3 ghouls in the hall",
    "wandering monsters without a heading": "Roll on this table of wandering monsters:\n\n1. 1d6 giant rats (AC 7, HD 1)\n\n2. 2d4 goblins (AC 6, HD 1-1)\n\n3. 1 ogre (AC 5, HD 4)",
    "a table": "| d8 | Room dressing |\n| --- | --- |\n| 1 | Old door |\n| 2 | Wet wall |\n| 3 | Chest |",
    "rumours": "## Rumours\n\n1. The door of the crypt is trapped. (T)\n\n2. A ghost walks the hall. (F)\n\n3. There is a chest in the cellar. (T)",
    "hooks": "### Hooks\n\n1. The reeve lost his key in the tower.\n\n2. A map of the vault is for sale.\n\n3. A cave opened.",
    "steps": "## Procedure\n\n1. Open the door and check the room.\n\n2. Roll for surprise.\n\n3. Move through the passage.",
    "decimal sections": "## 1.1 Ability scores\n\nRoll 3d6.\n\n## 1.2 Classes\n\nChoose one.\n\n## 1.3 Equipment\n\nBuy it.",
    "rule sections": "## 1. Introduction\n\nThis game is played with dice.\n\n## 2. Combat\n\nRoll a d20.\n\n## 3. Magic\n\nSpells have levels.",
    "a gamebook": "### 1\n\nYou stand before a door. Turn to 12.\n\n### 2\n\nThe room is dark. Turn to 3.\n\n### 3\n\nA chest. Turn to 1.",
    "spells": "## Spell list\n\n1. charm person, sleep, hold portal\n\n2. web, mirror image, wizard lock\n\n3. fly, haste, slow",
    "scenes": "## 1. Arrival\n\nThe players arrive at the inn. This scene sets the tone.\n\n## 2. The chase\n\nIn this scene the thief runs.\n\n## 3. Finale\n\nThe last scene.",
    "a bibliography": "## Bibliography\n\n1. Gygax, E. G. The Halls of Old. 1978.\n\n2. Moore, R. Rooms and Doors. 1980.\n\n3. Cook, D. Caves. 1981.",
    "a licence": '## OPEN GAME LICENSE\n\n1. Definitions: "Contributors" means the copyright owners.\n\n2. The License: This License applies to any Open Game Content.\n\n3. Offer and Acceptance: By Using the Open Game Content You indicate Your acceptance of this License.',
    "a roster": "## Roster of the barony\n\n1. Sir Hugh, fighter 3, AC 2, hp 18\n\n2. Dame Ann, cleric 2, AC 4, hp 9\n\n3. Wat, thief 1, AC 7, hp 4",
    "years and scores": "In the year 1204 the tower fell.\n\n12 Goblins died.\n\nThe door has never been opened since.",
    "a page of prose": "The keep stands on a hill. It has doors, rooms and a cellar. Nobody goes there.",
    "nothing": "",
}  # fmt: skip


@pytest.mark.parametrize("text", NOT_AREAS.values(), ids=NOT_AREAS.keys())
def test_what_is_numbered_but_no_place_is_not_an_area(keys_of: Keys, text: str):
    assert keys_of(f"# A Book of Things\n\n{text}") == []


@pytest.mark.parametrize("text", NOT_AREAS.values(), ids=NOT_AREAS.keys())
def test_other_lists_beside_a_key_neither_join_it_nor_hide_it(keys_of: Keys, text: str):
    key = f"## Key to the keep\n\n{entries(BOLD, ['1', '2', '3', '4'])}"
    assert keys_of("# The Fallen Keep", text, key) == [["1", "2", "3", "4"]]
    assert keys_of("# The Fallen Keep", key, text) == [["1", "2", "3", "4"]]


def test_a_page_number_never_becomes_an_area(keys_of: Keys):
    pages = [f"{entries(BOLD, [str(n)])}\n\n{n + 11}" for n in (1, 2, 3)]
    assert keys_of("# Keep\n\n## Key", *pages) == [["1", "2", "3"]]


def test_a_numbered_list_inside_an_area_stays_inside_it(keys_of: Keys):
    inner = (
        "The levers do this:\n\n1. The red lever opens the door.\n\n2. The blue lever floods the room.\n\n3. Nothing."
    )
    text = f"# Keep\n\n## Key\n\n{entries(HEADED, ['1', '2'])}\n\n{inner}\n\n{entries(HEADED, ['3', '4'])}"
    assert keys_of(text) == [["1", "2", "3", "4"]]


def test_headings_that_name_places_are_areas_where_nothing_is_numbered(survey: Callable[..., Answer]):
    text = (
        "# The Silent Tower\n\n## Gatehouse\n\n2 skeletons (AC 7, HD 1, hp 4 each) guard the gate.\n\n"
        "## Great Hall\n\nA 40' x 60' hall. 300 gp lie in the ashes.\n\n## Bell Chamber\n\nA ghoul (AC 6, HD 2) hides here."
    )
    (dungeon,) = survey(text)["dungeons"]
    assert dungeon["name"] == "The Silent Tower"
    assert [area["key"] for area in dungeon["levels"][0]["areas"]] == ["Gatehouse", "Great Hall", "Bell Chamber"]


def test_a_title_of_the_same_rank_as_the_places_is_no_place(keys_of: Keys):
    text = (
        "# The Silent Tower\n\nhttps://example.org by A. Writer\n\n# Gatehouse\n\n2 skeletons (AC 7, HD 1) guard the gate.\n\n"
        "# Great Hall\n\nA 40' x 60' hall. 300 gp lie here.\n\n# Bell Chamber\n\nA ghoul (AC 6, HD 2) hides here."
    )
    assert keys_of(text) == [["Gatehouse", "Great Hall", "Bell Chamber"]]


def test_a_story_told_in_named_scenes_has_no_areas(keys_of: Keys):
    text = (
        "# The Lost Bride\n\n## At the inn\n\nThe players hear of the bride and talk to her father.\n\n"
        "## The chase\n\nThey follow the tracks to the hills.\n\n## A bitter end\n\nThe bride does not want to be saved."
    )
    assert keys_of(text) == []


def test_printed_connections_make_names_areas_in_spanish_too(keys_of: Keys):
    text = "# Isla\n\n" + "\n\n".join(
        f"### {name}\n\n**PNJ:** Nadie\n\n**Conexiones:** {other}"
        for name, other in [("Puerto", "Plaza"), ("Plaza", "Puerto, Callejón"), ("Callejón", "Plaza")]
    )
    assert keys_of(text) == [["Puerto", "Plaza", "Callejón"]]


def test_a_window_goes_on_with_the_level_it_is_given(survey: Callable[..., Answer]):
    (dungeon,) = survey(entries(BOLD, ["5", "6", "7"]), carry=Carry("The Deep Tomb", 2, "4"))["dungeons"]
    assert dungeon["name"] == "The Deep Tomb"
    assert [(level["number"], [a["key"] for a in level["areas"]]) for level in dungeon["levels"]] == [
        (2, ["5", "6", "7"])
    ]


def test_a_window_that_starts_again_at_one_opens_the_next_level(survey: Callable[..., Answer]):
    text = f"{entries(BOLD, ['8', '9'])}\n\n## Level 3\n\n{entries(BOLD, ['1', '2', '3'])}"
    (dungeon,) = survey(text, carry=Carry("The Deep Tomb", 2, "8"))["dungeons"]
    assert [(level["number"], len(level["areas"])) for level in dungeon["levels"]] == [(2, 2), (3, 3)]


def test_a_shared_page_does_not_move_the_end_of_one_level_into_the_next(survey: Callable[..., Answer]):
    shared = f"{entries(BOLD, ['7', '8'])}\n\n## Level 2: The Wax Cellars\n\n{entries(BOLD, ['1', '2', '3'])}"
    (dungeon,) = survey(shared, entries(BOLD, ["4", "5"]), carry=Carry("The Deep Tomb", 2, "3"))["dungeons"]
    assert dungeon["name"] == "The Deep Tomb"
    assert [(level["number"], [a["key"] for a in level["areas"]]) for level in dungeon["levels"]] == [
        (2, ["1", "2", "3", "4", "5"])
    ]


def test_a_changed_area_leaves_its_neighbours_as_they_were(survey: Callable[..., Answer]):
    before = survey(f"# Keep\n\n## Key\n\n{entries(BOLD, ['1', '2', '3', '4'])}")["dungeons"]
    changed = entries(BOLD, ["1", "2", "3", "4"]).replace("21' x 20'", "99' x 99' very different")
    assert survey(f"# Keep\n\n## Key\n\n{changed}")["dungeons"] == before


def test_boxes_scattered_round_a_map_are_listed_by_number(keys_of: Keys):
    notes = {
        1: "A rear entrance.",
        2: "A stone door.",
        3: "A key in a pool.",
        4: "A chest of gems.",
        5: "A tapestry on the wall.",
    }
    text = "Crypt of Nobody\n\nNobody lies here.\n\n" + "\n\n".join(f"> {n}. {notes[n]}" for n in (3, 5, 1, 4, 2))
    assert keys_of(text) == [["1", "2", "3", "4", "5"]]


def test_an_area_called_basement_is_an_area_and_no_level(survey: Callable[..., Answer]):
    text = (
        "# Manor\n\n## Key\n\n### 1. Hall\n\nA hall.\n\n### 2. Basement\n\nA damp room.\n\n### 3. Stairs to level 2\n\n"
        "Stairs down to level 2\n\nA door stands open."
    )
    (dungeon,) = survey(text)["dungeons"]
    assert [[area["name"] for area in level["areas"]] for level in dungeon["levels"]] == [
        ["Hall", "Basement", "Stairs to level 2"]
    ]


def test_the_buildings_of_the_home_town_are_no_dungeon(survey: Callable[..., Answer]):
    text = (
        "# The Moathouse\n\n## Village of Hommel\n\n**1. The Wench.** An inn.\n\n**2. Smithy.** A smith.\n\n"
        f"**3. Temple.** A temple.\n\n## The Old Moathouse\n\n{entries(BOLD, ['1', '2', '3'])}"
    )
    (dungeon,) = survey(text)["dungeons"]
    assert [area["name"] for area in dungeon["levels"][0]["areas"]] == ["Guard room", "Old kitchen", "Crypt"]


def test_chapters_with_areas_of_their_own_are_no_areas(keys_of: Keys):
    text = (
        "# The Black Castle\n\n## 1. Introduction\n\nThe castle is old.\n\n## 2. The castle\n\n"
        "### 2.1 Gatehouse\n\nA gate 20' wide.\n\n### 2.2 Court\n\nA yard with a well.\n\n### 2.3 Tower\n\nA locked door."
    )
    assert keys_of(text) == [["2.1", "2.2", "2.3"]]


def test_a_key_printed_as_a_table_is_a_key(keys_of: Keys):
    rows = "| 1 | Entrance hall with statues |\n| 2 | Guard room, 3 orcs |\n| 3 | Treasury, a locked door |"
    assert keys_of(f"# Dungeon\n\n## Key\n\n| Room | Description |\n| --- | --- |\n{rows}") == [["1", "2", "3"]]


def test_the_town_and_the_hooks_are_told_from_the_frame(survey: Callable[..., Answer]):
    text = (
        "# The Cellar\n\nA short crawl for brave people of the lowest level.\n\n## Rumours\n\n1. The well is haunted at night.\n\n"
        "## Background\n\nThe village of Wennadale has forty souls. The Dry Barrel inn offers beds."
    )
    found = survey(text)
    assert found["title"] == "The Cellar"
    assert found["description"] == "A short crawl for brave people of the lowest level."
    assert "The well is haunted at night." in found["hooks"]
    assert found["town"]["name"] == "Wennadale"
    assert found["town"]["services"] == ["The Dry Barrel inn offers beds"]


def test_the_census_agrees_on_plain_modules(survey: Callable[..., Answer], census: Callable[..., Answer]):
    text = f"# The Deep Tomb\n\n## LEVEL 1\n\n{entries(BOLD, ['1', '2', '3'])}\n\n## LEVEL 2\n\n{entries(BOLD, ['1', '2'])}"
    assert census(text)["dungeons"] == [
        {
            "name": "The Deep Tomb",
            "levels": [
                {"number": 1, "first_key": "1", "last_key": "3"},
                {"number": 2, "first_key": "1", "last_key": "2"},
            ],
        }
    ]
    assert len(survey(text)["dungeons"][0]["levels"]) == 2


@pytest.mark.parametrize("text", NOT_AREAS.values(), ids=NOT_AREAS.keys())
def test_the_census_counts_no_lists_of_other_things(census: Callable[..., Answer], text: str):
    assert census(f"# A Book of Things\n\n{text}")["dungeons"] == []


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(max_size=400) | st.lists(st.sampled_from(
    ["1. ", "**2a.** ", "# ", "> ", "| a | b |", "- ", "AC 5 ", "\n\n", "\n", "door ", "Level 2", "\\", "**", "(", "IV. ", "X", "3 Orcs"]
), max_size=40).map("".join))  # fmt: skip
def test_any_page_text_gets_an_answer(survey: Callable[..., Answer], census: Callable[..., Answer], text: str):
    assert isinstance(survey(text)["dungeons"], list)
    assert isinstance(census(text)["dungeons"], list)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(count=st.integers(2, 30), start=st.integers(1, 3), form=st.sampled_from([HEADED, BOLD, PLAIN]))
def test_a_list_of_any_length_is_found_whole(keys_of: Keys, count: int, start: int, form: str):
    keys = [str(number) for number in range(start, start + count)]
    assert keys_of(f"# Keep\n\n## Key\n\n{entries(form, keys)}") == [keys]


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cuts=st.sets(st.integers(1, 9), max_size=4))
def test_page_breaks_between_areas_change_nothing_but_pages(keys_of: Keys, cuts: set[int]):
    keys = [str(number) for number in range(1, 11)]
    blocks = entries(BOLD, keys).split("\n\n")
    pages, page = [], []
    for index, block in enumerate(blocks):
        if index in cuts:
            pages.append("\n\n".join(page))
            page = []
        page.append(block)
    pages.append("\n\n".join(page))
    assert keys_of("# Keep\n\n## Key", *pages) == [keys]
