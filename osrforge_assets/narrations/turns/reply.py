"""What a block of a reply says: whether it is a proposal at all, and which events it proposes.

Our own label makes a block ours whatever it holds. Everything else has to be a proposal to be taken: a story may hold
code, and taking an author's code is worse than leaving a stray brace.
"""

import re
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache

from osrforge_assets.contracts.narration import EVENT_TYPES
from osrforge_resources.tolerant_json import UnreadableJsonError, decode

QUOTES = "\"'“”„‟‘’‚‛"

# An invented type that still speaks our language (`set_location`, `get_current_location`); `gala` does not.
_LIKE_A_TYPE = re.compile(r"(?:set|create|get|add|remove|update|change|move)_[a-z_]{1,60}")

_INNER_FENCE = re.compile(r"\s{0,64}(?:`{3,}|~{3,})[^\n`]*\n")
_EVENTS_OPEN = re.compile(rf"\s*\{{\s*[{QUOTES}]?events[{QUOTES}]?\s*:\s*\[\s*(?:\]|\Z|\{{\s*(?:\Z|[{QUOTES}]?type))")
_OPENING = '{"events":[{"type":"'
# A block cut within its first words: `{"eve`. Three characters (`{"e`) begin many an author's object.
_SHORTEST_CUT = 4
_LONGEST_CUT = 64
_BLANK = re.compile(r"\s+")
_ANY_QUOTE = re.compile(f"[{QUOTES}]")


class Claim(IntEnum):
    """How surely a decoded value that does not bear our label is a proposal."""

    NONE = 0
    LOOSE = 1  # the shape of a proposal, but no known event: `{"events": []}`, or invented types only
    KNOWN = 2  # at least one event of the vocabulary


@dataclass(frozen=True, slots=True)
class BlockReading:
    """What a block says.

    Attributes:
        events: The proposed events as decoded, None if it is no proposal.
        error: Why it is none, None if it is one.
        notes: What was read past.
        claim: How surely a block without our label is ours.
        decodable: It is JSON, be it a proposal or not.
    """

    events: tuple[object, ...] | None
    error: str | None
    notes: tuple[str, ...]
    claim: Claim
    decodable: bool = True


_EMPTY = BlockReading(None, "the block is empty", (), Claim.NONE, decodable=False)


def read_block(raw: str) -> BlockReading:
    """Return what the text inside a block says; never raises."""
    if not raw.strip():
        return _EMPTY
    inner = _INNER_FENCE.match(raw)
    notes = ("a fence inside the block",) if inner else ()
    try:
        decoded = decode(raw[inner.end() :] if inner else raw)
    except UnreadableJsonError as error:
        claim = Claim.KNOWN if reads_as_protocol(raw) else Claim.NONE
        return BlockReading(None, str(error), notes, claim, decodable=False)
    value, notes = decoded.value, notes + decoded.repairs
    if isinstance(value, dict) and isinstance(value.get("events"), list):
        extra = tuple(f"ignored key {str(key)[:40]!r}" for key in value if key != "events")
        return BlockReading(tuple(value["events"]), None, (notes + extra)[:20], claim_of(value))
    if isinstance(value, dict) and isinstance(value.get("type"), str):
        return BlockReading((value,), None, (*notes, "one event without a list"), claim_of(value))
    return BlockReading(None, "it is no object with an events list", notes, claim_of(value))


def claim_of(value: object) -> Claim:
    """Return how surely a decoded value is a proposal."""
    if isinstance(value, dict) and isinstance(value.get("events"), list):
        events = value["events"]
        return max((_event_claim(event) for event in events), default=Claim.LOOSE)
    if isinstance(value, dict):
        return Claim.KNOWN if _event_claim(value) is Claim.KNOWN else Claim.NONE
    if isinstance(value, list) and value:
        return Claim.KNOWN if all(_event_claim(item) is Claim.KNOWN for item in value) else Claim.NONE
    return Claim.NONE


def _event_claim(value: object) -> Claim:
    name = value.get("type") if isinstance(value, dict) else None
    if not isinstance(name, str):
        return Claim.NONE
    if name in EVENT_TYPES:
        return Claim.KNOWN
    return Claim.LOOSE if _LIKE_A_TYPE.fullmatch(name) else Claim.NONE


def reads_as_protocol(text: str) -> bool:
    """Whether text that cannot be decoded was on its way to being a proposal."""
    if _EVENTS_OPEN.match(text) or type_pattern(tuple(EVENT_TYPES)).search(text):
        return True
    if len(text) > _LONGEST_CUT:
        return False
    opening = _BLANK.sub("", _ANY_QUOTE.sub('"', text))
    return len(opening) >= _SHORTEST_CUT and _OPENING.startswith(opening)


@lru_cache(maxsize=8)
def type_pattern(names: tuple[str, ...]) -> re.Pattern[str]:
    """Return the pattern of a `type` field that holds one of these names."""
    return re.compile(rf"[{QUOTES}]?\btype[{QUOTES}]?\s{{0,64}}:\s{{0,64}}[{QUOTES}](?:{'|'.join(names)})[{QUOTES}]")
