"""Models compared with people: panels, worth, differences, leaks, and what is refused."""

import itertools
import json
import math
import re

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from scipy.stats import t as student

import errorfloor as ef
from benchmarks import people as study
from errorfloor.apps.cli.commands import cli
from errorfloor.checks.gold import leaks
from errorfloor.data.ballots import Ballots
from errorfloor.data.items import PredictedVotes, Predictions
from errorfloor.intervals.crossed import CrossedVotes, Mean
from errorfloor.intervals.models import holm
from errorfloor.methods.votes.panels import Panel, panel_agreement, panel_chance
from errorfloor.questions.people import alt_test, by_yekutieli
from errorfloor.show.models import certain_order


def enumerated(votes, r):
    """The share of votes that equal the plurality of r others, one panel after the other."""
    single = [k for k, number in enumerate(votes) for _ in range(number)]
    found = []
    for judge, vote in enumerate(single):
        others = single[:judge] + single[judge + 1 :]
        for panel in itertools.combinations(others, r):
            counts = np.bincount(panel, minlength=len(votes))
            leaders = np.flatnonzero(counts == counts.max())
            found.append((vote in leaders) / len(leaders))
    return float(np.mean(found))


def tables(number, most=8, seed=0):
    """Small tables of votes, of two to five classes."""
    rng = np.random.default_rng(seed)
    for _ in range(number):
        classes, m = int(rng.integers(2, 6)), int(rng.integers(2, most))
        yield rng.multinomial(m, rng.dirichlet(np.ones(classes)))


def test_panels_agree_with_one_more_person_as_often_as_enumeration_says():
    for votes in tables(200):
        for r in range(1, int(votes.sum())):
            assert panel_agreement(votes[None], r)[0] == pytest.approx(
                enumerated(votes, r), abs=1e-12
            )


def test_the_chance_of_a_panel_is_that_of_all_ways_to_vote():
    rng = np.random.default_rng(1)
    for _ in range(20):
        p = rng.dirichlet(np.ones(int(rng.integers(2, 5))))
        for r in (1, 2, 3, 4):
            slow = 0.0
            for panel in itertools.product(range(p.size), repeat=r):
                counts = np.bincount(panel, minlength=p.size)
                leaders = np.flatnonzero(counts == counts.max())
                slow += np.prod(p[list(panel)]) * p[leaders].sum() / leaders.size
            assert panel_chance(p[None], r)[0] == pytest.approx(slow, abs=1e-12)
            if p.size == 2:
                assert panel_chance(p[1:], r)[0] == pytest.approx(slow, abs=1e-12)


@pytest.mark.parametrize("m", [21, 1000])
def test_agreement_of_panels_is_a_share_at_many_votes(m):
    rng = np.random.default_rng(m)
    many = rng.multinomial(m, rng.dirichlet(np.ones(5)), size=10)
    two = np.stack([rng.binomial(m, 0.4, size=10)] * 2, axis=1)
    two[:, 1] = m - two[:, 0]
    for r in (1, 3, 9, 19):
        found = panel_agreement(many, r)
        assert ((found >= 0) & (found <= 1)).all()
    for r in (1, 2, m - 2, m - 1):
        found = panel_agreement(two, r)
        assert ((found >= 0) & (found <= 1)).all()


def test_one_more_person_in_an_odd_panel_of_two_classes_adds_nothing():
    k = np.arange(13)
    votes = np.column_stack((12 - k, k))
    for r in (1, 3, 5, 7, 9):
        odd, even = panel_agreement(votes, r), panel_agreement(votes, r + 1)
        # The estimates are equal on average over items whatever their distribution is, so that of
        # each item is.
        assert even == pytest.approx(odd, abs=1e-12)


def test_panels_of_two_agree_as_often_as_one_person_for_any_number_of_classes():
    for votes in tables(50, seed=2):
        if votes.sum() > 2:
            both = [panel_agreement(votes[None], r)[0] for r in (1, 2)]
            assert both[0] == pytest.approx(both[1], abs=1e-12)


def test_items_with_too_few_votes_have_no_panels():
    found = panel_agreement(np.array([[2, 1], [4, 1]]), 3)
    assert np.isnan(found[0])
    assert found[1] == pytest.approx(enumerated([4, 1], 3))


@pytest.mark.parametrize("r", [1, 3, 5, 9, 25, 101])
def test_a_panel_bends_no_more_than_it_says(r):
    t = np.linspace(0, np.pi, 5001)
    values = Panel(r)(np.sin(t / 2) ** 2)
    bend = np.abs(np.diff(values, 2)).max() / (t[1] - t[0]) ** 2
    assert bend <= Panel(r).bend_on(t)


def drawn(n=300, m=5, classes=2, seed=0, wrong=(0.0, 0.3)):
    """Probabilities, votes and answers of models that err more or less."""
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.full(classes, 0.4), n)
    votes = np.array([rng.multinomial(m, one) for one in p])
    models = {}
    for i, share in enumerate(wrong):
        other = (p.argmax(axis=1) + rng.integers(1, classes, n)) % classes
        models[f"m{i}"] = np.where(rng.random(n) < share, other, p.argmax(axis=1))
    return votes, models


