"""Limits from labels on some items and scores on all."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from errorfloor._references import POWERED as REFERENCE
from errorfloor.intervals.binomial import lower_limit, upper_limit
from errorfloor.intervals.honest import worth_of_correlated
from errorfloor.intervals.record import Case, Evidence, IntervalKind
from errorfloor.methods.prediction_powered import CorrectedErrors, PredictionPowered
from errorfloor.methods.record import Basis, heeds_weights

# How far from the fewest errors towards the held-out ones the lower limit starts. The fewest alone
# never missed; see docs/judges.md.
WITHIN = 0.25


@dataclass(frozen=True, slots=True)
class PoweredErrors:
    """Limits of corrected shares of errors, as those of as many labels as have their variance.

    Without help from predictions they are the limits of the labels alone.
    """

    found: CorrectedErrors
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


def of_fit(fit: PredictionPowered) -> PoweredErrors:
    """Return the limits of a rule's errors, from labels on some items."""
    return PoweredErrors(fit.found, fit.correlated)


@heeds_weights()
def _powered(case: Case) -> Evidence:
    assert isinstance(case.statistic, PredictionPowered)
    return of_fit(case.statistic)


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
