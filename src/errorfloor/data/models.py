"""What models say about the same labelled items, from arrays, columns, or files of their own."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from errorfloor._checks import (
    InputError,
    argument,
    check_choice,
    check_same_length,
    function,
    unmasked,
)
from errorfloor._numbers import counted
from errorfloor._typing import Bools, Counts, Floats
from errorfloor.data.columns import by_role, fitting, likely_readings
from errorfloor.data.entries import as_clusters, as_weights
from errorfloor.data.layouts import ITEM_OF_ROW, LABEL, SCORES
from errorfloor.data.matrices import without_frame
from errorfloor.data.naming import SIGNS, are_numbers, unlike_labels, whole_of
from errorfloor.data.options import ReadOptions, Source, as_paths, is_source, names_of_files
from errorfloor.data.sample import Sample
from errorfloor.data.values import (
    FEW_COUNTS,
    as_entries,
    missing_in,
    spelt,
    text_of,
    times_copied,
)

ModelColumns: TypeAlias = tuple[list[str], str]  # of what models predict, and of the labels
_MOST_CLASSES, _MOST_FRACTIONS = 1000, 20  # different labels that are classes
_MOST_DIFFERENT = 0.2  # labels of equal ids in two files, beyond which these are other items
_FEWEST_SHARED = 20  # labels from which on two files with equal ones are of the same items


@dataclass(frozen=True, eq=False)
class ModelRows:
    """Labelled items and what models say about each: a class, or the score of class 1.

    Attributes
    ----------
    labels : array of shape (n,)
    answers : dict of array of shape (n,) or (n, classes)
        By the name of the model.
    weight, cluster : array of shape (n,), optional
    group : array of shape (n,), optional
        Of one answer each.
    item : array of shape (n,), optional
        What a column calls the items.
    copies : int
        How often each row of the data is there, with all its columns.
    whole : ModelRows, optional
        The rows of all groups, which have the classes of each.
    dropped : int
        Items that were left out.
    source : Source
        Where they came from.
    """

    labels: NDArray[Any]
    answers: Mapping[str, NDArray[Any]]
    weight: Floats | None = None
    cluster: Counts | None = None
    group: NDArray[Any] | None = None
    item: NDArray[Any] | None = None
    copies: int = 1
    whole: ModelRows | None = None
    dropped: int = 0
    source: Source = field(default_factory=lambda: Source(origin="arrays", layout="models"))

    @classmethod
    def of_arrays(
        cls, labels: object, predictions: Mapping[str, object], where: ReadOptions
    ) -> ModelRows:
        """Take arrays, or refuse what is missing or of another length."""
        if labels is None:
            raise InputError(
                argument("predictions"),
                " are judged by true labels. Give ",
                argument("labels"),
                ".",
            )
        own = as_entries(labels)
        answers = {}
        for name, one in predictions.items():
            scores, classes = without_frame(one, labels, where.classes)
            if classes is not None and where.classes is None:  # as other models' arrays have them
                where = replace(where, classes=tuple(sorted(classes)))
                scores, _ = without_frame(one, labels, where.classes)
            answers[str(name)] = as_entries(unmasked(scores, "predictions"))
        for name, one in answers.items():
            if one.ndim not in (1, 2) or len(one) != len(own):
                raise InputError(
                    argument("predictions"),
                    f" of {name!r} must be one answer for each of the {len(own):,} labels, got "
                    f"shape {one.shape}.",
                )
        extra: dict[str, Any] = {name: as_entries(one) for name, one in where.sampling.items()}
        for name, value in extra.items():
            check_same_length(own, value, ("labels", name))
        source = Source(origin="arrays", layout="models", options=where.kept)
        return cls(own, answers, **extra, source=source).checked(drop=where.drop_missing)

    @classmethod
    def read(cls, data: Any, where: ReadOptions, columns: Sequence[str]) -> ModelRows:
        """Take columns of a dataframe or files, or refuse what is not there."""
        from errorfloor.data.engines import holds_several, select
        from errorfloor.data.read_rows import FEW_TO_LOOK_AT, facts_beside, rows_of
        from errorfloor.data.rows import RowRequest

        with rows_of(data, where, ordered=True) as (frame, run):
            there = [str(one) for one in frame.collect_schema()]
            _check_there(there, [("prediction", one) for one in columns])
            label = where.columns.get("label") or _label_in(frame, run, columns)
            _check_own_columns(columns, label)
            extra = where.sampling | ({} if where.group is None else {"group": where.group})
            models = {f"prediction{i}": one for i, one in enumerate(columns)}
            wanted = {"label": label, **extra, **models}
            _check_there(there, {"label": label, **extra}.items())
            ids = [one for one in fitting(ITEM_OF_ROW, there) if one not in wanted.values()]
            if ids and not holds_several(frame, run, ids[0]):
                wanted["item"] = ids[0]
            found = run(select(frame, wanted))
            own = {name: one for name, one in found.items() if name != "item"}
            free = [one for one in there if one not in wanted.values()]
            request = RowRequest(frame=frame, run=run, columns={}, options=where)
            facts = facts_beside(request, free, None, few=len(found["label"]) <= FEW_TO_LOOK_AT)
            copies = 1 if _divisor(own) == 1 else _copies(frame, run)
        files = tuple(map(os.fspath, as_paths(data, "data"))) if is_source(data) else ()
        source = Source(
            origin="files" if files else "frame",
            layout="models",
            files=files,
            columns={
                "label": label,
                **{name: one for name, one in where.columns.items() if name == "score"},
                "prediction": tuple(columns),
            },
            guessed=() if where.columns.get("label") else ("label",),
            options=where.kept,
            facts=facts,
        )
        answers = {name: found[f"prediction{i}"] for i, name in enumerate(columns)}
        more: dict[str, Any] = {name: found[name] for name in (*extra, "item") if name in found}
        rows = cls(as_entries(found["label"]), answers, **more, copies=copies, source=source)
        return rows.checked(drop=where.drop_missing)

    def checked(self, *, drop: bool) -> ModelRows:
        """Return the rows that have everything, with numbers as such, or refuse what is missing."""
        parts = [self.labels, *self.answers.values(), self.weight, self.cluster, self.group]
        gone = np.zeros(len(self.labels), dtype=np.bool_)
        for one in parts:
            if one is not None:
                gone |= (
                    missing_in(one) if one.ndim == 1 else np.isnan(one.astype(float)).any(axis=1)
                )
        number = int(np.count_nonzero(gone))
        if number and not drop:
            raise InputError(
                f"{counted(number, 'row')} of {len(gone):,} {'lacks' if number == 1 else 'lack'} a "
                "label or an answer of some model, so that the models cannot be compared on "
                f"{'it' if number == 1 else 'them'}. Leave such rows out with ",
                *(argument("drop_missing", True), "."),
            )
        if gone.all():
            raise InputError("No row has a label and an answer of every model.")
        rows = self.where(~gone)
        n = len(rows.labels)
        return replace(
            rows,
            labels=_as_numbers(rows.labels),
            answers={name: rows.named(_as_numbers(one)) for name, one in rows.answers.items()},
            weight=None if rows.weight is None else as_weights(rows.weight, n, "labels"),
            cluster=None if rows.cluster is None else as_clusters(rows.cluster, n, "labels"),
            dropped=number,
        )

    def named(self, answers: NDArray[Any]) -> NDArray[Any]:
        """Return numbers as the classes in these places, where the order of words was given."""
        order = self.source.options.classes
        if order is None or are_numbers(order) or answers.ndim != 1:
            return answers
        places = [whole_of(one) for one in texts_of(answers).tolist()]
        if not {*places} <= {*range(len(order))}:
            return answers
        return np.array([order[place or 0] for place in places])

    @property
    def name(self) -> str:
        """What errors call the labels."""
        column = self.source.columns.get("label")
        return "array of labels" if column is None else f"column {column!r}"

    @property
    def by_group(self) -> dict[str, ModelRows]:
        """The rows of each group, by its name."""
        assert self.group is not None
        groups = texts_of(self.group)
        return {
            name: replace(self.where(groups == name), group=None, whole=self)
            for name in np.unique(groups).tolist()
        }

    def where(self, kept: Bools) -> ModelRows:
        """Return some of the rows."""
        return replace(
            self,
            labels=self.labels[kept],
            answers={name: one[kept] for name, one in self.answers.items()},
            weight=None if self.weight is None else self.weight[kept],
            cluster=None if self.cluster is None else self.cluster[kept],
            group=None if self.group is None else self.group[kept],
            item=None if self.item is None else self.item[kept],
            dropped=0,
        )

    @property
    def facts(self) -> dict[str, Any]:
        """What checks ask about: labels and answers that tell little, and rows that repeat."""
        found: dict[str, Any] = dict(self.source.facts)
        if (self.texts == self.texts[0]).all():
            found["only_label"] = str(self.texts[0])
        equal = [
            (one, other)
            for one, other in combinations(self.answers, 2)
            if np.array_equal(self.answers[one], self.answers[other])
        ]
        return found | ({"equal_models": equal} if equal else {}) | self._repeated

    @property
    def _repeated(self) -> dict[str, Any]:
        sample = self.sample
        if sample.cluster is not None:
            mass = np.bincount(sample.cluster, sample.weight)
            return {"effective_clusters": float(mass.sum() ** 2 / (mass @ mass))}
        if self.item is not None:
            known = self.item[~missing_in(self.item)]
            repeated = known.size - np.unique(texts_of(known)).size
            if repeated:
                return {"repeated_items": repeated}
        times = self.copies if self.copies > 1 else _copied_in_order(self._codes)
        return {} if self.weight is not None or times == 1 else {"times_copied": times}

    @property
    def _codes(self) -> Counts:
        """A number for each row, the same for rows with the same label and answers."""
        return _codes([self.labels, *self.answers.values()])

    @cached_property
    def sample(self) -> Sample:
        """The items, what they weigh and which depend on each other."""
        every = np.ones(len(self.labels), dtype=np.int64)
        weight, cluster = self.weight, self.cluster
        if cluster is not None:
            cluster = np.unique(cluster, return_inverse=True)[1].astype(np.int64)
            weight = np.ones(len(self.labels)) if weight is None else weight
        weight = None if weight is None else weight / weight.mean()
        return Sample.of_rows(every, every, weight, cluster)

    @cached_property
    def texts(self) -> NDArray[Any]:
        """The labels as text, each number written in one way."""
        return texts_of(self.labels)

    def texts_by(self, model: str) -> NDArray[Any]:
        """Return the answers of a model likewise."""
        return texts_of(self.answers[model])

    @cached_property
    def known(self) -> set[str]:
        """The classes of the labels, of all groups."""
        return {*self.texts.tolist()} if self.whole is None else self.whole.known

    @cached_property
    def chosen(self) -> set[str]:
        """The classes that models choose, of all groups."""
        if self.whole is not None:
            return self.whole.chosen
        plain = [name for name in self.answers if not self.gives_scores(name)]
        return {one for name in plain for one in np.unique(self.texts_by(name)).tolist()}

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes of the labels and of the answers, in order."""
        values = self.known | self.chosen
        numbers = {one: spelt(one) for one in values}
        if all(number is not None for number in numbers.values()):
            return tuple(sorted(values, key=lambda one: numbers[one] or 0.0))
        return tuple(sorted(values))

    def gives_scores(self, model: str) -> bool:
        """Tell whether a model gives a score of each class, or that of class 1 of two.

        The latter are numbers that are not all labels.
        """
        values = (self if self.whole is None else self.whole).answers[model]
        if values.ndim == 2 or len(self.known) > 2 or values.dtype.kind not in "iuf":
            return values.ndim == 2
        found = {*np.unique(texts_of(values)).tolist()}
        return not found <= self.known and not found <= {"0", "1"}

    def check(self) -> None:
        """Refuse labels that are no classes, and answers of which none is a label that occurs."""
        fractions = self.labels.dtype.kind == "f" and (self.labels % 1 != 0).any()
        if len(self.known) > (_MOST_FRACTIONS if fractions else _MOST_CLASSES):
            raise InputError(
                f"The {self.name} has {len(self.known):,} different values, which are no classes. "
                "Name the column of labels with ",
                *(argument("label"), "."),
            )
        for name in self.answers:
            given = [] if self.gives_scores(name) else np.unique(self.texts_by(name)).tolist()
            known = sorted(self.known)
            if not given or {*given} | self.known <= {"0", "1"}:
                continue
            if not self.known & {*given} or {*map(spelt, {*given} | self.known)} == {0, *SIGNS}:
                positive = self.source.options.positive
                if positive is not None:
                    known.sort(key=lambda one: one == text_of(positive))
                may_name = positive is None or len(known) == 2
                shown_as = (argument("prediction"), f" (column {name!r})")
                raise unlike_labels(given, known, shown_as, may_name=may_name)