@pytest.mark.parametrize("classes", [2, 3])
def test_agreement_and_models_are_plain_means_over_items(classes):
    votes, models = drawn(classes=classes)
    found = ef.people(counts=votes, predictions=models)
    pairs = (votes * (votes - 1)).sum(axis=1) / 20
    assert found.agreement.value == pytest.approx(pairs.mean())
    for name, place in models.items():
        share = votes[np.arange(len(votes)), place] / 5
        assert found[name].value == pytest.approx(share.mean())
    floor = ef.from_votes(counts=votes)
    assert found.best_possible.value == 1 - floor.value
    assert (found.best_possible.low, found.best_possible.high) == (1 - floor.high, 1 - floor.low)


def test_larger_panels_are_never_worse_and_never_beat_the_best_possible():
    votes, _ = drawn(classes=3, n=500)
    found = ef.people(counts=votes, panels=(1, 3, 5, 7, 25))
    values = [one.value for one in found.panels]
    assert values == sorted(values)
    assert values[-1] <= found.best_possible.value
    assert [one.basis for one in found.panels] == ["votes"] * 2 + ["mixture"] * 3
    assert [one.low for one in found.curve] == sorted(one.low for one in found.curve)
    assert all(one.low <= one.value <= one.high for one in found.curve)


def test_worth_is_where_panels_agree_as_often():
    votes, models = drawn(n=4000, m=9, wrong=(0.05, 0.1, 0.4))
    found = ef.people(counts=votes, predictions=models)
    curve = {one.people: one.value for one in found.curve}
    for row in found:
        if row.worth:
            below = max(r for r in curve if r <= row.worth)
            above = min(r for r in curve if r >= row.worth)
            assert curve[below] <= row.value + 1e-12
            assert curve[above] >= row.value - 1e-12
            assert row.worth_low <= row.worth
    last = found["m2"]
    assert (last.worth, last.worth_low, last.worth_high) == (0.0, 0.0, 1.0)
    assert last.verdict == "room"


def test_differences_have_holms_p_values():
    assert holm(np.array([0.01, 0.04, 0.03])) == pytest.approx([0.03, 0.06, 0.06])
    votes, models = drawn(wrong=(0.0, 0.1, 0.4))
    found = ef.people(counts=votes, predictions=models)
    assert [(one.first, one.second) for one in found.differences] == [
        ("m0", "m1"), ("m0", "m2"), ("m1", "m2")
    ]  # fmt: skip
    for one in found.differences:
        assert one.adjusted_p >= one.p
        assert one.value == pytest.approx(found[one.first].value - found[one.second].value)
    pairs = {(one.first, one.second) for one in found.certain_order}
    assert {("m0", "m2"), ("m1", "m2")} <= pairs


def test_the_same_answers_differ_by_nothing():
    votes, models = drawn()
    found = ef.people(counts=votes, predictions={"a": models["m1"], "b": models["m1"]})
    (only,) = found.differences
    assert (only.value, only.p) == (0.0, 1.0)
    assert only.low < 0 < only.high
    assert not found.certain_order


def crowd(n=200, people=8, m=4, seed=0, classes=3):
    """Rows of single votes, and a model's answer next to each."""
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.full(classes, 0.4), n)
    names = [*"abcdefgh"][:classes]
    rows = []
    for item in range(n):
        answer = names[int(p[item].argmax())]
        other = names[int(rng.integers(classes))]
        rows += [
            (item, f"p{who}", names[rng.choice(classes, p=p[item])], answer, other)
            for who in rng.choice(people, m, replace=False)
        ]
    return pd.DataFrame(rows, columns=["item", "annotator", "vote", "gpt", "guess"])


def slow_alt_test(rows, model, epsilon):
    """The published procedure, one annotator and one item after the other."""
    from scipy.stats import ttest_1samp

    by_item = {
        item: dict(zip(own.annotator, own.vote, strict=True)) for item, own in rows.groupby("item")
    }
    answer = rows.drop_duplicates("item").set_index("item")[model].to_dict()
    p_values, advantages = [], []
    for person in sorted(rows.annotator.unique()):
        human_wins, model_wins = [], []
        for item, votes in by_item.items():
            if person not in votes or len(votes) < 2:
                continue
            rest = [vote for who, vote in votes.items() if who != person]
            human = np.mean([vote == votes[person] for vote in rest])
            own = np.mean([vote == answer[item] for vote in rest])
            human_wins.append(int(human >= own))
            model_wins.append(int(own >= human))
        if len(model_wins) < 30:
            continue
        less = np.array(human_wins) - np.array(model_wins)
        p_values.append(ttest_1samp(less, epsilon, alternative="less").pvalue)
        advantages.append(np.mean(model_wins))
    order = np.argsort(p_values)
    number = len(p_values)
    harmonic = sum(1 / i for i in range(1, number + 1))
    rejected = 0
    for rank, at in enumerate(order, 1):
        if p_values[at] <= rank / number * 0.05 / harmonic:
            rejected = rank
    return rejected / number, float(np.mean(advantages))


