"""The event vocabulary: each state event declared once, as a class of its own.

The rules text of the prompt, the JSON Schema, the validator, the reducer and the documentation are all derived from
the classes below, so a new event is one new class. Every value is absolute: an event says how things are, never how
they changed, so that the newest event about a subject is the truth about it and replaying is exact.

What does not belong here: how events are found in a reply, and how a state is stepped.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    SerializeAsAny,
    StringConstraints,
)

from osrforge_assets.contracts.base import Contract
from osrforge_resources.keys import MAX_SLUG_LENGTH, slug

EntityKind = Literal["person", "place", "thing"]

# Ids of the prompt's own example begin with this; an event that names one is the example echoed, not the story.
EXAMPLE_PREFIX = "example-"

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


def _as_slug(value: object) -> str:
    """Read an identifier as its slug, so `Old_Abbey` and `old-abbey` are one place."""
    if not isinstance(value, str):
        raise ValueError("an identifier is a short lower-case slug such as old-abbey")  # noqa: TRY004 (pydantic reports it)
    # Cutting would make two long names one entity.
    folded = slug(value) if len(value) <= MAX_SLUG_LENGTH else ""
    if not folded:
        raise ValueError(f"an identifier has 1 to {MAX_SLUG_LENGTH} Latin letters, digits and hyphens")
    return folded


def _printable(value: str) -> str:
    if _CONTROL.search(value):
        raise ValueError("text holds no control characters")
    return value


# The constraints come first, so that the JSON Schema shows them; validation folds before it checks.
Slug = Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=MAX_SLUG_LENGTH), BeforeValidator(_as_slug)]
ShortText = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=300), AfterValidator(_printable)
]


@dataclass(frozen=True, slots=True)
class Refers:
    """Marks a field that names an entity which must exist already, and of which kinds it may be."""

    kinds: tuple[EntityKind, ...]

    @property
    def said(self) -> str:
        """The kinds as a reader says them."""
        return " or ".join(self.kinds)


_ANY: tuple[EntityKind, ...] = ("person", "place", "thing")


@dataclass(frozen=True, slots=True)
class FactRule:
    """How an event stands in the state, and each conflict's one outcome.

    Attributes:
        about: The fields that say what the event is about; the state keeps one event a subject, the newest.
        first_stands: A second event about the same subject changes nothing if `agrees` is equal, and is refused if not.
        agrees: The fields that a second event must repeat.
        ends: Event types whose fact about the same subject is over once this one is accepted.
        inside: (inner, outer) fields: nothing may come to lie inside itself, directly or through others.
        differ: Fields that must not name the same entity.
        keeps: Fields that, left out, keep what the state knows.
        at_most: (smaller, larger) fields; checked after `keeps`.
        needs: Fields that must be known, from the event or from the state.
    """

    about: tuple[str, ...]
    first_stands: bool = False
    agrees: tuple[str, ...] = ()
    ends: tuple[str, ...] = ()
    inside: tuple[str, str] | None = None
    differ: tuple[str, str] | None = None
    keeps: tuple[str, ...] = ()
    at_most: tuple[str, str] | None = None
    needs: tuple[str, ...] = ()


# Filled by the class statements below, in their order, which is the order of the rules text and the documentation.
EVENT_TYPES: dict[str, type["StateEvent"]] = {}


class StateEvent(Contract):
    """The base of all events; the first line of a subclass's docstring is its line in the rules text."""

    model_config = ConfigDict(strict=True)

    # Every subclass also declares `type`, a Literal of one name with that name as its default.
    rule: ClassVar[FactRule]

    @classmethod
    def __pydantic_init_subclass__(cls, **_: Any) -> None:
        EVENT_TYPES[cls.type_name()] = cls

    @classmethod
    def type_name(cls) -> str:
        """Return the event's name on the wire."""
        return str(cls.model_fields["type"].default)

    @classmethod
    def purpose(cls) -> str:
        """Return what the event says, in one sentence."""
        return (cls.__doc__ or "").strip().partition("\n")[0]

    @classmethod
    def references(cls) -> dict[str, Refers]:
        """Return the fields that name existing entities, with the kinds each may be."""
        marks = {
            name: [mark for mark in field.metadata if isinstance(mark, Refers)]
            for name, field in cls.model_fields.items()
        }
        return {name: found[0] for name, found in marks.items() if found}

    @property
    def subject(self) -> tuple[str, ...]:
        """What the event is about: its type, then its `about` fields."""
        return (self.type_name(), *(str(getattr(self, name)) for name in self.rule.about))

    def as_written(self) -> dict[str, Any]:
        """Return the event as a model should write it: no field that it leaves open."""
        return {
            name: value
            for name, value in self.model_dump(mode="json").items()
            if value is not None or name in _NULLABLE
        }


# Fields whose null is a statement (in nobody's hands, nowhere known) and is therefore written.
_NULLABLE = frozenset({"location", "owner", "place"})


