"""The alternative annotator test: whether a model may take the place of an annotator.

Each annotator is left out in turn. On each item of that person the answers of the model and of
the person are compared by how many of the others gave them. The model wins against an annotator
if it is not worse by more than epsilon, by a t-test, corrected for the number of annotators
(Benjamini and Yekutieli). Ties count for both sides.

References
----------
N. Calderon, R. Reichart and R. Dror, "The alternative annotator test for LLM-as-a-judge", ACL 2025.
"""

from __future__ import annotations

import numpy as np

from errorfloor._typing import Counts, Floats
from errorfloor.data.ballots import Ballots
from errorfloor.results.people import AltTest

EPSILON = 0.2
_FEWEST_PEOPLE, _FEWEST_ITEMS = 2, 30  # on an item, and of an annotator
_FALSE_DISCOVERIES = 0.05


def alt_test(
    ballots: Ballots, place: Counts, name: str, epsilon: float = EPSILON
) -> AltTest | None:
    """Return the test of one model; None where no annotator has enough items.

    Parameters
    ----------
    ballots : Ballots
        Single votes with their annotators.
    place : array of shape (n,)
        The model's answer for each item, as the place of a class; -1 for none of them.
    name : str
        Of the model.
    epsilon : float
        By how much an annotator may be better, because people cost more.
    """
    p_values, wins = [], []
    counts, totals = ballots.counts, ballots.totals
    for one in range(len(ballots.names)):
        own = np.flatnonzero(ballots.annotator == one)
        own = own[totals[ballots.item[own]] >= _FEWEST_PEOPLE]
        if own.size < _FEWEST_ITEMS:
            continue
        item, vote = ballots.item[own], ballots.vote[own]
        human = counts[item, vote] - 1
        answer = place[item]
        model = np.where(answer >= 0, counts[item, answer] - (answer == vote), 0)
        wins.append(float((model >= human).mean()))
        worse = np.sign(human - model).astype(np.float64)
        p_values.append(_p_below(worse, epsilon))
    if not wins:
        return None
    rejected = by_yekutieli(np.array(p_values), _FALSE_DISCOVERIES)
    return AltTest(name, rejected / len(wins), float(np.mean(wins)), len(wins))


def _p_below(values: Floats, limit: float) -> float:
    """Return the p-value of a mean of at least `limit`, by a t-test."""
    from scipy.special import stdtr

    error = values.std(ddof=1) / np.sqrt(values.size)
    if error == 0:
        return 0.0 if values.mean() < limit else 1.0
    return float(stdtr(values.size - 1, (values.mean() - limit) / error))


def by_yekutieli(p_values: Floats, rate: float) -> int:
    """Return how many hypotheses are rejected, with false ones at this rate at most."""
    number = p_values.size
    rank = np.arange(1, number + 1)
    limits = rank / number * rate / (1 / rank).sum()
    below = np.flatnonzero(np.sort(p_values) <= limits)
    return int(below[-1] + 1) if below.size else 0