@pytest.mark.parametrize("seed", range(4))
def test_the_alt_test_is_the_published_procedure(seed):
    rows = crowd(seed=seed, people=6 + 2 * seed, m=2 + seed % 3)
    found = ef.people(rows, prediction=["gpt", "guess"], epsilon=0.1)
    for one in found.alt_test:
        rate, advantage = slow_alt_test(rows, one.name, 0.1)
        assert one.winning_rate == pytest.approx(rate)
        assert one.without_allowance == pytest.approx(slow_alt_test(rows, one.name, 0.0)[0])
        assert one.advantage == pytest.approx(advantage)


def test_hypotheses_are_rejected_as_benjamini_and_yekutieli_do():
    assert by_yekutieli(np.array([0.5, 0.9]), 0.05) == 0
    assert by_yekutieli(np.array([0.001, 0.9, 0.0265]), 0.05) == 1
    assert by_yekutieli(np.array([0.02, 0.027, 0.01]), 0.05) == 3  # 0.05 / (1 + 1/2 + 1/3) = .0273


def test_annotators_without_enough_items_are_not_tested():
    votes = Ballots.of(np.arange(20).repeat(2), np.tile([0, 1], 20), np.zeros(40))
    assert alt_test(votes, np.zeros(20, np.int64), "model") is None


def test_annotators_add_variance_only_where_they_differ():
    rng = np.random.default_rng(0)
    n, people = 400, 20
    item, who = (
        np.repeat(np.arange(n), 4),
        np.concatenate([rng.choice(people, 4, replace=False) for _ in range(n)]),
    )
    fair = rng.integers(0, 2, item.size)
    same = CrossedVotes(item, who, fair)
    biased = CrossedVotes(item, who, (who % 2).astype(np.int64))
    change = np.array([[1.0, -1.0]] * n)
    assert same.effective == pytest.approx(people, rel=0.05)
    assert biased.added(change) > 20 * same.added(change)
    plain = Mean.of(np.linspace(0, 1, n))
    wide = Mean.of(np.linspace(0, 1, n), change, biased)
    assert wide.variance > plain.variance
    assert wide.freedom < plain.freedom


def test_lower_limits_allow_for_people_who_guess_and_are_missing():
    mean = Mean(0.6, 0.01, 50.0, 400, effective=20.0, above_chance=(0.3, 0.2))
    apart = math.sqrt(0.01) * student.ppf(0.975, 50)
    unseen = 1 - 0.025 ** (1 / 20)  # with chance 0.025 none of 20 is of a kind of that share
    down = math.hypot(apart, (1 - (1 - unseen) ** 2) * 0.3 + unseen * 0.2)
    assert mean.limits(0.95) == pytest.approx((0.6 - down, 0.6 + apart))
    sure = Mean(0.6, 0.01, 50.0, 400)
    assert sure.limits(0.95) == pytest.approx((0.6 - apart, 0.6 + apart))
    assert Mean(0.5, 0.0, 50.0, 400).p_above() == 0
    assert Mean(0.0, 0.0, 50.0, 400).p_above() == 1


def test_added_variance_is_the_sum_over_pairs_of_items():
    rng = np.random.default_rng(1)
    item, who, vote = (rng.integers(0, k, 60) for k in (10, 6, 3))
    change = rng.standard_normal((10, 3))
    slow = 0.0
    for a in range(60):
        for b in range(60):
            if a != b and who[a] == who[b]:
                slow += change[item[a], vote[a]] * change[item[b], vote[b]]
    assert CrossedVotes(item, who, vote).added(change) == pytest.approx(max(slow, 0.0))


def test_few_people_do_not_stand_for_others():
    rows = crowd(people=4, m=3)
    with pytest.warns(ef.DoubtWarning, match="too few to speak for other people"):
        found = ef.people(rows, prediction="gpt")
    assert not found.crossed
    assert str(found).count("too few to speak for other people") == 1
    assert ef.people(crowd(people=12), prediction="gpt").crossed


# What people bring


def test_arrays_frames_and_files_give_the_same_answer_to_the_last_bit(tmp_path):
    rows = crowd()
    path = tmp_path / "votes.csv"
    rows.sample(frac=1, random_state=0).to_csv(path, index=False)
    frame = ef.people(rows, prediction=["gpt", "guess"]).to_dict()
    file = ef.people(path, prediction=["gpt", "guess"]).to_dict()
    command = CliRunner().invoke(
        cli, ["people", str(path), "--prediction", "gpt,guess", "--json", "--quiet"]
    )
    assert command.exit_code == 0, command.output
    typed = json.loads(command.stdout)["result"]
    for one in (frame, file, typed):
        one["floor"].pop("source")
    assert frame == file
    assert json.loads(json.dumps(file)) == typed


