"""What a service's refusal means, decided once for every vendor: by HTTP status and error type, never by a sentence.

    3xx                   permanent   the address: redirects are not followed
    400, 422, 501         permanent   the request itself
    401, 403              permanent   the key
    402, no credit        permanent   the account
    404                   permanent   the model or the address
    413                   permanent   the size
    408, 409, 425, 429    transient   with the wait that the service asks for
    5xx, 529              transient
    timeout, no connection, a reply that breaks off or is no reply   transient

What a service says is quoted for the reader, on one line, cut, and with every trace of the key taken out: services
echo keys, and failures are stored and shown.
"""

import email.utils
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from osrforge_resources.failures import PermanentProviderError, ProviderError, TransientProviderError
from osrforge_resources.http_client import elsewhere

T = TypeVar("T")

_MOST_SAID = 300
# Services name a key by its ends ("sk-ab…wxyz"); eight characters in a row of it are taken out wherever they stand.
_KEY_RUN = 8
_LOOKS_LIKE_KEY = re.compile(r"\b(?:sk|pk|rk|key|Bearer)[-_ ][A-Za-z0-9_*.\-]{6,}")
_WORD = re.compile(r"[A-Za-z0-9_*.\-]+")
# Longer waits than a day are not waits.
_MOST_SECONDS = 86_400.0

# Error types of both vendors whose status says something else: a stream reports errors under status 200, and an empty
# account is answered with 429 or 400.
_STATUS_OF_TYPE = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "insufficient_quota": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "api_error": 500,
    "server_error": 500,
    "timeout_error": 504,
    "overloaded_error": 529,
}
_ALWAYS_BY_TYPE = {"billing_error", "insufficient_quota"}
_RATE_LIMITED = 429
_WAIT_STATUSES = {408, 409, 425}
_OK = 200
_REDIRECTS = range(300, 400)
_SERVER_ERROR = 500
_NOT_IMPLEMENTED = 501


@dataclass(frozen=True, slots=True)
class ServiceCalls:
    """Runs calls of an official SDK and turns what they raise into failures.

    The SDKs of both vendors come from one generator and raise the same classes, each its own.

    Attributes:
        sdk: The SDK's module.
        service: The provider's name.
        secret: The key in use.
        timeout: Seconds that the service may be silent.
    """

    sdk: Any
    service: str
    secret: str
    timeout: float

    def run(self, call: Callable[[], T]) -> T:
        """Return what `call` returns.

        Raises:
            PermanentProviderError: The same call will fail again.
            TransientProviderError: Waiting may help.
        """
        try:
            return call()
        except Exception as error:
            failure = self._failure(error)
            if failure is None:
                raise
        # Raised out here so that the SDK's error, which holds the request and its headers, is not in its context.
        raise failure

    def _failure(self, error: Any) -> ProviderError | None:
        sdk = self.sdk
        if isinstance(error, sdk.APIStatusError):
            kinds = [kind for name in ("code", "type") if isinstance(kind := getattr(error, name, None), str)]
            kind = next((kind for kind in kinds if kind in _STATUS_OF_TYPE), None)
            said = _sentence(error.body)
            return status_failure(
                self.service, error.status_code, kind, said, error.response.headers, secret=self.secret
            )
        if isinstance(error, sdk.APITimeoutError):
            return timed_out(self.service, self.timeout)
        if isinstance(error, sdk.APIConnectionError):
            if isinstance(error.__cause__, ProviderError):
                return error.__cause__  # our own client would not send it
            return unreachable(self.service)
        if isinstance(error, sdk.APIError):
            # An error inside a stream, or data of another form.
            kind = getattr(error, "type", None)
            return status_failure(self.service, _OK, kind, _sentence(error.body), {}, secret=self.secret)
        return self._transport_failure(error)

    def _transport_failure(self, error: Exception) -> ProviderError | None:
        import httpx2  # what both SDKs speak HTTP with; in mid-stream its errors come through as they are

        if isinstance(error, httpx2.TimeoutException):
            return timed_out(self.service, self.timeout)
        if isinstance(error, httpx2.TransportError):
            return unreachable(self.service)
        if isinstance(error, httpx2.HTTPError | httpx2.StreamError | ValueError):
            # What reading a body raises that is not the JSON it says it is.
            return broken_reply(self.service, "a reply that cannot be read")
        return None


def _sentence(body: object) -> str:
    """Return the sentence in an error's body: `{"error": {"message": …}}`, its inside, or whatever text came instead."""
    if isinstance(body, Mapping):
        inner = body.get("error", body)
        message = inner.get("message", "") if isinstance(inner, Mapping) else inner
        return message if isinstance(message, str) else ""
    return body if isinstance(body, str) else ""


