"""The map from scores to probabilities that a method fits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Unpack, overload

from errorfloor._checks import InputError
from errorfloor._keywords import record_of
from errorfloor.data.options import Reading
from errorfloor.data.tables import ScoreTable, Table
from errorfloor.methods.isotonic import ISOTONIC
from errorfloor.methods.record import Calibration, ClassCalibration, Clip, Method, Options
from errorfloor.questions.question import (
    Ask,
    Part,
    ScoreColumns,
    answer_of_scores,
    check_answerable,
    method_for,
    takes,
    where_in,
)
from errorfloor.questions.sampling import unweighted
from errorfloor.results import Groups


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrateAsk(Ask):
    """Which map from scores to probabilities is asked for."""

    gives_limits: ClassVar[bool] = False

    def methods_for(self, reading: Reading) -> tuple[Method, ...]:
        """Return the method whose map is asked for."""
        return (with_map(self.method, reading),)

    def ready(self, reading: Reading) -> Callable[[Table, Part], Any]:
        """Return what fits the map to a table."""
        (method,), options = self.methods_for(reading), self.options
        return lambda table, _: fit(table, method, options)


class _Options(ScoreColumns, total=False):
    method: str | None
    clip: Clip


@overload
def calibrate(
    scores: object, labels: object = None, *, group: None = None, **options: Unpack[_Options]
) -> Calibration | ClassCalibration: ...
@overload
def calibrate(
    scores: object, labels: object = None, *, group: str, **options: Unpack[_Options]
) -> Groups[Calibration | ClassCalibration]: ...
@takes(_Options, CalibrateAsk)
def calibrate(
    scores: object, labels: object = None, *, group: str | None = None, **options: Unpack[_Options]
) -> Any:
    """Fit a map from scores to probabilities of class 1, or of all classes where there are more.

    Parameters
    ----------
    scores : array-like of shape (n,) or (n, K), ScoreTable, dataframe or path
        Any finite numbers for isotonic, hist-K and platt; in [0, 1] for the others. Of more than
        two classes one score each: shares of each row's sum, or logits if any is below 0.
    labels : array-like of shape (n,), optional
        0 or 1 for each item, or one of the classes; left out when `scores` has them.
    score : str or sequence of str, optional
        Column of the scores, or one for each class; guessed where the names leave no doubt.
    label : str, optional
        Column of the labels; guessed likewise.
    positive : optional
        The label that means class 1; all others then mean class 0.
    positive_from : float, optional
        For ratings: numbers from here on mean class 1, in place of `positive`.
    classes : sequence of str, optional
        Names of all classes, in order, as in `from_scores`.
    group : str, optional
        Column of a dataframe or file: one answer for each of its values.
    drop_missing : bool
        Whether to leave out rows where something is missing, which are an error otherwise.
    method : str, optional
        corrupted (the identity), isotonic (the default), hist-K (K bins of equal mass), beta,
        beta-am, beta-ab, beta-a [1]_, platt [2]_ or platt-logit (Platt on log-odds). For more
        than two classes offsets (the default: one power of all scores and a weight for each
        class), temperature (the power alone), vector (a power for each class), ovr-isotonic or
        corrupted.
    clip : float or "auto"
        How far the beta family and platt-logit keep scores from 0 and 1. "auto" is half the
        smallest distance from 0 or 1 that is not itself zero, so exact zeros and ones become
        the most extreme scores, but not absurdly so.

    Returns
    -------
    Calibration or ClassCalibration
        Callable on new scores. With `group`, one for each of its values.

    References
    ----------
    .. [1] M. Kull, T. Silva Filho and P. Flach, "Beta calibration", AISTATS 2017.
    .. [2] J. Platt, "Probabilistic outputs for support vector machines", 1999.

    Examples
    --------
    >>> curve = calibrate([0.1, 0.2, 0.3, 0.4], [0, 1, 0, 1], method="isotonic")
    >>> curve([0.0, 0.1, 0.25, 0.9])
    array([0. , 0. , 0.5, 1. ])
    """
    ask = record_of(CalibrateAsk, options).checked(ScoreTable.kind)
    where = where_in(options, group)
    return answer_of_scores(scores, labels, where, ask, labelled=True)


def with_map(name: str | None, reading: Reading) -> Method:
    """Return the method of that name if it has a map, else say whose map to use.

    Without a name, the one whose map is shown for the default method.
    """
    chosen = method_for(name, reading)
    return that_maps(chosen if name is not None else method_for(chosen.shown_as, reading))


def that_maps(method: Method) -> Method:
    """Return a method that has a map, else say whose map to use."""
    if method.fit is None:
        raise InputError(
            f"`method` {method.name} corrects an estimate and has no map of its own. Use "
            f"method={method.shown_as!r} for the map."
        )
    return method


def fit(table: Table, method: Method, options: Options) -> Calibration | ClassCalibration:
    """Fit a method that has a map to a table."""
    if method is not ISOTONIC:
        table = unweighted(table, "calibrate")
    check_answerable(table, (method,))
    assert method.fit is not None
    return method.fit(table, options)
