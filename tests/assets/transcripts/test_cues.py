"""WebVTT and SRT as real programs write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osrforge_assets.contracts.transcript import TranscriptFlagCode, UnitKind
from osrforge_assets.transcripts.failures import TranscriptError, UnknownFormatError
from tests.assets.transcripts.reading_files import read, said


def test_two_voices_in_one_cue_are_two_units():
    transcript = read("WEBVTT\n\n00:01.000 --> 00:04.000\n<v Anna>Who goes there?</v> <v Bo>Nobody.\n")
    assert said(transcript) == [("Anna", "Who goes there?"), ("Bo", "Nobody.")]
    assert {(unit.start_ms, unit.end_ms) for unit in transcript.units} == {(1000, 4000)}


def test_a_voice_with_classes_and_without_closing_tag_keeps_its_name():
    assert said(read("WEBVTT\n\n00:01.000 --> 00:04.000\n<v.loud.first Anna Maria>Run!\n")) == [("Anna Maria", "Run!")]


def test_entities_are_decoded_after_tags_are_read():
    transcript = read(
        "WEBVTT\n\n00:01.000 --> 00:02.000\n<v R&amp;D>&lt;i&gt; is a tag, Tom &amp; I <b>know</b> that\n"
    )
    assert said(transcript) == [("R&D", "<i> is a tag, Tom & I know that")]


def test_unknown_tags_and_hearts_are_text():
    assert said(read("WEBVTT\n\n00:01.000 --> 00:02.000\n<3 <sighs> fine\n")) == [(None, "<3 <sighs> fine")]


def test_notes_styles_and_regions_are_not_spoken():
    text = (
        "WEBVTT - title\nKind: captions\n\nSTYLE\n::cue { color: red }\n\nREGION\nid:a\n\nNOTE\nnot said\n\n"
        "intro\n00:01.000 --> 00:02.000 line:0 align:start\nHello.\n\nNOTE nor this\n\n00:03.000 --> 00:04.000\nBye.\n"
    )
    assert said(read(text)) == [(None, "Hello."), (None, "Bye.")]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_any_line_end_and_a_byte_order_mark_are_read(end: str):
    text = "\ufeffWEBVTT\n\n1\n00:00:01.000 --> 00:00:02.000\nOne\n\n2\n100:00:01.000 --> 100:00:02.000\nTwo"
    transcript = read(text.replace("\n", end))
    assert [unit.text for unit in transcript.units] == ["One", "Two"]
    assert transcript.units[1].start_ms == 360_001_000


def test_comma_milliseconds_in_webvtt_are_read_and_not_zero_cues():
    assert read("WEBVTT\n\n00:00:01,500 --> 00:00:02,000\nHello\n").units[0].start_ms == 1500


def test_karaoke_times_are_removed_and_rolling_lines_are_said_once():
    text = (
        "WEBVTT\n\n00:00:01.000 --> 00:00:02.000\n \nwe<00:00:01.200><c> open</c><00:00:01.500><c> it</c>\n\n"
        "00:00:02.000 --> 00:00:02.010\nwe open it\n \n\n00:00:02.010 --> 00:00:04.000\nwe open it\n"
        "and<00:00:02.500><c> look</c>\n"
    )
    transcript = read(text)
    assert [unit.text for unit in transcript.units] == ["we open it", "and look"]
    assert [flag.code for flag in transcript.flags] == [TranscriptFlagCode.CAPTION_REPEATED]


def test_a_line_said_twice_is_two_units_where_words_are_not_timed():
    transcript = read("1\n00:00:01,000 --> 00:00:02,000\nNo!\n\n2\n00:00:02,000 --> 00:00:03,000\nNo!\n")
    assert [unit.text for unit in transcript.units] == ["No!", "No!"]


def test_overlapping_cues_and_repeated_identifiers_keep_the_file_order():
    text = "WEBVTT\n\na\n00:05.000 --> 00:09.000\nfirst\n\na\n00:03.000 --> 00:08.000\nsecond\n"
    transcript = read(text)
    assert [unit.text for unit in transcript.units] == ["first", "second"]
    assert [(flag.code, flag.units) for flag in transcript.flags] == [(TranscriptFlagCode.TIME_BACKWARDS, (2,))]


def test_a_number_alone_is_what_was_said():
    text = "1\n00:00:01,000 --> 00:00:02,000\n17\n\n2\n00:00:03,000 --> 00:00:04,000\nI rolled\n\n20\n\n3\n00:00:05,000 --> 00:00:06,000\n3"
    transcript = read(text)
    assert [unit.text for unit in transcript.units] == ["17", "I rolled 20", "3"]
    assert [flag.code for flag in transcript.flags] == [TranscriptFlagCode.TEXT_OUTSIDE_CUE]


def test_a_number_before_an_unnumbered_cue_is_text():
    text = (
        "00:00:01,000 --> 00:00:02,000\n17\n00:00:03,000 --> 00:00:04,000\nhit\n\n00:00:05.000 --> 00:00:06.000\nmiss\n"
    )
    assert [unit.text for unit in read(text).units] == ["17", "hit", "miss"]


@pytest.mark.parametrize("indexes", [("7", "7", "2"), ("", "2", ""), ("3", "2", "1")])
def test_missing_repeated_and_unordered_indexes_lose_nothing(indexes: tuple[str, ...]):
    cues = [
        f"{index}\n00:00:0{at},000 --> 00:00:0{at},500\nline {at}".strip() for at, index in enumerate(indexes, start=1)
    ]
    assert [unit.text for unit in read("\n\n".join(cues)).units] == ["line 1", "line 2", "line 3"]


def test_srt_markup_and_positions_are_not_spoken():
    assert said(read('1\n00:00:01,000 --> 00:00:02,000\n{\\an8}<font color="#fff"><i>Who?</i></font>\n')) == [
        (None, "Who?")
    ]


def test_names_before_a_colon_are_speakers_and_times_in_speech_are_not():
    text = "WEBVTT\n\n"
    lines = [
        "Anna Berg: It's 3:15 already.",
        "Bo: note: we left at 3:00",
        "Anna Berg: Remember: the left door.",
        "The thing is: we go",
    ]
    text += "\n\n".join(f"{at}\n00:00:0{at}.000 --> 00:00:0{at}.900\n{line}" for at, line in enumerate(lines, start=1))
    assert said(read(text)) == [
        ("Anna Berg", "It's 3:15 already."),
        ("Bo", "note: we left at 3:00"),
        ("Anna Berg", "Remember: the left door."),
        (None, "The thing is: we go"),
    ]


def test_two_named_lines_of_one_cue_are_two_units():
    text = "1\n00:00:01,000 --> 00:00:02,000\nAnna: Ready?\nBo: Ready.\n\n2\n00:00:03,000 --> 00:00:04,000\nAnna: Go\nnow.\n"
    assert said(read(text)) == [("Anna", "Ready?"), ("Bo", "Ready."), ("Anna", "Go now.")]


def test_a_teams_download_names_the_speaker_on_the_first_line():
    text = "0:0:0.0 --> 0:0:2.5\nAnna Berg\nHello\n\n0:0:2.5 --> 0:0:4.0\nBo Falk\nHi there\n\n0:0:4.0 --> 0:0:5.0\nAnna Berg\nRight\n"
    assert said(read(text)) == [("Anna Berg", "Hello"), ("Bo Falk", "Hi there"), ("Anna Berg", "Right")]


def test_sounds_are_their_own_kind():
    kinds = [
        unit.kind
        for unit in read("WEBVTT\n\n00:01.000 --> 00:02.000\n[laughter]\n\n00:02.000 --> 00:03.000\nHa!\n").units
    ]
    assert kinds == [UnitKind.SOUND, UnitKind.SPEECH]


@pytest.mark.parametrize(
    ("text", "line", "code"),
    [
        ("WEBVTT\n\n00:01.000 --> 00:0x.000\nlost?\n", 3, "transcript.bad_time"),
        ("1\n00:00:01,000 --> 00:00:02,000\nHi\n\n2\n00:00:03,000 -> 00:00:04,000\nlost?\n", 6, "transcript.bad_time"),
        ("1\n00:00:01,000 --> 00:00:02,000\nHi\n\n2\n00:00:03,000 00:00:04,000\nlost?\n", 6, "transcript.bad_time"),
        (
            "1\n00:00:01,000 --> 00:00:02,000\nHi\n\n2\n00:00:03,000 --> 00:00:04,000\n",
            6,
            "transcript.cue_without_text",
        ),
        (
            "1\n00:00:01,000 --> 00:00:02,000\n\n2\n00:00:03,000 --> 00:00:04,000\nHi\n",
            2,
            "transcript.cue_without_text",
        ),
        ("1\n00:00:01,000 --> 00:00:02,000\nHi\n\n2\n00:00:0", 5, "transcript.truncated"),
        ("WEBVTT\n\nNOTE nothing else\n", 1, "transcript.no_units"),
    ],
)
def test_a_cue_that_cannot_be_read_names_its_line(text: str, line: int, code: str):
    with pytest.raises(TranscriptError) as caught:
        read(text)
    assert (caught.value.line, caught.value.code) == (line, code)
    assert f"Line {line}" in caught.value.message


def test_a_caption_that_shows_nothing_is_flagged():
    transcript = read("WEBVTT\n\n00:01.000 --> 00:02.000\n&nbsp;\n\n00:02.000 --> 00:03.000\nHi\n")
    assert [unit.text for unit in transcript.units] == ["Hi"]
    assert [flag.code for flag in transcript.flags] == [TranscriptFlagCode.ENTRY_WITHOUT_TEXT]


_WORDS = st.text(
    st.characters(
        codec="utf-8", exclude_categories=["Cc", "Cs", "Zs", "Zl", "Zp"], exclude_characters="<>&{}:-[]()*♪♫"
    ),
    min_size=1,
    max_size=12,
)


@given(st.lists(st.lists(_WORDS, min_size=1, max_size=4), min_size=1, max_size=12))
def test_whatever_is_said_comes_back_from_both_formats(lines: list[list[str]]):
    texts = [" ".join(words) for words in lines]
    cue = [f"{at}\n00:00:{at:02d}.000 --> 00:00:{at:02d}.900\n{text}" for at, text in enumerate(texts, start=1)]
    for body in (
        "WEBVTT\n\n" + "\n\n".join(cue),
        "\n\n".join(cue).replace(".", ",") if "." not in "".join(texts) else "\n\n".join(cue),
    ):
        assert [unit.text for unit in read(body).units] == texts


@given(st.text(max_size=300))
def test_no_text_makes_the_reader_fail_otherwise_than_named(text: str):
    try:
        transcript = read("WEBVTT\n\n00:01.000 --> 00:02.000\n" + text)
    except TranscriptError:
        return
    assert transcript.units


@pytest.mark.parametrize(
    "text", ["<c " * 70_000, "<v." * 70_000, "[" + "a" * 200_000, "[" + "a " * 100_000, "&a" * 100_000, "{\\" * 100_000]
)
def test_a_hostile_line_is_read_in_one_pass(text: str):
    # A reader that goes over it again for every character would run into the suite's time limit.
    assert len(read("WEBVTT\n\n00:01.000 --> 00:02.000\n" + text).units) == 1


def test_text_above_the_first_cue_is_kept_without_a_time_and_flagged():
    text = "2024 session\n00:00:01,000\nA lost cue\n\n2\n00:00:02,000 --> 00:00:03,000\nhello\n"
    transcript = read(text)
    assert said(transcript) == [(None, "2024 session 00:00:01,000 A lost cue"), (None, "hello")]
    assert (transcript.units[0].start_ms, transcript.units[0].kind) == (None, UnitKind.SYSTEM)
    assert [(flag.code, flag.units) for flag in transcript.flags] == [(TranscriptFlagCode.TEXT_OUTSIDE_CUE, (1,))]


def test_a_webvtt_header_and_the_first_identifier_are_not_spoken():
    text = "WEBVTT\nKind: captions\nLanguage: en\n\nNOTE by hand\n\nintro\n00:01.000 --> 00:02.000\nhello\n"
    transcript = read(text)
    assert said(transcript) == [(None, "hello")]
    assert transcript.flags == ()


@pytest.mark.parametrize("arrow", ["->", "–>", "—>", "=>", "→", "-"])
def test_another_arrow_under_an_index_is_a_named_fault_and_not_plain_text(arrow: str):
    text = f"1\n00:00:01,000 {arrow} 00:00:02,000\nx\n\n2\n00:00:02,000 {arrow} 00:00:03,000\ny\n"
    with pytest.raises(TranscriptError, match="Line 2") as caught:
        read(text)
    assert caught.value.code == "transcript.bad_time"


def test_spaces_inside_a_time_line_are_a_named_fault():
    with pytest.raises(TranscriptError, match="Line 2") as caught:
        read("1\n00: 00: 01,000 --> 00: 00: 02,000\nx\n")
    assert caught.value.code == "transcript.bad_time"


def test_the_dash_before_a_voice_is_not_spoken():
    text = "WEBVTT\n\n00:01.000 --> 00:02.000\n- <v Cy>four\n- <v Di>minus - five\n"
    assert said(read(text)) == [("Cy", "four"), ("Di", "minus - five")]


@pytest.mark.parametrize(
    "text",
    [
        "[Script Info]\nTitle: x\n\n[Events]\nDialogue: 0,0:00:01.00,0:00:02.00,Default,Ann,0,0,0,,Hello\n",
        "0:00:01.000,0:00:02.000\nhello\n\n0:00:02.000,0:00:03.000\nbye\n",
        "{1}{25}hello\n{25}{50}bye\n",
    ],
)
def test_other_subtitles_are_refused_by_name_and_never_read_as_plain_text(text: str):
    with pytest.raises(UnknownFormatError, match="subtitles"):
        read(text)
