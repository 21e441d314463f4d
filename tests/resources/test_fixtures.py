"""Recorded answers stand in for a model: found by what was asked, checked again, never half written."""

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osrforge_resources.failures import MisuseError, PermanentProviderError, SchemaValidationError, StoreError
from osrforge_resources.fixtures import FixtureProvider, RecordingProvider
from osrforge_resources.model_provider import ImagePart, ModelRequest, ModelResponse, TextPart
from osrforge_resources.recordings import Identity, Recordings
from osrforge_resources.usage import Spending, TokenUsage
from tests.corpus import ABSENT, CORPUS

RECORDED = CORPUS / "recorded" / "minimod"
SCHEMA: dict[str, object] = {
    "type": "object",
    "properties": {"name": {"type": "string"}},
    "required": ["name"],
    "additionalProperties": False,
}
REQUEST = ModelRequest("survey.w01", "rules", (TextPart("A „page“"), ImagePart(b"\x89PNG")), SCHEMA)
USAGE = TokenUsage(100, 20, cached_input_tokens=3)


class _Model:
    """Answers every request with another name, so an answer that was asked for twice shows."""

    answers_version = "model 7"

    def __init__(self) -> None:
        self.calls = 0

    def generate(self, request: ModelRequest) -> ModelResponse:
        self.calls += 1
        return ModelResponse({"name": f"Crypt {self.calls}"}, USAGE, f"model-{request.tag}", Spending(1, usage=USAGE))


def _recorded(folder: Path, request: ModelRequest = REQUEST) -> Path:
    RecordingProvider(_Model(), folder).generate(request)
    return folder / f"{request.tag}.{request.fingerprint()[:12]}.json"


def test_a_recorded_answer_is_replayed_without_a_call(tmp_path: Path):
    _recorded(tmp_path)
    response = FixtureProvider(tmp_path).generate(REQUEST)
    assert response.data == {"name": "Crypt 1"}
    assert response.usage == USAGE
    assert response.model_id == "model-survey.w01"
    assert response.spending == Spending()


def test_a_recording_shows_the_request_to_a_reader(tmp_path: Path):
    text = _recorded(tmp_path).read_text(encoding="utf-8")
    assert "A „page“" in text
    document = json.loads(text)
    assert list(document) == ["schema_version", "fingerprint", "tag", "request", "response"]
    assert list(document["request"]) == ["system", "parts", "schema"]
    assert document["request"]["parts"][1].keys() == {"sha256", "bytes"}
    assert document["response"]["usage"] == {"input_tokens": 100, "output_tokens": 20, "cached_input_tokens": 3}


def test_recording_twice_asks_once_and_leaves_the_file_as_it_was(tmp_path: Path):
    path = _recorded(tmp_path)
    before = path.read_bytes()
    model = _Model()
    again = RecordingProvider(model, tmp_path)
    assert again.generate(REQUEST).data == {"name": "Crypt 1"}
    assert (model.calls, path.read_bytes()) == (0, before)
    assert [file.name for file in tmp_path.iterdir()] == [path.name]
    assert again.answers_version == "model 7"


def test_a_miss_names_the_tags_that_are_recorded(tmp_path: Path):
    _recorded(tmp_path)
    _recorded(tmp_path, replace(REQUEST, tag="content.crypt.1.b01"))
    provider = FixtureProvider(tmp_path)
    with pytest.raises(PermanentProviderError, match=r"recorded tags: content\.crypt\.1\.b01, survey\.w01") as miss:
        provider.generate(replace(REQUEST, tag="census"))
    assert miss.value.code == "recording.missing"
    assert miss.value.spending == Spending()
    with pytest.raises(PermanentProviderError, match="but for another request"):
        provider.generate(replace(REQUEST, system="other rules"))


def test_a_recording_that_its_schema_no_longer_admits_is_no_answer(tmp_path: Path):
    path = _recorded(tmp_path)
    document = json.loads(path.read_text(encoding="utf-8"))
    document["response"]["data"] = {"name": 3}
    path.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(SchemaValidationError, match=r"survey\.w01"):
        FixtureProvider(tmp_path).generate(REQUEST)


