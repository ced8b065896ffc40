"""The follow-up paper's figure, table and FeeBee scores: small versions, and the page."""

import json
from pathlib import Path

import numpy as np
import pytest
from helpers import put_made_sets
from hypothesis import given
from hypothesis import strategies as st
from needs import needs_data

import papers
from errorfloor.datasets.catalogue import IN_PAPER
from errorfloor.datasets.synthetic import gaussian_mixture
from errorfloor.metrics import named
from errorfloor.metrics.ranking import auc_discriminant, mean_of_lesser
from errorfloor.metrics.two_by_two import forms_of
from errorfloor.results.feebee import MEANS, share_after, value_after
from papers import (
    __main__,
    _forms,
    _style,
    follow_up_feebee,
    follow_up_figure,
    follow_up_table,
)

MODULES = (follow_up_figure, follow_up_table, follow_up_feebee)


@pytest.fixture
def made_sets(monkeypatch):
    """Put made data of unequal classes in the place of the real sets."""
    put_made_sets(monkeypatch, 200, weights=(0.3, 0.7))


@pytest.fixture
def small(monkeypatch, made_sets):
    """Make everything quick."""
    monkeypatch.setattr(follow_up_figure, "REPETITIONS", 3)
    monkeypatch.setattr(follow_up_table, "RESAMPLES", 50)
    monkeypatch.setattr(follow_up_table, "RUNS", 3)
    monkeypatch.setattr(follow_up_feebee, "REPEATS", 2)
    monkeypatch.setattr(follow_up_feebee, "LEVELS", 3)


def numbers_of(module):
    return json.loads(json.dumps(module.compute(), allow_nan=False))


soft = st.lists(st.tuples(st.floats(0, 1), st.integers(1, 9)), min_size=2, max_size=8)


@given(soft, st.floats(0.05, 0.95))
def test_forms_of_many_tables_are_those_of_pairs_and_items_one_at_a_time(atoms, theta):
    atoms.sort()
    p, count = (np.array(column, dtype=float) for column in zip(*atoms, strict=True))
    share = count / count.sum()
    thetas = np.array([theta, theta / 2])
    both = np.repeat(share[None], 2, axis=0)
    balanced, auc = (forms(p, both, thetas) for forms in (_forms.balanced, _forms.auc))
    for i, one in enumerate(thetas):
        slow = forms_of(p, count, np.array([1 - one, one]))
        assert balanced[0, i] == pytest.approx(share @ slow.without_rest, abs=1e-12)
        assert balanced[1, i] == pytest.approx(share @ slow.without_max, abs=1e-12)
        ups, pairs = np.outer(p, 1 - p), np.outer(share, share)
        spread = 2 * one * (1 - one)
        lesser = (pairs * np.minimum(ups, ups.T)).sum()
        assert lesser == pytest.approx(mean_of_lesser(p, share), abs=1e-12)
        assert auc[0, i] == pytest.approx(1 - lesser / spread, abs=1e-9)
        greater = (pairs * np.maximum(ups, ups.T)).sum()
        assert auc[1, i] == pytest.approx(greater / spread, abs=1e-9)


@given(soft)
def test_both_forms_are_one_where_the_share_is_the_mean_of_the_soft_labels(atoms):
    atoms.sort()
    p, count = (np.array(column, dtype=float) for column in zip(*atoms, strict=True))
    mean = float(count @ p / count.sum())
    if not 0.01 < mean < 0.99:
        return
    for metric, forms in _forms.FUNCTIONS.items():
        least, largest = forms(p, (count / count.sum())[None], np.array([mean]))[:, 0]
        assert least == pytest.approx(largest, abs=1e-9)
        assert least == pytest.approx(named(metric).best(p, count), abs=1e-9)


def test_the_truth_of_two_gaussians_is_that_of_very_many_items():
    # 10^6 items: the min form has a standard error of 1.3e-4, that of AUC is less.
    data = gaussian_mixture(10**6, weights=(0.8, 0.2), means=follow_up_figure.MEANS, rng=0)
    p = np.sort(data.soft_labels)
    share = np.full((1, p.size), 1 / p.size)
    for metric, truth in follow_up_figure.truth().items():
        value = _forms.FUNCTIONS[metric](p, share, np.array([0.2]))[0, 0]
        assert value == pytest.approx(truth, abs=6e-4)


