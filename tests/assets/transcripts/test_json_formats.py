"""JSON of speech recognizers, chats and CRD3."""

import json

import pytest

from osrforge_assets.contracts.transcript import TranscriptFlagCode, UnitKind
from osrforge_assets.transcripts.failures import IncompleteImportError, TranscriptError, UnknownFormatError
from tests.assets.transcripts.reading_files import read, said


def _codes(transcript) -> list[TranscriptFlagCode]:
    return [flag.code for flag in transcript.flags]


def test_whisper_segments_keep_file_order_and_our_ids_whatever_theirs_are():
    segments = [
        {"id": 0, "start": 0.0, "end": 2.5, "text": " Leading space"},
        {"id": 1, "start": 9.0, "end": 8.5, "text": " 17"},
        {"id": 0, "start": 3.0, "end": 4.0, "text": " after"},
    ]
    transcript = read(json.dumps({"text": "…", "segments": segments, "language": "en"}, indent=2))
    assert [(unit.id, unit.text, unit.start_ms, unit.line) for unit in transcript.units] == [
        (1, "Leading space", 0, 4),
        (2, "17", 9000, 10),
        (3, "after", 3000, 16),
    ]
    assert _codes(transcript) == [TranscriptFlagCode.TIME_INVERTED, TranscriptFlagCode.TIME_BACKWARDS]
    assert transcript.files[0].format == "whisper"


def test_a_segment_without_speaker_has_none_whatever_its_words_say():
    segments = [
        {"start": 0, "end": 1, "text": "a", "speaker": "SPEAKER_00", "words": []},
        {"start": 1, "end": 2, "text": "b", "words": [{"word": "b", "speaker": "SPEAKER_01"}]},
    ]
    transcript = read(json.dumps({"segments": segments, "word_segments": []}))
    assert said(transcript) == [("SPEAKER_00", "a"), (None, "b")]
    assert transcript.files[0].format == "whisperx"


def test_jsonl_segments_are_units_and_a_broken_line_is_named():
    rows = '{"id": 1, "start": 0.5, "end": 1.25, "text": " one"}\n{"id": 1, "start": 2, "end": 3, "text": " two"}\n'
    assert [(unit.text, unit.start_ms, unit.line) for unit in read(rows).units] == [("one", 500, 1), ("two", 2000, 2)]
    with pytest.raises(TranscriptError) as caught:
        read(rows + '{"id": 1, "start": 2, "te')
    assert (caught.value.line, caught.value.code) == (3, "transcript.truncated")


def test_silence_and_loops_are_flagged_and_kept():
    segments = [{"start": at, "end": at + 1, "text": "" if at == 0 else "Thank you."} for at in range(6)]
    transcript = read(json.dumps({"segments": segments}))
    assert len(transcript.units) == 5
    assert _codes(transcript) == [TranscriptFlagCode.ENTRY_WITHOUT_TEXT, TranscriptFlagCode.LOOPED]
    assert transcript.flags[1].units == (1, 2, 3, 4, 5)


def test_times_that_are_no_numbers_are_flagged_and_the_words_kept():
    transcript = read(
        '{"segments": [{"start": NaN, "end": true, "text": "a"}, {"start": -1, "end": 1e300, "text": "b"}]}'
    )
    assert [(unit.text, unit.start_ms, unit.end_ms) for unit in transcript.units] == [
        ("a", None, None),
        ("b", None, None),
    ]
    assert _codes(transcript) == [TranscriptFlagCode.TIME_UNREADABLE]


def test_the_other_recognizers_of_one_family_are_read():
    cpp = {
        "transcription": [
            {
                "timestamps": {"from": "00:00:01,000", "to": "00:00:02,000"},
                "offsets": {"from": 1000, "to": 2000},
                "text": " a",
            }
        ]
    }
    hf = {"text": "a", "chunks": [{"timestamp": [1.0, None], "text": " a"}]}
    tsv = "start\tend\ttext\n1000\t2000\ta\n"
    for data in (json.dumps(cpp), json.dumps(hf), tsv):
        assert [(unit.text, unit.start_ms) for unit in read(data).units] == [("a", 1000)]


