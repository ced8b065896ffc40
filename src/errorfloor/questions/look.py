"""What data holds, before anything is asked of it: columns, likely layouts, what to do next."""

from __future__ import annotations

import ast
import os
import shlex
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeGuard

from errorfloor._checks import PER_LABEL, InputError, Mention, either, typed_python
from errorfloor.data.columns import NO_NAMES, ChosenColumns, has_no_names, texts_first
from errorfloor.data.layouts import (
    ANNOTATIONS,
    ANNOTATORS,
    BESIDE,
    LABEL,
    LAYOUTS,
    OF_RATINGS,
    SCORES,
    SIDE_BY_SIDE,
    SOFT_LABELS,
    Layout,
)
from errorfloor.data.options import Reading, ReadOptions, is_source
from errorfloor.data.read import is_data, read
from errorfloor.data.tables import Table, VoteTable
from errorfloor.results.look import ColumnLook, LayoutLook, Look

if TYPE_CHECKING:
    from errorfloor.data.exports import ToolNotes
    from errorfloor.data.likely import FirstValues
    from errorfloor.data.read_rows import SameItems

Write = Callable[[Mention], str]
_MOST_COLUMNS = 200  # that are counted
_MOST_NAMED = 12  # features that a command names
_MOST_LINES = 3  # of what to type next
_PEOPLE = ANNOTATORS.roles[0].argument  # that have a column each
_NO_VALUES = ("list", "votes", "other")  # kinds of columns whose values are not compared
_MOST_CELLS = 2**27  # up to which different values are counted,
_CELLS_AT_ONCE = 2**24  # so many of them in one scan, which keeps to its memory


@dataclass(frozen=True, slots=True)
class WayOut:
    """What columns tell where no floor follows from them as they are."""

    says: str  # what is missing for a floor
    leads: str = ""  # to what can be asked
    lines: tuple[str, ...] = ()  # what to type
    columns: Mapping[str, Sequence[str]] = field(default_factory=dict)  # by role

    @property
    def text(self) -> str:
        """All that is said before what to type."""
        return f"{self.says} {self.leads}".rstrip()


def look(data: object, *, format: str | None = None) -> Look:  # noqa: A002
    """Say what the columns of data are, how they may be read, and what to type next.

    Parameters
    ----------
    data : dataframe, path, list of paths, or table
        As in `from_scores` and `from_votes`.
    format : str, optional
        Of files, where names and contents do not tell.

    Returns
    -------
    Look

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"score": [0.1, 0.4, 0.8], "label": ["ham", "ham", "spam"]})
    >>> found = look(frame)
    >>> found.layouts[0].classes
    (('ham', 2), ('spam', 1))
    >>> found.next
    ("ef.from_scores(df, score='score', label='label')",)
    """
    if not is_data(data):
        raise InputError(
            "`data` must be a dataframe, a path or a table. Of arrays it is plain what they hold: "
            "use `from_scores()`, `from_votes()` or `from_soft_labels()`."
        )
    if format is not None and not is_source(data):
        raise InputError("`format` goes with files. Leave it out.")
    return looked_at(data, ReadOptions.of(format=format), Mention.in_python, _files_of(data))[0]


def looked_at(
    data: Any,
    where: ReadOptions,
    write: Write,
    files: tuple[str, ...],
    used: Collection[str] = (),
    predictions: Sequence[str] = (),
) -> tuple[Look, WayOut | None]:
    """Return the same for data and how to read it, with arguments written as `write` does.

    `files` are those that commands name, `used` the columns that have another meaning already, and
    `predictions` those of what models predict. With it comes what else can be asked where no floor
    follows from the columns.
    """
    name = where.called or (files[0] if files else "the data")
    if len(files) > 1:
        name = f"{name} and {len(files) - 1} more"
    table = _saved(data, where)
    if table is not None:
        return _of_table(table, name, files), None
    seen = _columns_in(data, where, files, used, predictions)
    both = [
        _tried(data, files, where, layout, given, write, seen.few_labels)
        for layout, given in seen.guesses
    ]
    if not seen.by_names:  # which would explain an error
        both = [one for one in both if one[0].problem is None or _has_remedy(*one)]
    both.sort(key=lambda one: one[0].problem is not None)
    asked = next((one.problem for one in seen.tool_notes if one.problem is not None), None)
    if where.labels is None and asked is None and seen.may_be_ratings:
        rated = [*_rated(data, where, files)]
        both = [*both, *rated] if seen.scores_first else [*rated, *both]
    tried = [one for one, _ in both]
    following = [line for _, lines in both for line in lines][:_MOST_LINES]
    if tried and tried[0].problem is None and not predictions:
        following[1:1] = _about_others(data, where, files, tried[0])
    way_out = None if tried else seen.way_out
    problems = [*_problems(seen.rows, seen.columns, tried, told=bool(asked or way_out))]
    if asked is not None and not tried:
        problems.insert(0, _first(asked, write))
        following = list(_lines_asked(asked, files))
    elif way_out is not None:
        problems.insert(0, way_out.text)
        following = list(way_out.lines)
    problems[:0] = [f"{one.tool}: {note}." for one in seen.tool_notes for note in one.notes]
    found = Look(
        name=name,
        rows=seen.rows,
        columns=tuple(seen.columns),
        layouts=tuple(tried),
        problems=tuple(problems),
        next=tuple(following) or in_general(files, seen.columns),
    )
    return found, way_out


