"""Markdown for the table: readable, with pages, and no text of a source ever becomes markup."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt  # the CommonMark parser that comes with rich
from markdown_it.token import Token

from osrforge_assets.contracts.dossier import Dossier
from osrforge_assets.contracts.flags import Flag, FlagCode
from osrforge_assets.contracts.survey import Dispute, Town
from osrforge_assets.escaping import markdown_inline, markdown_text
from osrforge_assets.modules.dossier.markdown import level_file_name, level_markdown, overview_markdown
from tests.assets.modules.dossier.small_module import SmallModule, area, connection, encounter, surveyed

PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
HOSTILE = [
    "<script>alert(1)</script>",
    "[click](http://example.com)",
    "![x](http://example.com/x.png)",
    "http://example.com and www.example.com",
    "# Heading",
    "Title\n===",
    "Title\n---",
    "- item\n1. item",
    "```\ncode\n```",
    "    code",
    "> quote",
    "| a | b |\n|---|---|\n| c | d |",
    "**bold** _it_ `code` ~~gone~~",
    "&lt;b&gt; &#60;",
    "[ref]: http://example.com",
    "<http://example.com> <a@b.example>",
    "\\<b>\\",
    "{{ template }} {% raw %}",
    "-2 +1 1) 2. *",
    "a\\",
    "\x00\x1b[31m\u2028x",
]
_TEXTS = st.one_of(
    st.sampled_from(HOSTILE), st.text(alphabet="#*_`[]()<>!|\\~-+=1. \n&;:/aw", max_size=30), st.text(max_size=30)
)


def _level(dossier: Dossier) -> str:
    return level_markdown(dossier, dossier.dungeons[0], dossier.dungeons[0].levels[0])


def _structure(markdown: str) -> Counter[str]:
    """Count what a parser sees beside plain text."""
    counts: Counter[str] = Counter()

    def walk(tokens: list[Token]) -> None:
        for token in tokens:
            if token.type not in {"text", "inline", "text_special"}:
                counts[token.type] += 1
            walk(token.children or [])

    walk(PARSER.parse(markdown))
    return counts


def _shown(markdown: str) -> str:
    tokens = PARSER.parseInline(markdown)[0].children or []
    assert {token.type for token in tokens} <= {"text", "text_special"}
    return "".join(token.content for token in tokens)


@settings(deadline=None)
@given(_TEXTS)
def test_escaped_text_is_one_paragraph_that_shows_the_same_characters(text: str):
    line = markdown_text(text)
    visible = "".join(
        "\ufffd" if (char < " " and char not in "\t\n") or "\x7f" <= char < "\xa0" else char for char in text
    )
    assert _shown(line) == " ".join(visible.split())
    assert set(_structure(line)) <= {"paragraph_open", "paragraph_close"}
    assert set(_structure(f"- {line}")) <= {
        *("bullet_list_open", "bullet_list_close", "list_item_open", "list_item_close"),
        *("paragraph_open", "paragraph_close"),
    }


@settings(deadline=None)
@given(_TEXTS)
def test_escaped_text_in_a_heading_or_table_cell_adds_nothing_to_it(text: str):
    assert set(_structure(f"## x {markdown_inline(text)}")) == {"heading_open", "heading_close"}
    table = "| a | b |\n| --- | --- |\n| {} | end |"
    assert _structure(table.format(markdown_inline(text))) == _structure(table.format("x"))


def test_ordinary_prose_is_not_littered_with_backslashes():
    prose = "The half-orc's door (stuck) opens on 1-2; see area 4a. “Beware!” she says: 20' x 30', AC 7 + 1."
    assert markdown_text(prose) == prose


def _module_of(text: str) -> SmallModule:
    """Return a module in which every text that a source can hold is `text`."""
    module = SmallModule(
        surveyed={1: (surveyed("1", name=text, label=text),)},
        survey_fields={
            "title": text,
            "description": text,
            "hooks": (text,),
            "town": Town(name=text, description=text, services=(text,)),
            "monster_names": (text,),
            "disputes": (Dispute(subject=text, survey=text, census=text),),
            "flags": (Flag(code=FlagCode.CENSUS_DISPUTE, message=text, page=2),),
        },
    )
    described = area(
        "1",
        description=text,
        encounters=(encounter(text),),
        trap=text,
        treasure=(text,),
        features=(text,),
        connections=(connection(text),),
    )
    return module.answer(1, described)


@settings(deadline=None)
@given(_TEXTS)
def test_whatever_a_source_says_it_adds_no_structure_to_the_files(text: str):
    dossier = _module_of(text).build()
    level, overview = _structure(_level(dossier)), _structure(overview_markdown(dossier))
    for counts in (level, overview):
        assert not {*counts} & {"html_block", "html_inline", "image", "code_block", "fence", "code_inline", "hr"}
    assert "link_open" not in level
    assert level["heading_open"] <= 3  # the level, its one area, notes
    assert overview["link_open"] == 1  # the level's own file
    assert overview["heading_open"] <= 7
    links = [token for block in PARSER.parse(overview_markdown(dossier)) for token in block.children or []]
    assert [token.attrs["href"] for token in links if token.type == "link_open"] == ["levels/well-level-1.md"]


def test_a_level_reads_like_something_to_run_a_game_from():
    module = SmallModule().answer(
        1,
        area(
            "1",
            description="Two lamps hang over a table of dice.\n\nThey sleep by the east door.",
            encounters=(encounter("Wolves", 2),),
            connections=(connection("2"), connection(to_level=2)),
        ),
        area("2", treasure=("1,200 sp", "crown of kings"), trap="A stone falls.", features=("Barrels",)),
    )
    text = _level(module.build())
    assert text.startswith("# The Salt Well, level 1\n\n*The Salt Well · salt well.pdf · 2 areas*\n")
    assert "| 1 | Guard Post | Wolves (2) |  | 2 |" in text
    assert "## 1. Guard Post\n\n*room · page 2*\n\nTwo lamps hang over a table of dice.\n\nThey sleep" in text
    assert "**Monsters**\n\n- Wolves (2)\n" in text
    assert "**Exits**\n\n- passage to 2. Salt Store\n- passage to level 2" in text
    assert "**Treasure**\n\n- 1,200 sp\n- crown of kings" in text
    assert "> Check: The treasure “crown of kings” is not printed so on page 2." in text


def test_an_absent_level_says_so_and_shows_no_content():
    text = _level(SmallModule().build())
    assert "This level has not been read yet" in text
    assert text.count("*Not read.*") == 2
    assert "Guard Post" in text


def test_the_overview_links_every_level_and_says_when_there_is_none():
    assert "[well-level-2.md](levels/well-level-2.md)" in overview_markdown(SmallModule().build())
    empty = overview_markdown(SmallModule(surveyed={}).build())
    assert "This source holds no keyed areas." in empty
    assert "](" not in empty


@pytest.mark.parametrize("number", [1, 12])
def test_a_levels_file_is_named_after_its_dungeon_and_number(number: int):
    dossier = SmallModule(surveyed={number: (surveyed("1"),)}).build()
    dungeon = dossier.dungeons[0]
    assert level_file_name(dungeon, dungeon.levels[0]) == f"well-level-{number}.md"
