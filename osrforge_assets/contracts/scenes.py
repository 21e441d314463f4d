"""Scene plans and chunks: where a session's scenes begin and end, and nothing else about them.

What a scene is called, who is in it and how sure anybody is are other artifacts' matters, so the annotations are here
only to stay empty.
"""

from typing import Annotated, Literal

from pydantic import Field

from osrforge_assets.contracts.base import Contract

Sha256 = str

# Part of the wire format of the plan cache: raise it when a stored plan can no longer be taken as it is. Records of any
# other version are made anew once. Prompt and schema are provenance and never a reason to raise it.
PLAN_CACHE_FORMAT = 1

NoAnnotations = Annotated[dict[str, str], Field(max_length=0)]


class SceneRange(Contract):
    """A scene: an inclusive range of unit ids, in the order of the source document."""

    start_unit_id: int = Field(ge=1, strict=True)
    end_unit_id: int = Field(ge=1, strict=True)
    annotations: NoAnnotations = Field(default_factory=dict)


class ScenePlan(Contract):
    """An accepted plan: contiguous ranges whose union is the source.

    Attributes:
        source_digest: Digest of the source document it divides.
        ranges: In source order, at least one.
        annotations: Always empty.
    """

    schema_version: Literal[1] = 1
    source_digest: Sha256
    ranges: tuple[SceneRange, ...] = Field(min_length=1)
    annotations: NoAnnotations = Field(default_factory=dict)


class PlanProvenance(Contract):
    """How a plan came to be; never part of its identity.

    Attributes:
        run: The run that made it.
        models: Models that answered, sorted; empty where none was asked.
        prompt: Digest of the rules text.
        schema_digest: Digest of the reply schema.
        windows: How many windows were asked.
    """

    run: str
    models: tuple[str, ...]
    prompt: Sha256
    schema_digest: Sha256
    windows: int = Field(ge=0)


class PlanRecord(Contract):
    """A plan in the cache.

    Attributes:
        format_version: The cache format it was written in.
        plan: The accepted plan.
        provenance: How it came to be.
    """

    format_version: int
    plan: ScenePlan
    provenance: PlanProvenance


class SceneChunk(Contract):
    """A materialized scene.

    Attributes:
        id: Deterministic: the first 12 hex digits of the source digest, and the index.
        index: 0-based position.
        start_unit_id: First unit.
        end_unit_id: Last unit.
        unit_ids: All units, in source order.
        annotations: Always empty.
    """

    id: str
    index: int = Field(ge=0)
    start_unit_id: int = Field(ge=1)
    end_unit_id: int = Field(ge=1)
    unit_ids: tuple[int, ...] = Field(min_length=1)
    annotations: NoAnnotations = Field(default_factory=dict)


class SceneChunks(Contract):
    """A session cut into its scenes; the concatenation of the chunks' units is the source.

    Attributes:
        session: The session's partition key.
        source_digest: Digest of the source document.
        chunks: In source order.
        plan_annotations: Always empty.
    """

    schema_version: Literal[1] = 1
    session: str
    source_digest: Sha256
    chunks: tuple[SceneChunk, ...] = Field(min_length=1)
    plan_annotations: NoAnnotations = Field(default_factory=dict)
