"""Small data with many ties."""

import numpy as np
from hypothesis import strategies as st

from errorfloor import ScoreTable, VoteTable


@st.composite
def labelled_scores(draw, *, max_size=40, both_classes=False):
    """Scores on a coarse grid of [0, 1] with labels."""
    n = draw(st.integers(2 if both_classes else 1, max_size))
    steps = draw(st.integers(1, 12))
    scores = np.array(draw(st.lists(st.integers(0, steps), min_size=n, max_size=n))) / steps
    labels = np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    if both_classes:
        labels[:2] = False, True
    return scores, labels


@st.composite
def score_tables(draw, **options):
    return ScoreTable.from_arrays(*draw(labelled_scores(**options)))


@st.composite
def votes(draw):
    totals = np.array(draw(st.lists(st.integers(1, 5), min_size=1, max_size=20)))
    positives = np.array([draw(st.integers(0, int(total))) for total in totals])
    return positives, totals


@st.composite
def vote_tables(draw):
    return VoteTable.from_arrays(*draw(votes()))
