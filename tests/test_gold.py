"""Votes next to one true label per item: the shares of votes are scores."""

import json
import shlex

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from engines import ENGINES

import errorfloor as ef
from errorfloor.show.recipe import command_line, python_code

VOTES = [(0, 2, 0), (1, 2, 1), (2, 2, 1), (2, 4, 0), (1, 1, 1), (0, 3, 1), (1, 3, 0), (2, 6, 1)]
K, M, GOLD = map(list, zip(*VOTES, strict=True))
EXPECTED = ef.ScoreTable.from_arrays(np.divide(K, M), GOLD)


def long_rows(words=False):
    """Return one row per vote; the item's label stands in each of its rows."""
    name = ("no", "yes") if words else (0, 1)
    return pd.DataFrame(
        [
            {"item": f"i{i}", "who": f"w{j}", "vote": name[j < k], "gold": name[label]}
            for i, (k, m, label) in enumerate(VOTES)
            for j in range(m)
        ]
    )


def wide_rows():
    rows = [[1] * k + [0] * (m - k) + [None] * (6 - m) + [label] for k, m, label in VOTES]
    return pd.DataFrame(rows, columns=[*(f"rater_{j}" for j in range(6)), "gold"])


def test_all_layouts_give_the_table_of_shares():
    counts = pd.DataFrame({"k": K, "m": M, "y": GOLD})
    found = [
        ef.from_votes(K, M, labels=GOLD, rng=0),
        ef.from_votes(counts, positives="k", totals="m", label="y", rng=0),
        ef.from_votes(long_rows(), item="item", annotator="who", vote="vote", label="gold", rng=0),
        ef.from_votes(long_rows(), item="item", vote="vote", label="gold", rng=0),
        ef.from_votes(long_rows(words=True), label="gold", item="item", positive="yes", rng=0),
        ef.from_votes(wide_rows(), annotators=["rater_*"], label="gold", rng=0),
    ]
    same = ef.from_scores(np.divide(K, M), GOLD, rng=0)
    for one in found:
        assert one.table == EXPECTED
        assert (one.value, one.low, one.high) == (same.value, same.low, same.high)
        assert one.method == "isotonic-cf"
        assert one.target == "the gold label"
    # 1 of 3 and 2 of 6 are one score, as are 1 of 2 and 2 of 4.
    assert len(EXPECTED) == 4


def test_a_label_alone_is_enough_where_names_tell_the_votes(tmp_path):
    from errorfloor.apps.cli.commands import cli

    rows = long_rows().rename(columns={"who": "annotator"})
    assert ef.from_votes(rows, label="gold", rng=0).table == EXPECTED
    path = tmp_path / "votes.csv"
    rows.to_csv(path, index=False)
    ran = CliRunner().invoke(cli, ["estimate", str(path), "--label", "gold", "--json"])
    assert json.loads(ran.stdout)["result"]["target"] == "the gold label"
    assert (
        'using column "item" as the item, "annotator" as the annotator and "vote" as the vote'
        in ran.stderr
    )
    # A column that names scores is what the label belongs to, and unknown names tell nothing.
    rows.assign(score=0.5).to_csv(path, index=False)
    ran = CliRunner().invoke(cli, ["estimate", str(path), "--label", "gold", "--json"])
    assert json.loads(ran.stdout)["result"]["n"] == len(rows)
    rows.set_axis(["a", "b", "c", "gold"], axis=1).to_csv(path, index=False)
    ran = CliRunner().invoke(cli, ["estimate", str(path), "--label", "gold"])
    assert "--score is missing" in ran.stderr
    assert "--item COL --annotator COL --vote COL" in ran.stderr
    with pytest.raises(ef.InputError) as error:
        ef.from_scores(path, label="gold")  # which takes no votes
    assert "votes" not in str(error.value).replace(str(path), "")


