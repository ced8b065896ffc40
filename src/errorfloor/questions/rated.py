"""A model's predictions next to ratings of the same items: its share of the ceiling.

The excess of a model's squared error over the noise is a mean over items, and the covariance of
predictions with mean ratings is that with the true scores. So the share of the ceiling that a model
reaches is a ratio whose limits follow from a jackknife of both parts (Fieller), and it is the same
for one rating and for the mean of several.

References
----------
.. [1] E. Fieller, "Some problems in interval estimation", J. R. Stat. Soc. B 16, 1954.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from errorfloor._checks import InputError
from errorfloor._typing import Counts, Floats, RandomLike
from errorfloor.data.options import Reading, ReadOptions
from errorfloor.data.tables import RatingTable
from errorfloor.data.values import missing_in
from errorfloor.intervals.ratings import JACKKNIFE
from errorfloor.intervals.record import Seed
from errorfloor.methods.ratings import JointMoments, Rated, Totals, Variances
from errorfloor.metrics.variances import DIFFERENCE, NAMES
from errorfloor.questions.models import ModelOptions
from errorfloor.questions.ratings import (
    Fit,
    RatingsAsk,
    RatingsIn,
    answer_of_ratings,
    estimate,
    read_ratings,
)
from errorfloor.results import Interval, Verdict
from errorfloor.results.claim import Finding
from errorfloor.results.estimate import RatingsEstimate
from errorfloor.results.verdict import BEYOND, ROOM, SATURATED, Reached

_TOO_MUCH_CHANCE = 1e-3
_SQUARED = ("r2", "mse")


def headroom_of_ratings(
    data: Any, options: ModelOptions, own: Mapping[str, Any], **columns: Any
) -> Any:
    """Return the verdict on a model whose predictions, and nothing else, were given."""
    for name in options.given:
        if name != "predictions":
            raise InputError(
                f"`{name}` does not go with ratings. Pass the model's prediction for each item "
                "with `predictions`."
            )
    return model_beside_ratings(data, options.predictions, **own, **columns)


def model_beside_ratings(
    data: Any,
    predictions: Any = None,
    *,
    prediction: str | None = None,
    metric: str | None = None,
    label: str | int | None = None,
    raters: str | None = None,
    scale: Any = None,
    level: float = 0.95,
    interval: str | None = None,
    rng: RandomLike = 0,
    **columns: Any,
) -> Any:
    """Return where a model stands next to the ceiling of the ratings of the same items."""
    if isinstance(data, RatingsEstimate):
        _refuse_published(data)
        ask = _asked_again(data, metric, label, raters, scale, level)
        for name, value in columns.items():
            if value is not None and value is not False:
                raise InputError(f"`{name}` goes with data, not with an Estimate.")
        return _verdict(_with_predictions(data, predictions), ask)
    given = {"metric": metric, "label": label, "raters": raters, "interval": interval}
    named: dict[str, Any] = {name: value for name, value in given.items() if value}
    ask = RatingsAsk(**named, scale=scale, level=level).checked()
    if predictions is not None and prediction is not None:
        raise InputError(
            "`prediction` names a column, and `predictions` are an array. Give one of them."
        )
    if predictions is None and prediction is None and not _has_predictions(data):
        raise InputError(
            "`predictions` is missing. Pass the model's prediction for each item, or name its "
            "column with `prediction`."
        )
    own = () if prediction is None else (prediction,)
    reading = read_ratings(data, replace(ReadOptions.of(**columns), predictions=own))
    if predictions is not None:
        if list(reading.tables) != [None]:
            raise InputError("`predictions` as an array go without groups.")
        table: Any = reading.table
        reading = replace(reading, tables={None: _beside(table, predictions)})
    return answer_of_ratings(reading, ask, lambda ratings, ask, _: _verdict(ratings, ask))


def _has_predictions(data: Any) -> bool:
    tables = data.tables.values() if isinstance(data, Reading) else [data]
    return any(isinstance(one, RatingTable) and one.predictions is not None for one in tables)


def _asked_again(
    found: RatingsEstimate, metric: Any, label: Any, raters: Any, scale: Any, level: Any
) -> RatingsAsk:
    for name, value, own in (
        ("metric", metric, found.metric),
        ("label", label, found.label),
        ("raters", raters, found.options["raters"]),
    ):
        if value is not None and value != own:
            raise InputError(
                f"`{name}` of the Estimate is {own!r}. Leave it out, or estimate again."
            )
    return RatingsAsk(
        metric=found.metric,
        label=found.label,
        raters=found.options["raters"],
        scale=found.options["scale"] if scale is None else scale,
        level=level,
    ).checked()


def _refuse_published(found: RatingsEstimate) -> None:
    if not isinstance(found.table, RatingTable) or found.source is None:
        raise InputError(
            "`estimate` comes from a published agreement, without items to compare predictions on. "
            "Pass the ratings themselves."
        )


def _with_predictions(found: RatingsEstimate, predictions: Any) -> RatingsIn:
    assert isinstance(found.table, RatingTable)
    assert found.source is not None
    if predictions is None and found.table.predictions is not None:
        return RatingsIn(found.table, found.source)
    if predictions is None:
        raise InputError("`predictions` is missing. Pass the model's prediction for each item.")
    return RatingsIn(_beside(found.table, predictions), found.source)


def _beside(table: RatingTable, predictions: Any) -> RatingTable:
    """Return the table with a prediction for each item, in the order of the items."""
    try:
        array = np.asarray(predictions, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("`predictions` must be numbers.") from None
    if array.shape != (table.n,):
        left = f" ({table.dropped:,} were left out)" if table.dropped else ""
        raise InputError(
            f"`predictions` must have an entry for each of {table.n:,} items{left}, in the order "
            f"in which items first appear; got shape {array.shape}."
        )
    bad = missing_in(array) | np.isinf(array)
    if bad.any():
        raise InputError(
            f"`predictions` must be finite numbers: entry {int(np.argmax(bad))} is not."
        )
    return table.with_predictions(array)


# The statistics --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Jackknifed:
    """Several statistics at once, without their bias, and how they vary together."""

    value: Floats
    covariance: Floats
    df: float

    @classmethod
    def of(cls, totals: Totals, statistics: Callable[[Floats], Floats]) -> _Jackknifed:
        """Leave out units, and raters where they are shared."""
        whole = statistics(totals.total)
        number, n = totals.number, int(totals.number.sum())
        left = statistics(totals.without_units)
        mean = number @ left / n
        off = left - mean
        covariance = (n - 1) / n * (off.T * number) @ off
        value = n * whole - (n - 1) * mean
        df = _freedom(off[:, 0] - off[:, -1] * (off.shape[1] > 1), number)
        without = totals.without_raters
        if without is not None:
            rows = statistics(without)
            k = len(rows)
            apart = rows - rows.mean(axis=0)
            covariance = covariance + (k - 1) / k * apart.T @ apart
            df = min(df, float(max(k - 1, 2)))
        return cls(value, covariance, df)

    def quantile(self, level: float) -> float:
        """Return Student's t."""
        from scipy.special import stdtrit

        return float(stdtrit(self.df, (1 + level) / 2))

    def _error(self, weights: Floats) -> float:
        return float(np.sqrt(max(float(weights @ self.covariance @ weights), 0.0)))

    def p_above(self, weights: Floats) -> float:
        """Return the p-value of "a sum of the statistics is not above 0"."""
        from scipy.special import stdtr

        error = self._error(weights)
        value = float(weights @ self.value)
        if error == 0:
            return 0.0 if value > 0 else 1.0
        return float(stdtr(self.df, -value / error))

    def limits(self, weights: Floats, level: float) -> tuple[float, float]:
        """Return limits of a sum of the statistics."""
        half = self.quantile(level) * self._error(weights)
        value = float(weights @ self.value)
        return value - half, value + half

    def ratio(self, level: float) -> tuple[float, float]:
        """Return limits of the first statistic over the second, which is not negative."""
        (a, b), cov = self.value[:2], self.covariance
        square = self.quantile(level) ** 2
        two = b**2 - square * cov[1, 1]
        one = a * b - square * cov[0, 1]
        none = a**2 - square * cov[0, 0]
        root = np.sqrt(max(one**2 - two * none, 0.0))
        if two > 0 and b > 0:
            return float((one - root) / two), float((one + root) / two)
        # The second may be 0: large ratios are not refuted, and small ones are if the first is
        # surely above 0.
        if none > 0 and a > 0:
            ends = [one_end for sign in (-1, 1) if (one_end := (one + sign * root) / two) > 0]
            return float(min(ends, default=0.0)), np.inf
        return (0.0 if a > 0 or none <= 0 else -np.inf), np.inf


