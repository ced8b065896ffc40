"""Numbers and booleans that text spells."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np


def spelt(text: str) -> float | None:
    """Return the number or boolean that text spells, and None for words."""
    word = text.strip().lower()
    if word in ("true", "false"):
        return float(word == "true")
    try:
        number = float(word)
    except ValueError:
        return None
    return number if abs(number) < inf else None


def number_of(value: Any) -> Any:
    """Return what spells a number as that number, and None for what does not."""
    if not isinstance(value, str):
        return int(value) if isinstance(value, bool | np.bool_) else value
    for number in (int, float):
        try:
            return number(value)
        except ValueError:
            continue
    return None
