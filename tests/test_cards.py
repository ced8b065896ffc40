"""Notebooks show the same kind of card for every result."""

import re
import subprocess
import sys
from xml.etree import ElementTree as ET

import numpy as np
import pandas as pd
import pytest

import errorfloor as ef
from errorfloor.results import Finding
from errorfloor.show import lines as in_lines
from errorfloor.show import people as in_words
from errorfloor.show.html import html_of

pytestmark = [pytest.mark.filterwarnings("ignore::errorfloor.ErrorFloorWarning")]
RNG = np.random.default_rng(0)
P = RNG.uniform(size=400)
Y = (RNG.uniform(size=400) < P).astype(int)
VOTES = RNG.binomial(3, P)
LONG = pd.DataFrame(
    [(i, f"<b>{who}", int(RNG.uniform() < P[i])) for i in range(60) for who in range(4)],
    columns=["item", "annotator", "vote"],
)
THREE = RNG.dirichlet([1, 1, 1], 300)
LABELS = np.array([RNG.choice(3, p=p) for p in THREE])


def floor(**options):
    return ef.from_scores(P, Y, rng=0, **options)


def by_site():
    frame = pd.DataFrame({"score": P, "label": Y, "site": np.array(["<i>", "b"] * 200)})
    return ef.from_scores(frame, group="site", rng=0)


WITH_PICTURE = {
    "scores": floor,
    "votes": lambda: ef.from_votes(VOTES, 3),
    "soft": lambda: ef.from_soft_labels(P),
    "many": lambda: ef.from_scores(THREE, LABELS, rng=0),
    "no interval": lambda: ef.from_scores(P, Y, interval=None),
    "comparison": lambda: ef.compare(P, Y, methods=["isotonic", "platt"], n_resamples=99, rng=0),
    "groups": by_site,
    "room": lambda: ef.headroom(floor(), errors=200, n=400),
    "matches": lambda: ef.headroom(floor(), model_error=floor().value, n=400),
    "better": lambda: ef.headroom(floor(), errors=2, n=400),
    "saturated": lambda: ef.headroom(floor(complete=True), model_error=floor().value, n=400),
    "beyond": lambda: ef.headroom(floor(complete=True), errors=2, n=400),
    "given": lambda: ef.headroom(0.05, errors=20, n=400),
    "annotators": lambda: ef.annotators(LONG),
    "confusion": lambda: ef.confusion(ef.from_scores(THREE, LABELS, rng=0)),
    "people": lambda: ef.people(VOTES, 3, predictions={"<i>": (P > 0.5).astype(int), "no": 1 - Y}),
    "people alone": lambda: ef.people(VOTES, 3),
}
WITHOUT = {
    "plan": lambda: ef.plan(ef.VoteTable.from_arrays(VOTES, 3), target=0.1),
    "items": lambda: ef.items(VOTES, 3),
    "class items": lambda: ef.items(RNG.multinomial(4, [0.6, 0.3, 0.1], 50)),
    "feebee": lambda: ef.feebee(
        P, Y, model_error=0.3, methods=["platt", "isotonic"], levels=3, repeats=2, rng=0
    ),
}
RESULTS = WITH_PICTURE | WITHOUT


@pytest.mark.parametrize("name", RESULTS)
def test_every_result_has_a_small_card_that_is_well_formed_and_safe(name):
    result = RESULTS[name]()
    html = html_of(result)
    assert html == result._repr_html_()
    root = ET.fromstring(html)
    assert (root.tag, root.get("class")) == ("div", "errorfloor")
    assert len(html.encode()) < 20_000
    assert ("<svg" in html) == (name in WITH_PICTURE)
    assert not re.search(r"<script|<style|https?:|on\w+=|<img|<i>", html)
    first = root[0]
    assert (first.tag, first[0].tag) == ("p", "b")
    if hasattr(result, "sentence"):
        assert first[0].text.replace("\xa0", " ") == result.sentence


ROWS = ("comparison", "groups", "annotators", "confusion")  # with an axis that all of them share


def share(value):
    """Return a place across the picture."""
    assert value.endswith("%")
    return float(value[:-1]) / 100


