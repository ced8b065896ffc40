"""Where each check begins to say something else: at its limit, and just before it."""

from types import SimpleNamespace

import numpy as np
import pytest

import errorfloor as ef
from errorfloor.checks import leaks, names, order, rows, scores, soft, votes
from errorfloor.checks.record import wording_of
from errorfloor.data.options import ReadOptions, Source
from errorfloor.data.tables import VoteTable
from errorfloor.metrics import ERROR, named

FLOOR = wording_of(ERROR)


def estimate(table=None, **given):
    """Return what checks look at, for an error floor of 0.1 unless said otherwise."""
    plain = {"value": 0.1, "method": "isotonic", "metric": "error", "measure": ERROR}
    plain |= {"source": None, "n_effective": None, "interval_method": None, "clusters": None}
    plain |= {"interval": None, "high": None, "n": 0 if table is None else table.n}
    plain["classes"] = () if table is None else table.classes
    return SimpleNamespace(**{**plain, "table": table, **given})


def levels(found):
    return [(one.name, one.level) for one in found]


def from_facts(**facts):
    return estimate(source=Source(origin="arrays", layout="", facts=facts))


# Soft labels


def test_few_items_say_little_and_less_still_by_the_jackknife():
    def found(**given):
        return soft.few_items(estimate(**given))

    jackknife = {"interval_method": "jackknife"}
    assert (found(n=29, **jackknife).level, found(n=29, **jackknife).value) == ("warn", "29")
    assert found(n=30, **jackknife).level == "ok"
    worth = found(n=1000, n_effective=14.6, **jackknife)
    assert (worth.level, worth.value) == ("warn", "1,000, worth 15")
    assert found(n=1000, n_effective=15.0, **jackknife).level == "ok"


def test_soft_labels_that_are_certain_are_said_to_add_nothing_to_a_floor():
    two = ef.SoftTable(np.array([0.25, 1.0]), np.array([60, 20]))
    (certain,) = soft._certain(estimate(two))
    assert (certain.value, certain.level) == ("20 items (25.0 %)", "ok")
    assert "add nothing to the floor" in certain.sentence
    (of_auc,) = soft._certain(estimate(two, measure=named("auc")))
    assert of_auc.sentence == "Items whose class is said to be certain."
    assert soft.certainty(0, 100, FLOOR).sentence == "No soft label claims certainty."


# Votes


def test_unanimous_votes_show_no_floor():
    levels = [votes.unanimity(1.0, FLOOR, further=number).level for number in (299, 300)]
    assert levels == ["note", "warn"]
    table = ef.VoteTable.from_arrays([0, 2, 1, 1], [2, 2, 2, 4])
    found = {one.name: one.value for one in votes._votes(estimate(table))}
    assert found["Class balance"] == "43.8 % positive"  # 0, 1, 1/2 and 1/4


def test_plain_shares_are_said_to_be_off_where_it_matters():
    def found(**given):
        plain = {"bias": -0.02, "low": 0.1, "high": 0.18, "method": "plugin", "plugin": 0.09}
        return list(votes.plugin_bias(estimate(**{**plain, "bias_bound": None, **given})))

    assert [one.level for one in found(bias=-0.021)] == ["note"]
    assert [one.level for one in found(bias=-0.019)] == ["ok"]  # below a quarter of the width
    assert [one.level for one in found(bias=-0.021, method="mixture")] == ["ok"]
    assert [one.level for one in found(bias=0.021)] == ["ok"]
    no_interval = {"low": None, "high": None}
    assert [one.level for one in found(bias=-0.00011, **no_interval)] == ["note"]
    assert [one.level for one in found(bias=-0.00009, **no_interval)] == ["ok"]
    assert found(measure=named("brier")) == []
    assert found(bias=None) == []
    small, large = (found(bias=None, bias_bound=bound)[0] for bound in (0.1, 0.11))
    assert "exceeds the floor" in large.sentence
    assert "exceeds the floor" not in small.sentence


# Scores


def score_table(values, negatives, positives):
    return ef.ScoreTable(np.array(values, float), np.column_stack((negatives, positives)))


