"""Replies are kept under what decides them, whole or not at all, and a question is asked by one at a time."""

import json
import logging
import multiprocessing
import secrets
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osrforge_resources.chat_model import RawReply, StopReason, Turn
from osrforge_resources.failures import StoreError
from osrforge_resources.model_provider import ImagePart, ModelRequest, TextPart
from osrforge_resources.response_cache import ResponseCache
from osrforge_resources.store import BlobKind, Store
from osrforge_resources.usage import TokenUsage

REQUEST = ModelRequest("survey", "rules", (TextPart("a page nobody else may read"),), {"type": "object"})
REPLY = RawReply('{"a": 1}', StopReason.END, TokenUsage(10, 5, 3, 2, 1), "model-2026")


@dataclass
class _Model:
    provider: str = "anthropic"
    model: str = "model"
    max_tokens: int = 1000
    settings: Mapping[str, object] = field(default_factory=lambda: {"effort": "low"})

    @property
    def answer_settings(self) -> dict[str, object]:
        return dict(self.settings)

    def reply(self, request: ModelRequest, turns: Sequence[Turn]) -> RawReply:
        raise NotImplementedError


@pytest.fixture(params=["folder", "memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    return Store(tmp_path if request.param == "folder" else f"memory://{secrets.token_hex(8)}")


def _key(turns: Sequence[Turn] = (), **model: object) -> str:
    return ResponseCache.key(REQUEST, turns, replace(_Model(), **model))


def test_a_kept_reply_is_found_as_it_came(store: Store):
    cache = ResponseCache(store)
    assert cache.find(_key()) is None
    assert cache.put(_key(), REPLY)
    assert cache.find(_key()) == REPLY


def test_everything_that_decides_a_reply_is_in_its_key():
    other = replace(REQUEST, parts=(ImagePart(b"x"),))
    keys = {
        _key(),
        ResponseCache.key(other, (), _Model()),
        _key((Turn("assistant", "{"),)),
        _key((Turn("user", "{"),)),
        _key(provider="openai"),
        _key(model="other"),
        _key(settings={"effort": "high"}),
    }
    assert len(keys) == 7
    assert _key() == _key()


def test_a_reply_is_found_by_another_process_and_forgotten_on_demand(store: Store):
    ResponseCache(store).put(_key(), REPLY)
    again = ResponseCache(Store(store.root))
    assert again.find(_key()) == REPLY
    again.forget([_key(), "0" * 64])
    assert ResponseCache(store).find(_key()) is None


def test_an_entry_holds_nothing_of_the_request_but_its_tag(tmp_path: Path):
    ResponseCache(Store(tmp_path)).put(_key(), REPLY, tag=REQUEST.tag, provider="anthropic")
    (entry,) = (path for path in tmp_path.rglob("*.reply"))
    text = entry.read_text(encoding="utf-8")
    assert "survey" in text
    assert "nobody else" not in text
    assert "rules" not in text


@pytest.mark.parametrize(
    "damage",
    [
        lambda _: b"",
        lambda data: data[: len(data) // 2],
        lambda data: data.replace(b'"a\\": 1', b'"a\\": 2'),
        lambda _: b"[" * 100_000,
        lambda _: b"null",
        lambda data: json.dumps({**json.loads(data), "format": 9}).encode(),
        lambda data: bytes(reversed(data)),
    ],
)
def test_a_damaged_entry_is_no_entry_and_is_told_and_replaced(store: Store, damage, caplog: pytest.LogCaptureFixture):
    cache = ResponseCache(store)
    cache.put(_key(), REPLY)
    store.put_record(BlobKind.RESPONSE, _key(), damage(store.get_record(BlobKind.RESPONSE, _key())))
    with caplog.at_level(logging.WARNING):
        assert cache.find(_key()) is None
    assert "damaged" in caplog.text
    assert cache.stats().damaged == 1
    cache.put(_key(), REPLY)
    assert cache.find(_key()) == REPLY


def test_an_entry_under_another_key_is_no_entry(store: Store):
    cache, other = ResponseCache(store), "f" * 64
    cache.put(_key(), REPLY)
    store.put_record(BlobKind.RESPONSE, other, store.get_record(BlobKind.RESPONSE, _key()) or b"")
    assert cache.find(other) is None


@given(text=st.text(st.characters()), detail=st.text(), tokens=st.integers(0, 2**40))
def test_any_reply_comes_back(text: str, detail: str, tokens: int):
    cache = ResponseCache(Store("memory://any-reply"))
    reply = RawReply(text, StopReason.REFUSED, TokenUsage(tokens), "m", detail)
    cache.put(_key(), reply)
    assert cache.find(_key()) == reply


def test_half_a_surrogate_pair_in_a_reply_is_kept(store: Store):
    cache = ResponseCache(store)
    cache.put(_key(), replace(REPLY, text="\ud800"))
    assert cache.find(_key()) == replace(REPLY, text="\ud800")


def test_statistics_say_what_was_paid_by_model(store: Store):
    cache = ResponseCache(store)
    cache.put("a" * 64, REPLY, provider="anthropic", cost_usd=0.25)
    cache.put("b" * 64, REPLY, provider="anthropic", cost_usd=0.5)
    cache.put("c" * 64, replace(REPLY, model_id="local"), provider="openai-compatible")
    stats = cache.stats()
    assert (stats.entries, stats.damaged) == (3, 0)
    assert stats.size > 0
    assert stats.oldest is not None
    assert stats.spent["anthropic", "model-2026"].cost_usd == 0.75
    assert stats.spent["anthropic", "model-2026"].calls == 2
    assert stats.spent["openai-compatible", "local"].cost_usd is None


def test_clearing_deletes_what_is_old_enough_and_what_is_damaged(store: Store):
    cache = ResponseCache(store)
    cache.put("a" * 64, REPLY)
    store.put_record(BlobKind.RESPONSE, "b" * 64, b"damaged")
    assert cache.clear(timedelta(days=1)) == 1
    assert cache.find("a" * 64) == REPLY
    assert cache.clear() == 1
    assert cache.stats().entries == 0


def test_a_store_without_room_does_not_cost_the_caller_a_paid_reply(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    (tmp_path / "blobs").write_text("a file where the folder should be", encoding="utf-8")
    cache = ResponseCache(Store(tmp_path))
    assert not cache.put(_key(), REPLY, tag="survey")
    assert "could not be kept" in caplog.text
    with pytest.raises(StoreError):
        cache.find(_key())


def test_threads_that_ask_the_same_question_pay_once(store: Store):
    cache, paid = ResponseCache(store), []

    def ask() -> None:
        with cache.asking(_key()):
            if cache.find(_key()) is None:
                time.sleep(0.05)
                paid.append(1)
                cache.put(_key(), REPLY)

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(paid) == 1


def _ask_in_a_process(folder: Path, start) -> None:
    cache = ResponseCache(Store(folder / "store"))
    start.wait(30)
    with cache.asking(_key()):
        if cache.find(_key()) is None:
            (folder / f"paid-{multiprocessing.current_process().pid}").touch()
            time.sleep(0.1)
            cache.put(_key(), REPLY)


def test_processes_that_ask_the_same_question_pay_once(tmp_path: Path):
    context = multiprocessing.get_context("spawn")
    start = context.Event()
    processes = [context.Process(target=_ask_in_a_process, args=(tmp_path, start)) for _ in range(3)]
    for process in processes:
        process.start()
    start.set()
    for process in processes:
        process.join(60)
        assert process.exitcode == 0
    assert len(list(tmp_path.glob("paid-*"))) == 1


def test_a_failed_question_is_free_for_the_next(store: Store):
    cache = ResponseCache(store)
    with pytest.raises(RuntimeError), cache.asking(_key()):
        raise RuntimeError
    with cache.asking(_key()):
        pass


def test_questions_do_not_leave_a_lock_each(tmp_path: Path):
    cache = ResponseCache(Store(tmp_path))
    for number in range(20):
        key = f"{number:064x}"
        with cache.asking(key):
            cache.put(key, REPLY)
    assert list((tmp_path / "locks").iterdir()) == []
    assert not [name for name in Store._locks if str(tmp_path) in name]


def test_different_questions_are_asked_at_the_same_time(store: Store):
    cache, inside = ResponseCache(store), threading.Barrier(4, timeout=30)

    def ask(number: int) -> None:
        with cache.asking(f"{number:064x}"):
            inside.wait()

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not inside.broken