@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_counts_the_same(engine):
    rows = long_rows()
    kinds = {"item": "text", "who": "text", "vote": "int64", "gold": "int64"}
    frame = ENGINES[engine]({name: (kinds[name], rows[name].tolist()) for name in rows})
    found = ef.from_votes(frame, item="item", annotator="who", vote="vote", label="gold", rng=0)
    assert found.table == EXPECTED


@pytest.mark.filterwarnings("ignore::errorfloor.ErrorFloorWarning")  # so few items
def test_groups_and_missing_labels():
    rows = long_rows()
    rows["site"] = np.where(rows["item"] < "i4", "a", "b")
    found = ef.from_votes(rows, item="item", vote="vote", label="gold", group="site", rng=0)
    assert found["a"].table + found["b"].table == EXPECTED
    rows["gold"] = rows["gold"].astype(object)
    rows.loc[rows["item"] == "i7", "gold"] = None
    with pytest.raises(ef.InputError, match=r"`label` .* has missing values: 6 of 23 rows"):
        ef.from_votes(rows, item="item", vote="vote", label="gold")
    found = ef.from_votes(rows, item="item", vote="vote", label="gold", drop_missing=True, rng=0)
    assert (found.n, found.dropped) == (7, 1)
    assert found.source.facts["missing_in_rows"]["missing"] == 6


def test_an_item_has_one_label():
    rows = long_rows()
    rows.loc[1, "gold"] = 1
    with pytest.raises(ef.InputError, match="not the same in all rows of an item, such as 'i0'"):
        ef.from_votes(rows, item="item", vote="vote", label="gold")


def test_bad_labels_and_methods_are_refused():
    with pytest.raises(ef.InputError, match="`labels` must be 0 or 1"):
        ef.from_votes([1, 2], 2, labels=[0, 2])
    with pytest.raises(ef.InputError, match="length"):
        ef.from_votes([1, 2], 2, labels=[0, 1, 1])
    with pytest.raises(ValueError, match="must not exceed"):
        ef.from_votes([1, 3], 2, labels=[0, 1])
    with pytest.raises(ef.InputError, match="name the column with `label`"):
        ef.from_votes(long_rows(), labels=GOLD)
    with pytest.raises(ef.InputError, match="`majority` are about floors of votes"):
        ef.from_votes(K, M, labels=GOLD, majority=3)
    with pytest.raises(ef.InputError, match="`method` must be one of corrupted"):
        ef.from_votes(K, M, labels=GOLD, method="mixture")


def test_the_call_can_be_had_again():
    found = ef.from_votes(K, M, labels=GOLD, method="hist-2", interval="basic", rng=3)
    space = {"positives": K, "totals": M, "labels": GOLD}
    exec(python_code(found), space)  # our own text
    assert (space["floor"].low, space["floor"].high) == (found.low, found.high)


def test_the_command_line_takes_a_label_beside_votes(tmp_path):
    from errorfloor.apps.cli.commands import cli

    path = tmp_path / "votes.csv"
    long_rows().to_csv(path, index=False)
    ran = CliRunner().invoke(
        cli,
        ["estimate", str(path), "--item", "item", "--vote", "vote", "--label", "gold", "--json"],
    )
    assert ran.exit_code == 0, ran.output
    result = json.loads(ran.stdout)["result"]
    assert result["value"] == ef.from_votes(K, M, labels=GOLD).value
    assert result["target"] == "the gold label"
    # Without a label that is named, the column of votes is told from the gold one by its name.
    ran = CliRunner().invoke(cli, ["estimate", str(path), "--item", "item", "--json"])
    assert json.loads(ran.stdout)["result"]["target"] == "one more annotator's vote"


def test_rows_without_a_gold_label_beside_columns_of_annotators_are_named_and_left_out():
    frame = pd.DataFrame({"a": [1, 0, 1, 1], "b": [1, 1, 0, 1], "gold": [1, 0, None, 1]})
    columns = {"annotators": ["a", "b"], "label": "gold", "interval": None}
    with pytest.raises(
        ef.InputError, match=r"`label` \(column 'gold'\) has missing values: 1 of 4"
    ):
        ef.from_votes(frame, **columns)
    found = ef.from_votes(frame, drop_missing=True, **columns)
    assert (found.n, found.table.dropped) == (3, 1)


