"""Models that may leave items aside, from scores of many classes: by how sure fitted maps are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from errorfloor._references import REJECTION
from errorfloor._typing import Counts
from errorfloor.data.sample import Sample
from errorfloor.methods.record import Basis, Method, Options
from errorfloor.methods.rules.logs import Labelled, blocks
from errorfloor.methods.rules.offsets import OFFSETS, Offsets
from errorfloor.methods.selective_scores import Decided, Midpoint
from errorfloor.metrics import METRICS


class SurestOfOffsets(Midpoint):
    """Midpoint of a point of the risk-coverage curve on the items of a fit and on others."""

    cells: Sample

    def __init__(self, cells: Sample, options: Options) -> None:
        self.rules = Offsets(Labelled.of(cells, options.clip))
        self.fitted = self.rules.fit(cells.count)
        self.whole = cells.count
        super().__init__(options.metric, cells, self.rules.classes)

    def decided(self, count: Counts, *, others: bool) -> Decided:
        """Return what the fit to these items says of all cells."""
        items, fitted = self.rules.items, self.fitted
        if not np.array_equal(count, self.whole) and count.any():
            fitted = self.rules.fit(count, self.fitted)
        sure, chosen = np.empty(items.logs.shape[1]), np.empty(items.logs.shape[1], dtype=np.intp)
        for block in blocks(sure.size, len(items.logs)):
            p = fitted.probabilities(items.logs[:, block])
            sure[block], chosen[block] = p.max(axis=0), p.argmax(axis=0)
        return Decided(1 - sure[items.row], np.asarray(chosen[items.row] != items.label))


RECORDS: tuple[Method, ...] = (
    replace(
        OFFSETS,
        bind=SurestOfOffsets,
        metrics=tuple(one.name for one in METRICS if one.is_selective),
        bases=frozenset({Basis.SELECTED}),
        assumes="One power and a weight per class turn the scores into true probabilities",
        if_wrong="the value of the best such map: too pessimistic",
        explains="One common power of the scores and one weight per class are fitted to the labels "
        "by maximum likelihood. The items whose likeliest class is likeliest are kept first. The "
        "value is the midpoint of what that gives on the items of the fit, which looks too good, "
        "and on items that were held out, which looks too bad.",
        references=(*OFFSETS.references, REJECTION),
    ),
)
