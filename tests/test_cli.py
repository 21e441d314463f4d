"""The command as a person meets it: a process, its output, its exit code."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from osrforge_assets import cli
from osrforge_assets.modules.pages.settings import ocr_available
from tests.graph.module_pdfs import PIT, write_module


def _run(*arguments: str | Path, home: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    variables = {name: value for name, value in os.environ.items() if not name.startswith(("OSRFORGE_", "DAGSTER_"))}
    return subprocess.run(
        [Path(sys.executable).parent / "osrforge-assets", *map(str, arguments)],
        env={**variables, "OSRFORGE_HOME": str(home), **environment},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )


@pytest.fixture
def home(new_home: Path, tmp_path: Path) -> Path:
    return shutil.copytree(new_home, tmp_path / "home")


@pytest.fixture
def pit(tmp_path: Path) -> Path:
    return write_module(tmp_path / "pit.pdf", PIT)


def test_convert_prints_a_table_and_the_paths_it_wrote(pit: Path, tmp_path: Path, home: Path):
    done = _run("convert", pit, home=home)
    assert done.returncode == 0, done.stderr
    assert "converted" in done.stdout
    written = [Path(line) for line in done.stdout.splitlines() if line.startswith(str(tmp_path))]
    assert {path.name for path in written} >= {"dossier.json", "areas.csv", "areas.parquet"}
    assert all(path.is_file() for path in written)


@pytest.mark.skipif(ocr_available(), reason="with text recognition installed such a page is recognized")
def test_a_scan_that_nobody_could_read_is_told_from_a_book_without_areas(tmp_path: Path, home: Path):
    import pymupdf

    scan, book = pymupdf.open(), pymupdf.open()
    scan.new_page().draw_rect(pymupdf.Rect(60, 60, 300, 300), fill=(0, 0, 0))
    book.new_page().insert_text((60, 80), "Roll three dice for each ability and write the sums down.")
    for name, document in (("scan", scan), ("rules", book)):
        document.save(tmp_path / f"{name}.pdf")
    done = _run("convert", tmp_path / "scan.pdf", tmp_path / "rules.pdf", home=home)
    assert done.returncode == 0, done.stderr
    said = [line for line in done.stdout.splitlines() if "lists keyed areas" in line]
    assert [line.partition(":")[0] for line in said] == ["scan", "rules"]
    assert ["1 of them have no text" in line for line in said] == [True, False]


def test_json_is_one_document_with_an_entry_a_file(pit: Path, tmp_path: Path, home: Path):
    broken = tmp_path / "broken.pdf"
    broken.write_bytes(b"not a pdf at all")
    done = _run("convert", "--json", pit, broken, home=home)
    good, bad = json.loads(done.stdout)
    assert done.returncode == 1
    assert (good["source"], good["module"], good["status"], good["error"]) == (str(pit), "pit", "converted", None)
    assert (good["counts"]["areas"], good["cost_usd"]) == (6, 0.0)
    assert (
        json.loads(Path(good["dossier"]).read_text(encoding="utf-8"))["dungeons"][0]["levels"][0]["areas"][0]["key"]
        == "1"
    )
    assert (bad["status"], bad["dossier"]) == ("failed", None)
    assert bad["error"]["code"] == "source.not_a_pdf"
    assert bad["error"]["remedy"]


def test_a_second_conversion_asks_nothing(pit: Path, home: Path):
    first = json.loads(_run("convert", "--json", pit, home=home).stdout)
    second = json.loads(_run("convert", "--json", pit, home=home).stdout)
    assert first[0]["calls"] == 5
    assert second[0]["calls"] == 0
    assert second[0]["counts"] == first[0]["counts"]


def test_an_expected_failure_is_one_line_and_exit_code_1(tmp_path: Path, home: Path):
    done = _run("convert", "--quiet", tmp_path / "nothing.pdf", home=home)
    assert (done.returncode, done.stdout) == (1, "")
    assert len(done.stderr.strip().splitlines()) == 1
    assert "source.not_found" in done.stderr
    assert "Traceback" not in done.stderr


def test_quiet_says_nothing_when_all_is_well(pit: Path, home: Path):
    done = _run("convert", "--quiet", pit, home=home)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_control_characters_of_a_file_name_never_reach_the_terminal(pit: Path, tmp_path: Path, home: Path):
    hostile = pit.rename(tmp_path / "pit\x1b[2J[bold]\n.pdf")
    done = _run("convert", hostile, home=home)
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("arguments", "variables", "said"),
    [
        (["--pages", "3-1"], {}, "pages.invalid"),
        (["--provider", "oracle"], {}, "settings.invalid"),
        ([], {"OSRFORGE_BATCH_PAGES": "1"}, "OSRFORGE_BATCH_PAGES"),
    ],
)
def test_misuse_is_one_line_that_names_what_to_correct(
    pit: Path, arguments: list[str], variables: dict[str, str], said: str, home: Path
):
    done = _run("convert", *arguments, pit, home=home, **variables)
    assert done.returncode == 1
    assert said in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_a_password_opens_a_protected_module_and_is_kept_nowhere(pit: Path, tmp_path: Path, home: Path):
    import pymupdf

    secret = "open-sesame-4711"
    protected = tmp_path / "protected.pdf"
    with pymupdf.open(pit) as document:
        document.save(protected, encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw=secret, owner_pw="other")  # pyright: ignore[reportAttributeAccessIssue]
    refused = json.loads(_run("convert", "--json", protected, home=home).stdout)
    assert refused[0]["error"]["code"] == "source.encrypted"
    opened = json.loads(_run("convert", "--json", "--password", secret, protected, home=home).stdout)
    assert opened[0]["status"] == "converted"
    kept = [path for path in home.rglob("*") if path.is_file() and secret.encode() in path.read_bytes()]
    assert kept == []


def test_the_command_keeps_to_its_home(pit: Path, tmp_path: Path, home: Path):
    before = set(tmp_path.rglob("*"))
    _run("convert", "--quiet", pit, home=home)
    assert {path for path in set(tmp_path.rglob("*")) - before if not path.is_relative_to(tmp_path / "home")} == set()


def test_a_dagster_home_that_is_set_is_used(pit: Path, tmp_path: Path, home: Path):
    instance = (home / "dagster").rename(tmp_path / "instance")
    done = _run("convert", "--quiet", pit, home=home, DAGSTER_HOME=str(instance))
    assert done.returncode == 0, done.stderr
    assert any((instance / "history" / "runs").iterdir())
    assert not (home / "dagster").exists()


def test_a_file_name_that_is_not_text_still_gives_a_json_document(home: Path, tmp_path: Path):
    done = subprocess.run(
        [Path(sys.executable).parent / "osrforge-assets", "convert", "--json", os.fsencode(tmp_path) + b"/bad\xff.pdf"],
        env={**os.environ, "OSRFORGE_HOME": str(home), "DAGSTER_HOME": "", "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        timeout=120,
        check=False,
    )
    (failed,) = json.loads(done.stdout.decode("utf-8"))
    assert os.fsencode(failed["source"]).endswith(b"bad\xff.pdf")


def test_ctrl_c_is_one_line_and_exit_code_130(monkeypatch: pytest.MonkeyPatch):
    def interrupted(*_: object, **__: object) -> bool:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "_convert", interrupted)
    done = CliRunner().invoke(cli.main, ["convert", "module.pdf"])
    assert done.exit_code == 130
    assert len(done.output.strip().splitlines()) == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="This system has no device that is always full.")
def test_output_that_cannot_be_written_is_one_line(home: Path, tmp_path: Path):
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [Path(sys.executable).parent / "osrforge-assets", "convert", "--json", tmp_path / "nothing.pdf"],
            env={**os.environ, "OSRFORGE_HOME": str(home), "DAGSTER_HOME": ""},
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=120,
            check=False,
        )
    assert done.returncode == 1
    assert len(done.stderr.strip().splitlines()) == 1
    assert "output.io" in done.stderr
