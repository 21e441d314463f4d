"""Plain text in the forms people paste, type and download."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osrforge_assets.contracts.transcript import TranscriptFlagCode, UnitKind
from osrforge_assets.transcripts.failures import TranscriptError, UnknownFormatError
from tests.assets.transcripts.reading_files import read, said


def test_name_and_text_without_times():
    text = "GM: You see two doors.\nAnna: It's 3:15 already, note: late.\nRemember: the left one is trapped.\ncontinued here\nBo Falk: Ok\n"
    assert said(read(text)) == [
        ("GM", "You see two doors."),
        ("Anna", "It's 3:15 already, note: late. Remember: the left one is trapped. continued here"),
        ("Bo Falk", "Ok"),
    ]


def test_a_time_that_begins_a_continued_line_is_what_was_said():
    text = "Anna: How late is it?\nBo: I had a look:\n3:15, and no bus.\nAnna: Then we walk.\n"
    assert said(read(text))[1] == ("Bo", "I had a look: 3:15, and no bus.")


def test_short_names_that_are_particles_elsewhere_are_names():
    assert said(read("Al: hi\nDe la Cruz: hello\nAl: bye\n")) == [("Al", "hi"), ("De la Cruz", "hello"), ("Al", "bye")]


@pytest.mark.parametrize(
    "head", ["Anna 0:03", "Anna  0:03", "Anna — 05/01/2026 0:03:03 AM", "Anna - 0:03", "Anna\t0:03"]
)
def test_a_name_and_a_time_above_the_words_are_a_header(head: str):
    text = f"{head}\nHello\nthere\n{head.replace('Anna', 'Bo').replace('3', '4')}\nHi\n"
    assert said(read(text)) == [("Anna", "Hello there"), ("Bo", "Hi")]


def test_a_date_before_the_time_is_read_over():
    transcript = read("[2026-05-01 19:05:03] Anna: attack\n[05/01/2026 7:06 PM] Bo: ok\n")
    assert said(transcript) == [("Anna", "attack"), ("Bo", "ok")]
    assert [unit.start_ms for unit in transcript.units] == [68_703_000, 68_760_000]


def test_a_name_alone_on_its_line_speaks_the_lines_below():
    text = "Anna:\nFirst line,\nsecond line.\n\nBo:\nAnswer.\n"
    assert said(read(text)) == [("Anna", "First line, second line."), ("Bo", "Answer.")]


def test_lower_case_user_names_that_come_back_are_speakers():
    text = "alice_42: hi\nbob.k: hello\nalice_42: roll?\nbob.k: sure\n"
    assert said(read(text)) == [("alice_42", "hi"), ("bob.k", "hello"), ("alice_42", "roll?"), ("bob.k", "sure")]


def test_markdown_bold_names_are_names():
    assert said(read("**GM:** Dark.\n**Anna**: Torch!\n")) == [("GM", "Dark."), ("Anna", "Torch!")]


@pytest.mark.parametrize(
    "line",
    [
        "[00:01:02] Anna: Hi",
        "00:01:02 Anna: Hi",
        "(1:02) Anna: Hi",
        "Anna [00:01:02]: Hi",
        "Anna (1:02): Hi",
        "[00:01:02] - Anna: Hi",
    ],
)
def test_times_stand_before_or_after_the_name(line: str):
    transcript = read(f"{line}\n{line.replace('Hi', 'Again').replace('1:02', '1:05')}\n")
    assert said(transcript) == [("Anna", "Hi"), ("Anna", "Again")]
    assert [unit.start_ms for unit in transcript.units] == [62_000, 65_000]


def test_timed_lines_without_names_have_no_speaker():
    transcript = read("[00:00:05] we are here\n[00:00:09] at last: the gate\n")
    assert said(transcript) == [(None, "we are here"), (None, "at last: the gate")]


def test_a_recognizers_lines_have_start_and_end():
    transcript = read("[0.00s -> 4.00s]  First words\n[4.00s -> 5.50s]  [SPEAKER_01]: and then\n")
    assert said(transcript) == [(None, "First words"), ("SPEAKER_01", "and then")]
    assert (transcript.units[1].start_ms, transcript.units[1].end_ms) == (4000, 5500)
    whisper = read("[00:00.000 --> 00:04.000]  First words\n[01:00:04.000 --> 01:00:05.000]  Anna: and then\n")
    assert whisper.units[1].start_ms == 3_604_000


def test_otter_headers_speak_until_the_next_header():
    text = "Anna Berg  0:03  \nHello there. It's 3:15.\n\nSpeaker 2  1:02:03\nSecond one\ngoes on.\n\nTranscribed by https://otter.ai\n"
    transcript = read(text)
    assert said(transcript) == [
        ("Anna Berg", "Hello there. It's 3:15."),
        ("Speaker 2", "Second one goes on."),
        (None, "Transcribed by https://otter.ai"),
    ]
    assert [unit.kind for unit in transcript.units] == [UnitKind.SPEECH, UnitKind.SPEECH, UnitKind.SYSTEM]
    assert transcript.units[1].start_ms == 3_723_000


def test_teams_text_keeps_what_the_recorder_says_as_system():
    text = "Weekly game\nMay 1, 2026, 7:00PM\n\nAnna Berg started transcription\n\nAnna Berg   0:03\nHi\n\nBo Falk   0:05\nHello\n"
    transcript = read(text)
    assert said(transcript)[-2:] == [("Anna Berg", "Hi"), ("Bo Falk", "Hello")]
    assert [unit.kind for unit in transcript.units] == [UnitKind.SYSTEM] * 3 + [UnitKind.SPEECH] * 2


def test_zooms_saved_captions_have_the_name_in_brackets():
    text = "[Anna Berg] 17:07:32\nHello\n\n[Bo] 17:07:40\nHi\n"
    transcript = read(text)
    assert said(transcript) == [("Anna Berg", "Hello"), ("Bo", "Hi")]
    assert transcript.units[0].start_ms == 61_652_000


def test_text_without_names_or_times_is_a_unit_a_line_and_says_so():
    transcript = read("we walk on\nuntil dark\n")
    assert said(transcript) == [(None, "we walk on"), (None, "until dark")]
    assert [flag.code for flag in transcript.flags] == [TranscriptFlagCode.NO_STRUCTURE]


def test_a_speaker_without_a_word_is_named_with_its_line():
    with pytest.raises(TranscriptError) as caught:
        read("Anna: Hello\nBo: Hi\nAnna:\nBo: What?\n")
    assert (caught.value.line, caught.value.code) == (3, "transcript.entry_without_text")


def test_a_time_that_is_none_is_named_with_its_line():
    with pytest.raises(TranscriptError) as caught:
        read("[00:00:01] a\n[00:00:75] b\n")
    assert (caught.value.line, caught.value.code) == (2, "transcript.bad_time")


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "transcript.empty"),
        (b" \n\n", "transcript.empty"),
        (b"%PDF-1.7 ...", "transcript.unknown_format"),
        (b"PK\x03\x04....", "transcript.unknown_format"),
        (b"OggS\x00\x02", "transcript.unknown_format"),
        (b"<html><body>Anna: hi</body></html>", "transcript.unknown_format"),
        (b"\x00\x01\x02\x00\x00\x00\x03" * 9, "transcript.unknown_format"),
        (b"Anna: hi\nBo: \x81\x8d\n", "transcript.encoding"),
    ],
)
def test_what_is_no_transcript_is_refused_by_name(data: bytes, code: str):
    with pytest.raises(TranscriptError) as caught:
        read(data)
    assert caught.value.code == code
    assert isinstance(caught.value, UnknownFormatError) == (code == "transcript.unknown_format")


def test_windows_text_is_read_with_a_flag_and_utf16_without():
    transcript = read("Zoë: naïve?\nBo: yes\n".encode("cp1252"))
    assert said(transcript)[0] == ("Zoë", "naïve?")
    assert [flag.code for flag in transcript.flags] == [TranscriptFlagCode.ENCODING_GUESSED]
    assert said(read("Zoë: naïve?\nBo: yes\n".encode("utf-16")))[0] == ("Zoë", "naïve?")


@given(st.text(max_size=400))
def test_no_text_makes_the_reader_fail_otherwise_than_named(text: str):
    try:
        transcript = read(text)
    except TranscriptError:
        return
    assert [unit.id for unit in transcript.units] == list(range(1, len(transcript.units) + 1))


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["Anna", "Bo Falk", "GM"]), st.from_regex(r"[a-z]{1,8}( [a-z]{1,8}){0,5}", fullmatch=True)
        ),
        min_size=2,
        max_size=30,
    )
)
def test_what_each_speaker_says_comes_back_in_order(lines: list[tuple[str, str]]):
    assert said(read("".join(f"{name}: {text}\n" for name, text in lines))) == lines


def test_a_full_width_colon_needs_no_space():
    assert said(read("安娜：你好\n博：3:15见\n安娜：再见\n")) == [("安娜", "你好"), ("博", "3:15见"), ("安娜", "再见")]


def test_marks_without_width_and_emoji_do_not_hide_a_name():
    text = "\u200bAnna: hi\n\u200e🎲 Bo: yo\n\u200bAnna: bye\n\u200e🎲 Bo: ok\n"
    assert said(read(text)) == [("Anna", "hi"), ("🎲 Bo", "yo"), ("Anna", "bye"), ("🎲 Bo", "ok")]


def test_titles_before_a_name_belong_to_it():
    assert said(read("Anna: hi\nMr. T: fool\n")) == [("Anna", "hi"), ("Mr. T", "fool")]


@pytest.mark.parametrize(
    "text",
    [
        "20:01:02\t From  Mia Kraus : hello all\n20:01:09\t From  Jon to  Mia Kraus(Direct Message) : psst\n",
        "20:01:02 From Mia Kraus to Everyone:\n\thello all\n20:01:09 From Jon to Everyone:\n\tpsst\n",
    ],
)
def test_zooms_saved_chat_names_its_speakers(text: str):
    assert said(read(text)) == [("Mia Kraus", "hello all"), ("Jon", "psst")]


def test_a_time_and_a_name_above_the_words_are_a_header():
    text = "[00:00:01] Speaker 1\nHello.\n\n[00:00:04] Speaker 2\nHi.\n"
    assert said(read(text)) == [("Speaker 1", "Hello."), ("Speaker 2", "Hi.")]


def test_one_capitalized_word_after_a_time_is_what_was_said():
    text = "[0:01] Yes\nI do.\n[0:07] Well\nyou would.\n"
    assert said(read(text)) == [(None, "Yes I do."), (None, "Well you would.")]


@pytest.mark.parametrize("data", [b" \n\t\r\n \xef\xbb\xbf", "\u200b\n\u2060".encode()])
def test_marks_without_width_are_no_text(data: bytes):
    with pytest.raises(TranscriptError) as caught:
        read(data)
    assert caught.value.code == "transcript.empty"


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_utf16_is_read_without_its_mark(codec: str):
    transcript = read("Анна: привет\nБо: да\nАнна: пока\n".encode(codec))
    assert said(transcript) == [("Анна", "привет"), ("Бо", "да"), ("Анна", "пока")]


def test_a_cut_utf16_file_is_named_and_never_read_as_another_encoding():
    with pytest.raises(TranscriptError) as caught:
        read("Anna: hi\n".encode("utf-16")[:-1])
    assert caught.value.code == "transcript.encoding"