def _freedom(off: Floats, number: Counts) -> float:
    """Return degrees of freedom of Student's t, fewer where a few units make the difference."""
    n = int(number.sum())
    square = float(number @ off**2) / n
    kurtosis = float(number @ off**4) / n / square**2 if square > 0 else 3.0
    return float(min(max(2 * n / max(kurtosis - 1, 1e-9), 3.0), max(n - 1, 1)))


@dataclass(frozen=True, slots=True, eq=False)
class _Beside:
    """Ratings with predictions, as a metric looks at them."""

    fit: Fit
    share_of_ones: float  # mean of one over the number of ratings

    @classmethod
    def of(cls, fit: Fit) -> _Beside:
        rated = fit.rated
        mass = rated.weight * rated.count
        return cls(fit, float(mass @ (1 / rated.size) / mass.sum()))

    def parts(self, sums: Floats) -> tuple[Variances, JointMoments]:
        """Return variances and what they have to do with predictions."""
        totals = self.fit.totals
        return totals.variances(sums), JointMoments.of(totals, sums)

    def excess(self, found: Variances, both: JointMoments) -> Any:
        """Return by how much the squared error is above the noise."""
        noise = found.noise * self.share_of_ones if self.fit.shared else found.of_means
        return both.distance - noise

    def label_noise(self, found: Variances) -> Any:
        """Return the noise of the label."""
        return self.fit.noise_of(found)

    def value(self, metric: str, sums: Floats) -> Any:
        """Return the model's value of a metric."""
        found, both = self.parts(sums)
        signal, noise = np.maximum(found.signal, 0), self.label_noise(found)
        whole = np.maximum(signal + noise, 1e-300)
        if metric == "mse":
            return np.maximum(self.excess(found, both) + noise, 0)
        if metric == "r2":
            return np.minimum(1 - (self.excess(found, both) + noise) / whole, 1)
        if metric in ("qwk", "ccc"):
            return 2 * both.covariance / (both.variance + whole + both.shift**2)
        return np.clip(both.covariance / np.sqrt(np.maximum(both.variance * whole, 1e-300)), -1, 1)

    def explained(self, metric: str, found: Variances, both: JointMoments) -> Any:
        """Return what is compared with the signal: the squared share of it, or the share."""
        if metric in _SQUARED:
            return found.signal - self.excess(found, both)
        if metric in ("qwk", "ccc"):
            whole = np.maximum(found.signal, 0) + self.label_noise(found)
            spread = both.variance + whole + both.shift**2
            return 4 * both.covariance * np.abs(both.covariance) * whole / spread**2
        return both.covariance * np.abs(both.covariance) / np.maximum(both.variance, 1e-300)


