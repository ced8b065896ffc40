"""Votes beside one true label per item: the shares of votes are scores."""

import json

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from engines import ENGINES, params

import errorfloor as ef
from errorfloor.show.recipe import python_code

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
        assert one.method == "isotonic"
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
    assert "took --item item --annotator annotator --vote vote" in ran.stderr
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


@pytest.mark.parametrize("engine", params())
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
    assert (found.n, found.dropped) == (7, 6)


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
