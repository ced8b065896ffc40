"""How often intervals hold the floor where items have weights or belong to clusters.

Run `python -m benchmarks.weights` to write benchmarks/results/weights.md's tables: half an hour on
one core. With `--labels` some of them are written again.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

import errorfloor as ef
from benchmarks import RESULTS
from errorfloor._typing import Floats
from errorfloor.metrics.choice import MetricChoice

DOCUMENT = RESULTS / "weights.md"
HEADING = "## How often they hold"
MARK, END = "<!-- speed -->", "<!-- end of speed -->"
GRID = (np.arange(200_000) + 0.5) / 200_000  # of scores, for true floors
CLUSTERS = 50
ROUNDING = 1e-9
AUC, COST, BALANCED = "AUC of scores", "costs of scores", "balanced error of scores"
BRIER, LOG_LOSS = "Brier score of scores", "log-loss of scores"
VOTE_COST, VOTE_BRIER, VOTE_LOG_LOSS, VOTE_SELECTIVE = (
    f"{name} of three votes" for name in ("costs", "Brier score", "log-loss", "selective error")
)
# What is asked besides error. A false negative costs five times as much.
ASKED = {
    AUC: MetricChoice("auc"),
    COST: MetricChoice("cost", costs=(1, 5)),
    BALANCED: MetricChoice("balanced-error"),
    BRIER: MetricChoice("brier"),
    LOG_LOSS: MetricChoice("log-loss"),
    VOTE_COST: MetricChoice("cost", costs=(1, 5)),
    VOTE_BRIER: MetricChoice("brier"),
    VOTE_LOG_LOSS: MetricChoice("log-loss"),
    VOTE_SELECTIVE: MetricChoice("error-at-coverage", at=0.7),
}
OF_VOTES = VOTE_COST, VOTE_BRIER, VOTE_LOG_LOSS, VOTE_SELECTIVE


def _certain_or_coin(x: Floats) -> Floats:
    return np.select([x < 0.25, x > 0.75], [0.0, 1.0], 0.5)


def _steep(x: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-20 * (x - 0.4))))


# Probability of class 1 at scores that are uniform from 0 to 1.
TRUTHS: dict[str, Callable[[Floats], Floats]] = {
    "rises evenly": lambda x: x,
    "rises steeply": _steep,
    "certain or a coin": _certain_or_coin,
    "coin flips": lambda x: np.full_like(x, 0.5),
    "2 % positive": lambda x: 0.002 + 0.03 * x,
}


@dataclass(frozen=True)
class Weighting:
    """How items were sampled: what an item of probability eta weighs, drawn and on average."""

    draw: Callable[[Floats, np.random.Generator], Floats]
    mean: Callable[[Floats], Floats]


def _one(eta: Floats) -> Floats:
    return np.ones_like(eta)


def _more_where_hard(eta: Floats) -> Floats:
    return 1 + 18 * np.minimum(eta, 1 - eta)


def _less_where_hard(eta: Floats) -> Floats:
    return 1 / (0.05 + np.minimum(eta, 1 - eta))


WEIGHTINGS = {
    "1, 2 or 4": Weighting(lambda eta, rng: rng.choice([1.0, 2.0, 4.0], eta.size), _one),
    "more where hard": Weighting(lambda eta, _: _more_where_hard(eta), _more_where_hard),
    "less where hard": Weighting(lambda eta, _: _less_where_hard(eta), _less_where_hard),
    "heavy-tailed": Weighting(lambda eta, rng: rng.lognormal(0, 1.5, eta.size), _one),
    "5 % weigh 20": Weighting(lambda eta, rng: np.where(rng.random(eta.size) < 0.05, 20, 1), _one),
}


def best_value(labels: str, truth: str, weighting: str | None = None) -> float:
    """Return the best value of what is asked, of all items alike where no weights are named."""
    eta = TRUTHS[truth](GRID)
    weight = np.ones(eta.size) if weighting is None else WEIGHTINGS[weighting].mean(eta)
    return float(ASKED.get(labels, MetricChoice()).of(2).best(eta, weight))


@dataclass(frozen=True)
class Sample:
    """Items: their scores, probabilities, labels, three votes, and what is next to them."""

    scores: Floats
    eta: Floats
    labels: Any
    votes: Any
    beside: dict[str, Any]


def weighted(truth: str, weighting: str, n: int, rng: np.random.Generator) -> Sample:
    """Draw independent items with weights."""
    x = rng.random(n)
    eta = TRUTHS[truth](x)
    weight = WEIGHTINGS[weighting].draw(eta, rng)
    return Sample(x, eta, rng.random(n) < eta, rng.binomial(3, eta), {"weight": weight})


SIZES = {"2 items each": (2.0, 2.0), "2 to 100 items": (2.0, 100.0)}  # logarithms are uniform


def clustered(truth: str, sizes: str, alike: float, rng: np.random.Generator) -> Sample:
    """Draw items of clusters, which share their score, and the luck of labels and votes.

    An item has the cluster's own score with probability `alike`, and so with each draw.
    """
    low, high = np.log(SIZES[sizes])
    number = np.exp(rng.uniform(low, high, CLUSTERS) + 1e-9).astype(int)
    cluster = np.repeat(np.arange(number.size), number)

    def shared(times: int) -> Floats:
        own, others = rng.random((number.size, times))[cluster], rng.random((cluster.size, times))
        return np.where(rng.random((cluster.size, times)) < alike, own, others)

    x = shared(1)[:, 0]
    eta = TRUTHS[truth](x)
    luck = shared(4) < eta[:, None]
    votes = np.count_nonzero(luck[:, 1:], axis=1)
    return Sample(x, eta, luck[:, 0], votes, {"cluster": cluster})


def _soft(sample: Sample, interval: str, rng: int) -> Any:
    return ef.from_soft_labels(sample.eta, interval=interval, rng=rng, **sample.beside)


def _scores(sample: Sample, interval: str, rng: int) -> Any:
    return ef.from_scores(sample.scores, sample.labels, interval=interval, rng=rng, **sample.beside)


def _votes(sample: Sample, interval: str, rng: int) -> Any:
    return ef.from_votes(sample.votes, 3, interval=interval, **sample.beside)


def _asked(labels: str, sample: Sample, interval: str, rng: int) -> Any:
    one = ASKED[labels]
    given = {"metric": one.metric, **one.kept(), "interval": interval, **sample.beside}
    if labels in OF_VOTES:
        return ef.from_votes(sample.votes, 3, **given)
    return ef.from_scores(sample.scores, sample.labels, rng=rng, **given)


# What is asked: of which labels, by which interval, and how many times fewer repetitions.
CASES: dict[tuple[str, str], tuple[Callable[[Sample, str, int], Any], float]] = {
    ("soft labels", "betting"): (_soft, 1),
    ("soft labels", "jackknife"): (_soft, 0.2),
    ("scores", "honest"): (_scores, 1),
    ("scores", "certified"): (_scores, 4),
    (AUC, "honest"): (partial(_asked, AUC), 1),
    (AUC, "jackknife"): (partial(_asked, AUC), 1),
    (COST, "honest"): (partial(_asked, COST), 1),
    (BALANCED, "honest"): (partial(_asked, BALANCED), 1),
    (BRIER, "honest"): (partial(_asked, BRIER), 1),
    (LOG_LOSS, "honest"): (partial(_asked, LOG_LOSS), 1),
    ("three votes", "likelihood"): (_votes, 4),
    (VOTE_COST, "likelihood"): (partial(_asked, VOTE_COST), 4),
    (VOTE_BRIER, "likelihood"): (partial(_asked, VOTE_BRIER), 4),
    (VOTE_LOG_LOSS, "likelihood"): (partial(_asked, VOTE_LOG_LOSS), 4),
    (VOTE_SELECTIVE, "likelihood"): (partial(_asked, VOTE_SELECTIVE), 8),
}


BOTH = AUC, BALANCED  # need items of both classes


def covers(
    case: tuple[str, str], floor: float, draw: Callable[[np.random.Generator], Sample], times: int
) -> tuple[float, float]:
    """Return how often the interval holds the floor, and how wide it is on average."""
    ask, fewer = CASES[case]
    held, width, repetitions, asked = 0, 0.0, max(int(times / fewer), 1), 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ef.ErrorFloorWarning)
        for seed in range(repetitions):
            sample = draw(np.random.default_rng(seed))
            if case[0] in BOTH and sample.labels.all() == sample.labels.any():
                continue  # nothing is known of one class alone
            found = ask(sample, case[1], seed)
            held += found.low <= floor + ROUNDING and floor <= found.high + ROUNDING
            width += found.high - found.low
            asked += 1
    return held / asked, width / asked


def with_weights(case: tuple[str, str], n: int, times: int) -> Iterator[list[str]]:
    """Yield rows of the table of weights: a truth and what was found for each weighting."""
    for truth in TRUTHS:
        if (case[0], truth) == ("soft labels", "coin flips"):
            continue  # all numbers are equal
        row = [truth]
        for name in WEIGHTINGS:
            floor = best_value(case[0], truth, name)

            def draw(rng: np.random.Generator, truth: str = truth, name: str = name) -> Sample:
                return weighted(truth, name, n, rng)

            row.append(_cell(*covers(case, floor, draw, times)))
        yield row


def with_clusters(case: tuple[str, str], times: int) -> Iterator[list[str]]:
    """Yield rows of the table of clusters: a truth and what was found for each kind."""
    for truth in TRUTHS:
        if (case[0], truth) == ("soft labels", "coin flips"):
            continue
        floor = best_value(case[0], truth)
        row = [truth]
        for sizes in SIZES:
            for alike in ALIKE:

                def draw(
                    rng: np.random.Generator,
                    truth: str = truth,
                    sizes: str = sizes,
                    alike: float = alike,
                ) -> Sample:
                    return clustered(truth, sizes, alike, rng)

                row.append(_cell(*covers(case, floor, draw, times)))
        yield row


ALIKE = (0.1, 0.5, 1.0)


def _noise(times: int) -> str:
    """Return two standard errors of a share of 0.95."""
    return f"{2 * (0.95 * 0.05 / times) ** 0.5:.3f}"


def _cell(share: float, width: float) -> str:
    return f"{share:.3f} ({100 * width:.1f})"


def _table(head: list[str], rows: list[list[str]]) -> list[str]:
    lines = [head, ["---"] * len(head), *rows]
    return [f"| {' | '.join(line)} |" for line in lines]


def document(times: int, sizes: tuple[int, ...]) -> str:
    """Return the section with the tables."""
    lines = [
        HEADING,
        "",
        "Written by `python -m benchmarks.weights`. Each entry is the share of samples whose 95 % "
        "interval holds the true floor, and in brackets its mean width times 100. There are "
        f"{times} samples each, {5 * times:,} for `jackknife` and {times // 4} for `certified` and "
        "`likelihood`; two standard errors at a coverage of 0.95 are "
        f"{_noise(times)}, {_noise(5 * times)} and {_noise(times // 4)}. Scores are uniform from "
        "0 to 1, and the first column says how the probability of class 1 depends on them. Of "
        "costs, a false negative costs 5 and a false positive 1. Selective error is that at a "
        f"coverage of 0.7, with {times // 8} samples each.",
        "",
        "### Weights",
        "",
        "Weights are independent of the items (1, 2 or 4; log-normal with a standard deviation of "
        "1.5; 1, or 20 for one item in twenty), or depend on how hard they are.",
    ]
    for case in CASES:
        for n in sizes:
            lines += ["", f"**{case[0]}, `{case[1]}`, {n:,} items**", ""]
            lines += _table([case[0], *WEIGHTINGS], list(with_weights(case, n, times)))
    lines += [
        "",
        "### Clusters",
        "",
        f"There are {CLUSTERS} clusters, all of two items or with 2 to 100 items (their logarithms "
        "uniform, worth about 23 clusters of equal size). With a probability of 0.1, 0.5 or 1 an "
        "item shares its cluster's score, and again the luck of each of its labels and votes.",
    ]
    kinds = [f"{sizes}, {alike:g}" for sizes in SIZES for alike in ALIKE]
    for case in CASES:
        if case[1] != "certified":
            lines += ["", f"**{case[0]}, `{case[1]}`**", ""]
            lines += _table([case[0], *kinds], list(with_clusters(case, times)))
    return "\n".join([*lines, ""])


def speed(sizes: tuple[int, ...]) -> list[str]:
    """Return a table of processor seconds without and with weights, and their ratio."""
    rows = []
    for (labels, interval), (ask, _) in CASES.items():
        row = [f"{labels}, `{interval}`"]
        for n in sizes:
            sample = weighted("rises evenly", "heavy-tailed", n, np.random.default_rng(0))
            plain = replace(sample, beside={})
            without, with_weights = (_seconds(ask, one, interval) for one in (plain, sample))
            row.append(f"{without:.3f}, {with_weights:.3f} ({with_weights / without:.1f})")
        rows.append(row)
    return _table(["labels and interval", *(f"{n:,} items" for n in sizes)], rows)


def _seconds(ask: Callable[[Sample, str, int], Any], sample: Sample, interval: str) -> float:
    times = []
    for _ in range(4):  # the first loads what is needed
        start = time.process_time()
        ask(sample, interval, 1)
        times.append(time.process_time() - start)
    return min(times[1:])


def with_speed(text: str, table: list[str]) -> str:
    """Return the document with another table of times."""
    before, _, rest = text.partition(MARK)
    _, end, behind = rest.partition(END)
    return "\n".join([before + MARK, "", *table, "", end + behind])


def renewed(before: str, section: str) -> str:
    """Return a section with tables of a new run: in the place of old ones, or behind the last."""
    new, blocks = dict(_tables_in(section)), list(_blocks_in(before.rstrip()))
    known = {title for title, _ in blocks}
    for title, table in new.items():
        if title not in known:
            part, _, name = title.partition(" **")
            last = max(place for place, (own, _) in enumerate(blocks) if own.startswith(part))
            blocks[last + 1 : last + 1] = [("", f"**{name}"), (title, table)]
    return "\n\n".join(new.get(title, text) for title, text in blocks)


def _blocks_in(text: str) -> Iterator[tuple[str, str]]:
    """Yield the parts between blank lines, tables with the title before them."""
    title = where = ""
    for part in text.split("\n\n"):
        where = part if part.startswith("###") else where
        yield (f"{where} {title}" if part.startswith("|") else "", part)
        title = part


def _tables_in(text: str) -> Iterator[tuple[str, str]]:
    return ((title, part.rstrip()) for title, part in _blocks_in(text) if title)


def main() -> None:
    """Write the tables, or with --interval those of some intervals again."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=200)
    parser.add_argument("--sizes", type=int, nargs="*", default=[300, 1000])
    parser.add_argument("--interval", action="append", choices=[name for _, name in CASES])
    parser.add_argument("--labels", action="append", choices=sorted({one for one, _ in CASES}))
    parser.add_argument("--speed", action="store_true", help="measure times instead")
    given = parser.parse_args()
    if given.speed:
        text = DOCUMENT.read_text(encoding="utf-8")
        table = speed((10_000, 100_000, 1_000_000))
        DOCUMENT.write_text(with_speed(text, table), encoding="utf-8")
        return
    for case in [*CASES]:
        if case[1] not in (given.interval or case) or case[0] not in (given.labels or case):
            del CASES[case]
    section = document(given.times, tuple(given.sizes))
    before, _, old = DOCUMENT.read_text(encoding="utf-8").partition(HEADING)
    if given.interval or given.labels:
        section = renewed(f"{HEADING}{old}", section).rstrip() + "\n"
    DOCUMENT.write_text(before + section, encoding="utf-8")


if __name__ == "__main__":
    main()
