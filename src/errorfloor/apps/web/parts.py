"""The answer in parts of the page: what the report says, with buttons beside it."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Sequence
from typing import Any

from errorfloor.apps.web.form import Facts, button, checks_list
from errorfloor.apps.web.remedies import Remedy, column_of
from errorfloor.results import Estimate, Groups, Verdict
from errorfloor.show.characters import in_sight
from errorfloor.show.gauge import gauge_of
from errorfloor.show.html import html_of
from errorfloor.show.markup import Markup, tag
from errorfloor.show.palette import themed
from errorfloor.show.report import summarize
from errorfloor.show.report.blocks import Section
from errorfloor.show.report.document import Document
from errorfloor.show.report.html import block_of, section_of
from errorfloor.show.report.summary import brief
from errorfloor.show.sentences import sentence_of

CARD = ".svg"
_AT_ONCE = ("model", "groups", "assumptions")  # sections of the report that need no time
_LATER = ("pictures", "classes", "items", "annotators", "methods", "next", "method")


# Where copies of a file lie for a while says nothing to anybody.
_COPIES = re.compile(rf"{re.escape(tempfile.gettempdir())}[^\s\"']*/")


def problem(said: str, remedies: Sequence[Remedy]) -> Markup:
    """Return what is wrong, and buttons that may help."""
    first, *rest = in_sight(_COPIES.sub("", said)).split("\n")
    more = (tag("pre", "\n".join(rest)),) if rest and not remedies else ()
    buttons = tag("div", *map(button, remedies), class_="row")
    return tag("div", tag("p", first), *more, buttons, class_="caution")


def answered(result: Any, floor: Any, facts: Facts) -> tuple[str, dict[str, Markup]]:
    """Return the answer in a sentence, and the parts of the page that say it."""
    document = brief(floor if isinstance(floor, Groups) else result)
    sections = {one.name: one for one in document.sections()}
    heading = tag("h2", "Answer")
    blocks = map(block_of, sections["answer"].blocks)
    answer = tag("div", heading, *blocks)
    chosen = [sections[name] for name in _AT_ONCE if name in sections]
    standing = tag("div", *_beside(result), *_plain(chosen), *_other_checks(facts))
    said = sentence_of(result) if isinstance(result, Verdict) else document.answer
    downloads = _downloads(document, card=has_card(result))
    regions = {"answer": answer, "standing": standing, "downloads": downloads}
    return in_sight(said), regions


def details(result: Any) -> Markup:
    """Return the pictures and whatever else the report says."""
    sections = {one.name: one for one in summarize(result).sections()}
    return tag("div", *map(section_of, (sections[name] for name in _LATER if name in sections)))


def _plain(sections: Iterable[Section]) -> Iterable[Markup]:
    """Return sections without pictures, which take their time."""
    from errorfloor.show.report.blocks import Picture

    for one in sections:
        blocks = tuple(block for block in one.blocks if not isinstance(block, Picture))
        yield section_of(Section(one.name, one.heading, blocks))


def _beside(result: Any) -> tuple[Markup, ...]:
    """Return a model beside the floors of groups, which no report has."""
    verdicts = isinstance(result, Groups) and any(
        isinstance(row, Verdict) for row in result.values()
    )
    if not verdicts:
        return ()
    return (tag("section", tag("h2", "The model in each group"), Markup(themed(html_of(result)))),)


def _other_checks(facts: Facts) -> tuple[Markup, ...]:
    """Return what was found about all of the data, not about a column."""
    found = [pair for pair in facts.findings if column_of(pair[0], facts.state) is None]
    checks = checks_list(found, facts)
    return (tag("section", tag("h2", "Checks of all the data"), *checks),) if checks else ()


def has_card(result: Any) -> bool:
    """Tell whether a result can be drawn as a card: one answer, which the data do not refute."""
    return isinstance(result, Estimate | Verdict) and gauge_of(result) is not None


def _downloads(document: Document, *, card: bool) -> Markup:
    formats = [(".html", "Report"), (".md", "Markdown"), (".json", "JSON")]
    formats += [(CARD, "Card to share")] if card else []
    buttons = (
        tag("button", title, type="button", **{"data-report": suffix}) for suffix, title in formats
    )
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
