"""Which of several models is better: limits that cover, values, words, and what is refused."""

import io
import json
import shlex
import xml.etree.ElementTree as ET
from html import unescape
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from scipy.special import expit, ndtr
from scipy.stats import multinomial
from sklearn import metrics as sk

import errorfloor as ef
from errorfloor.apps.cli.commands import cli
from errorfloor.data.models import models_in_files
from errorfloor.data.options import ReadOptions
from errorfloor.data.sample import Sample
from errorfloor.intervals.models import PairedDifference
from errorfloor.show import terminal
from tests.schemas import checked


def wins(n, first, second):
    """Return the difference on n items of which one model alone gets some right, then the other."""
    values = np.zeros(n)
    values[:first] = 1
    values[first : first + second] = -1
    every = np.ones(n, dtype=np.int64)
    return PairedDifference.of(values, np.ones(n), Sample.of_rows(every, every))


@pytest.mark.parametrize("n", [3, 10, 25, 60])
def test_the_limits_cover_at_least_94_percent_whatever_the_models_are(n):
    # Enumerated: the chances of all results whose limits hold the true difference.
    outcomes = [(a, b) for a in range(n + 1) for b in range(n + 1 - a)]
    limits = np.array([wins(n, *one).limits(0.95) for one in outcomes])
    cells = np.array([(a, b, n - a - b) for a, b in outcomes])
    for discordant in (0.01, 0.03, 0.1, 0.2, 0.5, 0.8, 1.0):
        for share in (0.5, 0.6, 0.8, 0.95, 1.0):
            p = np.array([discordant * share, discordant * (1 - share), 1 - discordant])
            truth = p[0] - p[1]
            held = (limits[:, 0] <= truth + 1e-12) & (truth - 1e-12 <= limits[:, 1])
            chance = multinomial(n, p).pmf(cells)
            assert chance[held].sum() >= 0.94, (discordant, share)


def test_equal_answers_are_no_proof_of_equal_models():
    low, high = wins(200, 0, 0).limits(0.95)
    assert low == -high
    assert 0.015 < high < 0.025  # three in two hundred: the rule of three gives 1.5 %
    assert wins(200, 0, 0).p_value() == 1


def test_the_p_value_is_one_less_the_level_that_just_leaves_out_nothing():
    found = wins(150, 21, 9)
    low, _ = found.limits(1 - found.p_value())
    assert low == pytest.approx(0, abs=1e-9)


def decisions(rng, n, share, first, second, shared=0.6):
    """Return labels and what two models say that err at rates for class 0 and class 1."""
    labels = (rng.random(n) < share).astype(int)
    common = rng.random(n)
    answers = []
    for rates in (first, second):
        own = np.where(rng.random(n) < shared, common, rng.random(n))
        answers.append(np.where(own < np.array(rates)[labels], 1 - labels, labels))
    return labels, *answers


def value_of(metric, share, rates):
    """Return a model's true value, the larger the better."""
    fp, fn = (1 - share) * rates[0], share * rates[1]
    tp, tn = share - fn, 1 - share - fp
    spread = np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
    return {
        "error": 1 - fp - fn,
        "balanced-error": 1 - sum(rates) / 2,
        "f1": 2 * tp / (2 * tp + fp + fn),
        "mcc": (tp * tn - fp * fn) / spread,
    }[metric]


@pytest.mark.parametrize("metric", ["error", "balanced-error", "f1", "mcc"])
@pytest.mark.parametrize(("n", "share"), [(60, 0.4), (300, 0.08)])
def test_limits_of_decisions_cover_the_true_difference(metric, n, share):
    rng = np.random.default_rng(17)
    first, second = (0.02, 0.3), (0.1, 0.1)
    truth = value_of(metric, share, first) - value_of(metric, share, second)
    held = 0
    for _ in range(200):
        labels, one, other = decisions(rng, n, share, first, second)
        found = ef.compare(labels=labels, predictions={"a": one, "b": other}, metric=metric)
        gap = found.between("a", "b")
        held += gap.low <= truth <= gap.high
    assert held >= 183  # of 200 at 95 %, less than once in 200 times


def test_limits_of_rankings_cover_the_true_difference():
    rng = np.random.default_rng(18)
    truth, held = ndtr(2.5 / 2**0.5) - ndtr(1.5 / 2**0.5), 0
    for _ in range(200):
        labels = (rng.random(120) < 0.4).astype(int)
        z = rng.multivariate_normal([0, 0], [[1, 0.5], [0.5, 1]], 120)
        scores = {"a": z[:, 0] + 2.5 * labels, "b": z[:, 1] + 1.5 * labels}
        gap = ef.compare(labels=labels, predictions=scores).between("a", "b")
        held += gap.low <= truth <= gap.high
    assert held >= 183


