"""Real files that nobody here wrote: their own counts."""

import json

import pytest

from osrforge_assets.transcripts.failures import UnknownFormatError
from tests.assets.transcripts.reading_files import read_path
from tests.corpus import ABSENT, CORPUS

TRANSCRIPTS = CORPUS / "transcripts"

pytestmark = pytest.mark.skipif(not TRANSCRIPTS.exists(), reason=ABSENT)


@pytest.mark.parametrize("name", ["C1E001.cleaned.json", "C2E031.cleaned.json"])
def test_an_episode_has_a_unit_for_every_turn(name: str):
    path = TRANSCRIPTS / "crd3" / name
    turns = json.loads(path.read_text(encoding="utf-8"))["TURNS"]
    units = read_path(path).units
    assert len(units) == len(turns)
    assert units[-1].text == " ".join(" ".join(turns[-1]["UTTERANCES"]).split())
    lines = path.read_text(encoding="utf-8").split("\n")
    assert all(lines[unit.line - 1].strip() == "{" for unit in units)


def test_an_alignment_has_the_units_of_its_episode_each_once():
    episode = read_path(TRANSCRIPTS / "crd3" / "C1E001.cleaned.json")
    alignment = read_path(TRANSCRIPTS / "crd3" / "C1E001.aligned_4_0.json")
    # The alignment corrects one speaker's name, so only the words are compared.
    assert [unit.text for unit in alignment.units] == [unit.text for unit in episode.units]


def test_a_play_by_post_log_has_a_unit_for_every_message():
    path = TRANSCRIPTS / "fireball" / "raw.jsonl"
    events = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    messages = [event for event in events if event["event_type"] == "message"]
    transcript = read_path(path)
    assert len(transcript.units) == len(messages) == 182
    assert {speaker.name for speaker in transcript.speakers} == {message["author_name"] for message in messages}


def test_training_triples_are_no_transcript():
    with pytest.raises(UnknownFormatError):
        read_path(TRANSCRIPTS / "fireball" / "filtered_triples.jsonl")
