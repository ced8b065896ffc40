"""A model's own value of each metric: right, with limits that cover, and set next to the best."""

import json

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from scipy.stats import norm

import errorfloor as ef
from errorfloor.apps.cli.commands import cli
from errorfloor.data.tables import ScoreTable
from errorfloor.intervals.models import (
    ExactShare,
    MeanOfShares,
    OnScale,
    Wilson,
)
from errorfloor.metrics.choice import MetricChoice
from errorfloor.questions import models
from errorfloor.questions.headroom import Gap

N = 400


def sample(n=N, seed=0, rare=False):
    rng = np.random.default_rng(seed)
    p = rng.beta(0.4, 2.4, n) if rare else rng.beta(0.7, 0.7, n)
    labels = (rng.random(n) < p).astype(int)
    noise = rng.normal(0, 0.7, n)
    scores = 1 / (1 + np.exp(-np.log((p + 1e-3) / (1 - p + 1e-3)) - noise))
    return p.round(3), labels, scores.round(2).clip(0.01, 0.99)


def value(metric, scores, labels, **given):
    record = MetricChoice(metric, **given).of(2)
    if models.goes_by_scores(record):
        return models.from_table(record, ScoreTable.from_arrays(scores, labels), {})
    chosen = (np.asarray(scores) > 0.5).astype(int)
    return models.from_confusion(record, models.confusion_of(labels, chosen, 2), {})


def test_values_are_those_of_scikit_learn():
    sklearn = pytest.importorskip("sklearn.metrics")
    _, y, s = sample()
    said = (s > 0.5).astype(int)
    for name, expected in {
        "auc": sklearn.roc_auc_score(y, s),
        "brier": sklearn.brier_score_loss(y, s),
        "log-loss": sklearn.log_loss(y, s),
        "f1": sklearn.f1_score(y, said),
        "mcc": sklearn.matthews_corrcoef(y, said),
        "balanced-error": 1 - sklearn.balanced_accuracy_score(y, said),
        "error": 1 - sklearn.accuracy_score(y, said),
    }.items():
        assert value(name, s, y).value == pytest.approx(expected, abs=1e-12), name
    s = s + np.random.default_rng(0).uniform(0, 1e-6, N)  # without ties
    expected = sklearn.average_precision_score(y, s)
    assert value("average-precision", s, y).value == pytest.approx(expected, abs=1e-12)


def test_costs_coverage_and_errors_are_counted_item_by_item():
    _, y, s = sample()
    cost = np.where(y == 1, 5 * (s <= 0.5), s > 0.5).mean()
    assert value("cost", s, y, costs=(1, 5)).value == pytest.approx(cost)
    sure = np.abs(s - 0.5).round(6)
    wrong = np.where(s == 0.5, 0.5, (s > 0.5) != y)
    kept = sure > np.quantile(sure, 0.3)
    share = kept.mean()
    assert value("error-at-coverage", s, y, at=share).value == pytest.approx(wrong[kept].mean())
    covered = value("coverage-at-error", s, y, at=0.1).value
    answered = sure >= np.sort(sure)[::-1][round(covered * N) - 1]
    assert answered.mean() == pytest.approx(covered)
    assert wrong[answered].mean() <= 0.1
    more = sure >= np.sort(sure[~answered])[-1]
    assert wrong[more].mean() > 0.1


def test_probabilities_of_three_classes_have_losses_too():
    rng = np.random.default_rng(3)
    p = rng.dirichlet(np.ones(3), 200)
    y = (p.cumsum(axis=1) > rng.random((200, 1))).argmax(axis=1)
    table = ScoreTable.from_arrays(p, y)
    loss = models.from_table(MetricChoice("log-loss").of(3), table, {})
    assert loss.value == pytest.approx(-np.log(p[np.arange(200), y]).mean())
    brier = models.from_table(MetricChoice("brier").of(3), table, {})
    assert brier.value == pytest.approx(((p - np.eye(3)[y]) ** 2).sum(axis=1).mean())
    balanced = models.from_confusion(
        MetricChoice("balanced-error").of(3), models.confusion_of(y, p.argmax(axis=1), 3), {}
    )
    wrong = p.argmax(axis=1) != y
    expected = np.mean([wrong[y == k].mean() for k in range(3)])
    assert balanced.value == pytest.approx(expected)


