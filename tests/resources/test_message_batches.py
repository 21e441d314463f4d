"""Message batches against a fake service that keeps what it accepts: half the price, nothing twice, also after a kill."""

import contextlib
import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx2
import pytest

from osrforge_resources.anthropic_batches import AnthropicBatches
from osrforge_resources.failures import (
    BudgetError,
    PermanentProviderError,
    StoreError,
    TransientProviderError,
)
from osrforge_resources.in_flight import InFlight
from osrforge_resources.message_batches import LEDGER, BatchRun, MessageBatches, Question
from osrforge_resources.model_provider import ModelRequest, TextPart
from osrforge_resources.offline.provider import OfflineProvider
from osrforge_resources.prices import PriceTable
from osrforge_resources.providers import make_batches
from osrforge_resources.response_cache import ResponseCache
from osrforge_resources.store import Store
from osrforge_resources.structured_provider import StructuredProvider
from osrforge_resources.usage import Spending
from tests.resources.fake_services import ANTHROPIC, KEY, anthropic_message
from tests.resources.test_fault_table import GOOD, SCHEMA, Purse


class Killed(BaseException):
    """The process is gone."""


class BatchServer:
    """The batch side of a service.

    Attributes:
        batches: Id to the items that were sent under it.
        ended: Ids whose results can be read; all are where `instant` is set.
        asked: Requests outside batches.
        outcomes: Result type of an item by its request's tag text; "succeeded" where none is set.
        hosts: Where each request went.
        shown_otherwise: Fields of a batch that it shows falsely.
    """

    def __init__(self) -> None:
        self.batches: dict[str, list[dict[str, Any]]] = {}
        self.made: dict[str, datetime] = {}
        self.instant = True
        self.ended: set[str] = set()
        self.outcomes: dict[str, str] = {}
        self.asked = 0
        self.after_accepting: Callable[[], None] = lambda: None
        self.refuse_with: int | None = None
        self.hosts: list[str] = []
        self.shown_otherwise: dict[str, Any] = {}

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        path = request.url.path
        self.hosts.append(request.url.host)
        if path == "/v1/messages":
            self.asked += 1
            return httpx2.Response(200, json=anthropic_message(GOOD))
        if request.method == "POST":
            return self._accept(json.loads(request.content)["requests"])
        if path == "/v1/messages/batches":
            newest = sorted(self.batches, key=lambda name: self.made[name], reverse=True)
            return httpx2.Response(200, json={"data": [self._shown(name) for name in newest], "has_more": False})
        name = path.split("/")[4]
        if name not in self.batches:
            return ANTHROPIC.error(404, "not_found_error")
        return self._results(name) if path.endswith("/results") else httpx2.Response(200, json=self._shown(name))

    def _accept(self, items: list[dict[str, Any]]) -> httpx2.Response:
        if self.refuse_with is not None:
            return ANTHROPIC.error(self.refuse_with)
        name = f"msgbatch_{len(self.batches) + 1}"
        self.batches[name] = items
        self.made[name] = datetime.now(UTC)
        self.after_accepting()
        return httpx2.Response(200, json=self._shown(name))

    def _shown(self, name: str) -> dict[str, Any]:
        ended = self.instant or name in self.ended
        counts = dict.fromkeys(("processing", "succeeded", "errored", "canceled", "expired"), 0)
        counts["succeeded" if ended else "processing"] = len(self.batches[name])
        return {
            "id": name,
            "type": "message_batch",
            "processing_status": "ended" if ended else "in_progress",
            "request_counts": counts,
            "created_at": self.made[name].isoformat(),
            "expires_at": (self.made[name] + timedelta(days=1)).isoformat(),
            "results_url": f"https://api.anthropic.com/v1/messages/batches/{name}/results",
            **self.shown_otherwise,
        }

    def _results(self, name: str) -> httpx2.Response:
        lines = []
        for item in reversed(self.batches[name]):
            text = item["params"]["messages"][0]["content"][0]["text"]
            kind = self.outcomes.get(text, "succeeded")
            result: dict[str, Any] = {"type": kind}
            if kind == "succeeded":
                result["message"] = anthropic_message(GOOD)
            elif kind == "errored":
                result["error"] = {"type": "error", "error": {"type": "api_error", "message": "no"}}
            lines.append(json.dumps({"custom_id": item["custom_id"], "result": result}))
        return httpx2.Response(200, content="\n".join(lines), headers={"content-type": "application/x-jsonl"})


