"""Every contract of the module lane: frozen, closed, and one value has one spelling on disk."""

import enum
import importlib
import json
import types
import typing

import annotated_types as at
import pydantic
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic.fields import FieldInfo

from osrforge_assets.contracts.base import Contract

MODULES = [
    importlib.import_module(f"osrforge_assets.contracts.{name}")
    for name in ("flags", "pages", "survey", "level", "dossier")
]
CONTRACTS = sorted(
    {
        value
        for module in MODULES
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, Contract) and value is not Contract
    },
    key=lambda contract: contract.__name__,
)
# Lone surrogates are refused by pydantic and cleaned out of every answer; everything else may be printed.
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


def values_of(contract: type[Contract]) -> st.SearchStrategy[Contract]:
    """Return valid values of a contract, derived from its own annotations."""
    return st.builds(contract, **{name: _field(field) for name, field in contract.model_fields.items()})


def _field(field: FieldInfo) -> st.SearchStrategy[object]:
    limits = {type(item): item for item in field.metadata}
    pattern = next((item.pattern for item in field.metadata if getattr(item, "pattern", None)), None)
    return _annotation(field.annotation, limits, pattern)


def _annotation(  # noqa: PLR0911  one case a kind of annotation
    annotation: object, limits: dict[type, object], pattern: str | None
) -> st.SearchStrategy[object]:
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (types.UnionType, typing.Union):
        return st.one_of(*(_annotation(argument, limits, pattern) for argument in arguments))
    if origin is typing.Literal:
        return st.sampled_from(arguments)
    if origin is tuple:
        shortest = getattr(limits.get(at.MinLen), "min_length", 0)
        return st.lists(_annotation(arguments[0], {}, None), min_size=shortest, max_size=3).map(tuple)
    if annotation is type(None):
        return st.none()
    if annotation is bool:
        return st.booleans()
    if annotation is int:
        lowest = getattr(limits.get(at.Ge), "ge", None)
        return st.integers(lowest, getattr(limits.get(at.Le), "le", None))
    if annotation is float:
        return st.floats(0, 1)
    if annotation is str:
        return st.from_regex(pattern.removesuffix("$") + r"\Z") if pattern else TEXT
    assert isinstance(annotation, type)
    return st.sampled_from(annotation) if issubclass(annotation, enum.Enum) else values_of(annotation)


@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda contract: contract.__name__)
@given(data=st.data())
@settings(max_examples=15, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
def test_a_value_is_read_as_it_was_written_and_has_one_spelling(contract: type[Contract], data: st.DataObject):
    value = data.draw(values_of(contract))
    written = value.canonical_json()
    assert contract.from_json(written) == value
    assert contract.from_json(written).canonical_json() == written
    assert contract.from_json(written).digest() == value.digest()
    plain = json.loads(written)
    assert written == json.dumps(plain, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"


@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda contract: contract.__name__)
@given(data=st.data())
@settings(max_examples=3, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
def test_a_value_can_neither_be_changed_nor_hold_an_unknown_field(contract: type[Contract], data: st.DataObject):
    value = data.draw(values_of(contract))
    field = next(iter(contract.model_fields))
    with pytest.raises(pydantic.ValidationError, match="frozen"):
        setattr(value, field, getattr(value, field))
    with pytest.raises(pydantic.ValidationError, match=r"[Ee]xtra"):
        contract.model_validate(value.model_dump() | {"colour": "red"})


@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda contract: contract.__name__)
def test_every_field_of_a_contract_is_documented(contract: type[Contract]):
    attributes = (contract.__doc__ or "").partition("Attributes:")[2]
    own = [name for name in contract.model_fields if name != "schema_version"]
    assert [name for name in own if f" {name}:" not in attributes] == []


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b"null", b"{}", b"\xff\xfe", b'{"code": "no_such_code"}'])
def test_bytes_of_something_else_are_no_document(damage: bytes):
    for contract in CONTRACTS:
        required = any(field.is_required() for field in contract.model_fields.values())
        if required or damage != b"{}":
            with pytest.raises(pydantic.ValidationError):
                contract.from_json(damage)
