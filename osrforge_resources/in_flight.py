"""How much may be under way at a service at the same time: requests, and the tokens they carry.

A Dagster pool counts steps, and a step of fifty levels is one; services limit requests and tokens, so they are counted
here, in the process, around the call itself and nothing else. First come, first served: a large request is not passed
by small ones for ever.
"""

import contextlib
import threading
from collections import deque
from collections.abc import Iterator
from functools import lru_cache


class InFlight:
    """Lets calls begin as long as there is room for them; safe to share between threads.

    Args:
        requests: Most requests at the same time, at least 1.
        tokens: Most input tokens of them together; a request above it is sent when nothing else is under way.
    """

    def __init__(self, *, requests: int, tokens: int) -> None:
        self._most_requests = requests
        self._most_tokens = tokens
        self._requests = 0
        self._tokens = 0
        self._queue: deque[object] = deque()
        self._changed = threading.Condition()

    @contextlib.contextmanager
    def slot(self, tokens: int) -> Iterator[None]:
        """Wait for room for a call of about `tokens` input tokens, and hold it during the block."""
        ticket = object()
        with self._changed:
            self._queue.append(ticket)
            try:
                self._changed.wait_for(lambda: self._queue[0] is ticket and self._fits(tokens))
            finally:
                # Also where the wait was interrupted: a ticket that nobody holds would stop all behind it.
                self._queue.remove(ticket)
                self._changed.notify_all()
            self._requests += 1
            self._tokens += tokens
        try:
            yield
        finally:
            with self._changed:
                self._requests -= 1
                self._tokens -= tokens
                self._changed.notify_all()

    def _fits(self, tokens: int) -> bool:
        if self._requests == 0:
            return True
        return self._requests < self._most_requests and self._tokens + tokens <= self._most_tokens


@lru_cache
def process_limiter(requests: int, tokens: int) -> InFlight:
    """Return this process's limiter of these limits: all providers made under the same settings share it."""
    return InFlight(requests=requests, tokens=tokens)
