"""The bundled demo story holds every kind of fault, and comes out clean."""

from pathlib import Path

import pytest

from osrforge_assets.contracts.narration_turns import BlockKind, DropReason, NarrationTurns, RefusalCode
from osrforge_assets.narrations.state.replay import replay
from osrforge_assets.narrations.turns.splitting import split_story
from osrforge_assets.narrations.turns.story_log import read_story_log

DEMO = Path(__file__).parents[2] / "data" / "demo_story.jsonl"


@pytest.fixture(scope="module")
def turns() -> NarrationTurns:
    return split_story(read_story_log(DEMO.read_bytes(), name=DEMO.name), narration="demo")[0]


def test_the_story_holds_the_faults_it_is_for(turns: NarrationTurns):
    splits = [turn.split for turn in turns.turns]
    kinds = {block.kind for split in splits for block in split.blocks}
    assert kinds >= {BlockKind.STATE_FENCE, BlockKind.STATE_INLINE, BlockKind.JSON_FENCE, BlockKind.BARE_OBJECT}
    reasons = {dropped.reason for split in splits for dropped in split.dropped}
    assert reasons == {DropReason.REASONING, DropReason.UNCLOSED_REASONING, DropReason.REMINDER_ECHO}
    assert any(split.cut for split in splits)
    assert sum(len(split.malformed) for split in splits) == 4
    codes = {refusal.code for turn in replay(turns).history.turns for refusal in turn.refused}
    assert codes == {
        *(RefusalCode.UNKNOWN_TYPE, RefusalCode.ABOVE_LIMIT, RefusalCode.INSIDE_ITSELF, RefusalCode.UNKNOWN_ENTITY),
        *(RefusalCode.WRONG_KIND, RefusalCode.EXAMPLE_ECHOED, RefusalCode.KIND_CONFLICT),
    }


def test_its_prose_is_story_and_the_authors_code_is_kept(turns: NarrationTurns):
    prose = "".join(turn.split.prose for turn in turns.turns)
    assert '"events"' not in prose
    assert "think" not in prose.casefold()
    assert "```text\nRING ME AND\n```state\nI RING BACK\n```\n" in prose
    assert '{"ship": "Grey Maid", "salt": 40, "bells": 0}' in prose
    assert "[Reminder: the tavern shuts at dusk.]" in prose


def test_its_world_ends_as_the_story_says(turns: NarrationTurns):
    facts = {fact.subject: fact.as_written() for fact in replay(turns).history.final.facts}
    assert facts["set_hit_points", "wenna"]["current"] == 5
    assert facts["set_current_location", "bone-key"]["location"] == "bell-chamber"
    assert facts["set_possession", "lantern"]["owner"] == "wenna"
    assert facts["set_quest_status", "raise-the-bell"]["status"] == "completed"
    assert facts["set_condition", "bronze-door", "locked"]["active"] is False
