"""What seldom happens: refusals, corners and large tables that no other test comes by."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import errorfloor as ef
from errorfloor.data.tables import ScoreTable, VoteTable
from errorfloor.methods import on_any_scale, prediction_powered
from errorfloor.methods.record import Classes, Options
from errorfloor.metrics import named
from errorfloor.metrics.choice import MetricChoice

N = 300


@pytest.fixture
def two(rng):
    p = rng.uniform(size=N).round(3)
    return p, rng.binomial(1, p)


@pytest.fixture
def three(rng):
    p = rng.dirichlet([0.3] * 3, N)
    return p, np.array([rng.choice(3, p=one) for one in p])


def frame_of(three, predictions):
    p, labels = three
    return pd.DataFrame(
        {"a": p[:, 0], "b": p[:, 1], "c": p[:, 2], "label": labels, "pred": predictions}
    )


COLUMNS = {"score": ["a", "b", "c"], "label": "label"}


@pytest.mark.parametrize(
    ("metric", "given", "value", "said"),
    [
        ("brier", {}, "x", "the model's Brier score, from 0 to 1; got 'x'"),
        ("brier", {}, 1.1, "the model's Brier score, from 0 to 1; got 1.1"),
        (
            "cost",
            {"costs": [[0, 1], [5, 0]]},
            6,
            "the model's mean cost per item, from 0 to 5; got 6",
        ),
    ],
)
def test_a_models_value_is_refused_where_the_metric_cannot_have_it(two, metric, given, value, said):
    floor = ef.from_soft_labels(two[0], metric=metric, **given)
    with pytest.raises(ef.InputError, match=f"`model_value` must be {said}"):
        ef.headroom(floor, model_value=value, n=100)


def test_scores_of_a_model_need_the_classes_of_the_floor(two, three):
    floor = ef.from_soft_labels(two[0], metric="auc")
    with pytest.raises(
        ef.InputError, match=r"`model_scores` are of 3 classes, and the floor is of 2"
    ):
        ef.headroom(floor, model_scores=three[0], labels=three[1])


@pytest.mark.parametrize(
    ("data", "how", "said"),
    [
        ("array", {"labels": 1, "predictions": 1, "score": "s"}, "`score` goes with a dataframe"),
        ("frame", {"prediction": "pred", "labels": 1}, "`labels` goes with an array of scores"),
        ("frame", {"prediction": "pred", "predictions": 1}, "`predictions` goes with an array"),
        ("array", {"prediction": "pred"}, "`prediction` is a column .* next to an array"),
        ("array", {"labels": 1, "predictions": 1, "metric": "auc"}, "For auc estimate the floor"),
    ],
)  # fmt: skip
def test_predictions_are_named_in_one_way(two, data, how, said):
    p, labels = two
    frame = pd.DataFrame({"s": p, "label": labels, "pred": labels})
    given = {name: labels if value == 1 else value for name, value in how.items()}
    with pytest.raises(ef.InputError, match=said):
        ef.headroom(p if data == "array" else frame, **given)


@pytest.mark.parametrize("absent", [False, True])
def test_predictions_of_many_classes_in_a_column_are_those_of_arrays(three, absent):
    p, labels = three
    chosen = np.minimum(p.argmax(axis=1), 1) if absent else p.argmax(axis=1)
    in_column = ef.headroom(frame_of(three, chosen), prediction="pred", rng=0, **COLUMNS)
    arrays = ef.headroom(p, labels=labels, predictions=chosen, rng=0)
    assert in_column.floor.value == arrays.floor.value
    assert in_column.model_error == arrays.model_error == np.mean(chosen != labels)
    assert in_column.sentence == arrays.sentence


def test_a_prediction_of_no_class_is_refused(three):
    frame = frame_of(three, np.where(np.arange(N) == 7, 5, three[0].argmax(axis=1)))
    with pytest.raises(ef.InputError, match=r"`prediction` \(column 'pred'\)"):
        ef.headroom(frame, prediction="pred", **COLUMNS)


def test_confusion_of_each_group_is_that_of_its_rows(three):
    p, labels = three
    group = np.where(p[:, 0] > 0.3, "high", "low")
    frame = frame_of(three, labels).assign(group=group)
    found = ef.confusion(frame, group="group", rng=0, **COLUMNS)
    assert sorted(found) == ["high", "low"]
    for name in found:
        own = ef.confusion(frame[group == name], rng=0, **COLUMNS)
        np.testing.assert_array_equal(found[name].errors, own.errors)


def test_confusion_of_a_rule_that_fits_no_map_takes_one_that_does(three):
    p, labels = three
    floor = ef.from_scores(p, labels, method="top1", rng=0)
    found = ef.confusion(floor)
    assert found.errors.shape == (3, 3)
    assert (np.diag(found.errors) == 0).all()


def test_unknown_annotators_are_no_keys(rng):
    rows = pd.DataFrame(
        {
            "item": np.repeat(np.arange(60), 4),
            "annotator": np.tile(list("abcd"), 60),
            "vote": rng.integers(0, 2, 240),
        }
    )
    with pytest.warns(ef.ErrorFloorWarning):
        found = ef.annotators(rows)
    assert found["a"].annotator == "a"
    with pytest.raises(KeyError, match="nobody"):
        found["nobody"]


def test_agreement_that_cannot_be_is_refused():
    # By chance 0.18 of the pairs agree; kappa = -1 says that 0.82 fewer do.
    said = r"`kappa` = -1\.0 is impossible with such shares: -0\.64 of all pairs agree"
    with pytest.raises(ef.InputError, match=said):
        ef.from_agreement(pairs=100, kappa=-1.0, share=(0.9, 0.1))


def test_features_are_not_set_beside_a_floor_that_is_refuted(rng):
    with pytest.warns(ef.RefutedWarning):
        floor = ef.from_votes(np.full(N, 1), np.full(N, 2))
    assert floor.refuted
    with pytest.raises(ef.InputError, match="`floor` is refuted by its own data"):
        ef.from_features(rng.normal(size=(N, 2)), rng.integers(0, 2, N), floor=floor)


@pytest.mark.parametrize("width", [0, 1, 2, True, "5%", None])
def test_widths_of_label_plans_lie_between_0_and_1(two, width):
    said = "`width`" if width is not None else "`budget`"
    with pytest.raises(ef.InputError, match=said):
        ef.plan_labels(two[0], width=width)


def test_plans_for_other_metrics_are_for_votes_of_two_classes(three, rng):
    votes = VoteTable.from_arrays(rng.multinomial(5, three[0]))
    with pytest.raises(ef.InputError, match="`metric='brier'` is planned for votes of two classes"):
        ef.plan(votes, metric="brier")


def test_where_nothing_costs_there_is_no_trade(two, rng):
    votes = VoteTable.from_arrays(rng.binomial(5, two[0]), np.full(N, 5))
    assert ef.plan(votes, cost_per_item=0, cost_per_vote=0, items=[100], votes=[3]).trade is None
    assert (
        ef.plan(votes, cost_per_item=0, cost_per_vote=1, items=[100], votes=[3]).trade is not None
    )


def test_tables_without_any_label_say_so(two):
    table = ScoreTable.from_arrays(two[0], two[1])
    bare = replace(table, counts=np.zeros_like(table.counts), unlabelled=table.counts.sum(axis=1))
    with pytest.raises(ef.InputError, match="None of the 300 items has a label"):
        ef.from_scores(bare)


@pytest.mark.parametrize("classes", [2, 3])
def test_methods_that_read_no_such_table_are_refused_by_what_can_be_asked(two, three, rng, classes):
    votes = rng.multinomial(5, three[0])[:, :classes] + 1
    if classes == 3:
        with pytest.raises(
            ef.InputError, match="`metric='auc'` cannot be answered from votes of more"
        ):
            ef.from_votes(votes, metric="auc", method="plugin")
    else:
        with pytest.raises(ef.InputError, match="`method` must be one of"):
            ef.from_votes(votes, metric="auc", method="isotonic")


@pytest.mark.parametrize("from_frame", [False, True])
def test_methods_that_take_any_scale_are_named_once(two, from_frame):
    rows = pd.DataFrame({"score": 3 * two[0], "label": two[1]})
    data = (rows,) if from_frame else (3 * two[0], two[1])
    with pytest.raises(ef.InputError) as error:
        ef.from_scores(*data, method="beta")
    named_once = (
        "the methods isotonic, isotonic-cf, hist-K, platt and ppi take scores on any scale."
    )
    assert str(error.value).endswith(f"drop missing values; {named_once}")
    assert on_any_scale(metric="average-precision") == (
        "; the method ranking takes scores on any scale"
    )
    assert (
        on_any_scale(metric="auc") == "; the methods ranking and isotonic take scores on any scale"
    )
    assert on_any_scale(Classes.MANY, "auc") == ""


def test_an_interval_needs_more_than_one_cluster(two):
    with pytest.raises(ef.InputError, match=r"`cluster` has 1 value\. An interval needs 10"):
        ef.from_soft_labels(two[0], cluster=np.zeros(N))


@pytest.mark.parametrize("weights", ["rounded", "any"])
def test_where_no_item_changes_the_value_the_jackknife_gives_way(rng, weights):
    weight = 2.0 ** rng.integers(0, 3, N) if weights == "rounded" else rng.uniform(0.5, 2, N)
    with (
        pytest.warns(ef.DegenerateBootstrapWarning, match="same without any item"),
        pytest.warns(ef.DoubtWarning, match="All soft labels are equal"),
    ):
        found = ef.from_soft_labels(np.full(N, 0.3), weight=weight, interval="jackknife")
    assert found.interval.method == "betting"
    assert found.low < 0.29
    assert found.high > 0.305


@pytest.mark.parametrize("classes", [2, 3])
def test_too_many_votes_with_weights_are_refused(rng, classes):
    votes = rng.integers(1_000, 9_000, (N, classes))
    with pytest.raises(
        ef.InputError, match=r"votes, which are too many for a mixture with `weight`"
    ):
        ef.from_votes(counts=votes, weight=rng.uniform(0.5, 2, N))


def test_weighted_votes_of_many_classes_are_those_of_as_many_items(three, rng):
    """Whole weights stand for so many items, but the fit is smoothed as that of fewer."""
    votes = rng.multinomial(4, three[0])
    times = np.where(votes.max(axis=1) < 4, 3, 1)
    weighted = ef.from_votes(votes, weight=times, rng=0)
    repeated = ef.from_votes(np.repeat(votes, times, axis=0), rng=0)
    plain = ef.from_votes(votes, rng=0)
    assert weighted.value == pytest.approx(repeated.value, abs=0.01)
    assert weighted.value > plain.value + 0.05
    assert weighted.low < repeated.low
    assert weighted.high > repeated.high


def test_labels_on_some_items_of_many_classes_heed_weights(three):
    p, labels = three
    some = np.array([None if row % 3 else int(label) for row, label in enumerate(labels)])
    times = np.random.default_rng(1).integers(1, 4, N).astype(float)
    plain = ef.from_scores(p, some, unlabelled=True, rng=0)
    equal = ef.from_scores(p, some, unlabelled=True, weight=np.full(N, 2.0), rng=0)
    weighted = ef.from_scores(p, some, unlabelled=True, weight=times, rng=0)
    assert equal.value == plain.value
    assert weighted.value != plain.value
    # The fewest errors of any weights of the classes, each as often as its item counts.
    cells = weighted.table.cells()
    statistic = prediction_powered.PoweredOffsets(cells, Options())
    wrong = prediction_powered.Rule.of(statistic.fitted).wrong(statistic.rules.items)
    least = cells.masses @ statistic.rules.least(cells.masses, statistic.fitted)
    assert 0 < least <= cells.masses @ wrong + 1e-6
    assert least == pytest.approx(round(least), abs=1e-6)


def test_all_items_are_covered_at_an_error_that_no_rule_exceeds(two, rng):
    found = ef.from_votes(
        rng.binomial(5, two[0]), np.full(N, 5), metric="coverage-at-error", at=0.5
    )
    assert (found.low, found.value, found.high) == (1.0, 1.0, 1.0)


@pytest.mark.parametrize("error", [0.05, 0.1, 0.15, 0.2, 0.3])
def test_all_items_that_err_just_as_much_as_they_may_are_covered(error):
    metric = MetricChoice("coverage-at-error", at=error).of(2)
    assert metric.best(np.full(10, error), np.ones(10)) == 1.0
    assert metric.best(np.append(np.full(100, error), 0.5), np.ones(101)) == pytest.approx(
        100 / 101
    )
    p = np.full((10, 10), error / 9)  # ten classes, each the likely one of some item
    np.fill_diagonal(p, 1 - error)
    asked = {"metric": "coverage-at-error", "at": error, "interval": None}
    assert ef.from_soft_labels(p, **asked).value == 1.0
    half = np.append(p, [[0.5, 0.5, *[0] * 8]], axis=0)
    assert ef.from_soft_labels(half, **asked).value == pytest.approx(10 / 11)


def test_metrics_that_are_no_means_have_no_value_of_an_item(rng):
    for name in ("auc", "average-precision", "f1", "mcc", "balanced-error"):
        with pytest.raises(TypeError, match="no mean over items"):
            named(name).per_item(rng.uniform(size=9))


# Parts of methods and intervals that only large or odd tables come to


def test_one_item_has_no_jackknife():
    with pytest.warns(ef.DegenerateBootstrapWarning, match="one item or cluster does not vary"):
        found = ef.from_soft_labels([0.3], weight=[2.0], interval="jackknife")
    assert found.interval.method == "hoeffding"


def test_shares_of_minorities_are_the_nearest_numbers_to_them():
    assert 1 - 2 / 3 != 1 / 3
    found = ef.from_votes([2, 2], 3, method="plugin", interval=None)
    assert found.value == 1 / 3
