"""Questions of a page, answered in a worker: the form and the answer as parts of the page."""

from __future__ import annotations

import os
import re
import tempfile
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from errorfloor._checks import ErrorFloorWarning, InputError
from errorfloor.apps.cli.labels import Labels, compare_with_people, each
from errorfloor.apps.cli.session import Session
from errorfloor.apps.web import form
from errorfloor.apps.web.limits import reason
from errorfloor.apps.web.preview import (
    Guess,
    Preview,
    are_numbers,
    classes_of,
    first_state,
    guess_of,
    preview_of,
)
from errorfloor.apps.web.remedies import Remedy, column_of, remedies_of, remedies_of_error
from errorfloor.apps.web.state import (
    OF_RATINGS,
    PREDICTION,
    ROLE,
    ROLE_WORDS,
    State,
    on_page,
)
from errorfloor.checks.record import Checked
from errorfloor.data.columns import MissingColumnsError, UnclearColumnsError, fitting
from errorfloor.data.layouts import LAYOUTS, RATED, SCORES, SOFT_LABELS, VOTES, Layout
from errorfloor.data.options import Reading, ReadOptions
from errorfloor.data.tables import VoteTable
from errorfloor.features.classics import SEQUENTIAL
from errorfloor.metrics.variances import PEARSON, QWK, R2
from errorfloor.questions.options import OF_LIMITS, OF_METRIC, PLAN_OPTIONS
from errorfloor.questions.question import Ask
from errorfloor.results import Estimate, Groups, Verdict
from errorfloor.show.card import has_card
from errorfloor.show.html import html_of, intervals_of
from errorfloor.show.markup import Markup, listed, tag, visible
from errorfloor.show.numbers import with_capital
from errorfloor.show.palette import themed
from errorfloor.show.report import summarize
from errorfloor.show.report.document import Block, Document, Picture, Section, Text
from errorfloor.show.report.html import block_of, section_of
from errorfloor.show.report.summary import brief
from errorfloor.show.sentences import sentence_of

Tell = Callable[[Mapping[str, Any]], None]
_KEPT = 64  # files whose counts are kept
_ROWS = 2**21  # of counts that are kept, but for the last file's
_ANSWERS = 8  # that are kept


@dataclass(frozen=True, slots=True)
class Found:
    """What was read and what came of it."""

    reading: Reading | None  # of features there are no counts
    floor: Any
    verdict: Any = None

    @property
    def result(self) -> Any:
        """The verdict where there is one, else the floor."""
        return self.floor if self.verdict is None else self.verdict

    @property
    def estimates(self) -> tuple[Checked, ...]:
        """The floors, of which there may be one per group, or the models that were compared."""
        return tuple(each(self.floor).values())


class PageSession(Session):
    """A run of a command whose progress goes to the page."""

    def __init__(self, tell: Tell) -> None:
        super().__init__("app", (), as_json=False, quiet=True)
        self._tell = tell

    @contextmanager
    def step(self, what: str) -> Iterator[Callable[[float], None] | None]:
        """Tell what is done, and how far it is."""
        self._tell({"event": "progress", "what": what})

        def update(share: float) -> None:
            self._tell({"event": "progress", "what": what, "share": round(float(share), 3)})

        yield update


