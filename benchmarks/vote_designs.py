"""Coverage where totals differ for a reason, and of majorities: a part of results/votes.md.

`make votes` runs it with the rest; `python -m benchmarks.vote_designs` writes this part again.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

import errorfloor as ef
from benchmarks import RESULTS, many_votes
from errorfloor._typing import Counts, Floats
from errorfloor.intervals.votes.band import certified_limits
from errorfloor.intervals.votes.region import likelihood_limits
from errorfloor.methods.record import Options
from errorfloor.methods.votes.mixture import TwoClassMixture
from errorfloor.methods.votes.stopping import rule_named

N = 1000
REPETITIONS = 80
HEADING = "## Why totals differ, and majorities"
DOCUMENT = RESULTS / "votes.md"

Votes: TypeAlias = tuple[Counts, Counts]
Draw: TypeAlias = Callable[[np.random.Generator, int], Floats]


@dataclass(frozen=True)
class Design:
    """How votes come about, what is said of it, and the floor."""

    draw: Callable[[np.random.Generator, int], Votes]
    options: Options
    floor: float


def _arcsine(rng: np.random.Generator, n: int) -> Floats:
    return rng.beta(0.5, 0.5, n)


def _half_certain(rng: np.random.Generator, n: int) -> Floats:
    return np.asarray(rng.choice([0.0, 0.5], n))


def _two_atoms(rng: np.random.Generator, n: int) -> Floats:
    return np.asarray(rng.choice([0.1, 0.9], n))


def _by_item(hard: Draw, easy: Draw, votes: tuple[int, int], floor: float) -> Design:
    """Half of the items are hard, and get the first number of votes."""

    def draw(rng: np.random.Generator, n: int) -> Votes:
        is_hard = rng.random(n) < 0.5
        m = np.where(is_hard, *votes)
        return rng.binomial(m, np.where(is_hard, hard(rng, n), easy(rng, n))), m

    return Design(draw, Options(totals_by="item"), floor)


def _until(name: str, eta: Draw, floor: float) -> Design:
    """Votes are collected by a rule."""
    rule = rule_named(name)

    def draw(rng: np.random.Generator, n: int) -> Votes:
        chance, going = eta(rng, n), np.arange(n)
        k, m = np.zeros((2, n), dtype=np.int64)
        while going.size:
            k[going] += rng.random(going.size) < chance[going]
            m[going] += 1
            pairs = zip(k[going], m[going], strict=True)
            going = going[[not rule.stops(int(a), int(b)) for a, b in pairs]]
        return k, m

    return Design(draw, Options(totals_by="votes", stopping=name), floor)


def _majority(r: int, m: int, eta: Draw, floor: float) -> Design:
    def draw(rng: np.random.Generator, n: int) -> Votes:
        return rng.binomial(m, eta(rng, n)), np.full(n, m)

    return Design(draw, Options(majority=r), floor)


def _spread(rng: np.random.Generator, n: int) -> Floats:
    return rng.beta(2, 2, n)


def _near_ends(rng: np.random.Generator, n: int) -> Floats:
    return rng.beta(0.2, 0.2, n)


def _coin(rng: np.random.Generator, n: int) -> Floats:
    return np.full(n, 0.5)


def _certain(rng: np.random.Generator, n: int) -> Floats:
    return rng.integers(0, 2, n).astype(np.float64)


_ARCSINE = 0.5 - 1 / np.pi
# The floors of Beta(2, 2) and Beta(0.2, 0.2), and of a majority of 3 under the arcsine law.
_SPREAD, _NEAR_ENDS, _OF_THREE = 0.3125, 0.10119025, 0.12863847
DESIGNS = {
    "hard 8, easy 2: Beta(2, 2), Beta(.2, .2)": _by_item(
        _spread, _near_ends, (8, 2), (_SPREAD + _NEAR_ENDS) / 2
    ),
    "hard 2, easy 8: the same": _by_item(_spread, _near_ends, (2, 8), (_SPREAD + _NEAR_ENDS) / 2),
    "hard 8, easy 2: coin flips, certain": _by_item(_coin, _certain, (8, 2), 0.25),
    "hard 2, easy 8: the same ": _by_item(_coin, _certain, (2, 8), 0.25),
    "a third on disagreement: Beta(1/2, 1/2)": _until("third", _arcsine, _ARCSINE),
    "a third on disagreement: 0 and 0.5": _until("third", _half_certain, 0.25),
    "a third on disagreement: 0.1 and 0.9": _until("third", _two_atoms, 0.1),
    "until a lead of 2: Beta(1/2, 1/2)": _until("lead-2", _arcsine, _ARCSINE),
    "until a lead of 2: 0 and 0.5": _until("lead-2", _half_certain, 0.25),
    "until a lead of 2: 0.1 and 0.9": _until("lead-2", _two_atoms, 0.1),
    "majority of 3 from 3: Beta(1/2, 1/2)": _majority(3, 3, _arcsine, _OF_THREE),
    "majority of 3 from 3: 0 and 0.5": _majority(3, 3, _half_certain, 0.25),
    "majority of 3 from 3: 0.1 and 0.9": _majority(3, 3, _two_atoms, 0.028),
    "majority of 5 from 3: 0.1 and 0.9": _majority(5, 3, _two_atoms, 0.00856),
}


def simulate(name: str, repetitions: int, n: int = N) -> Floats:
    """Return the value and the limits of both intervals, shape (repetitions, 5)."""
    design = DESIGNS[name]
    rng = np.random.default_rng([20261115, *map(ord, name)])
    rows = []
    for _ in range(repetitions):
        table = ef.VoteTable.from_arrays(*design.draw(rng, n))
        cells = table.positives, table.totals, table.counts
        value = TwoClassMixture(table.cells(), design.options).values(table.counts[None], rng)[0]
        limits = (f(*cells, options=design.options) for f in (likelihood_limits, certified_limits))
        rows.append((value, *(limit for pair in limits for limit in pair)))
    return np.array(rows, dtype=np.float64)


def section(found: dict[str, Floats], repetitions: int) -> str:
    """Return the results as Markdown."""
    lines = [
        "| design | floor | bias | coverage: likelihood, certified | width: the same |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    for name, rows in found.items():
        value, low, high, sure_low, sure_high = rows.T
        truth = DESIGNS[name].floor
        held = np.mean((low <= truth + 1e-9) & (truth <= high + 1e-9))
        sure = np.mean((sure_low <= truth + 1e-9) & (truth <= sure_high + 1e-9))
        lines.append(
            f"| {name.strip()} | {truth:.4f} | {np.mean(value) - truth:+.4f} | {held:.3f}, "
            f"{sure:.3f} | {np.mean(high - low):.4f}, {np.mean(sure_high - sure_low):.4f} |"
        )
    noise = (0.95 * 0.05 / repetitions) ** 0.5
    table = "\n".join(lines)
    return f"""{HEADING}

n = {N:,} items, {repetitions:,} repetitions. Written by `python -m benchmarks.vote_designs`. Half
of the items are hard where hard and easy ones get different numbers of votes, which
`totals_by="item"` says. Where votes were collected until they agreed, `totals_by="votes"` says so,
and the certified interval has the rule from `stopping`.

{table}

The standard error of a coverage of 0.95 is {noise:.4f}.
"""


def main() -> None:
    """Run all designs and write their part of the document."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=REPETITIONS)
    repetitions = parser.parse_args().repetitions
    found = {}
    for name in DESIGNS:
        found[name] = simulate(name, repetitions)
        print(section({name: found[name]}, repetitions).splitlines()[9], flush=True)
    before = DOCUMENT.read_text().partition(HEADING)[0].rstrip()
    after = many_votes.kept(DOCUMENT)
    DOCUMENT.write_text(f"{before}\n\n{section(found, repetitions)}{after}")
    print(f"wrote {DOCUMENT}")


if __name__ == "__main__":
    main()
