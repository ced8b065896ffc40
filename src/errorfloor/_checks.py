"""Cast and check arguments, once, at the public edge; inner code trusts what it gets."""

import operator
import sys
import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorfloor._typing import Bools, Counts, Floats


class ErrorFloorWarning(UserWarning):
    """A statistical doubt about a result; the result's `warnings` repeat it."""


class DegenerateDataWarning(ErrorFloorWarning):
    """One class only, or all scores equal: the answer is right but says little."""


class DegenerateBootstrapWarning(ErrorFloorWarning):
    """The bootstrap interval that was asked for is undefined; another one was used."""


class LabelShiftWarning(ErrorFloorWarning):
    """The floor may belong to labels that were made in another way than the test labels."""


def as_scores(values: object, *, name: str) -> Floats:
    """Return `values` as a 1-d array of finite floats, or say which entry is wrong."""
    array = _as_floats(_as_vector(values, name), name)
    refuse(
        ~np.isfinite(array),
        array,
        f"`{name}` must be finite numbers",
        "Drop or fill missing and infinite values first.",
    )
    return array


def as_probabilities(values: object, *, name: str) -> Floats:
    """Return `values` as a 1-d float array in [0, 1], or say which entry is wrong."""
    array = _as_floats(_as_vector(values, name), name)
    check_unit_interval(array, name=name)
    return array


def check_unit_interval(array: Floats, *, name: str, entry: str = "entry") -> None:
    """Refuse anything outside [0, 1], missing values included."""
    refuse(
        ~((array >= 0) & (array <= 1)),
        array,
        f"`{name}` must lie in [0, 1]",
        "Divide percentages by 100, pass logits through a sigmoid, drop missing values; "
        "the methods isotonic, hist-K and platt take scores on any scale.",
        entry=entry,
    )


def as_labels(values: object, *, name: str) -> Bools:
    """Return 0/1 or True/False as booleans, or say which entry is neither."""
    array = _as_vector(values, name)
    if array.dtype.kind == "b":
        return array.astype(np.bool_, copy=False)
    number = _as_floats(array, name)
    refuse(
        (number != 0) & (number != 1),
        number,
        f"`{name}` must be 0 or 1 (or False or True)",
        "Map the class you call positive to 1 and the other to 0; drop missing labels.",
    )
    return np.asarray(number != 0)


def as_counts(values: object, *, name: str, least: int) -> Counts:
    """Return whole numbers of at least `least` as int64, or say which entry is not one."""
    raw = _as_vector(values, name)
    array = raw if raw.dtype.kind in "iu" else _as_floats(raw, name)
    with np.errstate(invalid="ignore"):
        whole = (array == np.floor(array)) & (np.abs(array) < 2**53)
    refuse(
        ~(whole & (array >= least)),
        array,
        f"`{name}` must be whole numbers of at least {least}",
        "Pass numbers of votes, not fractions, and drop items without votes.",
    )
    return array.astype(np.int64)


def check_same_length(first: NDArray[Any], second: NDArray[Any], names: tuple[str, str]) -> None:
    """Refuse columns of different length."""
    if first.size != second.size:
        raise ValueError(
            f"`{names[0]}` and `{names[1]}` must have the same length, "
            f"got {first.size} and {second.size}. Pass one entry an item in both."
        )


def check_level(level: float) -> float:
    """Return `level` as a float strictly between 0 and 1."""
    try:
        number = float(level)
    except (TypeError, ValueError):
        number = float("nan")
    if not 0 < number < 1:
        raise ValueError(
            f"`level` must lie strictly between 0 and 1, got {level!r}. Write 0.95 for 95 %."
        )
    return number


def check_n_resamples(n_resamples: int) -> int:
    """Return `n_resamples` as an integer of at least 1."""
    remedy = "1000 is usual; `interval=None` skips the interval."
    return check_whole(n_resamples, name="n_resamples", least=1, remedy=remedy)


def check_whole(value: int, *, name: str, least: int, remedy: str) -> int:
    """Return `value` as an integer of at least `least`."""
    try:
        number = operator.index(value)
    except TypeError:
        number = least - 1
    if number < least:
        raise ValueError(
            f"`{name}` must be a whole number of at least {least}, got {value!r}. {remedy}"
        )
    return number


def check_choice(value: object, choices: Iterable[str], *, name: str, hint: str = "") -> str:
    """Return `value` if it is one of `choices`, else name the nearest of them."""
    names = list(choices)
    if isinstance(value, str) and value in names:
        return value
    import difflib

    near = difflib.get_close_matches(str(value), names, n=3, cutoff=0.5)
    meant = f" Did you mean {_either(near)}?" if near else ""
    raise ValueError(f"`{name}` must be one of {', '.join(names)}; got {value!r}.{meant}{hint}")


def refuse(
    bad: Bools, array: NDArray[Any], rule: str, remedy: str, *, entry: str = "entry"
) -> None:
    """Raise one ValueError for all `bad` entries: the rule, the first of them, how many, remedy."""
    if bad.any():
        where = int(np.argmax(bad))
        raise ValueError(
            f"{rule}: {entry} {where} is {array[where]} "
            f"({np.count_nonzero(bad)} of {bad.size} are bad). {remedy}"
        )


def warn(message: str, category: type[ErrorFloorWarning]) -> str:
    """Emit `message` as a warning that points at the user's line, and return it."""
    depth = 2
    while _is_ours(depth):
        depth += 1
    warnings.warn(message, category, stacklevel=depth)
    return message


def _is_ours(depth: int) -> bool:
    try:
        frame = sys._getframe(depth)
    except ValueError:
        return False
    return bool(frame.f_globals.get("__name__", "").startswith("errorfloor."))


def _either(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"


def _as_vector(values: object, name: str) -> NDArray[Any]:
    if isinstance(values, np.ma.MaskedArray):
        values = np.ma.filled(values.astype(np.float64), np.nan)
    try:
        array = np.asarray(values)
    except ValueError as error:  # ragged nested lists
        raise ValueError(f"`{name}` must be a 1-d array of numbers: {error}") from error
    if array.ndim != 1:
        raise ValueError(
            f"`{name}` must be 1-d, got shape {array.shape}. Pass one column, one entry an item."
        )
    if array.size == 0:
        raise ValueError(f"`{name}` is empty. Pass at least one item.")
    return array


def _as_floats(array: NDArray[Any], name: str) -> Floats:
    if array.dtype.kind in "biuf":
        return array.astype(np.float64, copy=False)
    if array.dtype.kind in "OUST":
        try:
            return array.astype(np.float64)
        except (TypeError, ValueError):
            refuse(
                np.array([not _is_number(value) for value in array]),
                array,
                f"`{name}` must be numbers",
                "Drop missing values and convert text to numbers first.",
            )
    raise ValueError(
        f"`{name}` must be numbers, got an array of {array.dtype}. Convert it to floats first."
    )


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True
