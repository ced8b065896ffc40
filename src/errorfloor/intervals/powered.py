"""Limits from labels on some items and scores on all."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from errorfloor._references import POWERED as REFERENCE
from errorfloor.intervals.binomial import lower_limit, upper_limit
from errorfloor.intervals.honest import worth_of_correlated
from errorfloor.intervals.record import Case, Evidence, IntervalKind
from errorfloor.methods.powered import Powered, PoweredCut, flat_variance
from errorfloor.methods.record import Basis, heeds_weights
from errorfloor.methods.rules.powered import PoweredOffsets

# How far from the fewest errors towards the held-out ones the lower limit starts. The fewest alone
# never missed; see docs/judges.md.
WITHIN = 0.25


@dataclass(frozen=True, slots=True)
class PoweredErrors:
    """Limits of corrected shares of errors, as those of as many labels as have their variance.

    Without help from predictions they are the limits of the labels alone.
    """

    found: Powered
    correlated: float = 0.0
    method: str = "powered"

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""
        tail = (1 - level) / 2
        least, held_out, n = self.found.least, self.found.held_out, self.found.worth
        share = least + WITHIN * (held_out - least)
        low = lower_limit(n * share, n, tail)
        n *= worth_of_correlated(self.correlated, tail)
        return float(low), float(upper_limit(n * held_out, n, tail))


@heeds_weights()
def _powered(case: Case) -> Evidence:
    statistic = case.statistic
    if isinstance(statistic, PoweredOffsets):
        return PoweredErrors(statistic.found, statistic.correlated)
    assert isinstance(statistic, PoweredCut)
    return of_cut(statistic)


def of_cut(statistic: PoweredCut) -> PoweredErrors:
    """Return the limits of the best cut from labels on some items of two classes."""
    return PoweredErrors(statistic.found, _correlated(statistic, statistic.found))


def _correlated(statistic: PoweredCut, found: Powered) -> float:
    """Return the share of the variance that is of items for which no cut is clearly best."""
    variance = found.n * found.variance
    flat = flat_variance(statistic.cells)
    return min(flat / variance, 1.0) if variance > 0 else 0.0


_kind = partial(IntervalKind, basis=Basis.POWERED, references=(REFERENCE,), tests_rules=True)

POWERED = _kind(
    name="powered",
    make=_powered,
    promise="The limits are those of as many labels as would tell as much as labels and scores "
    "together. The upper one comes from ten-fold cross-fitting, and allows for items where no rule "
    "is clearly best. Their coverage is measured by simulation, not proven.",
    in_short="labels on some items: as many labels as labels and all scores are worth",
    proof="[measured](judges.md)",
    holds="measured",
    stands_in=1,
)
