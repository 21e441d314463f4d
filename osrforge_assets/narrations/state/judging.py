"""One proposed event against one state: accepted with what it leaves open filled in, or refused with a reason.

The one outcome of each conflict is declared with the event (`FactRule`); this file carries the declarations out, and
`conflict_table` prints them. What does not belong here: how many events make a turn, and how turns make a history.
"""

from collections.abc import Iterator, Mapping
from heapq import nsmallest
from typing import Any

from pydantic import ValidationError

from osrforge_assets.contracts.narration import EVENT_TYPES, EXAMPLE_PREFIX, StateEvent, read_event
from osrforge_assets.contracts.narration_turns import Refusal, RefusalCode
from osrforge_assets.narrations.turns.prompt import field_values

# A state while it is stepped: the newest event about each subject.
Facts = Mapping[tuple[str, ...], StateEvent]

# A reason is read by a small model; more choices than this are no help to it.
MAX_CHOICES = 20

# Rows of the table of conflicts: what happens, and its one outcome. The codes of refusals are in the order of judging.
CONFLICTS: tuple[tuple[str, str], ...] = (
    ("several blocks in one reply", "their events are judged one after the other as written; the last value stands"),
    ("an entry that is no object", f"refused ({RefusalCode.NOT_AN_OBJECT})"),
    (
        "an invented event type",
        f"refused ({RefusalCode.UNKNOWN_TYPE}) with the list of types; the block's others stand",
    ),
    ("an unknown, missing or ill-typed field", f"refused ({RefusalCode.INVALID_FIELDS}) with the fields of that type"),
    ("an identifier in other spelling (`Old_Abbey`)", "read as its slug (`old-abbey`)"),
    ("an id of the prompt's example", f"refused ({RefusalCode.EXAMPLE_ECHOED}): the example was echoed"),
    ("a name for an entity never created", f"refused ({RefusalCode.UNKNOWN_ENTITY}); creating it later does not help"),
    (
        "an entity of the wrong kind, as a location that is no place",
        f"refused ({RefusalCode.WRONG_KIND}) with the legal ids",
    ),
    ("a person disposed toward themselves", f"refused ({RefusalCode.SAME_ENTITY})"),
    (
        "an owner that is the item, a place inside itself, a chest in its own content",
        f"refused ({RefusalCode.INSIDE_ITSELF})",
    ),
    (
        "create_entity for a known id of the same kind",
        "accepted, changes nothing; the first name stands (set_name renames)",
    ),
    ("create_entity for a known id of another kind", f"refused ({RefusalCode.KIND_CONFLICT})"),
    ("a current value above its maximum", f"refused ({RefusalCode.ABOVE_LIMIT})"),
    ("a maximum, title, detail or number of segments left out", "the known one stays"),
    ("a clock whose number of segments was never told", f"refused ({RefusalCode.VALUE_NEEDED})"),
    ("possession to nobody (`null`)", "accepted: the thing is nobody's and its location is unknown"),
    ("a location for a thing that someone holds", "accepted: it is put down there and the possession ends"),
    ("a possession for a thing that lies somewhere", "accepted: it is taken up and its own location ends"),
    ("more than 1,000 events in one turn", f"those beyond are refused ({RefusalCode.TOO_MANY_EVENTS})"),
    ("the value that already stands", "accepted, changes nothing"),
)


class RefusedError(Exception):
    """A refusal on its way out of the judging of one event."""

    def __init__(self, code: RefusalCode, reason: str, choices: tuple[str, ...] = ()) -> None:
        super().__init__(reason)
        self.code, self.reason, self.choices = code, reason, choices[:MAX_CHOICES]


def conflict_table() -> list[tuple[str, str]]:
    """Return the table of conflicts: what happens, and its one outcome."""
    return list(CONFLICTS)


def judge(proposed: Any, facts: Facts) -> StateEvent | Refusal:
    """Return the event as it will stand in the state, or why it will not."""
    try:
        return _accepted(_valid(proposed), facts)
    except RefusedError as refused:
        return Refusal(proposed=proposed, code=refused.code, reason=refused.reason, choices=refused.choices)


def _valid(proposed: Any) -> StateEvent:
    if isinstance(proposed, StateEvent):
        return proposed
    if not isinstance(proposed, dict):
        raise RefusedError(RefusalCode.NOT_AN_OBJECT, 'An event is a JSON object with a "type".')
    name = proposed.get("type")
    if not isinstance(name, str) or name not in EVENT_TYPES:
        types = tuple(EVENT_TYPES)
        said = f"There is no event {_quoted(name)}" if isinstance(name, str) else 'An event needs a "type"'
        raise RefusedError(RefusalCode.UNKNOWN_TYPE, f"{said}; use one of {', '.join(types)}.", types)
    try:
        return read_event(proposed)
    except ValidationError as error:
        event = EVENT_TYPES[name]
        problems = "; ".join(_problem(entry) for entry in error.errors(include_url=False, include_input=False)[:4])
        fields = {field: field_values(event, field) for field in event.model_fields if field != "type"}
        legal = ", ".join(f"{field} ({values})" for field, values in fields.items())
        reason = f"{name}: {problems}. Its fields are {legal}."
        raise RefusedError(RefusalCode.INVALID_FIELDS, reason, tuple(fields)) from None