def _as_numbers(values: NDArray[Any]) -> NDArray[Any]:
    """Return numbers, and yes and no, that text spells as numbers; words stay as they are."""
    if values.dtype.kind not in "OUTb":
        return values
    if values.dtype.kind == "b":
        return values.astype(np.int64)
    numbers = [spelt(str(one)) for one in values.ravel().tolist()]
    known = [one for one in numbers if one is not None]
    return np.array(known).reshape(values.shape) if len(known) == len(numbers) else values


def texts_of(values: NDArray[Any]) -> NDArray[Any]:
    """Return values as text, each number written in one way."""
    if values.dtype.kind in "iu":
        return np.asarray(values.astype(str))
    return np.array([text_of(one) for one in values.tolist()])


_TRUE = r"(^|_)(true|truth|gold|actual)(_|$)"  # such as true_intent


def _check_there(there: Sequence[str], named: Iterable[tuple[str, str]]) -> None:
    """Refuse an argument that names a column which is not there."""
    for name, column in named:
        check_choice(column, there, name=name, what="the columns ")


def _check_own_columns(columns: Sequence[str], label: str) -> None:
    """Refuse a column of predictions that holds the labels or another model's predictions."""
    for one in columns:
        if one == label or columns.count(one) > 1:
            other = "the labels" if one == label else "another model"
            raise InputError(
                *(argument("prediction"), f" names column {one!r}, which is {other}. "),
                "Name a column of its own for each model.",
            )


