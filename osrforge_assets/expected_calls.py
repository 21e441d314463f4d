"""How many calls a partition would take if it were made now: counted from what is stored, not guessed.

Repairs and follow-up questions come on top, so it is a lower bound. What the calls cost is `grants.estimated`'s matter, by
what the same partition or its like cost before; a provider's price list would take its place there.
"""

from osrforge_assets.contracts.level import LevelPlan
from osrforge_assets.contracts.pages import PageSet
from osrforge_assets.contracts.transcript import TranscriptUnits
from osrforge_assets.modules.page_windows import page_windows
from osrforge_assets.modules.survey.whole_modules import survey_page_windows, survey_window
from osrforge_assets.reconcile import PAID_ASSETS
from osrforge_assets.settings import Settings
from osrforge_assets.transcripts.scenes.plan_cache import find_plan
from osrforge_resources.io_manager import usable_document
from osrforge_resources.providers import make_provider
from osrforge_resources.store import Store


def expected_calls(store: Store, settings: Settings, asset: str, partition: str) -> int | None:
    """Return how many requests an asset's partition would ask, None where what they are made from is not there yet."""
    if asset not in PAID_ASSETS:
        return 0
    counted = {"survey_index": _survey_calls, "level_content": _level_calls, "scene_plan": _scene_calls}
    return counted[asset](store, settings, partition)


def _level_calls(store: Store, _settings: Settings, level: str) -> int | None:
    plan = usable_document(store, "level_plan", level, LevelPlan)
    return len(plan.batches) if plan is not None else None


def _survey_calls(store: Store, settings: Settings, module: str) -> int | None:
    pages = usable_document(store, "page_renders", module, PageSet)
    if pages is None:
        return None
    numbers = [page.number for page in pages.pages if page.characters or page.image is not None]
    window = survey_window(settings, make_provider(settings, store))
    return len(survey_page_windows(numbers, window)) + len(page_windows(numbers, settings.census_pages))


def _scene_calls(store: Store, settings: Settings, session: str) -> int | None:
    transcript = usable_document(store, "transcript_units", session, TranscriptUnits)
    if transcript is None:
        return None
    if find_plan(store, transcript) is not None:
        return 0
    window = settings.transcripts.window
    characters = sum(len(unit.text) for unit in transcript.units)
    return max(1, -(-len(transcript.units) // window.units), -(-characters // window.characters))
