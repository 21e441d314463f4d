"""The planner: what is made now, what waits for what, and when it stops trying."""

import string
from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st

from osrforge_assets.reconcile import (
    CHAINS,
    MAX_LEVELS_A_RUN,
    AssetRule,
    Attempts,
    Graph,
    Need,
    find_needs,
    wanted_work,
)
from osrforge_resources.partition_log import PartitionState

RULES = (
    AssetRule("module_source", "module", is_source=True),
    AssetRule("transcript_source", "transcript", is_source=True),
    AssetRule("page_renders", "module", "1", ("module_source",)),
    AssetRule("survey_index", "module", "1", ("page_renders",)),
    AssetRule("level_plan", "level", "1"),
    AssetRule("level_content", "level", "1", ("level_plan",)),
    AssetRule("module_contents", "module", "1"),
    AssetRule("module_dossier", "module", "1", ("module_contents", "page_renders", "survey_index")),
    AssetRule("transcript_units", "transcript", "1", ("transcript_source",)),
    AssetRule("scene_plan", "transcript", "1", ("transcript_units",)),
    AssetRule("scene_chunks", "transcript", "1", ("scene_plan", "transcript_units")),
)
LEVELS = ["crypt--vault--1", "crypt--vault--2"]
States = dict[str, dict[str, PartitionState]]


def _states(modules: tuple[str, ...] = ("crypt",), levels: tuple[str, ...] = tuple(LEVELS)) -> States:
    """Return a graph in which everything was made from what its inputs say now."""
    states: States = {}
    for rule in RULES:
        keys = {"module": modules, "level": levels}.get(rule.partition_set, ())
        states[rule.asset] = {
            key: PartitionState(1, f"{rule.asset} 1", rule.code_version, {name: f"{name} 1" for name in rule.inputs})
            for key in keys
        }
    return states


def _graph(states: Mapping[str, Mapping[str, PartitionState]], levels: list[str] | None = None) -> Graph:
    keys = {"module": list(states["module_source"]), "level": LEVELS if levels is None else levels, "transcript": []}
    return Graph(RULES, keys, states)


def _changed(states: States, asset: str, partition: str, *, version: str = "2") -> States:
    state = states[asset][partition]
    changed = PartitionState(state.event + 1, f"{asset} {version}", state.code_version, state.inputs)
    return {**states, asset: {**states[asset], partition: changed}}


def _without(states: States, asset: str, *partitions: str) -> States:
    kept = {key: state for key, state in states[asset].items() if key not in partitions}
    return {**states, asset: kept}


def _work(graph: Graph, **options) -> list[tuple[str, tuple[str, ...], tuple[str, ...]]]:
    work = wanted_work(find_needs(graph), levels=graph.partitions["level"], **options)
    return [(item.job, item.assets, item.partitions) for item in work]


def test_nothing_is_made_where_everything_is_up_to_date():
    assert _work(_graph(_states())) == []


def test_a_new_module_is_read_and_surveyed_in_one_run():
    states = {rule.asset: {} for rule in RULES} | {"module_source": {"crypt": PartitionState(1, "v")}}
    assert _work(_graph(states, [])) == [("survey_modules", ("page_renders", "survey_index"), ("crypt",))]


def test_a_survey_waits_until_it_is_known_whether_the_pages_changed():
    states = _changed(_states(), "module_source", "crypt")
    assert _work(_graph(states)) == [("survey_modules", ("page_renders",), ("crypt",))]


def test_a_changed_plan_is_the_only_level_made():
    states = _changed(_states(), "level_plan", LEVELS[1])
    assert _work(_graph(states)) == [("rerun_levels", ("level_content",), (LEVELS[1],))]


def test_levels_wait_for_their_module_and_not_for_another():
    states = _changed(_states(("crypt", "tower")), "page_renders", "tower")
    states = _changed(states, "level_plan", LEVELS[0])
    assert _work(_graph(states)) == [
        ("rerun_levels", ("level_content",), (LEVELS[0],)),
        ("survey_modules", ("survey_index",), ("tower",)),
    ]
    states = _changed(states, "page_renders", "crypt")
    assert [job for job, _, _ in _work(_graph(states))] == ["survey_modules", "survey_modules"]


def test_a_dossier_waits_for_the_levels_of_its_module():
    states = _changed(_states(), "module_contents", "crypt")
    assert _work(_graph(states)) == [("write_dossiers", ("module_dossier",), ("crypt",))]
    states = _changed(states, "level_plan", LEVELS[0])
    assert [job for job, _, _ in _work(_graph(states))] == ["rerun_levels"]
    assert _work(_graph(states), held={("level_content", LEVELS[0])}) == []