def _label_in(frame: Any, run: Any, predictions: Sequence[str]) -> str:
    """Return the column that is called a label, or say which holds what the models predict."""
    from errorfloor.data.engines import kinds_of
    from errorfloor.data.likely import first_values, label_of

    there = [str(one) for one in frame.collect_schema()]
    others = [one for one in there if one not in predictions]
    found = fitting(LABEL, others) or [one for one in others if re.search(_TRUE, one.lower())]
    if len(found) == 1:
        return found[0]
    kinds = kinds_of(frame, run)
    own, answers = (
        first_values(frame, run, {one: kinds[one] for one in names if one in kinds})
        for names in (others, predictions)
    )
    holds = label_of(own, answers)
    raise InputError(
        "Models are compared by true labels. Name their column with ",
        *(
            argument("label") if holds is None else argument("label", holds),
            f". The columns are {', '.join(there[:20])}. Next to votes of several ",
        ),
        *("people, ", function("people"), " compares models."),
    )


# Copies. All numbers of equal rows have a divisor then, of which there may be too few to tell. Rows
# that follow each other tell as well, in whatever order: each change has to be where copies end.


def _codes(columns: Sequence[NDArray[Any]]) -> Counts:
    code = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        values = column if column.dtype.kind in "iufb" else column.astype(str)
        _, own = np.unique(values, axis=0 if values.ndim > 1 else None, return_inverse=True)
        _, code = np.unique(code * (int(own.max()) + 1) + own.ravel(), return_inverse=True)
    return code.astype(np.int64)


