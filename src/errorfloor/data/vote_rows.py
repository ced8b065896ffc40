"""Votes in rows, counted or one by one or side by side, as one checked row per item."""

from __future__ import annotations

from dataclasses import replace

import narwhals as nw
import numpy as np

from errorfloor._checks import InputError, Part, argument
from errorfloor.data import packing, repeats
from errorfloor.data.ballots import MOST_VOTES, Ballots
from errorfloor.data.engines import Frame, is_missing, with_each, with_number, with_numbers
from errorfloor.data.naming import names_of_columns
from errorfloor.data.rows import (
    Given,
    Items,
    Request,
    Rule,
    check_positive,
    checked,
    checked_together,
    count,
    named,
    whole,
    with_class,
    with_classes,
)
from errorfloor.data.voters import in_columns, in_rows

_MOST_VOTES = 2**53
_ONE = {"label": "true label", "weight": "weight", "cluster": "cluster"}


def counted(request: Request) -> Items:
    """Return one checked row per item from rows with the numbers of its votes."""
    totals = request.columns["totals"]
    names = {name: column for name, column in request.columns.items() if name != "totals"}
    if isinstance(totals, str):
        names["totals"] = totals
    frame, given = named(request, names)
    if not isinstance(totals, str):
        frame = frame.with_columns(totals=nw.lit(float(totals)))
    rules = []
    for name, least in (("positives", 0), ("totals", 1)):
        if name in names:
            frame = with_number(frame, f"given_{name}", name)
            rules.append(_whole_votes(given[name], name, least))
    rules.append(
        Rule(
            given["positives"],
            "given_positives",
            (nw.col("positives") > nw.col("totals")).fill_null(False),
            ("must not exceed ", argument("totals")),
            "Check the order of the two columns.",
        )
    )
    frame, more = _with_label(frame, given, request)
    return _labelled(checked(request, frame, given, [*rules, *more]), given, request)


def one_by_one(request: Request) -> Items:
    """Return one checked row per item from rows with one vote each."""
    items = single_votes(request)
    label = ("label",) if items.labelled else ()
    if request.naming is not None and request.has_many_classes:
        items, sums = _with_weights(items, request.naming.names)
    else:
        sums = [nw.col("vote").sum().alias("positives"), nw.len().alias("totals")]
    votes = items.frame.group_by(*items.groups, *label, *items.beside, "given_item").agg(*sums)
    if items.base:
        votes = packing.as_whole(votes, packing.names(len(items.classes), items.base))
    for name in (*label, *items.beside):
        column = request.columns["label"] if name == "label" else request.beside[name]
        _check_one_per_item(replace(items, frame=votes), name, column)
    if items.labelled:
        return replace(items, frame=votes)
    known = request.columns.get("annotator") is not None
    return replace(items, frame=votes, voters=in_rows(items, votes) if known else None)


def _with_weights(items: Items, classes: tuple[str, ...]) -> tuple[Items, list[nw.Expr]]:
    """Return rows with numbers for their votes, and what adds those of an item up."""
    of_item = items.frame.group_by(*items.groups, "given_item").agg(n=nw.len())
    found = items.run(of_item.select(nw.col("n").max().alias("most")))
    base = int(whole(found["most"])[0]) + 1
    own = packing.weights([nw.col("vote")], len(classes), base)
    names = packing.names(len(classes), base)
    packed = replace(items, frame=with_each(items.frame, *own), classes=classes, base=base)
    return packed, [nw.col(name).sum().alias(name) for name in names]


