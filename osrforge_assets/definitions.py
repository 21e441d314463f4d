"""`build_defs` is the only constructor of the code location; `defs` is what Dagster loads.

What does not belong here: what assets do, what resources do, and settings, which are read once and passed on.
"""

from collections.abc import Mapping
from dataclasses import asdict

import dagster as dg

from osrforge_assets import jobs
from osrforge_assets.code_versions import code_versions
from osrforge_assets.modules.dossier.assets import module_contents, module_dossier
from osrforge_assets.modules.dossier.checks import DOSSIER_CHECKS
from osrforge_assets.modules.levels.assets import level_content, level_plan
from osrforge_assets.modules.pages.assets import module_source, page_renders
from osrforge_assets.modules.pages.checks import PAGE_CHECKS
from osrforge_assets.modules.survey.assets import survey_index
from osrforge_assets.modules.survey.checks import SURVEY_CHECKS
from osrforge_assets.narrations.checks import NARRATION_CHECKS
from osrforge_assets.narrations.state.assets import world_state
from osrforge_assets.narrations.turns.assets import narration_source, narration_turns
from osrforge_assets.schedules import nightly, nightly_backfill
from osrforge_assets.sensors import sensors
from osrforge_assets.settings import Settings, load_settings
from osrforge_assets.transcripts.checks import TRANSCRIPT_CHECKS
from osrforge_assets.transcripts.scenes.assets import scene_chunks, scene_plan
from osrforge_assets.transcripts.source.assets import transcript_source, transcript_units
from osrforge_resources.budget import Budget
from osrforge_resources.databases import do_not_wait_for_the_disk
from osrforge_resources.failures import MisuseError
from osrforge_resources.io_manager import DocumentIOManager
from osrforge_resources.model_provider import ModelProvider
from osrforge_resources.progress import no_progress
from osrforge_resources.provider_resource import provider_resource
from osrforge_resources.providers import make_provider
from osrforge_resources.store import Store

# Their code versions hang on settings and provider; the lanes of transcripts and narrations carry their own.
MODULE_ASSETS = [page_renders, survey_index, level_plan, level_content, module_contents, module_dossier]


def build_defs(*, settings: Settings | None = None, resources: Mapping[str, object] | None = None) -> dg.Definitions:
    """Return the definitions of the whole graph.

    Args:
        settings: The deployment's settings; read from the environment if left out.
        resources: Replaces resources by name: `store` (a `Store`), `model_provider` (any object with `generate`),
            `budget` (a `Budget`), `progress` (a `Progress`).

    Raises:
        MisuseError: A setting or a resource name is invalid (a `ValueError`).
    """
    do_not_wait_for_the_disk()
    settings = settings or load_settings()
    given = dict(resources or {})
    known = {"store", "model_provider", "budget", "progress"}
    if unknown := sorted(given.keys() - known):
        raise MisuseError(
            f"There is no resource {', '.join(unknown)}.",
            code="resources.unknown",
            remedy=f"Replace one of {', '.join(sorted(known))}.",
        )
    store = given.get("store", Store(settings.store_root))
    provider = given.get("model_provider") or (make_provider(settings, store) if isinstance(store, Store) else None)
    for name, resource, kind in (("store", store, Store), ("model_provider", provider, ModelProvider)):
        if not isinstance(resource, kind):
            raise MisuseError(
                f"The resource {name} is a {type(resource).__name__}, not a {kind.__name__}.", code="resources.kind"
            )
    assert isinstance(store, Store)
    budget = given.get("budget", Budget(store, run_usd=settings.budget_run_usd, module_usd=settings.budget_module_usd))
    if not isinstance(budget, Budget):
        raise MisuseError(f"The resource budget is a {type(budget).__name__}, not a Budget.", code="resources.kind")
    assert isinstance(provider, ModelProvider)
    versions = code_versions(settings, provider)
    by_name = asdict(versions)
    return dg.Definitions(
        assets=[
            module_source,
            *(
                asset.map_asset_specs(lambda spec: spec.replace_attributes(code_version=by_name[spec.key.path[-1]]))
                for asset in MODULE_ASSETS
            ),
            *(transcript_source, transcript_units, scene_plan, scene_chunks),
            *(narration_source, narration_turns, world_state),
        ],
        asset_checks=[*PAGE_CHECKS, *SURVEY_CHECKS, *DOSSIER_CHECKS, *TRANSCRIPT_CHECKS, *NARRATION_CHECKS],
        jobs=[*jobs.ALL, nightly_backfill],
        sensors=sensors(settings, jobs.ALL),
        schedules=[nightly(settings)],
        executor=dg.in_process_executor if settings.executor == "in_process" else dg.multiprocess_executor,
        resources={
            "store": store,
            "documents": DocumentIOManager(store),
            "settings": settings,
            "code_versions": versions,
            # One that is given is used as it is; the configured one can be exchanged for a run in the launchpad.
            "model_provider": given.get("model_provider") or provider_resource(settings, store),
            "budget": budget,
            "progress": given.get("progress", no_progress),
        },
    )


defs = build_defs()
