"""What a sample says of its items, against plain code item by item."""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorfloor import ScoreTable
from errorfloor.data import sample as module
from errorfloor.data.entries import Entries
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


# What items weigh


@kinds
def test_sums_over_units_are_those_of_items(kind):
    sample, items = sample_of(COUNT, *KINDS[kind]), Items.of(COUNT, *KINDS[kind])
    values = np.array([0.5, -1.0, 2.0, 0.25, 0.0, 1.0])
    assert sample.masses.tolist() == np.bincount(items.cell, items.weight).tolist()
    assert sample.mass(np.ones(6, dtype=int)).tolist() == sample.each.tolist()
    assert sample.total == items.weight.sum()
    weigh = items.sums(np.ones(items.cell.size))
    assert sample.unit == pytest.approx((weigh**2).sum() / weigh.sum())
    assert sample.units == pytest.approx(weigh.sum() ** 2 / (weigh**2).sum())
    assert sample.items.unit == pytest.approx((items.weight**2).sum() / items.weight.sum())
    sums = items.sums(values[items.cell])
    assert sample.squares(values) == pytest.approx((sums**2).sum())
    mean, weight, count = sample.in_units(values)
    assert (mean * weight * count).sum() == pytest.approx(sums.sum())
    assert ((mean * weight) ** 2 * count).sum() == pytest.approx((sums**2).sum())
    assert sample.clusters == (4 if "cluster" in kind or kind == "both" else 0)
    assert sample.weighs_alike == (kind in ("none", "clusters"))
    for alike in (0.0, 0.5, 1.0):
        between = sample.items.unit + alike * (sample.unit - sample.items.unit)
        assert sample.typical(alike) == pytest.approx(between)


@kinds
def test_samples_of_other_counts_keep_their_weights_and_clusters(kind):
    sample = sample_of(COUNT, *KINDS[kind])
    other = np.array([1, 0, 2, 1, 0, 3])
    assert sample.counted(other).masses.tolist() == (other * sample.each).tolist()
    own = np.arange(6) < 3
    some = sample.only(own)
    assert some.count.tolist() == [2, 1, 3, 0, 0, 0]
    assert some.total == pytest.approx((COUNT * sample.each)[:3].sum())
    twice = sample.reweighted(2.0)
    assert twice.units == pytest.approx(sample.units)
    assert twice.freedom == pytest.approx(sample.freedom)
    assert twice.total == (sample.total if kind == "none" else 2 * sample.total)


@pytest.mark.parametrize("kind", ["weights", "clusters", "both"])
def test_degrees_of_freedom_are_those_of_unequal_units(kind):
    items = Items.of(COUNT, *KINDS[kind])
    weigh = items.sums(np.ones(items.cell.size))
    expected = (weigh**2).sum() ** 2 / (weigh**4).sum() - 1
    assert sample_of(COUNT, *KINDS[kind]).freedom == pytest.approx(max(expected, 1))


def test_one_heavy_unit_has_one_degree_of_freedom_and_equal_ones_have_all_but_one():
    assert sample_of([1, 3], np.array([100.0, 1.0])).freedom == 1
    assert sample_of([10], np.array([2.0])).freedom == pytest.approx(9)
    assert sample_of([2, 2, 2], np.ones(3), np.arange(3)).freedom == pytest.approx(2)
    assert sample_of([10]).freedom == np.inf  # the variance of a share is known from the share


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


@kinds
def test_equal_items_of_no_losses_are_typical_units(kind):
    sample = sample_of(COUNT, *KINDS[kind])
    nothing = Losses(np.zeros(6), np.zeros(6))
    assert sample.equal_item(nothing, Kinds.one(sample, 0.0)) == pytest.approx(sample.unit)


def test_losses_of_parts_add_up():
    both = Losses(np.ones(2), np.full(2, 3.0), 0.5) + Losses(np.ones(2), np.ones(2), 0.9)
    assert (both.total.tolist(), both.squares.tolist(), both.most) == ([2, 2], [4, 4], 0.9)


def test_equal_units_are_worth_their_number():
    count = np.array([40, 60])
    for wrong in ([10, 0], [0, 0], [40, 60], [3, 50]):
        for weight in ((), (np.full(2, 2.5),)):
            share, n = sample_of(count, *weight).share_and_size(np.array(wrong, dtype=float))
            assert share == pytest.approx(sum(wrong) / 100)
            assert n == pytest.approx(100)
    # Clusters of two copies are worth half as many.
    twice = sample_of(np.full(100, 2), np.ones(100), np.arange(100))
    share, n = twice.share_and_size(np.where(np.arange(100) < 30, 2.0, 0.0))
    assert share == pytest.approx(0.3)
    assert n == pytest.approx(99, rel=0.01)