def test_clusters_whose_items_go_along_widen_the_limits_so_that_they_cover():
    rng = np.random.default_rng(19)
    held, plain = 0, 0
    for _ in range(200):
        kinds = rng.choice([1, 2, 0], 40, p=[0.1, 0.1, 0.8])  # won by one model, by the other, none
        won = np.repeat(kinds, 8)
        labels = np.zeros(320, dtype=int)
        models = {"a": (won == 2).astype(int), "b": (won == 1).astype(int)}
        labels[:8] = models["a"][:8] = models["b"][:8] = 1
        cluster = np.repeat(np.arange(40), 8)
        gap = ef.compare(labels=labels, predictions=models, cluster=cluster).between("a", "b")
        held += gap.low <= 0 <= gap.high
        gap = ef.compare(labels=labels, predictions=models).between("a", "b")
        plain += gap.low <= 0 <= gap.high
    assert held >= 183
    assert plain < 150


@pytest.fixture(scope="module")
def two():
    rng = np.random.default_rng(3)
    labels, one, other = decisions(rng, 400, 0.3, (0.05, 0.3), (0.1, 0.08))
    return labels, {"one": one, "other": other}


@pytest.fixture(scope="module")
def scored(two):
    rng = np.random.default_rng(4)
    labels, _ = two
    return labels, {
        name: expit(rng.normal(size=400) + size * (2 * labels - 1)).round(3)
        for name, size in (("one", 0.7), ("other", 1.0))
    }


@pytest.mark.parametrize(
    ("metric", "scorer"),
    [
        ("error", lambda y, p: 1 - sk.accuracy_score(y, p)),
        ("balanced-error", lambda y, p: 1 - sk.balanced_accuracy_score(y, p)),
        ("f1", sk.f1_score),
        ("mcc", sk.matthews_corrcoef),
    ],
)
def test_values_of_decisions_are_those_of_scikit_learn(two, metric, scorer):
    labels, models = two
    found = ef.compare(labels=labels, predictions=models, metric=metric)
    for name, answers in models.items():
        assert found[name].value == pytest.approx(scorer(labels, answers))
        assert found[name].low <= found[name].value <= found[name].high
    gap = abs(found["one"].value - found["other"].value)
    assert abs(found.differences[0].value) == pytest.approx(gap)


@pytest.mark.parametrize(
    ("metric", "scorer"),
    [("auc", sk.roc_auc_score), ("brier", sk.brier_score_loss), ("log-loss", sk.log_loss)],
)
@pytest.mark.parametrize("weighted", [False, True])
def test_values_of_scores_are_those_of_scikit_learn(scored, metric, scorer, weighted):
    labels, models = scored
    weight = np.random.default_rng(5).uniform(0.5, 3, 400) if weighted else None
    found = ef.compare(labels=labels, predictions=models, metric=metric, weight=weight)
    for name, scores in models.items():
        expected = scorer(labels, scores, sample_weight=weight)
        times = 2 if metric == "brier" and found[name].value > 1.5 * expected else 1
        assert found[name].value == pytest.approx(times * expected)
    first, second = (found[name].value for name in models)
    better = second - first if metric != "auc" else first - second
    assert found.differences[0].value == pytest.approx(better)


def test_scores_of_two_classes_are_compared_by_auc_or_cut_in_the_middle(scored):
    labels, models = scored
    assert ef.compare(labels=labels, predictions=models).metric == "auc"
    cut = ef.compare(labels=labels, predictions=models, metric="accuracy")
    expected = ef.compare(
        labels=labels, predictions={name: (one >= 0.5) * 1 for name, one in models.items()}
    )
    assert cut.differences == expected.differences
    assert "0.5 and more" in cut.notes[0]


@pytest.mark.parametrize("metric", ["error", "balanced-error", "f1", "auc"])
def test_weights_of_one_are_none_and_order_changes_nothing(two, scored, metric):
    labels, models = scored if metric == "auc" else two
    plain = ef.compare(labels=labels, predictions=models, metric=metric)
    ones = ef.compare(labels=labels, predictions=models, metric=metric, weight=np.ones(400))
    order = np.random.default_rng(0).permutation(400)
    turned = {name: models[name][order] for name in reversed(models)}
    back = ef.compare(labels=labels[order], predictions=turned, metric=metric)
    for other, sign in ((ones, 1), (back, -1)):
        (one,), (same,) = plain.differences, other.differences
        ends = (same.low, same.high) if sign > 0 else (-same.high, -same.low)
        assert (sign * same.value, *ends) == pytest.approx((one.value, one.low, one.high))


