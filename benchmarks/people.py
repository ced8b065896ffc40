"""How limits of agreement, models, worth in people and differences hold, with a known truth.

Run `python -m benchmarks.people`, or `make people`, to write benchmarks/results/people.md: a
quarter of an hour on two cores. The part on ChaosNLI needs ERRORFLOOR_DATA, or the network.
"""

from __future__ import annotations

import argparse
import math
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

import errorfloor as ef
from benchmarks import RESULTS
from errorfloor._typing import Counts, Floats
from errorfloor.data.items import PredictedReader
from errorfloor.data.options import ReadOptions
from errorfloor.data.read import read
from errorfloor.methods.votes.panels import panel_agreement, panel_chance
from errorfloor.questions.people import PeopleComparison
from errorfloor.questions.question import Ask

LEVEL = 0.95
DOCUMENT = RESULTS / "people.md"
WRONG = (0.05, 0.15, 0.3)  # share of answers that are changed, of three models
SIZES = tuple(range(1, 27, 2))
THINNED = 5  # votes that are kept of ChaosNLI's hundred
LOW, MORE = 0.94, 5  # below that share a design is drawn again, with that many times the samples
SUPPORT = 40_000  # items that the truth is taken from


def _two(eta: Floats) -> Floats:
    return np.column_stack((1 - eta, eta))


def _gaussian(rng: np.random.Generator, n: int) -> Floats:
    x = rng.normal(rng.integers(0, 2, n), 1.0)
    return _two(1 / (1 + np.exp(0.5 - x)))


LAWS: dict[str, Callable[[np.random.Generator, int], Floats]] = {
    "Beta(1/2, 1/2)": lambda rng, n: _two(rng.beta(0.5, 0.5, n)),
    "Beta(2, 5)": lambda rng, n: _two(rng.beta(2, 5, n)),
    "Beta(0.1, 0.4)": lambda rng, n: _two(rng.beta(0.1, 0.4, n)),
    "two Gaussians": _gaussian,
    "Dirichlet(1, .6, .3)": lambda rng, n: rng.dirichlet([1, 0.6, 0.3], n),
    "Dirichlet(.3), 4 classes": lambda rng, n: rng.dirichlet(np.full(4, 0.3), n),
    "Dirichlet(2, 1, .5, .5)": lambda rng, n: rng.dirichlet([2, 1, 0.5, 0.5], n),
    "Dirichlet(.1), 10 classes": lambda rng, n: rng.dirichlet(np.full(10, 0.1), n),
}


@dataclass(frozen=True)
class Design:
    """How items, votes and annotators come about."""

    law: str
    n: int
    votes: tuple[int, int]  # the least and the most on an item
    annotators: int = 0  # 0: every vote is another person's
    guessers: float = 0.0  # share of all people

    @property
    def name(self) -> str:
        """Words for the table."""
        least, most = self.votes
        votes = f"{least}" if least == most else f"{least} to {most}"
        who = f", {self.annotators} annotators" if self.annotators else ""
        return f"{self.law}, {self.n:,} items, {votes} votes{who}"

    def truth(self, rng: np.random.Generator) -> Truth:
        """Return what is to be covered."""
        p = LAWS[self.law](rng, SUPPORT)
        classes = p.shape[1]
        seen = (1 - self.guessers) * p + self.guessers / classes
        top = seen.max(axis=1)
        other = (1 - top) / (classes - 1)
        models = np.array([((1 - w) * top + w * other).mean() for w in WRONG])
        some = seen[:, 1] if classes == 2 else seen[:10_000]
        curve = np.array([panel_chance(some, r).mean() for r in SIZES])
        return Truth(float((seen**2).sum(axis=1).mean()), float(top.mean()), models, curve)

    def draw(self, rng: np.random.Generator) -> tuple[dict[str, Any], dict[str, Counts]]:
        """Draw votes and the answers of three models."""
        p = LAWS[self.law](rng, self.n)
        classes = p.shape[1]
        most = self.votes[1]
        vote = (rng.random((self.n, most, 1)) > p.cumsum(axis=1)[:, None, :-1]).sum(axis=2)
        best = p.argmax(axis=1)
        models = {}
        for i, wrong in enumerate(WRONG):
            changed = rng.random(self.n) < wrong
            other = (best + rng.integers(1, classes, self.n)) % classes
            models[f"model {i + 1}"] = np.where(changed, other, best)
        number = rng.integers(self.votes[0], most + 1, self.n)
        if not self.annotators:
            gone = np.arange(most)[None] >= number[:, None]
            counts = np.stack([((vote == k) & ~gone).sum(axis=1) for k in range(classes)], axis=1)
            return {"counts": counts}, models
        who = np.argsort(rng.random((self.n, self.annotators)), axis=1)[:, :most]
        guess = (rng.random(self.annotators) < self.guessers)[who]
        vote = np.where(guess, rng.integers(0, classes, vote.shape), vote)
        table = np.full((self.n, self.annotators), -1)
        np.put_along_axis(table, who, vote, axis=1)
        names = np.array([*map(str, range(classes)), None], dtype=object)
        return {
            "annotators": names[table],
            "classes": [*map(str, range(classes))],
        }, models


