"""Numbers as people read them: fractions in per cent, differences in points, counts and p-values.

Everything inside the package is a fraction; here is the one place where that changes. `Style` does
the same for any metric, also for those that people state as plain numbers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

_MOST_DIGITS = 4  # of a percentage that anybody reads
_LEAST_P = 0.001  # of p-values; what is less is not told apart


def level(fraction: float) -> str:
    """Return a confidence level in per cent, with the digits that it has.

    Examples
    --------
    >>> level(0.95), level(0.975)
    ('95 %', '97.5 %')
    """
    return f"{100 * fraction:g} %"


def digits_of_size(width: float, least: float) -> int:
    """Return how many digits of a percentage an interval of that width leaves any meaning.

    `least` is a size that must not be rounded to nothing, unless it is nothing.

    Examples
    --------
    >>> digits_of_size(0.0136, 0.07), digits_of_size(0.12, 0.07), digits_of_size(0.001, 0.07)
    (1, 0, 2)
    >>> digits_of_size(0.0136, 0.0002)
    2
    """
    needed = 0 if width >= 0.1 else 1
    while needed < _MOST_DIGITS and width * 100 < 2 * 10.0**-needed:
        needed += 1
    seen = 100 * abs(least) >= 10.0**-_MOST_DIGITS  # what is smaller is nothing to anybody
    while seen and 100 * abs(least) < 10.0**-needed:
        needed += 1
    return needed


def counted(number: int, thing: str) -> str:
    """Return a number of things.

    Examples
    --------
    >>> counted(1, "item"), counted(12000, "item")
    ('1 item', '12,000 items')
    """
    return f"{number:,} {thing}" + ("" if number == 1 else "s")


def short(number: float) -> str:
    """Return a number with thousands as k and millions as M.

    Examples
    --------
    >>> short(250), short(12_500), short(2e6)
    ('250', '12.5k', '2M')
    """
    for unit, letter in ((1e6, "M"), (1e3, "k")):
        if number >= unit:
            return f"{number / unit:.3g}{letter}"
    return f"{number:.3g}"


def p_value(p: float) -> str:
    """Return a p-value with the digits that anybody reads.

    Examples
    --------
    >>> p_value(0.0123), p_value(1e-9), p_value(1.0)
    ('0.012', 'below 0.001', '1.00')
    """
    if p < _LEAST_P:
        return f"below {_LEAST_P}"
    return f"{p:.{3 if p < 0.0995 else 2}f}"


def p_equals(p: float) -> str:
    """Return a p-value as it stands in a sentence.

    Examples
    --------
    >>> p_equals(0.0123), p_equals(1e-9), p_equals(1.0)
    ('p = 0.012', 'p < 0.001', 'p = 1.00')
    """
    return f"p < {_LEAST_P}" if p < _LEAST_P else f"p = {p_value(p)}"


@dataclass(frozen=True, slots=True)
class Style:
    """How people state values of a metric: in per cent, or as plain numbers.

    Digits are those of a percentage; a plain number has two more.

    Attributes
    ----------
    in_per_cent : bool
    unit : str
        What stands behind a plain number, as in nats.
    decades : int
        How many digits fewer a plain number has because it is large.

    Examples
    --------
    >>> error, auc, loss = Style(), Style(in_per_cent=False), Style(False, "nats")
    >>> error.value(0.074), auc.value(0.94315, 1), loss.value(0.31212)
    ('7.40 %', '0.943', '0.3121 nats')
    >>> error.points(0.024), auc.points(0.024), auc.signed(-0.024)
    ('+2.40 points', '+0.0240', '-0.0240')
    >>> error.size(-0.001), error.size_in_short(0.05), error.size_in_short(0.01)
    ('0.10 points', '5 points', '1 point')
    >>> error.range_of(0.07, 0.08, 1), loss.range_of(0.3, 0.32, 1), auc.range_of(0.9, 0.95)
    ('7.0 to 8.0 %', '0.300 to 0.320 nats', '0.9000 to 0.9500')
    >>> Style(in_per_cent=False, decades=2).value(23.4567)
    '23.46'
    >>> error.at_least(0.6478, 0), error.at_most(0.3511, 0), auc.at_least(0.5)
    ('at least 64 %', 'at most 36 %', 'at least 0.5000')
    """

    in_per_cent: bool = True
    unit: str = ""
    decades: int = 0

    @property
    def factor(self) -> float:
        """By what a value is multiplied where it is drawn."""
        return 100.0 if self.in_per_cent else 1.0

    @property
    def sign(self) -> str:
        """What is written behind the name of an axis, with a comma before it."""
        name = "%" if self.in_per_cent else self.unit
        return f", {name}" if name else ""

    @property
    def of_points(self) -> str:
        """What differences are counted in, with a blank before it."""
        name = "points" if self.in_per_cent else self.unit
        return f" {name}" if name else ""

    def value(self, value: float, digits: int = 2) -> str:
        """Return a value with its sign or unit."""
        sign = " %" if self.in_per_cent else self.of_points
        return f"{self.bare(value, digits)}{sign}"

    def at_least(self, value: float, digits: int = 2) -> str:
        """Return "at least" and a bound that is rounded down, so that no digit overstates it."""
        return f"at least {self.value(self.down(value, digits), digits)}"

    def at_most(self, value: float, digits: int = 2) -> str:
        """Return "at most" and a bound that is rounded up."""
        return f"at most {self.value(self.up(value, digits), digits)}"

    def down(self, value: float, digits: int) -> float:
        """Return the largest number of so many digits that is not above a value."""
        unit = self.factor * 10.0 ** self._places(digits)
        return math.floor(round(unit * value, 6)) / unit  # whatever its last bits are

    def up(self, value: float, digits: int) -> float:
        """Return the smallest number of so many digits that is not below a value."""
        return -self.down(-value, digits)

    def bare(self, value: float, digits: int = 2) -> str:
        """Return a value, or the size of a difference, without sign and unit."""
        return f"{self.factor * value:.{self._places(digits)}f}"

    def range_of(self, low: float, high: float, digits: int = 2) -> str:
        """Return an interval with the sign or unit once."""
        return f"{self.bare(low, digits)} to {self.value(high, digits)}"

    def points(self, difference: float, digits: int = 2) -> str:
        """Return a difference with its sign and unit."""
        number = f"{self.factor * difference:+.{self._places(digits)}f}{self.of_points}"
        return number.replace("-", "\N{MINUS SIGN}")

    def signed(self, difference: float, digits: int = 2) -> str:
        """Return a difference, the bare number with its sign; none for what rounds to 0."""
        number = f"{self.factor * difference:+.{self._places(digits)}f}"
        return number if float(number) else number[1:]

    def size(self, size: float, digits: int = 2) -> str:
        """Return how large a difference is, with its unit."""
        return f"{self.bare(abs(size), digits)}{self.of_points}"

    def size_in_short(self, size: float) -> str:
        """Return the same with no more digits than it needs."""
        number = f"{self.factor * size:.3g}"
        return f"{number}{' point' if self.in_per_cent and number == '1' else self.of_points}"

    def digits(self, width: float, least: float) -> int:
        """Return how many digits an interval of that width leaves any meaning."""
        scale = 1.0 if self.in_per_cent else 10.0**-self.decades
        return digits_of_size(width * scale, least * scale)

    def _places(self, digits: int) -> int:
        return digits if self.in_per_cent else max(digits + 2 - self.decades, 0)


_FRACTIONS = Style()
per_cent, range_of = _FRACTIONS.value, _FRACTIONS.range_of
points, points_of_size = _FRACTIONS.points, _FRACTIONS.size
