"""What seldom happens: refusals, corners and large tables that no other test comes by."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import errorfloor as ef
from errorfloor.data.arrays import partly_labelled
from errorfloor.data.options import ReadOptions
from errorfloor.data.sample import Sample
from errorfloor.data.tables import ScoreTable, SoftTable, VoteTable
from errorfloor.intervals import jackknife
from errorfloor.methods import every, newton, on_any_scale, prediction_powered, ranks, soft
from errorfloor.methods.histogram import Binned
from errorfloor.methods.logistic import BETA_ABM
from errorfloor.methods.prediction_powered import PoweredCut
from errorfloor.methods.record import Classes, Options
from errorfloor.methods.rules import fewest
from errorfloor.methods.votes import dual
from errorfloor.methods.votes import line as vote_fit
from errorfloor.methods.votes import simplex as gathered
from errorfloor.methods.votes.line import fit_mixture, supremum
from errorfloor.methods.votes.mixture import ManyClassMixture
from errorfloor.methods.votes.simplex import (
    MOST_VOTES_USED,
    PartitionLikelihood,
    agreement_of,
    sums,
)
from errorfloor.metrics import named, ranking
from errorfloor.metrics.choice import MetricChoice
from errorfloor.questions import models

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
        ("array", {"prediction": "pred"}, "`prediction` is a column .* beside an array"),
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


def test_auc_in_pieces_is_auc_at_once(rng, monkeypatch):
    p = np.sort(rng.uniform(size=50))
    counts = rng.integers(0, 4, (6, 50))
    whole = named("auc").on(p, counts[0]).values(counts)
    for count, found in zip(counts, whole, strict=True):
        items = np.repeat(p, count)
        high, low = np.maximum.outer(items, items), np.minimum.outer(items, items)
        right, wrong = high * (1 - low), low * (1 - high)
        pairs = ~np.eye(items.size, dtype=bool)  # of different items
        assert found == pytest.approx(right[pairs].sum() / (right + wrong)[pairs].sum(), rel=1e-12)
    for size in (1, 7, 40, 6 * 49, 6 * 50):
        monkeypatch.setattr(ranking, "AT_ONCE", size)
        pieces = named("auc").on(p, counts[0]).values(counts)
        np.testing.assert_allclose(pieces, whole, rtol=1e-14)


def test_metrics_that_are_no_means_have_no_value_of_an_item(rng):
    for name in ("auc", "average-precision", "f1", "mcc", "balanced-error"):
        with pytest.raises(TypeError, match="no mean over items"):
            named(name).per_item(rng.uniform(size=9))


@pytest.mark.parametrize("method", [ranks.CALIBRATED_AUC, ranks.AUC])
def test_resamples_of_one_class_have_an_auc_of_one_half(two, method):
    cells = ScoreTable.from_arrays(*two).cells()
    statistic = method.bind(cells, Options(metric=named("auc")))
    only = np.where(cells.positive, cells.count, 0)
    values = statistic.values(np.stack((only, cells.count - only, cells.count)), None)
    assert values[:2].tolist() == [0.5, 0.5]
    assert values[2] > 0.5


def test_fits_that_take_too_long_end_with_what_they_have(two, monkeypatch):
    p, labels = two
    basis = np.column_stack((np.ones(N), p))
    ends = []
    for steps in (1, 2, 3, 200):
        monkeypatch.setattr(newton, "MAX_STEPS", steps)
        ends.append(newton.fit(basis, np.ones(N), labels.astype(float)))
    gaps = [float(np.abs(end - ends[-1]).max()) for end in ends]
    assert gaps[0] > 4 * gaps[1] > 16 * gaps[2] > 0


def test_a_fit_of_votes_ends_where_a_finer_grid_would_be_too_large(monkeypatch):
    positives, totals, counts = np.array([0, 1, 2, 3]), np.full(4, 3), np.array([40, 11, 9, 40])
    found = {}
    for most in (4 * 513, 2**24):
        monkeypatch.setattr(vote_fit, "_MOST_ENTRIES", most)
        found[most] = fit_mixture(positives, totals, counts)
    small, large = found.values()
    assert small.points.size == 513
    assert large.log_likelihood >= small.log_likelihood - 1e-12
    assert small.floor == pytest.approx(large.floor, abs=1e-3)


def test_models_of_many_rows_are_resampled_by_neighbours_together(rng):
    counts = rng.integers(0, 3, (3 * models.MOST_ROWS, 2))

    def share(drawn):
        return float(drawn[:, 0].sum() / drawn.sum())

    drawn = models._bootstrap(counts, share)
    n, rate = counts.sum(), counts[:, 0].sum() / counts.sum()
    assert drawn.mean() == pytest.approx(rate, abs=5 * np.sqrt(rate * (1 - rate) / n / 400))
    # The standard deviation of 400 draws is known to 1 / sqrt(800).
    spread = np.sqrt(rate * (1 - rate) / n)
    assert drawn.std(ddof=1) == pytest.approx(spread, rel=5 / np.sqrt(800))


# Parts of methods and intervals that only large or odd tables come to


def test_without_its_only_item_a_logistic_floor_is_0():
    cells = ScoreTable([0.3], [[0, 1]]).cells()
    statistic = BETA_ABM.bind(cells, Options())
    assert statistic.leave_one_out().tolist() == [0.0]


def test_errors_of_other_counts_are_those_of_a_table_with_them():
    rng = np.random.default_rng(0)
    scores = rng.random(200).round(2)
    labels = np.where(rng.random(200) < 0.5, rng.random(200) < scores, np.nan)
    cells = partly_labelled(scores, labels, ReadOptions.of(unlabelled=True)).cells()
    count = np.maximum(cells.count - (np.arange(cells.count.size) % 3 == 0), 0)
    found = PoweredCut(cells, Options().draw).values(count[None], np.random.default_rng(1))
    # Places of rows and strata are those of all items, so they are set alike.
    alone = PoweredCut(cells, lambda _: np.random.default_rng(1))
    alone.cells = replace(alone.cells, count=count)
    assert found[0] == alone.value


def test_slow_values_of_many_items_leave_out_groups_of_them(monkeypatch):
    monkeypatch.setattr(jackknife, "GROUPS", 5)
    rng = np.random.default_rng(0)
    count = rng.integers(1, 4, 12)
    design = Sample.of_rows(count, count, rng.random(12) + 0.5)
    asked = []

    class Slow:
        is_slow = True

        def values(self, counts, _, /):
            asked.append(counts)
            return counts.sum(axis=1) / 100

    units = jackknife.without_each(Slow(), design, np.random.default_rng(3))
    parts = list(design.parts(5, np.random.default_rng(3)))
    assert np.sum(parts, axis=0).tolist() == count.tolist()
    assert [(count - one[0]).tolist() for one in asked] == [part.tolist() for part in parts]
    assert units.values.tolist() == [(count - part).sum() / 100 for part in parts]
    assert units.mass.tolist() == [part @ design.weight for part in parts]
    assert units.times.tolist() == [1] * 5
    # Of fewer items than groups, each is left out by itself.
    monkeypatch.setattr(jackknife, "GROUPS", int(count.sum()))
    monkeypatch.setattr(jackknife, "without_one", lambda _: np.arange(12.0))
    units = jackknife.without_each(Slow(), design, np.random.default_rng(3))
    assert units.times.tolist() == count.tolist()


def test_one_item_has_no_jackknife():
    with pytest.warns(ef.DegenerateBootstrapWarning, match="one item or cluster does not vary"):
        found = ef.from_soft_labels([0.3], weight=[2.0], interval="jackknife")
    assert found.interval.method == "hoeffding"


def test_a_search_ends_where_its_steps_are_spent(monkeypatch):
    rng = np.random.default_rng(0)
    p = rng.dirichlet([0.5] * 3, 60)
    labels = np.array([rng.choice(3, p=one) for one in p])
    cells = ScoreTable.from_arrays(p, labels).cells()
    items = fewest.Labelled.of(cells, Options().clip)
    tried = []
    descend = fewest._Search.descend
    monkeypatch.setattr(
        fewest._Search, "descend", lambda self, at: tried.append(at) or descend(self, at)
    )
    starts = (fewest.Rule.as_it_is(3),)
    all_found, _ = fewest.fewest_errors(items, cells.count, starts)
    assert len(tried) > 1
    tried.clear()
    monkeypatch.setattr(fewest, "MOST_STEPS", 1)
    found, rule = fewest.fewest_errors(items, cells.count, starts)
    assert len(tried) == 1
    assert found >= all_found
    logs = np.log(p) + rule.offsets
    assert found >= (logs.argmax(axis=1) != labels).sum()


def test_the_share_of_unclear_items_is_of_the_variance_and_0_where_there_is_none(monkeypatch):
    monkeypatch.setattr(prediction_powered, "flat_variance", lambda _: 0.5)

    def share(variance):
        cut = SimpleNamespace(cells=None, found=SimpleNamespace(n=10, variance=variance))
        return PoweredCut.correlated.fget(cut)

    assert [share(variance) for variance in (0.0, 0.2, 0.04)] == [0.0, 0.25, 1.0]


def test_bins_without_an_item_are_those_of_the_others_where_scores_are_neighbouring_floats():
    scores = [0.1]
    while len(scores) < 9:
        scores.append(np.nextafter(scores[-1], 1))
    cells = ScoreTable(scores, [[1, 0], [0, 1], [1, 0]] * 3).cells()
    for bins in (2, 3, 4):
        statistic = Binned(cells, bins)
        each = cells.count - np.eye(len(cells), dtype=np.int64)
        refitted = statistic.values(each, np.random.default_rng(0))
        np.testing.assert_array_equal(statistic.leave_one_out(), refitted)


@pytest.mark.parametrize("degree", [1, 6, 40])
def test_the_supremum_of_a_cosine_allows_for_its_bend_between_points(degree):
    series = np.zeros(degree + 1)
    series[degree] = 1
    step = np.pi / 4096
    bend = degree**2 / np.cos((degree + 1) * step / 2)
    assert supremum(series, 0.0) == pytest.approx(1 + step**2 / 8 * bend, rel=1e-14)


def three_partitions():
    items = np.zeros(sums(MOST_VOTES_USED).size)
    items[np.flatnonzero(sums(MOST_VOTES_USED) == 3)] = [50, 30, 20]
    return PartitionLikelihood.of(items, 3)


def test_a_fit_ends_where_every_cell_is_as_likely_as_it_is_frequent():
    likelihood = three_partitions()
    start = likelihood.share / likelihood.matrix.mean(axis=1)
    nothing = np.zeros(len(likelihood.points))
    weights, density = dual._newton(
        likelihood, [start], likelihood.log_arcsine, nothing, dual.log_gain(1e-3), 1e-3, 1e-9
    )
    assert np.abs(weights * likelihood.chances(density) / likelihood.share - 1).max() < 1e-9


def test_points_that_are_alike_beforehand_have_weights_that_add_up_to_1():
    likelihood = three_partitions()
    assert np.exp(likelihood.log_arcsine).sum() == pytest.approx(1)
    assert np.ptp(likelihood.log_arcsine) == 0


def test_points_are_gathered_beside_those_where_each_cell_is_likeliest(monkeypatch):
    likelihood, seen = three_partitions(), []
    beside = gathered.Gathered.beside
    monkeypatch.setattr(
        gathered.Gathered, "beside", lambda one, at: seen.append(at) or beside(one, at)
    )
    weights = gathered.fitted_weights(likelihood, 1e-4)
    assert weights.sum() == pytest.approx(1)
    assert [at.tolist() for at in seen] == [likelihood.matrix.argmax(axis=1).tolist()]


def test_single_votes_agree_halfway_between_guesses_and_certainty():
    assert agreement_of(np.eye(4, dtype=np.int64), np.ones(4)) == (1 + 1 / 4) / 2
    # Of 2 and 3 votes: one pair of one agrees, and one of three.
    votes = np.array([[2, 0, 0], [2, 1, 0]])
    assert agreement_of(votes, np.array([1, 3])) == pytest.approx((1 + 3 / 3) / 4)


def test_parts_of_a_distribution_count_by_their_items():
    table = VoteTable.from_arrays([[2, 0, 0], [1, 1, 0], [3, 0, 0], [1, 1, 1], [2, 1, 0]] * 3)
    cells, asked = table.cells(), Options(totals_by="item")
    statistic = ManyClassMixture(cells, asked)
    fits, whole = statistic.fits, statistic.fitted
    assert len(fits) == 2
    own = [fit.weights for fit, _ in fits]
    assert whole.weights.tolist() == pytest.approx([*(0.4 * own[0]), *(0.6 * own[1])])
    assert whole.weights.sum() == pytest.approx(1)
    assert len(whole.points) == whole.weights.size
    for name in ("log_likelihood", "gap"):
        first, second = (getattr(fit, name) for fit, _ in fits)
        assert getattr(whole, name) == pytest.approx(0.4 * first + 0.6 * second)


def test_methods_need_probabilities_where_they_take_them_as_such_or_take_logits():
    needs = {one.name for one in every(ScoreTable.kind) if one.needs_probabilities}
    assert needs == {"corrupted", "beta", "beta-am", "beta-ab", "beta-a", "platt-logit"}


def test_shares_of_minorities_are_the_nearest_numbers_to_them():
    assert 1 - 2 / 3 != 1 / 3
    found = ef.from_votes([2, 2], 3, method="plugin", interval=None)
    assert found.value == 1 / 3


def test_a_mean_is_off_by_as_much_as_items_can_be_from_their_rows():
    ranges = {"lows": [0.1, 0.6], "highs": [0.5, 0.8]}
    table = SoftTable([0.2, 0.7], [3, 1], **ranges)
    assert soft._resolution(table, named("error")) == pytest.approx((3 * 0.3 + 0.1) / 4)
