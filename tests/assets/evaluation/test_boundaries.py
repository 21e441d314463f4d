"""The scores against two independent implementations, and against what they are meant to say."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osrforge_assets.evaluation.boundaries import (
    boundary_similarity,
    even_boundaries,
    no_boundaries,
    pk,
    random_boundaries,
    score,
    window_diff,
    window_size,
)
from osrforge_resources.failures import MisuseError

nltk = pytest.importorskip("nltk.metrics.segmentation", reason="nltk is a development dependency")


@st.composite
def divisions(draw: st.DrawFn) -> tuple[frozenset[int], frozenset[int], int]:
    units = draw(st.integers(min_value=3, max_value=60))
    places = st.frozensets(st.integers(min_value=1, max_value=units - 1), max_size=12)
    return draw(places), draw(places), units


def _bits(boundaries: frozenset[int], units: int) -> str:
    return "".join("1" if place in boundaries else "0" for place in range(1, units))


@given(divisions())
def test_pk_and_window_diff_are_those_of_nltk(case: tuple[frozenset[int], frozenset[int], int]):
    reference, proposed, units = case
    window = window_size(reference, units)
    bits = _bits(reference, units), _bits(proposed, units)
    assert pk(reference, proposed, units, window) == pytest.approx(nltk.pk(*bits, k=window))
    assert window_diff(reference, proposed, units, window) == pytest.approx(nltk.windowdiff(*bits, k=window))


# segeval 2.0 compares with `is 0`: Python warns when it first compiles it, and only then.
@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@given(divisions(), st.integers(min_value=2, max_value=4))
def test_boundary_similarity_is_that_of_segeval(case: tuple[frozenset[int], frozenset[int], int], near: int):
    segeval = pytest.importorskip("segeval", reason="segeval is a development dependency")
    reference, proposed, units = case
    masses = [tuple(b - a for a, b in pairwise([0, *sorted(side), units])) for side in (reference, proposed)]
    if not reference and not proposed:
        return  # segeval cannot name the boundary types of two empty divisions
    theirs = float(segeval.boundary_similarity(*masses, n_t=near))
    assert boundary_similarity(reference, proposed, near=near) == pytest.approx(theirs)


@given(divisions())
def test_a_division_agrees_with_itself(case: tuple[frozenset[int], frozenset[int], int]):
    reference, _, units = case
    scores = score(reference, reference, units)
    assert (scores.pk, scores.window_diff, scores.boundary_similarity, scores.f1) == (0, 0, 1, 1)
    assert scores.count_ratio == 1


def test_the_empty_plan_is_unmasked_by_f1_and_count_although_its_pk_looks_fair():
    reference = frozenset({50})
    scores = score(reference, no_boundaries(), 400)
    assert scores.pk < 0.51
    assert (scores.f1, scores.count_ratio, scores.boundary_similarity) == (0, 0, 0)


def test_a_near_miss_counts_for_f1_within_the_tolerance_only():
    assert score(frozenset({10}), frozenset({12}), 40, tolerance=2).f1 == 1
    assert score(frozenset({10}), frozenset({13}), 40, tolerance=2).f1 == 0


def test_one_proposed_boundary_matches_one_reviewed_boundary_only():
    assert score(frozenset({10, 12}), frozenset({11}), 40).f1 == pytest.approx(2 / 3)


def test_trivial_plans_have_as_many_boundaries_as_asked():
    assert even_boundaries(3, 40) == {10, 20, 30}
    assert len(random_boundaries(5, 40, seed=1)) == 5
    assert random_boundaries(5, 40, seed=1) == random_boundaries(5, 40, seed=1)


def test_a_boundary_outside_the_sequence_is_a_misuse():
    with pytest.raises(MisuseError):
        score(frozenset({40}), frozenset(), 40)
