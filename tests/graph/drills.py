"""Fault drills: what is killed, full, read-only, stalled or doubled, and what has to be true after it.

    python -m tests.graph.drills --kills 200

Each drill works on a home of its own. A step is killed with SIGKILL at a random moment of each stage of each lane in turn;
after it every document has to be whole, the run has to be failed, the next command has to give what an undisturbed one
gives, and no call whose answer was kept may be asked again. The tests run a few of each.
"""

import argparse
import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from tests.graph.drill_home import STAGES, Home


@dataclass
class Tally:
    """What became of a number of kills.

    Attributes:
        by_stage: Kills of each stage, and how many of them hit it before its lane was done.
    """

    lost_runs: int = 0
    asked_again: int = 0
    wrong: list[str] = field(default_factory=list)
    by_stage: dict[str, list[int]] = field(default_factory=lambda: {stage: [0, 0] for stage in STAGES})


@dataclass(frozen=True)
class Undisturbed:
    """A home at the beginning of a stage, and what bringing it up to date comes to when nothing happens."""

    before: Home
    seconds: float
    outcome: dict[str, str]
    calls: Counter[str]


def kill_at_random(folder: Path, kills: int, *, seed: int) -> Tally:
    """Kill commands at random moments of every stage in turn and check what is left each time.

    Args:
        folder: Where the homes lie.
        kills: How many.
        seed: Makes the moments the same again, as far as a busy machine allows.
    """
    chance = random.Random(seed)
    tally = Tally()
    new = Home(folder / "new").make()
    done = new.copy(folder / "done")
    assert done.convert().status == "converted"
    undisturbed: dict[str, Undisturbed] = {}
    # Stages far apart in turn, so that a few kills are of all lanes.
    stages = [list(STAGES)[at * 5 % len(STAGES)] for at in range(len(STAGES))]
    for number in range(kills):
        stage = stages[number % len(stages)]
        if stage not in undisturbed:
            undisturbed[stage] = _undisturbed(folder, stage, done if STAGES[stage] == "modules" else new)
        plain = undisturbed[stage]
        home = plain.before.copy(folder / f"kill-{number}")
        child = home.start(STAGES[stage])
        time.sleep(chance.uniform(0.0, plain.seconds))
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        tally.by_stage[stage][0] += 1
        tally.by_stage[stage][1] += os.WIFSIGNALED(status)
        wrong = [f"{stage}, kill {number}: {what}" for what in _after_a_kill(home, STAGES[stage], plain, tally)]
        if wrong:
            print(*wrong, sep="\n", flush=True)
        tally.wrong += wrong
        shutil.rmtree(home.folder)
    return tally


def _undisturbed(folder: Path, stage: str, origin: Home) -> Undisturbed:
    before = origin.copy(folder / f"before-{stage}")
    if STAGES[stage] == "modules":
        before.forget_from(stage)
    else:
        before.make_before(stage)
    home, earlier = before.copy(folder / "undisturbed"), before.calls()
    begin = time.monotonic()
    assert home.bring_up_to_date(STAGES[stage]) is None
    seconds = time.monotonic() - begin
    plain = Undisturbed(before, seconds, home.outcome(STAGES[stage]), home.calls() - earlier)
    shutil.rmtree(home.folder)
    return plain


def _after_a_kill(home: Home, lane: str, plain: Undisturbed, tally: Tally) -> Iterator[str]:
    yield from home.damage()
    tally.lost_runs += home.open_runs()
    kept, earlier = home.kept_answers(), plain.before.calls()
    failure = home.bring_up_to_date(lane)
    if failure is not None:
        yield f"the next command failed: {failure}"
    elif others := sorted(name for name, _ in home.outcome(lane).items() ^ plain.outcome.items()):
        yield f"the next command gave another {', '.join(dict.fromkeys(others))}"
    calls = home.calls() - earlier
    if left_out := sorted((plain.calls - calls).elements()):
        yield f"{', '.join(left_out)} was never asked"
    again = calls - plain.calls
    tally.asked_again += again.total()
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
    for stage, (killed, before) in tally.by_stage.items():
        print(f"{stage:17} {killed:3} kills, {before:3} of them before the end")
    print(f"{tally.lost_runs} runs had lost their process, {tally.asked_again} calls under way were asked again")
    return [*tally.wrong, *(f"left behind: {process}" for process in children_left())]


DRILLS: dict[str, Callable[[Path, argparse.Namespace], list[str]]] = {
    "kills": _kills,
    "two-runs": lambda folder, _: two_at_once(Home(folder / "home").make()),
    "stalling": lambda folder, _: stalled(Home(folder / "home").make()),
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
    # In memory where there is such a folder: what is drilled is killing, and a killed process loses nothing on either.
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else None) as name:
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
