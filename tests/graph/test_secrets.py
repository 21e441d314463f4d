"""A key is used and never written: not to the store, nor to Dagster's databases and logs, whatever a service echoes."""

import json
from pathlib import Path

import httpx2

from osrforge_assets.modules.levels.prompt import CONTENT_RULES
from osrforge_assets.settings import Settings
from tests.graph.deployment import Deployment
from tests.graph.module_pdfs import PIT, write_module
from tests.graph.test_batch_mode import ReadingServer, _provider
from tests.resources.fake_services import ANTHROPIC, KEY


class EchoingServer(ReadingServer):
    """Reads modules, and refuses their levels with a sentence that repeats the key."""

    def __init__(self) -> None:
        super().__init__()
        self.keys: set[str] = set()

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        self.keys.add(request.headers.get("x-api-key") or request.headers.get("authorization", ""))
        if request.url.path == "/v1/messages":
            system = json.loads(request.content)["system"][0]["text"]
            if system == CONTENT_RULES:
                return ANTHROPIC.error(403, "permission_error")
        return super().__call__(request)


def test_a_planted_key_is_in_nothing_that_a_conversion_writes(deployment: Deployment, tmp_path: Path):
    server = EchoingServer()
    deployment.settings = Settings(home=deployment.home, provider="anthropic", api_key=KEY)  # pyright: ignore[reportArgumentType]
    deployment.provider = _provider(deployment, server)  # type: ignore[assignment]
    conversion = deployment.convert(write_module(tmp_path / "pit.pdf", PIT))
    assert [KEY in sent for sent in server.keys] == [True]
    assert conversion.error is not None
    assert conversion.error.code == "provider.key_refused"
    assert KEY not in str(conversion.error)
    files = [path for path in deployment.home.rglob("*") if path.is_file()]
    assert any(path.suffix == ".db" for path in files)
    # Services name a key by its ends as well.
    for part in (KEY.encode(), KEY[-12:].encode()):
        assert [path.name for path in files if part in path.read_bytes()] == []
