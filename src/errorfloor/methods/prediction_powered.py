"""Labels on some items and scores on all: errors of the best rule, and what scores say of the rest.

A rule's errors are counted on labelled items. What the scores predict of its errors is known for
all items, so the difference between the labelled ones and the others can be made up for. Rule and
prediction are fitted to other labelled items than those they are tried on.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorfloor import _references as references
from errorfloor._typing import Counts, Floats
from errorfloor.data.sample import Draw, Sample
from errorfloor.data.tables import ScoreTable
from errorfloor.methods.cuts import NO_WORSE, TAKEN_OFF, Cuts, wrong_of
from errorfloor.methods.fitted import FOLDS, Fitted
from errorfloor.methods.isotonic import RisingMap
from errorfloor.methods.record import Basis, Classes, Method, Options, Shape, uses_weights
from errorfloor.methods.rules.fewest import Rule
from errorfloor.methods.rules.logs import Labelled
from errorfloor.methods.rules.maps import missed
from errorfloor.methods.rules.offsets import OFFSETS, Offsets
from errorfloor.metrics import ERROR

FEW = 2.0  # wrong items that say half of what predictions help; see `Powered.relative`
STRATA, LABELS_EACH, FEWEST = 10, 40, 10  # strata at most, labels of each on average and at least
TINY = 1e-12  # of the variance of predictions, which then are all the same


@dataclass(frozen=True, slots=True)
class CorrectedErrors:
    """Errors of rules, corrected by predictions, and what they are worth.

    Attributes
    ----------
    least, held_out : float
        Share of errors of the best rule on the items that chose it, and of fitted rules on items
        that did not; both corrected.
    correction : float
        What the predictions add to both.
    power : float
        How far predictions are used: 0 not at all, 1 as they are.
    variance : float
        Of `held_out`, times the number of labelled items.
    n, wrong : int and float
        Labelled items, and how many of them were wrong when held out.
    held_out_alone : float
        Share of errors of fitted rules on labelled items, not corrected.
    usual : float
        What an item weighs that predictions take for wrong, where all weigh 1 on average.
    """

    least: float
    held_out: float
    correction: float
    power: float
    variance: float
    n: int
    wrong: float
    held_out_alone: float
    usual: float = 1.0

    @property
    def value(self) -> float:
        """The midpoint: the one is too low and the other too high by about as much."""
        return max((self.least + self.held_out) / 2, 0.0)

    @property
    def relative(self) -> float:
        """Variance as a part of that of as many labels alone.

        Where few are wrong it is kept near what it is without help from predictions: that of
        errors which weigh as much as usual, and at least 1.
        """
        alone, usual = self.held_out_alone, max(self.usual, 1.0)
        plain = alone * (1 - alone)
        seen = self.variance / plain if plain > 0 else usual
        if seen >= usual:
            return seen
        trust = self.wrong**2 / (self.wrong**2 + FEW**2)
        return usual - trust * (usual - seen)

    @property
    def worth(self) -> float:
        """How many labels alone, at random, would tell as much."""
        return self.n / self.relative


@dataclass(slots=True, eq=False)
class Moments:
    """Sums over held-out items of their losses and predictions, part by part.

    Attributes
    ----------
    weight : array of shape (cells,)
        Of each item, with mean 1 over labelled items.
    share : float
        Of labelled items among all.
    squares, products : arrays of shape (3, 3)
        Sums of products of 1, loss and prediction, with squared weights and with weights.
    gap : float
        Sum of predictions of labelled items less the mean of all.
    wrong : float
        Number of errors.
    guessed : array of shape (2,)
        Sums of predictions with weights, and with squared weights.
    """

    weight: Floats
    share: float
    squares: Floats = field(default_factory=lambda: np.zeros((3, 3)))
    products: Floats = field(default_factory=lambda: np.zeros((3, 3)))
    gap: float = 0.0
    wrong: float = 0.0
    guessed: Floats = field(default_factory=lambda: np.zeros(2))

    def add(self, part: Counts, loss: Floats, guess: Floats, others: float) -> None:
        """Add items that were held out: each cell's loss and prediction, and the others' mean."""
        mass = part * self.weight
        # The mean over all items: labelled ones are part of them, each counted once, and those of
        # this part stand for the rest, whose labels the guess knows by heart.
        own = float(part @ guess) / float(part.sum())
        everywhere = self.share * own + (1 - self.share) * others
        three = np.array([np.ones(loss.size), loss, guess - everywhere])
        self.products += (three * mass) @ three.T
        self.squares += (three * (mass * self.weight)) @ three.T
        self.gap += float(mass @ (guess - everywhere))
        self.wrong += float(part @ loss)
        self.guessed += mass @ guess, (mass * self.weight) @ guess

    def found(self, least: float, n: int) -> CorrectedErrors:
        """Return what they say, with the share of errors of the best rule on its own items."""
        held_out = float(self.products[0, 1]) / n
        about = np.array([[1.0, 0, 0], [-held_out, 1, 0], [0, 0, 1]])
        squares, products = (about @ sums @ about.T for sums in (self.squares, self.products))
        # The variance of the mean loss less `power` times the gap is quadratic in `power`. Labelled
        # items are part of all, so a share of the gap is none.
        slope = float(squares[1, 2] - self.share * products[1, 2])
        curve = float(squares[2, 2] - self.share * products[2, 2])
        power = min(max(slope / curve, 0.0), 1.0) if curve > TINY * n else 0.0
        variance = float(squares[1, 1]) - 2 * power * slope + power**2 * curve
        correction = -power * self.gap / n
        return CorrectedErrors(
            max(least + correction, 0.0),
            max(held_out + correction, 0.0),
            correction,
            power,
            max(variance, 0.0) / n,
            n,
            self.wrong,
            held_out,
            float(self.guessed[1] / self.guessed[0]) if self.guessed[0] > 0 else 1.0,
        )


def design_of(cells: Sample, count: Counts) -> Sample:
    """Return the design of labelled items with weights whose mean is 1."""
    own = replace(cells, count=count, weight=cells.each)
    return own.reweighted(count.sum() / own.total)


def post_stratified(cells: Sample, line: Floats) -> Sample:
    """Return cells whose labelled items weigh, in each stratum of scores, as all its items do.

    Strata are parts of equal size of all items, by their rows' places on a `line` that knows no
    label. Of a stratum with the share W of all items and the share v of what labelled ones weigh,
    each of these weighs W / v times as much. That leaves a mean as it is where items were labelled
    at random: with n labels its variance grows by about H / n for H strata, since v varies by about
    W / n. Where some scores were labelled more often, whatever the reason, the mean over strata is
    right but for what scores tell within a stratum, which the predictions make up for as far as
    they are used. Labels that were chosen by the label itself stay wrong: see `check_alike`.
    """
    if cells.unlabelled is None:
        return cells
    rows = len(cells.scores)
    known = np.bincount(cells.row, cells.count, minlength=rows)
    weight = cells.each
    place = np.unique(line, return_inverse=True)[1]
    items = np.bincount(place, known + cells.unlabelled)
    number = max(min(STRATA, int(known.sum()) // LABELS_EACH), 1)
    part = (number * (np.cumsum(items) - items / 2) / items.sum()).astype(np.intp)[place]
    stratum = _with_labels(np.bincount(part, known, minlength=number))[part]
    if stratum.max() == 0:
        return cells
    shares = [
        np.bincount(stratum[at], mass) / mass.sum()
        for at, mass in (
            (slice(None), known + cells.unlabelled),
            (cells.row, cells.count * weight),
        )
    ]
    factor = shares[0] / shares[1]
    return replace(cells, weight=weight * factor[stratum[cells.row]])


def _with_labels(labels: NDArray[Any]) -> NDArray[np.intp]:
    """Return the stratum that each part belongs to, so that each has some labels."""
    stratum, own = np.zeros(labels.size, dtype=np.intp), 0.0
    for part in range(1, labels.size):
        own += labels[part - 1]
        new = own >= FEWEST and labels[part:].sum() >= FEWEST
        stratum[part] = stratum[part - 1] + new
        own = 0.0 if new else own
    return stratum


def flat_variance(cells: Sample) -> float:
    """Return the variance of the weighted errors of items for which no cut is clearly best.

    As `Cuts.unclear` counts them, a quarter for each; with weights, of as many equal items as have
    the same variance on either side of the best cut.
    """
    design = design_of(cells, cells.count)
    sign = np.where(cells.positive, 1, -1)
    walk, mass, square = (
        np.concatenate(([0.0], np.cumsum(design.masses * part)))
        for part in (sign, np.ones(sign.size), design.each)
    )
    best = int(np.argmin(walk))
    excess, between, noise = walk - walk[best], abs(mass - mass[best]), abs(square - square[best])
    ends = np.flatnonzero(excess**2 <= NO_WORSE**2 * noise)[[0, -1]]
    each = np.divide(noise[ends], between[ends], out=np.ones(2), where=between[ends] > 0)
    minority = np.maximum((between - excess)[ends], 0) / 2 / each
    return float(np.maximum(minority - TAKEN_OFF * np.sqrt(minority), 0) @ each**2 / 2)


class PredictionPowered(Fitted):
    """Errors of a rule among all items, from the labels of some."""

    def __init__(self, cells: Sample, line: Floats, draw: Draw) -> None:
        self.cells: Sample = post_stratified(cells, line)
        super().__init__(self.cells, draw)
        nobody = np.zeros(len(cells.scores), dtype=np.int64)
        self.unlabelled = nobody if cells.unlabelled is None else cells.unlabelled

    @cached_property
    def found(self) -> CorrectedErrors:
        """The corrected errors, of which value and limits are."""
        return self._corrected(self.cells.count, self.draw("folds"))

    @property
    def value(self) -> float:
        """What is estimated."""
        return self.found.value

    def values(self, counts: Counts, rng: np.random.Generator, /) -> Floats:
        """Return the floor for each row of counts."""
        return np.array([self._corrected(count, rng).value for count in counts])

    @property
    @abstractmethod
    def correlated(self) -> float:
        """Share of the variance of the held-out errors that the folds have in common."""

    @abstractmethod
    def _tried(self, design: Sample, mass: Floats) -> tuple[Floats, Floats]:
        """Return which cells the rule that such items choose errs on, and what rows predict."""

    @abstractmethod
    def _least(self, design: Sample) -> float:
        """Return the share of errors of the best rule on its own items."""

    def _corrected(self, count: Counts, rng: np.random.Generator) -> CorrectedErrors:
        """Return the corrected errors of labels that count so often."""
        design, n, others = design_of(self.cells, count), int(count.sum()), self.unlabelled.sum()
        moments = Moments(design.each, n / (n + int(others)))
        for part in design.parts(FOLDS, rng):
            if part.any():
                train = count - part if (count > part).any() else count
                wrong, guess = self._tried(design, train * design.each)
                own = guess[self.cells.row]
                mean = float(self.unlabelled @ guess) / others if others else float(own.mean())
                moments.add(part, wrong, own, mean)
        return moments.found(self._least(design), n)


class PoweredCut(PredictionPowered):
    """Errors of the best cut among all items, from the labels of some."""

    def __init__(self, cells: Sample, draw: Draw) -> None:
        super().__init__(cells, cells.scores, draw)
        size = cells.scores.size
        items = self.unlabelled + np.bincount(cells.row, cells.count, minlength=size)
        self.rank = np.cumsum(items) - items / 2  # of each row, whatever the scale of scores
        self.cuts = Cuts(ERROR.how)

    @property
    def correlated(self) -> float:
        """Share of the variance that is of items for which no cut is clearly best."""
        variance = self.found.n * self.found.variance
        return min(flat_variance(self.cells) / variance, 1.0) if variance > 0 else 0.0

    def _tried(self, design: Sample, mass: Floats) -> tuple[Floats, Floats]:
        below = self.cuts.fit(design, mass)
        return wrong_of(design, below).astype(np.float64), self._guess(mass, below)

    def _least(self, design: Sample) -> float:
        wrong = wrong_of(design, self.cuts.fit(design, design.masses))
        return float(design.masses @ wrong) / int(design.count.sum())

    def _guess(self, mass: Floats, below: int) -> Floats:
        """Return the predicted error of a cut at each row, by isotonic regression of the labels."""
        prob = RisingMap.of_rows(*self.cells.by_row(mass), place=self.rank)
        row = self.cells.row
        first = int(row[below]) if below < row.size else prob.size  # row above the cut
        return np.asarray(np.where(np.arange(prob.size) < first, prob, 1 - prob))


@uses_weights()
class PoweredOffsets(PredictionPowered):
    """Errors of the weighted argmax rule among all items, from the labels of some."""

    def __init__(self, cells: Sample, options: Options) -> None:
        self.rules = Offsets(Labelled.of(cells, options.clip))
        logs = self.rules.items.logs
        # The share of the largest score at each row, on a log scale.
        largest = -np.log(np.exp(logs - logs.max(axis=0)).sum(axis=0))
        super().__init__(cells, largest, options.draw)
        self.fitted = self.rules.fit(design_of(self.cells, cells.count).masses)

    @property
    def correlated(self) -> float:
        """Share of the variance that is of items for which no rule is clearly best."""
        return self.rules.unclear(design_of(self.cells, self.cells.count).masses, self.fitted)

    def _tried(self, design: Sample, mass: Floats) -> tuple[Floats, Floats]:
        fitted = self.rules.fit(mass, self.fitted)
        return Rule.of(fitted).wrong(self.rules.items), missed(fitted, self.rules.items.logs)

    def _least(self, design: Sample) -> float:
        mass = self.cells.mass(design.count)
        return float(mass @ self.rules.least(mass, self.fitted)) / float(mass.sum())


@uses_weights()
def _cut(cells: Sample, options: Options) -> PoweredCut:
    return PoweredCut(cells, options.draw)


_HOW = (
    "Labelled items are weighted so that each stratum of scores counts as much as among all items. "
    "What the scores predict of that rule's errors is known for all items, so it makes up for the "
    "labelled ones being easier or harder within a stratum. Rule and prediction are fitted to "
    "other labelled items than those they are tried on, and used as far as they narrow the "
    "interval. The floor is the midpoint of errors on the items of the fit and on items that were "
    "held out."
)
AT_RANDOM = (
    ". The labelled items were chosen at random, with equal chances or with weights of 1 over "
    "their probability"
)

_method = partial(
    Method,
    name="ppi",
    reads=ScoreTable.kind,
    bases=frozenset({Basis.POWERED}),
    interval="powered",
    references=(references.POWERED, references.CROSS_POWERED),
    shape=Shape.ORDER,
    colour="blue",
    partly=True,
)

PPI = _method(
    bind=_cut,
    assumes=f"The scores order the items as their true probabilities do{AT_RANDOM}",
    if_wrong="the floor of the best threshold: too high, still an upper bound",
    explains='Labelled items say how often the best rule of the form "score above t" is wrong. '
    f"{_HOW}",
    curve="isotonic",
    when_merged="tries no threshold inside them",
)
MANY_PPI = _method(
    bind=PoweredOffsets,
    classes=Classes.MANY,
    assumes=f"{OFFSETS.assumes}{AT_RANDOM}",
    if_wrong=OFFSETS.if_wrong,
    explains="Labelled items say how often the class with the largest weighted score is not the "
    f"label. {_HOW}",
    options=("clip",),
    curve=OFFSETS.name,
)
