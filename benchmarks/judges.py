"""How often intervals from labels on some items hold the true floor, and how narrow they are.

Run `python -m benchmarks.judges` to write benchmarks/results/judges.md: twenty minutes on one core.
Scores of 100,000 items are known, and labels of 200 to 2,000: drawn alike, or unsure items more
often, with weights. The true probabilities are known functions of the scores, so the floor is
known.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

import errorfloor as ef
from benchmarks import RESULTS
from errorfloor.data.arrays import partly_labelled
from errorfloor.data.entries import Entries
from errorfloor.data.options import ReadOptions
from errorfloor.data.tables import ScoreTable
from errorfloor.intervals.honest import WITHIN, PoweredErrors, worth_of_correlated
from errorfloor.methods import prediction_powered
from errorfloor.questions import sampling
from errorfloor.results import Estimate

LEVEL = 0.95
ITEMS = 100_000
LABELS = (200, 500, 2000)
ROWS = 2000  # distinct scores
ROUNDING = 1e-9
PLANS = 20  # of each kind
PARTS = "### What makes them wider"
STRATA = "## Hard items labelled half as often"
SKIPPED = "half where hard"  # labels, without weights
DOCUMENT = RESULTS / "judges.md"

Floats: TypeAlias = NDArray[np.float64]
PLACES = (np.arange(ROWS) + 0.5) / ROWS


@dataclass(frozen=True, slots=True)
class Setting:
    """True probabilities of class 1 at each score, ascending or not, and shares of items."""

    name: str
    prob: Floats
    share: Floats

    @property
    def floor(self) -> float:
        """Share of errors of the best cut."""
        errors = np.concatenate(([0.0], np.cumsum(self.share * (2 * self.prob - 1))))
        return min(float(self.share @ (1 - self.prob) + errors.min()), 0.5)

    def chances(self, design: str) -> Floats:
        """Return the probability of each row's items to be labelled, with mean 1."""
        spread = np.sqrt(self.prob * (1 - self.prob))
        if design == "random":
            return np.ones(ROWS)
        if design == SKIPPED:
            seldom = np.where(np.minimum(self.prob, 1 - self.prob) > self.floor, 0.5, 1.0)
            return np.asarray(seldom / float(self.share @ seldom))
        size = np.maximum(spread, 0.1 * float(self.share @ spread))
        return np.asarray(size / float(self.share @ size))

    def predicted(self, design: str) -> float:
        """Return the ratio of widths that theory has, for very many labels."""
        floor = self.floor
        spread = float(self.share @ (self.prob * (1 - self.prob) / self.chances(design)))
        return float(np.sqrt(spread / (floor * (1 - floor))))


def gaussians(apart: float, prior: float = 0.5) -> tuple[Floats, Floats]:
    """Return probabilities of two normal classes, and shares of items."""
    at = np.linspace(-apart / 2 - 5, apart / 2 + 5, ROWS)
    one, other = (np.exp(-0.5 * (at - mean) ** 2) for mean in (apart / 2, -apart / 2))
    both = prior * one + (1 - prior) * other
    return prior * one / both, both / both.sum()


def even(prob: Floats) -> tuple[Floats, Floats]:
    """Return probabilities with equal shares of items."""
    return prob, np.full(ROWS, 1 / ROWS)


def steps(*edges: tuple[float, float]) -> Floats:
    """Return probabilities that are flat up to each edge."""
    prob = np.zeros(ROWS)
    for edge, value in reversed(edges):
        prob[edge > PLACES] = value
    return prob


ARCSINE = np.sin(np.pi / 2 * PLACES) ** 2  # a beta (1/2, 1/2)
USUAL = (
    Setting("two normal classes, 1 sd apart", *gaussians(1)),
    Setting("two normal classes, 2 sd apart", *gaussians(2)),
    Setting("two normal classes, 4 sd apart", *gaussians(4)),
    Setting("5 % positives, 2 sd apart", *gaussians(2, 0.05)),
    Setting("beta (1/2, 1/2)", *even(ARCSINE)),
    Setting("three levels", *even(steps((0.3, 0.05), (0.6, 0.45), (1.01, 0.9)))),
)
ATTACKS = (
    Setting("half certain, half coin flips", *even(steps((0.25, 0), (0.75, 0.5), (1.01, 1)))),
    Setting("coin flips", *even(np.full(ROWS, 0.5))),
    Setting("useless scores, 30 % positives", *even(np.full(ROWS, 0.3))),
    Setting("two levels", *even(steps((0.5, 0.2), (1.01, 0.8)))),
    Setting("scores in reverse", *even(ARCSINE[::-1].copy())),
)


