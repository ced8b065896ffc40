"""Calls of public functions that work, and values that may go wrong in place of arguments."""

import datetime
from pathlib import Path

import numpy as np
import pandas as pd

import errorfloor as ef

N = 40
_RNG = np.random.default_rng(0)
P = _RNG.random(N).round(3)
Y = (_RNG.random(N) < P).astype(int)
K = _RNG.binomial(3, P)
COUNTS = _RNG.multinomial(4, [0.3, 0.3, 0.4], N)
PEOPLE = _RNG.binomial(1, P[:, None], size=(N, 6))
SCORES = pd.DataFrame({"p": P, "y": Y, "site": np.where(np.arange(N) % 2, "a", "b"), "w": P + 1})
LONG = pd.DataFrame(
    {
        "item": np.repeat(np.arange(N), 6),
        "who": np.tile([*"abcdef"], N),
        "vote": PEOPLE.ravel(),
        "gold": np.repeat(Y, 6),
    }
)
WIDE = pd.DataFrame({"k": K, "m": 3, **{f"r{i}": PEOPLE[:, i] for i in range(6)}})
BY_CLASS = pd.DataFrame(COUNTS, columns=["n_a", "n_b", "n_c"])
VOTES = ef.VoteTable.from_arrays(K, 3)
RATINGS = (_RNG.normal(size=(N, 3)) + 4 * P[:, None]).round(1)
RATED = pd.DataFrame(RATINGS, columns=["a", "b", "c"])


class Thing:
    """What no argument can be."""

    def __repr__(self):
        return "<a thing>"


