"""What calls cost by the offline table, and the most they may cost."""

import io
import json

import pytest
from PIL import Image

from osrforge_resources.chat_model import Turn
from osrforge_resources.model_provider import ImagePart, ModelRequest, TextPart
from osrforge_resources.prices import PriceTable, input_tokens, is_this_machine, priced_models
from osrforge_resources.usage import TokenUsage
from tests.corpus import ABSENT, CORPUS

RECORDED = CORPUS / "recorded" / "minimod"


def _png(width: int, height: int) -> bytes:
    file = io.BytesIO()
    Image.new("L", (width, height)).save(file, "PNG")
    return file.getvalue()


PAGE = _png(1275, 1651)
REQUEST = ModelRequest("survey", "rules " * 200, (TextPart("text " * 400), ImagePart(PAGE)), {"type": "object"})
MILLION = 1_000_000


def test_each_kind_of_token_has_its_price():
    prices = PriceTable()

    def cost(**usage: int) -> float | None:
        return prices.cost_usd("anthropic", "claude-opus-4-5", TokenUsage(**usage))

    assert cost(input_tokens=MILLION) == 5.0
    assert cost(output_tokens=MILLION) == 25.0
    assert cost(cached_input_tokens=MILLION) == 0.5
    assert cost(cache_write_tokens=MILLION) == 6.25
    assert cost(input_tokens=1000, cached_input_tokens=400, output_tokens=100) == pytest.approx(0.0077)


def test_thinking_is_part_of_the_output_and_is_not_paid_twice():
    usage = TokenUsage(output_tokens=1000, thinking_tokens=900)
    plain = TokenUsage(output_tokens=1000)
    prices = PriceTable()
    assert prices.cost_usd("anthropic", "claude-opus-4-5", usage) == prices.cost_usd(
        "anthropic", "claude-opus-4-5", plain
    )


def test_a_batch_costs_half():
    usage = TokenUsage(input_tokens=MILLION)
    assert PriceTable().cost_usd("anthropic", "claude-opus-4-5", usage, batched=True) == 2.5
    assert PriceTable(input_usd=3).cost_usd("anthropic", "claude-opus-4-5", usage, batched=True) == 1.5


def test_the_dated_name_that_a_service_answers_with_has_the_model_s_price():
    usage = TokenUsage(input_tokens=MILLION)
    prices = PriceTable()
    assert prices.cost_usd("openai", "gpt-5.4-2026-03-05", usage) == prices.cost_usd("openai", "gpt-5.4", usage)


def test_an_unknown_model_has_no_price_unless_the_settings_name_one():
    usage = TokenUsage(input_tokens=MILLION, cached_input_tokens=MILLION, output_tokens=MILLION)
    assert PriceTable().cost_usd("anthropic", "nobody-sells-this", usage) is None
    assert PriceTable().cost_usd("nobody", "claude-opus-4-5", usage) is None
    assert PriceTable(input_usd=1, output_usd=2).cost_usd("anthropic", "nobody-sells-this", usage) == 4.0
    assert PriceTable().ceiling_usd("anthropic", "nobody-sells-this", REQUEST, (), 1000) is None


def test_a_server_on_this_machine_is_free_unless_a_price_is_named():
    usage = TokenUsage(input_tokens=MILLION, output_tokens=MILLION)
    local = "http://127.0.0.1:8080/v1"
    assert PriceTable(base_url=local).cost_usd("openai-compatible", "gemma", usage) == 0.0
    assert PriceTable(base_url=local, output_usd=2.0).cost_usd("openai-compatible", "gemma", usage) == 2.0


def test_a_hosted_service_is_known_by_its_address():
    usage = TokenUsage(input_tokens=MILLION)
    assert PriceTable(base_url="https://openrouter.ai/api/v1").cost_usd(
        "openai-compatible", "anthropic/claude-opus-4.5", usage
    )
    assert PriceTable(base_url="https://models.example/v1").cost_usd("openai-compatible", "gpt-5.4", usage) is None


@pytest.mark.parametrize(
    ("url", "here"),
    [
        ("http://localhost:1234/v1", True),
        ("http://127.0.0.9", True),
        ("http://[::1]:80/", True),
        ("https://api.example", False),
        ("http://localhost.example", False),
        ("http://10.0.0.1", False),
        ("", False),
        ("not an address", False),
    ],
)
def test_this_machine_is_known_by_its_loopback_address(url: str, here: bool):
    assert is_this_machine(url) is here


def test_a_call_never_costs_more_than_its_ceiling():
    prices, limit = PriceTable(), 3000
    for model in priced_models("anthropic"):
        tokens = input_tokens(REQUEST, provider="anthropic", model=model)
        ceiling = prices.ceiling_usd("anthropic", model, REQUEST, (), limit)
        paid = prices.cost_usd("anthropic", model, TokenUsage(cache_write_tokens=tokens, output_tokens=limit))
        assert ceiling is not None
        assert paid is not None
        assert ceiling >= paid


def test_turns_are_sent_and_so_they_count():
    turns = (Turn("assistant", "x" * 4200), Turn("user", "y" * 4200))
    assert input_tokens(REQUEST, turns) == pytest.approx(input_tokens(REQUEST) + 2000, abs=2)


def test_older_anthropic_models_scale_images_down():
    request = ModelRequest("survey", "", (ImagePart(PAGE),), {})
    assert input_tokens(request, provider="anthropic", model="claude-opus-4-5") < 1610
    assert input_tokens(request, provider="anthropic", model="claude-3-5-haiku-latest") < 1610
    assert input_tokens(request, provider="anthropic", model="claude-opus-4-7") == pytest.approx(2807, abs=5)
    assert input_tokens(request, provider="anthropic", model="claude-opus-5") == pytest.approx(2807, abs=5)


def test_an_image_that_is_no_png_counts_as_the_largest():
    assert input_tokens(ModelRequest("a", "", (ImagePart(b"GIF89a"),), {}), provider="anthropic") > 4000


@pytest.mark.skipif(not RECORDED.is_dir(), reason=ABSENT)
@pytest.mark.parametrize("path", sorted(RECORDED.glob("*.json")), ids=lambda path: path.name)
def test_the_estimate_is_within_two_percent_of_what_a_service_counted(path):
    recorded = json.loads(path.read_text(encoding="utf-8"))
    # Every page of this module is of one size, and images count by their size.
    parts = [TextPart(part["text"]) if "text" in part else ImagePart(PAGE) for part in recorded["request"]["parts"]]
    request = ModelRequest(recorded["tag"], recorded["request"]["system"], tuple(parts), recorded["request"]["schema"])
    counted = recorded["response"]["usage"]["input_tokens"]
    assert input_tokens(request, provider="openai", model="gpt-5.4") == pytest.approx(counted, rel=0.02)
