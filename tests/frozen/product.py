"""What errorfloor answers over the whole product: method, metric, interval, input and design.

product.json has one question a line. Its name says all that is asked, part by part, and is read
back here, so that the file alone says what is asked: a new method changes no question.

`python tests/frozen/product.py --rewrite PART` asks anew what has PART in its name and prints what
has changed, which is right after an answer has changed on purpose. `--add` asks what grid.py allows
and the file does not have yet.
"""

import math
import sys
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

import errorfloor as ef

sys.path.append(str(Path(__file__).parents[1]))  # where this is no test but a command
from frozen import kept

PATH = Path(__file__).with_name("product.json")
SEARCHED = kept.Apart(1e-6, 1e-6)  # limits over distributions end near the best, by the processor
NOTHING = "-"  # in place of what a question does not say
SEED, RESAMPLES, OTHER_LEVEL = 3, 40, 0.8

COSTS = {"two": (1, 3), "many": [[0, 1, 2], [3, 0, 1], [1, 1, 0]]}
PRIOR = {"two": 0.3, "many": (0.2, 0.3, 0.5)}
AT = {"error-at-coverage": 0.7, "coverage-at-error": 0.1}
BY_SCORES = ("auc", "average-precision", "brier", "log-loss", *AT)  # not by decisions


class Asked(NamedTuple):
    """A question, by its parts."""

    ask: str  # which function, and how
    kind: str
    classes: str
    items: str  # how many, and of which kind
    design: str
    method: str
    metric: str
    interval: str

    @property
    def name(self):
        """The name in the file."""
        return ", ".join(self)

    @property
    def data(self):
        """The items that it is asked of."""
        return drawn(self.classes, self.items)

    @property
    def about(self):
        """The metric, with what it needs."""
        metric, _, prior = self.metric.partition(" with ")
        given = {"costs": COSTS[self.classes]} if metric == "cost" else {}
        given |= {"at": AT[metric]} if metric in AT else {}
        given |= {"prior": PRIOR[self.classes]} if prior else {}
        return {} if metric == NOTHING else {"metric": metric, **given}

    @property
    def by(self):
        """The method, where one is named."""
        return (
            {} if self.method == NOTHING or self.kind == "soft labels" else {"method": self.method}
        )

    @property
    def how(self):
        """The interval, and how it is drawn."""
        interval = None if self.interval == "none" else self.interval
        return {"interval": interval, "n_resamples": RESAMPLES, "rng": SEED}

    @property
    def beside(self):
        """Weights and clusters of the items."""
        found = {}
        if "weights" in self.design:
            found["weight"] = self.data.weight
        if "clusters" in self.design:
            found["cluster"] = self.data.cluster
        return found

    @property
    def partly(self):
        """Labels, of which some may be missing, and that they may."""
        if not self.design.startswith("some labels"):
            return self.data.labels, {}
        known = np.random.default_rng(8).random(self.data.labels.size) < 0.6
        return np.where(known, self.data.labels, np.nan), {"unlabelled": True}


class Items(NamedTuple):
    """Items with all that may be known of them."""

    p: np.ndarray
    votes: np.ndarray
    labels: np.ndarray
    scores: np.ndarray
    weight: np.ndarray
    cluster: np.ndarray
    frame: pd.DataFrame  # single votes with their annotators


