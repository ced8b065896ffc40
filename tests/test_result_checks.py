"""The checks that every result carries: what they find, and how often they are wrong."""

import json
import re
import warnings
from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from scipy.stats import binom

import errorfloor as ef
from errorfloor import checks
from errorfloor.apps.cli.commands import cli
from errorfloor.checks.order import area, chance_of_order, errors_saved
from errorfloor.data.options import Source
from errorfloor.results.claim import LEVELS
from errorfloor.show.report import summarize

N = 1000


def truth(curve, n=N, seed=0):
    """Return scores, and labels of which the curve gives the probabilities."""
    rng = np.random.default_rng(seed)
    scores = rng.uniform(size=n)
    return scores, rng.uniform(size=n) < curve(scores)


def hump(scores):
    return np.where((scores > 0.5) & (scores < 0.8), 0.9, 0.1)


def found(ask, *data, **options):
    """Return a result, and the warnings that came with it."""
    with warnings.catch_warnings(record=True) as issued:
        warnings.simplefilter("always")
        result = ask(*data, **{"rng": 0, **options})
    return result, [one.message for one in issued]


def levels(result):
    return {one.name: one.level for one in result.findings}


SCORES, LABELS = truth(lambda p: p)
REFUTED = {
    "Reversed scores": (1 - SCORES, LABELS),
    "Falling probabilities": truth(hump),
    "Scores are the labels": (LABELS, LABELS),
    "Scores are predictions": (SCORES > 0.5, LABELS),
    "Scores are row numbers": (np.arange(N), np.sort(LABELS)),
}


@pytest.mark.parametrize("name", REFUTED)
def test_what_refutes_a_floor_takes_its_place_everywhere(name):
    floor, issued = found(ef.from_scores, *REFUTED[name], complete=True)
    first = floor.findings[0]
    assert (first.name, first.level) == (name, "refuted")
    assert floor.refuted
    assert first.remedy
    assert first.text in floor.warnings
    refutations = [one for one in issued if isinstance(one, ef.RefutedWarning)]
    assert str(refutations[0]) == first.text
    record = json.loads(json.dumps(floor.to_dict()))
    assert record["refuted"] is True
    assert record["value"] == floor.value
    assert record["findings"][0]["name"] == name
    said = f"No floor can be stated. {first.text}"
    shown = f"{100 * floor.value:.2f}"
    assert str(floor) == said
    for page in (floor._repr_html_(), summarize(floor).to_markdown().split("## Checks")[0]):
        assert "No floor can be stated" in page
        assert f"{shown} %" not in page
    verdict = ef.headroom(floor, errors=10, n=100)
    assert verdict.sentence.startswith("No verdict on the model")
    assert verdict.to_dict()["refuted"] is True
    assert str(verdict) == verdict.sentence
    assert first.remedy in summarize(verdict).to_markdown().replace("\\", "")


def test_good_data_have_no_warning_of_any_kind():
    floor, issued = found(ef.from_scores, SCORES, LABELS)
    assert not issued
    assert not floor.warnings
    assert not floor.refuted
    assert str(floor).count("\n") == 0
    assert {"Rising probabilities", "Direction of scores", "Class balance"} <= levels(floor).keys()


def test_what_is_doubtful_is_said_with_the_number():
    rng = np.random.default_rng(0)
    floor, issued = found(ef.from_scores, rng.uniform(size=N), rng.uniform(size=N) < 0.006)
    assert levels(floor)["Few positives"] == "warn"
    assert [type(one) for one in issued] == [ef.DoubtWarning]
    assert str(floor).splitlines()[1] == f"Warning: {floor.warnings[0]}"
    assert "<b>Warning:</b> There are only" in floor._repr_html_()


def test_a_doubt_that_was_said_on_the_way_is_not_said_again():
    floor, issued = found(ef.from_scores, SCORES, np.zeros(N))
    assert len(floor.warnings) == len(issued) == 1
    assert levels(floor)["One class"] == "warn"


def test_tiny_sets_are_noted_and_raise_no_alarm():
    floor, issued = found(ef.from_scores, [0.1, 0.2, 0.6, 0.7, 0.8], [0, 1, 0, 1, 1])
    assert not issued
    assert levels(floor)["Few positives"] == "note"


