import json
import re
from itertools import product

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from scipy.stats import binom, norm

import errorfloor as ef
from benchmarks import headroom as study
from errorfloor.apps.cli.commands import cli
from errorfloor.intervals import signs
from errorfloor.questions.headroom import Pair
from errorfloor.show.recipe import command_line, python_code
from errorfloor.show.report import summarize
from errorfloor.show.standings import gain_of
from errorfloor.show.text import long_text_of
from errorfloor.testing import assert_headroom


def most(rate, repetitions):
    """Return the most events in a thousand studies, if each has this rate."""
    return binom.isf(1e-3, repetitions, rate)


def sample(n=400, flips=0, seed=0):
    rng = np.random.default_rng(seed)
    scores = rng.random(n).round(2)
    labels = rng.random(n) < scores
    predictions = scores > 0.5
    predictions[:flips] ^= True
    return scores, labels, predictions


# Floors from votes


@pytest.mark.parametrize(("setting", "n"), [*zip(study.VOTES, (2000, 20_000, 2000), strict=True)])
def test_an_optimal_model_is_rarely_judged_beside_few_votes(setting, n):
    found = study.verdicts_on_votes(setting, n, 40)
    assert found["room"] <= most(0.035, 40)
    assert found["beyond"] <= most(0.035, 40)


def test_vote_floors_are_compared_by_their_limits():
    floor = ef.from_votes([0] * 300 + [1] * 100 + [2] * 100 + [3] * 500, 3)
    for errors in (10, 60, 80, 200, 400):
        found = ef.headroom(floor, errors, 1000, same_labelling=True)
        assert found.low == pytest.approx(found.model.low - floor.high, abs=1e-12)
        assert found.high == pytest.approx(found.model.high - floor.low, abs=1e-12)
        p, tail = min(found.p_room, found.p_beyond), 0.025
        assert (p <= tail) == (found.verdict != "saturated")


@pytest.mark.parametrize("errors", [30, 220])
def test_p_values_beside_votes_are_the_tails_at_which_the_limits_part(errors):
    floor = ef.from_votes([0] * 300 + [1] * 100 + [2] * 100 + [3] * 500, 3)
    found = ef.headroom(floor, errors, 1000, same_labelling=True)
    p = min(found.p_room, found.p_beyond)
    assert 1e-11 < p < 0.25
    for tail, turned in ((1.05 * p, True), (0.95 * p, False)):
        again = ef.headroom(floor, errors, 1000, level=1 - 2 * tail, same_labelling=True)
        assert (again.verdict != "saturated") == turned
        # Whatever the level, the p-value is the same, up to how finely it is sought.
        assert min(again.p_room, again.p_beyond) == pytest.approx(p, rel=0.05)


@pytest.mark.filterwarnings("ignore:The votes do not look independent")
def test_p_values_beside_votes_are_one_where_the_limits_overlap():
    floor = ef.from_votes([0] * 50 + [1] * 50, 2)
    found = ef.headroom(floor, model_error=floor.value, n=100, same_labelling=True)
    assert (found.p_room, found.p_beyond) == (1, 1)
    assert found.verdict == "saturated"


@pytest.mark.filterwarnings("ignore:All votes agree")
def test_extreme_models_get_the_least_p_value():
    floor = ef.from_votes([0] * 500 + [2] * 500, 2)
    found = ef.headroom(floor, 900, 1000, same_labelling=True)
    assert found.verdict == "room"
    assert found.p_room == pytest.approx(norm.sf(7), rel=1e-9)
    assert found.p_beyond == 1


# Predictions on the same items


@pytest.mark.parametrize(
    "name", ["coin flips", "coin flips in the middle", "coin flips, five scores"]
)
def test_room_is_rarely_found_where_no_rule_is_better(name):
    found = study.room_found(study.MODELS[name], 500, 150)
    assert found * 150 <= most(0.025, 150)


