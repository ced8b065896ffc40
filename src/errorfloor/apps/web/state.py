"""What a form says, as the records that functions take.

Its fields are the options of one list, which says how each is read: what is refused on the command
line is refused here.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from errorfloor._checks import InputError, Mention, told
from errorfloor.data.layouts import BESIDE, LAYOUTS, RATED, RATER, RATING, SIDE_BY_SIDE, Role
from errorfloor.data.options import HOW_TO_READ, ReadOptions, Source
from errorfloor.questions.compare import ModelsAsk
from errorfloor.questions.models import ModelOptions
from errorfloor.questions.options import (
    ASK_OPTIONS,
    FLAG,
    MODEL_OPTIONS,
    OPTIONS,
    PLAN_OPTIONS,
    RATING_OPTIONS,
    AskOption,
)
from errorfloor.questions.question import Ask

ROLE = "role:"  # before the name of a column, in the name of a field
GROUP = Role("group", "group", "One answer for each value of this column.")
PREDICTION = Role(
    "prediction",
    "prediction",
    "What a model predicts for the item, which is then judged.",
    several=True,
)
FEATURE = Role(
    "feature",
    "features",
    "What a model sees of an item: with a label, the floor has an upper limit.",
    several=True,
)
_PLAIN = tuple({role.name: role for layout in LAYOUTS for role in layout.roles}.values())
_RATINGS = (RATING, SIDE_BY_SIDE, RATER)
ROLES = {role.name: role for role in (*_PLAIN, *_RATINGS, *BESIDE, GROUP, PREDICTION, FEATURE)}
OF_RATINGS = "rating_"  # before the name of a field whose name another question has
FIELDS = {**OPTIONS, **{f"{OF_RATINGS}{name}": one for name, one in RATING_OPTIONS.items()}}


@dataclass(frozen=True, slots=True)
class RoleWords:
    """What the page calls a role, what it says of it, and under which heading it is listed."""

    title: str
    help: str
    group: str


ROLE_WORDS = {
    "label": RoleWords("true label", "The one true label of an item.", "Labels"),
    "score": RoleWords(
        "model's score",
        "A score for class 1, next to a true label. For many classes, a column for each.",
        "Models",
    ),
    "prediction": RoleWords(
        "model's answer",
        "What a model predicts. Several models are compared with people, or with each other.",
        "Models",
    ),
    "annotators": RoleWords(
        "one person's votes", "A column for each person; blanks are allowed.", "Votes"
    ),
    "group": RoleWords("group", "One answer for each value of this column.", "Sampling"),
    "vote": RoleWords("vote", "One person's vote on an item: a row for each vote.", "Votes"),
    "item": RoleWords("item", "The item that a vote or a rating is about.", "Votes"),
    "annotator": RoleWords("who voted", "Whose vote it is.", "Votes"),
    "annotations": RoleWords(
        "list of votes", "All votes on an item in one column, such as 0;1;1.", "Votes"
    ),
    "votes": RoleWords("votes for class 1", "How many people voted for class 1.", "Votes"),
    "total": RoleWords("number of votes", "How many people voted on the item.", "Votes"),
    "counts": RoleWords("votes for one class", "A column for each class.", "Votes"),
    "rating": RoleWords(
        "rating", "A number that a person gave to an item: a row for each.", "Ratings"
    ),
    "ratings": RoleWords(
        "one person's ratings",
        "A column of numbers for each person, blanks are allowed; or lists such as 5;6;3.",
        "Ratings",
    ),
    "rater": RoleWords("who rated", "The person who gave the rating.", "Ratings"),
    "soft": RoleWords(
        "true probability", "The true probability of class 1, or of each class.", "Labels"
    ),
    "feature": RoleWords(
        "model's input", "What a model sees of an item, next to a true label.", "Models"
    ),
    "weight": RoleWords(
        "weight", "What an item weighs, such as one over the chance that it was picked.", "Sampling"
    ),
    "cluster": RoleWords(
        "belongs together",
        "Items that depend on each other, such as those of one patient.",
        "Sampling",
    ),
}
QUOTES = "'\""  # around values that are text
COMMON = ("label", "score", "prediction", "annotators", "group")  # the rest is behind "more"
# How to read the columns; the other options are roles of columns, or no question of a page.
_READING = tuple(name for name in HOW_TO_READ if name in OPTIONS and name != "format")
_BOXES = {"simultaneous": "group", "complete": "score", "label_is_vote": "label"}  # by role
_ASK = tuple(name for name in ASK_OPTIONS if name not in ("bias_for_error", "reached"))
_ARGUMENTS = {role.argument: role for role in ROLES.values()}


# What the page has for functions that messages name.
_INSTEAD = {
    "from_votes": "the roles of votes",
    "from_scores": f'the role "{ROLE_WORDS["score"].title}"',
    "from_soft_labels": f'the role "{ROLE_WORDS["soft"].title}"',
    "from_features": f'the role "{ROLE_WORDS["feature"].title}"',
    "from_ratings": f'the role "{ROLE_WORDS["rating"].title}"',
    "compare": f'the role "{ROLE_WORDS["prediction"].title}"',
    "people": f'the role "{ROLE_WORDS["prediction"].title}" next to votes',
}


def on_page(said: InputError | str) -> str:
    """Return a message or a text of a result in the page's words: fields are chosen, not passed."""
    text = said.told(in_form) if isinstance(said, InputError) else told(said, in_form)
    return re.sub(
        r'\b(?:(P)|p)ass (?="|the role ")', lambda m: "Choose " if m[1] else "choose ", text
    )


