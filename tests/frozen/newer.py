"""What errorfloor answers where version 0.1.0 had no answer: other metrics, many classes, weights.

newer.json has one question a line, and alone says what is asked: a new method or metric changes no
question. `python tests/frozen/newer.py --rewrite PART` asks anew what has PART in its name and
prints what has changed, which is right after an answer has changed on purpose; `--add` asks what
records allow and the file does not have yet. Sets are small, so that all questions take seconds.
"""

import sys
from functools import cache, partial
from pathlib import Path

import numpy as np
import pandas as pd

import errorfloor as ef

sys.path.append(str(Path(__file__).parents[1]))  # where this is no test but a command
from frozen import kept

PATH = Path(__file__).with_name("newer.json")
KINDS = ("soft labels", "votes", "scores")
COSTS = {"TWO": (1, 3), "MANY": [[0, 1, 2], [3, 0, 1], [1, 1, 0]]}
GIVEN = {"error-at-coverage": {"at": 0.7}, "coverage-at-error": {"at": 0.1}}
CURVES = ("corrupted", "hist-10", "hist-25", "hist-50", "hist-100",
          "beta", "beta-am", "beta-ab", "beta-a", "platt", "platt-logit")  # fmt: skip
OF_FEATURES = ("1nn", "1nn-low", "1nn-high", "knn-15", "knn-15-low", "knn-15-high",
               "ghp", "ghp-low", "ghp-high", "noshad")  # fmt: skip
APART = kept.Apart(1e-5, 1e-8)  # fits end near the best one, and not nearer
OF_MANY = ("offsets", "top1", "corrupted", "temperature", "vector", "ovr-isotonic")


@cache
def drawn(classes, n=150):
    """Return probabilities, votes, and labels of items; and scores that are not quite right."""
    rng = np.random.default_rng(11)
    if classes == "TWO":
        p = np.round(rng.beta(0.5, 0.8, n), 2)
        return p, rng.binomial(5, p), (rng.random(n) < p).astype(int), np.round(p**1.3, 2)
    p = rng.dirichlet((0.5, 0.7, 0.9), n)
    labels = np.array([rng.choice(3, p=row) for row in p])
    scores = p**0.7
    return p, rng.multinomial(4, p), labels, scores / scores.sum(axis=1, keepdims=True)


def ask(kind, classes, **options):
    """Ask for a floor or a ceiling from one kind of labels."""
    p, votes, labels, scores = drawn(classes)
    if kind == "soft labels":
        options.pop("method", None)
        return ef.from_soft_labels(p, rng=3, n_resamples=40, **options)
    if kind == "votes":
        totals = (5,) if classes == "TWO" else ()
        return ef.from_votes(votes, *totals, rng=3, n_resamples=40, **options)
    return ef.from_scores(scores, labels, rng=3, n_resamples=40, **options)


def by_record(name):
    """Return the question of a name that says kind, classes, method, metric and interval."""
    kind, classes, method, metric, interval = name.split(", ")
    given = {"costs": COSTS[classes]} if metric == "cost" else GIVEN.get(metric, {})
    return partial(ask, kind, classes, method=method, metric=metric, interval=interval, **given)


def named_by_records(_):
    """Yield a name for each method, metric and interval that go together today."""
    from errorfloor import intervals, methods

    for one in methods.RECORDS:
        method = one.make(4) if hasattr(one, "make") else one
        for metric in method.metrics if not method.partly else ():
            for interval in intervals.of(method):
                yield ", ".join((method.reads, method.classes.name, method.name, metric, interval))


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
            ("soft labels", "TWO", {"metric": "auc"}),
            ("soft labels", "TWO", {"interval": "jackknife"}),
            ("soft labels", "MANY", {}),
            ("votes", "TWO", {}),
            ("scores", "TWO", {}),
            ("scores", "TWO", {"interval": "certified"}),
            ("scores", "TWO", {"metric": "balanced-error"}),
            ("scores", "TWO", {"metric": "auc"}),
            ("scores", "TWO", {"metric": "brier"}),
            ("scores", "MANY", {}),
        ):
            name = ", ".join((*design, kind, classes, *options.values()))
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
    _, _, labels, scores = drawn("TWO")
    return scores, np.where(np.random.default_rng(8).random(150) < 0.6, labels, np.nan)


def long_table(classes):
    """Return votes with the names of annotators, one row each."""
    rng = np.random.default_rng(9)
    p = drawn(classes)[0]
    item, annotator = np.divmod(np.flatnonzero(rng.random(150 * 8) < 0.5), 8)
    if classes == "TWO":
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
    two, many = "TWO", "MANY"
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
            ef.VoteTable.from_arrays(votes), votes=(3, 30), items=(100, 900)),
        "plan, auc": lambda: ef.plan(
            ef.VoteTable.from_arrays(drawn(two)[1], 5), metric="auc",
            votes=(3, 9), items=(100, 900)),
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
            scores, labels, methods=OF_MANY, model_error=0.4, levels=4, repeats=2, rng=3),
        "feebee, features": lambda: ef.feebee(
            labels=points()[1], features=points()[0], methods=OF_FEATURES,
            model_error=0.4, levels=4, repeats=2, rng=3),
        "feebee, auc": lambda: ef.feebee(
            score2, label2, methods=("ranking", "isotonic", *CURVES),
            metric="auc", model_value=0.7, levels=4, repeats=2, rng=3),
        "feebee, balanced error": lambda: ef.feebee(
            score2, label2, methods=("isotonic", "isotonic-cf", *CURVES),
            metric="balanced-error", model_value=0.3, levels=4, repeats=2, rng=3),
        "agreement": lambda: ef.from_agreement(0.8, 500),
        "agreement, share": lambda: ef.from_agreement(0.8, 500, share=0.3),
        "agreement, kappa": lambda: ef.from_agreement(kappa=0.5, pairs=400, share=0.3),
    }  # fmt: skip
    for kind in ("soft labels", "votes", "scores"):
        found[f"headroom, {kind}, many"] = partial(of_model, kind, many)
        for metric in ("auc", "balanced-error", "f1"):
            found[f"headroom, {kind}, {metric}"] = partial(of_model, kind, two, metric=metric)
    return found


OTHERS = {**weighed(), **others()}


def answer(name):
    """Return today's answer to the question of a name."""
    question = by_record(name) if name.startswith(KINDS) else OTHERS[name]
    return kept.answer(lambda: question().to_dict())


def changes(name, was, is_now):
    """Yield what has changed in an answer, each with where it is."""
    return kept.changes(was, is_now, lambda path: APART, (name,))


if __name__ == "__main__":
    kept.keep(PATH, answer, named_by_records, __doc__)
