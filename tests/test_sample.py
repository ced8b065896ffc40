"""What a sample says of its items, against plain code item by item."""

from dataclasses import dataclass

import numpy as np
import pytest

from errorfloor import ScoreTable
from errorfloor.data import sample as module
from errorfloor.data.sample import Kinds, Losses, Sample, split

COUNT = np.array([2, 1, 3, 1, 2, 4])
WEIGHT = np.array([1.0, 0.5, 2.0, 4.0, 1.0, 0.25])
CLUSTER = np.array([0, 1, 1, 2, 3, 0])
ONES = np.ones(6)
KINDS = {  # of weights and clusters
    "none": (),
    "weights": (WEIGHT,),
    "clusters": (ONES, CLUSTER),
    "both": (WEIGHT, CLUSTER),
}
kinds = pytest.mark.parametrize("kind", KINDS)


def sample_of(count, *design):
    """Return items of so many kinds, of which nothing else is known."""
    return Sample.of_rows(np.arange(len(count)), np.asarray(count), *design)


@dataclass
class Items:
    """The items of a sample one by one."""

    cell: np.ndarray
    weight: np.ndarray
    unit: np.ndarray

    @classmethod
    def of(cls, count, weight=None, cluster=None):
        cell = np.repeat(np.arange(len(count)), count)
        unit = np.arange(cell.size) if cluster is None else cluster[cell]
        return cls(cell, np.ones(cell.size) if weight is None else weight[cell], unit)

    def sums(self, values):
        """Return sums over units of weight times the value of each item."""
        units = sorted(set(self.unit.tolist()))
        return np.array(
            [sum(self.weight[i] * values[i] for i in np.flatnonzero(self.unit == u)) for u in units]
        )


# How many equal items a mean is worth


def slow_equal_item(items, lost, kind, usual, heavier):
    """Return what an equal item weighs, with two units of each kind that lose, and two that do not.

    `kind` is that of each item; `usual` is what those of each kind lose, if anything. All kinds
    have a mean of their own.
    """
    known, clusters = range(len(usual)), len(set(items.unit.tolist()))
    alone = Items(items.cell, items.weight, np.arange(items.cell.size))
    belong = clusters < items.cell.size

    def mean(more=None):
        weigh = [items.weight[kind == k].sum() for k in known]
        sums = [(items.weight * lost)[kind == k].sum() for k in known]
        if more is not None:
            sums = [sums[k] + 2 * more[k] * usual[k] for k in known]
            weigh = [weigh[k] + 4 * more[k] for k in known]
        return np.divide(sums, weigh)

    def typical(units, k):
        own = units.sums(kind == k)
        return (own**2).sum() / own.sum()

    def far(units, centre):
        sums = units.sums(lost - centre[kind])
        return (sums**2).sum() * (clusters / (clusters - 1) if belong and units is items else 1)

    def unit(alike):
        pairs = [(typical(alone, k), typical(items, k)) for k in known]
        return np.array([one + alike * (whole - one) for one, whole in pairs])

    alike = 0.0
    if belong:
        centre, weight = mean(), items.weight
        most = sum(unit(1)[kind] * weight * (lost - centre[kind]) ** 2)
        within = far(alone, centre)
        found = (far(items, centre) - within) / (most - within) if most > within else 1.0
        whole = items.sums(np.ones(items.cell.size))
        number = (weight @ lost) ** 2 / (weight @ lost**2) / ((whole**2).sum() / whole.sum())
        alike = (number * min(max(found, 0), 1) + 0.5) / (number + 0.5)
    more = unit(alike)
    centre = mean(more)
    distance = [((usual[k] - centre[k]) ** 2, centre[k] ** 2) for k in known]
    squares = far(items, centre)
    spread = items.weight @ (lost - centre[kind]) ** 2
    for k, (ill, well) in enumerate(distance):
        squares += 2 * more[k] ** 2 * (heavier[k] * ill + well)
        spread += 2 * more[k] * (ill + well)
    return squares / spread


