"""The follow-up paper's synthetic figure: errors of estimates from clean and distorted soft labels.

Two Gaussians in the plane with unit covariance, one item in five of class 1, 10,000 items.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from errorfloor._typing import Floats
from errorfloor.data.tables import ScoreTable
from errorfloor.datasets.synthetic import Synthetic, corrupt, gaussian_mixture
from errorfloor.methods.isotonic import ISOTONIC
from errorfloor.methods.record import Options
from errorfloor.metrics.ranking import AUC
from errorfloor.metrics.two_by_two import BALANCED
from errorfloor.questions.feebee import OfOrder, by_order
from errorfloor.show.palette import BLUE, GREEN, GREY, ORANGE, RED
from papers._check import Check
from papers._forms import FORMS, FUNCTIONS, STUDIED, WORDS
from papers._settings import ITEMS, SEED
from papers._style import PAGE, letter

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "Errors of estimates from clean, under-confident and over-confident soft labels"
PRIOR = 0.2
MEANS = ((0.0, 0.0), (2.0, 2.0))
REPETITIONS = 200
KINDS: dict[str, tuple[float, float]] = {
    "clean": (1.0, 0.5),
    "under-confident": (2.0, 0.5),
    "over-confident": (0.4, 0.5),
}
THETAS = {"known share": PRIOR, "share of labels": None}
ESTIMATORS = (*(f"{form} form, {theta}" for theta in THETAS for form in FORMS), "isotonic")
RANKING = "scores' own AUC"
LOOKS = dict(
    zip(
        (*ESTIMATORS, RANKING),
        ((BLUE, "o"), (ORANGE, "o"), (BLUE, "s"), (ORANGE, "s"), (GREEN, "o"), (RED, "o")),
        strict=True,
    )
)
TICKS = (-0.1, -0.01, 0.0, 0.01, 0.1)


def truth() -> dict[str, float]:
    """Return the best balanced error and AUC of two Gaussians: their distance says it all."""
    distance = float(np.linalg.norm(np.subtract(*MEANS)))
    return {name: one.of_gaussians(distance) for name, one in STUDIED.items()}


def compute(n: int = ITEMS) -> dict[str, Any]:
    """Return the mean and the standard deviation of each estimator's error over repetitions."""
    right = truth()
    rngs = np.random.default_rng(SEED).spawn(REPETITIONS)
    found = [_estimates(gaussian_mixture(n, weights=(1 - PRIOR, PRIOR), means=MEANS, rng=rng))
             for rng in rngs]  # fmt: skip
    errors = {
        metric: {
            kind: {name: [one[metric][kind][name] - right[metric] for one in found] for name in row}
            for kind, row in found[0][metric].items()
        }
        for metric in FUNCTIONS
    }
    return {
        "n": n,
        "repetitions": REPETITIONS,
        "truth": right,
        "errors": {
            metric: {kind: {name: _summary(runs) for name, runs in row.items()}
                     for kind, row in kinds.items()}
            for metric, kinds in errors.items()
        },
    }  # fmt: skip


def _summary(runs: list[float]) -> dict[str, float]:
    return {"mean": float(np.mean(runs)), "deviation": float(np.std(runs, ddof=1))}


def _estimates(data: Synthetic) -> dict[str, dict[str, dict[str, float]]]:
    """Return every estimate from one sample."""
    theta = float(data.labels.mean())
    soft = np.sort(data.soft_labels)
    share = np.full((1, soft.size), 1 / soft.size)
    fit, items, ranked = _isotonic(data)
    found: dict[str, dict[str, dict[str, float]]] = {}
    for metric, forms in FUNCTIONS.items():
        found[metric] = {}
        calibrated = float(forms(fit, items[None] / items.sum(), np.array([theta]))[0, 0])
        for kind, (a, b) in KINDS.items():
            p = np.maximum.accumulate(corrupt(soft, a, b))
            values = [
                float(value)
                for known in THETAS.values()
                for value in forms(p, share, np.array([theta if known is None else known]))[:, 0]
            ]
            row = dict(zip(ESTIMATORS, [*values, calibrated], strict=True))
            found[metric][kind] = row | (
                {RANKING: ranked} if by_order(STUDIED[metric].metric) else {}
            )
    return found