# A gold label that is the majority of the same votes


def findings(found, name):
    return [one for one in found.findings if one.name == name]


def crowd(rng, n, m, classes):
    """Return votes by class on items of one Dirichlet distribution, and one more vote on each."""
    p = rng.dirichlet(np.full(classes, 0.6), n)
    votes = np.array([rng.multinomial(m, row) for row in p])
    return votes, (p.cumsum(axis=1) > rng.random((n, 1))).argmax(axis=1), p


FROM_VOTES = "Gold label from the same votes"


@pytest.mark.filterwarnings("ignore::errorfloor.ErrorFloorWarning")
@pytest.mark.parametrize("m", [3, 5])
@pytest.mark.parametrize("classes", [2, 4])
def test_a_gold_label_that_is_the_majority_of_its_votes_is_refuted(classes, m):
    votes, label, _ = crowd(np.random.default_rng(m), 600, m, classes)
    majority = (votes + np.random.default_rng(0).random(votes.shape) / 2).argmax(axis=1)
    found = ef.from_votes(votes, labels=majority, interval=None)
    (one,) = findings(found, FROM_VOTES)
    assert one.level == "refuted"
    assert "on every item" in one.sentence
    assert "--majority" in one.remedy
    assert not findings(ef.from_votes(votes, labels=label, interval=None), FROM_VOTES)