class Desk:
    """One process: a provider and its batches over a folder that outlives it."""

    def __init__(self, server: BatchServer, folder: Path, wait: Callable[[], None] = lambda: None) -> None:
        self.store = Store(folder / "store")
        self.purse = Purse()
        model = ANTHROPIC.model(server)  # pyright: ignore[reportArgumentType]
        self.provider = StructuredProvider(
            model,
            cache=ResponseCache(self.store),
            limiter=InFlight(requests=4, tokens=100_000),
            prices=PriceTable(),
        )
        service = AnthropicBatches(model)  # pyright: ignore[reportArgumentType]
        self.seen: list[tuple[int, int]] = []
        self.batches = MessageBatches(
            self.provider,
            service,
            self.store,
            on_progress=lambda done, total: self.seen.append((done, total)),
            wait=wait,
        )

    def answer(self, *requests: ModelRequest) -> BatchRun:
        return self.batches.answer(lambda: [Question(request, "level", self.purse) for request in requests])

    def open_entries(self) -> list[str]:
        return self.store.asset_partitions(LEDGER)


def request(number: int) -> ModelRequest:
    return ModelRequest(f"content.{number}", "rules", (TextPart(f"page {number}"),), SCHEMA)


REQUESTS = [request(number) for number in range(1, 6)]


@pytest.fixture
def server() -> BatchServer:
    return BatchServer()


def test_all_requests_go_out_as_one_batch_and_are_then_found_in_the_cache(server: BatchServer, tmp_path: Path):
    desk = Desk(server, tmp_path)
    run = desk.answer(*REQUESTS, REQUESTS[0])
    assert [len(items) for items in server.batches.values()] == [5]
    assert (run.sent, run.unanswered, len(run.spent)) == (1, 0, 5)
    answers = [desk.provider.generate(one) for one in REQUESTS]
    assert all(answer.data == {"count": 3} for answer in answers)
    assert [answer.spending for answer in answers] == [Spending(cache_hits=1)] * 5
    assert server.asked == 0
    assert desk.open_entries() == []
    assert desk.seen[-1] == (5, 5)


def test_an_item_is_exactly_what_would_have_been_asked_under_an_id_of_at_most_64_characters(
    server: BatchServer, tmp_path: Path
):
    desk = Desk(server, tmp_path)
    desk.answer(REQUESTS[0])
    [item] = server.batches["msgbatch_1"]
    assert item["params"] == desk.provider.model.parameters(REQUESTS[0])  # pyright: ignore[reportAttributeAccessIssue]
    assert len(item["custom_id"]) == 64


def test_a_batch_costs_half_and_is_charged_once(server: BatchServer, tmp_path: Path):
    desk = Desk(server, tmp_path)
    run = desk.answer(*REQUESTS)
    alone = desk.provider.generate(request(9)).spending
    assert alone is not None
    assert alone.cost_usd is not None
    assert [spent.cost_usd for _, spent in run.spent] == pytest.approx([alone.cost_usd / 2] * 5)
    assert [charge.cost_usd for charge in desk.purse.charges] == pytest.approx([alone.cost_usd / 2] * 5)
    desk.answer(*REQUESTS)
    assert len(desk.purse.charges) == 5


def test_what_the_cache_holds_is_not_sent(server: BatchServer, tmp_path: Path):
    desk = Desk(server, tmp_path)
    desk.provider.generate(REQUESTS[0])
    desk.answer(*REQUESTS)
    desk.answer(*REQUESTS)
    assert [len(items) for items in server.batches.values()] == [4]


def test_a_batch_is_waited_for(server: BatchServer, tmp_path: Path):
    server.instant = False
    waits = []

    def wait() -> None:
        waits.append(1)
        if len(waits) == 3:
            server.ended.add("msgbatch_1")

    desk = Desk(server, tmp_path, wait)
    desk.answer(*REQUESTS)
    assert desk.seen[:3] == [(0, 5)] * 3
    assert len(waits) == 3
    assert desk.seen[-1] == (5, 5)


def _kill() -> None:
    raise Killed


