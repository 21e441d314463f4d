"""The page of a session, as a game master reads it."""

from osrforge_assets.contracts.scenes import SceneChunk, SceneChunks
from osrforge_assets.contracts.transcript import Speaker, TranscriptUnits
from osrforge_assets.transcripts.scenes.session_page import (
    scene_views,
    session_html,
    session_markdown,
    shown_speaker,
)
from osrforge_assets.transcripts.source.speakers import Person
from osrforge_assets.transcripts.source.units import import_transcript
from tests.assets.transcripts.reading_files import input_file

HOSTILE = "<b onclick=x>Thok</b> | [a](javascript:b)"


def _session(people: dict[str, Person] | None = None) -> TranscriptUnits:
    text = "GM: Welcome.\nAnna: <img src=x onerror=alert(1)>\nGM: [laughter]\n"
    return import_transcript("game", [input_file(text, "game <i>.txt")], people=people)


def _pages(transcript: TranscriptUnits) -> tuple[str, str]:
    chunk = SceneChunk(id="x", index=0, start_unit_id=1, end_unit_id=3, unit_ids=(1, 2, 3))
    chunks = SceneChunks(session="game", source_digest=transcript.source_digest, chunks=(chunk,))
    views = scene_views(transcript, chunks)
    return session_html(transcript, views), session_markdown(transcript, views)


def test_a_role_that_the_name_says_already_is_not_said_twice():
    assert shown_speaker(Speaker(name="gm", gm=True, units=1)) == "gm"
    assert shown_speaker(Speaker(name="Sam", gm=True, units=1)) == "Sam (GM)"
    assert shown_speaker(Speaker(name="Eva", character="Mira", units=1)) == "Eva (Mira)"


def test_who_plays_whom_the_file_and_the_doubts_are_on_the_page():
    page, text = _pages(_session({"Anna": Person(player="Eva", character="Mira"), "Bo": Person(player="Ute")}))
    for shown in (page, text):
        assert all(word in shown for word in ("Eva", "Mira", "Ute", "Bo, who says nothing", "2 speakers"))
    assert "from game &lt;i&gt;.txt" in page


def test_columns_of_which_nothing_is_known_are_left_out():
    page, _ = _pages(_session())
    assert "<th>speaker</th><th>units</th>" in page


def test_names_and_files_are_text_on_the_page():
    page, text = _pages(_session({"Anna": Person(player=HOSTILE, character=HOSTILE)}))
    for markup in ("<b onclick", "<img", "<i>"):
        assert markup not in page
        # In Markdown every angle bracket of theirs has its backslash.
        assert text.count(markup) == text.count(f"\\{markup}")
    assert text.count("](javascript") == text.count("\\](javascript")
