"""Whether predictions are made from the votes that they are compared with."""

from __future__ import annotations

import math

import numpy as np

from errorfloor._numbers import counted
from errorfloor.checks.gold import ENOUGH, MADE, log_chance
from errorfloor.data.predicted_votes import PredictedVotes, Predictions
from errorfloor.data.tables import GoldVotes
from errorfloor.results.finding import Finding

_NAMED = 3  # answers that a note names


def leaks(found: PredictedVotes, model: Predictions) -> list[Finding]:
    """Find predictions that were made from the votes, or are those of one annotator.

    The best of all models agrees with the plurality on easy items. How probable it is that it does
    so on all of them follows from the margins of votes, as for gold labels next to votes.
    """
    votes = found.votes
    if (model.place < 0).any() or (votes.max(axis=1) == votes.sum(axis=1)).all():
        return []
    gold = GoldVotes.of(votes, model.place)
    leads = np.sort(gold.votes, axis=1)
    leads = leads[:, -1] - leads[:, -2]
    always = bool((gold.for_gold == gold.votes.max(axis=1)).all())
    if always and len(votes) >= ENOUGH and log_chance(gold, leads) < math.log(MADE):
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