def test_counts_of_the_same_votes_give_the_same_values():
    rows = crowd(classes=2)
    wide = pd.crosstab(rows["item"], rows["vote"])
    answers = rows.drop_duplicates("item").set_index("item")["gpt"]
    counts = ef.people(counts=wide.to_numpy(), classes=["a", "b"], predictions={"gpt": answers})
    single = ef.people(rows, prediction="gpt", positive="b")
    assert counts["gpt"].value == pytest.approx(single["gpt"].value, abs=1e-12)
    assert counts.agreement.value == pytest.approx(single.agreement.value, abs=1e-12)
    assert not counts.crossed
    named = wide.add_prefix("n_").assign(gpt=answers)
    assert ef.people(named, counts="n_*", prediction="gpt")["gpt"].value == counts["gpt"].value
    lists = rows.groupby("item")["vote"].agg(";".join).to_frame("annotations").assign(gpt=answers)
    found = ef.people(lists, annotations="annotations", classes=["a", "b"], prediction="gpt")
    assert found["gpt"].value == pytest.approx(counts["gpt"].value, abs=1e-12)


def test_columns_of_annotators_are_people():
    rows = crowd(classes=3)
    wide = rows.pivot(index="item", columns="annotator", values="vote")
    wide["gpt"] = rows.drop_duplicates("item").set_index("item")["gpt"]
    names = [f"p{i}" for i in range(8)]
    by_columns = ef.people(wide, annotators=names, prediction="gpt")
    by_rows = ef.people(rows, prediction="gpt")
    assert by_columns.crossed
    for side in ("value", "low", "high", "worth_low", "p_room"):
        one, other = (getattr(found["gpt"], side) for found in (by_columns, by_rows))
        assert one == pytest.approx(other, abs=1e-12)
    array = ef.people(annotators=wide[names].to_numpy(), predictions={"gpt": wide["gpt"]})
    assert array["gpt"].low == pytest.approx(by_rows["gpt"].low, abs=1e-12)


def test_people_alone_need_no_models():
    votes, _ = drawn()
    found = ef.people(counts=votes)
    assert len(found) == 0
    assert found.differences == ()
    assert found.alt_test is None
    assert found.resolvable is None
    assert "people in the panel" in str(found)
    table = ef.people(ef.VoteTable.from_arrays(votes))
    assert table.agreement.value == pytest.approx(found.agreement.value, abs=1e-12)


# Bad input


def test_single_votes_are_refused_with_what_would_help():
    with pytest.raises(ValueError, match=r"one vote per item.*Collect a second vote on some items"):
        ef.people(counts=[[1, 0], [0, 1]], predictions={"m": [0, 1]})


def test_missing_predictions_are_counted_or_left_out():
    votes, models = drawn()
    holes = models["m0"].astype(object)
    holes[:7] = None
    given = {"m0": holes, "m1": models["m1"]}
    with pytest.raises(ValueError, match=r"'m0' has missing values: 7 of 300 items.*drop_missing"):
        ef.people(counts=votes, predictions=given)
    found = ef.people(counts=votes, predictions=given, drop_missing=True)
    assert (found.n, found.dropped) == (293, 7)
    less = {name: place[7:] for name, place in models.items()}
    assert found["m1"].value == ef.people(counts=votes[7:], predictions=less)["m1"].value
    rows = crowd()
    rows.loc[rows["item"] < 3, "gpt"] = None
    few = r"`prediction` \(column 'gpt'\) has missing values: 3 of 200 items"
    with pytest.raises(ValueError, match=few):
        ef.people(rows, prediction="gpt")
    found = ef.people(rows, prediction="gpt", drop_missing=True)
    assert (found.n, found.dropped) == (197, 3)
    rows.loc[rows["item"] < 30, "gpt"] = None
    with pytest.warns(ef.DoubtWarning, match=r"Something was missing in 30 items \(15.0 %\)"):
        assert ef.people(rows, prediction="gpt", drop_missing=True).n == 170


@pytest.mark.filterwarnings("ignore::errorfloor.ErrorFloorWarning")
def test_a_model_may_answer_an_item_in_one_of_its_rows(tmp_path):
    rows = crowd()
    whole = ef.people(rows, prediction="gpt").to_dict()
    once = rows.copy()
    once.loc[once["item"].duplicated(), "gpt"] = None
    assert ef.people(once, prediction="gpt").to_dict() == whole  # all votes are kept
    file = tmp_path / "once.csv"
    once.to_csv(file, index=False)
    assert ef.people(file, prediction="gpt")["gpt"].value == whole["models"][0]["value"]
    once.loc[once["item"] < 3, "gpt"] = None
    kept = rows[rows["item"] >= 3]
    found = ef.people(once, prediction="gpt", drop_missing=True)
    assert found["gpt"].to_dict() == ef.people(kept, prediction="gpt")["gpt"].to_dict()
    once["gpt"] = None
    with pytest.raises(ValueError, match="has no item that all models answered"):
        ef.people(once, prediction="gpt", drop_missing=True)


