import csv
import json

import numpy as np
import pandas as pd
import pytest
from needs import needs_data
from scipy.stats import chi2, rankdata

import errorfloor as ef
from errorfloor.data.items import VoteItems
from errorfloor.methods.votes.line import binomial, fit_mixture
from errorfloor.methods.votes.thinning import Votes
from errorfloor.questions.items import _less_for_more, _ranks, p_of_symmetry


@pytest.fixture(scope="module")
def votes():
    rng = np.random.default_rng(2)
    totals = rng.choice([2, 3, 5], 600)
    return rng.binomial(totals, rng.beta(0.6, 1.6, 600)), totals


def test_contributions_are_posterior_means_and_their_mean_is_the_floor(votes):
    positives, totals = votes
    found = ef.items(positives, totals, symmetric=False)
    table = ef.VoteTable.from_arrays(positives, totals)
    fit = fit_mixture(table.positives, table.totals, table.counts, penalty=2.0)
    chance = binomial(positives, totals, fit.points) * fit.weights
    chance /= chance.sum(axis=1, keepdims=True)
    assert found.probability == pytest.approx(chance @ fit.points)
    expected = chance @ np.minimum(fit.points, 1 - fit.points)
    # But for 1 of 2 and 2 of 2 votes, which this fit puts in the other order.
    pooled = (totals == 2) & (positives >= 1)
    assert found.contribution[~pooled] == pytest.approx(expected[~pooled])
    assert found.contribution[pooled] == pytest.approx(expected[pooled].mean())
    assert expected[pooled & (positives == 2)].min() > expected[pooled].mean()
    assert found.floor == pytest.approx(expected.mean())
    # The penalty of two items' worth of likelihood moves it a little.
    assert found.floor == pytest.approx(ef.from_votes(table, interval=None).value, abs=5e-3)
    assert found.item.tolist() == list(range(600))
    assert len(found) == 600


def test_ranks_count_the_items_that_contribute_more(votes):
    found = ef.items(*votes)
    majority = np.maximum(votes[0], votes[1] - votes[0]) / votes[1]
    slow = []
    for part, own in zip(found.contribution, majority, strict=True):
        as_much = np.abs(found.contribution - part) <= 1e-9
        harder = (found.contribution > part + 1e-9) | (as_much & (majority < own - 1e-9))
        slow.append(1 + int(harder.sum()))
    assert found.rank.tolist() == slow
    assert found.contribution[found.hardest(1)[0]] == found.contribution.max()


def test_symmetric_items_are_ranked_by_the_size_of_the_majority(votes):
    positives, totals = votes
    first = ef.items(positives, totals, symmetric=True)
    named = ef.items(positives=positives, totals=totals, symmetric=True)
    assert named.contribution.tolist() == first.contribution.tolist()
    second = ef.items(totals - positives, totals, symmetric=True)
    assert first.contribution == pytest.approx(second.contribution, abs=1e-9)
    minority = np.minimum(positives, totals - positives)
    for pair in set(zip(minority, totals, strict=True)):  # equal to the last bit, for ranks
        alike = (minority == pair[0]) & (totals == pair[1])
        assert np.unique(first.contribution[alike]).size == 1
    assert first.probability == pytest.approx(1 - second.probability, abs=1e-9)
    assert first.symmetric
    assert first.symmetry is None


def test_the_votes_decide_whether_the_classes_are_exchangeable(votes):
    assert not ef.items(*votes).symmetric
    rng = np.random.default_rng(5)
    refuted = 0
    for _ in range(200):
        positives = rng.binomial(3, rng.beta(0.5, 0.5, 300))
        rows = type("Rows", (), {"positives": positives, "totals": np.full(300, 3)})
        rows.counts = np.ones(300, np.int64)
        refuted += p_of_symmetry(rows) <= 0.05
    # At most 21 of 200 in all but one study of a thousand, if the rate is 0.05.
    assert refuted <= 21
    assert ef.items([1, 1, 1], 2).symmetry == 1


