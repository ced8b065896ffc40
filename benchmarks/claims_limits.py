"""How often the limits that answers claim hold on simulated data: the counts and their tables."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias
from zlib import crc32

import numpy as np

import errorfloor as ef
from benchmarks.claims_classes import ClassSetting, names_of
from benchmarks.claims_truth import CEILINGS, Bools, Floats, Labels, Setting, Truth

SIZES = (200, 1000)
TAIL = 0.025  # of the limit that is claimed
AnySetting: TypeAlias = Setting | ClassSetting


@dataclass(frozen=True)
class Question:
    """A metric, and the interval that is asked for."""

    metric: str = "error"
    interval: str = "honest"
    complete: bool = False
    costs: tuple[float, float] | None = None

    @property
    def name(self) -> str:
        """What the tables call it."""
        return self.metric if self.interval == "honest" else f"{self.metric}, {self.interval}"


def answer(
    setting: AnySetting, scores: Floats, labels: Labels, question: Question, seed: int
) -> ef.Estimate:
    """Return what the package says of a sample."""
    options: dict[str, Any] = {"metric": question.metric, "interval": question.interval}
    options |= {"rng": seed, "costs": question.costs}
    if question.complete:
        options["complete"] = True
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ef.ErrorFloorWarning)  # scores out of order deserve them
        found: ef.Estimate
        if setting.votes:
            found = ef.from_votes(scores, setting.votes, labels=labels, **options)
        elif isinstance(setting, ClassSetting):
            names = names_of(setting)
            found = ef.from_scores(scores, np.array(names)[labels], classes=names, **options)
        else:
            found = ef.from_scores(scores, labels, **options)
    return found


@dataclass(frozen=True, eq=False)
class Cell:
    """The limits of one question on many data sets of a setting."""

    setting: AnySetting
    n: int
    question: Question
    low: Floats
    high: Floats

    @property
    def truth(self) -> Truth:
        """What the limits are held against."""
        return self.setting.truth(self.question.metric)

    @property
    def side(self) -> int:
        """The sign of what is worse: more error, or a lower ceiling."""
        return -1 if self.question.metric in CEILINGS else 1

    @property
    def claimed(self) -> Floats:
        """The limit on the worse side."""
        return self.high if self.side > 0 else self.low

    @property
    def other(self) -> Floats:
        """The limit on the better side."""
        return self.low if self.side > 0 else self.high

    @property
    def holds_rule(self) -> Bools:
        """Where the claimed limit is no better than the best rule on the scores."""
        return np.asarray(self.side * (self.claimed - self.truth.rule) >= -1e-9)

    @property
    def holds_any(self) -> Bools:
        """Where the claimed limit is no better than the best that any model can do."""
        return np.asarray(self.side * (self.claimed - self.truth.any_model) >= -1e-9)

    @property
    def past_any(self) -> Bools:
        """Where the other limit is worse than what some model reaches: it bounds no model."""
        return np.asarray(self.side * (self.other - self.truth.any_model) > 1e-9)

    @property
    def name(self) -> str:
        """The setting, for sentences."""
        votes = f", {self.setting.votes} votes" if self.setting.votes else ""
        return f"{self.setting.name}{votes}, {self.n:,} items, {self.question.name}"


def cells_of(
    setting: AnySetting, n: int, questions: Sequence[Question], repetitions: int, first: int = 0
) -> list[Cell]:
    """Return the limits of some questions on the same data sets."""
    found = np.full((len(questions), repetitions, 2), np.nan)
    for k in range(repetitions):
        rng = np.random.default_rng([first + k, n, crc32(setting.name.encode()), setting.votes])
        scores, labels, _ = setting.draw(rng, n)
        for i, question in enumerate(questions):
            estimate = answer(setting, scores, labels, question, first + k)
            found[i, k] = estimate.low, estimate.high
    return [
        Cell(setting, n, question, *limits.T)
        for question, limits in zip(questions, found, strict=True)
    ]


def study(
    settings: Iterable[AnySetting], questions: Sequence[Question], repetitions: int
) -> list[list[Cell]]:
    """Return the cells of each setting and number of items."""
    return [cells_of(setting, n, questions, repetitions) for setting in settings for n in SIZES]


def share(hits: Bools) -> str:
    """Return a share with its standard error."""
    mean = float(np.mean(hits))
    return f"{mean:.3f} ({(mean * (1 - mean) / len(hits)) ** 0.5:.3f})"


def table(head: Sequence[str], lines: Iterable[Sequence[str]], names: int = 1) -> str:
    """Return rows as Markdown, numbers to the right."""
    rows = [head, ["---"] * names + ["---:"] * (len(head) - names), *lines]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def misses(rows: Iterable[list[Cell]], tail: float = TAIL) -> str:
    """Say which shares are lower than promised by more than chance, and repeat these."""
    cells = [cell for row in rows for cell in row]
    held = [float(holds(cell).mean()) for cell in cells]
    least = cells[int(np.argmin(held))]
    short = [
        cell
        for cell, one in zip(cells, held, strict=True)
        if one < 1 - tail - 2 * (tail * (1 - tail) / len(cell.low)) ** 0.5
    ]
    said = f"The least share is {min(held):.3f} ({least.name}). "
    if not short:
        return f"{said}None is below {1 - tail:g} by more than two standard errors."
    again = [
        f"{holds(cell).mean():.3f}, then {share(holds(_afresh(cell)))} ({cell.name})"
        for cell in short
    ]
    return (
        f"{said}{len(short)} of {len(cells)} shares are below {1 - tail:g} by more than two "
        "standard errors, of which chance alone makes some; with four times as many other data "
        f"sets: {'; '.join(again)}."
    )


def holds(cell: Cell) -> Bools:
    """Tell where what is claimed is true: of one limit, or of both."""
    return cell.holds_rule & ~cell.past_any if cell.question.complete else cell.holds_rule


def _afresh(cell: Cell) -> Cell:
    more = 4 * len(cell.low)
    return cells_of(cell.setting, cell.n, [cell.question], more, first=10**6)[0]


def errors_table(rows: Sequence[list[Cell]], rule: str, votes: bool = False) -> str:
    """Return how often limits of the error hold, for each setting."""
    kinds = [cell.question.interval for cell in rows[0]]
    head = ["probabilities", "votes"] if votes else ["scores"]
    head += ["items", "floor", rule, "mean upper limit"]
    head += [f"{kind} holds {rule}" for kind in kinds]
    head += ["holds the floor", "lower limit above the floor"]
    lines = []
    for row in rows:
        cell = row[0]
        truth = cell.truth
        lines.append(
            [
                cell.setting.name,
                *([str(cell.setting.votes)] if votes else []),
                f"{cell.n:,}",
                *(f"{100 * x:.2f}" for x in (truth.any_model, truth.rule, cell.claimed.mean())),
                *(share(one.holds_rule) for one in row),
                share(cell.holds_any),
                share(cell.past_any),
            ]
        )
    return table(head, lines)


def metrics_table(rows: Sequence[list[Cell]]) -> str:
    """Return how often what is claimed of other metrics holds, for each setting."""
    head = ["scores", "items", *(cell.question.name for cell in rows[0])]
    return table(
        head,
        [[row[0].setting.name, f"{row[0].n:,}", *(share(holds(c)) for c in row)] for row in rows],
    )
