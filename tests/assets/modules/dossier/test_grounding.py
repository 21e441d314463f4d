"""Every monster, treasure entry and description is looked up in the text of its cited pages."""

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from osrforge_assets.contracts.dossier import GroundingStatus
from osrforge_assets.contracts.flags import FlagCode
from osrforge_assets.contracts.level import AreaContent
from osrforge_assets.modules.dossier.grounding import PageLookup, ground_area
from tests.assets.modules.dossier.small_module import PAGES, area, encounter
from tests.corpus import ABSENT, CORPUS

FOUND, NOT_FOUND, NO_TEXT = GroundingStatus.FOUND, GroundingStatus.NOT_FOUND, GroundingStatus.NO_TEXT


def _ground(content: AreaContent, pages: dict[int, str] = PAGES, cited: tuple[int, ...] | None = None):
    return ground_area(
        content, content.source_pages if cited is None else cited, PageLookup(lambda n: pages.get(n, ""))
    )


def _monster(name: str, text: str) -> GroundingStatus:
    groundings, _ = _ground(area("1", encounters=(encounter(name),)), {2: text})
    return groundings[0].status


def _treasure(entry: str, text: str) -> GroundingStatus:
    groundings, _ = _ground(area("1", treasure=(entry,)), {2: text})
    return groundings[0].status


def _description(entry: str, text: str) -> tuple[GroundingStatus, float]:
    groundings, _ = _ground(area("1", description=entry), {2: text})
    return groundings[0].status, groundings[0].share


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("wolf", "Two wolves sleep."),
        ("Wolves", "A wolf sleeps."),
        ("the giant rats", "**Giant Rat (2d4):** AC 7"),
        ("half-orc", "Three halforcs and"),
        ("halforc", "A half-orc waits."),
        ("lizard man", "Lizardmen fish here."),
        ("esqueletos gigantes", "Un esqueleto gigante guarda la puerta."),
        ("dragón", "El DRAGON duerme."),
        ("fire beetle", "| 3 | fire beetles | 1d4 |"),
        ("Wenna's ghost", "Wenna’s ghost weeps."),
        ("ogre\nchief", "an ogre chief"),
        ("鬼", "洞窟の鬼が眠る。"),
    ],
)
def test_a_creature_is_found_as_whole_words_in_singular_or_plural(name: str, text: str):
    assert _monster(name, text) is FOUND


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("goblin", "A hobgoblin waits."),
        ("hobgoblin chief", "A hobgoblin waits."),
        ("rat", "The rates are fair, the pirate says."),
        ("giant rat", "A giant sleeps. Rats nest in his beard."),
        ("giant rat", "the giant\n\nRats nest here."),
        ("rat giant", "2 giant rats"),
        ("lich", "Nothing of the kind."),
        ("???", "Who knows???"),
    ],
)
def test_an_invented_creature_is_not_found(name: str, text: str):
    assert _monster(name, text) is NOT_FOUND


def test_a_creature_of_another_page_is_flagged_and_kept():
    content = area("1", encounters=(encounter("thief", 1), encounter("wolves", 2)), source_pages=(2,))
    groundings, flags = _ground(content)
    assert [(grounding.value, grounding.status, grounding.page) for grounding in groundings] == [
        ("thief", NOT_FOUND, None),
        ("wolves", FOUND, 2),
    ]
    assert [(flag.code, flag.key, flag.page) for flag in flags] == [(FlagCode.MONSTER_NOT_ON_PAGE, "1", 2)]
    assert "thief" in flags[0].message


@pytest.mark.parametrize(
    ("entry", "text"),
    [
        ("120 sp", "hiding 120 sp and a locket"),
        ("1200 sp", "under it lie 1,200 sp."),
        ("1,200 sp", "under it lie 1 200 sp."),
        ("a gold thimble worth 8 gp", "a gold thimble (8 gp)"),
        ("ruby (100 gp)", "and a ruby worth 100 gp each"),
        ("potion of healing", "a potion of healing"),
        ("sword +1", "a *sword +1* in a sheath"),
        ("2d6 × 10 gp", "holds 2d6 x 10 gp"),
        ("rubies", "one ruby"),
    ],
)
def test_treasure_is_found_as_printed(entry: str, text: str):
    assert _treasure(entry, text) is FOUND


@pytest.mark.parametrize(
    ("entry", "text"),
    [
        ("120 sp", "under it lie 1,200 sp."),
        ("200 sp", "under it lie 1 200 sp."),
        ("120 sp", "120 gp and 5 sp"),
        ("magic sword", "A magic well. " + "Nothing else is here. " * 9 + "A rusty sword."),
        ("potion of healing", "a potion of flying"),
        ("silver locket worth 25 gp", "a gold locket worth 25 gp"),
        ("silver locket worth 25 gp", "a silver locket worth 250 gp"),
        ("sword +1", "a sword, 1 shield"),
        ("sword +2", "a sword +1"),
        ("", "anything"),
    ],
)
def test_treasure_with_another_number_or_thing_is_not_found(entry: str, text: str):
    assert _treasure(entry, text) is NOT_FOUND


def test_an_exact_copy_of_the_description_is_wholly_found_and_an_edited_one_partly():
    text = PAGES[2]
    assert _description("Barrels stand to the vault. Under the third lie 1,200 sp and a silver ring", text) == (
        FOUND,
        1,
    )
    status, share = _description("Barrels stand high up to the vault. Under the third one lie 1,200 sp", text)
    assert status is FOUND
    assert 0.7 < share < 1


def test_a_description_that_leaves_out_the_stat_block_is_wholly_found():
    assert _description("Two lamps hang over a table of dice. They sleep by the east door.", PAGES[2]) == (FOUND, 1)


