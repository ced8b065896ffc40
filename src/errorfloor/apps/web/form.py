"""The form: the columns with their roles and checks, and what is asked of them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from errorfloor import intervals, methods, metrics
from errorfloor._numbers import counted
from errorfloor.apps.web.preview import Column, Guess, Preview, Way, are_numbers
from errorfloor.apps.web.remedies import Remedy, column_of, remedies_of
from errorfloor.apps.web.state import (
    COMMON,
    FEATURE,
    FIELDS,
    OF_RATINGS,
    ROLE,
    ROLE_WORDS,
    ROLES,
    State,
    on_page,
)
from errorfloor.checks.record import Checked
from errorfloor.data.layouts import BESIDE_LABELS, RATING, SIDE_BY_SIDE
from errorfloor.data.options import Source
from errorfloor.data.tables import ScoreTable, SoftTable, Table, VoteTable
from errorfloor.features.classics import EVERY_NAME
from errorfloor.methods.record import Classes
from errorfloor.metrics.variances import NAMES as RATING_METRICS
from errorfloor.metrics.variances import R2, rating_metric
from errorfloor.questions.options import FLAG, Number, Whole
from errorfloor.results import ModelComparison
from errorfloor.results.claim import Finding
from errorfloor.show.markup import Markup, listed, tag, visible
from errorfloor.show.report.html import LEVELS
from errorfloor.show.report.summary import once

MORE = "more"  # in the place of a role: shows all of them
_FEW = 12  # columns with a role, and without one, that are shown at once
_MOST = 300  # columns without a role that can be given one
_BESIDE_VOTES = tuple(layout.name for layout in BESIDE_LABELS)
_MOST_WAYS = 3  # to read the columns
_MOST_NAMED = 6  # columns on a button
WHICH = "Which columns should be used?"
_NEEDS = (
    "votes of several people on each item: a column for each person, or a row for each vote",
    "a model's score and a true label for each item",
    "what a model sees of each item (its inputs) and a true label",
    "ratings by several people: numbers, such as grades",
)
_COUNTS_ALONE = "No column names: this is a saved table of counts."


@dataclass(frozen=True, slots=True)
class Facts:
    """What the form shows, with what it was sent."""

    state: State
    preview: Preview
    classes: Mapping[str, int]
    table: Table | None = None  # the first of them, once columns can be read
    source: Source | None = None
    estimates: tuple[Checked, ...] = ()  # whose findings are shown

    @property
    def of_ratings(self) -> bool:
        """Whether numbers are asked about, not classes."""
        return not {RATING.name, SIDE_BY_SIDE.name}.isdisjoint(self.state.roles.values())

    @property
    def of_models(self) -> bool:
        """Whether models are compared with each other."""
        return any(isinstance(one, ModelComparison) for one in self.estimates)

    @property
    def findings(self) -> list[tuple[Finding, Checked]]:
        """What the checks found: all of one floor, what is serious of several."""
        alone = len(self.estimates) == 1
        found = {
            (one.name, one.value): (one, row)
            for row in self.estimates
            for one in row.findings
            if alone or one.level in ("refuted", "warn")
        }
        return list(found.values())


def columns_part(facts: Facts) -> Markup:
    """Return the columns, each with its role and what was found about it."""
    state, preview = facts.state, facts.preview
    heading = tag("h2", "What the columns are", id="columns-heading")
    if not preview.columns:
        return tag("section", heading, tag("p", _COUNTS_ALONE))
    # Those that have a role are all there, or the next question would be another one.
    own = [one.name for one in preview.columns if one.name in state.roles]
    plain = [one.name for one in preview.columns if one.name not in state.roles][:_MOST]
    first = {*own[:_FEW], *plain[:_FEW]}
    kept = [one for one in preview.columns if one.name in {*own, *plain}]
    rest = [_column(one, facts) for one in kept if one.name not in first]
    more = (tag("details", tag("summary", f"{len(rest):,} more columns"), *rest),) if rest else ()
    left = len(preview.columns) - len(kept)
    title = (tag("p", f"{left:,} more are not shown.", class_="hint"),) if left else ()
    shown = (_column(one, facts) for one in kept if one.name in first)
    labelled = {"aria-labelledby": "columns-heading"}
    return tag("section", heading, *shown, *more, *title, _every_role(), **labelled)


def guess_part(guess: Guess, asks: str) -> Markup:
    """Return what the columns may be: what is missing for a floor, and a button for each way."""
    known = [way for way in guess.ways if ROLE_WORDS.keys() >= {*way.roles.values()}]
    ways = known[:_MOST_WAYS]
    lead = guess.lacks or (f"{WHICH} Our guess:" if ways else asks)
    needs: tuple[Markup, ...] = ()
    if not ways and not guess.lacks:
        listed = (tag("li", line) for line in _NEEDS)
        needs = (tag("p", "A floor needs one of these:"), tag("ul", *listed))
    say = "Or say" if ways else "Say"
    hint = tag("p", f"{say} in the list of columns what each of them is.", class_="hint")
    parts = (tag("p", tag("b", visible(lead))), *map(_one_way, ways), *needs, hint)
    return tag("div", *parts, class_="asking")


def _one_way(way: Way) -> Markup:
    columns: dict[str, list[str]] = {}
    for name, role in way.roles.items():
        columns.setdefault(role, []).append(visible(name))
    named = "; ".join(
        f"{_several(own)} as {ROLE_WORDS[role].title}{' each' * (len(own) > 1)}"
        for role, own in columns.items()
    )
    models = columns.get("prediction")
    fields = {f"{ROLE}{name}": role for name, role in way.roles.items()}
    take = button(Remedy(f"Compare {_several(models)}" if models else f"Use {named}", fields))
    return tag("div", tag("p", way.says), take, class_="way")


def _several(columns: Sequence[str]) -> str:
    """Return columns by their names, of many the first ones and the number of the others."""
    if len(columns) <= _MOST_NAMED:
        return listed(columns)
    return f"{', '.join(columns[:2])} and {len(columns) - 2} more"


def _column(column: Column, facts: Facts) -> Markup:
    name, role = column.name, facts.state.roles.get(column.name, "")
    listed = COMMON if not role or role in COMMON else (*COMMON, role)
    options = {"": "not used", **{one: ROLE_WORDS[one].title for one in listed}, MORE: "more …"}
    label = f"What {visible(name)} is"
    chip = select(f"{ROLE}{name}", options, role, label, chip="on" if role else "off")
    values = ", ".join(value or "blank" for value in column.values)
    head = tag(
        "div",
        tag("b", visible(name), dir="auto", class_="name"),
        chip,
        tag("span", values, dir="auto", class_="values"),
        class_="head",
    )
    same = [one for one, its in facts.state.roles.items() if its == role]
    # Of several columns with one role the first says what it is.
    about = (tag("p", ROLE_WORDS[role].help, class_="hint"),) if name in same[:1] else ()
    own = [pair for pair in facts.findings if column_of(pair[0], facts.state) == name]
    return tag("div", head, *about, *checks_list(own, facts), class_="column")


def _every_role() -> Markup:
    """Return all roles under headings, which take the place of the common ones on demand."""
    groups: dict[str, list[Markup]] = {}
    for name in ROLES:
        words = ROLE_WORDS[name]
        groups.setdefault(words.group, []).append(tag("option", words.title, value=name))
    listed = (tag("optgroup", *options, label=title) for title, options in groups.items())
    return tag("template", tag("option", "not used", value=""), *listed, id="every-role")


def checks_list(found: Iterable[tuple[Finding, Checked]], facts: Facts) -> tuple[Markup, ...]:
    """Return what was found, with buttons that do something about it."""
    every = list(found)
    rows = [_check(*pair, facts) for pair in every if pair[0].level != "ok"]
    fine = [_check(*pair, facts) for pair in every if pair[0].level == "ok"]
    shown = [tag("ul", *rows, class_="findings")] if rows else []
    if fine:
        title = f"{counted(len(fine), 'check')} fine"
        folded = tag("details", tag("summary", title), tag("ul", *fine, class_="findings"))
        shown.append(folded)
    return tuple(shown)


def _check(one: Finding, estimate: Checked, facts: Facts) -> Markup:
    one = once(one, estimate.warnings)
    buttons = map(button, remedies_of(one, estimate, facts.state, facts.classes))
    body = tag(
        "div",
        tag("p", tag("b", f"{one.name}:"), " ", visible(one.value)),
        tag("p", visible(on_page(one.text))),
        tag("div", *buttons, class_="row"),
    )
    return tag("li", tag("span", LEVELS[one.level], class_="level"), body, class_=one.level)


def button(remedy: Remedy, look: str = "") -> Markup:
    """Return a button that sets fields."""
    given = {"data-set": json.dumps(dict(remedy.fields)), **({"class": look} if look else {})}
    return tag("button", visible(remedy.title), type="button", **given)


def question_part(facts: Facts) -> Markup:
    """Return the fields for what is asked; nothing before it is known what the columns are."""
    if facts.preview.columns and not facts.state.roles:
        return Markup("")
    groups: tuple[tuple[str, Iterator[Markup]], ...] = (
        ("Labels", _labels(facts)),
        ("Metric and method", _asked(facts)),
        ("My model", _model(facts)),
    )
    if FEATURE.name in facts.state.roles.values():  # which answer one question
        groups = (("Method", _of_features(facts.state)),)
    if facts.of_ratings:
        groups = (("Metric", _of_ratings(facts.state)),)
    parts = [
        tag("fieldset", tag("legend", title), *fields)
        for title, fields in ((title, list(own)) for title, own in groups)
        if fields
    ]
    more = tag("details", tag("summary", "More options"), *_more(facts), id="more-options")
    heading = tag("h2", "Question", id="question-heading")
    return tag("section", heading, *parts, more, **{"aria-labelledby": "question-heading"})


def _of_features(state: State) -> Iterator[Markup]:
    yield field("method", state, {"": "the default", **{one: one for one in EVERY_NAME}})
    yield field("level", state)


def _of_ratings(state: State) -> Iterator[Markup]:
    titles = {"" if one == R2.name else one: rating_metric(one).words for one in RATING_METRICS}
    yield field(f"{OF_RATINGS}metric", state, titles)
    yield field(f"{OF_RATINGS}label", state)
    if SIDE_BY_SIDE.name in state.roles.values():
        yield field(f"{OF_RATINGS}rater", state)


def _labels(facts: Facts) -> Iterator[Markup]:
    state, classes = facts.state, facts.classes
    columns = Counter(role for role in state.roles.values() if ROLES[role].by_class)
    if columns and max(columns.values()) > 1:  # one for each class, so that none is class 1
        counted_up = ", ".join(f"{visible(name)} ({n:,})" for name, n in classes.items())
        yield tag("p", f"Classes: {counted_up or 'one for each column'}.", dir="auto")
    elif len(classes) > 1:
        title = "" if len(classes) == 2 else "Ask about"
        yield field("positive", state, _class_options(facts), title)
    if (are_numbers(classes) and len(classes) > 2) or state.field("positive_from"):
        yield field("positive_from", state)
    if "votes" in state.roles.values() and "total" not in state.roles.values():
        yield number("totals", state, "Votes on each item")
    if facts.source is not None and facts.source.layout in _BESIDE_VOTES:
        yield field("label_is_vote", state)
    if isinstance(facts.table, VoteTable):
        yield field("majority", state)
    if isinstance(facts.table, ScoreTable) and "score" in state.roles.values():
        yield field("complete", state)
    if "group" in state.roles.values():
        yield field("simultaneous", state)


def _class_options(facts: Facts) -> dict[str, str]:
    """Return the classes with their numbers; the value is blank for what is so by default."""
    classes, chosen = facts.classes, facts.state.field("positive")
    known = None if facts.source is None else facts.source.facts.get("classes")
    usual = str(known["1"][0]) if isinstance(known, dict) and len(known["1"]) == 1 else "1"
    several = len(classes) > 2
    options = {"": f"all {len(classes)} classes"} if several else {}
    if not several and (chosen or usual not in classes):
        options[""] = "told by the values"
    for name, count in classes.items():
        is_usual = not chosen and not several and name == usual
        rest = " against the rest" if several else ""
        options["" if is_usual else name] = f"{visible(name)}{rest} ({count:,})"
    return options


def _asked(facts: Facts) -> Iterator[Markup]:
    state = facts.state
    names = {"" if one.is_error else one.name: one for one in metrics.METRICS}
    titles = {name: one.words for name, one in names.items()}
    yield field("metric", state, titles)
    chosen = names.get(state.field("metric"))
    for name in () if chosen is None else (*chosen.needs, *chosen.takes):
        yield field(name, state)
    if facts.table is not None:
        kind, number_of = facts.table.kind, Classes.of(facts.table)
        able = methods.names(kind, number_of, state.field("metric") or metrics.ERROR.name)
        yield field("method", state, {"": "the default", **{one: one for one in able}})


def _model(facts: Facts) -> Iterator[Markup]:
    state = facts.state
    if facts.of_models:
        return
    if "prediction" in state.roles.values():
        yield tag("p", "Its predictions are in the file, and are judged by them.", class_="hint")
        return
    if state.field("metric"):
        name = metrics.named(state.field("metric")).words
        model = field("model_value", state, label=f"Its {name} is")
        yield tag("div", model, field("n", state, label="on"), class_="row")
    else:
        yield tag("div", field("errors", state), field("n", state), class_="row")
    if isinstance(facts.table, VoteTable):
        yield field("same_labelling", state)


def _more(facts: Facts) -> Iterator[Markup]:
    state, roles = facts.state, set(facts.state.roles.values())
    if FEATURE.name in roles:
        yield field("duplicates", state)
        yield field("drop_missing", state)
        return
    yield field("level", state)
    if facts.of_models:
        yield field("drop_missing", state)
        return
    if facts.of_ratings:
        yield field(f"{OF_RATINGS}raters", state)
        yield field("drop_missing", state)
        return
    known = {"": "chosen to fit the method", **{one: one for one in intervals.names()}}
    yield field("interval", state, {**known, "none": "none"})
    yield field("missing", state)
    yield field("drop_missing", state)
    if isinstance(facts.table, ScoreTable) or facts.table is None:
        yield field("unlabelled", state)
    if "annotator" in roles:
        yield field("duplicates", state)
    if isinstance(facts.table, VoteTable):
        yield field("totals_by", state)
        yield field("stopping", state)
    if not isinstance(facts.table, SoftTable) or state.field("classes"):
        yield field("classes", state)


def field(
    name: str, state: State, titles: Mapping[str, str] | None = None, label: str = ""
) -> Markup:
    """Return the field of an option: a choice, a box to tick, or a place for text.

    Parameters
    ----------
    name : str
        The option's name.
    state : State
        What stands in the fields.
    titles : dict of str to str, optional
        What the values to choose from are called, where only the data tell them.
    label : str, optional
        The words before the field, if not those of the option.
    """
    option = FIELDS[name]
    title, choices = label or option.label, titles or option.titles
    if choices:
        return select(name, choices, state.field(name), title)
    if option.kind is FLAG:
        return check(name, state, title)
    title = f"{title}, {option.hint}" if option.hint else title
    if isinstance(option.kind, Number | Whole) and not option.hint:
        return number(name, state, title, option.after)
    return text(name, state, title)


def select(name: str, options: Mapping[str, str], value: str, label: str, chip: str = "") -> Markup:
    """Return a choice; what was chosen stays there even if it is none of the options."""
    known = options if value in options else {**options, value: value}
    listed = (
        tag("option", title, value=one, **({"selected": "selected"} if one == value else {}))
        for one, title in known.items()
    )
    if chip:
        given = {"aria-label": label, "data-chip": chip}
        return tag("select", *listed, name=name, id=f"f-{name}", **given)
    own = tag("select", *listed, name=name, id=f"f-{name}")
    return tag("label", tag("span", label), own, class_="field")


def number(name: str, state: State, label: str, after: str = "") -> Markup:
    """Return a short field for a number."""
    return _field(name, state, label, after, inputmode="decimal", size="6")


def text(name: str, state: State, label: str) -> Markup:
    """Return a field for anything."""
    return _field(name, state, label, "", size="14")


def check(name: str, state: State, label: str) -> Markup:
    """Return a box to tick."""
    ticked = " checked" if state.field(name) else ""
    box = Markup(f'<input type="checkbox" name="{name}" id="f-{name}" value="yes"{ticked}>')
    return tag("label", box, tag("span", label), class_="check")


def _field(name: str, state: State, label: str, after: str, **more: str) -> Markup:
    opened = tag("input", name=name, id=f"f-{name}", value=state.field(name), autocomplete="off",
                 **more)  # fmt: skip
    own = Markup(opened.removesuffix("</input>"))
    return tag("label", tag("span", label), own, tag("span", after), class_="field")