def test_an_answer_that_nobody_voted_for_is_wrong_and_noted_once():
    votes, models = drawn(classes=3)
    strange = models["m0"].astype(object)
    strange[:4] = "unsure"
    found = ef.people(counts=votes, predictions={"m": strange})
    right = votes[np.arange(300), models["m0"]] / 5
    assert found["m"].value == pytest.approx(right[4:].sum() / 300)
    (note,) = found["m"].warnings
    assert "nobody voted for on 4 items ('unsure'), which counts as wrong" in note


def test_predictions_that_differ_within_an_item_are_refused_by_the_item():
    rows = crowd()
    rows.loc[rows.index[rows["item"] == 17][0], "gpt"] = "zzz"
    with pytest.raises(ValueError, match=r"column 'gpt'\) is not the same .* item '17' has"):
        ef.people(rows, prediction="gpt")


def test_unknown_columns_are_answered_with_those_that_exist():
    with pytest.raises(
        ValueError, match="must be one of the columns item, annotator, vote, gpt, guess"
    ):
        ef.people(crowd(), prediction="gtp")
    with pytest.raises(ValueError, match="names column 'gpt' twice"):
        ef.people(crowd(), prediction=["gpt", "gpt"])
    with pytest.raises(ValueError, match="column 'vote', which has another use"):
        ef.people(crowd(), item="item", annotator="annotator", vote="vote", prediction="vote")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"predictions": [0, 1]}, "must be a dict of models"),
        ({"predictions": {"m": [0, 1]}}, "one answer per item, 300 of them"),
        ({"predictions": {"m": [0.7] * 300}}, "has 0.7, and the labels are 0, 1"),
        ({"prediction": "m"}, "is a column of a dataframe or file"),
        ({"prediction": 3}, "must be the name of a column"),
        ({"panels": (2,)}, "must be odd numbers"),
        ({"panels": ()}, "must be odd numbers"),
        ({"panels": (1.5,)}, "must be odd numbers"),
        ({"epsilon": 2}, r"`epsilon` must lie in \[0, 1\]"),
        ({"level": 95}, "level"),
    ],
)
def test_bad_options_are_refused_by_name(options, message):
    votes, _ = drawn()
    with pytest.raises(ValueError, match=message):
        ef.people(counts=votes, **options)


def test_predictions_of_the_majority_have_no_worth(tmp_path):
    votes, models = drawn()
    given = {"leak": votes.argmax(axis=1), "fair": models["m1"]}
    found = ef.people(counts=votes, predictions=given)
    leak = found["leak"]
    assert found.refuted
    assert (leak.worth, leak.worth_low, leak.worth_high, leak.verdict) == (None,) * 4
    assert "made from these votes" in " ".join(leak.warnings)
    assert found["fair"].verdict == "room"
    path = tmp_path / "votes.csv"
    table = pd.DataFrame(votes, columns=["n_a", "n_b"])
    table.assign(leak=np.array([*"ab"])[given["leak"]]).to_csv(path, index=False)
    done = CliRunner().invoke(cli, ["people", str(path), "--prediction", "leak"])
    assert done.exit_code == 4
    assert "made from these votes" in done.output
    done = CliRunner().invoke(cli, ["headroom", str(path), "--prediction", "leak"])
    assert done.exit_code == 4


def test_predictions_equal_to_one_annotator_have_no_worth():
    rows = crowd(people=6, m=5)
    own = rows[rows["annotator"] == "p3"].set_index("item")["vote"]
    copied = rows["item"].map(own).fillna(rows["gpt"])
    found = ef.people(rows.assign(copy=copied), prediction=["copy", "gpt"])
    assert found["copy"].worth_low is None
    assert "annotator 'p3'" in " ".join(found["copy"].warnings)
    assert found["gpt"].worth_low is not None


def test_good_models_of_easy_crowds_are_not_accused():
    accused = 0
    for rng in np.random.default_rng(0).spawn(60):
        eta = rng.beta(1, 60, 400)
        who = np.argsort(rng.random((400, 12)), axis=1)[:, :10]
        vote = (rng.random((400, 10)) < eta[:, None]).astype(np.int64)
        names = tuple(f"p{i:02}" for i in range(12))
        item = np.repeat(np.arange(400), 10)
        ballots = Ballots(item, who.ravel(), vote.ravel(), names, np.zeros(400, bool))
        k = vote.sum(axis=1)
        model = Predictions("best", np.zeros(400, np.int64))
        found = PredictedVotes(np.column_stack((10 - k, k)), ("0", "1"), (model,), ballots)
        accused += bool(leaks(found, model))
    assert accused == 0


def test_a_constant_prediction_is_noted():
    votes, _ = drawn()
    found = ef.people(counts=votes, predictions={"dull": [1] * 300})
    assert "same answer for all items" in " ".join(found["dull"].warnings)
    assert found.constant.name in ("always '0'", "always '1'")
    assert found.constant.value >= found["dull"].value


@pytest.mark.filterwarnings("ignore:All votes agree")
def test_unanimous_items_have_no_worth():
    votes = np.array([[5, 0], [0, 5]] * 50)
    found = ef.people(counts=votes, predictions={"m": [0, 1] * 50, "other": [0, 0] * 50})
    assert found.agreement.value == 1
    assert found["m"].worth is found["m"].worth_low is None
    assert "People never disagree" in " ".join(found.notes)
    assert not found.refuted


