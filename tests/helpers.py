"""What several tests need: methods by name, and answers to compare."""

from dataclasses import replace

import numpy as np

from errorfloor import methods
from errorfloor.datasets.catalogue import IN_PAPER
from errorfloor.datasets.dataset import Dataset
from errorfloor.datasets.synthetic import gaussian_mixture
from errorfloor.methods.record import Options


def bind(method, cells, *, clip="auto"):
    return methods.find(method).bind(cells, Options(clip))


def fit(table, method, *, clip):
    return methods.find(method).fit(table, Options(clip))


def best_cut_errors(cells, counts=None):
    """Return the fewest errors of any cut for each row of counts, by default the cells' own."""
    counts = cells.count[None] if counts is None else counts
    walk = np.cumsum(np.where(cells.positive, counts, -counts), axis=1)  # behind each cell
    return counts[:, ~cells.positive].sum(axis=1) + np.minimum(walk.min(axis=1), 0)


def answer(result):
    """Return what was found and how as plain values, but for where the labels came from."""
    aside = ("source", "seed", "findings", "warnings")  # rows tell more than counts
    return _without(result.to_dict(), aside)


def _without(value, aside):
    if isinstance(value, dict):
        return {key: _without(entry, aside) for key, entry in value.items() if key not in aside}
    return [_without(entry, aside) for entry in value] if isinstance(value, list) else value


def put_made_sets(monkeypatch, n, **mixture):
    """Put `n` made items each in the place of the papers' real sets."""

    def made(name):
        data = gaussian_mixture(n, rng=len(name), **mixture)
        return Dataset(
            name=name,
            scores=data.soft_labels.round(2),
            labels=data.labels,
            ids=np.arange(n).astype(np.str_),
            votes=None,
            targets=data.labels.astype(np.int64),
            classes=("0", "1"),
            positive=("1",),
            source="",
            licence="",
            citation="",
        )

    for name, real in IN_PAPER.items():
        monkeypatch.setitem(IN_PAPER, name, replace(real, load=lambda name=name: made(name)))