def test_two_points_of_errors_at_random_are_found():
    # With a power of 0.75 at most 36 would be found in all but one study of 200.
    assert study.room_found(study.two_points_of_flips, 1000, 40) * 40 >= 37


def slow_statistic(scores, labels, predictions):
    """Go over all pairs of prefixes on the ladder, item by item."""
    rows = []
    for value, sign in ((False, -1), (True, 1)):
        at = np.flatnonzero(predictions == value)
        at = at[np.argsort(sign * scores[at], kind="stable")]
        wrong = labels[at] != predictions[at]
        ends = [0]
        for least in signs._ladder(at.size)[1:] if at.size else ():
            end = int(least)
            while end < at.size and scores[at[end]] == scores[at[end - 1]]:
                end += 1
            ends.append(end)
        rows.append([(end, 2 * int(wrong[:end].sum()) - end) for end in sorted(set(ends))])
    return max((a[1] + b[1]) / max(a[0] + b[0], 1) ** 0.5 for a in rows[0] for b in rows[1])


@pytest.mark.parametrize("seed", range(5))
def test_the_statistic_is_that_of_going_over_the_items(seed):
    scores, labels, predictions = sample(200, 15, seed)
    pair = Pair.of(scores, labels, predictions, {})
    assert pair.test().statistic == pytest.approx(slow_statistic(scores, labels, predictions))


def test_the_p_value_is_exact_where_all_outcomes_can_be_listed():
    # Eight items, distinct scores, all predicted 0: all 256 outcomes of fair coins.
    scores, predictions = np.arange(8) / 8, np.zeros(8, bool)
    outcomes = np.array(list(product([False, True], repeat=8)))
    values = np.array([slow_statistic(scores, labels, predictions) for labels in outcomes])
    for at in (0, 100, 200, 240, 255):
        statistic, p = signs.sign_test(ef.ScoreTable.from_arrays(scores, outcomes[at]), None)
        exact = np.mean(values >= statistic - 1e-12)
        assert statistic == pytest.approx(values[at])
        # Draws end at 200 that are as large: a standard error of a fourteenth, and less.
        assert p == pytest.approx(exact, rel=4 / 200**0.5)


def test_errors_only_raise_the_statistic():
    scores, labels, predictions = sample(100, 5)
    before = Pair.of(scores, labels, predictions, {}).test().statistic
    for item in np.flatnonzero(labels == predictions)[:20]:
        worse = labels.copy()
        worse[item] = ~worse[item]
        assert Pair.of(scores, worse, predictions, {}).test().statistic >= before


def test_a_hopeless_model_has_a_tiny_p_value():
    scores, labels, predictions = sample(1000)
    found = ef.headroom(scores, labels=labels, predictions=~predictions, rng=0)
    assert found.verdict == "room"
    assert found.test.p < 1e-12
    assert found.p_room == found.test.p
    assert "a better rule exists (sign test, p < 0.001)" in found.sentence


def test_a_paired_verdict_says_what_it_means():
    scores, labels, predictions = sample(flips=40)
    found = ef.headroom(scores, labels=labels, predictions=predictions, rng=0)
    assert found.verdict == "room"
    assert found.low == 0 < found.high
    assert (found.n, found.errors) == (400, int(np.sum(labels != predictions)))
    assert "a better rule exists" in found.test.means
    assert "must not have been trained on these labels" in long_text_of(found)
    plain = json.loads(json.dumps(found.to_dict()))["test"]
    assert plain["name"] == "sign test"
    assert plain["p"] == found.p_room
    assert found.floor.value == ef.from_scores(scores, labels, rng=0).value


def test_the_best_model_is_saturated_and_one_that_saw_the_labels_is_beyond():
    scores, labels, predictions = sample(2000)
    for complete, names in ((True, ("saturated", "beyond")), (False, ("matches", "better"))):
        about = {"labels": labels, "complete": complete, "rng": 0}
        found = ef.headroom(scores, predictions=predictions, **about)
        assert found.verdict == names[0]
        assert found.low <= 0
        assert ef.headroom(scores, predictions=labels, **about).verdict == names[1]


