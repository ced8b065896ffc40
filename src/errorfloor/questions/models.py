"""A model's value of a metric on test items, with the evidence for its limits."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from errorfloor._checks import MOST_VOTES, InputError, argument, as_fraction, shown, unmasked
from errorfloor._typing import Counts, Floats
from errorfloor.data.tables import ScoreTable, SoftTable, VoteTable
from errorfloor.intervals.bets import Bets, Blocks
from errorfloor.intervals.bootstrap import Percentile
from errorfloor.intervals.models import (
    ExactShare,
    MeanOfShares,
    OnScale,
    Wilson,
    mcc_error,
    mcc_of,
)
from errorfloor.intervals.ranks import share_of_auc, share_of_precision
from errorfloor.intervals.record import Evidence
from errorfloor.intervals.resample import draw
from errorfloor.methods.ranks import Precision
from errorfloor.metrics import ERROR, Metric
from errorfloor.metrics.balanced import BALANCED
from errorfloor.metrics.means import BRIER, COST, LOG_LOSS
from errorfloor.metrics.ranking import AUC, AVERAGE_PRECISION
from errorfloor.metrics.selective import COVERAGE_AT_ERROR, ERROR_AT_COVERAGE
from errorfloor.metrics.thresholds import F1, MCC
from errorfloor.results import Estimate

FEW = 20  # items of the rarer class, below which a delta method is no guide
RESAMPLES, SEED, MOST_ROWS = 400, 20261115, 4096  # of the bootstrap behind a standard error


@dataclass(frozen=True, slots=True)
class Model:
    """A model's value on `n` test items, the evidence for its limits, and what was said of it."""

    value: float
    n: int
    evidence: Evidence
    given: Mapping[str, Any] = field(default_factory=dict)


def from_confusion(metric: Metric, matrix: Counts, given: Mapping[str, Any]) -> Model:
    """Return the model whose decisions (columns) on items of each true class (rows) are these."""
    make = _OF_MATRIX.get(metric.name)
    if make is None:
        raise InputError(
            f"Decisions do not tell the {metric.words} of a model, which goes by its scores. Give ",
            *(argument("model_scores"), " and ", argument("labels"), "."),
        )
    value, evidence = make(metric, matrix)
    return Model(value, int(matrix.sum()), evidence, given)


def from_table(metric: Metric, table: ScoreTable, given: Mapping[str, Any]) -> Model:
    """Return the model with these scores of items whose labels are known."""
    make = _OF_SCORES.get(metric.name)
    if make is None:
        raise InputError(
            f"The {metric.words} of a model goes by its decisions, and scores leave them open. Cut "
            "the scores where the model does, and give ",
            *(argument("predictions"), " and ", argument("labels"), "."),
        )
    value, evidence = make(metric, table)
    return Model(value, table.n, evidence, given)


def from_value(metric: Metric, value: object, n: object, floor: Estimate) -> Model:
    """Return the model with a published value on so many test items."""
    items = _whole(n)
    if not 1 <= items <= MOST_VOTES:
        raise InputError(
            argument("n"), f" must be the number of test items, at least 1; got {shown(n)}."
        )
    make = _OF_VALUE.get(metric.name)
    if make is None:
        raise InputError(
            argument("model_value"),
            f" and a number of items do not tell how sure a model's {metric.words} is. Give ",
            *(argument("model_scores" if metric.name in _OF_SCORES else "confusion"), "."),
        )
    number = _as_value(value, metric, len(floor.classes))
    return Model(number, items, make(metric, number, items, floor), {"model_value": number})


def as_confusion(values: object, classes: int | None) -> Counts:
    """Return a matrix of counts, true classes in rows and decisions in columns."""
    matrix = unmasked(values, "confusion")
    size = matrix.shape[0] if classes is None and matrix.ndim == 2 else classes
    good = matrix.ndim == 2 and matrix.shape == (size, size) and matrix.dtype.kind in "iuf"
    if not good or (matrix < 0).any() or (matrix != np.floor(matrix)).any() or not matrix.sum():
        names = "a row for each true class, a column for each decision"
        raise InputError(
            argument("confusion"),
            f" must be {size or 2} rows of {size or 2} numbers of items: {names}.",
        )
    return matrix.astype(np.int64)