def test_hardly_better_than_guessing_begins_at_a_twentieth():
    table = score_table([0.1, 0.5, 0.9], [50, 20, 10], [10, 20, 50])  # half of 160 are positive

    def found(**given):
        (one,) = scores._guessing(estimate(table, **given))
        return one

    good = found(value=0.475)
    assert (good.name, good.level, good.value) == (
        "Better than guessing",
        "ok",
        "5.0 % fewer errors",
    )
    hardly = found(value=0.476)
    assert (hardly.name, hardly.level) == ("Hardly better than guessing", "note")
    assert hardly.value == "4.8 % fewer errors"
    assert found(value=0.6).value == "0.0 % fewer errors"
    assert found(value=0.3, high=0.5).level == "note"
    assert found(value=0.3, high=0.499).level == "ok"
    assert not list(scores._guessing(estimate(score_table([0.1, 0.2], [5, 5], [0, 0]))))


def test_probabilities_above_the_error_of_guessing_are_refuted_beyond_three_deviations():
    table = score_table([0.4, 0.5], [100, 60], [0, 40])  # 40 of 200 are positive
    noise = np.sqrt(100 * 0.24 + 100 * 0.25) / 200
    for value, name in (
        (0.2 + 3.01 * noise, "Worse than guessing"),
        (0.2 + 2.99 * noise, "Hardly better than guessing"),
    ):
        (found,) = scores._guessing(estimate(table, value=value, method="corrupted"))
        assert found.name == name
    (fitted,) = scores._guessing(estimate(table, value=0.5))  # by isotonic, which takes the order
    assert fitted.name == "Hardly better than guessing"


def test_ties_of_merged_scores_are_not_known():
    table = ef.ScoreTable.from_ranges(
        np.array([0.1, 0.3]), np.array([0.2, 0.3]), counts=np.array([[3, 1], [1, 1]])
    )
    (found,) = scores._ties(estimate(table))
    assert (found.value, found.level) == ("unknown", "note")
    assert not list(leaks._leaks(estimate(table)))


# The order of scores


def test_a_rule_that_turns_round_saves_what_trying_all_saves():
    rng = np.random.default_rng(1)
    for _ in range(20):
        negatives, positives = rng.integers(0, 4, (2, 7))
        table = score_table(np.arange(7.0), negatives + 1, positives)
        change = np.concatenate(([0], np.cumsum(table.positives - table.negatives)))
        cut = int(np.argmin(change))
        up = max(change[j] - change[i] for i in range(cut + 1) for j in range(i, cut + 1))
        down = max(change[i] - change[j] for i in range(cut, 8) for j in range(i, 8))
        errors = table.positives[:cut].sum() + table.negatives[cut:].sum()
        assert order.errors_saved(table) == (up + down, errors)


def test_blocks_of_rows_have_about_equal_mass():
    ones, zeros = np.ones(100, int), np.zeros(100, int)
    assert order._ends(np.cumsum(ones), zeros).tolist() == list(range(100))
    ends = order._ends(np.cumsum(np.ones(1000, int)), np.zeros(1000, int))
    assert ends.tolist() == list(range(9, 1000, 10))
    heavy = np.ones(101, int)
    heavy[50] = 1000
    ends = order._ends(np.cumsum(heavy), np.zeros(101, int))
    assert ends[-1] == 100
    assert 50 in ends
    assert len(ends) < 20


# Rows


def test_fewer_than_fifty_clusters_or_fifteen_equal_ones_are_doubted():
    def found(number, effective):
        table = SimpleNamespace(entries=SimpleNamespace(effective_clusters=effective))
        given = {"clusters": number, "interval": (0, 1), "n": 1, "classes": ()}
        return [one.value for one in rows._clustered(SimpleNamespace(table=table, **given))]

    assert found(49, 40.0) == ["49"]
    assert found(50, 15.0) == []
    assert found(50, 14.9) == ["50, of unequal size"]


def test_numbers_of_items_that_are_all_multiples_are_copies():
    def found(counts):
        table = ef.SoftTable(np.linspace(0, 1, len(counts)), np.array(counts))
        return [one.value for one in rows._copied(estimate(table))]

    assert found([4] * 15 + [6] * 15) == ["each 2 times"]
    assert found([4] * 15 + [6] * 14) == []
    assert found([4] * 30 + [3]) == []
    assert found([1] * 30) == []
    assert found([3] * 29 + [4] + [3] * 30) == []
    assert found([3] * 40) == ["each 3 times"]


# Names


