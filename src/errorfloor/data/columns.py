"""Which columns hold what: as the user says, or guessed where only one reading is possible."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from numbers import Real
from typing import Any, Self

from errorfloor._checks import InputError, Mention, Part, argument, check_whole, function, shown
from errorfloor.data.layouts import (
    EVERY_LAYOUT,
    LABEL,
    LAYOUTS,
    PEOPLE,
    SCORES,
    TRUTH,
    VOTES,
    Layout,
    Role,
    joined,
)
from errorfloor.data.values import SHARE_ROUNDING, spelt

# DuckDB calls a first column without a name column0, and pandas writes its index so.
_IDS = (
    r"(|ids?|idx|index|uid|uuid|row|rownum|row_(id|index|number)|unnamed(_.*)?|.*_(id|index)"
    r"|column0+)"
)
_CORRECT = r"(is_|was_)?(correct|right|hit|wrong|incorrect|error|mistake)(ly)?(_prediction)?"
_UNIT = r"\s*[\[({][^\])}]*[\])}]\s*$"  # behind a name, such as [0-1]
_MOST_LISTED = 40
_FEW = 5  # values in a message
_FEWEST_FEATURES = 3  # columns of numbers that may be features
NO_NAMES = " The first row holds values, not names. Put a header row first, such as score,label."
TEXT_FIRST = " Give the columns names that are text first, such as by frame.rename(columns=str)."


# Columns that nobody named, guessed where their names, or else their kinds, leave one reading.


class UnclearColumnsError(InputError):
    """Nobody named the columns, and their names allow no reading or several.

    `columns` says which ones there are, `front` what comes before all else, and `needs` what is
    asked for where only votes will do.
    """

    columns = ""
    needs = ""
    front: tuple[Part, ...] = ()

    def behind(self, *parts: Part) -> Self:
        """Return the same error behind other words."""
        error = super().behind(*parts)
        error.front = (*parts, *self.front)
        return error


class MissingColumnsError(InputError):
    """The columns that the user named need others; `missing` has the roles of those."""

    missing: tuple[Role, ...] = ()


@dataclass(frozen=True, slots=True)
class ChosenColumns:
    """A layout and its columns; `guessed` are the roles whose columns the user did not name."""

    layout: Layout
    columns: Mapping[str, Any]  # by the name of the role: one, several, or a number
    guessed: tuple[str, ...] = ()

    @property
    def arguments(self) -> dict[str, Any]:
        """The columns by the names of arguments."""
        names = {role.name: role.argument for role in self.layout.roles}
        return {names[role]: column for role, column in self.columns.items()}

    @property
    def used(self) -> frozenset[object]:
        """All columns that have a role."""
        values = self.columns.values()
        return frozenset(
            one for value in values for one in (value if isinstance(value, tuple) else (value,))
        )

    @property
    def may_be_anything(self) -> bool:
        """Whether it has a column of numbers that may be no scores, such as a confidence."""
        return any(
            simple(self.columns[role.name]) in role.unsure_names
            for role in self.layout.roles
            if role.is_number and isinstance(self.columns.get(role.name), str)
        )

    @property
    def mentions(self) -> tuple[Part, ...]:
        """The arguments that would have named the guessed columns."""
        return mentioned(
            (role, self.columns[role.name])
            for role in self.layout.roles
            if role.name in self.guessed
        )


def guessed(layout: Layout, columns: Mapping[str, Any]) -> ChosenColumns:
    """Return a reading of columns, by role, none of which the user named."""
    return ChosenColumns(layout, columns, tuple(columns))


def likely_readings(kinds: Mapping[str, str], allowed: Sequence[Layout]) -> list[ChosenColumns]:
    """Return the layouts that the names of columns tell, or else their kinds."""
    likely = [layout for layout in allowed if not layout.of_shares]
    readings: list[ChosenColumns] = []
    for guess in (_by_name, _by_classes, _by_list, _without_optional, _by_rest, _by_kind):
        found = (guess(layout, kinds) for layout in likely)
        readings = readings or [one for one in found if one is not None]
    # The confidence of an annotator stands next to votes.
    return [one for one in readings if not one.may_be_anything] or readings


def names_an_id(column: object) -> bool:
    """Tell whether a column is called what ids and indices are called.

    Examples
    --------
    >>> names_an_id("Unnamed: 0"), names_an_id("user_id"), names_an_id("score")
    (True, True, False)
    """
    return re.fullmatch(_IDS, simple(column)) is not None


def texts_first(columns: Sequence[str]) -> str:
    """Say what has to be done to texts before they are features.

    Examples
    --------
    >>> texts_first(["title", "body"])[:45]
    "Columns 'title', 'body' hold text. To use the"
    """
    named = ", ".join(map(repr, columns))
    what = f"Column {named} holds text. To use it"
    if len(columns) > 1:
        what = f"Columns {named} hold text. To use them"
    return (
        f"{what} as features, turn each text into numbers first, for example with TF-IDF or the "
        "embedding of a language model."
    )


def says_correct(column: object) -> bool:
    """Tell whether a column is called by whether a model was right.

    Examples
    --------
    >>> says_correct("is_correct"), says_correct("hit"), says_correct("label")
    (True, True, False)
    """
    return re.fullmatch(_CORRECT, simple(column)) is not None


def fitting(role: Role, columns: Iterable[str]) -> list[str]:
    """Return the columns whose names say that they have the role."""
    plain = {one: simple(one) for one in columns}
    if role.pattern is not None and not role.by_class:
        return [one for one in plain if re.fullmatch(role.pattern, plain[one])]
    sure = [one for one in plain if plain[one] in role.names]
    sure = sure or [one for one in plain if simple(re.sub(_UNIT, "", str(one))) in role.names]
    return sure or [one for one in plain if plain[one] in role.unsure_names]


def fitting_kind(role: Role, columns: Sequence[str], kinds: Mapping[str, str]) -> list[str]:
    """Return the columns that hold lists, or those that do not, as the role has it."""
    if role.is_list:  # several labels are no votes, unless they repeat
        sure = [one for one in columns if simple(one) in role.names]
        return [
            one for one in columns if kinds[one] == "votes" or (one in sure and _lists(kinds[one]))
        ]
    if role.by_class and not role.alone:
        of_votes = {name for one in LAYOUTS if one.of_lists for name in one.of_lists.names}
        return [
            one
            for one in columns
            if _lists(kinds[one]) and (kinds[one] != "votes" or simple(one) not in of_votes)
        ]
    if role.by_class or not role.is_number:  # labels with several in a row are refused later
        return list(columns)
    return [one for one in columns if kinds[one] not in ("list", "votes")]


def _lists(kind: str) -> bool:
    return kind in ("list", "votes", "other")


def one_for_each(role: Role, kinds: Mapping[str, str]) -> tuple[str, ...]:
    """Return the columns of numbers with one beginning, as those of classes have it, if clear."""
    assert role.pattern is not None
    others = {
        name
        for layout in LAYOUTS
        for other in layout.roles
        for name in other.names
        if other.name != "votes"  # n_positive next to n_negative, but not next to n_votes
    }
    found: dict[str, list[str]] = {}
    for one, kind in kinds.items():
        fits = re.fullmatch(role.pattern, simple(one))
        if fits and kind == "number":
            found.setdefault(fits[1], []).append(one)
    likely = [group for group in found.values() if len(group) > 1]
    clear = len(likely) == 1 and not any(simple(one) in others for one in likely[0])
    return tuple(likely[0]) if clear else ()


def simple(column: object) -> str:
    """Return a name in small letters, with "_" for anything else."""
    return re.sub(r"[^a-z0-9]+", "_", str(column).lower()).strip("_")


def mentioned(columns: Iterable[tuple[Role, Any]]) -> tuple[Part, ...]:
    """Mention arguments with their values, one after the other."""
    mentions = [
        argument(role.argument, list(column) if isinstance(column, tuple) else column)
        for role, column in columns
    ]
    return joined(mentions, " ")


def _by_name(layout: Layout, kinds: Mapping[str, str]) -> ChosenColumns | None:
    """Return the layout if the columns have one name for each of its roles, and no other."""

    def find(role: Role) -> Any:
        named = fitting_kind(role, fitting(role, kinds), kinds)
        if role.several:
            return tuple(named) if len(named) > 1 else None
        return _only(named)

    return _with_all(layout, layout.roles, find)


def _by_list(layout: Layout, kinds: Mapping[str, str]) -> ChosenColumns | None:
    """Return the only column that holds lists of repeated values, as all votes on an item do."""
    lists = [one for one, kind in kinds.items() if _lists(kind)]
    if len(lists) != 1 or kinds[lists[0]] != "votes":
        return None
    is_alone = len(layout.roles) == 1 and layout.roles[0].is_list
    return guessed(layout, {layout.roles[0].name: lists[0]}) if is_alone else None


def _without_optional(layout: Layout, kinds: Mapping[str, str]) -> ChosenColumns | None:
    """Return the layout if names leave no doubt about all that it needs, such as item and vote."""
    if len(layout.needed) == len(layout.roles):
        return None

    def find(role: Role) -> Any:
        if role.several or role.by_class:
            return None
        return _only([one for one in fitting(role, kinds) if simple(one) in role.names])

    return _with_all(layout, layout.needed, find)


def _by_classes(layout: Layout, kinds: Mapping[str, str]) -> ChosenColumns | None:
    """Return the layout if names say that there is a column for each class, and all the rest."""
    if layout.of_classes is None:
        return None

    def find(role: Role) -> Any:
        return one_for_each(role, kinds) if role.by_class else _only(fitting(role, kinds))

    return _with_all(layout, layout.roles, find)


def _only(columns: Sequence[str]) -> str | None:
    return columns[0] if len(columns) == 1 else None


def _with_all(
    layout: Layout, roles: Sequence[Role], find: Callable[[Role], Any]
) -> ChosenColumns | None:
    """Return the layout if there is a column, or are several, for each of some roles."""
    columns = {role.name: find(role) for role in roles}
    return guessed(layout, columns) if all(columns.values()) else None


def _by_rest(layout: Layout, kinds: Mapping[str, str]) -> ChosenColumns | None:
    """Return votes in rows if names tell the item and the annotator, and one column is left."""
    if layout.ballots is None or layout.row_is_item:
        return None
    vote = layout.roles[-1]
    columns = {role.name: fitting(role, kinds) for role in layout.roles[:-1]}
    if any(len(named) != 1 for named in columns.values()):
        return None
    found: dict[str, Any] = {name: named[0] for name, named in columns.items()}
    left = [one for one in kinds if one not in found.values() and not names_an_id(one)]
    if len(left) != 1 or kinds[left[0]] not in ("text", "boolean") or fitting(TRUTH, left):
        return None
    found[vote.name] = left[0]
    return guessed(layout, found) if len(set(found.values())) == len(found) else None


def _by_kind(layout: Layout, kinds: Mapping[str, str]) -> ChosenColumns | None:
    """Return the layout if there are two columns and only one of them is a number.

    Not where a name says otherwise: a column of scores with a word in it is text, too.
    """
    named = {one: kind for one, kind in kinds.items() if not names_an_id(one)}
    numbers = [one for one in named if kinds[one] == "number"]
    others = [one for one in named if kinds[one] in ("boolean", "text")]
    if not layout.told_by_kinds or len(named) != 2 or len(numbers) != 1 or len(others) != 1:
        return None
    if spelt(numbers[0]) is not None:  # which may be a value of a file without names
        return None
    columns = {role.name: (numbers if role.is_number else others)[0] for role in layout.roles}
    swapped = {role.name: (others if role.is_number else numbers)[0] for role in layout.roles}
    if any(fitting(role, [swapped[role.name]]) for role in layout.roles):
        return None
    if any(_has_another_role(one, layout) or says_correct(one) for one in named):
        return None
    return guessed(layout, columns)


def _has_another_role(column: str, layout: Layout) -> bool:
    """Tell whether a name says for sure that a column is something else: no item is a score."""
    own = {name for role in layout.roles for name in role.names}
    if re.fullmatch(rf"({PEOPLE})(_id|_name)?", simple(column)):
        return True
    others = {name for one in LAYOUTS for role in one.roles for name in role.names}
    return simple(column) in others - own


# Columns as the user names them.


def by_role(columns: Mapping[str, Any]) -> dict[str, Any]:
    """Return columns that were given by the names of arguments by those of roles."""
    roles = {role.argument: role for one in reversed(EVERY_LAYOUT) for role in one.roles}
    return {roles[name].name: _as_names(roles[name], one) for name, one in columns.items()}


def _as_names(role: Role, value: Any) -> Any:
    """Return the name of a column, or a list of names, or refuse what is neither."""
    if isinstance(value, str) or (isinstance(value, Real) and role.alone and not role.several):
        return value
    if hasattr(value, "tolist") and getattr(value, "ndim", 0) == 1:  # an index, or an array
        value = value.tolist()
    many = role.by_class or role.several
    is_list = many and isinstance(value, list | tuple)
    if is_list and all(isinstance(one, str | Real) for one in value):
        return value
    what = "names of columns, in a list" if many else "the name of a column, as text"
    what = f"a whole number, or {what}" if role.may_be_number else what
    several = isinstance(value, list | tuple) and all(isinstance(one, str) for one in value)
    hint = " Ask about one column at a time." if several and not many else TEXT_FIRST
    raise InputError(argument(role.argument), f" must be {what}; got {shown(value)}.{hint}")


def layout_of(given: Mapping[str, Any], allowed: Sequence[Layout]) -> Layout:
    """Return the layout that has the given roles, or refuse those of different layouts."""
    for layout in allowed:
        if given.keys() <= {role.name for role in layout.roles}:
            return layout
    roles = {role.name: role for layout in EVERY_LAYOUT for role in layout.roles}
    able = {role.name for layout in allowed for role in layout.roles}
    unable = [name for name in given if name not in able]
    names = joined([argument(roles[name].argument) for name in unable or given])
    together = "" if unable else "together "
    raise InputError(*names, f" cannot be used {together}here. ", *usage(allowed))


def as_named(
    given: Mapping[str, Any], allowed: Sequence[Layout], there: Collection[str]
) -> ChosenColumns | None:
    """Return the columns that the user named if they are all, so that nothing has to be guessed.

    Parameters
    ----------
    given : dict
        Columns that the user named, by role.
    allowed : sequence of Layout
        Layouts that the caller can use.
    there : collection of str
        All columns. Whether a named one is among them will be checked when it is read.
    """
    if not given:
        return None
    layout = layout_of(given, allowed)
    _refuse_one_for_two(layout, given)
    columns = plain(layout, given, there)
    patterns = [
        one
        for role in layout.roles
        if isinstance(columns.get(role.name), tuple)
        for one in columns[role.name]
        if one not in there
    ]
    complete = all(role.name in given for role in layout.needed)
    return ChosenColumns(layout, columns) if complete and not patterns else None


def _refuse_one_for_two(layout: Layout, given: Mapping[str, Any]) -> None:
    """Refuse one column for two roles: scores that are the labels have no errors."""
    ones = [role for role in layout.roles if role.name in given and not role.several]
    for i, role in enumerate(ones):
        for other in ones[i + 1 :]:
            same = isinstance(given[role.name], str) and given[role.name] == given[other.name]
            if same and (role.is_number or role.is_class):
                raise InputError(
                    *(argument(role.argument), " and ", argument(other.argument)),
                    f" name the same column, {given[role.name]!r}. Name a column for each.",
                )


def plain(layout: Layout, given: Mapping[str, Any], there: Collection[str]) -> dict[str, Any]:
    """Return each given role's column, several of them, or a number."""
    return {
        role.name: _plain(role, given[role.name], there)
        for role in layout.roles
        if role.name in given
    }


