"""A model's value of a metric on test items: what is known of it, and the evidence for limits."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import singledispatch
from typing import TYPE_CHECKING, Any

import numpy as np

from errorfloor._checks import (
    MOST_VOTES,
    InputError,
    as_fraction,
    as_labels,
    check_aligned,
    check_same_length,
    shown,
    unmasked,
)
from errorfloor._typing import Counts, Floats
from errorfloor.data.naming import Binary, as_binary, codes_of, is_words
from errorfloor.data.read import is_data
from errorfloor.data.tables import ScoreTable, SoftTable, VoteTable
from errorfloor.intervals.bets import Bets, Blocks
from errorfloor.intervals.bootstrap import Percentile, draw
from errorfloor.intervals.models import (
    AnyTable,
    ExactShare,
    MeanOfShares,
    OnScale,
    SharesOfTable,
    Wilson,
    mcc_error,
    mcc_of,
)
from errorfloor.intervals.ranks import of_pairs, of_precision
from errorfloor.intervals.record import Evidence
from errorfloor.methods.ranks import RankFit
from errorfloor.methods.record import Options
from errorfloor.metrics import Metric
from errorfloor.metrics import record as kinds
from errorfloor.metrics.record import ModelValue
from errorfloor.results import Estimate

if TYPE_CHECKING:
    from errorfloor.data.models import ModelRows
    from errorfloor.questions.question import Ask

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
    value, evidence = _of_decisions(kind_of(metric), metric, matrix)
    return Model(value, int(matrix.sum()), evidence, given)


def from_table(metric: Metric, table: ScoreTable, given: Mapping[str, Any]) -> Model:
    """Return the model with these scores of items whose labels are known."""
    value, evidence = _of_scores(kind_of(metric), metric, table)
    return Model(value, table.n, evidence, given)


def kind_of(metric: Metric) -> ModelValue:
    """Return how a model's value of the metric is found, or say that its record lacks it."""
    if metric.of_model is None:
        raise InputError(
            f"The record of the metric {metric.name} does not say how a model's own value is found "
            "(of_model), so no model can be compared by it."
        )
    return metric.of_model


def as_confusion(values: object, classes: int | None) -> Counts:
    """Return a matrix of counts, true classes in rows and decisions in columns."""
    matrix = unmasked(values, "confusion")
    size = matrix.shape[0] if classes is None and matrix.ndim == 2 else classes
    good = matrix.ndim == 2 and matrix.shape == (size, size) and matrix.dtype.kind in "iuf"
    if not good or (matrix < 0).any() or (matrix != np.floor(matrix)).any() or not matrix.sum():
        raise InputError(
            f"`confusion` must be {size or 2} rows of {size or 2} numbers of items: a row for each "
            "true class, a column for each decision."
        )
    return matrix.astype(np.int64)


def confusion_of(labels: Counts, predicted: Counts, classes: int) -> Counts:
    """Count the decisions on items of each true class."""
    flat = np.bincount(labels * classes + predicted, minlength=classes**2)
    return flat.reshape(classes, classes)


def error_in(rows: ModelRows, name: str, given: Mapping[str, Any]) -> Model:
    """Return one model with its error, and limits that allow for weights and clusters."""
    rows.check()
    wrong = (rows.texts_by(name) != rows.texts).astype(np.int64)
    share, size = rows.sample.share_and_size(wrong)
    return Model(share, len(wrong), ExactShare(share * size, size), given)


# From a matrix of decisions.


@singledispatch
def decided(kind: ModelValue, metric: Metric, matrix: Any) -> float:
    """Return a function of the two-by-two table of decisions, in numbers of items or shares."""
    raise TypeError(f"{metric.words} is no function of a two-by-two table.")


@decided.register
def _(_: kinds.PositivesFound, metric: Metric, matrix: Any) -> float:
    (_, fp), (fn, tp) = matrix.tolist()
    if not tp + fp + fn:
        raise InputError(
            f"The model's {metric.words} needs items that are of class 1, or are predicted to be. "
            "There are none."
        )
    return float(2 * tp / (2 * tp + fp + fn))


