"""Many classes through every question: what is asked, answered, shown and refused."""

import json
from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from engines import ENGINES

import errorfloor as ef
from benchmarks.many_annotators import ManySetting, simulate
from errorfloor.datasets import synthetic
from errorfloor.intervals.signs import sign_test_of_classes
from errorfloor.intervals.votes.annotators import disagreement, variance_if_exchanged
from errorfloor.questions.headroom import Pair

FRUIT = ("apple", "cherry", "grape", "lemon", "plum")
WEIGHTS = (3.0, 1.0, 1.0, 0.5, 2.0)


@pytest.fixture(scope="module")
def ring():
    return synthetic.gaussian_ring(1_000, classes=5, rng=0)


@pytest.fixture(scope="module")
def scores(ring):
    return synthetic.weigh(ring.soft_labels, WEIGHTS, 0.7)


@pytest.fixture(scope="module")
def votes(ring):
    return synthetic.vote_for_classes(ring.soft_labels, 5, rng=1)


@pytest.fixture(scope="module")
def floors(ring, scores, votes):
    return {
        "soft": ef.from_soft_labels(ring.soft_labels, classes=FRUIT, rng=0),
        "votes": ef.from_votes(votes, classes=FRUIT),
        "scores": ef.from_scores(scores, ring.labels, classes=FRUIT, rng=0),
    }


@pytest.mark.parametrize(("classes", "radius"), [(3, 1.0), (5, 2.0), (10, 4.0)])
def test_the_floor_of_the_ring_is_that_of_its_items(classes, radius):
    data = synthetic.gaussian_ring(40_000, classes=classes, radius=radius, rng=0)
    left = 1 - data.soft_labels.max(axis=1)
    assert abs(left.mean() - data.floor) < 4 * left.std() / 200
    wrong = data.labels != data.soft_labels.argmax(axis=1)
    assert abs(wrong.mean() - data.floor) < 4 * wrong.std() / 200


def test_all_three_kinds_of_labels_hold_the_truth(ring, floors):
    for floor in floors.values():
        assert floor.low <= ring.floor <= floor.high
        assert floor.classes == FRUIT
        assert not floor.warnings
        assert json.loads(json.dumps(floor.to_dict()))["classes"] == list(FRUIT)


@pytest.mark.parametrize("interval", ["betting", "hoeffding", "bca"])
def test_limits_of_soft_labels_reach_beyond_a_half(interval):
    p = np.random.default_rng(0).dirichlet(np.full(10, 20.0), size=300)
    floor = ef.from_soft_labels(p, interval=interval, rng=0)
    assert floor.value == pytest.approx((1 - p.max(axis=1)).mean())
    assert 0.5 < floor.low < floor.value < floor.high <= 0.9


def test_betting_covers_means_in_the_range_of_many_classes():
    # 200 sets: the true coverage is at least 0.95; fewer than 178 held has a chance of 0.0003.
    rng = np.random.default_rng(5)
    sets = rng.dirichlet(np.full(4, 0.7), size=(200, 60))
    truth = (1 - rng.dirichlet(np.full(4, 0.7), size=400_000).max(axis=1)).mean()
    held = 0
    for p in sets:
        floor = ef.from_soft_labels(p, rng=0)
        held += floor.low <= truth <= floor.high
    assert held >= 178


@pytest.mark.parametrize("kind", ["soft", "votes", "scores"])
def test_reports_show_the_classes(floors, kind, tmp_path):
    page = ef.report(floors[kind], tmp_path / "page.html", rng=0).read_text()
    assert "Which classes are confused most" in page
    assert "cherry" in page
    text = ef.report(floors[kind], tmp_path / "page.md", rng=0).read_text()
    assert ef.confusion(floors[kind]).sentence in text
    assert "1 - max p" in text or kind == "scores"


def test_pictures_of_many_classes_are_of_the_likeliest(floors):
    for kind in ("soft", "votes"):
        ax = ef.plot.distribution(floors[kind])
        assert ax.get_xlabel() == "probability of the likeliest class, %"
        ax.figure.clear()


