"""Calibration maps against the reference stack, general optimisers and known values."""

import dataclasses
import pickle
import warnings

import numpy as np
import pytest
from betacal import BetaCalibration
from hypothesis import given
from hypothesis import strategies as st
from needs import needs_data
from scipy.optimize import minimize
from sklearn.isotonic import IsotonicRegression
from strategies import labelled_scores, score_tables

import errorfloor as ef
from benchmarks import realdata, reference
from errorfloor import methods
from errorfloor.methods.logistic import LogisticModel
from errorfloor.methods.record import Options
from errorfloor.metrics import ERROR

EPS = np.finfo(float).eps
BETA = {"beta": "abm", "beta-am": "am", "beta-ab": "ab", "beta-a": "a"}  # betacal's names


def tied_sets(count=12):
    """Random sets with heavy ties, exact zeros and ones among them."""
    rng = np.random.default_rng(7)
    for _ in range(count):
        n, steps = int(rng.integers(20, 400)), int(rng.integers(3, 60))
        scores = rng.integers(0, steps + 1, n) / steps
        labels = rng.random(n) < 0.1 + 0.8 * scores**2
        labels[:2] = False, True
        yield scores, labels


def real_sets():
    return [pytest.param(name, marks=needs_data) for name in realdata.SETS]


def pairs():
    return [pytest.param(pair, id=f"tied-{i}") for i, pair in enumerate(tied_sets())]


