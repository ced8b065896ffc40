"""How often intervals of metrics from soft labels hold the truth, and how wide they are.

Run `python -m benchmarks.metrics_soft` to write its section of benchmarks/results/metrics.md: a
quarter of an hour on two cores. The distributions of probabilities are known, and so is the best
value of every metric.
"""

from __future__ import annotations

import argparse
import os
import warnings
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

import errorfloor as ef
from benchmarks.metrics_page import write_section
from errorfloor.metrics.choice import MetricChoice

LEVEL = 0.95
SIZES = (200, 500, 1000, 2000)
PROVEN_EVERY = 10  # data sets: the proven intervals hold for sure, and take most of the time
POINTS = 200_000  # that stand for a distribution without atoms
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Law:
    """A distribution of probabilities: by atoms, or by its quantiles."""

    says: str
    quantiles: Callable[[Floats], Floats] | None = None
    atoms: tuple[float, ...] = ()
    shares: tuple[float, ...] = ()

    def draw(self, rng: np.random.Generator, n: int) -> Floats:
        """Draw the probabilities of n items."""
        if self.quantiles is not None:
            return self.quantiles(rng.random(n))
        return rng.choice(self.atoms, size=n, p=self.shares)

    def points(self) -> tuple[Floats, Floats]:
        """Return points with weights that stand for it."""
        if self.quantiles is not None:
            return self.quantiles((np.arange(POINTS) + 0.5) / POINTS), np.ones(POINTS)
        return np.array(self.atoms), np.array(self.shares)


def _beta(a: float, b: float) -> Callable[[Floats], Floats]:
    return partial(_quantiles_of_beta, a, b)


def _quantiles_of_beta(a: float, b: float, u: Floats) -> Floats:
    return np.asarray(special.betaincinv(a, b, u))


def _two_gaussians(distance: float, u: Floats) -> Floats:
    """Return quantiles of P(1 | x) where two classes are Gaussian: half of the ranks for each."""
    x = special.ndtri(np.where(u < 0.5, 2 * u, 2 * u - 1).clip(1e-12, 1 - 1e-12))
    return np.asarray(special.expit(distance * (x + np.where(u < 0.5, -0.5, 0.5) * distance)))


LAWS: Mapping[str, Law] = {
    "skewed": Law("Beta(0.6, 1.8)", _beta(0.6, 1.8)),
    "uniform": Law("uniform", _beta(1, 1)),
    "hard": Law("two Gaussian classes 1 sd apart", partial(_two_gaussians, 1.0)),
    "easy": Law("two Gaussian classes 4 sd apart", partial(_two_gaussians, 4.0)),
    "two atoms": Law("0.2 and 0.8, half each", atoms=(0.2, 0.8), shares=(0.5, 0.5)),
    "at the mean": Law("0.3 for 80 %, 0.1 and 0.5", None, (0.1, 0.3, 0.5), (0.1, 0.8, 0.1)),
    "rare": Law("Beta(0.1, 4.9): 2 % of class 1", _beta(0.1, 4.9)),
    "rare atoms": Law("2 % at 0.75, the others at 0.005", None, (0.005, 0.75), (0.98, 0.02)),
    "flat": Law("all at 0.3", atoms=(0.3,), shares=(1.0,)),
    "almost flat": Law("0.3 but for 0.3 % at 1", None, (0.3, 1.0), (0.997, 0.003)),
    "sharp": Law("30 % at 1, the others at 0", atoms=(0.0, 1.0), shares=(0.7, 0.3)),
    "almost sharp": Law("the same, 0.3 % at 1/2", None, (0.0, 0.5, 1.0), (0.697, 0.003, 0.3)),
}  # fmt: skip


@dataclass(frozen=True)
class Question:
    """A metric with what it is given, and the intervals to measure."""

    metric: str
    intervals: tuple[str, ...]
    given: tuple[tuple[str, Any], ...] = ()
    prior_known: bool = False

    @property
    def name(self) -> str:
        """What the table calls it."""
        more = [f"{value}" for _, value in self.given]
        more += ["prior known"] if self.prior_known else []
        return f"{self.metric} ({', '.join(more)})" if more else self.metric

    def asked(self, name: str) -> dict[str, Any]:
        """Return what is asked of items of a distribution."""
        given: dict[str, Any] = {"metric": self.metric, **dict(self.given)}
        return {**given, "prior": prior(name)} if self.prior_known else given


BETTING, JACKKNIFE = "betting", "jackknife"
QUESTIONS: tuple[Question, ...] = (
    Question("cost", (BETTING, "hoeffding"), (("costs", (1, 5)),)),
    Question("brier", (BETTING, "hoeffding")),
    Question("log-loss", (BETTING, "hoeffding")),
    Question("balanced-error", (JACKKNIFE,)),
    Question("balanced-error", (JACKKNIFE, BETTING), prior_known=True),
    Question("auc", (JACKKNIFE,)),
    Question("auc", (JACKKNIFE,), prior_known=True),
    Question("average-precision", (JACKKNIFE,)),
    Question("mcc", (JACKKNIFE,)),
    Question("f1", (BETTING, JACKKNIFE)),
    Question("error-at-coverage", (BETTING, JACKKNIFE), (("at", 0.7),)),
    Question("coverage-at-error", (BETTING, JACKKNIFE), (("at", 0.1),)),
)
CASES = tuple((question, kind) for question in QUESTIONS for kind in question.intervals)


