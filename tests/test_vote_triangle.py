"""Certified limits of three classes, and weighted votes: their parts, item by item."""

from itertools import combinations, product

import numpy as np
import pytest

from errorfloor.data.sample import Sample
from errorfloor.intervals.bets import Blocks
from errorfloor.intervals.votes import bracket as triangle
from errorfloor.intervals.votes.bracket import missed_votes
from errorfloor.intervals.votes.limits import equal_items
from errorfloor.methods.record import Options
from errorfloor.methods.votes.simplex import partitions


def votes_of(classes=3, total=4, items=300, seed=0, spread=0.4):
    rng = np.random.default_rng(seed)
    drawn = rng.multinomial(total, rng.dirichlet(np.full(classes, spread), items))
    return np.unique(drawn, axis=0, return_counts=True)


# Three classes.


def test_small_triangles_fill_the_large_one():
    for side in (1, 2, 5):
        small = triangle.small_triangles(side)
        assert small.shape == (side**2, 3, 3)
        assert small.sum(axis=2) == pytest.approx(1)
        assert small.min() == 0
        area = np.abs(np.linalg.det(small))  # as parts of the large one
        assert area == pytest.approx(1 / side**2)
        middles = {tuple(one) for one in small.mean(axis=1).round(9).tolist()}
        assert len(middles) == side**2


def test_numbers_are_judged_by_their_mean_and_its_noise():
    values, share = np.array([0.1, 0.5, 0.9]), np.array([0.5, 0.3, 0.2])
    mean = values @ share
    noise = np.sqrt((values - mean) ** 2 @ share / 50)
    assert triangle._judged(values, share, 1.0, 50) == pytest.approx(mean + 2.5 * noise)
    assert triangle._judged(values, share, -1.0, 50) == pytest.approx(-mean + 2.5 * noise)
    assert triangle._judged(values, share, 1.0, 0) == triangle._judged(values, share, 1.0, 1)


