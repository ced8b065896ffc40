"""What features tell about the floor: a proved upper limit, and the classic estimates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from errorfloor import checks
from errorfloor._checks import (
    InputError,
    Sentence,
    as_flag,
    aside,
    check_choice,
    check_level,
    shown,
)
from errorfloor._keywords import explains_keywords
from errorfloor._numbers import per_cent
from errorfloor._typing import Counts, RandomLike
from errorfloor.data.features import Features, read_features
from errorfloor.data.options import ReadOptions, Source
from errorfloor.data.values import is_id
from errorfloor.features import classics, sequence
from errorfloor.features.classics import SEQUENTIAL
from errorfloor.features.leaks import changes_along, rows_together, telling_columns
from errorfloor.features.sequence import families
from errorfloor.intervals.models import upper_limit
from errorfloor.intervals.record import Evidence, Seed
from errorfloor.metrics import ERROR
from errorfloor.results import Estimate, FeaturesEstimate, Interval
from errorfloor.results.claim import Finding

NO_LOWER_LIMIT = (
    "There is no lower limit: with one label per item, features cannot tell noise in the labels "
    "from a pattern that no model has found yet."
)


@dataclass(frozen=True, slots=True, eq=False)
class BothLimits:
    """Limits from labels and from predictions, each with half of the risk."""

    labels: Evidence = field(repr=False)
    predictions: Evidence = field(repr=False)
    method: str

    def limits(self, level: float) -> tuple[float, float]:
        """Return the lower limit of the labels, and the lower of both upper ones."""
        low, high = self.labels.limits((1 + level) / 2)
        most = self.predictions.limits((1 + level) / 2)[1]
        return min(low, most), min(high, most)


def check_floor(floor: object, same_labelling: bool) -> None:
    """Refuse what features cannot be set next to."""
    as_flag(same_labelling, name="same_labelling")
    if floor is None:
        if same_labelling:
            raise InputError(
                "`same_labelling` goes with a floor from votes or scores. Add `floor`."
            )
        return
    able = isinstance(floor, Estimate) and floor.evidence is not None and floor.n > 0
    if not able or isinstance(floor, FeaturesEstimate) or not floor.measure.is_error:  # type: ignore[attr-defined]
        raise InputError(
            "`floor` must be an error floor with an interval, from votes or scores of the same "
            "items. Estimate it by `from_votes()` or `from_scores()`."
        )
    claim, metric = floor.claim, floor.measure  # type: ignore[attr-defined]
    if not claim.unbeatable(metric):
        raise InputError(
            f"`floor` is that of {claim.best_of}, which bounds the floor from above, as features "
            "do. Take one from votes, or from scores with `complete=True`."
        )
    if floor.refuted:  # type: ignore[attr-defined]
        raise InputError("`floor` is refuted by its own data. Mend that first.")


def beside(found: FeaturesEstimate, floor: Estimate | None, same: bool) -> FeaturesEstimate:
    """Return an answer from features with what labels say of the same items.

    Where the labels were made as the votes were, both limits hold for one floor. Else there are
    two floors, and that one excludes the other is a finding.
    """
    if floor is None or floor.evidence is None or found.evidence is None or found.level is None:
        return found
    if len(floor.classes) != len(found.classes):
        raise InputError(
            f"`floor` is of {len(floor.classes)} classes, the labels are of {len(found.classes)}."
        )
    half = (1 + found.level) / 2
    low, most = floor.evidence.limits(half)[0], found.evidence.limits(half)[1]
    findings = (_contradiction(found, floor, same),) if low > most else ()
    warned = _with(found, findings)
    if not same:
        return warned
    evidence = BothLimits(floor.evidence, found.evidence, f"{found.method} and {floor.method}")
    interval = Interval.at(found.level, evidence, ERROR, len(found.classes))
    proved = found.assumptions.removesuffix(f" {NO_LOWER_LIMIT}")
    assumes = f"{proved} {floor.assumptions} The labels were made as"
    return replace(
        warned,
        value=min(max(floor.value, interval.low), interval.high),
        interval=interval,
        evidence=evidence,
        assumptions=f"{assumes} those behind the lower limit.",
        lower_from=floor.method,
        lower_claim=floor.claim,
    )


def _contradiction(found: FeaturesEstimate, floor: Estimate, same: bool) -> Finding:
    reached, votes = per_cent(found.value), per_cent(floor.value)
    if same:
        return Finding(
            "Labelling",
            "contradicted",
            "refuted",
            f"An error of {reached} is reached on these labels, below what the floor of {votes} "
            f"by {floor.method} allows.",
            "The labels were not made as that floor assumes: leave out the same labelling.",
        )
    return Finding(
        "Labelling",
        "another one",
        "warn",
        f"An error of {reached} is already reached on these labels; the floor of {votes} by "
        f"{floor.method} answers another question.",
        "State which label is meant.",
    )


_LISTED = 8  # columns in a sentence
DUPLICATES = REFUSED, FIRST, ALL = "error", "first", "all"
_ASSUMES = (
    "Items are independent, except within a cluster, and their features were made without using "
    "the labels. Near-copies and several rows of one person are not independent: declare them as "
    "clusters; the checks cannot find all of them."
)


@explains_keywords
def from_features(
    X: Any,  # noqa: N803
    y: Any = None,
    *,
    method: str = SEQUENTIAL,
    models: Sequence[Any] = (),
    label: str | None = None,
    features: Any = None,
    cluster: Any = None,
    classes: Any = None,
    duplicates: str = REFUSED,
    drop_missing: bool = False,
    floor: Estimate | None = None,
    same_labelling: bool = False,
    device: str | None = None,
    level: float = 0.95,
    rng: RandomLike = 0,
) -> FeaturesEstimate:
    """Find how high the error floor can be at most, from features and one label per item.

    Parameters
    ----------
    X : array-like of shape (n, d), dataframe or path
        What a model sees of each item: numbers. Of a dataframe or file (CSV, Parquet, NPZ and
        others) all columns of numbers, or the one column that holds a list of numbers. An `.npy`
        file is mapped, so that only the numbers that are worked with are in memory. A sparse array
        is filled up with its zeros, up to 67 million numbers.
    y : array-like of shape (n,), or path
        The label of each item, of two classes or more; with an array or an `.npy` file, and maybe
        in such a file itself.
    method : str
        "sequential" for a limit that is proved. The classics "1nn", "knn-K" such as "knn-15",
        "ghp" and "noshad" have ends that hold with unlimited items only, and no interval.
    models : sequence of estimators
        Further models for "sequential": unfitted, with `fit` and `predict`, in the manner of
        scikit-learn. Labels are given to them as 0, 1 and so on.
    label : str, optional
        Column of the label in a dataframe or file; by default that of a usual name.
    features : str or sequence of str, optional
        Columns of the features; by default all other numeric columns.
    cluster : str or array-like of shape (n,), optional
        Column or array that says which items belong together. They count as one, for which one of
        them is drawn.
    classes : sequence, optional
        All classes that there are, where some may have no item here. Of K classes no floor is above
        1 - 1 / K; without this nothing is taken for granted about their number.
    duplicates : {"error", "first", "all"}
        Rows with equal features: refused, because copies break the limit; or the first of them
        kept; or all, where they are different items that only look alike. Rows that look like
        copies with some noise, or like several rows of one person, are refused as well, unless all
        are kept.
    drop_missing : bool
        Whether to leave out rows where something is missing, which are an error otherwise.
    floor : Estimate, optional
        The floor from votes or scores of the same items, for "sequential".
    same_labelling : bool
        Whether the labels were made as the votes were. Then the floor's lower limit holds here,
        too. If not, and the limit is below that floor, a finding says so: votes and labels answer
        different questions.
    device : str, optional
        Where neighbours are looked for: "cuda" for a graphics card, which needs PyTorch. They are
        the same ones, so that this is a matter of time alone. By default the processor.
    level : float
        Confidence level of the upper limit; of both limits together where there are two.
    rng : None, int or numpy.random.Generator
        Seed of the order in which items are predicted, 0 by default; None draws a new one.

    Returns
    -------
    FeaturesEstimate
        Its value is the error rate of sequential prediction, itself above the floor on average;
        `high` is the limit, and `low` is 0.

    Notes
    -----
    Each item is predicted by the leader among models that were fitted to earlier items alone. It
    is wrong with at least the probability that the best possible rule is. So the errors are at
    least as many as a Binomial(n, floor) in distribution, whatever the models and features are
    and however the leader is chosen from the past, and the upper limit of Clopper and Pearson [1]_
    holds without correction. With one label per item there is no lower limit but 0.

    References
    ----------
    .. [1] C. Clopper and E. Pearson, Biometrika 26, 1934.

    Examples
    --------
    >>> from errorfloor.datasets.synthetic import gaussian_cloud
    >>> data = gaussian_cloud(1_000, dimensions=5, floor=0.1, rng=0)
    >>> found = from_features(data.features, data.labels, rng=0)
    >>> found.low, data.floor < found.high < 0.15
    (0.0, True)
    """
    level, classic = check_level(level), _asked_for(method, models)
    check_choice(duplicates, DUPLICATES, name="duplicates")
    check_floor(floor, same_labelling)
    for name, given in (("models", len(models) > 0), ("floor", floor is not None)):
        if classic is not None and given:
            raise InputError(f"`{name}` goes with `method={SEQUENTIAL!r}`.")
    told = families(models, device)
    named = {"label": label, "cluster": cluster, "classes": classes}
    data = read_features(X, y, features, ReadOptions.of(**named, drop_missing=drop_missing))
    seed = Seed.of(rng)
    order = _order(data, duplicates, seed.begin())
    _refuse_groups(data, np.sort(order), duplicates, device)
    options = {
        "method": method,
        "level": level,
        "duplicates": duplicates,
        "models": [type(model).__name__ for model in models],
        "floor": None if floor is None else floor.method,
        "same_labelling": same_labelling,
    }
    about = {
        "metric": ERROR.name,
        "dimensions": data.points.shape[1],
        "class_names": data.classes,
        "n": order.size,
        "dropped": 0 if data.kept is None else int((~data.kept).sum()),
        "clusters": None if data.clusters is None else order.size,
        "options": options,
        "seed": seed,
        "source": replace(data.source, rows=len(data.codes)),
    }
    points, codes = data.points[order], data.codes[order]
    if classic is None:
        run = sequence.run(points, codes, len(data.classes), told)
        found = beside(_proved(run, order.size, level, about), floor, same_labelling)
    else:
        found = _classic(classic, classic.ends(points, codes, len(data.classes), device), about)
    found = _with(found, (*_left_out(data.source), *_followed(data), *_telling(data)))
    checks.issue(found)
    return found


def _with(found: FeaturesEstimate, findings: tuple[Finding, ...]) -> FeaturesEstimate:
    return replace(
        found,
        findings=(*found.findings, *findings),
        warnings=(*found.warnings, *(finding.text for finding in findings)),
    )


@dataclass(frozen=True, slots=True)
class SequentialErrors:
    """Errors of items that were predicted one after another, each from earlier ones alone."""

    errors: int
    n: int
    method: str = SEQUENTIAL

    def limits(self, level: float) -> tuple[float, float]:
        """Return 0 and the exact upper limit at `level`, all of whose risk is on one side."""
        return 0.0, float(upper_limit(self.errors, self.n, 1 - level))


def _asked_for(method: object, models: object) -> classics.Classic | None:
    """Return the classic estimate that was named, or None for the sequential one."""
    if not isinstance(models, list | tuple):
        raise InputError(f"`models` must be a list of models, got {shown(models)}.")
    return None if isinstance(method, str) and method == SEQUENTIAL else classics.find(method)


def _proved(run: sequence.Run, n: int, level: float, about: dict[str, Any]) -> FeaturesEstimate:
    evidence = SequentialErrors(run.errors, n)
    found = FeaturesEstimate(
        value=run.errors / n,
        method=SEQUENTIAL,
        interval=None,
        evidence=evidence,
        assumptions=f"{_ASSUMES} {NO_LOWER_LIMIT}",
        errors=run.errors,
        leader=run.leader,
        models={name: wrong / n for name, wrong in zip(run.names, run.model_errors, strict=True)},
        **about,
    )
    number = len(found.classes)
    return replace(
        found,
        value=min(found.value, found.measure.span(number)[1]),
        interval=Interval.at(level, evidence, found.measure, number),
    )


def _classic(
    classic: classics.Classic, ends: classics.Ends, about: dict[str, Any]
) -> FeaturesEstimate:
    found = FeaturesEstimate(
        value=ends.value,
        method=classic.name,
        interval=None,
        assumptions=f"{classic.assumes}. Its ends are no limits at any number of items.",
        lower_end=ends.low,
        upper_end=ends.high,
        **about,
    )
    return _with(found, tuple(_doubts(classic, about["dimensions"])))


def _place(data: Features, column: int) -> int:
    """Return which column of what was given a feature is."""
    return column if data.columns is None else int(data.columns[column])


def _followed(data: Features) -> Iterator[Finding]:
    """Find that labels follow a column that numbers items, which was named or is the only one."""
    for at in range(data.points.shape[1]):
        values = data.points[:, at]
        if not is_id(values):
            continue
        changes, expected, follow = changes_along(values, data.codes)
        if follow:
            column = _place(data, at)
            yield Finding(
                "Columns",
                f"column {column}",
                "refuted" if np.array_equal(values, np.floor(values)) else "warn",
                f"Column {column} of the features (the first is 0) numbers the rows, and the "
                f"labels follow it: they change {changes:,} times along it, where chance makes "
                f"about {expected:,.0f}. It says how the rows were sorted, which no model sees.",
                "Leave it out.",
            )


def _telling(data: Features) -> Iterator[Finding]:
    """Find that a feature is the label under another name."""
    for at in telling_columns(data.points, data.codes)[:1]:
        column = _place(data, at)
        yield Finding(
            "Label",
            f"column {column}",
            "warn",
            f"Column {column} of the features (the first is 0) tells the label by itself: each of "
            "its few values goes with one class. It may be the label under another name, which no "
            "model sees.",
            "Leave it out, unless a model has it when it is used.",
        )


def _left_out(source: Source) -> Iterator[Finding]:
    """Find that columns that nobody named were left out: those that number rows, and text."""
    facts = source.facts
    to_keep = Sentence("To keep it, name the columns of features", aside("features"), ".")
    if source.origin == "arrays":
        to_keep = Sentence("To keep it, pass a dataframe with names and choose its columns.")
    for column in facts.get("numbered_columns", ()):
        yield Finding(
            "Columns",
            column,
            "warn",
            f"{column} counts rows and was left out: it tells nothing about a new item, and hides "
            "which rows are copies.",
            to_keep,
        )
    texts = facts.get("text_columns", ())
    if texts:
        listed = f"{', '.join(texts[:_LISTED])}{', ...' if len(texts) > _LISTED else ''}"
        yield Finding(
            "Columns of text",
            listed,
            "warn",
            f"Columns of text were left out: {listed}. A model that sees them may do better.",
            Sentence(
                "Turn them into numbers, for example by pandas.get_dummies, or name the columns "
                "to use",
                aside("features"),
                ".",
            ),
        )


def _doubts(classic: classics.Classic, dimensions: int) -> Iterator[Finding]:
    """Find that a classic estimate is asked beyond where it was ever right."""
    if dimensions >= classic.fails_from:
        yield Finding(
            "Dimensions",
            f"{dimensions:,}",
            "warn",
            f"From about {classic.fails_from} dimensions on, {classic.name} misses the floor on "
            f"made data whose floor is known, and here there are {dimensions:,}.",
            f'method="{SEQUENTIAL}" has an upper limit that is proved in any dimension.',
        )


def _refuse_groups(data: Features, rows: Counts, duplicates: str, device: str | None) -> None:
    """Refuse rows that look as if they belonged together, though nobody said so."""
    if duplicates == ALL:
        return
    found = rows_together(data.points[rows], data.codes[rows], device)
    if found is not None:
        one, other = (data.row(rows[row]) for row in (found.one, found.other))
        raise InputError(
            f"Rows {one} and {other} of `X` look like copies of one item, or like rows of one "
            f"person, and so do others ({per_cent(found.share, 0)} of the rows). Such "
            f"neighbours have the same label in {per_cent(found.same, 0)} of cases, "
            f"the next ones in {per_cent(found.same_outside, 0)}. Rows that belong together break "
            "the limit. Say which do with `cluster`, or say that all are different items with "
            f"`duplicates={ALL!r}`."
        )


def _order(data: Features, duplicates: str, rng: np.random.Generator) -> Counts:
    """Return which rows are predicted, one of each cluster, in random order."""
    order = rng.permutation(len(data.codes))
    if data.clusters is not None:
        first = np.unique(data.clusters[order], return_index=True)[1]
        order = order[np.sort(first)]
    if duplicates == ALL:
        return order
    rows = np.sort(order)
    whole = data.points[rows].view(np.dtype((np.void, 8 * data.points.shape[1]))).ravel()
    _, first, of = np.unique(whole, return_index=True, return_inverse=True)
    if duplicates == FIRST:
        return order[np.isin(order, rows[first])]
    again = np.flatnonzero(first[of] != np.arange(rows.size))
    if again.size:
        one, other = rows[first[of[again[0]]]], rows[again[0]]
        texts = data.source.facts.get("text_columns", ())
        apart = (
            "Columns of text, by which they may differ, were left out: "
            f"{', '.join(texts[:_LISTED])}. If these are no copies, turn them into numbers first, "
            "for example by pandas.get_dummies. "
        )
        raise InputError(
            f"Rows {data.row(one)} and {data.row(other)} have equal features ({again.size:,} rows "
            f"repeat others). {apart if texts else ''}"
            "Copies of an item break the limit. Say which rows belong together with `cluster`, "
            f"keep the first of them with `duplicates={FIRST!r}`, or say that they are different "
            f"items with `duplicates={ALL!r}`."
        )
    return order
