"""Laws about every question that the records allow, and where today's answers break them."""

from fnmatch import fnmatchcase
from functools import cache
from itertools import product

import numpy as np
import pytest
from questions import every

import errorfloor as ef
from errorfloor import metrics

NO_PRIOR = (
    "With weights or clusters the balanced error of votes is refused unless `prior` is given."
)
JUMP = "Limits jump by up to 0.02 once weights differ at all: they then come from other formulas."
BETS = "Once weights differ at all, bets replace exact binomial limits, up to 0.12 wider."
SMOOTHED = (
    "The smoothing of the fit is worth a number of items, and a weight of 3 counts as one item."
)
PLACED = "The fit depends on the order of the classes: values by 0.001, limits by 0.006."
TIED = "Weights tell apart cuts that cost the same otherwise, also those that are held out."
TIED_BLOCKS = (
    "Weights part neighbouring blocks of the fit that have the same share of positives otherwise, "
    "and held out each block is smoothed by one item: by 0.0001."
)
ONE_STEP = "The fit without an item is one Newton step away from the fit of all, not fitted again."
SAME_FIT = "The fit or the cuts that all items chose are kept where one is left out."
SMOOTH = [one.name for one in metrics.METRICS if not one.is_mean and "costs" not in one.needs]

# By the test of a law: questions, as patterns, whose answers break it, and how.
BREACHES = {
    "test_weights_that_hardly_differ_hardly_change_the_value": {
        "scores, TWO, isotonic-cf, error": TIED,
        "scores, TWO, isotonic-cf, cost": TIED,
        "scores, TWO, isotonic-cf, brier": TIED_BLOCKS,
        "scores, TWO, isotonic-cf, log-loss": TIED_BLOCKS,
        "votes, TWO, mixture, balanced-error": NO_PRIOR,
    },
    "test_weights_that_hardly_differ_hardly_change_the_limits": {
        "scores, *, certified": BETS,
        "scores, *, honest": JUMP,
        "scores, TWO, isotonic-cf, error, jackknife": TIED,
        "scores, TWO, isotonic-cf, cost, jackknife": TIED,
        "votes, *, mixture, *, likelihood": JUMP,
        **{f"soft labels, *, {metric}, jackknife": JUMP for metric in SMOOTH},
    },
    "test_clusters_leave_the_value_alone": {
        "votes, TWO, mixture, balanced-error": NO_PRIOR,
    },
    "test_an_item_of_weight_three_is_three_items": {
        "soft labels, TWO, clean, auc": "Three items make pairs of each other, and one does not.",
        "votes, TWO, mixture, balanced-error": NO_PRIOR,
        "votes, MANY, mixture, error": SMOOTHED,
        **{f"votes, TWO, mixture, {metric}": SMOOTHED for metric in
           ("cost", "brier", "log-loss", "error-at-coverage", "coverage-at-error")},
    },
    "test_the_order_of_classes_leaves_the_value_alone": {
        "scores, TWO, hist-4, error": "Scores that are tied at the edge of a bin go to one side.",
        "votes, MANY, mixture, balanced-error": PLACED,
        "votes, MANY, mixture, cost": PLACED,
    },
    "test_the_order_of_classes_leaves_limits_alone_that_are_not_random": {
        "votes, MANY, mixture, balanced-error, likelihood": PLACED,
        "votes, MANY, mixture, cost, likelihood": PLACED,
    },
    "test_leave_one_out_is_brute_force": {
        "scores, MANY, temperature, error, bca": ONE_STEP,
        "scores, MANY, vector, error, bca": ONE_STEP,
        "scores, MANY, ovr-isotonic, error, bca": SAME_FIT,
        **{f"scores, TWO, isotonic, {metric}, bca": SAME_FIT
           for metric in ("auc", "brier", "log-loss")},
    },
}  # fmt: skip

QUESTIONS = tuple(every())
VALUES = tuple(dict.fromkeys(question.of_value for question in QUESTIONS))


# Methods whose values are cross-fitted, or so for one metric.
CROSS_FITTED = {"isotonic-cf", "offsets", "ppi",
                *product(("temperature", "vector"), ("brier", "log-loss"))}  # fmt: skip


def is_fixed(question):
    """Tell whether the value is not cross-fitted, and so depends on no seed."""
    name = question.method.name
    return name not in CROSS_FITTED and (name, question.metric) not in CROSS_FITTED


def law(questions=QUESTIONS, where=lambda question: True):
    """Ask a test about questions; those of known breaches are expected to fail."""

    def asked(test):
        known = BREACHES.get(test.__name__, {})
        cases = []
        for question in filter(where, questions):
            reasons = [why for form, why in known.items() if fnmatchcase(str(question), form)]
            marks = [pytest.mark.xfail(strict=True, reason=reason) for reason in reasons]
            cases.append(pytest.param(question, id=str(question), marks=marks))
        return pytest.mark.parametrize("question", cases)(test)

    return asked


def numbers(question, items=None, **more):
    """Return value and limits, or that the question is refused."""
    return _numbers(answer(question, items, **more))


def answer(question, items=None, **more):
    """Return the answer, or None where the question is refused."""
    try:
        return question.ask(items, **more)
    except ef.InputError:
        return None


def _numbers(found):
    parts = ("refused",) if found is None else (found.value, found.low, found.high)
    return np.array(parts, dtype=object if found is None else float)


usual = cache(answer)  # on the question's own items


def plain(question):
    """Return value and limits on the question's own items."""
    return _numbers(usual(question))


def agree(one, other, apart=1e-9):
    """Tell whether two answers are the same, or both are refused."""
    if one.shape != other.shape or one.dtype == object:
        return one.shape == other.shape
    return np.allclose(one, other, rtol=0, atol=apart, equal_nan=True)