def status_failure(
    service: str, status: int, kind: str | None, said: str, headers: Mapping[str, str], *, secret: str
) -> ProviderError:
    """Return the failure that an error answer means.

    Args:
        service: The provider's name.
        status: The HTTP status; 200 where the error came inside a stream.
        kind: The error's type or code as the service names it.
        said: The service's own sentence.
        headers: The answer's headers.
        secret: The key in use.
    """
    if kind in _ALWAYS_BY_TYPE or status == _OK:
        status = _STATUS_OF_TYPE.get(kind or "", _SERVER_ERROR)
    if status in _REDIRECTS:
        place = scrubbed(headers.get("location", ""), secret) or "an address that it does not name"
        return elsewhere(f"{service} answered {status}: it refers to {place}.")
    sentence = f"{service} answered {status}: {scrubbed(said, secret) or 'no reason given'}"
    sentence = sentence.rstrip(".") + "."
    wait = retry_after(headers)
    if status == _RATE_LIMITED:
        return TransientProviderError(sentence, code="provider.rate_limited", retry_after=wait)
    if status in _WAIT_STATUSES:
        return TransientProviderError(sentence, retry_after=wait)
    if status >= _SERVER_ERROR and status != _NOT_IMPLEMENTED:
        return TransientProviderError(sentence, code="provider.unavailable", retry_after=wait)
    meaning = _PERMANENT.get(status, _Meaning())
    return PermanentProviderError(sentence, code=meaning.code, remedy=meaning.remedy)


@dataclass(frozen=True, slots=True)
class _Meaning:
    """What a permanent status is called, and what helps."""

    code: str | None = None
    remedy: str | None = None


_BAD_REQUEST = _Meaning(
    code="provider.bad_request",
    remedy="Check model, effort and output limit in the settings, and whether OSRFORGE_BASE_URL is of this kind of service.",
)
_KEY_REFUSED = _Meaning(
    code="provider.key_refused", remedy="Check the API key and what it may use; finished work is kept."
)
_PERMANENT = {
    400: _BAD_REQUEST,
    401: _KEY_REFUSED,
    402: _Meaning(code="provider.billing", remedy="Settle the account with the service, then run the partition again."),
    403: _KEY_REFUSED,
    404: _Meaning(code="provider.not_found", remedy="Check OSRFORGE_MODEL and OSRFORGE_BASE_URL."),
    413: _Meaning(
        code="provider.request_too_large",
        remedy="Lower the pages of a request or the resolution of the renders.",
    ),
    422: _BAD_REQUEST,
    501: _BAD_REQUEST,
}


def timed_out(service: str, seconds: float) -> TransientProviderError:
    """Return the failure of a call to a service that was silent for too long."""
    return TransientProviderError(f"{service} was silent for {seconds:g} seconds.", code="provider.timeout")


def unreachable(service: str) -> TransientProviderError:
    """Return the failure of a call that found no service, or lost it."""
    return TransientProviderError(
        f"The connection to {service} could not be made or was lost.",
        code="provider.unreachable",
        remedy="Check the network and OSRFORGE_BASE_URL, then run the partition again; finished work is kept.",
    )


def broken_reply(service: str, what: str) -> TransientProviderError:
    """Return the failure of an answer that breaks off or is not of the service's form."""
    return TransientProviderError(f"{service} sent {what}.", code="provider.broken_reply")


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that an answer asks to wait, given in seconds or as a date; None if it names none."""
    said = headers.get("retry-after", "").strip()
    try:
        seconds = float(said)
    except ValueError:
        parsed = email.utils.parsedate_tz(said)
        if parsed is None:
            return None
        seconds = email.utils.mktime_tz(parsed) - time.time()
    # NaN compares false with everything and is no wait either.
    return seconds if 0 < seconds <= _MOST_SECONDS else None


def scrubbed(said: str, secret: str) -> str:
    """Return a service's sentence on one line, without the key or any part of it, cut to 300 characters."""
    if secret:
        said = said.replace(secret, "[key]")
    said = _LOOKS_LIKE_KEY.sub("[key]", said)
    said = _WORD.sub(lambda word: "[key]" if _shares_key(word[0], secret) else word[0], said)
    line = " ".join("".join(char if char.isprintable() else " " for char in said).split())
    return line if len(line) <= _MOST_SAID else line[:_MOST_SAID] + "…"


def _shares_key(word: str, secret: str) -> bool:
    return any(word[at : at + _KEY_RUN] in secret for at in range(len(word) - _KEY_RUN + 1))
