"""How often the paired limits of `compare` hold the true difference of two models.

Run `python -m benchmarks.models`, or `make models`, to write benchmarks/results/models.md: a few
minutes on one core.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from scipy.special import expit, gammaln, ndtr

from benchmarks import RESULTS
from errorfloor._typing import Counts
from errorfloor.data.models import ModelRows
from errorfloor.intervals.models import PairedDifference
from errorfloor.questions.compare import ModelsAsk, compared
from errorfloor.results import ModelComparison

LEVEL = 0.95
DOCUMENT = RESULTS / "models.md"
SIZES = (3, 5, 8, 10, 15, 20, 30, 50, 75, 100, 150, 200, 300)
DISCORDANT = (0.003, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.8, 1.0)
SHARES = (0.5, 0.55, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 1.0)
# Labels, what two models say, and weights or clusters.
Drawn = tuple[Counts, Any, Any, dict[str, Any]]


def enumerated(n: int) -> tuple[float, float, str]:
    """Return the least and the mean coverage of all designs for error, and where it is least."""
    first, second = np.meshgrid(np.arange(n + 1), np.arange(n + 1), indexing="ij")
    first, second = (one[first + second <= n] for one in (first, second))
    both = np.column_stack((first, second))
    low, high = np.array([_limits(n, a, b) for a, b in both]).T
    ways = gammaln(n + 1) - sum(gammaln(one + 1) for one in (first, second, n - first - second))
    found = {}
    for discordant in DISCORDANT:
        for share in SHARES:
            p = (discordant * share, discordant * (1 - share), 1 - discordant)
            cells = (first, second, n - first - second)
            logs = [k * np.log(max(one, 1e-300)) for k, one in zip(cells, p, strict=True)]
            chance = np.exp(ways + sum(logs))
            truth = p[0] - p[1]
            held = (low <= truth + 1e-9) & (truth - 1e-9 <= high)
            found[f"models differ on {discordant:.1%}, one wins {share:.0%}"] = chance[held].sum()
    worst = min(found, key=lambda name: found[name])
    return float(found[worst]), float(np.mean([*found.values()])), worst


def _limits(n: int, first: float, second: float) -> tuple[float, float]:
    """Return the limits where one model alone is right on some items, the other on others."""
    value, ones = (first - second) / n, (first + second) / n
    return PairedDifference(value, (ones - value**2) / n, n, 1 / n, max(n - 1.0, 1.0)).limits(LEVEL)


# Decisions: rates of wrong answers in class 0 and class 1.
RATES = {
    "equal models": ((0.05, 0.2), (0.05, 0.2)),
    "other errors": ((0.02, 0.3), (0.1, 0.1)),
    "far apart": ((0.01, 0.05), (0.2, 0.3)),
}
DATA = ((40, 0.5), (100, 0.1), (300, 0.05), (300, 0.3), (1000, 0.02))
BY_CLASSES = ("error", "balanced-error", "f1", "mcc")
# Scores: how far classes are apart, and the correlation of the models.
APART = {"equal models": (1.5, 1.5, 0.8), "far apart": (2.5, 1.5, 0.5)}
BY_SCORES = ("auc", "brier", "log-loss")


def _decisions(n: int, share: float, rates: str, spread: float, rng: np.random.Generator) -> Drawn:
    labels = (rng.random(n) < share).astype(np.int64)
    common, answers = rng.random(n), []
    for rate in RATES[rates]:
        own = np.where(rng.random(n) < 0.6, common, rng.random(n))
        answers.append(np.where(own < np.array(rate)[labels], 1 - labels, labels))
    more = {"weight": rng.lognormal(0, spread, n)} if spread else {}
    return labels, answers[0], answers[1], more


def _of_rates(metric: str, share: float, rate: tuple[float, float]) -> float:
    """Return a model's true value, the larger the better."""
    fp, fn = (1 - share) * rate[0], share * rate[1]
    tp, tn = share - fn, 1 - share - fp
    spread = np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
    values = {
        "error": 1 - fp - fn,
        "balanced-error": 1 - sum(rate) / 2,
        "f1": 2 * tp / (2 * tp + fp + fn),
        "mcc": (tp * tn - fp * fn) / spread,
    }
    return float(values[metric])


def _scores(n: int, share: float, apart: str, rng: np.random.Generator) -> Drawn:
    """Return labels and calibrated probabilities of two models."""
    first, second, correlation = APART[apart]
    labels = (rng.random(n) < share).astype(np.int64)
    z = rng.multivariate_normal([0, 0], [[1, correlation], [correlation, 1]], n)
    usual = np.log(share / (1 - share))
    one, other = (
        expit(size * (z[:, i] + size * labels) - size**2 / 2 + usual)
        for i, size in enumerate((first, second))
    )
    return labels, one, other, {}