def choose(
    kinds: Mapping[str, str], given: Mapping[str, Any], allowed: Sequence[Layout], name: str
) -> ChosenColumns:
    """Return the one layout that fits the columns, or say what the columns are.

    Parameters
    ----------
    kinds : dict
        Kind of each column, by its name: "number", "boolean", "text", "list", "votes" (lists of
        classes) or "other".
    given : dict
        Columns that the user named, by role. For a role of several columns these may be
        patterns, and several in one text with commas between them.
    allowed : sequence of Layout
        Layouts that the caller can use.
    name : str
        What the data is called in messages.
    """
    if given:
        layout = layout_of(given, allowed)
        columns = {
            role.name: _there(role, given[role.name], kinds, name)
            for role in layout.roles
            if role.name in given
        }
        found = _beside_votes(columns, kinds, allowed)
        return found or _completed(layout, columns, kinds, name, allowed)
    readings = likely_readings(kinds, allowed)
    if len(readings) == 1:
        return readings[0]
    raise unclear(kinds, readings, allowed, name)


def unclear(
    kinds: Mapping[str, str],
    readings: Sequence[ChosenColumns],
    allowed: Sequence[Layout],
    name: str,
    *,
    typed: bool = True,
) -> UnclearColumnsError:
    """Return the error that asks which columns are meant, with the readings that are possible.

    On the command line these are commands if `typed`; else it may look for a better one.
    """
    ways = [_typed(one.mentions) if typed else one.mentions for one in readings]
    meant = _lines("You may mean", ways)
    remedy = meant if readings else usage([one for one in allowed if not one.of_shares])
    odd = "" if all(isinstance(one, str) for one in kinds) else TEXT_FIRST
    odd = NO_NAMES if has_no_names(kinds) and not odd else odd
    listed = f"{_listed(kinds, name)}{odd}"
    error = UnclearColumnsError(f"Cannot tell which columns to take. {listed} ", *remedy)
    error.columns = listed
    if allowed and all(one.table is VOTES.table for one in allowed):
        error.needs = " Votes of at least two people on the same items are needed."
    return error