@decided.register
def _(_: kinds.Correlation, metric: Metric, matrix: Any) -> float:
    return mcc_of(matrix.astype(np.float64))


@decided.register
def _(kind: kinds.TableValue, metric: Metric, matrix: Any) -> float:
    if not matrix.sum(axis=1).all():
        raise _needs_both(metric)
    return float(kind.value(matrix.astype(np.float64)))


@singledispatch
def _of_decisions(kind: ModelValue, metric: Metric, matrix: Counts) -> tuple[float, Evidence]:
    raise InputError(
        f"Decisions do not tell the {metric.words} of a model, which goes by its scores. Give "
        "`model_scores` and `labels`."
    )


@_of_decisions.register
def _(_: kinds.WrongItems, metric: Metric, matrix: Counts) -> tuple[float, Evidence]:
    n = int(matrix.sum())
    wrong = n - int(np.trace(matrix))
    return wrong / n, ExactShare(wrong, n)


@_of_decisions.register
def _(_: kinds.WrongInClasses, metric: Metric, matrix: Counts) -> tuple[float, Evidence]:
    n = matrix.sum(axis=1)
    if not n.all():
        raise InputError(
            f"The model's {metric.words} needs test items of every class, and there are none of "
            f"class number {int(np.argmin(n))}. Add some, or ask for another metric."
        )
    wrong = n - np.diag(matrix)
    found = MeanOfShares(tuple(map(int, wrong)), tuple(map(int, n)))
    return float((wrong / n).mean()), found


@_of_decisions.register
def _(_: kinds.CostOfDecisions, metric: Metric, matrix: Counts) -> tuple[float, Evidence]:
    costs = np.asarray(metric.given["costs"], dtype=np.float64)
    return _mean(costs.ravel(), matrix.ravel(), float(costs.max()))


def _mean(losses: Floats, count: Counts, top: float) -> tuple[float, Evidence]:
    """Return a mean of losses in [0, top], with limits that hold for any of them."""
    blocks = Blocks.drawn(count, np.random.default_rng(SEED))
    return float(count @ losses / count.sum()), Bets.of(losses, blocks, (0.0, top))


@_of_decisions.register
def _(kind: kinds.PositivesFound, metric: Metric, matrix: Counts) -> tuple[float, Evidence]:
    value = decided(kind, metric, matrix)
    (_, fp), (fn, tp) = matrix.tolist()
    return value, ExactShare(tp, tp + fp + fn, is_f1=True)


@_of_decisions.register
def _(kind: kinds.Correlation, metric: Metric, matrix: Counts) -> tuple[float, Evidence]:
    value = decided(kind, metric, matrix)
    rows = matrix.sum(axis=1)
    if abs(value) > 1 - 1e-12 or min(rows) < FEW:
        # The correlation is a mean of products in [-1, 1] where both classes are equally frequent.
        return value, Wilson(value, max(float(min(rows)), 1.0), span=2.0, least=-1.0)
    error = mcc_error(matrix.astype(np.float64)) * _for_few(min(rows))
    return value, OnScale(value, error, "z", "delta")


@_of_decisions.register
def _(kind: kinds.TableValue, metric: Metric, matrix: Counts) -> tuple[float, Evidence]:
    refuse_many(metric, len(matrix))
    return decided(kind, metric, matrix), SharesOfTable(kind.value, matrix)


# From scores with labels.


@singledispatch
def _of_scores(kind: ModelValue, metric: Metric, table: ScoreTable) -> tuple[float, Evidence]:
    raise InputError(
        f"The {metric.words} of a model goes by its decisions, and scores leave them open. Cut the "
        "scores where the model does, and give `predictions` and `labels`."
    )


@_of_scores.register
def _(_: kinds.PairsInOrder, metric: Metric, table: ScoreTable) -> tuple[float, Evidence]:
    return _ranked(of_pairs, metric, table)


