"""What stops a run: Ctrl-C, a bug, a service that is busy; and what is asked again after it."""

import os
import signal
from pathlib import Path

import pytest

from osrforge_resources.failures import TransientProviderError
from osrforge_resources.model_provider import ModelRequest, ModelResponse
from tests.graph.deployment import CountingProvider, Deployment
from tests.graph.module_pdfs import PIT, write_module


class StoppingProvider(CountingProvider):
    """Does something at the first request of one kind, and answers all the others."""

    def __init__(self, tag: str) -> None:
        super().__init__()
        self._tag = tag

    def generate(self, request: ModelRequest) -> ModelResponse:
        if request.tag.startswith(self._tag):
            self.asked.append(request.tag)
            self.stop()
        return super().generate(request)

    def stop(self) -> None:
        raise NotImplementedError


class Interrupting(StoppingProvider):
    def stop(self) -> None:
        os.kill(os.getpid(), signal.SIGINT)


class Failing(StoppingProvider):
    def stop(self) -> None:
        raise ZeroDivisionError


class BusyOnce(StoppingProvider):
    def stop(self) -> None:
        if self.asked.count(self.asked[-1]) == 1:
            raise TransientProviderError("The service is busy.", retry_after=0.01)


@pytest.mark.parametrize("tag", ["survey", "content"])
def test_ctrl_c_ends_the_run_and_nothing_is_asked_after_it(deployment: Deployment, tmp_path: Path, tag: str):
    deployment.provider = Interrupting(tag)
    with pytest.raises(KeyboardInterrupt):
        deployment.convert(write_module(tmp_path / "pit.pdf", {1: PIT[1]}))
    assert len([asked for asked in set(deployment.provider.asked) if asked.startswith(tag)]) == 1
    assert deployment.provider.asked.count("census") == (tag == "content")


@pytest.mark.parametrize("tag", ["survey", "content"])
def test_a_bug_is_shown_and_is_not_paid_for_twice(deployment: Deployment, tmp_path: Path, tag: str):
    deployment.provider = Failing(tag)
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        deployment.convert(write_module(tmp_path / "pit.pdf", {1: PIT[1]}))
    assert len([asked for asked in deployment.provider.asked if asked.startswith(tag)]) == 1


@pytest.mark.parametrize("tag", ["survey", "content.the-testing-pit.2"])
def test_a_busy_service_is_asked_once_more(deployment: Deployment, tmp_path: Path, tag: str):
    deployment.provider = BusyOnce(tag)
    conversion = deployment.convert(write_module(tmp_path / "pit.pdf", PIT))
    assert conversion.error is None
    assert conversion.counts["answered"] == 6
    # A level that was finished before the retry is not asked again.
    assert deployment.provider.asked.count("content.the-testing-pit.1.b01") == 1
