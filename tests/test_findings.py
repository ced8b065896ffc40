"""The page of findings in small, and the parts of it that have a known answer."""

import numpy as np
import pytest
from needs import needs_data

from benchmarks import findings

TINY = findings.Effort(feebee=2, data_sets=2, coverage=2, bias_curves=2, bias_runs=10, thinnings=2)

# Of beta, where many scores are exactly 0 or 1.
pytestmark = pytest.mark.filterwarnings("ignore::errorfloor.DoubtWarning")


@pytest.mark.parametrize("name", ["(a) Gaussians", "(b) one Gaussian", "(c) label flips"])
def test_the_grid_of_a_distribution_has_its_floor(name):
    points, weights, floor = findings._distribution(name)
    assert weights.sum() == pytest.approx(1)
    assert weights @ np.minimum(points, 1 - points) == pytest.approx(floor, abs=1e-6)


def test_simulated_bias_is_the_exact_one_within_its_error():
    name, votes = "(a) Gaussians", np.array([3, 10])
    points, weights, floor = findings._distribution(name)
    effort = findings.Effort(bias_runs=400)
    bias, error = findings._simulated(name, votes, floor, effort, np.random.default_rng(0))
    exact = [findings.exact_bias(points, m, weights=weights) for m in votes]
    assert np.abs(bias - exact).max() < 4 * error.max()


def test_text_is_wrapped_and_tables_are_not():
    long = " ".join(30 * ["words"])
    text = findings._wrapped(f"# Head\n\n{long}\n\n- {long}\n- short\n\n| {long} |")
    head, paragraph, items, table = text.split("\n\n")
    assert head == "# Head"
    assert max(map(len, paragraph.splitlines())) < 100
    assert items.splitlines()[1].startswith("  words")
    assert items.splitlines()[-1] == "- short"
    assert table == f"| {long} |"


@needs_data
def test_the_page_has_all_sections_and_no_missing_number():
    page = findings.document(TINY)
    assert page.count("\n## ") == 5
    assert " nan" not in page
    for line in page.splitlines():
        assert line.startswith("|") or len(line) < 100
