import json

import numpy as np
import pytest
from helpers import bind
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from strategies import score_tables

import errorfloor as ef
from errorfloor import ScoreTable
from errorfloor.data.sample import MANY_ITEMS, Sample
from errorfloor.intervals.bootstrap import QuickDraws, acceleration, bootstrap, draw
from errorfloor.intervals.record import STREAMS, Seed, Streams
from errorfloor.methods.fitted import MeanFloor
from errorfloor.questions.feebee import (
    TableStatistic,
    expected_after_redraw,
    redraw_labels,
)


@given(st.lists(st.integers(1, 60), min_size=1, max_size=30))
def test_draws_keep_the_number_of_items(count):
    count, rng = np.array(count), np.random.default_rng(0)
    counts = draw(count, 7, rng)
    assert counts.shape == (7, count.size)
    assert (counts >= 0).all()
    assert (counts.sum(axis=1) == count.sum()).all()


@pytest.mark.parametrize(
    "count",
    [
        np.ones(6, dtype=int),  # items only
        np.array([40, 90, 25]),  # binomials only
        np.array([1, 50, 2, 30, 1]),  # both
    ],
)
def test_draws_follow_the_multinomial_law(count, rng):
    # Means and covariances of 20,000 draws against theory; each z-score is standard normal, and
    # the largest of at most 36 stays below 4.5 but once in 4,000.
    assert count.max() < MANY_ITEMS or count.max() > MANY_ITEMS
    n, times = count.sum(), 20_000
    counts = draw(count, times, rng)
    share = count / n
    cov = n * (np.diag(share) - np.outer(share, share))
    mean_z = (counts.mean(axis=0) - n * share) / np.sqrt(np.diag(cov) / times)
    assert np.abs(mean_z).max() < 4.5
    centred = counts - n * share
    products = centred[:, :, None] * centred[:, None, :]
    error = products.std(axis=0) / np.sqrt(times)
    assert np.abs((products.mean(axis=0) - cov) / error).max() < 4.5


QUICK = [np.array([7256, 339, 226, 20, 47, 5]), np.array([3, 900]), np.array([64, 64, 64, 200])]


@pytest.mark.parametrize("count", QUICK)
def test_quick_draws_follow_the_multinomial_law(count, rng):
    assert QuickDraws.pay(count)
    n, times = count.sum(), 40_000
    counts = QuickDraws(count)(times, rng)
    assert (counts.sum(axis=1) == n).all()
    assert counts.min() >= 0
    # Each count is binomial: shares up to some quantiles, whose z-scores stay below 4.5.
    for number, items in zip(counts.T, count, strict=True):
        for tail in (0.01, 0.2, 0.5, 0.8, 0.99):
            limit = stats.binom.ppf(tail, n, items / n)
            share = stats.binom.cdf(limit, n, items / n)
            spread = np.sqrt(share * (1 - share) / times)
            assert abs(np.mean(number <= limit) - share) < 4.5 * spread + 1e-12
    centred = counts - count
    products = centred[:, :, None] * centred[:, None, :]
    error = products.std(axis=0) / np.sqrt(times)
    cov = np.diag(count) - np.outer(count, count) / n
    assert np.abs((products.mean(axis=0) - cov) / error).max() < 4.5


def test_error_keeps_its_draws_and_other_metrics_have_quick_ones(rng):
    count = np.array([400, 300, 500])
    mean = MeanFloor(np.array([0.1, 0.2, 0.4]), Sample.of_rows(count, count))
    seeds = [np.random.default_rng(1) for _ in range(3)]
    plain, again = (bootstrap([mean], count, n_resamples=50, rng=seed) for seed in seeds[:2])
    quick = bootstrap([mean], count, n_resamples=50, rng=seeds[2], quick=True)
    assert np.array_equal(plain, again)
    assert not np.array_equal(plain, quick)
    soft = np.repeat([0.1, 0.2, 0.4], count)
    found = {
        metric: ef.from_soft_labels(
            soft, metric=metric, interval="percentile", rng=5, n_resamples=50, **given
        ).evidence.replicates
        for metric, given in (("error", {}), ("cost", {"costs": (1, 1)}))
    }
    stream = Streams.of(Seed.of(5).begin()).for_("resamples")
    means = draw(count, 50, stream) @ np.array([0.1, 0.2, 0.4]) / 1200
    np.testing.assert_allclose(found["error"], means)
    assert not np.allclose(found["cost"], means)


