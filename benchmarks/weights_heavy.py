"""Limits where a few items of the population weigh much and a sample hardly has any of them.

Run `python -m benchmarks.weights_heavy` to write its section of benchmarks/results/weights.md: two
minutes on one core. A finding, "Heavy items", says where heavier items may be missing; nothing in a
sample tells of a heavy kind that it does not have at all.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import errorfloor as ef
from benchmarks.weights import DOCUMENT, WEIGHTINGS, _table, weighted
from errorfloor._typing import Floats

MARK, END = "<!-- heavy -->", "<!-- end of heavy -->"
FINDING = "Heavy items"
ITEMS = 100, 300
DRAWS = 4_000_000
# From scores and labels, and from probabilities, with the interval that is asked for.
ASKED = (
    ("scores", "honest"),
    ("scores", "certified"),
    ("soft labels", "betting"),
    ("soft labels", "jackknife"),
)


@dataclass(frozen=True)
class Setting:
    """How heavy items are, and how likely class 1 is by what they weigh."""

    name: str
    weight: Callable[[Floats], Floats]  # from numbers that are uniform from 0 to 1
    chance: Callable[[Floats], Floats]
    heavy: float = np.inf  # from which weight on an item is of the heavy kind

    def truth(self) -> float:
        """Return the floor of the population."""
        weight = self.weight((np.arange(DRAWS) + 0.5) / DRAWS)
        chance = self.chance(weight)
        return float(weight @ np.minimum(chance, 1 - chance) / weight.sum())


def two_kinds(share: float, weight: float, heavy: float, light: float) -> Setting:
    """Return a share of items that weigh so much, and all others 1."""
    return Setting(
        f"{100 * share:g} % weigh {weight:g}, {heavy:g} against {light:g}",
        lambda u: np.where(u < share, weight, 1.0),
        lambda w: np.where(w > 1, heavy, light),
        weight,
    )


def pareto(exponent: float, *, hard: bool) -> Setting:
    """Return weights with a Pareto tail, whose items are harder or easier as they weigh more."""
    words = "harder" if hard else "easier"
    return Setting(
        f"Pareto, {exponent:g}, {words} where heavy",
        lambda u: u ** (-1 / exponent),
        lambda w: 0.02 + 0.45 * (w / (w + 8) if hard else 8 / (w + 8)),
    )


SETTINGS = (
    two_kinds(0.02, 50, 0.5, 0.05),
    two_kinds(0.01, 100, 0.5, 0.05),
    two_kinds(0.05, 20, 0.02, 0.4),
    pareto(1.3, hard=True),
    pareto(1.3, hard=False),
    pareto(2.0, hard=False),
)


def answer(kind: str, interval: str, x: Floats, label: Floats, weight: Floats) -> ef.Estimate:
    """Return the estimate, and no warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ef.ErrorFloorWarning)
        if kind == "scores":
            return ef.from_scores(x, label, weight=weight, interval=interval, rng=0)
        return ef.from_soft_labels(x, weight=weight, interval=interval, rng=0)


def warned(found: ef.Estimate) -> bool:
    """Tell whether heavier items are said to be missing."""
    return any(one.name == FINDING for one in found.findings)


def cells(setting: Setting, n: int, times: int) -> list[str]:
    """Return what is found of a setting: how often limits hold, and how often that is doubted."""
    truth, row, none = setting.truth(), [setting.name, str(n)], 0.0
    for kind, interval in ASKED:
        held, seen, said = np.zeros((3, times), dtype=bool)
        for seed in range(times):
            rng = np.random.default_rng([seed, n])
            weight = setting.weight(rng.random(n))
            chance = setting.chance(weight)
            label = (rng.random(n) < chance).astype(float)
            score = chance if kind == "soft labels" else chance + 1e-6 * rng.random(n)
            found = answer(kind, interval, score, label, weight)
            assert found.low is not None
            assert found.high is not None
            held[seed] = found.low <= truth + 1e-9 and truth - 1e-9 <= found.high
            seen[seed] = bool((weight >= setting.heavy).any()) or np.isinf(setting.heavy)
            said[seed] = warned(found)
        none = 1 - seen.mean()
        missed = seen & ~held
        beside = f"{said[missed].mean():.2f}" if missed.any() else "-"
        row.append(f"{held.mean():.2f}, {held[seen].mean():.2f}, {said[seen].mean():.2f}, {beside}")
    return [*row[:2], f"{none:.2f}", *row[2:]]


def false_alarms(n: int, times: int) -> list[str]:
    """Return how often the finding is there for the weights of the other tables."""
    row = []
    for name in WEIGHTINGS:
        said = []
        for seed in range(times):
            one = weighted("rises evenly", name, n, np.random.default_rng(seed))
            found = (
                answer(kind, how, one.eta if kind != "scores" else one.scores, one.labels, weight)
                for weight in (one.beside["weight"],)
                for kind, how in ASKED
            )
            said.append([warned(each) for each in found])
        row.append(", ".join(f"{share:.2f}" for share in np.mean(said, axis=0)))
    return row


def document(times: int) -> str:
    """Return the section."""
    head = ["weights, and the chance of class 1 where heavy and light", "items", "none drawn"]
    names = [f"{kind}, `{interval}`" for kind, interval in ASKED]
    rows = [cells(setting, n, times) for setting in SETTINGS for n in ITEMS]
    alarms = [[f"{n:,}", *false_alarms(n, times // 4)] for n in ITEMS]
    return "\n".join(
        [
            f"{times} samples each (two standard errors at a coverage of 0.95: "
            f"{2 * (0.95 * 0.05 / times) ** 0.5:.3f}). A cell has four shares: of all samples "
            "whose 95 % interval holds the floor; of those among samples that have a heavy item; "
            'of these, those with the finding "Heavy items"; and of these whose interval misses '
            'the floor, those with the finding ("-" where none misses it). Written by '
            "`python -m benchmarks.weights_heavy`.",
            "",
            *_table([*head, *names], rows),
            "",
            f"How often the finding is there with the weights of the tables below, of {times // 4} "
            f"samples each, by {', '.join(names)}:",
            "",
            *_table(["items", *WEIGHTINGS], alarms),
        ]
    )


def main() -> None:
    """Write the section."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=400)
    given = parser.parse_args()
    text = DOCUMENT.read_text(encoding="utf-8")
    before, _, rest = text.partition(MARK)
    _, end, behind = rest.partition(END)
    section = "\n".join([before + MARK, "", document(given.times), "", end + behind])
    DOCUMENT.write_text(section, encoding="utf-8")


if __name__ == "__main__":
    main()