def test_methods_are_for_two_classes_or_for_more(ring, scores):
    with pytest.raises(ef.InputError, match=r"isotonic is for other data.*Use offsets"):
        ef.from_scores(scores, ring.labels, method="isotonic")
    with pytest.raises(ef.InputError, match=r"offsets is for other data.*two classes.*isotonic"):
        ef.from_scores([0.1, 0.7, 0.3], [0, 1, 0], method="offsets")
    with pytest.raises(ef.InputError, match="offset"):
        ef.from_scores(scores, ring.labels, method="offsett")
    rows = ef.compare(scores, ring.labels, methods=["top1", "offsets"], rng=0, n_resamples=50)
    assert rows.main.method == "offsets"


def test_headroom_compares_models_of_many_classes(ring, floors):
    assert ef.headroom(floors["scores"], errors=400, n=1000).verdict == "room"
    assert ef.headroom(floors["scores"], errors=235, n=1000).verdict == "matches"
    with pytest.warns(ef.LabelShiftWarning):
        assert ef.headroom(floors["votes"], errors=20, n=1000).verdict == "beyond"


def predicted(ring, share, rng):
    best = ring.soft_labels.argmax(axis=1)
    return np.where(rng.random(best.size) < share, rng.integers(5, size=best.size), best)


def test_predictions_are_tested_on_their_own_items(ring, scores):
    names = np.array(FRUIT)
    worse = predicted(ring, 0.15, np.random.default_rng(0))
    found = ef.headroom(scores, labels=names[ring.labels], predictions=names[worse], rng=0)
    assert found.verdict == "room"
    assert found.n == 1000
    assert found.model_error == pytest.approx((worse != ring.labels).mean())
    best = ring.soft_labels.argmax(axis=1)
    same = ef.headroom(scores, labels=ring.labels, predictions=best, rng=0)
    assert same.verdict == "matches"
    with pytest.raises(ef.InputError, match="'kiwi', which is not one of the classes"):
        ef.headroom(scores, labels=names[ring.labels], predictions=["kiwi"] * 1000)


def test_the_best_rule_is_seldom_said_to_be_beaten():
    # Fair coins make the p-value valid: at 0.05, 11 of 60 have a chance of 0.0003.
    found = 0
    for seed in range(60):
        data = synthetic.gaussian_ring(300, classes=4, radius=1.0, rng=seed)
        pair = Pair.of(data.soft_labels, data.labels, data.soft_labels.argmax(axis=1), {})
        found += sign_test_of_classes(pair.sides)[1] <= 0.05
    assert found <= 10


def test_two_columns_are_paired_as_one(ring):
    p = ring.soft_labels[:, :2] / ring.soft_labels[:, :2].sum(axis=1, keepdims=True)
    y, guess = synthetic.draw_labels(p, rng=1), (p[:, 1] > 0.4).astype(int)
    many = ef.headroom(p, labels=y, predictions=guess, rng=0)
    two = ef.headroom(p[:, 1], labels=y, predictions=guess, rng=0)
    assert (many.p_room, many.low, many.high) == (two.p_room, two.low, two.high)


def test_items_of_many_classes_are_ranked_by_what_they_add(ring, votes):
    found = ef.items(votes, classes=FRUIT)
    assert found.floor == pytest.approx(np.mean(found.contribution))
    sure = votes.max(axis=1) == 5
    assert found.contribution[sure].max() < found.contribution[~sure].min()
    assert found.answer.tolist() == [FRUIT[k] for k in votes.argmax(axis=1)]
    wrong = votes.argmax(axis=1) != ring.soft_labels.argmax(axis=1)
    # Ties are broken the same way here, half of them wrongly; the noise is binomial.
    assert abs(found.doubt.mean() - wrong.mean()) < 4 * np.sqrt(wrong.mean() / wrong.size)
    columns = found.to_frame().columns
    assert list(columns[:3]) == ["item", "votes apple", "votes cherry"]
    assert "another class likelier" in str(found)
    with pytest.raises(ef.InputError, match="is for two classes"):
        ef.items(votes, symmetric=False)


def test_equal_numbers_in_any_order_are_equally_hard(votes):
    found = ef.items(votes)
    turned = ef.items(votes[:, ::-1])
    np.testing.assert_array_equal(found.contribution, turned.contribution)


def test_plans_for_many_classes_are_what_comes_true(votes):
    planned = ef.plan(ef.VoteTable.from_arrays(votes[:400]), votes=(3, 5), items=(1000,))
    assert planned.width[0, 0] > planned.width[1, 0]
    assert planned.bias[0] < planned.bias[1] < 0
    true = ef.from_votes(votes)
    assert planned.width[1, 0] == pytest.approx(true.high - true.low, rel=0.25)