def test_methods_that_need_no_order_are_not_refuted_by_its_absence():
    for data, curves, level in (
        ((1 - SCORES, LABELS), False, "warn"),
        (truth(hump), True, "note"),
    ):
        methods = ["isotonic", "hist-10", "beta"]
        rows, issued = found(ef.compare, *data, methods=methods, complete=True)
        assert [row.refuted for row in rows] == [True, False, curves]
        assert level in levels(rows["hist-10"]).values()
        assert rows.main is rows["isotonic"]
        assert len(issued) == 1
        assert str(rows).splitlines()[1].split()[:2] == ["isotonic", "refuted"]
        assert rows.main.warnings[0] in str(rows)


def test_a_comparison_warns_of_its_main_method_only():
    scores = np.clip(SCORES, 0.45, 0.55)  # far from calibrated for a class that is rare
    labels = np.random.default_rng(1).uniform(size=N) < SCORES**4
    rows, issued = found(ef.compare, scores, labels, methods=["corrupted", "isotonic"])
    assert levels(rows["corrupted"])["Worse than guessing"] == "refuted"
    assert not rows.main.refuted
    assert not issued
    assert "corrupted: No floor can be above the error of always" in str(rows)


def test_a_fall_that_changes_no_rule_is_a_warning():
    data = truth(lambda p: np.where(p < 0.3, 0.02, np.where(p < 0.6, 0.98, 0.75)), 4000)
    floor, _ = found(ef.from_scores, *data)
    assert levels(floor)["Falling probabilities"] == "warn"
    assert "hardly changes which rule is best" in str(floor)


def test_groups_that_are_refuted_are_marked():
    data = pd.DataFrame({"score": SCORES, "label": LABELS.astype(int)})
    data["site"] = np.where(np.arange(N) % 2, "a", "b")
    data.loc[data.site == "a", "score"] = 1 - data.score
    floors, _ = found(ef.from_scores, data, group="site")
    assert [row.refuted for row in floors.values()] == [True, False]
    lines = str(floors).splitlines()
    assert "refuted" in lines[1]
    assert lines[1].endswith("reversed scores")
    assert "%" not in lines[1]
    assert "%" in lines[2]
    page = summarize(floors).to_markdown()
    assert "No floor can be stated of 1 group." in page
    every, _ = found(ef.from_scores, data[data.site == "a"], group="site")
    assert "No floor can be stated of any group" in summarize(every).to_markdown()


def test_soft_labels_that_are_hard_refute_their_floor():
    floor, _ = found(ef.from_soft_labels, LABELS.astype(float))
    assert levels(floor)["Exact zeros and ones"] == "refuted"


