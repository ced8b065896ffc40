"""Ceilings and floors of ratings in words."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from errorfloor._numbers import counted
from errorfloor.intervals.ratings import CERTIFIED, JACKKNIFE, PUBLISHED
from errorfloor.metrics.variances import DIFFERENCE, RATIO
from errorfloor.results.verdict import SATURATED
from errorfloor.show.standings import is_small

if TYPE_CHECKING:
    from errorfloor.results import RatingsEstimate, Verdict
    from errorfloor.results.verdict import Reached

METHOD = (
    "The variance of ratings has two parts: that of the items' true scores (signal), and that of a "
    "rating about its item's true score (noise). Two ratings per item tell them apart; where the "
    "same people rate several items, pairs of ratings of one item, of one rater and of neither do. "
    "The share of signal is the ceiling of R2, its square root that of correlations, concordance "
    "and QWK, and the noise is the least mean squared error."
)
PROMISES = {
    JACKKNIFE: "Limits are from leaving out items one at a time, on a logarithmic scale, with "
    "allowances for what few items hide. They cover as stated in simulations (documentation, "
    "coverage of ratings), and are too narrow where a few items have far larger scores than all "
    "others.",
    CERTIFIED: "The limits hold with at least this probability for any number of items and any "
    "distribution of ratings on the scale.",
    PUBLISHED: "Limits are those of a correlation, by Fisher's z. They hold if ratings are "
    "roughly normal, and are too narrow for skewed ones.",
}
REFERENCES = (
    "P. Shrout and J. Fleiss, Intraclass correlations: uses in assessing rater reliability. "
    "Psychological Bulletin 86, 1979.",
    "L. Lin, A concordance correlation coefficient to evaluate reproducibility. Biometrics 45, "
    "1989.",
    "E. Fieller, Some problems in interval estimation. J. R. Stat. Soc. B 16, 1954.",
    "I. Waudby-Smith and A. Ramdas, Estimating means of bounded random variables by betting. "
    "J. R. Stat. Soc. B 86, 2024.",
)


def number(value: float, width: float, least: int = 2) -> str:
    """Return a number with as many digits as an interval of that width supports.

    Examples
    --------
    >>> number(0.6123, 0.04), number(0.6123, 0.004), number(123.4, 30.0, 0)
    ('0.61', '0.612', '123')
    """
    return f"{value:.{_places(width, least)}f}"


def _places(width: float, least: int) -> int:
    return min(least if width <= 0 else max(least, math.ceil(-math.log10(width))), 6)


def places(found: RatingsEstimate) -> int:
    """Return how many digits behind the point an answer has in its sentence."""
    return _places(*_digits(found))


def _digits(found: RatingsEstimate) -> tuple[float, int]:
    """Return the width of the interval, and how many digits there are at least."""
    low, high = found.low, found.high
    width = 0.0 if low is None or high is None else high - low
    if found.measure.is_fraction:
        return width, 2
    size = max(found.value, high or 0.0, 1e-12)
    return width, min(max(2 - math.floor(math.log10(size)), 0), 6)


def _with_limits(found: RatingsEstimate, more: str = "") -> str:
    width, least = _digits(found)
    value = number(found.value, width, least)
    if found.low is None or found.high is None:
        return value
    limits = f"{number(found.low, width, least)} to {number(found.high, width, least)}"
    return f"{value} ({limits}{more})"


def sentence(found: RatingsEstimate) -> str:
    """Return the answer in a sentence or two."""
    if not found.ratings:
        return _of_published(found)
    metric = found.measure
    best = "least" if metric.less_is_better else "best"
    if metric.how.of == DIFFERENCE:
        return _of_differences(found)
    the = (
        f"the {best} possible {metric.words} against {found.target} is about {_with_limits(found)}"
    )
    if metric.how.of == RATIO and not found.has_signal:
        if found.may_have_signal:
            return f"{found.too_few} too few to show that there is a signal: {the}."
        return f"The ratings show no signal: {the}."
    grades = found.whole_grades
    whole = "" if grades is None else f", and {grades:.2f} for a model that gives whole grades"
    if found.columns_differ:  # which the same people in each row would explain
        the = f"if each rating is by another person, {the}"
    opening = f"{the[:1].upper()}{the[1:]}{whole}."
    if metric.how.of != RATIO or found.label != "one":
        return opening
    pair = "the two raters" if found.raters == 2 else "two people"
    if metric.name == "r2":
        gives = number(found.icc**2, 0.0)
        return f"{opening} Predicting from one other person's rating gives an R2 of {gives}."
    return f"{opening} The {metric.words} between {pair} is {number(found.value**2, 0.0)}."


def _of_published(found: RatingsEstimate) -> str:
    metric = found.measure
    given, value = found.options["given"], float(found.options["agreement"])
    name = {"icc": "ICC", "qwk": "QWK", "pearson": "correlation"}[given]
    if found.interval is None:
        opening = f"{number(found.value, 0.0)}; how sure that is depends on the number of items (n)"
    else:
        opening = _with_limits(found, ", if ratings are roughly normal")
    if metric.name == "r2":  # whose ceiling is the same number
        best = number(math.sqrt(found.value), 0.0)
        article = "An" if name == "ICC" else "A"
        return (
            f"{article} {name} of {value:.2f} between two people means a best possible R2 of "
            f"{opening}, and a best possible correlation of {best}."
        )
    own = "" if given == found.metric else f" ({name})"
    return (
        f"Agreement of {value:.2f}{own} between two people is not a ceiling: the best possible "
        f"{metric.words} is {opening}."
    )


def _of_differences(found: RatingsEstimate) -> str:
    width, least = _digits(found)
    about = f"about {number(found.value, width, least)} if ratings are roughly normal"
    if found.low is None or found.high is None:
        return f"The least possible MAE against {found.target} is {about}."
    ends = f"{number(found.low, width, least)} and {number(found.high, width, least)}"
    return f"The least possible MAE against {found.target} is between {ends}, {about}."


_STANDS = {
    "room": "Your model can improve.",
    "saturated": "Your model may be at the limit: {} too few to tell.",
    "beyond": "That looks too good to be true: check whether it has seen these ratings.",
}


def stands_of(result: Verdict) -> str:
    """Return where a model stands next to ratings."""
    if result.verdict == SATURATED and is_small(result):
        return "Your model is at the limit."
    return _STANDS[result.verdict].format(
        f"{counted(result.n, 'item')} {'is' if result.n == 1 else 'are'}"
    )


def sentence_of_verdict(result: Verdict) -> str:
    """Return where a model stands in a sentence or two."""
    floor: Any = result.floor
    metric = floor.measure
    width, least = _digits(floor)
    value = number(result.model_value, width, least)
    stands = stands_of(result)
    head = f"Your model's {metric.words} against {floor.target} is {value}"
    share, worth = result.share, result.worth
    if share is None:
        return f"{head}. {_of_differences(floor)} {stands}"
    known = worth is not None and not (math.isinf(worth.value) and worth.low < 0.05)
    people = (
        f", as good as the mean rating of {_people(worth)}" if worth is not None and known else ""
    )
    limits = _range(share, 100.0, " %", 0)
    if metric.less_is_better:
        head = f"{head}; the least possible is {_with_limits(floor)}. It explains"
        return f"{head} {_per_cent(share)} of what any model can{limits}{people}. {stands}"
    return f"{head}: {_per_cent(share)} of the ceiling{limits}{people}. {stands}"


def _per_cent(share: Reached) -> str:
    if math.isinf(share.value):
        return "an unknown part"
    return f"{100 * share.value:.0f} %"


def _range(reached: Reached, factor: float, unit: str, digits: int) -> str:
    low = f"{factor * reached.low:.{digits}f}"
    if math.isinf(reached.high):
        return f" (at least {low}{unit}; no upper limit)"
    return f" ({low} to {factor * reached.high:.{digits}f}{unit})"


def _people(worth: Reached) -> str:
    digits = 1 if worth.low < 20 else 0
    if math.isinf(worth.value):
        return f"more than {worth.low:,.{digits}f} people"
    one = f"{worth.value:,.{digits}f}"
    return f"{one} {'person' if one == '1.0' else 'people'}{_range(worth, 1.0, '', digits)}"


def _about_icc(found: RatingsEstimate) -> str:
    """Say what the ICC is next to a ceiling: for R2 of one more rating it is the ceiling itself."""
    metric = found.measure
    if metric.how.of != RATIO:
        return ""
    if metric.name == "r2" and found.label == "one":
        return " For R2 against one more rating, the ICC is the best possible value."
    return (
        " The ICC says how well two ratings of one item agree; a model can agree with a rating "
        "better than that."
    )


def more_about(found: RatingsEstimate) -> Iterator[str]:
    """Yield what the answer was made from."""
    if not found.ratings:
        return
    by = f" by {counted(found.raters, 'rater')}" if found.raters else ""
    yield (
        f"ICC {found.icc:.3f}: signal variance {found.signal:.4g}, noise variance "
        f"{found.noise:.4g}, from {counted(found.ratings, 'rating')}{by} of "
        f"{counted(found.n, 'item')}.{_about_icc(found)}"
    )


def of_whole_grades(found: RatingsEstimate) -> str:
    """Say what a model of whole grades reaches, where ratings are whole."""
    if found.whole_grades is None:
        return ""
    return f"A model that gives whole grades reaches about {found.whole_grades:.2f} at best."
