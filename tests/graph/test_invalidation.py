"""What changed decides what is stale, what runs, and what asks the provider: on a real instance, run by run."""

from pathlib import Path

from osrforge_assets.contracts.dossier import LevelStatus
from osrforge_assets.contracts.flags import FlagCode
from osrforge_assets.settings import Settings
from osrforge_resources.failures import PermanentProviderError
from tests.graph.deployment import CountingProvider, Deployment
from tests.graph.module_pdfs import PIT, write_module

FIRST = [
    "census",
    "content.the-testing-pit.1.b01",
    "content.the-testing-pit.2.b01",
    "content.the-testing-pit.3.b01",
    "survey",
]
PIT_LEVELS = ["pit--the-testing-pit--1", "pit--the-testing-pit--2", "pit--the-testing-pit--3"]


def _changed(level: int, *areas: str) -> dict[int, tuple[str, ...]]:
    return {**{number: tuple(texts) for number, texts in PIT.items()}, level: areas}


def test_a_module_becomes_a_dossier_and_everything_is_fresh(deployment: Deployment, tmp_path: Path):
    conversion = deployment.convert(write_module(tmp_path / "pit.pdf", PIT))
    assert conversion.error is None
    assert conversion.status == "converted"
    assert deployment.provider.take() == FIRST
    assert deployment.instance.get_dynamic_partitions("level") == PIT_LEVELS
    assert conversion.counts["areas"] == conversion.counts["answered"] == 6
    assert deployment.not_fresh() == {}


def test_an_unchanged_module_starts_no_run_and_asks_nothing(deployment: Deployment, tmp_path: Path):
    path = write_module(tmp_path / "pit.pdf", PIT)
    first = deployment.convert(path)
    runs = deployment.runs()
    deployment.provider.take()
    again = deployment.convert(path)
    assert deployment.provider.take() == []
    assert deployment.runs() == runs
    assert again.costs.calls == 0
    assert again.dossier == first.dossier


def test_a_file_saved_again_with_the_same_pages_asks_no_content_again(deployment: Deployment, tmp_path: Path):
    deployment.convert(write_module(tmp_path / "pit.pdf", PIT))
    deployment.provider.take()
    path = write_module(tmp_path / "pit.pdf", PIT)
    path.write_bytes(path.read_bytes() + b"\n% saved by another program\n")
    conversion = deployment.convert(path)
    assert conversion.error is None
    assert [tag for tag in deployment.provider.take() if tag.startswith("content")] == []
    assert deployment.not_fresh() == {}


def test_one_changed_level_is_the_only_one_asked_again(deployment: Deployment, tmp_path: Path):
    deployment.convert(write_module(tmp_path / "pit.pdf", PIT))
    deployment.provider.take()
    changed = _changed(2, "1. Flooded hall. Five giant rats swim in the black water.", PIT[2][1])
    conversion = deployment.convert(write_module(tmp_path / "pit.pdf", changed))
    assert deployment.provider.take() == ["census", "content.the-testing-pit.2.b01", "survey"]
    assert conversion.dossier is not None
    rats = conversion.dossier.dungeons[0].levels[1].areas[0].encounters[0]
    assert (rats.monster, rats.count_fixed) == ("giant rats", 5)
    assert deployment.not_fresh() == {}


def test_a_second_module_leaves_the_first_untouched(deployment: Deployment, tmp_path: Path):
    deployment.convert(write_module(tmp_path / "pit.pdf", PIT))
    deployment.provider.take()
    deployment.convert(write_module(tmp_path / "vault.pdf", {1: PIT[3]}, title="The Other Vault"))
    assert deployment.provider.take() == ["census", "content.the-other-vault.1.b01", "survey"]
    assert deployment.not_fresh() == {}