@dataclass(frozen=True)
class Truth:
    """Agreement, best possible, models, and the curve of panels."""

    agreement: float
    best: float
    models: Floats
    curve: Floats

    def worth(self, model: int) -> float:
        """Return how many people a model is worth: 0 for less than one, else linear."""
        value = self.models[model]
        if value < self.curve[0]:
            return 0.0
        return float(np.interp(value, self.curve, SIZES, right=math.inf))


def _design(law: str, n: int, *votes: int) -> Design:
    return Design(law, n, (votes[0], votes[-1]))


DESIGNS = (
    _design("Beta(1/2, 1/2)", 500, 3),
    _design("Beta(1/2, 1/2)", 100, 5),
    _design("Beta(1/2, 1/2)", 400, 2, 8),
    _design("Beta(2, 5)", 300, 2),
    _design("Beta(2, 5)", 300, 10),
    _design("Beta(0.1, 0.4)", 200, 3),
    _design("two Gaussians", 1000, 5),
    _design("Dirichlet(1, .6, .3)", 1000, 5),
    _design("Dirichlet(.3), 4 classes", 300, 3),
    _design("Dirichlet(.3), 4 classes", 500, 10),
    _design("Dirichlet(2, 1, .5, .5)", 50, 5),
    _design("Dirichlet(.1), 10 classes", 300, 3),
)
CROWDS = tuple(
    Design(law, 300, (votes, votes), annotators, 0.2)
    for law, votes in (("Beta(1/2, 1/2)", 3), ("Dirichlet(.3), 4 classes", 5))
    for annotators in (10, 20, 40)
)
PARTS = ("room", "equal", "thin", "apart")
COLUMNS = ("A(1)", "best", "M", "differences", "worth")


def held(design: Design, repetitions: int, seed: int) -> Floats:
    """Return the share of samples whose limits hold the truth, by column."""
    rng = np.random.default_rng(seed)
    truth = design.truth(rng)
    worth = [truth.worth(i) for i in range(len(WRONG))]
    pairs = [(i, j) for i in range(len(WRONG)) for j in range(i + 1, len(WRONG))]
    rows: list[list[float]] = []
    for own in rng.spawn(repetitions):
        given, models = design.draw(own)
        found = ef.people(predictions=models, panels=(1,), level=LEVEL, **given)
        rows.append(
            [
                _inside(found.agreement, truth.agreement),
                _inside(found.best_possible, truth.best),
                _share(_inside(m, v) for m, v in zip(found, truth.models, strict=True)),
                _share(
                    _inside(one, truth.models[i] - truth.models[j])
                    for one, (i, j) in zip(found.differences, pairs, strict=True)
                ),
                _share(_worth_inside(m, w) for m, w in zip(found, worth, strict=True)),
            ]
        )
    return np.asarray(np.mean(rows, axis=0))


def held_again(design: Design, repetitions: int, seed: int) -> tuple[int, Floats]:
    """Return the number of samples and what held; more samples where it was seldom."""
    found = held(design, repetitions, seed)
    if found.min() >= LOW:
        return repetitions, found
    return MORE * repetitions, held(design, MORE * repetitions, seed + 1000)


def _share(held: Iterator[bool]) -> float:
    return float(np.mean([*held]))


def _inside(rate: ef.results.Rate, truth: float) -> bool:
    return rate.low <= truth <= rate.high


def _worth_inside(row: ef.results.ModelRate, truth: float) -> bool:
    low = 0.0 if row.worth_low is None else row.worth_low
    high = math.inf if row.worth_high is None else row.worth_high
    return low <= truth <= high


def rooms(repetitions: int, seed: int = 0) -> dict[str, tuple[float, float]]:
    """Return how often "room" is found: of the best model, and of one with changed answers."""
    found = {}
    for design in (DESIGNS[0], DESIGNS[3], DESIGNS[4], DESIGNS[8]):
        rng = np.random.default_rng(seed)
        seen = []
        for own in rng.spawn(repetitions):
            p = LAWS[design.law](own, design.n)
            classes, m = p.shape[1], design.votes[1]
            counts = np.array([own.multinomial(m, one) for one in p])
            best = p.argmax(axis=1)
            changed = own.random(design.n) < 0.2
            other = np.where(changed, (best + own.integers(1, classes, design.n)) % classes, best)
            models = {"best": best, "changed": other}
            result = ef.people(counts=counts, predictions=models, panels=(1,))
            seen.append([row.verdict == "room" for row in result])
        best_model, changed_model = np.mean(seen, axis=0).tolist()
        found[design.name] = (best_model, changed_model)
    return found


