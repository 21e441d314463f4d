"""The first requests of many levels as one message batch: after it the levels find their answers in the cache."""

from collections.abc import Callable, Iterator, Sequence

from osrforge_assets.contracts.level import LevelPlan
from osrforge_assets.modules.levels.planning import batch_request
from osrforge_assets.modules.page_loading import load_plan_page
from osrforge_resources.failures import StoreError
from osrforge_resources.io_manager import read_document
from osrforge_resources.message_batches import MessageBatches
from osrforge_resources.model_provider import ModelRequest
from osrforge_resources.store import Store
from osrforge_resources.usage import Spending


def answer_levels(store: Store, levels: Sequence[str], batches: MessageBatches) -> dict[str, Spending]:
    """Have the planned requests of levels answered in the response cache; return what each level's cost now.

    Follow-ups, halves and repairs depend on answers and are asked as always when the level is made.

    Args:
        store: Where plans and pages are.
        levels: Level partitions.
        batches: The provider's batches.

    Raises:
        ProviderError: The service failed; what was sent is collected by the next run.
    """
    owners: dict[str, str] = {}
    run = batches.answer(_requests(store, levels, batches.key, owners))
    costs: dict[str, Spending] = {}
    for key, spent in run.spent.items():
        if key in owners:
            costs[owners[key]] = costs.get(owners[key], Spending()) + spent
    return costs


def _requests(
    store: Store, levels: Sequence[str], key_of: Callable[[ModelRequest], str], owners: dict[str, str]
) -> Iterator[ModelRequest]:
    """Yield the levels' planned requests, and note whose each of them is."""
    for level in levels:
        try:
            plan = read_document(store, "level_plan", level, LevelPlan)
            for batch in plan.batches:
                request = batch_request(plan, batch, load_plan_page(store))
                owners[key_of(request)] = level
                yield request
        except StoreError:
            # Said again, with the level's name, when the level itself is made; the others need not wait for that.
            continue
