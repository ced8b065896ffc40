"""Votes in rows, counted or one by one or side by side, as one checked row per item."""

from __future__ import annotations

from dataclasses import replace

import narwhals as nw

from errorfloor._checks import InputError, argument
from errorfloor.data.engines import is_missing, with_number
from errorfloor.data.rows import (
    Items,
    Request,
    Rule,
    check_positive,
    checked,
    count,
    named,
    whole,
    with_class,
)

_MOST_VOTES = 2**53


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
            number = nw.col(name)
            right = (number == number.floor()) & (number >= least) & (number < _MOST_VOTES)
            rules.append(
                Rule(
                    given[name],
                    f"given_{name}",
                    ~right.fill_null(False),
                    f"must be whole numbers of at least {least}",
                    "Pass numbers of votes, not fractions, and drop items without votes.",
                )
            )
    rules.append(
        Rule(
            given["positives"],
            "given_positives",
            (nw.col("positives") > nw.col("totals")).fill_null(False),
            ("must not exceed ", argument("totals")),
            "Check the order of the two columns.",
        )
    )
    return checked(request, frame, given, rules)


def one_by_one(request: Request) -> Items:
    """Return one checked row per item from rows with one vote each."""
    frame, given = named(request, request.columns)
    frame, rule = with_class(frame, "vote", given["vote"], request)
    items = checked(request, frame, given, [rule])
    if request.positive is not None:
        check_positive(items, request.positive, given["vote"], "vote")
    if "annotator" in given:
        twice = items.frame.group_by("given_item", "given_annotator").agg(n=nw.len())
        found = items.run(twice.filter(nw.col("n") > 1).select(nw.len().alias("n")))
        number = int(whole(found["n"])[0])
        if number:
            raise InputError(
                *given["annotator"],
                f" voted more than once on an item, {number:,} times. "
                "Keep one vote per item and annotator.",
            )
    votes = items.frame.group_by(*items.groups, "given_item").agg(
        nw.col("vote").sum().alias("positives"), nw.len().alias("totals")
    )
    return replace(items, frame=votes)


def side_by_side(request: Request) -> Items:
    """Return one checked row per item from rows with a column of votes per annotator."""
    names = {f"annotators {i}": one for i, one in enumerate(request.columns["annotators"])}
    frame, given = named(request, names)
    rules, there = [], []
    for name in names:
        frame, rule = with_class(frame, name, given[name], request)
        present = ~is_missing(frame, f"given_{name}")
        there.append(present)
        rules.append(replace(rule, bad=rule.bad & present))
    positives = [
        nw.when(present).then(nw.col(name)).otherwise(nw.lit(0.0)).fill_null(0.0)
        for name, present in zip(names, there, strict=True)
    ]
    frame = frame.with_columns(
        positives=nw.sum_horizontal(*positives),
        totals=nw.sum_horizontal(*(present.cast(nw.Int64) for present in there)),
    )
    blank = {"annotators": nw.col("totals") == 0}
    items = checked(request, frame, given, rules, missing=blank)
    if request.positive is not None:
        _check_any_positive(items, request.positive)
    return items


def _check_any_positive(items: Items, positive: object) -> None:
    if not count(items.frame, items.run, {"any": nw.col("positives") > 0})["any"]:
        raise InputError(
            argument("positive"),
            f" is {positive!r}, but no column of ",
            argument("annotators"),
            " has that value. Check how it is spelt.",
        )
