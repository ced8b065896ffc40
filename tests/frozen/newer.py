"""What errorfloor answers where version 0.1.0 had no answer: other metrics, many classes, weights.

`PYTHONPATH=tests python -m frozen.newer` writes newer.json anew, which is right after an answer has
changed on purpose; the difference of the file then shows what changed. The sets are small, so that
all questions take seconds.
"""

import json
import warnings
from functools import cache, partial
from pathlib import Path

import numpy as np
import pandas as pd
from questions import drawn, every

import errorfloor as ef
from errorfloor.data.tables import SoftTable, VoteTable
from errorfloor.methods.record import Classes

PATH = Path(__file__).with_name("newer.json")
LONG = 12  # numbers, from which on only their sums are kept
# What an answer says of the question, and what it claims, which tests/test_claims.py asks.
ASKED = ("version", "source", "options", "seed", "claim", "best_of", "information")


def ask(kind, classes, **options):
    """Ask for a floor or a ceiling from one kind of labels."""
    p, votes, labels, scores = drawn(classes)
    if kind == SoftTable.kind:
        options.pop("method", None)
        return ef.from_soft_labels(p, rng=3, n_resamples=40, **options)
    if kind == VoteTable.kind:
        totals = (5,) if classes is Classes.TWO else ()
        return ef.from_votes(votes, *totals, rng=3, n_resamples=40, **options)
    return ef.from_scores(scores, labels, rng=3, n_resamples=40, **options)


def by_record():
    """Return a question for each method, metric and interval that go together."""
    return {str(one): one.ask for one in every() if not one.method.partly}


def weighed():
    """Return questions about items that weigh differently, or belong together."""
    rng = np.random.default_rng(4)
    weight, cluster = rng.uniform(0.5, 3, 150), rng.integers(40, size=150)
    found = {}
    for design in (
        {"weight": weight},
        {"cluster": cluster},
        {"weight": weight, "cluster": cluster},
    ):
        for kind, classes, options in (
            ("soft labels", Classes.TWO, {"metric": "auc"}),
            ("soft labels", Classes.TWO, {"interval": "jackknife"}),
            ("soft labels", Classes.MANY, {}),
            ("votes", Classes.TWO, {}),
            ("scores", Classes.TWO, {}),
            ("scores", Classes.TWO, {"interval": "certified"}),
            ("scores", Classes.TWO, {"metric": "balanced-error"}),
            ("scores", Classes.TWO, {"metric": "auc"}),
            ("scores", Classes.TWO, {"metric": "brier"}),
            ("scores", Classes.MANY, {}),
        ):
            name = ", ".join((*design, kind, classes.name, *options.values()))
            found[name] = partial(ask, kind, classes, **options, **design)
    return found


@cache
def points():
    """Return features in two dimensions, and labels of three classes."""
    rng = np.random.default_rng(7)
    labels = rng.integers(3, size=180)
    return rng.normal(size=(180, 2)) + 1.5 * np.eye(3)[labels][:, :2], labels


def features(**options):
    """Ask for a floor from features."""
    return ef.from_features(*points(), rng=3, **options)


@cache
def on_some():
    """Return scores of all items, and labels of some."""
    _, _, labels, scores = drawn(Classes.TWO)
    return scores, np.where(np.random.default_rng(8).random(150) < 0.6, labels, np.nan)


def long_table(classes):
    """Return votes with the names of annotators, one row each."""
    rng = np.random.default_rng(9)
    p = drawn(classes)[0]
    item, annotator = np.divmod(np.flatnonzero(rng.random(150 * 8) < 0.5), 8)
    if classes is Classes.TWO:
        vote = (rng.random(item.size) < p[item]).astype(int)
    else:
        vote = (rng.random(item.size)[:, None] > np.cumsum(p[item], axis=1)).sum(axis=1)
    return pd.DataFrame({"item": item, "annotator": annotator, "vote": vote.clip(0, 2)})


def of_model(kind, classes, **options):
    """Ask how far a model is from the best one, by predictions that are as good as scores."""
    _, _, labels, scores = drawn(classes)
    metric = {"metric": options["metric"]} if "metric" in options else {}
    best = ask(kind, classes, **metric)
    told = {"predictions": scores.argmax(axis=1) if scores.ndim > 1 else (scores > 0.5).astype(int)}
    if options.get("metric") == "auc":
        told = {"model_scores": scores}
    return ef.headroom(best, labels=labels, same_labelling=True, rng=3, **told)