def in_form(mention: Mention) -> str:
    """Return how people who look at the page call an argument or a function of the library."""
    if mention.is_aside:
        word = _word(mention.name)
        return f" ({word})" if word else ""
    if mention.is_function:
        return _INSTEAD.get(mention.name, mention.name)
    if mention.name in _ARGUMENTS:
        role = f'the role "{ROLE_WORDS[_ARGUMENTS[mention.name].name].title}"'
        return role if mention.value is None else f"{role} for {mention.value}"
    word = _word(mention.name)
    if not word:
        return mention.name if mention.value is None else f"{mention.name} = {mention.value}"
    option = _option(mention.name)
    if mention.value is None or option is None or option.kind is FLAG:
        return word
    return f"{word} {option.titles.get(mention.value.strip(QUOTES), mention.value)}"


def _word(name: str) -> str:
    """Return what the page calls an argument, in quotes; nothing for what it does not have."""
    if name in _ARGUMENTS:
        return f'"{ROLE_WORDS[_ARGUMENTS[name].name].title}"'
    option = _option(name)
    return f'"{option.label}"' if option is not None and option.label else ""


def _option(name: str) -> AskOption | None:
    return OPTIONS.get(name) or RATING_OPTIONS.get(name)


@dataclass(frozen=True, slots=True)
class State:
    """A file of a page, the roles of its columns, and the other fields of the form."""

    file: str
    given: Mapping[str, str]

    @property
    def roles(self) -> dict[str, str]:
        """The role of each column that has one."""
        return {
            name.removeprefix(ROLE): role
            for name, role in self.given.items()
            if name.startswith(ROLE) and role in ROLES
        }

    def field(self, name: str) -> str:
        """Return what stands in a field; empty where there is none.

        A ticked box stays in the form for a moment when its column has lost the role.
        """
        if name in _BOXES and _BOXES[name] not in self.roles.values():
            return ""
        return self.given.get(name, "").strip()

    def with_fields(self, more: Mapping[str, str]) -> State:
        """Return the same with other values of some fields."""
        return State(self.file, {**self.given, **more})

    def with_guesses(self, source: Source, columns: Collection[str]) -> State:
        """Return the same with the roles that were guessed, so that the form shows them."""
        guessed = {
            f"{ROLE}{name}": role
            for role in source.guessed
            for name in _several(source.columns.get(role))
            if name in columns
        }
        return self.with_fields(guessed)

    @property
    def without_plan(self) -> tuple[tuple[str, str], ...]:
        """The fields that an answer depends on."""
        return tuple(sorted(pair for pair in self.given.items() if pair[0] not in PLAN_OPTIONS))

    @property
    def predictions(self) -> tuple[str, ...]:
        """The columns of models' predictions."""
        return tuple(self._columns().get("prediction", ()))

    @property
    def are_models(self) -> bool:
        """Whether several models are next to a label, and to nothing that tells of the floor."""
        others = {*self.roles.values()} - {"label", "prediction", "weight", "cluster", "group"}
        return len(self.predictions) > 1 and not others

    def models_ask(self) -> ModelsAsk:
        """Return what is asked of models, whose metric is the usual one where none is chosen."""
        return ModelsAsk.of(self.ask(), is_named=bool(self.field("metric")))

    def features(self) -> dict[str, Any] | None:
        """Return the columns of features, with the label and the cluster; None without any."""
        columns = self._columns()
        if FEATURE.argument not in columns:
            return None
        able = ("label", "cluster", FEATURE.argument)
        for name in columns.keys() - {*able}:
            raise InputError(
                f"A model's inputs go with a true label, not with {in_form(Mention(name))}. Change "
                "one of them."
            )
        return columns

    def ratings(self) -> dict[str, Any] | None:
        """Return the columns of ratings, what goes with them and what is asked; None without any.

        A person's ratings are a column each, so that those of one column are lists.
        """
        columns = self._columns()
        if not columns.keys() & {RATING.argument, SIDE_BY_SIDE.argument}:
            return None
        able = {
            RATED.argument,
            *(role.argument for role in (*_RATINGS, *BESIDE, GROUP, PREDICTION)),
        }
        for name in columns.keys() - able:
            raise InputError(
                f"Ratings are numbers, and do not go with {in_form(Mention(name))}. Change one of "
                "them."
            )
        for name, own in columns.items():
            if isinstance(own, list) and len(own) == 1:
                columns[name] = own[0]
        if isinstance(columns.get(PREDICTION.argument), list):
            raise InputError("One model at a time is compared with ratings. Change one of them.")
        asked = {
            name: option.read(self.field(f"{OF_RATINGS}{name}"))
            for name, option in RATING_OPTIONS.items()
            if option.label
        }
        columns.setdefault("rater", asked.pop("rater") or None)
        return {**columns, **asked, **self.values(("drop_missing", "level"))}

    def where(self) -> ReadOptions:
        """Return which columns hold what, and how to read their values."""
        columns = self._columns()
        columns.pop("prediction", None)
        return ReadOptions.of(**columns, **self.values(_READING))

    def ask(self) -> Ask:
        """Return what is asked."""
        return Ask(**self.values((*_ASK, "simultaneous")))

    def model(self) -> ModelOptions:
        """Return what is known of a model."""
        return ModelOptions(**self.values(MODEL_OPTIONS))

    def values(self, names: Iterable[str]) -> dict[str, Any]:
        """Return the values of options; the default where a field is empty."""
        return {name: OPTIONS[name].read(self.field(name)) for name in names}

    def _columns(self) -> dict[str, Any]:
        """Return the columns by the names of arguments."""
        found: dict[str, list[str]] = {}
        for column, its in self.roles.items():
            found.setdefault(its, []).append(column)
        columns: dict[str, Any] = {}
        for name, own in found.items():
            role = ROLES[name]
            if len(own) > 1 and not (role.several or role.by_class):
                raise InputError(
                    f"{own[0]!r} and {own[1]!r} cannot both be the {ROLE_WORDS[name].title}. "
                    "Change one of them."
                )
            columns[role.argument] = own if role.several or len(own) > 1 else own[0]
        if self.field("totals") and "positives" in columns:
            columns.setdefault("totals", self.field("totals"))
        return columns


def _several(columns: Any) -> tuple[Any, ...]:
    return tuple(columns) if isinstance(columns, list | tuple) else (columns,)