def test_plans_for_more_votes_than_are_listed_are_what_comes_true(ring, votes):
    planned = ef.plan(ef.VoteTable.from_arrays(votes[:400]), votes=(3, 20), items=(600,))
    many = np.random.default_rng(5).multinomial(20, ring.soft_labels[:600])
    true = ef.from_votes(many)
    assert planned.width[1, 0] == pytest.approx(true.high - true.low, rel=0.35)
    assert planned.width[1, 0] < planned.width[0, 0]


@pytest.mark.filterwarnings("ignore:Hardly any rule")
def test_columns_of_scores_in_another_order_refute_the_floor(ring, scores):
    with pytest.warns(ef.RefutedWarning, match="columns are exchanged"):
        floor = ef.from_scores(np.roll(scores, 1, axis=1), ring.labels, classes=FRUIT, rng=0)
    assert floor.refuted


def test_labels_and_predictions_are_no_scores_of_classes(ring):
    hot = np.eye(5)[ring.labels]
    with pytest.warns(ef.RefutedWarning, match="the labels themselves"):
        ef.from_scores(hot, ring.labels, rng=0)
    guess = np.eye(5)[ring.soft_labels.argmax(axis=1)]
    with pytest.warns(ef.RefutedWarning, match="are 0/1 predictions"):
        ef.from_scores(guess, ring.labels, rng=0)
    with pytest.warns(ef.RefutedWarning, match="hard labels"):
        ef.from_soft_labels(hot, rng=0)


def test_classes_that_nobody_has_are_named(ring, scores):
    some = ring.labels < 4
    with pytest.warns(ef.DoubtWarning, match="There are no labels for plum"):
        ef.from_scores(scores[some], ring.labels[some], classes=FRUIT, rng=0)


def finding(result, name):
    (one,) = (one for one in result.findings if one.name == name)
    return one


def test_soft_labels_that_are_all_the_same_are_doubted_from_thirty_items_on():
    same = np.tile([0.5, 0.25, 0.125, 0.0625, 0.0625], (30, 1))
    with pytest.warns(ef.DoubtWarning, match="All items have the same soft labels"):
        floor = ef.from_soft_labels(same, rng=0)
    assert floor.value == 0.5
    found = finding(floor, "Constant soft labels")
    assert (found.value, found.level) == ("0.5, 0.25, 0.125, 0.0625", "warn")
    assert found.remedy == "Check the columns of soft labels."
    few = ef.from_soft_labels(same[1:], rng=0)
    assert all(one.name != "Constant soft labels" for one in few.findings)


def test_classes_with_fewer_than_ten_labels_are_named():
    numbers = (12, 10, 9, 1, 0)
    labels = np.repeat(np.arange(5), numbers)
    scores = 0.1 + 0.5 * np.eye(5)[labels] + 0.1 * np.random.default_rng(0).random((32, 5))
    with pytest.warns(ef.DoubtWarning, match="There are no labels for plum"):
        floor = ef.from_scores(scores, labels, classes=FRUIT, rng=0)
    found = finding(floor, "Few labels")
    assert (found.value, found.level) == ("2 of 5 classes", "note")
    assert found.sentence.startswith("Some classes have fewer than 10 labels: grape, lemon. They")


@pytest.mark.filterwarnings("ignore:There are no labels")
def test_labels_of_one_class_leave_nothing_to_compare_with(scores):
    with pytest.warns(ef.DegenerateDataWarning, match="All labels are apple"):
        floor = ef.from_scores(scores[:50], np.zeros(50, dtype=int), classes=FRUIT, rng=0)
    assert (floor.value, floor.low) == (0, 0)
    names = {one.name for one in floor.findings}
    assert "Classes without labels" in names
    assert not names & {"Better than guessing", "Hardly better than guessing"}
    assert not floor.refuted


@pytest.mark.filterwarnings("ignore:Hardly any rule")
def test_scores_that_do_not_differ_are_in_no_order(ring):
    same = np.tile([0.1, 0.2, 0.3, 0.2, 0.2], (1_000, 1))
    with pytest.warns(ef.DegenerateDataWarning, match="All scores are equal"):
        floor = ef.from_scores(same, ring.labels, rng=0)
    most = np.bincount(ring.labels).max() / 1_000
    assert floor.value == pytest.approx(1 - most, abs=0.02)
    assert not floor.refuted