def others():
    """Return the other questions people may ask."""
    two, many = Classes.TWO, Classes.MANY
    _, votes, labels, scores = drawn(many)
    score2, label2 = drawn(two)[3], drawn(two)[2]
    found = {
        **{f"features, {name}": partial(features, method=name) for name in
           ("sequential", "1nn", "knn-5", "ghp", "noshad")},
        "features, clusters": partial(features, cluster=np.arange(180) // 2),
        "labels on some": lambda: ef.from_scores(*on_some(), unlabelled=True, rng=3),
        "labels on some, many": lambda: ef.from_scores(
            scores, np.where(np.arange(150) % 3 > 0, labels, np.nan), unlabelled=True, rng=3),
        "plan labels": lambda: ef.plan_labels(*on_some(), budget=30, rng=3),
        "plan labels, width": lambda: ef.plan_labels(*on_some(), width=0.15, rng=3),
        "plan, many": lambda: ef.plan(
            VoteTable.from_arrays(votes), votes=(3, 30), items=(100, 900)),
        "plan, auc": lambda: ef.plan(
            VoteTable.from_arrays(drawn(two)[1], 5), metric="auc", votes=(3, 9), items=(100, 900)),
        "plan, scores": lambda: ef.plan(
            ef.ScoreTable.from_arrays(scores, labels), items=(100, 900)),
        "confusion, soft": lambda: ef.confusion(ask("soft labels", many)),
        "confusion, votes": lambda: ef.confusion(ask("votes", many)),
        "confusion, scores": lambda: ef.confusion(ask("scores", many)),
        "items, many": lambda: ef.items(votes),
        "annotators": lambda: ef.annotators(long_table(two)),
        "annotators, many": lambda: ef.annotators(long_table(many)),
        "long votes": lambda: ef.from_votes(long_table(two), interval="annotators", rng=3),
        "long votes, many": lambda: ef.from_votes(long_table(many), interval="annotators", rng=3),
        "majority": lambda: ask("votes", two, majority=3),
        "majority, many": lambda: ask("votes", many, majority=3),
        "reliability, many": lambda: ef.reliability(scores, labels),
        "calibrate, many": lambda: ef.calibrate(scores, labels, method="vector"),
        "feebee, many": lambda: ef.feebee(
            scores, labels, model_error=0.4, levels=4, repeats=2, rng=3),
        "feebee, features": lambda: ef.feebee(
            labels=points()[1], features=points()[0], model_error=0.4, levels=4, repeats=2, rng=3),
        "feebee, auc": lambda: ef.feebee(
            score2, label2, metric="auc", model_value=0.7, levels=4, repeats=2, rng=3),
        "feebee, balanced error": lambda: ef.feebee(
            score2, label2, metric="balanced-error", model_value=0.3, levels=4, repeats=2, rng=3),
        "agreement": lambda: ef.from_agreement(0.8, 500),
        "agreement, share": lambda: ef.from_agreement(0.8, 500, share=0.3),
        "agreement, kappa": lambda: ef.from_agreement(kappa=0.5, pairs=400, share=0.3),
    }  # fmt: skip
    for kind in ("soft labels", "votes", "scores"):
        found[f"headroom, {kind}, many"] = partial(of_model, kind, many)
        for metric in ("auc", "balanced-error", "f1"):
            found[f"headroom, {kind}, {metric}"] = partial(of_model, kind, two, metric=metric)
    return found


QUESTIONS = {**by_record(), **weighed(), **others()}


def answer(question):
    """Return the numbers and short words of an answer, or that there is none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ef.ErrorFloorWarning)
        try:
            return short(question().to_dict())
        except ef.InputError:
            return "refused"


def short(value):
    """Return plain values without sentences; of many numbers, how many and two sums."""
    if isinstance(value, dict):
        parts = {str(name): short(part) for name, part in value.items() if name not in ASKED}
        return {name: part for name, part in parts.items() if part is not None}
    if isinstance(value, np.ndarray | np.generic):
        return short(value.tolist())
    if isinstance(value, list | tuple):
        numbers = [one for one in value if isinstance(one, int | float)]
        if len(value) > LONG and len(numbers) == len(value):
            array = np.array(numbers, dtype=float)
            return [len(value), float(array.sum()), float(array @ np.linspace(-1, 1, array.size))]
        parts = [short(one) for one in value[:LONG]]
        return [part for part in parts if part is not None]
    if isinstance(value, str) and len(value.split()) > 2:
        return None
    return value


if __name__ == "__main__":
    rows = (f"{json.dumps(name)}: {json.dumps(answer(QUESTIONS[name]))}" for name in QUESTIONS)
    PATH.write_text("{\n" + ",\n".join(rows) + "\n}\n", encoding="utf-8")