def test_bets_on_numbers_of_blocks_are_won_item_by_item():
    values = np.array([[0.0, 0.3, 0.6], *[[-0.2, 0.4, 0.5]] * 3, [-0.2, 0.3, 0.9]])
    least, most = np.array([0.0, -0.2, -0.2, -0.2, -0.2]), np.array([0.67, 0.67, 0.67, 0.67, 0.9])
    blocks = np.array([[2, 1, 3], [1, 4, 6], [0, 0, 0], [2, 2, 9], [9, 12, 40]])
    goal = np.log(20)
    found = triangle.Side(-1.0, values, least, most).limit(Blocks.of(blocks), 0.9)
    assert 0 < found < 2 / 3
    won = 0.0
    for b in range(5):
        seen = np.repeat(values[b], blocks[:b].sum(axis=0))
        spread = seen.size * seen.var() if seen.size else 0.0
        variance = (0.25 * (most[b] - least[b]) ** 2 + spread) / (seen.size + 1)
        stake = min(np.sqrt(2 * goal / (blocks.sum() * variance)), 0.5 / (found - least[b]))
        won += np.log(1 + stake * (np.repeat(values[b], blocks[b]) - found)).sum()
    assert won == pytest.approx(goal, abs=1e-6)
    # Too few items refute nothing: the least there can be.
    few = Blocks.of(blocks // 3)
    assert triangle.Side(-1.0, values, least, most).limit(few, 1 - 1e-12) == 0
    above = triangle.Side(1.0, 2 / 3 - values, 2 / 3 - most, 2 / 3 - least)
    assert above.limit(Blocks.of(blocks), 0.9) == pytest.approx(2 / 3 - found)


def test_plain_numbers_are_what_leaders_leave_and_what_others_miss():
    votes = np.array([[4, 1, 0], [2, 2, 1], [3, 2, 0]])
    below, above = (triangle.Side.plain(votes, sign) for sign in (-1.0, 1.0))
    assert below.values == pytest.approx(np.tile([0.2, 0.6, 0.4], (5, 1)))
    # A vote for a single leader by one is met half of the time, as there are two leaders then.
    assert above.values == pytest.approx(np.tile([0.2, 1.0, 1 - 0.6 / 2], (5, 1)))
    for side, top in ((below, 2 / 3), (above, 1.0)):
        assert side.least.tolist() == [0] * 5
        assert side.most == pytest.approx([top] * 5)


def test_chosen_numbers_are_known_from_a_block_on():
    votes = np.array([[2, 1, 0], [1, 2, 0], [3, 0, 0], [1, 1, 1], [5, 0, 0]])
    own = votes.sum(axis=1) == 3
    side = triangle.Side.plain(votes, 1.0)
    before = side.values.copy()
    chances = np.full(len(partitions(10)), 1.0)
    weights, of = triangle._chosen(votes[own], chances, 1.0, 500)
    side.choose(2, votes, own, chances, 500)
    assert (side.values[:2] == before[:2]).all()
    assert (side.values[2:, ~own] == before[2:, ~own]).all()
    assert side.values[2:, own] == pytest.approx(np.tile(weights[of], (3, 1)))
    assert of[0] == of[1]  # the order of classes says nothing
    assert len({int(one) for one in of}) == 3
    assert side.least.tolist() == [0, 0, *[min(0, weights.min())] * 3]
    assert side.most.tolist() == [1, 1, *[max(1, weights.max())] * 3]


def test_of_what_is_tried_the_numbers_with_the_nearest_bound_are_chosen():
    votes = np.array([[2, 1, 0], [3, 0, 0], [1, 1, 1]])
    cells = triangle.cells_of(3)
    parts = [partitions(10)[cell] for cell in cells]
    padded = np.array([[*one, *[0] * (3 - len(one))] for one in parts])
    best = set()
    for sign, n in product((1.0, -1.0), (1, 30, 10**6)):
        chances = np.zeros(len(partitions(10)))
        chances[cells] = [0.2, 0.3, 0.5] if n == 30 else [0.6, 0.3, 0.1]
        share = chances[cells] / chances.sum()
        tried = [triangle.weights_for(3, share, sign, largest) for largest in (1.0, 2.0)]
        tried.append(missed_votes(padded) if sign > 0 else 1 - padded.max(axis=1) / 3)
        judged = []
        for numbers in tried:
            mean = share @ numbers
            judged.append(sign * mean + 2.5 * np.sqrt(share @ (numbers - mean) ** 2 / n))
        chosen = int(np.argmin(judged))
        best.add(chosen)
        assert triangle._chosen(votes, chances, sign, n)[0] == pytest.approx(tried[chosen])
    assert 2 in best  # the plain ones
    assert len(best) > 1


def test_each_side_of_a_triangle_has_half_of_the_error():
    votes, counts = votes_of(total=5, items=600)
    blocks = Blocks.drawn(counts, np.random.default_rng(0))
    found = triangle.Triangle.of(votes, blocks)
    low, high = found.below.limit(blocks, 0.9), found.above.limit(blocks, 0.9)
    assert 0 < low < high < 2 / 3
    assert found.limits(0.9) == (low, high)
    few = triangle.Triangle.of(votes[:2], Blocks.of(np.ones((5, 2), dtype=int)))
    low, high = few.limits(1 - 1e-9)
    assert (low, high) == pytest.approx((0, 2 / 3))


# Weighted votes.


def depends_on(row):
    """Yield what floors depend on, of the votes on one item."""
    cast = np.repeat(np.arange(row.size), row)
    yield 1 - max(np.mean(cast == c) for c in range(row.size))
    pairs = [a == b for a, b in combinations(cast, 2)]
    yield np.mean(pairs) if pairs else 0.5
    yield float(len(set(cast)) == 1)
    yield from (np.mean(cast == c) for c in range(row.size))


def number(weight, unit, values):
    """Return how many equal items have a mean of such values that varies as much."""
    total, usual = weight.sum(), (weight**2).sum() / weight.sum()
    away = values - weight @ values / total
    spread = weight @ away**2 / total
    if spread == 0:
        return total / usual
    squares = sum(((weight * away)[unit == one].sum()) ** 2 for one in set(unit.tolist()))
    more = 2 * usual  # two units that weigh as usual
    return total / max(usual, (squares + more * usual * spread) / (spread * (total + more)))


@pytest.mark.parametrize("cluster", [None, np.array([0, 1, 0, 2, 1, 2, 3])])
@pytest.mark.parametrize("light", [0.05, 1.0, 40.0])
@pytest.mark.parametrize("classes", [2, 3])
def test_votes_are_worth_as_many_items_as_any_mean_of_them_is(cluster, light, classes):
    votes = np.array([[3, 0, 0], [3, 0, 0], [1, 2, 0], [2, 1, 2], [2, 1, 2], [0, 4, 0], [0, 0, 1]])
    votes = votes if classes == 3 else np.column_stack((votes[:, 0], votes[:, 1:].sum(axis=1)))
    count, weight = np.array([2, 1, 3, 1, 2, 4, 1]), np.array([1.0, 2, 0.5, 3, 1, 0.7, 1])
    weight[3] *= light
    sample = Sample.of_rows(votes, count, weight, cluster)
    cell = np.repeat(np.arange(7), count)
    unit = np.arange(cell.size) if cluster is None else cluster[cell]
    values = np.array([list(depends_on(votes[one])) for one in cell])
    numbers = [number(weight[cell], unit, column) for column in values.T]
    # Where few have any votes against the rest, their own spread is no guide.
    apart = sample.share_and_size(np.where(votes.max(axis=1) < votes.sum(axis=1), count, 0.0))[1]
    assert equal_items(sample, Options()) == pytest.approx(min(*numbers, apart))
    assert equal_items(Sample.of_rows(votes, count), Options()) == 14
