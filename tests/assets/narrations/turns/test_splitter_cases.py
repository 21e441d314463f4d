"""One test a kind of fault that real story models make."""

import json
from collections.abc import Mapping

import pytest

from osrforge_assets.contracts.narration_turns import BlockKind, DropReason, Refusal, RefusalCode, SplitReply
from osrforge_assets.narrations.turns.prompt import EMIT_REMINDER, render_rejections
from osrforge_assets.narrations.turns.splitter import StreamSplitter, split
from tests.corpus import ABSENT, CORPUS

DUSK = {"type": "set_scene_time", "time": "dusk"}
DAWN = {"type": "set_scene_time", "time": "dawn"}


def proposal(*events: Mapping[str, object]) -> str:
    return json.dumps({"events": list(events)})


def block(*events: Mapping[str, object], opening: str = "```state", closing: str = "```") -> str:
    return f"{opening}\n{proposal(*events)}\n{closing}\n"


def kinds(result: SplitReply) -> list[BlockKind]:
    return [entry.kind for entry in result.blocks]


def test_every_own_block_leaves_and_all_prose_stays_and_events_merge_in_order():
    result = split(f"One.\n{block(DUSK)}Two.\n{block(DAWN)}Three.\n")
    assert result.prose == "One.\nTwo.\nThree.\n"
    assert result.events == (DUSK, DAWN)
    assert [entry.raw for entry in result.blocks] == [proposal(DUSK) + "\n", proposal(DAWN) + "\n"]


@pytest.mark.parametrize("label", ["statement", "stateful", "state-block", "status", "states"])
def test_a_label_that_only_starts_like_ours_is_the_authors(label: str):
    text = f"Before.\n```{label}\nwhat the witness said\n```\nAfter.\n"
    assert split(text).prose == text


def test_an_authors_code_block_that_mentions_our_fence_is_untouched():
    text = f"````markdown\n{block(DUSK)}````\nThe end.\n"
    assert split(text).prose == text
    python = '```python\nprint("""\n```state\n{"events": []}\n""")\n```\n'
    assert split(python).prose == python


@pytest.mark.parametrize(
    ("opening", "closing"),
    [
        ("````state", "````"),
        ("````state", "``````"),
        ("~~~state", "~~~"),
        ("~~~~ state", "~~~~~"),
        ("``` state", "```"),
        ("   ```STATE", "  ```"),
        ("```State json", "```   "),
    ],
)
def test_fences_are_read_as_commonmark_reads_them(opening: str, closing: str):
    result = split(f"Story.\n{block(DUSK, opening=opening, closing=closing)}More.\n")
    assert (result.prose, result.events) == ("Story.\nMore.\n", (DUSK,))


def test_a_shorter_or_other_run_does_not_close_a_fence():
    result = split(f"A.\n````state\n{proposal(DUSK)}\n```\n~~~~\n````\nB.\n")
    assert result.prose == "A.\nB.\n"
    assert result.blocks[0].raw.endswith("```\n~~~~\n")


def test_backticks_inside_a_string_do_not_end_the_block():
    event = {"type": "set_scene_time", "time": "as ```carved``` says"}
    assert split(f"A.\n{block(event)}B.\n").events == (event,)
    assert split(f"A.\n{block(event)}B.\n").prose == "A.\nB.\n"


@pytest.mark.parametrize("label", ["json", "JSON", ""])
def test_a_json_or_unlabelled_fence_is_taken_only_if_it_is_a_proposal(label: str):
    assert split(f"A.\n```{label}\n{proposal(DUSK)}\n```\nB.\n").prose == "A.\nB.\n"
    merely_json = f'A.\n```{label}\n{{"name": "Mara", "events": [{{"title": "Gala"}}]}}\n```\nB.\n'
    assert split(merely_json).prose == merely_json


def test_a_mangled_proposal_in_a_json_fence_is_not_shown():
    result = split('A.\n```json\n{"events": [{"type": "set_possession", "item": key}]\n```\nB.\n')
    assert result.prose == "A.\nB.\n"
    assert result.malformed[0].kind is BlockKind.JSON_FENCE


def test_a_bare_proposal_at_the_end_is_taken_and_a_brace_stays():
    assert split(f"He nods. {proposal(DUSK)}").prose == "He nods. "
    for text in (
        "He draws a {",
        "He drew a {circle}",
        'He typed {"name": "Mara"}',
        "It said {} and {{}}.",
        '{"a": {"b": 1}}',
    ):
        assert split(text).prose == text


def test_several_bare_objects_and_an_earlier_brace_leave_only_story():
    result = split(f'The {{rune}} glows. {{"a": 1}}\n{proposal(DUSK)}\n{json.dumps(DAWN)}]}}\n')
    assert result.prose == 'The {rune} glows. {"a": 1}\n\n'
    assert result.events == (DUSK, DAWN)
    assert [entry.reason for entry in result.dropped] == [DropReason.JSON_RESIDUE]