@pytest.fixture
def path(tmp_path):
    pd = pytest.importorskip("pandas")
    scores, labels, predictions = sample(flips=40)
    words = np.array(["no", "yes"])
    frame = pd.DataFrame({"s": scores, "y": labels.astype(int), "p": predictions.astype(int)})
    frame["said"], frame["guess"] = words[frame["y"]], words[frame["p"]]
    frame.to_csv(tmp_path / "items.csv", index=False)
    return tmp_path / "items.csv"


def test_arrays_frames_files_and_words_agree(path):
    pd = pytest.importorskip("pandas")
    scores, labels, predictions = sample(flips=40)
    first = ef.headroom(scores, labels=labels, predictions=predictions, rng=0)
    assert first.floor.dropped == 0
    named = {"score": "s", "label": "y", "prediction": "p", "rng": 0}
    in_words = {"label": "said", "prediction": "guess", "positive": "yes"}
    mixed = {"label": "said", "classes": ["no", "yes"]}
    for data in (path, pd.read_csv(path)):
        for more in ({}, in_words, mixed):
            found = ef.headroom(data, **{**named, **more})
            assert (found.low, found.high, found.test.p) == (first.low, first.high, first.test.p)


def test_a_paired_verdict_can_be_had_again(path):
    found = ef.headroom(path, score="s", label="y", prediction="p", level=0.9, rng=3)
    scope = {}
    exec(python_code(found.floor, found), scope)
    assert scope["verdict"].to_dict() == found.to_dict()
    pytest.importorskip("click")
    typed = command_line(found.floor, found)
    assert typed.endswith("--prediction p")


def test_the_command_line_takes_predictions_and_numbers(path, capsys):
    pytest.importorskip("click")
    from errorfloor.apps.cli.commands import run

    words = ["headroom", str(path), "--score", "s", "--label", "y", "--prediction", "p", "--json"]
    assert run(words) == 0
    printed = json.loads(capsys.readouterr().out)
    expected = ef.headroom(path, score="s", label="y", prediction="p", rng=0)
    assert printed["result"]["test"]["p"] == expected.test.p
    assert printed["result"]["high"] == expected.high
    assert printed["input"]["columns"]["prediction"] == "p"
    assert run([*words, "--test-items", "9"]) == 2
    assert run([*words, "--group", "said"]) == 0
    capsys.readouterr()
    assert run(["headroom", "5%", "--model-error", "8%", "--test-items", "1000"]) == 0
    assert "was given as a number" in capsys.readouterr().out
    assert run(["headroom", "23", "--model-error", "8%", "--test-items", "1000"]) == 1
    assert "23 % is 0.23" in capsys.readouterr().err
    assert run(["headroom", "5%", "--model-error", "8", "--test-items", "1000"]) == 2
    assert "8 % is 0.08" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"predictions": [0, 1]}, r"`predictions` goes with an array of scores and `labels`"),
        ({"labels": [0, 1, 1], "predictions": [0, 1]}, r"`scores` and `labels` must have the same"),
        ({"labels": [0, 1], "predictions": [0]}, r"`scores` and `predictions` must have the same"),
        ({"labels": [0, 1], "predictions": [0, 0.5]}, r"`predictions` must be 0 or 1"),
        ({"labels": [0, 1], "predictions": [0, 1], "n": 2}, r"`n` is counted from the predictions"),
        ({"prediction": "p"}, r"`prediction` is a column of a dataframe or file"),
    ],
)
def test_bad_predictions_are_refused(arguments, message):
    with pytest.raises(ef.InputError, match=message):
        ef.headroom([0.1, 0.7], **arguments)


