"""The store: one owner of every path, old value or new, on a folder and in memory alike."""

import hashlib
import importlib.util
import os
import signal
import stat
import subprocess
import sys
import textwrap
import threading
import time
import uuid
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osrforge_resources import store as store_module
from osrforge_resources.failures import InvalidKeyError, MisuseError, StoreError
from osrforge_resources.store import BlobKind, Store

OLD, NEW = b"o" * 3_000_000, b"n" * 3_000_000
CHECKOUT = Path(__file__).parents[2]


@pytest.fixture(params=["folder", "file URL", "memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    roots = {
        "folder": tmp_path / "a store",
        "file URL": f"file://{tmp_path}/store",
        "memory": f"memory://{uuid.uuid4().hex}",
    }
    return Store(roots[request.param])


@pytest.fixture
def local(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


def _child(code: str, *arguments: object) -> subprocess.Popen[bytes]:
    script = "import sys\nfrom osrforge_resources.store import BlobKind, Store\n" + textwrap.dedent(code)
    command = [sys.executable, "-c", script, *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=CHECKOUT)


# Documents ---------------------------------------------------------------------------------------------------------


def test_a_document_is_read_as_it_was_written(store: Store):
    store.write_asset("survey_index", "the-crypt", b"one")
    store.write_asset("survey_index", "the-crypt", b"two")
    assert store.read_asset("survey_index", "the-crypt") == b"two"
    assert store.read_asset("survey_index", "another") is None
    assert store.read_asset("level_plan", "the-crypt") is None


def test_a_document_lies_under_its_asset_and_partition(local: Store):
    path = local.write_asset("level_plan", "the-crypt--vault--2", b"{}")
    assert Path(str(path)) == Path(str(local.root)) / "assets" / "level_plan" / "the-crypt--vault--2.json"


def test_an_assets_partitions_are_listed_sorted_and_other_files_are_not_among_them(local: Store):
    for key in ("b", "a--x--10", "a--x--2"):
        local.write_asset("level_plan", key, b"{}")
    folder = Path(str(local.asset_path("level_plan", "b"))).parent
    for stray in (".b.json.123.part", "Copy of b.json", "notes.txt"):
        (folder / stray).write_bytes(b"")
    assert local.asset_partitions("level_plan") == ["a--x--10", "a--x--2", "b"]
    assert local.asset_partitions("level_content") == []


def test_partitions_are_listed_in_memory_too(store: Store):
    store.write_asset("level_plan", "a--x--2", b"{}")
    assert store.asset_partitions("level_plan") == ["a--x--2"]


def test_a_retired_document_is_gone_and_can_be_brought_back(store: Store):
    store.write_asset("level_content", "m--d--1", b"paid for")
    assert store.retire_asset("level_content", "m--d--1")
    assert store.read_asset("level_content", "m--d--1") is None
    assert store.asset_partitions("level_content") == []
    assert store.restore_asset("level_content", "m--d--1")
    assert store.read_asset("level_content", "m--d--1") == b"paid for"


def test_a_restored_document_never_replaces_a_newer_one(store: Store):
    store.write_asset("level_content", "m--d--1", b"old")
    store.retire_asset("level_content", "m--d--1")
    store.write_asset("level_content", "m--d--1", b"new")
    assert not store.restore_asset("level_content", "m--d--1")
    assert store.read_asset("level_content", "m--d--1") == b"new"


def test_nothing_can_be_retired_or_restored_that_never_was(store: Store):
    assert not store.retire_asset("level_content", "m--d--1")
    assert not store.restore_asset("level_content", "m--d--1")


@pytest.mark.parametrize("key", ["../x", "/etc/passwd", "a/b", "", "A", "a.json", "a\x00b", "..", "a" * 201])
def test_a_key_outside_the_grammar_never_touches_storage(store: Store, key: str):
    for use in (
        lambda: store.write_asset("survey_index", key, b""),
        lambda: store.read_asset("survey_index", key),
        lambda: store.retire_asset("survey_index", key),
        lambda: store.restore_asset("survey_index", key),
        lambda: store.write_dossier_file(key, "dossier.json", b""),
        lambda: store.dossier_files(key),
        lambda: store.prune_dossier(key, set()),
        lambda: store.lock(key).__enter__(),
    ):
        with pytest.raises(InvalidKeyError):
            use()
    assert not store.root.exists() or not list(store.root.iterdir())


@pytest.mark.parametrize("asset", ["", "..", "a/b", "a b", "ä", "_"])
def test_an_assets_name_is_a_word(store: Store, asset: str):
    with pytest.raises(MisuseError):
        store.write_asset(asset, "m", b"")


# Blobs -------------------------------------------------------------------------------------------------------------


def test_a_blob_lies_under_its_own_digest_and_is_kept_once(store: Store):
    address = store.put_blob(BlobKind.IMAGE, b"pixels")
    assert address == hashlib.sha256(b"pixels").hexdigest()
    assert store.put_blob(BlobKind.IMAGE, b"pixels") == address
    assert store.get_blob(BlobKind.IMAGE, address) == b"pixels"
    assert store.blob_path(BlobKind.IMAGE, address).name == f"{address}.png"


def test_a_known_blob_costs_no_write(local: Store):
    path = local.blob_path(BlobKind.IMAGE, local.put_blob(BlobKind.IMAGE, b"pixels"))
    before = path.stat()
    local.put_blob(BlobKind.IMAGE, b"pixels")
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


@given(data=st.binary(max_size=200), kind=st.sampled_from(BlobKind))
def test_any_bytes_come_back_as_they_were(data: bytes, kind: BlobKind):
    store = Store("memory://any-bytes")
    assert store.get_blob(kind, store.put_blob(kind, data)) == data


def test_kinds_do_not_mix(store: Store):
    address = store.put_blob(BlobKind.TEXT, b"words")
    with pytest.raises(StoreError) as missing:
        store.get_blob(BlobKind.LAYER, address)
    assert missing.value.code == "store.blob_missing"


def test_a_damaged_blob_is_never_handed_out_and_a_cut_one_heals(store: Store):
    address = store.put_blob(BlobKind.TEXT, b"words")
    store.blob_path(BlobKind.TEXT, address).write_bytes(b"w0rds")
    with pytest.raises(StoreError) as damaged:
        store.get_blob(BlobKind.TEXT, address)
    assert damaged.value.code == "store.blob_damaged"
    store.blob_path(BlobKind.TEXT, address).write_bytes(b"wor")
    store.put_blob(BlobKind.TEXT, b"words")
    assert store.get_blob(BlobKind.TEXT, address) == b"words"


@pytest.mark.parametrize("address", ["", "../" * 21 + "x", "A" * 64, "a" * 63, "a" * 65, "g" * 64, "a" * 63 + "\n"])
def test_only_a_sha256_is_an_address(store: Store, address: str):
    with pytest.raises(MisuseError):
        store.blob_path(BlobKind.TEXT, address)


def test_a_record_lies_under_the_digest_of_what_it_was_made_from(store: Store):
    address = "a" * 64
    assert store.get_record(BlobKind.PAGE, address) is None
    store.put_record(BlobKind.PAGE, address, b"first")
    store.put_record(BlobKind.PAGE, address, b"second", replace=False)
    assert store.get_record(BlobKind.PAGE, address) == b"first"
    store.put_record(BlobKind.PAGE, address, b"second")
    assert store.get_record(BlobKind.PAGE, address) == b"second"


# Dossier files -----------------------------------------------------------------------------------------------------


def test_a_dossiers_files_are_listed_and_those_of_an_older_one_pruned(store: Store):
    for name in ("dossier.json", "levels/vault-level-1.md", "levels/vault-level-2.md", "tables/areas.csv"):
        store.write_dossier_file("the-crypt", name, b"x")
    store.write_dossier_file("another", "dossier.json", b"x")
    store.prune_dossier("the-crypt", {"dossier.json", "levels/vault-level-1.md"})
    assert [path.name for path in store.dossier_files("the-crypt")] == ["dossier.json", "vault-level-1.md"]
    assert len(store.dossier_files("another")) == 1
    assert store.dossier_files("no-such-module") == []
    store.prune_dossier("no-such-module", set())


def test_pruning_leaves_a_file_alone_that_another_process_is_just_writing(local: Store):
    folder = Path(str(local.write_dossier_file("the-crypt", "dossier.json", b"x"))).parent
    fresh, old = folder / ".dossier.json.1.part", folder / ".dossier.json.2.part"
    for part in (fresh, old):
        part.write_bytes(b"half")
    two_hours_ago = time.time() - 7_200
    os.utime(old, (two_hours_ago, two_hours_ago))
    local.prune_dossier("the-crypt", {"dossier.json"})
    assert (fresh.exists(), old.exists()) == (True, False)
    assert [path.name for path in local.dossier_files("the-crypt")] == ["dossier.json"]


@pytest.mark.parametrize(
    "name", ["", "..", "../x", "a/b/c", "/x", "a/", ".hidden", "a/.x", "Ä.md", "a b", "a\\b", "x" * 201, "a\n"]
)
def test_a_dossier_files_name_is_plain(store: Store, name: str):
    with pytest.raises(MisuseError):
        store.write_dossier_file("the-crypt", name, b"")


# Old or new --------------------------------------------------------------------------------------------------------


def test_a_process_killed_while_writing_leaves_the_old_value_or_the_new_one(local: Store):
    local.write_asset("survey_index", "the-crypt", OLD)
    code = """
    store = Store(sys.argv[1])
    print("writing", flush=True)
    while True:
        store.write_asset("survey_index", "the-crypt", b"n" * 3_000_000)
        store.write_asset("survey_index", "the-crypt", b"o" * 3_000_000)
    """
    for pause in (0.0, 0.003, 0.011, 0.02, 0.037):
        writer = _child(code, local.root)
        assert writer.stdout is not None
        assert writer.stdout.readline() == b"writing\n"
        time.sleep(pause)
        writer.send_signal(signal.SIGKILL)
        writer.communicate(timeout=30)
        assert local.read_asset("survey_index", "the-crypt") in {OLD, NEW}
        assert local.asset_partitions("survey_index") == ["the-crypt"]


def test_a_process_killed_between_the_bytes_and_the_rename_leaves_the_old_value(local: Store):
    local.write_asset("survey_index", "the-crypt", OLD)
    code = """
    import os, signal
    os.fsync = lambda descriptor: os.kill(os.getpid(), signal.SIGKILL)
    Store(sys.argv[1]).write_asset("survey_index", "the-crypt", b"n" * 3_000_000)
    """
    writer = _child(code, local.root)
    writer.communicate(timeout=30)
    assert writer.returncode == -signal.SIGKILL
    assert local.read_asset("survey_index", "the-crypt") == OLD
    local.write_asset("survey_index", "the-crypt", NEW)
    assert local.read_asset("survey_index", "the-crypt") == NEW


def test_a_reader_never_sees_half_a_document(local: Store):
    local.write_asset("survey_index", "the-crypt", OLD)
    stop = threading.Event()

    def write() -> None:
        while not stop.is_set():
            local.write_asset("survey_index", "the-crypt", NEW)
            local.write_asset("survey_index", "the-crypt", OLD)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        assert {local.read_asset("survey_index", "the-crypt") for _ in range(60)} <= {OLD, NEW}
    finally:
        stop.set()
        writer.join()


def test_a_full_disk_is_a_store_error_and_keeps_the_old_value(local: Store):
    pytest.importorskip("resource", reason="file size limits are a POSIX matter")
    local.write_asset("survey_index", "the-crypt", OLD)
    code = """
    import resource
    from osrforge_resources.failures import StoreError
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
    try:
        Store(sys.argv[1]).write_asset("survey_index", "the-crypt", b"n" * 3_000_000)
    except StoreError as failure:
        print(failure.code)
    """
    out, errors = _child(code, local.root).communicate(timeout=30)
    assert (out.strip(), errors) == (b"store.io", b"")
    assert local.read_asset("survey_index", "the-crypt") == OLD
    assert [path.name for path in local.root.joinpath("assets", "survey_index").iterdir()] == ["the-crypt.json"]


def test_a_root_that_cannot_be_written_is_a_store_error_that_names_the_place(tmp_path: Path):
    (tmp_path / "store").write_bytes(b"a file where a folder should be")
    store = Store(tmp_path / "store")
    for use in (
        lambda: store.write_asset("survey_index", "m", b""),
        lambda: store.put_blob(BlobKind.TEXT, b""),
        lambda: store.lock("m").__enter__(),
    ):
        with pytest.raises(StoreError) as refused:
            use()
        assert refused.value.code == "store.io"
        assert str(tmp_path) in refused.value.message


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_folder_is_a_store_error(local: Store):
    folder = Path(str(local.write_asset("survey_index", "m", OLD))).parent
    folder.chmod(0o500)
    try:
        with pytest.raises(StoreError):
            local.write_asset("survey_index", "m", NEW)
    finally:
        folder.chmod(0o700)
    assert local.read_asset("survey_index", "m") == OLD


def test_a_folder_where_a_document_should_be_is_a_store_error(local: Store):
    Path(str(local.asset_path("survey_index", "m"))).mkdir(parents=True)
    with pytest.raises(StoreError):
        local.read_asset("survey_index", "m")
    with pytest.raises(StoreError):
        local.write_asset("survey_index", "m", b"")


@pytest.mark.skipif(os.name != "posix", reason="file modes are a POSIX matter")
def test_a_documents_mode_follows_the_umask(local: Store):
    before = os.umask(0o022)
    try:
        path = Path(str(local.write_asset("survey_index", "m", b"")))
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o644


# Locks -------------------------------------------------------------------------------------------------------------

COUNT_TO_TEN = """
store = Store(sys.argv[1])
print("ready", flush=True)
for _ in range(10):
    with store.lock("contents--m"):
        count = int(store.read_asset("module_contents", "m"))
        store.write_asset("module_contents", "m", b"%d" % (count + 1))
"""


def test_a_lock_holds_across_processes(local: Store):
    local.write_asset("module_contents", "m", b"0")
    children = [_child(COUNT_TO_TEN, local.root) for _ in range(3)]
    for child in children:
        _, errors = child.communicate(timeout=60)
        assert errors == b""
    assert local.read_asset("module_contents", "m") == b"30"


def test_a_lock_holds_across_threads(store: Store):
    store.write_asset("module_contents", "m", b"0")

    def count() -> None:
        for _ in range(10):
            with Store(store.root).lock("contents--m"):
                number = int(store.read_asset("module_contents", "m") or b"")
                time.sleep(0)
                store.write_asset("module_contents", "m", b"%d" % (number + 1))

    threads = [threading.Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert store.read_asset("module_contents", "m") == b"40"


def test_a_lock_of_a_killed_process_is_free(local: Store):
    code = """
    import time
    with Store(sys.argv[1]).lock("m"):
        print("held", flush=True)
        time.sleep(60)
    """
    holder = _child(code, local.root)
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"held\n"
    holder.kill()
    holder.communicate(timeout=30)
    with local.lock("m"):
        pass


def test_who_holds_a_lock_may_take_it_again_and_locks_of_other_names_are_free(store: Store):
    with store.lock("m"), Store(store.root).lock("m"), store.lock("n"):
        pass
    with store.lock("m"):
        pass


def test_a_failure_inside_a_lock_passes_through_and_frees_it(store: Store):
    with pytest.raises(KeyError), store.lock("m"):
        raise KeyError("a bug")
    with store.lock("m"):
        pass


def test_a_lock_that_stays_held_ends_in_a_store_error(local: Store, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(store_module, "_LOCK_SECONDS", 0.2)
    code = """
    import time
    with Store(sys.argv[1]).lock("held-elsewhere"):
        print("held", flush=True)
        time.sleep(60)
    """
    holder = _child(code, local.root)
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(StoreError) as refused, local.lock("held-elsewhere"):
            pass
        assert refused.value.code == "store.locked"
    finally:
        holder.kill()
        holder.communicate(timeout=30)
    with local.lock("held-elsewhere"):
        pass


@pytest.mark.parametrize("root", ["nosuch://bucket/store", "s3://bucket/store"])
def test_a_root_that_nothing_installed_can_open_is_misuse(root: str):
    if root.startswith("s3") and importlib.util.find_spec("s3fs") is not None:
        pytest.skip("The driver is installed.")
    with pytest.raises(MisuseError) as refused:
        Store(root)
    assert refused.value.code == "store.root"


def test_a_damaged_blob_is_removed_so_that_it_can_be_kept_again(store: Store):
    address = store.put_blob(BlobKind.TEXT, b"the right bytes")
    store.blob_path(BlobKind.TEXT, address).write_bytes(b"the wrong bytes")
    with pytest.raises(StoreError):
        store.get_blob(BlobKind.TEXT, address)
    store.put_blob(BlobKind.TEXT, b"the right bytes")
    assert store.get_blob(BlobKind.TEXT, address) == b"the right bytes"
