"""What goes over the wire: the enforceable part of a schema, text that encodes, sizes."""

import io
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from PIL import Image

from osrforge_assets.modules.levels.reply import batch_schema
from osrforge_assets.modules.survey.reply import census_schema, survey_schema
from osrforge_assets.transcripts.scenes.reply import scenes_schema
from osrforge_resources.model_provider import ImagePart, ModelRequest, TextPart
from osrforge_resources.wire_format import enforceable_schema, has_page_text, png_size, sendable, wire_bytes

REFUSED = {"minimum", "maximum", "pattern", "maxItems", "minLength", "maxLength", "multipleOf", "format", "$comment"}


def _keywords(schema: Any) -> set[str]:
    if isinstance(schema, dict):
        inner = schema.get("properties", {}).values()
        others = [value for name, value in schema.items() if name != "properties"]
        return {name for name in schema if name != "properties"} | set().union(
            *map(_keywords, [*inner, *others]), set()
        )
    return set().union(*map(_keywords, schema), set()) if isinstance(schema, list) else set()


def test_our_schemas_lose_exactly_what_a_service_refuses_and_stay_schemas():
    for schema in (batch_schema(["1", "2"]), survey_schema(), census_schema(), scenes_schema()):
        sent = enforceable_schema(schema)
        Draft202012Validator.check_schema(sent)
        assert not _keywords(sent) & REFUSED
        assert json.loads(json.dumps(sent)) == sent


def test_what_is_dropped_is_told_and_the_shape_stays():
    sent = enforceable_schema(
        {
            "type": "object",
            "properties": {
                "count": {"type": ["integer", "null"], "minimum": 1, "description": "how many"},
                "maximum": {"type": "string"},
                "rows": {"type": "array", "items": {"type": "string", "pattern": "x"}, "minItems": 3},
            },
            "required": ["count", "maximum", "rows"],
        }
    )
    assert sent == {
        "type": "object",
        "properties": {
            "count": {"type": ["integer", "null"], "description": "how many; minimum 1"},
            "maximum": {"type": "string"},
            "rows": {
                "type": "array",
                "items": {"type": "string", "description": "pattern x"},
                "description": "minItems 3",
            },
        },
        "required": ["count", "maximum", "rows"],
        "additionalProperties": False,
    }


def test_batches_of_a_level_send_one_schema_and_are_validated_against_their_own():
    one, two = batch_schema(["1", "2"]), batch_schema(["3"])
    assert one != two
    assert enforceable_schema(one) == enforceable_schema(two)


@given(st.text(st.characters(exclude_categories=[])))
def test_any_text_can_be_sent(text: str):
    assert len(sendable(text).encode("utf-8")) >= len(text)
    if all(not 0xD800 <= ord(char) <= 0xDFFF for char in text):
        assert sendable(text) == text


def _png(width: int, height: int) -> bytes:
    file = io.BytesIO()
    Image.new("1", (width, height)).save(file, "PNG")
    return file.getvalue()


def test_a_png_says_how_large_it_is():
    assert png_size(_png(17, 2100)) == (17, 2100)
    assert png_size(b"not a png") == png_size(b"") == (0, 0)


def test_a_request_knows_its_bytes_on_the_wire():
    request = ModelRequest("survey", "rules", (TextPart("æ"), ImagePart(b"1234")), {})
    assert wire_bytes(request) == 5 + 2 + 8


def test_a_page_marker_alone_is_no_text():
    assert not has_page_text(ModelRequest("survey", "", (TextPart("[page 1]\n  "), ImagePart(b"")), {}))
    assert has_page_text(ModelRequest("survey", "", (TextPart("[page 1]\nText"),), {}))
