"""The knobs of the transcript lane, each with the reason for its default."""

from pydantic import BaseModel, ConfigDict, Field

from osrforge_assets.transcripts.scenes.windows import WindowSize


class TranscriptSettings(BaseModel):
    """How sessions are imported and planned.

    Attributes:
        max_source_bytes: Refuse a larger transcript file before reading it.
        window_units: Units of one scene request.
        window_characters: Characters of one scene request's transcript.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    # A four-hour session with a time for every word is about 12 MB of JSON.
    max_source_bytes: int = Field(default=64 * 1024 * 1024, ge=1)
    # A thousand units are about 40 minutes of play and seldom more than ten scenes. 90,000 characters are about 25,000
    # tokens, which leaves room in the context of the small models this is meant for.
    window_units: int = Field(default=1000, ge=2)
    window_characters: int = Field(default=90_000, ge=1000)

    @property
    def window(self) -> WindowSize:
        """The size of a window."""
        return WindowSize(units=self.window_units, characters=self.window_characters)