def test_symmetry_is_tested_by_the_likelihood_ratio_of_pairs_of_cells():
    def p_of(*cells):
        k, m, n = np.array(cells).T
        return p_of_symmetry(VoteItems(np.arange(k.size), np.stack((m - k, k), axis=1), n))

    # Even votes, and the four items of 0 or 5 votes of 5, say nothing.
    found = p_of((0, 3, 10), (3, 3, 30), (1, 3, 4), (2, 3, 6), (1, 2, 99), (0, 5, 3), (5, 5, 1))
    ratio = 10 * np.log(10 / 20) + 30 * np.log(30 / 20) + 4 * np.log(4 / 5) + 6 * np.log(6 / 5)
    assert found == pytest.approx(chi2.sf(2 * ratio, 2))
    # Five items are enough, also where all are on one side.
    assert p_of((3, 4, 5)) == p_of((1, 4, 5)) == pytest.approx(chi2.sf(2 * 5 * np.log(2), 1))
    assert p_of((3, 4, 4)) == 1
    assert p_of((2, 4, 50)) == 1
    assert p_of((2, 4, 50), (1, 4, 7), (3, 4, 7)) == 1


def test_votes_that_are_symmetric_as_they_are_change_nothing_when_mirrored():
    k, m = np.array([0, 1, 1, 2, 3, 4, 5]), np.array([3, 3, 2, 3, 3, 4, 5])
    positives, totals = np.tile(np.append(k, m - k), 4), np.tile(np.append(m, m), 4)
    one, other = (ef.items(positives, totals, symmetric=even) for even in (True, False))
    assert one.contribution == pytest.approx(other.contribution, abs=1e-6)
    assert one.probability == pytest.approx(other.probability, abs=1e-6)
    assert one.floor == pytest.approx(other.floor, abs=1e-6)


def spread_of(shape, n, rng):
    """Return the probabilities of items: smooth, with guesses among votes, or of two values."""
    return {
        "smooth": lambda: rng.beta(0.4, 0.4, n),
        "guesses": lambda: 0.1 + 0.8 * rng.beta(0.4, 0.4, n),
        "two kinds": lambda: np.where(rng.random(n) < 0.7, rng.beta(1, 14, n), rng.beta(5, 2, n)),
        "skewed": lambda: rng.beta(0.6, 1.6, n),
        "two values": lambda: np.where(rng.random(n) < 0.5, 0.1, 0.8),
    }[shape]()


@pytest.mark.parametrize("shape", ["smooth", "guesses", "two kinds", "skewed", "two values"])
@pytest.mark.parametrize("n", [300, 1200])
def test_items_of_which_all_think_the_same_never_come_before_even_votes(shape, n):
    for seed in range(8):
        rng = np.random.default_rng(seed)
        positives = rng.binomial(4, spread_of(shape, n, rng))
        found = ef.items(positives, 4)
        first = {k: np.flatnonzero(positives == k)[0] for k in np.unique(positives)}
        rank = {k: found.rank[at] for k, at in first.items()}
        parts = {k: found.contribution[at] for k, at in first.items()}
        for unanimous in first.keys() & {0, 4}:
            assert rank[2] < rank[unanimous]
            assert parts[2] >= parts[unanimous] - 1e-9


def test_a_rare_class_that_all_choose_may_be_harder_than_even_votes():
    # One vote of two for what nearly no item is: most often an easy item and a slip.
    rng = np.random.default_rng(0)
    p = np.where(rng.random(20_000) < 0.95, rng.beta(1, 60, 20_000), rng.beta(3, 3, 20_000))
    positives = rng.binomial(2, p)
    error = np.minimum(p, 1 - p)
    assert error[positives == 2].mean() > 1.5 * error[positives == 1].mean()
    found = ef.items(positives, 2)
    assert found.contribution[positives == 2][0] > 1.2 * found.contribution[positives == 1][0]