def confusion_of(labels: Counts, predicted: Counts, classes: int) -> Counts:
    """Count the decisions on items of each true class."""
    flat = np.bincount(labels * classes + predicted, minlength=classes**2)
    return flat.reshape(classes, classes)


def _whole(value: Any) -> int:
    try:
        return operator.index(value)
    except TypeError:
        return -1


def _as_value(value: Any, metric: Metric, classes: int) -> float:
    """Return a value that the metric can have."""
    if metric.name not in (COST.name, BRIER.name):
        return as_fraction(value, name="model_value")
    top = _largest_loss(metric, classes)
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = -1.0
    if not 0 <= number <= top:
        raise InputError(
            argument("model_value"),
            f" must be the model's {metric.words}, from 0 to {top:g}; got {shown(value)}.",
        )
    return number


def _largest_loss(metric: Metric, classes: int) -> float:
    """Return the largest loss that a single item can have."""
    if metric.name == COST.name:
        return float(np.max(metric.given["costs"]))
    return 1.0 if classes == 2 else 2.0


# From a matrix of decisions.


def _error(_: Metric, matrix: Counts) -> tuple[float, Evidence]:
    n = int(matrix.sum())
    wrong = n - int(np.trace(matrix))
    return wrong / n, ExactShare(wrong, n)


def _balanced(_: Metric, matrix: Counts) -> tuple[float, Evidence]:
    n = matrix.sum(axis=1)
    if not n.all():
        raise InputError(
            "The model's balanced error needs test items of every class, and there are none of "
            f"class number {int(np.argmin(n))}. Add some, or ask for another metric."
        )
    wrong = n - np.diag(matrix)
    found = MeanOfShares(tuple(map(int, wrong)), tuple(map(int, n)))
    return float((wrong / n).mean()), found


def _cost(metric: Metric, matrix: Counts) -> tuple[float, Evidence]:
    costs = np.asarray(metric.given["costs"], dtype=np.float64)
    return _mean(costs.ravel(), matrix.ravel(), float(costs.max()))


def _mean(losses: Floats, count: Counts, top: float) -> tuple[float, Evidence]:
    """Return a mean of losses in [0, top], with limits that hold for any of them."""
    blocks = Blocks.drawn(count, np.random.default_rng(SEED))
    return float(count @ losses / count.sum()), Bets.of(losses, blocks, (0.0, top))


def _f1(_: Metric, matrix: Counts) -> tuple[float, Evidence]:
    (_, fp), (fn, tp) = matrix.tolist()
    either = tp + fp + fn
    if not either:
        raise InputError(
            "The model's F1 needs items that are of class 1, or are taken for it. There are none."
        )
    return 2 * tp / (2 * tp + fp + fn), ExactShare(tp, either, is_f1=True)


def _mcc(_: Metric, matrix: Counts) -> tuple[float, Evidence]:
    value = mcc_of(matrix.astype(np.float64))
    rows = matrix.sum(axis=1)
    if abs(value) > 1 - 1e-12 or min(rows) < FEW:
        # The correlation is a mean of products in [-1, 1] where both classes are equally frequent.
        return value, Wilson(value, max(float(min(rows)), 1.0), span=2.0, least=-1.0)
    error = mcc_error(matrix.astype(np.float64)) * _for_few(min(rows))
    return value, OnScale(value, error, "z", "delta")


# From scores with labels.


def _auc(metric: Metric, table: ScoreTable) -> tuple[float, Evidence]:
    _check_both(table, metric)
    found = share_of_auc(*table.counts.T.astype(np.float64))
    return found.value, found


def _average_precision(metric: Metric, table: ScoreTable) -> tuple[float, Evidence]:
    _check_both(table, metric)
    cells = table.cells()
    statistic = Precision(cells)
    value = float(statistic.values(cells.count[None], np.random.default_rng(SEED))[0])
    return value, share_of_precision(value, statistic, cells)