@cache
def prior(name: str) -> float:
    """Return the share of class 1."""
    p, weights = LAWS[name].points()
    return float(weights @ p / weights.sum())


@cache
def truth(name: str, question: Question) -> float:
    """Return the best value in the population."""
    given = question.asked(name)
    return MetricChoice(given.pop("metric"), **given).of(2).best(*LAWS[name].points())


def limits_of(name: str, n: int, seed: int, *, every: int = 1) -> Floats:
    """Return the limits of every case on one data set, shape (cases, 2); NaN where refused.

    Intervals that are proven are asked for on one of `every` data sets.
    """
    rng = np.random.default_rng([n, seed, list(LAWS).index(name)])
    table = ef.SoftTable.from_arrays(LAWS[name].draw(rng, n))
    found = np.full((len(CASES), 2), np.nan)
    for case, (question, kind) in enumerate(CASES):
        if kind == JACKKNIFE or seed % every == 0:
            found[case] = _limits(table, question.asked(name), kind, seed)
    return found


def _limits(
    table: ef.SoftTable, given: dict[str, Any], kind: str, seed: int
) -> tuple[float, float]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = ef.from_soft_labels(table, interval=kind, level=LEVEL, rng=seed, **given)
        except ef.InputError:  # a sample of one class only has no value
            return np.nan, np.nan
    assert found.low is not None
    assert found.high is not None
    return found.low, found.high


def shares_of(name: str, limits: Floats) -> tuple[Floats, Floats]:
    """Return for each case how often limits, shape (sets, cases, 2), hold the truth; and widths."""
    true = np.array([truth(name, question) for question, _ in CASES])
    slack = 1e-9  # of rounding
    low, high = limits[..., 0], limits[..., 1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        held = np.nanmean(
            np.where(np.isnan(low), np.nan, (low <= true + slack) & (true <= high + slack)), axis=0
        )
        return held, np.nanmean(high - low, axis=0)


def main() -> None:
    """Run all settings and write the section."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=1000)
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    options = parser.parse_args()
    jobs = [
        (name, n, tuple(seeds))
        for name, n in product(LAWS, SIZES)
        for seeds in np.array_split(np.arange(options.repetitions), 20)
    ]
    parts: dict[tuple[str, int], list[Floats]] = {setting: [] for setting in product(LAWS, SIZES)}
    with ProcessPoolExecutor(options.processes) as pool:
        for (name, n, _), part in zip(jobs, pool.map(_run, jobs), strict=True):
            parts[name, n].append(part)
    found = {(name, n): shares_of(name, np.concatenate(part)) for (name, n), part in parts.items()}
    write_section("soft labels", document(found, options.repetitions))


def _run(job: tuple[str, int, tuple[int, ...]]) -> Floats:
    name, n, seeds = job
    return np.array([limits_of(name, n, int(seed), every=PROVEN_EVERY) for seed in seeds])


def document(found: Mapping[tuple[str, int], tuple[Floats, Floats]], repetitions: int) -> str:
    """Return the results as Markdown."""
    sizes = sorted({n for _, n in found})
    names = [name for name in LAWS if (name, sizes[0]) in found]
    error = (LEVEL * (1 - LEVEL) / repetitions) ** 0.5
    return f"""Written by `python -m benchmarks.metrics_soft`: {repetitions:,} data sets of each
distribution and size, intervals of {100 * LEVEL:.0f} %. A share of the jackknife has a standard
error of {error:.3f}; the other intervals are proven, and were computed on one of {PROVEN_EVERY}
data sets. All metrics share their data sets, so that a low share by chance shows in several rows.

**How often the truth is held**, the least of the distributions at each number of items, then the
mean, and which distribution is the worst at {sizes[-1]:,}.

{_table(found, names, sizes, 0)}

**How wide**, the mean over the distributions.

{_table(found, names, sizes, 1)}

**By distribution**, at {_middle(sizes):,} items.

{_by_law(found, names, _middle(sizes))}

The distributions: {"; ".join(f"*{name}*, {LAWS[name].says}" for name in names)}.
"""


def _middle(sizes: list[int]) -> int:
    return sizes[min(1, len(sizes) - 1)]


def _table(found: Any, names: list[str], sizes: list[int], which: int) -> str:
    head = ["metric", "interval", *(f"{n:,}" for n in sizes)] + ([] if which else ["worst"])
    lines = [head, ["---", "---", *["---:"] * len(sizes)] + ([] if which else ["---"])]
    for case, (question, kind) in enumerate(CASES):
        values = np.array([[found[name, n][which][case] for n in sizes] for name in names])
        if which:
            cells = [f"{mean:.4f}" for mean in np.nanmean(values, axis=0)]
        else:
            cells = [f"{np.nanmin(column):.3f} ({np.nanmean(column):.3f})" for column in values.T]
            cells.append(names[int(np.nanargmin(values[:, -1]))])
        lines.append([question.name, f"`{kind}`", *cells])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _by_law(found: Any, names: list[str], n: int) -> str:
    lines = [["metric", "interval", *names], ["---", "---", *["---:"] * len(names)]]
    for case, (question, kind) in enumerate(CASES):
        cells = [f"{found[name, n][0][case]:.3f}" for name in names]
        lines.append([question.name, f"`{kind}`", *cells])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


if __name__ == "__main__":
    main()