# What nothing can mean, so that whoever takes it has ignored it.
_NONSENSE = {
    "thing": Thing(),
    "function": len,
    "bytes": b"x",
    "complex": 1 + 2j,
    "day": datetime.date(2026, 1, 1),
    "things": [Thing(), Thing()],
}
_BAD = {
    **_NONSENSE,
    "none": None,
    "true": True,
    "word": "no such thing",
    "empty word": "",
    "per cent": "5%",
    "line break": "a\nb",
    "fraction": 0.37,
    "minus": -1,
    "zero": 0,
    "seven": 7,
    "huge": 10**30,
    "beyond floats": 10**400,
    "float": 1e308,
    "tiny": 5e-324,
    "nan": float("nan"),
    "inf": float("inf"),
    "numpy": np.float64(0.5),
    "scalar": np.array(3),
    "empty list": [],
    "nested": [[]],
    "ragged": [[1, 2], [3]],
    "pair": (1, 2),
    "words": ["a", "b"],
    "twice": ["p", "p"],
    "mixed": [1, "a", None],
    "dict": {"a": 1},
    "set": {"a", "b"},
    "range": range(3),
    "cube": np.zeros((2, 2, 2)),
    "square": np.zeros((2, 2)),
    "no items": np.zeros(0),
    "too few": np.zeros(N - 1),
    "too many": np.ones(N + 1),
    "all nan": np.full(N, np.nan),
    "one nan": np.where(np.arange(N) == 3, np.nan, 0.5),
    "infinite": np.full(N, np.inf),
    "negative": np.full(N, -1.0),
    "large": np.full(N, 1e300),
    "halves": np.full(N, 0.5),
    "texts": np.array(["a", "b"] * (N // 2)),
    "spelt": np.array(["0", "1"] * (N // 2)),
    "objects": np.array([None, 1] * (N // 2), dtype=object),
    "lists": np.array([*([[1, 2]] * (N - 1)), [1]], dtype=object),
    "times": np.array(["2026-01-01", "NaT"] * (N // 2), dtype="datetime64[D]"),
    "complexes": np.ones(N) + 1j,
    "masked": np.ma.array(np.ones(N), mask=np.arange(N) == 2),
    "NA": pd.NA,
    "NaT": pd.NaT,
    "series": pd.Series([0, 1] * (N // 2)),
    "apart": pd.Series([0, 1] * (N // 2), index=np.arange(N)[::-1]),
    "nullable": pd.Series([0, None] * (N // 2), dtype="Int64"),
    "categories": pd.Series(["a", "b"] * (N // 2), dtype="category"),
    "frame": pd.DataFrame({"p": [0.1, 0.9], "y": [0, 1]}),
    "empty frame": pd.DataFrame(),
    "no rows": SCORES[:0],
    "table": VOTES,
    "empty table": ef.ScoreTable.empty(),
    "type": float,
    "masked scalar": np.ma.masked,
}


# Each value is made again, because a generator can be used only once.
NONSENSE = frozenset(_NONSENSE)
BAD = {name: (lambda value=value: value) for name, value in _BAD.items()}
BAD["generator"] = lambda: (one for one in [0, 1])
# Those that rows are tried with, which take longer to read.
FEW = {
    name: BAD[name]
    for name in (
        *("thing", "things", "bytes", "none", "true", "word", "empty word", "line break", "minus"),
        *(
            "huge",
            "beyond floats",
            "nan",
            "scalar",
            "empty list",
            "nested",
            "words",
            "twice",
            "dict",
        ),
        *("set", "square", "too few", "texts", "NA", "series", "frame", "empty frame", "no rows"),
        *("table", "empty table"),
    )
}


def is_of_rows(name):
    """Tell whether a call reads rows of a dataframe."""
    rows = ("frame", "long", "wide", "by class")
    tables = ("score_table", "soft_table", "vote_table", "annotators", "look")
    return name.endswith(rows) or name.startswith(tables)


def calls(folder):
    """Return calls that work: a function and its arguments, all of them by name."""
    floor = ef.from_scores(P, Y, interval=None)
    sure = ef.from_scores(P, Y, rng=0)
    quick = {"interval": None, "rng": 0}
    usual = {"metric": "error", "costs": None, "at": None, "prior": None, "n_resamples": 50}
    usual |= {"level": 0.9, "interval": "honest", "simultaneous": False}
    columns = {"positive": None, "positive_from": None, "classes": None, "drop_missing": False}
    beside = {"weight": None, "cluster": None}
    pair = {"scores": P, "labels": Y}
    frame = {"scores": SCORES, "score": "p", "label": "y"}
    long = {"item": "item", "vote": "vote", "annotator": "who"}
    few = {"votes": [2], "items": [50]}
    voted = ef.from_votes(K, 3, rng=0)
    shape = {"metric": "r2", "label": "one", "raters": "absolute", "interval": "jackknife"}
    folder = Path() if folder is None else folder  # for the names of the calls alone
    table = folder / "table.npz"
    if folder != Path():
        ef.ScoreTable.from_arrays(P, Y).save(table)
    x = _RNG.normal(size=(N, 2)) + Y[:, None]
    noise = {"model_error": 0.4, "levels": 2, "repeats": 1, "rng": 0}
    f = ef.frames
    return {
        "from_scores": (
            ef.from_scores,
            {
                **pair,
                **usual,
                **columns,
                **beside,
                **quick,
                "method": "isotonic",
                "clip": "auto",
                "unlabelled": False,
                "score": None,
                "label": None,
                "group": None,
            },
        ),
        "from_scores, frame": (
            ef.from_scores,
            {**frame, **columns, **quick, "group": "site", "weight": "w", "unlabelled": False},
        ),
        "from_scores, cost": (ef.from_scores, {**pair, **quick, "metric": "cost", "costs": (1, 2)}),
        "from_scores, at": (
            ef.from_scores,
            {**pair, **quick, "metric": "error-at-coverage", "at": 0.5},
        ),
        "from_scores, prior": (
            ef.from_scores,
            {**pair, **quick, "metric": "balanced-error", "prior": 0.3},
        ),
        "from_soft_labels": (
            ef.from_soft_labels,
            {
                "soft_labels": P,
                **usual,
                **beside,
                **quick,
                "soft": None,
                "classes": None,
                "group": None,
                "drop_missing": False,
            },
        ),
        "from_votes": (
            ef.from_votes,
            {
                "votes": K,
                "totals": 3,
                **usual,
                **columns,
                **beside,
                **quick,
                "labels": None,
                "method": "plugin",
                "totals_by": "chance",
                "stopping": None,
                "majority": None,
                "model_error": None,
                "duplicates": "error",
                "positives": None,
                "counts": None,
                "item": None,
                "vote": None,
                "annotator": None,
                "annotators": None,
                "annotations": None,
                "label": None,
                "group": None,
            },
        ),
        "from_votes, labels": (ef.from_votes, {"votes": K, "totals": 3, "labels": Y, **quick}),
        "from_votes, counts": (
            ef.from_votes,
            {
                "counts": COUNTS,
                "classes": ["a", "b", "c"],
                "labels": None,
                **quick,
                "method": "plugin",
            },
        ),
        "from_votes, annotators": (
            ef.from_votes,
            {"annotators": PEOPLE, **columns, **quick, "method": "plugin", **beside},
        ),
        "from_votes, long": (
            ef.from_votes,
            {
                "votes": LONG,
                **long,
                "label": None,
                **columns,
                "duplicates": "error",
                "method": "plugin",
                **quick,
            },
        ),
        "from_votes, wide": (
            ef.from_votes,
            {"votes": WIDE, "method": "plugin", "positives": "k", "totals": "m", **quick},
        ),
        "from_votes, by class": (
            ef.from_votes,
            {"votes": BY_CLASS, "counts": "n_*", "method": "plugin", **quick},
        ),
        "from_agreement": (
            ef.from_agreement,
            {
                "agree": 80,
                "pairs": 100,
                "share": None,
                "kappa": None,
                "alpha": None,
                "interval": None,
                "level": 0.9,
            },
        ),
        "from_features": (
            ef.from_features,
            {
                "X": x,
                "y": Y,
                "method": "sequential",
                "models": (),
                "label": None,
                "features": None,
                "cluster": None,
                "duplicates": "error",
                "floor": None,
                "same_labelling": False,
                "device": None,
                "level": 0.9,
                "rng": 0,
            },
        ),
        "compare": (
            ef.compare,
            {**pair, "methods": ["isotonic"], **quick, "level": 0.9, **columns},
        ),
        "calibrate": (ef.calibrate, {**pair, "method": "beta", "clip": "auto", **columns}),
        "reliability": (
            ef.reliability,
            {**pair, "method": "isotonic", "level": 0.9, "clip": "auto"},
        ),
        "feebee": (
            ef.feebee,
            {
                **pair,
                "methods": ["isotonic"],
                **noise,
                "metric": "error",
                "features": None,
                "means": None,
                "model_value": None,
            },
        ),
        "headroom": (
            ef.headroom,
            {
                "estimate": sure,
                "errors": 9,
                "n": 30,
                "level": 0.9,
                "same_labelling": False,
                "labels": None,
                "group": None,
                "model_error": None,
                "metric": None,
            },
        ),
        "headroom, rate": (ef.headroom, {"estimate": 0.1, "model_error": 0.2, "n": 30}),
        "headroom, confusion": (ef.headroom, {"estimate": sure, "confusion": [[9, 1], [2, 8]]}),
        "headroom, predictions": (ef.headroom, {"estimate": sure, "labels": Y, "predictions": Y}),
        "headroom, arrays": (ef.headroom, {"estimate": P, "labels": Y, "predictions": Y, "rng": 0}),
        "items": (ef.items, {"votes": K, "totals": 3, "symmetric": None, "item": None}),
        "annotators": (
            ef.annotators,
            {
                "votes": LONG,
                **long,
                "level": 0.9,
                "annotators": None,
                "positive": None,
                "classes": None,
                "drop_missing": False,
                "duplicates": "error",
            },
        ),
        "confusion": (ef.confusion, {"estimate": floor, "group": None, "rng": None}),
        "people": (
            ef.people,
            {
                "votes": K,
                "totals": 3,
                "predictions": {"a model": Y},
                **columns,
                "panels": (1,),
                "totals_by": "chance",
                "stopping": None,
                "duplicates": "error",
                "epsilon": 0.2,
                "level": 0.9,
            },
        ),
        "people, wide": (
            ef.people,
            {"votes": WIDE, "positives": "k", "totals": "m", "prediction": "r0", "panels": (1,)},
        ),
        "difference": (
            ef.difference,
            {"floor_a": voted, "floor_b": voted, "independent": True, "level": 0.9},
        ),
        "from_ratings": (
            ef.from_ratings,
            {
                "data": RATINGS,
                **shape,
                **beside,
                "rater": None,
                "scale": None,
                "level": 0.9,
                "rng": 0,
            },
        ),
        "from_ratings, frame": (
            ef.from_ratings,
            {"data": RATED, **shape, "ratings": ["a", "b", "c"], "drop_missing": False},
        ),
        "card": (
            ef.card,
            {"result": voted, "path": folder / "card.svg", "title": None, "dark": False},
        ),
        "look": (ef.look, {"data": SCORES, "format": None}),
        "merge": (ef.merge, {"paths": [table]}),
        "plan": (
            ef.plan,
            {
                "pilot": VOTES,
                **few,
                "target": None,
                "cost_per_item": 1.0,
                "cost_per_vote": 1.0,
                "level": 0.9,
                "metric": "error",
                "costs": None,
                "at": None,
                "prior": None,
                "group": None,
            },
        ),
        "plan_labels": (
            ef.plan_labels,
            {
                "scores": P,
                "labels": None,
                "budget": 10,
                "width": None,
                "by_score": True,
                "score": None,
                "label": None,
                "positive": None,
                "positive_from": None,
                "level": 0.9,
                "rng": 0,
            },
        ),
        "report": (
            ef.report,
            {
                "result": floor,
                "path": folder / "report.json",
                "title": None,
                "source": None,
                "command": None,
                "comparison": None,
                "rng": 0,
                "theory": False,
                "items": None,
                "annotators": None,
            },
        ),
        "ScoreTable": (ef.ScoreTable.from_arrays, {**pair, "classes": None, **beside}),
        "SoftTable": (ef.SoftTable.from_arrays, {"soft_labels": P, "classes": None, **beside}),
        "VoteTable": (
            ef.VoteTable.from_arrays,
            {"positives": K, "totals": 3, "classes": None, **beside},
        ),
        "score_table": (
            f.score_table,
            {"data": SCORES, "score": "p", "label": "y", **columns, "cells": 1024, "refine": True},
        ),
        "score_tables": (
            f.score_tables,
            {"data": SCORES, "score": "p", "label": "y", "group": "site"},
        ),
        "soft_table": (f.soft_table, {"data": SCORES, "soft": "p", "classes": None}),
        "vote_table": (f.vote_table, {"data": LONG, **long, "duplicates": "error", **columns}),
        "soft_tables": (f.soft_tables, {"data": SCORES, "soft": "p", "group": "site"}),
        "vote_tables": (
            f.vote_tables,
            {"data": LONG, "item": "item", "vote": "vote", "group": "gold"},
        ),
        "columns": (f.columns, {"data": SCORES}),
        "load_table": (f.load_table, {"path": table}),
    }
