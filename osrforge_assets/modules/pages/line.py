"""One line of text as it will be read."""

from dataclasses import dataclass, field

from osrforge_assets.modules.pages.raw_page import Box

# Type stands about 0.8 em above and 0.25 em below its baseline; boxes that fonts declare vary from 0.7 to 3 em.
_ASCENT, _DESCENT = 0.8, 0.25


@dataclass(frozen=True, slots=True)
class Run:
    """Characters of one weight."""

    text: str
    bold: bool


@dataclass(slots=True, eq=False)
class Line:
    """One line of text in its own upright frame.

    Attributes:
        x0: Start along the writing direction.
        x1: End along it.
        baseline: Position across it.
        size: Font size of most of its characters.
        runs: Its text.
        box: Its box on the page, whatever its direction.
        angle: Direction in whole degrees, 0 for upright.
        family: Font family of most of its characters.
        text: Its characters, from `runs`.
    """

    x0: float
    x1: float
    baseline: float
    size: float
    runs: tuple[Run, ...]
    box: Box
    angle: int
    family: str = ""
    text: str = field(default="", init=False)

    def __post_init__(self) -> None:
        self.text = "".join(run.text for run in self.runs)

    @property
    def top(self) -> float:
        """Where its capitals end."""
        return self.baseline - _ASCENT * self.size

    @property
    def bottom(self) -> float:
        """Where its descenders end."""
        return self.baseline + _DESCENT * self.size

    @property
    def width(self) -> float:
        """Its length."""
        return self.x1 - self.x0

    @property
    def all_bold(self) -> bool:
        """Whether every letter is bold."""
        return all(run.bold or not run.text.strip() for run in self.runs) and bool(self.text.strip())

    @property
    def center(self) -> tuple[float, float]:
        """Its middle on the page."""
        return (self.box[0] + self.box[2]) / 2, (self.box[1] + self.box[3]) / 2