def _check_both(table: ScoreTable, metric: Metric) -> None:
    if not table.counts.any(axis=0).all():
        raise InputError(
            f"The model's {metric.words} needs test items of both classes. Check ",
            *(argument("labels"), "."),
        )


def _brier(_: Metric, table: ScoreTable) -> tuple[float, Evidence]:
    p = _probabilities(table)
    classes = p.shape[1]
    wrong = ((p[:, None, :] - np.eye(classes)) ** 2).sum(axis=2) / (2 if classes == 2 else 1)
    return _mean(wrong.ravel(), table.counts.ravel(), 1.0 if classes == 2 else 2.0)


def _log_loss(_: Metric, table: ScoreTable) -> tuple[float, Evidence]:
    p, count = _probabilities(table).ravel(), table.counts.ravel()
    p, count = p[count > 0], count[count > 0]
    if (p <= 0).any():
        raise InputError(
            argument("model_scores"),
            " give a probability of 0 to a label that occurs: the model's log-loss is infinite. "
            "Keep its probabilities away from 0 and 1, as the model's own loss must.",
        )
    loss, n = -np.log(p), int(count.sum())
    value = float(count @ loss / n)
    error = float(np.sqrt(count @ (loss - value) ** 2 / max(n - 1, 1) / n))
    error *= _for_few(int(table.counts.sum(axis=0).min()))
    return value, OnScale(value, error, "log", "normal")


def _selective(metric: Metric, table: ScoreTable) -> tuple[float, Evidence]:
    """Return the error of the surest items, or how many may be answered at an error."""
    counts, tied = _answers(table)
    at, is_error = float(metric.given["at"]), metric.less_is_better

    def of(drawn: Floats) -> float:
        kept = np.concatenate(([0.0], np.cumsum(drawn.sum(axis=1))))
        wrong = np.concatenate(([0.0], np.cumsum(drawn[:, 1] + tied * drawn[:, 2])))
        if is_error:
            return float(np.interp(at * kept[-1], kept, wrong) / (at * kept[-1]))
        return float(kept[np.flatnonzero(wrong <= at * kept)[-1]] / kept[-1])

    value = of(counts.astype(np.float64))
    drawn = _bootstrap(counts, of)
    if not is_error and drawn.min() < drawn.max():  # it jumps, which no normal limits follow
        return value, Percentile(value, drawn, "bootstrap")
    if not 0 < value < 1 or drawn.min() == drawn.max():
        return value, Wilson(value, at * table.n if is_error else table.n)
    return value, OnScale(value, float(np.std(drawn, ddof=1)), "logit", "bootstrap")


def _for_few(rarest: int) -> float:
    """Return by how much a standard error is too small where few items are of some class."""
    return float(np.sqrt(1 + 8 / max(rarest, 1)))  # measured; see tests/test_metric_show.py


def _answers(table: ScoreTable) -> tuple[Counts, float]:
    """Return how many answers are right, wrong and open, surest first; and how many open are wrong.

    Open are those where the model gives several classes the same probability.
    """
    p, counts = _probabilities(table), table.counts
    sure = p.max(axis=1)
    first = p == sure[:, None]
    number = first.sum(axis=1)
    likeliest = (counts * first).sum(axis=1)
    split = np.where(number == 1, 0, likeliest)
    open_ = np.average(1 - 1 / number, weights=split) if split.any() else 0.0
    rows = np.column_stack((likeliest - split, counts.sum(axis=1) - likeliest, split))
    # Items that the model is equally sure of are answered together; digits that halves of a sum to
    # one leave do not tell them apart.
    _, at = np.unique(-np.round(sure, 12), return_inverse=True)
    together = np.zeros((at.max() + 1, 3), dtype=np.int64)
    np.add.at(together, at, rows)
    return together, float(open_)


def _probabilities(table: ScoreTable) -> Floats:
    """Return the model's probability of each class, in the rows of its table."""
    scores = table.scores
    two = scores.ndim == 1
    good = (scores >= 0).all() and (scores <= 1).all()
    if not good or (not two and (np.abs(scores.sum(axis=1) - 1) > 1e-6).any()):
        rest = "" if two else " that add up to 1"
        raise InputError(
            argument("model_scores"),
            f" must be probabilities here, numbers from 0 to 1{rest}. Pass logits through a "
            "sigmoid or softmax.",
        )
    return np.column_stack((1 - scores, scores)) if two else scores


