"""Numbers and methods in words for people."""

from __future__ import annotations

from collections.abc import Iterable

PAPER = (
    'R. Ushio, T. Ishida and M. Sugiyama, "Practical estimation of the optimal classification '
    'error with soft labels and calibration", ICLR 2026.'
)
_ISHIDA = (
    'T. Ishida et al., "Is the performance of my deep network too good to be true?", ICLR 2023, '
    "arXiv:2202.00395."
)
_ISOTONIC = (
    'B. Zadrozny and C. Elkan, "Transforming classifier scores into accurate multiclass '
    'probability estimates", KDD 2002.'
)
_BINNING = (
    'B. Zadrozny and C. Elkan, "Obtaining calibrated probability estimates from decision trees '
    'and naive Bayesian classifiers", ICML 2001.'
)
_BETA = 'M. Kull, T. Silva Filho and P. Flach, "Beta calibration", AISTATS 2017.'
_PLATT = 'J. Platt, "Probabilistic outputs for support vector machines", 1999.'
_MIXTURE = (
    'J. Kiefer and J. Wolfowitz, "Consistency of the maximum likelihood estimator in the presence '
    'of infinitely many incidental parameters", Ann. Math. Statist. 27, 1956.'
)
_BOOTSTRAP = 'B. Efron and R. Tibshirani, "An Introduction to the Bootstrap", 1993.'
_BINOMIAL = (
    'C. Clopper and E. Pearson, "The use of confidence or fiducial limits illustrated in the case '
    'of the binomial", Biometrika 26, 1934.'
)
_BETTING = (
    'I. Waudby-Smith and A. Ramdas, "Estimating means of bounded random variables by betting", '
    "J. R. Stat. Soc. B 86, 2024."
)
_HOEFFDING = (
    'W. Hoeffding, "Probability inequalities for sums of bounded random variables", '
    "J. Am. Stat. Assoc. 58, 1963."
)
_LIMITS = (
    'N. Ignatiadis and S. Wager, "Confidence intervals for nonparametric empirical Bayes '
    'analysis", J. Am. Stat. Assoc. 117, 2022.'
)
_DIFFERENCE = (
    'G. Zou and A. Donner, "Construction of confidence limits about effect measures", '
    "Statistics in Medicine 27, 2008."
)

_MEAN = "The floor is the mean of min(p, 1 - p) over all items."
_LOGISTIC = "is fitted to the labels by logistic regression."
# What each method does, and where it comes from.
_METHODS = {
    "clean": (
        f"Each soft label is taken as the probability p of class 1. {_MEAN}",
        (_ISHIDA,),
    ),
    "corrupted": (
        f"Each score is taken as the probability p of class 1 as it is. {_MEAN}",
        (_ISHIDA,),
    ),
    "plugin": (
        f"The share of an item's positive votes stands in for its probability p. {_MEAN}",
        (_ISHIDA,),
    ),
    "mixture": (
        "The distribution of the items' probabilities is fitted to their votes by maximum "
        "likelihood, without assuming its shape. The floor is the mean of min(p, 1 - p) over it.",
        (_MIXTURE,),
    ),
    "isotonic": (
        "The labels calibrate the scores by isotonic regression: the rising curve of "
        f"probabilities p that fits them best. {_MEAN} That equals the share of labels that the "
        'best rule of the form "score above t" gets wrong.',
        (_ISOTONIC,),
    ),
    "isotonic-cf": (
        'The best rule of the form "score above t" errs too rarely on the items that chose it, and '
        "rules tried on items that did not choose them err too often. The floor is the midpoint of "
        "both, which removes most of the optimism of isotonic regression.",
        (_ISOTONIC,),
    ),
    "hist": (
        "Items are put into bins of equal size by score, and p is the share of positive labels "
        f"in an item's bin. {_MEAN}",
        (_BINNING,),
    ),
    "beta": (
        f"A beta calibration map from scores to probabilities p {_LOGISTIC} {_MEAN}",
        (_BETA,),
    ),
    "platt": (f"A sigmoid of the scores {_LOGISTIC} {_MEAN}", (_PLATT,)),
}

_NOISE_ONLY = (
    "They show how much the value would vary from one sample to the next, but not the bias of the "
    "method."
)
# What each interval promises, and where it comes from.
_INTERVALS = {
    "honest": (
        "The lower limit holds at any number of items. The upper one comes from ten-fold "
        "cross-fitting, against the optimism of the best cut; its coverage is measured by "
        "simulation, not proven.",
        (_BINOMIAL,),
    ),
    "certified": (
        "Both limits hold at any number of items, at the price of width.",
        (_BINOMIAL,),
    ),
    "likelihood": (
        "The interval holds the floors of all distributions that make the votes likely. It does "
        "not shrink to a point where few votes an item leave several floors open. Its coverage is "
        "measured by simulation; there is no proof for finite samples.",
        (_LIMITS,),
    ),
    "betting": (
        "Both limits hold at any number of items and for any distribution of what is averaged.",
        (_BETTING,),
    ),
    "hoeffding": (
        "Both limits hold at any number of items and for any distribution of what is averaged, "
        "and are wide.",
        (_HOEFFDING,),
    ),
    "bca": (
        f"The limits come from a bias-corrected bootstrap of the items. {_NOISE_ONLY}",
        (_BOOTSTRAP,),
    ),
    "basic": (f"The limits come from a bootstrap of the items. {_NOISE_ONLY}", (_BOOTSTRAP,)),
    "percentile": (f"The limits come from a bootstrap of the items. {_NOISE_ONLY}", (_BOOTSTRAP,)),
}


def method_in_words(method: str) -> str:
    """Return what a method does."""
    return _METHODS[_family(method)][0]


def interval_in_words(interval: str | None) -> str:
    """Return what an interval promises."""
    if interval is None:
        return "No interval was asked for: how sure the value is remains open."
    return _INTERVALS[interval][0]


def references(methods: Iterable[str], intervals: Iterable[str | None], verdict: bool) -> list[str]:
    """Return where methods and intervals come from, the paper first and each once."""
    found = [PAPER]
    for method in methods:
        found += _METHODS[_family(method)][1]
    for interval in intervals:
        found += _INTERVALS[interval][1] if interval else ()
    found += [_DIFFERENCE] if verdict else []
    return list(dict.fromkeys(found))


def percent(fraction: float, digits: int = 2) -> str:
    """Return a fraction in per cent.

    Examples
    --------
    >>> percent(0.07401), percent(0.5, 1)
    ('7.40 %', '50.0 %')
    """
    return f"{100 * fraction:.{digits}f} %"


def points(difference: float, digits: int = 2) -> str:
    """Return a difference of fractions in percentage points, with its sign."""
    return f"{100 * difference:+.{digits}f} points".replace("-", "\N{MINUS SIGN}")


def counted(number: int, thing: str) -> str:
    """Return a number of things.

    Examples
    --------
    >>> counted(1, "item"), counted(12000, "item")
    ('1 item', '12,000 items')
    """
    return f"{number:,} {thing}" + ("" if number == 1 else "s")


def _family(method: str) -> str:
    if method in _METHODS:
        return method
    return method.split("-")[0]
