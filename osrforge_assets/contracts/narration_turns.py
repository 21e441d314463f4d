"""The documents of the narration lane: a story log's turns, what each reply was split into, and the world they tell.

Offsets count Unicode code points of the reply as it was received. What does not belong here: how any of it is found.
"""

from enum import StrEnum
from typing import Any, Literal

from pydantic import Field

from osrforge_assets.contracts.base import Contract
from osrforge_assets.contracts.narration import AnyEvent
from osrforge_assets.contracts.pages import Sha256

# A decoded JSON value out of a reply: null, bool, number, text, list or object. The parser that decoded it has checked
# it, depth and characters included; checking it again on every reading would cost more than all the rest.
RawJson = Any


class BlockKind(StrEnum):
    """Where in a reply a block of protocol stood."""

    STATE_FENCE = "state_fence"  # a fence that bears our label
    STATE_INLINE = "state_inline"  # a fence that bears our label, opened within a line of prose
    JSON_FENCE = "json_fence"  # a fence labelled json whose content is a proposal
    UNLABELLED_FENCE = "unlabelled_fence"  # a fence without a label whose content is a proposal
    BARE_OBJECT = "bare_object"  # a proposal without any fence


class DropReason(StrEnum):
    """Why something that is not a block left the prose."""

    REASONING = "reasoning"  # between reasoning tags, tags included
    UNCLOSED_REASONING = "unclosed_reasoning"  # from a reasoning tag that never closes to the end
    REASONING_TAG = "reasoning_tag"  # a closing or empty reasoning tag on its own
    REMINDER_ECHO = "reminder_echo"  # a near copy of a note of our own prompt
    JSON_RESIDUE = "json_residue"  # closing brackets left over behind a bare proposal
    STRAY_FENCE = "stray_fence"  # an empty unlabelled fence at the end, behind a block
    RUNAWAY = "runaway"  # everything behind the last block that a reply may have


class Span(Contract):
    """A stretch of the reply, `reply[start:end]`."""

    start: int = Field(ge=0)
    end: int = Field(ge=0)


class Block(Span):
    """A block of protocol that left the prose.

    Attributes:
        kind: Where it stood.
        raw: What the model wrote inside it, without the fence lines.
        closed: False if the reply ended before the block did.
        error: Why it is not a proposal, None if it is one.
        notes: What was read past: a repaired notation, keys beside `events`.
    """

    kind: BlockKind
    raw: str
    closed: bool
    error: str | None = None
    notes: tuple[str, ...] = ()


class Dropped(Span):
    """Something else that left the prose.

    Attributes:
        reason: Why.
        text: What it was.
    """

    reason: DropReason
    text: str


class Proposal(Contract):
    """The events that one readable block asks for, as decoded, not yet judged.

    Attributes:
        block: Index of the block in the reply's `blocks`.
        events: The entries of its `events` list, of any JSON type.
    """

    block: int = Field(ge=0)
    events: tuple[RawJson, ...]


class SplitReply(Contract):
    """A reply taken apart: `prose` is the reply without the spans of `blocks` and `dropped`, to the byte.

    Attributes:
        prose: The story.
        proposals: One a readable block, in order; merged by concatenation, so that later values stand.
        blocks: Every block of protocol, readable or not, in order.
        dropped: Everything else that was removed, in order.
        stop_reason: Why the model stopped, as its service named it; None if unknown.
        cut: The stop reason says that the output limit cut the reply.
    """

    prose: str
    proposals: tuple[Proposal, ...]
    blocks: tuple[Block, ...]
    dropped: tuple[Dropped, ...]
    stop_reason: str | None = None
    cut: bool = False

    @property
    def malformed(self) -> tuple[Block, ...]:
        """The blocks that are no proposal."""
        return tuple(block for block in self.blocks if block.error is not None)

    @property
    def events(self) -> tuple[RawJson, ...]:
        """The merged proposal: every proposed event, in the order written."""
        return tuple(event for proposal in self.proposals for event in proposal.events)


class StoryTurn(Contract):
    """One turn of a story log.

    Attributes:
        number: 1-based, by position in the log.
        player: What the player wrote, "" if the log has none.
        reply: What the model wrote, raw.
        stop_reason: As the log has it.
    """

    number: int = Field(ge=1)
    player: str
    reply: str
    stop_reason: str | None = None