def test_repeated_items_ids_and_labels_beside_votes_are_found_in_rows():
    votes = np.random.default_rng(7).binomial(3, SCORES)  # other numbers than those of the scores
    frame = pd.DataFrame({"id": np.arange(N) // 2, "score": SCORES, "label": LABELS.astype(int)})
    floor, _ = found(ef.from_scores, frame)
    assert floor.source.facts == {"repeated_items": N // 2}
    assert levels(floor)["Repeated items"] == "warn"
    floor, _ = found(ef.from_scores, frame, score="id", label="label")
    assert floor.source.facts["id_as_score"] == "id"
    assert floor.refuted
    voted = pd.DataFrame({"votes": votes, "total": 3, "gold": LABELS.astype(int)})
    floor, _ = found(ef.from_votes, voted)
    assert levels(floor)["Votes next to labels"] == "warn"
    assert not ef.from_votes(voted.drop(columns="gold")).warnings


def test_ranks_of_items_in_another_order_are_scores():
    ranks = np.argsort(np.argsort(SCORES)) + 1
    for data in ((ranks, LABELS), (pd.DataFrame({"score": ranks, "label": LABELS}),)):
        assert not ef.from_scores(*data, rng=0).refuted


def level_of(name, ask, *data, **options):
    """Return the level of what a check found, or None where it found nothing of this name."""
    return levels(found(ask, *data, **{"interval": None, **options})[0]).get(name)


def rare(positives, n):
    """Return as many scores as items, and labels of which few are positive."""
    return np.arange(n) / n + 0.001, np.arange(n) >= n - positives


@pytest.mark.parametrize(
    ("name", "positives", "n", "level"),
    [
        ("Class balance", 5, 100, "ok"),
        ("Class balance", 4, 100, "note"),
        ("Class balance", 96, 100, "note"),
        ("Few positives", 30, 100, None),
        ("Few positives", 29, 100, "note"),
        ("Few positives", 10, 100, "note"),
        ("Few positives", 9, 100, "warn"),
        ("Few positives", 9, 30, "warn"),
        ("Few positives", 9, 29, "note"),
        ("Few negatives", 91, 100, "warn"),
        ("One class", 1, 40, None),
        ("One class", 0, 40, "warn"),
        ("One class", 40, 40, "warn"),
    ],
)
def test_a_class_is_called_rare_from_the_number_on_that_is_documented(name, positives, n, level):
    floor, _ = found(ef.from_scores, *rare(positives, n), interval=None)
    assert levels(floor).get(name) == level
    (balance,) = (one for one in floor.findings if one.name == "Class balance")
    assert ("compare the floor with that number" in balance.sentence) == (balance.level == "note")


@pytest.mark.parametrize(
    ("name", "scores", "labels", "level"),
    [
        ("Ties", [1, 1, 2, 3], [0, 1, 0, 1], "ok"),
        ("Ties", [1, 1, 1, 3], [0, 1, 0, 1], "note"),
        ("Constant scores", [1, 1, 1], [0, 1, 0], "warn"),
        ("Constant scores", [1, 1, 2], [0, 1, 0], None),
        ("Scores are the labels", [0, 1] * 5, [0, 1] * 5, "refuted"),
        ("Scores are the labels", [3, 7] * 5, [0, 1] * 5, "refuted"),
        ("Scores are the labels", [0.25, 0.75] * 5, [0, 1] * 5, None),
        ("Scores are the labels", [0, 1, 1] * 3, [0, 1, 1] * 3, None),
        ("Scores are the labels", [0, 1, 2] * 4, [0, 1, 1] * 4, None),
        ("Scores are the labels", [0, 1] * 5, [1, 0] * 5, "refuted"),
        ("Label that follows from the score", [0.25, 0.75] * 5, [0, 1] * 5, "note"),
        ("Label that follows from the score", [0.25, 0.75, 0.75] * 3, [0, 1, 1] * 3, None),
        ("Scores are predictions", [0, 1] * 6, [0, 1, 1] * 4, "refuted"),
        ("Scores are predictions", [1, 2] * 6, [0, 1, 1] * 4, None),
        ("Scores are predictions", [0, 2] * 6, [0, 1, 1] * 4, None),
        ("Range of scores", [-0.1, 0.5], [0, 1], "note"),
        ("Range of scores", [0.5, 1.1], [0, 1], "note"),
        ("Range of scores", [0, 1], [0, 1], None),
        ("Exact zeros and ones", [0.1, 0.9], [1, 0], "ok"),
        ("Exact zeros and ones", [0, 0.5, 1], [0, 1, 1], "ok"),
        ("Exact zeros and ones", [0, 0.5, 1], [1, 1, 1], "note"),
        ("Exact zeros and ones", [0, 0.5, 1], [0, 1, 0], "note"),
    ],
)
def test_what_scores_look_like_is_noticed(name, scores, labels, level):
    assert level_of(name, ef.from_scores, scores, labels) == level


@pytest.mark.parametrize(("wrong", "level"), [(1, "note"), (2, "warn")])
def test_certain_scores_with_the_wrong_label_weigh_in_curves_from_one_in_a_hundred_on(wrong, level):
    scores = np.r_[np.zeros(50), np.linspace(0.2, 0.9, 48), 1, 1]
    labels = np.r_[np.zeros(50), np.linspace(0.2, 0.9, 48) > 0.55, 1, 1]
    labels[:wrong] = 1
    floor, _ = found(ef.from_scores, scores, labels, method="beta", interval=None)
    (finding,) = (one for one in floor.findings if one.name == "Exact zeros and ones")
    assert (finding.level, finding.value) == (level, "52 items (52.0 %)")
    assert f"{wrong} label" in finding.sentence
    assert ("isotonic is not affected" in finding.remedy) == (level == "warn")
    name = "Exact zeros and ones"
    assert level_of(name, ef.from_scores, scores, labels) == "note"


@pytest.mark.parametrize(("n", "level"), [(832, "note"), (836, "warn")])
def test_scores_that_say_nothing_are_known_from_enough_items_only(n, level):
    scores, labels = np.arange(n) % 2 + 0.5, np.arange(n) // 2 % 2
    assert level_of("Hardly better than guessing", ef.from_scores, scores, labels) == level


def test_a_gain_over_guessing_is_said_with_what_the_interval_leaves_open():
    sure, _ = found(ef.from_scores, SCORES, LABELS)
    name = "Better than guessing"
    assert levels(sure)[name] == "ok"
    (gain,) = (one.value for one in sure.findings if one.name == name)
    rarer = min(LABELS.mean(), 1 - LABELS.mean())
    assert gain == f"{100 * (1 - sure.value / rarer):.1f} % fewer errors"
    how = {"method": "isotonic", "interval": "honest"}
    assert level_of(name, ef.from_scores, [1, 2, 3, 4], [0, 1, 0, 1], **how) == "note"


@pytest.mark.parametrize(
    ("name", "values", "level"),
    [
        ("Few items", np.linspace(0.1, 0.9, 29), "note"),
        ("Items", np.linspace(0.1, 0.9, 30), "ok"),
        ("Constant soft labels", [0.3] * 29, None),
        ("Constant soft labels", [0.3] * 30, "warn"),
        ("Vote shares", [0, 0.2, 0.4] * 10, "warn"),
        ("Vote shares", [1 / 6, 0.5, 1] * 10, "note"),
        ("Vote shares", [0.05, 0.5, 1] * 10, "note"),
        ("Vote shares", [1 / 21, 0.5, 1] * 10, None),
        ("Vote shares", [0, 1 / 3 + 1e-7, 1] * 10, "warn"),
        ("Vote shares", [0, 1 / 3 + 1e-6, 1] * 10, None),
        ("Vote shares", [0, 1] * 15, None),  # of any number of votes
        ("Vote shares", [0, 0.2, 0.4] * 9, None),
        ("Vote shares", [0.2, 0.4] * 15, None),
        ("Vote shares", np.arange(1, 19).repeat(2) / 19, "note"),
        ("Vote shares", np.r_[np.arange(1, 19), np.arange(1, 18)] / 19, None),
        ("Exact zeros and ones", [0, 0.4, 0.3, 1], "ok"),
        ("Exact zeros and ones", [0, 0.4, 0, 1], "note"),
        ("Exact zeros and ones", [0, 1] * 14 + [0], "note"),
        ("Exact zeros and ones", [0, 1] * 15, "refuted"),
    ],
)
def test_what_soft_labels_look_like_is_noticed(name, values, level):
    assert level_of(name, ef.from_soft_labels, values) == level


def test_the_fewest_votes_that_shares_can_be_of_are_named():
    floor, _ = found(ef.from_soft_labels, [0, 0.25, 0.5] * 10, interval=None)
    assert "multiples of 1/4" in [one.value for one in floor.findings]


@pytest.mark.parametrize(
    ("votes", "total", "level", "said"),
    [
        ([0, 1] * 15, 1, "warn", "With a single vote"),
        ([0, 1, 0] * 9, 1, "note", "With a single vote"),
        ([0, 1, 3] * 10, 3, "note", "With so few votes"),
        ([0, 1, 2] * 10, [2, 3, 4] * 10, "note", "With so few votes"),
        ([0, 1, 2] * 10, [2, 3, 5] * 10, "ok", "A small range"),
        ([0, 1, 2] * 10, 9, "ok", "A small range"),
        ([0, 1, 2] * 10, 10, "ok", "Enough votes"),
    ],
)
def test_how_much_the_number_of_votes_leaves_open_is_said(votes, total, level, said):
    floor, _ = found(ef.from_votes, votes, total, method="plugin", interval=None)
    (finding,) = (one for one in floor.findings if one.name == "Votes per item")
    assert (finding.level, finding.sentence[: len(said)]) == (level, said)
    spread = np.unique(total)
    counts = f"{spread[0]} to {spread[-1]}, {np.mean(total):.1f} on average"
    assert finding.value == (counts if spread.size > 1 else str(spread[0]))
    assert levels(floor).get("Unequal numbers of votes") == ("note" if spread.size > 1 else None)


def test_votes_are_described_by_agreement_and_balance():
    floor, _ = found(ef.from_votes, [0, 0, 1, 3, 3, 3, 3, 2], 3, interval=None)
    values = {one.name: (one.value, one.level) for one in floor.findings}
    assert values["Unanimous items"] == ("75.0 %", "ok")
    assert values["Class balance"] == ("62.5 % positive", "ok")
    assert level_of("Unanimous items", ef.from_votes, [0, 3, 3], 3) == "note"


@pytest.mark.parametrize(
    ("n", "missing", "level"),
    [(38, 2, "note"), (37, 2, "warn"), (30, 2, "warn"), (29, 2, "note"), (40, 0, None)],
)
def test_items_left_out_matter_above_one_in_twenty(n, missing, level):
    scores, labels = rare(n // 2, n + missing)
    scores[:missing] = np.nan
    frame = pd.DataFrame({"score": scores, "label": labels})
    assert level_of("Left out", ef.from_scores, frame, drop_missing=True) == level


@pytest.mark.parametrize(
    ("repeated", "said"), [(0, None), (1, "1 row repeats an item"), (2, "2 rows repeat an item")]
)
def test_repeated_items_are_counted(repeated, said):
    scores, labels = rare(20, 40)
    ids = np.maximum(np.arange(40), repeated)
    frame = pd.DataFrame({"id": ids, "score": scores, "label": labels})
    floor, _ = found(ef.from_scores, frame, interval=None)
    sentences = [one.sentence for one in floor.findings if one.name == "Repeated items"]
    assert [one.split(" of")[0] for one in sentences] == ([] if said is None else [said])


def test_a_fact_that_is_none_is_no_finding():
    floor, _ = found(ef.from_scores, *rare(20, 40), interval=None)
    for facts in ({"repeated_items": 0}, {"repeated_items": None}, {"classes": None}, {}):
        told = replace(floor, source=Source(origin="frame", layout="", facts=facts))
        assert {"Repeated items", "Classes"}.isdisjoint(one.name for one in checks.of(told))


@pytest.mark.parametrize(
    ("classes", "level"),
    [
        ({"0": ["no"], "1": ["yes"]}, "ok"),
        ({"0": ["no", "maybe"], "1": ["yes"]}, "note"),
        ({"0": ["1", "2"], "1": ["3", "4"]}, "ok"),
    ],
)
def test_which_class_is_which_is_said(classes, level):
    floor, _ = found(ef.from_scores, *rare(20, 40), interval=None)
    told = checks.of(
        replace(floor, source=Source(origin="frame", layout="", facts={"classes": classes}))
    )
    (finding,) = (one for one in told if one.name == "Classes")
    ones, zeros = ", ".join(classes["1"]), ", ".join(classes["0"])
    assert (finding.level, finding.value) == (level, f"class 1 = {ones}; class 0 = {zeros}")
    assert ("against the rest" in finding.sentence) == (level == "note")


@pytest.mark.parametrize(
    ("resolution", "value"), [(0.0, None), (0.0012, "at most 0.12 points"), (None, "no bound")]
)
def test_merged_scores_are_noted_with_what_they_may_cost(resolution, value):
    floor, _ = found(ef.from_scores, *rare(20, 40), interval=None)
    told = checks.of(replace(floor, resolution=resolution))
    assert [one.value for one in told if one.name == "Merged scores"] == [value] * (
        value is not None
    )


def test_the_noise_of_the_area_is_that_of_shuffled_labels():
    every = [labels for labels in product([0, 1], repeat=7) if sum(labels) == 3]
    areas = [area(ef.ScoreTable.from_arrays(np.arange(7), labels)) for labels in every]
    assert np.std([one for one, _ in areas]) == pytest.approx(areas[0][1])
    assert area(ef.ScoreTable.from_arrays([1, 2], [1, 1])) == (0.5, 0.0)


def test_scores_are_reversed_three_deviations_below_chance_and_fine_two_above():
    seen = set()
    for ones in range(2, 39):  # that many at the end, the rest where they do most harm
        for labels in (np.arange(40) % 3 == 0, np.arange(40) % 2 == 0):
            turned = np.concatenate((labels[ones:], np.sort(labels[:ones])))
            for scores in (np.arange(40), -np.arange(40)):
                at, noise = area(ef.ScoreTable.from_arrays(scores, turned))
                said = levels(found(ef.from_scores, scores, turned, interval=None)[0])
                assert ("Reversed scores" in said) == (at < 0.5 - 3 * noise)
                expected = "ok" if at > 0.5 + 2 * noise else "note"
                assert said.get("Direction of scores", expected) == expected
                seen.add(round((at - 0.5) / noise, 1))
    assert any(-3.3 < one < -3 for one in seen)
    assert any(-3 < one < -2.7 for one in seen)
    assert any(1.7 < one < 2 for one in seen)
    assert any(2 < one < 2.3 for one in seen)


@pytest.mark.parametrize(
    ("people", "level"), [(4, "warn"), (5, "note"), (19, "note"), (20, None), (21, None)]
)
def test_few_annotators_are_noticed(people, level):
    item = np.repeat(np.arange(people * 3), 2)
    who = np.arange(item.size) % people
    votes = pd.DataFrame({"item": item, "annotator": who, "vote": np.arange(item.size) // 3 % 2})
    floor, _ = found(ef.from_votes, votes)
    assert levels(floor).get("annotators") == level


# How often checks raise an alarm where there is none: probabilities that rise with the scores.
CLEAN = {
    "calibrated": lambda p: p,
    "distorted": lambda p: p**3,
    "certain or coin flips": lambda p: np.where(p < 0.5, 0.02, 0.5),
    "three steps": lambda p: np.where(p < 0.3, 0.0, np.where(p < 0.7, 0.5, 1.0)),
    "narrow": lambda p: np.where(p < 0.49, 0.0, np.where(p < 0.51, 0.5, 1.0)),
    "weak": lambda p: 0.4 + 0.2 * p,
    "rare": lambda p: 0.3 * p**2,
}


def alarms(estimate):
    return any(one.level in ("refuted", "warn") for one in checks.of(estimate))


@pytest.mark.parametrize("n", [40, 300, 3000])
def test_all_checks_together_rarely_raise_a_false_alarm(n):
    repeats = 60 if n == 3000 else 120
    for i, curve in enumerate(CLEAN.values()):
        raised = 0
        for seed in range(repeats):
            scores, labels = truth(curve, n, seed=[i, n, seed])
            if min(labels.sum(), n - labels.sum()) < 10:
                continue  # few positives are no false alarm
            scores = scores.round(2) if seed % 2 else scores
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ef.ErrorFloorWarning)
                raised += alarms(ef.from_scores(scores, labels, interval=None))
        assert raised <= binom.ppf(0.9999, repeats, 0.1)


def test_the_checks_of_votes_and_soft_labels_raise_no_false_alarm():
    raised = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        p = rng.beta(0.5, 0.5, size=200)
        raised += bool(ef.from_votes(rng.binomial(3, p), 3, interval=None).warnings)
        raised += bool(ef.from_soft_labels(p, interval=None).warnings)
    assert raised <= binom.ppf(0.9999, 80, 0.1)


@pytest.mark.parametrize("share", [0.5, 0.1])
def test_the_test_of_order_holds_where_probabilities_are_all_equal(share):
    # The least favourable case: nothing rises, so nothing brings the noise nearer to its minorant.
    rng = np.random.default_rng(0)
    chances = []
    for _ in range(400):
        labels = rng.uniform(size=500) < share
        ones = np.cumsum(labels)
        chances.append(chance_of_order(np.arange(1, 501) - ones, ones))
    assert (np.array(chances) < 0.05).sum() <= binom.ppf(0.999, 400, 0.05)


def test_the_order_of_a_table_is_that_of_slow_code():
    rng = np.random.default_rng(0)
    for _ in range(20):
        scores, labels = rng.integers(0, 12, size=80), rng.integers(0, 2, size=80)
        table = ef.ScoreTable.from_arrays(scores, labels)
        items = np.concatenate(([0], np.cumsum(table.items)))
        ones = np.concatenate(([0], np.cumsum(table.positives)))
        below = [
            min(
                ones[a] + (ones[b] - ones[a]) * (x - items[a]) / max(items[b] - items[a], 1)
                for a in range(len(items))
                for b in range(a, len(items))
                if items[a] <= x <= items[b]
            )
            for x in items
        ]
        share = labels.mean()
        x = max(ones - np.array(below)) / np.sqrt(80 * share * (1 - share))
        terms = (np.arange(1, 40) * x) ** 2
        chance = 2 * np.sum((4 * terms - 1) * np.exp(-2 * terms)) if x >= 1 else 1.0
        running = np.cumsum(table.counts, axis=0)
        assert chance_of_order(*running.T) == pytest.approx(chance)
        cuts = [(labels[scores > t] == 0).sum() + labels[scores <= t].sum() for t in range(-1, 12)]
        assert errors_saved(table)[1] == min(cuts)


def test_the_area_counts_pairs():
    scores, labels = np.array([1, 2, 2, 3, 5]), np.array([0, 1, 0, 0, 1])
    ones, zeros = scores[labels == 1], scores[labels == 0]
    pairs = (ones[:, None] > zeros).mean() + (ones[:, None] == zeros).mean() / 2
    assert area(ef.ScoreTable.from_arrays(scores, labels))[0] == pytest.approx(pairs)


def test_findings_come_with_the_gravest_first_and_every_check_says_what_it_asks():
    floor, _ = found(ef.from_scores, 1 - SCORES, LABELS)
    ranks = [LEVELS.index(one.level) for one in floor.findings]
    assert ranks == sorted(ranks)
    assert len({record.name for record in checks.RECORDS}) == len(checks.RECORDS)
    assert all(record.asks.endswith("?") for record in checks.RECORDS)
    assert sum(record.false_alarm for record in checks.RECORDS) <= 0.1


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame({"score": SCORES, "label": LABELS.astype(int)})
    frame.to_csv("good.csv", index=False)
    frame.assign(score=1 - SCORES).to_csv("reversed.csv", index=False)
    return tmp_path


def run(*words):
    return CliRunner().invoke(cli, [*words], standalone_mode=False)


@pytest.mark.parametrize(
    "words",
    [
        ("estimate", "FILE"),
        ("estimate", "FILE", "--attainable", "0.9"),
        ("compare", "FILE", "--method", "isotonic"),
        ("headroom", "FILE", "--model-errors", "1", "--test-items", "9", "--require", "beyond"),
        ("report", "FILE", "-o", "report.html"),
    ],
)
def test_a_refuted_answer_has_an_exit_code_of_its_own(files, words):
    done = CliRunner().invoke(cli, ["reversed.csv" if word == "FILE" else word for word in words])
    assert done.exit_code == 4
    assert "are reversed" in done.stdout
    assert "are reversed" not in done.stderr
    good = CliRunner().invoke(cli, ["good.csv" if word == "FILE" else word for word in words])
    assert good.exit_code in (0, 3)
    assert "warning" not in good.stderr


def test_json_keeps_the_refuted_value(files):
    done = CliRunner().invoke(cli, ["estimate", "reversed.csv", "--json", "--attainable", "0.9"])
    record = json.loads(done.stdout)
    assert done.exit_code == 4
    assert record["result"]["refuted"] is True
    assert record["result"]["value"] > 0.4
    assert record["passed"] is False
    assert any("are reversed" in one for one in record["remarks"])
    assert "no floor can be stated" in done.stderr


def test_labels_against_certain_scores_are_counted_at_both_ends():
    scores, labels = (
        [0.0] * 10 + [1.0] * 10 + [0.2, 0.7] * 10,
        [0] * 8 + [1] * 10 + [0] * 2 + [0, 1] * 10,
    )
    floor, _ = found(ef.from_scores, scores, labels)
    (said,) = [one for one in floor.findings if one.name == "Exact zeros and ones"]
    assert said.value.startswith("20 items")
    assert said.sentence.endswith("4 labels said otherwise.")


def test_rows_that_were_copied_are_told_by_their_numbers():
    scores, labels = np.tile(SCORES, 3), np.tile(LABELS, 3)
    floor, warned = found(ef.from_scores, scores, labels)
    assert levels(floor)["Copied items"] == "warn"
    assert any("occurs is a multiple of 3" in str(one) for one in warned)
    once = ef.from_scores(SCORES, LABELS, rng=0)
    assert "Copied items" not in levels(once)
    # One more item, and the numbers have no common divisor.
    more, _ = found(ef.from_scores, [*scores, 0.5], [*labels, True])
    assert "Copied items" not in levels(more)
    # A few values on purpose: equal numbers of each are a design, not copies.
    assert "Copied items" not in levels(ef.from_soft_labels([0.1, 0.4, 0.8] * 20))


def test_what_the_test_of_independent_votes_would_find_is_said():
    def said(votes, totals, **options):
        found = ef.from_votes(votes, totals, **options)
        return next(one.text for one in found.findings if one.name == "Misfit of votes")

    rng = np.random.default_rng(0)
    few = "With so few votes the test finds hardly anything."
    assert said(rng.binomial(3, rng.random(12)), 3).endswith(few)
    many = said(rng.binomial(9, rng.random(3000)), 9)
    assert re.search(r"the votes on \d+ % of all items have to be as even as they can be", many)
    assert few not in many
