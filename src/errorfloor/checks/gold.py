"""Whether labels or predictions next to votes are what they are taken for: not made from them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from errorfloor._checks import Sentence, aside
from errorfloor._numbers import counted, p_equals, per_cent
from errorfloor._typing import Bools, Counts, Floats
from errorfloor.checks.record import ANY, ENOUGH, Check
from errorfloor.data.tables import GoldVotes, ScoreTable, VoteTable
from errorfloor.results.claim import Finding, Level
from errorfloor.results.estimate import Estimate

if TYPE_CHECKING:
    from errorfloor.data.items import PredictedVotes, Predictions

MADE = 1e-4  # chance that a label which was not made from the votes agrees with their majority
OTHER = 0.001  # chance of a false alarm of the test of agreement; measured at most 0.003
DOUBTED = 0.1  # of items on which votes differ, the share that may be exceptions
_NAMED = 3  # answers that a note names
MATERIAL = 0.1  # share of the disagreement among votes by which that with the label may differ


def _gold(estimate: Estimate) -> GoldVotes | None:
    table: Any = estimate.table
    copies = table.entries is not None and table.entries.cluster is not None
    return None if copies else table.gold  # copies would count as evidence each


def _from_votes(estimate: Estimate) -> Iterator[Finding]:
    """Find a label that is the majority of the votes it stands next to, on all items or nearly all.

    Somebody may have settled a few items by hand, or broken ties by a rule of their own.
    """
    gold = _gold(estimate)
    n = 0 if gold is None else int(gold.counts.sum())
    if gold is None or n < ENOUGH:
        return
    leads = _leads(gold.votes)
    split = int(gold.counts[(leads > 0) & (leads < gold.totals)].sum())
    against = int(gold.counts[_not_leading(gold)].sum())
    made = _log_chance(gold) < math.log(MADE)
    if not split or against > (DOUBTED * split if made else 0):
        return
    level: Level = "note"
    if made:
        level = "warn" if against else "refuted"
    where = f"{counted(split, 'item')} on which votes differ"
    which = "every item" if not against else f"all but {counted(against, 'item')}"
    yield Finding(
        "Gold label from the same votes",
        f"the majority of {'all' if not against else f'{n - against:,} of'} {n:,} items",
        level,
        f"The gold label is the answer with the most votes on {which}, including the {where}. "
        + {
            "refuted": "A label from another source would not agree with the votes so well: this "
            "one was made from these votes, so the answer says nothing.",
            "warn": "A label from another source seldom agrees with the votes so well, unless a "
            "few annotators made nearly all errors. If it was made from these votes, the answer "
            "says nothing.",
            "note": "If it was made from these votes, the answer says nothing.",
        }[level],
        Sentence(
            "Use a label that somebody gave without seeing these votes, or leave it out: the votes "
            f"alone give the {estimate.measure.limit} for one more vote, or for the majority "
            "of several",
            *(aside("majority"), "."),
        ),
    )


def _not_leading(gold: GoldVotes) -> Bools:
    """Tell of which rows another class has more votes than the gold label."""
    return np.asarray(gold.for_gold < gold.votes.max(axis=1))


def _log_chance(gold: GoldVotes) -> float:
    """Bound the log of the chance that other classes than the true one lead on so few items.

    A vote is for the true class with chance `a`, and for a certain other one with chance `b`, so a
    lead of d votes is that of the true class with odds of a^d against b^d. Of `a` on all items and
    on those with as many votes the larger counts, so that a few easy votes next to many hard ones
    accuse nobody.
    """
    right, leads = _share_for_gold(gold), _leads(gold.votes)
    wrong = (1 - right) * _agreement_of_errors(gold)
    with np.errstate(divide="ignore", invalid="ignore"):  # where no vote, or every one, is for it
        log_odds = np.where(leads > 0, leads * (np.log(wrong) - np.log(right)), -np.inf)
    against = int(gold.counts[_not_leading(gold)].sum())
    if not against:
        return -float(gold.counts @ np.logaddexp(0, log_odds))
    expected = float(gold.counts @ np.exp(-np.logaddexp(0, -log_odds)))
    if expected <= against:
        return 0.0
    return against - expected + against * math.log(expected / against)  # Chernoff


def _agreement_of_errors(gold: GoldVotes) -> float:
    """Return the chance that two wrong votes on items of one label are for the same class.

    The more classes errors are spread over, the less often they lead. They are spread no further
    than over all classes in use.
    """
    classes = gold.votes.shape[1]
    votes = np.zeros((classes, classes))
    np.add.at(votes, gold.labels, gold.votes * gold.counts[:, None])
    in_use = votes.sum() ** 2 / float((votes.sum(axis=0) ** 2).sum())
    np.fill_diagonal(votes, 0)
    number = votes.sum(axis=1)
    agree = (votes * (votes - 1)).sum(axis=1) / np.maximum(number - 1, 1)
    least = 1 / max(float(in_use) - 1, 1.0)
    return max(float(agree.sum()) / max(float(number.sum()), 1.0), least)


def _share_for_gold(gold: GoldVotes) -> Floats:
    """Return the share of votes that are for the gold label: of all, or of items with as many."""
    _, place = np.unique(gold.totals, return_inverse=True)
    own = np.bincount(place, gold.counts * gold.for_gold)
    by_total = own / np.bincount(place, gold.counts * gold.totals)
    return np.asarray(np.maximum(by_total, own.sum() / (gold.counts @ gold.totals))[place])


def _leads(votes: Counts) -> Counts:
    """Return by how many votes the first class is ahead of the second."""
    best = np.partition(votes, -2, axis=1)[:, -2:]
    return np.asarray(best[:, 1] - best[:, 0])


def _agreement(estimate: Estimate) -> Iterator[Finding]:
    """Test whether a label that is taken for one more vote agrees with votes as they do."""
    gold = _gold(estimate)
    several = None if gold is None else gold.totals > 1
    if gold is None or several is None or not several.any():
        return
    votes, totals, counts = gold.votes[several], gold.totals[several], gold.counts[several]
    with_gold = gold.for_gold[several] / totals
    pairs = (votes * (votes - 1)).sum(axis=1) / (totals * (totals - 1))
    n = int(counts.sum())
    of_gold, of_votes = float(counts @ with_gold / n), float(counts @ pairs / n)
    chance = _chance_of_mean(with_gold - pairs, counts)
    level: Level = "ok"
    sentence = "The label agrees with votes as often as votes agree with each other, within chance."
    if chance < OTHER:
        far = abs(of_gold - of_votes) > MATERIAL * max(1 - of_votes, 1e-9)
        level = "refuted" if far else "warn"
        often = "more" if of_gold > of_votes else "less"
        sentence = (
            f"The label agrees with a vote in {per_cent(of_gold)} of cases, and two votes agree in "
            f"{per_cent(of_votes)}: {often} often than one more vote would ({p_equals(chance)})."
        )
    yield Finding(
        "Label as one more vote",
        f"agrees with {per_cent(of_gold)} of votes, votes with {per_cent(of_votes)} of each other",
        level,
        sentence,
        ""
        if level == "ok"
        else Sentence(
            "Do not declare the label to be one more vote", aside("label_is_vote", True), "."
        ),
    )


def _chance_of_mean(values: Floats, counts: Counts) -> float:
    """Return how likely a mean is as far from 0, either way, if the true one is 0.

    As for shares, two items that differ by the most are added, so that few differences are not
    taken for none.
    """
    n = int(counts.sum())
    mean = float(counts @ values) / n
    spread = float(counts @ (values - mean) ** 2) + 2.0
    return math.erfc(abs(mean) * n / math.sqrt(2 * spread * n / max(n - 1, 1)))


# Predictions that are compared with votes, and may be made from them.


def leaks(found: PredictedVotes, model: Predictions) -> list[Finding]:
    """Find predictions that were made from the votes, or are those of one annotator.

    The best of all models agrees with the plurality on easy items. How probable it is that it does
    so on all of them follows from the margins of votes, as for gold labels next to votes.
    """
    votes = found.votes
    if (model.place < 0).any() or (votes.max(axis=1) == votes.sum(axis=1)).all():
        return []
    gold = GoldVotes.of(votes, model.place)
    always = not _not_leading(gold).any()
    if always and len(votes) >= ENOUGH and _log_chance(gold) < math.log(MADE):
        return [
            Finding(
                "Predictions made from the votes",
                model.name,
                "refuted",
                f"{model.name} gives the answer with the most votes on all {len(votes):,} items: "
                "it was made from these votes, so its agreement with them says nothing.",
                "Compare predictions that were made without these votes.",
            )
        ]
    copied = _copied(found, model)
    if copied is None:
        return []
    return [
        Finding(
            "Predictions equal to an annotator",
            model.name,
            "refuted",
            f"{model.name} gives the same answers as annotator {copied!r} on all items of that "
            "annotator, whose votes it is compared with: its agreement with them says nothing.",
            "Compare predictions that were made without these votes, or leave out the votes of "
            "that annotator.",
        )
    ]


def _copied(found: PredictedVotes, model: Predictions) -> str | None:
    """Return the annotator whose votes the predictions are, if any.

    The chance that a person gives the model's answer on an item is the share of the others who do,
    with one more vote as usual.
    """
    ballots, totals = found.ballots, found.votes.sum(axis=1)
    if ballots is None:
        return None
    own = found.votes[np.arange(len(totals)), model.place]
    usual = float((own / totals).mean())
    answer = model.place[ballots.item]
    same = ballots.vote == answer
    for_it = own[ballots.item] - same
    with np.errstate(divide="ignore"):
        logs = np.log((for_it + usual) / totals[ballots.item])
    number = len(ballots.names)
    work = np.bincount(ballots.annotator, minlength=number)
    equal = np.bincount(ballots.annotator, same, number) == work
    chance = np.bincount(ballots.annotator, logs, number)
    caught = equal & (work > 0) & (chance < math.log(MADE / number))
    return ballots.names[int(np.argmax(caught))] if caught.any() else None


def remarks(model: Predictions) -> list[str]:
    """Say what else there is to know about predictions."""
    notes = []
    if model.unknown:
        number = sum(model.unknown.values())
        some = ", ".join(repr(one) for one in list(model.unknown)[:_NAMED])
        notes.append(
            f"{model.name} has an answer that nobody voted for on {counted(number, 'item')} "
            f"({some}), which counts as wrong."
        )
    if np.unique(model.place).size == 1:
        notes.append(f"{model.name} gives the same answer for all items.")
    return notes


_check = partial(Check, classes=ANY, any_sample=True)
RECORDS = (
    _check(
        name="gold label from the same votes",
        kinds=(ScoreTable.kind, VoteTable.kind),
        run=_from_votes,
        asks="Is the gold label only the majority of these votes?",
        false_alarm=MADE,
    ),
    _check(
        name="label as one more vote",
        kinds=(VoteTable.kind,),
        run=_agreement,
        asks="If the label counts as one more vote, does it agree with the votes as often as the "
        "votes agree with each other?",
        false_alarm=OTHER,
    ),
)