def _has_remedy(look: LayoutLook, lines: Sequence[str]) -> bool:
    """Tell whether what to type has more than the columns, such as the positive class."""
    return [*lines] != [look.line]


def _files_of(data: Any) -> tuple[str, ...]:
    if isinstance(data, str | os.PathLike):
        return (os.fspath(data),)
    return tuple(map(os.fspath, data)) if isinstance(data, list | tuple) else ()


def _saved(data: Any, where: ReadOptions) -> Reading | None:
    """Return a table, or what was saved in files as one."""
    if isinstance(data, Table):
        return read(data, LAYOUTS, ReadOptions.of())
    from errorfloor.data.files import holds_table

    if not _files_of(data) or not holds_table(data, where.format):
        return None
    return read(data, LAYOUTS, where)


def _of_table(reading: Reading, name: str, files: tuple[str, ...]) -> Look:
    layout = next(one for one in LAYOUTS if one.name == reading.source.layout)
    what = _described(reading, layout, files, {})
    return Look(
        name=name,
        rows=len(reading.table),
        columns=(),
        layouts=(what,),
        problems=(),
        next=(what.line,),
    )


@dataclass(frozen=True, slots=True)
class _Seen:
    """What was found before any reading is tried."""

    rows: int
    columns: list[ColumnLook]
    guesses: list[tuple[Layout, dict[str, Any]]]
    way_out: WayOut | None
    may_be_ratings: bool  # by the names of columns, or where these tell nothing
    tool_notes: list[ToolNotes]  # by the tool that wrote a file
    by_names: bool = True  # whether names tell the guesses, and else values do

    @property
    def scores_first(self) -> bool:
        """Whether the likeliest reading is a score that votes in rows would leave out."""
        return [layout for layout, _ in self.guesses][:2] == [SCORES, ANNOTATIONS]

    @property
    def few_labels(self) -> set[str]:
        """The columns that are blank in most rows."""
        return {one.name for one in self.columns if 2 * (one.missing or 0) > self.rows}


def _columns_in(
    data: Any,
    where: ReadOptions,
    files: tuple[str, ...],
    used: Collection[str] = (),
    predictions: Sequence[str] = (),
) -> _Seen:
    """Return the number of rows, the columns, and the layouts that they may be in."""
    from errorfloor.data import columns as by_names
    from errorfloor.data import likely
    from errorfloor.data.engines import kinds_of, number_of_rows
    from errorfloor.data.files import Found, found_with
    from errorfloor.data.ratings import may_be_ratings
    from errorfloor.data.read_rows import rows_of, same_items

    with ExitStack() as stack:
        partly = replace(where, drop_missing=True)  # a look shows rows without a label, too
        source = stack.enter_context(found_with(data, partly)) if is_source(data) else data
        frame, run = stack.enter_context(rows_of(source, partly))
        every = kinds_of(frame, run)
        predicted = {one: every[one] for one in predictions if one in every}
        kinds = {one: kind for one, kind in every.items() if one not in {*used, *predicted}}
        rows = number_of_rows(frame, run)
        columns = _looked_at(frame, run, kinds, rows)
        told = source.tool_notes if isinstance(source, Found) else []
        joined = source.joined if isinstance(source, Found) else None
        if joined is not None:  # which has the labels, so that no other column is meant
            others = by_names.fitting(LABEL, [one for one in kinds if one not in joined.columns])
            kinds = {one: kind for one, kind in kinds.items() if one not in others}
        elif any(one.problem is not None for one in told):
            return _Seen(rows, columns, [], None, False, told)
        elif any(one.columns for one in told):
            votes = {role: column for one in told for role, column in one.columns.items()}
            return _Seen(rows, columns, [(ANNOTATIONS, votes)], None, False, told)
        readings, way_out = by_names.likely_readings(kinds, LAYOUTS), None
        items = same_items(source, only_apart=len(readings) > 0)
        gone = {one.name for one in columns if one.missing}
        way_out = None if items is None else _of_same_items(items, gone)
        if way_out is not None:
            return _Seen(rows, columns, [], way_out, False, told)
        named = len(readings) > 0
        if not named:
            readings, way_out = _by_values(frame, run, kinds, files, predicted)
        elif any(one.layout is ANNOTATIONS for one in readings):
            readings = likely.or_scores(likely.first_values(frame, run, kinds), readings)
    guesses = [(one.layout, one.arguments) for one in readings]
    return _Seen(rows, columns, guesses, way_out, may_be_ratings(kinds) or not named, told, named)


