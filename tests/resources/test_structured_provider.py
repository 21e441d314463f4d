"""What all services share: one payment a question, a fresh answer on demand, no call beyond a ceiling."""

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx2
import pytest

from osrforge_resources.account import charged_to
from osrforge_resources.failures import BudgetError, SchemaValidationError
from osrforge_resources.structured_provider import asked_anew
from osrforge_resources.usage import Spending
from tests.resources.fake_services import ANTHROPIC
from tests.resources.test_fault_table import GOOD, REQUEST, Bench, Purse


def test_many_who_ask_the_same_at_once_pay_once(tmp_path: Path):
    bench = Bench(ANTHROPIC, tmp_path, [ANTHROPIC.said(GOOD)])
    together = threading.Barrier(8)

    def ask(_: int) -> Spending | None:
        together.wait(10)
        return bench.ask().spending

    with ThreadPoolExecutor(8) as pool:
        spent = list(pool.map(ask, range(8)))
    assert bench.attempts == 1
    assert sorted((one.calls, one.cache_hits) for one in spent if one is not None) == [(0, 1)] * 7 + [(1, 0)]


def test_a_question_asked_anew_is_paid_for_and_its_answer_replaces_the_kept_one(tmp_path: Path):
    bench = Bench(ANTHROPIC, tmp_path, [ANTHROPIC.said(GOOD), ANTHROPIC.said('{"count": 4}')])
    assert bench.ask().data == {"count": 3}
    with asked_anew():
        assert bench.ask().data == {"count": 4}
    with asked_anew(wanted=False):
        assert bench.ask().data == {"count": 4}
    assert (bench.attempts, bench.kept) == (2, 1)


def test_a_ceiling_stops_a_call_before_it_is_sent_and_a_repair_too(tmp_path: Path):
    class Room(Purse):
        def reserve(self, estimate_usd: float | None):
            if len(self.reserved) == 1:
                raise BudgetError("The ceiling is reached.")
            return super().reserve(estimate_usd)

    bench = Bench(ANTHROPIC, tmp_path, [ANTHROPIC.said('{"count": 0}')])
    bench.purse = Room()
    failure = bench.failure()
    assert isinstance(failure, BudgetError)
    assert (bench.attempts, bench.kept) == (1, 1)
    assert failure.spending == bench.purse.charges[0]
    again = bench.failure()
    assert isinstance(again, BudgetError)
    assert again.spending == Spending(cache_hits=1)
    assert bench.attempts == 1


def test_room_is_asked_for_the_most_that_a_call_may_cost(tmp_path: Path):
    bench = Bench(ANTHROPIC, tmp_path, [ANTHROPIC.said(GOOD)])
    bench.ask()
    [most] = bench.purse.reserved
    [spent] = bench.purse.charges
    assert most is not None
    assert spent.cost_usd is not None
    assert most > spent.cost_usd


def test_a_call_without_an_account_is_made(tmp_path: Path):
    bench = Bench(ANTHROPIC, tmp_path, [ANTHROPIC.said(GOOD)])
    with charged_to(None):
        assert bench.provider.generate(REQUEST).data == {"count": 3}


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ('```json\n{"count": 3}\n```', {"count": 3}),
        ('{"count": 3,}', {"count": 3}),
        ("{count: 3} // as asked", {"count": 3}),
    ],
)
def test_known_slips_are_read_past(text: str, data: object, tmp_path: Path):
    bench = Bench(ANTHROPIC, tmp_path, [ANTHROPIC.said(text)])
    assert bench.ask().data == data


@pytest.mark.parametrize("text", ['{"count": 3', '{"count": ', 'Here: {"count": 3}', '```json\n{"count": 3}'])
def test_what_is_cut_or_wrapped_in_prose_is_never_guessed(text: str, tmp_path: Path):
    bench = Bench(ANTHROPIC, tmp_path, [ANTHROPIC.said(text)])
    assert type(bench.failure()) is SchemaValidationError


def test_a_hostile_sentence_of_a_service_is_one_short_line(tmp_path: Path):
    said = "\x1b[31mred\x00\n<script>" + "x" * 5000
    answer = httpx2.Response(400, json={"error": {"type": "invalid_request_error", "message": said}})
    message = Bench(ANTHROPIC, tmp_path, [answer]).failure().message
    assert len(message) < 400
    assert message.isprintable()