def test_limits_of_a_models_auc_are_those_of_the_ranking():
    _, y, s = sample(60)
    found = ef.from_scores(s, y, metric="auc", rng=0)
    model = value("auc", s, y)
    assert (model.value, *model.evidence.limits(0.95)) == (found.value, found.low, found.high)
    found = ef.from_scores(s, y, metric="average-precision", method="ranking", rng=0)
    model = value("average-precision", s, y)
    assert (model.value, *model.evidence.limits(0.95)) == (found.value, found.low, found.high)
    assert value("auc", -s, y).value == pytest.approx(1 - value("auc", s, y).value)


def test_limits_of_known_shapes():
    z = norm.ppf(0.975)
    assert ExactShare(0, 20).limits(0.95)[0] == 0
    single = MeanOfShares((3,), (40,)).limits(0.95)
    assert single == pytest.approx(ExactShare(3, 40).limits(0.95))
    for scale, at in (("logit", 0.9), ("z", 0.9), ("log", 2.0)):
        low, high = OnScale(at, 0.01, scale, "").limits(0.95)
        assert high - low == pytest.approx(2 * z * 0.01, rel=0.01)
        assert low < at < high


@pytest.mark.parametrize("rare", [False, True])
@pytest.mark.parametrize(
    ("metric", "given"),
    [
        ("auc", {}),
        ("f1", {}),
        ("mcc", {}),
        ("balanced-error", {}),
        ("log-loss", {}),
    ],
)
def test_limits_of_a_model_cover_its_value(metric, given, rare):
    _, y, s = sample(400_000, seed=99, rare=rare)
    truth = value(metric, s, y, **given).value
    hits = 0
    repeats = 200
    for seed in range(repeats):
        _, y, s = sample(300, seed=seed, rare=rare)
        low, high = value(metric, s, y, **given).evidence.limits(0.95)
        hits += low <= truth <= high
    # Three standard errors of a share of 0.95 below it.
    assert hits / repeats >= 0.95 - 3 * np.sqrt(0.95 * 0.05 / repeats)


@pytest.mark.parametrize(
    ("metric", "given"), [("average-precision", {}), ("error-at-coverage", {"at": 0.7})]
)
def test_bootstrapped_limits_cover_as_well(metric, given):
    _, y, s = sample(400_000, seed=99)
    truth = value(metric, s, y, **given).value
    repeats = 100
    drawn = (sample(300, seed=seed) for seed in range(repeats))
    limits = [value(metric, s, y, **given).evidence.limits(0.95) for _, y, s in drawn]
    hits = sum(low <= truth <= high for low, high in limits)
    assert hits / repeats >= 0.95 - 3 * np.sqrt(0.95 * 0.05 / repeats)


def test_few_positives_get_wide_limits_and_perfect_rankings_none_that_are_a_point():
    y = np.array([0] * 95 + [1] * 5)
    perfect = value("auc", y + 0.0, y)
    assert perfect.value == 1
    low, high = perfect.evidence.limits(0.95)
    assert low < 0.6 < high == 1
    assert value("average-precision", y + 0.0, y).evidence.limits(0.95)[0] < 0.6
    assert value("mcc", y + 0.0, y).evidence.limits(0.95)[0] < 0.5


def test_ceilings_have_room_below_them_and_models_above_are_beyond():
    p, y, s = sample(3000)
    ceiling = ef.from_soft_labels(p, metric="auc", rng=0)
    best = ef.headroom(ceiling, model_scores=p, labels=y)
    worse = ef.headroom(ceiling, model_scores=-p, labels=y)
    leaked = ef.headroom(ceiling, model_scores=y + 0.0, labels=y)
    assert [one.verdict for one in (best, worse, leaked)] == ["saturated", "room", "beyond"]
    assert worse.difference == pytest.approx(ceiling.value - worse.model_value)
    assert worse.model.method == "honest"
    assert leaked.high < 0 < worse.low
    assert leaked.sentence.endswith("or doubt that these are the true probabilities.")
    assert ef.headroom(ceiling, model_scores=s, labels=y).verdict == "room"


def test_the_best_model_on_the_same_items_seldom_has_room_or_is_beyond():
    repeats, apart = 100, 0
    auc = MetricChoice("auc").of(2)
    for seed in range(repeats):
        p, y, _ = sample(300, seed=seed)
        floor = ef.from_soft_labels(p, metric="auc", rng=0)
        model = models.from_table(auc, ScoreTable.from_arrays(p, y), {})
        low, high = Gap.of(model, floor, floor.evidence).limits(0.95)
        apart += low > 0 or high < 0
    assert apart / repeats <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / repeats)


