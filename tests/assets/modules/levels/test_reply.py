"""The shape of a batch's answer: exactly the asked keys, exactly our dice, nothing unprintable."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osrforge_assets.contracts.level import DICE_PATTERN, Direction, Via
from osrforge_assets.modules.levels.reply import batch_schema, parse_areas
from osrforge_resources.failures import SchemaValidationError
from osrforge_resources.model_provider import ensure_schema
from tests.assets.modules.samples import answered

DICE = (2, 3, 4, 6, 8, 10, 12, 20, 100)


def _encounter(**changes: object) -> dict[str, object]:
    return {"monster": "goblin", "count_fixed": None, "count_dice": None, "count_note": None} | changes


def _connection(**changes: object) -> dict[str, object]:
    plain = {"to_key": "2", "to_level": None, "direction": "north", "via": "door"}
    return plain | {"door_stuck": False, "door_locked": False} | changes


def _accepts(dice: str) -> bool:
    """Whether a dice string passes both gates an answer has to pass: the schema and the contract."""
    data = {"areas": [answered("1", encounters=[_encounter(count_dice=dice)])]}
    try:
        ensure_schema(data, batch_schema(["1"]), "content")
        parse_areas(data, tag="content")
    except SchemaValidationError:
        return False
    return True


@given(number=st.integers(-1, 1_200), sides=st.integers(0, 110), modifier=st.integers(-1_200_000, 1_200_000))
def test_dice_are_accepted_exactly_if_they_are_usual_ones_within_bounds(number: int, sides: int, modifier: int):
    expected = 1 <= number <= 999 and sides in DICE and abs(modifier) <= 999_999
    assert _accepts(f"{number}d{sides}{modifier:+d}") == expected
    assert _accepts(f"{number}d{sides}") == (1 <= number <= 999 and sides in DICE)


@pytest.mark.parametrize("dice", ["d6", "1d6", "3d6", "d100", "2d4+1", "2d4-1", "12d8+0", "d6-999999", "999d20"])
def test_dice_that_are_printed_in_modules_are_accepted(dice: str):
    assert _accepts(dice)


@pytest.mark.parametrize(
    "dice",
    [
        *("", "6", "d", "2d", "d7", "d5", "d30", "1d%", "0d6", "01d6", "1000d6", "1D6", "1d06", "1d6+", "1d6+01"),
        *("1d6 +1", " 1d6", "1d6 ", "1d6\n", "1d6x2", "1d6*2", "1d6+1d4", "1d6–1", "1d6−1", "1d6.5", "-1d6", "٢d6"),
        *("1d6+1000000", "2d4\n", "2d4+1\n", "\n2d4", "2d4\r"),
    ],
)
def test_everything_else_is_no_dice(dice: str):
    assert not _accepts(dice)


@given(st.text(alphabet="0123468d+- \n", max_size=9))
def test_no_text_passes_that_is_not_dice(text: str):
    expected = re.fullmatch(DICE_PATTERN.removeprefix("^").removesuffix("$"), text) is not None
    assert _accepts(text) == expected


def test_dice_with_a_final_line_break_pass_a_python_schema_and_are_refused_by_position():
    data = {"areas": [answered("1"), answered("2", encounters=[_encounter(), _encounter(count_dice="2d4\n")])]}
    ensure_schema(data, batch_schema(["1", "2"]), "content")
    with pytest.raises(SchemaValidationError) as refused:
        parse_areas(data, tag="content.crypt.1.b01")
    assert refused.value.message.startswith("content.crypt.1.b01: $.areas[1].encounters[1].count_dice: ")


def test_only_the_asked_keys_can_be_answered():
    schema = batch_schema(["4a", "5"])
    ensure_schema({"areas": [answered("5"), answered("4a")]}, schema, "content")
    ensure_schema({"areas": []}, schema, "content")
    for invented in ("4", "6", "5 ", ""):
        with pytest.raises(SchemaValidationError, match=r"areas\[0\].key"):
            ensure_schema({"areas": [answered(invented)]}, schema, "content")


@pytest.mark.parametrize("keys", [[], ["1", "1"]])
def test_a_batch_asks_for_at_least_one_area_and_for_each_once(keys: list[str]):
    with pytest.raises(ValueError, match="once"):
        batch_schema(keys)


@pytest.mark.parametrize("field", sorted(answered("1")))
def test_every_field_of_an_area_has_to_be_answered(field: str):
    area = answered("1")
    del area[field]
    with pytest.raises(SchemaValidationError):
        ensure_schema({"areas": [area]}, batch_schema(["1"]), "content")


@pytest.mark.parametrize(
    "changes",
    [
        {"colour": "red"},
        {"encounters": [_encounter(count_fixed=0)]},
        {"encounters": [_encounter(count_fixed=2.5)]},
        {"encounters": [_encounter(count_fixed=True)]},
        {"encounters": [_encounter(morale=7)]},
        {"connections": [_connection(direction="northeast")]},
        {"connections": [_connection(via="portal")]},
        {"connections": [_connection(to_level=0)]},
        {"confidence": 1.1},
        {"confidence": -0.1},
        {"trap": ["pit"]},
        {"treasure": None},
    ],
)
def test_values_outside_the_vocabulary_are_refused(changes: dict[str, object]):
    with pytest.raises(SchemaValidationError):
        ensure_schema({"areas": [answered("1", **changes)]}, batch_schema(["1"]), "content")


@pytest.mark.parametrize(
    ("changes", "position"),
    [
        ({"confidence": float("nan")}, "$.areas[0].confidence"),
        ({"encounters": [_encounter(count_fixed=10**30)]}, "$.areas[0].encounters[0].count_fixed"),
        ({"connections": [_connection(to_level=1e300)]}, "$.areas[0].connections[0].to_level"),
    ],
)
def test_values_that_only_json_schema_calls_numbers_are_refused_by_position(changes: dict[str, object], position: str):
    data = {"areas": [answered("1", **changes)]}
    ensure_schema(data, batch_schema(["1"]), "content")
    with pytest.raises(SchemaValidationError, match=re.escape(position)):
        parse_areas(data, tag="content")


def test_whole_numbers_written_as_floats_are_read_as_what_they_are():
    data = {
        "areas": [
            answered(
                "1",
                encounters=[_encounter(count_fixed=2.0)],
                connections=[_connection(to_level=3.0)],
                source_pages=[4.0],
                confidence=1,
            )
        ]
    }
    ensure_schema(data, batch_schema(["1"]), "content")
    (area,) = parse_areas(data, tag="content")
    assert (area.encounters[0].count_fixed, area.connections[0].to_level, area.source_pages) == (2, 3, (4,))
    assert isinstance(area.encounters[0].count_fixed, int)


def test_every_direction_and_means_is_answerable():
    for direction in Direction:
        for via in Via:
            data = {"areas": [answered("1", connections=[_connection(direction=direction.value, via=via.value)])]}
            ensure_schema(data, batch_schema(["1"]), "content")
            (area,) = parse_areas(data, tag="content")
            assert (area.connections[0].direction, area.connections[0].via) == (direction, via)


def test_answered_texts_are_cleaned_of_what_no_page_prints():
    data = {
        "areas": [
            answered(
                "1",
                description="A\u202evault.\x00\n\n\n\n  Cold \x1b[31mair.\ud800 ",
                trap=" \t",
                treasure=["  120\n sp ", "", "\x07"],
                features=["an\u200b altar"],
                encounters=[_encounter(monster=" giant \n rats", count_note="")],
                connections=[_connection(to_key="")],
            )
        ]
    }
    (area,) = parse_areas(data, tag="content")
    assert area.description == "Avault.\n\nCold [31mair.\ufffd"
    assert (area.trap, area.treasure, area.features) == (None, ("120 sp",), ("an altar",))
    assert (area.encounters[0].monster, area.encounters[0].count_note) == ("giant rats", None)
    assert area.connections[0].to_key is None
    assert area.canonical_json()


@given(st.text(), st.text())
def test_any_answered_text_can_be_kept(description: str, name: str):
    (area,) = parse_areas({"areas": [answered("1", description=description, features=[name])]}, tag="content")
    assert type(area).from_json(area.canonical_json()) == area
