"""The first requests of many levels as one message batch: after it the levels find their answers in the cache."""

from collections.abc import Iterator, Mapping

from osrforge_assets.contracts.level import LevelPlan
from osrforge_assets.modules.levels.planning import batch_request
from osrforge_assets.modules.page_loading import load_plan_page
from osrforge_resources.account import Account
from osrforge_resources.call_meter import CallMeter
from osrforge_resources.failures import StoreError
from osrforge_resources.io_manager import read_document
from osrforge_resources.message_batches import MessageBatches, Question
from osrforge_resources.store import Store


def answer_levels(store: Store, levels: Mapping[str, CallMeter], batches: MessageBatches, account: Account) -> None:
    """Have the planned requests of levels answered in the response cache; what that costs now is added to the meters.

    Follow-ups, halves and repairs depend on answers and are asked as always when the level is made.

    Args:
        store: Where plans and pages are.
        levels: Level partitions with the meters of their calls.
        batches: The provider's batches.
        account: The run's account.

    Raises:
        ProviderError: The service failed; what was sent is collected by the next run.
    """
    run = batches.answer(lambda: _questions(store, levels), account)
    for question, spent in run.spent:
        if question.owner in levels:
            levels[question.owner].add(spent)


def _questions(store: Store, levels: Mapping[str, CallMeter]) -> Iterator[Question]:
    for level, meter in levels.items():
        try:
            plan = read_document(store, "level_plan", level, LevelPlan)
            for batch in plan.batches:
                yield Question(batch_request(plan, batch, load_plan_page(store)), level, meter.account)
        except StoreError:
            # Said again, with the level's name, when the level itself is made; the others need not wait for that.
            continue
