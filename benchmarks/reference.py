"""The stack we are measured against: the paper's libraries, used as the paper uses them."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Calibrator = Callable[[Floats, Floats], Floats]


def isotonic(scores: Floats, labels: Floats) -> Floats:
    """Calibrate with scikit-learn's isotonic regression."""
    from sklearn.isotonic import IsotonicRegression

    model = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip")
    return np.asarray(model.fit(scores, labels).predict(scores))


def histogram(bins: int, scores: Floats, labels: Floats) -> Floats:
    """Calibrate with uncertainty-calibration's uniform-mass bins."""
    import calibration

    model = calibration.HistogramCalibrator(len(scores), bins)
    model.train_calibration(scores, labels)
    return np.asarray(model.calibrate(scores))


def beta(parameters: str, scores: Floats, labels: Floats) -> Floats:
    """Calibrate with betacal, which silences all warnings: put the filters back."""
    from betacal import BetaCalibration

    with warnings.catch_warnings():
        model = BetaCalibration(parameters).fit(scores, labels)
    return np.asarray(model.predict(scores))


def platt(scores: Floats, labels: Floats) -> Floats:
    """Calibrate with scikit-learn's sigmoid."""
    from sklearn.calibration import _SigmoidCalibration

    return np.asarray(_SigmoidCalibration().fit(scores, labels).predict(scores))


CALIBRATORS: dict[str, Calibrator] = {
    "isotonic": isotonic,
    "hist-10": partial(histogram, 10),
    "hist-25": partial(histogram, 25),
    "hist-50": partial(histogram, 50),
    "hist-100": partial(histogram, 100),
    "beta": partial(beta, "abm"),
    "beta-am": partial(beta, "am"),
    "beta-ab": partial(beta, "ab"),
    "beta-a": partial(beta, "a"),
    "platt": platt,
}


def floor(method: str, scores: Floats, labels: Floats) -> float:
    """Return the plug-in floor after calibration by the reference."""
    prob = CALIBRATORS[method](scores, labels)
    return float(np.minimum(prob, 1 - prob).mean())
