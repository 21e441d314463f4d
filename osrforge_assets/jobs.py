"""Named jobs, for the launchpad and for the command.

One run cannot hold assets of two partition sets, so from PDF to dossier it is several: module, levels, module.
"""

import dagster as dg

from osrforge_assets.partitions import LEVELS, MODULES, NARRATIONS, TRANSCRIPTS

survey_modules = dg.define_asset_job(
    "survey_modules",
    selection=dg.AssetSelection.assets("page_renders", "survey_index"),
    partitions_def=MODULES,
    description="Read a module's pages and survey it; registers its levels.",
)

plan_levels = dg.define_asset_job(
    "plan_levels",
    selection=dg.AssetSelection.assets("level_plan"),
    partitions_def=LEVELS,
    description="Derive the plans of levels again, after a change of the content prompt; makes no call.",
)

rerun_levels = dg.define_asset_job(
    "rerun_levels",
    selection=dg.AssetSelection.assets("level_content"),
    partitions_def=LEVELS,
    description="Extract levels. `keys` in the config names any list of them; otherwise the launched partition.",
)

write_dossiers = dg.define_asset_job(
    "write_dossiers",
    selection=dg.AssetSelection.assets("module_contents", "module_dossier"),
    partitions_def=MODULES,
    description="Join a module's survey and finished levels into its dossier.",
)

plan_transcripts = dg.define_asset_job(
    "plan_transcripts",
    selection=dg.AssetSelection.assets("transcript_units", "scene_plan", "scene_chunks"),
    partitions_def=TRANSCRIPTS,
    description="Read a session's transcript, plan its scenes and cut it into chunks. `force` in the config plans anew.",
)

tell_narrations = dg.define_asset_job(
    "tell_narrations",
    selection=dg.AssetSelection.assets("narration_turns", "world_state"),
    partitions_def=NARRATIONS,
    description="Split a story's replies and replay its world, from the first turn that changed.",
)

ALL = [survey_modules, plan_levels, rerun_levels, write_dossiers, plan_transcripts, tell_narrations]
