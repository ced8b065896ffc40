"""What seldom happens: refusals, corners and large tables that no other test comes by."""

import numpy as np
import pandas as pd
import pytest

import errorfloor as ef
from errorfloor.data.tables import VoteTable
from errorfloor.methods import on_any_scale, prediction_powered
from errorfloor.methods.record import Classes, Options
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


def test_where_nothing_costs_there_is_no_trade(two, rng):
    votes = VoteTable.from_arrays(rng.binomial(5, two[0]), np.full(N, 5))
    assert ef.plan(votes, cost_per_item=0, cost_per_vote=0, items=[100], votes=[3]).trade is None
    assert (
        ef.plan(votes, cost_per_item=0, cost_per_vote=1, items=[100], votes=[3]).trade is not None
    )


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


# Parts of methods and intervals that only large or odd tables come to


def test_one_item_has_no_jackknife():
    with pytest.warns(ef.DegenerateBootstrapWarning, match="one item or cluster does not vary"):
        found = ef.from_soft_labels([0.3], weight=[2.0], interval="jackknife")
    assert found.interval.method == "hoeffding"


def test_shares_of_minorities_are_the_nearest_numbers_to_them():
    assert 1 - 2 / 3 != 1 / 3
    found = ef.from_votes([2, 2], 3, method="plugin", interval=None)
    assert found.value == 1 / 3