@pytest.mark.filterwarnings("ignore:The bca interval")
@pytest.mark.parametrize("method", ["corrupted", "top1"])
def test_what_is_above_the_error_of_guessing_is_no_floor(method):
    labels = np.repeat([0, 1, 2], [80, 10, 10])
    # Almost alike, with the largest one in the place of the last class.
    scores = np.tile([0.3, 0.3, 0.4], (100, 1)) + np.linspace(0, 0.01, 300).reshape(100, 3)
    with pytest.warns(ef.RefutedWarning, match="Use the method offsets, which weighs the classes"):
        floor = ef.from_scores(scores, labels, method=method, rng=0)
    shares = scores / scores.sum(axis=1, keepdims=True)
    value = 0.9 if method == "top1" else 1 - shares[:, 2].mean()
    assert floor.value == pytest.approx(value)
    found = finding(floor, "Worse than guessing")
    assert found.value == f"{100 * value:.2f} % against 20.00 %"
    assert found.sentence == (
        "No floor can be above the error of always answering the largest class, 20.00 %: these "
        "scores are not what this method assumes."
    )
    assert all("etter than guessing" not in one.name for one in floor.findings)


@pytest.mark.filterwarnings("ignore:Hardly any rule")
def test_a_choice_that_errs_hardly_more_often_than_guessing_is_not_refuted():
    # Of 100 items 48 against 40 missed: three deviations of the difference are 28 points.
    labels = np.repeat([0, 1, 2], [60, 30, 10])
    chosen = np.concatenate((np.repeat([0, 1], [40, 20]), np.repeat([1, 0], [12, 18]), [1] * 10))
    floor = ef.from_scores(0.2 + 0.4 * np.eye(3)[chosen], labels, method="top1", rng=0)
    assert floor.value == pytest.approx(0.48)
    assert all(one.name != "Worse than guessing" for one in floor.findings)


@pytest.fixture(scope="module")
def people(ring):
    """Rows of votes: six people who know the items, and one who guesses."""
    rng = np.random.default_rng(2)
    rows = []
    for who in ("ann", "bob", "cem", "dee", "eli", "fay"):
        own = synthetic.draw_labels(ring.soft_labels, rng=rng)
        rows += [(i, who, FRUIT[k]) for i, k in enumerate(own[:400].tolist())]
    rows += [(i, "guesser", FRUIT[k]) for i, k in enumerate(rng.integers(5, size=400).tolist())]
    return pd.DataFrame(rows, columns=["item", "annotator", "vote"])


def test_who_guesses_among_many_classes_is_told(people):
    found = ef.annotators(people)
    assert found["guesser"].may_guess
    assert not found["ann"].may_guess
    assert found["guesser"].low < 0 < found["guesser"].high
    assert found["guesser"].agreement < 0.3 < found["ann"].agreement
    assert found.rows[0].annotator == "guesser"
    assert sum(row.share for row in found) == pytest.approx(1)


def test_informedness_of_many_classes_is_counted_by_hand(people):
    found = ef.annotators(people)["bob"]
    wide = people.pivot_table(index="item", columns="annotator", values="vote", aggfunc="first")
    right, there = dict.fromkeys(FRUIT, 0), dict.fromkeys(FRUIT, 0)
    for _, row in wide.iterrows():
        counts = row.drop("bob").value_counts()
        if len(counts) > 1 and counts.iloc[0] == counts.iloc[1]:
            continue
        there[counts.index[0]] += 1
        right[counts.index[0]] += counts.index[0] == row["bob"]
    shares = [right[name] / there[name] for name in FRUIT]
    assert found.informedness == pytest.approx((sum(shares) - 1) / 4)


def test_a_column_for_each_annotator_says_the_same(people):
    wide = people.pivot_table(index="item", columns="annotator", values="vote", aggfunc="first")
    names = list(wide.columns)
    found = ef.annotators(wide.reset_index(drop=True), annotators=names)
    one_by_one = ef.annotators(people)
    for name in names:
        assert found[name].informedness == pytest.approx(one_by_one[name].informedness)
        assert found[name].share == pytest.approx(one_by_one[name].share)


def test_plans_from_scores_of_many_classes_are_what_comes_true(ring, scores):
    pilot = ef.ScoreTable.from_arrays(scores[:400], ring.labels[:400])
    planned = ef.plan(pilot, items=(1000,))
    true = ef.from_scores(scores, ring.labels, rng=0)
    assert planned.votes.tolist() == [1]
    assert planned.width[0, 0] == pytest.approx(true.high - true.low, rel=0.2)