def _problem(entry: Mapping[str, Any]) -> str:
    field = _quoted(".".join(str(part) for part in entry["loc"]) or "event")
    kind = entry["type"]
    if kind == "extra_forbidden":
        return f"there is no field {field}"
    if kind == "missing":
        return f"{field} is missing"
    return f"{field}: {str(entry['msg']).removeprefix('Value error, ').removeprefix('Input ')}"


def _accepted(event: StateEvent, facts: Facts) -> StateEvent:
    rule = event.rule
    _check_example(event)
    _check_references(event, facts)
    if rule.differ and getattr(event, rule.differ[0]) == getattr(event, rule.differ[1]):
        raise RefusedError(
            RefusalCode.SAME_ENTITY, f"{event.type_name()}: {rule.differ[0]} and {rule.differ[1]} must be two entities."
        )
    _check_inside(event, facts)
    known = facts.get(event.subject)
    if known is not None and rule.first_stands:
        for field in rule.agrees:
            if (stands := getattr(known, field)) != getattr(event, field):
                said = f"{' '.join(event.subject[1:])} is a {stands} already"
                raise RefusedError(RefusalCode.KIND_CONFLICT, f"{said}; choose another id.", (str(stands),))
        return known
    return _filled(event, known)


def _check_example(event: StateEvent) -> None:
    values = [getattr(event, field) for field in (*event.rule.about, *event.references())]
    if any(isinstance(value, str) and value.startswith(EXAMPLE_PREFIX) for value in values):
        reason = (
            f"{event.type_name()} repeats the example of the instructions; send only what your own narration made true."
        )
        raise RefusedError(RefusalCode.EXAMPLE_ECHOED, reason)


def _check_references(event: StateEvent, facts: Facts) -> None:
    for field, reference in event.references().items():
        entity = getattr(event, field)
        if entity is None:
            continue
        kind = kind_of(entity, facts)
        if kind in reference.kinds:
            continue
        legal = tuple(_ids(facts, reference.kinds))
        listed = f"known: {', '.join(legal)}" if legal else f"there is no {reference.said} yet"
        if kind is None:
            reason = f"{event.type_name()}: {field} {entity} was never created; create it first, or use a known id ({listed})."
            raise RefusedError(RefusalCode.UNKNOWN_ENTITY, reason, legal)
        reason = f"{event.type_name()}: {field} {entity} is a {kind}, but has to be a {reference.said} ({listed})."
        raise RefusedError(RefusalCode.WRONG_KIND, reason, legal)


def _check_inside(event: StateEvent, facts: Facts) -> None:
    if event.rule.inside is None:
        return
    inner, outer = (getattr(event, field) for field in event.rule.inside)
    if inner in enclosing(outer, facts):
        how = "itself" if inner == outer else f"{outer}, which is inside it"
        raise RefusedError(RefusalCode.INSIDE_ITSELF, f"{event.type_name()}: {inner} cannot be inside {how}.")


def _filled(event: StateEvent, known: StateEvent | None) -> StateEvent:
    """Return the event with what it leaves open taken from the state."""
    rule = event.rule
    if known is not None:
        kept = {field: getattr(known, field) for field in rule.keeps if getattr(event, field) is None}
        event = event.model_copy(update=kept) if kept else event
    for field in rule.needs:
        if getattr(event, field) is None:
            raise RefusedError(
                RefusalCode.VALUE_NEEDED, f"{event.type_name()}: {field} was never told; send it once.", (field,)
            )
    if rule.at_most:
        smaller, larger = (getattr(event, field) for field in rule.at_most)
        if larger is not None and smaller > larger:
            reason = f"{event.type_name()}: {rule.at_most[0]} {smaller} is above {rule.at_most[1]} {larger}."
            raise RefusedError(RefusalCode.ABOVE_LIMIT, reason, (str(larger),))
    return event


# What a state says, as far as judging needs it ------------------------------------------------------------------------


def kind_of(entity: str, facts: Facts) -> str | None:
    """Return an entity's kind, None if it was never created."""
    created = facts.get(("create_entity", entity))
    return str(getattr(created, "kind", "")) if created is not None else None


def enclosing(entity: str | None, facts: Facts) -> Iterator[str]:
    """Yield an entity, what it lies in or who holds it, and so on outwards."""
    while entity is not None:
        yield entity
        outer = None
        for name, event in EVENT_TYPES.items():
            if event.rule.inside and (fact := facts.get((name, entity))):
                outer = getattr(fact, event.rule.inside[1]) or outer
        entity = outer


def _ids(facts: Facts, kinds: tuple[str, ...]) -> list[str]:
    created = (fact for subject, fact in facts.items() if subject[0] == "create_entity")
    # By name, not by age: a world that was taken over from a document has lost the order its facts came in.
    return nsmallest(MAX_CHOICES, (fact.subject[1] for fact in created if getattr(fact, "kind", "") in kinds))


def _quoted(text: str) -> str:
    return "".join(char if char.isprintable() else "?" for char in text[:60])
