"""Values by brute force, and what limits have to do: laws for every question of the records."""

from functools import partial
from itertools import product

import numpy as np
import pytest
from laws import QUESTIONS, VALUES, answer, is_fixed, law, usual
from questions import Items
from scipy.optimize import linprog
from scipy.stats import norm
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import roc_auc_score

from errorfloor.data.tables import ScoreTable, SoftTable, VoteTable
from errorfloor.methods.record import Classes

SEVEN = 7


# The best value of known probabilities: every decision on seven items is tried.


def tables_of(p):
    """Return the mass of each true class and decision, for every way to decide on the items."""
    classes = p.shape[1]
    ways = np.array(list(product(range(classes), repeat=len(p))))
    return np.einsum("ik,wij->wkj", p, np.eye(classes)[ways])


def with_mass(p, weight):
    """Return what each item adds to the mass of each class."""
    return p * (weight / weight.sum())[:, None]


def error(p, weight):
    return 1 - np.trace(tables_of(with_mass(p, weight)), axis1=1, axis2=2).max()


def balanced(p, weight):
    tables = tables_of(with_mass(p, weight))
    right = np.diagonal(tables, axis1=1, axis2=2) / tables.sum(axis=2)
    return 1 - right.mean(axis=1).max()


def cost(p, weight, costs):
    costs = np.array(costs, dtype=float)
    if costs.ndim == 1:
        costs = np.array([[0, costs[0]], [costs[1], 0]])
    return (tables_of(with_mass(p, weight)) * costs).sum(axis=(1, 2)).min()


def f1(p, weight):
    (_, false), (missed, right) = np.moveaxis(tables_of(with_mass(p, weight)), 0, 2)
    return (2 * right / (2 * right + false + missed)).max()


def mcc(p, weight):
    tables = tables_of(with_mass(p, weight))
    (rest, false), (missed, right) = np.moveaxis(tables, 0, 2)
    spread = tables.sum(axis=1).prod(axis=1) * tables.sum(axis=2).prod(axis=1)
    some = spread > 1e-12
    return ((right * rest - false * missed)[some] / np.sqrt(spread[some])).max()


def brier(p, weight):
    loss = (p * (1 - p)).sum(axis=1)
    return np.average(loss / 2 if p.shape[1] == 2 else loss, weights=weight)


def log_loss(p, weight):
    return np.average(-(p * np.log(np.maximum(p, 1e-300))).sum(axis=1), weights=weight)


def auc(p, weight):
    """Return the share of pairs of different items in the right order, the likelier one above."""
    pairs = np.outer(p[:, 1], p[:, 0]) * np.outer(weight, weight)
    np.fill_diagonal(pairs, 0)
    return np.maximum(pairs, pairs.T).sum() / (pairs + pairs.T).sum()


def average_precision(p, weight):
    """Return the area under precision by recall, as a fine sum over items in falling order."""
    order = np.argsort(-p[:, 1])
    pieces = np.full(20_000, 1 / 20_000)
    mass = np.concatenate([w * pieces for w in (weight / weight.sum())[order]])
    found = mass * np.repeat(p[order, 1], pieces.size)
    precision = (np.cumsum(found) - found / 2) / (np.cumsum(mass) - mass / 2)
    return (precision * found).sum() / found.sum()


def error_at(p, weight, at):
    """Return the least error of so large a share of the items, by linear programming."""
    mass, doubt = weight / weight.sum(), 1 - p.max(axis=1)
    kept = linprog(mass * doubt, A_eq=mass[None], b_eq=[at], bounds=(0, 1))
    return kept.fun / at


def coverage_at(p, weight, at):
    mass, doubt = weight / weight.sum(), 1 - p.max(axis=1)
    kept = linprog(-mass, A_ub=(mass * (doubt - at))[None], b_ub=[0], bounds=(0, 1))
    return -kept.fun


