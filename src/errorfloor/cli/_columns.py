"""Which columns hold what: as the user says, or guessed where only one reading is possible."""

from __future__ import annotations

import difflib
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

# Ways to lay labels out, with the columns that each needs.
LAYOUTS: dict[str, tuple[str, ...]] = {
    "scores": ("score", "label"),
    "votes": ("votes", "total"),
    "soft labels": ("soft",),
    "annotations": ("item", "annotator", "vote"),
    "annotators": ("annotators",),
}
OPTIONAL = frozenset({"annotator"})  # where the other columns are named

# Names that say what a column holds, in small letters with "_" for anything else.
_LABEL = {"label", "labels", "y", "y_true", "true_label", "target", "truth", "gold", "outcome"}
_SOFT = {"soft", "soft_label", "soft_labels"}
_NAMES = {
    "score": {"score", "scores", "p", "prob", "proba", "probability", "p_hat", "y_score"}
    | {"y_prob", "y_proba", "pred_proba", "logit"}
    | _SOFT,
    "label": _LABEL,
    "votes": {"votes", "positives", "positive_votes", "n_positive", "k"},
    "total": {"total", "totals", "n_votes", "m"},
    "soft": _SOFT,
    "item": {"item", "items", "item_id", "example_id"},
    "annotator": {"annotator", "annotator_id", "worker", "worker_id", "rater", "rater_id"},
    "vote": {"vote", "answer", "annotation", "response"} | _LABEL,
}
_NUMBERS = {"score", "votes", "total", "soft"}
_ONE_OF_SEVERAL = re.compile(r"(annotator|rater|worker|coder|judge|vote|vote_of|label)_?\d+")


@dataclass(frozen=True, slots=True)
class Chosen:
    """A layout and its columns; `guessed` are the roles whose columns the user did not name."""

    layout: str
    columns: Mapping[str, str | tuple[str, ...]]
    guessed: tuple[str, ...] = ()

    def sentence(self) -> str:
        """Say which columns were guessed, as the options that would have named them."""
        named = ((role, self.columns[role]) for role in self.guessed)
        options = (
            f"--{role} {shlex.quote(column if isinstance(column, str) else ','.join(column))}"
            for role, column in named
        )
        return f"took {' '.join(options)}"


def check_options(given: Mapping[str, object], allowed: Sequence[str]) -> None:
    """Refuse columns that belong to different layouts, or to none of the allowed ones."""
    if not any(given.keys() <= set(LAYOUTS[layout]) for layout in allowed):
        options = " and ".join(f"--{role}" for role in given)
        raise ValueError(f"{options} cannot be used together here. {_usage(allowed)}")


def choose(
    kinds: Mapping[str, str],
    given: Mapping[str, str | Sequence[str]],
    allowed: Sequence[str],
    name: str,
) -> Chosen:
    """Return the one layout that fits the columns of a file, or say what the columns are.

    Parameters
    ----------
    kinds : dict
        Kind of each column, by its name.
    given : dict
        Columns that the user named, by role.
    allowed : sequence of str
        Layouts that the command can use.
    name : str
        What the file is called in messages.
    """
    for role, column in given.items():
        if isinstance(column, str):
            _check_is_there(column, role, kinds, name)
    if "annotators" in given:
        wide = _matching(given["annotators"], kinds, name)
        return Chosen("annotators", {"annotators": wide})
    if given:
        layout = next(one for one in allowed if given.keys() <= set(LAYOUTS[one]))
        found = _complete(layout, kinds, given)
        if found is None:
            missing = [f"--{role}" for role in LAYOUTS[layout] if role not in {*given, *OPTIONAL}]
            raise ValueError(
                f"{name} needs {' and '.join(missing)} as well. {_columns(kinds, name)}"
            )
        return found
    readings = [found for layout in allowed if (found := _by_name(layout, kinds)) is not None]
    readings = readings or _by_kind(kinds, allowed)
    if len(readings) == 1:
        return readings[0]
    raise ValueError(
        f"Cannot tell which columns to take. {_columns(kinds, name)} {_usage(allowed)}"
    )


