"""What a call costs, and the most it may cost, from a price table that needs no network.

The table is the one of `genai-prices`, which carries dated prices with their tiers; a price that the settings name goes
before it. What does not belong here: ceilings (`budget.py`) and counting (`call_meter.py`).
"""

import io
import ipaddress
import json
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from osrforge_resources.chat_model import Turn
from osrforge_resources.model_provider import ImagePart, ModelRequest, TextPart
from osrforge_resources.usage import TokenUsage
from osrforge_resources.wire_format import png_size

if TYPE_CHECKING:
    from genai_prices.types import ModelInfo

_MILLION = 1_000_000

# Message Batches: half of every rate, cache rates included (Anthropic's price list of October 2026; OpenAI's likewise).
_BATCH_RATE = 0.5

# Recorded replies over minimod.pdf (gpt-5.4, four requests, 1600 to 5400 characters of rules, pages and schema): 4.16 to
# 4.48 characters a token once the images are taken off by the rule below. 4.2 estimates all four totals within 2 %.
CHARACTERS_PER_TOKEN = 4.2
# For ceilings: bytes of UTF-8, so that languages that take more tokens a letter are covered, at half the measured length.
_FEWEST_BYTES_PER_TOKEN = 2.0

# Anthropic (vision guide): width x height / 750 after scaling to the model's limits. From 4.7 on a long edge of 2576 px
# and 4784 tokens, before that 1568 px and about 1600 tokens.
_PIXELS_PER_TOKEN = 750
_ANTHROPIC_LIMITS = (2576, 4784)
_OLDER_ANTHROPIC_LIMITS = (1568, 1600)
_OLDER_ANTHROPIC = re.compile(r"claude-(v|[123]\b|[123]-|[a-z]+-4-([0-6]\b|20))")

# OpenAI: within 2048 px, shorter edge 768 px, then patches of 32 px at 1.2 tokens, 1536 at most. It is what the recorded
# requests were counted by: 922 tokens for a page of 1275 x 1651.
_OPENAI_LONG_EDGE, _OPENAI_SHORT_EDGE, _OPENAI_PATCH = 2048, 768, 32
_OPENAI_PATCHES, _OPENAI_TOKENS_PER_PATCH = 1536, 1.2

# What cannot be read counts as the largest render.
_LARGEST_IMAGE = (2000, 2000)


@dataclass(frozen=True, slots=True)
class PriceTable:
    """Prices of models.

    Attributes:
        input_usd: Dollars for a million input tokens, in place of the table; None for the table's.
        output_usd: Dollars for a million output tokens, in place of the table.
        base_url: Where the service is reached, "" for the vendor's own address. It tells which hosted service an
            OpenAI-compatible one is; one on this machine costs nothing unless a price is named.
    """

    input_usd: float | None = None
    output_usd: float | None = None
    base_url: str = ""

    def cost_usd(self, provider: str, model: str, usage: TokenUsage, *, batched: bool = False) -> float | None:
        """Return what a call cost in US dollars, None if the model has no known price.

        Args:
            provider: The vendor's name (`anthropic`, `openai`, `openai-compatible`).
            model: The model's name, as configured or as the service names it.
            usage: Tokens as the service counted them.
            batched: Whether it went through a batch service, at half price.
        """
        rate = _BATCH_RATE if batched else 1.0
        if self._is_named:
            read = usage.input_tokens + usage.cached_input_tokens + usage.cache_write_tokens
            return rate * (read * (self.input_usd or 0.0) + usage.output_tokens * (self.output_usd or 0.0)) / _MILLION
        if is_this_machine(self.base_url):
            return 0.0
        cost = _table_cost(provider, model, self.base_url, usage)
        return rate * cost if cost is not None else None

    def ceiling_usd(
        self, provider: str, model: str, request: ModelRequest, turns: Sequence[Turn] = (), max_tokens: int = 0
    ) -> float | None:
        """Return the most that a call may cost in US dollars, None if the model has no known price.

        All input counts as written to the prompt cache, which is the dearest way to send it.

        Args:
            provider: The vendor's name.
            model: The model's name.
            request: What is sent.
            turns: The turns after it.
            max_tokens: The output limit.
        """
        most = request_size(request, turns).most_tokens()
        plain = self.cost_usd(provider, model, TokenUsage(input_tokens=most, output_tokens=max_tokens))
        written = self.cost_usd(provider, model, TokenUsage(cache_write_tokens=most, output_tokens=max_tokens))
        return None if plain is None or written is None else max(plain, written)

    def knows(self, provider: str, model: str) -> bool:
        """Whether a model has a price."""
        return self.cost_usd(provider, model, TokenUsage(1, 1)) is not None

    @property
    def _is_named(self) -> bool:
        return self.input_usd is not None or self.output_usd is not None


