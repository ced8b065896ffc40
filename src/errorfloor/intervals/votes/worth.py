"""How many equal items tell as much as items that weigh differently or belong together, of votes.

The weighted shares of distinct votes are as noisy as those of fewer equal items. How many these are
depends on what is averaged, so the least number is taken over what floors depend on: the votes'
mean, their disagreement, the share of the minority and that of items without one.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from errorfloor._typing import Counts, Floats
from errorfloor.data.sample import PSEUDO, Sample
from errorfloor.methods.record import Options


def equal_items(sample: Sample, options: Options) -> float:
    """Return the number of equal items: that of all, where they are."""
    return sample.equal_number(lambda: min(_numbers(sample, options)))


def _numbers(sample: Sample, options: Options) -> Iterator[float]:
    votes = sample.distinct
    functions = _functions(votes.seen)
    if not options.metric.is_error and options.aim is not None:
        functions += (options.aim.floors(votes.positives / votes.totals),)
    yield from _worth(sample, functions)
    # Where few units have any votes against the rest, their own spread is no guide.
    apart = votes.seen.max(axis=1) < votes.totals
    yield sample.worth(sample.count * apart[sample.place] * 1.0)[1]


def _functions(votes: Counts) -> tuple[Floats, ...]:
    """Return what floors depend on, for each row of votes."""
    totals = votes.sum(axis=1)
    most = votes.max(axis=1)
    pairs = (votes * (votes - 1.0)).sum(axis=1) / np.maximum(totals * (totals - 1.0), 1.0)
    shares = votes.T / totals
    return (1 - most / totals, np.where(totals > 1, pairs, 0.5), (most == totals) * 1.0, *shares)


def _worth(sample: Sample, functions: tuple[Floats, ...]) -> Iterator[float]:
    """Yield how many equal items have a mean of each row's values that varies as much."""
    mass, total = sample.masses, sample.total
    unit = sample.items.unit
    for values in functions:
        own = values[sample.place]
        mean = float(mass @ own) / total
        away = own - mean
        spread = float(mass @ away**2) / total
        each = unit  # what an item weighs if the values have nothing to do with weights
        if spread > 0:
            # A few units as usual steady the ratio where only few items differ from the rest.
            usual = PSEUDO * unit
            squares = sample.squares(away) + usual * unit * spread
            each = max(each, squares / (spread * (total + usual)))
        yield total / each