def _verdict(ratings: RatingsIn, ask: RatingsAsk) -> Verdict:
    if ask.meant.median:
        raise InputError("`label` may be a mean next to predictions, not a median. Ask for a mean.")
    floor = estimate(ratings, replace(ask, interval=ask.interval or "auto"), Seed.of(0))
    table = ratings.table
    assert table.predictions is not None
    if np.ptp(table.predictions) == 0 and ask.metric not in ("mse", "mae", "r2"):
        raise InputError("`predictions` are all the same, and have no correlation with anything.")
    floor, fit = _with_copies(floor, table), Fit.of(table, ask)
    if ask.record.how.of == DIFFERENCE:
        return _absolute(floor, fit, ask)
    return _stands(floor, _Beside.of(fit), ask)


def _stands(floor: RatingsEstimate, beside: _Beside, ask: RatingsAsk) -> Verdict:
    """Return the verdict by a metric of variances."""
    totals, name = beside.fit.totals, ask.metric

    def statistics(sums: Floats) -> Floats:
        found, both = beside.parts(sums)
        return np.stack([beside.explained(name, found, both), found.signal], axis=-1)

    both = _Jackknifed.of(totals, statistics)
    model, limits = _model(beside, ask)
    share = _share(name, both, ask.level)
    least = (1 - ask.record.how.gap) ** (1 if name in _SQUARED else 2)
    # Whether the explained part is below the signal, or above it.
    p_room = both.p_above(np.array([-1.0, least]))
    p_beyond = both.p_above(np.array([1.0, -1.0]))
    tail = (1 - ask.level) / 2
    difference = ask.record.gap(model, floor.value)
    low, high = _difference(name, share, floor, both, ask)
    return Verdict(
        verdict=ROOM if p_room <= tail else BEYOND if p_beyond <= tail else SATURATED,
        difference=difference,
        low=min(low, difference),
        high=max(high, difference),
        level=ask.level,
        p_room=p_room,
        p_beyond=p_beyond,
        model_error=model,
        n=floor.n,
        model=limits,
        floor=floor,
        same_labelling=True,
        share=share,
        worth=_worth(beside, totals, ask.level),
        given={"prediction": _column_of(floor)},
    )