def by_class(request: Request) -> Items:
    """Return one checked row per item from rows with the number of votes for each class."""
    names = {f"counts {k}": one for k, one in enumerate(request.columns["counts"])}
    beside = {"label": request.columns["label"]} if "label" in request.columns else {}
    frame, given = named(request, names | beside)
    frame = with_numbers(frame, {name: f"given_{name}" for name in names})
    rules = [_whole_votes(given[name], name, 0) for name in names]
    total = nw.sum_horizontal(*(nw.col(name).cast(nw.Float64) for name in names))
    blank = Rule(
        (argument("counts"),),
        f"given_{next(iter(names))}",
        (total == 0).fill_null(False),
        "must have votes for some class",
        "Leave out items without votes.",
    )
    frame, more = _with_label(frame, given, request)
    items = checked_together(request, frame, given, rules, [blank, *more])
    most = items.run(items.frame.select(*(nw.col(name).max().alias(name) for name in names)))
    base = max(int(whole(one)[0]) for one in most.values()) + 1
    numbers = packing.numbers([nw.col(name) for name in names], base)
    classes = request.classes or names_of_columns(list(names.values()))
    packed = replace(items, frame=with_each(items.frame, *numbers), classes=classes, base=base)
    return _labelled(packed, given, request)


def _whole_votes(said: tuple[Part, ...], name: str, least: int) -> Rule:
    number = nw.col(name)
    right = (number == number.floor()) & (number >= least) & (number < _MOST_VOTES)
    return Rule(
        said,
        f"given_{name}",
        ~right.fill_null(False),
        f"must be whole numbers of at least {least}",
        "Pass numbers of votes, not fractions, and drop items without votes.",
    )


def ballots_in_rows(request: Request) -> Ballots:
    """Return the single votes of rows with one vote each."""
    if request.columns.get("annotator") is None:
        raise InputError(argument("annotator"), " is missing. Name the column of annotators.")
    items = single_votes(request)
    names = ("given_item", "given_annotator", "vote")
    found = items.run(items.frame.select(*names).head(MOST_VOTES + 1))
    return Ballots.of(*(found[name] for name in names))


def single_votes(request: Request) -> Items:
    """Return checked rows with one vote each."""
    request = repeats.with_order(request)
    frame, given = named(request, request.columns)
    frame, rule = with_class(frame, "vote", given["vote"], request)
    frame, more = _with_label(frame, given, request)
    items = checked(request, frame, given, [rule, *more])
    if request.positive is not None:
        check_positive(items, request.positive, given["vote"], "vote")
    items = repeats.settled(items, given, request.duplicates)
    return _labelled(items, given, request)


def side_by_side(request: Request) -> Items:
    """Return one checked row per item from rows with a column of votes per annotator."""
    if request.naming is not None and request.has_many_classes:
        return _classes_side_by_side(request, request.naming.names)
    items, said, votes = votes_side_by_side(request)
    return items if items.labelled else replace(items, voters=in_columns(items, said, votes))


def in_lists(request: Request) -> Items:
    """Return one checked row per item from rows with a list of votes, whose annotators are unknown.

    The places of the lists have columns of their own by now.
    """
    return replace(side_by_side(request), voters=None)


def _classes_side_by_side(request: Request, classes: tuple[str, ...]) -> Items:
    """Return checked rows with numbers for the votes of all annotators."""
    names, frame, given, rules = _read_side_by_side(request)
    base = len(names) + 1
    own = packing.weights([nw.col(name) for name in names], len(classes), base)
    items = _checked_side_by_side(request, with_each(frame, *own), given, rules)
    found = replace(_labelled(items, given, request), classes=classes, base=base)
    if found.labelled:
        return found
    votes = [nw.col(name).fill_null(-1) for name in names]
    return replace(found, voters=in_columns(found, {n: str(c) for n, c in names.items()}, votes))