BEST = {
    "error": error,
    "balanced-error": balanced,
    "cost": cost,
    "brier": brier,
    "log-loss": log_loss,
    "auc": auc,
    "average-precision": average_precision,
    "f1": f1,
    "mcc": mcc,
    "error-at-coverage": error_at,
    "coverage-at-error": coverage_at,
}


def of_probabilities(question, p, weight):
    p = np.asarray(p, dtype=float)
    p = p if p.ndim == 2 else np.column_stack((1 - p, p))
    given = {name: question.options[name] for name in ("costs", "at") if name in question.options}
    return BEST[question.metric](p, weight, **given)


# The best value of scores with labels: every cut is tried, or scikit-learn fits a rising map.


def of_cuts(question, scores, labels, weight):
    """Return the best value of "score at least t" by a metric of a two-by-two table."""
    mass, one = weight / weight.sum(), labels == 1
    found = []
    for cut in (*scores, np.inf):
        named = scores >= cut
        right, false = mass[named & one].sum(), mass[named & ~one].sum()
        missed, rest = mass[~named & one].sum(), mass[~named & ~one].sum()
        spread = (right + false) * (missed + rest) * (right + missed) * (false + rest)
        found.append({
            "error": false + missed,
            "cost": np.dot(question.options.get("costs", (0, 0)), (false, missed)),
            "balanced-error": (false / (false + rest) + missed / (right + missed)) / 2,
            "f1": 2 * right / (2 * right + false + missed),
            "mcc": (right * rest - false * missed) / np.sqrt(spread) if spread > 1e-12 else 0.0,
        }[question.metric])  # fmt: skip
    return max(found) if question.metric in ("f1", "mcc") else min(found)


def of_rising_map(question, scores, labels, weight):
    fit = IsotonicRegression(y_min=0, y_max=1).fit(scores, labels, sample_weight=weight)
    p = fit.predict(scores)
    if question.metric == "auc":
        return roc_auc_score(labels, p.round(9), sample_weight=weight)
    return of_probabilities(question, p, weight)


def of_ranks(question, scores, labels, weight):
    if question.metric == "auc":  # or that of a guess, if that is better
        return max(roc_auc_score(labels, scores, sample_weight=weight), 0.5)
    order = np.argsort(-scores)
    found, mass = np.cumsum((weight * labels)[order]), np.cumsum(weight[order])
    return (found / mass * (weight * labels)[order]).sum() / found[-1]


def of_largest(question, scores, labels, weight):
    return np.average(scores.argmax(axis=1) != labels, weights=weight)


def of_scores_as_they_are(question, scores, labels, weight):
    return of_probabilities(question, scores, weight)


CUTS = ("error", "cost", "balanced-error", "f1", "mcc")
OF_SCORES = {
    (Classes.TWO, "isotonic"): of_rising_map,
    (Classes.TWO, "ranking"): of_ranks,
    (Classes.TWO, "corrupted"): of_scores_as_they_are,
    (Classes.MANY, "corrupted"): of_scores_as_they_are,
    (Classes.MANY, "top1"): of_largest,
}


def by_brute_force(question):
    """Return a slow function of the items' arrays and weights, or None where there is none."""
    name = question.method.name
    if question.kind == ScoreTable.kind:
        if (question.classes, name, question.metric) in product([Classes.TWO], ["isotonic"], CUTS):
            return partial(of_cuts, question)
        own = OF_SCORES.get((question.classes, name))
        return own and partial(own, question)
    if question.kind == SoftTable.kind:
        return partial(of_probabilities, question)
    if name == "plugin":
        return partial(of_shares, question)
    return None


def of_shares(question, votes, *rest):
    *totals, weight = rest
    of_all = totals[0] if totals else votes.sum(axis=1, keepdims=True)
    return of_probabilities(question, votes / of_all, weight)


