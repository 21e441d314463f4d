"""What a conversion would ask and cost, before anything is asked: by the planner that will run, on the offline reader's answers.

Survey and census windows are known from the pages alone. Which levels there are, and so which content requests, only a
survey says: where the module has one already it is taken, else the offline reader's stands in for it.

What does not belong here: prices (`prices.py`) and how the estimate is shown (`estimate_command.py`).
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from osrforge_assets.contracts.pages import ModuleSource, PageSet
from osrforge_assets.contracts.survey import SurveyIndex
from osrforge_assets.modules.levels.extraction import extract_level
from osrforge_assets.modules.levels.planning import plan_levels
from osrforge_assets.modules.page_loading import load_page, load_plan_page
from osrforge_assets.modules.pages.reading import read_pages
from osrforge_assets.modules.sources import read_source
from osrforge_assets.modules.survey.reading import survey_module
from osrforge_assets.settings import Settings
from osrforge_resources.io_manager import usable_document
from osrforge_resources.model_provider import ModelRequest, ModelResponse
from osrforge_resources.offline.provider import OfflineProvider
from osrforge_resources.prices import PriceTable, RequestSize, request_size
from osrforge_resources.store import Store
from osrforge_resources.usage import TokenUsage

# Output tokens of a recorded model (gpt-5.4 over minimod.pdf) for each character of the offline reader's answer to the same
# pages: survey 286 tokens for 1258 characters, census 43 for 109, content 884 for 2446. One module of five pages and one
# model without thinking; a model that thinks pays for that on top.
OUTPUT_TOKENS_PER_CHARACTER = {"survey": 286 / 1258, "census": 43 / 109, "content": 884 / 2446}
OUTPUT_BASIS = "output tokens from recorded replies of gpt-5.4 over a module of five pages; thinking is not in them"


@dataclass(frozen=True, slots=True)
class PlannedRequest:
    """One request that a conversion would make.

    Attributes:
        kind: `survey`, `census` or `content`.
        size: What decides its input tokens.
        output_tokens: Estimated from the offline reader's answer.
    """

    kind: str
    size: RequestSize
    output_tokens: int


@dataclass(frozen=True, slots=True)
class PlannedConversion:
    """All requests of one module.

    Attributes:
        source: The file's name.
        pages: Pages read.
        pages_without_text: Pages of which only an image is known, which the offline reader cannot plan by.
        surveyed: Whether the module's own survey was the basis for the levels, and not the offline reader's.
        levels: Levels planned.
        areas: Areas planned.
        requests: Every request, in the order asked.
    """

    source: str
    pages: int
    pages_without_text: int
    surveyed: bool
    levels: int
    areas: int
    requests: tuple[PlannedRequest, ...]

    def count(self, kind: str) -> int:
        """Return how many requests of a kind there are."""
        return sum(request.kind == kind for request in self.requests)

    @property
    def largest(self) -> RequestSize | None:
        """The request that needs the widest context, None without requests."""
        sizes = [request.size for request in self.requests]
        return max(sizes, key=RequestSize.most_tokens, default=None)


@dataclass(frozen=True, slots=True)
class ModelEstimate:
    """What one model would use and cost.

    Attributes:
        provider: The vendor's name.
        model: The model's name.
        calls: Requests, without repairs and follow-ups.
        input_tokens: Of all requests, none of them read from a prompt cache.
        output_tokens: Of all answers, thinking not counted.
        cost_usd: At list prices; None if the model has no known price.
        batched_usd: The same with the content requests as one message batch; None if unknown or the vendor has none.
    """

    provider: str
    model: str
    calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    batched_usd: float | None


def plan_conversion(
    path: Path, store: Store, settings: Settings, *, pages: tuple[int, ...] | None
) -> PlannedConversion:
    """Return the requests that converting a file would make; no provider is asked.

    Pages are rendered into the store, where the conversion finds them.

    Args:
        path: The PDF.
        store: Where pages are kept and an earlier survey is looked up.
        settings: Windows, batches, how pages are read.
        pages: 1-based pages to read, None for all.

    Raises:
        SourceError: The file cannot be read.
        StoreError: The store refuses.
    """
    data = read_source(path, settings.pages.max_source_bytes, setting="OSRFORGE_PAGES__MAX_SOURCE_BYTES")
    page_set = read_pages(
        data, store, settings.pages, module="estimate", asked=pages, password=settings.pdf_password or None
    )
    asked = _Asked()
    index = survey_module(
        page_set, load_page(store), asked.ask, survey_pages=settings.survey_pages, census_pages=settings.census_pages
    )
    known = _known_survey(store, page_set, pages)
    plans = plan_levels(known or index, page_set, load_page(store), settings.batch_pages)
    for plan in plans:
        extract_level(plan, load_plan_page(store), asked.ask)
    return PlannedConversion(
        source=path.name,
        pages=len(page_set.pages),
        pages_without_text=sum(page.characters == 0 for page in page_set.pages),
        surveyed=known is not None,
        levels=len(plans),
        areas=sum(len(plan.areas) for plan in plans),
        requests=tuple(asked.requests),
    )


def estimate_model(planned: PlannedConversion, provider: str, model: str, prices: PriceTable) -> ModelEstimate:
    """Return what a planned conversion would use and cost with one model."""
    usages = [
        (request.kind, TokenUsage(request.size.tokens(provider, model), request.output_tokens))
        for request in planned.requests
    ]
    costs = [prices.cost_usd(provider, model, usage) for _, usage in usages]
    batched = [prices.cost_usd(provider, model, usage, batched=kind == "content") for kind, usage in usages]
    return ModelEstimate(
        provider=provider,
        model=model,
        calls=len(usages),
        input_tokens=sum(usage.input_tokens for _, usage in usages),
        output_tokens=sum(usage.output_tokens for _, usage in usages),
        cost_usd=_total(costs),
        batched_usd=_total(batched) if provider == "anthropic" else None,
    )


class _Asked:
    """The offline reader in a provider's place, which keeps the size of every request and answer."""

    def __init__(self) -> None:
        self._reader = OfflineProvider()
        self.requests: list[PlannedRequest] = []

    def ask(self, request: ModelRequest) -> ModelResponse:
        """Answer offline."""
        response = self._reader.generate(request)
        kind = request.tag.partition(".")[0]
        characters = len(json.dumps(response.data, separators=(",", ":"), ensure_ascii=False))
        output = round(characters * OUTPUT_TOKENS_PER_CHARACTER[kind])
        self.requests.append(PlannedRequest(kind, request_size(request), output))
        return response


def _total(costs: Sequence[float | None]) -> float | None:
    known = [cost for cost in costs if cost is not None]
    # Six digits: dollars to a ten-thousandth of a cent, and no binary fractions behind them.
    return round(sum(known), 6) if len(known) == len(costs) else None


def _known_survey(store: Store, page_set: PageSet, pages: tuple[int, ...] | None) -> SurveyIndex | None:
    """Return the survey of a module of the same source and pages, None if there is none."""
    for module in store.asset_partitions("module_source"):
        source = usable_document(store, "module_source", module, ModuleSource)
        if source is not None and (source.sha256, source.pages) == (page_set.source, pages):
            kept = usable_document(store, "page_renders", module, PageSet)
            survey = usable_document(store, "survey_index", module, SurveyIndex)
            # A survey of other pages (another resolution, another reader) names pages by the same numbers all the same.
            if kept is not None and survey is not None and len(kept.pages) == len(page_set.pages):
                return survey
    return None
