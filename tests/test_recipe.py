"""What a result prints to reproduce it gives the same bits: every method, interval and layout."""

import json
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import errorfloor as ef
from errorfloor import intervals, methods
from errorfloor.data.layouts import LAYOUTS
from errorfloor.data.tables import ScoreTable, SoftTable, VoteTable
from errorfloor.datasets.synthetic import gaussian_mixture
from errorfloor.show.recipe import command_line, python_code

# So few items leave some bootstraps undefined, and another interval is given, again and again.
pytestmark = pytest.mark.filterwarnings("ignore::errorfloor.ErrorFloorWarning")
N = 120


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Files in every layout, with words, blanks and groups."""
    folder = tmp_path_factory.mktemp("a folder's files")
    data = gaussian_mixture(N, rng=5).corrupted(2, 0.7)
    rng = np.random.default_rng(6)
    votes = rng.binomial(1, data.soft_labels[:, None], size=(N, 3))
    frame = pd.DataFrame(
        {
            "my score": data.scores.round(3),
            "label": np.where(data.labels, "yes", "no"),
            "y": data.labels.astype(int),
            "soft": data.soft_labels,
            "k": votes.sum(axis=1),
            "m": 3,
            "batch": np.where(np.arange(N) % 2, "a", "b"),
            **{f"rater_{i}": votes[:, i] for i in range(3)},
        }
    )
    frame.to_csv(folder / "wide file.csv", index=False)
    soft = np.column_stack((data.soft_labels**2, data.soft_labels * (1 - data.soft_labels)))
    soft = np.column_stack((soft, 1 - soft.sum(axis=1)))
    classes = np.array(["cat", "dog", "a, b"])[(soft.cumsum(axis=1) > rng.random((N, 1))).argmax(1)]
    many = pd.DataFrame(soft, columns=["p cat", "p dog", "p other"]).assign(animal=classes)
    counts = np.array([rng.multinomial(4, p) for p in soft])
    many[["n cat", "n dog", "n other"]] = counts
    many.assign(**{f"rater_{i}": rng.permutation(classes) for i in range(3)}).to_csv(
        folder / "many.csv", index=False
    )
    with open(folder / "lists.jsonl", "w", encoding="utf-8") as file:
        rows = (soft.tolist(), counts.tolist(), classes.tolist(), votes.tolist())
        for p, n, y, v in zip(*rows, strict=True):
            row = {"probs": p, "counts": n, "y": y, "marks": v, "first": v[0]}
            file.write(json.dumps(row) + "\n")
    holes = frame.astype({"k": object})
    holes.loc[3, "my score"] = None
    holes.loc[4, "k"] = None
    holes.to_csv(folder / "holes.csv", index=False)
    pd.DataFrame(
        {
            "item": np.repeat(np.arange(N), 3),
            "annotator": np.tile(list("abc"), N),
            "vote": votes.ravel(),
            "gold": np.repeat(data.labels.astype(int), 3),
        }
    ).to_csv(folder / "long.csv", index=False)
    pd.DataFrame(
        {
            "item": np.repeat(np.arange(N), 3),
            "annotator": np.arange(3 * N) % 8,
            "vote": votes.ravel(),
        }
    ).to_csv(folder / "crowd.csv", index=False)
    frame[["my score", "y"]].to_csv(folder / "scores.dat", index=False, sep="\t")
    np.savez(folder / "plain.npz", score=data.scores, label=data.labels.astype(int))
    ef.ScoreTable.from_arrays(data.scores, data.labels).save(folder / "table.npz")
    ef.SoftTable.from_arrays(data.soft_labels).save(folder / "soft.npz")
    return folder


def numbers(found):
    return found.value, found.low, found.high, found.level, found.n, found.dropped


def again_in_python(estimate, verdict=None, **names):
    space = dict(names)
    exec(python_code(estimate, verdict), space)  # our own text
    return space


def again_on_the_command_line(estimate, verdict=None):
    from errorfloor.apps.cli.commands import cli

    command = command_line(estimate, verdict)
    assert command is not None
    program, *arguments = shlex.split(command)
    assert program == "errorfloor"
    ran = CliRunner().invoke(cli, [*arguments, "--json"])
    assert ran.exit_code == 0, ran.output
    return json.loads(ran.stdout)["result"]


def check(estimate, **names):
    """Run what is printed in both ways, and compare every number."""
    found = again_in_python(estimate, **names)["floor"]
    assert numbers(found) == numbers(estimate)
    if not names and estimate.group is None:
        result = again_on_the_command_line(estimate)
        keys = ("value", "low", "high", "level", "n", "dropped")
        assert tuple(result[key] for key in keys) == numbers(estimate)


def every_method_and_interval():
    """Yield each method and each interval of a kind of labels, by turns with each other."""
    for kind in (ScoreTable.kind, VoteTable.kind, SoftTable.kind):
        every = [*methods.reading(kind)]
        every += [methods.find("hist-7")] if kind == ScoreTable.kind else []
        seen = set()
        for turn, method in enumerate(every):
            own = (*intervals.of(method), "auto", None)
            for place, interval in enumerate(own):
                if interval not in seen or place == turn % len(own):
                    seen.add(interval)
                    yield pytest.param(method, interval, id=f"{method.name}-{interval}")


FUNCTIONS = {
    ScoreTable.kind: (ef.from_scores, {"score": "my score", "label": "y"}),
    VoteTable.kind: (ef.from_votes, {"positives": "k", "totals": "m"}),
    SoftTable.kind: (ef.from_soft_labels, {"soft": "soft"}),
}


@pytest.mark.parametrize(("method", "interval"), list(every_method_and_interval()))
def test_every_method_and_interval_can_be_had_again(folder, method, interval):
    ask, columns = FUNCTIONS[method.reads]
    how = {} if method.reads == SoftTable.kind else {"method": method.name}
    path = folder / "wide file.csv"
    if interval == "annotators":  # the one that needs to know whose votes they are
        path = folder / "crowd.csv"
        columns = {"item": "item", "annotator": "annotator", "vote": "vote"}
    check(ask(path, **columns, **how, interval=interval, level=0.9, n_resamples=30, rng=7))


LAYOUT_COLUMNS = {
    "scores": ("wide file.csv", {"score": "my score", "label": "label", "positive": "yes"}),
    "votes": ("wide file.csv", {"positives": "k", "totals": 3}),
    "counts": ("many.csv", {"counts": ["n cat", "n dog", "n other"]}),
    "counts and labels": (
        "many.csv",
        {"counts": "n *", "label": "animal", "classes": ["cat", "dog", "a, b"]},
    ),
    "soft labels": ("wide file.csv", {"soft": "soft"}),
    "annotations": ("long.csv", {"item": "item", "vote": "vote", "annotator": "annotator"}),
    "annotators": ("wide file.csv", {"annotators": ["rater_0", "rater_1", "rater_2"]}),
    "lists of votes": ("lists.jsonl", {"annotations": "marks"}),
    "votes and labels": ("wide file.csv", {"positives": "k", "totals": "m", "label": "y"}),
    "annotations and labels": ("long.csv", {"item": "item", "vote": "vote", "label": "gold"}),
    "lists and labels": ("lists.jsonl", {"annotations": "marks", "label": "first"}),
    "annotators and labels": (
        "wide file.csv",
        {"annotators": ["rater_0", "rater_2"], "label": "y"},
    ),
}


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)
def test_every_layout_can_be_had_again(folder, layout):
    name, columns = LAYOUT_COLUMNS[layout.name]
    check(getattr(ef, layout.asks)(folder / name, **columns, rng=1))


@pytest.mark.parametrize(
    ("ask", "name", "columns"),
    [
        ("from_scores", "many.csv", {"score": "p *", "label": "animal"}),
        ("from_scores", "lists.jsonl", {"score": "probs", "label": "y"}),
        ("from_soft_labels", "many.csv", {"soft": ["p dog", "p cat", "p other"]}),
        ("from_soft_labels", "lists.jsonl", {"soft": "probs"}),
        ("from_votes", "lists.jsonl", {"counts": "counts"}),
        ("from_votes", "many.csv", {"annotators": ["rater_0", "rater_2"]}),
    ],
)
def test_many_classes_can_be_had_again(folder, ask, name, columns):
    check(getattr(ef, ask)(folder / name, **columns, classes=["cat", "dog", "a, b"], rng=1))
    if ask == "from_soft_labels":
        found = getattr(ef, ask)(folder / name, **columns)
        check(found)
        assert "classes" not in python_code(found)


def test_many_classes_in_arrays_can_be_had_again():
    rng = np.random.default_rng(0)
    p = rng.dirichlet([1, 1, 1], size=N)
    y = (p.cumsum(axis=1) > rng.random((N, 1))).argmax(axis=1)
    votes = np.array([rng.multinomial(3, row) for row in p])
    names = ["a", "b", "c"]
    check(ef.from_scores(p, y, classes=names, rng=2), scores=p, labels=y)
    check(ef.from_soft_labels(p, classes=names, rng=2), soft_labels=p)
    check(ef.from_votes(votes, classes=names), votes=votes)
    found = ef.from_votes(votes, labels=y, classes=names, rng=2)
    check(found, votes=votes, labels=y)
    assert "classes=['a', 'b', 'c']" in python_code(found)


@pytest.mark.parametrize(
    ("ask", "name", "options"),
    [
        ("from_scores", "wide file.csv", {"method": "beta", "clip": 2**-52, "label": "y"}),
        ("from_scores", "wide file.csv", {"method": "isotonic", "clip": 0.1, "label": "y"}),
        ("from_scores", "holes.csv", {"label": "y", "drop_missing": True}),
        ("from_votes", "holes.csv", {"positives": "k", "totals": "m", "drop_missing": True}),
        ("from_votes", "wide file.csv", {"positives": "k", "totals": "m", "model_error": 0.2}),
        ("from_votes", "wide file.csv", {"positives": "k", "totals": "m", "majority": 3}),
        ("from_votes", "wide file.csv", {"positives": "k", "totals": "m", "totals_by": "item"}),
        ("from_votes", "crowd.csv", {}),  # whose default counts annotators
        ("from_scores", "plain.npz", {}),
        ("from_scores", "table.npz", {}),
        ("from_soft_labels", "soft.npz", {}),
        ("from_soft_labels", "table.npz", {}),
        ("from_scores", "scores.dat", {"label": "y"}),
    ],
)
def test_every_option_can_be_had_again(folder, ask, name, options):
    named = {"score": "my score"} if options.get("label") else {}
    check(getattr(ef, ask)(folder / name, **named, **options, rng=3))


def test_the_least_rating_of_class_1_keeps_all_its_digits(tmp_path):
    path = tmp_path / "prices.csv"
    rows = (f"{1_234_560 + i % 12},{i % 5 / 4}" for i in range(N))
    path.write_text("\n".join(("label,score", *rows)), encoding="utf-8")
    found = ef.from_scores(path, score="score", label="label", positive_from=1_234_567.5, rng=0)
    assert "positive_from=1234567.5" in python_code(found)
    check(found)


def test_labels_in_several_files_have_no_command(folder):
    frame = pd.read_csv(folder / "wide file.csv").assign(id=np.arange(N))
    frame[["id", "my score"]].to_csv(folder / "only scores.csv", index=False)
    parts = [folder / "labels 1.csv", folder / "labels 2.csv"]
    for part, rows in zip(parts, (frame[: N // 2], frame[N // 2 :]), strict=True):
        rows[["id", "y"]].to_csv(part, index=False)
    for labels, typed in ((parts, False), (parts[0], True)):
        found = ef.from_scores(
            *(folder / "only scores.csv", labels),
            score="my score",
            label="y",
            on="id",
            rng=0,
            drop_missing=True,
        )
        assert (command_line(found) is not None) == typed
        assert numbers(again_in_python(found)["floor"]) == numbers(found)


def test_guessed_columns_are_named(folder):
    found = ef.from_votes(folder / "long.csv")
    assert found.source.guessed == ("item", "annotator", "vote")
    assert "--item item --annotator annotator --vote vote" in command_line(found)
    check(found)


def test_a_seed_that_nobody_gave_is_kept(folder):
    first, second = (
        ef.from_scores(
            folder / "wide file.csv", score="my score", label="y", interval="bca", rng=None
        )
        for _ in range(2)
    )
    assert first.seed != second.seed
    check(first)
    check(second)


def test_another_level_is_kept(folder):
    found = ef.from_scores(folder / "wide file.csv", score="my score", label="y", rng=0)
    check(found.at_level(0.6))


@pytest.mark.parametrize("simultaneous", [False, True])
def test_a_group_can_be_had_again(folder, simultaneous):
    groups = ef.from_scores(
        folder / "wide file.csv",
        score="my score",
        label="y",
        group="batch",
        interval="bca",
        n_resamples=40,
        simultaneous=simultaneous,
        rng=4,
    )
    for name in ("a", "b"):
        check(groups[name])
        check(groups[name].at_level(0.7))
    result = again_on_the_command_line(groups["a"])
    assert [(row["low"], row["high"]) for row in result["rows"]] == [
        (row.low, row.high) for row in groups.values()
    ]


def test_arrays_tables_and_frames_need_their_names(folder):
    frame = pd.read_csv(folder / "wide file.csv")
    scores, labels = frame["my score"].to_numpy(), frame["y"].to_numpy()
    check(ef.from_scores(scores, labels, method="platt", rng=1), scores=scores, labels=labels)
    table = ef.ScoreTable.from_arrays(scores, labels)
    found = ef.from_scores(table, interval="certified", rng=1)
    assert command_line(found) is None
    check(found, table=table)
    check(ef.from_scores(frame, score="my score", label="y", rng=2), frame=frame)
    positives, totals = frame["k"].to_numpy(), frame["m"].to_numpy()
    check(ef.from_votes(positives, totals), positives=positives, totals=totals)
    soft_labels = frame["soft"].to_numpy()
    check(ef.from_soft_labels(soft_labels, rng=5), soft_labels=soft_labels)


@pytest.mark.parametrize("bits", [np.random.PCG64, np.random.MT19937, np.random.Philox])
@pytest.mark.parametrize("group", [None, "batch"])
def test_a_generator_is_kept_as_it_was(folder, bits, group):
    generator = np.random.Generator(bits(11))
    generator.random(5)
    generator.spawn(2)
    found = ef.from_scores(
        folder / "wide file.csv",
        score="my score",
        label="y",
        group=group,
        interval="percentile",
        n_resamples=30,
        rng=generator,
    )
    one = found if group is None else found["b"]
    assert command_line(one) is None
    assert numbers(again_in_python(one)["floor"]) == numbers(one)


def test_a_seed_sequence_is_kept_too(folder):
    columns = {"score": "my score", "label": "y", "interval": "bca", "n_resamples": 30}
    path = folder / "wide file.csv"
    first, second = (
        ef.from_scores(path, **columns, rng=np.random.SeedSequence(3)) for _ in range(2)
    )
    assert numbers(first) == numbers(second)
    assert numbers(again_in_python(first)["floor"]) == numbers(first)


@pytest.mark.parametrize("same_labelling", [False, True])
def test_a_verdict_can_be_had_again(folder, same_labelling):
    floor = ef.from_scores(folder / "wide file.csv", score="my score", label="y", rng=0)
    verdict = ef.headroom(floor, errors=30, n=200, level=0.9, same_labelling=same_labelling)
    again = again_in_python(verdict.floor, verdict)["verdict"]
    assert (again.low, again.high, again.p_room) == (verdict.low, verdict.high, verdict.p_room)
    result = again_on_the_command_line(verdict.floor, verdict)
    assert (result["low"], result["high"]) == (verdict.low, verdict.high)


def test_a_comparison_row_can_be_had_again(folder):
    rows = ef.compare(folder / "wide file.csv", score="my score", label="y", n_resamples=20, rng=8)
    for row in rows:
        check(row)


def test_the_report_prints_both_ways(folder, tmp_path):
    path = folder / "wide file.csv"
    found = ef.from_scores(path, score="my score", label="y", method="beta", clip=2**-52, rng=0)
    page = ef.report(found, tmp_path / "report.md").read_text(encoding="utf-8")
    assert python_code(found).splitlines()[-1] in page
    assert command_line(found) in page
    assert Path(found.source.files[0]) == path
