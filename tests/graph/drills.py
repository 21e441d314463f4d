"""Fault drills: what is killed, full, read-only, stalled or doubled, and what has to be true after it.

    python -m tests.graph.drills --kills 200

Each drill works on a home of its own. A step is killed with SIGKILL at a random moment of a random stage; after it every
document has to be whole, the run has to be failed, the next conversion has to give the dossier that an undisturbed one
gives, and no call whose answer was kept may be asked again. The tests run a few of each.
"""

import argparse
import contextlib
import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import psutil

warnings.simplefilter("ignore")

from osrforge_assets.command_graph import CommandGraph  # noqa: E402  # Dagster warns on import
from osrforge_assets.conversion import _CONTRACTS, Conversion, Converter  # noqa: E402
from osrforge_assets.definitions import build_defs  # noqa: E402
from osrforge_assets.instance import open_instance  # noqa: E402
from osrforge_assets.settings import Settings  # noqa: E402
from osrforge_resources.chat_model import RawReply, StopReason, Turn  # noqa: E402
from osrforge_resources.in_flight import process_limiter  # noqa: E402
from osrforge_resources.model_provider import ModelRequest  # noqa: E402
from osrforge_resources.orphaned_runs import end_orphaned_runs  # noqa: E402
from osrforge_resources.prices import PriceTable  # noqa: E402
from osrforge_resources.response_cache import ResponseCache  # noqa: E402
from osrforge_resources.store import BlobKind, Store  # noqa: E402
from osrforge_resources.structured_provider import StructuredProvider  # noqa: E402
from osrforge_resources.usage import TokenUsage  # noqa: E402
from tests.graph.live_provider import LoggingProvider  # noqa: E402
from tests.graph.module_pdfs import PIT, write_module  # noqa: E402

STAGES = tuple(_CONTRACTS)
_CONTENT_ADDRESSED = (BlobKind.SOURCE, BlobKind.IMAGE, BlobKind.TEXT, BlobKind.LAYER)


class OfflineModel:
    """The offline reader in the place of a service, so that its answers pass through everything that paid ones do."""

    provider, model, max_tokens = "offline-service", "reader", 1000

    def __init__(self, folder: Path) -> None:
        self._answers = LoggingProvider(folder)

    @property
    def answer_settings(self) -> dict[str, object]:
        return {}

    def reply(self, request: ModelRequest, turns: Sequence[Turn]) -> RawReply:
        assert not turns
        answer = self._answers.generate(request)
        return RawReply(json.dumps(answer.data), StopReason.END, TokenUsage(1000, 100), "reader")


@dataclass
class Tally:
    """What became of a number of kills."""

    kills: int = 0
    before_the_end: int = 0
    lost_runs: int = 0
    asked_again: int = 0
    wrong: list[str] = field(default_factory=list)
    by_stage: Counter[str] = field(default_factory=Counter)