def test_what_is_pooled_is_pooled_on_both_sides_and_keeps_the_mean():
    cells = Votes(np.arange(5), np.full(5, 4), np.array([10, 20, 30, 40, 50]))
    part = np.array([0.1, 0.35, 0.2, 0.25, 0.4])
    pooled = _less_for_more(part, np.array([0.1, 0.3, 0.5, 0.7, 0.9]), cells, False)
    # Unanimous votes join 3 of 4, these and 1 of 4 the even votes: (7 + 6 + 10 + 20) / 140.
    assert pooled == pytest.approx([0.1, *[43 / 140] * 4])
    # Even votes that speak for a rare class less than 3 of 4 leave doubt are no bound on these.
    pooled = _less_for_more(part, np.array([0.01, 0.1, 0.2, 0.4, 0.7]), cells, False)
    assert pooled == pytest.approx([0.1, 0.26, 0.26, *[(10 + 20) / 90] * 2])
    # Where classes are exchangeable, both sides count alike: (60 * 0.4 + 60 * 0.3) / 120.
    part = np.array([0.4, 0.3, 0.2, 0.3, 0.4])
    pooled = _less_for_more(part, np.array([0.1, 0.3, 0.5, 0.7, 0.9]), cells, True)
    assert pooled == pytest.approx(np.full(5, (60 * 0.4 + 60 * 0.3 + 30 * 0.2) / 150))
    assert np.unique(pooled).size == 1


def test_rounding_makes_no_difference_to_ranks():
    part = np.array([0.1, 0.3, 0.1 + 3e-10, 0.2, 0.1 + 2e-9, 0.3])
    assert _ranks(part, np.array([1, 2, 1, 3, 1, 1])).tolist() == [8, 1, 8, 4, 7, 1]


def test_tables_have_a_row_for_each_pair_of_votes(votes):
    table = ef.VoteTable.from_arrays(*votes)
    found, single = ef.items(table), ef.items(*votes)
    assert found.count.tolist() == table.counts.tolist()
    assert found.floor == pytest.approx(single.floor)
    for k, m, part, rank in zip(
        found.positives, found.totals, found.contribution, found.rank, strict=True
    ):
        at = np.flatnonzero((votes[0] == k) & (votes[1] == m))[0]
        assert (part, rank) == (pytest.approx(single.contribution[at]), single.rank[at])
    assert "count" in found.columns
    assert "count" not in single.columns


def test_rows_of_all_layouts_keep_their_names(tmp_path):
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    names = np.array([f"q{i:03d}" for i in rng.permutation(200)])
    single = (rng.random((200, 3)) < rng.beta(0.5, 0.5, 200)[:, None]).astype(int)
    plain = ef.items(single.sum(axis=1), 3)
    expected = dict(zip(names, plain.contribution, strict=True))
    wide = pd.DataFrame({"item": names, "a": single[:, 0], "b": single[:, 1], "c": single[:, 2]})
    counted = pd.DataFrame({"name": names, "k": single.sum(axis=1), "m": 3})
    long = wide.melt("item", value_name="vote").rename(columns={"variable": "annotator"})
    path = tmp_path / "long.csv"
    long.to_csv(path, index=False)
    for found in (
        ef.items(wide, annotators=["a", "b", "c"]),
        ef.items(wide, annotators=["a", "b", "c"], item="item"),
        ef.items(counted, positives="k", totals="m", item="name"),
        ef.items(long, item="item", vote="vote", annotator="annotator"),
        ef.items(path),
    ):
        got = dict(zip(found.item, found.contribution, strict=True))
        assert got == {name: pytest.approx(part) for name, part in expected.items()}
    assert ef.items(counted, positives="k", totals="m").item.tolist() == list(range(200))


