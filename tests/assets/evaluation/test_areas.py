"""The scorer of module extraction: what the truth does not assert is never held against a dossier."""

from typing import Any

from osrforge_assets.contracts.dossier import Dossier, DossierArea, DossierDungeon, DossierLevel, LevelStatus
from osrforge_assets.contracts.level import Encounter
from osrforge_assets.contracts.survey import AreaKind
from osrforge_assets.evaluation.areas import Tally, score_areas


def area(key: str, *encounters: tuple[str, int], treasure: tuple[str, ...] = ()) -> DossierArea:
    return DossierArea(
        key=key, name="", source_label=key, kind=AreaKind.ROOM, source_pages=(1,), answered=True, description="",
        encounters=tuple(
            Encounter(monster=name, count_fixed=count, count_dice=None, count_note=None) for name, count in encounters
        ),
        trap=None, treasure=treasure, features=(), connections=(), confidence=1.0, flags=(), grounding=(),
    )  # fmt: skip


def dossier(*levels: list[DossierArea]) -> Dossier:
    made = tuple(
        DossierLevel(number=number, map_pages=(), status=LevelStatus.CURRENT, areas=tuple(areas), flags=())
        for number, areas in enumerate(levels, start=1)
    )
    dungeons = (DossierDungeon(id="site", name="Site", levels=made),) if made else ()
    return Dossier.model_construct(dungeons=dungeons)


def truth(*levels: list[dict[str, Any]]) -> dict[str, Any]:
    printed = [{"number": number, "areas": areas} for number, areas in enumerate(levels, start=1)]
    return {"dungeons": [{"name": "Site", "levels": printed}] if printed else []}


def test_areas_are_found_missed_and_invented_by_their_keys():
    scores = score_areas(truth([{"key": "1"}, {"key": "2"}]), dossier([area("1"), area("9")]))
    assert scores.areas == Tally(1, 1, 1)
    assert scores.details == ("missed area 2", "invented area 9")


def test_every_area_of_a_negative_control_is_invented():
    assert score_areas(truth(), dossier([area("1"), area("2")])).areas == Tally(0, 0, 2)


def test_the_same_key_on_another_level_is_another_area():
    scores = score_areas(truth([{"key": "1"}, {"key": "2"}], [{"key": "1"}]), dossier([area("1"), area("2")]))
    assert scores.areas == Tally(2, 1, 0)
    assert scores.misplaced == 0


def test_a_silent_truth_makes_no_encounter_an_invention_and_an_empty_list_does():
    found = dossier([area("1", ("orc", 2))])
    assert score_areas(truth([{"key": "1"}]), found).encounters == Tally()
    assert score_areas(truth([{"key": "1", "encounters": []}]), found).encounters == Tally(0, 0, 1)


def test_a_monster_agrees_over_number_and_spacing_but_not_with_another_monster():
    def tally(printed: str, found: str) -> Tally:
        asserted = truth([{"key": "1", "encounters": [{"name": printed, "count": 3}]}])
        return score_areas(asserted, dossier([area("1", (found, 3))])).encounters

    assert tally("zombie", "Zombies") == tally("pirate lady boss", "Pirate Ladybosses") == Tally(1, 0, 0)
    assert tally("goblin", "hobgoblins") == tally("orc", "ogre") == Tally(0, 1, 1)


def test_a_wrong_count_is_a_miss_and_an_invention():
    asserted = truth([{"key": "1", "encounters": [{"name": "orc", "count": 3}]}])
    assert score_areas(asserted, dossier([area("1", ("orcs", 4))])).encounters == Tally(0, 1, 1)


def test_treasure_is_judged_only_where_the_truth_says_whether_there_is_any():
    found = dossier([area("1", treasure=("10 gp",)), area("2"), area("3", treasure=("1 gp",))])
    asserted = truth([{"key": "1", "treasure": {"present": True}}, {"key": "2", "treasure": {"present": True}},
                      {"key": "3", "treasure": {"present": False}}])  # fmt: skip
    assert score_areas(asserted, found).treasure == Tally(1, 1, 1)
