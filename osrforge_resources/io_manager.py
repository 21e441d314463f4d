"""How Dagster hands contracts to the store and back: a thin wrapper, one JSON document a partition."""

from typing import Protocol, Self, TypeVar, runtime_checkable

import dagster as dg
from pydantic import ValidationError

from osrforge_resources.failures import StoreError
from osrforge_resources.store import Store


@runtime_checkable
class Document(Protocol):
    """What the store keeps: anything with canonical bytes that can be read back."""

    def canonical_json(self) -> bytes:
        """Return the document's canonical bytes."""
        ...

    @classmethod
    def from_json(cls, data: bytes) -> Self:
        """Return the document of these bytes."""
        ...


D = TypeVar("D", bound=Document)


class DocumentIOManager(dg.IOManager):
    """Keeps each output as `<root>/assets/<asset>/<partition>.json`; an input is read as its annotated contract."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def handle_output(self, context: dg.OutputContext, obj: Document) -> None:
        """Write a materialized partition's document."""
        path = self._store.write_asset(context.asset_key.path[-1], context.partition_key, obj.canonical_json())
        context.add_output_metadata({"dagster/uri": str(path)})

    def load_input(self, context: dg.InputContext) -> object:
        """Read an upstream partition's document.

        Raises:
            StoreError: There is none, or it is not a document of the annotated contract.
        """
        contract = context.dagster_type.typing_type
        return read_document(self._store, context.asset_key.path[-1], context.partition_key, contract)


def read_document(store: Store, asset: str, partition: str, contract: type[D]) -> D:
    """Return a partition's document as `contract`.

    Raises:
        StoreError: There is none, or it is not a document of this contract.
    """
    document = find_document(store, asset, partition, contract)
    if document is None:
        raise StoreError(
            f"{asset} has no data for {partition}.",
            code="store.missing",
            remedy=f"Materialize {asset} for this partition first.",
        )
    return document


def find_document(store: Store, asset: str, partition: str, contract: type[D]) -> D | None:
    """Return a partition's document as `contract`, None if there is none.

    Raises:
        StoreError: There is one, but not of this contract (`store.contract`).
    """
    data = store.read_asset(asset, partition)
    if data is None:
        return None
    try:
        return contract.from_json(data)
    except ValidationError as error:
        raise StoreError(
            f"The {asset} document of {partition} is not what this version of osrforge writes.",
            code="store.contract",
            remedy=f"Materialize {asset} for this partition again.",
        ) from error


def usable_document(store: Store, asset: str, partition: str, contract: type[D]) -> D | None:
    """Return a partition's document as `contract`, None if there is none or it is damaged: what can be made again."""
    try:
        return find_document(store, asset, partition, contract)
    except StoreError as failure:
        if failure.code != "store.contract":
            raise
        return None
