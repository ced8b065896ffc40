"""Balanced error: the mean over classes of the errors on items of each class."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from errorfloor._checks import InputError
from errorfloor._typing import Counts, Floats
from errorfloor.metrics.counted import Counted, CountedMean
from errorfloor.metrics.counted_thresholds import CountedBalance, CountedManyBalance
from errorfloor.metrics.means import of_classes, span_of_error
from errorfloor.metrics.merged import moved_mean, moved_ratio
from errorfloor.metrics.model import WrongInClasses
from errorfloor.metrics.record import Metric
from errorfloor.metrics.two_by_two import OF_BALANCED


@dataclass(frozen=True, slots=True, eq=False)
class Forms:
    """The two forms of the best balanced error, each a mean over items; see `forms_of`."""

    without_max: Floats  # one less the largest share-weighted probability of each item
    without_rest: Floats  # what the largest leaves of all of them
    discriminant: float  # the second form has the smaller variance where it is at least 0

    def best(self) -> Floats:
        """Return the form with the smaller variance."""
        return self.without_rest if self.discriminant >= 0 else self.without_max


def forms_of(probabilities: Floats, weights: Floats | Counts, prior: Floats) -> Forms:
    """Return what is averaged for the best balanced error, where the shares of classes are known.

    With q = p / prior / K for each class, the best balanced error is 1 - E max q, and also
    E (sum q - max q), because the sum has the mean 1. For two classes these are the max form and
    the min form of Ushio, Ishida and Sugiyama (2026), and the sign of the discriminant is theirs.
    """
    q = of_classes(probabilities) / prior / prior.size
    largest, total = q.max(axis=1), q.sum(axis=1)
    # Var(total - largest) <= Var(largest) iff the covariance of total and largest - total / 2
    # is at least 0.
    discriminant = float(weights @ ((total - 1) * (largest - total / 2)) / weights.sum())
    return Forms(1 - largest, total - largest, discriminant)


def shares_of(probabilities: Floats, weights: Floats | Counts) -> Floats:
    """Return the mean probability of each class."""
    return np.asarray(weights @ of_classes(probabilities) / weights.sum())


def _best(probabilities: Floats, weights: Floats | Counts) -> float:
    return _best_with(shares_of(probabilities, weights), probabilities, weights)


def _best_with(prior: Floats, probabilities: Floats, weights: Floats | Counts) -> float:
    if (prior <= 0).any():
        raise InputError(
            f"Balanced error needs items of every class, and class number {int(np.argmin(prior))} "
            "has a probability of 0 on all items. Leave it out, or add items of it."
        )
    return float(weights @ forms_of(probabilities, weights, prior).best() / weights.sum())


def _with_prior(given: Mapping[str, Any], classes: int) -> Metric:
    prior = np.asarray(given["prior"], dtype=np.float64)

    def whole(probabilities: Floats, weights: Floats | Counts) -> float:
        return _best_with(prior, probabilities, weights)

    def moved(p: Floats, lows: Floats, highs: Floats, counts: Counts) -> float:
        return max(moved_mean(form, prior[1])(p, lows, highs, counts) for form in _items(prior))

    counted = partial(CountedForms, prior=prior)
    return replace(BALANCED, given=given, whole=whole, counted=counted, moved=moved, slope=None)


def _items(prior: Floats) -> tuple[Callable[[Floats], Floats], ...]:
    """Return what an item adds in the min form and in the max form, of two classes."""

    def form(name: str, p: Floats) -> Floats:
        forms: Floats = getattr(forms_of(p, np.ones(p.size), prior), name)
        return forms

    return partial(form, "without_rest"), partial(form, "without_max")


class CountedForms(CountedMean):
    """The best balanced error with known shares of classes: the mean of the form that varies less.

    Which form that is, the items of the table decide.
    """

    def __init__(self, probabilities: Floats, count: Counts, prior: Floats) -> None:
        self.probabilities = probabilities
        self.prior = prior
        self.forms = forms_of(probabilities, count, prior)
        super().__init__(self.forms.best(), count, span_of_error(prior.size))

    def varies_least(self, count: Counts) -> int:
        """Return which form items in other numbers decide for: 0 for the min form, else 1."""
        if not count.any():
            return 0
        return int(forms_of(self.probabilities, count, self.prior).discriminant < 0)

    @property
    def bounds(self) -> tuple[Floats, Floats]:
        """The least and the largest number of an item, in the min form and in the max form."""
        classes, largest = self.prior.size, 1 / (self.prior.size * self.prior.min())
        # Of the weighted probabilities the largest is at least 1 / K, and at least their mean.
        most = 0.5 if classes == 2 else (1 - 1 / classes) * largest
        return np.array([0.0, 1 - largest]), np.array([most, 1 - 1 / classes])


def _counted(probabilities: Floats, count: Counts) -> Counted:
    of = CountedBalance if probabilities.ndim == 1 else CountedManyBalance
    return of(probabilities, count)


BALANCED = Metric(
    name="balanced-error",
    limit="floor",
    less_is_better=True,
    span=span_of_error,
    whole=_best,
    counted=_counted,
    moved=moved_ratio(lambda p, counts: 1 - 2 * _best(p, counts)),
    formula="min(p / P(1), (1 - p) / P(0)) / 2",
    many_formula="1 - max p / P(class) / K",
    opposite="balanced accuracy",
    title="balanced error",
    takes=("prior",),
    with_given=_with_prior,
    how=OF_BALANCED,
    by_place=True,
    of_model=WrongInClasses(),
)