def _of_scores(metric: str, share: float, apart: str) -> float:
    first, second, _ = APART[apart]
    if first == second:
        return 0.0
    if metric == "auc":
        return float(ndtr(first / 2**0.5) - ndtr(second / 2**0.5))
    labels, one, other, _ = _scores(2_000_000, share, apart, np.random.default_rng(1))
    if metric == "brier":
        losses = [(p - labels) ** 2 for p in (one, other)]
    else:
        losses = [-np.log(np.where(labels == 1, p, 1 - p)) for p in (one, other)]
    return float((losses[1] - losses[0]).mean())


def _clustered(clusters: int, alike: float, rng: np.random.Generator) -> Drawn:
    """Return items of clusters in which models win together, a tenth each."""
    size = 8
    a = (1 - alike) / alike
    p = rng.dirichlet([0.1 * a, 0.1 * a, 0.8 * a], clusters)
    cluster = np.repeat(np.arange(clusters), size)
    u = rng.random(cluster.size)
    won = np.where(u < p[cluster, 0], 1, np.where(u < p[cluster, :2].sum(axis=1), 2, 0))
    labels = rng.integers(0, 2, cluster.size)
    one, other = (np.where(won == who, 1 - labels, labels) for who in (2, 1))
    return labels, one, other, {"cluster": cluster}


def held(
    draw: Callable[[np.random.Generator], Drawn], metric: str, truth: float, repetitions: int
) -> tuple[float, float]:
    """Return how often limits hold the truth, and how often a difference is shown."""
    rng, times, shown, number = np.random.default_rng(20261118), 0, 0, 0
    for _ in range(repetitions):
        labels, one, other, more = draw(rng)
        if labels.min() == labels.max():
            continue
        rows = ModelRows(labels, {"first": one, "second": other}, **more)
        found = compared(rows, ModelsAsk(metric=metric, level=LEVEL))
        assert isinstance(found, ModelComparison)
        gap = found.differences[0]
        times += gap.low <= truth <= gap.high
        shown += found.better is not None
        number += 1
    return times / number, shown / number


def designs() -> Iterator[tuple[str, str, float, Callable[[np.random.Generator], Drawn]]]:
    """Yield what each design is, the metric, the true difference, and what draws the items."""
    for (n, share), name, metric in product(DATA, RATES, BY_CLASSES):
        one, other = (_of_rates(metric, share, rate) for rate in RATES[name])
        design = f"{n:,} items, {share:.0%} of class 1, {name}"
        yield design, metric, one - other, partial(_decisions, n, share, name, 0.0)
    for (n, share), name, metric in product(((60, 0.5), (300, 0.1), (600, 0.5)), APART, BY_SCORES):
        design = f"{n:,} scores, {share:.0%} of class 1, {name}"
        yield design, metric, _of_scores(metric, share, name), partial(_scores, n, share, name)
    for clusters, alike in ((15, 0.1), (40, 0.3), (40, 0.9), (100, 0.3)):
        design = f"{clusters} clusters of 8, alike {alike:g}, equal models"
        yield design, "error", 0.0, partial(_clustered, clusters, alike)
    for n in (60, 300):
        design = f"{n} items with lognormal weights, equal models"
        yield design, "error", 0.0, partial(_decisions, n, 0.3, "equal models", 0.8)


def document(repetitions: int) -> str:
    """Return the page."""
    exact = [(n, *enumerated(n)) for n in SIZES]
    lines = [f"| {n} | {least:.3f} | {mean:.3f} | {where} |" for n, least, mean, where in exact]
    rows = []
    for design, metric, truth, draw in designs():
        share, shown = held(draw, metric, truth, repetitions)
        rows.append(f"| {design} | {metric} | {share:.3f} | {shown:.3f} |")
    noise = (LEVEL * (1 - LEVEL) / repetitions) ** 0.5
    return f"""# Two models on the same items: the study

How often the {100 * LEVEL:g} % limits of [compare](../../docs/models.md) hold
the true difference of two models. Written by `make models`.

## Error, enumerated

The chances of all results are added up, so that there is no noise, for {len(DISCORDANT)} shares of
items on which the models differ times {len(SHARES)} shares of these that one of them wins.

| items | least coverage | mean | where |
| --- | --- | --- | --- |
{chr(10).join(lines)}

## All metrics, simulated

{repetitions} samples each; the standard error of a coverage of {LEVEL} is {noise:.3f}. Of equal
models `shown` is how often one of them is said to be better, which is wrong; 0.05 is allowed.

| design | metric | coverage | shown |
| --- | --- | --- | --- |
{chr(10).join(rows)}
"""


def main() -> None:
    """Run all of it and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=400)
    DOCUMENT.write_text(document(parser.parse_args().repetitions), encoding="utf-8")


if __name__ == "__main__":
    main()
