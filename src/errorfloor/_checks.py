"""Cast and check arguments, once, at the public edge; inner code trusts what it gets."""

from __future__ import annotations

import ast
import operator
import re
import shlex
import sys
import warnings
from collections.abc import Callable, Iterable
from copy import copy
from dataclasses import dataclass
from itertools import combinations
from numbers import Real
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from errorfloor._typing import Bools, Counts, Floats, RandomLike

MOST_VOTES = 2**53 - 1  # of any one number: floats tell whole numbers apart up to here
_LONGEST = 60  # characters of a value in a message


@dataclass(frozen=True, slots=True)
class Mention:
    """A word of a message that people write differently in Python and on the command line."""

    name: str
    value: str | None = None  # of an argument, as it is written
    is_function: bool = False
    is_command: bool = False  # an argument next to all that was asked for already
    is_aside: bool = False  # in brackets, behind words that say what to do
    flag: str = ""  # of an aside on the command line, where that is not its name

    def in_python(self) -> str:
        """Return what to write in Python, within backticks unless it is a function's name.

        An aside is part of findings, which people read anywhere: it has the option as well.
        """
        if self.is_function:
            return f" ({self.name})" if self.is_aside else self.name
        if self.is_aside:
            option = self.flag or f"--{self.name.replace('_', '-')}"
            if self.value is None:
                return f" ({self.name}, {option})"
            value = ast.literal_eval(self.value)
            typed = option if value is True else f"{option} {shlex.quote(str(value))}"
            return f" ({self.name}={self.value}, {typed})"
        return f"`{self.name}`" if self.value is None else f"`{self.name}={self.value}`"


def typed_python(code: str) -> str:
    """Return what to type in a shell to run a line of Python."""
    plain = not {*code} & {*'"\\`$!'}  # which a shell would take as its own between double quotes
    return f'python -c "{code}"' if plain else shlex.join(["python", "-c", code])


def argument(name: str, value: object = ...) -> Mention:
    """Mention an argument, with a value if one is given."""
    return Mention(name, None if value is ... else repr(value))


def aside(name: str, value: object = ..., flag: str = "") -> Mention:
    """Mention an argument in brackets behind words that say what to do with it.

    Examples
    --------
    >>> str(Sentence("Name the column of labels", aside("label"), "."))
    'Name the column of labels (label, --label).'
    >>> str(Sentence("Say so", aside("rater", True, "--shared"), "."))
    'Say so (rater=True, --shared).'
    """
    return Mention(name, None if value is ... else repr(value), is_aside=True, flag=flag)


def command(name: str, value: object) -> Mention:
    """Mention an argument that is to be added to what was asked for."""
    return Mention(name, repr(value), is_command=True)


def function(name: str, *, is_aside: bool = False) -> Mention:
    """Mention a function of the package."""
    return Mention(name, is_function=True, is_aside=is_aside)


Part: TypeAlias = str | Mention
Words: TypeAlias = str | Mention | tuple[Part, ...]
_OUT, _KEEP = argument("drop_missing", True), argument("unlabelled", True)
MISSING_LABELS = ("Leave such items out with ", _OUT, ", or keep them with ", _KEEP, ".")


class _Told:
    """A message whose arguments and functions can be written for Python or for others."""

    parts: tuple[Part, ...]

    def told(self, write: Callable[[Mention], str]) -> str:
        """Return the sentence with arguments and functions written in another way."""
        return _written(self.parts, write)


class Sentence(_Told, str):
    """Text of a result that names arguments, which the app calls by its own words.

    It is text like any other, as Python and the command line say it.
    """

    def __new__(cls, *parts: Part) -> Sentence:
        """Join parts, and what other sentences are made of."""
        flat = words(*parts)
        self = super().__new__(cls, _written(flat, Mention.in_python))
        self.parts = flat
        return self


def told(text: str, write: Callable[[Mention], str]) -> str:
    """Return a text with the arguments that it names written in another way."""
    return text.told(write) if isinstance(text, Sentence) else text