def by_class(sample, of, usual, heavier):
    """Return two kinds of items, each with its own mean."""
    own = [sample.only(of == k) for k in range(2)]
    return Kinds(
        of,
        np.asarray(usual),
        lambda mass, total: total / mass,
        lambda alike: np.array([one.typical(alike) for one in own]),
        np.asarray(heavier),
    )


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("kind", ["weights", "clusters", "both"])
def test_equal_items_vary_as_the_mean_loss_of_unequal_ones_does(kind, seed):
    rng = np.random.default_rng(seed)
    sample, items = sample_of(COUNT, *KINDS[kind]), Items.of(COUNT, *KINDS[kind])
    lost = rng.random(items.cell.size) if seed else (rng.random(items.cell.size) < 0.4) * 1.0
    losses = Losses(np.bincount(items.cell, lost), np.bincount(items.cell, lost**2))
    usual = items.weight @ lost**2 / (items.weight @ lost)
    found = sample.equal_item(losses, Kinds.one(sample, usual))
    nobody = np.zeros(items.cell.size, dtype=int)
    expected = slow_equal_item(items, lost, nobody, np.array([usual]), np.ones(1))
    assert found == pytest.approx(expected)
    of = np.array([0, 1, 0, 1, 1, 0])
    both = np.array([usual, 2 * usual]), np.array([1.0, 1.5])
    found = sample.equal_item(losses, by_class(sample, of, *both))
    assert found == pytest.approx(slow_equal_item(items, lost, of[items.cell], *both))


def test_the_worth_of_many_items_is_that_of_their_variance():
    rng = np.random.default_rng(1)
    weight = rng.lognormal(0, 0.7, 20_000)
    wrong = (rng.random(weight.size) < 0.1 / weight.clip(0.2)).astype(float)
    share, n = sample_of(np.ones(weight.size, dtype=int), weight).share_and_size(wrong)
    variance = (weight**2 * (wrong - share) ** 2).sum() / weight.sum() ** 2
    assert n == pytest.approx(share * (1 - share) / variance, rel=0.02)


# Parts


def is_whole(part, count, cluster):
    """Tell whether a part has all items of its clusters, and none of the others."""
    places = [set((part == count)[cluster == one].tolist()) for one in set(cluster.tolist())]
    return set((part / count).tolist()) <= {0.0, 1.0} and all(len(one) == 1 for one in places)


@kinds
def test_parts_and_folds_divide_all_items_and_keep_units_whole(kind):
    sample = sample_of(COUNT, *KINDS[kind])
    parts = list(sample.parts(4, np.random.default_rng(1)))
    assert len(parts) == 4
    assert np.sum(parts, axis=0).tolist() == COUNT.tolist()
    cell, fold = sample.folds(4, np.random.default_rng(1))
    if sample.clusters:
        assert all(is_whole(part, COUNT, CLUSTER) for part in parts)
        assert cell is None
        assert sorted({int(one) for one in fold}) == [0, 1, 2, 3]  # a cluster each
        assert len(set(zip(CLUSTER.tolist(), fold.tolist(), strict=True))) == 4
    else:
        assert cell.tolist() == np.repeat(np.arange(6), COUNT).tolist()
        found = [np.bincount(cell[fold == k], minlength=6).tolist() for k in range(4)]
        assert found == [part.tolist() for part in parts]
        halves = split(COUNT, 4, np.random.default_rng(1), into=np.array([0, 0, 1, 1]))
        assert halves.tolist() == [np.sum(some, axis=0).tolist() for some in (parts[:2], parts[2:])]


@pytest.mark.parametrize("count", [[1, 1, 1, 1], [3, 0, 700, 2], [2, 1, 1, 1], [40, 50, 60, 45]])
def test_items_are_divided_among_parts_alike(count):
    count = np.array(count)
    draws = np.array(
        [list(sample_of(count).parts(5, np.random.default_rng(seed))) for seed in range(400)]
    )
    assert draws.shape == (400, 5, 4)
    assert (draws.sum(axis=1) == count).all()
    deviation = np.sqrt(count * 0.16 / 400)
    assert (np.abs(draws.mean(axis=0) - count / 5) <= 5 * deviation).all()
    assert draws.var(axis=0, ddof=1).sum() == pytest.approx(0.8 * count.sum(), rel=0.15)


