"""The sign test on a model's own items: its parts, against plain code and exact chances."""

from itertools import permutations, product

import numpy as np
import pytest
from scipy.stats import binom

import errorfloor as ef
from errorfloor.intervals import signs
from errorfloor.intervals.signs import Prefixes, sign_test, sign_test_of_classes

NOBODY = Prefixes.of(None, 0)


@pytest.mark.parametrize("n", [1, 2, 3, 7, 24, 25, 100, 953])
def test_prefixes_grow_by_a_quarter(n):
    steps = {int(1.25**k) for k in range(60) if 1.25**k <= n}
    assert signs._ladder(n).tolist() == sorted(steps | {0, n})


def test_the_most_doubtful_predictions_come_first():
    table = ef.ScoreTable([0.1, 0.4, 0.7], [[5, 1], [1, 2], [0, 1]])
    ones = Prefixes.of(table, 1)  # wrong where the label is 0; low scores are doubtful
    assert ones.sizes.tolist() == [0, 6, 9, 10]
    assert ones.wrong.tolist() == [0, 5, 6, 6]
    zeros = Prefixes.of(table, 0)
    assert zeros.sizes.tolist() == [0, 1, 4, 10]
    assert zeros.wrong.tolist() == [0, 1, 3, 4]
    for nobody in (NOBODY, Prefixes.of(ef.ScoreTable(np.empty(0), np.empty((0, 2), int)), 1)):
        assert (nobody.sizes.tolist(), nobody.wrong.tolist()) == ([0], [0])


def test_a_prefix_ends_at_the_first_score_that_has_as_many_items():
    table = ef.ScoreTable(np.arange(12) / 12, np.tile([1, 0], (12, 1)))
    sizes = Prefixes.of(table, 1).sizes
    assert sizes.tolist() == signs._ladder(12).tolist() == [0, 1, 2, 3, 4, 5, 7, 9, 11, 12]


def exact(first, second, observed):
    """Return the chance that fair coins are as large, by all of their sums in each step."""
    steps = [np.diff(first.sizes), np.diff(second.sizes)]
    chance = 0.0
    for heads in product(*(range(step + 1) for step in (*steps[0], *steps[1]))):
        walks, at, weight = [], 0, 1.0
        for part in steps:
            own = heads[at : at + part.size]
            at += part.size
            walks.append(np.append(0, np.cumsum(2 * np.array(own, dtype=int) - part)))
            weight *= np.prod(binom.pmf(own, part, 0.5))
        sizes = np.add.outer(first.sizes, second.sizes)
        largest = (np.add.outer(*walks) / np.sqrt(np.maximum(sizes, 1))).max()
        chance += weight * (largest >= observed - 1e-9)
    return chance


@pytest.mark.parametrize(
    ("wrong", "other"), [((1, 2, 2), (1,)), ((2, 3, 5), (0, 1)), ((1, 3, 6), (1, 3)), ((0, 0), ())]
)
def test_the_statistic_and_its_chance_are_those_of_fair_coins(wrong, other):
    first = Prefixes(np.arange(len(wrong) + 1) * 2, np.array([0, *wrong]))
    second = Prefixes(np.arange(len(other) + 1) * 3, np.array([0, *other]))
    observed = max(
        (2 * a - m + 2 * b - n) / np.sqrt(max(m + n, 1))
        for a, m in zip(first.wrong, first.sizes, strict=True)
        for b, n in zip(second.wrong, second.sizes, strict=True)
    )
    statistic, p = signs._tested(first, second)
    assert statistic == pytest.approx(observed)
    truth = exact(first, second, observed)
    # Up to 9,999 draws, fewer where 200 are as large: the chance is known to a few tenths of it.
    spread = max(truth * (1 - truth) / 9999, truth**2 / 200) ** 0.5
    assert abs(p - truth) < 4 * spread + 1e-4
    assert 0 < p <= 1


