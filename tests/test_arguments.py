"""Arguments that cannot be meant are refused by name, and none is taken and ignored."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from click.testing import CliRunner

import errorfloor as ef
from errorfloor.apps.cli.commands import cli

pytestmark = pytest.mark.filterwarnings("ignore::errorfloor.ErrorFloorWarning")
RNG = np.random.default_rng(0)
P = RNG.random(120)
Y = (RNG.random(120) < P).astype(int)
K = RNG.binomial(3, P)
COUNTS = RNG.multinomial(4, [0.3, 0.3, 0.4], 120)
SERIES, LABELS = pd.Series(P), pd.Series(Y)
APART = LABELS.sample(frac=1, random_state=1)
FLOOR = ef.from_scores(P, Y, rng=0)
VOTES = ef.VoteTable.from_arrays(K, 3)

# Series with the same index in another order


PAIRED = {
    "from_scores": lambda y: ef.from_scores(SERIES, y, rng=0),
    "weight": lambda y: ef.from_scores(SERIES, LABELS, weight=y + 1, rng=0),
    "cluster": lambda y: ef.from_soft_labels(SERIES, cluster=y, interval=None),
    "compare": lambda y: ef.compare(SERIES, y, methods=["isotonic"], rng=0),
    "calibrate": lambda y: ef.calibrate(SERIES, y),
    "reliability": lambda y: ef.reliability(SERIES, y),
    "plan_labels": lambda y: ef.plan_labels(SERIES, y.where(y.index < 60), budget=20, rng=0),
    "feebee": lambda y: ef.feebee(SERIES, y, model_error=0.4, repeats=1, levels=2, rng=0),
    "from_votes": lambda y: ef.from_votes(pd.Series(K), y + 3),
    "labels": lambda y: ef.from_votes(pd.Series(K), 3, labels=y, rng=0),
    "items": lambda y: ef.items(pd.Series(K), y + 3),
    "headroom": lambda y: ef.headroom(SERIES, labels=LABELS, predictions=y),
    "predictions": lambda y: ef.headroom(FLOOR, labels=LABELS, predictions=y),
    "model_scores": lambda y: ef.headroom(
        ef.from_scores(P, Y, metric="auc", rng=0), labels=y, model_scores=SERIES
    ),
    "ScoreTable": lambda y: ef.ScoreTable.from_arrays(SERIES, y),
    "VoteTable": lambda y: ef.VoteTable.from_arrays(pd.Series(K), y + 3),
    "SoftTable": lambda y: ef.SoftTable.from_arrays(SERIES, weight=y + 1),
    "plan": lambda y: ef.plan((SERIES, y + 1), votes=[2], items=[100]),
    "exact_bias": lambda y: ef.bounds.exact_bias(SERIES, y + 1),
}


@pytest.mark.parametrize("ask", PAIRED.values(), ids=PAIRED)
def test_series_with_one_index_in_two_orders_are_refused(ask):
    with pytest.raises(ef.InputError, match=r"the same index in different orders.*\.loc\[.*to_nu"):
        ask(APART)
    ask(LABELS)


def test_series_with_other_indexes_are_paired_by_place():
    plain = ef.from_scores(P, Y, rng=0)
    for other in (LABELS.set_axis(np.arange(120) + 7), LABELS.set_axis(list(map(str, range(120))))):
        assert ef.from_scores(SERIES, other, rng=0).value == plain.value
    assert ef.from_scores(SERIES, Y, rng=0).value == plain.value
    apart = ef.from_scores(SERIES, APART.to_numpy(), rng=0)
    assert apart.value != plain.value
    assert ef.from_scores(SERIES, APART.loc[SERIES.index], rng=0).value == plain.value


# Dataframes of scores next to labels


NAMES = ["pos", "neutral", "neg"]
SHARES = pd.DataFrame(RNG.dirichlet([1, 1, 1], 300), columns=NAMES)
ANSWERS = pd.Series([RNG.choice(NAMES, p=row) for row in SHARES.to_numpy()], name="mood")
DECIDED = SHARES.idxmax(axis=1)
BESIDE = {
    "from_scores": lambda x: ef.from_scores(x, ANSWERS, rng=0).value,
    "classes": lambda x: ef.from_scores(x, ANSWERS, classes=sorted(NAMES), rng=0).value,
    "list": lambda x: ef.from_scores(x, [*ANSWERS], rng=0).value,
    "weight": lambda x: ef.from_scores(x, ANSWERS, weight=[1, 2] * 150, rng=0).value,
    "unlabelled": lambda x: (
        ef.from_scores(x, ANSWERS.where(ANSWERS.index > 20), drop_missing=True, rng=0).value
    ),
    "comparison": lambda x: ef.compare(x, ANSWERS, rng=0).to_frame()["value"].tolist(),
    "headroom": lambda x: ef.headroom(x, labels=ANSWERS, predictions=DECIDED, rng=0).floor.value,
    "compare": lambda x: ef.compare(labels=ANSWERS, predictions={"x": x, "y": DECIDED}).n,
    "calibrate": lambda x: ef.calibrate(x, ANSWERS).parameters["power"],
    "reliability": lambda x: str(ef.reliability(x, ANSWERS)),
    "table": lambda x: ef.ScoreTable.from_arrays(x, ANSWERS).counts.tolist(),
}


@pytest.mark.parametrize("ask", BESIDE.values(), ids=BESIDE)
def test_dataframes_of_scores_go_next_to_labels(ask):
    usual = ask(SHARES)
    for other in (pl.from_pandas(SHARES), pa.Table.from_pandas(SHARES)):
        assert ask(other) == usual


def test_names_of_columns_are_the_classes_in_any_order():
    rows = SHARES.assign(mood=ANSWERS)
    for names in (NAMES, NAMES[::-1], sorted(NAMES)):
        found = ef.from_scores(SHARES[names], ANSWERS, rng=0)
        named = ef.from_scores(rows, score=names, label="mood", rng=0)
        array = ef.from_scores(SHARES[names].to_numpy(), ANSWERS, classes=names, rng=0)
        assert found.classes == named.classes == array.classes == tuple(names)
        assert found.value == named.value == array.value
    mixed = {"frame": SHARES, "array": SHARES[sorted(NAMES)].to_numpy(), "answers": DECIDED}
    found = ef.compare(labels=ANSWERS, predictions=mixed)
    assert len({one.value for one in found.models}) == 1


def test_columns_without_names_of_classes_are_as_arrays_have_them():
    codes = ANSWERS.map(sorted(NAMES).index)
    array = SHARES[sorted(NAMES)].to_numpy()
    plain = ef.from_scores(array, codes, rng=0)
    numbered = pd.DataFrame(array)
    assert ef.from_scores(numbered, codes, rng=0).value == plain.value
    assert ef.from_scores(numbered, ANSWERS, rng=0).classes == tuple(sorted(NAMES))
    assert ef.from_scores(SHARES[sorted(NAMES)], codes, rng=0).value == plain.value


def test_one_column_is_a_score_and_two_are_of_no_and_yes():
    plain = ef.from_scores(P, Y, rng=0)
    both = pd.DataFrame({"yes": P, "no": 1 - P})
    assert ef.from_scores(SERIES.to_frame("p"), LABELS, rng=0).value == plain.value
    for names in (["yes", "no"], ["no", "yes"]):
        assert ef.from_scores(both[names], LABELS, rng=0).value == plain.value
        assert (
            ef.from_scores(both[names], LABELS.map({0: "no", 1: "yes"}), rng=0).value == plain.value
        )
    words = LABELS.map({0: "good", 1: "bad"})
    beside = ef.from_scores(SERIES.to_frame("p"), words, positive="bad", rng=0)
    assert beside.value == plain.value
    with pytest.raises(ef.InputError, match="the same index in different orders"):
        ef.from_scores(SERIES, words.sample(frac=1, random_state=1))


@pytest.mark.parametrize("other", ["labels", "predictions", "weight"])
def test_rows_with_another_index_are_refused(other):
    arrays = {"labels": ANSWERS, "predictions": DECIDED, "weight": ANSWERS.map(len)}
    for index in (np.arange(300) + 5, np.arange(300)[::-1]):
        given = {**arrays, other: arrays[other].set_axis(index)}
        weight = given.pop("weight")
        ask = (
            (lambda w=weight: ef.from_scores(SHARES, ANSWERS, weight=w))
            if other == "weight"
            else (lambda g=given: ef.headroom(SHARES, **g))
        )
        with pytest.raises(ef.InputError, match=f"`scores` and `{other}` have .* index"):
            ask()


# Classes without an order, and without a name


@pytest.mark.parametrize(
    "classes", [{"no", "yes"}, frozenset({"no", "yes"}), {"no": 0, "yes": 1}.keys(),
                {0: "no", 1: "yes"}.values(), {"no": 0, "yes": 1}.items()],
    ids=lambda one: type(one).__name__,
)  # fmt: skip
def test_classes_without_an_order_are_refused(classes):
    frame = pd.DataFrame({"score": P, "label": np.where(Y == 1, "yes", "no")})
    with pytest.raises(ef.InputError, match="`classes` must be a list, whose order"):
        ef.from_scores(P, Y, classes=classes)
    with pytest.raises(ef.InputError, match="`classes` must be a list, whose order"):
        ef.from_scores(frame, classes=classes)


@pytest.mark.parametrize("gone", [None, np.nan, pd.NA])
def test_a_class_without_a_name_is_refused(gone):
    with pytest.raises(ef.InputError, match="`classes` has no name in place 1"):
        ef.from_votes(COUNTS, classes=[0.0, gone, 2.0])


# True and False


FLAGS = {
    "drop_missing": lambda value: ef.from_scores(P, Y, drop_missing=value),
    "unlabelled": lambda value: ef.from_scores(P, Y, unlabelled=value),
    "simultaneous": lambda value: ef.from_scores(P, Y, simultaneous=value),
    "same_labelling": lambda value: ef.headroom(FLOOR, errors=9, n=100, same_labelling=value),
    "symmetric": lambda value: ef.items(K, 3, symmetric=value),
    "by_score": lambda value: ef.plan_labels(P, budget=20, by_score=value),
    "sharp": lambda value: ef.bounds.votes_deviation(10, 10, sharp=value),
    "estimated": lambda value: ef.bounds.auc_deviation(10, 0.3, estimated=value),
    "refine": lambda value: ef.frames.score_table(
        pd.DataFrame({"s": P, "y": Y}), score="s", label="y", refine=value
    ),
}


@pytest.mark.parametrize("value", ["no", "False", 1, 0, [], 1.0])
@pytest.mark.parametrize("name", FLAGS)
def test_only_true_and_false_are_true_and_false(name, value):
    with pytest.raises(ef.InputError, match=f"`{name}` must be True or False, got"):
        FLAGS[name](value)


def test_booleans_of_numpy_will_do():
    assert ef.from_scores(P, Y, drop_missing=np.False_, interval=None).n == 120


# Arguments that were taken and ignored


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda: ef.headroom(FLOOR, errors=9, n=100, labels="anything"), "`labels` goes with"),
        (lambda: ef.headroom(0.1, confusion=[[5, 1], [1, 5]], labels=Y), "`labels` goes with"),
        (lambda: ef.from_votes(COUNTS, model_error="abc"), r"`model_error` must lie in \[0, 1\]"),
        (lambda: ef.from_votes(COUNTS, model_error=0.3), "`model_error` is a rate, which bounds"),
        (lambda: ef.from_votes(K, 3, labels=Y, model_error=0.3), "`model_error` caps floors of"),
        (lambda: ef.plan(VOTES, target=5), r"`target` must lie in \[0, 1\], got 5\. .*5 % is 0.05"),
        (lambda: ef.plan(VOTES, target=0), "`target` must be a number above 0"),
        (lambda: ef.plan(ef.ScoreTable.from_arrays(P, Y), votes="abc"), "`votes` must be"),
        (lambda: ef.compare(P, Y, methods=np.array([1, 2])), "`method` must be one of"),
    ],
)
def test_nothing_is_taken_and_ignored(ask, said):
    with pytest.raises(ef.InputError, match=said):
        ask()


def test_per_cent_and_arrays_of_names_are_understood():
    few = {"votes": [2], "items": [100]}
    one, other = (ef.plan(VOTES, level=level, **few) for level in ("95%", 0.95))
    assert (one.width == other.width).all()
    assert one.level == 0.95
    assert ef.plan(VOTES, target="5%", **few).target == 0.05
    assert ef.plan(VOTES, target=5, metric="log-loss", **few).target == 5
    rows = ef.compare(P, Y, methods=np.array(["beta", "isotonic"]), interval=None)
    assert [row.method for row in rows] == ["beta", "isotonic"]


# The report


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"path": 3}, "`path` must be the path of a file, got 3"),
        ({"path": b"x.md"}, "`path` must be the path of a file"),
        ({"items": 5}, "`items` must be what items returns, got 5"),
        ({"source": "labels.csv"}, "`source` must be a mapping of names to text"),
        ({"comparison": FLOOR}, "`comparison` must be what compare returns"),
        ({"title": 5}, "`title` must be text"),
        ({"command": ["errorfloor"]}, "`command` must be text"),
        ({"theory": "no"}, "`theory` must be True or False"),
        ({"result": ef.items(K, 3)}, "Expected a dataframe or the path of a file, got Items"),
    ],
)
def test_a_report_says_what_its_arguments_have_to_be(tmp_path, given, said):
    asked = {"result": FLOOR, "path": tmp_path / "report.md", **given}
    with pytest.raises(ef.InputError, match=said):
        ef.report(**asked)
    assert not list(tmp_path.iterdir())


# Files and frames


def test_columns_of_one_name_are_refused():
    frame = pd.DataFrame(np.column_stack((P, Y, Y)), columns=["score", "label", "label"])
    for ask in (ef.from_scores, ef.look, ef.frames.columns):
        with pytest.raises(ef.InputError, match="several columns called 'label'"):
            ask(frame)


def test_json_that_is_nested_deeply_is_refused(tmp_path):
    for name, text in (("a.json", "[" * 50_000), ("b.jsonl", '{"a":' * 50_000)):
        path = tmp_path / name
        path.write_text(text + "1" + "".join({"[": "]", "{": "}"}.get(c, "") for c in text[::-1]))
        with pytest.raises(ef.InputError, match="nested too deeply"):
            ef.from_scores(path)


def test_a_file_with_very_many_columns_says_so(tmp_path):
    path = tmp_path / "wide.csv"
    path.write_text(",".join(f"c{i}" for i in range(20_001)) + "\n" + ",".join(["1"] * 20_001))
    with pytest.raises(ef.InputError, match="it has more than 5,000 columns"):
        ef.from_scores(path)


def test_a_name_of_a_column_may_have_a_line_break(tmp_path):
    path = tmp_path / "labels.csv"
    rows = "".join(f"{p},{y}\n" for p, y in zip(P, Y, strict=True))
    path.write_text(f'"my\nscore",label\n{rows}')
    found = ef.from_scores(path, score="my\nscore", label="label", rng=0)
    assert found.value == FLOOR.value


# The command line


def test_columns_of_votes_that_cannot_be_used_are_said(tmp_path):
    path = tmp_path / "long.csv"
    frame = pd.DataFrame({"item": [1, 1, 2, 2], "who": [*"abab"], "vote": [0, 1, 1, 1], "gold": 1})
    frame.assign(pred=1).to_csv(path, index=False)
    long = ["--item", "item", "--vote", "vote"]
    ran = CliRunner().invoke(cli, ["estimate", str(path), *long, "--label", "glod"])
    assert ran.exit_code == 1
    assert (
        "--label must be one of the columns item, who, vote, gold, pred; got 'glod'." in ran.output
    )
    with pytest.raises(ef.InputError, match="`label` must be one of"):
        ef.from_votes(path, item="item", vote="vote", label="glod")
    asked = ["headroom", str(path), *long, "--prediction", "pred"]
    ran = CliRunner().invoke(cli, [*asked, "--metric", "auc"])
    assert ran.exit_code == 1
    assert "--prediction is compared with a floor of scores or soft labels" in ran.output
    with pytest.raises(ef.InputError, match="`prediction` is compared with a floor of scores"):
        ef.headroom(path, item="item", vote="vote", prediction="pred", metric="auc")
    ran = CliRunner().invoke(cli, asked)  # errors are compared with people
    assert ran.exit_code == 0
    assert "Panel test" in ran.output
