import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from osrforge_assets.narrations.split_command import split

_COMMAND = str(Path(sys.executable).parent / "osrforge-assets")
REPLY = 'Un café.\n```state\n{"events": [{"type": "set_scene_time", "time": "dusk"}]}\n```\n"Ho!" <think>x</think>\n```state\n{"ev'


def run(*args: str, data: bytes | str = REPLY):
    return CliRunner().invoke(split, ["-", *args], input=data)


def test_one_reply_in_prose_out():
    assert run().stdout_bytes.decode() == 'Un café.\n"Ho!" \n'


@pytest.mark.parametrize("size", ["1", "2", "3", "7", "1000"])
def test_a_stream_of_any_size_gives_the_same(size: str):
    assert run("--stream", size).stdout_bytes == run().stdout_bytes
    assert run("--json", "--stream", size).stdout_bytes == run("--json").stdout_bytes


def test_the_document_holds_everything_the_reply_held():
    document = json.loads(run("--json", "--stop-reason", "length").stdout)
    assert document["prose"] == 'Un café.\n"Ho!" \n'
    assert document["proposals"] == [{"block": 0, "events": [{"type": "set_scene_time", "time": "dusk"}]}]
    assert document["raw_blocks"][1] == '{"ev'
    assert [entry["reason"] for entry in document["dropped"]] == ["reasoning", "unterminated_state_fence"]
    assert document["malformed"][0]["block"] == 1
    assert document["cut"] is True


def test_bytes_that_are_no_utf8_pass_through():
    data = b"caf\xe9 \xff\x00\r\n" + b'```state\n{"events": ["\xff"]}\n```\nend'
    assert run(data=data).stdout_bytes == b"caf\xe9 \xff\x00\r\nend"
    assert json.loads(run("--json", data=data).stdout)["malformed"]


@pytest.mark.parametrize("codec", ["utf-16", "utf-16-be"])
def test_a_reply_that_a_shell_wrote_as_utf16_is_split_like_any_other(codec: str):
    data = ("\ufeff" if codec == "utf-16-be" else "") + REPLY
    assert run(data=data.encode(codec)).stdout_bytes.decode() == 'Un café.\n"Ho!" \n'
    assert run("--stream", "3", data=data.encode(codec)).stdout_bytes == run().stdout_bytes


def test_an_absent_file_is_one_sentence_and_no_traceback(tmp_path: Path):
    result = CliRunner().invoke(split, [str(tmp_path / "absent.txt")])
    assert result.exit_code == 1
    assert "source.not_found" in result.output


def test_a_pipe_that_nobody_writes_to_is_refused_and_not_waited_for(tmp_path: Path):
    os.mkfifo(tmp_path / "reply.txt")
    result = CliRunner().invoke(split, [str(tmp_path / "reply.txt")])
    assert (result.exit_code, "source.not_found" in result.output) == (1, True)


def test_a_pipe_that_the_shell_opened_is_read():
    command = f"'{_COMMAND}' split <(printf 'a <think>b</think>c')"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "a c", "")


@pytest.mark.parametrize("place", ["/dev/zero", "/dev/fd/0", "-"])
def test_what_never_ends_is_refused(place: str):
    with Path("/dev/zero").open("rb") as zeros:
        done = subprocess.run(
            [_COMMAND, "split", place],
            stdin=zeros,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
    assert (done.returncode, done.stdout) == (1, "")
    assert "source.not_found" in done.stderr if place == "/dev/zero" else "source.too_large" in done.stderr


def test_a_file_is_read_as_it_is(tmp_path: Path):
    (tmp_path / "reply.txt").write_bytes(REPLY.encode())
    assert CliRunner().invoke(split, [str(tmp_path / "reply.txt")]).stdout_bytes == run().stdout_bytes