@_of_scores.register
def _(_: kinds.PrecisionOfRanks, metric: Metric, table: ScoreTable) -> tuple[float, Evidence]:
    return _ranked(of_precision, metric, table)


def _ranked(
    limits: Callable[[RankFit], Wilson], metric: Metric, table: ScoreTable
) -> tuple[float, Evidence]:
    _check_both(table, metric)
    found = limits(RankFit(table.cells(), Options().draw, metric))
    return found.value, found


def _check_both(table: ScoreTable, metric: Metric) -> None:
    if not table.counts.any(axis=0).all():
        raise _needs_both(metric)


def _needs_both(metric: Metric) -> InputError:
    return InputError(
        f"The model's {metric.words} needs test items of both classes. Check `labels`."
    )


@_of_scores.register
def _(kind: kinds.BoundedLoss, metric: Metric, table: ScoreTable) -> tuple[float, Evidence]:
    p = class_probabilities(table.scores)
    return _mean(kind.losses(p).ravel(), table.counts.ravel(), kind.largest(p.shape[1]))


@_of_scores.register
def _(kind: kinds.UnboundedLoss, metric: Metric, table: ScoreTable) -> tuple[float, Evidence]:
    loss, count = kind.losses(class_probabilities(table.scores)).ravel(), table.counts.ravel()
    loss, count = loss[count > 0], count[count > 0]
    if not np.isfinite(loss).all():
        raise InputError(
            "`model_scores` give a probability of 0 to a label that occurs: the model's "
            f"{metric.words} is infinite. Keep its probabilities away from 0 and 1, as the model's "
            "own loss must."
        )
    n = int(count.sum())
    value = float(count @ loss / n)
    error = float(np.sqrt(count @ (loss - value) ** 2 / max(n - 1, 1) / n))
    error *= _for_few(int(table.counts.sum(axis=0).min()))
    return value, OnScale(value, error, "log", "normal")


@_of_scores.register
def _(_: kinds.SurestItems, metric: Metric, table: ScoreTable) -> tuple[float, Evidence]:
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
    p, counts = class_probabilities(table.scores), table.counts
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


