"""Rows with a score, and maybe a label, as numbers: taken on trust first, checked where need be."""

from __future__ import annotations

from dataclasses import dataclass, replace

import narwhals as nw
import numpy as np

from errorfloor.data.engines import Frame, is_missing, with_number
from errorfloor.data.rows import (
    Given,
    Items,
    Request,
    Rule,
    check_positive,
    checked,
    count,
    groups_of,
    named,
    with_class,
)


@dataclass(frozen=True, slots=True)
class ScoreRows:
    """Rows with a score, and with a label if there is a column of labels."""

    request: Request
    frame: Frame
    given: Given
    rules: tuple[Rule, ...]

    @classmethod
    def read(cls, request: Request, score: str, label: str | None = None) -> ScoreRows:
        """Name the columns of these arguments, and read them as numbers."""
        names = [name for name in (score, label) if name is not None]
        frame, given = named(request, {name: request.columns[name] for name in names})
        frame = with_number(frame, f"given_{score}", "score")
        finite = Rule(
            given[score],
            f"given_{score}",
            ~nw.col("score").is_finite().fill_null(False),
            "must be finite numbers",
            "Drop infinite values and convert text to numbers first.",
        )
        if label is None:
            return cls(request, frame, given, (finite,))
        frame, binary = with_class(frame, label, given[label], request)
        return cls(request, frame, given, (finite, binary))

    def likely(self) -> Items:
        """Return the rows that will do, which are all most of the time.

        Whoever counts them will see whether they are `n`, and need not ask beforehand.
        """
        kinds, run = self.frame.collect_schema(), self.request.run
        score = nw.col("score")
        n = count(self.frame, run, {})["n"]
        first = np.asarray(run(self.frame.select("score").head(1000))["score"], np.float64)
        unit = not ((first < 0) | (first > 1)).any()
        if unit:  # as far as the first rows tell
            fits = (score >= nw.lit(0, kinds["score"])) & (score <= nw.lit(1, kinds["score"]))
        else:
            fits = score.is_finite()
        frame = self.frame.filter(fits)
        if self._labels:
            label, whole_labels = nw.col("label"), kinds["label"].is_integer()
            binary = (label >= 0) & (label <= 1) if whole_labels else (label == 0) | (label == 1)
            frame = self.frame.filter(fits, binary)
        if self._groups:
            frame = frame.filter(~is_missing(frame, "given_group"))
        return Items(self._kept(frame), run, n, {}, self._groups, unit, bool(self._labels))

    def checked(self) -> Items:
        """Return the rows after a look at all that may be wrong with them."""
        items = checked(self.request, self.frame, self.given, self.rules)
        if self.request.positive is not None:
            check_positive(items, self.request.positive, self.given["label"], "label")
        return replace(items, frame=self._kept(items.frame), labelled=bool(self._labels))

    @property
    def _labels(self) -> tuple[str, ...]:
        return ("label",) if "label" in self.given else ()

    @property
    def _groups(self) -> tuple[str, ...]:
        return groups_of(self.given)

    def _kept(self, frame: Frame) -> Frame:
        return frame.select("score", *self._labels, *self._groups, *self.request.beside)
