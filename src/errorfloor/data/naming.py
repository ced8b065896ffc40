"""Names of classes: as people give them, as columns have them, and which label is which."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import (
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

from errorfloor._checks import MISSING_LABELS, InputError, Part, argument, shown
from errorfloor._typing import Counts
from errorfloor.data.annotators import text_of
from errorfloor.data.missing import as_entries, is_missing
from errorfloor.data.table import TWO_CLASSES, Table

MOST_CLASSES = 1000  # beyond, values are no classes but numbers, names or texts
_LISTED = 6  # values that a message names
LONGEST_NAME = 40  # of a class, in a message
_BETWEEN = re.compile(r"\s*[;|,]\s*")  # labels of one item, where there are several

PER_LABEL = (
    " A floor is about one class per item: for items with several labels, ask about one label at a "
    "time, with 1 for the items that have it and 0 for the others."
)


@dataclass(frozen=True, slots=True)
class Naming:
    """The names of the classes, in order, and the place of each value that occurs."""

    names: tuple[str, ...]
    place: dict[Any, int]

    @property
    def are_numbers(self) -> bool:
        """Whether all values are whole numbers, however they are written."""
        return all(whole_of(value) is not None for value in self.place)


def facts_of_classes(
    tables: Table | Iterable[Table], names: tuple[str, ...] | None = None
) -> dict[str, Any]:
    """Return the classes as sources keep them: each with its count; of two, which one is 1.

    `names` are those of two classes, which a table does not keep.
    """
    some: list[Any] = [tables] if isinstance(tables, Table) else list(tables)
    classes = some[0].classes
    if len(classes) == 2:
        known = names is not None and names != TWO_CLASSES
        return {"classes": {"1": [names[1]], "0": [names[0]]}} if known and names else {}
    total: Any = sum(_labels_in(table.columns) for table in some)
    return {"classes": [[name, round(float(n))] for name, n in zip(classes, total, strict=True)]}


def _labels_in(columns: Mapping[str, NDArray[Any]]) -> NDArray[Any]:
    """Return the number of labels or votes for each class; of soft labels the expected one."""
    counts = columns["counts"]
    if counts.ndim == 2:
        return np.asarray(counts.sum(axis=0, dtype=np.int64))
    return np.asarray(counts @ columns["votes" if "votes" in columns else "probabilities"])


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
    front = _shared(columns)
    # Up to where a word ends: what cat and cow share is no prefix.
    front = front[: max((i + 1 for i, one in enumerate(front) if not one.isalnum()), default=0)]
    back = _shared([one[len(front) :][::-1] for one in columns])[::-1]
    start = next((i for i, one in enumerate(back) if not one.isalnum()), len(back))
    back = back[start:]
    names = tuple(one[len(front) : len(one) - len(back)].strip() for one in columns)
    return names if all(names) and len(set(names)) == len(names) else tuple(columns)


def _shared(texts: Sequence[str]) -> str:
    """Return what all texts begin with."""
    first, last = min(texts), max(texts)
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
    values, at = _distinct(array)
    _refuse_missing(values, at, name)
    naming = told(values, number, classes, (argument(name),))
    return np.array([naming.place[value] for value in values])[at], naming.names


def told(
    values: Sequence[Any],
    number: int,
    classes: tuple[str, ...] | None,
    said: tuple[Part, ...],
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
    said : tuple
        What errors call the labels.
    """
    refuse_several(values, said, classes)
    plain = columns is not None and columns != tuple(map(str, range(number)))
    names = classes or (columns if plain else None)
    texts = {value: text_of(value) for value in values}
    if names is not None and set(texts.values()) <= set(names):
        return Naming(names, {value: names.index(text) for value, text in texts.items()})
    places = {value: whole_of(value) for value in values}
    if all(place is not None and 0 <= place < number for place in places.values()):
        usual = tuple(map(str, range(number)))
        return Naming(names or usual, {v: p for v, p in places.items() if p is not None})
    if names is not None:
        raise _unlisted(texts, names, said, given=classes is not None)
    words = sorted(set(texts.values()))
    if all(place is None for place in places.values()) and len(words) == number:
        return Naming(tuple(words), {value: words.index(text) for value, text in texts.items()})
    raise _unclear(words, places, number, said)


def refuse_several(
    values: Sequence[Any], said: tuple[Part, ...], classes: tuple[str, ...] | None = None
) -> None:
    """Refuse values that are several labels each, such as "cat;dog" or a list."""
    bad: Any = next((one for one in values if isinstance(one, list | tuple | set | dict)), None)
    texts = [one for one in values if isinstance(one, str)]
    if bad is None and any(_BETWEEN.search(text) for text in texts):
        known = set(classes or ())
        bad = next((text for text in _joint(texts) if text not in known), None)
    if bad is not None:
        raise InputError(*said, f" has several labels in one entry, {shown(bad)}.{PER_LABEL}")


def _joint(texts: Sequence[str]) -> Iterator[str]:
    """Yield texts that are several of the labels: lists, and what other entries are parts of.

    A comma may be part of a name, so all that is between commas has to be there once more.
    """
    parts = {text: _BETWEEN.split(text.strip()) for text in texts}
    seen = Counter(part for split in parts.values() for part in set(split))
    for text, split in parts.items():
        if len(split) > 1:
            is_list = text.strip()[0] + text.strip()[-1] == "[]"
            beside = "," not in text and any(part in parts for part in split)
            if is_list or beside or all(seen[part] > 1 for part in split):
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
    texts: dict[Any, str], names: tuple[str, ...], said: tuple[Part, ...], *, given: bool
) -> InputError:
    bad = sorted(text for text in texts.values() if text not in names)
    what = f" has {shown(bad[0])}, which is none of the classes {listed(names)}"
    if given:
        return InputError(*said, f"{what}. List all of them in ", argument("classes"), ".")
    return InputError(
        *said,
        f"{what} that the columns are called. Name the classes in the order of the columns with ",
        *(argument("classes"), "."),
    )


def _unclear(
    words: Sequence[str], places: dict[Any, int | None], number: int, said: tuple[Part, ...]
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
    return InputError(*said, what, remedy, argument("classes"), ".")


def _as_labels(labels: object, name: str) -> NDArray[Any]:
    array = labels if isinstance(labels, np.ndarray) else as_entries(labels)
    if array.ndim == 2:
        indicators = array.shape[1] > 1 and array.dtype.kind in "biuf"
        if indicators and ((array == 0) | (array == 1)).all():
            text = f" has a column of 0 and 1 for each class.{PER_LABEL} Where each row has one 1, "
            raise InputError(argument(name), text, f"pass {name}.argmax(axis=1).")
    if array.ndim != 1:
        text = f" must be 1-d, got shape {array.shape}. Pass one label per item."
        raise InputError(argument(name), text)
    if array.size == 0:
        raise InputError(argument(name), " is empty. Pass at least one item.")
    return array


def _distinct(array: NDArray[Any]) -> tuple[list[Any], Counts]:
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