def _by_values(
    frame: Any,
    run: Any,
    kinds: Mapping[str, str],
    files: tuple[str, ...],
    predicted: Mapping[str, str],
) -> tuple[list[ChosenColumns], WayOut | None]:
    """Return what the values of columns suggest, or what is missing for a floor."""
    from errorfloor.data import likely

    first = likely.first_values(frame, run, kinds)
    of_lists = _of_lists(frame, run, kinds, likely.item_and_people(first), files)
    if of_lists is not None:
        return [], of_lists
    if (matrix := likely.confusion_matrix(first)) is not None:
        return [], _of_confusion(matrix)
    label = likely.label_of(first, likely.first_values(frame, run, predicted))
    if label is not None and len(predicted) > 1:
        return [], _of_models([*predicted], label, files)
    if label is not None:
        return [], _of_predictions(frame, run, next(iter(predicted)), label, files)
    if likely.sure_reading(first, LAYOUTS) is not None:
        return likely.readings_by_values(first), None
    if (models := likely.models_and_label(first)) is not None:
        return [], _of_models(*models, files)
    if (agreed := likely.agreement_and_label(first)) is not None:
        return [], _of_agreement(*agreed, files)
    if (pair := likely.prediction_and_label(first)) is not None:
        return [], _of_predictions(frame, run, *pair, files)
    if (right := likely.correct_and_score(first)) is not None:
        return [], _of_right(right, files)
    if (found := likely.features_and_label(first)) is not None:
        return [], _of_features(*found, len(first), files)
    readings = likely.readings_by_values(first)
    if readings:
        return readings, None
    if (models := likely.models_and_label(first, any_name=True)) is not None:
        return [], _of_models(*models, files)
    if shares := likely.only_shares(first):
        return [], _of_shares(shares, files)
    if (numbers := likely.only_numbers(first)) is not None:
        return [], _of_numbers(*numbers, files)
    label = likely.only_label(first)
    if label is None:
        return [], None
    if (several := likely.several_labels(first, label)) is not None:
        return [], _of_several(label, *several, files)
    return [], _of_labels(label, likely.texts_beside(first, label), files)


def _of_predictions(
    frame: Any, run: Any, prediction: str, label: str, files: tuple[str, ...]
) -> WayOut:
    """Say what a model's classes and the true ones tell, and what a floor needs."""
    import narwhals as nw

    from errorfloor._numbers import per_cent, range_of
    from errorfloor.data.engines import select, where_missing
    from errorfloor.data.rows import count_where
    from errorfloor.intervals.models import ExactShare

    both = select(frame, {"prediction": prediction, "label": label})
    for name in ("prediction", "label"):
        both = both.filter(~where_missing(both, name))
    text = [nw.col(name).cast(nw.String) for name in ("prediction", "label")]
    found = count_where(both, run, {"wrong": text[0] != text[1]})
    wrong, n = found["wrong"], found["n"]
    low, high = ExactShare(wrong, n).limits(0.95)
    sentence = (
        f"Column {prediction!r} against column {label!r} gives the model's error, "
        f"{per_cent(wrong / n, 1)} ({wrong:,} of {n:,}; 95 % interval {range_of(low, high, 1)}). "
        "A floor needs scores, votes or features as well."
    )
    names = {"score": "COL", "label": label, "prediction": prediction}
    if files:
        line = _typed("headroom", files, names)
        return WayOut(sentence, "With a column of the model's scores:", (line,))
    line = _called("headroom", files, names)
    return WayOut(sentence, "With a column of the model's scores:", (line,))


def _of_confusion(matrix: list[list[int]]) -> WayOut:
    """Say what a confusion matrix tells, and what a floor needs."""
    from errorfloor._numbers import per_cent

    right, every = sum(row[k] for k, row in enumerate(matrix)), sum(map(sum, matrix))
    sentence = (
        "This is a confusion matrix: a row and a column for each class. It tells how often these "
        f"agree ({per_cent(right / max(every, 1), 1)} of {every:,}), not how often a model could "
        "be right: a floor needs the scores or votes of each item."
    )
    rows = ";".join(",".join(map(str, row)) for row in matrix)
    line = shlex.join(["errorfloor", "headroom", "FLOOR", "--confusion", rows])
    return WayOut(sentence, "To compare it with a floor that you know:", (line,))


