"""A model's value of each metric from few items, with numbers by hand, and what is no value."""

import numpy as np
import pytest

import errorfloor as ef
from errorfloor._checks import MOST_VOTES
from errorfloor.intervals.bootstrap import Percentile
from errorfloor.intervals.models import ExactShare, MeanOfShares, OnScale, Wilson
from errorfloor.metrics.choice import MetricChoice
from errorfloor.questions import models


def decided(metric, matrix, **given):
    record = MetricChoice(metric, **given).of(len(matrix))
    return models.from_confusion(record, np.array(matrix), {"confusion": matrix})


def scored(metric, values, negatives, positives, **given):
    table = ef.ScoreTable.from_counts(values, negatives, positives)
    return models.from_table(MetricChoice(metric, **given).of(2), table, {})


def floor_of(metric, probabilities=(0.1, 0.5, 0.9) * 20, **given):
    return ef.from_soft_labels(list(probabilities), metric=metric, rng=0, **given)


# Decisions


def test_decisions_are_counted_by_true_class_and_decision():
    found = models.confusion_of(np.array([0, 0, 1, 2, 2, 2]), np.array([0, 1, 1, 0, 2, 2]), 4)
    assert found.tolist() == [[1, 1, 0, 0], [0, 1, 0, 0], [1, 0, 2, 0], [0, 0, 0, 0]]


def test_values_of_decisions_are_those_by_hand():
    matrix = [[7, 3], [2, 8]]
    error = decided("error", matrix)
    assert (error.value, error.n, error.evidence) == (0.25, 20, ExactShare(5, 20))
    assert error.given == {"confusion": matrix}
    f1 = decided("f1", matrix)
    assert (f1.value, f1.evidence) == (16 / 21, ExactShare(8, 13, is_f1=True))
    balanced = decided("balanced-error", [[7, 3], [1, 3]])
    assert (balanced.value, balanced.n) == (pytest.approx(0.275), 14)
    assert balanced.evidence == MeanOfShares((3, 1), (10, 4))
    cost = decided("cost", matrix, costs=(1, 4))
    assert (cost.value, cost.evidence.span) == (11 / 20, (0.0, 4.0))
    mcc = decided("mcc", [[90, 10], [20, 80]])
    phi = (90 * 80 - 10 * 20) / np.sqrt(100 * 100 * 110 * 90)
    assert mcc.value == pytest.approx(phi)
    few = decided("mcc", [[15, 2], [1, 9]])
    assert few.evidence == Wilson(few.value, 10.0, span=2.0, least=-1.0)


@pytest.mark.parametrize(
    "wrong",
    [[1, 2], [[1, 2]], [[1, 2], [3, 4], [5, 6]], [[1, -1], [2, 3]], [[1, 0.5], [2, 3]],
     [[0, 0], [0, 0]], [["a", "b"], ["c", "d"]], [[True, False], [True, True]]],
)  # fmt: skip
def test_what_counts_no_decisions_is_refused(wrong):
    for classes in (None, 2):
        with pytest.raises(ef.InputError, match="a row for each true class"):
            models.as_confusion(wrong, classes)


def test_decisions_are_of_as_many_classes_as_the_floor():
    three = [[1, 2, 3], [4, 5, 6], [7, 8, 9.0]]
    found = models.as_confusion(three, None)
    assert (found.tolist(), found.dtype.kind) == (three, "i")
    with pytest.raises(ef.InputError, match="must be 2 rows of 2 numbers"):
        models.as_confusion(three, 2)
    with pytest.raises(ef.InputError, match="must be 3 rows of 3 numbers"):
        models.as_confusion([[1, 2], [3, 4]], 3)


# Scores