def assert_agrees(method, scores, labels, tolerance, **options):
    curve = ef.calibrate(scores, labels, method=method, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the reference divides by zero here and there
        expected = reference.CALIBRATORS[method](scores, labels.astype(float))
    np.testing.assert_allclose(curve(scores), expected, rtol=0, atol=tolerance)
    np.testing.assert_allclose(
        curve.floor, np.minimum(expected, 1 - expected).mean(), atol=tolerance
    )


TOLERANCES = {"isotonic": 1e-12, **{f"hist-{k}": 1e-12 for k in (10, 25, 50, 100)}, "platt": 1e-5}


@pytest.mark.parametrize("method", TOLERANCES)
@pytest.mark.parametrize("pair", pairs())
def test_maps_agree_with_the_reference_on_tied_data(method, pair):
    assert_agrees(method, *pair, TOLERANCES[method])


@pytest.mark.parametrize("method", TOLERANCES)
@pytest.mark.parametrize("name", real_sets())
def test_maps_agree_with_the_reference_on_real_data(method, name):
    assert_agrees(method, *realdata.load(name), TOLERANCES[method])


# The beta family. betacal's models written out as features of a logistic regression; the general
# optimiser is BFGS on well-scaled features, polished by Newton's method with numerical care.
def beta_features(method, s):
    log, log_rest = np.log(s), np.log(1 - s)
    return {
        "beta": np.column_stack([np.ones_like(s), log, -log_rest]),
        "beta-am": np.column_stack([np.ones_like(s), log - log_rest]),
        "beta-ab": np.column_stack([np.log(2 * s), -np.log(2 * (1 - s))]),
        "beta-a": (log - log_rest)[:, None],
    }[method]


def log_likelihood(z, labels):
    return -np.logaddexp(0, np.where(labels, -z, z)).sum()


def tight_fit(features, labels):
    """Return the fitted log-odds of a general optimiser, run to convergence."""
    scale = np.abs(features).max(axis=0)
    x = features / scale

    def loss(beta):
        z = x @ beta
        prob = 1 / (1 + np.exp(-z))
        return -log_likelihood(z, labels) / len(z), x.T @ (prob - labels) / len(z)

    def hessian(beta):
        prob = 1 / (1 + np.exp(-x @ beta))
        return x.T @ ((prob * (1 - prob))[:, None] * x) / len(prob)

    start = minimize(loss, np.zeros(x.shape[1]), jac=True, method="BFGS").x
    best = minimize(
        loss, start, jac=True, hess=hessian, method="trust-exact", options={"gtol": 1e-13}
    ).x
    return x @ best, best / scale


def tight_beta_floor(method, scores, labels):
    """Return the floor of betacal's model at its exact maximum of likelihood, refit included."""
    s = np.clip(scores, EPS, 1 - EPS)
    features = beta_features(method, s)
    with np.errstate(over="ignore"):
        z, coefficients = tight_fit(features, labels)
        if method == "beta" and coefficients[1] < 0:
            z, _ = tight_fit(features[:, [0, 2]], labels)
        elif method == "beta" and coefficients[2] < 0:
            z, _ = tight_fit(features[:, [0, 1]], labels)
        prob = 1 / (1 + np.exp(-z))
    return np.minimum(prob, 1 - prob).mean()


@pytest.mark.parametrize("method", BETA)
@pytest.mark.parametrize("pair", pairs())
def test_the_beta_family_is_at_its_maximum_of_likelihood_on_tied_data(method, pair):
    ours = ef.calibrate(*pair, method=method, clip=EPS).floor
    assert ours == pytest.approx(tight_beta_floor(method, *pair), abs=1e-7)


@pytest.mark.parametrize("method", BETA)
@pytest.mark.parametrize("name", real_sets())
def test_the_beta_family_is_at_its_maximum_of_likelihood_on_real_data(method, name):
    pair = realdata.load(name)
    ours = ef.calibrate(*pair, method=method, clip=EPS).floor
    assert ours == pytest.approx(tight_beta_floor(method, *pair), abs=1e-7)


def assert_likelihood_not_below_betacal(method, scores, labels):
    # In log-odds, because probabilities next to 1 have lost the digits that differ.
    s = np.clip(scores, EPS, 1 - EPS)
    a, b, c = ef.calibrate(scores, labels, method=method, clip=EPS).parameters.values()
    ours = log_likelihood(a * np.log(s) - b * np.log(1 - s) + c, labels)
    with warnings.catch_warnings():
        model = BetaCalibration(BETA[method]).fit(scores, labels.astype(float)).calibrator_
    a, b, _ = model.map_
    betacal = log_likelihood(a * np.log(s) - b * np.log(1 - s) + intercept(model), labels)
    assert ours >= betacal - 1e-9


def intercept(model):
    a, b, m = model.map_
    return (a - b) * np.log(2) if m == 0.5 else np.ravel(model.lr_.intercept_)[0]


@pytest.mark.parametrize("method", BETA)
@pytest.mark.parametrize("pair", pairs())
def test_our_likelihood_is_never_below_betacals_on_tied_data(method, pair):
    assert_likelihood_not_below_betacal(method, *pair)


@pytest.mark.parametrize("method", BETA)
@pytest.mark.parametrize("name", real_sets())
def test_our_likelihood_is_never_below_betacals_on_real_data(method, name):
    assert_likelihood_not_below_betacal(method, *realdata.load(name))


def test_each_beta_variant_is_its_own_model(rng):
    scores = rng.random(500)
    labels = rng.random(500) < scores**2
    curves = {method: ef.calibrate(scores, labels, method=method) for method in BETA}
    assert len({round(curve.floor, 9) for curve in curves.values()}) == 4
    a, b, c = (curves["beta-am"].parameters[name] for name in "abc")
    assert a == b
    assert c != 0
    a, b, c = (curves["beta-ab"].parameters[name] for name in "abc")
    assert c == pytest.approx((a - b) * np.log(2))  # the map sends 1/2 to 1/2
    assert curves["beta-ab"]([0.5])[0] == pytest.approx(0.5)
    a, b, c = (curves["beta-a"].parameters[name] for name in "abc")
    assert (a, c) == (b, 0)


def test_beta_parameters_are_those_of_its_formula(rng):
    scores = rng.uniform(0.05, 0.95, 300)
    labels = rng.random(300) < scores
    for method in BETA:
        curve = ef.calibrate(scores, labels, method=method)
        a, b, c = (curve.parameters[name] for name in "abc")
        log_odds = a * np.log(scores) - b * np.log(1 - scores) + c
        np.testing.assert_allclose(curve(scores), 1 / (1 + np.exp(-log_odds)), rtol=1e-10)


def test_platt_parameters_are_slope_and_intercept(rng):
    scores = rng.normal(size=300)
    labels = rng.random(300) < 1 / (1 + np.exp(-scores))
    slope, intercept = ef.calibrate(scores, labels, method="platt").parameters.values()
    curve = ef.calibrate(scores, labels, method="platt")
    np.testing.assert_allclose(curve(scores), 1 / (1 + np.exp(-slope * scores - intercept)))
    prob = 1 / (1 + np.exp(-scores))
    on_odds = ef.calibrate(prob, labels, method="platt-logit")
    np.testing.assert_allclose(on_odds(prob), curve(scores), rtol=1e-9)  # the same model


def test_beta_refits_without_a_part_that_falls():
    # Only scores far from 1 tell the classes apart, the wrong way round: betacal drops log(s).
    rng = np.random.default_rng(3)
    scores = rng.random(400)
    labels = rng.random(400) < np.where(scores < 0.5, 0.6 - 0.8 * scores, scores)
    curve = ef.calibrate(scores, labels, method="beta")
    assert curve.parameters["a"] == 0
    assert curve.parameters["b"] > 0
    swapped = ef.calibrate(1 - scores, ~labels, method="beta")
    assert swapped.parameters["b"] == 0
    assert swapped.floor == pytest.approx(curve.floor, abs=1e-9)


def test_automatic_clipping_is_half_the_smallest_distance_from_the_ends():
    def automatic(scores):
        return Options().distance(np.unique(scores))

    assert automatic([0.0, 0.2, 0.5, 1.0]) == pytest.approx(0.1)
    assert automatic([0.0, 0.2, 0.98]) == pytest.approx(0.01)
    assert automatic([0.0, 1.0]) == 0.25
    # without exact zeros and ones it clips nothing
    design = LogisticModel("beta", ("one", "log", "log_rest"), automatic([0.2, 0.7])).design(
        np.array([0.2, 0.7])
    )
    np.testing.assert_allclose(design[:, 1], np.log([0.2, 0.7]))


@pytest.mark.parametrize("clip", [0, 0.5, -0.1, 1, np.nan, np.inf, True, "none", None, [0.1]])
def test_a_clip_that_is_no_distance_from_the_ends_is_refused(clip):
    with pytest.raises(ValueError, match=r'`clip` must be "auto" or a number between 0 and 0\.5'):
        Options(clip)
    with pytest.raises(ValueError, match="`clip` must be"):
        ef.calibrate([0.1, 0.9], [0, 1], method="beta", clip=clip)


@pytest.mark.parametrize("clip", [1e-300, 0.01, np.float32(0.25), np.nextafter(0.5, 0)])
def test_a_clip_inside_the_ends_is_the_distance_that_is_kept(clip):
    assert Options(clip).distance(np.array([0.0, 0.3])) == float(clip)


def hist_resolution(table, bins):
    """Share of the items in merged rows that hold both the last item of a bin and the next."""
    row = np.repeat(np.arange(len(table)), table.items)
    ends = np.cumsum([len(part) for part in np.array_split(row, min(bins, table.n))])[:-1]
    divided = {row[end] for end in ends if row[end - 1] == row[end]}
    return sum(table.items[i] for i in divided if table.coarse[i]) / table.n


def test_the_resolution_of_hist_is_the_share_of_items_in_merged_rows_that_bins_divide():
    # Four rows of three items; the second and the third stand for ranges.
    edges = {"lows": [0.1, 0.2, 0.4, 0.7], "highs": [0.1, 0.3, 0.5, 0.7]}
    table = ef.ScoreTable([0.1, 0.25, 0.45, 0.7], [[1, 2]] * 4, **edges)
    # Bins of 6 and of 3 divide no row, bins of 4 and of 2 divide both of these.
    for bins, expected in ((1, 0), (2, 0), (3, 0.5), (4, 0), (6, 0.5), (12, 0.5), (99, 0.5)):
        assert hist_resolution(table, bins) == expected
        assert methods.find(f"hist-{bins}").resolution(table, ERROR) == expected
    first = dataclasses.replace(table, highs=np.array([0.15, 0.25, 0.45, 0.7]), lows=table.scores)
    assert methods.find("hist-3").resolution(first, ERROR) == 0
    assert methods.find("hist-12").resolution(first, ERROR) == hist_resolution(first, 12) == 0.25


@given(score_tables(), st.integers(1, 12), st.integers(1, 12))
def test_the_resolution_of_hist_equals_that_counted_item_by_item(table, bins, cells):
    merged = table.coarsen(cells)
    found = methods.find(f"hist-{bins}").resolution(merged, ERROR)
    assert found == pytest.approx(hist_resolution(merged, bins))


@needs_data
def test_betacals_clipping_is_what_spoils_beta_under_label_noise(rng):
    # Half of the labels redrawn at random lift any floor r to r/2 + 1/4. One sixth of the scores
    # are exactly 0 or 1; with betacal's clipping they drag the whole map along.
    scores, labels = realdata.load("Fashion-MNIST")
    noisy = np.where(rng.random(labels.size) < 0.5, rng.random(labels.size) < 0.5, labels)
    target = ef.from_scores(scores, labels, interval=None).value / 2 + 0.25
    clipped = ef.calibrate(scores, noisy, method="beta").floor
    as_betacal = ef.calibrate(scores, noisy, method="beta", clip=EPS).floor
    assert abs(clipped - target) < 0.01 < 0.05 < abs(as_betacal - target)


@pytest.mark.parametrize("method", [*BETA, "platt", "platt-logit"])
@pytest.mark.parametrize(
    ("scores", "labels"),
    [
        ([0.1, 0.2, 0.8, 0.9], [0, 0, 1, 1]),  # separable
        ([0.1, 0.2, 0.2, 0.9], [0, 0, 1, 1]),  # separable but for a tie
        ([0.1, 0.2, 0.8, 0.9], [1, 1, 0, 0]),  # separable the wrong way round
        ([0.0, 0.0, 1.0, 1.0], [0, 0, 1, 1]),  # only zeros and ones
        ([0.1, 0.2, 0.8, 0.9], [1, 1, 1, 1]),  # one class
        ([0.3, 0.3, 0.3, 0.3], [0, 1, 1, 1]),  # one score
        ([0.5], [1]),
    ],
)
def test_separable_and_degenerate_fits_end_finite(method, scores, labels):
    curve = ef.calibrate(scores, labels, method=method)
    assert np.isfinite(list(curve.parameters.values())).all()
    assert np.isfinite(curve([0.0, 0.5, 1.0])).all()
    assert 0 <= curve.floor <= 0.5


def test_a_separable_fit_is_at_its_limit():
    assert ef.calibrate([0.1, 0.2, 0.8, 0.9], [0, 0, 1, 1], method="beta").floor < 1e-9
    tie = ef.calibrate([0.1, 0.2, 0.2, 0.9], [0, 0, 1, 1], method="beta").floor
    assert tie == pytest.approx(0.25, abs=1e-6)  # one of the two items at 0.2 is wrong


@pytest.mark.parametrize("method", [*(m for m in ef.METHODS if m != "isotonic-cf"), "hist-3"])
def test_maps_are_clamped_outside_the_scores_seen(method, rng):
    scores = rng.uniform(0.2, 0.7, 200)
    labels = rng.random(200) < scores
    curve = ef.calibrate(scores, labels, method=method)
    ends = curve([scores.min(), scores.max()])
    assert np.array_equal(curve([0.0, 1.0]), ends)
    assert np.array_equal(curve(curve.table.scores), curve.probabilities)


@given(labelled_scores())
def test_isotonic_between_scores_is_what_scikit_learn_predicts(data):
    scores, labels = data
    model = IsotonicRegression(out_of_bounds="clip").fit(scores, labels)
    new = np.linspace(0, 1, 23)
    curve = ef.calibrate(scores, labels, method="isotonic")
    np.testing.assert_allclose(curve(new), model.predict(new), atol=1e-12)


def test_one_bin_is_the_base_rate_and_more_bins_than_items_are_one_an_item():
    scores, labels = [0.1, 0.2, 0.3, 0.4], [0, 0, 1, 0]
    assert ef.calibrate(scores, labels, method="hist-1")([0.2]) == [0.25]
    assert list(ef.calibrate(scores, labels, method="hist-99")(scores)) == labels


def test_scores_between_floats_that_have_no_midpoint_share_a_bin_as_in_the_reference():
    low = 0.3
    scores = np.array([low, np.nextafter(low, 1), np.nextafter(np.nextafter(low, 1), 1), 0.9])
    assert_agrees("hist-10", scores, np.array([0, 1, 1, 0]), 1e-12)


def test_calibrations_can_be_pickled_and_take_tables(rng):
    scores = rng.random(60)
    labels = rng.random(60) < scores
    table = ef.ScoreTable.from_arrays(scores, labels)
    for method in ("corrupted", "isotonic", "hist-5", "beta", "platt"):
        curve = ef.calibrate(table, method=method)
        copy = pickle.loads(pickle.dumps(ef.calibrate(scores, labels, method=method)))
        assert np.array_equal(copy(scores), curve(scores))


def test_huge_and_tiny_scores_do_not_overflow():
    scores = np.array([-1e308, -1.0, 0.0, 1e-320, 1e308])
    for method in ("isotonic", "hist-2", "platt"):
        curve = ef.calibrate(scores, [0, 0, 1, 0, 1], method=method)
        assert np.isfinite(curve(scores)).all()


def test_a_name_that_is_no_method_is_refused_before_anything_is_read():
    with pytest.raises(ef.InputError, match="`method` must be one of"):
        ef.calibrate("no such file.csv", method="none")