def test_the_bootstrap_of_a_mean_has_the_spread_of_its_standard_error(rng):
    values = rng.random(50)
    count = np.full(50, 2)
    mean = MeanFloor(values, Sample.of_rows(values, count))
    replicates = bootstrap([mean], count, n_resamples=4000, rng=rng)[0]
    assert replicates.mean() == pytest.approx(values.mean(), abs=5 * values.std() / 10 / 63)
    # the standard deviation of a standard deviation of 4,000 normal draws is 1/sqrt(8000)
    assert replicates.std() == pytest.approx(values.std() / 10, rel=4.5 / np.sqrt(8000))


def test_statistics_share_their_resamples_and_each_has_the_values_it_has_alone(rng):
    cells = ScoreTable.from_arrays(rng.random(300), rng.random(300) < 0.4).cells()
    first, second = (
        bind("isotonic", cells),
        MeanFloor(rng.random(len(cells)), cells),
    )
    both = bootstrap([first, second], cells.count, n_resamples=50, rng=np.random.default_rng(5))
    alone = bootstrap([second], cells.count, n_resamples=50, rng=np.random.default_rng(5))
    assert np.array_equal(both[1], alone[0])


def test_statistics_that_draw_do_not_disturb_the_others(rng):
    # Enough cells for several blocks of resamples.
    cells = ScoreTable.from_arrays(rng.random(3000), rng.random(3000) < 0.4).cells()
    drawing, other = bind("isotonic-cf", cells), bind("isotonic", cells)
    both = bootstrap([drawing, other], cells.count, n_resamples=100, rng=np.random.default_rng(5))
    for i, statistic in enumerate((drawing, other)):
        alone = bootstrap([statistic], cells.count, n_resamples=100, rng=np.random.default_rng(5))
        assert np.array_equal(both[i], alone[0])


@given(score_tables(both_classes=True))
def test_acceleration_over_cells_equals_that_over_items(table):
    cells = table.cells()
    over_cells = bind("isotonic", cells).leave_one_out()
    over_items = np.repeat(over_cells, cells.count)
    deviation = over_items.mean() - over_items
    spread = np.sum(deviation**2)
    expected = np.sum(deviation**3) / (6 * spread**1.5) if spread > 0 else 0
    assert acceleration(over_cells, cells.count) == pytest.approx(expected, abs=1e-9)


def test_a_large_table_is_drawn_without_expanding_its_items(rng):
    count = np.array([10**15, 3, 10**14])
    drawn = draw(count, 3, rng)
    assert (drawn.sum(axis=1) == count.sum()).all()
    z = (drawn[:, 0] - count[0]) / np.sqrt(count[0] * (1 - count[0] / count.sum()))
    assert stats.norm.sf(np.abs(z)).min() > 1e-6


@given(score_tables(), st.floats(0, 1))
def test_redrawn_labels_stay_in_their_rows(table, noise):
    count = table.cells(complete=True).count
    counts = redraw_labels(count, np.array([0.0, noise, 1.0]), np.random.default_rng(0))
    assert np.array_equal(counts[0], count)
    assert (counts >= 0).all()
    rows = count.reshape(-1, 2).sum(axis=1)
    assert (counts.reshape(3, -1, 2).sum(axis=2) == rows).all()
    assert expected_after_redraw(count, noise).reshape(-1, 2).sum(axis=1) == pytest.approx(rows)


@pytest.mark.parametrize("noise", [0.05, 0.5, 1.0])
def test_redrawn_labels_have_the_mean_and_spread_of_items_redrawn_one_by_one(noise, rng):
    # Each item changes sides with probability noise / 2, so a row of n items has a variance of
    # n (noise / 2) (1 - noise / 2). Noise 1 makes fair coins of all. 20,000 draws; of 4 z-scores
    # the largest stays below 4.5 but once in 30,000.
    count = np.array([7, 0, 3, 40])  # positives and negatives of two rows
    counts = redraw_labels(count, np.full(20_000, noise), rng)
    items = np.array([7, 7, 43, 43])
    spread = np.sqrt(items * noise / 2 * (1 - noise / 2))
    mean = expected_after_redraw(count, noise)
    assert mean == pytest.approx((1 - noise) * count + noise / 2 * items)
    assert np.abs((counts.mean(axis=0) - mean) / spread * np.sqrt(20_000)).max() < 4.5
    # a standard deviation of 20,000 nearly normal draws is off by 1 / sqrt(40,000)
    np.testing.assert_allclose(counts.std(axis=0), spread, rtol=4.5 / 200)
    if noise == 1:
        expected = stats.binom.pmf(np.arange(8), 7, 0.5)
        drawn = np.bincount(counts[:, 0], minlength=8)
        assert stats.chisquare(drawn, 20_000 * expected).pvalue > 1e-5


