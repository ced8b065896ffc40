"""The answer in parts of the page: what the report says, with buttons next to it."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from errorfloor._checks import told
from errorfloor.apps.web.form import Facts, button, checks_list
from errorfloor.apps.web.remedies import Remedy, column_of, remedies_of
from errorfloor.apps.web.state import OF_RATINGS, ROLE, in_form
from errorfloor.data.columns import fitting
from errorfloor.data.layouts import RATED
from errorfloor.metrics.variances import PEARSON, QWK, R2
from errorfloor.results import Estimate, Groups, Verdict
from errorfloor.show.card import has_card
from errorfloor.show.html import html_of, intervals_of
from errorfloor.show.markup import Markup, in_sight, tag
from errorfloor.show.palette import themed
from errorfloor.show.report import summarize
from errorfloor.show.report.document import Block, Document, Section, Text
from errorfloor.show.report.html import block_of, section_of
from errorfloor.show.report.summary import brief
from errorfloor.show.sentences import sentence_of

CARD = ".svg"
# Sections of the report that need no time, and others.
_AT_ONCE = ("model", "models", "people", "groups", "meaning")
_LATER = ("pictures", "classes", "items", "annotators", "methods", "method", "references")


# Where copies of a file lie for a while says nothing to anybody.
_COPIES = re.compile(rf"{re.escape(tempfile.gettempdir())}[^\s\"']*/")


def problem(message: str, remedies: Sequence[Remedy]) -> Markup:
    """Return what is wrong, and buttons that may help."""
    first, *rest = in_sight(_COPIES.sub("", message)).split("\n")
    more = (tag("pre", "\n".join(rest)),) if rest and not remedies else ()
    buttons = tag("div", *map(button, remedies), class_="row")
    return tag("div", tag("p", first), *more, buttons, class_="caution")


def answered(result: Any, floor: Any, facts: Facts) -> tuple[str, dict[str, Markup]]:
    """Return the answer in a sentence, and the parts of the page that say it."""
    document = brief(floor if isinstance(floor, Groups) else result)
    sections = {one.name: one for one in document.sections()}
    heading = tag("h2", "Answer")
    picture = _of_groups(result) if isinstance(result, Groups) else ()
    blocks = map(_in_page_words, sections["answer"].blocks)
    answer = tag("div", heading, *picture, *map(block_of, blocks))
    chosen = [sections[name] for name in _AT_ONCE if name in sections]
    standing = tag("div", *_beside(result), *_plain(chosen), *_other_checks(facts))
    sentence = sentence_of(result) if isinstance(result, Verdict) else document.answer
    downloads = _downloads(document, card=has_card(result))
    regions = {"answer": answer, "standing": standing, "downloads": downloads}
    return in_sight(told(sentence, in_form)), regions


def _in_page_words(block: Block) -> Block:
    """Return a block that calls fields as the page does."""
    return replace(block, text=told(block.text, in_form)) if isinstance(block, Text) else block


def details(result: Any) -> Markup:
    """Return the pictures and whatever else the report says."""
    sections = {one.name: one for one in summarize(result).sections()}
    return tag("div", *map(section_of, (sections[name] for name in _LATER if name in sections)))


def _plain(sections: Iterable[Section]) -> Iterable[Markup]:
    """Return sections without pictures, which take their time."""
    from errorfloor.show.report.document import Picture

    for one in sections:
        blocks = tuple(
            _in_page_words(block) for block in one.blocks if not isinstance(block, Picture)
        )
        yield section_of(Section(one.name, one.heading, blocks))


def _beside(result: Any) -> tuple[Markup, ...]:
    """Return a model next to the floors of groups, which no report has."""
    verdicts = isinstance(result, Groups) and any(
        isinstance(row, Verdict) for row in result.values()
    )
    if not verdicts:
        return ()
    return (tag("section", tag("h2", "The model in each group"), Markup(themed(html_of(result)))),)


def _of_groups(result: Groups[Any]) -> tuple[Markup, ...]:
    """Return the floors of groups on one axis, with their values."""
    floors = {name: getattr(row, "floor", row) for name, row in result.items()}
    rows = [(in_sight(str(name)), row) for name, row in floors.items()]
    drawn = intervals_of(rows, sentence_of(result))
    return (tag("div", Markup(themed(drawn)), class_="headline"),) if drawn else ()


def _other_checks(facts: Facts) -> tuple[Markup, ...]:
    """Return what was found about all of the data, not about a column."""
    found = [pair for pair in facts.findings if column_of(pair[0], facts.state) is None]
    checks = checks_list(found, facts)
    return (tag("section", tag("h2", "Checks of all the data"), *checks),) if checks else ()


@dataclass(frozen=True, slots=True)
class Step:
    """Something to do next: what its button says, and the part of the page that it shows."""

    title: str
    part: str


def steps(result: Any, facts: Facts, can: Mapping[str, bool]) -> Markup:
    """Return buttons for what to do next, the likeliest first."""
    mended = [
        button(remedy)
        for one, estimate in facts.findings
        if one.level == "refuted"
        for remedy in remedies_of(one, estimate, facts.state, facts.classes)
    ]
    other = [
        tag("button", step.title, type="button", class_="quiet", **{"data-go": step.part})
        for step in _further(result, facts, can)
    ]
    if facts.of_ratings:
        other += _of_ratings(result, facts)
    beside = _models_beside(facts)
    if can["votes"] and beside and not facts.estimates[0].refuted:
        fields = {f"{ROLE}{name}": "prediction" for name in beside}
        other.insert(0, button(Remedy(f"Compare {_listed(beside)} with people", fields), "quiet"))
    if isinstance(result, Groups) and not result.simultaneous:
        other.insert(0, button(Remedy("Compare the groups", {"simultaneous": "yes"}), "quiet"))
    saved = [_save(CARD, "Card to share"), _save(".html", "Save the report")]
    buttons = (*mended, *other, *(saved if has_card(result) else saved[1:]))
    return tag("section", tag("h3", "Next"), tag("div", *buttons, class_="row"))


def _of_ratings(result: Any, facts: Facts) -> Iterator[Markup]:
    """Yield buttons for a model in the file, for another metric and for another label."""
    state, estimate = facts.state, facts.estimates[0]
    if estimate.refuted:
        return
    if not state.predictions:
        free = [one.name for one in facts.preview.columns if one.kind == "number"]
        free = [one for one in free if one not in state.roles and not fitting(RATED, [one])]
        for one in free[:2]:
            model = {f"{ROLE}{one}": "prediction"}
            yield button(Remedy(f"Compare {one} with the best possible", model), "quiet")
    for metric in (R2, PEARSON, QWK):
        if metric.name != estimate.metric:
            chosen = {f"{OF_RATINGS}metric": "" if metric is R2 else metric.name}
            yield button(Remedy(f"Ask for {metric.words}", chosen), "quiet")
    if not state.field(f"{OF_RATINGS}label"):
        mean = {f"{OF_RATINGS}label": "mean"}
        yield button(Remedy("Compare with the mean of the ratings", mean), "quiet")


def _models_beside(facts: Facts) -> list[str]:
    """Return the columns without a role that hold classes of the votes, as answers of models do."""
    roles = facts.state.roles
    if not facts.classes or "prediction" in roles.values() or "group" in roles.values():
        return []
    return [
        one.name
        for one in facts.preview.columns
        if one.name not in roles and one.values and all(v in facts.classes for v in one.values)
    ]


def _listed(names: Sequence[str]) -> str:
    if len(names) > 3:
        return f"{len(names)} models"
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _further(result: Any, facts: Facts, can: Mapping[str, bool]) -> Iterator[Step]:
    """Yield the parts of the page that say more."""
    estimate = facts.estimates[0]
    if estimate.refuted:
        return
    if isinstance(result, Estimate | Groups) and facts.table is not None:
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
