"""Every failure a person may meet, as a type that already says whether trying again can help.

    OsrforgeError                 code, message, remedy
    ├── MisuseError               also a ValueError: the call itself is wrong
    │   └── InvalidKeyError       a partition key that must not touch storage
    ├── SourceError               a source document that cannot be read as it is
    ├── StoreError                the store refuses or its content is damaged
    └── ProviderError             a model provider gave no usable answer
        ├── PermanentProviderError    the same request will fail again
        │   ├── RefusalError              the model declined; carries its category
        │   └── BudgetError               a ceiling was reached; nothing was sent
        ├── TransientProviderError    waiting may help; carries `retry_after`
        ├── ReplyTooLongError         permanent for this request, smaller ones may fit
        └── SchemaValidationError     an answer that its own schema refuses

What does not belong here: the decision what to do about a failure. That is taken where the failure is caught, by
type alone, never by reading a message.
"""

from typing import ClassVar

from osrforge_resources.usage import Spending


class OsrforgeError(Exception):
    """An expected failure: a stable code, one sentence, and what a person can do.

    Attributes:
        code: Stable, lower-case, dotted (`source.encrypted`); scripts may rely on it.
        message: One sentence that names what failed and where.
        remedy: One sentence that says what to do next.
    """

    default_code: ClassVar[str] = "osrforge"
    default_remedy: ClassVar[str] = "Look at the message; if it does not help, report it with the input."

    def __init__(self, message: str, *, code: str | None = None, remedy: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.code = code or self.default_code
        self.remedy = remedy or self.default_remedy

    def __str__(self) -> str:
        return f"{self.code}: {self.message} {self.remedy}"

    def __reduce__(self) -> tuple[object, ...]:
        # Failures cross process borders (page workers, executors); the default reduce forgets keyword arguments.
        return _rebuild, (type(self), self.message, self.code, self.remedy, self.__dict__)


def _rebuild(cls: type[OsrforgeError], message: str, code: str, remedy: str, state: dict[str, object]) -> OsrforgeError:
    failure = cls.__new__(cls)
    Exception.__init__(failure, message)
    failure.message, failure.code, failure.remedy = message, code, remedy
    failure.__dict__.update(state)
    return failure


class MisuseError(OsrforgeError, ValueError):
    """The caller asked for something that has no meaning; the call has to change."""

    default_code = "misuse"
    default_remedy = "Correct the call."


class InvalidKeyError(MisuseError):
    """A partition key outside the grammar of `osrforge_resources.keys`."""

    default_code = "key.invalid"
    default_remedy = "Use lower-case letters and digits joined by single hyphens."


class SourceError(OsrforgeError):
    """A source document that cannot be read as it is; permanent until the file or its password changes."""

    default_code = "source.unreadable"
    default_remedy = "Open the file in a viewer and save it again, or replace it."


class StoreError(OsrforgeError):
    """The store refused a read or write, or holds a document that is not what its name says."""

    default_code = "store"
    default_remedy = "Check that the store is there, writable and has room, then run the partition again."


class ProviderError(OsrforgeError):
    """A model provider gave no usable answer.

    Attributes:
        spending: What was paid before it failed: replies that were refused are paid for all the same. None where the
            provider keeps no account, which counts as one call.
    """

    default_code = "provider"
    default_remedy = "Check the provider's settings, then run the partition again; finished work is kept."
    spending: Spending | None = None


class PermanentProviderError(ProviderError):
    """The same request will fail the same way: bad request, auth, billing, refusal, budget."""

    default_code = "provider.permanent"


class RefusalError(PermanentProviderError):
    """The model declined to answer."""

    default_code = "provider.refused"
    default_remedy = "Look at the pages or text of this request; another model may answer it."


class BudgetError(PermanentProviderError):
    """A ceiling on cost was reached, or cannot be kept because the model has no known price; nothing was sent."""

    default_code = "budget.reached"
    default_remedy = "Raise the ceiling and run the partition again; everything paid for so far is kept."


class TransientProviderError(ProviderError):
    """Waiting may help: rate limit, overload, timeout, lost connection.

    Attributes:
        retry_after: Seconds the service asked to wait, None where it named none.
    """

    default_code = "provider.transient"
    default_remedy = "Wait a little, then run the partition again; finished work is kept."

    def __init__(
        self, message: str, *, code: str | None = None, remedy: str | None = None, retry_after: float | None = None
    ) -> None:
        super().__init__(message, code=code, remedy=remedy)
        self.retry_after = retry_after


class ReplyTooLongError(ProviderError):
    """The reply hit the output limit; asking for less may fit."""

    default_code = "provider.reply_too_long"
    default_remedy = "Raise OSRFORGE_MAX_TOKENS, or lower the pages or units of a request."


class SchemaValidationError(ProviderError):
    """An answer that does not satisfy the schema of its request."""

    default_code = "provider.schema"
    default_remedy = "Run the partition again, or choose a model that keeps to a JSON Schema."