def familywise(repetitions: int, seed: int = 0) -> dict[str, float]:
    """Return how often some order of six equal models is called certain."""
    found = {}
    for design in (DESIGNS[0], DESIGNS[1], DESIGNS[8]):
        wrong = 0
        for own in np.random.default_rng(seed).spawn(repetitions):
            p = LAWS[design.law](own, design.n)
            classes, m = p.shape[1], design.votes[1]
            counts = np.array([own.multinomial(m, one) for one in p])
            best = p.argmax(axis=1)
            models = {}
            for i in range(6):
                changed = own.random(design.n) < 0.15
                other = (best + own.integers(1, classes, design.n)) % classes
                models[f"model {i}"] = np.where(changed, other, best)
            compared = comparison(counts, models)
            adjusted = [one.adjusted_p for one in compared.differences()]
            wrong += min(p for p in adjusted if p is not None) <= 1 - LEVEL
        found[design.name] = wrong / repetitions
    return found


def comparison(counts: Counts, models: dict[str, Counts] | None = None) -> PeopleComparison:
    """Return votes with models next to them, without any answer yet."""
    models = models or {}
    answers = tuple(place.astype(str).astype(object) for place in models.values())
    reader = PredictedReader(tuple(models), answers)
    reading = read(None, reader.layouts, ReadOptions.of(counts=counts))
    return PeopleComparison.of(reading, reader.found(reading), Ask(level=LEVEL))


def thinned(repetitions: int, seed: int = 0) -> dict[str, dict[int, float]]:
    """Return how often limits from few of ChaosNLI's votes hold the agreement by all of them."""
    found = {}
    for part in ("snli", "mnli", "abductive"):
        votes = chaosnli(part)
        truth = {r: float(np.mean(panel_agreement(votes, r))) for r in SIZES}
        hits = dict.fromkeys(SIZES, 0)
        for rng in np.random.default_rng(seed).spawn(repetitions):
            few = _drawn(votes, rng)
            compared = comparison(few)
            for r in SIZES:
                rate = compared.panel(r).rate
                hits[r] += rate.low <= truth[r] <= rate.high
        found[part] = {r: number / repetitions for r, number in hits.items()}
    return found


def _drawn(votes: Counts, rng: np.random.Generator) -> Counts:
    """Return a few of the votes on each item, drawn without replacement."""
    place = np.argsort(rng.random((len(votes), int(votes[0].sum()))), axis=1)[:, :THINNED]
    ends = votes.cumsum(axis=1)
    chosen = (place[:, :, None] >= ends[:, None, :]).sum(axis=2)
    counts = [(chosen == k).sum(axis=1) for k in range(votes.shape[1])]
    return np.asarray(np.column_stack(counts))


def chaosnli(part: str) -> Counts:
    """Return the votes for each class."""
    votes = ef.datasets.load_chaosnli(part).votes
    assert votes is not None
    return np.asarray(votes)


def floors(repetitions: int, seed: int = 0) -> dict[str, float]:
    """Return how often limits hold the difference of two floors that two votes cannot tell apart.

    Items of one set are all alike but for the side, those of the other certain or coin flips; two
    votes on an item agree equally often in both.
    """
    found = {}
    for agree in (0.7, 0.9):
        low = (1 - math.sqrt(2 * agree - 1)) / 2
        for n in (200, 1000):
            hits = 0
            for rng in np.random.default_rng(seed).spawn(repetitions):
                side = rng.random(n) < 0.5
                alike = rng.binomial(2, np.where(side, low, 1 - low))
                flip = rng.random(n) < 2 * (1 - agree)
                mixed = rng.binomial(2, np.where(flip, 0.5, rng.integers(0, 2, n)))
                one, other = (ef.from_votes(k, 2) for k in (alike, mixed))
                result = ef.difference(one, other, level=LEVEL)
                hits += result.low <= low - (1 - agree) <= result.high
            found[f"agreement {agree:.0%}, {n:,} items"] = hits / repetitions
    return found


def seconds() -> float:
    """Return the CPU seconds of 10,000 items with 50 votes of two classes and six models."""
    rng = np.random.default_rng(0)
    eta = rng.beta(0.5, 0.5, 10_000)
    k = rng.binomial(50, eta)
    models = {
        f"model {i}": np.where(rng.random(10_000) < 0.05 * i, eta < 0.5, eta > 0.5).astype(int)
        for i in range(1, 7)
    }
    ef.people(k, 50, predictions=models)  # what loads first
    least = math.inf
    for _ in range(3):
        start = time.process_time()
        ef.people(k, 50, predictions=models)
        least = min(least, time.process_time() - start)
    return least


