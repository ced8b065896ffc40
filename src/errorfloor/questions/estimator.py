"""Estimators of scikit-learn: a floor from their held-out scores, and a scorer by headroom."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from errorfloor._checks import ErrorFloorWarning, InputError, as_generator, shown
from errorfloor._keywords import record_of
from errorfloor._typing import Counts, Floats
from errorfloor.data.matrices import is_matrix
from errorfloor.data.naming import is_same
from errorfloor.data.options import ReadOptions
from errorfloor.data.tables import ScoreTable
from errorfloor.data.values import as_entries, missing_in, text_of
from errorfloor.questions.headroom import headroom
from errorfloor.questions.models import goes_by_scores
from errorfloor.questions.question import Ask, LimitOptions, answer_of_scores, takes
from errorfloor.results import Estimate

_FOLDS = 5


class _Options(LimitOptions, total=False):
    positive: object
    complete: bool
    method: str | None


@takes(_Options)
def from_estimator(
    model: Any,
    X: Any,  # noqa: N803
    y: Any,
    *,
    cv: Any = _FOLDS,
    groups: Any = None,
    sample_weight: Any = None,
    **options: Unpack[_Options],
) -> Estimate:
    """Bound the error floor by the held-out scores of a scikit-learn classifier.

    Each item is scored by a copy of the model that was fitted without it (cross-validation), and
    the scores go to `from_scores`. Scores of a model on its own training data would claim a floor
    near 0.

    Parameters
    ----------
    model : estimator
        A classifier or a pipeline with `predict_proba` or `decision_function`. It is copied, and
        not fitted itself.
    X : array-like, sparse matrix or dataframe of shape (n, d)
        What the model sees of each item.
    y : array-like of shape (n,)
        The label of each item, of two classes or more: numbers or words.
    cv : int, splitter or iterable
        Number of folds, or anything that scikit-learn takes as `cv`, as long as each item is in one
        test part. Whole numbers make stratified folds of shuffled items, which keep `groups`
        together.
    groups : array-like of shape (n,), optional
        Which items belong together, such as those of one patient. They stay in one fold, and the
        limits allow for them (`cluster` of `from_scores`).
    sample_weight : array-like of shape (n,), optional
        What each item weighs, in fitting where the model takes weights and in the answer.
    positive : optional
        The label that is class 1; the second in sorted order by default, as in scikit-learn.
    complete : bool
        As in `from_scores`: declares that nothing else a model could see matters. A model's own
        scores are hardly ever complete.
    metric : str
        What "good" means, as in `from_scores`.
    costs : (float, float) or array-like of shape (classes, classes), optional
        What each kind of error costs, with ``metric="cost"``.
    at : float, optional
        The share of items to answer, or the error to allow, of metrics that abstain.
    prior : float or sequence of float, optional
        The share of class 1, or of each class, where it is known.
    method : str, optional
        As in `from_scores`.
    interval : str or None
        As in `from_scores`.
    level : float
        Confidence level.
    n_resamples : int
        Bootstrap resamples, for the intervals that use them.
    rng : None, int or numpy.random.Generator
        Seed of the folds and of the interval, 0 by default. Random parts of the model have their
        own seed, `random_state`.

    Returns
    -------
    Estimate
        What the best rule on these held-out scores can do, which bounds the floor from above:
        another model may do better. Its limits take the models of the folds for given.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.datasets import make_classification
    >>> X, y = make_classification(400, flip_y=0.2, random_state=0)
    >>> f"{from_estimator(LogisticRegression(), X, y, interval=None):.4f}"
    '0.2458 (no limit)'
    """
    ask = record_of(Ask, options).checked(ScoreTable.kind)  # before models are fitted
    positive = options.get("positive")
    labels = _as_labels(y)
    seed = int(as_generator(ask.rng).integers(2**31)) if ask.rng is not None else None
    scores, classes = _held_out(model, X, labels, cv, groups, sample_weight, seed)
    if is_matrix(scores):
        if positive is not None:
            raise InputError(
                f"`positive` goes with two classes, and there are {len(classes)}. Leave it out."
            )
        meant: dict[str, Any] = {"classes": [text_of(one) for one in classes]}
    else:
        first, second = classes
        meant = {"positive": second if positive is None else positive}
        if is_same(text_of(first), meant["positive"]):
            scores = 1 - scores if _are_shares(model) else -scores
    complete = options.get("complete", False)
    where = ReadOptions.of(**meant, weight=sample_weight, cluster=groups, complete=complete)
    found: Estimate = answer_of_scores(scores, labels, where, ask)
    held_out = f"Each item was scored by a copy of {type(model).__name__} fitted without it."
    return replace(found, assumptions=f"{held_out} {found.assumptions}")


def headroom_scorer(floor: Estimate) -> Callable[..., float]:
    """Make a scorer of scikit-learn that says how far a model is from the best possible value.

    Parameters
    ----------
    floor : Estimate
        What `from_votes`, `from_scores` or the like returned, of any metric.

    Returns
    -------
    callable
        A function of an estimator, `X` and `y`, as ``scoring`` of `cross_val_score` and
        `GridSearchCV` takes it. It returns 0 where the model's value is that of `floor`, and less
        the worse the model is: -0.03 means an error that is 3 points above the floor. Above 0 the
        model is better than the value of `floor`, by chance or for a reason that `headroom` tells.

    Examples
    --------
    >>> import errorfloor as ef
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = make_classification(400, flip_y=0.2, random_state=0)
    >>> floor = ef.from_votes([0] * 170 + [1] * 60 + [2] * 170, 2)
    >>> model = LogisticRegression().fit(X[:200], y[:200])
    >>> round(headroom_scorer(floor)(model, X[200:], y[200:]), 2)
    -0.15
    """
    if not isinstance(floor, Estimate):
        raise InputError(
            "`floor` must be what from_votes, from_scores or the like returned, got "
            f"{shown(floor)}."
        )
    if floor.interval is None:
        raise InputError("`floor` has no interval. Estimate it without `interval=None`.")
    return _HeadroomScorer(floor)


class _HeadroomScorer:
    """The scorer, as a class because grids send it to other processes."""

    def __init__(self, floor: Estimate) -> None:
        self.floor = floor

    def __call__(self, model: Any, X: Any, y: Any) -> float:  # noqa: N803
        """Return how far the model is from the floor, 0 or less where it is worse."""
        names = [text_of(one) for one in model.classes_]
        classes = self.floor.classes
        if len(names) != len(classes):
            raise InputError(
                f"The model knows {len(names)} classes, and the floor is of {len(classes)}. "
                "Estimate the floor of the same classes."
            )
        order = [names.index(one) for one in classes] if {*names} == {*classes} else None
        place = {name: i for i, name in enumerate(names if order is None else classes)}
        labels = _places(y, place)
        if goes_by_scores(self.floor.measure):
            scores = scores_of(model, X)
            scores = scores[:, order] if scores.ndim == 2 and order is not None else scores
            given: dict[str, Any] = {"model_scores": scores}
        else:
            given = {"predictions": _places(model.predict(X), place)}
        with warnings.catch_warnings():  # which a grid would repeat a hundred times
            warnings.simplefilter("ignore", ErrorFloorWarning)
            verdict: Any = headroom(self.floor, labels=labels, **given)
        return -float(verdict.difference)

    def __repr__(self) -> str:
        return f"headroom_scorer({self.floor.measure.words} of {self.floor.value:.4f})"


def _places(labels: Any, place: dict[str, int]) -> Counts:
    texts = [text_of(one) for one in as_entries(labels).tolist()]
    bad = next((one for one in texts if one not in place), None)
    if bad is not None:
        raise InputError(
            f"`y` has {shown(bad)}, which the model does not know: {', '.join(place)}."
        )
    return np.array([place[one] for one in texts])


def _as_labels(y: Any) -> NDArray[Any]:
    labels = as_entries(y)
    if labels.ndim != 1 or labels.size == 0:
        raise InputError(f"`y` must be 1-d with a label for each item, got shape {labels.shape}.")
    if missing_in(labels).any():
        raise InputError("`y` has missing labels. Leave such items out of X and y.")
    if len({text_of(one) for one in labels.tolist()}) < 2:
        raise InputError("`y` has one class only. Two classes or more are needed.")
    return labels


def _held_out(
    model: Any,
    points: Any,
    labels: NDArray[Any],
    cv: Any,
    groups: Any,
    weight: Any,
    seed: int | None,
) -> tuple[Floats, list[Any]]:
    """Return the score of each item by a model that was fitted without it, and the classes."""
    clone = _sklearn("base").clone
    classes = np.unique(labels)
    scores: Floats | None = None
    times = np.zeros(labels.size, dtype=np.int64)
    for train, test in _folds(cv, points, labels, groups, seed):
        gone = np.setdiff1d(classes, labels[train])
        if gone.size:
            raise InputError(
                f"`cv` leaves no item of the class {shown(gone.tolist()[0])} to fit one of its "
                "models. Use fewer folds, or more items of that class."
            )
        fitted = clone(model)
        fitted.fit(_rows(points, train), labels[train], **_weights(fitted, weight, train))
        found = scores_of(fitted, _rows(points, test))
        if scores is None:
            scores = np.empty((labels.size, *found.shape[1:]))
        scores[test] = found
        times[test] += 1
    if scores is None or (times != 1).any():
        raise InputError(
            "`cv` must have each item in one test part. Use folds, such as cv=5, not repeated or "
            "random splits."
        )
    return scores, classes.tolist()


def _folds(
    cv: Any, points: Any, labels: NDArray[Any], groups: Any, seed: int | None
) -> Iterable[tuple[Any, Any]]:
    """Return which items to fit to and which to score, again and again."""
    selection = _sklearn("model_selection")
    if isinstance(cv, int | np.integer) and not isinstance(cv, bool):
        least = int(min(np.unique(labels, return_counts=True)[1]))
        if not 2 <= cv <= least:
            raise InputError(
                f"`cv` must be from 2 to {least}, the number of items of the rarest class; got "
                f"{cv}."
            )
        kind = selection.StratifiedKFold if groups is None else selection.StratifiedGroupKFold
        cv = kind(int(cv), shuffle=True, random_state=seed)
    splits: Iterable[tuple[Any, Any]] = selection.check_cv(cv, labels, classifier=True).split(
        points, labels, groups
    )
    return splits


def _rows(points: Any, rows: Any) -> Any:
    """Return some rows of an array, a sparse matrix, a dataframe or a list."""
    if hasattr(points, "iloc"):
        return points.iloc[rows]
    if isinstance(points, list | tuple):
        return [points[row] for row in rows]
    return points[rows]


def _weights(model: Any, weight: Any, rows: Any) -> dict[str, Any]:
    """Return weights as a model takes them, or a pipeline for its last step; else none."""
    if weight is None:
        return {}
    steps = getattr(model, "steps", None)
    last, name = (steps[-1][1], f"{steps[-1][0]}__sample_weight") if steps else (model, "")
    takes = _sklearn("utils.validation").has_fit_parameter(last, "sample_weight")
    return {name or "sample_weight": np.asarray(weight)[rows]} if takes else {}


def scores_of(model: Any, points: Any) -> Floats:
    """Return a model's scores: of two classes those of the second, else a column for each."""
    if _are_shares(model):
        scores = np.asarray(model.predict_proba(points), dtype=np.float64)
        return scores[:, 1] if scores.shape[1] == 2 else scores
    if not hasattr(model, "decision_function"):
        raise InputError(
            f"`model` is a {type(model).__name__}, which has neither predict_proba nor "
            "decision_function. A floor needs scores: use a model that has one of them."
        )
    scores = np.asarray(model.decision_function(points), dtype=np.float64)
    if scores.ndim == 2 and scores.shape[1] != len(model.classes_):
        raise InputError(
            "`model` has a score for each pair of classes. Set decision_function_shape='ovr'."
        )
    return scores


def _are_shares(model: Any) -> bool:
    return hasattr(model, "predict_proba")


def _sklearn(part: str) -> Any:
    """Return a module of scikit-learn, or say how to get it."""
    try:
        import sklearn.base
        import sklearn.model_selection
        import sklearn.utils.validation
    except ImportError as error:
        message = "This needs scikit-learn: pip install 'errorfloor[features]'."
        raise ImportError(message) from error
    found: Any = sklearn
    for name in part.split("."):
        found = getattr(found, name)
    return found