def table_of(setting: Setting, n: int, design: str, rng: np.random.Generator) -> ScoreTable:
    """Return scores of all items and labels of about n, with weights where they are needed."""
    items = rng.multinomial(ITEMS, setting.share)
    chance = np.minimum(setting.chances(design) * n / ITEMS, 1)
    labelled = rng.binomial(items, chance)
    ones = rng.binomial(labelled, setting.prob)
    there = items > 0
    counts = np.column_stack((labelled - ones, ones))[there]
    others = (items - labelled)[there]
    if design in ("random", SKIPPED):
        return ScoreTable(PLACES[there], counts, unlabelled=others)
    number = np.column_stack((counts, others)).ravel()
    at = np.flatnonzero(number)
    weight = (1 / chance)[there][at // 3]
    entries = Entries.of(at // 3, at % 3, weight, None, number[at])
    return ScoreTable(PLACES[there], counts, unlabelled=others, entries=entries)


def limits_of(found: Estimate | None) -> tuple[float, float]:
    """Return the limits of an estimate that has some."""
    assert found is not None
    assert found.interval is not None
    return found.interval.low, found.interval.high


def width_of(found: Estimate | None) -> float:
    """Return the width of an interval."""
    low, high = limits_of(found)
    return high - low


def holds(found: Estimate, floor: float) -> bool:
    """Tell whether an interval holds the true floor."""
    low, high = limits_of(found)
    return low - ROUNDING <= floor <= high + ROUNDING


@dataclass(frozen=True, slots=True)
class Row:
    """What was measured in one setting."""

    setting: Setting
    design: str
    n: int
    repeats: int
    covered: float
    below: float  # floors below the lower limit
    above: float
    width: float
    ratio: float  # to labels alone, drawn alike
    refused: float

    @property
    def relative(self) -> float:
        """Return the ratio of widths over what theory has."""
        return self.ratio / self.setting.predicted(self.design)


def measure(setting: Setting, n: int, design: str, repeats: int, seed: int = 0) -> Row:
    """Return coverage and widths over so many sets."""
    rng = np.random.default_rng([seed, n, int(1e6 * setting.floor)])
    limits, alone, refused = [], [], 0
    for repeat in range(repeats):
        try:
            found = ef.from_scores(table_of(setting, n, design, rng), level=LEVEL, rng=repeat)
        except ef.InputError:
            refused += 1
            continue
        limits.append(limits_of(found))
        plain = found.labelled_only
        if design != "random":
            plain = ef.from_scores(table_of(setting, n, "random", rng).labelled, rng=repeat)
        alone.append(width_of(plain))
    (low, high), floor = np.array(limits).T, setting.floor
    width = float((high - low).mean())
    return Row(
        setting,
        design,
        n,
        repeats,
        float(((low <= floor + ROUNDING) & (floor - ROUNDING <= high)).mean()),
        float((floor + ROUNDING < low).mean()),
        float((floor - ROUNDING > high).mean()),
        width,
        width / float(np.mean(alone)),
        refused / repeats,
    )


def rows_of(settings: Sequence[Setting], repeats: int) -> Iterator[Row]:
    """Yield what was measured in each setting, design and number of labels."""
    for setting in settings:
        for design in ("random", "by score"):
            for n in LABELS if design == "random" else LABELS[1:]:
                yield measure(setting, n, design, repeats)


def near_the_cut(setting: Setting, n: int, repeats: int) -> tuple[float, float]:
    """Return how often labels near the cut are refused, and would cover if they were not."""
    near = np.abs(setting.prob - 0.5) < 0.2
    refused, covered = 0, 0
    rng = np.random.default_rng(1)
    for repeat in range(repeats):
        items = rng.multinomial(ITEMS, setting.share)
        labelled = rng.binomial(items, np.where(near, n / max(items[near].sum(), 1), 0))
        ones = rng.binomial(labelled, setting.prob)
        there = items > 0
        counts = np.column_stack((labelled - ones, ones))[there]
        table = ScoreTable(PLACES[there], counts, unlabelled=(items - labelled)[there])
        found = ef.from_scores(table.labelled, rng=repeat)
        covered += holds(found, setting.floor)
        try:
            ef.from_scores(table, interval=None)
        except ef.InputError:
            refused += 1
    return refused / repeats, covered / repeats


def promised(setting: Setting, pilot: int, budget: int, repeats: int) -> tuple[float, float, float]:
    """Return the mean width that plans promise, the mean that came, and coverage."""
    rng = np.random.default_rng(2)
    expected, came, covered = [], [], []
    for repeat in range(repeats):
        row = rng.choice(ROWS, ITEMS, p=setting.share)
        scores = PLACES[row] ** 2 if pilot else setting.prob[row]
        labels = np.full(ITEMS, np.nan)
        some = rng.choice(ITEMS, pilot, replace=False)
        labels[some] = rng.random(pilot) < setting.prob[row[some]]
        try:
            plan = ef.plan_labels(scores, labels, budget=budget, rng=repeat)
        except ef.InputError:  # a pilot that chance made unlike all items
            continue
        labels[plan.rows] = rng.random(budget) < setting.prob[row[plan.rows]]
        found = ef.from_scores(scores, labels, weight=plan.weight, unlabelled=True, rng=repeat)
        expected.append(plan.width)
        came.append(width_of(found))
        covered.append(holds(found, setting.floor))
    return float(np.mean(expected)), float(np.mean(came)), float(np.mean(covered))


def many_classes(repeats: int) -> Iterator[tuple[int, int, float, float, float]]:
    """Yield classes, labels, coverage, and ratio of widths measured and predicted."""
    for classes in (3, 10):
        for n in (500, 2000):
            rng = np.random.default_rng(classes)
            hits, ratios, ideal = [], [], []
            for repeat in range(repeats):
                prob = rng.dirichlet(np.full(classes, 2 / classes), 10_000)
                labels = np.full(len(prob), np.nan)
                drawn = prob[:n].cumsum(axis=1) < rng.random((n, 1))
                labels[:n] = np.minimum(drawn.sum(axis=1), classes - 1)
                best = prob.max(axis=1)
                floor = 1 - float(best.mean())
                try:
                    found = ef.from_scores(
                        _powered(prob), labels, unlabelled=True, rng=repeat, clip=1e-9
                    )
                except ef.InputError:  # chance made the labelled items unlike all
                    continue
                hits.append(holds(found, floor))
                ratios.append(width_of(found) / width_of(found.labelled_only))
                kept = float((best * (1 - best)).mean()) / (floor * (1 - floor))
                ideal.append(np.sqrt(kept + (1 - kept) * n / len(prob)))
            yield classes, n, float(np.mean(hits)), float(np.mean(ratios)), float(np.mean(ideal))


def _powered(prob: Floats) -> Floats:
    raised = np.maximum(prob, 1e-9) ** 1.5
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))