def _of_models(models: list[str], label: str, files: tuple[str, ...]) -> WayOut:
    """Say that columns hold what models predict, and how to compare them."""
    sentence = (
        f"Columns {', '.join(map(repr, models))} next to label {label!r} look like what models "
        "predict. That tells which model is better; a floor needs scores, votes or features as "
        "well."
    )
    line = _asked("compare", files, {"label": label, "prediction": models})
    columns = {LABEL.name: [label], "prediction": models}
    return WayOut(sentence, "To compare the models:", (line,), columns)


def _of_right(column: str, files: tuple[str, ...]) -> WayOut:
    """Say what a column tells that says whether a model was right, and what a floor needs."""
    sentence = (
        f"Column {column!r} seems to say whether a model was right on an item, not what the item "
        "is. Its mean is the model's accuracy; together with scores it would only tell how well "
        "the model's errors can be predicted."
    )
    needs = "A floor needs votes, or the true class of each item with a score for each class:"
    return WayOut(sentence, needs, in_general(files, ())[:2])


def _of_features(features: list[str], label: str, columns: int, files: tuple[str, ...]) -> WayOut:
    """Say that columns of numbers look like features, and how to ask about them."""
    from errorfloor.data.likely import is_called_label

    sure = is_called_label(label)
    beside = f" next to label {label!r}" if sure else ""
    sentence = (
        f"The {len(features):,} columns of numbers{beside} look like features, not like scores of "
        "a model."
    )
    leads = "From features:" if sure else f"If column {label!r} is the label:"
    how: dict[str, Any] = {"label": label}
    if columns > len(features) + 1 and len(features) <= _MOST_NAMED:
        how["features"] = features
    line = _asked("from_features", files, how)
    return WayOut(sentence, leads, (line,), {LABEL.name: [label], "feature": features})


def _of_agreement(share: str, label: str, files: tuple[str, ...]) -> WayOut:
    """Say what the share of the leading answer lacks."""
    sentence = (
        f"Column {share!r} seems to say how many people agree on the answer in column {label!r}, "
        "whichever answer that is. A floor needs the single votes, or the number of votes for each "
        "answer: export those."
    )
    return WayOut(sentence, lines=in_general(files, ())[1:5])  # those of votes


def _of_shares(columns: list[str], files: tuple[str, ...]) -> WayOut:
    """Say what a single column of numbers from 0 to 1 may be, or several that add up to 1."""
    (column, *others), of_each = columns, "class 1"
    what = f"Column {column!r} holds numbers from 0 to 1"
    if others:
        what = f"Columns {', '.join(map(repr, columns))} add up to 1 on each item"
        of_each = "the classes"
    sentence = f"{what}, and no column holds labels. Scores of a model need a label for each item."
    leads = f"Only if these are the true probabilities of {of_each}:"
    line = _asked("from_soft_labels", files, {"soft": columns if others else column})
    return WayOut(sentence, leads, (line,), {SOFT_LABELS.roles[0].name: columns})


def _of_numbers(columns: list[str], raters: list[str], files: tuple[str, ...]) -> WayOut:
    """Say what columns of numbers without a label may be, some of which may be raters'."""
    sentence = f"Columns {', '.join(map(repr, columns))} hold numbers, and no column holds labels."
    if len(raters) < 2:
        sentence += " A target of numbers (regression) has no floor here."
        leads = "If several people rated the same items, name their columns:"
        return WayOut(sentence, leads, (_asked("from_ratings", files, {"ratings": ["COL"] * 2}),))
    these = "these" if raters == columns else ", ".join(map(repr, raters))
    leads = f"If {these} are ratings of the same items by several people:"
    line = _asked("from_ratings", files, {"ratings": raters})
    return WayOut(sentence, leads, (line,), {SIDE_BY_SIDE.name: raters})


def _of_several(label: str, item: str, who: str, files: tuple[str, ...]) -> WayOut:
    """Say how rows are read that may be several people's labels of one thing."""
    sentence = (
        f"Column {item!r} has the same value in several rows, with different values of {label!r}."
    )
    leads = "A row may be one person's vote on an item, or else one person's rating of it:"
    votes = {"item": item, "annotator": who, "vote": label}
    ratings = {"item": item, "rating": label, "rater": who}
    lines = (_asked("from_votes", files, votes), _asked("from_ratings", files, ratings))
    return WayOut(sentence, leads, lines)


