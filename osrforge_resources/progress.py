"""How a long step tells whoever is watching how far it is."""

from typing import Protocol


class Progress(Protocol):
    """Told after each finished item of a stage; called from the step's own thread or its workers."""

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Take note that `done` of `total` items of `stage` are finished."""
        ...


def no_progress(stage: str, done: int, total: int) -> None:
    """Watch nothing: the default in a deployment, where the event log shows the same."""
    del stage, done, total
