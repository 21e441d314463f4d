"""`osrforge-assets narrate` and `story`, as a player uses them, against a server on this machine."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from osrforge_assets.narrations.turns.story_log import read_story_log
from tests.story_server import StoryServer, story_server

DEMO = Path(__file__).parents[2] / "data" / "demo_story.jsonl"
BLOCK = '```state\n{"events": [{"type": "create_entity", "id": "crow", "kind": "person"}, {"type": "fly"}]}\n```\n'


@pytest.fixture
def server() -> Iterator[StoryServer]:
    with story_server() as running:
        yield running


@pytest.fixture
def command(server: StoryServer, new_home: Path, tmp_path: Path) -> Any:
    home = shutil.copytree(new_home, tmp_path / "home")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("OSRFORGE_", "DAGSTER_"))}
    environment = {
        **kept,
        "OSRFORGE_HOME": str(home),
        "OSRFORGE_PROVIDER": "openai-compatible",
        "OSRFORGE_MODEL": "bard",
        "OSRFORGE_BASE_URL": server.url,
    }

    def run(*arguments: str, given: str = "", **changed: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", "from osrforge_assets.cli import main; main()", *arguments],
            env=environment | changed,
            input=given,
            capture_output=True,
            encoding="utf-8",
            timeout=120,
            check=False,
        )

    return run


def test_a_turn_is_streamed_as_clean_prose_recorded_and_its_world_kept(
    command: Any, server: StoryServer, tmp_path: Path
):
    story = tmp_path / "tale.jsonl"
    server.replies = [["A crow la", "nds.\x1b[2J\n\n``", "`state", BLOCK[8:]], ["It caws."]]
    first = command("narrate", str(story), "--say", "I wait.", "--title", "Crows")
    assert first.returncode == 0, first.stderr
    assert first.stdout == "A crow lands.\ufffd[2J\n\n\n"
    assert "There is no event fly" in first.stderr
    second = command("narrate", str(story), "--json", given="I greet it.\n")
    document = json.loads(second.stdout)
    assert (document["turn"], document["prose"], document["stop_reason"]) == (2, "It caws.", "stop")
    log = read_story_log(story.read_bytes(), name="tale")
    assert log.title == "Crows"
    assert [(turn.player, turn.reply) for turn in log.turns] == [
        ("I wait.", "A crow lands.\x1b[2J\n\n" + BLOCK),
        ("I greet it.\n", "It caws."),
    ]
    asked = server.asked[1]["messages"]
    assert [message["role"] for message in asked] == ["system", "user", "assistant", "user"]
    assert '"id": "crow"' in asked[-1]["content"]
    assert "not accepted" in asked[-1]["content"]
    page = next(path for path in document["files"] if path.endswith("story.html"))
    assert "It caws." in Path(page).read_text(encoding="utf-8")


def test_a_stream_that_breaks_off_leaves_what_was_watched_as_the_turn(
    command: Any, server: StoryServer, tmp_path: Path
):
    story = tmp_path / "tale.jsonl"
    server.replies, server.finish = [["The floor gives w"]], None
    result = command("narrate", str(story), "--say", "I step in.")
    assert result.returncode == 1
    assert result.stdout == "The floor gives w\n"
    assert "Traceback" not in result.stderr
    (turn,) = read_story_log(story.read_bytes(), name="tale").turns
    assert (turn.reply, turn.stop_reason) == ("The floor gives w", "interrupted")


@pytest.mark.parametrize(
    ("arguments", "changed", "code"),
    [
        (("tale.jsonl", "--say", " "), {}, "story.no_line"),
        (("nowhere/tale.jsonl", "--say", "Hi"), {}, "source.not_writable"),
        (("tale.jsonl", "--say", "Hi"), {"OSRFORGE_PROVIDER": "offline"}, "provider.settings"),
        (("tale.md", "--say", "Hi"), {}, "source.not_json_lines"),
        (("folder", "--say", "Hi"), {}, "source.not_found"),
        (("folder", "--say", "Hi"), {"OSRFORGE_PROVIDER": "offline"}, "source.not_found"),
        (("pipe.jsonl", "--say", "Hi"), {}, "source.not_found"),
    ],
)
def test_what_cannot_work_is_one_line_and_asks_nothing(
    command: Any, server: StoryServer, tmp_path: Path, arguments: tuple[str, ...], changed: dict[str, str], code: str
):
    (tmp_path / "tale.md").write_text("# Tale\n\n## Turn 1\n\nDust.\n", encoding="utf-8")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe.jsonl")
    result = command("narrate", str(tmp_path / arguments[0]), *arguments[1:], **changed)
    assert (result.returncode, result.stdout) == (1, "")
    assert code in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert server.asked == []


def test_story_logs_are_taken_apart_and_a_bad_one_does_not_stop_the_others(command: Any, tmp_path: Path):
    empty = tmp_path / "empty.jsonl"
    empty.write_text("{}\n", encoding="utf-8")
    result = command("story", str(empty), str(DEMO), "--json")
    assert result.returncode == 1
    bad, good = json.loads(result.stdout)
    assert bad["error"]["code"] == "source.no_turns"
    assert (good["narration"], len(good["turns"]), good["error"]) == ("demo-story", 19, None)
    again = command("story", str(DEMO))
    assert again.returncode == 0
    assert "The steps are slick" in again.stdout


def test_a_ceiling_on_cost_is_kept(command: Any, server: StoryServer, tmp_path: Path):
    story = tmp_path / "tale.jsonl"
    server.replies = [["It opens."]]
    priced = {"OSRFORGE_PRICE_INPUT_USD": "2", "OSRFORGE_PRICE_OUTPUT_USD": "4"}
    refused = command("narrate", str(story), "--say", "I knock.", OSRFORGE_BUDGET_RUN_USD="0.0001", **priced)
    assert (refused.returncode, refused.stdout, server.asked) == (1, "", [])
    assert "budget.reached" in refused.stderr
    told = command("narrate", str(story), "--say", "I knock.", OSRFORGE_BUDGET_RUN_USD="1", **priced)
    assert (told.returncode, told.stdout, len(server.asked)) == (0, "It opens.\n", 1)