@pytest.mark.parametrize("n", [200, 30_000])
def test_a_second_thread_changes_nothing(n, rng, monkeypatch):
    cells = ScoreTable.from_arrays(rng.random(n), rng.random(n) < 0.4).cells()
    statistics = [bind("isotonic", cells), bind("isotonic-cf", cells)]

    def replicates():
        generator = np.random.default_rng(3)
        return bootstrap(statistics, cells.count, n_resamples=40, rng=generator)

    usual = replicates()
    for blocks in (1, 10**9):
        monkeypatch.setattr("errorfloor.intervals.bootstrap.WORTH_A_THREAD", blocks)
        assert np.array_equal(replicates(), usual)


def test_an_error_of_a_statistic_reaches_the_caller(rng):
    cells = ScoreTable.from_arrays(rng.random(30_000), rng.random(30_000) < 0.4).cells()

    def fail(table):
        raise ValueError("no estimate")

    statistic = TableStatistic(cells, fail)
    with pytest.raises(ValueError, match="no estimate"):
        bootstrap([statistic], cells.count, n_resamples=40, rng=rng)


class FailsOnce:
    """A mean that cannot be had of one of the blocks."""

    def __init__(self, block):
        self.left = block

    def values(self, counts, _):
        self.left -= 1
        if self.left == -1:
            raise ValueError("no estimate of this block")
        return counts.mean(axis=1)


@pytest.mark.parametrize("block", [0, 4, 8, 9])
@pytest.mark.parametrize("threads", [True, False])
def test_an_error_in_any_block_of_resamples_reaches_the_caller(block, threads, rng, monkeypatch):
    monkeypatch.setattr("errorfloor.intervals.bootstrap.BLOCK", 60)  # ten blocks of four resamples
    monkeypatch.setattr("errorfloor.intervals.bootstrap.WORTH_A_THREAD", 1 if threads else 100)
    count = np.full(15, 2)
    with pytest.raises(ValueError, match="no estimate of this block"):
        bootstrap([FailsOnce(block)], count, n_resamples=40, rng=rng)
    assert bootstrap([FailsOnce(10)], count, n_resamples=40, rng=rng) == pytest.approx(2)


def used(kind):
    generator = np.random.Generator(kind(7))
    generator.random(5)
    generator.integers(10, size=3, dtype=np.int32)  # may leave half a number over
    return generator


@pytest.mark.parametrize(
    "make",
    [
        lambda: 5,
        lambda: np.int64(5),
        lambda: np.random.SeedSequence(5).spawn(3)[2],
        lambda: used(np.random.PCG64),
        lambda: used(np.random.Philox),
        lambda: used(np.random.MT19937),
    ],
)
def test_a_seed_begins_again_where_the_given_generator_was(make):
    seed = Seed.of(make())
    assert Seed.of(seed.begin()).begin().random() == seed.begin().random()
    given = np.random.default_rng(make())
    begun = seed.begin()
    assert np.array_equal(begun.integers(2**40, size=9), given.integers(2**40, size=9))
    mine, theirs = (g.bit_generator.seed_seq.spawn(2)[1].generate_state(2) for g in (begun, given))
    assert np.array_equal(mine, theirs)
    kept = json.loads(json.dumps(seed.to_dict()))
    assert kept == (5 if isinstance(make(), int | np.integer) else kept)


def test_no_seed_draws_one_that_can_be_had_again():
    first, second = Seed.of(None), Seed.of(None)
    assert first.number != second.number
    assert first.begin().random() == first.begin().random() != second.begin().random()
    assert first.to_dict() == first.number


def test_each_purpose_has_a_stream_of_its_own_from_its_start():
    streams = Streams.of(np.random.default_rng(3))
    drawn = [streams.for_(purpose).random() for purpose in STREAMS]
    assert len(set(drawn)) == len(STREAMS) == 4
    assert drawn == [streams.for_(purpose).random() for purpose in STREAMS]
    assert drawn != [Streams.of(np.random.default_rng(4)).for_(p).random() for p in STREAMS]