def _quiet() -> None:
    warnings.simplefilter("ignore", ef.ErrorFloorWarning)


def main() -> None:
    """Run all of it and write the document."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=200)
    repetitions = parser.parse_args().repetitions
    _quiet()
    number = repetitions
    studies = {"room": rooms, "equal": familywise, "thin": thinned, "apart": floors}
    samples = {name: 2 * number if name == "equal" else number for name in PARTS}
    with ProcessPoolExecutor(initializer=_quiet) as pool:
        found = {name: pool.submit(studies[name], samples[name]) for name in PARTS}
        each = [
            {one: pool.submit(held_again, one, number, first + i) for i, one in enumerate(designs)}
            for first, designs in ((0, DESIGNS), (100, CROWDS))
        ]
        rows, crowds = ({one: own.result() for one, own in some.items()} for some in each)
        parts = {name: (samples[name], own.result()) for name, own in found.items()}
    DOCUMENT.write_text(document(rows, crowds, parts, seconds()), encoding="utf-8")


def document(
    rows: dict[Design, tuple[int, Floats]],
    crowds: dict[Design, tuple[int, Floats]],
    parts: dict[str, tuple[int, Any]],
    seconds: float,
) -> str:
    """Return the page; with each result comes the number of samples that it is from."""
    (_, room), (_, equal), (_, thin), (_, apart) = (parts[name] for name in PARTS)
    samples = {name: parts[name][0] for name in PARTS}
    noise = math.sqrt(LEVEL * (1 - LEVEL) / 200)
    weights = [number for number, _ in rows.values()]
    pooled = np.average([found for _, found in rows.values()], axis=0, weights=weights)
    means = ", ".join(f"{name} {one:.3f}" for name, one in zip(COLUMNS, pooled, strict=True))
    all_thin = np.mean([one for part in thin.values() for one in part.values()])
    return f"""# People and models: the study

How often {100 * LEVEL:g} % limits of [people](../../docs/people.md) hold the truth, in simulations
where it is known. The standard error of a coverage of {LEVEL} is {noise:.3f} with 200 samples.
Written by `make people`. Designs with a share below {LOW} were drawn again with {MORE} times the
samples, and those are in the table. Three models give the most probable class, with
{", ".join(f"{w:.0%}" for w in WRONG)} of their answers changed.

`A(1)` is the agreement of two people, `best` the best possible, `M` how often a model gives a
person's answer, `worth` how many people it is worth.

{_table(rows)}

Mean of all designs: {means}.

## One in five people guesses

300 items; each annotator of the population guesses with a chance of 20 %, so the people at hand may
hold none who do. The limits are for a fresh person.

{_table(crowds)}

## Who can still improve

How often a model is said to have room: the best there can be, where that is wrong, and the same
with one in five answers changed, where it is right. {samples["room"]} samples each.

| design | best model | one in five changed |
| --- | ---: | ---: |
{_lines((name, f"{one:.3f}", f"{other:.3f}") for name, (one, other) in room.items())}

## Six equal models

How often some order of six equally good models is called certain; it should be at most
{1 - LEVEL:.2f}. {samples["equal"]} samples each.

| design | some order is certain |
| --- | ---: |
{_lines((name, f"{one:.3f}") for name, one in equal.items())}

## ChaosNLI, five of its hundred votes

How often limits from five votes hold how often panels agree by all hundred votes. The mean is
{all_thin:.3f}; {samples["thin"]} samples each.

| people in the panel | {" | ".join(map(str, SIZES))} |
| --- |{" ---: |" * len(SIZES)}
{_lines((part, *(f"{own[r]:.2f}" for r in SIZES)) for part, own in thin.items())}

## Two floors

Two votes per item. One set has items that are all alike, the other items that are certain or coin
flips, which two votes cannot tell apart: how often the limits of the difference hold, in
{samples["apart"]} samples each.

| design | held |
| --- | ---: |
{_lines((name, f"{one:.3f}") for name, one in apart.items())}

## Speed

10,000 items with 50 votes of two classes and six models: {seconds:.2f} s of CPU, all of it, on the
machine that ran the study.
"""


def _table(rows: dict[Design, tuple[int, Floats]]) -> str:
    head = f"| design | samples | {' | '.join(COLUMNS)} |\n| --- | ---: |"
    head += f"{' ---: |' * len(COLUMNS)}\n"
    return head + _lines(
        (one.name, f"{number}", *(f"{v:.3f}" for v in found))
        for one, (number, found) in rows.items()
    )


def _lines(rows: Iterator[tuple[str, ...]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


if __name__ == "__main__":
    main()