def test_bad_columns_of_predictions_are_refused(path):
    named = {"score": "s", "label": "y"}
    with pytest.raises(ef.InputError, match=r"\(column 's'\) has .* cut scores at a threshold"):
        ef.headroom(path, **named, prediction="s")
    with pytest.raises(ef.InputError, match=r"'guess'\) has no, yes, and the labels are 0"):
        ef.headroom(path, **named, prediction="guess")
    with pytest.raises(ef.InputError, match="`prediction` must be one of the columns s, y"):
        ef.headroom(path, **named, prediction="nothing")


@pytest.mark.parametrize("group", [None, "site"])
def test_weights_and_groups_go_with_predictions(group):
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(5)
    p = rng.beta(0.5, 0.5, 600)
    frame = pd.DataFrame({"score": p, "label": (rng.random(600) < p) * 1, "said": (p > 0.5) * 1})
    frame["weight"], frame["site"] = 1 + np.arange(600) % 3, np.arange(600) // 300
    frame.loc[frame.site == 1, "said"] = rng.integers(0, 2, 300)  # guesses
    columns = {"score": "score", "label": "label", "prediction": "said", "weight": "weight"}
    found = ef.headroom(frame, **columns, group=group)
    if group is None:
        wrong = np.average(frame.said != frame.label, weights=frame.weight)
        assert found.model_error == pytest.approx(wrong)
        assert found.model.low < wrong < found.model.high
        return
    assert {name: one.verdict for name, one in found.items()} == {0: "matches", 1: "room"}
    for name, one in found.items():
        part = frame[frame.site == name]
        wrong = np.average(part.said != part.label, weights=part.weight)
        assert one.model_error == pytest.approx(wrong)
        assert one.floor.value == ef.from_scores(frame, weight="weight", group="site")[name].value


def test_predictions_in_other_words_than_the_labels_are_refused_with_groups():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"score": [0.1, 0.9] * 20, "label": ["no", "yes"] * 20, "site": 1})
    frame["said"] = [0, 1] * 20
    with pytest.raises(ef.InputError, match="has 0, 1, and the labels are no, yes"):
        ef.headroom(frame, prediction="said", group="site")


def test_rows_without_a_prediction_are_named_and_left_out_on_request():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"s": [0.1, 0.2, 0.8], "y": [0, 1, 1], "p": [0, None, 1]})
    named = {"score": "s", "label": "y", "prediction": "p", "rng": 0}
    with pytest.raises(ef.InputError, match=r"`prediction` \(column 'p'\) has missing values: 1"):
        ef.headroom(frame, **named)
    found = ef.headroom(frame, **named, drop_missing=True)
    assert (found.n, found.errors, found.floor.dropped) == (2, 0, 1)


# Plain numbers


def test_a_plain_number_is_a_floor_without_doubt():
    found = ef.headroom(0.05, 80, 1000)
    assert found.verdict == "room"
    assert (found.low, found.high) == pytest.approx(
        (found.model.low - 0.05, found.model.high - 0.05)
    )
    assert ef.headroom("5%", model_error="8 %", n=1000).low == found.low
    assert ef.headroom(np.float64(0.05), 80, 1000).p_room == found.p_room
    scope = {}
    exec(python_code(found.floor, found), scope)
    assert scope["verdict"].low == found.low
    assert command_line(found.floor, found).startswith("errorfloor headroom 0.05 --model-errors 80")


@pytest.mark.parametrize("value", [23, 23.0, np.int64(23)])
def test_per_cent_without_the_sign_are_refused_with_the_fraction(value):
    with pytest.raises(ef.InputError, match=r"`estimate` must lie in .*: 23 % is 0\.23"):
        ef.headroom(value, 80, 1000)
    with pytest.raises(ef.InputError, match=r"`model_error` must lie in .*: 23 % is 0\.23"):
        ef.headroom(0.05, model_error=value, n=1000)


@pytest.mark.parametrize("value", [True, "230%", -0.1, float("nan")])
def test_what_is_no_fraction_is_refused(value):
    with pytest.raises(ef.InputError, match="must lie in"):
        ef.headroom(value, 80, 1000)


