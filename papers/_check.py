"""A published number next to ours, and whether the two agree."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

LIMIT = 3  # standard deviations


@dataclass(frozen=True, slots=True)
class Check:
    """A published number next to ours.

    Attributes
    ----------
    name : str
        What the number is, such as "CIFAR-10, isotonic".
    published : float
        The number in print.
    ours : float
        Ours.
    error : float or None
        Standard deviation of their difference from Monte-Carlo noise; None where there is none.
    note : str
        Where we found the print or the released code to differ.
    """

    name: str
    published: float
    ours: float
    error: float | None
    note: str = ""

    @property
    def difference(self) -> float:
        """How much larger our number is."""
        return self.ours - self.published

    @property
    def agrees(self) -> bool:
        """Whether the two agree: within 3 standard deviations, or else in the digits printed.

        Without noise the last printed digit may be rounded or cut off. Zeros at the end of a
        number do not count as printed.
        """
        if self.error is not None:
            return abs(self.difference) <= LIMIT * self.error
        last_digit = Decimal(repr(float(self.published))).normalize().as_tuple().exponent
        assert isinstance(last_digit, int)
        return abs(self.difference) < 10.0**last_digit

    def to_dict(self) -> dict[str, Any]:
        """Return the check as a dict for JSON; `Check(**it)` is the check again."""
        return {name: getattr(self, name) for name in self.__slots__}
