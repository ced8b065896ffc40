"""The AUC of calibrated scores: the paper's route, beside that of the scores themselves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from errorfloor._references import BALANCED_AND_AUC
from errorfloor._typing import Counts, Floats
from errorfloor.data.sample import Sample
from errorfloor.methods.isotonic import ISOTONIC
from errorfloor.methods.ranks import AUC as RANKING
from errorfloor.methods.ranks import Ranking, by_row
from errorfloor.methods.record import Options, unknown_resolution
from errorfloor.methods.scoring import isotonic_map
from errorfloor.metrics import Metric
from errorfloor.metrics.two_by_two import check_classes


class CalibratedAuc(Ranking):
    """The best AUC of items with the probabilities of the isotonic fit to them."""

    def __init__(self, metric: Metric, cells: Sample) -> None:
        super().__init__(cells)
        self.metric = metric

    def values(self, counts: Counts, rng: np.random.Generator, /) -> Floats:
        """Return the AUC for each row of counts; 1/2 where a resample has one class alone."""
        return np.array([self._of_fit(count) for count in counts])

    def _of_fit(self, count: Counts) -> float:
        zeros, ones = (part[0] for part in by_row(self.cells, count[None]))
        if not (zeros.any() and ones.any()):
            return 0.5
        some = zeros + ones > 0
        return self.metric.best(isotonic_map(zeros, ones)[some], (zeros + ones)[some])


def _bind(cells: Sample, options: Options) -> CalibratedAuc:
    check_classes(options.metric.words, cells.count, cells.positive, both=True)
    return CalibratedAuc(options.metric, cells)


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