def test_one_class_in_two_spellings_refutes_unless_classes_are_listed():
    def found(*classes, listed=None):
        source = Source(origin="arrays", layout="", options=ReadOptions(classes=listed))
        return [
            (one.value, one.level)
            for one in names._spellings(estimate(classes=classes, source=source))
        ]

    assert found("Cat", "cat_", "dog") == [("Cat and cat_", "refuted")]
    assert found("a b", "a  B", "c", listed=("a b", "a  B", "c")) == [("a b and a  B", "note")]
    assert found("cat", "cats") == []
    words = from_facts(classes={"1": ["Yes", "yes"], "0": ["no"]})
    assert [*names._spellings(words)] == []  # of one class
    words = from_facts(classes={"1": ["A"], "0": ["a", "b"]})
    assert [one.value for one in names._spellings(words)] == ["A and a"]


def test_answers_that_are_no_class_are_named_among_three_classes():
    def found(*classes):
        return [(one.value, one.level) for one in names._abstentions(estimate(classes=classes))]

    assert found("yes", "no", "Don't know") == [("Don't know", "warn")]
    assert found("yes", "not-sure", "skip") == [("not-sure, skip", "warn")]
    assert found("yes", "skip") == []
    assert found("yes", "no", "maybe") == []
    assert found("0/0", "0/1", "1/1", "./.") == [("./.", "warn")]
    assert found("a", "b", "+/-") == []


def test_answers_that_are_no_class_are_named_on_the_side_where_they_count():
    def found(**options):
        source = Source(
            origin="arrays",
            layout="",
            options=ReadOptions(**options),
            facts={"classes": {"1": ["sick"], "0": ["unsure", "well", "fine"]}},
        )
        return [(one.value, one.sentence) for one in names._abstentions(estimate(source=source))]

    assert found() == [("unsure", "unsure counts as the same answer as well, fine.")]
    assert found(positive="sick") == found()
    assert found(positive="unsure") == []


# Many classes


def classes_of(*numbers, **given):
    """Return an estimate from scores, with so many labels of each class."""
    k = len(numbers)
    mixed, diagonal = np.eye(k) * 0.5 + 0.5 / k, np.diag(numbers)
    table = ef.ScoreTable(mixed[::-1], diagonal[::-1], classes=tuple("abcdefgh"[:k]))
    return estimate(table, **given)


def of_many(check, *numbers, **given):
    return [(one.name, one.level, one.value) for one in check(classes_of(*numbers, **given))]


def test_classes_with_few_or_no_labels_are_named():
    assert of_many(scores._labels, 20, 10, 10)[1:] == []
    assert of_many(scores._labels, 20, 10, 9)[1:] == [("Few labels", "note", "1 of 3 classes")]
    assert of_many(scores._labels, 10, 10, 9)[1:] == []  # fewer than thirty items
    assert of_many(scores._labels, 11, 10, 9)[1:] == [("Few labels", "note", "1 of 3 classes")]
    assert of_many(scores._labels, 1, 2, 5)[0] == (
        ("Class balance", "ok", "c 62.5 %, b 25.0 %, a 12.5 %")
    )
    five = of_many(scores._labels, 10, 10, 10, 10, 60)[0][2]
    assert five == "e 60.0 %, a 10.0 %, b 10.0 %, c 10.0 % and 1 more"
    table = ef.ScoreTable(np.eye(3)[:2][::-1], np.array([[0, 20, 0], [20, 0, 0]]))
    (_, unseen) = scores._labels(estimate(table))
    assert unseen.remedy == "Check the names of the classes."
    assert (unseen.name, unseen.level, unseen.value) == (
        ("Classes without labels", "warn", "1 of 3")
    )


def test_some_names_are_listed_and_the_others_counted():
    assert soft.some_of(list("abcd")) == "a, b, c, d"
    assert soft.some_of(list("abcde")) == "a, b, c, d and 1 more"
    assert soft.some_of(["a"]) == "a"