@pytest.mark.parametrize(
    "change",
    [
        {"fingerprint": "0" * 64},
        {"tag": "census"},
        {"schema_version": 2},
        {"response": None},
        {"response": {"data": {"name": "x"}, "model_id": "m", "usage": {"input_tokens": "many"}}},
        {"response": {"data": {"name": "x"}, "model_id": "m", "usage": {"tokens": 3}}},
        {"response": {"data": {"name": "x"}, "usage": {}}},
        {"response": {"model_id": "m", "usage": {}}},
    ],
)
def test_a_file_that_is_no_recording_of_the_request_is_refused(tmp_path: Path, change: dict[str, object]):
    path = _recorded(tmp_path)
    path.write_text(json.dumps({**json.loads(path.read_text(encoding="utf-8")), **change}), encoding="utf-8")
    with pytest.raises(PermanentProviderError) as refused:
        FixtureProvider(tmp_path).generate(REQUEST)
    assert refused.value.code == "recording.damaged"


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"\xff\xfe", b"[" * 100_000])
def test_a_damaged_file_is_refused_and_not_recorded_over(tmp_path: Path, data: bytes):
    path = _recorded(tmp_path)
    path.write_bytes(data)
    model = _Model()
    with pytest.raises(PermanentProviderError, match="cannot be used"):
        RecordingProvider(model, tmp_path).generate(REQUEST)
    assert (model.calls, path.read_bytes()) == (0, data)


def test_a_folder_that_is_not_there_is_misuse(tmp_path: Path):
    for folder in (None, tmp_path / "nowhere"):
        with pytest.raises(MisuseError) as refused:
            FixtureProvider(folder)
        assert refused.value.code == "recording.folder"


def test_a_folder_that_refuses_a_recording_says_so(tmp_path: Path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(StoreError):
        RecordingProvider(_Model(), tmp_path / "file").generate(REQUEST)


def test_another_recording_is_another_version_of_the_answers(tmp_path: Path):
    path = _recorded(tmp_path)
    before = FixtureProvider(tmp_path).answers_version
    assert FixtureProvider(tmp_path).answers_version == before
    path.write_bytes(path.read_bytes().replace(b"Crypt 1", b"Crypt 2"))
    assert FixtureProvider(tmp_path).answers_version != before


@given(name=st.text(st.characters()))
def test_any_answer_is_replayed_as_it_was_recorded(name: str, tmp_path_factory: pytest.TempPathFactory):
    recordings = Recordings(tmp_path_factory.mktemp("recordings"))
    identity = Identity("a.b", hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest(), "key")
    recordings.put(identity, {"text": name}, {"data": name})
    assert recordings.get(identity) == {"data": name}
    assert recordings.tags() == {"a.b": 1}


def _shown_request(path: Path) -> tuple[ModelRequest, dict]:
    recorded = json.loads(path.read_text(encoding="utf-8"))
    images = {hashlib.sha256(png).hexdigest(): png for png in map(Path.read_bytes, RECORDED.glob("pages/*.png"))}
    parts = [
        TextPart(part["text"]) if "text" in part else ImagePart(images[part["sha256"]])
        for part in recorded["request"]["parts"]
    ]
    shown = recorded["request"]
    return ModelRequest(recorded["tag"], shown["system"], tuple(parts), shown["schema"]), recorded


@pytest.mark.skipif(not RECORDED.is_dir(), reason=ABSENT)
@pytest.mark.parametrize("path", sorted(RECORDED.glob("*.json")), ids=lambda path: path.name)
def test_recordings_of_a_commercial_model_replay_and_record_to_the_same_bytes(path: Path, tmp_path: Path):
    request, recorded = _shown_request(path)
    replayed = FixtureProvider(RECORDED)
    assert replayed.generate(request).data == recorded["response"]["data"]
    RecordingProvider(replayed, tmp_path).generate(request)
    assert (tmp_path / path.name).read_bytes() == path.read_bytes()
