"""How the answers over several page windows become one."""

from osrforge_assets.contracts.flags import FlagCode
from osrforge_assets.contracts.survey import AreaKind
from osrforge_assets.modules.survey.merge import merge_censuses, merge_surveys
from osrforge_assets.modules.survey.reply import SurveyAnswer, parse_census
from tests.assets.modules.survey.answers import a_census, a_dungeon, a_level, an_area, parsed


def _areas(answer: SurveyAnswer) -> list[tuple[str, int, str, tuple[int, ...]]]:
    return [
        (dungeon.name, level.number, area.key, tuple(sorted(set(area.pages))))
        for dungeon in answer.dungeons
        for level in dungeon.levels
        for area in level.areas
    ]


def test_an_area_of_the_shared_page_is_one_area_with_the_pages_of_both_windows():
    merged = merge_surveys(
        [
            parsed(a_dungeon("Crypt", a_level(1, an_area("1", 1), an_area("2", 3)))),
            parsed(a_dungeon("Crypt", a_level(1, an_area("2", 3, 4), an_area("3", 5)))),
        ]
    )
    assert _areas(merged.answer) == [("Crypt", 1, "1", (1,)), ("Crypt", 1, "2", (3, 4)), ("Crypt", 1, "3", (5,))]
    assert merged.flags == ()


def test_a_dungeon_is_the_same_under_another_spelling_and_the_first_one_stands():
    merged = merge_surveys(
        [
            parsed(a_dungeon("The Crypt of Älva", a_level(1, an_area("1", 1)))),
            parsed(a_dungeon("THE CRYPT OF ALVA", a_level(1, an_area("2", 4)))),
        ]
    )
    assert _areas(merged.answer) == [("The Crypt of Älva", 1, "1", (1,)), ("The Crypt of Älva", 1, "2", (4,))]


def test_the_same_number_on_another_level_or_in_another_dungeon_stays_apart():
    merged = merge_surveys(
        [
            parsed(a_dungeon("Crypt", a_level(1, an_area("1", 3)))),
            parsed(a_dungeon("Crypt", a_level(2, an_area("1", 3))), a_dungeon("Tower", a_level(1, an_area("1", 3)))),
        ]
    )
    assert _areas(merged.answer) == [("Crypt", 1, "1", (3,)), ("Crypt", 2, "1", (3,)), ("Tower", 1, "1", (3,))]


def test_a_text_that_a_later_window_sees_only_the_end_of_is_still_one_area():
    merged = merge_surveys(
        [
            parsed(a_dungeon("Crypt", a_level(1, an_area("7", 20)))),
            parsed(a_dungeon("Crypt", a_level(1, an_area("7", 21)))),
        ]
    )
    assert _areas(merged.answer) == [("Crypt", 1, "7", (20, 21))]


def test_one_key_printed_on_pages_far_apart_is_two_areas():
    merged = merge_surveys(
        [
            parsed(a_dungeon("Crypt", a_level(1, an_area("5", 5)))),
            parsed(a_dungeon("Crypt", a_level(1, an_area("5", 30)))),
        ]
    )
    assert _areas(merged.answer) == [("Crypt", 1, "5", (5,)), ("Crypt", 1, "5", (30,))]


def test_a_place_without_a_key_is_one_however_loosely_its_name_is_printed_and_its_bare_name_stands():
    merged = merge_surveys(
        [
            parsed(a_dungeon("Isle", a_level(1, an_area("The beach", 2, name="The beach")))),
            parsed(a_dungeon("Isle", a_level(1, an_area("Beach", 29, name="Beach")))),
        ]
    )
    assert _areas(merged.answer) == [("Isle", 1, "Beach", (2, 29))]
    assert merged.flags == ()


def test_places_of_one_loose_name_in_one_window_stay_two():
    hall, halls = an_area("Hall", 2, name="Hall"), an_area("Halls", 3, name="Halls")
    merged = merge_surveys([parsed(a_dungeon("Isle", a_level(1, hall, halls)))] * 2)
    assert _areas(merged.answer) == [("Isle", 1, "Hall", (2,)), ("Isle", 1, "Halls", (3,))]


def test_printed_keys_are_exact_however_alike_the_names_beside_them():
    merged = merge_surveys(
        [
            parsed(a_dungeon("Crypt", a_level(1, an_area("1", 2, name="The cell")))),
            parsed(a_dungeon("Crypt", a_level(1, an_area("2", 3, name="Cell"), an_area("Cell", 3, name="")))),
        ]
    )
    assert [key for _, _, key, _ in _areas(merged.answer)] == ["1", "2", "Cell"]


def test_two_areas_of_one_key_on_the_shared_page_are_told_apart_by_their_names():
    merged = merge_surveys(
        [
            parsed(a_dungeon("Crypt", a_level(1, an_area("5", 3, name="Well"), an_area("5", 3, name="Tomb")))),
            parsed(a_dungeon("Crypt", a_level(1, an_area("5", 3, 4, name="Tomb"), an_area("5", 3, name="Well")))),
        ]
    )
    areas = merged.answer.dungeons[0].levels[0].areas
    assert [(area.name, sorted(set(area.pages))) for area in areas] == [("Well", [3]), ("Tomb", [3, 4])]
    assert merged.flags == ()


