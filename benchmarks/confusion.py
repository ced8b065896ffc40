"""How close the confusion of classes from few votes comes to the true one.

Run `python -m benchmarks.confusion`, which writes benchmarks/results/confusion.md.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import errorfloor as ef

Floats = NDArray[np.float64]
RESULTS = Path(__file__).with_name("results") / "confusion.md"
ITEMS, SETS, VOTES = 1500, 20, (3, 5, 10)


def one_pair(rng: np.random.Generator, n: int, classes: int, near: tuple[float, float]) -> Floats:
    """Return probabilities of classes of which the first two are close, and the others clear."""
    p = np.full((n, classes), 0.01)
    true = rng.choice(classes, n)
    p[np.arange(n), true] = 1
    close = np.flatnonzero(true < 2)
    p[close, 1 - true[close]] += 1.2 * rng.beta(*near, close.size)
    return np.asarray(p / p.sum(axis=1, keepdims=True))


SETTINGS: dict[str, Callable[[np.random.Generator, int], Floats]] = {
    "8 classes, two of them close": lambda rng, n: one_pair(rng, n, 8, (1.0, 1.5)),
    "3 classes, two of them close": lambda rng, n: one_pair(rng, n, 3, (1.0, 1.5)),
    "8 classes, two hardly told apart": lambda rng, n: one_pair(rng, n, 8, (20.0, 5.0)),
    "5 classes, all alike, many doubtful": lambda rng, n: rng.dirichlet(np.full(5, 0.3), n),
}


def against(p: Floats, best: NDArray[np.int64]) -> Floats:
    """Return the share of all errors that each pair of classes has."""
    errors = np.zeros((p.shape[1],) * 2)
    for k in range(p.shape[1]):
        errors[:, k] = p[best == k].sum(axis=0)
    np.fill_diagonal(errors, 0)
    pairs = errors + errors.T
    return np.asarray(pairs / pairs[np.triu_indices(len(pairs), 1)].sum())


def shares(name: str, votes: int, sets: int, items: int) -> Floats:
    """Return the truth, what majorities give and the estimate of the truly most confused pair."""
    found = []
    for seed in range(sets):
        rng = np.random.default_rng([seed, votes, len(name)])
        p = SETTINGS[name](rng, items)
        counts = rng.multinomial(votes, p)
        true = against(p, p.argmax(axis=1))
        one, other = np.unravel_index(np.triu(true, 1).argmax(), true.shape)
        plain = ef.confusion(ef.SoftTable.from_arrays(counts / votes)).errors
        own = ef.confusion(ef.from_votes(counts=counts, interval=None)).errors
        of = [np.asarray(errors) + np.asarray(errors).T for errors in (plain, own)]
        found.append([true[one, other], *(2 * each[one, other] / each.sum() for each in of)])
    return np.array(found)


def document(sets: int, items: int) -> str:
    """Return the page."""
    lines = [
        "# Confusion of classes from few votes",
        "",
        f"`python -m benchmarks.confusion`: {sets} sets of {items:,} items each; the share of all "
        "errors of the truly most confused pair, in %, on average.",
        '"Majorities" counts votes against each item\'s majority, as 0.2 did.',
        "",
        "| setting | votes | truth | majorities | estimate | s.e. of its bias |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name in SETTINGS:
        for votes in VOTES:
            found = 100 * shares(name, votes, sets, items)
            true, plain, own = found.mean(axis=0)
            error = (found[:, 2] - found[:, 0]).std(ddof=1) / np.sqrt(sets)
            lines.append(
                f"| {name} | {votes} | {true:.1f} | {plain:.1f} | {own:.1f} | {error:.1f} |"
            )
    return "\n".join([*lines, ""])


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=SETS)
    parser.add_argument("--items", type=int, default=ITEMS)
    parser.add_argument("--to", type=Path, default=RESULTS)
    asked = parser.parse_args(arguments)
    warnings.simplefilter("ignore", ef.ErrorFloorWarning)
    asked.to.write_text(document(asked.sets, asked.items), encoding="utf-8")


if __name__ == "__main__":
    main()
