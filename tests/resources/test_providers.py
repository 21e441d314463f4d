"""From settings to a provider: no key and no SDK before the first call, and a key goes only where it belongs."""

import subprocess
import sys
from pathlib import Path

import pytest
from pydantic import SecretStr, ValidationError

from osrforge_resources.chat_model import ChatModel
from osrforge_resources.failures import MisuseError, PermanentProviderError
from osrforge_resources.fixtures import RecordingProvider
from osrforge_resources.model_provider import ModelRequest
from osrforge_resources.offline.provider import OfflineProvider
from osrforge_resources.provider_settings import ProviderSettings
from osrforge_resources.providers import key_lookup, make_model, make_provider
from osrforge_resources.store import Store
from osrforge_resources.structured_provider import StructuredProvider, answers_version
from osrforge_resources.usage import Spending

NO_KEY = SecretStr("")


@pytest.fixture(autouse=True)
def _vendor_keys(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-vendor")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-openai-vendor")


def _settings(provider: str, **others: object) -> ProviderSettings:
    return ProviderSettings.model_validate({"provider": provider, **others})


def test_each_name_is_a_provider(tmp_path: Path):
    store = Store(tmp_path)
    assert isinstance(make_provider(ProviderSettings(), store), OfflineProvider)
    for settings in (_settings("anthropic"), _settings("openai-compatible", model="m")):
        assert isinstance(make_provider(settings, store), StructuredProvider)
    recorded = make_provider(_settings("anthropic", recordings=tmp_path / "recordings"), store)
    assert isinstance(recorded, RecordingProvider)
    with pytest.raises(MisuseError):
        make_provider(_settings("fixtures"), store)


def test_a_server_of_ones_own_has_no_default_model(tmp_path: Path):
    with pytest.raises(MisuseError) as refused:
        make_provider(_settings("openai-compatible"), Store(tmp_path))
    assert refused.value.code == "provider.settings"
    assert "OSRFORGE_MODEL" in refused.value.remedy


def test_a_vendors_key_goes_to_the_vendor_and_our_own_to_the_named_address():
    ours = SecretStr("sk-ours")
    assert key_lookup("anthropic", "", NO_KEY)() == "sk-ant-vendor"
    assert key_lookup("openai-compatible", "", NO_KEY)() == "sk-openai-vendor"
    assert key_lookup("anthropic", "", ours)() == "sk-ours"
    assert key_lookup("openai-compatible", "http://elsewhere.example/v1", ours)() == "sk-ours"
    for provider in ("anthropic", "openai-compatible"):
        assert "vendor" not in key_lookup(provider, "http://elsewhere.example/v1", NO_KEY)()


def test_a_missing_key_is_told_at_the_first_call_with_the_variables_name(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    monkeypatch.setenv("OPENAI_API_KEY", " ")
    provider = make_provider(_settings("openai-compatible", model="m"), Store(tmp_path))
    with pytest.raises(PermanentProviderError) as refused:
        provider.generate(ModelRequest("survey", "", (), {}))
    assert refused.value.code == "provider.no_key"
    assert "OPENAI_API_KEY" in refused.value.remedy
    assert refused.value.spending == Spending()


@pytest.mark.parametrize("key", ["sk-ant-\nX-Other: 1", "sk-ßecret", "sk-\x00"])
def test_what_cannot_be_a_key_is_not_sent_and_not_shown(key: str):
    with pytest.raises(PermanentProviderError) as refused:
        key_lookup("anthropic", "", SecretStr(key))()
    assert refused.value.code == "provider.no_key"
    assert key not in str(refused.value)


@pytest.mark.parametrize("url", ["localhost:8080", "http://", "ftp://host/v1", "http://[", "api.example.com/v1"])
def test_an_address_that_is_none_is_refused_with_the_settings(url: str):
    with pytest.raises(ValidationError):
        _settings("anthropic", base_url=url)


@pytest.mark.parametrize(
    "change", [{"model": "other"}, {"effort": "high"}, {"max_tokens": 999}, {"base_url": "https://x.example"}]
)
def test_what_changes_answers_changes_their_version(change: dict[str, object]):
    before, after = make_model(_settings("anthropic")), make_model(_settings("anthropic", **change))
    assert answers_version(before) != answers_version(after)


@pytest.mark.parametrize("change", [{"api_key": "sk-2"}, {"timeout_seconds": 5}, {"requests_in_flight": 2}])
def test_what_changes_no_answer_leaves_the_version(change: dict[str, object]):
    before, after = make_model(_settings("anthropic")), make_model(_settings("anthropic", **change))
    assert answers_version(before) == answers_version(after)


def test_a_key_is_not_shown_with_the_settings():
    settings = _settings("anthropic", api_key="sk-hidden-in-plain-sight")
    shown = f"{settings!r} {settings} {settings.model_dump()} {settings.model_dump_json()}"
    assert "sk-hidden" not in shown
    model: ChatModel = make_model(settings)
    assert "sk-hidden" not in str(model.answer_settings)


def test_making_a_provider_imports_no_sdk():
    code = (
        "import sys\n"
        "from osrforge_resources.providers import make_provider\n"
        "from osrforge_resources.provider_settings import ProviderSettings\n"
        "from osrforge_resources.store import Store\n"
        "make_provider(ProviderSettings(provider='anthropic'), Store('memory://x'))\n"
        "assert not {'anthropic', 'openai', 'httpx2', 'genai_prices'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