class Home:
    """A home that child processes work on; the parent never holds its databases open.

    Args:
        folder: Where it lies.
        store: Root of the store where it is not in the home.
    """

    def __init__(self, folder: Path, store: Path | None = None) -> None:
        self.folder = folder
        self.settings = Settings(home=folder, store=str(store or ""))
        self.store = Store(self.settings.store_root)
        self.pdf = folder / "pit.pdf"
        self._provider = folder / "provider"

    def make(self) -> "Home":
        self._provider.mkdir(parents=True)
        write_module(self.pdf, PIT)
        os.environ["DAGSTER_HOME"] = ""
        open_instance(self.folder).dispose()
        return self

    def copy(self, folder: Path) -> "Home":
        shutil.copytree(self.folder, folder)
        return Home(folder)

    def convert(self) -> Conversion:
        """Convert the module in this process."""
        os.environ["DAGSTER_HOME"] = ""
        provider = StructuredProvider(
            OfflineModel(self._provider),
            cache=ResponseCache(self.store),
            limiter=process_limiter(16, 1_000_000_000),
            prices=PriceTable(),
        )
        with open_instance(self.folder) as instance:
            end_orphaned_runs(instance)
            definitions = build_defs(
                settings=self.settings, resources={"store": self.store, "model_provider": provider}
            )
            return Converter(CommandGraph(definitions, instance, self.store, self.settings)).convert(self.pdf)

    def start(self) -> int:
        """Convert the module in a child process and return its number; forked, so that it starts at once."""
        child = os.fork()
        if child == 0:
            status = 1
            try:
                null = os.open(os.devnull, os.O_WRONLY)
                os.dup2(null, 1)
                os.dup2(null, 2)
                status = 0 if self.convert().status == "converted" else 3
            finally:
                os._exit(status)
        return child

    def forget(self, stage: str) -> None:
        """Take away what a stage wrote and everything after it, so that the next conversion makes it again."""
        for asset in STAGES[STAGES.index(stage) :]:
            shutil.rmtree(Path(str(self.store.root)) / "assets" / asset, ignore_errors=True)
        ResponseCache(self.store).clear()

    def calls(self) -> Counter[str]:
        calls = self._provider / "calls"
        return Counter(calls.read_text(encoding="utf-8").splitlines() if calls.exists() else [])

    def kept_answers(self) -> set[str]:
        return {entry.tag for _, _, entry in ResponseCache(self.store).entries() if entry is not None}

    def open_runs(self) -> int:
        os.environ["DAGSTER_HOME"] = ""
        with open_instance(self.folder) as instance:
            return len(end_orphaned_runs(instance))

    def damage(self) -> list[str]:
        """Return everything in the store that is not whole."""
        root = Path(str(self.store.root))
        found = []
        for asset, contract in _CONTRACTS.items():
            for path in (root / "assets" / asset).glob("[!.]*.json"):
                with contextlib.suppress(ValueError):
                    contract.from_json(path.read_bytes())
                    continue
                found.append(f"{path.name} of {asset} is no document")
        for kind in _CONTENT_ADDRESSED:
            found += [
                f"{kind.name.lower()} {path.name[:12]} is not what its name says"
                for path in (root / "blobs" / kind.name.lower()).glob("*/[!.]*")
                if hashlib.sha256(path.read_bytes()).hexdigest() != path.name.partition(".")[0]
            ]
        return found

    def dossier(self) -> str:
        """Return the digest of the dossier and all its files."""
        paths = [self.store.asset_path("module_dossier", "pit"), *self.store.dossier_files("pit")]
        digests = [(path.name, hashlib.sha256(path.read_bytes()).hexdigest()) for path in paths]
        return hashlib.sha256(json.dumps(digests).encode()).hexdigest()


def kill_at_random(folder: Path, kills: int, *, seed: int) -> Tally:
    """Kill conversions at random moments of random stages and check what is left each time.

    Args:
        folder: Where the homes lie.
        kills: How many.
        seed: Makes the moments the same again, as far as a busy machine allows.
    """
    chance = random.Random(seed)
    done = Home(folder / "done").make()
    begin = time.monotonic()
    assert done.convert().status == "converted"
    whole = time.monotonic() - begin
    reference, first_calls = done.dossier(), done.calls()
    tally = Tally()
    for number in range(kills):
        stage = STAGES[number % len(STAGES)]
        home = done.copy(folder / f"kill-{number}")
        home.forget(stage)
        child = home.start()
        # What comes before the stage is skipped, so a later stage is reached earlier.
        time.sleep(chance.uniform(0.0, whole))
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        tally.kills += 1
        tally.by_stage[stage] += 1
        tally.before_the_end += os.WIFSIGNALED(status)
        tally.wrong += [
            f"{stage}, kill {number}: {what}" for what in _after_a_kill(home, reference, first_calls, tally)
        ]
        shutil.rmtree(home.folder)
    return tally


def _after_a_kill(home: Home, reference: str, first_calls: Counter[str], tally: Tally) -> Iterator[str]:
    yield from home.damage()
    tally.lost_runs += home.open_runs()
    kept = home.kept_answers()
    conversion = home.convert()
    if conversion.status != "converted" or conversion.error is not None:
        yield f"the next conversion failed: {conversion.error}"
    elif home.dossier() != reference:
        yield "the next conversion gave another dossier"
    again = {tag: count - 1 for tag, count in (home.calls() - first_calls).items() if count > 1}
    tally.asked_again += sum(again.values())
    if paid_twice := sorted(tag for tag, count in again.items() if tag in kept or count > 1):
        yield f"{', '.join(paid_twice)} was answered and kept before the kill, and asked again after it"
    yield from home.damage()


def two_at_once(home: Home) -> list[str]:
    """Convert one module in two processes at the same time and return what is wrong after it."""
    children = [home.start(), home.start()]
    statuses = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    wrong = home.damage()
    if not any(status == 0 for status in statuses):
        wrong.append(f"neither of two runs ended well: {statuses}")
    conversion = home.convert()
    if conversion.status != "converted" or conversion.costs.calls:
        wrong.append(f"after two runs at once a third one had {conversion.costs.calls} calls: {conversion.error}")
    return wrong


