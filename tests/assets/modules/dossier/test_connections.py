"""Does each way out lead to an area that exists, and does that area know of it?"""

import pytest

from osrforge_assets.contracts.flags import Flag, FlagCode
from osrforge_assets.contracts.level import AreaContent, Connection, Via
from osrforge_assets.contracts.survey import SurveyArea, SurveyDungeon, SurveyLevel
from osrforge_assets.modules.dossier.connections import DungeonKeys, connection_flags
from tests.assets.modules.dossier.small_module import area, connection, surveyed

UNRESOLVED, ONE_WAY = FlagCode.CONNECTION_UNRESOLVED, FlagCode.CONNECTION_ONE_WAY


def _keys(**levels: tuple[SurveyArea, ...]) -> DungeonKeys:
    surveyed_levels = tuple(
        SurveyLevel(number=int(name[1:]), map_pages=(), areas=areas) for name, areas in levels.items()
    )
    return DungeonKeys.of(SurveyDungeon(id="well", name="Well", levels=surveyed_levels))


def _flags(keys: DungeonKeys, **levels: tuple[AreaContent, ...]) -> list[tuple[FlagCode, str | None]]:
    answers = {int(name[1:]): {area.key: area for area in areas} for name, areas in levels.items()}
    flags: list[Flag] = [flag for found in connection_flags(keys, answers).values() for flag in found]
    return [(flag.code, flag.key) for flag in flags]


def _leads(key: str, *connections: Connection) -> AreaContent:
    return area(key, connections=connections)


TWO = _keys(l1=(surveyed("1"), surveyed("2")))


def test_a_way_that_both_areas_mention_is_no_doubt():
    assert _flags(TWO, l1=(_leads("1", connection("2")), _leads("2", connection("1")))) == []


def test_a_way_back_that_is_not_mentioned_is_flagged_where_the_way_starts():
    assert _flags(TWO, l1=(_leads("1", connection("2")), _leads("2"))) == [(ONE_WAY, "1")]


def test_a_key_that_no_area_bears_is_flagged_once_however_often_it_is_named():
    assert _flags(TWO, l1=(_leads("1", connection("9"), connection("9")),)) == [(UNRESOLVED, "1")]


def test_an_area_that_was_not_answered_is_not_blamed_for_its_silence():
    assert _flags(TWO, l1=(_leads("1", connection("2")),)) == []


def test_a_chute_is_not_expected_to_lead_back():
    assert _flags(TWO, l1=(_leads("1", connection("2", via=Via.CHUTE)), _leads("2"))) == []


def test_a_way_out_of_the_dungeon_and_a_way_to_itself_are_no_doubts():
    assert _flags(TWO, l1=(_leads("1", connection(), connection("1")),)) == []


@pytest.mark.parametrize(
    ("label", "key", "written"),
    [
        ("4a", "4a", "4A"),
        ("Area 7", "area-7", "7"),
        ("ROOM 9", "room-9", "Room 9"),
        ("01.03", "01-03", "01.03"),
        ("7", "7", "Area 7"),
        ("07", "07", "7"),
        ("5", "5-3", "5"),
        ("The Lamp Hall", "the-lamp-hall", "the lamp hall"),
        ("Exterior of the Governor's mansion", "exterior", "Governor’s mansion (Exterior)"),
        ("Souvenir Shop", "souvenir-shop", "Souvenirs Shop"),
    ],
)
def test_a_connection_may_use_the_printed_label_for_the_key(label: str, key: str, written: str):
    keys = _keys(l1=(surveyed("1"), surveyed(key, label=label)))
    assert _flags(keys, l1=(_leads("1", connection(written)), _leads(key, connection("1")))) == []


def test_keys_with_digits_are_not_turned_round():
    keys = _keys(l1=(surveyed("1"), surveyed("lamp-hall-2", label="Lamp hall 2")))
    assert _flags(keys, l1=(_leads("1", connection("2 lamp hall")),)) == [(UNRESOLVED, "1")]


def test_the_canonical_key_comes_before_another_areas_label():
    # Two areas print 5; the second was renamed 5-3, and 5 means the first.
    keys = _keys(l1=(surveyed("1"), surveyed("5", label="5"), surveyed("5-3", label="5")))
    answers = (_leads("1", connection("5")), _leads("5"), _leads("5-3", connection("1")))
    assert (ONE_WAY, "1") in _flags(keys, l1=answers)


def test_a_letter_of_a_key_is_never_dropped():
    keys = _keys(l1=(surveyed("1"), surveyed("4")))
    assert _flags(keys, l1=(_leads("1", connection("4a")),)) == [(UNRESOLVED, "1")]


STACKED = _keys(l1=(surveyed("1"), surveyed("2")), l2=(surveyed("1"), surveyed("3")))


def test_the_same_key_on_two_levels_stays_two_areas():
    answers = {"l1": (_leads("2", connection("3", to_level=2)),), "l2": (_leads("3", connection("2")),)}
    assert _flags(STACKED, **answers) == [(ONE_WAY, "2"), (UNRESOLVED, "3")]


def test_stairs_that_name_only_the_level_are_the_way_back():
    answers = {"l1": (_leads("2", connection("3", to_level=2)),), "l2": (_leads("3", connection(to_level=1)),)}
    assert _flags(STACKED, **answers) == []


def test_a_name_of_another_level_is_flagged_with_the_level_it_belongs_to():
    keys = _keys(l1=(surveyed("1"), surveyed("krakens-puke", label="Kraken's Puke")), l2=(surveyed("beach"),))
    answers = {1: {}, 2: {"beach": _leads("beach", connection("Kraken's puke"))}}
    (flag,) = connection_flags(keys, answers)[2, "beach"]
    assert flag.code is UNRESOLVED
    assert flag.message == "A connection leads to “Kraken's puke”, which is an area of level 1, not of level 2."


def test_a_level_that_the_dungeon_does_not_have_is_flagged():
    assert _flags(STACKED, l1=(_leads("1", connection(to_level=3), connection("1", to_level=4)),)) == [
        (UNRESOLVED, "1"),
        (UNRESOLVED, "1"),
    ]