def _column_of(floor: RatingsEstimate) -> Any:
    """Return the column of predictions, or True where they are an array."""
    source = floor.source
    return True if source is None else next(iter(source.options.predictions), True)


def _model(beside: _Beside, ask: RatingsAsk) -> tuple[float, Interval]:
    """Return the model's own value with limits."""
    name, totals = ask.metric, beside.fit.totals
    own = _Jackknifed.of(totals, lambda sums: np.asarray(beside.value(name, sums))[..., None])
    model = float(beside.value(name, totals.total))
    low, high = own.limits(np.ones(1), ask.level)
    least, most = (0.0, np.inf) if ask.record.less_is_better else (-1.0, 1.0)
    least = -np.inf if name == "r2" else least
    ends = max(min(low, model), least), min(max(high, model), most)
    return model, Interval(*ends, ask.level, JACKKNIFE)


def _share(name: str, both: _Jackknifed, level: float) -> Reached:
    """Return the share of the ceiling that the model reaches, with limits."""
    explained, signal = both.value
    if name in _SQUARED:
        low, high = both.ratio(level)
        value = explained / signal if signal > 0 else np.inf
        return Reached(float(max(value, 0.0)), max(low, 0.0), max(high, 0.0))
    low, high = both.ratio(level)
    value = max(explained, 0) / signal if signal > 0 else np.inf
    ends = (max(low, 0.0), max(high, 0.0))
    return Reached(float(np.sqrt(value)), *map(float, np.sqrt(ends)))


def _difference(
    name: str, share: Reached, floor: RatingsEstimate, both: _Jackknifed, ask: RatingsAsk
) -> tuple[float, float]:
    """Return limits of how much worse the model is than the best there can be."""
    if name in _SQUARED:  # signal less what is explained, over the variance of the label for R2
        low, high = both.limits(np.array([-1.0, 1.0]), ask.level)
        whole = floor.signal / floor.value if name == "r2" and floor.value > 0 else 1.0
        return low / whole, high / whole
    best = floor.value
    ends = [best * (1 - one) if np.isfinite(one) else -1.0 for one in (share.high, share.low)]
    return max(min(ends), -1.0), min(max(ends), 2.0)


def _worth(beside: _Beside, totals: Totals, level: float) -> Reached:
    """Return how many people's mean rating is as good as the model, by correlation."""

    def statistics(sums: Floats) -> Floats:
        found, both = beside.parts(sums)
        explained = beside.explained("pearson", found, both)
        signal = found.signal
        return np.stack([explained * found.noise, signal**2 - explained * signal], axis=-1)

    both = _Jackknifed.of(totals, statistics)
    found, own = beside.parts(totals.total)
    explained = float(beside.explained("pearson", found, own))
    signal, noise = max(float(found.signal), 0.0), float(found.noise)
    whole = signal**2 - explained * signal
    value = max(explained, 0.0) * noise / whole if whole > 0 else np.inf
    low, high = both.ratio((1 + level) / 2)  # measured: at `level` itself limits are too narrow
    low = max(low, 0.0)
    return Reached(float(value), min(low, value), max(high, value) if value < np.inf else np.inf)