def test_assemblyai_counts_milliseconds_and_deepgram_seconds():
    utterances = [
        {"speaker": "A", "start": 1500, "end": 2500, "text": "Hi"},
        {"speaker": "B", "start": 2600, "end": 3000, "text": "Yo"},
    ]
    assembly = read(json.dumps({"id": "x", "status": "completed", "utterances": utterances}))
    assert [(u.speaker, u.start_ms) for u in assembly.units] == [("A", 1500), ("B", 2600)]
    words = [
        {"word": "hi", "punctuated_word": "Hi.", "start": 1.5, "end": 1.9, "speaker": 0},
        {"word": "go", "punctuated_word": "Go", "start": 2.0, "end": 2.2, "speaker": 0},
        {"word": "on", "punctuated_word": "on.", "start": 2.2, "end": 2.4, "speaker": 0},
        {"word": "no", "punctuated_word": "No.", "start": 2.5, "end": 2.9, "speaker": 1},
    ]
    deepgram = read(
        json.dumps({"metadata": {}, "results": {"channels": [{"alternatives": [{"transcript": "x", "words": words}]}]}})
    )
    assert [(u.speaker, u.text, u.start_ms, u.end_ms) for u in deepgram.units] == [
        ("0", "Hi.", 1500, 1900),
        ("0", "Go on.", 2000, 2400),
        ("1", "No.", 2500, 2900),
    ]
    spoken = [{"speaker": 1, "start": 0.25, "end": 1, "transcript": "Hi", "channel": 0}]
    assert read(json.dumps({"results": {"channels": [], "utterances": spoken}})).units[0].start_ms == 250


@pytest.mark.parametrize(
    "data",
    [
        {"text": "hello there"},
        {"text": "hello there", "segments": []},
        {"id": "x", "status": "completed", "text": "hello there", "words": []},
        {"results": {"channels": [{"alternatives": [{"transcript": "hello there", "words": []}]}]}},
    ],
)
def test_a_transcript_that_is_only_its_text_is_one_unit_and_says_so(data: dict[str, object]):
    transcript = read(json.dumps(data))
    assert said(transcript) == [(None, "hello there")]
    assert _codes(transcript) == [TranscriptFlagCode.NO_STRUCTURE]


def test_a_failed_or_unfinished_service_transcript_is_an_error():
    with pytest.raises(TranscriptError) as caught:
        read(json.dumps({"id": "x", "status": "error", "error": "Audio too short", "utterances": None, "words": None}))
    assert caught.value.code == "transcript.not_finished"
    assert "Audio too short" in caught.value.message


_AUTHOR = {"id": "99999999999999999999", "name": "anna", "nickname": "Anna", "isBot": False}
_BOT = {"id": "1", "name": "Dicebot", "isBot": True}


def _export(messages: list[dict[str, object]], **extra: object) -> str:
    return json.dumps(
        {"guild": {}, "channel": {}, "messages": messages, "messageCount": len(messages), **extra}, indent=2
    )


def test_a_discord_export_tells_speech_rolls_and_system_apart():
    messages = [
        {
            "id": "99999999999999999901",
            "type": "Default",
            "timestamp": "2026-05-01T19:00:00.5+00:00",
            "content": "I attack!",
            "author": _AUTHOR,
        },
        {
            "id": "2",
            "type": "Default",
            "timestamp": "2026-05-01T19:00:02+00:00",
            "content": "!r 1d20+5",
            "author": _AUTHOR,
        },
        {
            "id": "3",
            "type": "Reply",
            "timestamp": "2026-05-01T19:00:03+00:00",
            "content": "",
            "author": _BOT,
            "embeds": [
                {
                    "title": "Anna attacks",
                    "description": "1d20 (13) + 5 = `18`",
                    "fields": [{"name": "Meta", "value": "hit"}],
                }
            ],
        },
        {
            "id": "4",
            "type": "GuildMemberJoin",
            "timestamp": "2026-05-01T19:00:04+00:00",
            "content": "Joined the server.",
            "author": _AUTHOR,
        },
        {
            "id": "5",
            "type": "Default",
            "timestamp": "yesterday",
            "content": "",
            "author": _AUTHOR,
            "attachments": [{"fileName": "map.png"}],
        },
    ]
    transcript = read(_export(messages))
    assert [unit.kind for unit in transcript.units] == [
        UnitKind.SPEECH,
        UnitKind.ROLL,
        UnitKind.ROLL,
        UnitKind.SYSTEM,
        UnitKind.SPEECH,
    ]
    assert transcript.units[2].text == "Anna attacks 1d20 (13) + 5 = `18` Meta: hit"
    assert [unit.start_ms for unit in transcript.units] == [0, 1500, 2500, 3500, None]
    assert transcript.units[0].speaker == "Anna"
    assert _codes(transcript) == [TranscriptFlagCode.TIME_UNREADABLE]


def test_an_export_that_states_more_messages_than_it_holds_is_refused():
    message = {"id": "1", "type": "Default", "timestamp": "2026-05-01T19:00:00Z", "content": "a", "author": _AUTHOR}
    with pytest.raises(IncompleteImportError, match="states 3 messages and holds 1"):
        read(_export([message], messageCount=3))