def has_no_names(columns: Iterable[object]) -> bool:
    """Tell whether what columns are called are values: a file without a row of names."""
    names = [str(one) for one in columns]
    return len(names) > 0 and all(spelt(one) is not None for one in names)


def first_row_of_values(
    names: Sequence[str], rows: Sequence[Sequence[str | None]]
) -> InputError | None:
    """Return what to say where columns are called by values: a file without a row of names.

    A number may name a column of numbers, and a class a column of others, as `toxic` does. So there
    are names where one says what is known, or is a word above numbers; and there are none where a
    fraction is a name, or where each word is one of the values below it, as far as these repeat.
    """
    below = [[row[i] for row in rows if row[i] is not None] for i in range(len(names))]
    if are_known(names) or not rows:
        return None
    numbers = [spelt(one) for one in names]
    if any(n is None and _are_numbers(some) for n, some in zip(numbers, below, strict=True)):
        return None
    fraction = any(n is not None and n != int(n) for n in numbers)
    words = [
        name in some
        for name, n, some in zip(names, numbers, below, strict=True)
        if n is None and len(set(some)) < len(some)
    ]
    if not (all(n is not None for n in numbers) or fraction or (words and all(words))):
        return None
    return _no_names(names, below, [[spelt(one or "") for one in row] for row in rows])


