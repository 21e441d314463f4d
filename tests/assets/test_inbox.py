"""The inbox: only what is whole is taken, once, and what cannot be taken is told once."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from osrforge_assets.inbox import LANES, find_drops, refused_drops, take_in, take_in_all
from osrforge_assets.transcripts.sources import SessionFiles
from osrforge_resources.failures import SourceError, StoreError
from osrforge_resources.keys import slug
from osrforge_resources.store import Store


class Register:
    """Takes what it is given and remembers it."""

    def __init__(self) -> None:
        self.taken: list[str] = []
        self.refusing: Exception | None = None

    def __call__(self, files: SessionFiles) -> str:
        if self.refusing is not None:
            raise self.refusing
        self.taken.append(files.origin.name)
        return slug(files.origin.stem)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


def _drop(tmp_path: Path, name: str, text: str = "x", lane: str = "modules") -> Path:
    path = tmp_path / "inbox" / lane / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def _look(store: Store, tmp_path: Path, register: Register, lane: str = "modules", clock: Callable | None = None):
    return take_in(store, tmp_path / "inbox", lane, register, clock or time.monotonic)


def test_a_file_is_taken_at_the_second_look_that_sees_it_unchanged(store: Store, tmp_path: Path):
    register = Register()
    path = _drop(tmp_path, "crypt.pdf", "half")
    assert _look(store, tmp_path, register).waiting == 1
    path.write_text("half and half", encoding="utf-8")
    assert _look(store, tmp_path, register).waiting == 1
    assert register.taken == []
    assert _look(store, tmp_path, register).registered == [("crypt.pdf", "crypt")]
    assert _look(store, tmp_path, register).registered == []
    assert register.taken == ["crypt.pdf"]


def test_a_file_that_is_replaced_is_taken_again(store: Store, tmp_path: Path):
    register = Register()
    path = _drop(tmp_path, "crypt.pdf", "old")
    for _ in range(3):
        _look(store, tmp_path, register)
    path.write_text("newer", encoding="utf-8")
    for _ in range(3):
        _look(store, tmp_path, register)
    assert register.taken == ["crypt.pdf", "crypt.pdf"]


@pytest.mark.parametrize("name", [".crypt.pdf", "~crypt.pdf", "crypt.pdf.part", "crypt.pdf.crdownload", "crypt.tmp"])
def test_unfinished_files_are_not_there(tmp_path: Path, name: str):
    _drop(tmp_path, name)
    assert find_drops(tmp_path / "inbox", "modules") == []


@pytest.mark.parametrize("lane", ["modules", "transcripts", "narrations"])
@pytest.mark.parametrize("target", ["secret", "nowhere", "a folder"])
def test_a_link_is_told_once_and_never_followed(store: Store, tmp_path: Path, lane: str, target: str):
    register = Register()
    (tmp_path / "secret").write_text("key", encoding="utf-8")
    (tmp_path / "a folder").mkdir()
    (tmp_path / "a folder" / "1-x.txt").write_text("key", encoding="utf-8")
    ending = {"modules": ".pdf", "transcripts": ".txt", "narrations": ".jsonl"}[lane]
    link = tmp_path / "inbox" / lane / f"link{ending}"
    link.parent.mkdir(parents=True)
    link.symlink_to(tmp_path / target)
    refused = [entry.code for _ in range(4) for entry in _look(store, tmp_path, register, lane).refused]
    assert (refused, register.taken) == (["inbox.link"], [])


def test_a_link_in_the_folder_of_a_session_is_not_followed_either(store: Store, tmp_path: Path):
    register = Register()
    (tmp_path / "secret").write_text("key", encoding="utf-8")
    _drop(tmp_path, "night/1-ann.txt", lane="transcripts")
    (tmp_path / "inbox/transcripts/night/2-bob.txt").symlink_to(tmp_path / "secret")
    refused = [entry.code for _ in range(4) for entry in _look(store, tmp_path, register, "transcripts").refused]
    assert (refused, register.taken) == (["inbox.link"], [])


@pytest.mark.parametrize("lane", ["modules", "transcripts", "narrations"])
def test_a_pipe_is_told_once_and_not_waited_for(store: Store, tmp_path: Path, lane: str):
    (tmp_path / "inbox" / lane).mkdir(parents=True)
    os.mkfifo(tmp_path / "inbox" / lane / "pipe.pdf")
    refused = [entry.code for _ in range(4) for entry in _look(store, tmp_path, Register(), lane).refused]
    assert refused == ["inbox.kind"]


def test_a_folder_of_modules_is_told_and_not_passed_over(store: Store, tmp_path: Path):
    _drop(tmp_path, "shelf/crypt.pdf")
    refused = [entry.name for _ in range(4) for entry in _look(store, tmp_path, Register()).refused]
    assert refused == ["shelf"]


def test_another_kind_of_file_is_told_once_and_left_alone(store: Store, tmp_path: Path):
    register = Register()
    _drop(tmp_path, "map.xcf")
    refused = [entry.code for _ in range(4) for entry in _look(store, tmp_path, register).refused]
    assert (refused, register.taken) == (["inbox.kind"], [])


def test_what_cannot_be_read_is_told_once_and_tried_again_when_it_changes(store: Store, tmp_path: Path):
    register = Register()
    path = _drop(tmp_path, "crypt.pdf")
    register.refusing = SourceError("crypt.pdf is empty.", code="source.empty")
    refused = [entry.code for _ in range(4) for entry in _look(store, tmp_path, register).refused]
    assert refused == ["source.empty"]
    assert [(lane, entry.name) for lane, entry in refused_drops(store)] == [("modules", "crypt.pdf")]
    register.refusing = None
    os.utime(path, ns=(1, 1))
    for _ in range(2):
        _look(store, tmp_path, register)
    assert register.taken == ["crypt.pdf"]
    assert refused_drops(store) == []


def test_a_store_that_refuses_is_not_the_files_fault(store: Store, tmp_path: Path):
    register = Register()
    _drop(tmp_path, "crypt.pdf")
    _look(store, tmp_path, register)
    register.refusing = StoreError("No room.", code="store.io")
    with pytest.raises(StoreError):
        _look(store, tmp_path, register)
    register.refusing = None
    assert _look(store, tmp_path, register).registered == [("crypt.pdf", "crypt")]


def test_a_thousand_files_are_taken_in_pieces_and_none_is_forgotten(store: Store, tmp_path: Path):
    register = Register()
    for number in range(1000):
        _drop(tmp_path, f"module-{number}.pdf")
    _look(store, tmp_path, register)
    # The clock moves a second with each look at it: a tick ends after twenty of them.
    seconds = iter(range(100_000))
    looks = 0
    while len(register.taken) < 1000:
        look = _look(store, tmp_path, register, clock=lambda: float(next(seconds)))
        assert 0 < len(look.registered) <= 20
        assert look.waiting == 1000 - len(register.taken)
        looks += 1
    assert looks >= 50
    assert len(set(register.taken)) == 1000


def test_a_lane_whose_share_of_a_look_is_used_up_is_left_to_the_next(store: Store, tmp_path: Path):
    register = Register()
    _drop(tmp_path, "crypt.pdf")
    _look(store, tmp_path, register)
    look = take_in(store, tmp_path / "inbox", "modules", register, seconds=0.0)
    assert (look.registered, look.waiting) == ([], 1)
    assert _look(store, tmp_path, register).registered == [("crypt.pdf", "crypt")]


def test_what_the_other_lanes_leave_of_a_look_is_the_modules(store: Store, tmp_path: Path):
    now = [0.0]

    def slowly(files: SessionFiles) -> str:
        now[0] += 1.0
        return files.origin.stem

    def registered() -> list[int]:
        looks = take_in_all(store, tmp_path / "inbox", dict.fromkeys(LANES, slowly), clock=lambda: now[0])
        return [len(look.registered) for look in looks]

    for number in range(50):
        _drop(tmp_path, f"module-{number}.pdf", str(number))
    _drop(tmp_path, "session.txt", lane="transcripts")
    assert registered() == [0, 0, 0]
    assert registered() == [1, 0, 19]
    for number in range(50):
        _drop(tmp_path, f"story-{number}.md", str(number), lane="narrations")
        _drop(tmp_path, f"session-{number}.txt", str(number), lane="transcripts")
    assert registered() == [0, 0, 20]
    assert registered() == [7, 7, 6]
    assert registered() == [7, 7, 5]


def test_a_file_that_is_gone_leaves_the_record(store: Store, tmp_path: Path):
    register = Register()
    path = _drop(tmp_path, "map.xcf")
    for _ in range(2):
        _look(store, tmp_path, register)
    path.unlink()
    _look(store, tmp_path, register)
    assert refused_drops(store) == []


def test_tracks_and_folders_are_one_session_each_and_a_speaker_file_is_none(tmp_path: Path):
    _drop(tmp_path, "monday.vtt", lane="transcripts")
    _drop(tmp_path, "speakers.yaml", lane="transcripts")
    _drop(tmp_path, "friday/1-anna.srt", lane="transcripts")
    _drop(tmp_path, "friday/2-bob.srt", lane="transcripts")
    drops = find_drops(tmp_path / "inbox", "transcripts")
    assert sorted((drop.name, len(drop.files.files), drop.is_known_kind) for drop in drops) == [
        ("friday", 2, True),
        ("monday.vtt", 1, True),
    ]


def test_a_changed_speaker_file_makes_its_sessions_new(store: Store, tmp_path: Path):
    register = Register()
    _drop(tmp_path, "monday.vtt", lane="transcripts")
    speakers = _drop(tmp_path, "speakers.yaml", lane="transcripts")
    for _ in range(2):
        _look(store, tmp_path, register, "transcripts")
    speakers.write_text("Anna: {gm: true}", encoding="utf-8")
    for _ in range(2):
        _look(store, tmp_path, register, "transcripts")
    assert register.taken == ["monday.vtt", "monday.vtt"]


def test_names_in_no_encoding_are_taken_and_shown(store: Store, tmp_path: Path):
    register = Register()
    folder = tmp_path / "inbox" / "modules"
    folder.mkdir(parents=True)
    (folder / os.fsdecode(b"cr\xffypt.pdf")).write_bytes(b"x")
    for _ in range(2):
        _look(store, tmp_path, register)
    assert len(register.taken) == 1


def test_a_lane_without_a_folder_holds_nothing(store: Store, tmp_path: Path):
    assert _look(store, tmp_path, Register()).registered == []