def test_results_that_are_said_to_be_elsewhere_are_not_fetched_and_stay_collectable(
    server: BatchServer, tmp_path: Path
):
    server.shown_otherwise = {"results_url": "https://collector.example/v1/messages/batches/msgbatch_1/results"}
    desk = Desk(server, tmp_path)
    with pytest.raises(PermanentProviderError) as raised:
        desk.answer(*REQUESTS)
    assert raised.value.code == "provider.elsewhere"
    assert "collector.example" in str(raised.value)
    assert set(server.hosts) == {"api.anthropic.com"}
    server.shown_otherwise = {}
    run = Desk(server, tmp_path).answer(*REQUESTS)
    assert (len(server.batches), run.sent, len(run.spent)) == (1, 0, 5)


@pytest.mark.parametrize("made_at", [None, "", "yesterday", "2026-01-01T00:00:00", {}])
def test_a_batch_without_the_time_it_was_made_is_a_broken_reply(server: BatchServer, tmp_path: Path, made_at: Any):
    server.shown_otherwise = {"created_at": made_at}
    with pytest.raises(TransientProviderError) as raised:
        Desk(server, tmp_path).answer(*REQUESTS)
    assert raised.value.code == "provider.broken_reply"
    assert len(server.batches) == 1


def test_killed_while_it_waits_the_next_run_collects_the_same_batch(server: BatchServer, tmp_path: Path):
    server.instant = False
    with pytest.raises(Killed):
        Desk(server, tmp_path, _kill).answer(*REQUESTS)
    server.instant = True
    run = Desk(server, tmp_path).answer(*REQUESTS)
    assert (len(server.batches), run.sent, len(run.spent)) == (1, 0, 5)


def test_killed_between_acceptance_and_its_record_the_next_run_finds_the_batch_at_the_service(
    server: BatchServer, tmp_path: Path
):
    server.after_accepting = _kill
    with pytest.raises(Killed):
        Desk(server, tmp_path).answer(*REQUESTS)
    server.after_accepting = lambda: None
    run = Desk(server, tmp_path).answer(*REQUESTS)
    assert (len(server.batches), run.sent, len(run.spent)) == (1, 0, 5)


def test_a_lost_answer_to_the_submission_is_not_submitted_again(server: BatchServer, tmp_path: Path):
    def lose() -> None:
        raise httpx2.ReadTimeout("silence")

    server.after_accepting = lose
    with pytest.raises(TransientProviderError):
        Desk(server, tmp_path).answer(*REQUESTS)
    assert len(server.batches) == 1
    server.after_accepting = lambda: None
    Desk(server, tmp_path).answer(*REQUESTS)
    assert len(server.batches) == 1


def test_a_batch_that_the_service_takes_in_late_is_found_after_a_wait(server: BatchServer, tmp_path: Path):
    server.after_accepting = _kill
    with pytest.raises(Killed):
        Desk(server, tmp_path).answer(*REQUESTS)
    server.after_accepting = lambda: None
    late = dict(server.batches)
    server.batches.clear()
    run = Desk(server, tmp_path, lambda: server.batches.update(late)).answer(*REQUESTS)
    assert (len(server.batches), run.sent, len(run.spent)) == (1, 0, 5)


