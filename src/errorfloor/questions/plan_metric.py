"""How wide intervals of other metrics than error will be, from a pilot of scores or votes."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from errorfloor._checks import ErrorFloorWarning, InputError, argument
from errorfloor._typing import Counts, Floats
from errorfloor.data.source import Reading, Source
from errorfloor.data.tables import Table, VoteTable
from errorfloor.methods.votes.mixture import TwoClassMixture
from errorfloor.metrics.choice import MetricChoice
from errorfloor.questions.question import Ask, answer
from errorfloor.results import Estimate

# Items beyond which no width is computed: searches for extreme rankings are not made for more.
MOST_LINEAR, MOST_ITEMS = 10**8, 10**6
Width = Callable[[int, int], float]  # of the interval, by votes and items


@dataclass(frozen=True, slots=True)
class Measured:
    """What a pilot tells about another metric: the floor or ceiling, and widths to come."""

    asked: MetricChoice
    level: float

    def of_scores(self, table: Table) -> tuple[Estimate, Width]:
        """Take the pilot's own interval, which narrows with the root of the number of items."""
        found = self._estimate(table)
        span = _width(found)
        return found, lambda _, n: span * float(np.sqrt(table.n / n))

    def of_votes(self, table: Table) -> tuple[Estimate, Width]:
        """Take the interval of the votes to be expected at the distribution behind the pilot."""
        assert isinstance(table, VoteTable)
        found = self._estimate(table)
        _width(found)  # or say that there is none
        if len(table.classes) > 2:
            raise InputError(
                argument("metric", self.asked.metric),
                " is planned for votes of two classes. Plan for error, or count one class against "
                "the rest.",
            )
        fit = TwoClassMixture(table.cells()).fitted

        most = MOST_LINEAR if found.measure.is_mean else MOST_ITEMS

        def width(m: int, n: int) -> float:
            votes, counts = _expected(fit.points, fit.weights, m, min(n, most))
            rows = np.column_stack((m - votes, votes))
            return _width(self._estimate(VoteTable(rows, counts)))

        return found, width

    def _estimate(self, table: Table) -> Estimate:
        reading = Reading({None: table}, Source(origin="table", layout=""))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ErrorFloorWarning)  # a plan is no finding
            found: Any = answer(reading, Ask.about(self.asked, level=self.level))
        assert isinstance(found, Estimate)
        return found


def _width(found: Estimate) -> float:
    if found.low is None or found.high is None:
        raise InputError(
            argument("metric", found.metric),
            " has no interval from such labels, so there is no width to plan. Plan for another "
            "metric.",
        )
    return found.high - found.low


def _expected(points: Floats, weights: Floats, m: int, n: int) -> tuple[Counts, Counts]:
    """Return numbers of positive votes, and of the items to be expected with each: whole ones."""
    from scipy.special import bdtr

    k = np.arange(m + 1)
    at_most = np.vstack([np.zeros(points.size), bdtr(k[:, None], m, points)])
    behind = np.cumsum(np.diff(at_most, axis=0) @ weights)
    ends = np.round(n * behind).astype(np.int64)
    counts = np.diff(ends, prepend=0)
    seen = counts > 0
    return k[seen], counts[seen]