def test_the_variance_of_exchanged_votes_is_that_of_all_choices():
    votes = np.array([3, 2, 1, 0])
    people = np.repeat(np.arange(4), votes)
    m = people.size
    falls = [int(np.prod([votes - i for i in range(power)], axis=0).sum()) for power in (2, 3, 4)]
    for r in (2, 3, 4, 5):
        every = [
            disagreement(np.array([r]), np.array([(c * (c - 1)).sum()]))[0]
            for chosen in combinations(range(m), r)
            for c in [np.bincount(people[list(chosen)], minlength=4)]
        ]
        found = variance_if_exchanged(*(np.array([one]) for one in (m, r, *falls)))
        assert found[0] == pytest.approx(np.var(every))
        assert np.mean(every) == pytest.approx(1 - falls[0] / (m * (m - 1)))


def test_annotators_of_many_classes_are_a_sample_in_every_layout(people):
    long = ef.from_votes(people, interval="annotators")
    plain = ef.from_votes(people)
    assert plain.interval_method == "likelihood"  # of fewer than twenty
    assert long.value == plain.value
    assert long.low < plain.low < plain.high < long.high
    wide = people.pivot_table(index="item", columns="annotator", values="vote", aggfunc="first")
    side = ef.from_votes(
        wide.reset_index(drop=True), annotators=list(wide.columns), interval="annotators"
    )
    np.testing.assert_array_equal(side.table.by_group, long.table.by_group)
    np.testing.assert_array_equal(side.table.workloads, long.table.workloads)
    assert (side.low, side.high) == (long.low, long.high)


def test_tables_with_annotators_of_many_classes_add_up(people, tmp_path):
    whole = ef.from_votes(people).table
    first, second = (
        ef.from_votes(people[part], classes=FRUIT).table
        for part in (people["item"] < 150, people["item"] >= 150)
    )
    assert first + second == whole
    whole.save(tmp_path / "votes.npz")
    assert ef.VoteTable.load(tmp_path / "votes.npz") == whole
    with pytest.raises(ef.InputError, match="does not go with its votes"):
        replace(whole, by_group=whole.by_group[1:])


def test_annotators_who_guess_widen_the_interval_and_it_holds():
    # 30 sets; if it held in 0.94 of them, fewer than 25 would have a chance of 0.008.
    setting = ManySetting(3, 40, 0.15)
    low, high, our_low, our_high = simulate(setting, 30, n=300, seed=1).T
    held = (our_low <= setting.floor) & (setting.floor <= our_high)
    assert held.sum() >= 25
    assert (our_high - our_low).mean() > 1.5 * (high - low).mean()
    alike = ManySetting(3, 40)
    low, high, our_low, our_high = simulate(alike, 8, n=300, seed=2).T
    assert (low - our_low).mean() < 0.05 * (high - low).mean()
    assert (our_high - high).max() < 1 - 0.025 ** (1 / 40)  # the share of people who may be missing


def test_a_models_error_caps_floors_beyond_a_half():
    votes = np.random.default_rng(0).multinomial(3, np.full((200, 10), 0.1))
    free = ef.from_votes(votes)
    assert free.high > 0.8
    capped = ef.from_votes(votes, model_error=(140, 200))
    assert 0.7 < capped.high < 0.8 < free.high
    with pytest.raises(ef.InputError, match="`model_error` is a rate, which bounds the bias"):
        ef.from_votes(votes, model_error=0.7)


@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_keeps_the_same_of_annotators_of_many_classes(people, engine):
    few = people[people["item"] < 60]
    kinds = {"item": "int64", "annotator": "text", "vote": "text"}
    columns = {name: (kind, few[name].tolist()) for name, kind in kinds.items()}
    names = {name: name for name in kinds}
    expected = ef.frames.vote_table(few, **names, classes=FRUIT)
    assert expected.by_group.shape[1] == 8
    assert ef.frames.vote_table(ENGINES[engine](columns), **names, classes=FRUIT) == expected


def test_large_text_of_arrow_is_text(people):
    large = pa.Table.from_pandas(people, preserve_index=False)
    for name in ("annotator", "vote"):
        place = large.schema.get_field_index(name)
        large = large.set_column(place, name, large[name].cast(pa.large_string()))
    assert ef.from_votes(large).table == ef.from_votes(people).table