def test_losses_of_probabilities_are_those_by_hand():
    brier = scored("brier", [0.2, 0.5], [3, 1], [1, 1])
    loss = (3 * 0.04 + 0.64 + 2 * 0.25) / 6
    assert (brier.value, brier.n, brier.evidence.span) == (pytest.approx(loss), 6, (0.0, 1.0))
    log = scored("log-loss", [0.2, 0.5], [3, 1], [1, 1])
    losses = -np.log([0.8, 0.8, 0.8, 0.2, 0.5, 0.5])
    assert log.value == pytest.approx(losses.mean())
    error = losses.std(ddof=1) / np.sqrt(6) * np.sqrt(1 + 8 / 2)
    assert log.evidence == OnScale(log.value, pytest.approx(error), "log", "normal")
    one = scored("log-loss", [0.5], [1], [0])
    assert one.evidence == OnScale(pytest.approx(np.log(2)), 0.0, "log", "normal")
    three = ef.ScoreTable.from_arrays([[0.2, 0.3, 0.5], [0.6, 0.2, 0.2]], [2, 1])
    found = models.from_table(MetricChoice("brier").of(3), three, {})
    assert found.value == pytest.approx((0.04 + 0.09 + 0.25 + 0.36 + 0.64 + 0.04) / 2)
    assert found.evidence.span == (0.0, 2.0)


def test_probabilities_of_0_are_refused_only_where_such_a_label_occurs():
    assert scored("log-loss", [0.0, 0.5], [3, 1], [0, 1]).value == pytest.approx(2 / 5 * np.log(2))
    with pytest.raises(ef.InputError, match="log-loss is infinite"):
        scored("log-loss", [0.0, 0.5], [3, 1], [1, 1])


def test_probabilities_lie_from_0_to_1_and_add_up_to_1():
    for values in ([0.0, 1.0], [0.3, 0.6]):
        table = ef.ScoreTable.from_counts(values, [1, 1], [1, 1])
        found = models.class_probabilities(table.scores)
        np.testing.assert_allclose(found, [[1 - one, one] for one in values])
    for values in ([-0.001, 0.5], [0.5, 1.001]):
        with pytest.raises(ef.InputError, match=r"numbers from 0 to 1\. Pass logits"):
            models.class_probabilities(np.array(values))
    for off, good in ((9e-7, True), (2e-6, False), (-2e-6, False)):
        rows = [[0.2, 0.3, 0.5 + off], [0.1, 0.1, 0.8]]
        table = ef.ScoreTable.from_arrays(rows, [0, 1])
        if good:
            assert models.class_probabilities(table.scores) is table.scores
        else:
            with pytest.raises(ef.InputError, match="that add up to 1"):
                models.class_probabilities(table.scores)


def test_answers_are_right_wrong_or_open_and_the_surest_come_first():
    table = ef.ScoreTable.from_counts([0.1, 0.5, 0.8, 0.9], [5, 3, 1, 2], [1, 4, 6, 7])
    rows, tied = models._answers(table)
    # Of 0.1 and 0.9 the model is equally sure; at one half its answer is open.
    assert rows.tolist() == [[12, 3, 0], [6, 1, 0], [0, 0, 7]]
    assert tied == 0.5
    three = ef.ScoreTable.from_arrays(
        [[0.5, 0.5, 0.0], [0.25, 0.25, 0.5], [1 / 3, 1 / 3, 1 / 3]], [0, 2, 1]
    )
    rows, tied = models._answers(three)
    assert rows.tolist() == [[1, 0, 1], [0, 0, 1]]
    assert tied == pytest.approx((1 / 2 + 2 / 3) / 2)
    # What rounding leaves does not tell probabilities apart.
    for off, number in ((3e-13, 1), (2e-12, 2)):
        near = ef.ScoreTable.from_counts([0.3, 0.7 + off], [2, 0], [0, 3])
        assert len(models._answers(near)[0]) == number


