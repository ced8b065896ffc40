"""How far an estimate can lie from the floor: the paper's bounds, and the exact bias of votes.

The plug-in estimate from m votes per item is never above the floor on average. Functions named
`..._bias_bound` limit how far below it can be, `exact_bias` says how far it is, and functions named
`..._deviation` limit the distance of an estimate from what it estimates with probability `level`;
those of balanced error and AUC are from the authors' next paper [3]_.
SciPy is loaded where it is used: its special functions take longer to import than NumPy.

References
----------
.. [1] R. Ushio, T. Ishida and M. Sugiyama, "Practical estimation of the optimal classification
   error with soft labels and calibration", ICLR 2026: "the paper" below.
.. [2] T. Ishida et al., "Is the performance of my deep network too good to be true?", ICLR 2023,
   arXiv:2202.00395.
.. [3] R. Ushio, T. Ishida and M. Sugiyama, "Bayes-optimal BER and AUC: estimation and evaluation of
   estimators", 2026.
"""

from errorfloor.bounds.bias import (
    BiasCurves,
    bias_curves,
    computable_bias_bound,
    exact_bias,
    expected_bias_bound,
    ishida_bias_bound,
    l_err,
    separated_bias_bound,
    sharp_bias_bound,
)
from errorfloor.bounds.deviation import (
    auc_deviation,
    balanced_error_deviation,
    isotonic_deviation,
    noisy_isotonic_deviation,
    soft_label_deviation,
    votes_deviation,
)

__all__ = [
    "BiasCurves",
    "auc_deviation",
    "balanced_error_deviation",
    "bias_curves",
    "computable_bias_bound",
    "exact_bias",
    "expected_bias_bound",
    "ishida_bias_bound",
    "isotonic_deviation",
    "l_err",
    "noisy_isotonic_deviation",
    "separated_bias_bound",
    "sharp_bias_bound",
    "soft_label_deviation",
    "votes_deviation",
]
