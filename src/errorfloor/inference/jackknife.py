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


@dataclass(frozen=True, slots=True)
class Jackknife:
    """Limits from the spread of the value without each unit, by Student's t.

    References
    ----------
    .. [1] B. Efron and C. Stein, Ann. Statist. 9, 1981.
    """

    value: float
    error: float  # standard error
    freedom: float  # degrees of freedom: units of equal weight less one
    method: str = "jackknife"

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower and upper limit at `level`."""
        from scipy.special import stdtrit

        half = self.error * float(stdtrit(max(self.freedom, 1.0), (1 + level) / 2))
        return self.value - half, self.value + half


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
def _jackknife(case: Case) -> Evidence:
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
    return Jackknife(case.value, float(np.sqrt(variance)), min(design.units, units) - 1)


JACKKNIFE = IntervalKind(
    name="jackknife",
    basis=Basis.ITEMS,
    make=_jackknife,
    promise="The limits come from the spread of the value without each item, or each cluster, by "
    "Student's t. They show how much the value would vary from one sample to the next, but not the "
    "bias of the method.",
    in_short="sampling noise only, of items or clusters with any weights",
    proof="asymptotic, for the method's own target",
    holds="approximate",
    references=(REFERENCE,),
)
