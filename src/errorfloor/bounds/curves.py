"""The bounds on the bias of vote shares, side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from errorfloor._typing import Counts, Floats
from errorfloor.bounds.arguments import as_fractions, as_whole
from errorfloor.bounds.bias import (
    computable_bias_bound,
    exact_bias,
    ishida_bias_bound,
    sharp_bias_bound,
)
from errorfloor.data.tables import VoteTable
from errorfloor.results import VotesEstimate


def bias_curves(
    votes: object = None,
    *,
    model_error: float | None = None,
    estimate: VotesEstimate | None = None,
    n: int | None = None,
) -> BiasCurves:
    """Lay the bounds on the plug-in's bias side by side, for any numbers of votes.

    Parameters
    ----------
    votes : array-like of int, optional
        Numbers of votes per item. By default from 1 to 100, or to twice as many as the estimate
        has if that is more, denser at the beginning.
    model_error : float, optional
        An upper limit of the floor; see `computable_bias_bound`. By default the upper limit of
        the estimate's interval or, without one, 0.5, which every floor satisfies.
    estimate : VotesEstimate, optional
        Adds the exact bias at the distribution fitted to its votes.
    n : int, optional
        Number of items, for the Ishida bound; by default those of the estimate.

    Returns
    -------
    BiasCurves
        What `errorfloor.plot.bias_bounds` draws.

    Examples
    --------
    >>> bias_curves([10, 50], model_error=0.05).sharp.round(4)
    array([0.0123, 0.0056])
    """
    if estimate is not None and not isinstance(estimate, VotesEstimate):
        raise ValueError(
            f"`estimate` must be a VotesEstimate, got {type(estimate).__name__}. "
            "Pass what from_votes returned."
        )
    if model_error is None:
        model_error = 0.5 if estimate is None or estimate.high is None else estimate.high
    fitted = None if estimate is None else estimate.mixture
    items = n if n is not None or estimate is None else estimate.n
    m = np.unique(as_whole(_usual_votes(estimate) if votes is None else votes, "votes"))
    exact = None
    if fitted is not None:
        exact = np.array([-exact_bias(fitted.points, k, weights=fitted.weights) for k in m]) + 0.0
    return BiasCurves(
        votes=m,
        model_error=float(as_fractions(model_error, "model_error")),
        n=items,
        computable=computable_bias_bound(model_error, m),
        sharp=sharp_bias_bound(model_error, m),
        ishida=None if items is None else ishida_bias_bound(items, m),
        exact=exact,
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BiasCurves:
    """How far below the floor the plug-in can be on average, for each number of votes.

    Attributes
    ----------
    votes : array of shape (v,)
        Numbers of votes per item, ascending.
    model_error : float
        The upper limit of the floor that `computable` and `sharp` go by.
    n : int or None
        Number of items that `ishida` goes by.
    computable, sharp, ishida : array of shape (v,)
        The bounds of these names; `ishida` is None without a number of items.
    exact : array of shape (v,) or None
        The size of the bias at the distribution behind an estimate's votes.
    """

    votes: Counts
    model_error: float
    n: int | None
    computable: Floats
    sharp: Floats
    ishida: Floats | None
    exact: Floats | None

    def to_dict(self) -> dict[str, Any]:
        """Return the curves as plain values, ready for JSON."""
        names = ("votes", "computable", "sharp", "ishida", "exact")
        curves = {name: getattr(self, name) for name in names}
        return {
            "model_error": self.model_error,
            "n": self.n,
            **{name: None if curve is None else curve.tolist() for name, curve in curves.items()},
        }


def _usual_votes(estimate: VotesEstimate | None) -> Counts:
    most = 100
    if estimate is not None and isinstance(estimate.table, VoteTable):
        most = max(most, 2 * int(estimate.table.totals.max()))
    return np.unique(np.geomspace(1, most, 80).round().astype(np.int64))
