"""The fault table: what each answer of a service comes to, for both adapters.

A row says what the service does, and what is expected of it: the failure, how many HTTP requests were made, how many
replies are kept afterwards, how many calls were charged.
"""

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import pytest

from osrforge_resources.account import charged_to
from osrforge_resources.failures import (
    OsrforgeError,
    PermanentProviderError,
    ProviderError,
    RefusalError,
    ReplyTooLongError,
    SchemaValidationError,
    TransientProviderError,
)
from osrforge_resources.in_flight import InFlight
from osrforge_resources.model_provider import ModelRequest, TextPart
from osrforge_resources.prices import PriceTable
from osrforge_resources.response_cache import ResponseCache
from osrforge_resources.step_failures import step_failure
from osrforge_resources.store import Store
from osrforge_resources.structured_provider import StructuredProvider
from osrforge_resources.usage import Spending, TokenUsage
from tests.resources.fake_services import ANTHROPIC, KEY, OPENAI, BrokenStream, Script, Step, Vendor

SCHEMA: dict[str, object] = {
    "type": "object",
    "properties": {"count": {"type": "integer", "minimum": 1}},
    "required": ["count"],
    "additionalProperties": False,
}
REQUEST = ModelRequest("survey", "rules", (TextPart("[page 1]\nA page."), TextPart("How many?")), SCHEMA)
GOOD = '{"count": 3}'
VENDORS = pytest.mark.parametrize("vendor", [ANTHROPIC, OPENAI], ids=lambda vendor: vendor.name)


class Purse:
    """An account without a ceiling that adds up what it is charged."""

    def __init__(self) -> None:
        self.charges: list[Spending] = []
        self.reserved: list[float | None] = []

    def reserve(self, estimate_usd: float | None) -> contextlib.AbstractContextManager[None]:
        self.reserved.append(estimate_usd)
        return contextlib.nullcontext()

    def charge(self, spending: Spending) -> None:
        self.charges.append(spending)


@dataclass
class Bench:
    """One provider over a scripted service and a store of its own."""

    vendor: Vendor
    folder: Path
    steps: Sequence[Step]
    settings: dict[str, Any] = field(default_factory=dict)
    script: Script = field(init=False)
    purse: Purse = field(default_factory=Purse)

    def __post_init__(self) -> None:
        self.script = Script(self.steps)
        self.cache = ResponseCache(Store(self.folder / "store"))
        self.provider = StructuredProvider(
            self.vendor.model(self.script, **self.settings),
            cache=self.cache,
            limiter=InFlight(requests=4, tokens=100_000),
            prices=PriceTable(),
        )

    def ask(self, request: ModelRequest = REQUEST):
        with charged_to(self.purse):
            return self.provider.generate(request)

    def failure(self, request: ModelRequest = REQUEST) -> OsrforgeError:
        with pytest.raises(OsrforgeError) as raised:
            self.ask(request)
        return raised.value

    @property
    def attempts(self) -> int:
        return len(self.script.bodies)

    @property
    def kept(self) -> int:
        return sum(entry is not None for _, _, entry in self.cache.entries())


@dataclass(frozen=True)
class Row:
    """A status, and what it comes to."""

    status: int
    kind: str
    failure: type[OsrforgeError]
    code: str
    attempts: int


PERMANENT, TRANSIENT = PermanentProviderError, TransientProviderError
STATUSES = [
    Row(400, "invalid_request_error", PERMANENT, "provider.bad_request", 1),
    Row(400, "billing_error", PERMANENT, "provider.billing", 1),
    Row(401, "authentication_error", PERMANENT, "provider.key_refused", 1),
    Row(402, "billing_error", PERMANENT, "provider.billing", 1),
    Row(403, "permission_error", PERMANENT, "provider.key_refused", 1),
    Row(404, "not_found_error", PERMANENT, "provider.not_found", 1),
    Row(405, "some_error", PERMANENT, "provider.permanent", 1),
    Row(408, "some_error", TRANSIENT, "provider.transient", 2),
    Row(409, "some_error", TRANSIENT, "provider.transient", 2),
    Row(413, "request_too_large", PERMANENT, "provider.request_too_large", 1),
    Row(422, "some_error", PERMANENT, "provider.bad_request", 1),
    Row(425, "some_error", TRANSIENT, "provider.transient", 1),
    Row(429, "rate_limit_error", TRANSIENT, "provider.rate_limited", 2),
    Row(429, "insufficient_quota", PERMANENT, "provider.billing", 2),
    Row(500, "api_error", TRANSIENT, "provider.unavailable", 2),
    Row(501, "some_error", PERMANENT, "provider.bad_request", 2),
    Row(502, "some_error", TRANSIENT, "provider.unavailable", 2),
    Row(503, "some_error", TRANSIENT, "provider.unavailable", 2),
    Row(504, "timeout_error", TRANSIENT, "provider.unavailable", 2),
    Row(529, "overloaded_error", TRANSIENT, "provider.unavailable", 2),
]