def test_floors_of_other_metrics_have_room_above_them():
    p, y, _ = sample(3000)
    for metric, given in (("log-loss", {}), ("brier", {}), ("error-at-coverage", {"at": 0.5})):
        floor = ef.from_soft_labels(p, metric=metric, rng=0, **given)
        best = p.clip(0.001, 0.999)
        assert ef.headroom(floor, model_scores=best, labels=y).verdict == "saturated", metric
        assert ef.headroom(floor, model_scores=1 - best, labels=y).verdict == "room", metric
    floor = ef.from_soft_labels(p, metric="cost", costs=(1, 5), rng=0)
    cut = ef.headroom(floor, predictions=(p > 1 / 6).astype(int), labels=y)
    assert cut.verdict == "saturated"
    assert ef.headroom(floor, predictions=1 - y, labels=y).verdict == "room"
    assert ef.headroom(floor, predictions=y, labels=y).verdict == "beyond"


def test_decisions_counts_and_published_values_say_the_same():
    p, y, s = sample(2000)
    said = (s > 0.5).astype(int)
    matrix = models.confusion_of(y, said, 2)
    floor = ef.from_soft_labels(p, metric="balanced-error", rng=0)
    one = ef.headroom(floor, predictions=said, labels=y)
    two = ef.headroom(floor, confusion=matrix)
    assert (one.low, one.high, one.n) == (two.low, two.high, two.n)
    published = ef.headroom(floor, model_value=one.model_value, n=2000)
    assert published.difference == one.difference
    assert published.model.high - published.model.low > 0.95 * (one.model.high - one.model.low)
    error = ef.from_soft_labels(p, rng=0)
    wrong = int((said != y).sum())
    counted = ef.headroom(error, errors=wrong, n=2000)
    by_decision = ef.headroom(error, confusion=matrix)
    assert (by_decision.low, by_decision.high) == (counted.low, counted.high)


def test_published_values_allow_for_the_rarest_class():
    p, _, _ = sample(2000, rare=True)
    ceiling = ef.from_soft_labels(p, metric="auc", rng=0)
    found = ef.headroom(ceiling, model_value=0.7, n=1000)
    few = 1000 * p.mean()
    assert (found.model.low, found.model.high) == pytest.approx(Wilson(0.7, few).limits(0.95))
    known = ef.from_soft_labels(p, metric="auc", prior=0.15, rng=0)
    found = ef.headroom(known, model_value=0.7, n=1000)
    assert (found.model.low, found.model.high) == pytest.approx(Wilson(0.7, 150).limits(0.95))
    covered = ef.from_soft_labels(p, metric="error-at-coverage", at=0.5, rng=0)
    found = ef.headroom(covered, model_value="10%", n=1000)
    assert (found.model.low, found.model.high) == ExactShare(50, 500).limits(0.95)
    cost = ef.from_soft_labels(p, metric="cost", costs=(1, 5), rng=0)
    assert ef.headroom(cost, model_value=4.5, n=10).model.high <= 5


def test_a_given_ceiling_is_taken_for_exact():
    _, y, s = sample(2000)
    found = ef.headroom(0.95, metric="auc", model_scores=s, labels=y)
    assert found.floor.measure.limit == "ceiling"
    assert found.sentence.startswith(
        "With the ceiling that you gave, the best possible AUC is 0.950. Your "
    )
    assert found.low == pytest.approx(0.95 - found.model.high)
    assert ef.headroom(
        23.0, metric="cost", costs=(100, 500), confusion=[[9, 1], [1, 9]]
    ).floor.value


