"""What is said of models next to scores that see part of what matters: verdicts and sentences."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from scipy.special import logit

import errorfloor as ef
from benchmarks.claims_classes import CLASSES
from benchmarks.claims_limits import SIZES, AnySetting, Question, answer, share, table
from benchmarks.claims_truth import (
    CELLS,
    COMPLETE,
    GOLD,
    NO_CUT,
    PARTIAL,
    Bools,
    Floats,
    Setting,
    gaussians,
)
from errorfloor.questions.headroom import Pair
from errorfloor.results.verdict import BETTER, BEYOND, MATCHES, OPEN, ROOM, SATURATED
from errorfloor.show.text import long_text_of

LEVEL = 0.95
# Words that only an answer about any model may use.
TOO_MUCH = ("beyond", "any model can be", "leaked test set", "best possible")
BAYES = "the Bayes rule of all there is to see"
COPIES = "copies of the labels"
BEST_CUT = "the best cut itself"


@dataclass
class Record:
    """Verdicts on models by model and number of items, and how many sentences say too much."""

    verdicts: dict[tuple[str, int], Counter[str]] = field(default_factory=dict)
    sets: int = 0
    texts: int = 0
    too_much: int = 0
    gains: list[bool] = field(default_factory=list)  # whether those that are stated are true

    def add(self, model: str, n: int, verdict: ef.Verdict) -> None:
        """Count a verdict, and read what is said of it."""
        self.verdicts.setdefault((model, n), Counter())[verdict.verdict] += 1
        self.read(verdict.sentence, long_text_of(verdict))

    def read(self, *texts: str) -> None:
        """Look for words that say too much."""
        self.texts += len(texts)
        self.too_much += sum(says_too_much(text) for text in texts)


def says_too_much(text: str) -> bool:
    """Tell whether a text says what scores alone cannot show."""
    return any(words in text.lower() for words in TOO_MUCH)


# Errors of models on items of their own

BESIDE = (PARTIAL[0], PARTIAL[3], NO_CUT[0], NO_CUT[2], GOLD[0], GOLD[2], CLASSES[0])


def models_of(setting: AnySetting) -> dict[str, float]:
    """Return the error of each model that is judged."""
    truth = setting.truth("error")
    steps = {"1 point": 0.01, "2 points": 0.02, "3 points": 0.03, "5 points": 0.05}
    worse = {f"{name} worse than that": truth.rule + step for name, step in steps.items()}
    return {
        BAYES: truth.any_model,
        COPIES: 0.0,
        BEST_CUT: truth.rule,
        **worse,
    }


def on_other_items(setting: AnySetting, n: int, sets: int, record: Record) -> None:
    """Judge models by their errors on as many other items as the floor is from."""
    for seed in range(sets):
        rng = np.random.default_rng([seed, n, 11])
        scores, labels, _ = setting.draw(rng, n)
        floor = answer(setting, scores, labels, Question(), seed)
        record.sets += 1
        record.read(floor.sentence, long_text_of(floor))
        for model, rate in models_of(setting).items():
            verdict = ef.headroom(floor, int(rng.binomial(n, rate)), n)
            record.add(model, n, verdict)
            if verdict.verdict == ROOM:
                record.gains.append(verdict.low <= rate - setting.truth("error").any_model)


def by_other_metrics(setting: Setting, n: int, sets: int, record: Record) -> None:
    """Judge two models that see more by other metrics."""
    for seed in range(sets):
        rng = np.random.default_rng([seed, n, 12])
        scores, labels, _ = setting.draw(rng, n)
        _, own, true = setting.draw(rng, n)
        copies = 0.98 * own + 0.01
        record.sets += 1
        for metric in ("auc", "brier", "f1"):
            best = answer(setting, scores, labels, Question(metric), seed)
            record.read(best.sentence, long_text_of(best))
            for name, said in ((BAYES, true), (COPIES, copies)):
                made = {"predictions": said > 0.5} if metric == "f1" else {"model_scores": said}
                verdict = ef.headroom(best, labels=own, **made)
                record.add(f"{name}, by {metric}", n, verdict)


# Predictions on the same items

EVEN = gaussians("one of two equal features", 0.5, 1.5, 1.5)
TIED = gaussians("one of two equal features, 11 values", 0.5, 1.5, 1.5, digits=1)
FLAT = PARTIAL[4]
UP_AND_DOWN = NO_CUT[0]
PAIRED_SIZES = (200, 500, 2000)
JUDGED = 500  # items on which all of a verdict is asked for, which takes far longer

Model: TypeAlias = Callable[[np.random.Generator, Floats, Floats], Bools]  # scores, probabilities


def all_seen(rng: np.random.Generator, scores: Floats, true: Floats) -> Bools:
    """Predict by the true probabilities."""
    return np.asarray(true > 0.5)


def cut(rng: np.random.Generator, scores: Floats, true: Floats) -> Bools:
    """Predict by the best cut, which is 1/2 wherever it is asked for."""
    return np.asarray(scores > 0.5)


def flipped(rng: np.random.Generator, scores: Floats, true: Floats) -> Bools:
    """Predict by the best cut, but for 5 % of the items at random."""
    return np.asarray((scores > 0.5) ^ (rng.random(scores.size) < 0.05))


def other_feature(rng: np.random.Generator, scores: Floats, true: Floats) -> Bools:
    """Predict by the other of two features, which is as good as the best cut."""
    return np.asarray(logit(true) - logit(scores) > 0)


def guesses(rng: np.random.Generator, scores: Floats, true: Floats) -> Bools:
    """Predict at random."""
    return np.asarray(rng.random(scores.size) < 0.5)


def by_chance(rng: np.random.Generator, scores: Floats, true: Floats) -> Bools:
    """Predict by the best rule on scores that go up and down, which is no cut."""
    return np.asarray(UP_AND_DOWN.seen.chances[(scores * CELLS).astype(int)] > 0.5)


# The setting, the model, and whether it is better than every cut.
PAIRS: tuple[tuple[Setting, str, Model, bool], ...] = (
    (EVEN, "the Bayes rule of both", all_seen, True),
    (TIED, "the Bayes rule of both", all_seen, True),
    (FLAT, "the Bayes rule of all", all_seen, True),
    (UP_AND_DOWN, "the best rule, no cut", by_chance, True),
    (EVEN, "the best cut", cut, False),
    (EVEN, "the best cut, 5 % flipped", flipped, False),
    (TIED, "the best cut, 5 % flipped", flipped, False),
    (EVEN, "the other feature alone", other_feature, False),
    (FLAT, "one of the cuts", cut, False),
    (FLAT, "coin flips", guesses, False),
)


def informed(setting: Setting, model: Model, n: int, sets: int) -> Bools:
    """Return on which data sets the test of information finds something."""
    found = np.zeros(sets, dtype=bool)
    for seed in range(sets):
        rng = np.random.default_rng([seed, n, 13])
        scores, labels, true = setting.draw(rng, n)
        test = Pair.of(scores, labels, model(rng, scores, true), {}).information()
        assert test is not None
        found[seed] = test.p <= (1 - LEVEL) / 2
    return found


def on_the_same_items(n: int, sets: int, record: Record) -> None:
    """Judge predictions on the items of the floor, and read what is said of them."""
    for seed in range(sets):
        for setting, name, model, _ in PAIRS:
            rng = np.random.default_rng([seed, n, 13])
            scores, labels, true = setting.draw(rng, n)
            predictions = model(rng, scores, true)
            verdict = ef.headroom(scores, labels=labels, predictions=predictions, rng=seed)
            record.add(f"{setting.name}, {name}", n, verdict)
        record.sets += len({setting.name for setting, *_ in PAIRS})


# Scores that are declared complete


def declared(setting: Setting, n: int, sets: int) -> Counter[str]:
    """Count verdicts on the best model there is, where scores are declared complete."""
    found: Counter[str] = Counter()
    for seed in range(sets):
        rng = np.random.default_rng([seed, n, 14])
        scores, labels, _ = setting.draw(rng, n)
        floor = answer(setting, scores, labels, Question(complete=True), seed)
        errors = int(rng.binomial(n, setting.truth("error").any_model))
        found[ef.headroom(floor, errors, n).verdict] += 1
    return found


# The page


def counts(verdicts: Counter[str], names: Iterable[str]) -> list[str]:
    """Return the share of each verdict, with standard errors."""
    every = np.repeat(list(verdicts), list(verdicts.values()))
    return [share(every == name) for name in names]


def section(repetitions: int) -> str:
    """Run all of it and return the section."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ef.ErrorFloorWarning)
        return _section(repetitions)