def _check_is_there(column: str, role: str, kinds: Mapping[str, str], name: str) -> None:
    if column in kinds or role == "annotators" or (role == "total" and column.isdecimal()):
        return
    near = difflib.get_close_matches(column, kinds, n=1)
    meant = f" Did you mean {near[0]}?" if near else ""
    raise ValueError(f"{name} has no column {column!r} (--{role}).{meant} {_columns(kinds, name)}")


def _matching(wanted: Sequence[str], kinds: Mapping[str, str], name: str) -> tuple[str, ...]:
    """Return the columns with these names, or that fit these patterns, in the file's order."""
    found: set[str] = set()
    for entry in wanted:
        parts = [entry] if entry in kinds else [part.strip() for part in entry.split(",")]
        for part in parts:
            fitting = {part} & kinds.keys() or {one for one in kinds if fnmatchcase(one, part)}
            if not fitting:
                raise ValueError(
                    f"No column of {name} is called {part!r} (--annotators). "
                    f"{_columns(kinds, name)}"
                )
            found |= fitting
    return tuple(one for one in kinds if one in found)


def _complete(
    layout: str, kinds: Mapping[str, str], given: Mapping[str, str | Sequence[str]]
) -> Chosen | None:
    """Return the layout with the columns that the user left out, if each can only be one."""
    columns: dict[str, str | tuple[str, ...]] = {role: str(given[role]) for role in given}
    guessed = []
    for role in LAYOUTS[layout]:
        if role in columns:
            continue
        left = [one for one in kinds if one not in columns.values()]
        named = [one for one in left if _fits(one, role)]
        if len(named) != 1 and len(left) == 1 and _may_be(left[0], role, kinds):
            named = left
        if len(named) == 1:
            columns[role] = named[0]
            guessed.append(role)
        elif role not in OPTIONAL:
            return None
    return Chosen(layout, columns, tuple(guessed))


def _by_name(layout: str, kinds: Mapping[str, str]) -> Chosen | None:
    """Return the layout if exactly one column has a name for each of its roles."""
    if layout == "annotators":
        several = tuple(one for one in kinds if _ONE_OF_SEVERAL.fullmatch(_plain(one)))
        return Chosen(layout, {"annotators": several}, ("annotators",)) if several[1:] else None
    columns: dict[str, str | tuple[str, ...]] = {}
    for role in LAYOUTS[layout]:
        named = [one for one in kinds if _fits(one, role)]
        if len(named) != 1:
            return None
        columns[role] = named[0]
    return Chosen(layout, columns, LAYOUTS[layout])


def _by_kind(kinds: Mapping[str, str], allowed: Sequence[str]) -> list[Chosen]:
    """Return scores and labels if there are two columns and only one of them is a number.

    Not where a name says otherwise: a column of scores with a word in it is text, too.
    """
    numbers = [one for one in kinds if kinds[one] == "number"]
    others = [one for one in kinds if kinds[one] in ("boolean", "text")]
    if "scores" in allowed and len(kinds) == 2 and len(numbers) == len(others) == 1:
        if _fits(others[0], "score") or _fits(numbers[0], "label"):
            return []
        return [Chosen("scores", {"score": numbers[0], "label": others[0]}, LAYOUTS["scores"])]
    return []


def _fits(column: str, role: str) -> bool:
    return _plain(column) in _NAMES[role]


def _may_be(column: str, role: str, kinds: Mapping[str, str]) -> bool:
    return role not in _NUMBERS or kinds[column] == "number"


def _plain(column: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", column.lower()).strip("_")


def _columns(kinds: Mapping[str, str], name: str) -> str:
    listed = [f"{one} ({kind})" for one, kind in list(kinds.items())[:40]]
    more = f" and {len(kinds) - 40} more" if len(kinds) > 40 else ""
    return f"The columns of {name} are {', '.join(listed)}{more}."


def _usage(allowed: Sequence[str]) -> str:
    ways = {
        "scores": "--score COL --label COL",
        "votes": "--votes COL --total COL",
        "soft labels": "--soft COL",
        "annotations": "--item COL --annotator COL --vote COL",
        "annotators": "--annotators COL,COL",
    }
    return "\n".join(["Name them by", *(f"  {ways[layout]}" for layout in allowed)])