def answer(question: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    """Return what came of a question: parts of the page, or a report."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # results have their doubts
        if question.get("demo"):
            from errorfloor.apps import demo

            demo.save("demo")
        at = os.stat(question["file"])  # another upload may have the same name
        place = f"{question['folder']}/{question['file']}:{at.st_mtime_ns}:{at.st_size}"
        return KINDS[question["kind"]](question, place, PageSession(tell))


def _open(question: Mapping[str, Any], place: str, session: PageSession) -> dict[str, Any]:
    """Look at a file, and ask what is likely meant."""
    file = question["file"]
    try:
        with session.step(f"looking at {file}"):
            preview = _preview(place, file)
    except (InputError, OSError) as error:
        message = on_page(error) if isinstance(error, InputError) else reason(error) or str(error)
        return {"regions": {"problem": problem_part(message, [])}, "bad": True}
    return _parts(first_state(file, preview).with_fields(question["state"]), place, session)


def _ask(question: Mapping[str, Any], place: str, session: PageSession) -> dict[str, Any]:
    return _parts(State(question["file"], question["state"]), place, session)


def _parts(state: State, place: str, session: PageSession) -> dict[str, Any]:
    """Return the form and the answer, or what is wrong and what may help."""
    preview, found = _preview(place, state.file), None
    classes = _classes(place, state)
    problem, asked, message = Markup(""), Markup(""), ""
    try:
        if preview.columns and not state.roles:
            message = "Say which columns should be used. The answer will be here."
            asked = form.guess_part(_guess(place, state), form.WHICH)
        else:
            found = _found(place, state, session)
    except (UnclearColumnsError, MissingColumnsError) as error:
        asked = form.guess_part(_guess(place, state), _lacks(error, state))
    except InputError as error:
        problem = problem_part(on_page(error), remedies_of_error(error, state))
    facts = form.Facts(state, preview, classes)
    regions = {"problem": problem, "answer": asked, "steps": "", "standing": "", "downloads": ""}
    if found is not None:
        source, table = None, None
        if found.reading is not None:
            source, table = found.reading.source, next(iter(found.reading.tables.values()))
            state = state.with_guesses(source, {one.name for one in preview.columns})
        facts = form.Facts(state, preview, classes, table, source, found.estimates)
        message, own = answer_parts(found.result, found.floor, facts)
        regions |= own
    regions |= {"columns": form.columns_part(facts), "question": form.question_part(facts)}
    can = _can(found)
    if found is not None:
        regions["steps"] = steps_part(found.result, facts, can)
    file = state.file.removeprefix("demo/")
    return {
        "regions": regions,
        "status": message,
        "answered": found is not None,
        "file": file,
        **can,
    }


def _guess(place: str, state: State) -> Guess:
    """Return what the columns may be that have no role next to labels."""
    beside = ("weight", "cluster", "group")
    used = tuple(name for name, role in state.roles.items() if role in beside)
    return _guess_of(place, state.file, used, state.predictions)


def _lacks(error: UnclearColumnsError | MissingColumnsError, state: State) -> str:
    """Say which roles are missing."""
    if isinstance(error, UnclearColumnsError):
        return "These roles alone do not tell the floor."
    titles = [f'"{ROLE_WORDS[one.name].title}"' for one in error.missing]
    several = "roles are" if len(titles) > 1 else "role is"
    return f"Another {several} needed: {listed(titles)}."


def _can(found: Found | None) -> dict[str, bool]:
    """Tell what else can be asked of the same."""
    reading = None if found is None else found.reading
    kinds = set() if reading is None else {table.kind for table in reading.tables.values()}
    return {
        "comparable": kinds == {SCORES.kind},
        "plannable": bool(kinds - {SOFT_LABELS.kind}),
        "votes": kinds == {VOTES.kind},
    }


def _details(question: Mapping[str, Any], place: str, session: PageSession) -> dict[str, Any]:
    """Return what else the report says, with pictures."""
    found = _again(question, place, session)
    if found is None:
        return {"regions": {"details": ""}}
    with session.step("drawing"):
        return {"regions": {"details": details_part(_reported(found))}}


def _compare(question: Mapping[str, Any], place: str, session: PageSession) -> dict[str, Any]:
    from errorfloor.questions.compare import CompareAsk

    fields = (*OF_METRIC, *OF_LIMITS)
    body = _also(question, place, session, "comparing methods", CompareAsk, fields)
    return {"regions": {"compare-body": body}}


def _plan(question: Mapping[str, Any], place: str, session: PageSession) -> dict[str, Any]:
    from errorfloor.questions.plan import PlanAsk

    fields = (*OF_METRIC, *PLAN_OPTIONS, "level")
    body = _also(question, place, session, "planning", PlanAsk, fields)
    return {"regions": {"plan-body": body}}


def _also(
    question: Mapping[str, Any],
    place: str,
    session: PageSession,
    step: str,
    ask: type[Ask],
    fields: Iterable[str],
) -> Markup:
    """Return another answer about the same labels as notebooks show it, or why there is none."""
    from errorfloor.questions.question import answer

    state = State(question["file"], question["state"])
    try:
        found = _found(place, state, session)
        if found.reading is None:
            raise InputError("This needs scores or votes. Give a column that role.")
        with session.step(step):
            return Markup(themed(html_of(answer(found.reading, ask(**state.values(fields))))))
    except InputError as error:
        return tag("p", on_page(error), class_="caution")


def _report(question: Mapping[str, Any], place: str, session: PageSession) -> dict[str, Any]:
    """Return a report, or a card to share, to be saved by the browser."""
    from errorfloor.show.card import card
    from errorfloor.show.report import FORMATS

    suffix = question.get("format", "")
    found = _again(question, place, session)
    if found is not None and suffix == CARD and has_card(found.result):
        return {"name": f"card{suffix}", "text": card(found.result).svg}
    if found is None or suffix not in FORMATS:
        return {"event": "failed", "message": "There is no answer to report on yet."}
    with session.step("writing the report"):
        text = FORMATS[suffix].write(summarize(_reported(found)))
    return {"name": f"report{suffix}", "text": text}


def _reported(found: Found) -> Any:
    """Return what a report is about: of groups the floors alone."""
    return found.floor if isinstance(found.floor, Groups) else found.result


def _again(question: Mapping[str, Any], place: str, session: PageSession) -> Found | None:
    try:
        return _found(place, State(question["file"], question["state"]), session)
    except InputError:
        return None  # which the answer says


def _found(place: str, state: State, session: PageSession) -> Found:
    """Read and estimate; what was found last is kept, because other parts need it as well."""
    key = (place, state.without_plan)
    if key in _last:
        return _last[key]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ErrorFloorWarning)
        found = _estimated(place, state, session)
    while len(_last) >= _ANSWERS:
        _last.pop(next(iter(_last)))
    _last[key] = found
    return found


_last: dict[Any, Found] = {}


def _of_features(state: State, columns: Mapping[str, Any], session: PageSession) -> Found:
    """Ask how high the floor can be at most."""
    from errorfloor.questions.features import from_features

    ask = state.ask()
    with session.step(f"predicting {state.file}"):
        floor = from_features(
            state.file,
            **columns,
            method=state.field("method") or SEQUENTIAL,
            duplicates=state.field("duplicates") or "error",
            **state.values(("drop_missing",)),
            level=ask.level,
            rng=ask.rng,
        )
    return Found(None, floor)


def _of_ratings(state: State, asked: Mapping[str, Any], session: PageSession) -> Found:
    """Ask how good any model can get on ratings, and where one stands that is in the file."""
    from errorfloor.questions.rated import model_beside_ratings
    from errorfloor.questions.ratings import from_ratings

    with session.step("estimating"):
        if PREDICTION.argument not in asked:
            return Found(None, from_ratings(state.file, **asked))
        verdict = model_beside_ratings(state.file, **asked)
    if not isinstance(verdict, Groups):
        return Found(None, verdict.floor, verdict)
    floors = {name: one.floor for name, one in verdict.items()}
    return Found(None, replace(verdict, estimates=floors), verdict)


def _of_models(state: State, session: PageSession) -> Found:
    """Ask which of several models is better, next to labels alone."""
    from errorfloor.data.models import ModelRows
    from errorfloor.questions.compare import compared

    if "group" in state.roles.values():
        raise InputError(
            "Models are compared on all items at once. Change the role of the column of groups."
        )
    with session.step("comparing models"):
        rows = ModelRows.read(state.file, state.where(), state.predictions)
        return Found(None, compared(rows, state.models_ask()))


def _estimated(place: str, state: State, session: PageSession) -> Found:
    features, ratings = state.features(), state.ratings()
    if features is not None:
        return _of_features(state, features, session)
    if ratings is not None:
        return _of_ratings(state, ratings, session)
    from errorfloor.questions.headroom import judging, verdict_on
    from errorfloor.questions.question import answer

    ask, model, where = state.ask(), state.model(), state.where()
    labels = Labels((state.file,), where, LAYOUTS)

    def read(where: ReadOptions, layouts: Sequence[Layout]) -> Reading:
        return replace(labels, where=where, layouts=tuple(layouts)).read(session)

    columns = state.predictions
    if state.are_models:
        return _of_models(state, session)
    if columns:
        one = columns[0] if len(columns) == 1 else columns
        model.check(ask, columns[0])
        if len(columns) > 1 and ask.choice.record.is_error:
            verdict: Any = compare_with_people(labels, session, columns, ask)
        else:
            verdict = judging([state.file], where, one, ask, read)()
        return Found(labels.read(session), verdict.floor, verdict)
    reading = _reading(place, repr(where), labels, session)
    with session.step("estimating"):
        floor: Any = answer(reading, ask)
        judged: Any = None
        if model.n is not None and (model.errors is not None or model.model_value is not None):
            model.check(ask)
            judged = verdict_on(floor, model, ask.level)
    return Found(reading, floor, judged)


_readings: dict[tuple[str, str], Reading] = {}


def _reading(place: str, where: str, labels: Labels, session: PageSession) -> Reading:
    """Return counts, of which the last few are kept: they do not depend on what is asked."""
    key = (place, where)
    if key not in _readings:
        reading = labels.read(session)
        while _readings and (len(_readings) >= _KEPT or _rows_kept() > _ROWS):
            _readings.pop(next(iter(_readings)))
            _last.clear()  # which hold the same counts
        _readings[key] = reading
    return _readings[key]


def _rows_kept() -> int:
    return sum(len(table) for one in _readings.values() for table in one.tables.values())


@lru_cache(_KEPT)
def _preview(place: str, file: str) -> Preview:
    return preview_of(file)


@lru_cache(_KEPT)
def _guess_of(place: str, file: str, used: tuple[str, ...], predictions: tuple[str, ...]) -> Guess:
    try:
        return guess_of(file, used, predictions)
    except (InputError, OSError):
        return Guess()


def _classes(place: str, state: State) -> dict[str, int]:
    try:
        return _classes_of(place, state.file, tuple(sorted(state.roles.items())))
    except (InputError, OSError):
        return {}  # which reading will say


@lru_cache(_KEPT)
def _classes_of(place: str, file: str, roles: tuple[tuple[str, str], ...]) -> dict[str, int]:
    return classes_of(State(file, {f"{ROLE}{column}": role for column, role in roles}))


KINDS: Mapping[str, Callable[[Mapping[str, Any], str, PageSession], dict[str, Any]]] = {
    "open": _open,
    "answer": _ask,
    "details": _details,
    "compare": _compare,
    "plan": _plan,
    "report": _report,
}


# The answer as parts of the page: what the report says, with buttons next to it.

CARD = ".svg"
# Sections of the report that need no time, and others.
_AT_ONCE = ("model", "models", "people", "groups", "meaning")
_LATER = ("pictures", "classes", "items", "annotators", "methods", "method", "references")


# Where copies of a file lie for a while says nothing to anybody.
_COPIES = re.compile(rf"{re.escape(tempfile.gettempdir())}[^\s\"']*/")


def problem_part(message: str, remedies: Sequence[Remedy]) -> Markup:
    """Return what is wrong, and buttons that may help."""
    first, *rest = with_capital(visible(_COPIES.sub("", message))).split("\n")
    more = (tag("pre", "\n".join(rest)),) if rest and not remedies else ()
    buttons = tag("div", *map(form.button, remedies), class_="row")
    return tag("div", tag("p", first), *more, buttons, class_="caution")


def answer_parts(result: Any, floor: Any, facts: form.Facts) -> tuple[str, dict[str, Markup]]:
    """Return the answer in a sentence, and the parts of the page that say it."""
    document = brief(floor if isinstance(floor, Groups) else result)
    sections = {one.name: one for one in document.sections()}
    heading = tag("h2", "Answer")
    picture = _of_groups(result) if isinstance(result, Groups) else ()
    blocks = map(_in_page_words, sections["answer"].blocks)
    answer = tag("div", heading, *picture, *map(block_of, blocks), *_model_in_groups(result))
    chosen = [sections[name] for name in _AT_ONCE if name in sections]
    standing = tag("div", *_plain(chosen), *_other_checks(facts))
    sentence = sentence_of(result) if isinstance(result, Verdict) else document.answer
    downloads = _downloads(document, card=has_card(result))
    regions = {"answer": answer, "standing": standing, "downloads": downloads}
    return visible(on_page(sentence)), regions


def _in_page_words(block: Block) -> Block:
    """Return a block that calls fields as the page does."""
    return replace(block, text=on_page(block.text)) if isinstance(block, Text) else block


def details_part(result: Any) -> Markup:
    """Return the pictures and whatever else the report says."""
    sections = {one.name: one for one in summarize(result).sections()}
    return tag("div", *map(section_of, (sections[name] for name in _LATER if name in sections)))


def _plain(sections: Iterable[Section]) -> Iterable[Markup]:
    """Return sections without pictures, which take their time."""
    for one in sections:
        blocks = tuple(
            _in_page_words(block) for block in one.blocks if not isinstance(block, Picture)
        )
        yield section_of(Section(one.name, one.heading, blocks))


def _model_in_groups(result: Any) -> tuple[Markup, ...]:
    """Return a model next to the floors of groups, which no report has."""
    return (Markup(themed(html_of(result))),) if _are_verdicts(result) else ()


def _are_verdicts(result: Any) -> bool:
    """Tell whether a model was judged in each group."""
    return isinstance(result, Groups) and any(isinstance(row, Verdict) for row in result.values())


def _of_groups(result: Groups[Any]) -> tuple[Markup, ...]:
    """Return the floors of groups on one axis, with their values."""
    floors = {name: getattr(row, "floor", row) for name, row in result.items()}
    rows = [(visible(str(name)), row) for name, row in floors.items()]
    drawn = intervals_of(rows, sentence_of(result))
    return (tag("div", Markup(themed(drawn)), class_="headline"),) if drawn else ()


def _other_checks(facts: form.Facts) -> tuple[Markup, ...]:
    """Return what was found about all of the data, not about a column."""
    found = [pair for pair in facts.findings if column_of(pair[0], facts.state) is None]
    checks = form.checks_list(found, facts)
    return (tag("section", tag("h2", "Checks of all the data"), *checks),) if checks else ()


@dataclass(frozen=True, slots=True)
class Step:
    """Something to do next: what its form.button says, and the part of the page that it shows."""

    title: str
    part: str


def steps_part(result: Any, facts: form.Facts, can: Mapping[str, bool]) -> Markup:
    """Return buttons for what to do next, the likeliest first."""
    mended = [
        form.button(remedy)
        for one, estimate in facts.findings
        if one.level == "refuted"
        for remedy in remedies_of(one, estimate, facts.state, facts.classes)
    ]
    other = [
        tag("button", step.title, type="button", class_="quiet", **{"data-go": step.part})
        for step in _further(result, facts, can)
    ]
    if facts.of_ratings:
        other += _rating_steps(result, facts)
    else:
        other += _other_readings(result, facts)
    models = _model_columns(facts)
    if can["votes"] and models and not facts.estimates[0].refuted:
        fields = {f"{ROLE}{name}": "prediction" for name in models}
        named = f"{len(models)} models" if len(models) > 3 else listed(models)
        other.insert(0, form.button(Remedy(f"Compare {named} with people", fields), "quiet"))
    if isinstance(result, Groups) and not facts.state.field("simultaneous"):
        other.insert(0, form.button(Remedy("Compare the groups", {"simultaneous": "yes"}), "quiet"))
    saved = [_save(CARD, "Card to share"), _save(".html", "Save the report")]
    buttons = (*mended, *other, *(saved if has_card(result) else saved[1:]))
    return tag("section", tag("h3", "Next"), tag("div", *buttons, class_="row"))


def _other_readings(result: Any, facts: form.Facts) -> Iterator[Markup]:
    """Yield buttons that take votes for ratings, and that ask about groups."""
    roles = facts.state.roles
    ratings = {"annotators": "ratings", "vote": "rating", "annotator": "rater"}
    if isinstance(facts.table, VoteTable) and len(facts.classes) > 2 and _are_on_a_scale(facts):
        fields = {f"{ROLE}{name}": ratings[one] for name, one in roles.items() if one in ratings}
        if fields:
            yield form.button(Remedy("These are ratings: numbers on a scale", fields), "quiet")
    if not isinstance(result, Estimate | Verdict) or facts.table is None:
        return
    for one in facts.preview.columns:
        if one.may_be_groups and one.name not in roles and one.name not in _model_columns(facts):
            yield form.button(
                Remedy(f"Split by {one.name}", {f"{ROLE}{one.name}": "group"}), "quiet"
            )


def _are_on_a_scale(facts: form.Facts) -> bool:
    return are_numbers(facts.classes) and not facts.state.field("positive_from")


def _rating_steps(result: Any, facts: form.Facts) -> Iterator[Markup]:
    """Yield buttons for a model in the file, for another metric and for another label."""
    state, estimate = facts.state, facts.estimates[0]
    if estimate.refuted:
        return
    if not state.predictions:
        free = [one.name for one in facts.preview.columns if one.kind == "number"]
        free = [one for one in free if one not in state.roles and not fitting(RATED, [one])]
        for one in free[:2]:
            model = {f"{ROLE}{one}": "prediction"}
            yield form.button(Remedy(f"Compare {one} with the best possible", model), "quiet")
    for metric in (R2, PEARSON, QWK):
        if metric.name != estimate.metric:
            chosen = {f"{OF_RATINGS}metric": "" if metric is R2 else metric.name}
            yield form.button(Remedy(f"Ask for {metric.words}", chosen), "quiet")
    if not state.field(f"{OF_RATINGS}label"):
        mean = {f"{OF_RATINGS}label": "mean"}
        yield form.button(Remedy("Compare with the mean of the ratings", mean), "quiet")


def _model_columns(facts: form.Facts) -> list[str]:
    """Return the columns without a role that hold classes of the votes, as answers of models do."""
    roles = facts.state.roles
    if not facts.classes or "prediction" in roles.values() or "group" in roles.values():
        return []
    return [
        one.name
        for one in facts.preview.columns
        if one.name not in roles and one.values and all(v in facts.classes for v in one.values)
    ]


def _further(result: Any, facts: form.Facts, can: Mapping[str, bool]) -> Iterator[Step]:
    """Yield the parts of the page that say more."""
    estimate = facts.estimates[0]
    if estimate.refuted:
        return
    is_alone = isinstance(result, Estimate | Groups) and not _are_verdicts(result)
    if is_alone and facts.table is not None:
        by_error = estimate.measure.is_error
        yield Step("Compare my model", "f-errors" if by_error else "f-model_value")
    if can["plannable"]:
        yield Step("Plan which labels to buy", "planner")
    if can["comparable"]:
        yield Step("Compare methods", "compare")
    if isinstance(result, Groups) or not estimate.measure.is_error:
        return
    if facts.table is not None and len(facts.table.classes) > 2:
        yield Step("Which classes are confused", "classes")
    if "item" in facts.state.roles.values() and can["votes"]:
        yield Step("The hardest items", "items")


def _save(suffix: str, title: str) -> Markup:
    return tag("button", title, type="button", class_="quiet", **{"data-report": suffix})


def _downloads(document: Document, *, card: bool) -> Markup:
    formats = [(".html", "Report"), (".md", "Markdown"), (".json", "JSON")]
    formats += [(CARD, "Card to share")] if card else []
    buttons = (_save(suffix, title) for suffix, title in formats)
    typed = [("Python", document.python)]
    if document.command is not None:
        typed.insert(0, ("Command line", document.command))
    codes = (
        tag(
            "div",
            tag("div", tag("b", title), _copy(title), class_="row between"),
            tag("pre", tag("code", text), tabindex="0", **{"aria-label": title}),
        )
        for title, text in typed
    )
    heading = tag("h2", "Take it with you", id="downloads-heading")
    return tag(
        "section",
        heading,
        tag("div", *buttons, class_="row"),
        tag("details", tag("summary", "The exact command line and Python"), *codes, id="typed"),
        **{"aria-labelledby": "downloads-heading"},
    )


def _copy(title: str) -> Markup:
    label = {"aria-label": f"Copy: {title}", "data-copy": title}
    return tag("button", "Copy", type="button", class_="quiet", **label)
