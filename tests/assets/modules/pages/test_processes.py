"""Processes that end without an answer are failures, not hangs."""

import pytest

from osrforge_assets.modules.pages.processes import ReadingProcess, WorkerFailure


def test_a_process_that_ends_without_an_answer_is_a_failure():
    process = ReadingProcess("platform")
    process.start()
    with pytest.raises(WorkerFailure) as failure:
        process.ask({"do": "anything"}, 20)
    assert not failure.value.timed_out
    assert not process.running


def test_a_closed_process_does_not_start_again():
    process = ReadingProcess("osrforge_assets.modules.pages.page_worker")
    process.close()
    with pytest.raises(WorkerFailure):
        process.start()


def test_an_error_in_the_process_is_told_and_the_process_goes_on():
    process = ReadingProcess("osrforge_assets.modules.pages.page_worker")
    process.start()
    for _ in range(2):
        with pytest.raises(WorkerFailure) as failure:
            process.ask({"do": "digest", "page": 1}, 20)
        assert failure.value.reason
    assert process.running
    process.close()
    assert not process.running