@pytest.mark.filterwarnings("ignore::errorfloor.ErrorFloorWarning")
def test_the_majority_is_found_in_arrays_files_and_groups_of_any_layout(tmp_path):
    k = np.random.default_rng(1).binomial(5, np.random.default_rng(2).beta(0.5, 0.5, 400))
    rows = [[1] * one + [0] * (5 - one) + [int(one >= 3)] for one in k]
    frame = pd.DataFrame(rows, columns=[*"abcde", "gold"])
    path = tmp_path / "wide.csv"
    frame.to_csv(path, index=False)
    own = {"label": "gold", "interval": None}
    for found in (
        ef.from_votes(k, 5, labels=k >= 3, interval=None),
        ef.from_votes(path, annotators=[*"abcde"], **own),
        ef.from_votes(frame.assign(k=k), positives="k", totals=5, **own),
        ef.from_votes(frame.assign(w=1.5), annotators=[*"abcde"], weight="w", **own),
    ):
        assert found.refuted, found
        assert found.findings[0].name == FROM_VOTES
    site = np.where(np.arange(400) < 200, "x", "y")
    other = np.where(site == "y", np.arange(400) % 2, frame["gold"])
    frame = frame.assign(site=site, gold=other)
    found = ef.from_votes(frame, annotators=[*"abcde"], group="site", **own)
    assert [bool(findings(found[name], FROM_VOTES)) for name in "xy"] == [True, False]
    # Copies of an item are no further evidence, which clusters say.
    again = ef.from_votes(k, 5, labels=k >= 3, cluster=np.arange(400) // 2, interval=None)
    assert not findings(again, FROM_VOTES)


@pytest.mark.filterwarnings("ignore::errorfloor.ErrorFloorWarning")
@pytest.mark.parametrize(("classes", "right"), [(2, 0.95), (2, 0.8), (10, 0.6), (10, 0.8)])
def test_honest_experts_are_not_taken_for_a_majority(classes, right):
    rng = np.random.default_rng(3)
    p = np.full((classes, classes), (1 - right) / (classes - 1))
    np.fill_diagonal(p, right)
    refuted = 0
    for n, m in ((60, 10), (100, 3), (300, 5), (140, 2)) * 10:
        label = rng.integers(0, classes, n)
        votes = np.array([rng.multinomial(m, p[one]) for one in label])
        found = ef.from_votes(votes, labels=label, classes=range(classes), interval=None)
        refuted += any(one.level != "note" for one in findings(found, FROM_VOTES))
    assert refuted == 0


@pytest.mark.filterwarnings("ignore::errorfloor.ErrorFloorWarning")
def test_a_majority_with_a_few_items_settled_by_hand_is_doubted():
    votes = crowd(np.random.default_rng(4), 1000, 5, 2)[0]
    majority = votes.argmax(axis=1)
    for number, level in ((1, "warn"), (5, "warn"), (200, None)):
        majority[:number] = 1 - votes[:number].argmax(axis=1)
        found = findings(ef.from_votes(votes, labels=majority, interval=None), FROM_VOTES)
        assert [one.level for one in found] == ([level] if level else [])
        assert not found or f"on all but {number} item" in found[0].sentence


@pytest.mark.filterwarnings("ignore::errorfloor.ErrorFloorWarning")
@pytest.mark.parametrize("m", [5, 4000])
def test_labels_that_votes_contradict_are_not_taken_for_a_majority(m):
    gold = np.arange(60) % 2
    for for_gold in (0.0, 0.1):
        right = np.random.default_rng(0).binomial(m, for_gold, 60)
        votes = np.where(gold == 1, right, m - right)
        found = ef.from_votes(votes, m, labels=gold, interval=None)
        assert not findings(found, FROM_VOTES)


def test_too_few_splits_for_a_verdict_are_a_note():
    k = np.repeat([0, 1, 5], [60, 3, 60])
    found = ef.from_votes(k, 5, labels=k >= 3)
    assert [one.level for one in findings(found, FROM_VOTES)] == ["note"]


# A gold label that is one more vote


WITH_GOLD = ef.VoteTable.from_arrays(np.add(K, GOLD), np.add(M, 1))


def test_a_label_that_is_a_vote_is_counted_as_one_in_all_layouts():
    counts = pd.DataFrame({"k": K, "m": M, "y": GOLD, "no": np.subtract(M, K)})
    lists = pd.DataFrame(
        {"votes": [";".join(["1"] * k + ["0"] * (m - k)) for k, m in zip(K, M, strict=True)]}
    )
    how = {"label_is_vote": True}
    for found in (
        ef.from_votes(K, M, labels=GOLD, **how),
        ef.from_votes(counts=np.column_stack((np.subtract(M, K), K)), labels=GOLD, **how),
        ef.from_votes(counts, positives="k", totals="m", label="y", **how),
        ef.from_votes(counts, counts=["no", "k"], label="y", **how),
        ef.from_votes(long_rows(), item="item", annotator="who", vote="vote", label="gold", **how),
        ef.from_votes(long_rows(words=True), label="gold", item="item", positive="yes", **how),
        ef.from_votes(wide_rows(), annotators=["rater_*"], label="gold", **how),
        ef.from_votes(lists.assign(gold=GOLD), annotations="votes", label="gold", **how),
        ef.from_votes(K, M, labels=GOLD, weight=np.full(len(K), 2.0), **how),
    ):
        assert found.table.plain == WITH_GOLD
        assert found.method == "mixture"
        assert found.target == "one more annotator's vote"


@pytest.mark.filterwarnings("ignore::errorfloor.ErrorFloorWarning")
def test_weights_groups_and_many_classes_count_a_label_as_a_vote():
    rng = np.random.default_rng(0)
    votes, label, _ = crowd(rng, 80, 3, 3)
    weight = rng.integers(1, 4, 80).astype(float)
    names = np.array([*"abc"])
    frame = pd.DataFrame(votes, columns=[f"n_{one}" for one in names])
    frame = frame.assign(gold=names[label], w=weight, site=np.where(np.arange(80) < 30, "x", "y"))
    more = np.eye(3, dtype=int)[label]
    expected = ef.VoteTable.from_arrays(votes + more, classes=names, weight=weight)
    how = {"label_is_vote": True, "interval": None}
    by_row = ef.from_votes(frame, counts="n_*", label="gold", weight="w", **how)
    arrays = ef.from_votes(votes, labels=names[label], classes=names, weight=weight, **how)
    assert by_row.table == arrays.table == expected
    parts = ef.from_votes(frame, counts="n_*", label="gold", group="site", **how)
    assert parts["x"].table + parts["y"].table == ef.VoteTable.from_arrays(
        votes + more, classes=names
    )


def test_where_there_is_no_label_nothing_is_taken_for_a_vote():
    for call in (
        lambda: ef.from_votes(K, M, label_is_vote=True),
        lambda: ef.from_votes(long_rows(), item="item", vote="vote", label_is_vote=True),
        lambda: ef.from_votes(ef.VoteTable.from_arrays(K, M), label_is_vote=True),
    ):
        with pytest.raises(ef.InputError, match="`label_is_vote` adds the label of each item"):
            call()
    with pytest.raises(ef.InputError, match="is a VoteTable, whose columns are known"):
        ef.from_votes(ef.VoteTable.from_arrays(K, M), label="gold", label_is_vote=True)
    with pytest.raises(ef.InputError, match="`label_is_vote` must be True or False, got 'no'"):
        ef.from_votes(K, M, labels=GOLD, label_is_vote="no")
    with pytest.raises(ef.InputError, match=r"`totals_by='votes'` is about votes that were"):
        ef.from_votes(K, M, labels=GOLD, label_is_vote=True, totals_by="votes")
    with pytest.raises(ef.InputError, match="`method` must be one of mixture"):
        ef.from_votes(K, M, labels=GOLD, label_is_vote=True, method="isotonic")


AS_A_VOTE = "Label as one more vote"


@pytest.mark.filterwarnings("ignore::errorfloor.ErrorFloorWarning")
@pytest.mark.parametrize("classes", [2, 3])
def test_a_label_is_a_vote_only_where_it_agrees_as_votes_do(classes):
    rng = np.random.default_rng(5)
    votes, label, p = crowd(rng, 2000, 4, classes)
    how = {"label_is_vote": True, "interval": None}
    (same,) = findings(ef.from_votes(votes, labels=label, **how), AS_A_VOTE)
    assert same.level == "ok"
    best = p.argmax(axis=1)
    worse = np.where(rng.random(2000) < 0.3, rng.integers(0, classes, 2000), label)
    for other, often in ((best, "more often"), (worse, "less often")):
        (one,) = findings(ef.from_votes(votes, labels=other, **how), AS_A_VOTE)
        assert one.level == "refuted"
        assert often in one.sentence
        assert "--label-is-vote" in one.remedy
    rates = [float(word) for word in one.sentence.split() if word.replace(".", "").isdigit()]
    pairs = (votes * (votes - 1)).sum(axis=1) / 12
    with_label = votes[np.arange(2000), worse] / 4
    assert rates[:2] == pytest.approx([100 * with_label.mean(), 100 * pairs.mean()], abs=0.006)


@pytest.mark.filterwarnings("ignore::errorfloor.ErrorFloorWarning")
def test_a_small_difference_in_many_items_is_a_doubt():
    rng = np.random.default_rng(7)
    p = rng.beta(2, 2, 200_000)
    k, label = rng.binomial(5, p), rng.random(200_000) < p
    label = np.where(rng.random(200_000) < 0.02, rng.random(200_000) < 0.5, label)
    found = ef.from_votes(k, 5, labels=label, label_is_vote=True, interval=None)
    (one,) = findings(found, AS_A_VOTE)
    assert one.level in ("ok", "warn")
    label = np.where(rng.random(200_000) < 0.1, rng.random(200_000) < 0.5, label)
    found = ef.from_votes(k, 5, labels=label, label_is_vote=True, interval=None)
    assert [one.level for one in findings(found, AS_A_VOTE)] == ["warn"]


@pytest.mark.parametrize("m", [3, 10])
def test_a_label_of_the_same_kind_leads_to_the_true_floor(m):
    rng = np.random.default_rng(m)
    p = rng.beta(0.5, 0.5, 5000)
    k, label = rng.binomial(m, p), rng.random(5000) < p
    found = ef.from_votes(k, m, labels=label, label_is_vote=True)
    assert found.low < np.minimum(p, 1 - p).mean() < found.high
    by_shares = ef.from_votes(k, m, labels=label, rng=0)
    assert by_shares.value > found.value


def test_the_call_with_a_label_as_a_vote_can_be_had_again(tmp_path):
    from errorfloor.apps.cli.commands import cli

    rng = np.random.default_rng(2)
    p = rng.beta(0.5, 0.5, 200)
    k, m, gold = rng.binomial(3, p), np.full(200, 3), (rng.random(200) < p).astype(int)
    found = ef.from_votes(k, m, labels=gold, label_is_vote=True)
    space = {"positives": k, "totals": m, "labels": gold}
    exec(python_code(found), space)  # our own text
    assert (space["floor"].low, space["floor"].high) == (found.low, found.high)
    path = tmp_path / "votes.csv"
    pd.DataFrame({"k": k, "m": m, "y": gold}).to_csv(path, index=False)
    words = [str(path), "--votes", "k", "--total", "m", "--label", "y", "--label-is-vote"]
    ran = CliRunner().invoke(cli, ["estimate", *words, "--json"])
    assert ran.exit_code == 0, ran.output
    result = json.loads(ran.stdout)["result"]
    assert (result["value"], result["low"], result["high"]) == (found.value, found.low, found.high)
    again = ef.from_votes(path, positives="k", totals="m", label="y", label_is_vote=True)
    space = {}
    exec(python_code(again), space)
    assert space["floor"].table == found.table
    typed = command_line(again)
    assert "--label-is-vote" in typed
    ran = CliRunner().invoke(cli, [*shlex.split(typed)[1:], "--json"])
    assert json.loads(ran.stdout)["result"]["value"] == found.value
    ran = CliRunner().invoke(
        cli, ["headroom", *words, "--model-errors", "90", "--test-items", "200", "--json"]
    )
    assert ran.exit_code == 0, ran.output
    assert json.loads(ran.stdout)["result"]["floor"]["target"] == "one more annotator's vote"
    columns = {"positives": "k", "totals": "m", "label": "y", "label_is_vote": True}
    verdict = ef.headroom(path, errors=90, n=200, same_labelling=True, **columns)
    assert verdict.floor.value == found.value
    ran = CliRunner().invoke(cli, ["report", *words, "-o", str(tmp_path / "report.md")])
    assert ran.exit_code == 0, ran.output
    assert "label_is_vote=True" in (tmp_path / "report.md").read_text()
    again = ef.report(str(path), tmp_path / "again.md", **columns)
    assert "label_is_vote=True" in again.read_text()


def test_the_command_line_says_what_a_label_as_a_vote_needs(tmp_path):
    from errorfloor.apps.cli.commands import cli

    path = tmp_path / "votes.csv"
    pd.DataFrame({"k": K, "m": M, "y": GOLD, "score": np.divide(K, M)}).to_csv(path, index=False)
    for words in (
        ["--votes", "k", "--total", "m"],
        ["--score", "score"],
        ["--score", "score", "--label", "y"],
        ["--score", "score", "--label", "y", "--prediction", "y"],
    ):
        command = "headroom" if "--prediction" in words else "estimate"
        ran = CliRunner().invoke(cli, [command, str(path), *words, "--label-is-vote"])
        assert ran.exit_code in (1, 2), ran.output
        assert "--label" in ran.stderr
        assert "Traceback" not in ran.output
    ran = CliRunner().invoke(cli, ["estimate", str(path), "--label", "y", "--label-is-vote"])
    assert "one more" in ran.stdout, ran.output
