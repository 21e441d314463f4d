"""The code location of live deployments in tests: the whole graph with a provider that writes down what it is asked."""

import os
from pathlib import Path

from osrforge_assets.definitions import build_defs
from tests.graph.live_provider import LoggingProvider

defs = build_defs(resources={"model_provider": LoggingProvider(Path(os.environ["OSRFORGE_TEST_PROVIDER"]))})