def rows_of_votes(votes):
    rows = [(i, f"w{a}", one) for i, row in enumerate(votes) for a, one in enumerate(row)]
    return pd.DataFrame(rows, columns=["item", "annotator", "vote"])


@pytest.fixture(scope="module")
def three_votes(ring):
    own = [synthetic.draw_labels(ring.soft_labels[:60], rng=seed).tolist() for seed in range(3)]
    return [[FRUIT[k] for k in row] for row in zip(*own, strict=True)]


ALARMS = pytest.mark.filterwarnings("ignore::errorfloor.DoubtWarning")


@ALARMS
def test_one_class_in_two_spellings_refutes_the_floor(three_votes):
    spelt = [(one, other, third.title()) for one, other, third in three_votes]
    with pytest.warns(ef.RefutedWarning, match="Apple and apple.*treated as different classes"):
        assert ef.from_votes(rows_of_votes(spelt)).refuted
    names = [*FRUIT, *(name.title() for name in FRUIT)]
    assert not ef.from_votes(rows_of_votes(spelt), classes=names).refuted  # as they were listed
    assert not ef.from_votes(rows_of_votes(three_votes)).refuted
    labels = ["yes", "Yes", "no", "no"] * 20
    scores = pd.DataFrame({"score": np.linspace(0, 1, 80), "label": labels})
    assert (
        ef.from_scores(scores, positive="yes", rng=0).table.positives.sum() == 40
    )  # in any capitals


def test_answers_that_are_no_class_are_doubted(three_votes):
    unsure = [("Don't know", *row[1:]) if i % 5 == 0 else row for i, row in enumerate(three_votes)]
    with pytest.warns(ef.DoubtWarning) as caught:
        ef.from_votes(rows_of_votes(unsure))
    assert any("Don't know is counted as a class" in str(one.message) for one in caught)
    # Of two classes, the other one may be what was asked for.
    with pytest.warns(ef.DoubtWarning, match="too few to speak for other people"):
        known = ef.from_votes(
            rows_of_votes([("yes", "skip"), ("skip", "skip"), ("yes", "yes")] * 9)
        )
    assert "Answers that are no class" not in {one.name for one in known.findings}


@pytest.mark.parametrize("size", [88, 98, 99, 888, 998, 999, 9999])
@pytest.mark.parametrize("sign", [1, -1])
def test_codes_next_to_numbers_of_classes_are_doubted(size, sign):
    rows = [("1", "2"), ("2", "3"), ("3", f"{sign * size}"), ("1", "1")] * 9
    with pytest.warns(ef.DoubtWarning) as caught:
        ef.from_votes(rows_of_votes(rows), interval=None)
    assert any(f"{sign * size} is counted as a class" in str(one.message) for one in caught)


def test_a_total_is_no_class(votes):
    with pytest.warns(ef.RefutedWarning, match="for total as for all others together"):
        found = ef.from_votes(
            np.column_stack((votes, votes.sum(axis=1))), classes=[*FRUIT, "total"]
        )
    assert found.refuted
    halves = np.tile([[2, 1, 1]], (60, 1))  # one kind of votes, which may well be half for one
    assert not ef.from_votes(halves).refuted


def test_few_rows_of_scores_that_are_not_0_and_1_may_be_an_easy_task(ring):
    found = ef.from_scores(0.9 * np.eye(5)[ring.labels] + 0.02, ring.labels, rng=0)
    assert not found.refuted
    assert "Scores as of training data" in [one.name for one in found.findings]
    few = ef.from_scores(0.9 * np.eye(5)[ring.labels[:90]] + 0.02, ring.labels[:90], rng=0)
    said = [one for one in few.findings if one.name == "Label that follows from the score"]
    assert [one.level for one in said] == ["note"]


@pytest.mark.parametrize("several", ["apple;plum", "apple|plum", '["apple","plum"]'])
def test_several_labels_in_one_vote_are_refused(several):
    votes = rows_of_votes([("apple", several if i % 3 == 0 else "apple") for i in range(20)])
    with pytest.raises(ef.InputError, match="several labels in one entry"):
        ef.from_votes(votes)


@ALARMS
def test_a_comma_may_be_part_of_a_name():
    votes = rows_of_votes([("yes", "yes, partly" if i % 3 == 0 else "no") for i in range(40)])
    assert ef.from_votes(votes).classes == ("no", "yes", "yes, partly")
