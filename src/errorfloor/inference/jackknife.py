"""The jackknife: what the value would be without each item, or each cluster, in turn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from errorfloor._references import JACKKNIFE as REFERENCE
from errorfloor._typing import Counts, Floats
from errorfloor.inference.record import Case, Evidence, IntervalKind, Undefined
from errorfloor.methods.design import Design
from errorfloor.methods.record import Basis, Statistic, heeds_weights

GROUPS = 400  # of units, where to leave out each would take long
# Of few units with unequal weights the variance comes out too small: by as much as so many units
# would add. Tuned on three metrics, six designs and two truths; see docs/weights.md.
MISSED = 6.0


@dataclass(frozen=True, slots=True)
class Jackknife:
    """Limits from the spread of the value without each unit, by Student's t.

    Tails are those of a studentised mean: where units that raise the value lie farther from it, the
    upper limit is farther off, by the first term of its expansion. Few units of unequal weight, and
    few that differ much from the rest, tell less of the spread and have fewer degrees of freedom.
    The limit on the side of an estimated bias is that much farther off.

    References
    ----------
    .. [1] B. Efron and C. Stein, Ann. Statist. 9, 1981.
    .. [2] P. Hall, "The Bootstrap and Edgeworth Expansion", 1992, section 2.6.
    """

    value: float
    error: float  # standard error
    freedom: float
    skewness: float = 0.0  # of what units add to the value, over the root of their number
    bias: float = 0.0  # how far the value may be too high
    method: str = "jackknife"

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""
        from scipy.special import ndtri, stdtrit

        tail = (1 + level) / 2
        half = float(stdtrit(max(self.freedom, 1.0), tail))
        shift = self.skewness * (2 * float(ndtri(tail)) ** 2 + 1) / 6
        shift = min(max(shift, -half / 2), half / 2)
        low = self.value - max(self.bias, 0.0) - self.error * (half - shift)
        high = self.value - min(self.bias, 0.0) + self.error * (half + shift)
        return low, high


def without_each(
    statistic: Statistic, design: Design, rng: np.random.Generator
) -> tuple[Floats, Counts]:
    """Return the value without each unit, and how many units have that value.

    Where units are many and the value takes long, units are left out in random groups of equal
    size; their spread tells the same.
    """
    number = design.clusters if design.cluster is not None else int(design.count.sum())
    if number > GROUPS and getattr(statistic, "is_slow", False):
        parts = design.parts(GROUPS, rng)
        values = [statistic.values((design.count - part)[None], rng) for part in parts]
        return np.concatenate(values), np.ones(GROUPS, dtype=np.int64)
    if design.cluster is None:
        return statistic.leave_one_out(), design.count
    values = [statistic.values(counts, rng) for counts in design.without_each()]
    return np.concatenate(values), np.ones(number, dtype=np.int64)


@heeds_weights()
def of_case(case: Case) -> Evidence:
    """Return the evidence of items, or of clusters, with any weights."""
    cells = case.cells
    weight = np.ones(case.count.size) if cells.weight is None else cells.weight
    design = Design(case.count, weight, cells.cluster)
    values, times = without_each(case.statistic, design, case.streams.for_("blocks"))
    units = int(times.sum())
    if units < 2:
        raise Undefined("one item or cluster does not vary")
    mean = float(times @ values) / units
    variance = (units - 1) / units * float(times @ (values - mean) ** 2)
    if variance == 0:
        raise Undefined("the value is the same without any item or cluster")
    shape = _shape(values, times, design)
    if cells.weight is None:
        return Jackknife(case.value, float(np.sqrt(variance)), *shape)
    error = float(np.sqrt(variance * (1 + MISSED / design.units)))
    return Jackknife(case.value, error, *shape, bias=(units - 1) * (mean - case.value))


def _shape(values: Floats, times: Counts, design: Design) -> tuple[float, float]:
    """Return degrees of freedom and the skewness of the mean, from values without each unit."""
    number = float(times.sum())
    away = float(times @ values) / number - values  # high where the unit raises the value
    second, third, fourth = (float(times @ away**power) / number for power in (2, 3, 4))
    tails = max(fourth / second**2 - 1, 1e-9)
    freedom = min(design.freedom, number - 1, 2 * number / tails)
    return freedom, third / second**1.5 / float(np.sqrt(min(number, design.units)))


JACKKNIFE = IntervalKind(
    name="jackknife",
    basis=Basis.ITEMS,
    make=of_case,
    promise="The limits come from the spread of the value without each item, or each cluster, by "
    "Student's t. They show how much the value would vary from one sample to the next, but not the "
    "bias of the method.",
    in_short="sampling noise only, of items or clusters with any weights",
    proof="asymptotic, for the method's own target",
    holds="approximate",
    references=(REFERENCE,),
)