def stopped(n=600, seed=0):
    """Two votes, and a third where they differ: k of m votes for class 1, and the best answers."""
    rng = np.random.default_rng(seed)
    eta = rng.beta(0.5, 0.5, n)
    two = rng.binomial(2, eta)
    third = two == 1
    k = two + third * rng.binomial(1, eta)
    return k, 2 + third, (eta > 0.5).astype(int)


def test_votes_collected_until_they_agree_need_to_be_said():
    k, m, best = stopped(n=2000)
    with pytest.warns(ef.RefutedWarning):
        wrong = ef.people(k, m, predictions={"best": best})
    assert wrong.refuted
    right = ef.people(k, m, predictions={"best": best}, totals_by="votes", stopping="third")
    # Beta(1/2, 1/2): two people agree on 75 %, the best answer is a person's on 81.8 %.
    assert wrong.agreement.value > 0.8
    assert right.agreement.low <= 0.75 <= right.agreement.high
    assert right["best"].low <= 0.5 + 1 / math.pi <= right["best"].high
    assert {one.basis for one in right.curve} == {"mixture"}
    assert right["best"].verdict == "saturated"


def test_items_that_decide_totals_use_panels_that_all_items_have():
    rng = np.random.default_rng(0)
    hard = rng.random(500) < 0.5
    eta = np.where(hard, 0.5, rng.integers(0, 2, 500) * 0.9 + 0.05)
    m = np.where(hard, 8, 3)
    k = rng.binomial(m, eta)
    found = ef.people(k, m, totals_by="item")
    assert [one.basis for one in found.panels] == ["votes", "mixture", "mixture"]


# What people see


def test_the_answer_is_shown_with_its_rows():
    rows = crowd(n=300)
    found = ef.people(rows, prediction=["gpt", "guess"])
    text = str(found)
    assert text.startswith("Two people agree on ")
    assert "The best possible model agrees with a person on" in text
    assert "agrees with a person" in text
    assert "The data show that gpt is better than guess." in text
    assert "less than one person" in text
    assert "ceiling" not in text.lower()
    test = "Model 'guess' does not pass the alternative annotator test: compared with"
    told = "it is shown to be better, or worse by less than 20 points (epsilon 0.2)"
    assert f"{test} none of the 8 annotators {told}; 50 % are needed." in text
    assert "are each treated as a random sample" in text
    card = found._repr_html_()
    assert "<svg" in card
    assert "guess" in card
    frame = found.to_frame("pandas")
    assert list(frame["name"]) == ["gpt", "guess"]


def claims(flips, n=600):
    """Votes on claims, and models that miss the likelier class on such shares of them."""
    rng = np.random.default_rng(19)
    p = rng.beta(0.35, 0.7, n)
    votes = {name: (rng.random(n) < p).astype(int) for name in "abcdef"}
    models = {f"ai_{flip}": (p > 0.5) ^ (rng.random(n) < flip) for flip in flips}
    return pd.DataFrame({**votes, **{name: one.astype(int) for name, one in models.items()}})


def test_no_model_that_is_worth_less_than_a_person_is_said_to_replace_one(tmp_path):
    frame, models = claims((0.0, 0.12, 0.25)), ["ai_0.0", "ai_0.12", "ai_0.25"]
    found = ef.people(frame, annotators=[*"abcdef"], prediction=models)
    assert [one.passes for one in found.alt_test] == [True] * 3
    good, weak, bad = (
        next(line for line in str(found).splitlines() if line.startswith(f"Model {name!r} passes"))
        for name in models
    )
    allowed = "it is shown to be better, or worse by less than 20 points (epsilon 0.2)"
    assert all(allowed in line for line in (good, weak, bad))
    assert "It is shown to be better than all of them." in good
    assert "replace" not in good
    assert found["ai_0.12"].worth == found["ai_0.25"].worth == 0
    below = "But it agrees with a person less often than two people agree ("
    for line in (weak, bad):
        assert "It is shown to be better than none of them." in line
        assert below in line
        assert "so this does not show that it could replace one." in line
    ef.report(found, tmp_path / "report.md")
    assert "Could ai" not in (tmp_path / "report.md").read_text(encoding="utf-8")
    one = found.to_dict()["alt_test"][1]
    assert (one["winning_rate"], one["epsilon"], one["without_allowance"]) == (1.0, 0.2, 0.0)


def test_the_point_of_a_model_in_a_report_has_its_name_and_no_number_of_people(tmp_path):
    pytest.importorskip("click")
    pytest.importorskip("matplotlib")
    from errorfloor.apps.cli.commands import run

    path, page = tmp_path / "claims.csv", tmp_path / "report.html"
    claims((0.12,)).to_csv(path, index=False)
    people = ",".join("abcdef")
    typed = ["report", str(path), "--annotators", people, "--prediction", "ai_0.12"]
    assert run([*typed, "-o", str(page)]) == 0
    text = page.read_text(encoding="utf-8")
    assert ">ai_0.12: agrees with one more person 74.9 %" in text
    assert "people in the panel 0." not in text