def test_many_classes_hardly_better_than_guessing():
    # Always answering the largest class is wrong on 60 %, with a deviation of 0.028 of 300 items.
    share = (120, 100, 80)
    assert of_many(scores._guessing, *share, value=0.57) == [
        ("Better than guessing", "ok", "5.0 % fewer errors")
    ]
    assert of_many(scores._guessing, *share, value=0.571) == [
        ("Hardly better than guessing", "warn", "4.8 % fewer errors")
    ]
    assert of_many(scores._guessing, 120, 100, 79, value=0.58)[0][1] == "note"
    blind, few, good = (
        next(scores._guessing(classes_of(*share, value=value))).remedy
        for share, value in ((share, 0.59), ((120, 100, 79), 0.59), (share, 0.3))
    )
    assert (blind, few, good) == ("Check the columns of scores.", "", "")
    mixed = ef.ScoreTable([[0.2, 0.3, 0.5], [0.6, 0.2, 0.2]], [[4, 3, 3], [1, 1, 8]])
    (of_rows,) = scores._guessing(estimate(mixed, value=0.225))  # 11 of 20 are of the last class
    assert of_rows.value == "50.0 % fewer errors"
    assert of_many(scores._guessing, *share, value=0.7)[0][2] == "0.0 % fewer errors"
    deviation = np.sqrt(0.6 * 0.4 / 300)
    for value, name in (
        (0.6 + 2.99 * deviation, "Hardly better than guessing"),
        (0.6 + 3.01 * deviation, "Worse than guessing"),
    ):
        assert of_many(scores._guessing, *share, value=value, method="corrupted")[0][0] == name
    table = ef.ScoreTable(np.eye(3)[:1], np.array([[20, 0, 0]]))
    assert not list(scores._guessing(estimate(table)))


def test_scores_of_many_classes_that_are_labels_or_predictions():
    def found(values, counts):
        table = ef.ScoreTable(np.array(values, float), np.array(counts))
        return [one.name for one in leaks._leaks(estimate(table))]

    zero_one = np.eye(3)[::-1]
    assert found(zero_one, [[0, 0, 3], [0, 3, 0], [4, 0, 0]]) == ["Scores are the labels"]
    assert found(zero_one, [[0, 0, 3], [0, 3, 0], [3, 0, 0]]) == []  # nine items are too few
    assert found(zero_one, [[0, 0, 3], [0, 3, 0], [3, 1, 0]]) == ["Scores are predictions"]
    assert found(zero_one, [[0, 0, 3], [0, 0, 3], [4, 0, 0]]) == ["Scores are predictions"]
    assert found(zero_one[1:], [[0, 5, 0], [5, 0, 0]]) == ["Scores are the labels"]
    assert found(zero_one[2:], [[10, 0, 0]]) == ["Scores are predictions"]
    sure = [[0.1, 0.8, 0.1], [0.8, 0.1, 0.1]]
    # A tree with a leaf for each class may well be right on so few items.
    assert found(sure, [[0, 5, 0], [5, 0, 0]]) == ["Label that follows from the score"]
    assert found(sure, [[0, 5, 0], [5, 1, 0]]) == []
    # Zeros and ones that are no single class, and shares that add up to one.
    assert found([[0, 1, 1], [1, 0, 0]], [[0, 5, 1], [5, 0, 0]]) == []
    rest = [[0, 0.5, 0.5], [0, 1, 0], [1, 0, 0]]
    assert found(rest, [[0, 5, 1], [1, 5, 0], [5, 0, 0]]) == []
    four = [[0, 0, 1], [0, 0.5, 0.5], [0, 1, 0], [1, 0, 0]]  # more rows than classes
    follows = ["Label that follows from the score"]
    assert found(four, [[0, 0, 5], [0, 5, 0], [0, 5, 0], [5, 0, 0]]) == follows


def test_constant_soft_labels_of_many_classes_are_shown():
    for n, number in ((29, 0), (30, 1)):
        table = ef.SoftTable(np.array([[0.1, 0.2, 0.3, 0.25, 0.15]]), np.array([n]))
        found = [one for one in soft._all(estimate(table)) if one.name == "Constant soft labels"]
        assert [one.value for one in found] == ["0.1, 0.2, 0.3, 0.25"] * number
    two = ef.SoftTable(np.array([[0, 0, 1], [0.5, 0.25, 0.25]]), np.array([15, 45]))
    both = (*soft._all(estimate(two)), *soft._certain(estimate(two)))
    found = {one.name: one.value for one in both}
    assert "Constant soft labels" not in found
    assert found["Exact zeros and ones"] == "15 items (25.0 %)"
    assert found["Class balance"] == "2 43.8 %, 0 37.5 %, 1 18.8 %"


def test_a_total_among_the_classes_is_found():
    def found(rows, counts):
        table = VoteTable(np.array(rows), np.array(counts), classes=("a", "b", "all"))
        return [one.value for one in votes._sum_of_others(table)]

    three = [[1, 1, 2], [1, 2, 3], [3, 1, 4]]
    assert found(three, [10, 10, 10]) == ["all"]
    assert found(three, [10, 10, 9]) == []
    assert found(three[:2], [20, 20]) == []
    assert found([[1, 1, 2], [1, 1, 3], [3, 1, 4]], [10, 10, 10]) == []


