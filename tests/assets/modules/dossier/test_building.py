"""One document: every surveyed area once, in printed order, gaps in plain sight."""

from hypothesis import given, settings
from hypothesis import strategies as st

from osrforge_assets.contracts.dossier import Dossier, DossierArea, GroundingStatus, LevelStatus
from osrforge_assets.contracts.flags import Flag, FlagCode
from osrforge_assets.modules.dossier.building import all_flags
from tests.assets.modules.dossier.small_module import SmallModule, area, connection, encounter, surveyed


def _areas(dossier: Dossier, level: int = 1) -> list[DossierArea]:
    return list(dossier.dungeons[0].levels[level - 1].areas)


def _codes(flags: tuple[Flag, ...]) -> list[FlagCode]:
    return [flag.code for flag in flags]


def test_an_answered_area_has_the_surveys_and_the_contents_fields():
    answer = area("1", description="Two lamps hang over a table of dice.", encounters=(encounter("wolves", 2),))
    first, _ = _areas(SmallModule().answer(1, answer).build())
    assert (first.key, first.name, first.source_pages, first.answered) == ("1", "Guard Post", (2,), True)
    assert first.encounters == answer.encounters
    assert [grounding.status for grounding in first.grounding] == [GroundingStatus.FOUND] * 2
    assert first.flags == ()


def test_an_answer_without_pages_is_looked_up_on_the_pages_of_the_survey():
    answer = area("2", encounters=(encounter("thief", 1),), source_pages=())
    _, second = _areas(SmallModule().answer(1, answer).build())
    assert second.source_pages == (2, 3)
    assert second.grounding[0].page == 3


def test_an_area_that_was_never_answered_is_listed_and_says_so():
    flag = Flag(code=FlagCode.AREA_MISSING, message="Asked twice.", key="2")
    first, second = _areas(SmallModule().answer(1, area("1"), missing=("2",), flags=(flag,)).build())
    assert (first.answered, second.answered) == (True, False)
    assert second.flags == (flag,)


def test_an_area_that_is_missing_without_a_word_is_flagged_all_the_same():
    first, _ = _areas(SmallModule().answer(1, area("2")).build())
    assert _codes(first.flags) == [FlagCode.AREA_MISSING]


def test_a_level_without_content_lists_its_areas_as_gaps():
    dossier = SmallModule().answer(1, area("1"), area("2")).build()
    assert dossier.dungeons[0].levels[1].status is LevelStatus.ABSENT
    (sump,) = _areas(dossier, 2)
    assert (sump.name, sump.source_pages, sump.answered, sump.confidence) == ("The Sump", (3,), False, None)
    assert _codes(sump.flags) == [FlagCode.LEVEL_ABSENT]


def test_content_of_an_older_plan_is_never_shown_even_if_it_is_handed_over():
    module = SmallModule(statuses={1: LevelStatus.OUTDATED}).answer(1, area("1", description="Old."), area("2"))
    areas = _areas(module.build())
    assert [(area.answered, area.description) for area in areas] == [(False, ""), (False, "")]
    assert [_codes(area.flags) for area in areas] == [[FlagCode.LEVEL_OUTDATED]] * 2


def test_content_that_answers_another_plan_or_unknown_keys_is_outdated_whatever_the_manifest_says():
    for module in (SmallModule().answer(1, area("1"), plan="other"), SmallModule().answer(1, area("1"), area("99"))):
        dossier = module.build()
        assert dossier.dungeons[0].levels[0].status is LevelStatus.OUTDATED
        assert not any(area.answered for area in _areas(dossier))


def test_a_level_that_the_manifest_does_not_know_is_absent():
    module = SmallModule().answer(1, area("1"))
    module.levels[2] = module.levels.pop(1).model_copy(update={"level_number": 2})
    assert module.build().dungeons[0].levels[0].status is LevelStatus.ABSENT


def test_a_creature_named_only_in_the_maps_lettering_counts_as_printed():
    answer = area("1", encounters=(encounter("kraken"),))
    module = SmallModule(labels={2: ("Here be krakens",)}).answer(1, answer)
    assert _areas(module.build())[0].grounding[0].status is GroundingStatus.FOUND


def test_a_page_that_was_not_read_has_no_text():
    answer = area("1", encounters=(encounter("wolf"),), source_pages=(7,))
    first, _ = _areas(SmallModule().answer(1, answer).build())
    assert _codes(first.flags) == [FlagCode.PAGE_WITHOUT_TEXT]


def test_every_flag_stands_in_one_place_and_all_flags_finds_each_once():
    level_flag = Flag(code=FlagCode.COUNT_CONFLICT, message="Level.")
    area_flag = Flag(code=FlagCode.DUPLICATE_ANSWER, message="Area.", key="1")
    module = SmallModule(
        page_set_fields={"flags": (Flag(code=FlagCode.SOURCE_REPAIRED, message="Document."),)},
        survey_fields={"flags": (Flag(code=FlagCode.KEY_RENAMED, message="Survey.", key="1"),)},
    )
    module.answer(1, area("1", connections=(connection("9"),)), area("2"), flags=(level_flag, area_flag))
    module.answer(2, area("1"))
    dossier = module.build()
    assert [flag.code for flag in all_flags(dossier)] == [
        FlagCode.SOURCE_REPAIRED,
        FlagCode.KEY_RENAMED,
        FlagCode.COUNT_CONFLICT,
        FlagCode.DUPLICATE_ANSWER,
        FlagCode.CONNECTION_UNRESOLVED,
    ]


def test_a_source_without_keyed_areas_says_so_and_invents_no_dungeon():
    dossier = SmallModule(surveyed={}).build()
    assert dossier.dungeons == ()
    assert _codes(dossier.flags) == [FlagCode.NO_KEYED_AREAS]


def test_monster_names_are_those_of_the_survey_and_of_the_areas_once_each():
    module = SmallModule(survey_fields={"monster_names": ("Wolf", "Lich")})
    module.answer(1, area("1", encounters=(encounter("wolf"), encounter("thief"))))
    assert module.build().monster_names == ("Wolf", "Lich", "thief")


@settings(deadline=None)
@given(st.lists(st.from_regex(r"[1-9][0-9]?[a-c]?", fullmatch=True), min_size=1, unique=True), st.data())
def test_whatever_was_answered_every_area_appears_once_in_printed_order(keys: list[str], data: st.DataObject):
    answered = data.draw(st.lists(st.sampled_from(keys), unique=True))
    module = SmallModule(surveyed={1: tuple(surveyed(key) for key in keys)})
    dossier = module.answer(1, *(area(key) for key in answered)).build()
    assert [area.key for area in _areas(dossier)] == keys
    assert {area.key for area in _areas(dossier) if area.answered} == set(answered)
    assert all(area.answered or area.flags for area in _areas(dossier))
    assert Dossier.from_json(dossier.canonical_json()) == dossier
