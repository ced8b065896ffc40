"""Items are held out again until folds hardly matter, by one mechanism for all that is chosen."""

import numpy as np
import pytest

import errorfloor as ef
from errorfloor.data.sample import Losses, Sample
from errorfloor.methods import fitted
from errorfloor.methods.cuts import CutFit
from errorfloor.methods.fitted import Chosen, noise_of
from errorfloor.methods.record import Options
from errorfloor.methods.rules.offsets import OffsetFit
from errorfloor.metrics import ERROR

pytestmark = pytest.mark.filterwarnings("ignore::errorfloor.ErrorFloorWarning")


def table(n, seed=0, **more):
    rng = np.random.default_rng([n, seed])
    p = rng.random(n)
    return ef.ScoreTable.from_arrays(p, (rng.random(n) < p).astype(int), **more)


def three(n, seed=0):
    rng = np.random.default_rng([n, seed])
    p = rng.dirichlet((0.7, 0.7, 0.7), n)
    label = (rng.random(n)[:, None] > np.cumsum(p, axis=1)).sum(axis=1).clip(max=2)
    return ef.ScoreTable.from_arrays(p, label)


def seeded(purpose):
    return np.random.default_rng(5)


def drawn(fit, losses):
    """Return how often items are held out whose mean losses are these, one after the other."""
    rest = iter(losses)
    return len(fit.repeated(lambda rng: next(rest), lambda loss: (loss, 1.0)))


def test_folds_are_drawn_until_they_move_the_mean_little_and_ten_times_at_most():
    fit = CutFit(table(50).cells(), ERROR.how, seeded)
    assert drawn(fit, [0.3] * 20) == 3
    for apart in (0.1, 0.5, 0.6, 3.0):
        losses = [0.0, apart] * 10
        ends = [k for k in range(3, 11) if np.std(losses[:k], ddof=1) / np.sqrt(k) <= fitted.STEADY]
        assert drawn(fit, losses) == (ends[0] if ends else 10)
    assert drawn(fit, [0.0, 3.0] * 10) == 10


def test_folds_are_drawn_once_of_very_many_items_and_of_resamples(monkeypatch):
    fit = CutFit(table(50).cells(), ERROR.how, seeded)
    again = fit.on(fit.sample.count, np.random.default_rng(0))
    assert drawn(again, [0.0, 3.0] * 10) == 1
    monkeypatch.setattr(fitted, "MOST_REPEATED", 49)
    assert drawn(fit, [0.0, 3.0] * 10) == 1
    monkeypatch.setattr(fitted, "MOST_REPEATED", 50)
    assert drawn(fit, [0.0, 3.0] * 10) == 10


def test_errors_held_out_are_the_mean_over_the_folds_of_one_generator(monkeypatch):
    monkeypatch.setattr(fitted, "STEADY", 0.0)
    fit = CutFit(table(80).cells(), ERROR.how, seeded)
    rng = np.random.default_rng(5)
    once = [fit.on(fit.sample.count, rng) for _ in range(10)]
    tables = [one.held_out.table.parts for one in once]
    np.testing.assert_allclose(fit.held_out.table.parts, np.mean(tables, axis=0))
    wrong = [one.held_out.wrong() for one in once]
    np.testing.assert_allclose(fit.held_out.wrong(), np.mean(wrong, axis=0))
    assert fit.held_out.wrong().sum() == pytest.approx(80 * fit.held_out_loss)


def test_many_classes_have_the_mean_over_folds_too(monkeypatch):
    monkeypatch.setattr(fitted, "STEADY", 0.0)
    monkeypatch.setattr(Chosen, "repeats", 4)
    fit = OffsetFit.of(three(60).cells(), Options(draw=seeded))
    rng = np.random.default_rng(5)
    once = [fit.on(fit.sample.count, rng).held_out_loss for _ in range(4)]
    assert fit.held_out_loss == pytest.approx(np.mean(once))


def test_the_standard_error_of_a_mean_loss_is_that_of_the_items():
    loss = np.random.default_rng(0).random(30)
    sample = Sample(np.arange(30.0), np.arange(30), np.arange(30) % 2, np.ones(30, dtype=int))
    mean, error = noise_of(sample, Losses(loss, loss**2))
    assert (mean, error) == (pytest.approx(loss.mean()), pytest.approx(loss.std() / np.sqrt(30)))


@pytest.mark.parametrize(
    "metric", ["error", "balanced-error", "f1", "brier", "log-loss", "error-at-coverage"]
)
def test_value_and_limits_come_from_the_same_folds_and_repeat(metric):
    given = {"at": 0.8} if metric == "error-at-coverage" else {}
    found = [ef.from_scores(table(120), metric=metric, rng=3, **given) for _ in range(2)]
    alone = ef.from_scores(table(120), metric=metric, rng=3, interval=None, **given)
    assert found[0].value == found[1].value == alone.value
    assert found[0].interval == found[1].interval


def spread(find, repeats, monkeypatch):
    """Return the range of upper limits over a dozen seeds, in widths."""
    monkeypatch.setattr(Chosen, "repeats", repeats)
    found = [find(rng=seed) for seed in range(12)]
    highs = [one.high for one in found]
    return (max(highs) - min(highs)) / (found[0].high - found[0].low)


WEIGHT = np.random.default_rng(2).uniform(0.5, 3, 300)
FINDS = {
    "plain": lambda **rng: ef.from_scores(table(600, 1), **rng),
    "weights": lambda **rng: ef.from_scores(table(300, weight=WEIGHT), **rng),
    "clusters": lambda **rng: ef.from_scores(table(300, cluster=np.arange(300) // 3), **rng),
    "balanced error": lambda **rng: ef.from_scores(table(300), metric="balanced-error", **rng),
    "Brier score": lambda **rng: ef.from_scores(table(200), metric="brier", **rng),
    "three classes": lambda **rng: ef.from_scores(three(150), **rng),
}


@pytest.mark.parametrize("name", FINDS)
def test_the_seed_moves_upper_limits_less_than_by_folds_that_are_drawn_once(name, monkeypatch):
    once, again = (spread(FINDS[name], k, monkeypatch) for k in (1, fitted.REPEATS))
    assert again < max(once, 0.05)
    assert again < 0.2  # a tenth is expected; ten times are the most


def test_certified_limits_test_one_half_once(monkeypatch):
    found = ef.from_scores(table(200), interval="certified", rng=1)
    monkeypatch.setattr(Chosen, "repeats", 1)
    once = ef.from_scores(table(200), interval="certified", rng=1)
    assert found.interval == once.interval
