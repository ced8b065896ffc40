"""Metrics that nobody foresaw, each added by one record while the program runs.

Youden's J, F-beta with beta = 2 and the G-mean are given by a loss of both kinds of error alone.
"""

import csv
import itertools

import numpy as np
import pytest

import errorfloor as ef
from errorfloor import metrics
from errorfloor.apps.cli import commands as cli
from errorfloor.metrics import Metric
from errorfloor.metrics.two_by_two import OfTable, linear, over
from errorfloor.show import grids


def ceiling(name, title, how):
    return Metric(name, "ceiling", False, lambda classes: (0.0, 1.0), title=title,
                  formula=f"the largest {title}", two_only=True, how=how)  # fmt: skip


def missed_twice(fp, fn, zeros, ones):
    return over(fp + 4 * fn, fp + 5 * ones - fn)


def apart(fp, fn, zeros, ones):
    product = (1 - over(fp, zeros)) * (1 - over(fn, ones))
    return 1 - np.sqrt(np.where(np.real(product) > 0, product, 0))


ADDED = {
    "youden": ceiling("youden", "Youden's J", linear(
        lambda zeros, ones: (over(0.5, zeros), over(0.5, ones)), link=lambda loss: 1 - 2 * loss)),
    "f2": ceiling("f2", "F2", OfTable(missed_twice, lambda loss: 1 - loss, needs="positive")),
    "g-mean": ceiling("g-mean", "G-mean", OfTable(apart, lambda loss: 1 - loss)),
}  # fmt: skip
# From true and false positives, negatives and positives, as textbooks have them.
TEXTBOOK = {
    "youden": lambda tp, fp, zeros, ones: tp / ones - fp / zeros,
    "f2": lambda tp, fp, zeros, ones: 5 * tp / (4 * ones + tp + fp),
    "g-mean": lambda tp, fp, zeros, ones: np.sqrt(tp / ones * (1 - fp / zeros)),
}
RNG = np.random.default_rng(5)
P = RNG.beta(1, 2, 160).round(2)
LABELS = (RNG.random(160) < P).astype(int)
CHOSEN = (P > 0.4).astype(int)
VOTES = RNG.binomial(7, P)
WEIGHTS = RNG.choice([0.5, 1.0, 2.5], 160)


@pytest.fixture(autouse=True, scope="module")
def added():
    before = metrics.METRICS
    metrics.METRICS = (*before, *ADDED.values())
    yield
    metrics.METRICS = before


def best_cut(name, scores, labels, weight):
    """Return the best value of any cut, by trying each."""
    ones, zeros = weight @ labels, weight @ (1 - labels)
    named = [scores >= cut for cut in (*np.unique(scores), np.inf)]
    values = [
        TEXTBOOK[name](weight @ (own * labels), weight @ (own * (1 - labels)), zeros, ones)
        for own in named
    ]
    return max(values)


@pytest.mark.parametrize("name", ADDED)
def test_the_best_cut_of_small_sets_is_brute_force(name):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        scores, labels = rng.random(9).round(1), np.array([0, 1] * 4 + [1])
        found = ef.from_scores(scores, labels, metric=name, method="isotonic", interval=None)
        expected = best_cut(name, scores, labels, np.ones(9))
        assert found.value == pytest.approx(max(expected, 0), abs=1e-9)


def test_the_best_cut_of_weighted_items_is_brute_force():
    how = {"metric": "youden", "method": "isotonic", "interval": None}
    found = ef.from_scores(P, LABELS, weight=WEIGHTS, **how)
    assert found.value == pytest.approx(best_cut("youden", P, LABELS, WEIGHTS), abs=1e-6)
    for name in ("f2", "g-mean"):  # whose limits were never measured with weights
        with pytest.raises(ef.InputError, match=f"`metric='{name}'` is not given with `weight`"):
            ef.from_scores(P, LABELS, metric=name, weight=WEIGHTS)