def test_what_a_character_types_within_a_sentence_stays():
    text = 'He types {"events": []} and waits.'
    assert split(text).prose == text


def test_a_cut_bare_proposal_is_kept_for_the_audit_only():
    result = split('A.\n{"events": [{"type": "set_scene_time", "ti', stop_reason="length")
    assert result.prose == "A.\n"
    assert not result.blocks[0].closed
    assert result.cut


def test_an_unterminated_own_block_ends_the_story_and_is_kept():
    result = split('She smiles.\n```state\n{"events": [{"type": "set_', stop_reason="max_tokens")
    assert result.prose == "She smiles.\n"
    assert result.proposals == ()
    assert result.blocks[0].raw == '{"events": [{"type": "set_'
    assert (result.stop_reason, result.cut, result.blocks[0].closed) == ("max_tokens", True, False)


def test_an_own_opener_at_the_very_end_is_not_shown():
    assert split("She smiles.\n```state").prose == "She smiles.\n"


@pytest.mark.parametrize("text", ['A.\n```json\n{"name": "Ma', "A.\n```\nsome code\n", "A.\n```python\nx = {"])
def test_an_authors_unterminated_block_is_untouched(text: str):
    assert split(text, stop_reason="length").prose == text


def test_a_new_own_block_ends_one_that_was_never_closed():
    result = split(f'A.\n```state\n{{"events": [}})\n\n{block(DUSK)}')
    assert (result.prose, result.events) == ("A.\n", (DUSK,))
    assert [entry.closed for entry in result.blocks] == [False, True]


@pytest.mark.parametrize(
    "raw",
    [
        "[1, 2]",
        "7",
        "NaN",
        '{"events": [], "events": []}',
        r'{"events": [{"type": "\ud800"}]}',
        '{"events": ["\x00"]}',
        "{}",
        "",
    ],
)
def test_what_is_no_proposal_is_malformed_with_its_raw_text(raw: str):
    result = split(f"A.\n```state\n{raw}\n```\nB.\n")
    assert (result.prose, result.proposals) == ("A.\nB.\n", ())
    assert result.malformed[0].raw == raw + "\n"
    assert result.malformed[0].error


@pytest.mark.parametrize(
    "text",
    [
        f"<think>{block(DAWN)}</think>Story.\n",
        "<THINK budget='9'>hm</THINK>Story.\n",
        f"Story.\n<think>what now\n{block(DAWN)}",
        "<think>a<think>b</think>c</think>Story.\n",
        "Story.\n</think>",
    ],
)
def test_reasoning_is_removed_before_anything_is_searched(text: str):
    result = split(text)
    assert (result.prose, result.blocks) == ("Story.\n", ())
    assert result.dropped


def test_a_template_that_opens_the_reasoning_tag_is_understood():
    assert split("thinking ...</think>Story.", starts_in_reasoning=True).prose == "Story."


@pytest.mark.parametrize(
    "echo",
    [
        EMIT_REMINDER,
        EMIT_REMINDER.upper(),
        EMIT_REMINDER.replace("```state", "`state`").replace("narration", "story"),
        EMIT_REMINDER[:70],
        EMIT_REMINDER.strip("[]"),
    ],
)
def test_an_echo_of_our_reminder_is_removed(echo: str):
    result = split(f"The end.\n{echo}")
    assert result.prose == "The end.\n"
    assert result.dropped[0].reason is DropReason.REMINDER_ECHO


def test_a_correction_note_that_is_echoed_is_removed():
    note = render_rejections([Refusal(proposed=1, code=RefusalCode.NOT_AN_OBJECT, reason="An event [is] an object.")])
    assert split(f"The end. {note}").prose == "The end. "


@pytest.mark.parametrize(
    "own", ["[Reminder: the tavern shuts at dusk.]", "[He drew a state block and an events list.]", "Reminder: pay."]
)
def test_a_characters_own_reminder_stays(own: str):
    assert split(f"The sign says {own}\n{own}").prose == f"The sign says {own}\n{own}"


def test_only_a_block_is_an_empty_story_and_no_block_is_all_story():
    assert (split(block(DUSK)).prose, split(block(DUSK)).events) == ("", (DUSK,))
    assert (split("Only story.\n").prose, split("Only story.\n").blocks) == ("Only story.\n", ())