def test_a_paraphrase_is_not_found_although_its_words_are_common():
    invented = "The third vault is of silver, and a table of lamps stands by the barrels under the door to the east."
    status, share = _description(invented, PAGES[2])
    assert status is NOT_FOUND
    assert share < 0.5


def test_a_text_that_runs_over_to_the_next_page_is_found_once_as_a_whole():
    content = area(
        "2", description="Under the third lie 1,200 sp and a silver ring worth 50 gp. The text goes on here."
    )
    groundings, flags = _ground(content, cited=(2, 3))
    assert (groundings[0].status, groundings[0].page, groundings[0].share) == (FOUND, 2, 1.0)
    assert flags == []


def test_pages_that_do_not_follow_each_other_are_not_read_as_one():
    pages = {2: "a golden", 3: "nothing", 4: "crown of kings"}
    groundings, _ = _ground(area("1", treasure=("golden crown",), source_pages=(2, 4)), pages)
    assert groundings[0].status is NOT_FOUND


def test_a_page_without_text_is_said_once_an_area_and_its_facts_are_not_called_invented():
    content = area("1", description="A room.", encounters=(encounter("wolf"),), treasure=("120 sp",))
    groundings, flags = _ground(content, {2: " \n"})
    assert {grounding.status for grounding in groundings} == {NO_TEXT}
    assert [(flag.code, flag.page) for flag in flags] == [(FlagCode.PAGE_WITHOUT_TEXT, 2)]


def test_an_area_that_cites_no_page_has_nothing_to_be_looked_up_in():
    groundings, flags = _ground(area("1", encounters=(encounter("wolf"),), source_pages=()))
    assert groundings[0].status is NO_TEXT
    assert [flag.code for flag in flags] == [FlagCode.PAGE_WITHOUT_TEXT]


def test_a_picture_page_beside_a_text_page_does_not_excuse_an_invention():
    groundings, _ = _ground(area("1", encounters=(encounter("lich"),), source_pages=(2, 4)), PAGES | {4: ""})
    assert groundings[0].status is NOT_FOUND


def test_an_empty_area_needs_no_look_up():
    assert _ground(area("1", description="…")) == ([], [])


# Without vowels no word is a filler (`the` alone is no treasure).
_WORDS = st.lists(st.from_regex(r"[bcdfgkmst]{1,9}|[1-9][0-9]{0,4}", fullmatch=True), min_size=1, max_size=60)
_GAPS = st.sampled_from([" ", "\n", ", ", " – ", ". ", "\n\n", " **", "| "])


@settings(deadline=None)
@given(words=_WORDS, gaps=st.lists(_GAPS, min_size=60, max_size=60), data=st.data())
def test_any_run_of_a_pages_words_is_found_with_a_share_of_one(words: list[str], gaps: list[str], data: st.DataObject):
    # Digits after a bare space may be thousands of the number before: a comma and a space never are.
    printed = "".join(word + (", " if gap == " " else gap) for word, gap in zip(words, gaps, strict=False))
    start = data.draw(st.integers(0, len(words) - 1))
    end = data.draw(st.integers(start + 1, len(words)))
    content = area("1", description="; ".join(words[start:end]), treasure=("; ".join(words[start:end]),))
    groundings, flags = _ground(content, {2: printed})
    assert [(grounding.status, grounding.share) for grounding in groundings] == [(FOUND, 1.0)] * 2
    assert flags == []


@settings(deadline=None)
@given(st.text(max_size=400), st.text(max_size=60), st.text(max_size=60))
def test_any_text_gives_an_answer_for_every_fact(page: str, monster: str, entry: str):
    content = area("1", description=page, encounters=(encounter(monster),), treasure=(entry,))
    groundings, flags = _ground(content, {2: page})
    assert [grounding.fact for grounding in groundings][:2] == ["monster", "treasure"]
    unfound = [grounding for grounding in groundings if grounding.status is NOT_FOUND]
    assert len([flag for flag in flags if flag.code is not FlagCode.PAGE_WITHOUT_TEXT]) == len(unfound)
    assert all(grounding.page is None or grounding.page == 2 for grounding in groundings)


@settings(max_examples=20, deadline=None)
@given(st.sampled_from(["a ", "ab ab ", "wolf ", "1 ", "the the a "]), st.integers(1, 20_000))
def test_a_page_that_repeats_itself_is_looked_up_all_the_same(unit: str, times: int):
    content = area("1", description=unit * 500 + "end", encounters=(encounter(unit * 20),), treasure=(unit * 50,))
    groundings, _ = _ground(content, {2: unit * times})
    assert len(groundings) == 3


@pytest.mark.skipif(not CORPUS.exists(), reason=ABSENT)
def test_what_a_large_model_answered_is_found_on_its_pages_and_not_on_the_other_page():
    recording = next((CORPUS / "recorded" / "minimod").glob("content.*.json"))
    document = json.loads(recording.read_text(encoding="utf-8"))
    request = "\n".join(part["text"] for part in document["request"]["parts"] if "text" in part)
    pages = {int(page): text for page, text in re.findall(r"\[page (\d+)\]\n(.*?)(?=\[page|\Z)", request, re.DOTALL)}
    for answer in document["response"]["data"]["areas"]:
        content = AreaContent.model_validate(answer)
        groundings, flags = _ground(content, pages)
        assert flags == []
        assert all(grounding.share >= 0.9 for grounding in groundings)
        other = (5,) if content.source_pages == (3,) else (3,)
        strangers, _ = _ground(content, pages, cited=other)
        assert all(grounding.status is NOT_FOUND for grounding in strangers if grounding.fact != "monster")