def test_clean_labels_are_unbiased_and_distorted_ones_are_not_until_calibrated(monkeypatch):
    monkeypatch.setattr(follow_up_figure, "REPETITIONS", 40)
    numbers = json.loads(json.dumps(follow_up_figure.compute(n=1000)))
    for metric in _forms.FUNCTIONS:
        errors = numbers["errors"][metric]
        for name in follow_up_figure.ESTIMATORS[:4]:
            clean = errors["clean"][name]
            # A share that is estimated from the labels is off by O(1/n).
            assert abs(clean["mean"]) <= 4.5 * clean["deviation"] / np.sqrt(40) + 1e-3
        known = [errors["clean"][name]["deviation"] for name in follow_up_figure.ESTIMATORS[:2]]
        assert known[0] < 0.5 * known[1]
        for kind in ("under-confident", "over-confident"):
            row = errors[kind]
            assert abs(row["min form, known share"]["mean"]) > 0.015
            assert row["isotonic"] == errors["clean"]["isotonic"]
            assert abs(row["isotonic"]["mean"]) < 0.012
    signs = [
        numbers["errors"]["balanced-error"][kind]["min form, known share"]["mean"] > 0
        for kind in ("under-confident", "over-confident")
    ]
    assert signs == [True, False]


@pytest.mark.parametrize("module", MODULES)
def test_every_part_is_computed_drawn_checked_and_said(module, small):
    numbers = numbers_of(module)
    with _style.style():
        figure = module.draw(numbers)
    assert len(figure.axes) in (2, 8)
    assert all(np.isfinite(check.ours) for check in module.checks(numbers))
    text = module.remarks(numbers)
    assert "{" not in text
    assert " nan" not in text


def test_the_bootstrap_of_the_table_has_the_standard_errors_of_the_delta_method(small, monkeypatch):
    monkeypatch.setattr(follow_up_table, "RESAMPLES", 4000)
    monkeypatch.setattr(follow_up_table, "RUNS", 2)
    found = numbers_of(follow_up_table)["sets"]["SNLI"]
    table = IN_PAPER["SNLI"].load().score_table
    cells = table.cells()
    p, label = cells.scores[cells.row], cells.positive.astype(float)
    share, n = cells.count / table.n, table.n
    theta = float(share @ label)
    for form, choose in (("min", np.minimum), ("max", np.maximum)):

        def item(at, choose=choose):
            return choose(p / at, (1 - p) / (1 - at)) / 2

        slope = share @ (item(theta + 1e-6) - item(theta - 1e-6)) / 2e-6
        for kind, influence in (
            ("renewed", item(theta) + slope * (label - theta)),
            ("fixed", item(theta)),
        ):
            spread = np.sqrt(share @ (influence - share @ influence) ** 2 / n)
            # Off by resampling, 1 / sqrt(2 * 8,000), and by O(1 / n) of the bootstrap itself.
            assert found[kind]["balanced-error"][form] == pytest.approx(spread, rel=0.06)


def test_the_discriminants_of_the_table_are_the_covariances_that_decide(small):
    found = numbers_of(follow_up_table)["sets"]["MNLI"]
    table = IN_PAPER["MNLI"].load().score_table
    theta, p = table.positives.sum() / table.n, table.scores
    slow = (1 - 2 * theta) * (table.items @ ((p - theta) * np.abs(p - theta))) / table.n
    assert found["discriminant"]["balanced-error"] == pytest.approx(slow)
    value = auc_discriminant(p, table.items / table.n, theta)
    assert found["discriminant"]["auc"] == pytest.approx(value)


@needs_data
def test_the_printed_table_comes_out(monkeypatch):
    monkeypatch.setattr(follow_up_table, "RUNS", 3)
    checks = follow_up_table.checks(numbers_of(follow_up_table))
    assert len(checks) == 12
    for check in checks:
        if check.error is None:
            assert check.agrees, check
        else:  # three runs tell the noise itself badly
            assert check.ours == pytest.approx(check.published, rel=0.6), check


