"""The command's Dagster instance: `DAGSTER_HOME` where it is set, else a folder of its own under the home."""

import os
from pathlib import Path

import dagster as dg

# The command and `make ui` share this instance. A tool that promises to work without a network opens no connections of
# its own (telemetry) and asks nobody for a mail address (nux).
_DAGSTER_YAML = """\
telemetry:
  enabled: false
nux:
  enabled: false
"""


def open_instance(home: Path) -> dg.DagsterInstance:
    """Return the instance of `DAGSTER_HOME`, or of `<home>/dagster`, which is made when it is not there."""
    if not os.environ.get("DAGSTER_HOME"):
        folder = home.absolute() / "dagster"
        folder.mkdir(parents=True, exist_ok=True)
        configuration = folder / "dagster.yaml"
        if not configuration.exists():
            configuration.write_text(_DAGSTER_YAML, encoding="utf-8")
        # Worker processes that a run starts look the instance up by the variable.
        os.environ["DAGSTER_HOME"] = str(folder)
    return dg.DagsterInstance.get()
