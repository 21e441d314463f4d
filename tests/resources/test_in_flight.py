"""The limiter: never more under way than allowed, nobody waits for ever, nobody is passed for ever."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from osrforge_resources.in_flight import InFlight, process_limiter


class Watch:
    """Counts what is under way."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sizes: list[int] = []
        self.most_requests = 0
        self.most_tokens: list[list[int]] = []

    def inside(self, tokens: int) -> None:
        with self._lock:
            self._sizes.append(tokens)
            self.most_requests = max(self.most_requests, len(self._sizes))
            self.most_tokens.append(list(self._sizes))
        with self._lock:
            self._sizes.remove(tokens)


@settings(max_examples=25)
@given(
    sizes=st.lists(st.integers(0, 30), min_size=1, max_size=25),
    requests=st.integers(1, 4),
    tokens=st.integers(1, 25),
)
def test_no_limit_is_ever_passed_and_every_request_gets_its_turn(sizes: list[int], requests: int, tokens: int):
    limiter, watch = InFlight(requests=requests, tokens=tokens), Watch()

    def call(size: int) -> None:
        with limiter.slot(size):
            watch.inside(size)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(call, sizes))
    assert watch.most_requests <= requests
    # One that is larger than all room goes alone.
    assert all(sum(under_way) <= tokens or len(under_way) == 1 for under_way in watch.most_tokens)


def test_a_large_request_is_not_passed_by_small_ones():
    limiter, order = InFlight(requests=8, tokens=10), []
    first_holds, first_may_end = threading.Event(), threading.Event()

    def first() -> None:
        with limiter.slot(6):
            first_holds.set()
            first_may_end.wait(10)

    def later(name: str, tokens: int) -> None:
        with limiter.slot(tokens):
            order.append(name)

    threads = [threading.Thread(target=first)]
    threads[0].start()
    first_holds.wait(10)
    for name, tokens in (("large", 9), ("small", 1)):
        thread = threading.Thread(target=later, args=(name, tokens))
        thread.start()
        threads.append(thread)
        # The next one comes when this one stands in the queue.
        while len(limiter._queue) < len(threads) - 1:
            thread.join(0.001)
    assert order == []
    first_may_end.set()
    for thread in threads:
        thread.join(10)
    assert order == ["large", "small"]


def test_a_call_that_fails_gives_its_slot_back():
    limiter = InFlight(requests=1, tokens=10)
    for _ in range(3):
        with pytest.raises(ValueError, match="no"), limiter.slot(10):
            raise ValueError("no")


def test_one_process_has_one_limiter_for_its_limits():
    assert process_limiter(3, 7) is process_limiter(3, 7)
    assert process_limiter(3, 7) is not process_limiter(4, 7)