def stalled(home: Home, *, seconds: float = 60) -> list[str]:
    """Let the service stall at one level, cancel the run, and return what is wrong after the next."""
    stalling = home.folder / "provider" / "stalling"
    stalling.write_text("content.the-testing-pit.2", encoding="utf-8")
    child = home.start()
    kept = home.store.asset_path("level_content", "pit--the-testing-pit--3")
    until = time.monotonic() + seconds
    while not kept.exists() and time.monotonic() < until:
        time.sleep(0.1)
    # The event that records it follows its document.
    time.sleep(2)
    os.kill(child, signal.SIGTERM)
    time.sleep(0.5)
    stalling.unlink()
    os.waitpid(child, 0)
    wrong = home.damage()
    conversion = home.convert()
    again = [
        tag for tag, count in home.calls().items() if count > 1 and not tag.startswith("content.the-testing-pit.2")
    ]
    if conversion.status != "converted" or again:
        wrong.append(f"after a cancelled run {again} were asked again: {conversion.error}")
    return wrong


@contextlib.contextmanager
def small_disk(folder: Path, options: str) -> Iterator[Path]:
    """Mount a disk of its own, with these options; needs the right to mount.

    Raises:
        PermissionError: There is no such right here.
    """
    folder.mkdir(parents=True)
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)], check=False, capture_output=True
    )
    if mounted.returncode:
        raise PermissionError(mounted.stderr.decode().strip())
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def full_disk(folder: Path) -> list[str]:
    """Convert into a store without room, give it room, convert again; return what is wrong."""
    wrong: list[str] = []
    with small_disk(folder / "disk", "size=64k") as disk:
        home = Home(folder / "home", store=disk / "store").make()
        for size in ("64k", "128k", "256k"):
            subprocess.run(["mount", "-o", f"remount,size={size}", str(disk)], check=True)
            conversion = home.convert()
            if conversion.error is None and size == "64k":
                wrong.append(f"a store of {size} was room enough")
            if conversion.error is not None and conversion.error.code != "store.io":
                wrong.append(f"a full disk of {size} was told as {conversion.error}")
            wrong += [f"at {size}: {what}" for what in home.damage()]
        subprocess.run(["mount", "-o", "remount,size=64m", str(disk)], check=True)
        if home.convert().status != "converted":
            wrong.append("with room again it did not go on")
        wrong += home.damage()
    return wrong


def read_only_store(folder: Path) -> list[str]:
    """Convert into a store that refuses writes, let it take them, convert again; return what is wrong."""
    wrong: list[str] = []
    with small_disk(folder / "disk", "size=64m") as disk:
        home = Home(folder / "home", store=disk / "store").make()
        (disk / "store").mkdir()
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        conversion = home.convert()
        if conversion.error is None or conversion.error.code != "store.io":
            wrong.append(f"a read-only store was told as {conversion.error}")
        if home.calls():
            wrong.append(f"calls were paid whose answers nobody could keep: {home.calls()}")
        subprocess.run(["mount", "-o", "remount,rw", str(disk)], check=True)
        if home.convert().status != "converted":
            wrong.append("with writes allowed again it did not go on")
    return wrong


def children_left() -> list[str]:
    """Return the processes that killed conversions left behind, after a moment in which they may end."""
    left = [child for child in psutil.Process().children(recursive=True) if child.status() != psutil.STATUS_ZOMBIE]
    _, alive = psutil.wait_procs(left, timeout=10)
    return [" ".join(process.cmdline()) for process in alive]


def _kills(folder: Path, given: argparse.Namespace) -> list[str]:
    tally = kill_at_random(folder, given.kills, seed=given.seed)
    print(f"{tally.kills} kills, {tally.before_the_end} of them before the end, {dict(tally.by_stage)}")
    print(f"{tally.lost_runs} runs had lost their process, {tally.asked_again} calls under way were asked again")
    return [*tally.wrong, *(f"left behind: {process}" for process in children_left())]


DRILLS: dict[str, Callable[[Path, argparse.Namespace], list[str]]] = {
    "kills": _kills,
    "two-runs": lambda folder, _: two_at_once(Home(folder).make()),
    "stalling": lambda folder, _: stalled(Home(folder).make()),
    "full-disk": lambda folder, _: full_disk(folder),
    "read-only": lambda folder, _: read_only_store(folder),
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.graph.drills")
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=DRILLS, nargs="+", default=list(DRILLS))
    given = parser.parse_args()
    wrong: list[str] = []
    with tempfile.TemporaryDirectory() as name:
        for drill in given.only:
            try:
                found = DRILLS[drill](Path(name) / drill, given)
            except PermissionError as refused:
                print(f"{drill}: not run: {refused}")
                continue
            print(f"{drill}: {'; '.join(found) or 'nothing wrong'}", flush=True)
            wrong += found
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
