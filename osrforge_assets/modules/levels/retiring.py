"""Levels that a survey no longer finds: their data is set aside, and comes back with them."""

from osrforge_resources.store import Store

_KEPT = ("level_plan", "level_content")


def retire_level(store: Store, key: str) -> None:
    """Set a level's plan and content aside; nothing that was paid for is deleted."""
    for asset in _KEPT:
        store.retire_asset(asset, key)


def restore_level(store: Store, key: str) -> None:
    """Bring a retired level's content back.

    Its events outlive its partition, so the level counts as made again the moment it is registered: its content has to
    be there too. Whether it still answers the level's plan is for Dagster's staleness to say.
    """
    store.restore_asset("level_content", key)