class StoryLog(Contract):
    """A story log as read from its file.

    Attributes:
        title: The story's title, "" if none is given.
        initial: Events that set the world up before turn 1, as decoded.
        turns: In order.
        notes: What of the file was not understood, one sentence each; nothing is dropped unsaid.
    """

    title: str
    initial: tuple[RawJson, ...]
    turns: tuple[StoryTurn, ...]
    notes: tuple[str, ...] = ()


class NarrationSource(Contract):
    """Which file a narration is.

    Attributes:
        narration: The partition key.
        name: The file's own name, for a person.
        sha256: Digest of its bytes, which the store keeps.
        size: Bytes.
        origin: Digest of the path it was registered from, so that an edited log stays the same narration.
    """

    schema_version: Literal[1] = 1
    narration: str
    name: str
    sha256: Sha256
    size: int = Field(ge=1)
    origin: Sha256


class NarrationTurn(Contract):
    """A turn and what its reply was split into.

    Attributes:
        turn: The turn as logged.
        split: Its reply taken apart.
        source: Digest of everything that decides `split`; an equal one is an equal split.
    """

    turn: StoryTurn
    split: SplitReply
    source: Sha256


class NarrationTurns(Contract):
    """A story log with every reply split.

    Attributes:
        narration: The partition key.
        title: The story's title.
        initial: Events that set the world up before turn 1, as decoded.
        turns: In order.
        notes: What of the log was not understood.
    """

    schema_version: Literal[1] = 1
    narration: str
    title: str
    initial: tuple[RawJson, ...]
    turns: tuple[NarrationTurn, ...]
    notes: tuple[str, ...] = ()


class RefusalCode(StrEnum):
    """Why an event was refused; each stands for one row of the table of conflicts."""

    NOT_AN_OBJECT = "not_an_object"
    UNKNOWN_TYPE = "unknown_type"
    INVALID_FIELDS = "invalid_fields"
    EXAMPLE_ECHOED = "example_echoed"
    UNKNOWN_ENTITY = "unknown_entity"
    WRONG_KIND = "wrong_kind"
    SAME_ENTITY = "same_entity"
    INSIDE_ITSELF = "inside_itself"
    KIND_CONFLICT = "kind_conflict"
    ABOVE_LIMIT = "above_limit"
    VALUE_NEEDED = "value_needed"
    TOO_MANY_EVENTS = "too_many_events"


class Refusal(Contract):
    """An event that was not accepted.

    Attributes:
        proposed: The event as decoded.
        code: Why, for a program.
        reason: Why, in one sentence that says what would have been legal.
        choices: The legal values where there is a list of them, at most 20.
    """

    proposed: RawJson
    code: RefusalCode
    reason: str = Field(min_length=1)
    choices: tuple[str, ...] = ()


class Change(Contract):
    """One fact that a turn set, replaced or ended.

    Attributes:
        before: The fact that stood, None if there was none.
        after: The fact that stands now, None if it ended.
    """

    before: AnyEvent | None
    after: AnyEvent | None


class TurnState(Contract):
    """What a turn did to the world.

    Attributes:
        number: The turn; 0 is the world before turn 1.
        accepted: In the order applied, with what they leave open filled from the state.
        refused: In the order proposed.
        changes: The difference between the states before and after the turn, by subject.
        state: Digest of the state after the turn.
        chain: Digest of all turns up to this one; an equal chain is an equal history.
    """

    number: int = Field(ge=0)
    accepted: tuple[AnyEvent, ...]
    refused: tuple[Refusal, ...]
    changes: tuple[Change, ...]
    state: Sha256
    chain: Sha256


class WorldState(Contract):
    """The world at one moment: the newest event about each subject, sorted by subject.

    Attributes:
        facts: The events that stand.
    """

    facts: tuple[AnyEvent, ...] = ()


class WorldHistory(Contract):
    """A narration's world from before its first turn to after its last.

    Attributes:
        narration: The partition key.
        title: The story's title.
        turns: Turn 0 and every turn of the log, in order; the state after any of them is the changes up to it.
        final: The state after the last turn.
    """

    schema_version: Literal[1] = 1
    narration: str
    title: str
    turns: tuple[TurnState, ...] = Field(min_length=1)
    final: WorldState