@pytest.mark.parametrize(
    ("labels", "answers", "more"),
    [
        ("01", "01", {}),
        ("01", "10", {"positive": 0}),
        ("12", "12", {"positive": "2"}),
        (("no", "yes"), ("no", "yes"), {}),
        (("No", "Yes"), ("no ", "yes"), {"positive": "No"}),
        (("ham", "spam"), ("0", "1"), {"classes": ["ham", "spam"]}),
        (("ham", "spam"), ("1", "0"), {"classes": ["spam", "ham"]}),
    ],
)
def test_predictions_are_the_classes_of_the_labels_with_the_same_value(labels, answers, more):
    pd = pytest.importorskip("pandas")
    scores, truth, predictions = sample(flips=40)
    truth, predictions = truth.astype(int), predictions.astype(int)
    wrong = int(np.sum(truth != predictions))
    if more.get("positive") == 0:
        answers = answers[::-1]
    if more.get("positive") in (0, "No") or more.get("classes", [""])[0] == "spam":
        scores = 1 - scores
    frame = pd.DataFrame({"s": scores, "y": np.array([*labels])[truth]})
    frame["p"] = np.array([*answers])[predictions]
    named = {"score": "s", "label": "y", "prediction": "p", "rng": 0}
    assert ef.headroom(frame, **named, **more).errors == wrong
    by_array = {"labels": frame.y.to_numpy(), "predictions": frame.p.to_numpy(), "rng": 0}
    if labels != "01" or more:
        assert ef.headroom(frame.s.to_numpy(), **by_array, **more).errors == wrong


@pytest.mark.parametrize("more", [{}, {"positive": "No"}, {"positive": "Yes"}])
@pytest.mark.parametrize("ask", ["headroom", "f1", "group", "arrays", "floor", "compare", "people"])
def test_numbers_are_no_predictions_of_words_whatever_is_class_1(ask, more):
    pd = pytest.importorskip("pandas")
    scores, truth, predictions = sample(flips=40)
    if more.get("positive") == "No":
        scores = 1 - scores
    words = np.array(["No", "Yes"])[truth.astype(int)]
    frame = pd.DataFrame({"s": scores, "y": words, "p": predictions.astype(int), "g": "all"})
    named = {"score": "s", "label": "y", "prediction": "p", **more}
    rows = frame.loc[frame.index.repeat(2), ["y", "p"]]
    rows = rows.assign(item=np.repeat(np.arange(len(frame)), 2))
    floor = ef.from_scores(scores, words, **more)
    asked = {
        "headroom": lambda: ef.headroom(frame, **named),
        "f1": lambda: ef.headroom(frame, **named, metric="f1"),
        "group": lambda: ef.headroom(frame, **named, group="g"),
        "arrays": lambda: ef.headroom(scores, labels=words, predictions=frame.p, **more),
        "floor": lambda: ef.headroom(floor, labels=words, predictions=frame.p),
        "compare": lambda: ef.compare(labels=words, predictions={"p": frame.p, "y": words}, **more),
        "people": lambda: ef.people(rows, item="item", vote="y", prediction="p", **more),
    }
    with pytest.raises(ef.InputError, match=r"has 0, 1, and the labels are \w+, \w+") as caught:
        asked[ask]()
    proposed = "add `classes=['No', 'Yes']`" in str(caught.value)
    assert proposed == (more != {"positive": "No"})
    assert "replace these numbers by the labels" in str(caught.value)


def test_columns_of_predictions_among_three_classes_say_what_arrays_say():
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(3), 90).round(2)
    names = np.array(["ant", "bee", "cat"])
    labels = p.argmax(axis=1)
    labels[::3] = rng.integers(0, 3, 30)
    said = np.where(p[:, 0] > 0.4, 0, 1)  # never the last class
    frame = pd.DataFrame(p, columns=[f"score_{name}" for name in names])
    frame["label"], frame["said"] = names[labels], names[said]
    found = ef.headroom(frame, prediction="said", rng=0)
    plain = ef.headroom(
        p, labels=names[labels], predictions=names[said], classes=list(names), rng=0
    )
    assert found.errors == plain.errors == np.count_nonzero(labels != said)
    assert (found.n, found.low, found.high) == (90, plain.low, plain.high)
    assert found.test.p == plain.test.p