@pytest.mark.parametrize(
    ("text", "prose"),
    [
        (f"She nods. ```state\n{proposal(DUSK)}\n```\nThen.", "She nods. \nThen."),
        (f"She nods. ```state {proposal(DUSK)}``` Then.", "She nods.  Then."),
        (f"```state\n{proposal(DUSK)}```\nThen.", "Then."),
        (f"```state\n{proposal(DUSK)}\n``` Then.", " Then."),
        (f"```state\n```json\n{proposal(DUSK)}\n```\n```\n", ""),
    ],
)
def test_openers_and_closers_out_of_place_are_understood(text: str, prose: str):
    result = split(text)
    assert (result.prose, result.events) == (prose, (DUSK,))


@pytest.mark.parametrize("label", ["state", "json"])
@pytest.mark.parametrize("size", [1, 4, 1_000])
def test_a_fence_that_is_opened_twice_is_understood_at_any_cut(label: str, size: int):
    text = f"She nods.\n```\n```{label}\n{proposal(DUSK)}\n```\nThen."
    splitter = StreamSplitter()
    shown = "".join(splitter.feed(text[start : start + size]) for start in range(0, len(text), size))
    assert shown + splitter.finish() == "She nods.\nThen."
    assert splitter.result == split(text)
    assert splitter.result.events == (DUSK,)


@pytest.mark.parametrize("cut", ['{"e', '{"eve', '{"e v', '{"even'])
def test_a_proposal_cut_short_in_a_fence_without_a_label_is_the_same_at_any_cut(cut: str):
    text = f"```\n{cut}\n```\nThen."
    splitter = StreamSplitter()
    shown = "".join(splitter.feed(character) for character in text)
    assert shown + splitter.finish() == split(text).prose
    assert splitter.result == split(text)


def test_an_empty_fence_and_a_fence_in_a_fence_of_the_authors_stay():
    for text in ("```\n```\nDust.\n", "```\n```python\nx = 1\n```\n```\nDust.\n"):
        assert split(text).prose == text


def test_a_mention_of_our_fence_in_a_sentence_stays():
    for text in ("Write ```state to begin, he said.", "The label is ```state\nand that is all.\n"):
        assert split(text).prose == text


def test_the_reader_never_sees_protocol_at_any_cut_of_the_stream():
    text = f"Un café.\r\n<think>x</think>{block(DUSK)}B `x` {proposal(DAWN)}\n{EMIT_REMINDER}\nC"
    whole = split(text)
    for size in range(1, len(text)):
        splitter = StreamSplitter()
        shown = ""
        for start in range(0, len(text), size):
            shown += splitter.feed(text[start : start + size])
            assert whole.prose.startswith(shown)
        shown += splitter.finish()
        assert (shown, splitter.result) == (whole.prose, whole)


@pytest.mark.skipif(not CORPUS.exists(), reason=ABSENT)
def test_real_replies_of_a_small_model_all_give_clean_prose():
    lines = (CORPUS / "narration" / "gemma3_270m_state_blocks.jsonl").read_text(encoding="utf-8").splitlines()
    replies = [json.loads(line) for line in lines]
    assert len(replies) == 21
    for reply in replies:
        result = split(reply["text"], stop_reason=reply["finish_reason"])
        assert result.prose == reply["text"][: reply["text"].index("```state")]
        assert result.blocks
        assert len(result.proposals) + len(result.malformed) == len(result.blocks)


def test_a_model_that_repeats_its_block_until_its_limit_ends_at_the_thousandth():
    block = '```state\n{"events": []}\n```\n'
    result = split("She nods.\n" + block * 1_002 + "The end.")
    assert result.prose == "She nods.\n"
    assert len(result.blocks) == 1_000
    assert [entry.reason for entry in result.dropped] == [DropReason.RUNAWAY]
    assert result.dropped[0].text == block * 2 + "The end."


def test_a_reply_with_the_last_allowed_block_keeps_its_story():
    block = '```state\n{"events": []}\n```\n'
    result = split(block * 999 + "The end.")
    assert (result.prose, result.dropped) == ("The end.", ())


def test_proposals_are_still_taken_behind_thousands_of_objects_that_never_close():
    # Each is given up at 4,096 characters, up to where the next proposal begins; then only proposals are followed.
    proposal = '{"events": [{"type": "set_scene_time", "time": "dusk"}]}\n'
    result = split(("{'a':\n" + proposal) * 300)
    assert len(result.proposals) == 300
    assert result.prose == "{'a':\n\n" * 300


def test_what_a_long_list_gives_back_is_read_as_if_it_stood_alone():
    # The list looks like a proposal up to the reply's end, 15,000 characters on, and is none.
    proposal = '{"events": []}\n'
    result = split('[{"events": []} and so on\n' + ("He waits.\n" + proposal) * 500)
    assert result.prose == '[{"events": []} and so on\n' + "He waits.\n\n" * 500
    assert len(result.proposals) == 500
