"""Map readings and decisions: found again by what the pictures show, checked when replayed, answered by any model."""

import io
import json
import random
from pathlib import Path

import pytest
from PIL import Image, ImageDraw

from osrforge_resources.failures import MisuseError, PermanentProviderError, SchemaValidationError
from osrforge_resources.model_provider import (
    ImagePart,
    ModelRequest,
    ModelResponse,
    TextPart,
    ensure_schema,
    pixel_digest,
)
from osrforge_resources.tracing_models import ModelDecisionProvider, ModelReadingProvider, packed
from osrforge_resources.tracing_provider import (
    DecisionProvider,
    DecisionRequest,
    DecisionResponse,
    ReadingProvider,
    ReadingRequest,
    ReadingResponse,
    Subject,
)
from osrforge_resources.tracing_recordings import (
    RecordedDecisions,
    RecordedReadings,
    ReplayedDecisions,
    ReplayedReadings,
)
from osrforge_resources.usage import TokenUsage

SCHEMA: dict[str, object] = {"type": "object", "properties": {"rooms": {"type": "integer"}}, "required": ["rooms"]}
CHOICES = ("wall", "door", "open")


def _crop(size: int = 40, *, noise: bool = False) -> Image.Image:
    image = Image.new("RGB", (size, size), "white")
    ImageDraw.Draw(image).rectangle((5, 5, size // 2, size - 5), outline="black", width=3)
    if noise:
        image.putdata([(random.randrange(256),) * 3 for _ in range(size * size)])
    return image


def _png(image: Image.Image, *, level: int = 6, mode: str = "RGB") -> bytes:
    file = io.BytesIO()
    image.convert(mode).save(file, "PNG", compress_level=level)
    return file.getvalue()


def _reading(png: bytes) -> ReadingRequest:
    return ReadingRequest("reading.crypt.1", "rules", (TextPart("level 1"), ImagePart(png)), SCHEMA)


def _edge(png: bytes, choices: tuple[str, ...] = CHOICES) -> DecisionRequest:
    return DecisionRequest("edge.crypt.1", Subject.EDGE, "What is between the cells?", png, choices)


class _Model:
    def __init__(self, data: object) -> None:
        self.data = data
        self.asked: list[ModelRequest] = []

    def generate(self, request: ModelRequest) -> ModelResponse:
        self.asked.append(request)
        ensure_schema(self.data, request.schema, request.tag)
        return ModelResponse(self.data, TokenUsage(10, 2), "model-1")


def test_another_encoder_of_the_same_picture_finds_the_same_recording():
    crop = _crop()
    encodings = {_png(crop, level=0), _png(crop, level=9), _png(crop, mode="RGBA"), _png(crop, mode="L")}
    assert len(encodings) == 4
    assert len({_reading(png).key for png in encodings}) == 1
    assert len({_edge(png).key for png in encodings}) == 1


def test_another_picture_question_or_choice_is_another_request():
    crop, other = _png(_crop()), _png(_crop(41))
    assert _reading(crop).key != _reading(other).key
    keys = {
        _edge(crop).key,
        _edge(other).key,
        _edge(crop, ("wall", "door")).key,
        DecisionRequest("edge.crypt.1", Subject.CELL, "What is between the cells?", crop, CHOICES).key,
        DecisionRequest("edge.crypt.1", Subject.EDGE, "Is it a door?", crop, CHOICES).key,
        DecisionRequest("edge.crypt.2", Subject.EDGE, "What is between the cells?", crop, CHOICES).key,
    }
    assert len(keys) == 6


@pytest.mark.parametrize("choices", [(), ("wall",), ("wall", "wall"), ("wall", "")])
def test_a_decision_has_something_to_decide(choices: tuple[str, ...]):
    with pytest.raises(MisuseError) as refused:
        _edge(_png(_crop()), choices)
    assert refused.value.code == "decision.choices"


def test_a_tag_is_a_safe_file_name():
    with pytest.raises(MisuseError):
        DecisionRequest("../edge", Subject.EDGE, "?", b"", CHOICES)
    with pytest.raises(MisuseError):
        ReadingRequest("a/b", "", (), {})


def test_what_is_no_image_is_refused_before_it_is_paid_for():
    model = _Model({"choice": "wall", "confidence": 1})
    with pytest.raises(MisuseError):
        ModelDecisionProvider(model).decide(_edge(b"no image"))
    assert model.asked == []


def test_any_model_reads_a_map():
    model = _Model({"rooms": 6})
    provider = ModelReadingProvider(model)
    assert isinstance(provider, ReadingProvider)
    response = provider.read(_reading(_png(_crop())))
    assert (response.data, response.model_id, response.usage) == ({"rooms": 6}, "model-1", TokenUsage(10, 2))


def test_a_model_decides_among_the_choices_only():
    provider = ModelDecisionProvider(_Model({"choice": "door", "confidence": 0.75}))
    assert isinstance(provider, DecisionProvider)
    decision = provider.decide(_edge(_png(_crop())))
    assert (decision.choice, decision.confidence) == ("door", 0.75)
    with pytest.raises(SchemaValidationError):
        ModelDecisionProvider(_Model({"choice": "window", "confidence": 1})).decide(_edge(_png(_crop())))


def test_a_large_crop_is_sent_as_jpeg_and_keeps_the_key_of_its_pixels():
    png = _png(_crop(500, noise=True))
    request, model = _edge(png), _Model({"choice": "door", "confidence": 1})
    ModelDecisionProvider(model, jpeg_above=100_000).decide(request)
    sent = next(part for part in model.asked[0].parts if isinstance(part, ImagePart))
    assert sent.media_type == "image/jpeg"
    assert len(sent.png) < len(png)
    assert pixel_digest(sent.png) != pixel_digest(png)
    assert request.key == _edge(png).key


def test_a_small_crop_and_line_art_stay_png():
    small, drawn = _png(_crop(60, noise=True)), _png(_crop(600), level=9)
    assert packed(small) == small
    assert packed(drawn, jpeg_above=10) == drawn
    assert ImagePart(drawn).media_type == "image/png"


def test_a_crop_without_paper_is_sent_on_white():
    clear = Image.new("RGBA", (300, 300), (0, 0, 0, 0))
    clear.putdata([(0, 0, 0, random.randrange(2)) for _ in range(300 * 300)])
    with Image.open(io.BytesIO(packed(_png(clear, mode="RGBA", level=0), jpeg_above=10))) as sent:
        assert sent.format == "JPEG"
        assert sent.convert("L").getextrema()[0] > 200


class _Reader:
    def __init__(self) -> None:
        self.calls = 0

    def read(self, request: ReadingRequest) -> ReadingResponse:
        self.calls += 1
        return ReadingResponse({"rooms": self.calls}, TokenUsage(9, 1), f"reader of {request.tag}")

    def decide(self, request: DecisionRequest) -> DecisionResponse:
        self.calls += 1
        return DecisionResponse(request.choices[-self.calls], 0.5, TokenUsage(9, 1), "decider")


def test_readings_are_recorded_once_and_replayed_for_any_encoding(tmp_path: Path):
    reader, crop = _Reader(), _crop()
    recorded = RecordedReadings(reader, tmp_path)
    first = recorded.read(_reading(_png(crop, level=1)))
    assert recorded.read(_reading(_png(crop, level=9))).data == first.data
    assert reader.calls == 1
    assert ReplayedReadings(tmp_path).read(_reading(_png(crop, mode="RGBA"))).data == first.data
    (path,) = tmp_path.iterdir()
    document = json.loads(path.read_text(encoding="utf-8"))
    assert path.name == f"reading.crypt.1.{document['key'][:12]}.json"
    assert document["request"]["parts"][1].keys() == {"pixels"}


def test_decisions_are_recorded_once_and_replayed_for_any_encoding(tmp_path: Path):
    decider, crop = _Reader(), _crop()
    recorded = RecordedDecisions(decider, tmp_path)
    first = recorded.decide(_edge(_png(crop, level=1)))
    assert recorded.decide(_edge(_png(crop, level=9))).choice == first.choice == "open"
    assert decider.calls == 1
    replayed = ReplayedDecisions(tmp_path).decide(_edge(_png(crop, mode="L")))
    assert (replayed.choice, replayed.confidence, replayed.usage) == ("open", 0.5, TokenUsage(9, 1))


def test_a_miss_names_what_is_recorded(tmp_path: Path):
    RecordedDecisions(_Reader(), tmp_path).decide(_edge(_png(_crop())))
    with pytest.raises(PermanentProviderError, match=r"edge\.crypt\.1 is recorded"):
        ReplayedDecisions(tmp_path).decide(_edge(_png(_crop(99))))
    with pytest.raises(PermanentProviderError, match=r"recorded tags: edge\.crypt\.1"):
        ReplayedReadings(tmp_path).read(_reading(_png(_crop())))


@pytest.mark.parametrize(
    "change",
    [{"choice": "window"}, {"choice": 3}, {"confidence": 2}, {"confidence": "sure"}, {"usage": []}, {"model_id": 1}],
)
def test_a_recorded_decision_is_checked_again(tmp_path: Path, change: dict[str, object]):
    request = _edge(_png(_crop()))
    RecordedDecisions(_Reader(), tmp_path).decide(request)
    (path,) = tmp_path.iterdir()
    document = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**document, "response": {**document["response"], **change}}), encoding="utf-8")
    with pytest.raises((SchemaValidationError, PermanentProviderError)):
        ReplayedDecisions(tmp_path).decide(request)


def test_a_recorded_reading_is_checked_against_its_schema_again(tmp_path: Path):
    request = _reading(_png(_crop()))
    RecordedReadings(_Reader(), tmp_path).read(request)
    stricter = ReadingRequest(request.tag, request.system, request.parts, {**SCHEMA, "maxProperties": 0})
    with pytest.raises(PermanentProviderError):
        ReplayedReadings(tmp_path).read(stricter)
    (path,) = tmp_path.iterdir()
    path.write_text(path.read_text(encoding="utf-8").replace('"rooms": 1', '"rooms": "one"'), encoding="utf-8")
    with pytest.raises(SchemaValidationError):
        ReplayedReadings(tmp_path).read(request)