def test_the_worth_of_many_items_is_that_of_their_variance():
    rng = np.random.default_rng(1)
    weight = rng.lognormal(0, 0.7, 20_000)
    wrong = (rng.random(weight.size) < 0.1 / weight.clip(0.2)).astype(float)
    share, n = sample_of(np.ones(weight.size, dtype=int), weight).share_and_size(wrong)
    variance = (weight**2 * (wrong - share) ** 2).sum() / weight.sum() ** 2
    assert n == pytest.approx(share * (1 - share) / variance, rel=0.02)


@kinds
@pytest.mark.parametrize("wrong", [[0, 0, 1, 0, 0, 0], [2, 1, 1, 1, 0, 4], [1, 1, 0, 0, 2, 2]])
def test_wrong_items_are_worth_what_right_ones_are(kind, wrong):
    sample = sample_of(COUNT, *KINDS[kind])
    share, n = sample.share_and_size(np.array(wrong))
    other, same = sample.share_and_size(COUNT - wrong)
    assert share + other == pytest.approx(1)
    assert n == pytest.approx(same)


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
    into = np.array([0, 0, 1, 1])
    halves = list(sample.parts(4, np.random.default_rng(1), into=into))
    expected = [np.sum(parts[:2], axis=0), np.sum(parts[2:], axis=0)]
    assert [half.tolist() for half in halves] == [one.tolist() for one in expected]


def test_items_that_are_a_cell_each_need_no_cells():
    alone = sample_of(np.ones(50, dtype=int))
    cell, fold = alone.folds(4, np.random.default_rng(1))
    assert cell is None
    assert sorted(set(fold.tolist())) == [0, 1, 2, 3]


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
            found = sample.parts(parts, rng, into=place)
            assert [one.tolist() for one in found] == expected
            assert rng.random() == other.random()  # whoever draws next is not disturbed
            rng = np.random.default_rng(5)
            assert split(count, parts, rng, into=place).tolist() == expected


@given(
    st.lists(st.integers(0, 60), min_size=1, max_size=40),
    st.sampled_from([(3, None), (4, np.array([0, 0, 1, 2]))]),
    st.integers(1, 200),
)
def test_blocks_of_cells_are_split_as_all_of_them_at_once(count, parts, block):
    count, found = np.array(count), []
    for full in (10**9, -1):
        rng = np.random.default_rng(5)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(module, "FULL", full)
            patch.setattr(module, "BLOCK", block)
            found.append((split(count, parts[0], rng, into=parts[1]), rng.random()))
    assert np.array_equal(found[0][0], found[1][0])
    assert found[0][1] == found[1][1]
    assert found[0][0].shape == (3, count.size)
    assert np.array_equal(found[0][0].sum(axis=0), count)


def test_many_items_are_divided_without_taking_them_one_by_one():
    count = np.array([10**15, 3, 10**14])
    for design in ((), (np.array([1.0, 2.0, 0.5]),)):
        parts = list(sample_of(count, *design).parts(10, np.random.default_rng(0)))
        assert np.sum(parts, axis=0).tolist() == count.tolist()


@pytest.mark.parametrize("at_once", [True, False])
def test_each_cluster_is_left_out_in_turn(at_once):
    size = 6 if at_once else 2**19  # the others are cells without items
    more = np.zeros(size - 6, dtype=int)
    cluster = np.append(CLUSTER, more)
    sample = sample_of(np.append(COUNT, more), np.ones(size), cluster)
    found = list(sample.without_each())
    assert len(found) == (1 if at_once else 2)
    expected = [np.where(one == CLUSTER, 0, COUNT).tolist() for one in range(4)]
    assert np.concatenate(found)[:, :6].tolist() == expected


# Rows