def test_an_acceptance_that_is_none_leaves_the_question_open(server: BatchServer, tmp_path: Path):
    def odd(request: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(200, json={}) if request.method == "POST" else server(request)

    desk = Desk(odd, tmp_path)  # pyright: ignore[reportArgumentType]
    with pytest.raises(TransientProviderError):
        desk.answer(*REQUESTS)
    assert len(desk.open_entries()) == 1


def test_one_ceiling_is_asked_once_for_all_that_it_pays(server: BatchServer, tmp_path: Path):
    desk, other = Desk(server, tmp_path), Purse()
    desk.batches.answer(
        lambda: [Question(one, "level", desk.purse if n < 3 else other) for n, one in enumerate(REQUESTS)]
    )
    assert (len(desk.purse.reserved), len(other.reserved)) == (1, 1)
    assert (len(desk.purse.charges), len(other.charges)) == (3, 2)


def test_killed_before_anything_was_accepted_the_next_run_submits(server: BatchServer, tmp_path: Path):
    def lost(_: httpx2.Request) -> httpx2.Response:
        raise Killed

    with pytest.raises(Killed):
        Desk(lost, tmp_path).answer(*REQUESTS)  # pyright: ignore[reportArgumentType]
    run = Desk(server, tmp_path).answer(*REQUESTS)
    assert (len(server.batches), run.sent, len(run.spent)) == (1, 1, 5)


def test_another_ones_batch_of_the_same_size_is_told_apart_by_its_items(server: BatchServer, tmp_path: Path):
    server.after_accepting = _kill
    with pytest.raises(Killed):
        Desk(server, tmp_path / "mine").answer(*REQUESTS)
    server.after_accepting = lambda: None
    Desk(server, tmp_path / "another's").answer(*[request(number) for number in range(11, 16)])
    with pytest.raises(TransientProviderError):
        Desk(server, tmp_path / "mine").answer(*REQUESTS)
    run = Desk(server, tmp_path / "mine").answer(*REQUESTS)
    assert (len(server.batches), run.sent, len(run.spent)) == (2, 0, 5)


def test_killed_while_it_collects_nothing_is_charged_twice(server: BatchServer, tmp_path: Path):
    first = Desk(server, tmp_path)
    charge = first.purse.charge

    def charge_two(spending: Spending) -> None:
        charge(spending)
        if len(first.purse.charges) == 2:
            raise Killed

    first.purse.charge = charge_two
    with pytest.raises(Killed):
        first.answer(*REQUESTS)
    second = Desk(server, tmp_path)
    second.answer(*REQUESTS)
    assert len(first.purse.charges) + len(second.purse.charges) == 5
    assert len(server.batches) == 1


def test_items_that_failed_or_ran_out_of_time_are_asked_as_always(server: BatchServer, tmp_path: Path):
    server.outcomes = {"page 2": "errored", "page 3": "expired", "page 4": "canceled"}
    desk = Desk(server, tmp_path)
    run = desk.answer(*REQUESTS)
    assert (run.unanswered, len(run.spent)) == (3, 2)
    assert [desk.provider.generate(one).data for one in REQUESTS] == [{"count": 3}] * 5
    assert server.asked == 3


@pytest.mark.parametrize("status", [400, 401, 413, 429])
def test_a_refused_batch_leaves_nothing_to_look_for(server: BatchServer, status: int, tmp_path: Path):
    server.refuse_with = status
    desk = Desk(server, tmp_path)
    with pytest.raises((PermanentProviderError, TransientProviderError)):
        desk.answer(*REQUESTS)
    assert desk.open_entries() == []


def test_a_batch_that_the_service_no_longer_has_is_asked_as_always(server: BatchServer, tmp_path: Path):
    server.instant = False
    with pytest.raises(Killed):
        Desk(server, tmp_path, _kill).answer(*REQUESTS)
    server.batches.clear()
    desk = Desk(server, tmp_path)
    assert desk.answer(*REQUESTS).unanswered == 5
    assert desk.open_entries() == []


def test_a_ceiling_stops_a_batch_before_it_is_sent(server: BatchServer, tmp_path: Path):
    class Empty(Purse):
        def reserve(self, estimate_usd: float | None):
            raise BudgetError(f"There is no room for {estimate_usd}.")

    desk = Desk(server, tmp_path)
    desk.purse = Empty()
    with pytest.raises(BudgetError):
        desk.answer(*REQUESTS)
    assert server.batches == {}
    assert desk.open_entries() == []


def test_room_is_held_for_the_whole_batch_while_it_is_under_way(server: BatchServer, tmp_path: Path):
    held: list[str] = []

    class Watched(Purse):
        @contextlib.contextmanager
        def reserve(self, estimate_usd: float | None):
            assert estimate_usd is not None
            held.append("held")
            yield
            held.append("free")

    desk = Desk(server, tmp_path)
    desk.batches.answer(lambda: [Question(one) for one in REQUESTS], Watched())
    assert held == ["held", "free"]


def test_a_damaged_ledger_stops_the_run_before_anything_is_sent(server: BatchServer, tmp_path: Path):
    desk = Desk(server, tmp_path)
    desk.store.write_asset(LEDGER, "0" * 32, b'{"batch": ')
    with pytest.raises(StoreError):
        desk.answer(*REQUESTS)
    assert server.batches == {}


def test_the_key_is_in_no_file_of_the_store(server: BatchServer, tmp_path: Path):
    Desk(server, tmp_path).answer(*REQUESTS)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert files
    assert not any(KEY.encode() in path.read_bytes() for path in files)


def test_a_provider_without_batches_says_so(tmp_path: Path):
    with pytest.raises(PermanentProviderError) as refused:
        make_batches(OfflineProvider(), Store(tmp_path), lambda _done, _total: None)
    assert refused.value.code == "provider.no_batches"
