"""What may be asked over the whole product: `product.py --add` asks what is not asked yet.

What is refused is asked once: no interval of a method that does not answer for a metric, no design
of an interval that does not go with a method.
"""

from frozen import kept
from frozen.product import ASKS, NOTHING, Asked

METHODS = {
    ("soft labels", "two"): ("clean",),
    ("soft labels", "many"): ("clean",),
    ("votes", "two"): ("mixture", "plugin"),
    ("votes", "many"): ("mixture", "plugin"),
    ("scores", "two"): (
        *("corrupted", "isotonic", "isotonic-cf", "ranking", "hist-4", "beta", "beta-am"),
        *("beta-ab", "beta-a", "platt", "platt-logit"),
    ),
    ("scores", "many"): (
        *("offsets", "top1", "corrupted", "temperature", "vector", "ovr-isotonic"),
    ),
}
METRICS = (
    *("error", "balanced-error", "cost", "brier", "log-loss", "auc", "average-precision", "f1"),
    *("mcc", "error-at-coverage", "coverage-at-error", "balanced-error with prior"),
    "auc with prior",
)
INTERVALS = (
    *("none", "auto", "honest", "certified", "powered", "likelihood", "annotators", "betting"),
    *("hoeffding", "jackknife", "bca", "basic", "percentile"),
)
# Clusters have to be at least 50.
DESIGNS = ("weights", "clusters", "weights and clusters")
PARTLY = ("some labels", *(f"some labels with {design}" for design in DESIGNS))
PPI = {True: ("ppi",), False: ()}  # the method for labels on some items


def questions(answered):
    """Yield names of all that may be asked; what is refused plainly is asked of no design."""
    for (kind, classes), methods in METHODS.items():
        for metric in METRICS:
            for method in methods:
                yield from of_method(answered, Asked("", kind, classes, "", "", method, metric, ""))
            yield from of_metric(answered, Asked("", kind, classes, "", "", NOTHING, metric, ""))
        yield from of_kind(Asked("", kind, classes, "", "plain", NOTHING, NOTHING, NOTHING))


def of_method(answered, asked):
    """Yield the questions about one method and metric."""
    plain = asked._replace(ask="estimate", items="60 tied", design="plain", interval="auto")
    if answered(plain.name) == kept.REFUSED:
        return
    yield plain._replace(items="12 tied").name
    yield plain._replace(items="300").name
    for interval in INTERVALS:
        if not is_new(answered, plain._replace(interval=interval)):
            continue
        yield plain._replace(items="12 tied", interval=interval).name
        for design in DESIGNS:
            there = plain._replace(items="150 tied", design=design, interval=interval)
            if is_new(answered, there):
                yield there.name
    if asked.kind == "scores":
        yield plain._replace(ask="table").name
        yield plain._replace(ask="table", items="150 tied", design="weights").name
        yield plain._replace(ask="merged table", items="300").name
    if asked.kind == "votes" and asked.metric in ("error", "brier"):
        for interval in ("auto", "annotators", "certified"):
            long = plain._replace(ask="long votes", interval=interval)
            yield long.name
            yield long._replace(items="150 tied", design="weights and clusters").name


def is_new(answered, asked):
    """Tell whether an interval is answered, and is not the one that is given by default."""
    usual = answered(asked._replace(interval="auto").name)
    if asked.interval == "auto" or usual == kept.REFUSED or usual["by"] == asked.interval:
        return False
    return answered(asked.name) != kept.REFUSED


def of_metric(answered, asked):
    """Yield the questions about a metric, by the default method; of votes a prior is slow."""
    if asked.kind == "votes" and " with " in asked.metric:
        return
    for design in ("plain", *DESIGNS):
        items = "60 tied" if design == "plain" else "150 tied"
        there = asked._replace(items=items, design=design, interval="auto")
        named = METHODS[asked.kind, asked.classes][:1] if asked.kind == "votes" else (NOTHING,)
        if answered(there._replace(ask="estimate", method=named[0]).name) == kept.REFUSED:
            continue
        if asked.kind != "soft labels":
            yield there._replace(ask="plan", interval=NOTHING).name
        yield there._replace(ask="confusion", interval="none").name
        yield from (there._replace(ask=ask).name for ask in ASKS if is_of_models(ask, asked.kind))
    if asked.kind == "scores":
        yield from compared(answered, asked)


def is_of_models(ask, kind):
    """Tell whether it is asked how far a model is from the best.

    How a model may be given does not depend on where the floor came from, and of votes it is slow.
    """
    if kind == "votes":
        return ask in ("headroom of predictions", "headroom of scores")
    return ask.startswith("headroom" if kind == "scores" else "headroom of")


def compared(answered, asked):
    """Yield comparisons of all methods that answer; and what is asked where labels are missing."""
    plain = asked._replace(ask="estimate", items="60 tied", design="plain", interval="auto")
    methods = METHODS[asked.kind, asked.classes]
    methods = [one for one in methods if answered(plain._replace(method=one).name) != kept.REFUSED]
    for design in (*DESIGNS, *PARTLY):
        there = plain._replace(items="150 tied", design=design)
        if answered(there.name) == kept.REFUSED:
            continue
        named = [there._replace(method=one) for one in (*methods, *PPI[design in PARTLY])]
        able = [one.method for one in named if answered(one.name) != kept.REFUSED]
        yield there._replace(ask="compare", method=" ".join(able)).name
        for interval in ("none", "honest", "certified") if design in PARTLY else ():
            for one in able:
                yield there._replace(method=one, interval=interval).name
    if methods:
        yield plain._replace(ask="compare", method=" ".join(methods)).name


def of_kind(asked):
    """Yield the questions that have no metric."""
    for method in METHODS[asked.kind, asked.classes] if asked.kind == "scores" else ():
        for ask in ("reliability", "calibrate"):
            # The best fit to 12 items of many classes is at infinity.
            for items in ("12 tied", "60 tied", "300")[asked.classes == "many" :]:
                yield asked._replace(ask=ask, items=items, method=method).name
            yield asked._replace(ask=ask, items="150 tied", design="weights", method=method).name
    if asked.kind == "votes":
        yield asked._replace(ask="items", items="60 tied").name
        yield asked._replace(ask="items", items="150 tied", design="weights").name