def seven(question, seed):
    """Return seven items of the question's kind."""
    rng = np.random.default_rng(seed)
    two = question.classes is Classes.TWO
    p = rng.permutation(np.linspace(0.06, 0.93, SEVEN)) if two else rng.dirichlet([1] * 3, SEVEN)
    if two and question.metric != "average-precision":
        p[1] = p[0]
    if question.kind == SoftTable.kind:
        return Items(question.kind, (p,), {})
    if question.kind == VoteTable.kind:
        votes = rng.permutation([0, 1, 2, 2, 3, 4, 5]) if two else rng.multinomial(4, p)
        return Items(question.kind, (votes, np.full(SEVEN, 5)) if two else (votes,), {})
    labels = rng.permutation([0, 1, 1, 0, 1, 0, 0] if two else [0, 1, 2, 0, 1, 2, 2])
    return Items(question.kind, (p, labels), {})


@law(VALUES, by_brute_force)
def test_brute_force_on_seven_items_is_the_value(question):
    for seed in range(3):
        items = seven(question, seed)
        expected = by_brute_force(question)(*items.arrays, np.ones(SEVEN))
        assert question.ask(items).value == pytest.approx(expected, abs=1e-5)


@law(VALUES, lambda one: one.weighs and by_brute_force(one))
def test_brute_force_on_seven_weighted_items_is_the_value(question):
    for seed in range(3):
        items = seven(question, seed)
        weight = np.random.default_rng(seed).uniform(0.5, 3, SEVEN)
        expected = by_brute_force(question)(*items.arrays, weight)
        assert question.ask(items, weight=weight).value == pytest.approx(expected, abs=1e-5)


# Limits


@law(QUESTIONS, lambda one: one.interval == "bca" and is_fixed(one))
def test_leave_one_out_is_brute_force(question):
    """BCa limits follow from replicates and from the values without each item."""
    items = question.items.taken(np.arange(60))
    found = question.ask(items, n_resamples=200)
    assert found.interval_method == "bca"
    rows = np.column_stack(items.arrays)
    _, first, kind = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    rest = (items.taken(np.delete(np.arange(items.n), one)) for one in first)
    without = np.array([question.of_value.ask(some).value for some in rest])[kind.ravel()]
    away = without.mean() - without
    skewness = (away**3).sum() / (6 * (away**2).sum() ** 1.5)
    drawn, value = found.replicates, found.value
    shift = norm.ppf((np.mean(drawn < value) + np.mean(drawn <= value)) / 2)
    z = shift + norm.ppf([0.025, 0.975])
    limits = np.quantile(drawn, norm.cdf(shift + z / (1 - skewness * z)))
    assert (found.low, found.high) == pytest.approx(limits, abs=1e-9)


@law()
def test_limits_nest_and_hold_the_value(question):
    found = usual(question)
    if found is None:
        return
    narrow, wide = found.at_level(0.8), found.at_level(0.99)
    assert found.level == 0.95
    assert wide.low <= found.low <= narrow.low <= narrow.high <= found.high <= wide.high
    assert narrow.low - 1e-12 <= found.value <= narrow.high + 1e-12


SURE = {
    (SoftTable.kind, Classes.TWO): [[0.0, 0.0, 1.0, 1.0]],
    (SoftTable.kind, Classes.MANY): [np.eye(3)[[0, 0, 1, 2]]],
    (VoteTable.kind, Classes.TWO): [[0, 0, 2, 2], [2] * 4],
    (VoteTable.kind, Classes.MANY): [2 * np.eye(3, dtype=int)[[0, 0, 1, 2]]],
    (ScoreTable.kind, Classes.TWO): [[0.1, 0.2, 0.8, 0.9], [0, 0, 1, 1]],
    (ScoreTable.kind, Classes.MANY): [np.eye(3)[[0, 0, 1, 2]], [0, 0, 1, 2]],
}


@law(VALUES, lambda one: not one.method.partly)
def test_items_that_are_sure_have_an_answer_or_a_clear_refusal(question):
    arrays = tuple(np.array(one) for one in SURE[question.kind, question.classes])
    found = answer(question, Items(question.kind, arrays, {}), interval="auto")
    assert found is None or found.low <= found.value <= found.high