@pytest.mark.filterwarnings("ignore::errorfloor.DoubtWarning")
def test_rows_that_are_left_out_for_any_reason_are_counted_once():
    rng = np.random.default_rng(0)
    score = rng.random(60)
    frame = pd.DataFrame({"score": score, "label": (rng.random(60) < score) * 1.0})
    frame["said"] = (score > 0.5) * 1.0
    frame.loc[3, "score"] = None
    frame.loc[[7, 8], "label"] = None
    frame.loc[9, "said"] = None
    found = ef.headroom(frame, prediction="said", drop_missing=True, rng=0)
    assert (found.n, found.floor.n, found.floor.dropped) == (56, 56, 4)


def test_a_column_called_a_prediction_is_proposed_with_a_command_that_answers(tmp_path, capsys):
    pd = pytest.importorskip("pandas")
    pytest.importorskip("click")
    from errorfloor.apps.cli.commands import run

    scores, truth, predictions = sample(flips=40)
    frame = pd.DataFrame({"id": [f"c-{i}" for i in range(len(scores))], "proba_0": 1 - scores})
    frame["proba_1"], frame["Churn"] = scores, np.array(["No", "Yes"])[truth.astype(int)]
    frame["pred"] = predictions.astype(int)
    path = str(tmp_path / "churn.csv")
    frame.to_csv(path, index=False)
    assert run(["headroom", path]) == 2
    typed = capsys.readouterr().err.splitlines()[-1]
    assert typed == f"  errorfloor headroom {path} --prediction pred --label Churn"
    assert run(typed.split()[1:]) == 0
    right = 100 * np.mean(truth == predictions)
    assert f"Your model, at {right:.1f} %" in capsys.readouterr().out
    with pytest.raises(ef.InputError, match="name it with `prediction`"):
        ef.headroom(frame, score="proba_1", label="Churn")


def test_a_verdict_that_looks_too_good_is_no_fact_and_says_how_likely_chance_is():
    floor = ef.from_votes(np.random.default_rng(0).binomial(5, [0.1, 0.5, 0.8] * 70), totals=5)
    found = ef.headroom(floor, errors=4, n=400, same_labelling=True)
    assert found.verdict == "beyond"
    assert " points too good: suspect a leaked test set" in found.sentence
    assert "This is more than chance explains (p" in long_text_of(found)
    report = summarize(found).to_markdown()
    assert "P-value of this difference | " in report
    with pytest.raises(
        AssertionError, match=r"The verdict is not 'room': your model looks .* too good"
    ):
        assert_headroom(found)


def test_a_gate_fails_in_the_words_of_the_verdict():
    floor = ef.from_votes(np.random.default_rng(0).binomial(5, [0.1, 0.5, 0.8] * 70), totals=5)
    found = ef.headroom(floor, errors=90, n=400, same_labelling=True)
    least, most = gain_of(found)
    assert f"{least} to {most} points may remain." in found.sentence
    with pytest.raises(AssertionError) as failed:
        assert_headroom(found)
    assert str(failed.value).endswith(
        f"Failed: The verdict is not 'room': {least} to {most} points may remain."
    )