def _of_same_items(items: SameItems, gone: Collection[str]) -> WayOut | None:
    """Say how files are read that hold the same items: labels next to scores, or one per person.

    In columns that are `gone` something is missing.
    """
    from errorfloor.data.files import FILENAME
    from errorfloor.data.likely import vote_in_each

    if items.joined is not None:
        scores, labels, named = items.joined
        line = _typed("estimate", (scores,), {"labels": labels, **named})
        return WayOut(items.says, "To join them:", (line,))
    vote = vote_in_each(items.seen, items.key)
    if vote is None:
        return None
    how: dict[str, Any] = {"item": ",".join(items.key), "annotator": FILENAME, "vote": vote}
    how |= {"drop_missing": True} if {*items.key, vote} & {*gone} else {}
    line = _asked("from_votes", items.paths, how)
    return WayOut(items.says, "As votes of different people, named after the files:", (line,))


def _of_lists(
    frame: Any, run: Any, kinds: Mapping[str, str], known: Mapping[str, str], files: Sequence[str]
) -> WayOut | None:
    """Say how to ask about one label where a column has lists of words, as several people gave."""
    from errorfloor.data.engines import select
    from errorfloor.data.values import as_text, quoted

    lists = [one for one, kind in kinds.items() if kind == "list"]
    if len(lists) != 1 or "item" not in known:
        return None
    (column,) = lists
    entries = run(select(frame, {"entries": column}).head(_MOST_COLUMNS))["entries"].tolist()
    times = Counter(word for words in _words_of(entries) for word in {*words})
    if not times:
        return None
    label = min(sorted(times), key=lambda word: abs(2 * times[word] - len(entries)))
    how = {**known, "vote": column}
    sentence = f"Column {column!r} has several labels in one entry.{PER_LABEL}"
    if len(files) != 1:
        each = f"{column!r}: [int({label!r} in one) for one in df[{column!r}]]"
        line = _called("from_votes", (), how).replace("(df", f"(df.assign(**{{{each}}})", 1)
        return WayOut(sentence, f"About {label!r}:", (line,))
    plain = column.isidentifier() and not {*label, *files[0]} & {*"'\"\\`$!"}
    name = column if plain else quoted(column)
    has = f"list_contains({name}::varchar[], {as_text(label)})::int as {name}"
    query = f"select * replace ({has}) from {as_text(files[0])}"
    text = f"'''{query} '''" if plain else repr(query)
    script = f"import duckdb; duckdb.sql({text}).write_csv('/dev/stdout')"
    line = f"{typed_python(script)} | {_typed('estimate', ('-',), how)}"
    return WayOut(sentence, f"About {label!r}:", (line,))


def _words_of(entries: Sequence[Any]) -> Iterator[list[str]]:
    """Yield the words in each list, which may be written as text."""
    for one in entries:
        with suppress(ValueError, SyntaxError):
            some = ast.literal_eval(one) if isinstance(one, str) else one
            if isinstance(some, Iterable) and not isinstance(some, str):
                yield [word for word in some if isinstance(word, str)]


def _of_labels(label: str, texts: Sequence[str], files: tuple[str, ...]) -> WayOut:
    """Say what one label per item lacks, and what has to be done to texts next to it."""
    sentence = (
        f"One label per item (column {label!r}) does not tell how often people disagree. A floor "
        "needs more: the labels of two or more people for each item, a model's scores, or features."
    )
    if texts:
        sentence += f" {texts_first(texts)}"
    return WayOut(sentence, lines=in_general(files, ())[:3])


