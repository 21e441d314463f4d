"""Who answers model requests, and how: the knobs of every provider, each with the reason for its default.

A setting that changes answers is part of `answers_version`, so turning it makes exactly what was answered stale.
"""

from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_validator

ProviderName = Literal["offline", "anthropic", "openai-compatible", "fixtures"]
Effort = Literal["", "low", "medium", "high", "xhigh", "max"]


class ProviderSettings(BaseModel):
    """The settings of model providers.

    Attributes:
        provider: Who answers model requests.
        model: The model's name as the service takes it; "" for the provider's default.
        base_url: Where the service is; "" for the vendor's own address.
        api_key: The key for that address. Without one, the vendor's own variable is looked up, and only for the vendor's
            own address: a key does not go to a server that it was not given for.
        effort: How much thinking an answer is worth; "" leaves it to the service.
        max_tokens: Output limit of one reply, thinking included.
        timeout_seconds: Seconds that a service may be silent during a call.
        vision: Whether the model reads images; an `openai-compatible` one may not.
        requests_in_flight: Requests at the same time in one process.
        tokens_in_flight: Input tokens of requests at the same time in one process.
        price_input_usd: Dollars for a million input tokens, in place of the price table's.
        price_output_usd: Dollars for a million output tokens, in place of the price table's.
        recordings: Folder of recorded answers: `fixtures` replays it, a service's answers are recorded in it.
    """

    model_config = ConfigDict(frozen=True)

    provider: ProviderName = "offline"
    model: str = ""
    base_url: str = ""
    api_key: SecretStr = Field(default=SecretStr(""), repr=False)
    effort: Effort = ""
    # A batch of 4 pages answers under 10,000 tokens; the rest is room for thinking. The service's SDK reckons with 128,000
    # tokens an hour, so 20,000 take at most 9.4 minutes and end within the timeout of ten.
    max_tokens: int = Field(default=20_000, ge=256, le=1_000_000)
    timeout_seconds: float = Field(default=600.0, gt=0, le=86_400)
    vision: bool = True
    requests_in_flight: int = Field(default=16, ge=1, le=64)
    # A survey window of 20 full renders has at most 20 × 4,784 tokens and its text, about 110,000: 16 of them would be
    # 1.8 million. Ordinary content requests (4 pages, about 25,000) never meet this limit.
    tokens_in_flight: int = Field(default=1_000_000, ge=1_000)
    price_input_usd: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    price_output_usd: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    recordings: Path | None = None

    @field_validator("base_url")
    @classmethod
    def _is_address(cls, url: str) -> str:
        if url and (urlsplit(url).scheme not in {"http", "https"} or not urlsplit(url).hostname):
            raise ValueError("it is not an address such as https://host/v1")
        return url
