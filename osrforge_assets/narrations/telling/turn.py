"""One turn told: a narrator's reply as it arrives, its prose shown as soon as it is sure, the whole kept whatever happens.

A reply that breaks off was watched and paid for, so what arrived of it is the turn; only a reply without any text is none.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from osrforge_assets.contracts.narration_turns import SplitReply
from osrforge_assets.narrations.turns.splitter import StreamSplitter
from osrforge_resources.chat_model import RawReply
from osrforge_resources.failures import OsrforgeError, PermanentProviderError, RefusalError, ReplyTooLongError

# What the log says of a reply that broke off; of one that was cut or declined it says what the services say.
INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class Told:
    """A turn as it was told.

    Attributes:
        reply: The raw reply, or what arrived of it.
        stop_reason: As the log records it: `stop`, `length`, `refusal`, `interrupted`.
        split: The reply taken apart.
        failure: Why it did not end by itself, None if it did; a `KeyboardInterrupt` where a person stopped it.
    """

    reply: str
    stop_reason: str
    split: SplitReply
    failure: OsrforgeError | KeyboardInterrupt | None = None


def tell(pieces: Iterable[str | RawReply], show: Callable[[str], None]) -> Told:
    """Take a reply as it arrives.

    Args:
        pieces: The reply's text in pieces, at the end the whole.
        show: Called with each stretch of prose that is sure; it never sees protocol.

    Raises:
        ProviderError: No text arrived at all.
        KeyboardInterrupt: It was stopped before any text arrived.
    """
    splitter = StreamSplitter()
    arrived: list[str] = []
    failure: OsrforgeError | KeyboardInterrupt | None = None
    try:
        for piece in pieces:
            if isinstance(piece, str):
                arrived.append(piece)
                show(splitter.feed(piece))
    except (OsrforgeError, KeyboardInterrupt) as broken:
        failure = broken
    reply = "".join(arrived)
    if not reply.strip():
        raise failure or PermanentProviderError(
            "The narrator's reply holds no text.",
            code="provider.empty_reply",
            remedy="Say it in other words, raise the output limit, or choose another model.",
        )
    stop_reason = _stop_reason(failure)
    show(splitter.finish(stop_reason))
    return Told(reply, stop_reason, splitter.result, failure)


def _stop_reason(failure: OsrforgeError | KeyboardInterrupt | None) -> str:
    if failure is None:
        return "stop"
    if isinstance(failure, ReplyTooLongError):
        return "length"
    return "refusal" if isinstance(failure, RefusalError) else INTERRUPTED
