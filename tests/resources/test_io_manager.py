"""Contracts through Dagster into the store and back."""

from pathlib import Path

import dagster as dg
import pytest
from upath import UPath

from osrforge_assets.contracts.survey import Town
from osrforge_resources.failures import InvalidKeyError, StoreError
from osrforge_resources.io_manager import DocumentIOManager, find_document, read_document
from osrforge_resources.store import Store

MODULES = dg.StaticPartitionsDefinition(["a", "b"])
SEEN: list[Town] = []


@dg.asset(partitions_def=MODULES, io_manager_key="documents")
def town(context: dg.AssetExecutionContext) -> Town:
    return Town(name=f"Town {context.partition_key}")


@dg.asset(partitions_def=MODULES, io_manager_key="documents")
def visit(town: Town) -> Town:
    SEEN.append(town)
    return town


@pytest.mark.parametrize("root", ["memory://io-manager-test", "folder"])
def test_a_document_goes_down_as_canonical_json_and_comes_back_as_its_contract(root: str, tmp_path: Path):
    store = Store(UPath(root) if root.startswith("memory") else tmp_path / root)
    SEEN.clear()
    result = dg.materialize([town, visit], partition_key="a", resources={"documents": DocumentIOManager(store)})
    assert result.success
    assert Town(name="Town a") == SEEN[0]
    assert store.read_asset("town", "a") == b'{"description":"","name":"Town a","services":[]}\n'


def test_a_document_that_is_not_there_names_what_to_materialize(tmp_path: Path):
    store = Store(tmp_path)
    assert find_document(store, "town", "a", Town) is None
    with pytest.raises(StoreError, match=r"store\.missing.*Materialize town"):
        read_document(store, "town", "a", Town)


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b'{"name": "x", "mayor": "y"}', b"\xff\xfe"])
def test_a_damaged_document_is_an_expected_failure(tmp_path: Path, data: bytes):
    store = Store(tmp_path)
    store.write_asset("town", "a", data)
    with pytest.raises(StoreError) as caught:
        read_document(store, "town", "a", Town)
    assert caught.value.code == "store.contract"


def test_a_partition_key_that_is_a_path_never_reaches_storage(tmp_path: Path):
    with pytest.raises(InvalidKeyError):
        read_document(Store(tmp_path), "town", "../town", Town)
