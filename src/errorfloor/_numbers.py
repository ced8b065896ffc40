"""Numbers as people read them: fractions in per cent, differences in points, counts and p-values.

Everything inside the package is a fraction; here is the one place where that changes.
"""

from __future__ import annotations

_MOST_DIGITS = 4  # of a percentage that anybody reads


def per_cent(fraction: float, digits: int = 2) -> str:
    """Return a fraction in per cent.

    Examples
    --------
    >>> per_cent(0.07401), per_cent(0.5, 1)
    ('7.40 %', '50.0 %')
    """
    return f"{100 * fraction:.{digits}f} %"


def level(fraction: float) -> str:
    """Return a confidence level in per cent, with the digits that it has.

    Examples
    --------
    >>> level(0.95), level(0.975)
    ('95 %', '97.5 %')
    """
    return f"{100 * fraction:g} %"


def limits(low: float, high: float, digits: int = 2) -> str:
    """Return an interval in per cent.

    Examples
    --------
    >>> limits(0.065, 0.0814)
    '6.50 % to 8.14 %'
    """
    return f"{per_cent(low, digits)} to {per_cent(high, digits)}"


def range_of(low: float, high: float, digits: int = 2) -> str:
    """Return an interval in per cent, with the sign once.

    Examples
    --------
    >>> range_of(0.9175, 0.9311, 1)
    '91.8 to 93.1 %'
    """
    return f"{100 * low:.{digits}f} to {per_cent(high, digits)}"


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


def points(difference: float, digits: int = 2) -> str:
    """Return a difference of fractions in percentage points, with its sign.

    Examples
    --------
    >>> points(0.024)
    '+2.40 points'
    """
    return f"{100 * difference:+.{digits}f} points".replace("-", "\N{MINUS SIGN}")


def signed(difference: float) -> str:
    """Return a difference of fractions in percentage points, the bare number with its sign.

    Examples
    --------
    >>> signed(0.024), signed(-0.001)
    ('+2.40', '-0.10')
    """
    return f"{100 * difference:+.2f}"


def unsigned(size: float) -> str:
    """Return how large a difference of fractions is in percentage points, the bare number.

    Examples
    --------
    >>> unsigned(0.024), unsigned(-0.001)
    ('2.40', '0.10')
    """
    return f"{100 * abs(size):.2f}"


def points_of_size(size: float) -> str:
    """Return how large a difference of fractions is, in percentage points.

    Examples
    --------
    >>> points_of_size(0.024)
    '2.40 points'
    """
    return f"{unsigned(size)} points"


def points_in_short(size: float) -> str:
    """Return the same with no more digits than it needs.

    Examples
    --------
    >>> points_in_short(0.05), points_in_short(0.01)
    ('5 points', '1 point')
    """
    number = f"{100 * size:.3g}"
    return f"{number} point" if number == "1" else f"{number} points"


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
    """Return a p-value with four digits.

    Examples
    --------
    >>> p_value(0.0123), p_value(1e-9)
    ('0.0123', 'below 0.0001')
    """
    return "below 0.0001" if p < 0.0001 else f"{p:.4f}"


def p_equals(p: float) -> str:
    """Return a p-value as it stands in a sentence.

    Examples
    --------
    >>> p_equals(0.0123), p_equals(1e-9)
    ('p = 0.012', 'p < 0.001')
    """
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"