def test_a_model_that_does_not_beat_one_constant_answer_is_told_so():
    frame = claims((0.0,))
    frame["always"] = 0
    found = ef.people(frame, annotators=[*"abcdef"], prediction=["always"], epsilon=0.4)
    assert found.alt_test[0].passes
    line = next(one for one in str(found).splitlines() if one.startswith("Model 'always' passes"))
    assert "and no more often than one answer for all items (always '0', " in line


def test_a_model_made_from_the_votes_takes_no_test():
    frame = claims((0.0,))
    frame["copied"] = frame["a"]
    found = ef.people(frame, annotators=[*"abcdef"], prediction=["ai_0.0", "copied"])
    assert found.refuted
    assert [one.name for one in found.alt_test] == ["ai_0.0"]


def test_without_an_allowance_the_test_says_so():
    frame = claims((0.12,))
    text = str(ef.people(frame, annotators=[*"abcdef"], prediction=["ai_0.12"], epsilon=0))
    test = "Model 'ai_0.12' does not pass the alternative annotator test: it is shown to be better"
    assert re.search(
        rf"{re.escape(test)} than (none|\d+ %) of the 6 annotators \(epsilon 0\)", text
    )


def test_the_json_has_the_keys_that_were_promised():
    found = ef.people(crowd(), prediction=["gpt", "guess"]).to_dict()
    assert {"agreement", "best_possible", "panels", "models", "constant", "differences"} <= {*found}
    assert {*found["agreement"]} == {"value", "low", "high"}
    assert {*found["panels"][0]} == {"people", "value", "low", "high", "basis"}
    keys = {"name", "value", "low", "high", "worth", "worth_low", "worth_high", "verdict"}
    assert keys | {"warnings"} <= {*found["models"][0]}
    assert {*found["differences"][0]} == {
        *("first", "second", "value", "low", "high", "p", "adjusted_p")
    }
    assert {"name", "winning_rate", "advantage"} <= {*found["alt_test"][0]}
    assert found["resolvable"] > 0
    json.dumps(found, allow_nan=False)


def test_the_picture_has_the_curve_and_the_models():
    from matplotlib.figure import Figure

    found = ef.people(crowd(n=300), prediction=["gpt", "guess"])
    ax = ef.plot.people(found, ax=Figure().add_subplot())
    names = ax.get_legend_handles_labels()[1]
    assert {"panels of people", "best possible", "gpt", "guess"} <= set(names)
    line = ax.get_lines()[0]
    seen = [one for one in found.curve if one.basis == "votes"]
    assert line.get_ydata() == pytest.approx([100 * one.value for one in seen])
    with pytest.raises(ValueError, match=r"Pass what errorfloor\.people returned"):
        ef.plot.people(3)


def test_headroom_beside_votes_is_the_same_code():
    rows = crowd(n=300)
    found = ef.people(rows, prediction=["gpt", "guess"])
    for row in found:
        verdict = ef.headroom(rows, prediction=row.name, interval="annotators")
        assert verdict.verdict == row.verdict
        assert verdict.model_error == pytest.approx(1 - row.value)
        assert verdict.model.low == pytest.approx(1 - row.high)
        assert verdict.test.p == row.p_room
        assert verdict.floor.value == found.floor.value
        alone = ef.headroom(rows, prediction=row.name)  # all of it about these people
        assert "one of these" in alone.floor.target
        assert not alone.people.crossed
        assert alone.floor.high < verdict.floor.high
        assert alone.model.low >= verdict.model.low
    with pytest.raises(ValueError, match="group"):
        ef.headroom(rows, prediction="gpt", item="item", vote="vote", group="guess")
    with pytest.raises(ValueError, match="not with an Estimate"):
        ef.headroom(ef.from_votes([1, 2], 3), 3, 10, interval="annotators")
    with pytest.raises(ValueError, match="needs an interval"):
        ef.headroom(rows, prediction="gpt", interval=None)


# Differences of floors


@pytest.mark.filterwarnings("ignore:All votes agree")
def test_limits_of_a_difference_are_those_of_both_floors():
    one, other = ef.from_votes([0, 1, 2, 2] * 100, 2), ef.from_votes([0, 0, 2, 2] * 100, 2)
    found = ef.difference(one, other)
    each = math.sqrt(0.95)
    first, second = one.at_level(each), other.at_level(each)
    assert found.value == one.value - other.value
    assert (found.low, found.high) == (first.low - second.high, first.high - second.low)
    sure = ef.difference(one, other, independent=False)
    assert sure.each_level == 0.975
    assert ef.difference(one, one).each_level == 0.975
    assert found.to_dict()["independent"]
    assert "The first floor is higher" in str(found)