def _copied_in_order(codes: Counts) -> int:
    """Return how often each row is there, one behind the other or all of them again; else 1."""
    counts = np.bincount(codes)
    times = times_copied(counts)
    if times > 1:
        return times
    most = int(np.gcd.reduce(counts))
    for times in range(most, 1, -1):
        if most % times:
            continue
        for copies in (codes.reshape(-1, times), codes.reshape(times, -1).T):
            same = (copies == copies[:, :1]).all()
            if same and np.count_nonzero(np.diff(copies[:, 0])) >= FEW_COUNTS:
                return times
    return 1


def _divisor(found: Mapping[str, NDArray[Any]]) -> int:
    """Return what divides all numbers of rows that are equal in some of their columns."""
    columns = [as_entries(one) for one in found.values()]
    return int(np.gcd.reduce(np.bincount(_codes(columns)))) if len(columns[0]) else 1


def _copies(frame: Any, run: Any) -> int:
    """Return how often each row is there, with all its columns."""
    import narwhals as nw

    kinds = frame.collect_schema()
    plain = [one for one, kind in kinds.items() if kind != nw.Object and not kind.is_nested()]
    counts = run(frame.group_by(*plain).agg(errorfloor_n=nw.len()).select("errorfloor_n"))
    return times_copied(np.asarray(counts["errorfloor_n"], dtype=np.int64))