def test_a_gate_on_what_may_remain_compares_the_upper_limit():
    floor = ef.from_votes(np.random.default_rng(0).binomial(5, [0.1, 0.5, 0.8] * 70), totals=5)
    found = ef.headroom(floor, errors=90, n=400, same_labelling=True)
    assert found.verdict == "saturated"  # for lack of items: nothing was found
    assert_headroom(found, "saturated")
    assert_headroom(found, room_at_most=found.high)
    assert_headroom(found, "saturated", room_at_most=found.high)
    most = found.high - 1e-6
    with pytest.raises(
        AssertionError, match=r"Failed: up to \d+\.\d+ points may remain, above the"
    ):
        assert_headroom(found, room_at_most=most)
    with pytest.raises(AssertionError, match="above the allowed 2 points"):
        assert_headroom(found, "saturated", room_at_most="2%")
    with pytest.raises(AssertionError, match="The verdict is not 'room'"):
        assert_headroom(found, "room", room_at_most="20%")
    room = ef.headroom(0.05, errors=98, n=1000)
    assert_headroom(room, room_at_most="7%")
    with pytest.raises(AssertionError, match="too good"):
        assert_headroom(
            ef.headroom(floor, errors=4, n=400, same_labelling=True), room_at_most="50%"
        )
    scores = np.random.default_rng(1).random(900)
    bound = ef.from_scores(scores, np.random.default_rng(2).random(900) < scores)
    with pytest.raises(AssertionError, match="not known, as a model that sees more may do better"):
        assert_headroom(ef.headroom(bound, errors=300, n=900), room_at_most="50%")


def test_a_gate_that_passes_for_lack_of_data_says_so(tmp_path, capsys):
    pd = pytest.importorskip("pandas")
    pytest.importorskip("click")
    from errorfloor.apps.cli.commands import run

    path = str(tmp_path / "votes.csv")
    positives = np.random.default_rng(0).binomial(5, [0.1, 0.5, 0.8] * 70)
    pd.DataFrame({"positives": positives, "total": 5}).to_csv(path, index=False)
    ask = ["headroom", path, "--model-errors", "90", "--test-items", "400", "--same-labelling"]

    def asked(*more):
        code = run([*ask, "--quiet", "--json", *more])
        printed = capsys.readouterr()
        return code, json.loads(printed.out), printed.err

    code, found, said = asked("--fail-unless", "saturated")
    assert (code, found["passed"]) == (0, True)
    assert found["gate"].startswith("no room was found, but these data do not rule it out: 0")
    assert f"{100 * found['result']['high']:.0f}" in found["gate"]
    assert found["gate"].endswith("To limit what may remain, use --fail-if-room-above.")
    assert said == f"Passed: {found['gate']}\n"
    code, found, said = asked("--fail-unless", "saturated", "--fail-if-room-above", "2%")
    assert (code, found["passed"], "gate" in found) == (3, False, False)
    assert said.startswith("Failed: up to ")
    code, found, said = asked("--fail-unless", "room", "--fail-if-room-above", "2%")
    assert re.match(
        r"Failed: The verdict is not 'room': .* may remain; up to .* the allowed 2 points\.", said
    )
    code, found, said = asked("--fail-if-room-above", "40%")
    assert (code, found["passed"], said) == (0, True, "")
    assert asked("--fail-unless", "room")[0] == 3
    assert run([*ask, "--fail-if-room-above", "2"]) == 2
    assert "2 is not between 0 and 1. 2 % is 0.02." in capsys.readouterr().err


def test_predictions_next_to_a_floor_from_votes_are_answered_with_what_compares_them():
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    votes = (rng.random((200, 3)) < rng.beta(0.5, 0.5, 200)[:, None]).astype(int)
    frame = pd.DataFrame(votes, columns=["ann", "bob", "eve"]).assign(prediction=votes[:, 0])
    floor = ef.from_votes(votes.sum(axis=1), totals=3)
    with pytest.raises(ef.InputError, match=r"ef.headroom\(df, annotators=names, prediction="):
        ef.headroom(floor, predictions=frame["prediction"])
    with pytest.warns(ef.DoubtWarning):  # of three people and a copy of one
        assert ef.headroom(frame, annotators=["ann", "bob", "eve"], prediction="prediction").n