def test_items_are_had_as_a_frame_as_csv_and_on_the_command_line(tmp_path, capsys, monkeypatch):
    pd = pytest.importorskip("pandas")
    pytest.importorskip("click")
    from errorfloor.apps.cli.commands import run

    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame({"id": list("abcdef"), "votes": [0, 3, 1, 3, 0, 2], "total": 3})
    frame.to_csv("votes.csv", index=False)
    found = ef.items("votes.csv")
    assert found.item.tolist() == list("abcdef")
    assert found.to_frame("pandas")["rank"].tolist() == [3, 3, 1, 3, 3, 1]
    assert run(["items", "votes.csv", "-o", "items.csv", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)["result"]
    assert printed["columns"]["contribution"] == found.contribution.tolist()
    with open("items.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["item"] for row in rows] == list("cfabde")  # the hardest first
    assert [int(row["rank"]) for row in rows] == [1, 1, 3, 3, 3, 3]
    told = dict(zip(found.item.tolist(), found.contribution.tolist(), strict=True))
    assert {row["item"]: float(row["contribution"]) for row in rows} == told
    assert run(["items", "votes.csv", "--item", "id", "--votes", "votes", "--total", "total"]) == 0
    assert "The two classes are treated in the same way" in " ".join(
        capsys.readouterr().out.split()
    )


def test_single_votes_and_unknown_columns_are_refused():
    with pytest.raises(ef.InputError, match="`totals` must reach 2 for some item"):
        ef.items([0, 1], 1)
    with pytest.raises(TypeError, match="unexpected keyword"):
        ef.items([0, 1], 2, colour="red")


def area(score, hard):
    ranks = rankdata(score)
    return (ranks[hard].sum() - hard.sum() * (hard.sum() + 1) / 2) / (hard.sum() * (~hard).sum())


@needs_data
@pytest.mark.parametrize(("part", "least"), [("snli", 0.82), ("mnli", 0.78), ("abductive", 0.76)])
def test_three_votes_find_what_a_hundred_call_hard(part, least):
    from errorfloor.datasets import load_chaosnli

    data = load_chaosnli(part)
    k, m = np.asarray(data.positives), np.asarray(data.totals)
    minority = np.minimum(k, m - k) / m
    hard = minority >= np.sort(minority)[-round(k.size / 10)]
    areas, off = [], []
    for seed in range(10):
        few = np.random.default_rng(seed).hypergeometric(k, m - k, 3)
        found = ef.items(few, 3)
        areas.append(area(found.contribution, hard))
        by_count = [(found.contribution - minority)[few == j].mean() for j in range(4)]
        off.append(by_count)
        assert found.symmetric == (part == "abductive")
    assert np.mean(areas) >= least
    assert np.abs(np.mean(off, axis=0)).max() <= 0.03


def test_items_on_which_nobody_differs_are_not_the_hardest():
    # At the maximum of likelihood all items of one atom are equally hard, unanimous ones as well.
    rng = np.random.default_rng(1)
    positives = rng.binomial(10, np.where(np.arange(800) < 400, 0.35, 0.8))
    found = ef.items(positives, 10, symmetric=False)
    unanimous = (positives == 0) | (positives == 10)
    assert unanimous.any()
    assert found.contribution[unanimous].max() < found.contribution[positives == 4].min()


@pytest.mark.parametrize("column", ["case_id", "Scan ID", "image"])
def test_the_only_column_of_ids_names_the_items(column):
    readers = {f"reader_{k}": [0, 1, 1, k % 2] for k in range(3)}
    frame = pd.DataFrame({column: list("dbac"), "age": [60, 70, 60, 80], **readers})
    for named in ({}, {"item": column}):
        found = ef.items(frame, **named)
        assert (found.item.tolist(), found.source.guessed) == (list("dbac"), ("annotators",))
    twice = frame.assign(**{column: list("ddac")})
    assert ef.items(twice, item=column).item.tolist() == list("ddac")


def test_ids_that_come_twice_name_no_items():
    frame = pd.DataFrame({"patient_id": list("aabb"), "yes": [0, 3, 1, 2], "no": [3, 0, 2, 1]})
    assert ef.items(frame, counts=["no", "yes"]).item.tolist() == [0, 1, 2, 3]
    assert ef.items(frame, counts=["no", "yes"], item="patient_id").item.tolist() == list("aabb")


def test_an_item_without_votes_is_refused_by_what_it_lacks():
    with pytest.raises(ef.InputError, match=r"`vote` is missing\. Name its column, too"):
        ef.items(pd.DataFrame({"case_id": list("dbac"), "x": [1.5, 2, 3, 4]}), item="case_id")