def test_feebee_scores_of_forms_are_those_of_one_table_at_a_time(small, monkeypatch):
    monkeypatch.setattr(follow_up_feebee, "MEANS", (0.3,))
    table = IN_PAPER["SNLI"].load().score_table
    rng = np.random.default_rng(follow_up_feebee.SEED)
    positives, n = int(table.positives.sum()), table.n
    noise = np.array([0, 0.5, 1])
    kept = rng.binomial(positives, 1 - noise * 0.7, size=(2, 3))
    new = rng.binomial(n - positives, noise * 0.3, size=(2, 3))
    for metric, model in (("balanced-error", 0.05), ("auc", 0.97)):
        found = follow_up_feebee._scores_of_forms(table, metric, model)
        assert found.shape == (1, 2, 2)
        out = np.zeros((2, 3, 2))
        for repeat in range(2):
            for level, one in enumerate(noise):
                theta = (kept + new)[repeat, level] / n
                p = share_after(table.scores, one, 0.3)
                values = _forms.FUNCTIONS[metric](p, (table.items / n)[None], np.array([theta]))
                ends = [
                    value_after(end, positives / n, one, 0.3) for end in (metric == "auc", model)
                ]
                for form in range(2):
                    value = values[form, 0]
                    out[repeat, level, form] = max(min(ends) - value, value - max(ends), 0)
        assert found[0] == pytest.approx(out.mean(axis=1), abs=1e-12)


def test_a_models_error_bounds_its_balanced_error_and_its_auc():
    for name in follow_up_table.PRINTED:
        error = IN_PAPER[name].model_error
        assert follow_up_feebee.known_value(name, "balanced-error", 0.25) == error / 0.5
        assert follow_up_feebee.known_value(name, "auc", 0.25) == 1 - error / 0.5
        assert follow_up_feebee.known_value(name, "auc", 1e-9) == 0.5
    assert len(MEANS) == 9


def test_the_discriminant_of_auc_suffices_and_is_necessary_as_items_grow():
    # Variances of means over pairs, from all of a law's values: 4,000 laws, as the theory says.
    rng, against = np.random.default_rng(0), 0
    for law in range(4000):
        values = rng.integers(2, 6)
        p, share, n = np.sort(rng.random(values)), rng.dirichlet(np.ones(values)), 2 + law % 3
        both, apart = np.outer(p, 1 - p) + np.outer(1 - p, p), np.abs(np.subtract.outer(p, p))
        first = auc_discriminant(p, share, float(share @ p))
        off = share * (p - share @ p)
        rest = -2 * off @ apart @ off
        forms = [(both + sign * apart) / 2 for sign in (1, -1)]
        larger, smaller = (_variance(form, share, n) for form in forms)
        excess = 4 * first / n + 2 * rest / (n * (n - 1))
        assert larger - smaller == pytest.approx(excess, abs=1e-12)
        assert rest >= 0
        assert first < 0 or larger >= smaller  # it suffices
        against += first < 0 and larger > smaller
        many = 10**9
        larger, smaller = (many * _variance(form, share, many) for form in forms)
        assert (larger > smaller) == (first > 0) or abs(first) < 1e-8
    page = (Path(__file__).parents[1] / "docs" / "theory" / "metrics.md").read_text(
        encoding="utf-8"
    )
    assert f"varies less with $D < 0$ in {against}." in page


def _variance(form, share, n):
    """Return the variance of the mean of `form` over the pairs of n items of a law."""
    mean = share @ form @ share
    one, two = share @ (form @ share - mean) ** 2, share @ form**2 @ share - mean**2
    return 2 / (n * (n - 1)) * (2 * (n - 2) * one + two)


def test_the_command_writes_the_page_of_the_follow_up(small, capsys, tmp_path, monkeypatch):
    monkeypatch.setattr(follow_up_figure, "ITEMS", 300)
    monkeypatch.setattr(follow_up_figure.compute, "__defaults__", (300,))
    out, docs = tmp_path / "out", tmp_path / "docs"
    options = ["--out", str(out), "--docs", str(docs)]
    assert __main__.main([*options, "follow-up-table"]) == 0
    assert "lacks follow-up-figure, follow-up-feebee" in capsys.readouterr().err
    assert __main__.main([*options, "follow-up"]) == 0
    assert "wrote" in capsys.readouterr().out
    page = (docs / "follow_up.md").read_text(encoding="utf-8")
    assert not (docs / "paper.md").exists()
    for line in ("## Figure", "## Table", "## FeeBee", "| [Table](#table) |", "none known"):
        assert line in page
    assert sorted(path.stem for path in (docs / "figures").iterdir()) == sorted(papers.FOLLOW_UP)
    again = papers.load("follow-up-table", out)
    assert again.remarks in page