def test_selective_values_are_those_of_the_surest_items():
    values, negatives, positives = [0.1, 0.7, 0.95], [30, 10, 1], [4, 15, 40]
    # Surest first: 41 with 1 error, 34 with 4, 25 with 10.
    for at, wrong in ((0.41, 1), (0.75, 5), (1.0, 15), (0.58, 1 + 4 / 2)):
        found = scored("error-at-coverage", values, negatives, positives, at=at)
        assert found.value == pytest.approx(wrong / (100 * at))
        assert (found.evidence.method, found.evidence.scale) == ("bootstrap", "logit")
    for at, kept in ((0.02, 0), (0.03, 0.41), (0.07, 0.75), (0.2, 1)):
        found = scored("coverage-at-error", values, negatives, positives, at=at)
        assert found.value == pytest.approx(kept)
    assert isinstance(
        scored("coverage-at-error", values, negatives, positives, at=0.07).evidence, Percentile
    )
    sure = scored("error-at-coverage", [0.1, 0.9], [10, 0], [0, 30], at=0.25)
    assert (sure.value, sure.evidence) == (0, Wilson(0.0, 10.0))
    lost = scored("error-at-coverage", [0.1, 0.9], [0, 30], [10, 0], at=0.25)
    assert (lost.value, lost.evidence) == (1, Wilson(1.0, 10.0))
    every = scored("coverage-at-error", [0.1, 0.9], [10, 0], [0, 30], at=0.25)
    assert (every.value, every.evidence) == (1, Wilson(1.0, 40))


def test_rankings_need_both_classes():
    assert scored("auc", [0.1, 0.9], [3, 0], [0, 1]).value == 1
    for metric in ("auc", "average-precision"):
        with pytest.raises(ef.InputError, match="needs test items of both classes"):
            scored(metric, [0.1, 0.9], [3, 1], [0, 0])


# Values


def test_published_values_are_on_so_many_items():
    floor = floor_of("brier")
    for n in (0, -1, MOST_VOTES + 1, 2.5, None, "7"):
        with pytest.raises(ef.InputError, match="`n` must be the number of test items"):
            models.from_value(floor.measure, 0.1, n, floor)
    for n in (1, MOST_VOTES, np.int64(7)):
        found = models.from_value(floor.measure, 0.1, n, floor)
        assert (found.n, found.given) == (n, {"model_value": 0.1})
        assert found.evidence == Wilson(0.1, n, span=1.0)


def test_losses_are_at_most_those_of_one_item():
    brier, cost = floor_of("brier"), floor_of("cost", costs=(2, 5))
    three = ef.from_soft_labels([[0.2, 0.3, 0.5]] * 20, metric="brier", rng=0)
    for floor, top in ((brier, 1.0), (cost, 5.0), (three, 2.0)):
        for value in (0, 0.5, top):
            found = models.from_value(floor.measure, value, 30, floor)
            assert (found.value, found.evidence) == (value, Wilson(value, 30, span=top))
        for value in (-0.01, top + 0.01, "many", None):
            with pytest.raises(ef.InputError, match=f"from 0 to {top:g}; got"):
                models.from_value(floor.measure, value, 30, floor)


def test_shares_and_rankings_have_the_limits_of_as_many_items_as_count():
    error = floor_of("error")
    assert models.from_value(error.measure, "20%", 50, error).evidence == ExactShare(10, 50)
    some = floor_of("error-at-coverage", at=0.4)
    assert models.from_value(some.measure, 0.1, 50, some).evidence == ExactShare(2, 20)
    many = floor_of("coverage-at-error", at=0.4)
    assert models.from_value(many.measure, 0.1, 50, many).evidence == ExactShare(5, 50)
    auc = floor_of("auc", (0.1, 0.2) * 20)
    assert models.from_value(auc.measure, 0.8, 40, auc).evidence == Wilson(0.8, pytest.approx(6))
    assert models.from_value(auc.measure, 0.8, 2, auc).evidence == Wilson(0.8, 1.0)
    balanced = floor_of("balanced-error", (0.1, 0.2) * 20)
    found = models.from_value(balanced.measure, 0.2, 40, balanced)
    assert found.evidence == Wilson(0.2, pytest.approx(12))