@dataclass(frozen=True, slots=True)
class RequestSize:
    """What of a request decides its tokens.

    Attributes:
        characters: Of all its text: rules, text parts, schema, turns.
        text_bytes: The same in UTF-8.
        images: Width and height of every image in pixels.
    """

    characters: int
    text_bytes: int
    images: tuple[tuple[int, int], ...]

    def tokens(self, provider: str, model: str) -> int:
        """Return about how many input tokens a vendor counts; within 2 % on the recorded requests.

        Args:
            provider: The vendor's name: `anthropic` counts images in its own way, all others as OpenAI does.
            model: The model's name; older Anthropic models scale images down.
        """
        if provider == "anthropic" or model.startswith("claude"):
            limits = _OLDER_ANTHROPIC_LIMITS if _OLDER_ANTHROPIC.match(model) else _ANTHROPIC_LIMITS
            images = sum(_anthropic_image(size, limits) for size in self.images)
        else:
            images = sum(map(_openai_image, self.images))
        return images + math.ceil(self.characters / CHARACTERS_PER_TOKEN)

    def most_tokens(self) -> int:
        """Return a number of input tokens that no vendor counts more than."""
        images = sum(max(_openai_image(size), _anthropic_image(size, _ANTHROPIC_LIMITS)) for size in self.images)
        return images + math.ceil(self.text_bytes / _FEWEST_BYTES_PER_TOKEN)


def request_size(request: ModelRequest, turns: Sequence[Turn] = ()) -> RequestSize:
    """Return the size of a request with the turns after it."""
    texts = list(_texts(request, turns))
    return RequestSize(
        characters=sum(map(len, texts)),
        text_bytes=sum(len(text.encode("utf-8", "surrogatepass")) for text in texts),
        images=tuple(_image_sizes(request)),
    )


def input_tokens(request: ModelRequest, turns: Sequence[Turn] = (), *, provider: str = "", model: str = "") -> int:
    """Return about how many input tokens a request has; see `RequestSize.tokens`."""
    return request_size(request, turns).tokens(provider, model)


def is_this_machine(base_url: str) -> bool:
    """Whether an address is of this machine."""
    host = urlsplit(base_url).hostname or ""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def priced_models(provider: str) -> list[str]:
    """Return the table's models of a vendor that have a price for input and output and are not called deprecated."""
    known = _vendor(provider)
    return sorted(
        model.id for model in known or () if not model.deprecated and _has_text_price(model) and model.context_window
    )


def context_window(provider: str, model: str) -> int:
    """Return how many input tokens a model takes, 0 where the table does not say."""
    return next((known.context_window or 0 for known in _vendor(provider) or () if known.id == model), 0)


def _has_text_price(model: "ModelInfo") -> bool:
    price = model.get_prices(datetime.now(UTC))
    return price.input_mtok is not None and price.output_mtok is not None


@cache
def _vendor(provider: str) -> "tuple[ModelInfo, ...] | None":
    from genai_prices.data_snapshot import get_snapshot  # dated prices of a thousand models, offline; pydantic's own

    known = {vendor.id: tuple(vendor.models) for vendor in get_snapshot().providers}
    return known.get(provider)


def _table_cost(provider: str, model: str, base_url: str, usage: TokenUsage) -> float | None:
    from genai_prices import Usage, calc_price

    # The table counts cached tokens as part of the input, we beside it.
    tokens = Usage(
        input_tokens=usage.input_tokens + usage.cached_input_tokens + usage.cache_write_tokens,
        cache_read_tokens=usage.cached_input_tokens,
        cache_write_tokens=usage.cache_write_tokens,
        output_tokens=usage.output_tokens,
    )
    try:
        if base_url:
            price = calc_price(tokens, model, provider_api_url=base_url)
        elif provider == "openai-compatible":
            price = calc_price(tokens, model, provider_id="openai")
        else:
            price = calc_price(tokens, model, provider_id=provider)
    except (LookupError, ValueError):
        return None
    if price.model_price.input_mtok is None or price.model_price.output_mtok is None:
        # A model that is billed by the hour or the image has an entry, and its tokens are not free for that.
        return None
    return float(price.total_price)


def _texts(request: ModelRequest, turns: Sequence[Turn]) -> Iterator[str]:
    yield request.system
    yield from (part.text for part in request.parts if isinstance(part, TextPart))
    # Both vendors compile the schema into the prompt and count it.
    yield json.dumps(request.schema, separators=(",", ":"), ensure_ascii=False)
    yield from (turn.text for turn in turns)


def _image_sizes(request: ModelRequest) -> Iterator[tuple[int, int]]:
    for part in request.parts:
        if isinstance(part, ImagePart):
            size = png_size(part.png)
            yield size if all(size) else _other_size(part.png)


def _other_size(data: bytes) -> tuple[int, int]:
    from PIL import Image  # reads the size of pictures that are no PNG

    try:
        with Image.open(io.BytesIO(data)) as image:  # reads the head only
            return image.size
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError):
        return _LARGEST_IMAGE


def _anthropic_image(size: tuple[int, int], limits: tuple[int, int]) -> int:
    width, height = size
    longest, most = limits
    scale = min(1.0, longest / max(width, height, 1))
    return min(most, math.ceil(width * height * scale * scale / _PIXELS_PER_TOKEN))


def _openai_image(size: tuple[int, int]) -> int:
    width, height = (max(1, edge) for edge in size)
    scale = min(1.0, _OPENAI_LONG_EDGE / max(width, height))
    scale *= min(1.0, _OPENAI_SHORT_EDGE / (min(width, height) * scale))
    patches = math.ceil(width * scale / _OPENAI_PATCH) * math.ceil(height * scale / _OPENAI_PATCH)
    return math.ceil(min(patches, _OPENAI_PATCHES) * _OPENAI_TOKENS_PER_PATCH)