def are_known(names: Iterable[str]) -> bool:
    """Tell whether a column is called what some role is usually called, so that there are names."""
    return any(simple(one) in _KNOWN for one in names)


_KNOWN = {
    name
    for layout in LAYOUTS
    for role in layout.roles
    for name in (*role.names, *role.unsure_names)
}


def _are_numbers(values: Sequence[str | None]) -> bool:
    return len(values) > 0 and all(spelt(str(one)) is not None for one in values)


def _no_names(
    names: Sequence[str],
    below: Sequence[Sequence[str | None]],
    rows: Sequence[Sequence[float | None]],
) -> InputError:
    """Ask for names, with those that such columns usually have."""
    numbers = [_are_numbers(some) for some in below]
    heads, then = [f"c{i}" for i in range(1, len(names) + 1)], "look"
    scores = _scores_and_label(rows)
    if scores is not None:
        heads, then = [scores.get(i, f"c{i + 1}") for i in range(len(names))], "estimate"
    elif len(names) == 2 and numbers[0]:
        heads, then = ["score", "label"], "estimate"
    elif len(names) > 2 and all({*below[0]} & {*some} for some in below):
        heads, then = [f"rater{i}" for i in range(1, len(names) + 1)], "estimate"
    elif len(names) == 3 and not numbers[2]:
        heads, then = ["item", "annotator", "vote"], "estimate"
    shown_first = ", ".join(list(names)[:_FEW])
    return InputError(
        f"The first row holds values, not names: {shown_first}. Put a header row with "
        "column names first:\n  "
        f"(echo {','.join(heads)}; cat FILE) | errorfloor {then} -"
    )