@pytest.mark.parametrize("name", ADDED)
def test_known_probabilities_have_the_best_value_of_any_set(name):
    for seed in range(10):
        p = np.random.default_rng(seed).random(7)
        values = []
        for chosen in itertools.product((0, 1), repeat=7):
            own = np.array(chosen)
            values.append(TEXTBOOK[name](own @ p, own @ (1 - p), (1 - p).sum(), p.sum()))
        found = ef.from_soft_labels(p, metric=name, interval=None)
        assert found.value == pytest.approx(max(values), abs=1e-9)


def value_of(name, chosen, labels):
    tp, fp = (chosen * labels).sum(), (chosen * (1 - labels)).sum()
    return TEXTBOOK[name](tp, fp, (1 - labels).sum(), labels.sum())


SOURCES = {
    "soft labels": lambda name: ef.from_soft_labels(P, metric=name, rng=0),
    "scores": lambda name: ef.from_scores(P, LABELS, metric=name, rng=0),
    "votes": lambda name: ef.from_votes(VOTES, 7, metric=name),
    "plug-in": lambda name: ef.from_votes(VOTES, 7, metric=name, method="plugin", rng=0),
}


@pytest.mark.parametrize("name", ADDED)
@pytest.mark.parametrize("source", SOURCES)
def test_every_kind_of_labels_answers_and_judges_models(name, source, tmp_path):
    found = SOURCES[source](name)
    assert 0 <= found.low < found.value < found.high <= 1
    assert found.high - found.low < 0.45
    verdict = ef.headroom(found, labels=LABELS, predictions=CHOSEN, same_labelling=True)
    assert verdict.model_value == pytest.approx(value_of(name, CHOSEN, LABELS))
    page = ef.report(found, tmp_path / "page.html").read_text()
    assert ADDED[name].words.replace("'", "&#x27;") in page or ADDED[name].words in page


@pytest.mark.parametrize("name", ADDED)
def test_models_are_given_by_their_errors_or_by_their_value(name):
    found = SOURCES["scores"](name)
    matrix = np.array([[((i == LABELS) & (j == CHOSEN)).sum() for j in (0, 1)] for i in (0, 1)])
    counted = ef.headroom(found, confusion=matrix, same_labelling=True)
    assert counted.model_value == pytest.approx(value_of(name, CHOSEN, LABELS))
    published = ef.headroom(found, model_value=0.5, n=160, same_labelling=True)
    assert published.low <= published.high


@pytest.mark.parametrize("name", ADDED)
def test_added_metrics_are_compared_and_planned(name):
    rows = ef.compare(P, LABELS, metric=name, rng=0)
    assert [row.method for row in rows] == ["isotonic", "isotonic-cf"]
    plan = ef.plan(ef.ScoreTable.from_arrays(P, LABELS), metric=name, items=(200, 800))
    few, many = plan.width.ravel()
    assert 0 < many < few
    votes = ef.plan(ef.VoteTable.from_arrays(VOTES, 7), metric=name, items=(400,), votes=(5,))
    assert 0 < votes.width.item() < 1


def test_the_command_line_and_the_documents_have_them(tmp_path, capsys):
    file = tmp_path / "scores.csv"
    with file.open("w", newline="") as opened:
        rows = csv.writer(opened)
        rows.writerow(["score", "label"])
        rows.writerows(zip(P, LABELS, strict=True))
    columns = ("--score", "score", "--label", "label")
    assert cli.run(["estimate", str(file), *columns, "--metric", "g-mean", "--seed", "0"]) == 0
    assert "G-mean" in capsys.readouterr().out
    table = grids.of_metrics()
    assert [row[0] for row in table.rows][-3:] == list(ADDED)


@pytest.mark.parametrize("name", ADDED)
def test_limits_from_scores_hold(name):
    grid = np.linspace(0, 1, 2001)[1:-1]  # probabilities of uniform scores
    ones, zeros = grid.sum(), (1 - grid).sum()
    tp, fp = np.cumsum(grid[::-1]), np.cumsum((1 - grid)[::-1])
    truth = TEXTBOOK[name](tp, fp, zeros, ones).max()
    held = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        p = rng.random(150)
        found = ef.from_scores(p, rng.random(150) < p, metric=name, rng=0)
        held += found.low <= truth <= found.high
    assert held >= 54  # of 60: fewer have a chance of 1 in 100 where 57 are to be expected