def test_a_dossier_is_written_with_a_gap_once_a_level_is_given_up():
    states = _changed(_without(_states(), "level_content", LEVELS[0]), "module_contents", "crypt")
    graph = _graph(states)
    attempts = Attempts()
    for _ in range(3):
        assert [job for job, _, _ in _work(graph, attempts=attempts)] == ["rerun_levels"]
        attempts.add(wanted_work(find_needs(graph), levels=LEVELS, attempts=attempts))
    assert [job for job, _, _ in _work(graph, attempts=attempts)] == ["write_dossiers"]
    assert [job for job, _, _ in _work(_graph(_changed(states, "level_plan", LEVELS[0])), attempts=attempts)] == [
        "rerun_levels"
    ]


def test_what_an_open_run_makes_is_not_asked_for_again():
    states = _without(_states(), "level_content", *LEVELS)
    held = {("level_content", LEVELS[0])}
    assert _work(_graph(states), held=held) == [("rerun_levels", ("level_content",), (LEVELS[1],))]


def test_what_costs_something_is_passed_over_where_it_may_not_be_paid_for():
    states = _without(_states(), "level_content", LEVELS[0])
    states = _changed(states, "module_contents", "crypt")
    # The dossier is free: it is written with the gap instead of waiting for what does not come by itself.
    assert _work(_graph(states), may_pay=lambda _: False) == [("write_dossiers", ("module_dossier",), ("crypt",))]
    new = {rule.asset: {} for rule in RULES} | {"module_source": {"crypt": PartitionState(1, "v")}}
    assert _work(_graph(new, []), may_pay=lambda _: False) == [("survey_modules", ("page_renders",), ("crypt",))]


def test_many_levels_are_a_few_runs():
    levels = [f"crypt--vault--{number}" for number in range(1, 451)]
    states = _without(_states(levels=tuple(levels)), "level_content", *levels)
    sizes = [len(partitions) for _, _, partitions in _work(_graph(states, levels))]
    assert sizes == [MAX_LEVELS_A_RUN, MAX_LEVELS_A_RUN, 50]


def test_a_look_asks_for_no_more_runs_than_it_may():
    modules = tuple(f"module-{number}" for number in range(50))
    states = {rule.asset: {} for rule in RULES} | {"module_source": {key: PartitionState(1, "v") for key in modules}}
    assert len(_work(_graph(states, []), max_runs=5)) == 5
    assert _work(_graph(states, []), max_runs=-1) == []


def test_attempts_are_forgotten_when_a_partition_is_made():
    need = Need("level_content", LEVELS[0], "v", certain=True, ready=True)
    attempts = Attempts({need.key: ("v", 2), "level_content|gone": ("v", 3)})
    attempts.keep_only([need])
    assert attempts.tried == {need.key: ("v", 2)}


SMALL = st.dictionaries(
    st.sampled_from([rule.asset for rule in RULES]), st.sampled_from(["missing", "changed"]), max_size=6
)


@given(SMALL, st.sets(st.sampled_from(sorted(asset for assets in CHAINS.values() for asset in assets)), max_size=3))
def test_made_wave_by_wave_everything_ends_up_to_date_and_nothing_is_made_twice(
    changes: dict[str, str], made: set[str]
):
    states = _states()
    for asset, change in changes.items():
        key = LEVELS[0] if asset.startswith("level") else "crypt"
        if key not in states[asset]:
            continue
        states = _without(states, asset, key) if change == "missing" else _changed(states, asset, key)
    if "crypt" not in states["module_source"]:
        states["module_source"] = {"crypt": PartitionState(1, "module_source 3")}
    seen: set[tuple[str, str]] = set()
    for _ in range(10):
        graph = _graph(states)
        work = wanted_work(find_needs(graph), levels=LEVELS)
        if not work:
            break
        for need in (need for item in work for need in item.needs):
            assert (need.asset, need.partition) not in seen
            seen.add((need.asset, need.partition))
            rule = next(rule for rule in RULES if rule.asset == need.asset)
            inputs = {name: states[name][need.partition].data_version for name in rule.inputs}
            version = f"{need.asset} {'9' if need.asset in made else '1'}"
            state = PartitionState(9, version, rule.code_version, inputs)
            states = {**states, need.asset: {**states[need.asset], need.partition: state}}
    assert find_needs(_graph(states)) == []


@given(st.lists(st.text(string.ascii_lowercase, min_size=1, max_size=5), unique=True, max_size=8))
def test_every_wanted_level_is_in_exactly_one_run(names: list[str]):
    levels = [f"{name}--vault--1" for name in names]
    states = _without(_states(tuple(names), tuple(levels)), "level_content", *levels)
    runs = [partitions for _, _, partitions in _work(_graph(states, levels))]
    assert sorted(key for keys in runs for key in keys) == sorted(levels)