def _scores_and_label(rows: Sequence[Sequence[float | None]]) -> dict[int, str] | None:
    """Return names for columns that add up to 1 in each row, and for the only one of their places.

    Examples
    --------
    >>> _scores_and_label([[7, 0.25, 0.75, 1], [8, 0.5, 0.5, 0], [9, 1.0, 0.0, 0]])
    {1: 'proba_0', 2: 'proba_1', 3: 'label'}
    """
    columns = [[*column] for column in zip(*rows, strict=True)]
    parts = [
        i
        for i, column in enumerate(columns)
        if all(n is not None and 0 <= n <= 1 for n in column)
        and any(n is not None and 0 < n < 1 for n in column)
    ]
    whole = [sum(row[i] or 0 for i in parts) for row in rows]
    if len(parts) < 2 or any(abs(one - 1) > SHARE_ROUNDING for one in whole):
        return None
    places = {*range(len(parts))}
    labels = [i for i, column in enumerate(columns) if i not in parts and {*column} <= places]
    if len(labels) != 1:
        return None
    return {**{i: f"proba_{k}" for k, i in enumerate(parts)}, labels[0]: "label"}


def usage(allowed: Sequence[Layout], head: str = "Name them by") -> tuple[Part, ...]:
    """Say how the columns of each layout are named."""
    ways = [
        mentioned((role, ("COL", "COL") if role.several else "COL") for role in layout.roles)
        for layout in allowed
    ]
    if len(allowed) == 1 and allowed[0].roles[0].by_class and len(allowed[0].roles) == 1:
        ways.append(mentioned((role, ("COL", "COL", "COL")) for role in allowed[0].roles))
    return _lines(head, ways)