class InputError(_Told, ValueError):
    """Input that cannot be used: what was expected, what came, where, and what to do about it.

    Parameters
    ----------
    parts : str or Mention
        The sentence, in which every argument and function stands as `named` has it. The text of
        the error is for Python; `told` writes it for others.
    """

    def __init__(self, *parts: Part) -> None:
        self.parts = named(*parts)
        super().__init__(_written(self.parts, Mention.in_python))

    def behind(self, *parts: Part) -> Self:
        """Return the same error behind other words, such as the group that it is about."""
        return self.with_parts(named(*parts, *self.parts))

    def replaced(self, old: str, new: str) -> Self:
        """Return the same error with other text in place of some."""
        return self.with_parts(
            tuple(part.replace(old, new) if isinstance(part, str) else part for part in self.parts)
        )

    def with_parts(self, parts: tuple[Part, ...]) -> Self:
        """Return the same error in other words."""
        error = copy(self)
        error.parts = parts
        error.args = (_written(parts, Mention.in_python),)
        return error


class ErrorFloorWarning(_Told, UserWarning):
    """A statistical doubt about a result; the result's `warnings` repeat it."""

    def __init__(self, *parts: Part) -> None:
        self.parts = named(*parts)
        super().__init__(_written(self.parts, Mention.in_python))


class DegenerateDataWarning(ErrorFloorWarning):
    """One class only, or all scores equal: the answer is right but says little."""


class DegenerateBootstrapWarning(ErrorFloorWarning):
    """The bootstrap interval that was asked for is undefined; another one was used."""


class LostAnnotatorsWarning(ErrorFloorWarning):
    """Tables with and without annotators were added, and the sum knows no annotators."""


class LabelShiftWarning(ErrorFloorWarning):
    """The floor may belong to labels that were made in another way than the test labels."""


class DoubtWarning(ErrorFloorWarning):
    """Something in the data makes the answer doubtful; the result's `findings` say what."""


class RefutedWarning(DoubtWarning):
    """The data contradict what the answer assumes: it is not to be stated as a finding."""


for _public in (InputError, ErrorFloorWarning, *ErrorFloorWarning.__subclasses__(), RefutedWarning):
    _public.__module__ = "errorfloor"  # where people catch and filter them


def _written(parts: Iterable[Part], write: Callable[[Mention], str]) -> str:
    return "".join(write(part) if isinstance(part, Mention) else part for part in parts)


_NAMED = re.compile(r"`([A-Za-z]\w*)(?:=([^`]+)|(\(\)))?`")


def named(*parts: Part) -> tuple[Part, ...]:
    """Find what a sentence names: an `argument`, an `argument=value` and a `function()`.

    Examples
    --------
    >>> named("`interval=None` skips it.")[0] == argument("interval", None)
    True
    >>> str(InputError("`prior` is unknown. `from_votes()` counts votes."))
    '`prior` is unknown. from_votes counts votes.'
    """
    found: list[Part] = []
    for part in parts:
        if isinstance(part, Mention):
            found.append(part)
            continue
        start = 0
        for name in _NAMED.finditer(part):
            word, value, is_function = name.groups()
            if value is None or _is_literal(value):
                found += [part[start : name.start()], Mention(word, value, bool(is_function))]
                start = name.end()
        found.append(part[start:])
    return tuple(one for one in found if one != "")


def _is_literal(text: str) -> bool:
    try:
        ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return False
    return True


def words(*parts: Words) -> tuple[Part, ...]:
    """Return words of any length as one flat sequence."""
    flat: list[Part] = []
    for part in parts:
        own = part.parts if isinstance(part, Sentence) else part
        flat += own if isinstance(own, tuple) else (own,)
    return tuple(flat)


def as_scores(values: object, *, name: str) -> Floats:
    """Return `values` as a 1-d array of finite floats, or say which entry is wrong."""
    array = as_numbers(_as_vector(values, name), name)
    refuse(
        ~np.isfinite(array),
        array,
        (argument(name), " must be finite numbers"),
        "Drop or fill missing and infinite values first.",
    )
    return array


def as_probabilities(values: object, *, name: str, instead: str = "") -> Floats:
    """Return `values` as a 1-d float array in [0, 1], or say which entry is wrong."""
    array = as_numbers(_as_vector(values, name), name)
    check_unit_interval(array, name=name, instead=instead)
    return array