def _bootstrap(counts: Counts, statistic: Callable[[Floats], float]) -> Floats:
    """Return replicates of a statistic of rows of counts, always from the same draws."""
    rows = counts.shape[0]
    if rows > MOST_ROWS:  # neighbours are taken together, which changes a spread but little
        counts = np.add.reduceat(counts, np.arange(0, rows, -(-rows // MOST_ROWS)))
    flat = counts.ravel()
    some = flat > 0
    drawn = draw(flat[some], RESAMPLES, np.random.default_rng(SEED))
    found = np.empty(RESAMPLES)
    for place, one in enumerate(drawn):
        whole = np.zeros(flat.size)
        whole[some] = one
        found[place] = statistic(whole.reshape(counts.shape))
    return found


# From a value and a number of items.


def _of_share(metric: Metric, value: float, n: int, _: Estimate) -> Evidence:
    items = n * (float(metric.given["at"]) if metric.name == ERROR_AT_COVERAGE.name else 1.0)
    return ExactShare(value * items, items)


def _of_mean(metric: Metric, value: float, n: int, floor: Estimate) -> Evidence:
    return Wilson(value, n, span=_largest_loss(metric, len(floor.classes)))


def _of_classes(metric: Metric, value: float, n: int, floor: Estimate) -> Evidence:
    """Take the rarest class for as large a share of the test items as of the floor's."""
    shares = _shares(floor)
    if shares is None:
        raise InputError(
            argument("model_value"),
            f" and a number of items do not tell how sure a model's {metric.words} is where the "
            "shares of the classes are not known. Give ",
            *(argument("prior"), ", or the model's scores or predictions."),
        )
    number = 1 if metric.name == AUC.name else len(shares)
    return Wilson(value, number * max(n * float(shares.min()), 1.0))


def _shares(floor: Estimate) -> Floats | None:
    """Return the shares of the classes among the items of a floor."""
    table = floor.table
    if "prior" in floor.measure.given:
        return np.asarray(floor.measure.given["prior"])
    if table is not None and table.entries is not None:  # whose weights counts do not show
        return None
    if isinstance(table, SoftTable):
        p = table.probabilities
        p = np.column_stack((1 - p, p)) if p.ndim == 1 else p
        return np.asarray(table.counts @ p / table.n)
    if isinstance(table, ScoreTable):
        return np.asarray(table.counts.sum(axis=0) / table.n)
    if isinstance(table, VoteTable):
        votes = table.counts @ (table.votes / table.totals[:, None])
        return np.asarray(votes / votes.sum())
    return None


_OF_MATRIX: dict[str, Callable[[Metric, Counts], tuple[float, Evidence]]] = {
    ERROR.name: _error,
    BALANCED.name: _balanced,
    COST.name: _cost,
    F1.name: _f1,
    MCC.name: _mcc,
}
_OF_SCORES: dict[str, Callable[[Metric, ScoreTable], tuple[float, Evidence]]] = {
    AUC.name: _auc,
    AVERAGE_PRECISION.name: _average_precision,
    BRIER.name: _brier,
    LOG_LOSS.name: _log_loss,
    ERROR_AT_COVERAGE.name: _selective,
    COVERAGE_AT_ERROR.name: _selective,
}
_OF_VALUE: dict[str, Callable[[Metric, float, int, Estimate], Evidence]] = {
    ERROR.name: _of_share,
    ERROR_AT_COVERAGE.name: _of_share,
    COVERAGE_AT_ERROR.name: _of_share,
    COST.name: _of_mean,
    BRIER.name: _of_mean,
    AUC.name: _of_classes,
    BALANCED.name: _of_classes,
}


def can_be_published(metric: Metric) -> bool:
    """Tell whether a model's value and a number of items tell how sure the value is."""
    return metric.name in _OF_VALUE


def goes_by_scores(metric: Metric) -> bool:
    """Tell whether a model's value comes from its scores, not from its decisions."""
    return metric.name in _OF_SCORES
