"""The provider seam: who a request is, what an answer must satisfy, which pictures are alike."""

import hashlib
import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from osrforge_resources.failures import MisuseError, SchemaValidationError
from osrforge_resources.model_provider import (
    ImagePart,
    ModelProvider,
    ModelRequest,
    ModelResponse,
    TextPart,
    TokenUsage,
    ensure_schema,
    pixel_digest,
)
from tests.corpus import ABSENT, CORPUS

RECORDED = sorted((CORPUS / "recorded" / "minimod").glob("*.json"))
NUMBERS = {"type": "array", "items": {"type": "object", "properties": {"n": {"type": "integer"}}}}


def _request(tag: str = "survey", *, system: str = "Read.", parts=(), schema=None) -> ModelRequest:
    return ModelRequest(tag=tag, system=system, parts=parts, schema=schema or {"type": "object"})


def _recorded_request(recording: Path) -> tuple[ModelRequest, str]:
    recorded = json.loads(recording.read_text(encoding="utf-8"))
    renders = [path.read_bytes() for path in sorted((recording.parent / "pages").glob("*.png"))]
    by_digest = {hashlib.sha256(png).hexdigest(): png for png in renders}
    parts = tuple(
        TextPart(part["text"]) if "text" in part else ImagePart(by_digest[part["sha256"]])
        for part in recorded["request"]["parts"]
    )
    asked = recorded["request"]
    return ModelRequest(recorded["tag"], asked["system"], parts, asked["schema"]), recorded["fingerprint"]


@pytest.mark.skipif(not RECORDED, reason=ABSENT)
@pytest.mark.parametrize("recording", RECORDED, ids=lambda path: path.name)
def test_a_recorded_request_has_the_fingerprint_it_was_recorded_under(recording: Path):
    request, fingerprint = _recorded_request(recording)
    assert request.fingerprint() == fingerprint
    assert fingerprint.startswith(recording.stem.rpartition(".")[2])


@pytest.mark.skipif(not RECORDED, reason=ABSENT)
@pytest.mark.parametrize("recording", RECORDED, ids=lambda path: path.name)
def test_a_recorded_answer_satisfies_the_schema_of_its_request(recording: Path):
    recorded = json.loads(recording.read_text(encoding="utf-8"))
    ensure_schema(recorded["response"]["data"], recorded["request"]["schema"], recorded["tag"])


def test_a_fingerprint_is_the_sha256_of_the_requests_canonical_json():
    png = b"not really a picture"
    request = _request(parts=(TextPart("Älva"), ImagePart(png)), schema={"b": 1, "a": [True, None]})
    written = (
        '{"parts":[{"text":"Älva"},{"bytes":20,"sha256":"' + hashlib.sha256(png).hexdigest() + '"}],'
        '"schema":{"a":[true,null],"b":1},"system":"Read.","tag":"survey"}'
    )
    assert request.fingerprint() == hashlib.sha256(written.encode("utf-8")).hexdigest()


def test_every_field_and_the_order_of_parts_belong_to_a_requests_identity():
    one, two = TextPart("one"), TextPart("two")
    variants = [
        _request(parts=(one, two)),
        _request(parts=(two, one)),
        _request(parts=(TextPart("onetwo"),)),
        _request("census", parts=(one, two)),
        _request(system="Read!", parts=(one, two)),
        _request(parts=(one, two), schema={"type": "array"}),
        _request(parts=(one, ImagePart(b"two"))),
    ]
    assert len({request.fingerprint() for request in variants}) == len(variants)


def test_the_order_of_a_schemas_keys_does_not_change_a_fingerprint():
    assert _request(schema={"a": 1, "b": 2}).fingerprint() == _request(schema={"b": 2, "a": 1}).fingerprint()


def test_a_lone_surrogate_in_a_text_does_not_stop_a_fingerprint():
    assert _request(parts=(TextPart("\ud800"),)).fingerprint() != _request(parts=(TextPart("?"),)).fingerprint()


@pytest.mark.parametrize("tag", ["survey", "content.the-crypt.1.b01.retry", "probe.image-limits", "a" * 180, "1"])
def test_tags_within_the_grammar_pass(tag: str):
    assert _request(tag).tag == tag


