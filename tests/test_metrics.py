"""Best values of metrics of known probabilities, against drawn labels and slow, obvious code."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from questions import GIVEN
from sklearn import metrics as reference

import errorfloor as ef
from errorfloor import metrics
from errorfloor.metrics.choice import MetricChoice, metric_given
from errorfloor.metrics.ranking import auc_discriminant
from errorfloor.metrics.selective import moved_selective
from errorfloor.metrics.two_by_two import forms_of

SETTINGS = {name: {} for name in metrics.names()} | {"cost": {"costs": (1, 5)}} | GIVEN


def best(name, p, weights=None, **given):
    p = np.asarray(p, dtype=float)
    weights = np.ones(len(p)) if weights is None else np.asarray(weights)
    metric = MetricChoice(name, **{**SETTINGS[name], **given}).of(2 if p.ndim == 1 else p.shape[1])
    return metric.best(p, weights)


def test_names_are_understood_as_people_write_them():
    assert [MetricChoice(name).metric for name in ("AUC", "Log_Loss")] == ["auc", "log-loss"]


def of_the_oracle(name, p, y):
    """Return the metric of a model that knows the probabilities, on drawn labels."""
    theta = y.mean()
    if name == "error":
        return np.mean((p > 0.5) != y)
    if name == "balanced-error":
        return 1 - reference.balanced_accuracy_score(y, p > p.mean())
    if name == "cost":
        named = p > 1 / 6
        return np.mean(np.where(y == 1, 5 * ~named, named))
    if name in {"f1", "mcc"}:
        above = np.cumsum(y[np.argsort(-p)])
        k = np.arange(1, y.size + 1)
        if name == "f1":
            return np.max(2 * above / (k + y.sum()))
        share = k[:-1] / y.size
        spread = np.sqrt(share * (1 - share) * theta * (1 - theta))
        return np.max((above[:-1] / y.size - share * theta) / spread)
    if name in {"error-at-coverage", "coverage-at-error"}:
        order = np.argsort(np.minimum(p, 1 - p))
        rate = np.cumsum((p > 0.5)[order] != y[order]) / np.arange(1, y.size + 1)
        return rate[int(0.7 * y.size) - 1] if name[0] == "e" else np.mean(rate <= 0.1)
    scored = {
        "brier": reference.brier_score_loss,
        "log-loss": reference.log_loss,
        "auc": reference.roc_auc_score,
        "average-precision": reference.average_precision_score,
    }
    assert name in scored, f"say here what a model that knows the probabilities has of {name}"
    return scored[name](y, p)


@pytest.mark.parametrize("name", sorted(SETTINGS))
def test_a_model_that_knows_the_probabilities_reaches_the_best_value(name):
    rng = np.random.default_rng(7)
    n = 400_000
    p = rng.beta(0.6, 1.8, n)
    y = rng.random(n) < p
    # Standard errors of all these are at most 0.9 / sqrt(n) but for the cost's, at most 2.5; five
    # of them, and half a hundredth of a per cent for maxima over thresholds.
    assert of_the_oracle(name, p, y) == pytest.approx(best(name, p), abs=5 * 2.5 / n**0.5 / 2)


def slow_pairs(p):
    products = p[:, None] * (1 - p)
    theta = p.mean()
    return 1 - np.minimum(products, products.T).mean() / (2 * theta * (1 - theta))


@given(arrays(float, st.integers(2, 30), elements=st.floats(0.01, 0.99)))
def test_auc_is_the_mean_over_all_pairs(p):
    assert best("auc", p) == pytest.approx(slow_pairs(p), abs=1e-12)


@given(arrays(float, st.integers(2, 30), elements=st.floats(0.01, 0.99)), st.floats(0.05, 0.95))
def test_the_min_and_max_forms_agree_where_the_prior_is_the_mean(p, prior):
    for name in ("auc", "balanced-error"):
        assert best(name, p, prior=p.mean()) == pytest.approx(best(name, p), abs=1e-9)
        moved = best(name, p, prior=prior), best(name, p, prior=(1 - prior, prior))
        assert moved[0] == pytest.approx(moved[1], abs=1e-12)


@pytest.mark.parametrize("name", sorted(SETTINGS))
@given(p=arrays(float, st.integers(2, 20), elements=st.floats(0.01, 0.99)), data=st.data())
def test_repeats_order_and_weights_are_the_same_thing(name, p, data):
    counts = data.draw(arrays(int, p.size, elements=st.integers(1, 4)))
    order = data.draw(st.permutations(range(p.size)))
    repeated = np.repeat(p, counts)
    weighted = best(name, p[order], 0.5 * counts[order])
    assert weighted == pytest.approx(best(name, repeated), abs=1e-9)
    low, high = MetricChoice(name, **SETTINGS[name]).of(2).span(2)
    assert low - 1e-12 <= weighted <= high + 1e-12


@given(arrays(float, st.integers(2, 20), elements=st.floats(0.01, 0.99)))
def test_two_classes_in_two_columns_are_the_same_but_for_briers_half(p):
    both = np.column_stack((1 - p, p))
    for name in sorted(SETTINGS):
        if metrics.named(name).two_only:
            continue
        half = 0.5 if name == "brier" else 1.0
        assert half * best(name, both) == pytest.approx(best(name, p), abs=1e-9)


def test_many_classes_against_hand_worked_values():
    p = np.array([[0.5, 0.5, 0.0], [0.0, 0.5, 0.5], [1.0, 0.0, 0.0]])
    assert best("error", p) == pytest.approx(1 / 3)
    # Shares 1/2, 1/3, 1/6: p / share is (1, 1.5, 0), (0, 1.5, 3), (2, 0, 0), the largest divided
    # by three classes.
    assert best("balanced-error", p) == pytest.approx(1 - (1.5 + 3 + 2) / 3 / 3)
    assert best("brier", p) == pytest.approx((0.5 + 0.5 + 0) / 3)
    assert best("log-loss", p) == pytest.approx(2 / 3 * np.log(2))
    costs = np.array([[0, 1, 4], [2, 0, 1], [1, 3, 0]])
    assert best("cost", p, costs=costs) == pytest.approx((0.5 + 0.5 + 0) / 3)
    uniform = np.ones((3, 3)) - np.eye(3)
    assert MetricChoice("cost", costs=uniform).of(3).span(3) == pytest.approx((0, 2 / 3))


def test_the_largest_cost_is_that_of_the_worst_probabilities():
    costs = np.array([[0, 1, 4], [2, 0, 1], [1, 3, 0]])
    draws = np.random.default_rng(0).dirichlet(np.ones(3), 200_000)
    metric = MetricChoice("cost", costs=costs).of(3)
    assert metric.per_item(draws).max() == pytest.approx(metric.span(3)[1], abs=0.01)
    assert metric.per_item(draws).max() <= metric.span(3)[1] + 1e-12


def test_atoms_are_worked_out_by_hand():
    # Half the items at 0.8 and half at 0.2: the upper half has precision 0.8, then it falls to 1/2.
    two = [0.2, 0.8]
    assert best("auc", two) == pytest.approx(0.8 * 0.8 + 0.5 * 2 * 0.8 * 0.2)
    lower = 0.2 * (0.2 * 0.5 + (0.4 - 0.2 * 0.5) * np.log(2))
    assert best("average-precision", two) == pytest.approx((0.8 * 0.4 + lower) / 0.5)
    assert best("f1", two) == pytest.approx(0.8)
    assert best("mcc", two) == pytest.approx(0.6)
    assert best("error-at-coverage", [0.0, 0.5], at=0.75) == pytest.approx(0.125 / 0.75)
    assert best("coverage-at-error", [0.0, 0.5], at=0.125 / 0.75) == pytest.approx(0.75)
    assert best("coverage-at-error", [0.3, 0.5], at=0.1) == 0
    assert best("mcc", [0.3, 0.3]) == 0
    assert best("auc", [0.3, 0.3]) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"metric": "aucc"}, r"`metric` must be one of error, .*Did you mean auc"),
        ({"metric": 3}, r"`metric` must be one of error"),
        ({"metric": "cost"}, r"`metric='cost'` needs `costs`: .* such as `costs=\(1, 5\)`"),
        ({"metric": "error-at-coverage"}, r"needs `at`: .* such as `at=0.8`, .* such as 0.02"),
        ({"metric": "error", "costs": (1, 2)}, r"`costs` needs `metric='cost'`"),
        ({"metric": "f1", "prior": 0.2}, r"`prior` goes with .*balanced-error and auc"),
        ({"metric": "error-at-coverage", "at": 80}, r"Did you mean 0.8"),
        ({"metric": "coverage-at-error", "at": -0.1}, r"`at` must be an error"),
    ],
)
def test_what_does_not_fit_a_metric_is_refused(asked, says):
    with pytest.raises(ef.InputError, match=says):
        MetricChoice(**asked)


@pytest.mark.parametrize(
    ("asked", "classes", "says"),
    [
        ({"metric": "auc"}, 3, r"is for two classes, and the labels are of 3"),
        ({"metric": "cost", "costs": (1, 2)}, 3, r"a matrix of 3 rows"),
        ({"metric": "cost", "costs": (1, -2)}, 2, r"at least 0"),
        ({"metric": "cost", "costs": [[1, 1], [1, 0]]}, 2, r"must be 0 where"),
        ({"metric": "cost", "costs": (0, 1)}, 2, r"no error on class number 0"),
        ({"metric": "auc", "prior": 1.0}, 2, r"add up to 1"),
        ({"metric": "auc", "prior": [0.5, 0.2, 0.3]}, 2, r"a share for each of the 2"),
    ],
)
def test_what_does_not_fit_the_classes_is_refused(asked, classes, says):
    with pytest.raises(ef.InputError, match=says):
        MetricChoice(**asked).of(classes)


def test_how_often_items_occur_does_not_move_which_form_is_steadier():
    rng = np.random.default_rng(3)
    p, weights = rng.dirichlet(np.ones(3), 40), rng.integers(1, 9, 40)
    one, other = (forms_of(p, times * weights, p.mean(axis=0)) for times in (1, 10))
    assert one.discriminant == pytest.approx(other.discriminant)
    covariance = np.cov(
        (p / p.mean(axis=0) / 3).sum(axis=1),
        (p / p.mean(axis=0) / 3).max(axis=1) - (p / p.mean(axis=0) / 3).sum(axis=1) / 2,
        fweights=weights, bias=True,
    )  # fmt: skip
    assert np.sign(one.discriminant) == np.sign(covariance[0, 1])


# What is asked for


@pytest.mark.parametrize(
    ("asked", "classes", "given"),
    [
        ({"metric": "cost", "costs": (1, 5)}, 2, {"costs": [[0, 1], [5, 0]]}),
        ({"metric": "cost", "costs": [[0, 2], [3, 0]]}, 2, {"costs": [[0, 2], [3, 0]]}),
        ({"metric": "auc", "prior": 0.25}, 2, {"prior": [0.75, 0.25]}),
        ({"metric": "auc", "prior": (0.4, 0.6)}, 2, {"prior": [0.4, 0.6]}),
        ({"metric": "balanced-error", "prior": (0.5, 0.2, 0.3)}, 3, {"prior": [0.5, 0.2, 0.3]}),
        ({"metric": "error-at-coverage", "at": 1}, 2, {"at": 1.0}),
        ({"metric": "coverage-at-error", "at": 0}, 2, {"at": 0.0}),
        ({"metric": "auc"}, 2, {}),
    ],
)
def test_what_is_given_is_kept_as_plain_numbers(asked, classes, given):
    metric = MetricChoice(**asked).of(classes)
    assert metric.given == given
    assert all(type(value) in (list, float) for value in metric.given.values())


@pytest.mark.parametrize(
    ("name", "at", "says"),
    [
        ("error-at-coverage", 0, "must be a share of the items, .* got 0\\.$"),
        ("error-at-coverage", 1.5, "Did you mean 0.015"),
        ("error-at-coverage", 100, "Did you mean 1\\?"),
        ("error-at-coverage", 101, "got 101\\.$"),
        ("error-at-coverage", True, "got True"),
        ("error-at-coverage", "0.5", "must be a share"),
        ("coverage-at-error", "none", "must be an error"),
        ("coverage-at-error", False, "must be an error"),
        ("coverage-at-error", 1, "must be an error, .* got 1\\.$"),
        ("coverage-at-error", 2, "Did you mean 0.02"),
        ("coverage-at-error", float("nan"), "must be an error"),
    ],
)
def test_coverages_and_errors_are_shares(name, at, says):
    with pytest.raises(ef.InputError, match=says):
        MetricChoice(name, at=at)


@pytest.mark.parametrize(
    ("asked", "classes", "says"),
    [
        ({"metric": "cost", "costs": (1, 2, 3)}, 2, r"a pair .* or a matrix of 2 rows.*\(3,\)"),
        ({"metric": "cost", "costs": (1, float("inf"))}, 2, r"finite numbers of at least 0"),
        (
            {"metric": "cost", "costs": [[0, 1, 1], [0, 0, 0], [1, 1, 0]]},
            3,
            r"class number 1 costs",
        ),
        ({"metric": "balanced-error", "prior": 0.2}, 3, r"must be a share for each of the 3"),
        ({"metric": "auc", "prior": [0.5, 0.2]}, 2, r"must be shares above 0 that add up to 1"),
        ({"metric": "auc", "prior": [1.2, -0.2]}, 2, r"must be shares above 0 that add up to 1"),
        ({"metric": "auc", "prior": "half"}, 2, r"`prior`"),
    ],
)
def test_costs_and_shares_have_a_number_for_each_class(asked, classes, says):
    with pytest.raises(ef.InputError, match=says):
        MetricChoice(**asked).of(classes)


def test_shares_that_are_off_by_rounding_add_up_to_one():
    rounded = MetricChoice("auc", prior=(0.3000005, 0.7)).of(2)
    assert sum(rounded.given["prior"]) == 1
    with pytest.raises(ef.InputError, match="add up to 1"):
        MetricChoice("auc", prior=(0.300002, 0.7)).of(2)


def test_a_result_can_be_asked_again_from_what_it_keeps():
    asked = MetricChoice("cost", costs=(1, 5))
    assert asked.kept() == {"costs": [1.0, 5.0]}
    again = metric_given("cost", {**asked.kept(), "clip": "auto"}, 2)
    assert again.given == asked.of(2).given
    assert MetricChoice("auc").kept() == {}


# What metrics are


def test_spans_are_the_best_values_of_certain_and_of_hopeless_items():
    for classes in (2, 3, 5):
        even = np.full((1, classes), 1 / classes) if classes > 2 else np.array([0.5])
        for name in ("error", "balanced-error", "brier", "log-loss"):
            metric = MetricChoice(name).of(classes)
            assert metric.span(classes) == pytest.approx((0, metric.best(even, np.ones(1))))
    for name, at in (("error-at-coverage", 0.7), ("coverage-at-error", 0.1)):
        assert MetricChoice(name, at=at).of(2).span(2) == ((0, 0.5) if at == 0.7 else (0, 1))
    assert [MetricChoice(name).of(2).span(2)[0] for name in ("auc", "f1", "mcc")] == [0.5, 0, 0]
    assert MetricChoice("cost", costs=(1, 3)).of(2).span(2) == pytest.approx((0, 0.75))


def test_values_are_shown_as_people_like_them_and_gaps_are_positive_where_worse():
    error, auc = metrics.named("error"), metrics.named("auc")
    assert (error.shown(0.2), auc.shown(0.2)) == (0.8, 0.2)
    assert (error.gap(0.3, 0.1), auc.gap(0.7, 0.9)) == (pytest.approx(0.2), pytest.approx(0.2))
    assert (error.words, auc.words) == ("error", "AUC")
    assert [metrics.named(name).per_cent for name in ("error", "auc", "log-loss")] == [
        True, False, False,
    ]  # fmt: skip
    assert (error.is_mean, auc.is_mean) == (True, False)
    with pytest.raises(TypeError, match="no mean over items"):
        auc.per_item(np.array([0.5]))
    assert hash(MetricChoice("cost", costs=(1, 2)).of(2)) != hash(error)


@pytest.mark.parametrize(("p", "sure"), [([0.0, 0.0], 0), ([1.0, 1.0], 1)])
def test_the_class_that_all_items_are_of_is_named(p, sure):
    for name in ("auc", "average-precision", "mcc"):
        with pytest.raises(ef.InputError, match=f"every item is surely of class {sure}"):
            best(name, p)


def test_f1_of_items_that_are_all_of_class_1_is_1():
    assert best("f1", [1.0, 1.0]) == 1
    with pytest.raises(ef.InputError, match="F1 needs items of both classes"):
        best("f1", [0.0, 0.0])


def test_a_class_that_no_item_may_have_is_named_by_number():
    with pytest.raises(ef.InputError, match="class number 2 has a probability of 0"):
        best("balanced-error", [[0.5, 0.5, 0.0], [1.0, 0.0, 0.0]])


def test_the_form_that_varies_less_is_that_of_the_items_and_has_its_bounds():
    p, prior = np.array([0.1, 0.5, 0.9]), np.array([0.8, 0.2])
    count = np.array([5, 2, 1])
    found = MetricChoice("balanced-error", prior=tuple(prior)).of(2).on(p, count)
    q = np.column_stack(((1 - p) / 0.8, p / 0.2)) / 2
    largest, total = q.max(axis=1), q.sum(axis=1)
    forms = total - largest, 1 - largest
    for one in (count, np.array([1, 0, 0]), np.array([0, 3, 4]), np.array([1, 1, 9])):
        share = one / one.sum()
        sign = share @ ((total - 1) * (largest - total / 2))
        assert found.varies_least(one) == int(sign < 0)
    assert found.varies_least(np.zeros(3, dtype=np.int64)) == 0
    assert found.numbers == pytest.approx(forms[found.varies_least(count)])
    lows, highs = found.bounds
    # The largest of both weighted probabilities is between 1/2 and 1 / (2 * 0.2).
    assert lows == pytest.approx([0, 1 - 2.5])
    assert highs == pytest.approx([0.5, 0.5])
    many = MetricChoice("balanced-error", prior=(0.5, 0.25, 0.25)).of(3)
    draws = np.random.default_rng(0).dirichlet(np.full(3, 0.2), 4000)
    on = many.on(draws, np.ones(4000, dtype=np.int64))
    lows, highs = on.bounds
    assert lows == pytest.approx([0, 1 - 4 / 3])
    assert highs == pytest.approx([2 / 3 * 4 / 3, 2 / 3])
    q = draws / np.array([0.5, 0.25, 0.25]) / 3
    for form, numbers in enumerate((q.sum(axis=1) - q.max(axis=1), 1 - q.max(axis=1))):
        assert lows[form] - 1e-9 <= numbers.min() <= lows[form] + 0.01 + form * 0.01
        assert numbers.max() <= highs[form] + 1e-9


@pytest.mark.parametrize("theta", [0.2, 0.5, 0.9])
def test_which_form_of_auc_varies_less_is_a_mean_over_pairs(theta):
    rng = np.random.default_rng(0)
    p, share = np.sort(rng.random(7)), rng.dirichlet(np.ones(7))
    pairs = sum(
        share[i] * share[j] * (p[i] - theta) * abs(p[i] - p[j]) for i in range(7) for j in range(7)
    )
    assert auc_discriminant(p, share, theta) == pytest.approx((1 - 2 * theta) * pairs, abs=1e-15)


def test_selective_values_move_as_far_as_the_least_errors_of_all_items_can():
    def total(p, counts):
        return float(counts @ np.minimum(p, 1 - p))

    p, lows, highs = np.array([[0.12, 0.35, 0.8], [0.1, 0.3, 0.7], [0.2, 0.6, 0.95]])
    counts = np.array([1, 2, 3])
    here = 0.12 + 2 * 0.35 + 3 * 0.2
    least, most = 0.1 + 2 * 0.3 + 3 * 0.05, 0.2 + 2 * 0.5 + 3 * 0.3
    moved = moved_selective(total)
    assert moved(p, lows, highs, counts) == pytest.approx(max(here - least, most - here))
    p = np.array([0.2, 0.5, 0.7])  # as far up as can be
    assert moved(p, lows, highs, counts) == pytest.approx(most - least)
