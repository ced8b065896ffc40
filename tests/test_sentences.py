"""The verdict comes first, in one sentence that needs no statistics."""

import html
import json
from dataclasses import replace

import numpy as np
import pytest

import errorfloor as ef
from errorfloor import metrics
from errorfloor._numbers import digits_of_size
from errorfloor.metrics import Metric
from errorfloor.results import Finding, Interval, PairedTest
from errorfloor.results.verdict import Verdict
from errorfloor.show.html import html_of
from errorfloor.show.report import summarize
from errorfloor.show.report.document import Text
from errorfloor.show.sentences import sentence_of
from errorfloor.show.text import long_text_of

REVERSED = Finding("Order", "AUC 0.02", "refuted", "The scores are in reverse.", "Turn them round.")


def estimate(value=0.074, low=0.0689, high=0.0825, **more):
    interval = None if low is None else Interval(low, high, 0.95, "likelihood")
    given = {"method": "mixture", "n": 2000, "assumptions": "Order."} | more
    return ef.Estimate(value=value, interval=interval, **given)


def verdict(word="room", low=0.0043, high=0.0448, error=0.098, **more):
    given = {"floor": estimate(), "p_room": 0.01, "p_beyond": 0.99} | more
    return Verdict(
        verdict=word,
        difference=(low + high) / 2,
        low=low,
        high=high,
        level=0.95,
        model_error=error,
        n=1000,
        model=Interval(0.08, 0.12, 0.95, "exact"),
        **given,
    )


def test_a_floor_is_said_as_accuracy_with_its_label():
    assert estimate().sentence == (
        "The best possible accuracy on these labels is about 92.6 % (91.8 to 93.1 %)."
    )
    votes = ef.from_votes([0, 1, 2, 3] * 50, 3, majority=5)
    assert "accuracy in predicting the majority of 5 votes is about" in votes.sentence
    assert "in predicting one more annotator's vote" in ef.from_votes([0, 1, 2, 3] * 50, 3).sentence
    assert "the best possible accuracy is about" in ef.from_soft_labels([0.1, 0.4]).sentence


@pytest.mark.parametrize(
    ("value", "low", "high", "said"),
    [
        (0.2, 0.1, 0.31, "80 % (69 to 90 %)"),  # so wide that a digit would be noise
        (0.02, 0.001, 0.15, "98 % (85 to 100 %)"),
        (0.005, 0.001, 0.15, "99.5 % (85.0 to 99.9 %)"),  # no error is rounded to none
        (0.0741, 0.0738, 0.0745, "92.59 % (92.55 to 92.62 %)"),
        (0.0006, 0.0002, 0.0021, "99.94 % (99.79 to 99.98 %)"),
        (0.0, 0.0, 0.0, "100.0 % (100.0 to 100.0 %)"),
        (0.99, 0.985, 0.99, "1.0 % (1.0 to 1.5 %)"),  # a hundred classes
        (0.0741, None, None, "92.6 %."),
    ],
)
def test_digits_are_those_that_mean_something(value, low, high, said):
    assert f" is about {said}" in estimate(value, low, high).sentence


def test_digits_never_end():
    for width in (0.0, 1e-12, 1.0):
        for least in (0.0, 1e-300, 0.5):
            assert 0 <= digits_of_size(width, least) <= 4


@pytest.mark.parametrize(
    ("word", "low", "high", "said"),
    [
        ("room", 0.0043, 0.0448, "Your model, at 90.2 %, can still gain 0.4 to 4.5 points."),
        # Room is never none.
        ("room", 0.0004, 0.0448, "Your model, at 90.2 %, can still gain 0.04 to 4.48 points."),
        (
            "saturated",
            -0.02,
            0.009,
            "Your model, at 90.2 %, is at the limit: at most 0.9 points remain.",
        ),
        (
            "saturated",
            -0.02,
            0.011,
            "These data cannot tell whether your model, at 90.2 %, can still improve: 0.0 to 1.1 "
            "points may remain.",
        ),
        (
            "beyond",
            -0.057,
            -0.03,
            "Your model, at 90.2 %, looks 3.0 to 5.7 points too good: suspect a",
        ),
    ],
)
def test_a_model_is_told_what_it_can_gain(word, low, high, said):
    found = verdict(word, low, high).sentence
    assert found.startswith(estimate().sentence)
    assert f" {said}" in found


def test_a_bound_is_told_by_the_limit_that_holds():
    bound = {"method": "isotonic", "interval": Interval(0.0689, 0.0825, 0.95, "honest")}
    floor = replace(estimate(), **bound)
    best = (
        "An accuracy of at least 91.7 % on these labels is reachable "
        "(95 % confidence); the estimate for the best threshold on these scores is 92.6 %."
    )
    assert floor.sentence == f"{best} A model that sees more than these scores may do better."
    for word, low, high, said in (
        ("room", 0.0049, 0.0448, "can still gain at least 0.4 points."),
        (
            "matches",
            -0.02,
            0.011,
            "may be as good as the best threshold on these scores, but 1,000 items are too few to "
            "tell: it is at most 1.1 points worse. A model that sees more ",
        ),
        (
            "matches",
            -0.02,
            0.009,
            "is as good as the best threshold on these scores (at most 0.9 points worse). A model ",
        ),
        (
            "better",
            -0.057,
            -0.03,
            "is 3.0 to 5.7 points better than the best threshold on these scores.",
        ),
    ):
        found = verdict(word, low, high, floor=floor).sentence
        assert found.startswith(f"{best} Your model, at 90.2 %, {said}")
    both = replace(estimate(), method="platt", interval=Interval(0.0689, 0.0825, 0.95, "bca"))
    assert both.sentence.startswith(
        "The best rule on these scores gets an accuracy of about 92.6 %"
    )
    found = verdict("open", -0.02, 0.011, floor=both).sentence
    assert "may be as good as that. These data cannot tell whether it can still improve" in found


