"""What labels that are redrawn at random do to the best value of a metric, where that is known.

Labels of two classes: with probability `noise` a label is replaced by one that is 1 with
probability `mean`. The share of class 1 moves from `share` towards `mean`, and so does each item's
probability. What every rule and every order of the items tells about the labels shrinks by the same
factor, whatever the data are.
"""

from __future__ import annotations

from typing import Any

from errorfloor import metrics

MEANS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)  # over which Ushio et al. (2026) average


def known() -> tuple[str, ...]:
    """Return the names of the metrics whose values under noise are known.

    Of error it is known where labels are redrawn by a fair coin, and not by another one.
    """
    every = ((one.name, one.of_model) for one in metrics.METRICS)
    return tuple(name for name, kind in every if kind is not None and kind.follows_noise)


def share_after(share: Any, noise: Any, mean: Any) -> Any:
    """Return the share of class 1 after labels were redrawn."""
    return (1 - noise) * share + noise * mean


def kept_after(share: Any, noise: Any, mean: Any) -> Any:
    """Return what noise leaves of the distance of balanced error, or AUC, from 1/2.

    Both are 1/2 less, or plus, a covariance with the label over twice the label's variance. Noise
    takes the covariance down by the factor ``1 - noise``, and the variance is that of its new
    share.
    """
    new = share_after(share, noise, mean)
    return (1 - noise) * share * (1 - share) / (new * (1 - new))


def value_after(value: Any, share: Any, noise: Any, mean: Any) -> Any:
    """Return what a balanced error or an AUC becomes: of the best model, and of any other.

    That is F(value) of Ushio, Ishida and Sugiyama (2026) for balanced error, and 1 - F(1 - value)
    for AUC: the same straight line through (1/2, 1/2).

    Examples
    --------
    >>> round(value_after(0.1, 0.2, 0.5, 0.5), 4), round(value_after(0.9, 0.2, 0.5, 0.5), 4)
    (0.3593, 0.6407)
    """
    return 0.5 + kept_after(share, noise, mean) * (value - 0.5)