def test_a_statistic_that_every_draw_reaches_has_a_chance_of_1():
    # Nobody is there: the empty prefixes have 0 wrong less right, always.
    assert signs._tested(NOBODY, NOBODY) == (0.0, 1.0)
    # All right: 0 is the largest there is, that of no items, and every draw is as large.
    assert sign_test(ef.ScoreTable([0.2], [[9, 0]]), ef.ScoreTable([0.8], [[0, 9]])) == (0.0, 1.0)


def test_draws_end_when_enough_are_as_large():
    # Of one coin, about half of the draws: the 200th comes after about 400.
    p = signs._share_as_large(1.0, np.array([0, 1]), np.array([0]), np.ones((2, 1)))
    draws = np.random.default_rng(20261115).binomial([1], 0.5, (500, 1)).ravel()
    assert p == 200 / (np.flatnonzero(draws)[199] + 1)
    # None of all 9,999 draws.
    rare = signs._share_as_large(9.0, np.array([0, 1]), np.array([0]), np.ones((2, 1)))
    assert rare == 1 / 10_000


def test_walks_are_sums_of_coins():
    walks = signs._walks(np.array([0, 4, 10]), 4000, np.random.default_rng(0))
    assert walks.shape == (4000, 3)
    assert (walks[:, 0] == 0).all()
    assert np.unique(walks[:, 1]).tolist() == [-4, -2, 0, 2, 4]
    assert abs(walks[:, 2].mean()) < 4 * np.sqrt(10 / 4000)
    assert walks[:, 1].var() == pytest.approx(4, rel=0.1)
    assert (walks[:, 2] - walks[:, 1]).var() == pytest.approx(6, rel=0.1)


def test_the_bound_adds_the_chances_of_all_prefixes():
    sizes = np.array([0, 1, 4, 9, 30])
    for statistic in (0.5, 1.0, 2.0, 2.7, 3.0):
        chances = [
            binom.sf(np.ceil((n + statistic * np.sqrt(n)) / 2 - 1e-9) - 1, n, 0.5)
            for n in sizes[1:]
        ]
        assert signs._union_bound(statistic, sizes) == pytest.approx(sum(chances))
    # All nine of nine wrong: 3 exactly, which counts.
    assert signs._union_bound(3.0, np.array([9])) == pytest.approx(2.0**-9)


def test_a_rare_statistic_has_the_smaller_of_draws_and_bound():
    ones = ef.ScoreTable([0.5], [[60, 0]])
    statistic, p = sign_test(None, ones)
    assert statistic == pytest.approx(np.sqrt(60))
    assert p == pytest.approx(2.0**-60)
    # Where the bound is larger than what draws say, they count.
    ones = ef.ScoreTable(np.arange(40) / 40, np.tile([1, 0], (40, 1))[:40])
    assert sign_test(None, ones)[1] < 1e-4


# Many classes.


def table_of(scores, counts):
    """Return a table of rows in any order."""
    order = np.lexsort(np.asarray(scores).T[::-1])
    return ef.ScoreTable(np.asarray(scores)[order], np.asarray(counts)[order])


SCORES = np.array([[0.7, 0.2, 0.1], [0.5, 0.3, 0.2], [0.45, 0.1, 0.45], [0.6, 0.25, 0.15]])
COUNTS = np.array([[3, 1, 0], [1, 2, 0], [0, 0, 3], [0, 2, 1]])
SIDE = table_of(SCORES, COUNTS)


def rows_of(table):
    return {tuple(scores): tuple(counts) for scores, counts in zip(
        table.scores.tolist(), table.counts.tolist(), strict=True)}  # fmt: skip


def test_doubt_is_the_ratio_of_the_scores_of_two_classes():
    own = rows_of(SIDE)
    slow = []
    for scores, counts in own.items():
        if counts[0] + counts[1]:  # items that are truly one of the two
            slow.append((np.log(scores[0]) - np.log(scores[1]), counts[1], counts[0]))
    slow.sort()
    found = signs._doubted(SIDE, 0, 1)
    margin, counts = signs._margins(SIDE, 0, np.ones(len(SIDE), dtype=int))
    order = np.argsort(margin)
    assert margin[order] == pytest.approx([one[0] for one in slow])
    assert counts[order].tolist() == [[wrong, right] for _, wrong, right in slow]
    sizes = np.cumsum([0] + [wrong + right for _, wrong, right in slow])
    wrongs = np.cumsum([0] + [wrong for _, wrong, _ in slow])
    chosen = [i for i, size in enumerate(sizes) if size in found.sizes]
    assert found.sizes.tolist() == sizes[chosen].tolist()
    assert found.wrong.tolist() == wrongs[chosen].tolist()
    assert found.sizes[-1] == 9


