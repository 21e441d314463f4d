"""Every knob, each with the reason for its default; read from `OSRFORGE_*` once, when definitions load.

A knob that changes requests is part of a code version, so turning it makes exactly the assets it concerns stale.
"""

from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError
from pydantic_settings import (  # pydantic's own reader of environment variables
    BaseSettings,
    SettingsConfigDict,
    SettingsError,
)

from osrforge_assets.modules.pages.settings import PageSettings
from osrforge_assets.transcripts.settings import TranscriptSettings
from osrforge_resources.failures import MisuseError
from osrforge_resources.provider_settings import ProviderSettings


class Settings(ProviderSettings, BaseSettings):
    """All settings of a deployment; those of model providers are described where they are declared.

    Attributes:
        home: Roots the inbox, the store and the command's own Dagster instance.
        store: Root of the store, a folder or an fsspec URL; "" puts it under `home`.
        survey_pages: Pages of one survey window; the offline reader takes a module whole.
        census_pages: Pages of one census window.
        batch_pages: Pages of one content batch.
        executor: Where a run's steps execute.
        budget_run_usd: The most that one run may spend, None for no ceiling.
        budget_module_usd: The most that one module may spend over all runs, None for no ceiling.
        automation: What runs by itself in a deployment: what costs nothing, everything, or nothing.
        sensor_seconds: How often a deployment looks at its inbox and at what is stale.
        nightly: When the nightly backfill looks, as a cron expression in UTC.
        nightly_max_cost_usd: What the nightly backfill may be expected to cost; none is no limit.
        pdf_password: Opens protected sources; never stored, logged or shown.
        pages: How pages are rendered and read.
        transcripts: How sessions are imported and planned.
    """

    # An empty variable is an unset one, as in a shell: an empty OSRFORGE_HOME would fill the working directory.
    model_config = SettingsConfigDict(
        env_prefix="OSRFORGE_", env_nested_delimiter="__", env_ignore_empty=True, frozen=True, extra="ignore"
    )

    home: Path = Path(".osrforge")
    store: str = ""
    # Vision services cap every image at 2000 px from the 21st on; 20 pages keep full renders.
    survey_pages: int = Field(default=20, ge=2, le=20)
    # The census sends text only: 100 pages of 3,000 characters are about 75,000 tokens, within every current window.
    census_pages: int = Field(default=100, ge=2, le=500)
    # A full page holds 6 to 12 areas of about 200 output tokens: 4 pages stay under 10,000 tokens of reply, well below
    # the output limit at which a reply is cut. Smaller batches would send each overlap page and map more often.
    batch_pages: int = Field(default=4, ge=2, le=20)
    # In-process starts a step in 0.1 s, a forked or spawned one in 1.2 to 2.8 s; a step here is one call after another.
    executor: Literal["in_process", "multiprocess"] = "in_process"
    # No ceiling by default: no number would be right for a zine and for a campaign of 300 pages.
    budget_run_usd: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    budget_module_usd: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    # A paid provider must not spend unasked; with the offline one everything costs nothing.
    automation: Literal["free", "all", "off"] = "free"
    # The daemon looks every 5 s at most. A look takes a tenth of a second, and a person who drops a file waits for two.
    sensor_seconds: int = Field(default=15, ge=1, le=3600)
    # Three hours of looks, because what a survey finds is known only after it: its levels follow in the same night.
    nightly: str = Field(default="*/20 3-5 * * *", pattern=r"^[0-9*,/-]+( [0-9A-Za-z*,/-]+){4}$")
    nightly_max_cost_usd: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    pdf_password: str = Field(default="", repr=False)
    pages: PageSettings = PageSettings()
    transcripts: TranscriptSettings = TranscriptSettings()

    @property
    def store_root(self) -> str:
        """Where the store lies."""
        return self.store or str(self.home.absolute() / "store")

    @property
    def inbox(self) -> Path:
        """Where sources are dropped."""
        return self.home.absolute() / "inbox"


def load_settings(**given: str | None) -> Settings:
    """Return the settings of the environment, with those that are given (and not None) in their place.

    Raises:
        MisuseError: A variable holds a value that its setting refuses; names variable and reason, never the value.
    """
    try:
        return Settings(**{name: value for name, value in given.items() if value is not None})  # pyright: ignore[reportArgumentType]
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        name = "OSRFORGE_" + "__".join(str(part).upper() for part in first["loc"])
        raise MisuseError(f"{name}: {first['msg']}.", code="settings.invalid", remedy="Correct or unset it.") from None
    except SettingsError as error:
        # A group of settings is given as JSON in one variable; the message names the group and never the value.
        raise MisuseError(
            f"An OSRFORGE_* variable is not the JSON object that it has to be: {error}.",
            code="settings.invalid",
            remedy="Correct or unset it; single settings of a group are set as in OSRFORGE_PAGES__DPI.",
        ) from None