@VENDORS
@pytest.mark.parametrize("row", STATUSES, ids=lambda row: f"{row.status}-{row.kind}")
def test_a_status_has_one_meaning(vendor: Vendor, row: Row, tmp_path: Path):
    bench = Bench(vendor, tmp_path, [vendor.error(row.status, row.kind)])
    failure = bench.failure()
    assert (type(failure), failure.code) == (row.failure, row.code)
    # A server may call a request bad because it knows no schema: it is asked once without.
    asked_twice = vendor is OPENAI and row.code == "provider.bad_request"
    assert bench.attempts == row.attempts * (2 if asked_twice else 1)
    assert bench.kept == 0
    assert bench.purse.charges == []
    assert isinstance(failure, ProviderError)
    assert failure.spending == Spending(calls=1)


@VENDORS
@pytest.mark.parametrize("status", [301, 302, 303, 304, 307, 308])
@pytest.mark.parametrize("place", ["https://elsewhere.example/v1", "http://127.0.0.1:1/v1", "/v2", ""])
def test_a_redirect_is_never_followed(vendor: Vendor, status: int, place: str, tmp_path: Path):
    headers = {"location": f"{place}?key={KEY}"} if place else {}
    bench = Bench(vendor, tmp_path, [httpx2.Response(status, headers=headers), vendor.said(GOOD)])
    failure = bench.failure()
    assert (type(failure), failure.code) == (PERMANENT, "provider.elsewhere")
    assert "OSRFORGE_BASE_URL" in failure.remedy
    assert (bench.attempts, bench.kept, bench.purse.charges) == (1, 0, [])
    assert KEY not in str(failure)


@VENDORS
@pytest.mark.parametrize("status", [400, 401, 429, 500])
def test_an_error_page_that_is_not_json_has_the_meaning_of_its_status(vendor: Vendor, status: int, tmp_path: Path):
    page = f"<html><body>Bearer {KEY} is refused</body></html>"
    bench = Bench(vendor, tmp_path, [httpx2.Response(status, html=page, headers={"retry-after-ms": "1"})])
    failure = bench.failure()
    assert isinstance(failure, TRANSIENT if status >= 429 else PERMANENT)
    assert KEY not in str(failure)


