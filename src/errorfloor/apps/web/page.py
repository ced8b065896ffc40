"""The page before anything is asked: a place to drop a file, examples, and room for answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from errorfloor.show.markup import Markup, tag


@dataclass(frozen=True, slots=True)
class Demo:
    """Simulated data to try the page on."""

    name: str  # of the file
    title: str
    roles: Mapping[str, str] = field(default_factory=dict)  # of columns whose names do not tell


DEMOS = (
    Demo("scores.csv", "Scores and labels"),
    Demo("votes.csv", "Votes"),
    Demo("models.csv", "Models", dict.fromkeys(("careful", "hasty"), "prediction")),
    Demo("annotations.csv", "Rows"),
    Demo("annotators.csv", "Annotators"),
    Demo("gold.csv", "Gold labels"),
    Demo("class_scores.csv", "Classes"),
    Demo("class_votes.csv", "Class votes"),
    Demo("soft_labels.csv", "Soft labels"),
    Demo("judged.csv", "A judge"),
    Demo("ratings.csv", "Ratings"),
)


def index() -> str:
    """Return the page."""
    head = tag(
        "head",
        Markup('<meta charset="utf-8">'),
        Markup('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        Markup('<meta name="color-scheme" content="light dark">'),
        Markup('<link rel="icon" href="data:,">'),
        Markup('<link rel="stylesheet" href="app.css">'),
        tag("title", "errorfloor"),
        Markup('<script src="app.js" defer></script>'),
    )
    skip = tag("a", "Go to the answer", href="#result", class_="skip")
    body = tag("body", skip, _header(), tag("main", _opening(), _work()))
    return f'<!DOCTYPE html>\n<html lang="en">\n{head}\n{body}\n</html>\n'


def _header() -> Markup:
    question = "How good can any model get on your data?"
    private = tag("span", "Your file stays on this machine.")
    return tag("header", tag("h1", "errorfloor"), tag("p", f"{question} ", private))


def _opening() -> Markup:
    drop = tag(
        "div",
        tag("b", "", id="named", dir="auto"),
        Markup('<input type="file" id="file" class="unseen">'),
        tag("label", "Choose a file", for_="file", class_="button", id="choose"),
        tag("span", "or drop one here", class_="or"),
        tag("p", "CSV, TSV, JSON, Parquet, NPZ or Excel, compressed or not", class_="hint"),
        id="drop",
    )
    buttons = (
        tag("button", demo.title, type="button", class_="link", **{"data-demo": demo.name})
        for demo in DEMOS
    )
    lead = tag("span", "No file at hand? Try an example:", id="demo-words")
    demos = tag(
        "div", lead, *buttons, id="demos", role="group", **{"aria-labelledby": "demo-words"}
    )
    script = tag("noscript", tag("p", "This page needs JavaScript, its own small script only."))
    return tag(
        "section",
        tag("h2", "Your data", id="opening-heading", class_="unseen"),
        drop,
        demos,
        script,
        id="opening",
        **{"aria-labelledby": "opening-heading"},
    )


def _work() -> Markup:
    """Return the room for the answer, for the form next to it, and for what goes with both."""
    hidden = Markup('<progress id="bar" max="1"></progress>')
    stop = tag("button", "Stop", type="button", id="stop")
    busy = tag("div", hidden, tag("span", "", id="doing"), stop, id="busy", hidden="hidden")
    status = tag("p", "", id="status", role="status", class_="unseen")
    problem = tag("div", "", id="problem", role="alert")
    result = tag(
        "div",
        busy,
        status,
        problem,
        *(tag("div", "", id=name) for name in ("answer", "steps")),
        id="result",
        tabindex="-1",
    )
    form = tag(
        "form",
        tag("div", "", id="columns"),
        tag("div", "", id="question"),
        id="form",
        hidden="hidden",
    )
    rest = tag(
        "div",
        tag("div", "", id="standing"),
        _planner(),
        _comparing(),
        *(tag("div", "", id=name) for name in ("details", "downloads")),
        id="rest",
    )
    return tag("div", result, form, rest, id="work")


@dataclass(frozen=True, slots=True)
class Slider:
    """Values to choose from by a slider."""

    name: str
    title: str
    values: tuple[str, ...]
    at: int  # the first choice


SLIDERS = (
    Slider(
        "items",
        "Items",
        ("100", "200", "300", "500", "1000", "2000", "3000", "5000", "10000", "30000", "100000"),
        4,
    ),
    Slider("votes", "Votes per item", tuple(map(str, (2, 3, 4, 5, 6, 8, 10, 15, 20))), 1),
    Slider(
        "target",
        "Width of the interval to reach",
        ("0.005", "0.01", "0.02", "0.03", "0.05", "0.08", "0.1", "0.15", "0.2"),
        4,
    ),
)


def _planner() -> Markup:
    sliders = map(_slider, SLIDERS)
    costs = (
        tag("label", tag("span", title), _priced(name, value), class_="field")
        for name, title, value in (
            ("cost_per_item", "Price of an item", "0"),
            ("cost_per_vote", "Price of a vote or label", "1"),
        )
    )
    return tag(
        "details",
        tag("summary", "Plan: which labels to buy next"),
        tag("div", *sliders, tag("div", *costs, class_="row"), id="plan-fields"),
        tag("div", "", id="plan-body", **{"aria-live": "polite"}),
        id="planner",
        hidden="hidden",
    )


def _priced(name: str, value: str) -> Markup:
    own = f'name="{name}" id="f-{name}" value="{value}" inputmode="decimal" size="6"'
    return Markup(f'<input {own} autocomplete="off">')


def _slider(one: Slider) -> Markup:
    own = (
        f'type="range" name="{one.name}" id="f-{one.name}" min="0" max="{len(one.values) - 1}" '
        f'value="{one.at}" step="1" data-values="{",".join(one.values)}"'
    )
    field = Markup(f"<input {own}>")
    output = tag("output", "", for_=f"f-{one.name}")
    return tag("label", tag("span", one.title), field, output, class_="slider")


def _comparing() -> Markup:
    body = tag("div", "", id="compare-body", **{"aria-live": "polite"})
    return tag("details", tag("summary", "Compare methods"), body, id="compare", hidden="hidden")