@pytest.mark.parametrize(
    ("metric", "model", "says"),
    [
        ("auc", {"errors": 3, "n": 10}, "number of errors does not tell a model's AUC. Give `mod"),
        ("f1", {"n": 10}, "F1. Give `confusion` or `predictions`."),
        ("auc", {"confusion": [[1, 2], [3, 4]]}, "Decisions do not tell the AUC"),
        ("f1", {"model_scores": [0.1], "labels": [1]}, "scores leave them open"),
        ("log-loss", {"model_value": 0.3, "n": 10}, "do not tell how sure a model's log-loss is"),
        ("auc", {"model_value": 7, "n": 10}, r"`model_value` must lie in \[0, 1\], got 7"),
        ("auc", {"model_value": 0.7}, "`n` must be the number of test items"),
        ("auc", {"model_scores": [0.1, 0.2]}, "`model_scores` needs the `labels`"),
        ("auc", {"model_scores": [1, 2], "labels": [1, 1]}, "needs test items of both classes"),
        ("brier", {"model_scores": [1, 2], "labels": [0, 1]}, "must be probabilities here"),
        ("log-loss", {"model_scores": [1.0, 0.4], "labels": [0, 1]}, "log-loss is infinite"),
        ("f1", {"confusion": [[1, 2, 3]]}, "must be 2 rows of 2 numbers of items"),
        ("f1", {"confusion": [[1, -2], [0, 3]]}, "must be 2 rows of 2 numbers of items"),
        (
            "f1",
            {"confusion": [[5, 0], [0, 0]]},
            "items that are of class 1, or are predicted to be",
        ),
        ("balanced-error", {"confusion": [[5, 1], [0, 0]]}, "none of class number 1"),
        ("f1", {"confusion": [[1, 2], [3, 4]], "n": 10}, "`n` is counted"),
        ("auc", {"model_value": 0.7, "model_scores": [1], "n": 3}, "say the same twice"),
        ("auc", {"model_value": 0.7, "n": 9, "metric": "f1"}, "is not what the Estimate is of"),
        ("auc", {"model_value": 0.7, "n": 9, "prior": 0.2}, "go with a `metric`"),
    ],
)
def test_what_leaves_a_models_value_open_is_refused(metric, model, says):
    floor = ef.from_soft_labels([0.1, 0.5, 0.9] * 20, metric=metric, rng=0)
    with pytest.raises(ef.InputError, match=says):
        ef.headroom(floor, **model)


def test_groups_and_columns_of_files(tmp_path):
    p, y, s = sample(600)
    frame = pd.DataFrame(
        {"p": p, "y": y, "model": s, "said": (s > 0.5) * 1, "site": ["a", "b"] * 300}
    )
    floors = ef.from_soft_labels(frame, soft="p", group="site", metric="auc", rng=0)
    found = ef.headroom(floors, model_value=0.8, n=500)
    assert [one.floor.metric for one in found.values()] == ["auc", "auc"]
    path = tmp_path / "all.csv"
    frame.to_csv(path, index=False)
    columns = {"soft": "p", "label": "y", "rng": 0}
    one = ef.headroom(path, **columns, prediction="model", metric="auc")
    two = ef.headroom(
        ef.from_soft_labels(p, metric="auc", rng=0), model_scores=s, labels=y, same_labelling=True
    )
    assert (one.low, one.high, one.given) == (
        two.low,
        two.high,
        {"prediction": "model", "label": "y"},
    )
    one = ef.headroom(path, **columns, prediction="said", metric="f1")
    two = ef.headroom(
        ef.from_soft_labels(p, metric="f1", rng=0), predictions=frame["said"], labels=y
    )
    assert (one.low, one.high) == (two.low, two.high)
    with pytest.raises(ef.InputError, match=r"judged by labels\. Name their column with `label`"):
        ef.headroom(path, soft="p", prediction="model", metric="auc", rng=0)
    with pytest.raises(ef.InputError, match="is counted from the predictions"):
        ef.headroom(path, **columns, prediction="model", metric="auc", n=3)


def test_weights_of_the_floor_are_not_left_aside_for_the_model():
    p, y, s = sample(300)
    said = (s > 0.5).astype(int)
    weight = np.where(said, 0.2, 1.0)  # equal for each prediction
    frame = pd.DataFrame({"p": p, "y": y, "s": s, "said": said, "w": weight})
    columns = {"label": "y", "weight": "w", "rng": 0}
    for asked in (
        {"soft": "p", "metric": "auc", "prediction": "s"},
        {"soft": "p", "metric": "f1", "prediction": "said"},
    ):
        with pytest.raises(ef.InputError, match="headroom does not use `weight`"):
            ef.headroom(frame, **columns, **asked)
    floor = ef.from_soft_labels(frame, soft="p", weight="w", metric="auc", rng=0)
    with pytest.raises(ef.InputError, match="shares of the classes are not known"):
        ef.headroom(floor, model_value=0.8, n=300)