@VENDORS
@pytest.mark.parametrize(
    ("error", "code"),
    [
        (httpx2.ConnectError("no route"), "provider.unreachable"),
        (httpx2.RemoteProtocolError("it hung up"), "provider.unreachable"),
        (httpx2.ReadTimeout("silence"), "provider.timeout"),
        (httpx2.ConnectTimeout("silence"), "provider.timeout"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_a_lost_connection_is_tried_again_by_the_sdk_alone(vendor: Vendor, error: Exception, code: str, tmp_path: Path):
    bench = Bench(vendor, tmp_path, [error])
    failure = bench.failure()
    assert (type(failure), failure.code, bench.attempts) == (TRANSIENT, code, 2)
    assert (bench.kept, bench.purse.charges) == (0, [])


@VENDORS
def test_a_body_that_breaks_off_is_a_failure_that_waiting_may_help(vendor: Vendor, tmp_path: Path):
    def broken(_: httpx2.Request) -> httpx2.Response:
        body = BrokenStream([b'{"id": "m'], httpx2.ReadError("gone"))
        return httpx2.Response(200, stream=body, headers={"content-type": "application/json"})

    bench = Bench(vendor, tmp_path, [broken])
    failure = bench.failure()
    assert (type(failure), failure.code) == (TRANSIENT, "provider.unreachable")
    assert (bench.kept, bench.purse.charges) == (0, [])


@VENDORS
@pytest.mark.parametrize(
    "body",
    [
        httpx2.Response(200, content=b'{"id": "m', headers={"content-type": "application/json"}),
        httpx2.Response(200, json=[1, 2]),
        httpx2.Response(200, json={}),
        httpx2.Response(200, json={"content": None, "choices": None}),
        httpx2.Response(200, json={"content": "text", "choices": [None]}),
        httpx2.Response(200, html="<html>Please log in</html>"),
    ],
    ids=["cut", "list", "empty", "null", "wrong types", "log-in page"],
)
def test_a_200_that_is_no_reply_is_a_broken_reply(vendor: Vendor, body: httpx2.Response, tmp_path: Path):
    bench = Bench(vendor, tmp_path, [body])
    failure = bench.failure()
    assert (type(failure), failure.code) == (TRANSIENT, "provider.broken_reply")
    assert (bench.attempts, bench.kept, bench.purse.charges) == (1, 0, [])


@VENDORS
def test_a_good_answer_costs_one_call_once(vendor: Vendor, tmp_path: Path):
    bench = Bench(vendor, tmp_path, [vendor.said(GOOD)])
    first, second = bench.ask(), bench.ask()
    assert first.data == second.data == {"count": 3}
    assert (bench.attempts, bench.kept, len(bench.purse.charges)) == (1, 1, 1)
    assert first.spending is not None
    assert first.spending.calls == 1
    assert first.spending.usage == TokenUsage(input_tokens=100, output_tokens=10)
    assert first.spending.cost_usd is not None
    assert first.spending.cost_usd > 0
    assert second.spending == Spending(cache_hits=1)


@VENDORS
@pytest.mark.parametrize(
    "bad",
    [
        "",
        "I would rather not.",
        '{"count": 3',
        '{"count": 0}',
        '{"count": "3"}',
        '{"count": 3, "more": 1}',
        "[]",
        GOOD * 2,
    ],
)
def test_a_wrong_reply_is_shown_to_the_model_and_repaired(vendor: Vendor, bad: str, tmp_path: Path):
    bench = Bench(vendor, tmp_path, [vendor.said(bad), vendor.said(GOOD)])
    response = bench.ask()
    assert response.data == {"count": 3}
    assert response.spending is not None
    assert (bench.attempts, bench.kept, len(bench.purse.charges), response.spending.calls) == (2, 2, 2, 2)
    roles = [message["role"] for message in bench.script.bodies[1]["messages"] if message["role"] != "system"]
    assert roles == (["user", "assistant", "user"] if bad else ["user", "user"])
    assert '"minimum": 1' in str(bench.script.bodies[1]["messages"][-1]["content"])


@VENDORS
def test_three_wrong_replies_are_a_failure_that_the_next_run_asks_about_anew(vendor: Vendor, tmp_path: Path):
    wrong = [vendor.said('{"count": 0}'), vendor.said('{"count": -1}'), vendor.said('{"count": -2}')]
    bench = Bench(vendor, tmp_path, [*wrong, vendor.said(GOOD)])
    failure = bench.failure()
    assert type(failure) is SchemaValidationError
    assert "-2" in failure.message
    assert (bench.attempts, bench.kept, len(bench.purse.charges)) == (3, 0, 3)
    assert failure.spending is not None
    assert failure.spending.usage == TokenUsage(input_tokens=300, output_tokens=30)
    assert bench.ask().data == {"count": 3}


@VENDORS
def test_a_crash_between_payment_and_validation_costs_nothing_on_the_next_run(vendor: Vendor, tmp_path: Path):
    steps = [vendor.said('{"count": 0}'), vendor.error(401)]
    broken = Bench(vendor, tmp_path, steps)
    assert broken.failure().code == "provider.key_refused"
    again = Bench(vendor, tmp_path, [vendor.said(GOOD)])
    response = again.ask()
    # The first reply was kept, so only the repair is asked now.
    assert (again.attempts, response.data) == (1, {"count": 3})
    assert response.spending is not None
    assert (response.spending.calls, response.spending.cache_hits) == (1, 1)


@VENDORS
def test_a_cut_reply_is_not_parsed_and_not_paid_for_again(vendor: Vendor, tmp_path: Path):
    bench = Bench(vendor, tmp_path, [vendor.said(GOOD, "cut")])
    failures = bench.failure(), bench.failure()
    assert [type(failure) for failure in failures] == [ReplyTooLongError] * 2
    assert (bench.attempts, bench.kept, len(bench.purse.charges)) == (1, 1, 1)


@VENDORS
def test_a_refusal_is_permanent_and_the_next_run_asks_anew(vendor: Vendor, tmp_path: Path):
    bench = Bench(vendor, tmp_path, [vendor.said("", "refused"), vendor.said(GOOD)])
    failure = bench.failure()
    assert type(failure) is RefusalError
    assert step_failure(failure).allow_retries is False
    assert (bench.attempts, bench.kept, len(bench.purse.charges)) == (1, 0, 1)
    assert bench.ask().data == {"count": 3}


def test_a_refusal_names_its_category(tmp_path: Path):
    message = ANTHROPIC.message("", reason="refusal", stop_details={"type": "refusal", "category": "cyber"})
    assert "(cyber)" in Bench(ANTHROPIC, tmp_path, [httpx2.Response(200, json=message)]).failure().message


def test_a_full_context_window_is_a_reply_too_long(tmp_path: Path):
    message = ANTHROPIC.message(GOOD, reason="model_context_window_exceeded")
    failure = Bench(ANTHROPIC, tmp_path, [httpx2.Response(200, json=message)]).failure()
    assert type(failure) is ReplyTooLongError
    assert "model_context_window_exceeded" in failure.message


def test_openai_refuses_in_a_field_of_its_own(tmp_path: Path):
    message = OPENAI.message("", refusal="I cannot help with that.")
    assert type(Bench(OPENAI, tmp_path, [httpx2.Response(200, json=message)]).failure()) is RefusalError


@VENDORS
def test_a_kept_reply_that_its_reader_refuses_is_asked_anew_by_the_next_run(vendor: Vendor, tmp_path: Path):
    bench = Bench(vendor, tmp_path, [vendor.said(GOOD)])
    response = bench.ask()
    with pytest.raises(SchemaValidationError), response.being_read():
        raise SchemaValidationError("three is one too many")
    assert bench.kept == 0


@VENDORS
@pytest.mark.parametrize(("said", "seconds"), [("7", 7.0), ("0", None), ("soon", None), ("-3", None), ("nan", None)])
def test_the_wait_that_a_service_asks_for_is_kept(vendor: Vendor, said: str, seconds: float | None, tmp_path: Path):
    answer = vendor.error(429, "rate_limit_error", **{"retry-after": said})
    failure = Bench(vendor, tmp_path, [answer]).failure()
    assert isinstance(failure, TransientProviderError)
    assert failure.retry_after == seconds


@VENDORS
def test_the_key_reaches_the_service_and_nothing_else(vendor: Vendor, tmp_path: Path):
    steps = [
        vendor.said(GOOD),
        vendor.error(401, "authentication_error"),
        httpx2.Response(403, json={"error": {"message": f"key {KEY[:11]}…{KEY[-9:]} is revoked", "type": "x"}}),
    ]
    bench = Bench(vendor, tmp_path, steps)
    bench.ask()
    failures = [bench.failure(ModelRequest(tag, "rules", REQUEST.parts, SCHEMA)) for tag in ("one", "two")]
    assert all(KEY in key for key in bench.script.keys)
    for failure in failures:
        told = [str(failure), repr(failure), repr(failure.__dict__), str(failure.__cause__), str(failure.__context__)]
        assert not any(part in text for text in told for part in (KEY, KEY[:11], KEY[-9:]))
        assert failure.__context__ is None
    written = [path for path in (tmp_path / "store").rglob("*") if path.is_file()]
    assert written
    assert not any(KEY.encode() in path.read_bytes() for path in written)
