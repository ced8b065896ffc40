"""Questions of a page, answered in a worker: the parts of the page that change."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from errorfloor._checks import ErrorFloorWarning, InputError
from errorfloor.apps.cli.labels import Labels, compare_with_people, each
from errorfloor.apps.cli.session import Session
from errorfloor.apps.web import form, parts
from errorfloor.apps.web.limits import reason
from errorfloor.apps.web.page import DEMOS
from errorfloor.apps.web.preview import Preview, classes_of, first_state, preview_of
from errorfloor.apps.web.remedies import remedies_of_error
from errorfloor.apps.web.state import PREDICTION, ROLE, State, in_form
from errorfloor.checks.record import Checked
from errorfloor.data.layouts import LAYOUTS, SCORES, SOFT_LABELS, VOTES, Layout
from errorfloor.data.options import ReadOptions
from errorfloor.data.source import Reading
from errorfloor.features.records import SEQUENTIAL
from errorfloor.questions.options import OF_LIMITS, OF_METRIC, PLAN_OPTIONS
from errorfloor.questions.question import Ask
from errorfloor.results import Groups
from errorfloor.show.markup import Markup, tag
from errorfloor.show.palette import themed

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
        warnings.simplefilter("ignore")  # results carry their doubts
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
        message = (
            error.told(in_form) if isinstance(error, InputError) else reason(error) or str(error)
        )
        return {"regions": {"problem": parts.problem(message, [])}, "bad": True}
    demo = next((one for one in DEMOS if question.get("demo") and file == f"demo/{one.name}"), None)
    roles = {} if demo is None else {f"{ROLE}{name}": role for name, role in demo.roles.items()}
    return _parts(first_state(file, preview).with_fields(roles), place, session)


def _ask(question: Mapping[str, Any], place: str, session: PageSession) -> dict[str, Any]:
    return _parts(State(question["file"], question["state"]), place, session)


def _parts(state: State, place: str, session: PageSession) -> dict[str, Any]:
    """Return the form and the answer, or what is wrong and what may help."""
    preview, found = _preview(place, state.file), None
    classes = _classes(place, state)
    problem, message = Markup(""), ""
    try:
        if preview.columns and not state.roles:
            message = "Say what the columns are. The answer will be here."
        else:
            found = _found(place, state, session)
    except InputError as error:
        problem = parts.problem(error.told(in_form), remedies_of_error(error, state))
    facts = form.Facts(state, preview, classes)
    regions = {"problem": problem, "answer": tag("p", message, class_="hint") if message else ""}
    regions |= {"steps": "", "standing": "", "downloads": ""}
    if found is not None:
        source, table = None, None
        if found.reading is not None:
            source, table = found.reading.source, next(iter(found.reading.tables.values()))
            state = state.with_guesses(source, {one.name for one in preview.columns})
        facts = form.Facts(state, preview, classes, table, source, found.estimates)
        message, own = parts.answered(found.result, found.floor, facts)
        regions |= own
    regions |= {"columns": form.columns_part(facts), "question": form.question_part(facts)}
    can = _can(found)
    if found is not None:
        regions["steps"] = parts.steps(found.result, facts, can)
    file = state.file.removeprefix("demo/")
    return {
        "regions": regions,
        "status": message,
        "answered": found is not None,
        "file": file,
        **can,
    }


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
    """Return what the report says besides, with pictures."""
    found = _again(question, place, session)
    if found is None:
        return {"regions": {"details": ""}}
    with session.step("drawing"):
        return {"regions": {"details": parts.details(_reported(found))}}


def _compare(question: Mapping[str, Any], place: str, session: PageSession) -> dict[str, Any]:
    from errorfloor.questions.compare import CompareAsk

    def ask(state: State) -> Ask:
        return CompareAsk(**state.values((*OF_METRIC, *OF_LIMITS)))

    body = _also(question, place, session, "comparing methods", ask)
    return {"regions": {"compare-body": body}}


def _plan(question: Mapping[str, Any], place: str, session: PageSession) -> dict[str, Any]:
    from errorfloor.questions.plan import PlanAsk

    def ask(state: State) -> Ask:
        return PlanAsk(**state.values((*OF_METRIC, *PLAN_OPTIONS, "level")))

    return {"regions": {"plan-body": _also(question, place, session, "planning", ask)}}


def _also(
    question: Mapping[str, Any],
    place: str,
    session: PageSession,
    step: str,
    ask: Callable[[State], Ask],
) -> Markup:
    """Return the answer to another question about the same labels."""
    from errorfloor.questions.question import answer

    state = State(question["file"], question["state"])

    def run() -> Any:
        found = _found(place, state, session)
        if found.reading is None:
            raise InputError("This needs scores or votes. Give a column that role.")
        with session.step(step):
            return answer(found.reading, ask(state))

    return _shown(run)


def _shown(run: Callable[[], Any]) -> Markup:
    """Return a result as notebooks show it, or why there is none."""
    from errorfloor.show.html import html_of

    try:
        return Markup(themed(html_of(run())))
    except InputError as error:
        return tag("p", error.told(in_form), class_="caution")


def _report(question: Mapping[str, Any], place: str, session: PageSession) -> dict[str, Any]:
    """Return a report, or a card to share, to be saved by the browser."""
    from errorfloor.show.card import card, has_card
    from errorfloor.show.report import FORMATS, summarize

    suffix = question.get("format", "")
    found = _again(question, place, session)
    if found is not None and suffix == parts.CARD and has_card(found.result):
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
    from errorfloor.questions.compare_models import compared

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