@pytest.mark.parametrize(
    "tag", ["", "Survey", "a b", "a..b", ".a", "a.", "a--b", "a.-b", "a/b", "a" * 181, "survey\n", "é", "a_b"]
)
def test_tags_outside_the_grammar_are_refused(tag: str):
    with pytest.raises(ValueError, match="request tag") as refused:
        _request(tag)
    assert isinstance(refused.value, MisuseError)


def test_any_object_with_the_method_is_a_provider():
    class Echo:
        def generate(self, request: ModelRequest) -> ModelResponse:
            return ModelResponse(request.tag, TokenUsage(), "echo")

    assert isinstance(Echo(), ModelProvider)
    assert not isinstance(object(), ModelProvider)


def test_token_usage_adds_field_by_field():
    first = TokenUsage(input_tokens=1, output_tokens=2, cached_input_tokens=3, cache_write_tokens=4, thinking_tokens=5)
    assert first + TokenUsage(10, 20, 30, 40, 50) == TokenUsage(11, 22, 33, 44, 55)


def test_data_that_satisfies_its_schema_passes():
    ensure_schema([{"n": 1}, {"n": 2.0}], NUMBERS, "survey")


def test_a_violation_is_named_by_context_and_position_and_the_others_are_counted():
    data = [{"n": index if index not in {2, 10} else "x"} for index in range(11)]
    with pytest.raises(SchemaValidationError) as refused:
        ensure_schema(data, NUMBERS, "content.crypt.1.b01")
    assert refused.value.message == "content.crypt.1.b01: $[2].n: 'x' is not of type 'integer' (1 more)."


def test_a_violation_that_quotes_a_whole_reply_stays_short():
    with pytest.raises(SchemaValidationError) as refused:
        ensure_schema("x" * 100_000, {"type": "array"}, "survey")
    assert len(refused.value.message) < 400


def test_data_nested_beyond_reading_is_refused_like_any_other():
    deep: list[object] = []
    for _ in range(5_000):
        deep = [deep]
    with pytest.raises(SchemaValidationError):
        ensure_schema(deep, {"type": "object"}, "survey")


def _png(image: Image.Image, **options: object) -> bytes:
    data = io.BytesIO()
    image.save(data, "PNG", **options)
    return data.getvalue()


def _picture(mode: str = "RGB") -> Image.Image:
    return Image.effect_noise((7, 5), 80).convert(mode)


def test_a_pixel_digest_is_of_size_and_rgba_rows():
    image = _picture("RGBA")
    assert pixel_digest(_png(image)) == hashlib.sha256(b"7x5:" + image.tobytes()).hexdigest()


def test_two_encodings_of_one_picture_have_one_digest():
    image = _picture()
    quick, small = _png(image, compress_level=0), _png(image, compress_level=9)
    assert quick != small
    assert pixel_digest(quick) == pixel_digest(small)


@pytest.mark.parametrize("mode", ["L", "1", "P"])
def test_a_pictures_colour_model_does_not_change_its_digest(mode: str):
    image = _picture(mode)
    assert pixel_digest(_png(image)) == pixel_digest(_png(image.convert("RGBA")))


def test_a_picture_without_alpha_and_the_same_one_fully_opaque_have_one_digest():
    opaque = _picture()
    opaque.putalpha(255)
    assert pixel_digest(_png(opaque)) == pixel_digest(_png(opaque.convert("RGB")))


def test_a_change_of_alpha_of_one_pixel_or_of_shape_changes_a_digest():
    image = _picture("RGBA")
    clearer, brighter = image.copy(), image.copy()
    clearer.putalpha(254)
    brighter.putpixel((0, 0), (1, 2, 3, 255))
    reshaped = Image.frombytes("RGBA", (5, 7), image.tobytes())
    assert len({pixel_digest(_png(one)) for one in (image, clearer, brighter, reshaped)}) == 4


@given(st.data())
def test_damaged_pictures_have_a_digest_or_are_refused(data: st.DataObject):
    png = bytearray(_png(Image.new("RGB", (9, 9), (200, 30, 60))))
    for _ in range(data.draw(st.integers(1, 3))):
        png[data.draw(st.integers(0, len(png) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(png)))
    try:
        digest = pixel_digest(bytes(png[:cut]))
    except MisuseError:
        return
    assert len(digest) == 64


@pytest.mark.parametrize("data", [b"", b"%PDF-1.7", b"\x89PNG\r\n\x1a\n"])
def test_bytes_that_are_no_picture_are_a_value_error(data: bytes):
    with pytest.raises(ValueError, match="not an image"):
        pixel_digest(data)
