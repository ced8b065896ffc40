"""The likelihood where items of each total have a distribution of their own.

Some kinds of items get more votes than others. Then the pair (total, positives) of an item is one
draw from a sum of measures, one for each total, that add up to mass 1. A point is a total with a
probability, and a cell of another total has no chance there. What bounds the floor is as for one
distribution, with the worst case taken over all totals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from errorfloor._typing import Counts, Floats
from errorfloor.methods.votes.aims import Aim
from errorfloor.methods.votes.dual import OnPoints, region_limit, solve
from errorfloor.methods.votes.grid import binomial
from errorfloor.methods.votes.likelihood import Mixture, VoteLikelihood


class Part(OnPoints, Protocol):
    """How likely the cells of one total are at each of its points."""

    @property
    def matrix(self) -> Floats:
        """Chance of each cell at each point."""


@dataclass(frozen=True)
class Joint:
    """A kernel with points of its own for each total; see `dual.Kernel`."""

    parts: Sequence[Part]
    sizes: Floats  # share of the items in each part

    @property
    def n(self) -> float:
        """Number of items."""
        return sum(part.n for part in self.parts)

    @cached_property
    def share(self) -> Floats:
        """Share of the items in each cell."""
        return np.concatenate(
            [size * part.share for size, part in zip(self.sizes, self.parts, strict=True)]
        )

    @cached_property
    def within(self) -> Floats:
        """Share of each cell's total among the items of its grid: all of them."""
        return np.ones(self.share.size)

    @property
    def complete(self) -> bool:
        """Whether every pair of votes that could be has items."""
        return all(part.complete for part in self.parts)

    @cached_property
    def floor(self) -> Floats:
        """The floor at each point."""
        return np.concatenate([part.floor for part in self.parts])

    @cached_property
    def log_arcsine(self) -> Floats:
        """Logarithms of arcsine weights, each total's scaled by its share of the items."""
        logs = [part.log_arcsine for part in self.parts]
        return np.concatenate([one + np.log(w) for one, w in zip(logs, self.sizes, strict=True)])

    def polynomials(self, weights: Floats) -> Floats:
        """Return the sum of the cells' probabilities times weights, at each point."""
        pairs = zip(self.parts, self._of_cells(weights), strict=True)
        return np.concatenate([own @ part.matrix for part, own in pairs])

    def chances(self, density: Floats) -> Floats:
        """Return the probability of each cell under weights of the points."""
        pairs = zip(self.parts, self._of_points(density), strict=True)
        return np.concatenate([part.matrix @ own for part, own in pairs])

    def worst(self, weights: Floats, sign: float) -> float:
        """Bound the polynomials less sign times the floor from above, the worst of all totals."""
        pairs = zip(self.parts, self._of_cells(weights), strict=True)
        return max(part.worst(own, sign) for part, own in pairs)

    def newton_step(
        self,
        weights: Floats,
        density: Floats,
        gradient: Floats,
        expected: Floats,
        slope: float,
        bend: float,
        temperature: float,
    ) -> Floats:
        """Solve for the relative change of the weights; cells of two totals share no points."""
        hessian = -np.outer(expected, expected) / temperature
        hessian -= bend * np.outer(self.share, self.share)
        hessian[np.diag_indices_from(hessian)] += slope * self.share
        at = 0
        for part, v, own in zip(
            self.parts, self._of_cells(weights), self._of_points(density), strict=True
        ):
            rows = v[:, None] * part.matrix
            here = slice(at, at + v.size)
            hessian[here, here] += (rows * own) @ rows.T / temperature
            at += v.size
        return solve(hessian, gradient)

    @cached_property
    def _cuts(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Where the cells and the points of a total end and those of the next begin."""
        shapes = np.array([part.matrix.shape for part in self.parts])
        cells, points = np.cumsum(shapes, axis=0)[:-1].T
        return cells, points

    def _of_cells(self, values: Floats) -> list[Floats]:
        return np.split(values, self._cuts[0])

    def _of_points(self, values: Floats) -> list[Floats]:
        return np.split(values, self._cuts[1])


@dataclass(frozen=True)
class JointLikelihood(Joint):
    """The likelihood of a vote table with a grid for each total."""

    parts: tuple[VoteLikelihood, ...]

    @classmethod
    def on_grids(
        cls,
        positives: Counts,
        totals: Counts,
        counts: Counts | Floats,
        n_points: int,
        *,
        target: Aim,
    ) -> JointLikelihood:
        """Return the likelihood of votes, each total on a grid of its own."""
        chosen = [totals == total for total in np.unique(totals)]
        parts = tuple(
            VoteLikelihood.on_grid(
                positives[own], totals[own], counts[own], n_points, target=target, part=True
            )
            for own in chosen
        )
        return cls(parts, np.array([part.n for part in parts]) / float(counts.sum()))

    def fits(self, penalty: float) -> tuple[Mixture, ...]:
        """Fit each total apart."""
        return tuple(part.fit(penalty)[0] for part in self.parts)

    def lower_limit(
        self, sign: float, fits: tuple[Mixture, ...], choose: float, use: float
    ) -> float:
        """Bound sign times the mean floor over all that have a likelihood near the maximum."""
        fitted = np.concatenate(
            [
                size * (part.matrix @ fit.weights)
                for size, part, fit in zip(self.sizes, self.parts, fits, strict=True)
            ]
        )
        best = float(self.share @ np.log(fitted))
        return region_limit(self, sign, fitted, best, choose, use)

    def coin_flip_loss(self, fits: tuple[Mixture, ...]) -> float:
        """Return the mean log-likelihood that is lost if every item is as hard as can be."""
        lost = [part.coin_flip_loss(fit) for part, fit in zip(self.parts, fits, strict=True)]
        return float(self.sizes @ lost)

    def with_coin_flips(
        self, fits: tuple[Mixture, ...], choose: float, n_points: int
    ) -> JointLikelihood | None:
        """Return what is to be expected if items of some totals, as many as can be, are hardest.

        The hardest items of an error are coin flips. Those are within `choose` of the maximum.
        Votes on coin flips that lean to one side by chance would leave a floor of 1/2 too little
        room. None if no total can be coin flips.
        """
        pairs = zip(self.sizes, self.parts, fits, strict=True)
        lost = np.array([size * part.coin_flip_loss(fit) for size, part, fit in pairs])
        order = np.argsort(lost, kind="stable")
        coins = set(order[np.cumsum(lost[order]) <= choose].tolist())
        if not coins:
            return None
        cells = []
        for i, part in enumerate(self.parts):
            k, m, counts = part.positives, part.totals, part.n * part.share
            if i in coins:
                k = np.arange(int(m[0]) + 1)
                m = np.full(k.size, m[0])
                counts = part.n * binomial(k, m, np.array([self.parts[0].target.peak]))[:, 0]
                seen = counts > 1e-9 * part.n
                k, m, counts = k[seen], m[seen], counts[seen]
            cells.append((k, m, counts))
        k, m, counts = (np.concatenate(column) for column in zip(*cells, strict=True))
        return JointLikelihood.on_grids(k, m, counts, n_points, target=self.parts[0].target)