def votes_and_models(n, people, seed=0):
    """Items of which eight in ten people are for the likelier class, and a model that misses some.

    Panels of people are worse than a model that misses few, though that is worse than the best.
    """
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(seed)
    likely = rng.random(n) < 0.5
    votes = rng.random((n, people)) < np.where(likely, 0.8, 0.2)[:, None]
    models = {
        f"misses_{miss}": (likely ^ (rng.random(n) < miss)).astype(int)
        for miss in (0.0, 0.07, 0.12, 0.2)
    }
    return pd.DataFrame({"votes": votes.sum(axis=1), "total": people, **models})


def shown_of(found):
    """What the long text says of the side of the model, and of its tests, by its lines."""
    _, difference, *rest = long_text_of(found).splitlines()
    return difference, next((line for line in rest if line.startswith("Panel test")), "")


@pytest.mark.parametrize(("n", "people"), [(20_000, 4), (2_000, 4)])
def test_words_about_the_model_and_their_p_values_agree(n, people):
    frame, seen = votes_and_models(n, people), set()
    for model in [name for name in frame if name.startswith("misses")]:
        found = ef.headroom(frame, prediction=model, positives="votes", totals="total")
        difference, panel = shown_of(found)
        shown = "This shows" in difference
        assert shown == (found.verdict == "room")
        assert ("better rule exists, because" in panel) == (found.test.p <= 0.025)
        assert ("panel test" in found.sentence) == (found.test.p <= 0.025)
        if "from the panel test" in difference:
            assert shown == (found.test.p <= 0.025)
        seen.add((shown, bool(found.test.p <= 0.025)))
    assert len(seen) > 1


def test_a_model_that_only_the_interval_finds_room_for_is_not_beaten_by_the_test():
    found = ef.headroom(
        votes_and_models(20_000, 4), prediction="misses_0.07", positives="votes", totals="total"
    )
    assert (found.verdict, found.test.p > 0.9, found.low > 0) == ("room", True, True)
    assert "can still gain 2." in found.sentence
    assert "panel test" not in found.sentence
    difference, panel = shown_of(found)
    assert difference.endswith("This shows that the model is worse than the floor.")
    assert panel.endswith("it does not show that a better rule exists; the interval does.")


def test_what_the_panel_test_shows_is_said_next_to_an_interval_that_holds_zero(tmp_path, capsys):
    pytest.importorskip("click")
    from errorfloor.apps.cli.commands import run

    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    p = rng.beta(0.5, 0.5, 1500)
    readers = {f"reader_{k}": (rng.random(1500) < p).astype(int) for k in range(5)}
    frame = pd.DataFrame({**readers, "bad": ((p > 0.5) ^ (rng.random(1500) < 0.15)).astype(int)})
    path = tmp_path / "reads.csv"
    frame.to_csv(path, index=False)
    typed = ["headroom", str(path), "--prediction", "bad", "--annotators", ",".join(readers)]
    assert run([*typed, "--interval", "annotators"]) == 0
    _, difference, panel, *_ = capsys.readouterr().out.splitlines()
    assert "interval 0 to" in difference
    shown = "This shows that the model is worse than the floor (p < 0.001, from the panel test)."
    assert difference.endswith(shown)
    assert "because the most common answer of the other people is one more person's" in panel


def test_value_is_another_name_of_the_models_value():
    soft = np.random.default_rng(5).beta(2, 2, 2000)
    floor = ef.from_soft_labels(soft, metric="auc")
    named, other = ef.headroom(floor, model_value=0.7, n=500), ef.headroom(floor, value=0.7, n=500)
    assert other.to_dict() == named.to_dict()
    with pytest.raises(ef.InputError, match="two names of one thing"):
        ef.headroom(floor, value=0.7, model_value=0.7, n=500)
    typed = ["headroom", "0.8", "--metric", "auc", "--prior", "0.3", "--test-items", "500"]
    ran = [CliRunner().invoke(cli, [*typed, name, "0.7"]) for name in ("--value", "--model-value")]
    assert ran[0].exit_code == 0
    assert ran[0].output == ran[1].output
