"""The configured provider: settings in, a `ModelProvider` out. No key is looked up and no SDK imported before a call."""

import os
from collections.abc import Callable

from pydantic import SecretStr

from osrforge_resources.anthropic import AnthropicModel
from osrforge_resources.anthropic_batches import AnthropicBatches
from osrforge_resources.failures import MisuseError, PermanentProviderError
from osrforge_resources.fixtures import FixtureProvider, RecordingProvider
from osrforge_resources.in_flight import process_limiter
from osrforge_resources.message_batches import MessageBatches, poll_wait
from osrforge_resources.model_provider import ModelProvider
from osrforge_resources.offline.provider import OfflineProvider
from osrforge_resources.openai_compatible import OpenAICompatibleModel
from osrforge_resources.prices import PriceTable
from osrforge_resources.provider_settings import ProviderSettings
from osrforge_resources.response_cache import ResponseCache
from osrforge_resources.store import Store
from osrforge_resources.structured_provider import StructuredProvider
from osrforge_resources.text_provider import TextProvider
from osrforge_resources.usage import Spending

# The newest of the vendor's middle size that the price table knows (December 2026).
DEFAULT_ANTHROPIC_MODEL = "claude-sonnet-5-5"

_KEY_VARIABLES = {"anthropic": "ANTHROPIC_API_KEY", "openai-compatible": "OPENAI_API_KEY"}
# Servers of one's own ask for no key, but the SDKs want one.
_NO_KEY = "none"


def make_provider(settings: ProviderSettings, store: Store) -> ModelProvider:
    """Return the configured provider.

    Args:
        settings: Who answers, and how.
        store: Where replies are kept.

    Raises:
        MisuseError: The settings do not go together (code `provider.settings`).
    """
    if settings.provider == "offline":
        return OfflineProvider()
    if settings.provider == "fixtures":
        return FixtureProvider(settings.recordings)
    provider = StructuredProvider(
        make_model(settings),
        cache=ResponseCache(store),
        limiter=process_limiter(settings.requests_in_flight, settings.tokens_in_flight),
        prices=_prices(settings),
    )
    return provider if settings.recordings is None else RecordingProvider(provider, settings.recordings)


def make_text_provider(settings: ProviderSettings) -> TextProvider:
    """Return the configured service as a writer of free text.

    Raises:
        MisuseError: The provider writes no text, or no model is named.
    """
    limiter = process_limiter(settings.requests_in_flight, settings.tokens_in_flight)
    return TextProvider(make_model(settings), limiter=limiter, prices=_prices(settings))


def _prices(settings: ProviderSettings) -> PriceTable:
    return PriceTable(settings.price_input_usd, settings.price_output_usd, settings.base_url)


def make_model(settings: ProviderSettings) -> AnthropicModel | OpenAICompatibleModel:
    """Return the adapter of the configured service.

    Raises:
        MisuseError: The provider is no service, or has no default model and none is named.
    """
    key = key_lookup(settings.provider, settings.base_url, settings.api_key)
    if settings.provider == "anthropic":
        return AnthropicModel(
            settings.model or DEFAULT_ANTHROPIC_MODEL,
            key=key,
            base_url=settings.base_url,
            effort=settings.effort,
            max_tokens=settings.max_tokens,
            timeout=settings.timeout_seconds,
        )
    if settings.provider == "openai-compatible":
        if not settings.model:
            raise _unusable(
                "openai-compatible has no default model", "Set OSRFORGE_MODEL to a name that the server has."
            )
        return OpenAICompatibleModel(
            settings.model,
            key=key,
            base_url=settings.base_url,
            effort=settings.effort,
            max_tokens=settings.max_tokens,
            timeout=settings.timeout_seconds,
            vision=settings.vision,
        )
    raise _unusable(f"{settings.provider} is no service that writes text", "Set OSRFORGE_PROVIDER to one.")


def key_lookup(provider: str, base_url: str, api_key: SecretStr) -> Callable[[], str]:
    """Return what looks up a provider's key when it is needed.

    The vendor's own variable counts for the vendor's own address alone.
    """
    variable = _KEY_VARIABLES.get(provider, "")

    def look_up() -> str:
        key = api_key.get_secret_value().strip()
        if not key:
            key = _NO_KEY if base_url else os.environ.get(variable, "").strip()
        # A key travels in a header, which takes no line breaks and no letters beyond ASCII.
        if key and key.isascii() and key.isprintable():
            return key
        failure = PermanentProviderError(
            f"The API key for {provider} is not one." if key else f"There is no API key for {provider}.",
            code="provider.no_key",
            remedy=f"Set OSRFORGE_API_KEY or {variable}, then run the partition again.",
        )
        failure.spending = Spending()  # nothing was sent
        raise failure

    return look_up


def make_batches(
    provider: ModelProvider,
    store: Store,
    on_progress: Callable[[int, int], None],
    wait: Callable[[], None] | None = None,
) -> MessageBatches:
    """Return the message batches of a provider.

    Args:
        provider: Who answers.
        store: Where the ledger of batches is kept.
        on_progress: Told how many items of all waited for are done.
        wait: Called between two looks at a batch; None sleeps.

    Raises:
        PermanentProviderError: It has none (code `provider.no_batches`).
    """
    if not isinstance(provider, StructuredProvider) or not isinstance(provider.model, AnthropicModel):
        failure = PermanentProviderError(
            "The provider of this run answers no message batches.",
            code="provider.no_batches",
            remedy="Choose the provider anthropic, without recording, or run without `batch`.",
        )
        failure.spending = Spending()
        raise failure
    service = AnthropicBatches(provider.model)
    return MessageBatches(provider, service, store, wait=wait or poll_wait, on_progress=on_progress)


def _unusable(what: str, remedy: str) -> MisuseError:
    return MisuseError(f"{what[0].upper()}{what[1:]}.", code="provider.settings", remedy=remedy)