def ballots_side_by_side(request: Request) -> Ballots:
    """Return the single votes of rows with a column of votes per annotator."""
    items, said, votes = votes_side_by_side(request)
    chosen = [vote.cast(nw.Int64).alias(f"v{i}") for i, vote in enumerate(votes)]
    found = items.run(items.frame.select(*chosen).head(MOST_VOTES // len(votes) + 1))
    return Ballots.side_by_side(
        np.column_stack([whole(found[f"v{i}"]) for i in range(len(votes))]), list(said.values())
    )


def _read_side_by_side(
    request: Request,
) -> tuple[dict[str, str], Frame, Given, list[Rule]]:
    """Return the annotators' columns, all columns as classes, and the rules for them."""
    role = _in_columns(request)
    names = {f"{role} {i}": one for i, one in enumerate(request.columns[role])}
    beside = {"label": request.columns["label"]} if "label" in request.columns else {}
    frame, given = named(request, names | beside)
    frame, rules = with_classes(frame, {name: given[name] for name in names}, request)
    there = [~is_missing(frame, f"given_{name}") for name in names]
    rules = [
        replace(rule, bad=rule.bad & present) for rule, present in zip(rules, there, strict=True)
    ]
    totals = nw.sum_horizontal(*(present.cast(nw.Int64) for present in there))
    return names, frame.with_columns(totals=totals), given, rules


def _in_columns(request: Request) -> str:
    """Return the argument whose columns hold a vote each."""
    return "annotations" if "annotations" in request.columns else "annotators"


def _checked_side_by_side(request: Request, frame: Frame, given: Given, rules: list[Rule]) -> Items:
    """Return the rows that have votes, and a label if there is a column of them."""
    blank = {_in_columns(request): nw.col("totals") == 0}
    if "label" in given:
        blank["label"] = is_missing(frame, "given_label")
    frame, more = _with_label(frame, given, request)
    return checked(request, frame, given, [*rules, *more], missing=blank)


def votes_side_by_side(request: Request) -> tuple[Items, dict[str, str], list[nw.Expr]]:
    """Return checked rows, the annotators of the columns, and their votes with -1 for none."""
    names, frame, given, rules = _read_side_by_side(request)
    there = [~is_missing(frame, f"given_{name}") for name in names]
    positives = [
        nw.when(present).then(nw.col(name)).otherwise(nw.lit(0.0)).fill_null(0.0)
        for name, present in zip(names, there, strict=True)
    ]
    frame = frame.with_columns(positives=nw.sum_horizontal(*positives))
    items = _checked_side_by_side(request, frame, given, rules)
    if request.positive is not None:
        _check_any_positive(items, request.positive)
    votes = [
        nw.when(present).then(one).otherwise(nw.lit(-1.0))
        for one, present in zip(positives, there, strict=True)
    ]
    said = {name: str(column) for name, column in names.items()}
    return _labelled(items, given, request), said, votes


def _with_label(frame: Frame, given: Given, request: Request) -> tuple[Frame, tuple[Rule, ...]]:
    """Add the column of the one true label, where there is one, and the rule for it."""
    if "label" not in given:
        return frame, ()
    frame, rule = with_class(frame, "label", given["label"], request)
    return frame, (rule,)


def _labelled(items: Items, given: Given, request: Request) -> Items:
    return replace(items, labelled="label" in given, label_is_vote=request.label_is_vote)


def _check_one_per_item(votes: Items, name: str, column: str) -> None:
    """Refuse items whose votes stand beside different labels, weights or clusters."""
    twice = votes.frame.group_by(*votes.groups, "given_item").agg(n=nw.len())
    found = votes.run(twice.filter(nw.col("n") > 1).select("given_item").head(1))
    if found["given_item"].size:
        item = found["given_item"].tolist()[0]
        raise InputError(
            argument(name),
            f" (column {column!r}) is not the same in all rows of an item, such as {item!r}."
            f" An item has one {_ONE[name]}: repeat it in each of its rows.",
        )


def _check_any_positive(items: Items, positive: object) -> None:
    if not count(items.frame, items.run, {"any": nw.col("positives") > 0})["any"]:
        raise InputError(
            argument("positive"),
            f" is {positive!r}, but no column of ",
            argument("annotators"),
            " has that value. Check how it is spelt.",
        )