def test_the_shares_of_classes_are_those_of_the_floors_items():
    soft = floor_of("error", (0.1, 0.2, 0.3))
    assert models.shares_of(soft) == pytest.approx([0.8, 0.2])
    three = ef.from_soft_labels([[0.2, 0.3, 0.5], [0.4, 0.3, 0.3]], rng=0, interval=None)
    assert models.shares_of(three) == pytest.approx([0.3, 0.3, 0.4])
    labelled = ef.from_scores([0.1, 0.2, 0.3, 0.4, 0.8], [0, 0, 1, 0, 0], interval=None, rng=0)
    assert models.shares_of(labelled) == pytest.approx([0.8, 0.2])
    known = floor_of("auc", prior=0.3)
    assert models.shares_of(known) == pytest.approx([0.7, 0.3])
    votes = ef.from_votes([1, 1], [2, 4], interval=None)
    assert models.shares_of(votes) == pytest.approx([5 / 8, 3 / 8])


def test_standard_errors_of_few_are_enlarged():
    for rarest, factor in ((0, 3.0), (1, 3.0), (8, 2**0.5), (800, 1.01**0.5)):
        assert models._for_few(rarest) == pytest.approx(factor)


def test_metrics_go_by_scores_or_by_decisions():
    by_scores = {"auc", "average-precision", "brier", "log-loss"}
    by_value = {"error", "cost", "brier", "auc", "balanced-error"}
    for name in ("error", "f1", "mcc", "balanced-error", *by_scores):
        metric = MetricChoice(name).of(2)
        assert models.goes_by_scores(metric) == (name in by_scores)
        assert models.can_be_published(metric) == (name in by_value)


# What is said of a model


def test_a_model_is_described_in_one_way():
    floor = floor_of("error")
    for given, message in (
        ({"errors": 1, "n": 5, "confusion": [[1, 0], [0, 1]]}, "say the same twice"),
        ({"errors": 1, "n": 5, "model_error": 0.2}, "Give either `errors`"),
        ({"n": 5, "predictions": [0, 1], "labels": [0, 1]}, "`n` is counted"),
        ({"predictions": [0, 1]}, "`predictions` needs the `labels`"),
        ({"predictions": [0, 1, 1], "labels": [0, 1]}, "3"),
    ):
        with pytest.raises(ef.InputError, match=message):
            models.ModelOptions(**given).model(floor)
    model = models.ModelOptions(errors=3, n=12).model(floor)
    assert (model.value, model.n, model.given) == (0.25, 12, {})
    assert model.evidence.limits(0.9) == pytest.approx(ExactShare(3, 12).limits(0.9))
    model = models.ModelOptions(predictions=[0, 1, 1, 1], labels=[0, 1, 0, 0]).model(floor)
    assert (model.value, model.n) == (0.5, 4)
    assert model.given == {"predictions": None, "labels": None}
    # A floor that is a number has no items, and any number of classes.
    given = ef.headroom(0.1, confusion=[[5, 0, 1], [0, 5, 0], [0, 1, 5]])
    assert given.n == 17
    with pytest.raises(ef.InputError, match="must be 2 rows of 2"):
        models.ModelOptions(confusion=[[5, 0, 1], [0, 5, 0], [0, 1, 5]]).model(floor)


def test_scores_and_decisions_are_of_the_classes_of_the_floor():
    rows = [[0.6, 0.2, 0.2], [0.1, 0.8, 0.1], [0.3, 0.3, 0.4]]
    floor = ef.from_soft_labels(rows * 10, metric="brier", rng=0)
    model = models.ModelOptions(model_scores=rows, labels=[0, 1, 1]).model(floor)
    assert model.n == 3
    with pytest.raises(ef.InputError, match="are of 3 classes, and the floor is of 2"):
        models.ModelOptions(model_scores=rows, labels=[0, 1, 1]).model(floor_of("brier"))
    error = ef.from_soft_labels(rows * 10, rng=0)
    model = models.ModelOptions(
        predictions=["0", "2", "1", "1"], labels=["0", "1", "1", "2"]
    ).model(error)
    assert (model.value, model.n) == (0.5, 4)


def test_numbers_of_errors_are_refused_beside_predictions():
    models.ModelOptions(labels=[0], predictions=[1]).refuse_beside_predictions()
    for name in ("errors", "n", "model_error", "model_value", "model_scores", "confusion"):
        with pytest.raises(ef.InputError, match=f"`{name}` is counted from the predictions"):
            models.ModelOptions(**{name: 0}).refuse_beside_predictions()
