"""Scores and votes item by item, with what models predict and whose votes they are.

The door counts rows and forgets which item was which. Here layouts are given counters that keep
items, predictions and annotators together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from errorfloor._checks import (
    InputError,
    argument,
    as_labels,
    as_scores,
    check_aligned,
    check_same_length,
    refuse,
    shown,
)
from errorfloor._typing import Bools, Counts, Floats
from errorfloor.data.arrays import count_arrays, known_labels, labels_there
from errorfloor.data.ballots import MOST_VOTES, Ballots, Raters, check_fits
from errorfloor.data.layouts import (
    ANNOTATIONS,
    ANNOTATORS,
    COUNTS,
    ITEM,
    LISTS,
    SCORES,
    VOTES,
    Layout,
    of_kind,
)
from errorfloor.data.matrices import (
    added,
    as_class_votes,
    counted_votes,
    is_matrix,
    votes_by_class,
)
from errorfloor.data.naming import (
    TWO_CLASSES,
    Answers,
    are_numbers,
    names_of_columns,
    unlike_labels,
    whole_of,
)
from errorfloor.data.options import Reading, ReadOptions, Source
from errorfloor.data.tables import Table, VoteTable
from errorfloor.data.values import as_texts, missing_in, text_of

if TYPE_CHECKING:
    from errorfloor.data.rows import CheckedRows, RowRequest


@dataclass(slots=True)
class KeptScores:
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
        from errorfloor.data.rows import ScoreRows

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
            "Which items to label next is answered for two classes only, and there are more here. "
            "Give one score per item, such as that of one class against all others, and labels "
            "that are 1 for this class and 0 for the others."
        )


@dataclass(frozen=True, slots=True)
class VoteItems:
    """The votes on each item."""

    names: NDArray[Any]
    votes: Counts  # a column for each class
    counts: Counts  # of items that a row stands for
    classes: tuple[str, ...] = TWO_CLASSES

    @property
    def totals(self) -> Counts:
        """All votes on each item."""
        return added(self.votes)

    @property
    def positives(self) -> Counts:
        """Votes for class 1 on each item."""
        return self.votes[:, 1]

    @classmethod
    def of_table(cls, table: VoteTable) -> VoteItems:
        """Take the rows of a table, which knows no items."""
        return cls(np.arange(len(table)), table.votes, table.counts, table.classes)


@dataclass(slots=True)
class KeptVotes:
    """Layouts of votes that keep what they count."""

    kept: list[VoteItems] = field(default_factory=list)

    @property
    def layouts(self) -> tuple[Layout, ...]:
        """The layouts, to be given to the door in place of the usual ones."""
        return tuple(
            replace(
                layout,
                count=partial(self._count, layout),
                from_arrays=layout.from_arrays and partial(self._of_arrays, layout.from_arrays),
            )
            for layout in of_kind(VoteTable.kind)
        )

    def items_of(self, reading: Reading) -> VoteItems:
        """Return the items behind what was read."""
        table = reading.table
        assert isinstance(table, VoteTable)
        return self.kept[-1] if self.kept else VoteItems.of_table(table)

    def _of_arrays(
        self, make: Callable[..., Table], given: Any, totals: Any, classes: Any
    ) -> Table:
        table, votes = make(given, totals, classes), _votes_given(given, totals)
        ones = np.ones(len(votes), np.int64)
        self.kept.append(VoteItems(np.arange(len(votes)), votes, ones, table.classes))
        return table

    def _count(self, layout: Layout, request: RowRequest) -> Mapping[Any, Table]:
        assert layout.votes is not None
        request = _with_names(request)
        by_item = "item" in request.columns
        items = layout.votes(request)
        label = "given_item" if by_item else "group" if request.options.group is not None else None
        names, votes = _fetched(items, label)
        ones = np.ones(len(votes), np.int64)
        order = np.argsort(names, kind="stable") if by_item else np.arange(ones.size)
        made = counted_votes(votes, ones, items.classes)
        table = VoteTable(**made, dropped=sum(items.dropped.values()))
        self.kept.append(VoteItems(names[order], votes[order], ones, table.classes))
        return {None: table}


def _with_names(request: RowRequest) -> RowRequest:
    """Take a column that names the items for their group, where they have no other names."""
    from errorfloor.data.columns import fitting, names_an_id

    if "item" in request.columns or request.options.group is not None:
        return request
    used = {one for value in request.columns.values() for one in _several(value)}
    there = [one for one in request.frame.collect_schema().names() if one not in used]
    found = fitting(ITEM, there) or [
        one for one in there if names_an_id(one) and _has_each_once(request, one)
    ]
    return request.with_options(group=found[0] if len(found) == 1 else None)


def _has_each_once(request: RowRequest, column: str) -> bool:
    """Tell whether no value of a column comes twice, or is missing."""
    values = request.run(request.frame.select(column))[column].tolist()
    return len({*values}) == len(values) and None not in values


def _fetched(items: CheckedRows, label: str | None) -> tuple[NDArray[Any], Counts]:
    """Return the names of items and their votes."""
    from errorfloor.data.rows import vote_columns, votes_in

    wanted = (*vote_columns(items), *([label] if label else []))
    found = items.run(items.frame.select(*wanted))
    votes = votes_in(items, found)
    return np.arange(len(votes)) if label is None else np.asarray(found[label]), votes


def _votes_given(given: Any, totals: Any) -> Counts:
    """Return the votes for each class from arrays, one by one or as numbers."""
    return given.counts if isinstance(given, Raters) else as_class_votes(given, totals)[0]


def _several(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


@dataclass(frozen=True, slots=True, eq=False)
class Predictions:
    """What one model says of each item.

    Attributes
    ----------
    name : str
        Of the model.
    place : array of shape (n,)
        The place of its answer among the classes; -1 where it is none of them.
    unknown : dict
        Answers that are no class, and for how many items each is given.
    """

    name: str
    place: Counts
    unknown: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class PredictedVotes:
    """The votes on each item, in an order that depends on nothing but what is known of items.

    Attributes
    ----------
    votes : array of shape (n, classes)
        Number of votes for each class.
    classes : tuple of str
        Their names.
    models : tuple of Predictions
        What models say of the items.
    ballots : Ballots or None
        The single votes with their annotators, where these are known.
    """

    votes: Counts
    classes: tuple[str, ...]
    models: tuple[Predictions, ...] = ()
    ballots: Ballots | None = None

    def where(self, kept: Bools) -> PredictedVotes:
        """Return some of the items."""
        if kept.all():
            return self
        ballots = self.ballots
        if ballots is not None:
            own = kept[ballots.item]
            place = np.cumsum(kept) - 1
            ballots = replace(
                ballots,
                item=place[ballots.item[own]],
                annotator=ballots.annotator[own],
                vote=ballots.vote[own],
                half=ballots.half[kept],
            )
        models = tuple(replace(one, place=one.place[kept]) for one in self.models)
        return replace(self, votes=self.votes[kept], models=models, ballots=ballots)


@dataclass(frozen=True, slots=True, eq=False)
class _Kept:
    """What was read of items: votes, answers as text, and single votes where they are known."""

    votes: Counts
    answers: tuple[NDArray[Any], ...]  # of each model, one for each item
    place: Mapping[str, int] | None = None  # of values among more than two classes
    ballots: Ballots | None = None


@dataclass(slots=True)
class PredictedReader:
    """Layouts of votes that keep items, predictions and annotators.

    Attributes
    ----------
    models : tuple of str
        Names of the models: the columns of their predictions, or what arrays are called.
    arrays : tuple of arrays
        Their predictions, where votes come as arrays.
    """

    models: tuple[str, ...] = ()
    arrays: tuple[NDArray[Any], ...] = ()
    kept: list[_Kept] = field(default_factory=list)

    @property
    def layouts(self) -> tuple[Layout, ...]:
        """The layouts, to be given to the door in place of the usual ones."""
        counters: dict[Layout, Callable[..., Mapping[Any, Table]]] = {
            VOTES: partial(self._whole, VOTES),
            COUNTS: partial(self._whole, COUNTS),
            ANNOTATIONS: self._single,
            ANNOTATORS: partial(self._side_by_side, known=True),
            LISTS: partial(self._side_by_side, known=False),
        }
        return tuple(
            replace(
                layout,
                count=count,
                from_arrays=layout.from_arrays and partial(self._of_arrays, layout.from_arrays),
            )
            for layout, count in counters.items()
        )

    def found(self, reading: Reading) -> PredictedVotes:
        """Return the items behind what was read, with predictions as places of classes."""
        table = reading.table
        assert isinstance(table, VoteTable)
        if not self.kept:  # a table, which knows no items
            votes = np.repeat(table.votes, table.counts, axis=0)
            return PredictedVotes(votes, table.classes)
        kept = self.kept[-1]
        models = tuple(
            _placed(name, answers, reading, kept.place)
            for name, answers in zip(self.models, kept.answers, strict=True)
        )
        return PredictedVotes(kept.votes, table.classes, models, kept.ballots)

    def _keep(
        self,
        votes: Counts,
        answers: Sequence[NDArray[Any]],
        place: Mapping[str, int] | None,
        pattern: Counts | None = None,
        names: Sequence[str] = (),
    ) -> Ballots | None:
        """Keep items that are rows, in an order that no engine decides."""
        codes = [np.unique(one, return_inverse=True)[1].ravel() for one in answers]
        keys = votes if pattern is None else pattern
        order = np.lexsort((*codes, *keys.T[::-1])) if votes.size else np.arange(0)
        ballots = None
        if pattern is not None:  # which is in order
            classes = tuple(map(str, range(votes.shape[1])))
            ballots = replace(Ballots.side_by_side(pattern[order], names), classes=classes)
        ordered = tuple(one[order] for one in answers)
        self.kept.append(_Kept(votes[order], ordered, place, ballots))
        return ballots

    def _whole(self, layout: Layout, request: Any) -> Mapping[Any, Table]:
        """Count rows that are items with numbers of votes."""
        from errorfloor.data.rows import vote_columns, votes_in

        assert layout.votes is not None
        items = layout.votes(request)
        found = _run(items, vote_columns(items), request)
        votes = votes_in(items, found)
        self._keep(votes, _answers(found, request), _places_of(request))
        return {None: _table_of(votes, items.classes, sum(items.dropped.values()))}

    def _single(self, request: Any) -> Mapping[Any, Table]:
        """Count rows that are single votes."""
        from errorfloor.data import rows

        items = rows.single_votes(request)
        known = request.columns.get("annotator") is not None
        names = ["given_item", *(["given_annotator"] if known else []), "vote"]
        found = _run(items, names, request, MOST_VOTES + 1)
        found, unanswered = _answered(found, request)
        who = found["given_annotator"] if known else np.zeros(found["vote"].size, np.int64)
        single = Ballots.of(found["given_item"], who, found["vote"])
        classes = _classes_of(request)
        single = replace(single, classes=classes)
        answers = _one_per_item(found, request, len(single.half))
        self.kept.append(
            _Kept(single.counts, answers, _places_of(request), single if known else None)
        )
        table = single.table() if known else _table_of(single.counts, classes)
        return {None: replace(table, dropped=sum(items.dropped.values()) + unanswered)}

    def _side_by_side(self, request: Any, *, known: bool) -> Mapping[Any, Table]:
        """Count rows that are items with a column for each vote."""
        import narwhals as nw

        from errorfloor.data import rows

        items, told, votes = rows.patterns_side_by_side(request)
        columns = [vote.cast(nw.Int64).alias(f"v{i}") for i, vote in enumerate(votes)]
        found = _run(items, columns, request, MOST_VOTES // len(votes) + 1)
        pattern = np.column_stack([rows.whole(found[f"v{i}"]) for i in range(len(votes))])
        check_fits(pattern.size)
        classes = _classes_of(request)
        counts = votes_by_class(pattern, len(classes))
        own = (pattern, list(told.values())) if known else (None, ())
        single = self._keep(counts, _answers(found, request), _places_of(request), *own)
        if single is None:
            table = _table_of(counts, classes)
        else:
            table = replace(single, classes=classes).table()
        return {None: replace(table, dropped=sum(items.dropped.values()))}

    def _of_arrays(
        self, make: Callable[..., Table], given: Any, totals: Any, classes: Any
    ) -> Table:
        table, votes = make(given, totals, classes), _votes_given(given, totals)
        if isinstance(given, Raters):
            names = [str(i) for i in range(given.pattern.shape[1])]
            answers = [one[given.kept] for one in self.arrays]
            self._keep(votes, answers, None, given.pattern, names)
        else:
            self._keep(votes, self.arrays, None)
        return table


def as_predictions(
    predictions: object, number: int, *, drop_missing: bool
) -> tuple[tuple[str, ...], tuple[NDArray[Any], ...], Bools]:
    """Return names of models, their answers as text, and which items all of them answered."""
    if not isinstance(predictions, Mapping):
        raise InputError(
            argument("predictions"),
            " must be a dict of models, such as {'gpt': [...]}, with one answer per item; got "
            f"{shown(predictions)}.",
        )
    check_aligned(**{str(name): values for name, values in predictions.items()})
    answers = []
    there = np.ones(number, np.bool_)
    for name, values in predictions.items():
        array = np.asarray(values) if hasattr(values, "dtype") else np.array(values, dtype=object)
        if array.ndim != 1 or array.size != number:
            raise InputError(
                argument("predictions"),
                f" of {str(name)!r} must have one answer per item, {number:,} of them; got shape "
                f"{array.shape}.",
            )
        gone = np.asarray(missing_in(array) | np.ma.getmaskarray(array))
        if gone.any() and not drop_missing:
            raise InputError(
                argument("predictions"),
                f" of {str(name)!r} has missing values: {int(gone.sum()):,} of {number:,} items. "
                "Fill them in, or pass ",
                *(argument("drop_missing", True), " to keep the items that all models answered."),
            )
        there &= ~gone
        answers.append(as_texts(array))
    if number and not there.any():
        raise InputError(argument("predictions"), " have no item that all models answered.")
    return tuple(map(str, predictions)), tuple(answers), there


def reader_of(where: ReadOptions, columns: Sequence[str]) -> tuple[PredictedReader, ReadOptions]:
    """Return what reads columns of predictions next to votes, and what to ask of the door."""
    repeated = {one for one in columns if list(columns).count(one) > 1}
    if repeated:
        text = f" names column {min(repeated)!r} twice. Name each model once."
        raise InputError(argument("prediction"), text)
    return PredictedReader(tuple(columns)), replace(where, predictions=tuple(columns))


def _run(items: Any, columns: list[Any], request: Any, most: int | None = None) -> dict[str, Any]:
    """Return columns of rows, and the predictions next to them."""
    import narwhals as nw

    more = [nw.col(f"given_{name}").alias(f"p{i}") for i, name in enumerate(request.predicted)]
    frame = items.frame.select(*columns, *more)
    found: dict[str, Any] = items.run(frame if most is None else frame.head(most))
    return found


def _answers(found: Mapping[str, NDArray[Any]], request: Any) -> list[NDArray[Any]]:
    return [as_texts(found[f"p{i}"]) for i in range(len(request.options.predictions))]


def _answered(found: Mapping[str, NDArray[Any]], request: Any) -> tuple[dict[str, Any], int]:
    """Return the rows of items that all models answered, and how many items they did not.

    A model answers an item in one row of it, or in several that agree.
    """
    columns = request.options.predictions
    texts = as_texts(found["given_item"])
    names, at = np.unique(texts, return_inverse=True)
    at = at.ravel()
    answers, kept = {}, np.ones(names.size, np.bool_)
    for place, column in enumerate(columns):
        given = found[f"p{place}"]
        there = ~np.asarray(missing_in(given))
        own = np.flatnonzero(there)
        first = np.full(names.size, -1)
        first[at[own[::-1]]] = own[::-1]
        lost = int(np.count_nonzero(first < 0))
        if lost and not request.options.drop_missing:
            raise InputError(
                argument("prediction"),
                f" (column {column!r}) has missing values: {lost:,} of {names.size:,} items have "
                "none. Fill them in, or pass ",
                *(argument("drop_missing", True), " to keep the items that all models answered."),
            )
        kept &= first >= 0
        told = as_texts(given[own])
        _check_one_answer(column, told, as_texts(given[first[at[own]]]), texts[own])
        answers[f"p{place}"] = given[first[at]]
    if columns and not kept.any():
        raise InputError(argument("prediction"), " has no item that all models answered.")
    rows = kept[at]
    return (
        {name: values[rows] for name, values in {**found, **answers}.items()},
        int(np.count_nonzero(~kept)),
    )


def _check_one_answer(
    column: str, told: NDArray[Any], first: NDArray[Any], items: NDArray[Any]
) -> None:
    """Refuse a model that has several answers for one item, and name the item."""
    differ = told != first
    if differ.any():
        where = int(np.argmax(differ))
        both = sorted({str(told[where]), str(first[where])})
        raise InputError(
            argument("prediction"),
            f" (column {column!r}) is not the same in all rows of an item: item "
            f"{items[where]!r} has {both[0]!r} and {both[1]!r}. A model has one answer for an "
            "item: give it in one of its rows, or the same in each.",
        )


def _one_per_item(
    found: Mapping[str, NDArray[Any]], request: Any, number: int
) -> tuple[NDArray[Any], ...]:
    """Return one answer per item of rows that are votes, which have the same in each row."""
    texts = as_texts(found["given_item"])
    names, first = np.unique(texts, return_index=True)
    assert names.size == number
    return tuple(answers[first] for answers in _answers(found, request))


def _classes_of(request: Any) -> tuple[str, ...]:
    many = request.naming is not None and request.has_many_classes
    return request.naming.names if many else TWO_CLASSES


def _places_of(request: Any) -> Mapping[str, int] | None:
    """Return the place of each value that is a class, where classes are known by name."""
    if request.naming is None or not request.naming.place:
        return None
    return {text_of(value): place for value, place in request.naming.place.items()}


def _table_of(votes: Counts, classes: tuple[str, ...], dropped: int = 0) -> VoteTable:
    return VoteTable(**counted_votes(votes, None, classes), dropped=dropped)


def _placed(
    name: str, answers: NDArray[Any], reading: Reading, place: Mapping[str, int] | None
) -> Predictions:
    """Return the answers of a model as places of classes; -1 for what is none of them."""
    values, at = np.unique(answers.astype(str), return_inverse=True)
    shown_as = (argument("prediction"), f" of {name!r}")
    answers_in(reading.source).check_numbers(values.tolist(), shown_as)
    code = [_place(value, reading, place) for value in values.tolist()]
    names = reading.table.classes
    if -1 in code and _are_places(values.tolist(), names):
        code = [int(value) for value in values.tolist()]
    if all(one == -1 for one in code):
        raise unlike_labels(values.tolist(), _words_of(reading), shown_as)
    found = np.array(code, dtype=np.int64)[at.ravel()]
    number = np.bincount(at.ravel(), minlength=values.size)
    unknown = {
        value: int(many)
        for value, many, one in zip(values.tolist(), number, code, strict=True)
        if one == -1
    }
    return Predictions(name, found, unknown)


def _place(value: str, reading: Reading, place: Mapping[str, int] | None) -> int:
    source, names = reading.source, reading.table.classes
    if len(names) == 2:
        return answers_in(source).place(value)
    if place is not None:
        return place.get(value, -1)
    return names.index(value) if value in names else -1


def answers_in(source: Source) -> Answers:
    """Return which of two classes answers next to labels or votes are."""
    options, words = source.options, source.facts.get("classes")
    sides = words if isinstance(words, dict) else None
    order = options.classes
    scores = source.columns.get("score")
    numbered = isinstance(scores, list | tuple) and names_of_columns(scores) == TWO_CLASSES
    if sides is not None and order is None and options.positive is None and numbered:
        order = (*sides["0"][:1], *sides["1"][:1])  # which labels have been taken for
    return Answers(sides, order, options.positive_from)


def _are_places(values: Sequence[str], names: Sequence[str]) -> bool:
    """Tell whether numbers stand for classes that have other names."""
    if are_numbers(names):
        return False
    found = [whole_of(value) for value in values]
    return all(one is not None and 0 <= one < len(names) for one in found)


def _words_of(reading: Reading) -> list[str]:
    words = reading.source.facts.get("classes")
    if len(reading.table.classes) == 2 and isinstance(words, dict):
        return [*words["0"], *words["1"]]
    return list(reading.table.classes)
