"""Several tracks, one session; who is who; and that nothing is lost between reader and document."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osrforge_assets.contracts.transcript import TranscriptFlagCode
from osrforge_assets.transcripts.failures import IncompleteImportError, TranscriptError
from osrforge_assets.transcripts.source import units as units_module
from osrforge_assets.transcripts.source.entries import Entry, Reading
from osrforge_assets.transcripts.source.speakers import read_speakers
from osrforge_assets.transcripts.source.tracks import merge_order, sessions_of, track_speaker
from osrforge_assets.transcripts.source.units import import_transcript
from osrforge_assets.transcripts.sources import find_sessions
from tests.assets.transcripts.reading_files import input_file, read, read_path, said

DATA = Path(__file__).parents[2] / "data"


@pytest.mark.parametrize(
    ("name", "speaker"),
    [
        ("1-alice.srt", "alice"),
        ("12-bob_0.flac.json", "bob"),
        ("2-carol_1234.vtt", "carol"),
        ("3-player_1.srt", "player_1"),
        ("dave.srt", "dave"),
        ("4-GM#0.aac.txt", "GM"),
    ],
)
def test_a_track_is_named_after_its_speaker(name: str, speaker: str):
    assert track_speaker(name) == speaker


def test_tracks_are_merged_by_time_and_equal_times_keep_the_order_of_the_tracks():
    one = "[00:00:01] a1\n[00:00:05] a2\n[00:00:05] a3\n"
    two = "[00:00:01] b1\n[00:00:03] b2\n[00:00:05] b3\n"
    files = [input_file(one, "1-anna.txt"), input_file(two, "2-bo.txt")]
    transcript = import_transcript("session", files, tracks=True)
    assert said(transcript) == [
        ("anna", "a1"),
        ("bo", "b1"),
        ("bo", "b2"),
        ("anna", "a2"),
        ("anna", "a3"),
        ("bo", "b3"),
    ]
    assert [(file.track, file.units) for file in transcript.files] == [("anna", 3), ("bo", 3)]
    assert [(unit.file, unit.line) for unit in transcript.units][2] == (2, 2)


def test_a_track_without_times_cannot_be_merged_and_says_where():
    files = [input_file("Anna: hi\nAnna: ho\n", "1-anna.txt"), input_file("[00:01] b\n[00:02] c\n", "2-bo.txt")]
    with pytest.raises(TranscriptError) as caught:
        import_transcript("session", files, tracks=True)
    assert (caught.value.code, caught.value.line) == ("transcript.track_without_time", 1)


@given(st.lists(st.lists(st.integers(min_value=0, max_value=50), max_size=12), min_size=1, max_size=4))
def test_merging_keeps_every_entry_once_and_each_tracks_own_order(times: list[list[int]]):
    tracks = [[Entry("x", at, at + 1, None, ms) for at, ms in enumerate(track)] for track in times]
    order = merge_order(tracks)
    assert sorted(order) == [(track, number) for track, entries in enumerate(tracks) for number in range(len(entries))]
    for track in range(len(tracks)):
        own = [number for owner, number in order if owner == track]
        assert own == sorted(own)


def test_files_named_as_tracks_of_one_folder_are_one_session():
    folder, other = Path("game"), Path("other")
    paths = [folder / "2-bo.srt", other / "notes.txt", folder / "1-anna.srt", folder / "10-cy.srt", other / "1-dee.srt"]
    assert sessions_of(paths) == [
        (folder / "1-anna.srt", folder / "2-bo.srt", folder / "10-cy.srt"),
        (other / "notes.txt",),
        (other / "1-dee.srt",),
    ]


def test_a_folder_is_one_session_and_keeps_only_its_transcripts(tmp_path: Path):
    for name in ("2-bo.srt", "1-anna.srt", "speakers.yaml", "info.txt", "1-anna.flac"):
        (tmp_path / name).write_text("x", encoding="utf-8")
    (session,) = find_sessions([tmp_path])
    assert [path.name for path in session.files] == ["1-anna.srt", "2-bo.srt"]
    assert session.tracks


def test_speakers_are_mapped_and_those_who_say_nothing_are_flagged():
    people = read_speakers(b"Anna: {player: Ann Lee, character: Mira}\nBo: {gm: true}\nCy: {player: Cyd}\n")
    transcript = import_transcript("session", [input_file("Bo: Dark.\nAnna: Torch!\nBo: Lit.\n")], people=people)
    assert [(s.name, s.player, s.character, s.gm, s.units) for s in transcript.speakers] == [
        ("Bo", None, None, True, 2),
        ("Anna", "Ann Lee", "Mira", False, 1),
        ("Cy", "Cyd", None, False, 0),
    ]
    assert [flag.code for flag in transcript.flags] == [TranscriptFlagCode.SPEAKER_UNMAPPED]


@pytest.mark.parametrize(
    "data", [b"- a\n", b"Anna: {role: dm}\n", b"Anna: [\n", b"\xff\xfe\x00", b"Anna: {gm: 3}\n", b"x" * 70_000]
)
def test_a_speakers_file_with_a_fault_is_refused_by_name(data: bytes):
    with pytest.raises(TranscriptError) as caught:
        read_speakers(data)
    assert caught.value.code == "transcript.speakers"


def test_the_source_digest_is_of_the_words_and_not_of_the_file():
    vtt = read("WEBVTT\n\n00:01.000 --> 00:02.000\n<v Anna>Hi\n")
    srt = read("1\n00:00:01,000 --> 00:00:02,000\nAnna: Hi\n\n2\n00:00:01,000 --> 00:00:02,000\nAnna: Hi\n")
    lines = read("[00:00:01.000 --> 00:00:02.000] Anna: Hi\n")
    assert vtt.source_digest == lines.source_digest != srt.source_digest


def test_an_import_with_fewer_units_than_markers_is_refused(monkeypatch: pytest.MonkeyPatch):
    # A reader with a fault: the check that stands behind all readers must not let it through.
    monkeypatch.setattr(units_module, "read_file", lambda _data: Reading("faulty", [Entry("a", 0, 1)], markers=2))
    with pytest.raises(IncompleteImportError, match="promises 2 entries, 1 of them"):
        read("a\n")


def test_the_demo_gives_the_same_units_in_every_format():
    paths = sorted(path for path in DATA.glob("demo_transcript.*"))
    assert len(paths) == 6
    documents = {path.name: read_path(path) for path in paths}
    tracks = find_sessions([DATA / "demo_tracks"])[0]
    files = [input_file(path.read_bytes(), path.name) for path in tracks.files]
    documents["tracks"] = import_transcript("session", files, tracks=True)
    assert {document.source_digest for document in documents.values()} == {documents["tracks"].source_digest}
    units = documents["tracks"].units
    assert len(units) == 192
    assert (units[0].speaker, units[-1].text) == ("GM", "Wednesday's fine. Good night, everybody.")
    assert [document.flags for document in documents.values()] == [()] * 7


def test_the_demo_files_are_what_their_script_writes(tmp_path: Path):
    import importlib.util

    spec = importlib.util.spec_from_file_location("make_demo_transcript", DATA / "make_demo_transcript.py")
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    import sys

    sys.modules[spec.name] = script
    spec.loader.exec_module(script)
    for path in script.write_demo(tmp_path):
        assert path.read_bytes() == (DATA / path.relative_to(tmp_path)).read_bytes()