def test_scores_below_0_are_logarithms_already():
    side = table_of([[1.0, -2.0, 0.0], [-1.0, -1.5, 0.5]], [[1, 2, 0], [3, 1, 0]])
    margin, counts = signs._margins(side, 0, np.ones(2, dtype=int))
    own = {
        (scores[0] - scores[1]): [counts[1], counts[0]] for scores, counts in rows_of(side).items()
    }
    assert {float(a): b.tolist() for a, b in zip(margin, counts, strict=True)} == own
    # A score of 0 has no logarithm: it is taken for the least there is.
    sure = ef.ScoreTable(np.array([[1.0, 0.0, 0.0]]), [[1, 1, 0]])
    assert signs._margins(sure, 0, np.ones(1, dtype=int))[0] == pytest.approx(-np.log(1e-300))


def test_the_likeliest_other_class_has_the_highest_score_but_one():
    scores = SIDE.scores
    for predicted in range(3):
        found = signs._likeliest(SIDE, predicted)
        for row, other in zip(scores, found, strict=True):
            assert other != predicted
            assert row[other] == max(row[c] for c in range(3) if c != predicted)
    assert (SIDE.scores == scores).all()


def test_equal_margins_are_one_step():
    parts = [
        (np.array([0.5, 0.1]), np.array([[1, 2], [3, 0]])),
        (np.array([0.1, 0.9]), np.array([[1, 1], [0, 4]])),
    ]
    found = signs._in_doubt(parts)
    assert found.sizes.tolist() == [0, 5, 8, 12]
    assert found.wrong.tolist() == [0, 4, 5, 5]


@pytest.mark.parametrize("together", [False, True])
def test_of_all_pairs_of_classes_the_most_telling_counts_times_their_number(together):
    rng = np.random.default_rng(0)
    sides = []
    for predicted in range(3):
        scores = rng.dirichlet(np.ones(3), 40)
        scores[:, predicted] += 1
        scores /= scores.sum(axis=1, keepdims=True)
        labels = np.full(40, predicted)
        labels[:9] = (predicted + 1) % 3
        if together:  # many of the items are of the likeliest other class
            others = np.where(np.arange(3) == predicted, -1, scores).argmax(axis=1)
            labels[:28] = others[:28]
        elif predicted == 0:  # most of what is named class 0 is class 2
            labels[9:37] = 2
        counts = np.eye(3, dtype=int)[labels]
        sides.append(table_of(scores, counts))
    statistic, p = sign_test_of_classes(sides)
    pairs = [
        signs._tested(signs._doubted(sides[a], a, b), NOBODY)
        for a in range(3)
        for b in range(3)
        if a != b
    ]
    of_all = signs._tested(
        signs._in_doubt(
            [signs._margins(side, a, signs._likeliest(side, a)) for a, side in enumerate(sides)]
        ),
        NOBODY,
    )
    least = min(one[1] for one in pairs)
    bounds = [
        min(signs._union_bound(one[0], signs._doubted(sides[a], a, b).sizes), 1.0)
        for one, (a, b) in zip(pairs, permutations(range(3), 2), strict=True)
    ]
    least = min(least, *bounds)
    assert p == pytest.approx(min(2 * min(of_all[1], 6 * least), 1))
    assert (of_all[1] <= 6 * least) == together
    telling = max(one[0] for one in pairs)
    assert statistic == pytest.approx(of_all[0] if together else telling)
    # A model that is always right is beaten by nobody.
    right = [ef.ScoreTable(side.scores, np.eye(3, dtype=int)[[a] * len(side)])
             for a, side in enumerate(sides)]  # fmt: skip
    assert sign_test_of_classes(right)[1] == 1.0