def test_a_truncated_export_is_an_error_with_its_line():
    message = {"id": "1", "type": "Default", "timestamp": "2026-05-01T19:00:00Z", "content": "a", "author": _AUTHOR}
    text = _export([message, message])
    with pytest.raises(TranscriptError) as caught:
        read(text[: len(text) // 2])
    assert caught.value.code == "transcript.truncated"
    assert caught.value.line


def test_crd3_turns_are_units_and_a_missing_number_is_refused():
    turns = [
        {"NAMES": ["MATT"], "UTTERANCES": ["Welcome", "back."], "NUMBER": 0},
        {"NAMES": ["LAURA", "SAM"], "UTTERANCES": ["[cheering]"], "NUMBER": 1},
        {"NAMES": ["MATT"], "UTTERANCES": ["Go."], "NUMBER": 2},
    ]
    transcript = read(json.dumps({"METADATA": {}, "TURNS": turns}))
    assert said(transcript) == [("MATT", "Welcome back."), ("LAURA & SAM", "[cheering]"), ("MATT", "Go.")]
    with pytest.raises(IncompleteImportError, match="first 1"):
        read(json.dumps({"TURNS": [turns[0], turns[2]]}))


def test_a_turn_in_two_chunks_of_an_alignment_is_one_unit():
    turns = [{"NAMES": ["A"], "UTTERANCES": [str(at)], "NUMBER": at} for at in range(3)]
    transcript = read(json.dumps([{"CHUNK": "x", "TURNS": turns[:2]}, {"CHUNK": "y", "TURNS": turns[1:]}]))
    assert [unit.text for unit in transcript.units] == ["0", "1", "2"]
    assert _codes(transcript) == [TranscriptFlagCode.TURN_REPEATED]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("{}", "transcript.unknown_format"),
        ('{"foo": [1]}', "transcript.unknown_format"),
        ("[]", "transcript.no_units"),
        ('{"segments": []}', "transcript.no_units"),
        ('{"segments": [{"start": 1, "end": 2, "text": "  "}]}', "transcript.no_units"),
        ('{"segments": {"a": 1}}', "transcript.bad_json"),
        ('{"segments": [1]}', "transcript.bad_json"),
        ('{"segments": [{"text": 7}]}', "transcript.bad_json"),
        ('{"messages": []}', "transcript.no_units"),
        ("[" * 100_000, "transcript.bad_json"),
        ('{"segments": [{"text": "a", "start": ' + "9" * 5000 + "}]}", "transcript.bad_json"),
        ('{"segments": [', "transcript.truncated"),
        ('{"segments": nope}', "transcript.bad_json"),
    ],
)
def test_json_of_no_use_is_refused_by_name(text: str, code: str):
    with pytest.raises(TranscriptError) as caught:
        read(text)
    assert caught.value.code == code
    assert isinstance(caught.value, UnknownFormatError) == (code == "transcript.unknown_format")


def test_a_broken_escape_does_not_reach_the_store():
    transcript = read('{"segments": [{"start": 0, "end": 1, "text": "a \\ud800 b", "speaker": "\\udc00"}]}')
    assert transcript.units[0].text == "a \N{REPLACEMENT CHARACTER} b"
    assert transcript.canonical_json()


def test_a_time_too_long_for_a_float_is_flagged_and_the_words_kept():
    transcript = read('{"segments": [{"text": "x", "start": ' + "9" * 400 + ', "end": 1}]}')
    assert (transcript.units[0].text, transcript.units[0].start_ms) == ("x", None)
    assert [flag.code for flag in transcript.flags] == [TranscriptFlagCode.TIME_UNREADABLE]


def test_a_segment_that_has_only_its_words_says_them():
    words = [{"word": " Roll", "start": 0, "end": 1}, {"word": " initiative", "start": 1, "end": 2}]
    assert said(read(json.dumps({"segments": [{"start": 0, "end": 2, "words": words}]}))) == [(None, "Roll initiative")]


def test_channels_that_talk_at_once_are_not_mixed_word_by_word():
    def channel(*words: tuple[str, float]) -> dict[str, object]:
        said = [{"word": word, "start": start, "end": start + 0.1} for word, start in words]
        return {"alternatives": [{"transcript": " ".join(word for word, _ in words), "words": said}]}

    channels = [channel(("hi", 0.1), ("all.", 0.5), ("bye", 2.0)), channel(("yo", 0.3), ("man", 0.6))]
    transcript = read(json.dumps({"results": {"channels": channels}}))
    assert said(transcript) == [("channel 0", "hi all."), ("channel 1", "yo man"), ("channel 0", "bye")]


def test_a_forwarded_message_and_a_sticker_are_not_lost():
    author = {"id": "1", "name": "Ann", "isBot": False}
    messages = [
        {"id": "2", "content": "", "author": author, "forwardedMessage": {"content": "the old map", "embeds": []}},
        {"id": "3", "content": "", "author": author, "stickers": [{"name": "Cat"}]},
    ]
    assert said(read(json.dumps({"messages": messages}))) == [("Ann", "the old map"), ("Ann", "[sticker: Cat]")]


@pytest.mark.parametrize("text", ["null", " true\n", '"hello"', "[1, 2, 3]"])
def test_json_without_objects_is_no_transcript(text: str):
    with pytest.raises(UnknownFormatError):
        read(text)