def _section(repetitions: int) -> str:
    few, half = max(repetitions // 20, 1), max(repetitions // 2, 1)
    record, metrics, paired = Record(), Record(), Record()
    for setting in BESIDE:
        for n in SIZES:
            on_other_items(setting, n, max(repetitions // 5, 1), record)
    by_other_metrics(PARTIAL[0], 1000, few, metrics)
    on_the_same_items(JUDGED, few, paired)
    return "\n\n".join(
        [
            _verdicts(record, metrics, paired),
            _tests(half, paired),
            _declarations(half),
        ]
    )


def _verdicts(record: Record, metrics: Record, paired: Record) -> str:
    records = (record, metrics, paired)
    names = (ROOM, MATCHES, BETTER)
    judged = [(*key, found) for one in (record, metrics) for key, found in one.verdicts.items()]
    lines = [[model, f"{n:,}", f"{v.total():,}", *counts(v, names)] for model, n, v in judged]
    accused = sum(v[BEYOND] for one in records for v in one.verdicts.values())
    rest = sum(v[SATURATED] + v[OPEN] for one in records for v in one.verdicts.values())
    best = [v for (model, _), v in record.verdicts.items() if model == BEST_CUT]
    chance = max(v[ROOM] / v.total() for v in best)
    texts, too_much, sets = (
        sum(getattr(one, name) for one in records) for name in ("texts", "too_much", "sets")
    )
    return f"""## Verdicts on models

`headroom` compares models with the floor of scores that are not declared complete:
{"; ".join(_named(setting) for setting in BESIDE)}. Each model is tested on as many other items as
the floor is from. Of several classes "the best cut" is the best weighting.

{table(["model", "items", "verdicts", *names], lines)}

Of {texts:,} sentences and texts on {sets:,} data sets, from this table and from predictions on the
same items, {too_much:,} say "beyond", "any model can be", "leaked test set" or "best possible".
{accused:,} verdicts are "beyond", and {rest:,} "saturated" or "open". Scores cannot tell a model
that sees more from one that copies the labels, and call both "better". For the best cut itself only
chance makes "room": in at most {chance:.3f} of the verdicts, where 0.025 is nominal. The gain that
is stated ("at least x points") is true in {share(np.array(record.gains))} of {len(record.gains):,}
verdicts of "room". With 200 items a model that is five points worse than the best cut is seldom
found out."""


def _tests(sets: int, paired: Record) -> str:
    lines: list[list[str]] = []
    powers: list[float] = []
    alarms: list[float] = []
    for setting, name, model, better in PAIRS:
        found = [informed(setting, model, n, sets) for n in PAIRED_SIZES]
        (powers if better else alarms).extend(float(one.mean()) for one in found)
        judged = counts(paired.verdicts[f"{setting.name}, {name}", JUDGED], (ROOM, BETTER))
        known = "yes" if better else "no"
        lines.append([setting.name, name, known, *(share(one) for one in found), *judged])
    judgements = next(iter(paired.verdicts.values())).total()
    head = ["scores", "model", "better than every cut", *(f"{n:,} items" for n in PAIRED_SIZES)]
    return f"""## Whether a model sees more than the scores

Predictions on the same items: how often the p-value of McNemar's test against every threshold
(`verdict.information`) is at most 0.025, in {sets:,} data sets. Where the model is no better than
the best cut, that is a false alarm. The last columns are verdicts of `headroom` on
{judgements:,} data sets of {JUDGED} items. Room, by the sign test, is there for
flipped predictions and for the other feature alone, and false in the other rows.

{table([*head, ROOM, BETTER], lines, names=3)}

False alarms come in at most {max(alarms):.3f} of the data sets. Models that are better than every
cut are found in {min(powers):.3f} to {max(powers):.3f}: few items do not always show it. A better
rule on the same scores that is no cut is found as well, so the test alone does not say that the
model sees more. Of several classes there is no such test."""


def _declarations(sets: int) -> str:
    names = (ROOM, SATURATED, BEYOND)
    judged = ((COMPLETE[0], "true"), (COMPLETE[3], "true"), (PARTIAL[0], "false"))
    lines = [
        [setting.name, truth, f"{n:,}", *counts(declared(setting, n, sets), names)]
        for setting, truth in judged
        for n in SIZES
    ]
    return f"""## What a false declaration does

Verdicts on the best model there is where scores are declared complete, which is true of the first
two and false of the last; {sets:,} data sets.

{table(["scores", "declaration", "items", *names], lines, names=2)}

Where the declaration is true, "room" and "beyond" are false, and should come in at most 0.025 of
the data sets each. Where it is false, nothing in the data shows it, and the best model is accused
of a leak. Declare scores complete only where that is known."""


def _named(setting: AnySetting) -> str:
    return f"{setting.name} ({setting.votes} votes)" if setting.votes else setting.name