def _plain(role: Role, value: Any, there: Collection[str]) -> Any:
    """Return a column, several of them, or a number, as the role has it."""
    if role.by_class:
        return _one_or_each(role, value, there)
    if role.several:
        if isinstance(value, str) or not value:
            raise InputError(argument(role.argument), " must be a list of columns, at least one.")
        if len(set(value)) < len(value):
            raise InputError(argument(role.argument), " has a column twice. Name each column once.")
        return tuple(value)
    if not role.may_be_number or (isinstance(value, str) and value in there):
        return value
    if isinstance(value, str) and not value.isdecimal():
        return value
    if isinstance(value, str):
        value = int(value[:99])  # enough digits to be refused; of thousands Python reads none
    return check_whole(value, name=role.argument, least=1, remedy="Or name its column.")


def _one_or_each(role: Role, value: Any, there: Collection[str]) -> Any:
    """Return one column as text, and one for each class as a tuple, which may be patterns."""
    if isinstance(value, str):
        several = value not in there and set(value) & set(",*?[")
        return (value,) if several else value
    if not isinstance(value, Sequence):
        return value  # which is no column, and refused later
    if not value:
        text = " must be a column, or a list of columns, one for each class."
        raise InputError(argument(role.argument), text)
    if len(set(value)) < len(value):
        raise InputError(argument(role.argument), " has a column twice. Name each column once.")
    return _one_or_each(role, value[0], there) if len(value) == 1 else tuple(value)


def _there(role: Role, value: Any, kinds: Mapping[str, str], name: str) -> Any:
    """Return what `_plain` does, if all of it is there, with patterns replaced by columns."""
    plain = _plain(role, value, kinds)
    if isinstance(plain, tuple):
        return _matching(role, plain, kinds, name)
    if plain in [*kinds] or (role.may_be_number and not isinstance(plain, str)):
        return plain
    raise _absent(role, plain, kinds, name)


def _matching(
    role: Role, wanted: Sequence[str], kinds: Mapping[str, str], name: str
) -> tuple[str, ...]:
    """Return the columns with these names, or that fit these patterns, in the data's order.

    Columns of classes are in the order in which they were named, which is that of the classes.
    """
    found: dict[str, None] = {}
    for entry in wanted:
        parts = [entry] if entry in kinds else [part.strip() for part in str(entry).split(",")]
        for part in parts:
            fits = {part} & kinds.keys() or {one for one in kinds if fnmatchcase(one, part)}
            if not fits:
                raise _absent(role, part, kinds, name)
            found |= dict.fromkeys(one for one in kinds if one in fits)
    if role.by_class and len(found) < 2:
        text = f" needs two columns or more, one for each class; {wanted[0]!r} is {len(found)}."
        raise InputError(argument(role.argument), text)
    return tuple(found if role.by_class else (one for one in kinds if one in found))


def _absent(role: Role, column: object, kinds: Mapping[str, str], name: str) -> InputError:
    near = difflib.get_close_matches(str(column), map(str, kinds), n=1)
    meant = f" Did you mean {near[0]}?" if near else ""
    return InputError(
        f"No column of {name} is called {column!r} (",
        argument(role.argument),
        f").{meant} {_listed(kinds, name)}",
    )