def models_in_columns(file: Any, kinds: Mapping[str, str] | None = None) -> ModelColumns | None:
    """Return columns that hold classes of a label, where no column is called a score."""
    from errorfloor.data.engines import kinds_of
    from errorfloor.data.files import holds_table
    from errorfloor.data.likely import first_values, models_and_label
    from errorfloor.data.read_rows import rows_of

    if holds_table(file, None):
        return None
    with rows_of(file) as (frame, run):
        there = kinds_of(frame, run) if kinds is None else kinds
        if likely_readings(there, (SCORES,)):
            return None
        return models_and_label(first_values(frame, run, there), any_name=True)


# Models in files of their own.


def models_in_files(files: Sequence[str], where: ReadOptions) -> ModelRows | None:
    """Return what models say about the same items, a file each; None where these are others.

    Rows are matched by ids, where all files have some, and else by their order.
    """
    found = [_file(file, where) for file in files]
    known = [one for one in found if one is not None]
    if len(known) < len(found):
        return None
    sizes, has_ids = [len(one["label"]) for one in known], all("id" in one for one in known)
    known, item = _matched(known) if has_ids else (known, None)
    labels = [texts_of(_as_numbers(as_entries(one["label"]))) for one in known]
    if len({*map(len, labels)}) > 1:
        return None
    differ = [one != labels[0] for one in labels]
    most = 0.0 if item is None else _MOST_DIFFERENT
    few = item is None and (len(labels[0]) < _FEWEST_SHARED or np.unique(labels[0]).size < 2)
    if few or any(one.mean() > most for one in differ):  # as of parts of one set
        return None
    _check_shared(files, labels, item, sizes, drop=where.drop_missing)
    names = names_of_files(files, ending=False)
    label, answer = known[0]["named"]
    source = Source(
        origin="files",
        layout="models",
        files=tuple(files),
        columns={"label": label, "prediction": answer},
        guessed=("label", "prediction"),
        options=where.kept,
        facts={"other_ids": True} if has_ids and item is None else {},
    )
    answers = {name: as_entries(one["answer"]) for name, one in zip(names, known, strict=True)}
    rows = ModelRows(as_entries(known[0]["label"]), answers, item=item, source=source)
    rows = rows.checked(drop=where.drop_missing)
    return replace(rows, dropped=rows.dropped + max(sizes) - len(labels[0]))


