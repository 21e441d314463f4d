"""Keys that are letters, Roman numerals or cells of a table: both readings find them, and neither takes lists for them."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

Answer = dict[str, Any]
Keys = Callable[..., list[list[str]]]
Census = Callable[..., Answer]

BODY = "A {n}0' x 20' chamber of damp stone. The door in the north wall is closed and dust lies on the floor."
NAMES = ["Guard room", "Old kitchen", "Crypt", "Store", "Shrine", "Gallery"]
HEADED, BOLD, PLAIN = "### {key}. {name}\n\n{body}", "**{key}. {name}.** {body}", "{key}. {name}. {body}"
ROMANS = ["I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X"]


def entries(form: str, keys: Sequence[str]) -> str:
    return "\n\n".join(
        form.format(key=key, name=NAMES[at % len(NAMES)], body=BODY.format(n=at + 2)) for at, key in enumerate(keys)
    )


def table(head: Sequence[str], *rows: Sequence[str]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rows))


KEEP = "# The Sunken Keep\n\n## Key\n\n"
NUMBERED = KEEP + entries(BOLD, "1234")
ROOMS = [
    ("Guard room", "3 goblins play dice by the north door."),
    ("Old kitchen", "A cold hearth and a locked door."),
    ("Crypt", "Two sarcophagi; stairs lead down."),
    ("Shrine", "An altar with 50 gp."),
]


def counted(answer: Answer) -> list[tuple[str, str]]:
    return [(level["first_key"], level["last_key"]) for one in answer["dungeons"] for level in one["levels"]]


@pytest.mark.parametrize("form", [HEADED, BOLD, PLAIN, "{key}) {name}. {body}", "#### {key} – {name}\n\n{body}"])
@pytest.mark.parametrize("keys", ["ABCDE", "ABCDEFGHIJKLM", ROMANS], ids=["letters", "letters past I", "Roman"])
def test_the_census_reads_letters_and_roman_numerals_as_the_survey_does(
    keys_of: Keys, census: Census, form: str, keys: Sequence[str]
):
    text = KEEP + entries(form, keys)
    assert keys_of(text) == [list(keys)]
    assert counted(census(text)) == [(keys[0], keys[-1])]


def test_a_lettered_key_keeps_its_area_word(census: Census):
    assert counted(census(KEEP + entries("**Area {key}: {name}.** {body}", "ABC"))) == [("Area A", "Area C")]


def test_a_level_of_letters_follows_a_level_of_numbers(keys_of: Keys, census: Census):
    text = f"# Keep\n\n## Level 1\n\n{entries(BOLD, '1234')}\n\n## Level 2\n\n{entries(BOLD, 'ABC')}"
    assert keys_of(text) == [["1", "2", "3", "4"], ["A", "B", "C"]]
    assert counted(census(text)) == [("1", "4"), ("A", "C")]


def test_letters_that_start_again_under_a_level_heading_are_a_level(census: Census):
    text = f"# Keep\n\n## Level 1\n\n{entries(BOLD, 'ABCD')}\n\n## Level 2\n\n{entries(BOLD, 'ABC')}"
    assert counted(census(text)) == [("A", "D"), ("A", "C")]


@pytest.mark.parametrize("head", ["Room", "Area", "Key", "Sala"])
@pytest.mark.parametrize("keys", ["1234", "ABCD", ROMANS[:4]], ids=["numbers", "letters", "Roman"])
def test_rooms_in_a_table_are_areas_with_their_names(
    survey: Callable[..., Answer], census: Census, head: str, keys: Sequence[str]
):
    rows = [(key, *room) for key, room in zip(keys, ROOMS, strict=True)]
    text = KEEP + table([head, "Name", "Contents"], *rows)
    areas = survey(text)["dungeons"][0]["levels"][0]["areas"]
    assert [(area["key"], area["name"]) for area in areas] == [(key, name) for key, name, _ in rows]
    assert counted(census(text)) == [(keys[0], keys[-1])]


@pytest.mark.parametrize("head", ["#", "No.", "Nº", "Nr."])
def test_a_column_of_numbers_is_a_key_where_the_next_one_holds_rooms(keys_of: Keys, census: Census, head: str):
    rows = [(str(at), *room) for at, room in enumerate(ROOMS, start=1)]
    text = KEEP + table([head, "Location", "Contents"], *rows)
    assert keys_of(text) == [["1", "2", "3", "4"]]
    assert counted(census(text)) == [("1", "4")]


NOTHING_KEYED = {
    "an outline": (
        "# The king's war\n\nA. The king sends for the party and asks for help in the hall.\n\nB. The party is told of a "
        "road.\n\nC. The queen betrays them.\n\nD. They flee."
    ),
    "the chapters of a tale": (
        "# The tale\n\n## I. The Arrival\n\nThe players come to the town by the north road and rest.\n\n## II. The Betrayal\n\n"
        "The duke lies.\n\n## III. The Crypt\n\nThe players are led into the crypt.\n\n## IV. The Escape\n\nThey run."
    ),
    "the options of a question": (
        "# Quiz\n\nWhere is the altar?\n\nA. In the crypt.\n\nB. In the hall.\n\nC. In the cave by the north door.\n\n"
        "Where is the king?\n\nA. In the tower.\n\nB. In the cell."
    ),
    "people and sentences": (
        "# Diary\n\nI was in the hall.\n\nI. Newton lies in the crypt.\n\nA door stands open.\n\nC. Darwin slept in the room by "
        "the north wall."
    ),
    "a d6 table of rooms": "# Random dungeon\n\n" + table(["d6", "Room"], *[(str(at), ROOMS[at - 1][0]) for at in (1, 2, 3, 4)]),
    "a price list": "# Town\n\n" + table(["No.", "Item", "Price"], ("1", "Door", "5 gp"), ("2", "Chest", "2 gp"), ("3", "Bed", "1 gp")),
    "the rooms of an inn": "# The Inn\n\n## Prices\n\n" + table(["Room", "Price"], ("Single", "5 gp"), ("Double", "8 gp"), ("Suite", "9 gp")),
    "an index by letters": "# Index\n\n### A\n\naltar 12, 14\n\n### B\n\nbarracks 3\n\n### C\n\ncrypt 3, 8\n\n### D\n\ndoors 2, 4–6",
}  # fmt: skip


@pytest.mark.parametrize("text", NOTHING_KEYED.values(), ids=NOTHING_KEYED.keys())
def test_lists_of_other_things_have_no_keys(keys_of: Keys, census: Census, text: str):
    assert keys_of(text) == []
    assert census(text)["dungeons"] == []


BESIDE_A_KEY = {
    "appendices": (
        "## Appendices\n\n### A. New monsters\n\nThe bog wight haunts rooms and halls.\n\n### B. Treasure tables\n\nRoll d6 for "
        "each chest.\n\n### C. Maps\n\nThe crypt."
    ),
    "appendices in words": "# Appendix A: The crypt in winter\n\nSnow.\n\n# Appendix B: The hall of kings\n\nSongs.\n\n# Appendix C: Licence\n\nText.",
    "a wandering table": "## Wandering monsters\n\n"
    + table(["d6", "Monster"], ("1", "2d4 goblins from the guard room"), ("2", "1 ghoul of the crypt"), ("3", "rats in the hall")),
    "a numbered table of monsters": "## Who walks here\n\n"
    + table(["#", "Monster", "Where"], ("1", "2d4 goblins", "hall"), ("2", "1 ghoul", "crypt"), ("3", "3 rats", "hall")),
    "treasure types": "## Treasure types\n\n" + "\n\n".join(f"{key}. {at},000 cp (25%), 50 gp in a chest (30%)." for at, key in enumerate("ABCDE", 1)),
    "a table of treasure types": "## Treasure types\n\n" + table(["Type", "CP", "SP"], *[(key, "25%", "30%") for key in "ABCDE"]),
}  # fmt: skip


@pytest.mark.parametrize("text", BESIDE_A_KEY.values(), ids=BESIDE_A_KEY.keys())
def test_lists_beside_a_key_are_no_levels(keys_of: Keys, census: Census, text: str):
    assert keys_of(f"{NUMBERED}\n\n{text}") == [["1", "2", "3", "4"]]
    assert counted(census(f"{NUMBERED}\n\n{text}")) == [("1", "4")]


THINGS = "A. A chest by the wall.\n\nB. A statue in the corner of the room.\n\nC. A pool in the floor."


def test_letters_inside_an_area_are_no_areas_not_even_in_the_last(keys_of: Keys, census: Census):
    text = (
        f"{KEEP}**1. Hall.** A 20' x 20' hall with a north door. It holds:\n\n{THINGS}\n\n**2. Crypt.** A crypt with a locked "
        f"door.\n\n**3. Cell.** A barred cell. On the floor lie:\n\n{THINGS}"
    )
    assert keys_of(text) == [["1", "2", "3"]]
    assert counted(census(text)) == [("1", "3")]


def test_numbers_inside_lettered_areas_are_no_areas(census: Census):
    steps = "1. The door opens.\n\n2. The floor of the room sinks.\n\n3. The wall falls."
    text = f"{KEEP}{entries(BOLD, 'AB')}\n\n{steps}\n\n{entries(BOLD, 'ABCD').split('**C.')[1].join(['**C.', ''])}"
    assert counted(census(text)) == [("A", "D")]