def _beside_votes(
    columns: Mapping[str, Any], kinds: Mapping[str, str], allowed: Sequence[Layout]
) -> ChosenColumns | None:
    """Return the votes that names tell next to a label, which alone was named, and no scores."""
    left = {one: kind for one, kind in kinds.items() if one != columns.get(LABEL.name)}
    if columns.keys() != {LABEL.name} or any(fitting(role, left) for role in SCORES.roles[:1]):
        return None
    made = {layout.roles[:-1]: layout for layout in allowed if layout.of_shares}
    votes = [layout for layout in LAYOUTS if layout.roles in made]
    readings = likely_readings(left, votes)
    if len(readings) != 1:
        return None
    (votes_alone,) = readings
    together = {**votes_alone.columns, **columns}
    return ChosenColumns(made[votes_alone.layout.roles], together, votes_alone.guessed)


def _completed(
    layout: Layout,
    columns: Mapping[str, Any],
    kinds: Mapping[str, str],
    name: str,
    allowed: Sequence[Layout],
) -> ChosenColumns:
    """Return the layout with the columns that the user left out, if each can only be one."""
    found, guessed = dict(columns), []
    for role in layout.roles:
        if role.name in found:
            continue
        left = [one for one in kinds if one not in ChosenColumns(layout, found).used]
        named = fitting_kind(role, fitting(role, left), kinds)
        each = one_for_each(role, {one: kinds[one] for one in left}) if role.by_class else ()
        if each and not named:
            found[role.name] = each
            guessed.append(role.name)
            continue
        left = [one for one in left if not (role.is_number and names_an_id(one))]
        may_be = len(left) == 1 and (not role.is_number or kinds[left[0]] == "number")
        if len(named) != 1 and may_be:
            named = left
        if len(named) == 1:
            found[role.name] = named[0]
            guessed.append(role.name)
    missing = tuple(role for role in layout.needed if role.name not in found)
    if missing:
        text = " is missing. Name its column" if len(missing) == 1 else " are missing. Name them"
        found_none = f"{text}, too. {_listed(kinds, name)}"
        features = _features_beside(layout, columns, kinds)
        votes = _votes_beside(layout, columns, allowed)
        mentions = joined([argument(role.argument) for role in missing])
        error = MissingColumnsError(*mentions, found_none, *features, *votes)
        error.missing = missing
        raise error
    ordered = {role.name: found[role.name] for role in layout.roles if role.name in found}
    return ChosenColumns(layout, ordered, tuple(guessed))


def _features_beside(
    layout: Layout, columns: Mapping[str, Any], kinds: Mapping[str, str]
) -> tuple[Part, ...]:
    """Say what is for columns of numbers next to a label, where that is all that was named."""
    label = columns.get(LABEL.name)
    numbers = [
        one
        for one, kind in kinds.items()
        if kind == "number" and one != label and not names_an_id(one)
    ]
    if layout is not SCORES or columns.keys() != {LABEL.name} or len(numbers) < _FEWEST_FEATURES:
        return ()
    named = argument("label", label)
    features = function("from_features")
    return (" If the columns of numbers are features, use ", features, " with ", named, ".")


def _votes_beside(
    layout: Layout, columns: Mapping[str, Any], allowed: Sequence[Layout]
) -> tuple[Part, ...]:
    """Say how votes are named next to a label, where that is all that was named."""
    votes = [replace(one, roles=one.roles[:-1]) for one in allowed if one.of_shares]
    alone = layout is SCORES and columns.keys() == {LABEL.name}
    return usage(votes, " If there are votes, give their columns with") if alone and votes else ()


def _listed(kinds: Mapping[str, str], name: str) -> str:
    if not kinds:
        return f"There are no columns in {name}."
    listed = [f"{one} ({kind})" for one, kind in list(kinds.items())[:_MOST_LISTED]]
    more = f" and {len(kinds) - _MOST_LISTED} more" if len(kinds) > _MOST_LISTED else ""
    return f"The columns of {name} are {', '.join(listed)}{more}."


def _lines(head: str, lines: Iterable[Sequence[Part]]) -> tuple[Part, ...]:
    return (head, *(part for line in lines for part in ("\n  ", *line)))


def _typed(mentions: Sequence[Part]) -> tuple[Part, ...]:
    """Mention arguments so that they stand behind all that was typed so far."""
    first, *others = mentions
    return (replace(first, is_command=True) if isinstance(first, Mention) else first, *others)