def check_unit_interval(
    array: Floats, *, name: str, entry: str = "entry", instead: str = ""
) -> None:
    """Refuse anything outside [0, 1], missing values included; `instead` says what else to do."""
    refuse(
        ~((array >= 0) & (array <= 1)),
        array,
        (argument(name), " must lie in [0, 1]"),
        f"Divide percentages by 100, pass logits through a sigmoid, drop missing values{instead}.",
        entry=entry,
    )


def as_floats(values: object, *, name: str) -> Floats:
    """Return finite numbers of any shape as floats; masked ones, times and text are refused."""
    array = as_numbers(unmasked(values, name), name)
    if not np.isfinite(array).all():
        raise InputError(argument(name), " must be finite numbers. Leave out such rows.")
    return array


def unmasked(values: object, name: str) -> NDArray[Any]:
    """Return an array, of which no entry may be masked."""
    hidden = np.count_nonzero(np.ma.getmaskarray(values)) if np.ma.isMaskedArray(values) else 0
    if hidden:
        raise InputError(
            argument(name), f" has {hidden} masked entries. Leave them out, or fill them in."
        )
    try:
        return np.asarray(values)
    except ValueError as error:
        raise InputError(argument(name), " has rows of unequal length.") from error


def as_labels(values: object, *, name: str) -> Bools:
    """Return 0/1 or True/False as booleans, or say which entry is neither."""
    array = _as_vector(values, name)
    if array.dtype.kind == "b":
        return array.astype(np.bool_, copy=False)
    _refuse_words(array, name)
    if array.dtype.kind in "iu" and ((array == 0) | (array == 1)).all():
        return np.asarray(array != 0)  # without a copy as floats
    number = as_numbers(array, name)
    usual = "Map the class you call positive to 1 and the other to 0; drop missing labels."
    refuse(
        (number != 0) & (number != 1),
        number,
        (argument(name), " must be 0 or 1 (or False or True)"),
        MISSING_LABELS if np.isnan(number).any() else usual,
    )
    return np.asarray(number != 0)


def _refuse_words(array: NDArray[Any], name: str) -> None:
    """Ask for 0 and 1 where all labels are words."""
    found = array[:1000].tolist() if array.dtype.kind in "OUT" else []
    words_found = sorted({value for value in found if isinstance(value, str)})
    if not words_found or any(map(_is_number, found)):
        return
    listed = ", ".join([*words_found[:6], "..."] if len(words_found) > 6 else words_found)
    raise InputError(
        argument(name),
        f" must be 0 or 1 (or False or True), and are words: {listed}. Compare them with the one "
        f"that is class 1, such as {name} == {words_found[-1]!r}; or pass a dataframe and say ",
        *(argument("positive", words_found[-1]), "."),
    )


def as_counts(values: object, *, name: str, least: int, most: int = MOST_VOTES) -> Counts:
    """Return whole numbers from `least` to `most` as int64, or say which entry is not one.

    Floats have to be below 2**53, beyond which they stand for several whole numbers.
    """
    raw = _as_vector(values, name)
    array = raw if raw.dtype.kind in "iu" else as_numbers(raw, name)
    if array.dtype.kind == "f":
        most = min(most, MOST_VOTES)
    refuse(
        ~((array >= least) & (array <= most) & (array == np.floor(array))),
        array,
        (argument(name), f" must be whole numbers of at least {least}"),
        "Pass numbers of votes, not fractions, and drop items without votes.",
    )
    return array.astype(np.int64)


def as_flag(value: object, *, name: str) -> bool:
    """Return True or False, or refuse what only counts as one of them, such as "no"."""
    if not isinstance(value, bool | np.bool_):
        raise InputError(argument(name), f" must be True or False, got {shown(value)}.")
    return bool(value)


def check_same_length(first: NDArray[Any], second: NDArray[Any], names: tuple[str, str]) -> None:
    """Refuse columns of different length."""
    if first.size != second.size:
        raise InputError(
            *(argument(names[0]), " and ", argument(names[1])),
            f" must have the same length, got {first.size} and {second.size}. "
            "Pass one entry per item in both.",
        )