def _absolute(floor: RatingsEstimate, fit: Fit, ask: RatingsAsk) -> Verdict:
    """Return the verdict by the mean absolute error, whose floor is known up to a factor of two."""
    rated: Rated = fit.rated
    assert rated.prediction is not None
    off = np.abs(rated.prediction[rated.item] - rated.value)
    each = np.bincount(rated.item, off, minlength=rated.size.size) / rated.size
    parts, number = rated.units(np.column_stack((rated.weight * each, rated.weight)))
    total = np.column_stack((rated.weight * each, rated.weight)).T @ rated.count
    sums = Totals(total, parts, number, fit.totals.variances)
    own = _Jackknifed.of(sums, lambda one: (one[..., 0] / one[..., 1])[..., None])
    model = float(total[0] / total[1])
    low, high = own.limits(np.ones(1), ask.level)
    assert floor.low is not None
    assert floor.high is not None
    p_room = own.p_above(np.ones(1)) if floor.high == 0 else _p_off(own, floor.high, 1)
    p_beyond = _p_off(own, floor.low, -1)
    verdict = ROOM if low > floor.high else BEYOND if high < floor.low else SATURATED
    return Verdict(
        verdict=verdict,
        difference=model - floor.value,
        low=low - floor.high,
        high=high - floor.low,
        level=ask.level,
        p_room=p_room,
        p_beyond=p_beyond,
        model_error=model,
        n=rated.n,
        model=Interval(max(min(low, model), 0.0), max(high, model), ask.level, JACKKNIFE),
        floor=floor,
        same_labelling=True,
        given={"prediction": _column_of(floor)},
    )


def _p_off(own: _Jackknifed, limit: float, side: int) -> float:
    moved = replace(own, value=side * (own.value - limit))
    return moved.p_above(np.ones(1))


def _with_copies(floor: RatingsEstimate, table: RatingTable) -> RatingsEstimate:
    """Refute predictions that are the items' own ratings: they are no predictions."""
    assert table.predictions is not None
    item = np.repeat(np.arange(len(table)), table.sizes)
    own = table.predictions[item]
    matches = np.bincount(item, table.values == own, minlength=len(table)) > 0
    means = np.bincount(item, table.values, minlength=len(table)) / table.sizes
    several = table.sizes > 1
    copied_mean = np.isclose(means, table.predictions, rtol=1e-12, atol=0).all()
    if not matches.all() and not (copied_mean and several.any()):
        return floor
    # How often one person's rating is another's of the same item; a model may do better by half.
    alike = np.zeros(table.values.size, dtype=np.bool_)
    order = np.lexsort((table.values, item))
    same = (np.diff(table.values[order]) == 0) & (np.diff(item[order]) == 0)
    alike[order[1:]] |= same
    alike[order[:-1]] |= same
    usual = float(alike[several[item]].mean()) if several.any() else 1.0
    if ((1 + usual) / 2) ** table.n > _TOO_MUCH_CHANCE:
        return floor
    what = "the mean of its own ratings" if not matches.all() else "one of its own ratings"
    finding = Finding(
        "Copied ratings",
        f"{table.n:,} of {table.n:,} items",
        "refuted",
        f"The prediction of every item is {what}: these are ratings, not predictions.",
        "Predict each item without its ratings.",
    )
    return replace(floor, findings=(finding, *floor.findings))


_OWN_COLUMNS = ("rating", "ratings", "rater", "raters", "scale")


def is_about_ratings(data: Any, metric: Any, columns: Any) -> bool:
    """Tell whether a question about a model is one about ratings."""
    tables = data.tables.values() if isinstance(data, Reading) else [data]
    if any(isinstance(one, RatingsEstimate | RatingTable) for one in tables):
        return True
    named = isinstance(metric, str) and metric.lower() in NAMES
    return named or any(columns.get(name) is not None for name in _OWN_COLUMNS)