def test_a_weight_of_two_is_worth_less_than_two_items_and_gives_their_difference(two):
    labels, models = two
    weight = 1 + (np.arange(400) % 2)
    times = {name: np.repeat(one, weight) for name, one in models.items()}
    weighted = ef.compare(labels=labels, predictions=models, weight=weight)
    repeated = ef.compare(labels=np.repeat(labels, weight), predictions=times)
    (one,), (many,) = weighted.differences, repeated.differences
    assert one.value == pytest.approx(many.value)
    assert one.high - one.low > many.high - many.low
    assert weighted.n_effective == pytest.approx(400 * 1.5**2 / 2.5)


def test_words_columns_frames_and_arrays_agree(two, tmp_path):
    labels, models = two
    words = np.array(["no", "yes"])
    frame = pd.DataFrame({"truth": labels, **models})
    named = pd.DataFrame({name: words[frame[name]] for name in frame})
    path = tmp_path / "test.csv"
    named.to_csv(path, index=False)
    expected = ef.compare(labels=labels, predictions=models, metric="f1")
    for data in (frame, named, path):
        found = ef.compare(data, label="truth", prediction="one,other", metric="f1")
        assert found.differences == expected.differences
    assert found.classes == ("no", "yes")


def test_many_classes_and_several_models_have_a_certain_order_for_all_pairs_together():
    rng = np.random.default_rng(8)
    names = np.array(["cat", "dog", "emu"])
    labels = rng.integers(0, 3, 500)
    wrong = {"good": 0.05, "fair": 0.15, "same": 0.15, "poor": 0.4}
    answers = {
        name: names[np.where(rng.random(500) < rate, (labels + 1) % 3, labels)]
        for name, rate in wrong.items()
    }
    found = ef.compare(labels=names[labels], predictions=answers)
    order = {(one.first, one.second) for one in found.certain_order}
    assert order >= {("good", "fair"), ("good", "same"), ("fair", "poor"), ("same", "poor")}
    assert not order & {("fair", "same"), ("same", "fair")}
    assert found.better == "good"
    assert found.sentence.startswith("good is the best of 4 models: accuracy ")
    assert all(one.adjusted_p >= one.p for one in found.differences)
    assert "The data show that good is better than" in str(found)


def test_a_class_that_nobody_labelled_is_wrong_wherever_it_is_predicted():
    labels = np.array(["a", "b"] * 20)
    answers = {"x": np.where(np.arange(40) < 10, "c", labels), "y": labels}
    found = ef.compare(labels=labels, predictions=answers)
    assert found["x"].value == 0.25


def test_probabilities_of_classes_decide_for_the_likeliest():
    rng = np.random.default_rng(9)
    p = rng.dirichlet([1, 1, 1], 300)
    labels = (rng.random((300, 1)) > p.cumsum(axis=1)).sum(axis=1)
    found = ef.compare(labels=labels, predictions={"p": p, "q": p[:, [1, 2, 0]]})
    assert found.metric == "error"
    assert found.better == "p"
    assert found["p"].value == (p.argmax(axis=1) != labels).mean()
    by_loss = ef.compare(labels=labels, predictions={"p": p, "q": p[:, ::-1]}, metric="log-loss")
    assert by_loss["p"].value == pytest.approx(sk.log_loss(labels, p))


def test_where_items_cannot_tell_the_answer_says_how_many_would(two):
    labels, models = two
    found = ef.compare(labels=labels, predictions=models)
    assert found.better is None
    assert "400 items cannot tell which model is better: accuracy" in found.sentence
    assert f"about {found.items_needed:,} items would show it" in found.sentence
    # With so many items the same difference would be shown four times out of five.
    times = found.items_needed / 400
    assert found.resolvable / times**0.5 == pytest.approx(abs(found.differences[0].value), rel=0.1)
    same = ef.compare(labels=labels, predictions={"one": models["one"], "copy": models["one"]})
    assert same.items_needed is None
    assert "They would show a difference of" in same.sentence


def test_a_model_that_is_better_is_named_with_the_difference(two):
    labels, models = two
    found = ef.compare(labels=labels, predictions={**models, "best": labels})
    assert found.better == "best"
    pair = ef.compare(labels=labels, predictions={"old": models["one"], "new": labels})
    assert pair.sentence.startswith("new is better than old: accuracy 100.0 % against ")
    assert pair.between("new", "old").value == -pair.between("old", "new").value
    with pytest.raises(KeyError):
        pair.between("new", "none")
    with pytest.raises(KeyError):
        pair["none"]
    assert len(pair) == 2
    assert pair.to_frame(backend="pandas").name.tolist() == ["old", "new"]
    assert "new is better than old" in pair._repr_html_()


