"""The ranking that scores make of items of two classes: its AUC and its average precision.

Where scores order the items as their true probabilities do, no ranking has more of either. Neither
changes when scores are calibrated by a rising curve, so none is fitted.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from errorfloor import _references as references
from errorfloor._references import BALANCED_AND_AUC
from errorfloor._typing import Counts, Floats
from errorfloor.data.sample import Draw, Sample
from errorfloor.data.tables import ScoreTable
from errorfloor.methods.fitted import Fitted
from errorfloor.methods.isotonic import ISOTONIC, RisingMap
from errorfloor.methods.record import Basis, Method, Options, Shape, uses_weights
from errorfloor.metrics import Metric
from errorfloor.metrics.two_by_two import check_classes

_AT_ONCE = 2**20  # only for speed: numbers


class RankFit(Fitted):
    """The ranking that scores make of the items, by a metric with `OfRanks`."""

    def __init__(self, sample: Sample, draw: Draw, metric: Metric) -> None:
        super().__init__(sample, draw)
        self.metric = metric

    def own(self, counts: Counts) -> Floats:
        """Return the metric of the ranking, for each row of counts; an AUC may be below 1/2."""
        size = max(_AT_ONCE // len(self.sample), 1)  # only for speed
        starts = range(0, len(counts), size)
        parts = (self.sample.mass(counts[start : start + size]) for start in starts)
        return np.concatenate([self.metric.how.of(*self.sample.by_row(part)) for part in parts])

    def values(self, counts: Counts, _: np.random.Generator, /) -> Floats:
        """Return the same as an estimate of the best value, within what that can be."""
        return np.clip(self.own(counts), *self.metric.span(2))

    def leave_one_out(self) -> Floats:
        """Return the metric of the ranking without one item of each cell in turn."""
        found: Floats = self.metric.how.without_one(self.sample)
        return found


def _bind(kind: type[RankFit], sample: Sample, options: Options) -> RankFit:
    """Fit a ranking, or say so where a class has no items and the metric needs some."""
    metric = options.metric
    both = metric.how.needs == "both"
    check_classes(metric.words, sample.count, sample.positive, both=both)
    return kind(sample, options.draw, metric)


_EXPLAINS = (
    "The scores put the items in an order, and its {0} is counted from the labels. A ranking by "
    "the true probabilities has the largest {0} there is, and calibration by a rising curve would "
    "leave the order as it is, so nothing is fitted."
)


def _method(metric: str, words: str, **about: object) -> Method:
    return Method(
        name="ranking",
        bind=uses_weights("auc")(partial(_bind, RankFit)),
        reads=ScoreTable.kind,
        metrics=(metric,),
        interval="honest",
        assumes=ISOTONIC.assumes,
        if_wrong="the scores' own value: too low, still a lower bound of the ceiling",
        explains=_EXPLAINS.format(words),
        shape=Shape.ORDER,
        colour="blue",
        curve=ISOTONIC.name,  # a ranking has no map
        **about,  # type: ignore[arg-type]
    )


AUC = _method(
    "auc",
    "AUC",
    bases=frozenset({Basis.PAIRS, Basis.ITEMS}),
    references=(references.RANKING,),
    when_merged="takes items of one row as tied",
)
AVERAGE_PRECISION = _method(
    "average-precision",
    "average precision",
    bases=frozenset({Basis.PRECISION, Basis.ITEMS}),
    references=(references.PRECISION,),
    when_merged="takes items of one row as tied",
)


class CalibratedFit(RankFit):
    """The best value of items with the probabilities of the isotonic fit to them."""

    def values(self, counts: Counts, _: np.random.Generator, /) -> Floats:
        """Return the AUC for each row of counts; 1/2 where a resample has one class alone."""
        return np.array([self._of_fit(count) for count in counts])

    def _of_fit(self, count: Counts) -> float:
        zeros, ones = self.sample.by_row(self.sample.mass(count))
        if not (zeros.any() and ones.any()):
            return 0.5
        some = zeros + ones > 0
        return self.metric.best(RisingMap.of_rows(zeros, ones)[some], (zeros + ones)[some])


CALIBRATED_AUC = replace(
    ISOTONIC,
    bind=partial(_bind, CalibratedFit),
    metrics=AUC.metrics,
    bases=AUC.bases,
    if_wrong="too high for few items, too low for scores out of order",
    explains="The labels calibrate the scores by isotonic regression, and the ceiling is the AUC "
    "of items with these probabilities. The fit ties items that the scores tell apart where labels "
    "fall, which looks like a better ranking than there is.",
    references=(BALANCED_AND_AUC, *ISOTONIC.references),
)
RECORDS = (AUC, AVERAGE_PRECISION, CALIBRATED_AUC)
