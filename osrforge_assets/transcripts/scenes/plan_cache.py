"""Accepted plans, kept by source digest alone: no prompt, schema, model or setting makes a plan another one.

A plan is somebody's reference once it is accepted; only a forced plan or a new cache format replaces it.
"""

import hashlib
import json

from pydantic import ValidationError

from osrforge_assets.contracts.scenes import PLAN_CACHE_FORMAT, PlanRecord
from osrforge_assets.contracts.transcript import TranscriptUnits
from osrforge_assets.transcripts.failures import ScenePlanError
from osrforge_assets.transcripts.scenes.ranges import checked_ranges
from osrforge_resources.store import Store

_CACHE = "scene_plan_cache"


def find_plan(store: Store, transcript: TranscriptUnits) -> PlanRecord | None:
    """Return the accepted plan of a document, None where there is none of the present format.

    A record that cannot be read or does not divide the document is none: the plan is made anew and replaces it.
    """
    data = store.read_asset(_CACHE, transcript.source_digest)
    if data is None:
        return None
    try:
        # The version is read before the rest, which an older format may have had otherwise.
        if json.loads(data).get("format_version") != PLAN_CACHE_FORMAT:
            return None
        record = PlanRecord.from_json(data)
        checked_ranges(record.plan.ranges, [unit.id for unit in transcript.units])
    except (ValueError, ValidationError, AttributeError, ScenePlanError):
        return None
    return record if record.plan.source_digest == transcript.source_digest else None


def keep_plan(store: Store, record: PlanRecord) -> None:
    """Keep an accepted plan under its source digest."""
    store.write_asset(_CACHE, record.plan.source_digest, record.canonical_json())


def text_digest(value: object) -> str:
    """Return the digest of a prompt or schema: provenance, never part of a key."""
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True)
    return hashlib.sha256(text.encode("utf-8")).hexdigest()