@cache
def drawn(classes, items):
    """Return items by their number, such as "60 tied", whose scores have one digit."""
    number, _, tied = items.partition(" ")
    n = int(number)
    rng = np.random.default_rng([n, len(classes)])
    p = rng.beta(0.5, 0.8, n) if classes == "two" else rng.dirichlet((0.5, 0.7, 0.9), n)
    rows = np.column_stack((1 - p, p)) if classes == "two" else p
    labels = drawn_class(rows, rng)
    scores = p**1.3 if classes == "two" else p**0.7 / (p**0.7).sum(axis=1, keepdims=True)
    if tied:
        p, scores = (coarse(one) for one in (p, scores))
    item, annotator = np.divmod(np.flatnonzero(rng.random(n * 9) < 0.6), 9)
    frame = pd.DataFrame({"item": item, "annotator": annotator})
    frame["vote"] = drawn_class(rows[item], rng)
    votes = rng.binomial(5, rows[:, 1]) if classes == "two" else rng.multinomial(4, rows)
    weight, cluster = rng.uniform(0.5, 3, n), rng.integers(max(n // 2, 1), size=n)
    return Items(p, votes, labels, scores, weight, cluster, frame)


def drawn_class(rows, rng):
    """Return a class for each row of probabilities."""
    above = rng.random(len(rows))[:, None] > np.cumsum(rows, axis=1)
    return above.sum(axis=1).clip(0, rows.shape[1] - 1)


def coarse(p):
    """Return probabilities in tenths; those of many classes in fifths, which add up to one."""
    if p.ndim == 1:
        return np.round(p, 1)
    least = np.floor(5 * p)
    first = np.argsort(-(5 * p - least), axis=1, kind="stable").argsort(axis=1, kind="stable")
    return (least + (first < 5 - least.sum(axis=1, keepdims=True))) / 5


def estimated(asked):
    """Return a floor or a ceiling, the same to all who ask for it in a row."""
    return floor_of(asked._replace(ask="estimate"))


@lru_cache(maxsize=16)
def floor_of(asked):
    """Return a floor or a ceiling."""
    data, options = asked.data, {**asked.about, **asked.by, **asked.how, **asked.beside}
    if asked.kind == "soft labels":
        return ef.from_soft_labels(data.p, **options)
    if asked.kind == "votes":
        return ef.from_votes(data.votes, *totals(asked), **options)
    labels, unlabelled = asked.partly
    return ef.from_scores(data.scores, labels, **options, **unlabelled)


def estimate(asked):
    """Return the numbers of an estimate, with limits at two levels."""
    return numbers(estimated(asked))


def numbers(found):
    """Return value, limits at two levels, and how many items there are."""
    row = {"value": found.value, "n": found.n, "n_effective": found.n_effective}
    row |= {"clusters": found.clusters, "n_unlabelled": found.n_unlabelled or None}
    if found.interval is None:
        return row
    other = found.at_level(OTHER_LEVEL)
    limits = [found.low, found.high, other.low, other.high]
    return row | {"by": found.interval_method, "limits": limits, "shaky": is_shaky(found)}


def is_shaky(found):
    """Tell whether rounding decides which resamples are below the value, which BCa counts.

    Where labels are counted, shares of items are equal to the last bit.
    """
    if found.interval_method != "bca":
        return None
    size = found.n if found.method in ("isotonic", "isotonic-cf", "hist-4", "top1") else math.pi
    is_share = abs(size * found.value - round(size * found.value)) < 1e-9
    return (not is_share and bool(np.any(np.abs(found.replicates - found.value) < 1e-9))) or None


def steady(was, is_now):
    """Return both answers without limits that were decided by rounding when they were kept."""
    if not (isinstance(was, dict) and isinstance(is_now, dict)):
        return was, is_now
    left_out = ("limits", "shaky") if "shaky" in was else ("shaky",)
    names = [name for name in was if name in is_now]
    inside = {name: steady(was[name], is_now[name]) for name in names}
    return tuple(
        {name: inside[name][i] if name in inside else part for name, part in one.items()
         if name not in left_out}
        for i, one in enumerate((was, is_now))
    )  # fmt: skip


def of_table(asked, merged=None):
    """Return the same from a table of counts."""
    rows = table(asked) if merged is None else table(asked).coarsen(merged)
    return numbers(ef.from_scores(rows, **asked.about, **asked.by, **asked.how))


def of_merged(asked):
    """Return the same from a table whose rows were merged."""
    return of_table(asked, 16)


def of_long_votes(asked):
    """Return an estimate from single votes with their annotators."""
    data, options = asked.data, {**asked.about, **asked.by, **asked.how}
    columns = {name: array[data.frame["item"]] for name, array in asked.beside.items()}
    frame, named = data.frame.assign(**columns), dict(zip(columns, columns, strict=True))
    return numbers(ef.from_votes(frame, **named, **options))


def compare(asked):
    """Return all methods that were there when this was written, on the same resamples."""
    labels, unlabelled = asked.partly
    options = {**asked.about, **asked.how, **asked.beside, **unlabelled}
    rows = ef.compare(asked.data.scores, labels, methods=asked.method.split(" "), **options)
    return {row.method: numbers(row) for row in rows}


def headroom(asked, **model):
    """Return how far a model is from the best."""
    return verdict(ef.headroom(estimated(asked), same_labelling=True, **model))


def verdict(found):
    """Return what is said of a model, without what is said of the floor alone."""
    parts = found.to_dict()
    names = ("verdict", "difference", "low", "high", "p_room", "p_beyond", "n", "model_error")
    names += ("model_value", "model_low", "model_high", "test")
    return {name: parts.get(name) for name in names} | {"beats cuts": parts["information"]}


def headroom_beside_scores(asked):
    """Return the same of the items that have the scores, from columns of a dataframe."""
    data, columns = asked.data, np.atleast_2d(asked.data.scores.T)
    frame = pd.DataFrame({f"s{i}": column for i, column in enumerate(columns)} | asked.beside)
    by_scores = asked.about["metric"] in BY_SCORES
    model = np.clip(data.scores[::-1], 0.01, 0.99) if by_scores else decisions(data.scores[::-1])
    frame = frame.assign(label=data.labels, model=model if model.ndim == 1 else decisions(model))
    named = dict(zip(asked.beside, asked.beside, strict=True)) | {"prediction": "model"}
    named["score"] = list(frame.columns[: len(columns)]) if len(columns) > 1 else "s0"
    return verdict(ef.headroom(frame, label="label", **named, **asked.about, rng=SEED))


def decisions(scores):
    """Return the likelier class of each item."""
    return (scores > 0.5).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)


def headroom_of_predictions(asked):
    """Return the same by what a model predicts for items with labels."""
    data = drawn(asked.classes, "60 tied")
    return headroom(asked, labels=data.labels, predictions=decisions(data.scores))


def headroom_of_scores(asked):
    """Return the same by a model's scores of items with labels."""
    data = drawn(asked.classes, "60 tied")
    return headroom(asked, labels=data.labels, model_scores=data.scores)


def headroom_of_confusion(asked):
    """Return the same by how many items of each class a model decides for each class."""
    two, many = [[28, 6], [9, 17]], [[15, 4, 2], [3, 12, 6], [1, 2, 15]]
    return headroom(asked, confusion=two if asked.classes == "two" else many)


def headroom_of_value(asked):
    """Return the same by a model's value of the metric."""
    return headroom(asked, model_value=0.6, n=200)


def table(asked):
    """Return a table of counts."""
    data = asked.data
    if asked.kind == "scores":
        return ef.ScoreTable.from_arrays(data.scores, data.labels, **asked.beside)
    return ef.VoteTable.from_arrays(data.votes, *totals(asked), **asked.beside)


def totals(asked):
    """Return how many votes there are, where these are votes for one class."""
    return (5,) if asked.classes == "two" else ()


def plan(asked):
    """Return how wide intervals will be."""
    return ef.plan(table(asked), votes=(3, 9), items=(100, 900), **asked.about).to_dict()


def reliability(asked):
    """Return how often scores are right."""
    return ef.reliability(table(asked), **asked.by).to_dict()


def calibrate(asked):
    """Return what a method makes of scores, and of new ones."""
    found = ef.calibrate(table(asked), **asked.by)
    return found.to_dict() | {"new": found(drawn(asked.classes, "12").scores)}


def confusion(asked):
    """Return which classes no model can tell apart."""
    return ef.confusion(estimated(asked)).to_dict()


def items(asked):
    """Return which items carry the floor."""
    return ef.items(asked.data.votes, *totals(asked), **asked.beside).to_dict()


ASKS = {
    "estimate": estimate,
    "table": of_table,
    "merged table": of_merged,
    "long votes": of_long_votes,
    "compare": compare,
    "headroom of predictions": headroom_of_predictions,
    "headroom beside scores": headroom_beside_scores,
    "headroom of scores": headroom_of_scores,
    "headroom of a confusion": headroom_of_confusion,
    "headroom of a value": headroom_of_value,
    "plan": plan,
    "reliability": reliability,
    "calibrate": calibrate,
    "confusion": confusion,
    "items": items,
}


def answer(name):
    """Return today's answer to the question of a name."""
    asked = Asked(*name.split(", "))
    return kept.answer(lambda: ASKS[asked.ask](asked))


def group_of(name):
    """Return what questions have in common that are asked in one test."""
    asked = Asked(*name.split(", "))
    shared = asked.ask.startswith(("estimate", "headroom of", "confusion"))
    ask = "estimate and headroom" if shared else asked.ask
    return ", ".join((ask, asked.kind, asked.classes, asked.design, asked.metric))


def place_of(name):
    """Return what questions of the same group, and then of the same estimate, have in common."""
    return group_of(name), Asked(*name.split(", "))[1:]


def changes(name, was, is_now):
    """Yield what has changed in an answer, each with where it is."""
    return kept.changes(*steady(was, is_now), apart, (name,))


def apart(path):
    """Return how far a number may lie from the one that was kept."""
    asked = Asked(*path[0].split(", "))
    if asked.kind == "votes" and asked.metric.startswith(("auc", "average-precision")):
        return SEARCHED
    return kept.FITTED if asked.kind == "votes" or kept.is_fitted((*asked, *path)) else kept.EXACT


if __name__ == "__main__":
    from frozen import grid

    kept.keep(PATH, answer, grid.questions, __doc__)