def lines_of(rows: Sequence[Row]) -> str:
    """Return a table of what was measured."""
    lines = [
        "| setting | floor | labels | drawn | coverage | floor below | above | width | ratio "
        "| predicted | quotient |",
        "| --- | ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for row in rows:
        setting = row.setting
        lines.append(
            f"| {setting.name} | {100 * setting.floor:.1f} % | {row.n:,} | {row.design} "
            f"| {row.covered:.3f} | {row.below:.3f} | {row.above:.3f} | {100 * row.width:.2f} "
            f"| {row.ratio:.3f} | {setting.predicted(row.design):.3f} | {row.relative:.3f} |"
        )
    return "\n".join(lines)


def written(usual: Sequence[Row], attacks: Sequence[Row], more: Callable[[], str]) -> str:
    """Return the page."""
    rows = [*usual, *attacks]
    repeats = rows[0].repeats
    least = min(row.covered for row in rows)
    worst = max(row.relative for row in usual)
    refused = max(row.refused for row in rows)
    error = np.sqrt(0.05 * 0.95 / repeats)
    return f"""# Labels on some items, scores on all: coverage and width

Written by `python -m benchmarks.judges`. {ITEMS:,} items have scores, and some have a label.
`from_scores(..., unlabelled=True)` counts the errors of the best cut on labelled items, and
corrects them by what the scores predict of the other items (`ppi`). "Floor" is the error of
the best cut here, which is the floor if the scores are complete and in order; of other scores only
the upper limit is one of the floor. The table shows, for {repeats}
sets each, how often the 95 % interval holds the true floor, how often the floor was below or above
it, its mean width in points, and the ratio to the width of `honest` from as many labels alone,
drawn alike. `predicted` is what theory has for that ratio: the root of E[p(1 - p) / c] over
F (1 - F), with the floor F and the chance c to be labelled, relative to the mean. `quotient` is
ratio over predicted.

Least coverage: {least:.3f} (its standard error is {error:.3f} at 0.95). Largest quotient of the
usual settings: {worst:.3f}. Labels drawn alike, or with their weights, were refused in at most
{refused:.4f} of the sets of a setting.

"By score" draws items with probabilities in proportion to the root of p(1 - p), at least a tenth of
the mean, and passes one over them as weights.

## Usual settings

{lines_of(usual)}

## Settings looked for to break it

Where all items near the cut are coin flips, no cut is clearly best, and the limits pay for that, by
score more so: the labels are where the choice is open. `predicted` is for scores in order, and no
measure of scores in reverse.

{lines_of(attacks)}

{parts_of_widths()}

{more()}"""


@dataclass(frozen=True, slots=True)
class Parts:
    """What the width of an interval is made of, in points, on average over some sets."""

    n: int
    theory: float  # of noise, were all probabilities known
    noise: float
    choice: float  # between errors on the labels that chose the cut and on others
    width: float


def parts_of(setting: Setting, n: int, sets: int = 100) -> Parts:
    """Return the parts of the width where labels are drawn by score."""
    from scipy.special import ndtri

    rng, found = np.random.default_rng(3), []
    tail = (1 - LEVEL) / 2
    for repeat in range(sets):
        answer = ef.from_scores(table_of(setting, n, "by score", rng), rng=repeat)
        evidence = answer.evidence
        assert isinstance(evidence, PoweredErrors)
        errors = evidence.found
        both = -float(ndtri(tail)) * (1 + worth_of_correlated(evidence.correlated, tail) ** -0.5)
        noise = both * float(np.sqrt(errors.variance / n))
        ideal = setting.predicted("by score") * np.sqrt(setting.floor * (1 - setting.floor) / n)
        choice = (1 - WITHIN) * (errors.held_out - errors.least)
        found.append((both * ideal, noise, choice, width_of(answer)))
    return Parts(n, *(100 * np.mean(found, axis=0)))


def parts_of_widths() -> str:
    """Return what the widths are made of where half the items are coin flips."""
    rows = "\n".join(
        f"| {one.n:,} | {one.theory:.2f} | {one.noise:.2f} | {one.choice:.2f} | {one.width:.2f} |"
        for one in (parts_of(ATTACKS[0], n) for n in LABELS[1:])
    )
    return f"""{PARTS}

Why the quotient is above 1.03 for half certain items, half coin flips, labelled by score:
`predicted` is for the noise alone, as if all probabilities were known, and for widths that are all
noise. Two things come on top. Certain items are drawn seldom and weigh twenty times as much; just
outside the flat part nobody knows yet that they are certain, so that what is left of their noise
counts twenty times. And between coin flips the cut is chosen by chance: the distance between its
errors on the labels that chose it and on others is part of the width, and falls with the labels in
the flat part alone. In points, means of 100 sets: the noise as predicted, the noise found, the
distance, and the width.

| labels | noise, predicted | noise | distance | width |
| ---: | ---: | ---: | ---: | ---: |
{rows}"""


@dataclass(frozen=True, slots=True)
class Skipped:
    """What was measured where items are labelled alike, or hard ones half as often."""

    what: str
    n_classes: int
    n: int
    design: str
    refused: float
    strata: tuple[float, ...]  # coverage, floors above the upper limit, width
    none: tuple[float, ...]  # the same without strata


@contextmanager
def set_to(module: Any, **values: object) -> Iterator[None]:
    """Give names of a module other values for a while."""
    before = {name: getattr(module, name) for name in values}
    try:
        for name, value in values.items():
            setattr(module, name, value)
        yield
    finally:
        for name, value in before.items():
            setattr(module, name, value)


def skipped(what: str, n: int, design: str, tables: Iterable[tuple[ScoreTable, float]]) -> Skipped:
    """Return how often limits hold the floors of tables, refused ones as well."""
    refused, both = [], ([], [])  # type: ignore[var-annotated]
    with set_to(sampling, ALIKE=0.0):
        for seed, (table, floor) in enumerate(tables):
            refused.append(sampling.largest_difference(table)[1] < 1e-4)
            for limits, number in zip(both, (prediction_powered.STRATA, 1), strict=True):
                with set_to(prediction_powered, STRATA=number):
                    low, high = limits_of(ef.from_scores(table, rng=seed, clip=1e-9))
                limits.append(
                    (low - ROUNDING <= floor <= high + ROUNDING, floor > high, high - low)
                )
    strata, none = (tuple(map(float, np.mean(limits, axis=0))) for limits in both)
    classes = len(table.classes)
    return Skipped(what, classes, n, design, float(np.mean(refused)), strata, none)


def drawn_classes(
    classes: int, n: int, design: str, repeats: int
) -> Iterator[tuple[ScoreTable, float]]:
    """Yield tables of many classes with their floors."""
    rng = np.random.default_rng([classes, n])
    for _ in range(repeats):
        prob = rng.dirichlet(np.full(classes, 2 / classes), 10_000)
        error = 1 - prob.max(axis=1)
        chance = np.where(error > error.mean(), 0.5, 1.0) if design == SKIPPED else np.ones(10_000)
        some = rng.random(10_000) < chance * n / chance.sum()
        drawn = (prob[some].cumsum(axis=1) < rng.random((int(some.sum()), 1))).sum(axis=1)
        labels = np.full(10_000, np.nan)
        labels[some] = np.minimum(drawn, classes - 1)
        where = ReadOptions.of(unlabelled=True, classes=list(range(classes)))
        yield partly_labelled(_powered(prob), labels, where), float(error.mean())


def all_skipped(repeats: int) -> Iterator[Skipped]:
    """Yield what was measured in each setting."""
    for setting in (*USUAL, ATTACKS[0]):
        for design in ("random", SKIPPED):
            for n in LABELS:
                rng = np.random.default_rng([5, n, int(1e6 * setting.floor)])
                tables = (
                    (table_of(setting, n, design, rng), setting.floor) for _ in range(repeats)
                )
                yield skipped(setting.name, n, design, tables)
    for classes in (3, 10):
        for design in ("random", SKIPPED):
            for n in LABELS[:2]:
                drawn = drawn_classes(classes, n, design, repeats // 3)
                yield skipped(f"{classes} classes, Dirichlet", n, design, drawn)


def strata_of(repeats: int) -> str:
    """Return the section on items that are labelled half as often."""
    rows = list(all_skipped(repeats))
    lines = "\n".join(
        f"| {one.what} | {one.n:,} | {one.design} | {one.refused:.3f} | {one.strata[0]:.3f} "
        f"| {one.strata[1]:.3f} | {100 * one.strata[2]:.2f} | {one.none[0]:.3f} "
        f"| {one.none[1]:.3f} | {100 * one.none[2]:.2f} |"
        for one in rows
    )
    alike, half = ([one for one in rows if one.design == name] for name in ("random", SKIPPED))
    two, more = (
        [
            min(one.strata[0] for one in part if (one.n_classes > 2) is many)
            for part in (half, alike)
        ]
        for many in (False, True)
    )
    before = min(one.none[0] for one in half)
    wider = max(one.strata[2] / one.none[2] for one in alike)
    errors = [np.sqrt(0.05 * 0.95 / number) for number in (repeats, repeats // 3)]
    return f"""{STRATA}

Items that are harder than the mean (whose error by the best rule is above the floor) have a label
half as often, without weights. `from_scores` weights labelled items so that each stratum of scores
counts as much as among all items. The table has the coverage, how often the floor was above the
upper limit, and the mean width in points, with strata and without them (-). Sets that would be
refused are among them, with the limits that they would have. {repeats} sets each, {repeats // 3} of
more than two classes; written by `python -m benchmarks.judges --strata-only --repeats {repeats}`.

Least coverage where hard items are labelled half as often: {two[0]:.3f} with strata
({more[0]:.3f} of more than two classes), {before:.3f} without. Where items are labelled at random:
{two[1]:.3f} with strata ({more[1]:.3f}), and intervals are at most {wider:.3f} times as wide as
without. Standard errors at 0.95 are {errors[0]:.3f}, and {errors[1]:.3f} for more than two classes.

Strata cannot help where the label itself decides who is labelled: the labelled positives may have
the scores of all positives, and still be too many.

| setting | labels | drawn | refused | coverage | above | width | coverage - | above - | width - |
| --- | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
{lines}
"""


def further(repeats: int, number: int) -> str:
    """Return the part on refusals, plans and many classes."""
    near = "\n".join(
        f"| {setting.name} | {n:,} | {shares[0]:.3f} | {shares[1]:.3f} |"
        for setting in (USUAL[0], USUAL[1], USUAL[4])
        for n in (200, 500)
        for shares in [near_the_cut(setting, n, repeats)]
    )
    plans = "\n".join(
        f"| {setting.name} | {pilot:,} | {budget:,} | {100 * found[0]:.2f} | {100 * found[1]:.2f} "
        f"| {found[1] / found[0]:.2f} | {found[2]:.3f} |"
        for setting in (USUAL[1], USUAL[4], USUAL[3])
        for pilot, budget in ((0, 500), (0, 2000), (300, 500))
        for found in [promised(setting, pilot, budget, number)]
    )
    many = "\n".join(
        f"| {classes} | {n:,} | {hit:.3f} | {ratio:.3f} | {ideal:.3f} | {ratio / ideal:.3f} |"
        for classes, n, hit, ratio, ideal in many_classes(repeats // 2)
    )
    return f"""## Labels near the cut, without weights

Only items whose probability is within 0.2 of one half have a label. They are refused; the last
column is how often the interval from them would have held the floor.

| setting | labels | refused | coverage |
| --- | ---: | ---: | ---: |
{near}

## Widths that plans promise

`plan_labels` draws the items, and `from_scores` takes their labels with the plan's weights. Without
a pilot the scores are probabilities; with one they are distorted, and its labels speak. Means of
{number} plans, in points.

| setting | pilot | budget | promised | came | quotient | coverage |
| --- | ---: | ---: | ---: | ---: | ---: | ---: |
{plans}

A promise is as good as its pilot: of 300 labels with a floor of 4 %, twelve are errors, which are
known to 28 % (the root of 0.96 / 12), and widths, which go by the root of the floor, to 14 %. So
single promises of the last row are off by that and more.

## More than two classes

Probabilities are Dirichlet, scores their powers, 10,000 items; {repeats // 2} sets each.
`predicted` allows for the share of labelled items.

| classes | labels | coverage | ratio | predicted | quotient |
| ---: | ---: | ---: | ---: | ---: | ---: |
{many}
"""


def main() -> None:
    """Measure all settings, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=400)
    parser.add_argument("--plans", type=int, default=PLANS)
    parser.add_argument("--output", type=Path, default=DOCUMENT)
    parser.add_argument("--parts-only", action="store_true", help="write that section again alone")
    parser.add_argument("--strata-only", action="store_true", help="write that section again alone")
    options = parser.parse_args()
    warnings.simplefilter("ignore", ef.ErrorFloorWarning)
    if options.parts_only:
        before, _, rest = options.output.read_text(encoding="utf-8").partition(f"{PARTS}\n")
        behind = rest[rest.index("\n## ") :]
        options.output.write_text(before + parts_of_widths() + "\n" + behind, encoding="utf-8")
        return
    if options.strata_only:
        page = options.output.read_text(encoding="utf-8").partition(f"{STRATA}\n")[0].rstrip("\n")
        page += "\n\n" + strata_of(options.repeats)
        options.output.write_text(page, encoding="utf-8")
        return
    usual, attacks = (list(rows_of(part, options.repeats)) for part in (USUAL, ATTACKS))
    page = written(usual, attacks, lambda: further(options.repeats, options.plans))
    page += "\n" + strata_of(options.repeats)
    options.output.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