def test_groups_each_have_an_answer(two):
    labels, models = two
    frame = pd.DataFrame({"label": labels, **models, "site": np.arange(400) % 2})
    frame.loc[frame.site == 1, "other"] = frame.label
    found = ef.compare(frame, prediction=["one", "other"], group="site")
    assert found["1"].better == "other"
    assert found["0"].better is None
    assert found.sentence == (
        "other is better in 1 of 2 groups (1); the items of the other 1 cannot tell."
    )
    assert sum(one.n for one in found.values()) == 400


def test_scores_next_to_the_predictions_bound_the_floor(two, scored):
    labels, models = two
    frame = pd.DataFrame({"label": labels, **models, "p": scored[1]["one"]})
    found = ef.compare(frame, prediction="one,other", score="p")
    expected = ef.from_scores(frame, score="p", label="label")
    assert (found.floor.value, found.floor.interval) == (expected.value, expected.interval)
    assert f"Of these items: {found.floor.sentence}" in str(found)


REFUSED = {
    "one model": ({"prediction": "one"}, "must name two models or more"),
    "no such column": (
        {"prediction": "one,othr"},
        "must be one of the columns label",
    ),
    "no label": ({"prediction": "label,one"}, "Models are compared by true labels"),
    "strangers": ({"prediction": "one,word"}, "has x, y, and the labels are 0, 1"),
    "labels": ({"prediction": "one,label", "label": "label"}, "'label', which is the labels"),
    "twice": ({"prediction": "one,one"}, "'one', which is another model"),
    "missing": ({"prediction": "one,gap"}, "1 row of 400 lacks a label or an answer"),
    "no class": ({"prediction": "one,other", "positive": 7}, "`positive` is '7', and no label is"),
    "no scores": ({"prediction": "one,word", "metric": "auc"}, "and the labels are 0, 1"),
    "ratings": ({"prediction": "one,other", "positive_from": 1}, "does not go with models"),
    "weights": (
        {"prediction": "one,other", "weight": "word"},
        "must be numbers: entry 0 is x",
    ),
    "ranks": ({"prediction": "p,q", "metric": "average-precision"}, "Compare them by auc, brier"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_compared_is_refused_with_a_remedy(two, scored, case):
    labels, models = two
    given, message = REFUSED[case]
    frame = pd.DataFrame({"label": labels, **models, "word": ["x", "y"] * 200})
    frame["p"], frame["q"] = scored[1].values()
    frame["gap"] = frame.one.astype(float)
    frame.loc[3, "gap"] = np.nan
    with pytest.raises(ValueError, match=message):
        ef.compare(frame, **given)


def test_arrays_that_do_not_fit_are_refused_by_name(two):
    labels, models = two
    for given, message in (
        ({"predictions": models}, "are judged by true labels"),
        ({"labels": labels[:9], "predictions": models}, "one answer for each of the 9 labels"),
        ({"labels": labels, "predictions": [1, 2]}, "is a dict of arrays"),
        ({"labels": labels, "prediction": "a,b"}, "names columns of a dataframe or file"),
        ({"labels": labels, "predictions": models, "weight": [1]}, "same length, got 400 and 1"),
        ({"labels": labels}, "To compare models give"),
    ):
        with pytest.raises(ValueError, match=message):
            ef.compare(**given)


def run(*arguments):
    return CliRunner().invoke(cli, ["compare", *map(str, arguments)])


def test_files_of_two_models_are_matched_by_their_ids(scored, tmp_path):
    labels, models = scored
    expected = ef.compare(labels=labels, predictions=models)
    order = np.random.default_rng(1).permutation(400)
    for name, scores in models.items():
        frame = pd.DataFrame({"id": np.arange(400), "label": labels, "score": scores})
        frame = frame.iloc[order] if name == "other" else frame
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
    shown = run(tmp_path / "one.csv", tmp_path / "other.csv", "--json")
    answer = checked(json.loads(shown.stdout))
    (gap,) = answer["result"]["differences"]
    assert (gap["first"], gap["second"]) == ("one", "other")
    assert gap["value"] == pytest.approx(expected.differences[0].value)
    assert gap["low"] == pytest.approx(expected.differences[0].low)


def test_the_error_without_a_label_has_the_command_that_compares(tmp_path):
    rng = np.random.default_rng(0)
    intent = rng.choice(["pay", "cancel", "refund"], 300)
    frame = pd.DataFrame({"utterance": [f"text {i}" for i in range(300)], "intent": intent})
    for name, wrong in (("bert", 0.1), ("gpt", 0.2)):
        frame[name] = np.where(rng.random(300) < wrong, "pay", intent)
    path = str(tmp_path / "intents.csv")
    frame.to_csv(path, index=False)
    refused = run(path, "--prediction", "bert,gpt")
    assert refused.exit_code != 0
    typed = ["compare", path, "--prediction", "bert,gpt", "--label", "intent"]
    command = refused.output.splitlines()[-1]
    assert command == f"  errorfloor {shlex.join(typed)}"
    compared = run(*shlex.split(command)[2:])
    assert compared.exit_code == 0
    assert "bert is better than gpt" in compared.output
    unknown = run(path, "--prediction", "bert,gp")
    assert "gp" in unknown.output
    assert "must be one of the columns" in unknown.output


def test_files_with_other_labels_are_parts_of_one_set_as_before(scored, tmp_path):
    labels, models = scored
    frame = pd.DataFrame({"label": labels, "score": models["one"]})
    frame[:200].to_csv(tmp_path / "a.csv", index=False)
    frame[200:].to_csv(tmp_path / "b.csv", index=False)
    shown = run(tmp_path / "a.csv", tmp_path / "b.csv", "--method", "isotonic", "--json")
    assert checked(json.loads(shown.stdout))["result"]["rows"][0]["n"] == 400


SHARED = {
    "other items": (
        lambda frame: frame.assign(id=frame.id + 9000, label=frame.label.to_numpy()[::-1]),
        None,
    ),
    "other labels": (lambda frame: frame.assign(label=frame.label.to_numpy()[::-1]), None),
    "one other label": (
        lambda frame: frame.assign(label=np.where(frame.id == 7, 1 - frame.label, frame.label)),
        "item 7 is",
    ),
    "fewer items": (lambda frame: frame[frame.id >= 20], "20 rows of"),
}


@pytest.mark.parametrize("case", SHARED)
def test_files_of_other_items_are_never_paired(scored, case, tmp_path):
    labels, models = scored
    change, message = SHARED[case]
    first, second = (
        pd.DataFrame({"id": np.arange(400), "label": labels, "score": one})
        for one in models.values()
    )
    second = change(second)
    paths = tmp_path / "one.csv", tmp_path / "other.csv"
    first.to_csv(paths[0], index=False)
    second.to_csv(paths[1], index=False)
    other = second.assign(id=second.id + 90_000, label=first.label)
    if case == "other items":  # but the same labels
        other.to_csv(tmp_path / "third.csv", index=False)
        shown = run(paths[0], tmp_path / "third.csv")
        assert "Warning: The files have no id in common." in shown.stdout
    if message is None:  # two parts of one set
        assert models_in_files([*map(str, paths)], ReadOptions.of()) is None
        return
    found = run(*paths)
    assert found.exit_code == 1
    assert message in found.stderr
    if case == "fewer items":
        kept = json.loads(run(*paths, "--drop-missing", "--json").stdout)["result"]
        expected = ef.compare(
            labels=labels[20:], predictions={name: one[20:] for name, one in models.items()}
        )
        assert kept["differences"][0]["value"] == pytest.approx(expected.differences[0].value)
        assert (kept["n"], kept["dropped"]) == (380, 20)


def test_the_command_prints_the_answer_first(two, tmp_path):
    labels, models = two
    path = tmp_path / "test.csv"
    pd.DataFrame({"y": labels, **models, "new": labels}).to_csv(path, index=False)
    shown = run(path, "--label", "y", "--prediction", "one,new")
    assert shown.exit_code == 0
    assert shown.stdout.startswith("new is better than one: accuracy 100.0 % against ")
    answer = checked(json.loads(run(path, "--label", "y", "--models", "one,new", "--json").stdout))
    assert answer["result"]["better"] == "new"
    assert answer["input"]["layout"] == "models"


@pytest.mark.parametrize("names", [("label", "old", "new"), ("diagnosis", "gpt-4", "claude")])
def test_models_are_found_by_the_classes_of_the_label(names, tmp_path):
    path, rng = tmp_path / "test.csv", np.random.default_rng(0)
    truth = rng.random(300) < 0.4
    columns = [truth, truth ^ (rng.random(300) < 0.3), truth ^ (rng.random(300) < 0.1)]
    words = np.array(["benign", "malignant"])[np.array(columns, dtype=int)]
    pd.DataFrame(dict(zip(names, words, strict=True))).to_csv(path, index=False)
    label, old, new = names
    named = run(path, "--label", label, "--prediction", f"{old},{new}")
    guessed = run(path)
    assert guessed.stdout == named.stdout.startswith(f"{new} is better than {old}") * named.stdout
    assert f'using column "{label}" as the label and "{old}", "{new}" as what models' in (
        guessed.stderr
    )
    asked = CliRunner().invoke(cli, ["estimate", str(path)])
    assert f"errorfloor compare {path} --label {label} --prediction {old},{new}" in asked.stderr


@pytest.mark.parametrize("metric", ["f1", "cost", "auc"])
def test_class_1_is_asked_for_where_it_matters_and_values_do_not_tell(metric):
    rng = np.random.default_rng(1)
    truth = rng.random(400) < 0.8
    labels, named = np.where(truth, "clean", "abuse"), {"costs": (1, 5)} if metric == "cost" else {}
    answers = {
        name: truth + rng.normal(0, noise, 400)
        if metric == "auc"
        else np.where(truth ^ (rng.random(400) < noise), "clean", "abuse")
        for name, noise in (("old", 0.3), ("new", 0.2))
    }
    given = {"labels": labels, "predictions": answers, "metric": metric, **named}
    with pytest.raises(ef.InputError, match="Say which one is class 1"):
        ef.compare(**given)
    found = [ef.compare(**given, positive=one)["new"].value for one in ("clean", "abuse")]
    assert abs(found[0] - found[1]) > 0.01
    as_spam = {**given, "labels": np.where(truth, "ham", "spam")}
    as_spam["predictions"] = {
        name: one if metric == "auc" else np.where(one == "clean", "ham", "spam")
        for name, one in answers.items()
    }
    assert ef.compare(**as_spam)["new"].value == found[1]


@pytest.mark.parametrize("metric", ["error", "mcc", "balanced-error"])
def test_class_1_is_not_asked_for_where_it_does_not_matter(metric):
    rng = np.random.default_rng(2)
    words = np.array(["abuse", "clean"])
    truth = rng.integers(0, 2, 300)
    answers = {name: words[truth ^ (rng.random(300) < e)] for name, e in (("a", 0.3), ("b", 0.2))}
    found = ef.compare(labels=words[truth], predictions=answers, metric=metric)
    assert found["b"].value == pytest.approx(
        ef.compare(labels=words[truth], predictions=answers, metric=metric, positive="abuse")[
            "b"
        ].value
    )


def test_few_items_show_no_difference_that_there_can_be():
    same = {"one": [0, 1, 1], "other": [0, 1, 1]}
    found = ef.compare(labels=[0, 1, 0], predictions=same)
    assert found.resolvable is None
    assert found.sentence.endswith("They are too few to show any difference.")
    third = ef.compare(labels=[0, 1, 0], predictions={**same, "third": [0, 1, 1]})
    assert "3 items are too few to show any difference." in str(third)


def test_so_many_items_as_are_said_show_the_difference_four_times_out_of_five():
    rng = np.random.default_rng(29)
    first, second = wins(60, 8, 3), None
    number = round(60 * first.times_needed(0.95, 1e6))
    shown = 0
    for _ in range(400):
        won = rng.multinomial(number, [8 / 60, 3 / 60, 49 / 60])
        second = wins(number, *won[:2])
        shown += second.limits(0.95)[0] > 0
    assert 0.74 <= shown / 400 <= 0.88
    assert first.times_needed(0.95, 1.5) == np.inf


def test_groups_have_the_classes_of_all_groups(two):
    labels, models = two
    group = np.where(np.arange(400) < 1, "one item", "all others")
    frame = pd.DataFrame({"label": labels, **models, "site": group})
    with pytest.warns(ef.DoubtWarning, match="All labels are"):
        found = ef.compare(frame, prediction=["one", "other"], group="site")
    assert {one.classes for one in found.values()} == {("0", "1")}
    assert {one.n for one in found.values()} == {1, 399}
    with pytest.raises(ValueError, match="`group` 'one item': The balanced error needs items of"):
        ef.compare(frame, prediction=["one", "other"], group="site", metric="balanced-error")


# What would make limits too narrow, or an answer wrong, is said.


def names_of(found):
    return {one.name: one for one in found.findings}


def test_items_that_repeat_are_told_by_their_ids_and_clusters_of_them_give_the_answer_back(two):
    labels, models = two
    frame = pd.DataFrame({"label": labels, **models, "id": np.arange(400)})
    once = ef.compare(frame, prediction="one,other")
    assert once.findings == ()
    twice = pd.concat([frame, frame.sample(frac=1, random_state=1)])
    with pytest.warns(ef.DoubtWarning, match="400 rows repeat an item"):
        found = ef.compare(twice, prediction="one,other")
    assert names_of(found)["Repeated items"].level == "warn"
    assert "Warning: 400 rows repeat an item of an earlier row." in str(found)
    assert "400 rows repeat an item" in found._repr_html_()
    assert found.differences[0].p < once.differences[0].p
    clustered = ef.compare(twice, prediction="one,other", cluster="id")
    assert clustered.findings == ()
    first, again = once.differences[0], clustered.differences[0]
    assert again.high - again.low == pytest.approx(first.high - first.low, rel=0.03)


COPIED = {
    "all again": lambda frame: pd.concat([frame, frame, frame]),
    "one behind the other": lambda frame: frame.loc[frame.index.repeat(3)],
    "in any order, with a text": lambda frame: pd.concat(
        [frame.assign(text=[f"text {i}" for i in range(len(frame))])] * 3
    ).sample(frac=1, random_state=1),
}


@pytest.mark.parametrize("how", COPIED)
def test_rows_that_are_copies_are_told_without_ids(two, how, tmp_path):
    labels, models = two
    frame = COPIED[how](pd.DataFrame({"label": labels, **models}))
    with pytest.warns(
        ef.DoubtWarning, match="The number of times that each item occurs is a multiple of 3"
    ):
        found = ef.compare(frame, prediction="one,other")
    assert names_of(found)["Copied items"].level == "warn"
    frame.to_csv(tmp_path / "copies.csv", index=False)
    shown = run(tmp_path / "copies.csv", "--prediction", "one,other")
    assert "Warning: The number of times that each item occurs is a multiple of 3" in shown.stdout


def test_scores_that_are_copies_are_told_in_any_order(scored):
    labels, models = scored
    order = np.random.default_rng(0).permutation(800) % 400
    copies = {name: one[order] for name, one in models.items()}
    with pytest.warns(
        ef.DoubtWarning, match="The number of times that each item occurs is a multiple of 2"
    ):
        ef.compare(labels=labels[order], predictions=copies)


def test_equal_rows_of_different_items_are_no_copies():
    rng = np.random.default_rng(23)
    for _ in range(100):
        n = 2 * int(rng.integers(5, 60))
        labels, one, other = decisions(rng, n, 0.4, (0.1, 0.2), (0.2, 0.1))
        labels[:2] = 0, 1
        order = np.lexsort((other, one, labels)) if rng.random() < 0.5 else np.arange(n)
        models = {"one": one[order], "other": other[order]}
        assert "Copied items" not in names_of(ef.compare(labels=labels[order], predictions=models))


def test_one_class_in_two_spellings_is_no_answer(two):
    labels, models = two
    words = np.array(["cat", "dog"])
    answers = {name: words[one] for name, one in models.items()}
    answers["one"] = np.where(np.arange(400) < 50, np.char.title(answers["one"]), answers["one"])
    for more in ({}, {"positive": "cat"}):
        with pytest.warns(ef.RefutedWarning, match="Cat and cat"):
            found = ef.compare(labels=words[labels], predictions=answers, **more)
        assert found.refuted
        assert found.sentence.startswith("The models cannot be compared. Cat and cat")
        assert str(found) == found.sentence


def test_labels_of_one_class_and_equal_models_are_told(two):
    labels, models = two
    ones = labels == 1
    same = {name: one[ones] for name, one in models.items()}
    with pytest.warns(ef.DoubtWarning, match="All labels are 1: a model that always answers 1"):
        ef.compare(labels=labels[ones], predictions=same)
    found = ef.compare(labels=labels, predictions={**models, "copy": models["one"]})
    assert names_of(found)["Equal models"].sentence.startswith("one and copy give the same answer")
    assert "one and copy give the same answer for every item." in str(found)


def test_few_clusters_and_many_rows_left_out_are_told(two):
    labels, models = two
    with pytest.warns(ef.DoubtWarning, match="there are only 10 clusters, and they were"):
        ef.compare(labels=labels, predictions=models, cluster=np.arange(400) % 10)
    gaps = {**models, "one": np.where(np.arange(400) % 5 == 0, np.nan, models["one"])}
    with pytest.warns(ef.DoubtWarning, match="the comparison is that of the other items only"):
        found = ef.compare(labels=labels, predictions=gaps, drop_missing=True)
    assert (found.n, found.dropped) == (320, 80)


# The picture, on pages, by matplotlib, on a card and in a report.


@pytest.fixture(scope="module")
def four():
    rng = np.random.default_rng(31)
    labels = rng.integers(0, 2, 300)
    wrong = {"old": 0.3, "new": 0.08, "small": 0.12, "large": 0.1}
    answers = {
        name: np.where(rng.random(300) < rate, 1 - labels, labels) for name, rate in wrong.items()
    }
    return ef.compare(labels=labels, predictions=answers)


def test_the_picture_has_each_model_and_its_difference_from_the_best(four):
    page = four._repr_html_()
    svg = ET.fromstring(page[page.index("<svg") : page.index("</svg>") + 6])
    dots = [*svg.iter("circle")]
    best = four.ranked[0]
    assert len(dots) == 4 + 3
    shown = [dot[0].text for dot in dots]
    assert shown[0].startswith(f"{best.name}: {100 * (1 - best.value):.1f} % (")
    assert [one.partition(":")[0] for one in shown[1:4]] == [row.name for row in four.ranked[1:]]
    sure = {one.second for one in four.certain_order if one.first == best.name}
    grey = {dot[0].text.partition(":")[0] for dot in dots if dot.get("fill") == "#8c8c8c"}
    assert sure | grey == {row.name for row in four.ranked[1:]}
    assert sure
    assert grey
    assert not sure & grey
    behind = four.between(best.name, "old")
    assert f"{100 * behind.value:.1f} points ({100 * behind.low:+.1f} to" in page


def test_plot_draws_the_same_picture(four):
    ax = four.plot()
    words = {text.get_text() for text in ax.texts}
    assert {row.name for row in four} <= words
    assert f"Behind {four.ranked[0].name}" in words
    assert len([one for one in ax.patches if type(one).__name__ == "Circle"]) == 7


def test_a_card_and_a_report_of_models(four, two, tmp_path):
    made = ef.card(four)
    assert made.svg.count("<circle") == 4
    assert "300 items, 4 models" in made.svg
    page = ef.report(four, tmp_path / "models.html").read_text(encoding="utf-8")
    assert "Which of 4 models is best?" in page
    assert four.sentence in unescape(page)
    text = ef.report(four, tmp_path / "models.md").read_text(encoding="utf-8")
    assert "| new | old |" in text
    assert "Holm" in text
    found = json.loads(ef.report(four, tmp_path / "models.json").read_text(encoding="utf-8"))
    assert found["models"] == json.loads(json.dumps(four.to_dict()))
    with pytest.raises(ValueError, match="`items` goes with a floor"):
        ef.report(four, tmp_path / "x.md", items=ef.items([0, 3, 1], 3))


def test_reports_and_cards_of_models_are_written_by_commands(two, tmp_path, monkeypatch):
    labels, models = two
    path = tmp_path / "test.csv"
    frame = pd.DataFrame({"label": labels, **models, "site": np.arange(400) % 2})
    frame.to_csv(path, index=False)
    expected = ef.compare(path, label="label", prediction="one,other", metric="f1", level=0.9)
    given = [path, "--prediction", "one,other", "--metric", "f1", "--level", "0.9"]
    for more in ([], ["--label", "label"]):
        target = tmp_path / "report.md"
        told = [*given, *more] if more else [path, "--prediction", "one,other"]
        shown = CliRunner().invoke(cli, ["report", *map(str, told), "-o", str(target)])
        assert shown.exit_code == 0, shown.stderr
        if more:
            assert expected.sentence in target.read_text(encoding="utf-8")
    (line,) = (one for one in target.read_text().splitlines() if one.startswith("errorfloor comp"))
    again = json.loads(CliRunner().invoke(cli, [*shlex.split(line)[1:], "--json"]).stdout)
    assert again["result"]["sentence"] == expected.sentence
    scope = {}
    code = target.read_text().partition("```\n")[2].partition("\nef.report")[0]
    exec(code, scope)
    assert scope["found"] == expected
    card = tmp_path / "card.svg"
    shown = CliRunner().invoke(cli, ["card", *map(str, given), "--label", "label", "-o", str(card)])
    assert "2 models" in card.read_text(encoding="utf-8")
    with monkeypatch.context() as inside:
        inside.chdir(tmp_path)
        shown = CliRunner().invoke(cli, ["report", "test.csv"])  # which has no floor to report on
        assert shown.exit_code == 0, shown.stderr
        page = Path("test-report.html").read_text(encoding="utf-8")
        assert "Which model is best: one, other or site?" in page
        shown = CliRunner().invoke(cli, ["compare", *map(str, given), "-o", "own.md"])
        assert expected.sentence in shown.stdout
        assert expected.sentence in Path("own.md").read_text(encoding="utf-8")
    grouped = ef.compare(path, label="label", prediction="one,other", group="site")["0"]
    assert "group='site')['0']" in ef.report(grouped, tmp_path / "g.md").read_text()


def test_a_terminal_has_a_bar_beside_each_model(four):
    console = pytest.importorskip("rich.console")
    file = io.StringIO()
    screen = console.Console(width=120, file=file, highlight=False, markup=False)
    terminal.draw(four, str(four), screen)
    rows = file.getvalue().splitlines()
    assert sum("●" in row or "--o--" in row for row in rows) == 4


def test_what_is_refuted_has_no_picture(two):
    labels, _ = two
    answers = {"one": np.where(labels == 1, "Cat", "dog"), "other": np.full(400, "cat")}
    with pytest.warns(ef.RefutedWarning):
        found = ef.compare(labels=np.where(labels == 1, "cat", "dog"), predictions=answers)
    assert "<svg" not in found._repr_html_()
    for draw in (found.plot, lambda: ef.card(found)):
        with pytest.raises(ValueError, match="The models cannot be compared"):
            draw()