def _matched(files: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], NDArray[Any] | None]:
    """Return the rows of the ids that all files have, and these; all rows where there are none."""
    keys = [_keys(one["id"]) for one in files]
    shared = [key for key in keys[0] if all(key in own for own in keys[1:])]
    if not shared:
        return files, None
    places = [np.array([own[key] for key in shared], dtype=np.int64) for own in keys]
    names = ("label", "answer", "id")
    found = [
        {**one, **{name: as_entries(one[name])[rows] for name in names}}
        for one, rows in zip(files, places, strict=True)
    ]
    return found, found[0]["id"]


def _keys(ids: Any) -> dict[tuple[str, int], int]:
    """Return the rows by what tells them apart: the id, and how often it was there before."""
    before: Counter[str] = Counter()
    keys = {}
    for row, one in enumerate(texts_of(as_entries(ids)).tolist()):
        keys[one, before[one]] = row
        before[one] += 1
    return keys


def _check_shared(
    files: Sequence[str],
    labels: Sequence[NDArray[Any]],
    item: NDArray[Any] | None,
    sizes: Sequence[int],
    *,
    drop: bool,
) -> None:
    """Refuse files with different labels of an item, or with items that others do not have."""
    for file, own, size in zip(files, labels, sizes, strict=True):
        differ, more = own != labels[0], size - len(own)
        if item is not None and differ.any():
            at = int(np.argmax(differ))
            raise InputError(
                f"{files[0]} and {file} have the same items with different labels: item "
                f"{text_of(item[at])} is {labels[0][at]} in one and {own[at]} in the other "
                f"({np.count_nonzero(differ):,} of {len(own):,} differ). Models are compared by "
                "the same labels."
            )
        if more and not drop:
            raise InputError(
                f"{counted(more, 'row')} of {file} {'has' if more == 1 else 'have'} an id that is "
                "not in every file, so that the models cannot be compared on "
                f"{'it' if more == 1 else 'them'}. Leave such rows out with ",
                *(argument("drop_missing", True), "."),
            )


def _file(file: str, where: ReadOptions) -> dict[str, Any] | None:
    """Return the labels, the answers and the ids of one file; None where columns are unclear."""
    from errorfloor.data.engines import kinds_of, select
    from errorfloor.data.read_rows import rows_of

    with rows_of(file, where, ordered=True) as (frame, run):
        kinds_there = kinds_of(frame, run)
        given = by_role(where.columns)
        label, answer = given.get("label"), given.get("score")
        if label is None or answer is None:
            pair = _columns_in(frame, run, kinds_there)
            if pair is None:
                return None
            label, answer = label or pair[0], answer or pair[1]
        ids = [one for one in fitting(ITEM_OF_ROW, kinds_there) if one not in (label, answer)]
        wanted = {"label": label, "answer": answer, **({"id": ids[0]} if ids else {})}
        if not all(isinstance(one, str) and one in kinds_there for one in wanted.values()):
            return None
        return {**run(select(frame, wanted)), "named": (label, answer)}


def _columns_in(frame: Any, run: Any, kinds_there: Mapping[str, str]) -> tuple[str, str] | None:
    """Return the columns of the labels and of a model's scores, or of its classes."""
    from errorfloor.data.likely import first_values, prediction_and_label, readings_by_values

    named = likely_readings(kinds_there, (SCORES,))
    if len(named) == 1:
        columns = named[0].columns
        return columns["label"], columns["score"]
    seen = first_values(frame, run, kinds_there)
    pair = prediction_and_label(seen)
    if pair is not None:
        return pair[1], pair[0]
    likely = [one for one in readings_by_values(seen) if one.layout is SCORES]
    return (likely[0].columns["label"], likely[0].columns["score"]) if likely else None