def _isotonic(data: Synthetic) -> tuple[Floats, Floats, float]:
    """Return calibrated probabilities with their numbers of items, and the AUC of the scores.

    The distortions keep the order of the items, so both are the same for all of them.
    """
    table = ScoreTable.from_arrays(data.soft_labels, data.labels)
    assert ISOTONIC.fit is not None
    fit = ISOTONIC.fit(table, Options()).probabilities
    counts = table.cells(complete=True).count[None]
    ranked = float(OfOrder().values(counts, np.random.default_rng(0))[0])
    return np.asarray(fit), table.items.astype(np.float64), ranked


def draw(numbers: dict[str, Any]) -> Figure:
    """Draw the errors, a panel a metric, and the kinds of soft labels below one another."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(PAGE, 4.6))
    axes = figure.subplots(1, 2, sharey=True)
    for index, (ax, metric) in enumerate(zip(axes, FUNCTIONS, strict=True)):
        for place, row in enumerate(numbers["errors"][metric].values()):
            for step, (name, error) in enumerate(row.items()):
                colour, marker = LOOKS[name]
                ax.errorbar(
                    error["mean"],
                    7 * place + step,
                    xerr=error["deviation"],
                    fmt=marker,
                    markersize=4.5,
                    linewidth=1,
                    color=colour,
                    label=name if place == 0 else None,
                )
        ax.axvline(0, color=GREY, linewidth=1)
        ax.set_xscale("symlog", linthresh=0.003)
        ax.set_xlim(-0.3, 0.3)
        ax.set_xticks(TICKS, [f"{tick:g}" for tick in TICKS])
        ax.minorticks_off()
        ax.set_xlabel("estimate less truth, mean and s.d.")
        letter(ax, index, WORDS[metric])
    axes[0].set_yticks([7 * place + 2 for place in range(len(KINDS))], list(KINDS))
    axes[0].invert_yaxis()
    handles, labels = axes[1].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3)
    return figure


def checks(numbers: dict[str, Any]) -> list[Check]:
    """Return nothing: the numbers of this figure are not known to us."""
    return []


def remarks(numbers: dict[str, Any]) -> str:
    """Return all errors as a table, and what they say."""
    lines = ["| soft labels | estimator | balanced error | AUC |", "| --- | --- | ---: | ---: |"]
    for kind in KINDS:
        for name in (*ESTIMATORS, RANKING):
            cells = [_cell(numbers["errors"][metric][kind].get(name)) for metric in FUNCTIONS]
            lines.append(f"| {kind} | {name} | {cells[0]} | {cells[1]} |")
    right = numbers["truth"]
    return _REMARKS.format(
        ber=right[BALANCED.name], auc=right[AUC.name], n=numbers["n"], table="\n".join(lines),
        repetitions=numbers["repetitions"],
    )  # fmt: skip


def _cell(error: dict[str, float] | None) -> str:
    return "" if error is None else f"{error['mean']:+.5f} ± {error['deviation']:.5f}"


_REMARKS = """\
Two Gaussians in the plane, unit covariance, {n:,} items, one in five of class 1, {repetitions}
repetitions. Entries are the mean error and the standard deviation over repetitions. The best
balanced error is {ber:.5f} and the best AUC {auc:.5f}, from the distance of the means.

What is known to us of the printed figure is its design: the dimension, the share of class 1, the
number of items, and clean, under- and over-confident soft labels. The means, (0, 0) and (2, 2),
are those of the first paper, and the distortions its f(p; 2, 0.5) and f(p; 0.4, 0.5); the
printed errors are not known to us, so there is nothing to compare.

{table}

- Clean soft labels: every form is unbiased, and the min form varies less than the max form, as
  the discriminant says.
- Distorted soft labels: both forms are biased, and the min form by tens of its standard
  deviations.
- Isotonic regression undoes the distortion, as that keeps the order. A bias of half a standard
  deviation remains: it takes the labels for a little easier than they are.
- The AUC of the scores needs no calibration, because the order is all that AUC looks at. It has
  isotonic's variance without the bias."""