def test_a_paired_test_says_that_a_better_rule_exists():
    test = PairedTest("sign test", 3.0, 0.012, "a better rule exists", "at least one")
    found = verdict(test=test)
    beaten = "can be beaten: a better rule exists (sign test, p = 0.012). At most 4.5 points"
    assert beaten in found.sentence
    assert "a better rule exists, at least one." in long_text_of(found)
    assert test.means == "A small p-value means that a better rule exists, at least one."


def test_a_test_that_shows_nothing_says_no_more_than_that():
    test = PairedTest("sign test", 0.3, 0.4, "a better rule exists", "at least one")
    more = "Sign test (statistic 0.3, p = 0.40): it does not show that a better rule exists."
    assert more in long_text_of(verdict("saturated", -0.01, 0.02, test=test)).splitlines()


def test_a_floor_that_was_given_is_not_about():
    found = ef.headroom(0.05, errors=98, n=1000)
    assert found.sentence.startswith(
        "With the floor that you gave, the best possible accuracy is 95.0 %. Your model, at 90.2 %"
    )


def test_what_refutes_a_floor_takes_its_place():
    refuted = estimate(findings=(REVERSED,))
    said = "No floor can be stated. The scores are in reverse. Turn them round."
    assert refuted.sentence == long_text_of(refuted) == said
    assert verdict(floor=refuted).sentence.startswith("No verdict on the model")
    rows = ef.Comparison((refuted, estimate(method="beta")))
    assert rows.sentence == said
    for shown in (refuted, verdict(floor=refuted), rows):
        assert "best possible" not in long_text_of(shown) + html_of(shown)
    groups = ef.Groups("site", {"a": refuted, "b": estimate(), "c": estimate(0.2, 0.1, 0.3)}, 0.95)
    assert groups.sentence.endswith("(3 groups). No floor can be stated of 1 group.")
    assert "from about 80 % in site c to 93 % in site b" in groups.sentence
    assert "site a" not in groups.sentence
    nothing = ef.Groups("site", {"a": refuted, "b": refuted})
    assert (
        nothing.sentence
        == "No floor can be stated of any group. Ask for one group at a time to see why."
    )


def test_many_groups_are_counted_and_few_are_named():
    rows = {name: verdict("saturated", -0.01, 0.01) for name in "abcdefgh"}
    rows["z"] = verdict(floor=estimate(findings=(REVERSED,)))
    assert ef.Groups("site", rows).sentence == (
        "In 8 of 9 groups, your model may be at the limit; in site z it cannot be judged."
    )
    assert ef.Groups("site", {"a": object()}).sentence == ""


def test_methods_that_are_refuted_are_not_in_the_range_of_a_comparison():
    rows = (
        estimate(),
        estimate(0.08, method="beta"),
        estimate(0.09, method="platt"),
        estimate(0.3, method="corrupted", findings=(REVERSED,)),
    )
    assert ef.Comparison(rows).sentence.endswith(
        " (method mixture). The other methods give 91.0 to 92.0 %."
    )
    assert ef.Comparison(rows[:1]).sentence.endswith("(91.8 to 93.1 %) (method mixture).")


def test_a_metric_without_an_opposite_is_said_by_its_name(monkeypatch):
    toy = Metric("toy", "ceiling", False, lambda _: (0.5, 1.0), np.abs, "")
    monkeypatch.setattr(metrics, "METRICS", (*metrics.METRICS, toy))
    floor = estimate(0.926, 0.918, 0.931, metric="toy", method="mine")
    best = "The method at hand gets a toy of about 92.6 % (91.8 to 93.1 %) on these labels."
    assert floor.sentence == best  # of a method that nobody knows nothing is claimed
    found = verdict(low=0.01, high=0.03, error=0.902, floor=floor)
    assert found.sentence == f"{best} Your model, at 90.2 %, can still gain at least 1.0 points."


def test_the_sentence_is_in_json_and_first_in_text_pages_and_notebooks():
    rng = np.random.default_rng(0)
    p = rng.uniform(size=400)
    labels = (rng.uniform(size=400) < p).astype(int)
    floor = ef.from_scores(p, labels, rng=0)
    group = np.array(["a", "b"] * 200)
    floors = ef.Groups("site", {g: ef.from_scores(p[group == g], labels[group == g]) for g in "ab"})
    rows = ef.compare(p, labels, methods=["isotonic", "platt"], rng=0)
    model = ef.headroom(floor, errors=190, n=400)
    for found in (floor, floors, rows, model):
        said = found.sentence
        assert json.loads(json.dumps(found.to_dict(), default=str))["sentence"] == said
        assert long_text_of(found).startswith(said)
        assert html_of(found).find(html.escape(said)[:20]) in range(300)
    for found in (floor, floors, model):
        summary = summarize(found)
        assert summary.answer == summary.to_dict()["answer"] == found.sentence
        first = next(one for one in summary.sections()[0].blocks if isinstance(one, Text))
        assert first.text == found.sentence
        assert any(found.sentence in line for line in summary.to_markdown().splitlines()[:20])
    assert summarize(rows).answer == sentence_of(rows.main)


def test_sentences_are_for_the_level_and_the_classes_at_hand():
    gen = np.random.default_rng(0)
    scores = gen.dirichlet(np.ones(3), 90)
    floor = ef.from_scores(scores, gen.multinomial(1, scores).argmax(1), rng=0)
    assert floor.sentence != floor.at_level(0.5).sentence
    gold = replace(floor, target="the gold label").sentence
    assert " in predicting the gold label is reachable" in gold
