"""From what people bring to tables of counts: the one door that every function uses.

What reads rows of dataframes and files loads when there are some.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorfloor._checks import InputError, Part, argument, check_aligned, either, function, shown
from errorfloor.data.arrays import (
    count_weighed,
    labels_there,
    partly_labelled,
    shares_of_arrays,
    table_beside,
)
from errorfloor.data.ballots import Raters
from errorfloor.data.columns import names_an_id
from errorfloor.data.layouts import (
    ANNOTATORS_AND_LABELS,
    COUNTS,
    COUNTS_AND_LABELS,
    EVERY_LAYOUT,
    SCORES,
    SOFT_LABELS,
    VOTES_AND_LABELS,
    Layout,
    joined,
)
from errorfloor.data.matrices import (
    are_off,
    as_matrix,
    as_votes,
    check_counts,
    is_matrix,
    without_frame,
)
from errorfloor.data.naming import TWO_CLASSES, Binary, as_binary, listed, names_in_arrays
from errorfloor.data.options import ARRAY, Origin, Reading, ReadOptions, Source, is_source
from errorfloor.data.tables import ScoreTable, SoftTable, Table, VoteTable
from errorfloor.data.values import (
    are_ids,
    as_entries,
    is_float,
    is_frame,
    is_missing,
    number_rows,
    spelt,
    text_of,
)

_SOME = 1000  # entries that tell labels from scores
_SCORES_AS_SOFT = {"soft": "scores"}  # what takes the scores of a table for true probabilities


@dataclass(frozen=True, slots=True)
class ReadCall:
    """What is asked of the door, besides the data.

    Attributes
    ----------
    layouts : tuple of Layout
        Those that the caller can use.
    options : ReadOptions
        How the user wants the data to be read.
    second : optional
        The second of two arrays: labels next to scores, totals next to votes.
    labels : optional
        An array of labels next to arrays of votes.
    name : str, optional
        What the caller calls the data; what the array of the layout is called by default.
    progress : callable, optional
        Called with the share of the work that is done, for files.
    only_tables : bool
        Whether nobody asks what else the rows tell.
    """

    layouts: tuple[Layout, ...]
    options: ReadOptions
    second: object = None
    labels: object = None
    name: str | None = None
    progress: Callable[[float], None] | None = None
    only_tables: bool = False

    @property
    def kinds(self) -> tuple[str, ...]:
        """What tables may hold that the caller can use."""
        return tuple(dict.fromkeys(layout.kind for layout in self.layouts))

    @property
    def first(self) -> Part:
        """The argument that the data came by."""
        names = [layout.arrays[0] for layout in self.layouts if layout.arrays]
        usual = names[0] if len(self.kinds) == 1 and names else "data"
        return argument(self.name or usual)

    @property
    def pair(self) -> Layout:
        """The layout that is made of two arrays."""
        return next(layout for layout in self.layouts if len(layout.arrays) > 1)

    def read(
        self,
        tables: Table | Mapping[Any, Table],
        origin: Origin,
        layout: Layout,
        rows: int,
        positive: object = None,
        **more: Any,
    ) -> Reading:
        """Return tables with where they came from, and with the options."""
        if self.options.complete and (layout.kind != ScoreTable.kind or layout.of_shares):
            what = "shares of votes" if layout.of_shares else layout.kind
            raise InputError(
                argument("complete"),
                f" is about scores: that nothing else a model could see matters. These are {what}. "
                "Leave it out.",
            )
        if layout is COUNTS:
            every = [tables] if isinstance(tables, Table) else tables.values()
            refuse_ids(every, more.get("columns", {}).get("counts"), self.options)
        options = self.options.kept
        if positive is not None:  # as the values show
            options = replace(options, positive=positive)
        rater = self.options.arrays.get("rater")
        if isinstance(rater, bool):
            more["facts"] = {**more.get("facts", {}), "rater": rater}
        source = Source(origin=origin, layout=layout.name, options=options, rows=rows, **more)
        return Reading({None: tables} if isinstance(tables, Table) else tables, source)


def read(
    data: object,
    layouts: Sequence[Layout],
    options: ReadOptions,
    *,
    second: object = None,
    labels: object = None,
    name: str | None = None,
    progress: Callable[[float], None] | None = None,
) -> Reading:
    """Return labels as tables of counts, from arrays, a table, a dataframe or files.

    Parameters
    ----------
    data : array-like, table, dataframe, path, or list of paths
        The labels, or the first of two arrays.
    layouts : sequence of Layout
        Those that the caller can use.
    options : ReadOptions
        Columns of a dataframe or file, and how to read them. Columns that are not named are guessed
        where only one reading is possible.
    second : array-like, optional
        The second of two arrays: labels next to scores, totals next to votes. Totals may be one
        number, and of a dataframe or file the name of their column.
    labels : array-like, optional
        The one true label of each item, where `data` are arrays of votes.
    name : str, optional
        What the caller calls `data`; what the array of the layout is called by default.
    progress : callable, optional
        Called with the share of the work that is done, for files.
    """
    if isinstance(data, Reading):  # it came through the door before
        return data
    if options.on is not None:
        of_scores = any(layout.arrays[1:] == ("labels",) for layout in layouts)
        given = second if labels is None and of_scores else labels
        options = options.joined_to(given)
        _check_joined(data, options)
        second, labels = (None if given is second else second), None
    if options.label_is_vote and labels is None:
        layouts = _with_label_as_vote(layouts, options)
    call = ReadCall(tuple(layouts), options, second, labels, name, progress)
    if labels is not None:
        return _of_votes_and_labels(data, call)
    of_arrays = call.layouts[0].read_arrays
    if options.arrays and of_arrays is None:
        return _of_named_arrays(data, call)
    if isinstance(data, Table):
        return _of_table(data, call)
    if data is None:
        raise _no_data(call)
    if _are_paths(data, call):
        from errorfloor.data.read_rows import of_files

        return of_files(data, call)
    if is_frame(data):
        data, call = _beside_labels(data, call)
    if is_frame(data):
        from errorfloor.data.read_rows import of_rows

        return of_rows(data, call, "the dataframe")
    if of_arrays is not None:
        return of_arrays(data, call)
    if options.columns:
        raise _no_columns(data, call)
    return _of_arrays(data, call)


def _check_joined(data: object, options: ReadOptions) -> None:
    if not is_source(data):
        what = "a dataframe" if is_frame(data) else "no file"
        raise InputError(
            *(argument("on"), f" joins files, and the data are {what}. Pass its path, or join "),
            "dataframes by their own merge or join.",
        )


def is_data(value: object) -> bool:
    """Tell whether `value` says by itself what it holds: a table, a dataframe or files."""
    return isinstance(value, Table | Reading) or is_source(value) or is_frame(value)


def _with_label_as_vote(layouts: Sequence[Layout], options: ReadOptions) -> Sequence[Layout]:
    """Return the layouts of votes next to a label, or refuse to take a label for a vote."""
    able = [layout for layout in layouts if layout.of_shares]
    if "label" not in options.columns or not able:
        raise InputError(
            *(argument("label_is_vote"), " adds the label of each item to its votes. Name the "),
            *("votes, and the column of the label with ", argument("label"), ", or leave it out."),
        )
    return able


def _beside_labels(data: object, call: ReadCall) -> tuple[object, ReadCall]:
    """Return a dataframe of scores as an array, and what is asked, where labels are an array."""
    options, labels = call.options, call.second
    of_scores = any(one.name == SCORES.name for one in call.layouts)
    if not of_scores or options.columns or labels is None or np.ndim(labels) == 0:  # type: ignore[arg-type]
        return data, call
    scores, classes = without_frame(data, labels, options.classes, **options.sampling)
    return scores, replace(call, options=replace(options, classes=classes))


def _are_paths(data: object, call: ReadCall) -> bool:
    """Tell paths from arrays, which may be lists of text that spells numbers."""
    if not is_source(data) or not isinstance(data, list | tuple):
        return is_source(data)
    if call.options.columns or call.options.format is not None:
        return True
    beside_array = call.second is not None and np.ndim(call.second) > 0  # type: ignore[arg-type]
    # Ratings of an item may be one text, such as 5;6;3.
    spelt_out = (isinstance(one, str) and all(map(is_float, one.split(";"))) for one in data)
    return not beside_array and not all(spelt_out)


# Tables.


def _of_table(table: Table, call: ReadCall) -> Reading:
    kind = type(table).__name__
    if call.second is not None:
        second = argument(call.pair.arrays[1])
        raise InputError(second, " must be left out when ", call.first, f" is a {kind}.")
    return of_counted(table, call, call.first, f"a {kind}")


def of_counted(
    table: Table, call: ReadCall, name: Part, what: str, paths: tuple[str, ...] = ()
) -> Reading:
    """Return a table that needs no counting, if the caller can use it.

    `name` is what errors call it, and `what` it is.
    """
    options, used = call.options, {}
    wants_soft = options.columns == _SCORES_AS_SOFT or ScoreTable.kind not in call.kinds
    if isinstance(table, ScoreTable) and SOFT_LABELS in call.layouts and wants_soft:
        table, used = SoftTable.from_scores(table), _SCORES_AS_SOFT
    if options.columns and options.columns != used:
        raise _columns_known(call, name, what)
    refuse_options(call)
    for one in options.sampling:
        text = f" is {what}, which has weights and clusters already if any. Leave out "
        raise InputError(name, text, argument(one), ".")
    if options.classes is not None and options.classes != table.classes:
        text = f" is {what} of the classes {listed(table.classes)}. Leave out "
        raise InputError(name, text, argument("classes"), ".")
    layout = next((one for one in call.layouts if one.kind == table.kind), None)
    if layout is None:
        asks = next(one.asks for one in EVERY_LAYOUT if one.kind == table.kind)
        text = f" is {what}, which holds {table.kind}; this needs {either(call.kinds)}. Use "
        raise InputError(name, text, function(asks), " for it.")
    if len(table) == 0:
        raise InputError(name, " is an empty table. Pass at least one item.")
    origin: Origin = "files" if paths else "table"
    rows = table.n + table.dropped
    return call.read(table, origin, layout, rows, files=paths, columns=dict(used))


def _columns_known(call: ReadCall, name: Part, what: str) -> InputError:
    text = f" is {what}, whose columns are known, so name none."
    if SOFT_LABELS not in call.layouts:
        return InputError(name, text)
    remark = " takes the scores of a table for true probabilities."
    return InputError(name, f"{text} ", argument("soft", "scores"), remark)


# Arrays.


def _of_arrays(data: object, call: ReadCall, *, named: bool = False) -> Reading:
    options, labels = call.options, call.second
    labelled = labels is not None and any(one.name == SCORES.name for one in call.layouts)
    in_line = labelled and not is_matrix(data) and options.classes is None
    refuse_options(call, may_drop=labelled, may_be_positive=in_line)
    if labelled:
        check_order(data, labels)
    layout, make = _layout_of_arrays(data, call)
    check_aligned(**dict(zip(layout.arrays, (data, labels), strict=False)), **options.sampling)
    told = _as_binary(data, labels, options) if in_line else Binary(labels)
    labels, call = told.labels, replace(call, second=told.labels)
    if layout.with_columns and not named:
        check_counts(data)
    table: Table
    if labelled and (options.unlabelled or options.drop_missing):
        table = partly_labelled(data, labels, options)
        labels = labels_there(labels)
    elif options.sampling:
        table = _weighed(layout, data, call)
    else:
        table = make(data, labels, options.classes)
    facts: dict[str, Any] = {"id_as_score": True} if layout is SCORES and number_rows(data) else {}
    if (
        layout is SOFT_LABELS
        and is_matrix(data)
        and (off := are_off(as_matrix(data, "soft_labels")))
    ):
        facts["divided"] = off
    names = names_in_arrays(data, labels, options.classes, layout is SCORES)
    facts |= facts_of_classes([table], names, told.sides)
    own = {"columns": {layout.roles[0].name: ARRAY}} if named else {}
    rows = layout.rows({None: table})
    return call.read(table, "arrays", layout, rows, told.positive, facts=facts, **own)


def _as_binary(scores: object, labels: object, options: ReadOptions) -> Binary:
    """Return the labels next to scores as 0 and 1."""

    def means(texts: Sequence[str]) -> dict[str, float]:
        found = [text_of(one) for one in as_entries(labels).tolist()]
        given = np.asarray(scores, dtype=np.float64)
        return {one: float(given[[text == one for text in found]].mean()) for one in texts}

    try:
        return as_binary(labels, options.positive, options.positive_from, means)
    except (TypeError, IndexError) as error:  # of what is no score, which is refused later
        raise InputError(argument("scores"), " and ", argument("labels"), f": {error}") from error


def check_order(scores: object, labels: object) -> None:
    """Refuse labels in the place of scores and scores in that of labels, where both are plain."""
    label = None if is_matrix(scores) else _example(scores, _like_labels)
    score = None if label is None else _example(labels, _like_scores)
    if label is not None and score is not None:
        raise InputError(
            *(argument("scores"), f" holds labels, such as {shown(label)}, and "),
            *(argument("labels"), f" holds scores, such as {shown(score)}. Pass the scores first "),
            "and the labels second; scikit-learn's metrics have the other order.",
        )


def _example(values: object, like: Callable[[NDArray[Any]], bool]) -> Any:
    """Return the first of some values if they are `like` what is asked for, else None."""
    some = as_entries(values).ravel()[:_SOME]
    if some.dtype.kind == "f":
        some = some[~np.isnan(some)]
    elif some.dtype.kind not in "biu":
        some = np.array([one for one in some.tolist() if not is_missing(one)], object)
    return some[:1].tolist()[0] if some.size and like(some) else None


def _are_parts(some: NDArray[Any]) -> bool:
    """Tell whether some of the numbers are not whole."""
    with np.errstate(invalid="ignore"):  # infinite ones
        return bool((some % 1).any())


def _like_labels(some: NDArray[Any]) -> bool:
    if some.dtype.kind in "biuf":
        return not _are_parts(some)
    if all(isinstance(one, str) and spelt(one) is None for one in some):
        return True
    return all(isinstance(one, bool | int | float) and one % 1 == 0 for one in some)


def _like_scores(some: NDArray[Any]) -> bool:
    if some.dtype.kind in "biuf":
        return some.dtype.kind == "f" and _are_parts(some)
    return all(isinstance(one, float) for one in some) and any(one % 1 for one in some)


def _layout_of_arrays(data: object, call: ReadCall) -> tuple[Layout, Callable[..., Table]]:
    """Return the one layout that is made of such arrays, and what makes its table."""
    columns = (None, is_matrix(data))
    able = {
        layout: layout.from_arrays
        for layout in call.layouts
        if layout.from_arrays and layout.with_columns in columns and layout.arrays
    }
    if len(able) != 1:
        made = either([f"{layout.table.__name__}.from_arrays" for layout in able])
        raise InputError(
            call.first,
            f" must be {f'a table made by {made}, ' if able else ''}a dataframe or a file. "
            f"An array does not say whether it holds {either(call.kinds)}.",
        )
    return next(iter(able.items()))


def _weighed(layout: Layout, data: object, call: ReadCall) -> Table:
    """Return the table of arrays with weights or clusters next to them."""
    options = call.options
    if layout is SCORES and call.second is not None:
        return count_weighed(data, call.second, options.classes, options.sampling)
    kind: Any = layout.table
    arrays = (data, call.second) if len(layout.arrays) > 1 else (data,)
    made: Table = kind.from_arrays(*arrays, classes=options.classes, **options.sampling)
    return made


def _of_named_arrays(data: object, call: ReadCall) -> Reading:
    """Return votes that came as arrays under the name of their layout."""
    layout, votes = _votes_in_arrays(data, call)
    if layout.name == COUNTS.name:
        return _of_arrays(votes, replace(call, layouts=(layout,)), named=True)
    return _of_raters(votes, layout, call)


def _of_raters(votes: object, layout: Layout, call: ReadCall) -> Reading:
    """Return the table of single votes with a column for each annotator, maybe next to labels."""
    refuse_options(call, may_drop=True, may_be_positive=True, may_mean_none=True)
    raters = Raters.of(votes, call.options, call.labels)
    if raters.labels is None:
        assert layout.from_arrays is not None
        table = layout.from_arrays(raters, call.options, None)
    else:
        table = table_beside(
            *(raters.counts, raters.labels, raters.classes, raters.sampling(call.options)),
            label_is_vote=call.options.label_is_vote,
        ).without(raters.dropped)
    facts = facts_of_classes([table], raters.classes, raters.sides)
    more = {"columns": {layout.roles[0].name: ARRAY}, "facts": facts}
    return call.read(table, "arrays", layout, len(raters.kept), raters.positive, **more)


def _votes_in_arrays(data: object, call: ReadCall) -> tuple[Layout, object]:
    """Return the layout of votes that came as an array under its name, and the array."""
    arrays = call.options.arrays
    able = [layout for layout in call.layouts if layout.name in arrays and layout.from_arrays]
    if not able:
        raise InputError(
            argument(next(iter(arrays))),
            f" is an array, which this question does not take. It needs {either(call.kinds)} in a "
            "table, a dataframe or a file.",
        )
    for name in arrays:
        others = [*call.options.columns, *(one for one in arrays if one != name)]
        others += [] if call.second is None else ["totals"]
        if data is not None or others:
            raise InputError(
                *(argument(name), " is an array of all votes. Leave out "),
                *(argument(others[0]) if others else argument("votes"), ", or name columns with "),
                *(argument(name), "."),
            )
    ((name, votes),) = arrays.items()
    return able[0], as_votes(votes, name) if name == COUNTS.name else votes


def _of_votes_and_labels(votes: object, call: ReadCall) -> Reading:
    """Return votes that are arrays next to one label for each item."""
    options, named = call.options, call.options.arrays
    if named:
        layout, votes = _votes_in_arrays(votes, call)
        if layout.name != COUNTS.name:
            call = replace(call, layouts=(ANNOTATORS_AND_LABELS,))
            return _of_raters(votes, ANNOTATORS_AND_LABELS, call)
    per_class = not is_data(votes) and is_matrix(votes)
    if per_class and not named:
        check_counts(votes)
    in_line = not per_class and options.classes is None
    plain = options.given.keys() <= {
        *("classes", "weight", "cluster", "label_is_vote"),
        *(("positive", "positive_from") if in_line else ()),
    }
    if is_data(votes) or not plain or options.columns or (call.second is None and not per_class):
        raise InputError(
            *(argument("labels"), " goes with arrays of votes and "),
            *(argument("totals"), ". Of a dataframe or file, name the column with "),
            *(argument("label"), "."),
        )
    check_aligned(votes=votes, totals=call.second, labels=call.labels, **options.sampling)
    told = Binary(call.labels)
    if in_line:
        sides = options.positive, options.positive_from
        told = as_binary(call.labels, *sides)
    table, names = shares_of_arrays(
        *(votes, call.second, told.labels, options.classes, options.sampling),
        label_is_vote=options.label_is_vote,
    )
    layout = COUNTS_AND_LABELS if per_class else VOTES_AND_LABELS
    facts = facts_of_classes([table], names, told.sides)
    more = {"facts": facts, "columns": dict.fromkeys(named, ARRAY)}
    return call.read(table, "arrays", layout, table.n, told.positive, **more)


# What goes wrong, and what rows or arrays tell about classes.


def _no_columns(data: object, call: ReadCall) -> InputError:
    named = joined([argument(name) for name in call.options.columns])
    text = f" is no dataframe or file but {type(data).__name__}, which has no columns to name with "
    return InputError(call.first, text, *named, ". Leave out the names, or pass a dataframe.")


def _no_data(call: ReadCall) -> InputError:
    kinds, columns = either(call.kinds), call.options.columns
    if not columns:
        return InputError(
            call.first, f" is missing. Pass {kinds} as arrays, a table, a dataframe or files."
        )
    named = joined([argument(name) for name in columns])
    many = len(columns) > 1
    text = f" {'name' if many else 'names'} columns, and there is no dataframe or file to read. "
    return InputError(*named, text, f"Pass the {kinds} first, before all names.")


def refuse_options(
    call: ReadCall,
    *,
    may_drop: bool = False,
    may_be_positive: bool = False,
    may_mean_none: bool = False,
) -> None:
    """Refuse what is about rows, where there are none."""
    if call.options.missing is not None and not may_mean_none:
        raise InputError(
            *(argument("missing"), " goes with a dataframe, a file or "),
            *(argument("annotators"), ". Leave such answers out of the arrays."),
        )
    about_rows = {"group", "duplicates"}
    about_rows |= set() if may_drop else {"drop_missing"}
    about_rows |= set() if may_be_positive else {"positive", "positive_from"}
    if any(map(call.options.is_given, about_rows)):
        options = joined([argument("positive"), argument("drop_missing")], ", ")
        columns = joined([argument(role.argument) for role in call.layouts[0].needed])
        raise InputError(
            *(*options, " and ", argument("group")),
            " go with a dataframe or file of rows. Pass one, and name its columns with ",
            *(*columns, "."),
        )


def refuse_ids(tables: Iterable[Table], columns: object, options: ReadOptions) -> None:
    """Refuse a column of votes for a class that numbers the items, as no votes do."""
    for table in tables:
        assert isinstance(table, VoteTable)
        number = len(table.classes)
        named = columns if isinstance(columns, list | tuple) else options.headings
        names: Sequence[object] = named if len(named) == number else range(number)
        for name, votes in zip(names, table.votes.T, strict=True):
            if are_ids(votes, table.n, called_so=names_an_id(name)):
                raise InputError(
                    argument("counts"),
                    f" has the column {name!r}, which numbers the items and is no number of votes "
                    "for a class. Leave it out.",
                )


def facts_of_classes(
    tables: Iterable[Table],
    names: tuple[str, ...] | None = None,
    sides: Mapping[str, list[str]] | None = None,
) -> dict[str, Any]:
    """Return the classes as sources keep them: each with its count; of two, which one is 1.

    `names` are those of two classes, which a table does not keep; `sides` are the values of each.
    """
    if sides is not None:
        return {"classes": sides}
    some = list(tables)
    classes = some[0].classes
    if len(classes) == 2:
        known = names is not None and names != TWO_CLASSES
        return {"classes": {"1": [names[1]], "0": [names[0]]}} if known and names else {}
    total: Any = sum(_labels_in(table.columns) for table in some)
    return {"classes": [[name, round(float(n))] for name, n in zip(classes, total, strict=True)]}


def _labels_in(columns: Mapping[str, NDArray[Any]]) -> NDArray[Any]:
    """Return the number of labels or votes for each class; of soft labels the expected one."""
    counts = columns["counts"]
    if counts.ndim == 2:
        return np.asarray(counts.sum(axis=0, dtype=np.int64))
    return np.asarray(counts @ columns["votes" if "votes" in columns else "probabilities"])
