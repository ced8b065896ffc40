"""The AUC of calibrated scores: the paper's route, beside that of the scores themselves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from errorfloor._references import BALANCED_AND_AUC
from errorfloor._typing import Counts, Floats
from errorfloor.data.sample import Sample
from errorfloor.methods.isotonic import ISOTONIC
from errorfloor.methods.maps import RisingMap
from errorfloor.methods.ranks import AUC as RANKING
from errorfloor.methods.ranks import RankFit, check_items
from errorfloor.methods.record import Options, unknown_resolution


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


def _bind(sample: Sample, options: Options) -> CalibratedFit:
    check_items(sample, options.metric)
    return CalibratedFit(sample, options.draw, options.metric)


AUC = replace(
    ISOTONIC,
    bind=_bind,
    metrics=RANKING.metrics,
    bases=RANKING.bases,
    if_wrong="too high for few items, too low for scores out of order",
    explains="The labels calibrate the scores by isotonic regression, and the ceiling is the AUC "
    "of items with these probabilities. The fit ties items that the scores tell apart where labels "
    "fall, which looks like a better ranking than there is.",
    references=(BALANCED_AND_AUC, *ISOTONIC.references),
    resolution=unknown_resolution,
)
RECORDS = (AUC,)
