"""Floors from scores of more than two classes: rules, fits, searches, limits, maps."""

from functools import cache

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import log_softmax

import errorfloor as ef
from errorfloor import intervals, methods
from errorfloor._checks import InputError
from errorfloor.data.sample import Sample, split
from errorfloor.data.tables import ScoreTable
from errorfloor.intervals.models import lower_limit, upper_limit
from errorfloor.intervals.record import Case, Streams
from errorfloor.methods.isotonic import FOLDS
from errorfloor.methods.record import Classes, Options
from errorfloor.methods.rules.fewest import (
    Rule,
    fewest_errors,
    needed_errors,
)
from errorfloor.methods.rules.logs import Labelled, log_scores
from errorfloor.methods.rules.maps import Family, OneVsRest, PowerFloor, fit, fit_within_reach
from errorfloor.methods.rules.offsets import OffsetFit
from errorfloor.questions.feebee import expected_classes, redraw_classes
from errorfloor.questions.reliability import top_label

pytestmark = pytest.mark.usefixtures("folds_once")

OFFSETS, TEMPERATURE, VECTOR = Family(), Family(weights=False), Family(powers=True)
MANY = list(methods.reading(ScoreTable.kind, Classes.MANY))


def drawn(probabilities, rng):
    """Draw a label for each row."""
    behind = probabilities.cumsum(axis=1)
    return (behind < rng.random((len(behind), 1))).sum(axis=1).clip(0, behind.shape[1] - 1)


def made(n, classes, rng, *, concentration=0.4, shift=1.0):
    """Draw scores, and labels whose classes are shifted by weights."""
    scores = np.maximum(rng.dirichlet(np.full(classes, concentration), n), 1e-9)
    true = scores * np.exp(rng.normal(0, shift, classes))
    return scores, drawn(true / true.sum(axis=1, keepdims=True), rng)


def table_of(scores, labels):
    classes = scores.shape[1]
    rows, row = np.unique(scores, axis=0, return_inverse=True)
    counts = np.zeros((len(rows), classes), dtype=np.int64)
    np.add.at(counts, (row.ravel(), labels), 1)
    return ScoreTable(rows, counts, classes=tuple(f"class {k}" for k in range(classes)))


def cells_of(scores, labels):
    return table_of(scores, labels).cells()


def errors_of(rule, items, count):
    """Return the expected number of errors of a rule."""
    return float(count @ rule.wrong(items))


def items_of(scores, labels):
    return Labelled(log_scores(scores), np.arange(labels.size), labels), np.ones(
        labels.size, dtype=np.int64
    )


def case_of(method, table, seed=0):
    cells, streams = table.cells(), Streams.of(np.random.default_rng(seed))
    statistic = method.bind(cells, Options(draw=streams.for_))
    value = float(statistic.values(cells.count[None], streams.for_("folds"))[0])
    return Case(
        method=method, table=table, cells=cells, statistic=statistic, value=value, streams=streams
    )


def slow_errors(scores, labels, offsets):
    """Count errors item by item, where tied classes share an item."""
    wrong = 0.0
    for row, label in zip(np.log(scores) + offsets, labels, strict=True):
        best = [k for k in range(row.size) if row[k] >= max(row) - 1e-9]
        wrong += 1 - (label in best) / len(best)
    return wrong