def test_cells_have_what_entries_have():
    row, label = np.array([0, 0, 1, 1]), np.array([1, 0, 1, 0])
    cluster = np.array([50, 7, 9, 50])
    some = Entries.of(row, label, np.array([2.0, 3.0, 2.0, 5.0]), cluster, np.array([1, 2, 3, 4]))
    two = Sample.of_entries(np.array([0.1, 0.2]), some, labelled=True)
    assert (two.row.tolist(), two.label.tolist()) == (row.tolist(), label.tolist())
    assert two.positive.tolist() == [True, False, True, False]
    assert two.count.tolist() == [1, 2, 3, 4]
    assert two.each.tolist() == [2, 3, 2, 5]
    assert two.cluster.tolist() == [2, 0, 1, 2]
    assert (two.classes, two.clusters, len(two)) == (2, 3, 4)
    three = Sample.of_entries(np.eye(3)[:2], some, labelled=True)
    assert (three.classes, three.label.tolist()) == (3, label.tolist())
    bare = Sample.of_entries(np.array([0.1, 0.2]), some, labelled=False)
    assert bare.label is None
    assert bare.probabilities.tolist() == [0.1, 0.1, 0.2, 0.2]
    assert bare.row.tolist() == [0, 1, 2, 3]
    alike = Entries.of(row, label, np.full(4, 7.0), None)
    even = Sample.of_entries(np.array([0.1, 0.2]), alike, labelled=True)
    assert even.each.tolist() == [1.0] * 4


def test_votes_of_two_classes_are_for_one_or_the_other():
    sample = Sample.of_votes(np.array([0, 2, 1]), np.array([3, 3, 1]), np.array([4, 1, 2]))
    assert sample.votes.tolist() == [[3, 0], [1, 2], [0, 1]]
    assert (sample.positives.tolist(), sample.totals.tolist()) == ([0, 2, 1], [3, 3, 1])


def test_equal_votes_are_put_together_with_what_they_weigh():
    votes = np.array([0, 1, 1, 2, 2]), np.array([2, 2, 2, 2, 3]), np.array([4, 1, 2, 5, 1])
    sample = Sample.of_votes(*votes, np.array([1.0, 2.0, 0.5, 1.0, 3.0]))
    found = sample.distinct
    assert found.votes.tolist() == [[2, 0], [1, 1], [0, 2], [1, 2]]
    assert sample.place.tolist() == [0, 1, 1, 2, 3]
    assert found.count == pytest.approx(np.array([4, 3, 5, 3]) * 13 / 15)
    assert sample.in_distinct(sample.count, 30.0) == pytest.approx([8, 6, 10, 6])
    assert sample.in_distinct(np.array([1, 1, 0, 2, 1])) == pytest.approx(
        np.array([1, 2, 2, 3]) * 5 / 8
    )
    plain = Sample.of_votes(*votes)
    assert plain.distinct is plain
    assert plain.in_distinct(plain.count) is plain.count
    three = np.array([[2, 0, 1], [2, 0, 1], [2, 1, 0], [0, 1, 2]])
    many = Sample.of_rows(three, np.array([1, 1, 2, 3]), np.array([1.0, 3.0, 1.0, 1.0]))
    assert many.distinct.votes.tolist() == three[1:].tolist()
    assert many.in_distinct(many.count, 9.0).tolist() == [4, 2, 3]


@pytest.mark.parametrize("empty", [(), (0,), (2, 3), (5,), (0, 2, 3, 5)])
def test_rows_and_classes_have_the_sums_of_their_cells(empty):
    rng = np.random.default_rng(0)
    cells = [(row, label) for row in range(6) for label in (1, 0) if row not in empty]
    cells = [one for one in cells if rng.random() < 0.8 or one[1]]
    row, label = np.array(cells).T
    sample = Sample(np.arange(6) / 10, row, label, np.ones(row.size, dtype=int))
    for masses in (rng.random(row.size), rng.random((3, row.size))):
        zeros, ones = sample.by_row(masses)
        assert zeros.shape == ones.shape == (*masses.shape[:-1], 6)
        for k, found in enumerate((zeros, ones)):
            slow = [masses[..., (row == one) & (label == k)].sum(axis=-1) for one in range(6)]
            assert found == pytest.approx(np.stack(slow, axis=-1))
        zeros, ones = sample.by_class(masses)
        assert zeros == pytest.approx(masses[..., label == 0].sum(axis=-1))
        assert ones == pytest.approx(masses[..., label == 1].sum(axis=-1))
    ends = [i for i in range(row.size + 1) if i in (0, row.size) or row[i] != row[i - 1]]
    assert sample.ends.tolist() == ends
    first = [
        min((i for i in range(row.size) if row[i] >= one), default=row.size) for one in range(6)
    ]
    assert sample.starts.tolist() == first


