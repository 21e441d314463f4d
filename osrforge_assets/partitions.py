"""The partition sets. Keys are slugs checked by `osrforge_resources.keys`; a level's key is `module--dungeon--3`.

Modules and levels are separate sets on purpose: Dagster has no mapping between two dynamic sets that its webserver and
daemon keep, so the survey registers levels itself and reports each level's plan (docs/architecture.md).
"""

import dagster as dg

MODULE_SET = "module"
LEVEL_SET = "level"

MODULES = dg.DynamicPartitionsDefinition(name=MODULE_SET)
LEVELS = dg.DynamicPartitionsDefinition(name=LEVEL_SET)
TRANSCRIPTS = dg.DynamicPartitionsDefinition(name="transcript")
NARRATIONS = dg.DynamicPartitionsDefinition(name="narration")

# The edge between two sets carries lineage only: no partition of one is made from a partition of the other by Dagster.
LINEAGE_ONLY = dg.SpecificPartitionsPartitionMapping([])