class CreateEntity(StateEvent):
    """A person, place or thing exists; everything else refers to it by `id`."""

    rule = FactRule(about=("id",), first_stands=True, agrees=("kind",))
    type: Literal["create_entity"] = "create_entity"
    id: Slug
    kind: EntityKind
    name: ShortText | None = None


class SetName(StateEvent):
    """An entity is called `name`, as the story now calls it."""

    rule = FactRule(about=("entity",))
    type: Literal["set_name"] = "set_name"
    entity: Annotated[Slug, Refers(_ANY)]
    name: ShortText


class SetCurrentLocation(StateEvent):
    """An entity is at a place; null if it is nowhere known."""

    rule = FactRule(about=("entity",), ends=("set_possession",), inside=("entity", "location"))
    type: Literal["set_current_location"] = "set_current_location"
    entity: Annotated[Slug, Refers(_ANY)]
    location: Annotated[Slug | None, Refers(("place",))]


class SetPossession(StateEvent):
    """A thing is held by a person, lies in a container or at a place, or is nobody's (null)."""

    rule = FactRule(about=("item",), ends=("set_current_location",), inside=("item", "owner"))
    type: Literal["set_possession"] = "set_possession"
    item: Annotated[Slug, Refers(("thing",))]
    owner: Annotated[Slug | None, Refers(_ANY)]


class SetCondition(StateEvent):
    """A condition of an entity (poisoned, locked, burning, dead) holds (true) or no longer holds (false)."""

    rule = FactRule(about=("entity", "condition"))
    type: Literal["set_condition"] = "set_condition"
    entity: Annotated[Slug, Refers(_ANY)]
    condition: Slug
    active: bool


class SetHitPoints(StateEvent):
    """The hit points an entity has now, and its maximum if it is told."""

    rule = FactRule(about=("entity",), keeps=("maximum",), at_most=("current", "maximum"))
    type: Literal["set_hit_points"] = "set_hit_points"
    entity: Annotated[Slug, Refers(("person", "thing"))]
    # Below zero is how many systems tell dying from dead; the bounds only keep nonsense out of the tables.
    current: int = Field(ge=-9999, le=9999)
    maximum: int | None = Field(default=None, ge=1, le=9999)


class SetDisposition(StateEvent):
    """How a person is disposed toward another entity."""

    rule = FactRule(about=("entity", "toward"), differ=("entity", "toward"))
    type: Literal["set_disposition"] = "set_disposition"
    entity: Annotated[Slug, Refers(("person",))]
    toward: Annotated[Slug, Refers(_ANY)]
    # The bands of the classic reaction roll.
    disposition: Literal["hostile", "unfriendly", "neutral", "friendly", "helpful"]


class SetKnowledge(StateEvent):
    """A person knows (true) or does not know (false) a fact, named by a slug."""

    rule = FactRule(about=("entity", "fact"), keeps=("detail",))
    type: Literal["set_knowledge"] = "set_knowledge"
    entity: Annotated[Slug, Refers(("person",))]
    fact: Slug
    knows: bool
    detail: ShortText | None = None


class SetQuestStatus(StateEvent):
    """Where a quest stands."""

    rule = FactRule(about=("quest",), keeps=("title",))
    type: Literal["set_quest_status"] = "set_quest_status"
    quest: Slug
    status: Literal["offered", "active", "completed", "failed", "abandoned"]
    title: ShortText | None = None


class SetClock(StateEvent):
    """How many segments of a progress clock are filled, out of how many."""

    rule = FactRule(about=("clock",), keeps=("segments",), needs=("segments",), at_most=("filled", "segments"))
    type: Literal["set_clock"] = "set_clock"
    clock: Slug
    filled: int = Field(ge=0, le=100)
    segments: int | None = Field(default=None, ge=1, le=100)


class SetScenePlace(StateEvent):
    """The place where the scene now plays; null if nowhere known."""

    rule = FactRule(about=())
    type: Literal["set_scene_place"] = "set_scene_place"
    place: Annotated[Slug | None, Refers(("place",))]


class SetSceneTime(StateEvent):
    """When the scene now plays, in the story's own terms."""

    rule = FactRule(about=())
    type: Literal["set_scene_time"] = "set_scene_time"
    time: ShortText


def read_event(value: object) -> StateEvent:
    """Return the event that a decoded JSON object says.

    Raises:
        ValueError: It is no object of a known type, or (as pydantic.ValidationError) its fields are not that type's.
    """
    if isinstance(value, StateEvent):
        return value
    name = value.get("type") if isinstance(value, Mapping) else None
    if not isinstance(name, str) or name not in EVENT_TYPES:
        raise ValueError("an event is an object with a known `type`")
    return EVENT_TYPES[name].model_validate(value)


# An event of any type, inside a document: written with all its own fields, read by its `type`.
AnyEvent = Annotated[SerializeAsAny[StateEvent], PlainValidator(read_event)]