def test_two_levels_of_one_number_in_one_answer_are_two_levels():
    merged = merge_surveys(
        [
            parsed(a_dungeon("Crypt", a_level(1, an_area("1", 1)), a_level(1, an_area("1", 2)))),
            parsed(a_dungeon("Crypt", a_level(1, an_area("2", 4)))),
        ]
    )
    assert [[area.key for area in level.areas] for level in merged.answer.dungeons[0].levels] == [["1"], ["1", "2"]]


def test_a_second_level_of_a_number_that_an_earlier_window_opened_is_a_level_of_its_own():
    merged = merge_surveys(
        [
            parsed(a_dungeon("Crypt", a_level(1, an_area("1", 3)))),
            parsed(a_dungeon("Crypt", a_level(1, an_area("1", 3), an_area("2", 3)), a_level(1, an_area("1", 4)))),
        ]
    )
    assert [[area.key for area in level.areas] for level in merged.answer.dungeons[0].levels] == [["1", "2"], ["1"]]


def test_two_dungeons_of_one_name_in_one_answer_are_two_dungeons():
    merged = merge_surveys(
        [parsed(a_dungeon("Cave", a_level(1, an_area("1", 1))), a_dungeon("Cave", a_level(1, an_area("1", 2))))]
    )
    assert len(merged.answer.dungeons) == 2


def test_windows_that_name_an_area_differently_are_a_conflict_and_the_first_stands():
    windows = [
        parsed(a_dungeon("Crypt", a_level(1, an_area("2", 3, name="Well")))),
        parsed(a_dungeon("Crypt", a_level(1, an_area("2", 3, name="Tomb")))),
    ]
    merged = merge_surveys(windows)
    (area,) = merged.answer.dungeons[0].levels[0].areas
    assert area.name == "Well"
    (flag,) = merged.flags
    assert flag.code is FlagCode.WINDOW_CONFLICT
    for word in ("Well", "Tomb", "Crypt", "level 1"):
        assert word in flag.message


def test_a_name_that_only_one_window_sees_and_a_vague_kind_are_no_conflict():
    merged = merge_surveys(
        [
            parsed(a_dungeon("Crypt", a_level(1, an_area("2", 3, kind="other")))),
            parsed(a_dungeon("Crypt", a_level(1, an_area("2", 3, name="Well", kind="cave")))),
        ]
    )
    (area,) = merged.answer.dungeons[0].levels[0].areas
    assert (area.name, area.kind, merged.flags) == ("Well", AreaKind.CAVE, ())


def test_windows_that_call_one_area_a_room_and_a_cave_are_a_conflict():
    merged = merge_surveys(
        [
            parsed(a_dungeon("Crypt", a_level(1, an_area("2", 3)))),
            parsed(a_dungeon("Crypt", a_level(1, an_area("2", 3, kind="cave")))),
        ]
    )
    assert [flag.code for flag in merged.flags] == [FlagCode.WINDOW_CONFLICT]
    assert merged.answer.dungeons[0].levels[0].areas[0].kind is AreaKind.ROOM


def test_a_disagreement_that_every_window_repeats_is_one_flag():
    merged = merge_surveys([parsed(title="One"), parsed(title="Two"), parsed(title="Three"), parsed(title="one")])
    assert merged.answer.title == "One"
    assert len(merged.flags) == 1


def test_lists_are_joined_without_repeating_what_is_known():
    def town(*services: str) -> dict[str, object]:
        return {"name": "Dale", "description": "", "services": list(services)}

    merged = merge_surveys(
        [
            parsed(hooks=["Gold!"], monster_names=["goblin", "Rat"], town=town("inn")),
            parsed(hooks=["Gold!", "Fame"], monster_names=["rat", "stirge"], town=town("Inn", "temple")),
        ]
    )
    assert merged.answer.hooks == ("Gold!", "Fame")
    assert merged.answer.monster_names == ("goblin", "Rat", "stirge")
    assert merged.answer.town.services == ("inn", "temple")


def test_no_answers_are_an_empty_answer():
    assert merge_surveys([]).answer == SurveyAnswer()
    assert merge_censuses([]) == ()


def test_a_counted_level_that_goes_on_keeps_its_first_key_and_takes_the_later_last_one():
    merged = merge_censuses(
        [
            parse_census(a_census(("Crypt", [(1, "1", "7")]))),
            parse_census(a_census(("CRYPT", [(1, "7", "12"), (2, "1", "3")]))),
            parse_census(a_census(("Tower", [(1, "1", "")]))),
        ]
    )
    assert [
        (dungeon.name, [(level.number, level.first_key, level.last_key) for level in dungeon.levels])
        for dungeon in merged
    ] == [("Crypt", [(1, "1", "12"), (2, "1", "3")]), ("Tower", [(1, "1", "")])]