def test_clusters_are_divided_among_parts_alike_and_evenly():
    sample = sample_of(np.full(10, 3), np.ones(10), np.arange(10) // 2)
    draws = np.array([list(sample.parts(2, np.random.default_rng(seed))) for seed in range(400)])
    assert (np.sort(draws.sum(axis=2), axis=1) == [12, 18]).all()  # two clusters of five, or three
    share = (draws[:, 0] > 0).mean(axis=0)
    assert (np.abs(share - 0.6) <= 5 * np.sqrt(0.24 / 400)).all()


def divided(count, parts, rng, into=None):
    """Divide items one by one, and many of a cell at once."""
    place = np.arange(parts) if into is None else into
    found = np.zeros((place[-1] + 1, len(count)), dtype=int)
    few = [cell for cell, n in enumerate(count) for _ in range(n) if n <= 16 * parts]
    for cell, part in zip(few, rng.integers(parts, size=len(few)), strict=True):
        found[place[part], cell] += 1
    many = [cell for cell, n in enumerate(count) if n > 16 * parts]
    if many:
        drawn = rng.multinomial(np.array(count)[many], np.full(parts, 1 / parts))
        for cell, own in zip(many, drawn, strict=True):
            np.add.at(found[:, cell], place, own)
    return found.tolist()


@pytest.mark.parametrize(
    "count",
    [
        [], [0], [1], [0, 0, 0], [1, 1, 1], [1, 0, 3, 0], [32, 1], [33, 1], [33, 32, 0, 34, 500],
        [1] * 300 + [32], [1] * 300 + [33], [1] * 300 + [127], [1] * 300 + [128], [2] * 50,
        [2] * 50 + [3], [20] * 40, [0] + [1] * 50, [1] * 50 + [0],
    ],
)  # fmt: skip
@pytest.mark.parametrize("parts", [2, 3, 9, 300])
def test_items_are_divided_as_one_by_one_code_divides_them(count, parts, monkeypatch):
    count = np.array(count, dtype=np.int64)
    into = np.arange(parts) // 2
    sample = sample_of(count)
    for block in (2**17, 64):
        monkeypatch.setattr(module, "BLOCK", block)
        for place in (None, into):
            rng, other = np.random.default_rng(5), np.random.default_rng(5)
            expected = divided(count, parts, other, place)
            assert split(count, parts, rng, into=place).tolist() == expected
            assert rng.random() == other.random()  # whoever draws next is not disturbed
        rng, other = np.random.default_rng(5), np.random.default_rng(5)
        found = sample.parts(parts, rng)
        assert [one.tolist() for one in found] == divided(count, parts, other)
        assert rng.random() == other.random()


# Fewer rows


def fewest_errors(sample):
    """Return the errors of the best cut between rows."""
    zeros, ones = sample.by_row(sample.count)
    cuts = range(len(sample.seen) + 1)
    return min(ones[:cut].sum() + zeros[cut:].sum() for cut in cuts)


def test_joined_rows_lose_no_cut(rng):
    labels = np.repeat(rng.random(30) < 0.5, rng.integers(1, 60, 30))
    mixed = ScoreTable.from_counts(np.arange(labels.size), ~labels * 1, labels * 1)
    table = mixed + ScoreTable.from_counts([5, 400], [1, 2], [1, 3])  # two rows of both classes
    sample = table.cells()
    both = (table.negatives > 0) * 1 + (table.positives > 0) * 2
    runs = 1 + np.count_nonzero((np.diff(both) != 0) | (both[1:] == 3))
    whole = fewest_errors(sample)
    # With ends apart, without, and in blocks: each has its number of rows at most.
    for most in (len(table), runs, runs - 1):
        joined = sample.joined(most)
        assert len(joined.seen) <= most
        assert joined.count[joined.positive].sum() == table.positives.sum()
        assert joined.count[~joined.positive].sum() == table.negatives.sum()
        least = fewest_errors(joined)
        assert least == whole if most >= runs else least >= whole
    assert len(sample.joined(runs).seen) == runs
    long = ScoreTable.from_counts(np.arange(100), np.ones(100, int), np.zeros(100, int)).cells()
    assert len(long.joined(50).seen) == 8 + 1 + 8
    assert len(long.joined(16).seen) == 1