def test_models_that_make_no_error_have_the_limits_of_a_share():
    s, y = np.repeat([0.1, 0.8, 0.9], 20), np.repeat([0, 1, 1], 20)
    half = value("error-at-coverage", s, y, at=0.5)
    assert (half.value, half.evidence) == (0, Wilson(0.0, 30.0))
    every = value("coverage-at-error", s, y, at=0.1)
    assert (every.value, every.evidence) == (1, Wilson(1.0, 60))


def test_very_many_rows_are_resampled_in_blocks_of_neighbours(monkeypatch):
    monkeypatch.setattr(models, "MOST_ROWS", 2)
    counts = np.array([[5, 1, 0], [3, 2, 0], [1, 1, 1], [0, 4, 0], [2, 0, 6]])
    seen = []
    found = models._bootstrap(counts, lambda drawn: seen.append(drawn) or drawn[0, 0])
    drawn = np.array(seen)
    assert drawn.shape == (models.RESAMPLES, 2, 3)
    assert (drawn.sum(axis=(1, 2)) == 26).all()
    blocks = np.array([[9, 4, 1], [2, 4, 6]])
    # Each cell is binomial, with a standard deviation of at most 2.6.
    assert np.abs(drawn.mean(axis=0) - blocks).max() < 4 * 2.6 / np.sqrt(models.RESAMPLES)
    assert found.tolist() == drawn[:, 0, 0].tolist()


def test_the_shares_of_classes_among_votes_are_means_over_items():
    table = ef.VoteTable.from_arrays([1, 1, 3], [2, 4, 4])
    floor = ef.from_votes(table, interval=None)
    assert models.shares_of(floor) == pytest.approx([1 / 2, 1 / 2])
    table = ef.VoteTable.from_arrays([1, 4, 4], [2, 4, 4])
    floor = ef.from_votes(table, interval=None)
    assert models.shares_of(floor) == pytest.approx([1 / 6, 5 / 6])
    found = models.from_value(MetricChoice("auc").of(2), 0.9, 120, floor)
    assert found.evidence == Wilson(0.9, pytest.approx(20))
    found = models.from_value(MetricChoice("balanced-error").of(2), 0.1, 120, floor)
    assert found.evidence == Wilson(0.1, pytest.approx(40))


def three_classes():
    rng = np.random.default_rng(3)
    own, other = (rng.dirichlet([1, 1, 1], 300) for _ in range(2))
    labels = np.array([*"abc"])[(rng.random((300, 1)) > own.cumsum(axis=1)[:, :-1]).sum(axis=1)]
    frame = pd.DataFrame({**dict(zip("abc", own.T, strict=True)), "label": labels})
    frame[["m1", "m2", "m3"]] = other
    return frame.assign(decided=np.array([*"abc"])[other.argmax(axis=1)])


@pytest.mark.parametrize("metric", ["brier", "log-loss"])
def test_scores_of_a_model_for_many_classes_are_a_column_each(metric, tmp_path):
    frame = three_classes()
    own = {"score": [*"abc"], "label": "label", "metric": metric}
    found = ef.headroom(frame, prediction=["m1", "m2", "m3"], **own)
    floor = ef.from_scores(frame, **own)
    scores = frame[["m1", "m2", "m3"]].to_numpy()
    apart = ef.headroom(floor, model_scores=scores, labels=frame["label"].to_list())
    assert found.model_value == pytest.approx(apart.model_value, abs=1e-12)
    frame.to_csv(tmp_path / "three.csv", index=False)
    typed = ["headroom", str(tmp_path / "three.csv"), "--score", "a,b,c", "--label", "label"]
    typed += ["--prediction", "m1,m2,m3", "--metric", metric, "--json"]
    told = json.loads(CliRunner().invoke(cli, typed).stdout)["result"]
    assert told["model_value"] == pytest.approx(found.model_value, abs=1e-12)
    with pytest.raises(ef.InputError, match=r"a column of them for each class \(a, b, c\)"):
        ef.headroom(frame, prediction="decided", **own)
    with pytest.raises(ef.InputError, match="`prediction` is one column"):
        ef.headroom(frame, prediction=["m1", "m2", "m3"], score=[*"abc"], label="label")


def test_data_in_the_place_of_errors_are_refused_by_what_they_are():
    frame = three_classes()
    floor = ef.from_scores(frame, score=[*"abc"], label="label")
    for first, second in ((floor, frame), (frame, floor)):
        with pytest.raises(ef.InputError, match=f"got {type(second).__name__}. Give the data alo"):
            ef.headroom(first, second, prediction="decided", label="label")