def exact_of_three(logs, labels):
    """Return the fewest errors of three classes: all places of two offsets that differ."""
    behind = logs[0] - logs[1], logs[0] - logs[2], logs[1] - logs[2]
    turns = np.unique(np.append(behind[0], (behind[1][:, None] - behind[2]).ravel()))
    places = np.concatenate(([turns[0] - 1], (turns[1:] + turns[:-1]) / 2, [turns[-1] + 1]))
    best, third = labels.size, labels == 2
    for part in np.array_split(places, max(places.size // 2000, 1)):
        one = logs[1] + part[:, None]
        margin = np.maximum(logs[0], one) - logs[2]
        right = (one > logs[0]) == labels  # a label 2 equals neither
        step = np.where(third, -1, 0) + (right & ~third)
        order = np.argsort(margin, axis=1)
        walk = np.cumsum(np.take_along_axis(step, order, axis=1), axis=1)
        start = (third | ~right).sum(axis=1)
        best = min(best, int((start + np.minimum(walk.min(axis=1), 0)).min()))
    return best


@cache
def random_thirds():
    """Return forty random sets of 150 items and three classes, with their fewest errors."""
    rng = np.random.default_rng(5)
    found = []
    for i in range(40):
        scores, labels = made(150, 3, rng, concentration=1.0 if i % 2 else 0.4)
        if i % 4 == 3:
            scores = rng.dirichlet(np.ones(3), 150)
        found.append((scores, labels, exact_of_three(log_scores(scores), labels)))
    return found


# Scores on the log scale


def test_scores_are_divided_by_their_sums_and_equal_ones_stay_equal():
    logs = log_scores(np.array([[2.0, 2.0, 4.0], [0.0, 0.0, 1.0], [0.1, 0.3, 0.6]]))
    least = 0.1 / 2
    assert np.exp(logs[:, 0]) == pytest.approx([0.5, 0.5, 1])
    assert np.exp(logs[:, 1]) == pytest.approx([least, least, 1])
    assert logs[0, 0] == logs[1, 0]
    assert logs[0, 1] == logs[1, 1]
    assert np.exp(log_scores(np.eye(3), 0.01)) == pytest.approx(np.eye(3) * 0.99 + 0.01)


def test_one_score_below_0_makes_all_of_them_logits():
    scores = np.array([[1.0, 2.0, 3.0], [0.0, -1.0, 2.0]])
    assert (log_scores(scores) == (scores - scores.max(axis=1, keepdims=True)).T).all()


def test_a_row_of_zeros_is_refused():
    with pytest.raises(InputError, match="`scores` must have a number above 0 in each row"):
        log_scores(np.array([[0.5, 0.5, 0.0], [0.0, 0.0, 0.0]]))


# Rules and their errors


def test_errors_equal_a_slow_count_with_ties_shared():
    rng = np.random.default_rng(0)
    votes = rng.multinomial(6, [0.4, 0.35, 0.25], 300) + 1e-9
    labels = rng.integers(3, size=300)
    items, count = items_of(votes / votes.sum(axis=1, keepdims=True), labels)
    for offsets in (np.zeros(3), np.array([0, np.log(2), 0]), np.array([0.0, 0.1, -0.3])):
        slow = slow_errors(votes / votes.sum(axis=1, keepdims=True), labels, offsets)
        assert errors_of(Rule(offsets), items, count) == pytest.approx(slow)
    assert 0 < slow_errors(votes, labels, np.zeros(3)) % 1 < 1  # there are ties of three


# Fits


def parameters(family, power, weight):
    powers = power if family.powers else power[:1]
    return np.concatenate((powers, weight[1:] - weight[0] if family.weights else []))


@pytest.mark.parametrize("family", [OFFSETS, TEMPERATURE, VECTOR])
def test_the_fit_is_the_maximum_that_a_general_optimiser_finds(family):
    rng = np.random.default_rng(1)
    scores, labels = made(400, 4, rng, shift=0.7)
    items, count = items_of(scores, labels)
    count = rng.integers(0, 4, labels.size)

    def loss(at):
        power, weight = np.full(4, at[0]), np.zeros(4)
        if family.powers:
            power = at[:4]
        if family.weights:
            weight = np.append(0, at[-3:])
        values = power[:, None] * items.logs + weight[:, None]
        return -(count * log_softmax(values, axis=0)[labels, np.arange(labels.size)]).sum()

    fitted = fit(family, items, count)
    ours = parameters(family, fitted.power, fitted.weight)
    theirs = minimize(loss, np.ones(ours.size), method="BFGS", options={"gtol": 1e-6})
    assert ours == pytest.approx(theirs.x, abs=1e-4)
    assert loss(ours) <= theirs.fun + 1e-7


def test_a_class_without_labels_is_never_chosen_and_weighs_nothing():
    scores, labels = made(200, 4, np.random.default_rng(3))
    labels[labels == 2] = 1
    items, count = items_of(scores, labels)
    for family in (OFFSETS, VECTOR):
        fitted = fit(family, items, count)
        assert np.isneginf(fitted.weight[2])
        assert (fitted.probabilities(items.logs)[2] == 0).all()
    errors, rule = fewest_errors(items, count, ())
    assert np.isneginf(rule.offsets[2])
    assert errors_of(rule, items, count) == errors


def test_scores_that_point_the_wrong_way_leave_the_shares_of_the_classes():
    rng = np.random.default_rng(4)
    scores = rng.dirichlet(np.ones(3), 300)
    labels = scores.argmin(axis=1)
    items, count = items_of(scores, labels)
    fitted = fit(OFFSETS, items, count)
    share = np.bincount(labels) / 300
    assert (fitted.power == 0).all()
    assert fitted.probabilities(items.logs)[:, 0] == pytest.approx(share)
    assert errors_of(Rule.of(fitted), items, count) == 300 - np.bincount(labels).max()
    assert (fit(TEMPERATURE, items, count).power == 0).all()


def test_labels_that_scores_tell_without_error_end_the_fit():
    scores = np.random.default_rng(5).dirichlet(np.ones(3), 200)
    items, count = items_of(scores, scores.argmax(axis=1))
    for family in (OFFSETS, TEMPERATURE, VECTOR):
        fitted = fit(family, items, count)
        assert np.isfinite(fitted.power).all()
        found = fitted.probabilities(items.logs)[items.label, np.arange(200)]
        assert np.quantile(found, 0.05) > 0.9


def test_guessed_labels_raise_the_least_score_and_leave_the_weights_alone():
    rng = np.random.default_rng(23)
    scores = np.maximum(rng.dirichlet(np.full(10, 0.1), 2000), 1e-12)
    guessing = drawn(0.85 * scores / scores.sum(axis=1, keepdims=True) + 0.015, rng)
    items, count = items_of(scores, guessing)
    plain, fitted = fit(OFFSETS, items, count), fit_within_reach(OFFSETS, items, count)
    assert fitted.reach in (3.0, 4.0, 5.5)
    assert np.ptp(fitted.weight / fitted.power) < np.ptp(plain.weight / plain.power) / 2
    assert fitted.power[0] > 2 * plain.power[0]
    true = scores / scores.sum(axis=1, keepdims=True)
    items, count = items_of(scores, drawn(true, rng))
    assert fit_within_reach(OFFSETS, items, count).reach == np.inf


# The fewest errors


def test_offsets_of_two_classes_are_cuts():
    rng = np.random.default_rng(6)
    for _ in range(20):
        scores = np.round(rng.random(60), 2) * 0.98 + 0.01
        labels = rng.integers(2, size=60)
        items, count = items_of(np.column_stack((1 - scores, scores)), labels)
        assert fewest_errors(items, count, ())[0] == needed_errors(items, count)
        best = min(((scores > cut) != labels).sum() for cut in (-1, *scores))
        assert fewest_errors(items, count, ())[0] == best


def test_the_search_finds_the_fewest_errors_of_three_classes():
    found = [
        fewest_errors(*items_of(scores, labels), (Rule.as_it_is(3),))[0] - exact
        for scores, labels, exact in random_thirds()
    ]
    assert min(found) >= 0
    assert sum(gap == 0 for gap in found) >= 39


def test_the_errors_that_pairs_prove_are_never_more_than_the_fewest():
    share = []
    for scores, labels, most in random_thirds():
        items, count = items_of(scores, labels)
        least = needed_errors(items, count)
        assert least <= most
        share.append(least / most)
    assert np.mean(share) > 0.4  # a loose bound, but no empty one


# Floors


def test_the_offsets_floor_is_the_midpoint_of_its_own_and_held_out_errors():
    scores, labels = made(300, 3, np.random.default_rng(11))
    cells = cells_of(scores, labels)
    statistic = OffsetFit.of(cells, Options())
    found = statistic.values(cells.count[None], np.random.default_rng(3))[0]

    def errors(train, test):
        fitted = fit(OFFSETS, statistic.rules.items, train, None, statistic.fitted.reach)
        offsets = fitted.weight / fitted.power[0]
        return slow_errors(cells.scores[cells.row][test > 0], cells.label[test > 0], offsets)

    parts = split(cells.count, FOLDS, np.random.default_rng(3))
    held_out = sum(errors(cells.count - part, part) for part in parts)
    assert found == pytest.approx((errors(cells.count, cells.count) + held_out) / 600)
    # What was kept for the interval changes nothing.
    assert statistic.values(cells.count[None], np.random.default_rng(3))[0] == found
    other = {statistic.values(cells.count[None], np.random.default_rng(i))[0] for i in range(9)}
    assert len(other) > 1


@pytest.mark.filterwarnings("ignore:The label is the class with the highest score")
@pytest.mark.parametrize("more", [0, 10, 1000])
def test_logits_that_tell_the_classes_apart_leave_no_floor(more):
    # No power of the scores is the likeliest: the larger, the better.
    logits = np.random.default_rng(72).normal(0, 2, (100, 3))
    found = ef.from_scores(logits + more, logits.argmax(axis=1), rng=0)
    assert (found.low, found.value) == (0, 0)
    assert 0.03 < found.high < 0.05
    fitted = ef.calibrate(logits + more, logits.argmax(axis=1), method="offsets")
    assert (fitted(logits + more).argmax(axis=1) == logits.argmax(axis=1)).all()


@pytest.mark.filterwarnings("ignore:The label is the class with the highest score")
def test_where_no_power_is_the_likeliest_held_out_labels_are_not_known():
    # A fit to nine parts errs near the borders, which labels of the tenth would have told it.
    found = []
    for seed in range(20):
        logits = np.random.default_rng(seed).normal(0, 2, (100, 3))
        found.append(ef.from_scores(logits, logits.argmax(axis=1), interval=None, rng=0).value)
    assert max(found) < 0.03
    assert 0.002 < np.mean(found) < 0.015


def test_under_noise_offsets_are_no_worse_than_guessing():
    rng = np.random.default_rng(0)
    scores, labels = rng.dirichlet(np.ones(3), 40), rng.integers(3, size=40)
    few = {"methods": ["offsets"], "levels": 4, "repeats": 2}
    found = ef.feebee(scores, labels, model_error=0.6, rng=0, **few)
    assert max(found.to_dict()["curves"]["offsets"]) <= 2 / 3 + 1e-9


def test_weights_of_the_classes_leave_the_offsets_floor_as_it_is():
    scores, labels = made(500, 4, np.random.default_rng(12))
    weighted = scores * np.array([1.0, 0.2, 3.0, 0.5])
    floors = []
    for some in (scores, weighted / weighted.sum(axis=1, keepdims=True), np.log(scores)):
        cells = Sample(some, np.arange(500), labels, np.ones(500, dtype=np.int64))
        statistic = OffsetFit.of(cells, Options())
        floors.append(statistic.values(cells.count[None], np.random.default_rng(0))[0])
    assert floors[0] == floors[1] == floors[2]


@pytest.mark.parametrize("family", [TEMPERATURE, VECTOR])
def test_leaving_one_out_of_an_average_is_close_to_fitting_anew(family):
    scores, labels = made(250, 3, np.random.default_rng(13))
    cells = cells_of(scores, labels)
    statistic = PowerFloor(family, cells, Options())
    found = statistic.leave_one_out()
    rng = np.random.default_rng(0)
    some = np.arange(0, len(cells), 10)
    anew = [
        statistic.values((cells.count - (np.arange(len(cells)) == i))[None], rng)[0] for i in some
    ]
    value = statistic.values(cells.count[None], rng)[0]
    assert np.corrcoef(found[some] - value, np.array(anew) - value)[0, 1] > 0.99
    assert found[some] == pytest.approx(anew, abs=3e-4)


def test_one_against_the_rest_equals_scikit_learn():
    isotonic = pytest.importorskip("sklearn.isotonic")
    rng = np.random.default_rng(14)
    scores, labels = made(300, 4, rng)
    scores = np.maximum(np.round(scores, 2), 0.01)
    scores /= scores.sum(axis=1, keepdims=True)
    cells = cells_of(scores, labels)
    theirs = np.column_stack(
        [
            isotonic.IsotonicRegression().fit(scores[:, k], labels == k).predict(scores[:, k])
            for k in range(4)
        ]
    )
    theirs /= theirs.sum(axis=1, keepdims=True)
    ours = OneVsRest(cells, Options()).values(cells.count[None], rng)[0]
    assert ours == pytest.approx(1 - theirs.max(axis=1).mean())
    (method,) = (one for one in MANY if one.name == "ovr-isotonic")
    curve = method.fit(table_of(scores, labels), Options())
    assert curve(scores) == pytest.approx(theirs)
    assert curve.floor == pytest.approx(ours)


def test_top1_and_corrupted_are_plain_means():
    scores, labels = made(200, 3, np.random.default_rng(15))
    table = table_of(scores, labels)
    by_name = {method.name: case_of(method, table).value for method in MANY}
    assert by_name["top1"] == pytest.approx(np.mean(scores.argmax(axis=1) != labels))
    share = scores / scores.sum(axis=1, keepdims=True)
    assert by_name["corrupted"] == pytest.approx(1 - share.max(axis=1).mean())


@pytest.mark.parametrize("method", MANY, ids=lambda method: method.name)
@pytest.mark.parametrize("kind", ["one", "one class", "flat", "tied", "rare", "certain", "many"])
def test_hard_data_have_floors_and_limits_in_range(method, kind):
    rng = np.random.default_rng(16)
    classes = 100 if kind == "many" else 3
    n = 1 if kind == "one" else 60
    scores = np.maximum(rng.dirichlet(np.full(classes, 0.5), n), 1e-6)
    labels = rng.integers(classes, size=n)
    if kind == "one class":
        labels[:] = 1
    if kind == "tied":
        scores[:] = 1 / 3
    if kind == "rare":
        labels = np.where(np.arange(n) == 7, 2, 0)
    if kind == "certain":
        scores = np.eye(3)[labels]
    table = table_of(scores, labels)
    case = case_of(method, table)
    assert 0 <= case.value <= 1
    for interval in ("honest", "certified"):
        low, high = intervals.of(method)[interval].make(case).limits(0.95)
        assert 0 <= low <= high <= 1


def test_a_bootstrap_of_an_average_says_what_it_is_an_interval_of():
    scores, labels = made(200, 3, np.random.default_rng(30))
    options = {"classes": range(3), "method": "temperature", "n_resamples": 50, "rng": 0}
    with pytest.warns(ef.DoubtWarning, match="bca interval is for the average confidence of"):
        found = ef.from_scores(scores, labels, **options)
    assert found.low < found.value < found.high
    assert not ef.from_scores(scores, labels, interval="honest", **options).warnings


# Limits


def test_limits_are_binomial_ones_of_the_errors():
    scores, labels = made(400, 3, np.random.default_rng(17))
    table = table_of(scores, labels)
    (offsets, *_) = MANY
    case = case_of(offsets, table)
    low, high = intervals.of(offsets)["honest"].make(case).limits(0.95)
    items = case.statistic.rules.items
    starts = Rule.of(case.statistic.fitted), Rule.as_it_is(3)
    errors, _ = fewest_errors(items, case.count, starts)
    held_out = 400 * (2 * case.value - case.statistic.own_loss)
    assert low == pytest.approx(lower_limit(errors, 400, 0.025))
    assert high == pytest.approx(upper_limit(held_out, 400, 0.025))
    low, high = intervals.of(offsets)["certified"].make(case).limits(0.95)
    train, test = split(case.count, 2, case.streams.for_("halves"))
    rule = Rule.of(fit_within_reach(OFFSETS, items, train))
    assert low == pytest.approx(lower_limit(needed_errors(items, case.count), 400, 0.025))
    assert high == pytest.approx(upper_limit(errors_of(rule, items, test), test.sum(), 0.025))


@pytest.mark.parametrize(
    ("kind", "classes"), [("prior", 3), ("guess", 10), ("flat", 3), ("flat", 10)]
)
def test_honest_limits_cover_and_the_floor_is_nearly_unbiased(kind, classes):
    n, repeats, rng = 500, 60, np.random.default_rng(19)
    (offsets, *_) = MANY
    held, values, floors = 0, [], []
    for _ in range(repeats):
        scores = np.maximum(rng.dirichlet(np.full(classes, 0.2), n), 1e-9)
        true = scores.copy()
        if kind == "prior":
            true *= np.linspace(0.5, 2, classes)
        if kind == "guess":
            true = 0.8 * true + 0.2 / classes
        if kind == "flat":
            true[:] = 1 / classes
        true /= true.sum(axis=1, keepdims=True)
        case = case_of(offsets, table_of(scores, drawn(true, rng)))
        low, high = intervals.of(offsets)["honest"].make(case).limits(0.95)
        floor = {"prior": PRIOR_FLOOR, "guess": GUESS_FLOOR, "flat": 1 - 1 / classes}[kind]
        held += low <= floor <= min(high, 1 - 1 / classes) + 1e-12
        values.append(case.value)
        floors.append(1 - true.max(axis=1).mean())
    # With 60 repeats, 95 % coverage gives 52 or fewer with a probability of 0.01.
    assert held >= 53
    error = np.std(np.array(values) - floors) / np.sqrt(repeats)
    if kind != "flat":
        assert abs(np.mean(values) - np.mean(floors)) < 0.003 + 3 * error


def _mean_floor(change, classes):
    scores = np.random.default_rng(20).dirichlet(np.full(classes, 0.2), 400_000)
    true = change(scores)
    return float(1 - (true / true.sum(axis=1, keepdims=True)).max(axis=1).mean())


PRIOR_FLOOR = _mean_floor(lambda scores: scores * np.linspace(0.5, 2, 3), 3)
GUESS_FLOOR = _mean_floor(lambda scores: 0.8 * scores + 0.02, 10)


# Maps


@pytest.mark.parametrize("method", [one for one in MANY if one.fit], ids=lambda one: one.name)
def test_maps_give_probabilities_and_refuse_other_shapes(method):
    scores, labels = made(200, 3, np.random.default_rng(21))
    curve = method.fit(table_of(scores, labels), Options())
    found = curve([[0.2, 0.3, 0.5], [0.0, 0.0, 1.0], [3.0, 3.0, 4.0]])
    assert found.shape == (3, 3)
    assert found.sum(axis=1) == pytest.approx(1)
    assert curve.probabilities.shape == (200, 3)
    assert curve.to_dict()["classes"] == ["class 0", "class 1", "class 2"]
    with pytest.raises(InputError, match=r"3 columns, one for each class, got shape \(2,\)"):
        curve([0.2, 0.8])
    with pytest.raises(InputError, match=r"at least 0, as in the fit: row 1 has -1.0 for class"):
        curve([[0.2, 0.3, 0.5], [0.2, -1.0, 0.5]])


def test_the_offsets_map_is_the_fitted_power_times_the_weights():
    scores, labels = made(300, 3, np.random.default_rng(22))
    (offsets, *_) = MANY
    curve = offsets.fit(table_of(scores, labels), Options())
    power, weight = curve.parameters["power"], curve.parameters["weight"]
    raised = np.maximum(scores, curve.parameters["least"] * scores.max(axis=1, keepdims=True))
    by_hand = raised**power * weight
    by_hand /= by_hand.sum(axis=1, keepdims=True)
    assert curve(scores) == pytest.approx(by_hand)
    # Logits have the same map.
    other = offsets.fit(table_of(np.log(scores), labels), Options())
    assert other(np.log(scores) + 3) == pytest.approx(by_hand)


# FeeBee


def test_labels_are_redrawn_among_all_classes_and_rows_keep_their_items():
    rng = np.random.default_rng(24)
    count = rng.integers(0, 5, (40, 3))
    count[0] = [500, 100, 0]  # many items of a row are drawn at once
    count = count.ravel()
    noise = np.repeat([0.0, 0.3, 1.0], 400)
    found = redraw_classes(count, 3, noise, rng)
    assert (found[:400] == count).all()
    rows = found.reshape(noise.size, -1, 3)
    assert (rows.sum(axis=2) == count.reshape(-1, 3).sum(axis=1)).all()
    for part, one in ((slice(400, 800), 0.3), (slice(800, 1200), 1.0)):
        mean = expected_classes(count, 3, one)
        spread = found[part].std(axis=0) / np.sqrt(400) + 1e-9
        # 240 means, each at most 4.5 standard errors off with a probability of 1 - 7e-6.
        assert (np.abs(found[part].mean(axis=0) - mean) < 4.5 * spread + 1e-9).all()


def test_counting_follows_the_noise_line_and_averages_of_confidences_do_not():
    scores, labels = made(1500, 4, np.random.default_rng(25), concentration=0.2)
    scores = np.sqrt(scores) / np.sqrt(scores).sum(axis=1, keepdims=True)
    model = float(np.mean(scores.argmax(axis=1) != labels))
    options = {"levels": 6, "repeats": 3, "rng": 0, "classes": range(4)}
    names = ["offsets", "corrupted", "top1"]
    found = ef.feebee(scores, labels, model_error=model, methods=names, **options)
    assert found.classes == 4
    least, most = found.bounds
    assert least == pytest.approx(0.75 * found.noise)
    assert most == pytest.approx(0.75 * found.noise + (1 - found.noise) * model)
    oracle = found.estimates["oracle"]
    share = oracle[:, 0].mean()
    line = least + (1 - found.noise) * share
    # The spread of a share of n labels, with three repeats at each of five levels.
    assert np.abs(oracle.mean(axis=0) - line).max() < 4 * np.sqrt(0.25 / 1500 / 3)
    for name in ("offsets", "top1"):
        own = least + (1 - found.noise) * found.estimates[name][:, 0].mean()
        assert np.abs(found.estimates[name].mean(axis=0) - own).mean() < 0.012
    assert found["corrupted"].score > 0.1
    assert found["offsets"].score < 0.012
    # A user's own function gets tables of four classes.
    own = {"top": lambda table: float(1 - table.counts.max(axis=1).sum() / table.n)}
    assert ef.feebee(scores, labels, model_error=model, methods=own, **options)["top"].score > 0.1


def test_a_models_error_may_be_as_large_as_that_of_guessing():
    scores, labels = made(60, 4, np.random.default_rng(26))
    with pytest.raises(InputError, match=r"must lie in \[0, 0.75\], got 0.8"):
        ef.feebee(scores, labels, classes=range(4), model_error=0.8)
    found = ef.feebee(
        scores, labels, classes=range(4), model_error=0.7, methods=["top1"], levels=2, repeats=1
    )
    assert found["top1"].standard_error is None


# Reliability


def test_reliability_shows_the_top_label_and_each_class_against_the_rest():
    scores, labels = made(600, 3, np.random.default_rng(27))
    names = np.array(["cat", "dog", "owl"])
    found = ef.reliability(scores, names[labels], classes=list(names))
    share = scores / scores.sum(axis=1, keepdims=True)
    assert found.classes == ("cat", "dog", "owl")
    assert found.top.positives.sum() == np.sum(share.argmax(axis=1) == labels)
    assert (found.n, found.level, found.method) == (600, 0.95, "isotonic")
    for k, name in enumerate(names):
        two = ef.reliability(share[:, k], labels == k)
        for part in ("scores", "probabilities", "low", "high", "negatives"):
            ours, theirs = (getattr(curve, part) for curve in (found[name], two))
            assert ours == pytest.approx(theirs, abs=1e-12)
    logits = ef.reliability(np.log(scores), names[labels], classes=list(names), method="hist-5")
    assert logits.top.method == "hist-5"
    assert logits.top.scores == pytest.approx(found.top.scores)
    assert found.to_dict()["by_class"]["dog"]["n"] == 600
    with pytest.raises(InputError, match="`method` isotonic-cf corrects an estimate"):
        ef.reliability(scores, labels, classes=range(3), method="isotonic-cf")
    with pytest.raises(InputError, match="`method` offsets is for other data"):
        ef.reliability(scores, labels, classes=range(3), method="offsets")


def test_tied_top_labels_count_for_the_first_class():
    counts = np.array([[2, 5, 0], [1, 0, 3]])
    table = ScoreTable([[0.2, 0.4, 0.4], [0.4, 0.4, 0.2]], counts)
    top = top_label(table)
    assert top.scores.tolist() == [0.4]
    assert (top.negatives.tolist(), top.positives.tolist()) == ([5], [6])


def test_the_picture_has_a_panel_for_the_top_label_and_for_each_class():
    figure = pytest.importorskip("matplotlib.figure")
    scores, labels = made(300, 3, np.random.default_rng(28))
    found = ef.reliability(scores, labels, classes=range(3))
    axes = ef.plot.class_reliability(found)
    titles = [ax.get_title(loc="left") for ax in axes]
    count = np.bincount(labels, minlength=3)
    assert titles[1:] == [f"{k}: {count[k]}" for k in range(3)]
    assert titles[0] == f"top label: {found.top.positives.sum()}"
    line = axes[2].lines[-1]
    assert line.get_ydata() == pytest.approx(100 * found["1"].probabilities)
    axes[0].figure.clear()
    own = figure.Figure().subplots(2)
    assert ef.plot.class_reliability(found, ["2"], axes=own) == list(own)
    with pytest.raises(ValueError, match="`axes` must be 4 axes, one a panel, got 2"):
        ef.plot.class_reliability(found, axes=own)
    with pytest.raises(ValueError, match="class_reliability draws many classes"):
        ef.plot.reliability(found)
    many = made(400, 20, np.random.default_rng(29))
    assert len(ef.plot.class_reliability(ef.reliability(*many, classes=range(20)))) == 12