def test_votes_that_agree_less_often_than_guesses_are_refuted():
    def found(n):
        table = VoteTable(np.array([[1, 1, 1]]), np.array([n]), classes=("a", "b", "c"))
        return [one.level for one in votes._too_split(table)]

    # Hoeffding: 2 n / 9 above the logarithm of 1,000, from 32 items on.
    assert (found(31), found(32)) == ([], ["refuted"])
    single = VoteTable(np.array([[0, 0, 1], [1, 1, 1]]), np.array([50, 31]), classes=tuple("abc"))
    assert not list(votes._too_split(single))


def test_columns_are_exchanged_where_that_fits_the_labels_better():
    scores_of = np.array([[0.7, 0.2, 0.1], [0.2, 0.7, 0.1], [0.1, 0.1, 0.8]])
    counts = np.array([[1, 9, 0], [9, 1, 0], [0, 0, 10]])
    logs = np.log(scores_of)
    logs -= logs.mean(axis=1, keepdims=True)
    logs -= logs.mean(axis=0)  # ten items in each row
    fit = counts.T @ logs
    found, lead, noise = scores.better_order(scores_of, counts)
    assert found.tolist() == [1, 0, 2]
    assert lead == pytest.approx(fit[0, 1] + fit[1, 0] - fit[0, 0] - fit[1, 1])
    apart = logs[:, [1, 0, 2]] - logs
    assert noise == pytest.approx(np.sqrt((counts * apart**2).sum()))
    assert scores.better_order(scores_of, counts[[1, 0, 2]]) == (None, 0, 0)
    # Scores that may be negative are compared as they are.
    found, lead, _ = scores.better_order(logs, counts)
    plain = logs - logs.mean(axis=1, keepdims=True)
    fit = counts.T @ (plain - plain.mean(axis=0))
    assert (found.tolist(), lead) == (
        [1, 0, 2],
        pytest.approx(fit[0, 1] + fit[1, 0] - fit[0, 0] - fit[1, 1]),
    )


def test_another_order_is_found_where_chance_does_not_explain_it():
    scores_of = np.array([[0.38, 0.34, 0.28], [0.34, 0.38, 0.28], [0.3, 0.3, 0.4]])[[2, 1, 0]]
    base = np.array([[0, 0, 10], [10, 0, 0], [0, 10, 0]])
    _, lead, noise = scores.better_order(scores_of, base)
    # With so many times the items the lead is that many deviations; one in K! e^12 is by chance.
    wanted = np.sqrt(2 * (12 + np.log(6)))
    times = (wanted * noise / lead) ** 2
    for number, names_found in ((np.floor(times), 0), (np.ceil(times), 1)):
        table = ef.ScoreTable(scores_of, int(number) * base, classes=("ant", "bee", "cat"))
        found = list(scores._columns(estimate(table)))
        assert len(found) == names_found
    assert found[0].value == "2 of 3 classes"
    assert "bee fits ant, ant fits bee" in found[0].sentence
    two = ef.ScoreTable(scores_of[1:], 100 * base[1:], classes=("ant", "bee", "cat"))
    assert len(list(scores._columns(estimate(two)))) == 1
    one = ef.ScoreTable(scores_of[1:], 100 * base[[1, 1]], classes=("ant", "bee", "cat"))
    assert not list(scores._columns(estimate(one)))


def test_votes_of_many_classes_have_mean_shares():
    table = VoteTable(
        np.array([[0, 2, 0, 0], [1, 0, 3, 0]]), np.array([3, 1]), classes=tuple("abcd")
    )
    found = {one.name: one.value for one in votes._votes(estimate(table))}
    assert found["Unanimous items"] == "75.0 %"
    assert found["Class balance"] == "b 75.0 %, c 18.8 %, a 6.2 %, d 0.0 %"
    assert found["Classes without votes"] == "1 of 4"


def test_scores_of_nothing_count_as_a_millionth_of_the_largest():
    counts = np.array([[9, 1, 0], [1, 9, 0], [0, 0, 10]])
    zeros = np.array([[0, 2, 0], [2, 0, 0], [0, 0, 4.0]])
    tiny = np.where(zeros == 0, 1e-6 * zeros.max(axis=1, keepdims=True), zeros)
    plain, other = (scores.better_order(values, counts) for values in (zeros, tiny))
    assert plain[0].tolist() == other[0].tolist() == [1, 0, 2]
    assert plain[1:] == pytest.approx(other[1:])