def _looked_at(frame: Any, run: Any, kinds: Mapping[str, str], rows: int) -> list[ColumnLook]:
    """Count what is missing in all columns at once, and different values in as few scans as fit."""
    from errorfloor.data.engines import select, where_missing
    from errorfloor.data.rows import count_where

    few = len(kinds) <= _MOST_COLUMNS
    short = {name: f"c{i}" for i, name in enumerate(kinds) if few and isinstance(name, str)}
    missing: dict[str, int] = {}
    distinct: dict[str, int] = {}
    if short:
        frame = select(frame, {alias: name for name, alias in short.items()})
        schema = frame.collect_schema()
        gone = {alias: where_missing(frame, alias, schema) for alias in short.values()}
        missing = count_where(frame, run, gone)
        plain = [one for name, one in short.items() if kinds[name] not in _NO_VALUES]
        at_once = max(_CELLS_AT_ONCE // max(rows, 1), 1)
        distinct = {} if rows else dict.fromkeys(plain, 0)
        counted = len(plain) if 0 < rows * len(plain) <= _MOST_CELLS else 0
        for start in range(0, counted, at_once):
            some = {alias: gone[alias] for alias in plain[start : start + at_once]}
            distinct |= _different(frame, run, some, missing, rows)
    return [
        ColumnLook(
            name=str(name),
            kind=kind,
            distinct=distinct.get(short.get(name, "")),
            missing=missing.get(short.get(name, "")),
        )
        for name, kind in kinds.items()
    ]


def _different(
    frame: Any, run: Any, gone: Mapping[str, Any], missing: Mapping[str, int], rows: int
) -> dict[str, int]:
    """Return how many different values there are in columns, without what is missing."""
    import narwhals as nw

    if not rows:  # of which engines count differently, or not at all
        return dict.fromkeys(gone, 0)
    there = {name: nw.when(~one).then(nw.col(name)) for name, one in gone.items()}
    found = run(frame.with_columns(**there).select(nw.col(*there).n_unique()))
    return {name: int(found[name][0]) - (missing[name] > 0) for name in there}


def _tried(
    data: Any,
    files: tuple[str, ...],
    where: ReadOptions,
    layout: Layout,
    given: Mapping[str, Any],
    write: Write,
    few_labels: Collection[str] = (),
) -> tuple[LayoutLook, list[str]]:
    """Read the columns so, without rows that have missing values if there are some.

    Where few rows have a label, the others are kept as items without one.

    Also return what to type for it, or what an error asks for.
    """
    plain: dict[str, Any] = {
        name: list(one) if isinstance(one, tuple) else one for name, one in given.items()
    }
    plain |= {name: value for name, value in where.given.items() if name in ("labels", "on")}
    kept = [{"unlabelled": True}] if layout is SCORES and given["label"] in few_labels else []
    for how in (plain, *({**plain, **one} for one in (*kept, {"drop_missing": True}))):
        try:
            reading = read(data, (layout,), ReadOptions.of(**how, format=where.format))
        except InputError as error:
            problem = error
            continue
        found = _described(reading, layout, files, how)
        return found, [found.line]
    more = [{part.name: _value(part)} for part in problem.parts if _is_asked(part)]
    if more and _leaves_rows_out(data, layout, {**plain, **more[0]}, where):
        more = [{**one, "drop_missing": True} for one in more]
    lines = [_asked(layout.asks, files, {**plain, **one}, layout) for one in more or [{}]]
    told = _first(problem, write)
    return _way(layout, files, plain, columns=dict(given), problem=told), lines


def _leaves_rows_out(data: Any, layout: Layout, how: Mapping[str, Any], where: ReadOptions) -> bool:
    """Tell whether data can be read so, but only without rows that have missing values."""
    for drop in (False, True):
        with suppress(InputError):
            read(data, (layout,), ReadOptions.of(**how, drop_missing=drop, format=where.format))
            return drop
    return False


def prediction_in(data: Any, where: ReadOptions, columns: Mapping[str, Any]) -> str | None:
    """Return the column of what a model predicts next to columns by role; None where unsure."""
    from errorfloor.data.likely import prediction_beside

    of_people = _PEOPLE in columns
    seen = _seen_beside_predictions(data, where, of_people=of_people)
    if seen is None:
        return None
    return prediction_beside(seen, _names_of(columns), of_people=of_people)


def called_predictions_in(data: Any, where: ReadOptions) -> dict[str, str]:
    """Return what may be a model's predictions, and the label; nothing where no name says so."""
    from errorfloor.data.likely import called_predictions

    seen = _seen_beside_predictions(data, where)
    return {} if seen is None else called_predictions(seen, where.columns)


def _seen_beside_predictions(
    data: Any, where: ReadOptions, *, of_people: bool = False
) -> Sequence[FirstValues] | None:
    """Return the first values of columns; None where none is called a prediction."""
    from errorfloor.data.engines import kinds_of
    from errorfloor.data.likely import first_values, may_predict
    from errorfloor.data.read_rows import rows_of

    with rows_of(data, where) as (frame, run):
        kinds = kinds_of(frame, run)
        names = [one for one in kinds if isinstance(one, str)]
        if not any(may_predict(one, of_people=of_people) for one in names):
            return None
        return first_values(frame, run, kinds)


def _about_others(
    data: Any, where: ReadOptions, files: tuple[str, ...], way: LayoutLook
) -> Iterator[str]:
    """Yield what else to ask, where a column is a model's predictions or stands next to people."""
    question, option, column = "headroom", "prediction", prediction_in(data, where, way.columns)
    if column is None and _PEOPLE in way.columns:
        other = _only_other_in(data, where, way.columns)
        if other is not None:
            column, is_truth = other
            question, option = ("from_votes", "label") if is_truth else ("people", "prediction")
    if column is None:
        return
    if way.command is None:
        _, _, given = way.code.partition("(")
        yield f"ef.{question}({given[:-1]}, {option}={column!r})"
    else:
        first, name, *words = shlex.split(way.command)
        name = name if question == "from_votes" else question
        yield shlex.join([first, name, *words, f"--{option}", column])


def _only_other_in(
    data: Any, where: ReadOptions, columns: Mapping[str, Any]
) -> tuple[str, bool] | None:
    """Return the only column of votes' classes that no person gave, and if it may be the truth."""
    from errorfloor.data.engines import kinds_of
    from errorfloor.data.likely import first_values, only_other
    from errorfloor.data.read_rows import rows_of

    with rows_of(data, where) as (frame, run):
        return only_other(first_values(frame, run, kinds_of(frame, run)), _names_of(columns))


def _names_of(columns: Mapping[str, Any]) -> list[str]:
    """Return the columns behind all roles."""
    several = [
        one if isinstance(one, tuple | list) else str(one).split(",") for one in columns.values()
    ]
    return [name for names in several for name in names]


def ratings_in(
    data: Any,
    format: str | None = None,  # noqa: A002
    *,
    called: bool = True,
) -> Reading | None:
    """Return columns of more than two different numbers that may be ratings, and are called so.

    Those that are not `called` ratings may be proposed, and not answered.
    """
    from errorfloor.data.likely import are_called_ratings

    for drop in (False, True):
        try:
            where = ReadOptions.of(format=format, drop_missing=drop)
            found = read(data, OF_RATINGS, where, name="data")
        except InputError:
            continue
        table: Any = found.table
        many = len(set(table.values[:1000].tolist())) > 2 and int(table.sizes.max()) > 1
        named = not called or are_called_ratings(found.source.columns)
        return found if many and named else None
    return None


def _rated(
    data: Any, where: ReadOptions, files: tuple[str, ...]
) -> Iterator[tuple[LayoutLook, list[str]]]:
    """Yield how to read ratings, where there are some."""
    found = ratings_in(data, where.format, called=False)
    if found is None:
        return
    layout = next(one for one in OF_RATINGS if one.name == found.source.layout)
    how: dict[str, Any] = {
        name: list(one) if isinstance(one, tuple) else one
        for name, one in found.source.columns.items()
    }
    how |= {"drop_missing": True} if found.source.options.drop_missing else {}
    columns, table = dict(found.source.columns), found.table
    dropped = _rows_dropped(found)
    look = _way(layout, files, how, columns=columns, n=table.n, dropped=dropped)
    yield look, [look.line]


def _first(error: InputError, write: Write) -> str:
    """Return what an error says before it lists what to type."""
    line = error.told(write).split("\n")[0]
    return f"{line[:-1]}." if line.endswith(":") else line


def _lines_asked(error: InputError, files: tuple[str, ...]) -> Iterator[str]:
    """Yield the commands that an error lists: as text, or by what is to be added to this one."""
    start = shlex.join(["errorfloor", "estimate", *files])
    words: list[str] = []
    for part in (*error.parts, "\n"):
        if isinstance(part, str) and "\n" in part and words:
            yield " ".join([start, *words])
            words = []
        if isinstance(part, str):
            yield from (one.strip() for one in part.split("\n  ")[1:] if one.strip())
        elif part.is_command or words:
            words += [f"--{part.name.replace('_', '-')}", shlex.quote(str(_value(part)))]


def _is_asked(part: object) -> TypeGuard[Mention]:
    return isinstance(part, Mention) and part.is_command and part.value is not None


def _value(mention: Mention) -> Any:
    return ast.literal_eval(mention.value or "None")


def _described(
    reading: Reading, layout: Layout, files: tuple[str, ...], how: Mapping[str, Any]
) -> LayoutLook:
    table: Any = reading.table
    facts = reading.source.facts.get("classes")
    votes = int(table.totals @ table.counts) if isinstance(table, VoteTable) else None
    return _way(
        *(layout, files, how),
        columns=dict(reading.source.columns),
        n=table.n,
        dropped=_rows_dropped(reading),
        votes=votes,
        classes=tuple(_classes(table, facts)),
    )


def _rows_dropped(reading: Reading) -> int:
    """Return how many rows have missing values: items, or votes and ratings in rows."""
    rows = reading.source.facts.get("missing_in_rows")
    return int(reading.table.dropped if rows is None else rows["missing"])


def _way(
    layout: Layout, files: tuple[str, ...], how: Mapping[str, Any], **found: Any
) -> LayoutLook:
    """Return a way to read columns, with what to type for it."""
    command = _asked(layout.asks, files, how, layout) if files else None
    code = _called(layout.asks, files, how)
    return LayoutLook(layout=layout.name, says=layout.says, command=command, code=code, **found)


def _classes(table: Any, facts: Any) -> Iterator[tuple[str, int]]:
    """Yield each class with its number of labels or votes; soft labels have none."""
    if isinstance(facts, list):
        yield from ((name, number) for name, number in facts)
        return
    names = table.classes
    if isinstance(facts, Mapping):
        names = tuple(either(facts[place]) or place for place in ("0", "1"))
    if isinstance(table, VoteTable):
        ones, total = int(table.positives @ table.counts), int(table.totals @ table.counts)
    elif hasattr(table, "negatives"):
        ones, total = int(table.positives.sum()), table.n
    else:
        return
    yield from zip(names, (total - ones, ones), strict=True)


def _problems(
    rows: int, columns: Sequence[ColumnLook], tried: Sequence[LayoutLook], *, told: bool = False
) -> Iterator[str]:
    if rows == 0:
        yield "There are no rows."
        return
    empty = [one.name for one in columns if one.missing == rows]
    if empty:
        yield f"Nothing is in column {', '.join(map(repr, empty[:3]))}."
    if not told and columns and has_no_names(one.name for one in columns):
        yield NO_NAMES.strip()
    elif not tried and not told:
        yield "No columns are called what labels are usually called. Name them."
    elif len([one for one in tried if one.problem is None]) > 1:
        yield "The columns can be read in several ways. Take the command that is meant."
    yield from _beside(columns)


def _beside(columns: Sequence[ColumnLook]) -> Iterator[str]:
    """Yield which columns may be weights or clusters, which are used only if they are named."""
    from errorfloor.data.columns import fitting

    for role in BESIDE:
        for name in fitting(role, [one.name for one in columns]):
            yield (
                f"Column {name!r} may say which {role.name} items have. It is used only if it is "
                f"named: {role.argument}={name!r} (--{role.name} {name})."
            )


_COMMANDS = {"from_features": "features", "from_ratings": "ratings", "compare": "compare"}


def _asked(
    function: str, files: Sequence[str], how: Mapping[str, Any], layout: Layout | None = None
) -> str:
    """Return the command for files, or else the call of a function."""
    if not files:
        return _called(function, files, how)
    roles = () if layout is None else layout.roles
    options = {role.argument: role.name for role in roles}
    named = {options.get(name, name): value for name, value in how.items()}
    return _typed(_COMMANDS.get(function, "estimate"), files, named)


def _typed(command: str, files: Sequence[str], options: Mapping[str, Any]) -> str:
    words = ["errorfloor", command, *files]
    for name, value in options.items():
        text = ",".join(map(str, value)) if isinstance(value, list) else str(value)
        words += [f"--{name.replace('_', '-')}", *([] if value is True else [text])]
    return shlex.join(words)


def _called(function: str, files: Sequence[str], how: Mapping[str, Any]) -> str:
    data = "df" if not files else repr(files[0]) if len(files) == 1 else repr(list(files))
    parts = [data, *(f"{name}={value!r}" for name, value in how.items())]
    return f"ef.{function}({', '.join(parts)})"


def in_general(files: Sequence[str], columns: Sequence[ColumnLook]) -> tuple[str, ...]:
    """Return what to type where no layout fits, with COL for a column."""
    if len(files) == 1 and len(columns) == 2 and has_no_names(one.name for one in columns):
        return (f"(echo score,label; cat {shlex.quote(files[0])}) | errorfloor estimate -",)
    if files:
        start = shlex.join(["errorfloor", "estimate", *files])
        return (
            f"{start} --score COL --label COL",
            f"{start} --item COL --annotator COL --vote COL",
            f"{start} --annotators COL,COL,COL",
            f"{start} --votes COL --total COL",
            f"{start} --counts COL,COL,COL",
            f"{start} --soft COL",
            shlex.join(["errorfloor", "ratings", *files, "--ratings", "COL,COL"]),
        )
    return (
        "ef.from_scores(df, score=COL, label=COL)",
        "ef.from_votes(df, item=COL, annotator=COL, vote=COL)",
        "ef.from_votes(df, annotators=[COL, COL, COL])",
        "ef.from_votes(df, positives=COL, totals=COL)",
        "ef.from_votes(df, counts=[COL, COL, COL])",
        "ef.from_soft_labels(df, soft=COL)",
        "ef.from_ratings(df, ratings=[COL, COL])",
    )