def check_aligned(**arrays: Any) -> None:
    """Refuse series whose indexes hold the same values in another order.

    Arrays are paired by place. Series that were sorted apart would be paired wrongly; those with
    other indexes, such as rows of two files, are paired by place, as scikit-learn does.
    """
    # A list has no index but a method of that name.
    with_index = {n: one for n, one in arrays.items() if hasattr(one, "to_numpy")}
    indexed = [
        (name, one.index)
        for name, one in with_index.items()
        if hasattr(getattr(one, "index", None), "equals")
    ]
    for (name, index), (other, another) in combinations(indexed, 2):
        if not index.equals(another) and _are_permuted(index, another):
            raise InputError(
                *(argument(name), " and ", argument(other)),
                " have the same index in different orders, and arrays are paired by place. Put "
                f"both in one order, {other}.loc[{name}.index]; or pass {name}.to_numpy() and "
                f"{other}.to_numpy() where their places are right.",
            )


def _are_permuted(index: Any, other: Any) -> bool:
    if len(index) != len(other):
        return False
    try:
        return bool(index.sort_values().equals(other.sort_values()))
    except TypeError:  # values that cannot be ordered
        return set(index) == set(other)


def check_level(level: float) -> float:
    """Return `level` as a float strictly between 0 and 1; text such as "95%" is one."""
    try:
        number = float(level) if (meant := percentage(level)) is None else meant
    except (TypeError, ValueError, OverflowError):
        number = float("nan")
    if not 0 < number < 1:
        text = f" must lie strictly between 0 and 1, got {shown(level)}. Write "
        usual = number if 1 < number < 100 else 95
        raise InputError(argument("level"), text, f"{usual / 100:g} for {usual:g} %.")
    return number


def as_fraction(value: object, *, name: str, least: float = 0.0, most: float = 1.0) -> float:
    """Return a number from 0, or `least`, to `most`; text such as "23%" is one, a bare 23 none."""
    number = percentage(value)
    if number is None:
        is_number = isinstance(value, Real) and not isinstance(value, bool | np.bool_)
        try:
            number = float(value) if is_number else float("nan")  # type: ignore[arg-type]
        except OverflowError:
            number = float("inf")
    if not least <= number <= most:
        text = f" must lie in [{least:g}, {most:g}], got {shown(value)}. Divide percentages by 100"
        is_meant = most < number <= 100 * most and not isinstance(value, str)
        meant = f": {number:g} % is {number / 100:g}" if is_meant else ""
        raise InputError(argument(name), f"{text}{meant}.")
    return number


def percentage(value: object) -> float | None:
    """Return the fraction that text such as "23%" or "0.5 %" means, or None for anything else."""
    if not isinstance(value, str) or not value.strip().endswith("%"):
        return None
    try:
        return float(value.strip()[:-1]) / 100
    except ValueError:
        return None


def check_n_resamples(n_resamples: int) -> int:
    """Return `n_resamples` as an integer of at least 1."""
    remedy = ("1000 is usual; ", argument("interval", None), " skips the interval.")
    return check_whole(n_resamples, name="n_resamples", least=1, most=10**9, remedy=remedy)


def check_whole(value: int, *, name: str, least: int, remedy: Words, most: int = MOST_VOTES) -> int:
    """Return `value` as an integer from `least` to `most`."""
    try:
        number = least - 1 if isinstance(value, bool) else operator.index(value)
    except TypeError:
        number = least - 1
    if not least <= number <= most:
        limit = f" and at most {most:,}" if number > most else ""
        text = f" must be a whole number of at least {least}{limit}, got {shown(value)}. "
        raise InputError(*words(argument(name), text, remedy))
    return number


def as_generator(rng: RandomLike) -> np.random.Generator:
    """Return the generator that NumPy makes of `rng`; a generator is returned as it is."""
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError) as error:
        raise InputError(
            argument("rng"),
            f" must be None, a whole number of at least 0 or a numpy.random.Generator, got "
            f"{shown(rng)}.",
        ) from error


def shown(value: object) -> str:
    """Return how a value is written, shortened where that is long."""
    try:
        text = repr(value)
    except ValueError:  # Python writes no numbers of more than a few thousand digits
        return "a number too long to write"
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 20]}... ({len(text)} characters)"


