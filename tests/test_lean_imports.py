"""What every process of a deployment imports before it can do anything: each run starts one, and a person waits for it."""

import subprocess
import sys
from pathlib import Path

CHECKOUT = Path(__file__).parents[1]
# Half a second each and more, beside the second and a half that Dagster takes.
HEAVY = ("PIL", "anthropic", "numpy", "openai", "pandas", "pyarrow", "pymupdf", "rich.console")


def test_the_definitions_load_without_any_heavy_library():
    look = "import sys, osrforge_assets.definitions; print(*(name for name in sys.argv[1:] if name in sys.modules))"
    command = [sys.executable, "-W", "ignore", "-c", look, *HEAVY]
    ended = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, timeout=200, check=True)
    assert ended.stdout.split() == []


def test_the_commands_help_does_not_wait_for_dagster():
    look = "import sys, osrforge_assets.cli; print('dagster' in sys.modules)"
    command = [sys.executable, "-W", "ignore", "-c", look]
    ended = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, timeout=200, check=True)
    assert ended.stdout.strip() == "False"
