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
from errorfloor.show import small
from errorfloor.show.html import html_of
from errorfloor.show.small import LEFT, RIGHT, WIDTH, Line

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
        assert first[0].text == result.sentence


ROWS = ("comparison", "groups", "annotators", "confusion")  # with an axis that all of them share


@pytest.mark.parametrize("name", ROWS)
def test_letters_of_rows_have_the_colour_of_the_page_and_stay_within(name):
    svg = next(ET.fromstring(html_of(RESULTS[name]())).iter("svg"))
    assert svg.get("fill") == "currentColor"
    assert svg.get("role") == "img"
    assert len(svg.get("aria-label")) > 20
    assert not any(text.get("fill") for text in svg.iter("text"))
    for dot in svg.iter("circle"):
        assert LEFT <= float(dot.get("cx")) <= WIDTH - RIGHT
    for text in svg.iter("text"):
        assert len(text.text) <= 60


def test_intervals_are_drawn_where_they_are():
    lines = [Line("a", 0.1, 0.0, 0.2), Line("b", 0.2)]
    svg = ET.fromstring(small.intervals(lines, "x, %", "said"))
    first, second = (float(dot.get("cx")) for dot in svg.iter("circle"))
    marks = {float(t.text): float(t.get("x")) for t in svg.iter("text") if t.text.isdigit()}
    assert marks[10] == pytest.approx(first, abs=0.1)
    assert marks[20] == pytest.approx(second, abs=0.1)
    assert f'd="M{marks[0]:.1f} 16.0H{marks[20]:.1f}"' in ET.tostring(svg).decode()


@pytest.mark.parametrize("values", [[0.0], [0.5, 0.5], [1e-9, 2e-9], [0.0, 1.0], [0.07, 0.0700001]])
def test_an_axis_has_marks_for_any_values(values):
    lines = [Line("x", value) for value in values]
    svg = ET.fromstring(small.intervals(lines, "x", "said"))
    assert sum(text.get("text-anchor") == "middle" for text in svg.iter("text")) >= 3


def test_many_rows_and_long_names_are_cut():
    lines = [Line("a name that does not end " * 5, 0.1 + at / 1000) for at in range(100)]
    svg = small.intervals(lines, "x", "Said.")
    assert svg.count("<circle") == small.MOST
    assert "Said. 84 are not drawn." in svg
    assert len(svg) < 20_000
    assert small.intervals([], "x", "said") == small.bars([("a", 0.0)], "x", "said") == ""


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


def test_cards_need_no_matplotlib():
    code = "import errorfloor as ef, sys; ef.from_soft_labels([0.1, 0.4])._repr_html_(); "
    code += "assert 'matplotlib' not in sys.modules"
    subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=True)
