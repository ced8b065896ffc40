"""Scores item by item, with labels where there are some, for answers that are about single items.

The door counts rows and forgets which item was which. Here the layout of scores is given a counter
that keeps the items as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from errorfloor._checks import InputError, argument, as_labels, as_scores, check_same_length, refuse
from errorfloor._typing import Floats
from errorfloor.data.arrays import count_arrays
from errorfloor.data.layouts import SCORES, Layout
from errorfloor.data.matrices import is_matrix
from errorfloor.data.table import Table
from errorfloor.data.unlabelled import known_labels, labels_there


@dataclass(slots=True)
class Kept:
    """A layout of scores that keeps what it counts: scores, and labels that may be missing."""

    scores: Floats = field(default_factory=lambda: np.zeros(0))
    labels: Floats = field(default_factory=lambda: np.zeros(0))
    files: tuple[str, ...] = ()

    def layout(self, *, labelled: bool) -> Layout:
        """Return the layout, to be given to the door in place of the usual one."""
        roles = SCORES.roles if labelled else SCORES.roles[:1]
        return replace(SCORES, roles=roles, count=self._count, from_arrays=self._of_arrays)

    def _of_arrays(self, scores: Any, labels: Any, classes: Any) -> Table:
        refuse_classes(is_matrix(scores) or (classes is not None and len(classes) > 2))
        self.scores = as_scores(scores, name="scores")
        self.labels = np.full(self.scores.size, np.nan)
        if labels is not None:
            known = known_labels(labels)
            check_same_length(self.scores, known, ("scores", "labels"))
            if known.any():
                self.labels[known] = as_labels(labels_there(labels), name="labels")
        return self._table()

    def _count(self, request: Any) -> Mapping[Any, Table]:
        from errorfloor.data.score_rows import ScoreRows

        refuse_classes(request.has_many_classes)
        labelled = "label" in request.columns
        rows = ScoreRows.read(request, "score", "label" if labelled else None)
        names = ("score", "label") if labelled else ("score",)
        found = request.run(rows.frame.select(*names))
        self.scores = as_scores(np.asarray(found["score"], dtype=np.float64), name="score")
        self.labels = np.full(self.scores.size, np.nan)
        if labelled:
            labels = np.asarray(found["label"], dtype=np.float64)
            bad = ~np.isnan(labels) & (labels != 0) & (labels != 1)
            remedy = ("Name the class you call positive with ", argument("positive"), ".")
            refuse(bad, labels, (argument("label"), " must be 0 or 1, or missing"), remedy)
            self.labels = labels
        return {None: self._table()}

    def _table(self) -> Table:
        # The door wants a table, which nobody looks at.
        return count_arrays(self.scores[:1], np.zeros(1))


def refuse_classes(many: bool) -> None:
    """Refuse scores of many classes."""
    if many:
        raise InputError(
            "Which items to label is answered for scores of two classes. Give one score per item, "
            "such as that of the class which the judge has chosen."
        )