@kinds
def test_some_cells_keep_what_belongs_to_them(kind):
    label = np.array([1, 0, 1, 0, 1, 0])
    sample = Sample(np.arange(3) / 3, np.repeat(np.arange(3), 2), label, COUNT, *KINDS[kind])
    some = np.array([0, 2, 2, 5])
    found = sample.among(some)
    assert found.masses.tolist() == sample.masses[some].tolist()
    assert (found.row.tolist(), found.label.tolist()) == ([0, 1, 1, 2], [1, 1, 1, 0])
    values = np.arange(1.0, 5.0)
    units = Items.of(COUNT[some], *(part[some] for part in KINDS[kind]))
    assert found.squares(values) == pytest.approx((units.sums(values[units.cell]) ** 2).sum())
    assert sample.fewer_rows(1).total == sample.total


# Fewer rows


def cells_of(by_row):
    """Return cells of rows with so many positives and negatives each, those of none left out."""
    some = [(row, 1 - k, n) for row, both in enumerate(by_row) for k, n in enumerate(both) if n]
    return Sample(np.arange(len(by_row)) / 10, *(np.array(one) for one in zip(*some, strict=True)))


def pairs_of(sample):
    """Return the positives and negatives of each row, which must have a cell for both."""
    assert sample.label.tolist() == [1, 0] * (len(sample) // 2)
    assert sample.row.tolist() == np.repeat(np.arange(len(sample.seen)), 2).tolist()
    return sample.count.reshape(-1, 2).tolist()


def in_blocks(by_row, starts):
    """Return how many of each class there are from each of some rows to the next."""
    ends = [*starts[1:], len(by_row)]
    parts = [by_row[start:end] for start, end in zip(starts, ends, strict=True)]
    return [[sum(both[k] for both in part) for k in (0, 1)] for part in parts]


@pytest.mark.parametrize("seed", range(6))
def test_runs_of_rows_with_one_class_become_one_row(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    monkeypatch.setattr(module, "APART", 2)
    kinds = np.repeat(rng.integers(0, 3, 8), rng.integers(1, 12, 8))
    by_row = [
        [int(n) * (kind != 1), int(m) * (kind != 0)]
        for kind, (n, m) in zip(kinds, rng.integers(1, 4, (kinds.size, 2)), strict=True)
    ]
    sample = cells_of(by_row)
    starts = [
        row for row, kind in enumerate(kinds) if row == 0 or kind == 2 or kind != kinds[row - 1]
    ]
    near = {  # of two rows at either end of a run each stays apart
        row
        for start, end in zip(starts, [*starts[1:], kinds.size], strict=True)
        for row in range(start, end)
        if row <= start + 2 or row >= end - 2
    }
    loose = in_blocks(by_row, sorted(near))
    tight = in_blocks(by_row, starts)
    assert pairs_of(sample.joined(len(loose))) == loose
    assert pairs_of(sample.joined(len(loose) - 1)) == tight
    assert pairs_of(sample.joined(len(tight))) == tight
    block, blocks = sample.blocks(len(tight) - 1)
    assert blocks == len(tight) - 1
    even = [
        [int(sample.count[(block == one) & (sample.label == k)].sum()) for k in (1, 0)]
        for one in range(blocks)
    ]
    assert pairs_of(sample.joined(blocks)) == even


def test_eight_rows_at_either_end_of_a_run_stay_apart():
    sample = cells_of([[1, 0]] * 30 + [[0, 2]] * 18)
    ones, twos = [[1, 0]], [[0, 2]]
    apart = ones * 8 + [[14, 0]] + ones * 8 + twos * 8 + [[0, 4]] + twos * 8
    assert pairs_of(sample.joined(100)) == apart
    assert pairs_of(sample.joined(34)) == apart
    assert pairs_of(sample.joined(33)) == [[30, 0], [0, 36]]


def test_blocks_of_rows_hold_about_as_many_items_each():
    sample = cells_of([[1, 0], [0, 1], [2, 0], [1, 1], [0, 1], [1, 0]])
    block, blocks = sample.blocks(4)  # of eight items two each
    assert (block.tolist(), blocks) == ([0, 0, 1, 2, 2, 3, 3], 4)
    assert sample.blocks(6)[0] is sample.row
    assert sample.blocks(1)[0].tolist() == [0] * 7


def test_blocks_of_many_rows_follow_the_scores_and_are_of_about_equal_size(rng):
    table = ScoreTable.from_arrays(np.round(rng.random(5000), 3), rng.random(5000) < 0.4)
    sample = table.cells()
    block, blocks = sample.blocks(16)
    assert blocks == 16
    assert (np.diff(block) >= 0).all()
    assert (np.diff(block)[np.diff(sample.row) == 0] == 0).all()  # rows stay whole
    sizes = np.bincount(block, sample.count)
    assert np.abs(sizes - 5000 / 16).max() <= (table.negatives + table.positives).max()


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