def test_a_difference_names_the_files_that_it_is_about(tmp_path):
    paths = [tmp_path / name / "votes.csv" for name in ("2024", "2025")]
    for path, low in zip(paths, (0, 1), strict=True):
        path.parent.mkdir()
        rows = {"votes": [low, 0, 1, 2, 2, 2 - low] * 100, "total": 2}
        pd.DataFrame(rows).to_csv(path, index=False)
    floors = [ef.from_votes(path) for path in paths]
    said = str(ef.difference(*floors))
    assert f"The floor of {paths[1]} is higher: {paths[0]} minus {paths[1]} is -" in said
    paths[1] = paths[1].rename(tmp_path / "other.csv")
    said = str(ef.difference(floors[0], ef.from_votes(paths[1])))
    assert "The floor of other.csv is higher: votes.csv minus other.csv is -" in said
    said = CliRunner().invoke(cli, ["difference", *map(str, (floors[0].source.files[0], paths[1]))])
    assert "\nvotes.csv: floor" in said.output
    assert "\nother.csv: floor" in said.output
    arrays = ef.from_votes([0, 0, 1, 2, 2, 2] * 100, 2)
    assert "The second floor is higher: the first minus" in str(ef.difference(arrays, floors[1]))


def test_soft_labels_differ_by_squares():
    rng = np.random.default_rng(0)
    one, other = (ef.from_soft_labels(rng.beta(a, 2, 500), rng=0) for a in (1, 2))
    found = ef.difference(one, other)
    width = math.hypot(one.value - one.low, other.high - other.value)
    assert found.low == pytest.approx(found.value - width)
    width = math.hypot(one.high - one.value, other.value - other.low)
    assert found.high == pytest.approx(found.value + width)


def test_one_sided_claims_have_no_difference():
    rng = np.random.default_rng(0)
    scores = rng.random(300)
    bound = ef.from_scores(scores, rng.random(300) < scores, rng=0)
    votes = ef.from_votes([0, 1, 2] * 50, 2)
    with pytest.raises(ValueError, match="`floor_b` bounds the floor from one side only, because"):
        ef.difference(votes, bound)
    with pytest.raises(ValueError, match="`floor_a` must be an Estimate"):
        ef.difference(0.1, votes)
    with pytest.raises(ValueError, match="has no interval"):
        ef.difference(votes, ef.from_votes([0, 1, 2] * 50, 2, interval=None))
    with pytest.raises(ValueError, match="Compare floors of one metric"):
        ef.difference(votes, ef.from_votes([0, 1, 2] * 50, 2, metric="brier"))


@pytest.mark.filterwarnings("ignore:All votes agree")
def test_the_command_and_python_agree_on_differences(tmp_path):
    paths = []
    for name, k in (("a", [0, 1, 2, 2] * 100), ("b", [0, 0, 2, 2] * 100)):
        paths.append(str(tmp_path / f"{name}.csv"))
        pd.DataFrame({"positives": k, "total": 2}).to_csv(paths[-1], index=False)
    done = CliRunner().invoke(cli, ["difference", *paths, "--json", "-q"])
    assert done.exit_code == 0, done.output
    typed = json.loads(done.stdout)["result"]
    found = ef.difference(*(ef.from_votes(path) for path in paths))
    assert (typed["value"], typed["low"], typed["high"]) == (found.value, found.low, found.high)
    done = CliRunner().invoke(cli, ["difference", paths[0]])
    assert done.exit_code == 2
    assert "Name two files to compare" in done.output


# The study, in small


def test_limits_of_the_study_hold_in_a_small_version():
    rows = np.array([study.held(design, 8, i) for i, design in enumerate(study.DESIGNS[:2])])
    assert (rows.mean(axis=0) >= 0.8).all()
    crowds = study.held(study.CROWDS[1], 8, 0)
    assert (crowds >= 0.7).all()


def test_difference_of_floors_that_two_votes_cannot_tell_apart_is_held():
    assert min(study.floors(5).values()) >= 0.9


def test_the_document_of_the_study_has_every_part():
    zeros = np.full(len(study.COLUMNS), 0.5)
    parts = {
        "room": (7, {"x": (0.01, 0.9)}),
        "equal": (8, {"y": 0.02}),
        "thin": (9, {"snli": dict.fromkeys(study.SIZES, 0.25)}),
        "apart": (10, {"z": 0.99}),
    }
    text = study.document({study.DESIGNS[0]: (5, zeros)}, {study.CROWDS[0]: (6, zeros)}, parts, 0.5)
    assert "| Beta(1/2, 1/2), 500 items, 3 votes | 5 | 0.500 |" in text
    assert "| x | 0.010 | 0.900 |" in text
    assert "| z | 0.990 |" in text


def test_one_more_pair_is_no_pairs():
    pairs = [f"a is better than {k}" for k in range(40)]
    shown = next(k for k in range(1, 40) if "more pair" in certain_order(pairs[:k])) - 1
    text = certain_order(pairs[: shown + 1])
    assert text.endswith(f" and a is better than {shown - 1} (and 1 more pair).")
    assert certain_order(pairs[: shown + 2]).endswith("(and 2 more pairs).")
