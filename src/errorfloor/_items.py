"""Rows of a dataframe, named and checked: what is wrong is counted by the engine in one pass."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_
from typing import Any, TypeAlias

import narwhals as nw
import numpy as np

from errorfloor._checks import check_choice, check_whole
from errorfloor._engines import Columns, Frame, is_missing, select, with_number
from errorfloor._typing import Counts

_MOST_VOTES = 2**53

Run: TypeAlias = Callable[[Frame], Columns]


@dataclass(frozen=True, slots=True)
class Items:
    """Rows that have been checked: plain numbers, nothing missing."""

    frame: Frame
    run: Run
    n: int
    dropped: dict[Any, int]  # by group; of rows without one by None
    groups: tuple[str, ...]  # the name of the column of groups, or nothing
    unit: bool = False  # whether all scores are known to lie in [0, 1]


@dataclass(frozen=True, slots=True)
class _Rule:
    """What entries of a column must be, and what to say of those that are not."""

    name: str  # of the column and the argument, for people
    column: str  # of the entries as they were given
    bad: nw.Expr
    must: str
    remedy: str


@dataclass(frozen=True, slots=True)
class ScoreRows:
    """Rows with a score and a label; 0 without a column of labels."""

    frame: Frame
    run: Run
    given: dict[str, str]  # what errors call the columns
    rules: tuple[_Rule, ...]
    positive: object
    drop_missing: bool

    @classmethod
    def read(
        cls,
        frame: Frame,
        run: Run,
        names: dict[str, str | None],
        positive: object,
        drop_missing: bool,
    ) -> ScoreRows:
        """Name the columns and read them as numbers."""
        frame, given = _select(frame, names)
        frame = with_number(frame, "given_score", "score")
        finite = _Rule(
            given["score"],
            "given_score",
            ~nw.col("score").is_finite().fill_null(False),
            "must be finite numbers",
            "Drop infinite values and convert text to numbers first.",
        )
        if "label" not in given:
            frame = frame.with_columns(label=nw.lit(0.0))
            return cls(frame, run, given, (finite,), None, drop_missing)
        frame, binary = _with_label(frame, "label", given["label"], positive)
        return cls(frame, run, given, (finite, binary), positive, drop_missing)

    def likely(self) -> Items:
        """Return the rows that will do, which are all most of the time.

        Whoever counts them will see whether they are `n`, and need not ask beforehand.
        """
        kinds = self.frame.collect_schema()
        score, label = nw.col("score"), nw.col("label")
        n = _count(self.frame, self.run, {})["n"]
        first = np.asarray(self.run(self.frame.select("score").head(1000))["score"], np.float64)
        unit = not ((first < 0) | (first > 1)).any()
        if unit:  # as far as the first rows tell
            fits = (score >= nw.lit(0, kinds["score"])) & (score <= nw.lit(1, kinds["score"]))
        else:
            fits = score.is_finite()
        whole_labels = kinds["label"].is_integer()
        binary = (label >= 0) & (label <= 1) if whole_labels else (label == 0) | (label == 1)
        frame = self.frame.filter(fits, binary)
        if self._groups:
            frame = frame.filter(~is_missing(frame, "given_group"))
        return Items(self._kept(frame), self.run, n, {}, self._groups, unit)

    def checked(self) -> Items:
        """Return the rows after a look at all that may be wrong with them."""
        items = _checked(self.frame, self.run, self.given, self.rules, self.drop_missing)
        if self.positive is not None:
            _check_positive(items, self.positive, self.given["label"])
        return replace(items, frame=self._kept(items.frame))

    @property
    def _groups(self) -> tuple[str, ...]:
        return ("group",) if "group" in self.given else ()

    def _kept(self, frame: Frame) -> Frame:
        return frame.select("score", "label", *self._groups)


def _with_label(frame: Frame, name: str, said: str, positive: object) -> tuple[Frame, _Rule]:
    """Add column `name`, 0 or 1, from how it was given, and the rule for it."""
    given = f"given_{name}"
    if positive is None:
        frame = with_number(frame, given, name)
        bad = ~((nw.col(name) == 0) | (nw.col(name) == 1)).fill_null(False)
    else:
        kind = frame.collect_schema()[given]
        if kind.is_numeric():
            value = nw.col(given) == positive
        elif kind == nw.Boolean:  # which engines spell in different ways
            value = nw.col(given).cast(nw.String).str.to_lowercase() == str(positive).lower()
        else:
            value = nw.col(given).cast(nw.String) == str(positive)
        # Some engines find a missing value unequal to `positive` instead of unknown.
        number = value.fill_null(False).cast(nw.Int8).cast(nw.Float64)
        known = nw.when(~is_missing(frame, given)).then(number)
        frame = frame.with_columns(known.alias(name))
        bad = nw.lit(False)
    return frame, _Rule(
        said,
        given,
        bad,
        "must be 0 or 1 (or False or True)",
        "Map the class you call positive to 1 and the other to 0, or name it with `positive`.",
    )


@dataclass(frozen=True, slots=True)
class VoteLayout:
    """How votes lie in a frame: counted, one row a vote, or one column an annotator."""

    kind: str
    names: dict[str, str]
    totals: int | None = None

    @classmethod
    def of(
        cls,
        positives: str | None,
        totals: str | int | None,
        item: str | None,
        vote: str | None,
        annotator: str | None,
        annotators: Sequence[str] | None,
    ) -> VoteLayout:
        """Return the layout that the names of columns make, if they make just one."""
        counted = positives is not None or totals is not None
        long = item is not None or vote is not None or annotator is not None
        wide = annotators is not None
        if counted + long + wide != 1:
            raise ValueError(
                "Name the columns of votes in one of three ways: `positives` and `totals`; `item` "
                "and `vote` (and `annotator`); or `annotators`, a list of columns."
            )
        if counted:
            if positives is None or totals is None:
                missing = "positives" if positives is None else "totals"
                raise ValueError(f"`{missing}` is missing. Pass both `positives` and `totals`.")
            if isinstance(totals, str):
                return cls("counted", {"positives": positives, "totals": totals})
            least = check_whole(totals, name="totals", least=1, remedy="Or name its column.")
            return cls("counted", {"positives": positives}, least)
        if long:
            if item is None or vote is None:
                missing = "item" if item is None else "vote"
                raise ValueError(f"`{missing}` is missing. Pass both `item` and `vote`.")
            extra = {} if annotator is None else {"annotator": annotator}
            return cls("long", {"item": item, "vote": vote, **extra})
        if isinstance(annotators, str) or not annotators:
            raise ValueError("`annotators` must be a list of columns, at least one.")
        if len(set(annotators)) < len(annotators):
            raise ValueError("`annotators` has a column twice. Name each column once.")
        return cls("wide", {f"annotators {i}": name for i, name in enumerate(annotators)})

    def items(
        self, frame: Frame, run: Run, group: str | None, positive: object, drop_missing: bool
    ) -> Items:
        """Return one checked row an item, with its positives and totals."""
        frame, given = _select(frame, {**self.names, "group": group})
        read = {"counted": self._counted, "long": self._long, "wide": self._wide}[self.kind]
        return read(frame, run, given, positive, drop_missing)

    def _counted(
        self, frame: Frame, run: Run, given: dict[str, str], positive: object, drop_missing: bool
    ) -> Items:
        if positive is not None:
            raise ValueError("`positive` goes with single votes, not with numbers of votes.")
        rules = []
        for name, least in (("positives", 0), ("totals", 1)):
            if name == "totals" and self.totals is not None:
                frame = frame.with_columns(totals=nw.lit(float(self.totals)))
                continue
            frame = with_number(frame, f"given_{name}", name)
            number = nw.col(name)
            right = (number == number.floor()) & (number >= least) & (number < _MOST_VOTES)
            rules.append(
                _Rule(
                    given[name],
                    f"given_{name}",
                    ~right.fill_null(False),
                    f"must be whole numbers of at least {least}",
                    "Pass numbers of votes, not fractions, and drop items without votes.",
                )
            )
        rules.append(
            _Rule(
                given["positives"],
                "given_positives",
                (nw.col("positives") > nw.col("totals")).fill_null(False),
                "must not exceed `totals`",
                "Check the order of the two columns.",
            )
        )
        return _checked(frame, run, given, rules, drop_missing)

    def _long(
        self, frame: Frame, run: Run, given: dict[str, str], positive: object, drop_missing: bool
    ) -> Items:
        frame, rule = _with_label(frame, "vote", given["vote"], positive)
        items = _checked(frame, run, given, [rule], drop_missing)
        if positive is not None:
            _check_positive(items, positive, given["vote"], "vote")
        if "annotator" in given:
            twice = items.frame.group_by("given_item", "given_annotator").agg(n=nw.len())
            found = run(twice.filter(nw.col("n") > 1).select(nw.len().alias("n")))
            number = int(whole(found["n"])[0])
            if number:
                raise ValueError(
                    f"{given['annotator']} voted more than once on an item, {number:,} times. "
                    "Keep one vote an item and annotator."
                )
        votes = items.frame.group_by(*items.groups, "given_item").agg(
            nw.col("vote").sum().alias("positives"), nw.len().alias("totals")
        )
        return replace(items, frame=votes)

    def _wide(
        self, frame: Frame, run: Run, given: dict[str, str], positive: object, drop_missing: bool
    ) -> Items:
        rules, there = [], []
        for name in self.names:
            frame, rule = _with_label(frame, name, given[name], positive)
            present = ~is_missing(frame, f"given_{name}")
            there.append(present)
            rules.append(replace(rule, bad=rule.bad & present))
        positives = [
            nw.when(present).then(nw.col(name)).otherwise(nw.lit(0.0)).fill_null(0.0)
            for name, present in zip(self.names, there, strict=True)
        ]
        frame = frame.with_columns(
            positives=nw.sum_horizontal(*positives),
            totals=nw.sum_horizontal(*(present.cast(nw.Int64) for present in there)),
        )
        blank = {"annotators": nw.col("totals") == 0}
        items = _checked(frame, run, given, rules, drop_missing, missing=blank)
        if positive is not None:
            _check_any_positive(items, positive)
        return items


def _select(frame: Frame, names: dict[str, str | None]) -> tuple[Frame, dict[str, str]]:
    """Return the columns that were named, each as "given_...", and how errors call them."""
    kinds = frame.collect_schema()
    given = {name: column for name, column in names.items() if column is not None}
    for name, column in given.items():
        hint = "" if isinstance(column, str) else " Give the columns names that are text first."
        check_choice(column, map(str, kinds), name=name.split()[0], hint=hint)
        if kinds[column].is_nested():
            raise ValueError(
                f"`{name.split()[0]}` (column {column!r}) holds several values in a row, "
                f"{kinds[column]}. Name a column of single values."
            )
    chosen = select(frame, {f"given_{name}": column for name, column in given.items()})
    if "group" in given:
        chosen = chosen.with_columns(group=nw.col("given_group"))
    return chosen, {
        name: f"`{name.split()[0]}` (column {column!r})" for name, column in given.items()
    }


def _checked(
    frame: Frame,
    run: Run,
    given: Mapping[str, str],
    rules: Sequence[_Rule],
    drop_missing: bool,
    missing: Mapping[str, nw.Expr] | None = None,
) -> Items:
    """Count what is missing or bad, and return the rows if they will do."""
    groups = ("group",) if "group" in given else ()
    if missing is None:
        missing = {name: is_missing(frame, f"given_{name}") for name in given}
    elif groups:
        missing = {**missing, "group": is_missing(frame, "given_group")}
    gone = reduce(or_, missing.values())
    bad = {str(i): rule.bad & ~gone for i, rule in enumerate(rules)}
    found = _count(frame, run, {"gone": gone, **bad})
    n, lost = found["n"], found["gone"]
    if n == 0:
        raise ValueError("The data has no rows. Pass at least one item.")
    for i, rule in enumerate(rules):
        if found[str(i)]:
            example = run(frame.filter(bad[str(i)]).select(rule.column).head(1))
            raise ValueError(
                f"{rule.name} {rule.must}: {found[str(i)]:,} of {n:,} are bad, "
                f"for example {example[rule.column].tolist()[0]!r}. {rule.remedy}"
            )
    if lost == n:
        raise ValueError(f"Something is missing in each of the {n:,} rows. Check the columns.")
    if lost and not drop_missing:
        found = _count(frame, run, missing)
        name = next(name for name in missing if found[name])
        raise ValueError(
            f"{given.get(name, f'`{name}`')} has missing values: {found[name]:,} of {n:,} rows. "
            "Fill them in, or pass drop_missing=True to leave these rows out."
        )
    items = Items(frame, run, n - lost, {}, groups)
    if not lost:
        return items
    dropped = _lost(items, gone, lost) if groups else {None: lost}
    return replace(items, frame=frame.filter(~gone), dropped=dropped)


def _count(frame: Frame, run: Run, asked: Mapping[str, nw.Expr]) -> dict[str, int]:
    """Return the number of rows, and of those where each of `asked` is true."""
    counts = (expr.cast(nw.Int64).sum().alias(name) for name, expr in asked.items())
    answer = run(frame.select(nw.len().alias("n"), *counts))
    return {name: int(values[0] or 0) for name, values in answer.items()}


def _lost(items: Items, gone: nw.Expr, number: int) -> dict[Any, int]:
    """Return how many of the `number` rows with something missing are of each group."""
    known = items.frame.filter(gone, ~is_missing(items.frame, "given_group"))
    lost = items.run(known.group_by("group").agg(n=nw.len()))
    dropped = dict(zip(lost["group"].tolist(), whole(lost["n"]).tolist(), strict=True))
    without = number - sum(dropped.values())
    return dropped | ({None: without} if without else {})


def _check_positive(items: Items, positive: object, said: str, name: str = "label") -> None:
    seen = items.run(items.frame.select(f"given_{name}", name).unique().head(20))
    if not seen[name].any():
        values = ", ".join(map(repr, seen[f"given_{name}"].tolist()))
        raise ValueError(f"`positive` is {positive!r}, but {said} has only: {values}.")


def _check_any_positive(items: Items, positive: object) -> None:
    if not _count(items.frame, items.run, {"any": nw.col("positives") > 0})["any"]:
        raise ValueError(
            f"`positive` is {positive!r}, but no column of `annotators` has that value. "
            "Check how it is spelt."
        )


def whole(values: Any) -> Counts:
    """Return counts of any type as integers."""
    return np.asarray(values, dtype=np.float64).astype(np.int64)