def check_choice(
    value: object, choices: Iterable[str], *, name: str, hint: Words = "", what: str = ""
) -> str:
    """Return `value` if it is one of `choices`, else name the nearest of them, and what all are."""
    names = list(choices)
    if isinstance(value, str) and value in names:
        return value
    import difflib

    typed = value if isinstance(value, str) else shown(value)
    near = difflib.get_close_matches(typed[:_LONGEST], names, n=3, cutoff=0.5)
    meant = f" Did you mean {either(near)}?" if near else ""
    text = f" must be one of {what}{', '.join(names)}; got {shown(value)}.{meant}"
    raise InputError(*words(argument(name), text, hint))


def refuse(
    bad: Bools, array: NDArray[Any], rule: Words, remedy: Words, *, entry: str = "entry"
) -> None:
    """Raise one error for all `bad` entries: the rule, the first of them, how many, remedy."""
    if bad.any():
        where = int(np.argmax(bad))
        first = array[where]
        which = f": {entry} {where} is {shown(first) if isinstance(first, int) else first} "
        number = f"({np.count_nonzero(bad)} of {bad.size} are bad). "
        raise InputError(*words(rule, which, number, remedy))


def warn(message: Words, category: type[ErrorFloorWarning]) -> str:
    """Emit `message` as a warning that points at the user's line, and return its text."""
    doubt = category(*words(message))
    depth = 2
    while _is_ours(depth):
        depth += 1
    warnings.warn(doubt, stacklevel=depth)
    return Sentence(*doubt.parts)


def _is_ours(depth: int) -> bool:
    try:
        frame = sys._getframe(depth)
    except ValueError:
        return False
    return bool(frame.f_globals.get("__name__", "").startswith("errorfloor."))


def either(names: Iterable[str]) -> str:
    """Return names with "or" before the last."""
    every = [*names]
    return " or ".join([", ".join(every[:-1]), every[-1]] if len(every) > 1 else every)


PER_LABEL = (
    " A floor is about one class per item: for items with several labels, ask about one label at a "
    "time, with 1 for the items that have it and 0 for the others."
)


def one_label(array: NDArray[Any], ndim: int, typed: str) -> str:
    """Return how to ask about one label, where the last of too many axes may hold several labels.

    `typed` is what to type about the first of them, with {0} for the place of the label: `[:, 0]`.
    """
    if array.ndim != ndim + 1 or array.dtype.kind not in "Obiuf" or array.shape[-1] < 2:
        return ""
    if not ((array == 0) | (array == 1) | (array != array)).all():  # NaN is not itself
        return ""
    axes = ", ".join([":"] * ndim)
    return (
        f" These look like {array.shape[-1]} labels per item.{PER_LABEL} Of the first of them: "
        f"{typed.format(f'[{axes}, 0]')}."
    )


def _as_vector(values: object, name: str) -> NDArray[Any]:
    if isinstance(values, np.ma.MaskedArray):
        values = np.ma.filled(values.astype(np.float64), np.nan)
    try:
        array = np.asarray(values)
    except ValueError as error:  # ragged nested lists
        raise InputError(argument(name), f" must be a 1-d array of numbers: {error}") from error
    if array.ndim != 1:
        one = one_label(array, 1, f"{name}{{}}") if name == "labels" else ""
        more = one or " Pass one column, one entry per item."
        raise InputError(argument(name), f" must be 1-d, got shape {array.shape}.{more}")
    if array.size == 0:
        raise InputError(argument(name), " is empty. Pass at least one item.")
    return array


def as_numbers(array: NDArray[Any], name: str) -> Floats:
    """Return an array of any shape as floats; times and text that spells none are refused."""
    if array.dtype.kind in "biuf":
        return array.astype(np.float64, copy=False)
    if array.dtype.kind in "OUST":
        try:
            return array.astype(np.float64)
        except (TypeError, ValueError, OverflowError):
            flat = array.ravel()
            refuse(
                np.array([not _is_number(value) for value in flat]),
                flat,
                (argument(name), " must be numbers"),
                "Drop missing values and convert text to numbers first.",
            )
    raise InputError(
        argument(name),
        f" must be numbers, got an array of {array.dtype}. Convert it to floats first.",
    )


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError, OverflowError):
        return False
    return True