def class_probabilities(scores: Floats, name: str = "model_scores") -> Floats:
    """Return a model's probability of each class, from one for each item or for each class."""
    two = scores.ndim == 1
    good = (scores >= 0).all() and (scores <= 1).all()
    if not good or (not two and (np.abs(scores.sum(axis=1) - 1) > 1e-6).any()):
        rest = "" if two else " that add up to 1"
        raise InputError(
            f"`{name}` must be probabilities here, numbers from 0 to 1{rest}. Pass logits through "
            "a sigmoid or softmax."
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


def refuse_many(metric: Metric, classes: int) -> None:
    """Say that a function of a two-by-two table is for two classes."""
    if classes > 2:
        raise InputError(
            f"The record of the metric {metric.name} says for two classes how a model's own value "
            f"is found (of_model), and the labels are of {classes}."
        )


def goes_by_scores(metric: Metric) -> bool:
    """Tell whether a model's value comes from its scores, not from its decisions."""
    return metric.of_model is not None and metric.of_model.by_scores


# From a published value and a number of test items.


def from_value(metric: Metric, value: object, n: object, floor: Estimate) -> Model:
    """Return the model with a published value on so many test items."""
    items, kind = _items(n), kind_of(metric)
    if not kind.published:
        table = (
            "`confusion`: counts of test items, a row for each true class, such as 480,40;60,420"
        )
        raise InputError(
            f"`model_value` and a number of items do not tell how sure a model's {metric.words} "
            f"is. Give {'`model_scores`' if kind.by_scores else table}."
        )
    number = _as_value(value, metric, len(floor.classes))
    evidence = _of_value(kind, metric, number, items, floor)
    return Model(number, items, evidence, {"model_value": number})


def _items(n: object) -> int:
    """Return the number of test items."""
    items = as_index(n)
    if not 1 <= items <= MOST_VOTES:
        raise InputError(f"`n` must be the number of test items, at least 1; got {shown(n)}.")
    return items


def can_be_published(metric: Metric) -> bool:
    """Tell whether a model's value and a number of items tell how sure the value is."""
    return metric.of_model is not None and metric.of_model.published


def as_index(value: Any) -> int:
    """Return a whole number, and -1 for what is none."""
    try:
        return -1 if isinstance(value, bool) else operator.index(value)
    except TypeError:
        return -1


def _as_value(value: Any, metric: Metric, classes: int) -> float:
    """Return a value that the metric can have."""
    if isinstance(metric.of_model, kinds.TableValue):  # one that is always wrong may be below 0
        least = float(metric.of_model.value(np.array([[0.0, 1.0], [1.0, 0.0]])))
        return as_fraction(value, name="model_value", least=min(least, 0.0))
    if not isinstance(metric.of_model, kinds.CostOfDecisions | kinds.BoundedLoss):
        return as_fraction(value, name="model_value")
    top = _largest_loss(metric, classes)
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = -1.0
    if not 0 <= number <= top:
        raise InputError(
            f"`model_value` must be the model's {metric.words}, from 0 to {top:g}; got "
            f"{shown(value)}."
        )
    return number


def _largest_loss(metric: Metric, classes: int) -> float:
    """Return the largest loss that a single item can have."""
    if isinstance(metric.of_model, kinds.BoundedLoss):
        return metric.of_model.largest(classes)
    return float(np.max(metric.given["costs"]))


@singledispatch
def _of_value(kind: ModelValue, metric: Metric, value: float, n: int, floor: Estimate) -> Evidence:
    raise AssertionError("a kind that says `published` has its limits here")


@_of_value.register
def _(_: kinds.WrongItems, metric: Metric, value: float, n: int, floor: Estimate) -> Evidence:
    return ExactShare(value * n, n)


@_of_value.register
def _(_: kinds.SurestItems, metric: Metric, value: float, n: int, floor: Estimate) -> Evidence:
    items = n * (float(metric.given["at"]) if metric.less_is_better else 1.0)
    return ExactShare(value * items, items)


@_of_value.register(kinds.CostOfDecisions)
@_of_value.register(kinds.BoundedLoss)
def _(_: ModelValue, metric: Metric, value: float, n: int, floor: Estimate) -> Evidence:
    return Wilson(value, n, span=_largest_loss(metric, len(floor.classes)))


@_of_value.register
def _(_: kinds.PairsInOrder, metric: Metric, value: float, n: int, floor: Estimate) -> Evidence:
    return Wilson(value, _rarest(metric, n, floor)[0])


@_of_value.register
def _(_: kinds.WrongInClasses, metric: Metric, value: float, n: int, floor: Estimate) -> Evidence:
    rarest, classes = _rarest(metric, n, floor)
    return Wilson(value, classes * rarest)


@_of_value.register
def _(kind: kinds.TableValue, metric: Metric, value: float, n: int, floor: Estimate) -> Evidence:
    refuse_many(metric, len(floor.classes))
    share = float(_known_shares(metric, floor)[1])
    found = AnyTable.of(kind.value, value, n, share)
    if not found.tables:
        raise InputError(
            f"`model_value` is {shown(value)}, a {metric.words} that no model can have."
        )
    return found


def _rarest(metric: Metric, n: int, floor: Estimate) -> tuple[float, int]:
    """Return how many of n items are of the rarest class if as many are as of the floor's."""
    shares = _known_shares(metric, floor)
    return max(n * float(shares.min()), 1.0), len(shares)


def _known_shares(metric: Metric, floor: Estimate) -> Floats:
    shares = shares_of(floor)
    if shares is None:
        instead = f"the model's {'scores' if goes_by_scores(metric) else 'predictions'}"
        if "prior" in metric.takes:
            instead = "`prior`, or the model's scores or predictions"
        raise InputError(
            f"`model_value` and a number of items do not tell how sure a model's {metric.words} "
            f"is where the shares of the classes are not known. Give {instead}."
        )
    return shares


def shares_of(floor: Estimate) -> Floats | None:
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


def counted(errors: int, n: int) -> Model:
    """Return the model with so many errors on so many items."""
    return Model(errors / n, n, ExactShare(errors, n))


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelOptions:
    """What a user says of a model."""

    errors: int | None = None
    n: int | None = None
    model_error: float | str | None = None
    accuracy: float | str | None = None
    model_value: float | str | None = None
    model_scores: object = None
    confusion: object = None
    labels: object = None
    predictions: object = None
    same_labelling: bool = False  # whether the test labels were made as the votes were
    positive: object = None  # which of the labels is class 1, where they are not 0 and 1
    classes: tuple[str, ...] | None = None  # two, in the order of a model's 0 and 1

    @property
    def given(self) -> tuple[str, ...]:
        """What was said of the model."""
        return tuple(
            one.name
            for one in fields(self)
            if one.name not in _OF_LABELS and getattr(self, one.name) is not None
        )

    def with_error(self) -> ModelOptions:
        """Return the same with its error, where its accuracy was given instead."""
        if self.accuracy is None:
            return self
        if self.model_error is not None:
            raise InputError("`accuracy` and `model_error` are both given. Give one of them.")
        error = 1 - as_fraction(self.accuracy, name="accuracy")
        return replace(self, model_error=error, accuracy=None)

    def check(self, ask: Ask, prediction: str | None = None) -> None:
        """Refuse half a model, and what leaves no verdict on it, before labels are read.

        A rate may be that on the items that are read.
        """
        if prediction is None:
            self._check_whole(ask.choice.record)
        else:
            self.refuse_beside_predictions()
        if ask.interval is None:
            raise InputError("A verdict needs an interval: leave out `interval=None`.")

    def _check_whole(self, metric: Metric) -> None:
        if self.confusion is not None:
            return
        if self.model_value is not None:
            if self.n is None:
                raise InputError("Give `n` with `model_value`.")
            return
        if not metric.is_error:
            raise InputError(
                f"Give `n` and `model_value`, the model's {metric.name}, or `confusion`, or "
                "`prediction`."
            )
        rates = [name for name in self.given if name in ("errors", "model_error", "accuracy")]
        if rates == ["errors"] and self.n is None:
            raise InputError("Give `n` with `errors`: how many items the model was tested on.")
        if len(rates) != 1:
            raise _without_errors()
        if self.errors is not None and self.n is not None and self.errors > self.n:
            raise InputError("`errors` must not be more than `n`. Check which is which.")

    def refuse_beside_predictions(self) -> None:
        """Refuse numbers of errors next to predictions, from which they are counted."""
        if isinstance(self.errors, Estimate) or is_data(self.errors):
            raise InputError(
                f"`errors` is a number, and got {type(self.errors).__name__}. Give the data alone, "
                "and first: the floor is estimated from the items that the predictions are of."
            )
        for name in self.given:
            if name not in ("labels", "predictions"):
                raise InputError(f"`{name}` is counted from the predictions. Leave it out.")

    def model(self, floor: Estimate) -> Model:
        """Return the model's value of the metric that a floor is of."""
        metric = floor.measure
        ways = [name for name in _WAYS if getattr(self, name) is not None]
        if "errors" in ways and "model_error" in ways:
            ways.remove("model_error")  # of these two the check of errors speaks
        if len(ways) > 1:
            raise InputError(f"`{ways[0]}` and `{ways[1]}` say the same twice. Leave one out.")
        way = ways[0] if ways else ""
        if self.labels is not None and way not in _BESIDE_LABELS:
            raise InputError(
                "`labels` goes with `model_scores` or `predictions` of the same items. Leave it "
                "out."
            )
        if way == "model_value":
            return from_value(metric, self.model_value, self.n, floor)
        if way not in ("model_scores", "confusion", "predictions"):
            if not metric.is_error:
                raise _more_than_errors(metric)
            if not ways and self.n is None:
                raise _without_errors()
            return counted(*_model_errors(self.errors, self.n, self.model_error))
        if self.n is not None:
            raise InputError("`n` is counted. Leave it out.")
        names = floor.classes
        if way == "confusion":
            matrix = as_confusion(self.confusion, len(names) if floor.n else None)
            return from_confusion(metric, matrix, {"confusion": matrix.tolist()})
        if self.labels is None:
            if floor.table is not None and floor.table.kind == VoteTable.kind:
                raise InputError(
                    f"`{way}` needs the `labels` of these items. To compare a model with the votes "
                    "themselves, keep its predictions in a column next to them and pass the data, "
                    "as in `ef.headroom(df, annotators=names, prediction='prediction')`."
                )
            raise InputError(f"`{way}` needs the `labels` of these items.")
        check_aligned(**{way: getattr(self, way), "labels": self.labels})
        given = {way: None, "labels": None}  # arrays, which a recipe can only name
        told = Binary(self.labels) if len(names) > 2 else self._told(floor)
        if way == "model_scores":
            return from_table(metric, _scored(self.model_scores, told.labels, names), given)
        return from_confusion(metric, _decided(self.predictions, told, names, self.classes), given)

    def _told(self, floor: Estimate) -> Binary:
        """Return the labels as 0 and 1, by the class that is 1 here or of the floor."""
        meant = None if floor.source is None else floor.source.options.positive
        meant = meant if self.positive is None else self.positive
        if is_words(self.labels) or self.positive is not None:
            return as_binary(self.labels, meant)
        return as_binary(self.labels, None)


_BESIDE_LABELS = ("model_scores", "predictions")
_OF_LABELS = ("same_labelling", "positive", "classes")  # which say nothing of a model
_WAYS = ("errors", "model_error", "model_value", "model_scores", "confusion", "predictions")


def _without_errors() -> InputError:
    return InputError(
        "Give `n` and either `errors`, `model_error` or `accuracy`. Where a column of the data "
        "holds what the model predicts, name it with `prediction` instead."
    )


def _more_than_errors(metric: Metric) -> InputError:
    kind = kind_of(metric)
    ways = ("model_scores",) if kind.by_scores else ("confusion", "predictions")
    ways = (*ways, "model_value") if kind.published else ways
    named = " or ".join(f"`{way}`" for way in ways)
    return InputError(f"A number of errors does not tell a model's {metric.words}. Give {named}.")


def _scored(scores: object, labels: object, names: tuple[str, ...]) -> ScoreTable:
    """Return the model's scores of test items with their labels, counted."""
    many = None if len(names) == 2 else names
    table = ScoreTable.from_arrays(scores, labels, classes=many)
    if len(table.classes) != len(names):
        raise InputError(
            f"`model_scores` are of {len(table.classes)} classes, and the floor is of "
            f"{len(names)}. Give a column for each class."
        )
    return table


def _decided(
    predictions: object, told: Binary, names: tuple[str, ...], order: tuple[str, ...] | None
) -> Counts:
    """Return how often each decision was made on items of each class."""
    if len(names) == 2:
        labels = as_labels(told.labels, name="labels").astype(np.int64)
        own = told.alike(predictions, "predictions", order)
        chosen = as_labels(own, name="predictions").astype(np.int64)
    else:
        labels, _ = codes_of(told.labels, len(names), names)
        chosen, _ = codes_of(predictions, len(names), names, "predictions")
    check_same_length(labels, chosen, ("labels", "predictions"))
    return confusion_of(labels, chosen, len(names))


def _model_errors(
    errors: int | None, n: int | None, model_error: float | str | None
) -> tuple[int, int]:
    items = _items(n)
    if (errors is None) == (model_error is None):
        raise InputError("Give either `errors`, a number of items, or `model_error`, a fraction.")
    if model_error is not None:
        return round(as_fraction(model_error, name="model_error") * items), items
    wrong = as_index(errors)
    if not 0 <= wrong <= items:
        raise InputError(
            f"`errors` must be a whole number from 0 to `n` = {items}, got {shown(errors)}. Pass a "
            "fraction as `model_error`."
        )
    return wrong, items
