"""Names of classes: as people give them, as columns have them, and which value is which."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import (
    Callable,
    Collection,
    Iterable,
    Iterator,
    KeysView,
    Mapping,
    Sequence,
    Set,
    ValuesView,
)
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorfloor._checks import (
    MISSING_LABELS,
    PER_LABEL,
    InputError,
    Part,
    argument,
    command,
    function,
    shown,
)
from errorfloor._typing import Bools, Counts
from errorfloor.data.values import as_entries, is_missing, missing_in, spelt, text_of

TWO_CLASSES = ("0", "1")
MOST_CLASSES = 1000  # beyond, values are no classes but numbers, names or texts
_LISTED = 6  # values that a message names
LONGEST_NAME = 40  # of a class, in a message
_BETWEEN = re.compile(r"\s*[;|,]\s*")  # labels of one item, where there are several
# Pairs of which the first means "yes": letters and digits only, in small letters.
PAIRS = (
    *("ja nein", "ja nee", "oui non", "si no", "vrai faux", "wahr falsch"),
    *("yes no", "y n", "true false", "t f", "1 0", "on off", "positive negative", "pos neg"),
    *("spam ham", "spam notspam", "pass fail", "passed failed", "success failure", "good bad"),
    *("correct incorrect", "correct wrong", "right wrong", "accept reject", "accepted rejected"),
    *("approve reject", "approved rejected", "approved denied", "agree disagree", "like dislike"),
    *("relevant irrelevant", "present absent", "malignant benign", "abnormal normal", "win loss"),
    *("fraud legit", "fraud legitimate", "fraud genuine", "fraud normal", "sick healthy"),
    *("hired rejected", "churned stayed", "churned retained", "removed kept", "remove keep"),
    *("case control", "hit miss", "active inactive", "duplicate unique", "true fake"),
    *(f"toxic {one}" for one in ("clean", "normal", "ok", "neutral", "none", "safe", "civil")),
    *(f"{one} {other}" for one in ("hate", "offensive", "abusive") for other in ("normal", "none")),
)
_KNOWN = {tuple(pair.split()) for pair in PAIRS}
_SHORT = {"y": "yes", "n": "no", "t": "true", "f": "false", "pos": "positive", "neg": "negative"}
# Numbers by which questionnaires mean that nobody answered.
_CODES = {float(sign * one) for one in (88, 98, 99, 888, 998, 999, 9999) for sign in (1, -1)}
_CODES |= {-9.0, -8.0}
_MARK = re.compile(r"[-.?/|\\*]+")  # next to words; ./. is a genotype that was not called
_FAR = 5  # from the other classes, at least
# Next to any word.
_NO = {*["no", "none", "nein", "nee", "non", "nothing", "never", "false", "negative"]}
_WITHOUT = ("not", "non", "no")  # before a word make it the other class
_LONGEST = 100  # characters of the name of a class


@dataclass(frozen=True, slots=True)
class Naming:
    """The names of the classes, in order, and the place of each value that occurs."""

    names: tuple[str, ...]
    place: dict[Any, int]

    @property
    def are_numbers(self) -> bool:
        """Whether all values are whole numbers, however they are written."""
        return all(whole_of(value) is not None for value in self.place)


def names_in_arrays(
    data: object, labels: object, classes: tuple[str, ...] | None, labelled: bool
) -> tuple[str, ...] | None:
    """Return the names of two classes, as they were given or as labels that are words have them."""
    if classes is not None or not labelled:
        return classes
    shape = np.shape(data)  # type: ignore[call-overload]
    return codes_of(labels, 2, None)[1] if len(shape) == 2 and shape[1] == 2 else None


def as_classes(value: object) -> tuple[str, ...] | None:
    """Return the names of classes that a user gives, or say what is wrong with them."""
    if value is None:
        return None
    if isinstance(value, Set | KeysView | ValuesView):
        text = f" must be a list, whose order is that of the classes; got a {type(value).__name__}."
        raise InputError(argument("classes"), text)
    several = isinstance(value, Iterable) and not isinstance(value, str | bytes | dict)
    several = several and getattr(value, "ndim", 1) == 1
    given: list[Any] = list(value) if several else []  # type: ignore[call-overload]
    if any(isinstance(one, Collection) and not isinstance(one, str) for one in given):
        given = []  # lists of lists and the like
    names = [text_of(one) for one in given]
    gone = next((i for i, one in enumerate(given) if is_missing(one)), None)
    if gone is not None:
        text = f" has no name in place {gone}: {shown(names[gone])} means missing. Name each class."
        raise InputError(argument("classes"), text)
    if len(names) < 2:
        text = f" must be a list of two names or more, one for each class; got {shown(value)}."
        raise InputError(argument("classes"), text)
    twice = next((name for i, name in enumerate(names) if name in names[:i]), None)
    if twice is not None:
        raise InputError(argument("classes"), f" has {twice!r} twice. Name each class once.")
    if len(names) > MOST_CLASSES:
        text = f" must be at most {MOST_CLASSES:,} names, got {len(names):,}."
        raise InputError(argument("classes"), text)
    return tuple(names)


def names_of_columns(columns: Sequence[str]) -> tuple[str, ...]:
    """Return what the columns of classes are called without what all their names share.

    Examples
    --------
    >>> names_of_columns(["proba_cat", "proba_cow"]), names_of_columns(["n_1", "n_12"])
    (('cat', 'cow'), ('1', '12'))
    >>> names_of_columns(["cat votes", "dog votes"]), names_of_columns(["cat", "cow"])
    (('cat', 'dog'), ('cat', 'cow'))
    """
    columns = [*map(str, columns)]  # of numbers in their place
    front = common_start(columns)
    # Up to where a word ends: what cat and cow share is no prefix.
    front = front[: max((i + 1 for i, one in enumerate(front) if not one.isalnum()), default=0)]
    back = common_start([one[len(front) :][::-1] for one in columns])[::-1]
    start = next((i for i, one in enumerate(back) if not one.isalnum()), len(back))
    back = back[start:]
    names = tuple(one[len(front) : len(one) - len(back)].strip() for one in columns)
    return names if all(names) and len(set(names)) == len(names) else tuple(columns)


def columns_in_order(
    columns: Sequence[str], classes: tuple[str, ...] | None
) -> tuple[list[int], tuple[str, ...]]:
    """Return the places of the columns of classes, in the order of these, and what they are called.

    Names that users gave to the classes say the order where the columns are called so. Of two
    columns the one that means yes is class 1.

    Examples
    --------
    >>> columns_in_order(["p_cow", "p_cat"], ("cat", "cow")), columns_in_order(["yes", "no"], None)
    (([1, 0], ('cat', 'cow')), ([1, 0], ('no', 'yes')))
    """
    names = names_of_columns(columns)
    if classes is not None and set(classes) == set(names):
        names, found = classes, [names.index(one) for one in classes]
    elif classes is None and positive_of(names) == names[0]:
        names, found = names[::-1], [1, 0]
    else:
        found = [*range(len(names))]
    return found, names


def common_start(texts: Sequence[str]) -> str:
    """Return what all texts begin with.

    Examples
    --------
    >>> common_start(["question 1", "question 2"]), common_start(["alice", "bob"]), common_start([])
    ('question ', '', '')
    """
    first, last = min(texts, default=""), max(texts, default="")
    same = (i for i, (one, other) in enumerate(zip(first, last, strict=False)) if one != other)
    return first[: next(same, len(first))]


def codes_of(
    labels: object, number: int, classes: tuple[str, ...] | None, name: str = "labels"
) -> tuple[Counts, tuple[str, ...]]:
    """Return the class of each label of an array, by its place among `number` classes."""
    array = _as_labels(labels, name)
    plain = classes is None and array.dtype.kind in "iu" and not np.ma.is_masked(array)
    if plain and array.min() >= 0 and array.max() < number:
        return array.astype(np.int64), tuple(map(str, range(number)))
    values, at = distinct_values(array)
    _refuse_missing(values, at, name)
    naming = naming_of(values, number, classes, (argument(name),))
    return np.array([naming.place[value] for value in values])[at], naming.names


def naming_of(
    values: Sequence[Any],
    number: int,
    classes: tuple[str, ...] | None,
    shown_as: tuple[Part, ...],
    columns: tuple[str, ...] | None = None,
) -> Naming:
    """Return which class each value is: by name, or by its place from 0 on.

    Parameters
    ----------
    values : sequence
        All that occur.
    number : int
        Of classes.
    classes, columns : tuple of str, optional
        Names of the classes that the user gave, and those that columns have. Without them whole
        numbers are places, and words are classes in sorted order, as scikit-learn has them.
    shown_as : tuple
        What errors call the labels.
    """
    refuse_several(values, shown_as, classes)
    plain = columns is not None and columns != tuple(map(str, range(number)))
    names = classes or (columns if plain else None)
    texts = {value: text_of(value) for value in values}
    if names is not None and set(texts.values()) <= set(names):
        return Naming(names, {value: names.index(text) for value, text in texts.items()})
    places = {value: whole_of(value) for value in values}
    if all(place is not None and 0 <= place < number for place in places.values()):
        usual = tuple(map(str, range(number)))
        return Naming(names or usual, {v: p for v, p in places.items() if p is not None})
    if names is not None and classes is None:
        spoken = [as_spoken(name) for name in names]
        found = {value: as_spoken(text) for value, text in texts.items()}
        if {*found.values()} <= {*spoken} and len({*spoken}) == number:
            return Naming(names, {value: spoken.index(word) for value, word in found.items()})
    if names is not None:
        raise _unlisted(texts, names, shown_as, given=classes is not None)
    words = sorted(set(texts.values()))
    if all(place is None for place in places.values()) and len(words) == number:
        return Naming(tuple(words), {value: words.index(text) for value, text in texts.items()})
    raise _unclear(words, places, number, shown_as)


def refuse_several(
    values: Sequence[Any], shown_as: tuple[Part, ...], classes: tuple[str, ...] | None = None
) -> None:
    """Refuse values that are several labels each, such as "cat;dog" or a list."""
    bad: Any = next((one for one in values if isinstance(one, list | tuple | set | dict)), None)
    texts = [one for one in values if isinstance(one, str)]
    if bad is None and any(_BETWEEN.search(text) for text in texts):
        known = set(classes or ())
        bad = next((text for text in _joint(texts) if text not in known), None)
    if bad is not None:
        raise InputError(*shown_as, f" has several labels in one entry, {shown(bad)}.{PER_LABEL}")


def _joint(texts: Sequence[str]) -> Iterator[str]:
    """Yield texts that are several of the labels: lists, and what other entries are parts of.

    A comma may be part of a name, so all that is between commas has to be there once more.
    """
    parts = {text: _BETWEEN.split(text.strip()) for text in texts}
    seen = Counter(part for split in parts.values() for part in set(split))
    for text, split in parts.items():
        if len(split) > 1:
            is_list = text.strip()[0] + text.strip()[-1] == "[]"
            has_part = "," not in text and any(part in parts for part in split)
            if is_list or has_part or all(seen[part] > 1 for part in split):
                yield text


def whole_of(value: Any) -> int | None:
    """Return the whole number that a value is or spells, booleans included; None for words."""
    text = text_of(value).lower()
    if text in ("true", "false"):
        return int(text == "true")
    return int(text) if re.fullmatch(r"[+-]?\d{1,18}", text) else None


def listed(values: Sequence[str]) -> str:
    """Return values with commas between, shortened where they are many or long."""
    some = [brief(value) for value in values[:_LISTED]]
    return ", ".join([*some, "..."] if len(values) > _LISTED else some)


def brief(value: str) -> str:
    """Return what a class is called, as far as it helps to recognise it.

    Examples
    --------
    >>> brief("cat"), brief("x" * 50)
    ('cat', 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...')
    """
    return value if len(value) <= LONGEST_NAME else f"{value[: LONGEST_NAME - 10]}..."


def _unlisted(
    texts: dict[Any, str], names: tuple[str, ...], shown_as: tuple[Part, ...], *, given: bool
) -> InputError:
    bad = sorted(text for text in texts.values() if text not in names)
    what = f" has {shown(bad[0])}, which is not one of the classes {listed(names)}"
    if given:
        near = difflib.get_close_matches(bad[0], names, n=1)
        meant = f" Did you mean {bad[0]!r} by {near[0]!r}?" if near else ""
        return InputError(
            *shown_as, f"{what}.{meant} List all of them in ", argument("classes"), "."
        )
    return InputError(
        *shown_as,
        f"{what} that the columns are called. Name the classes in the order of the columns with ",
        *(argument("classes"), "."),
    )


def _unclear(
    words: Sequence[str], places: dict[Any, int | None], number: int, shown_as: tuple[Part, ...]
) -> InputError:
    numbers = [place for place in places.values() if place is not None]
    if len(numbers) == len(places):
        bad = next(place for place in numbers if not 0 <= place < number)
        what = f" must be whole numbers from 0 to {number - 1}, one for each column, and has {bad}"
    else:
        what = (
            f" must have {number} different values, one for each column, and has {len(words)}: "
            f"{listed(words)}"
        )
    remedy = ". Name the classes in the order of the columns with "
    return InputError(*shown_as, what, remedy, argument("classes"), ".")


def _as_labels(labels: object, name: str) -> NDArray[Any]:
    array = labels if isinstance(labels, np.ndarray) else as_entries(labels)
    if array.ndim == 2:
        indicators = array.shape[1] > 1 and array.dtype.kind in "biuf"
        if indicators and ((array == 0) | (array == 1)).all():
            text = f" has a column of 0 and 1 for each class.{PER_LABEL} Of the first label: "
            text += "scores[:, 0], labels[:, 0]. Where each row has one 1, "
            raise InputError(argument(name), text, f"pass {name}.argmax(axis=1).")
    if array.ndim != 1:
        text = f" must be 1-d, got shape {array.shape}. Pass one label per item."
        raise InputError(argument(name), text)
    if array.size == 0:
        raise InputError(argument(name), " is empty. Pass at least one item.")
    return array


def distinct_values(array: NDArray[Any]) -> tuple[list[Any], Counts]:
    """Return the values that occur, and which of them each entry is."""
    if array.dtype.kind != "O":
        values, at = np.unique(array, return_inverse=True)
        return values.tolist(), at
    place: dict[Any, int] = {}
    try:
        at = np.array([place.setdefault(value, len(place)) for value in array.tolist()])
    except TypeError:  # lists and the like
        return array.tolist(), np.arange(array.size)
    return list(place), at


def _refuse_missing(values: Sequence[Any], at: Counts, name: str) -> None:
    gone = [i for i, value in enumerate(values) if is_missing(value)]
    if gone:
        bad = np.isin(at, gone)
        raise InputError(
            argument(name),
            f" has missing entries, such as entry {int(np.argmax(bad))} "
            f"({np.count_nonzero(bad)} of {bad.size}). ",
            *MISSING_LABELS,
        )


@dataclass(frozen=True, slots=True)
class Answers:
    """Which of two classes a model's answer is: that of the labels with the same value.

    Numbers next to words are places in the order of the classes, where that is given, and nothing
    otherwise: which word a model's 0 and 1 stand for is not known, whatever is asked about.

    Attributes
    ----------
    sides : mapping of list of str, optional
        The labels that are class "0" and class "1". By default they are 0 and 1 as they stand.
    order : tuple of str, optional
        The classes, in an order that people or columns gave.
    least : float, optional
        The number from which on numbers are class 1, in place of `sides`.
    """

    sides: Mapping[str, Sequence[str]] | None = None
    order: tuple[str, ...] | None = None
    least: float | None = None

    def place(self, value: object) -> int:
        """Return the place of a value among the classes; -1 if it is none of them."""
        text = text_of(value)
        if self.least is not None:
            number = spelt(text)
            return -1 if number is None else int(number >= self.least)
        sides = {"0": ("0",), "1": ("1",)} if self.sides is None else self.sides
        for side in ("1", "0"):
            if any(is_same(text, one) for one in sides[side]):
                return int(side)
        number, order = whole_of(text), self.order
        if number in (0, 1) and self.sides is None:  # True and False
            return int(number)
        if order is None or are_numbers(order) or number not in range(len(order)):
            return -1
        name = order[int(text)]
        return next((int(s) for s in "10" if any(is_same(name, one) for one in sides[s])), -1)

    def places(self, values: Sequence[Any], shown_as: tuple[Part, ...]) -> dict[Any, int]:
        """Return the place of each value, or refuse those that are none of the classes."""
        self.check_numbers(values, shown_as)
        found = {value: self.place(value) for value in values}
        if -1 in found.values():
            known = TWO_CLASSES if self.sides is None else (*self.sides["0"], *self.sides["1"])
            texts = [text_of(value) for value in values]
            raise unlike_labels(texts, known, shown_as, may_name=len(known) == 2)
        return found

    def check_numbers(self, values: Sequence[Any], shown_as: tuple[Part, ...]) -> None:
        """Refuse 0 and 1 that are classes rather, where class 1 is larger numbers."""
        if self.least is None or self.least <= 1:
            return
        if {spelt(text_of(value)) for value in values} == {0, 1}:
            text = f" has 0 and 1, and numbers from {self.least:g} on are class 1. Give the numbers"
            raise InputError(*shown_as, f"{text} that the model predicts.")


def unlike_labels(
    values: Sequence[str],
    known: Sequence[str],
    shown_as: tuple[Part, ...],
    *,
    may_name: bool = True,
) -> InputError:
    """Say that some of a model's answers are none of the labels, and how they can be.

    Where they are numbers, and `may_name`, the order of the labels in `known` is proposed.
    """
    strange = [one for one in values if not any(is_same(one, other) for other in known)] or values
    what = f" has {listed([*strange])}, and the labels are {listed([*known])}."
    numbers = [spelt(one) for one in strange]
    if any(number is not None and number % 1 for number in numbers):
        text = " Give the class that the model predicts, spelt as in the labels; cut scores at a "
        return InputError(*shown_as, f"{what}{text}threshold.")
    if None in numbers or are_numbers(known):
        return InputError(*shown_as, f"{what} Spell the classes in the same way in both.")
    what += " It is not known which label each number means"
    mend = "replace these numbers by the labels."
    places = all(number in range(len(known)) for number in numbers)
    is_usual = len(known) > 2 or positive_of(known) in (None, known[-1])
    if not (places and may_name and is_usual):
        return InputError(*shown_as, f"{what}: {mend}")
    meant = " and ".join(f"{place} is {name}" for place, name in enumerate(known))
    order = argument("classes", [*known])
    return InputError(*shown_as, f"{what}. If {meant}, add ", order, f"; otherwise {mend}")


def are_numbers(names: Sequence[str]) -> bool:
    """Tell whether some classes are called by numbers, which are no places then."""
    return any(spelt(name) is not None for name in names)


SIGNS = {-1.0, 1.0}  # of which 1 is class 1, as in scikit-learn


@dataclass(frozen=True, slots=True)
class Binary:
    """Labels of an array as 0 and 1, NaN where they are missing, and which value was which."""

    labels: Any
    positive: object = None  # what means class 1, where the labels were not 0 and 1
    sides: dict[str, list[str]] | None = None

    def alike(self, answers: object, name: str, classes: tuple[str, ...] | None = None) -> Any:
        """Return answers next to the labels as 0 and 1 in the same way; others are refused."""
        if self.positive is None or self.sides is None:
            return answers
        values, at = distinct_values(_as_labels(answers, name))
        _refuse_missing(values, at, name)
        place = Answers(self.sides, classes).places(values, (argument(name),))
        return np.array([place[one] for one in values])[at]


def is_words(labels: object) -> bool:
    """Tell whether an array may hold words."""
    return as_entries(labels).dtype.kind in "OUT"


def as_binary(
    labels: object,
    positive: object,
    positive_from: float | None = None,
    means: Callable[[Sequence[str]], Mapping[str, float]] = lambda texts: {},
) -> Binary:
    """Return labels as 0 and 1: words and other numbers by what is positive, or as it is plain.

    `means` returns the mean score of each label, for the question which one is class 1.
    """
    array = as_entries(labels)
    plain = not is_words(array) and positive is None and positive_from is None
    if plain and array.size and array.dtype.kind in "if":
        plain = bool(np.fmin.reduce(array, axis=None) != -1)  # of signs the least, but for NaN
    if array.ndim != 1 or not array.size or plain:
        return Binary(labels)
    gone = missing_in(array)
    if np.ma.isMaskedArray(labels):
        gone = gone | np.ma.getmaskarray(labels)
    values, at = distinct_values(array)
    seen = np.bincount(at[~gone], minlength=len(values)) > 0
    texts = [text_of(value) for value in values]
    there = sorted({text for text, is_seen in zip(texts, seen.tolist(), strict=True) if is_seen})
    if positive_from is not None:
        least, sides = positive_from, sides_of_ratings(positive_from)
        numbers = [spelt(text) for text in texts]
        ones = np.array([number is not None and number >= least for number in numbers])
        _check_numbers(there)
        return Binary(_with_gaps(ones[at], gone), None, sides)
    meant = _plainly_positive(there, means) if positive is None else positive
    if meant is None:
        return Binary(labels)
    ones = np.array([is_same(text, meant) for text in texts])
    if positive is not None and not ones.any():
        text = f" is {shown(positive)}, and no label is. The labels are {listed(there)}."
        raise InputError(argument("positive"), text)
    return Binary(_with_gaps(ones[at], gone), meant, divided(there, meant))


def _check_numbers(texts: Sequence[str]) -> None:
    bad = next((text for text in texts if spelt(text) is None), None)
    if bad is not None:
        text = f" is for labels that are numbers, and one of them is {shown(bad)}."
        raise InputError(argument("positive_from"), text)


def _plainly_positive(
    texts: Sequence[str], means: Callable[[Sequence[str]], Mapping[str, float]]
) -> object:
    """Return which label is class 1, None of numbers that do not say; ask which word it is."""
    numbers = [spelt(one) for one in texts]
    if set(numbers) == SIGNS:
        return 1
    if not texts or any(number is not None for number in numbers):
        return None
    found = classes_of_words(texts, (argument("labels"),), many=False)
    if found is None:
        raise which_is_1(texts, (argument("labels"),), means(texts))
    return found.positive


def _with_gaps(ones: Bools, gone: Bools) -> NDArray[Any]:
    return np.where(gone, np.nan, ones) if gone.any() else ones.astype(np.int64)


@dataclass(frozen=True, slots=True)
class PlainClasses:
    """Which value is which class; nothing where they are 0 and 1 as they stand."""

    positive: str | None = None  # the one of two words that means yes
    naming: Naming | None = None


# Values of labels and votes as classes: which is which, as far as the values alone tell.


def positive_of(values: Sequence[str]) -> str | None:
    """Return which of two words means "yes", or None where that is not known.

    Examples
    --------
    >>> positive_of(["ham", "spam"]), positive_of(["Not toxic", "Toxic"]), positive_of(["a", "b"])
    ('spam', 'Toxic', None)
    >>> positive_of(["no", "readmitted"])
    'readmitted'
    """
    if len(values) != 2:
        return None
    for one, other in (values, values[::-1]):
        yes, no = _letters(one), _letters(other)
        if (yes, no) in _KNOWN or (yes and no in {f"{without}{yes}" for without in _WITHOUT}):
            return one
    named = [one for one in values if _letters(one) not in _NO]
    return named[0] if len(named) == 1 and _letters(named[0]) else None


def classes_of_values(values: Sequence[str], shown_as: tuple[Part, ...]) -> PlainClasses | None:
    """Return which vote is which class, or None where that has to be asked for."""
    numbers = [spelt(value) for value in values]
    if len(values) > MOST_CLASSES or any(n is not None and n != int(n) for n in numbers):
        raise _no_classes(values, shown_as)
    if set(numbers) <= {0.0, 1.0}:
        return PlainClasses()
    if any(number is None for number in numbers):
        return classes_of_words(values, shown_as, many=True)
    ordered = sorted({int(number) for number in numbers if number is not None})
    if len(ordered) == 1:
        return None
    place = {value: ordered.index(int(spelt(value) or 0)) for value in values}
    return PlainClasses(naming=Naming(tuple(map(str, ordered)), place))


def classes_of_words(
    values: Sequence[str], shown_as: tuple[Part, ...], *, many: bool
) -> PlainClasses | None:
    """Return the same of words, which may be classes of any names where there may be `many`."""
    if any(spelt(value) in (0, 1) for value in values):
        return PlainClasses()  # a stray word among numbers
    refuse_several(values, shown_as)
    _refuse_short(values, shown_as)
    # Yes, YES and no are two answers, and cat and Cat may be two classes.
    positive = positive_of([*{as_spoken(value): value for value in values}.values()])
    if positive is not None:
        return PlainClasses(positive=positive)
    if not many or len(values) == 1:
        return None
    texts = sorted({text_of(value) for value in values})
    return PlainClasses(
        naming=Naming(tuple(texts), {one: texts.index(text_of(one)) for one in values})
    )


def as_long(word: str) -> str:
    """Return the answer that one or three letters stand for, and any other word without capitals.

    Examples
    --------
    >>> as_long("Y"), as_long("Yes "), as_long("Maybe")
    ('yes', 'yes', 'maybe')
    """
    plain = word.strip().casefold()
    return _SHORT.get(plain, plain)


def _refuse_short(values: Sequence[str], shown_as: tuple[Part, ...]) -> None:
    """Refuse one answer in two forms, such as Y and Yes: none of them is a class of its own."""
    forms: dict[str, list[str]] = {}
    for value in {as_spoken(one): one for one in values}.values():
        forms.setdefault(as_long(value), []).append(value)
    same = [several for several in forms.values() if len(several) > 1]
    if same:
        pairs = ", ".join(" and ".join(several) for several in same)
        raise InputError(
            *(*shown_as, f" has {pairs}, which look like one answer in two forms. Write each "),
            "answer in one way in the data first.",
        )


def no_answers(values: Sequence[str]) -> list[str]:
    """Return the values that stand for no answer: 99 next to 1 to 5, or "-" next to words.

    Examples
    --------
    >>> no_answers(["1", "2", "5", "99"]), no_answers(["-", "neutral", "entailment"])
    (['99'], ['-'])
    >>> no_answers(["97", "98", "99"]), no_answers(["-", "+"]), no_answers(["0/1", "1/1", "./."])
    ([], [], ['./.'])
    """
    numbers = {value: spelt(value) for value in values}
    rest = [n for n in numbers.values() if n is not None and n not in _CODES]
    codes = [value for value, n in numbers.items() if n is not None and n in _CODES]
    if len(rest) > 1 and all(n is not None for n in numbers.values()):
        return [one for one in codes if min(abs((spelt(one) or 0) - n) for n in rest) >= _FAR]
    words = [one for one in values if re.search(r"\w", one)]
    marks = [one for one in values if one not in words]
    return marks if len(words) > 1 and all(_MARK.fullmatch(one.strip()) for one in marks) else []


def two_of(names: tuple[str, ...]) -> dict[str, list[str]] | None:
    """Return which of two classes is which, unless they are called 0 and 1."""
    if len(names) > 2 or names == TWO_CLASSES:
        return None
    return {"1": [names[1]], "0": [names[0]]}


def _no_classes(values: Sequence[str], shown_as: tuple[Part, ...]) -> InputError:
    if len(values) > MOST_CLASSES:
        what = f" has more than {MOST_CLASSES:,} different values, such as {values[0]!r}"
        return InputError(*shown_as, f"{what}, which are no classes. Check which column it is.")
    bad = next(one for one in values if (n := spelt(one)) is not None and n != int(n))
    what = f" has numbers that are no classes, such as {bad}. Say from which number on they are "
    return InputError(
        *(*shown_as, what, "class 1 with ", argument("positive_from")),
        *(", or make classes of them first; if they are ratings, use ", function("from_ratings")),
        ".",
    )


def divided(values: Sequence[str], positive: object) -> dict[str, list[str]]:
    """Return the values that are class 1, and those that are class 0."""
    ones = [value for value in values if is_same(value, positive)]
    return {"1": ones or [str(positive)], "0": [value for value in values if value not in ones]}


def sides_of_ratings(least: float) -> dict[str, list[str]]:
    """Return what is class 1, and what class 0, where numbers from `least` on are class 1."""
    return {"1": [f"{least:g} and more"], "0": [f"less than {least:g}"]}


def as_spoken(word: str) -> str:
    """Return a word without blanks around it, and without capitals unless it is one letter."""
    plain = word.strip()
    return plain.lower() if len(plain) > 1 else plain


def is_same(value: str, positive: object) -> bool:
    """Tell whether a value is the positive one, however both are written.

    Examples
    --------
    >>> is_same("YES ", "yes"), is_same("1.0", 1), is_same("A", "a")
    (True, True, False)
    """
    if as_spoken(value) == as_spoken(str(positive)):
        return True
    number = spelt(value)
    return number is not None and number == spelt(str(positive))


def which_is_1(
    values: Sequence[str], shown_as: tuple[Part, ...], means: Mapping[str, float]
) -> InputError:
    """Ask which class is 1, with what to type for each, the likeliest first.

    `means` are the mean scores of each value, where there are scores.
    """
    ranked = sorted(values, key=lambda value: -means.get(value, 0.0))[:_LISTED]
    longest = max(map(len, values))
    if longest > _LONGEST:
        text = f" holds texts of up to {longest:,} characters, which are no classes, such as "
        check = f"{brief(values[0])!r}. Check which column it is."
        raise InputError(*shown_as, text, check)
    which = "Say which one is class 1"
    if len(values) > 2:
        which += "; the answer is then for that one against the rest"
    if len(means) > 1:
        most = ranked[0]
        which += f". The scores are highest for {most}: {means[most]:.4g} on average"
    commands = (part for one in ranked for part in ("\n  ", command("positive", one)))
    kind = "words" if any(spelt(one) is None for one in values) else "numbers"
    return InputError(*shown_as, f" holds {kind}: {listed(values)}. {which}:", *commands)


def _letters(value: str) -> str:
    return re.sub(r"[^a-z0-9]+", "", value.casefold())
