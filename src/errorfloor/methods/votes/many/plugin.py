"""The plug-in for many classes: what the class with the most votes leaves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from errorfloor.data.sample import Sample
from errorfloor.methods.record import Classes, Options, heeds_weights
from errorfloor.methods.soft import MeanFloor
from errorfloor.methods.votes.many.mixture import check_options
from errorfloor.methods.votes.plugin import PLUGIN
from errorfloor.metrics import ERROR


@heeds_weights(ERROR.name)
def plugin(cells: Sample, options: Options) -> MeanFloor:
    """Return the mean share of votes for other classes than the one with the most."""
    check_options(options)
    totals = cells.totals
    if options.target.majority <= 2:
        return MeanFloor((totals - cells.votes.max(axis=1)) / totals, cells)
    from errorfloor.methods.votes.many.fit import floors  # SciPy's parts load slowly

    shares = np.sort(cells.votes, axis=1)[:, ::-1] / totals[:, None]
    return MeanFloor(floors(shares, options.target.majority), cells)


MANY_PLUGIN = replace(
    PLUGIN,
    classes=Classes.MANY,
    bind=plugin,
    explains="The shares of an item's votes stand in for its probabilities. The floor is the mean "
    f"of {ERROR.many_formula} over all items: the share of votes that the leading class leaves.",
)
