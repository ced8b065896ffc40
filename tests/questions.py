"""Every question that the records allow, on small made data: what laws and kept answers ask.

A method, metric or interval that is added to the records is asked about from then on.
"""

import warnings
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

import errorfloor as ef
from errorfloor import intervals, methods, metrics
from errorfloor.data.tables import ScoreTable, SoftTable, VoteTable
from errorfloor.methods.record import Classes, Method, Series

COSTS = {Classes.TWO: (1, 3), Classes.MANY: [[0, 1, 2], [3, 0, 1], [1, 1, 0]]}
GIVEN = {"error-at-coverage": {"at": 0.7}, "coverage-at-error": {"at": 0.1}}
TABLES = {one.kind: one for one in (SoftTable, VoteTable, ScoreTable)}
ASK = {
    SoftTable.kind: ef.from_soft_labels,
    VoteTable.kind: ef.from_votes,
    ScoreTable.kind: ef.from_scores,
}


@cache
def drawn(classes, n=150):
    """Return probabilities, votes, and labels of items; and scores that are not quite right."""
    rng = np.random.default_rng(11)
    if classes is Classes.TWO:
        p = np.round(rng.beta(0.5, 0.8, n), 2)
        return p, rng.binomial(5, p), (rng.random(n) < p).astype(int), np.round(p**1.3, 2)
    p = rng.dirichlet((0.5, 0.7, 0.9), n)
    labels = np.array([rng.choice(3, p=row) for row in p])
    scores = p**0.7
    return p, rng.multinomial(4, p), labels, scores / scores.sum(axis=1, keepdims=True)


@dataclass(frozen=True, eq=False)
class Items:
    """Items of one kind as people have them: arrays with an entry for each item."""

    kind: str
    arrays: tuple[np.ndarray, ...]  # probabilities; votes and totals; scores and labels
    beside: dict  # what else has an entry for each item: weight, cluster

    @property
    def n(self):
        """How many items there are."""
        return len(self.arrays[0])

    def taken(self, rows):
        """Return some of the items, or all in another order."""
        beside = {name: one[rows] for name, one in self.beside.items()}
        return Items(self.kind, tuple(one[rows] for one in self.arrays), beside)

    def with_(self, **beside):
        """Return the items with weights or clusters."""
        return Items(self.kind, self.arrays, beside)

    def table(self, **more):
        """Count the items."""
        return TABLES[self.kind].from_arrays(*self.arrays, **self.beside, **more)


@cache
def items_of(kind, classes, *, partly=False, n=150):
    """Return drawn items of a kind; `partly` if only some have a label."""
    p, votes, labels, scores = drawn(classes, n)
    if kind == SoftTable.kind:
        return Items(kind, (p,), {})
    if kind == VoteTable.kind:
        return Items(kind, (votes, np.full(n, 5)) if classes is Classes.TWO else (votes,), {})
    if partly:
        labels = np.where(np.random.default_rng(8).random(n) < 0.6, labels, np.nan)
    return Items(kind, (scores, labels), {})


@dataclass(frozen=True, repr=False)
class Question:
    """A method, a metric and an interval that go together."""

    method: Method
    metric: str
    interval: str | None

    def __str__(self):
        parts = (self.kind, self.classes.name, self.method.name, self.metric, self.interval)
        return ", ".join(part for part in parts if part)

    __repr__ = __str__

    @property
    def kind(self):
        """The kind of labels that it is about."""
        return self.method.reads

    @property
    def classes(self):
        """Whether it is about two classes or more."""
        return self.method.classes

    @property
    def of_value(self):
        """The same question without an interval."""
        return replace(self, interval=None)

    @property
    def limits(self):
        """The record of the interval."""
        return intervals.of(self.method)[self.interval]

    @property
    def weighs(self):
        """Whether it may be asked where items have weights."""
        metric = metrics.named(self.metric)
        beside = self.interval is None or self.limits.weighs(metric)
        return self.method.weighs(metric) and beside

    @property
    def items(self):
        """Items to ask it about."""
        return items_of(self.kind, self.classes, partly=self.method.partly)

    @property
    def options(self):
        """What to ask with."""
        given = {"costs": COSTS[self.classes]} if self.metric == "cost" else {}
        given |= GIVEN.get(self.metric, {}) | {"metric": self.metric, "interval": self.interval}
        if self.kind != SoftTable.kind:
            given["method"] = self.method.name
        if self.method.partly:
            given["unlabelled"] = True
        return given

    def ask(self, items=None, **more):
        """Ask it about items, a table, a frame or a file."""
        items = self.items if items is None else items
        data = (items.arrays, items.beside) if isinstance(items, Items) else ((items,), {})
        options = {"rng": 3, "n_resamples": 40, **self.options, **data[1], **more}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ef.ErrorFloorWarning)
            return ASK[self.kind](*data[0], **options)


def every():
    """Yield a question for each method, metric and interval that go together."""
    for one in methods.RECORDS:
        method = one.make(4) if isinstance(one, Series) else one
        for metric in method.metrics:
            for interval in intervals.of(method):
                yield Question(method, metric, interval)