def test_a_failed_level_keeps_the_others_and_alone_is_asked_next_time(deployment: Deployment, tmp_path: Path):
    path = write_module(tmp_path / "pit.pdf", PIT)
    deployment.provider.failing["content.the-testing-pit.2"] = PermanentProviderError("The service refused.")
    failed = deployment.convert(path)
    assert failed.status == "failed"
    assert failed.error is not None
    assert failed.error.code == "provider.permanent"
    assert failed.dossier is not None
    statuses = [level.status for level in failed.dossier.dungeons[0].levels]
    assert statuses == [LevelStatus.CURRENT, LevelStatus.ABSENT, LevelStatus.CURRENT]
    assert FlagCode.LEVEL_ABSENT in {flag.code for flag in failed.flags}
    assert deployment.not_fresh() == {"level_content": [PIT_LEVELS[1]]}

    deployment.provider.failing.clear()
    deployment.provider.take()
    mended = deployment.convert(path)
    assert deployment.provider.take() == ["content.the-testing-pit.2.b01"]
    assert mended.status == "converted"
    assert mended.counts["answered"] == 6


def test_content_of_an_older_plan_is_a_gap_and_not_content(deployment: Deployment, tmp_path: Path):
    deployment.convert(write_module(tmp_path / "pit.pdf", PIT))
    deployment.provider.failing["content.the-testing-pit.2"] = PermanentProviderError("The service refused.")
    changed = _changed(2, "1. Dry hall. Nobody swims here any more.", PIT[2][1])
    conversion = deployment.convert(write_module(tmp_path / "pit.pdf", changed))
    assert conversion.dossier is not None
    level = conversion.dossier.dungeons[0].levels[1]
    assert level.status is LevelStatus.OUTDATED
    assert [area.answered for area in level.areas] == [False, False]
    assert all("rats" not in area.description for area in level.areas)


def test_a_dropped_level_is_retired_and_comes_back_without_a_call(deployment: Deployment, tmp_path: Path):
    path = tmp_path / "pit.pdf"
    deployment.convert(write_module(path, PIT))
    without = {number: areas for number, areas in PIT.items() if number != 3}
    shorter = deployment.convert(write_module(path, without))
    assert deployment.instance.get_dynamic_partitions("level") == PIT_LEVELS[:2]
    assert shorter.counts["levels"] == 2
    assert deployment.store.read_asset("level_content", PIT_LEVELS[2]) is None
    deployment.provider.take()

    back = deployment.convert(write_module(path, PIT))
    assert deployment.provider.take() == ["census", "survey"]
    assert back.counts["answered"] == 6
    assert deployment.not_fresh() == {}


def test_another_batch_size_asks_again_only_where_the_requests_differ(deployment: Deployment, tmp_path: Path):
    deployment.convert(write_module(tmp_path / "pit.pdf", PIT))
    deployment.settings = Settings(home=deployment.home, batch_pages=2)
    assert deployment.not_fresh() == {"level_plan": PIT_LEVELS}
    deployment.provider.take()
    deployment.convert(tmp_path / "pit.pdf")
    # Each level is one page, so windows of two pages ask exactly what windows of four asked.
    assert deployment.provider.take() == []
    assert deployment.not_fresh() == {}


def test_settings_that_change_no_request_make_nothing_stale(deployment: Deployment, tmp_path: Path):
    deployment.convert(write_module(tmp_path / "pit.pdf", PIT))
    deployment.settings = Settings(home=deployment.home, requests_in_flight=2, executor="multiprocess")
    assert deployment.not_fresh() == {}


def test_another_provider_makes_what_it_answers_stale_and_nothing_else(deployment: Deployment, tmp_path: Path):
    deployment.convert(write_module(tmp_path / "pit.pdf", PIT))
    deployment.provider = CountingProvider("counted-2")
    stale = deployment.not_fresh()
    assert stale["survey_index"] == ["pit"]
    assert stale["level_content"] == PIT_LEVELS
    assert "page_renders" not in stale
    assert "level_plan" not in stale


def test_asking_for_some_pages_only_reads_those(deployment: Deployment, tmp_path: Path):
    conversion = deployment.convert(write_module(tmp_path / "pit.pdf", PIT), pages=(1, 2))
    assert conversion.counts["levels"] == 1
    assert deployment.instance.get_dynamic_partitions("level") == PIT_LEVELS[:1]
