"""`scene_plan` and `scene_chunks`: where a session's scenes begin and end, and the session cut there."""

from typing import Any

import dagster as dg
from pydantic import Field

from osrforge_assets.contracts.scenes import PLAN_CACHE_FORMAT, SceneChunks, ScenePlan
from osrforge_assets.contracts.transcript import TranscriptUnits
from osrforge_assets.escaping import markdown_table
from osrforge_assets.partitions import TRANSCRIPTS
from osrforge_assets.settings import Settings
from osrforge_assets.transcripts.scenes.chunks import CHUNKS_VERSION, chunk_session
from osrforge_assets.transcripts.scenes.planning import Planned, plan_session
from osrforge_assets.transcripts.scenes.session_page import scene_table, scene_views, session_html, session_markdown
from osrforge_assets.transcripts.sessions import page_key
from osrforge_resources.budget import Budget
from osrforge_resources.call_meter import CallMeter
from osrforge_resources.model_provider import ModelProvider
from osrforge_resources.progress import Progress
from osrforge_resources.run_tags import tag_spending
from osrforge_resources.step_failures import expected_failures, report_spending, spending_run
from osrforge_resources.store import Store
from osrforge_resources.structured_provider import asked_anew


class PlanChoice(dg.Config):
    """Whether an accepted plan is taken or replaced."""

    force: bool = Field(
        default=False,
        description="Ask for a new plan although one of this transcript is accepted, and replace it.",
    )


@dg.asset(
    description="The scenes of a session as ranges of units: proposed by a model, checked, and kept by source digest.",
    group_name="transcripts",
    kinds={"json"},
    owners=["team:osrforge"],
    partitions_def=TRANSCRIPTS,
    io_manager_key="documents",
    pool="model_requests",
    # An accepted plan stays whatever prompt, schema, model or setting says, so none of them makes this asset stale.
    code_version=f"plan cache {PLAN_CACHE_FORMAT}",
)
def scene_plan(
    context: dg.AssetExecutionContext,
    config: PlanChoice,
    transcript_units: TranscriptUnits,
    store: dg.ResourceParam[Store],
    settings: dg.ResourceParam[Settings],
    model_provider: dg.ResourceParam[ModelProvider],
    budget: dg.ResourceParam[Budget],
    progress: dg.ResourceParam[Progress],
) -> dg.Output[ScenePlan]:
    """Plan a session's scenes, or take the plan that this source already has."""
    meter = CallMeter(model_provider, account=budget.account(spending_run(context.run)))
    expected = expected_failures(
        retry_number=context.retry_number,
        meter=meter,
        before_retry=lambda: report_spending(context, "scene_plan", meter.spending),
    )
    with expected, asked_anew(config.force):
        planned = plan_session(
            store,
            transcript_units,
            meter.generate,
            settings.transcripts.window,
            run=context.run_id,
            force=config.force,
            on_window=lambda done, total: progress("scenes", done, total),
        )
    tag_spending(context.instance, context.run_id, meter.spending)
    plan = planned.record.plan
    views = scene_views(transcript_units, chunk_session(transcript_units, plan))
    metadata = {"scene_table": dg.MetadataValue.md(scene_table(views)), **_plan_metadata(planned, meter)}
    return dg.Output(plan, data_version=dg.DataVersion(plan.digest()), metadata=metadata)


@dg.asset(
    description="The session cut into its scenes; the chunks together are exactly the transcript. With a page to read.",
    group_name="transcripts",
    kinds={"json", "markdown"},
    owners=["team:osrforge"],
    partitions_def=TRANSCRIPTS,
    io_manager_key="documents",
    code_version=CHUNKS_VERSION,
)
def scene_chunks(
    context: dg.AssetExecutionContext,
    transcript_units: TranscriptUnits,
    scene_plan: ScenePlan,
    store: dg.ResourceParam[Store],
) -> dg.Output[SceneChunks]:
    """Cut a session along its plan and write the page a person opens."""
    with expected_failures():
        chunks = chunk_session(transcript_units, scene_plan)
        views = scene_views(transcript_units, chunks)
        pages = {
            "session.md": session_markdown(transcript_units, views),
            "session.html": session_html(transcript_units, views),
        }
        paths: list[tuple[object, ...]] = [
            (name, str(store.write_dossier_file(page_key(context.partition_key), name, page.encode("utf-8"))))
            for name, page in pages.items()
        ]
    metadata = {
        "dagster/row_count": len(chunks.chunks),
        "units": len(transcript_units.units),
        "scenes": dg.MetadataValue.md(scene_table(views)),
        "files": dg.MetadataValue.md(markdown_table(("file", "path"), paths)),
    }
    return dg.Output(chunks, data_version=dg.DataVersion(chunks.digest()), metadata=metadata)


def _plan_metadata(planned: Planned, meter: CallMeter) -> dict[str, Any]:
    provenance = planned.record.provenance
    return {
        "scenes": len(planned.record.plan.ranges),
        "reused": planned.reused,
        "made_by_run": dg.MetadataValue.text(provenance.run),
        "made_by_models": dg.MetadataValue.text(", ".join(provenance.models) or "none"),
        "windows": provenance.windows,
        "prompt": dg.MetadataValue.text(provenance.prompt),
        "schema": dg.MetadataValue.text(provenance.schema_digest),
        "source_digest": dg.MetadataValue.text(planned.record.plan.source_digest),
        **meter.metadata(),
    }