@pytest.mark.parametrize("name", ROWS)
def test_letters_of_rows_have_the_colour_of_the_page_and_stay_within(name):
    svg = next(ET.fromstring(html_of(RESULTS[name]())).iter("svg"))
    assert svg.get("role") == "img"
    assert len(svg.get("aria-label")) > 20
    assert {text.get("fill") for text in svg.iter("text")} == {"currentColor"}
    for dot in svg.iter("circle"):
        assert 0 <= share(dot.get("cx")) <= 1
    for text in svg.iter("text"):
        assert len(text.text or "") <= 60
    marks = [*svg.iter("circle")] or list(svg.iter("rect"))
    for mark in marks:  # what a pointer shows is what stands next to it
        assert mark[0].tag == "title"
        value = mark[0].text.rpartition(": ")[2]
        assert value in {text.text for text in svg.iter("text")}


def test_intervals_are_drawn_where_they_are():
    lines = [in_lines.Line("a", 0.1, 0.0, 0.2), in_lines.Line("b", 0.2)]
    svg = ET.fromstring(in_lines.intervals(lines, "x, %", "said"))
    first, second = (share(dot.get("cx")) for dot in svg.iter("circle"))
    numbers = [text for text in svg.iter("text") if (text.text or "").isdigit()]
    marks = {float(text.text): share(text.get("x")) for text in numbers}
    assert marks[10] == pytest.approx(first, abs=1e-4)
    assert marks[20] == pytest.approx(second, abs=1e-4)
    (span,) = svg.iter("rect")
    assert share(span.get("x")) == pytest.approx(marks[0], abs=1e-4)
    assert share(span.get("width")) == pytest.approx(marks[20] - marks[0], abs=1e-4)


@pytest.mark.parametrize("values", [[0.0], [0.5, 0.5], [1e-9, 2e-9], [0.0, 1.0], [0.07, 0.0700001]])
def test_an_axis_has_marks_for_any_values(values):
    lines = [in_lines.Line("x", value) for value in values]
    svg = ET.fromstring(in_lines.intervals(lines, "x", "said"))
    assert len([*svg.iter("line")]) >= 3


def test_many_rows_and_long_names_are_cut():
    lines = [in_lines.Line("a name that does not end " * 5, 0.1 + at / 1000) for at in range(100)]
    svg = in_lines.intervals(lines, "x", "Said.")
    assert svg.count("<circle") == in_lines.MOST
    assert "Said. 84 are not drawn." in svg
    assert len(svg) < 20_000
    assert in_lines.intervals([], "x", "said") == in_lines.bars([("a", 0.0)], "x", "said") == ""


def test_warnings_are_on_the_card_once_and_a_refuted_floor_is_not_drawn():
    doubt = Finding("A doubt", "", "warn", "Look <here>.")
    wrong = Finding("Wrong", "", "refuted", "It is wrong.")
    one = ef.Estimate(
        value=0.1, method="isotonic", interval=None, n=9, assumptions="A.", findings=(doubt,)
    )
    html = html_of(ef.Comparison((one, one)))
    assert html.count("<p><b>Warning:</b> Look &lt;here&gt;.</p>") == 1
    bad = ef.Estimate(
        value=0.1, method="beta", interval=None, n=9, assumptions="A.", findings=(wrong,)
    )
    assert "<svg" not in html_of(bad)
    assert html_of(ef.Comparison((one, bad))).count("<circle") == 1
    assert html_of(ef.Groups("site", {"a": bad, "b": one})).count("<circle") == 1


@pytest.mark.parametrize("name", ["people", "people alone"])
def test_models_are_on_the_curve_of_people(name):
    result = RESULTS[name]()
    svg = next(ET.fromstring(html_of(result)).iter("svg"))
    dots = [(share(dot.get("cx")), float(dot.get("cy")), dot[0].text) for dot in svg.iter("circle")]
    panels, models = dots[: len(result.curve)], dots[len(result.curve) :]
    assert len(models) == len(result.models)
    assert panels[0][2] == f"1 person: {in_words.rate(result.curve[0])}"
    assert [x for x, _, _ in panels] == sorted(x for x, _, _ in panels)
    heights = {text: y for _, y, text in dots}
    for row in result.models:
        (own,) = (text for text in heights if text.startswith(f"{row.name}: "))
        assert in_words.rate(row) in own
        assert in_words.worth(row) in own
        for text, y in heights.items():  # what agrees more often is above
            other = next((one for one in result.models if text.startswith(f"{one.name}: ")), None)
            if other is not None and other.value > row.value:
                assert y < heights[own]


def test_cards_need_no_matplotlib():
    code = "import errorfloor as ef, sys; ef.from_soft_labels([0.1, 0.4])._repr_html_(); "
    code += "assert 'matplotlib' not in sys.modules"
    subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=True)
